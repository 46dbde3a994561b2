#pragma once

/* A routine of ScaLAPACK ("gemm", "syrk", "trsm") and ours for order n on all processes of
 * MPI_COMM_WORLD, in a grid that is as square as can be; false if there is no ScaLAPACK, or no such
 * routine. */
#include <stdbool.h>
bool bench_pblas(const char *routine, int n);
