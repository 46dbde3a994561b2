/* What a *_tmpl.c file is compiled for. The build defines one of EXB_TYPE_s,
 * EXB_TYPE_d, EXB_TYPE_c, EXB_TYPE_z; a template says
 *
 *   exb_real        the element type or, of complex elements, the type of their parts
 *   exb_t(name)     the name for this type: exb_t(dot) is exb_ddot
 *   exblas_t(name)  a public name: exblas_t(scatter_add) is exblas_dscatter_add
 *   exb_p(name)     the name for the type of the parts: in z, exb_p(dot) is exb_ddot
 *   EXB_IS_S        1 if the parts are floats: their products are exact in double
 *   EXB_IS_COMPLEX  1 for pairs re, im
 *   EXB_PARTS       reals per element
 *   exb_scalar      how a scalar of the element type is passed to an entry: a real
 *                   by value, a complex number by a pointer to its parts
 *   exb_values, exb_results   arrays in public prototypes: pointers to reals, or to void
 *
 *   exb_entry(name)       the entry behind all public names of a routine (entry.h):
 *                         exb_entry_zscal
 *   exb_entry_mixed(name) the entry of a routine with real scalars: exb_entry_drot,
 *                         exb_entry_zdrot
 *   exb_entry_complex(name), exb_entry_norm(name)
 *                         in s and d, the entries of the complex type with these parts:
 *                         in d, exb_entry_zdotu and exb_entry_dznrm2
 *   exb_entry_index(name) exb_entry_izamax
 *
 * Kernels that are compiled once per type and instruction set add exb_ti(name):
 * exb_ti(filter) is exb_dfilter_avx2.
 *
 * Inside, float data is widened: everything between the elements and the final
 * rounding is double. */
#pragma once

#include "core/arith/enclosure.h"
#include "core/arith/quotient.h"

#if defined(EXB_TYPE_s)
#define EXB_TYPE s
#define EXB_PART s
#define EXB_COMPLEX c
#elif defined(EXB_TYPE_d)
#define EXB_TYPE d
#define EXB_PART d
#define EXB_COMPLEX z
#elif defined(EXB_TYPE_c)
#define EXB_TYPE c
#define EXB_PART s
#define EXB_COMPLEX c
#elif defined(EXB_TYPE_z)
#define EXB_TYPE z
#define EXB_PART d
#define EXB_COMPLEX z
#else
#error "compile this file through the table of types in lib/meson.build"
#endif

#if defined(EXB_TYPE_s) || defined(EXB_TYPE_c)
#define EXB_IS_S 1
typedef float exb_real;
#else
#define EXB_IS_S 0
typedef double exb_real;
#endif

#if defined(EXB_TYPE_c) || defined(EXB_TYPE_z)
#define EXB_IS_COMPLEX 1
#define EXB_PARTS 2
typedef const exb_real *exb_scalar;
typedef const void *exb_values;
typedef void *exb_results;
typedef const void *exb_scalar_argument;
#define exb_entry_mixed(name) EXB_PASTE4(exb_entry_, EXB_TYPE, EXB_PART, name)
#else
#define EXB_IS_COMPLEX 0
#define EXB_PARTS 1
typedef exb_real exb_scalar;
typedef const exb_real *exb_values;
typedef exb_real *exb_results;
typedef exb_real exb_scalar_argument;
#define exb_entry_mixed(name) exb_entry(name)
#endif

#define exb_t(name) EXB_PASTE3(exb_, EXB_TYPE, name)
#define exblas_t(name) EXB_PASTE3(exblas_, EXB_TYPE, name)
#define exb_p(name) EXB_PASTE3(exb_, EXB_PART, name)
#define exb_entry(name) EXB_PASTE3(exb_entry_, EXB_TYPE, name)
#define exb_entry_complex(name) EXB_PASTE3(exb_entry_, EXB_COMPLEX, name)
#define exb_entry_norm(name) EXB_PASTE4(exb_entry_, EXB_PART, EXB_COMPLEX, name)
#define exb_entry_index(name) EXB_PASTE3(exb_entry_i, EXB_TYPE, name)
#define exb_ti(name) EXB_PASTE3(exb_t(name), _, EXB_ISA)

/* A scalar's value; im = 0 in the real types. */
typedef struct {
    double re, im;
} exb_complex;

EXB_INLINE exb_complex exb_scalar_value(exb_scalar a)
{
#if EXB_IS_COMPLEX
    return (exb_complex){a[0], a[1]};
#else
    return (exb_complex){a, 0};
#endif
}

/* r, with the canonical NaN for any NaN. */
EXB_INLINE exb_real exb_canonical(exb_real r)
{
#if EXB_IS_S
    return r == r ? r : exb_from_bits_f(EXB_CANONICAL_NAN_F);
#else
    return r == r ? r : exb_from_bits(EXB_CANONICAL_NAN);
#endif
}

/* The finish in the format of the type. */
#define exb_round_enclosure EXB_PASTE2(exb_enclosure_round_, EXB_PART)
#define EXB_FORMAT EXB_PASTE2(exb_format_, EXB_PART)()
#define exb_round_superacc(a) ((exb_real)exb_superacc_round(EXB_FORMAT, a))
#define exb_round_quotient(v, d) ((exb_real)exb_quotient(EXB_FORMAT, v, d))
#define exb_round_ratio(n, d) ((exb_real)exb_ratio(EXB_FORMAT, n, d))
#define exb_round_root(a) ((exb_real)exb_superacc_root(EXB_FORMAT, a))
#define exb_round_root_of_ratio(n, d) ((exb_real)exb_ratio_of_bigs(EXB_FORMAT, true, n, d))
