/* What a *_tmpl.c file is compiled for. The build defines EXB_TYPE_s or
 * EXB_TYPE_d; a template says
 *
 *   exb_real     the element type
 *   exb_t(name)  the name for this type: exb_t(dot) is exb_ddot
 *   EXB_IS_S     1 for float: products of elements are exact in double
 *
 *   exb_entry(name)  the entry behind all public names of a routine (entry.h)
 *
 * Kernels that are compiled once per type and instruction set add exb_ti(name):
 * exb_ti(filter) is exb_dfilter_avx2.
 *
 * Inside, float data is widened: everything between the elements and the final
 * rounding is double. */
#ifndef EXB_TYPE_H
#define EXB_TYPE_H

#include "core/enclosure.h"
#include "core/quotient.h"
#include "core/root.h"

#if defined(EXB_TYPE_s)
#define EXB_TYPE s
#define EXB_IS_S 1
typedef float exb_real;
#elif defined(EXB_TYPE_d)
#define EXB_TYPE d
#define EXB_IS_S 0
typedef double exb_real;
#else
#error "compile this file through the table of types in lib/meson.build"
#endif

#define exb_t(name) EXB_PASTE3(exb_, EXB_TYPE, name)
#define exb_entry(name) EXB_PASTE3(exb_entry_, EXB_TYPE, name)
#define exb_ti(name) EXB_PASTE3(exb_t(name), _, EXB_ISA)

/* The finish in the format of the type. */
EXB_INLINE bool exb_round_enclosure(exb_enclosure v, exb_real *r)
{
#if EXB_IS_S
    return exb_enclosure_round_s(v, r);
#else
    return exb_enclosure_round_d(v, r);
#endif
}

EXB_INLINE exb_real exb_round_superacc(exb_superacc *a)
{
#if EXB_IS_S
    return exb_superacc_round_s(a);
#else
    return exb_superacc_round_d(a);
#endif
}

EXB_INLINE exb_real exb_round_quotient(exb_superacc *a, double d)
{
#if EXB_IS_S
    return exb_quotient_s(a, d);
#else
    return exb_quotient_d(a, d);
#endif
}

EXB_INLINE exb_real exb_round_root(exb_superacc *a)
{
#if EXB_IS_S
    return exb_root_s(a);
#else
    return exb_root_d(a);
#endif
}

#endif
