/* A library without a BLAS, or one that ends a program that loads it. */
#include <stdlib.h>

int no_blas(void);

int no_blas(void)
{
    return 1;
}

#ifdef ABORTS
__attribute__((constructor)) static void on_load(void)
{
    abort();
}
#endif
