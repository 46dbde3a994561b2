/* Level 3 of the PBLAS where one process has all operands: a grid of one, or submatrices within a
 * block, as in ScaLAPACK's panels. The library's own routine works on them where they lie: the same
 * bits by definition, without copies. */
#ifndef EXB_PBLAS_ALONE_H
#define EXB_PBLAS_ALONE_H

#include "mpi/pblas/pblas_type.h"

#define exb_pblas_alone(name) EXB_PASTE4(exb_pblas_, EXB_TYPE, name, _alone)

/* After exb_pblas_begin. False, and nothing is done, if several processes take part. */
bool exb_pblas_alone(gemm)(const exb_pblas_call *q);
bool exb_pblas_alone(symm)(const exb_pblas_call *q, bool hermitian);
bool exb_pblas_alone(syrk)(const exb_pblas_call *q, bool hermitian);
bool exb_pblas_alone(syr2k)(const exb_pblas_call *q, bool hermitian);
bool exb_pblas_alone(triangle)(const exb_pblas_call *q, bool solves);

#endif
