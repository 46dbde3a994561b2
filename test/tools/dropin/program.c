/* A program with a BLAS of its own, whose sum depends on TEST_ORDER: what runs under exblas-run in
 * test_dropin.py. */
double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);
double cblas_dgemm_pack(int n);
double mkl_ddot_(int n);
double mkl_dgemv_(int n);
void dgesv_(int *info);
int printf(const char *, ...);

int main(int argc, char **argv)
{
    const double x[] = {1e16, 1, -1e16}, one[] = {1, 1, 1};
    int info = 0;
    (void)argv;
    if (argc > 1) {
        printf("%g\n", cblas_dgemm_pack(1) + mkl_ddot_(1) + mkl_dgemv_(0));
        dgesv_(&info);
    }
    double d = cblas_ddot(2, one, 1, one, 1);
    printf("%g %g\n", d, cblas_ddot(3, x, 1, one, 1));
    return 0;
}
