/* One matrix product, with any number of threads and any method: always the same bits.
 *
 *   cc matrix.c $(pkg-config --cflags --libs exblas) -o matrix && ./matrix
 */
#include <exblas/exblas.h>
#include <stdio.h>
#include <string.h>

enum { M = 60, K = 500, N = 40 };
static double a[M * K], b[K * N], c[M * N], first[M * N];

int main(void)
{
    static const char *const methods[] = {"auto", "superacc", "fpe4"};
    int n_different = 0;
    for (int i = 0; i < M * K; i++)
        a[i] = (i * 7919 % 1009 - 504) / 3.0;
    for (int i = 0; i < K * N; i++)
        b[i] = 1 / (i * 104729 % 1013 - 506.5);
    for (int n_threads = 1; n_threads <= 4; n_threads++)
        for (int k = 0; k < 3; k++) {
            exblas_set_num_threads(n_threads);
            exblas_set_method(methods[k]);
            /* C = A B, row by row; beta = 0: C is not read */
            excblas_dgemm(EXBLAS_ROW_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, M, N, K, 1.0, a, K, b,
                          N, 0.0, c, N);
            if (n_threads == 1 && k == 0)
                memcpy(first, c, sizeof c);
            n_different += memcmp(first, c, sizeof c) != 0;
        }
    printf("c[0][0] = %.17g (%a)\n", c[0], c[0]);
    printf("12 products, %d differ from the first\n", n_different);
    return n_different != 0;
}
