/* Names of exblas/accumulator.h that differ by the type of vectors and results. For templates of
 * the types s and d. */
#pragma once

#include "core/type.h"

/* exblas_acc_add_dot or exblas_acc_add_dot_f; exblas_acc_to_double or exblas_acc_root_to_float: an
 * operation before it ends in _. */
#if EXB_IS_S
#define acc_of_vector(verb) EXB_PASTE3(exblas_acc_, verb, _f)
#define acc_to(operation) EXB_PASTE3(exblas_acc_, operation, to_float)
#else
#define acc_of_vector(verb) EXB_PASTE2(exblas_acc_, verb)
#define acc_to(operation) EXB_PASTE3(exblas_acc_, operation, to_double)
#endif
