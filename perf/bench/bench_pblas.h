#ifndef BENCH_PBLAS_H
#define BENCH_PBLAS_H

/* pdgemm of ScaLAPACK and expdgemm for order n on all processes of MPI_COMM_WORLD, in a grid that
 * is as square as can be; false if there is no ScaLAPACK. */
#include <stdbool.h>
bool bench_pblas(int n);

#endif
