/* What the drivers of one type share. */
#pragma once

#include "mpi/mpi_dot.h"
#include "mpi/pblas/pblas_operands.h"
#include "pblas_drivers.h"

/* The driver of a routine. */
#define driver(name) EXB_PASTE3(exb_pblas_, EXB_TYPE, name)
enum { EXB_SIZE = EXB_PARTS * sizeof(exb_real) };

/* A scalar as the library's routines take it. */
EXB_INLINE exb_scalar exb_pblas_scalar(const void *value)
{
#if EXB_IS_COMPLEX
    return value;
#else
    return *(const exb_real *)value;
#endif
}
