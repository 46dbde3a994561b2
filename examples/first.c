/* examples/first.c */
#include <exblas/exblas.h>
#include <stdio.h>

int main(void)
{
    double x[] = {1e16, 1, -1e16, 0x1p-1074}, y[] = {1, 1, 1, 1};
    printf("%.17g\n", excblas_ddot(4, x, 1, y, 1)); /* 1: exact, then rounded once */
    return 0;
}
