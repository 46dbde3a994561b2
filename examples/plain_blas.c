/* A program that knows nothing of ExBLAS. The exact sum is 1000; with a usual BLAS the ones get
 * lost beside the large terms, with exblas-run none does.
 *
 *   cc plain_blas.c -lblas -o plain_blas && ./plain_blas && exblas-run ./plain_blas
 */
#include <stdio.h>

enum { N = 3000 };

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);

int main(void)
{
    static const double period[] = {1e16, 1, -1e16};
    static double x[N], y[N];
    const int n = N, one = 1;
    for (int i = 0; i < N; i++) {
        x[i] = period[i % 3];
        y[i] = 1;
    }
    printf("%.17g\n", ddot_(&n, x, &one, y, &one));
    return 0;
}
