/* Integer and status types of ExBLAS. */
#ifndef EXBLAS_TYPES_H
#define EXBLAS_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define EXBLAS_BEGIN_C extern "C" {
#define EXBLAS_END_C }
#else
#define EXBLAS_BEGIN_C
#define EXBLAS_END_C
#endif

/* Exported from the shared library. */
#if defined(_WIN32) && defined(EXBLAS_EXPORTS)
#define EXBLAS_API __declspec(dllexport)
#elif defined(__GNUC__)
#define EXBLAS_API __attribute__((visibility("default")))
#else
#define EXBLAS_API
#endif

/* Lengths and strides. Every name that takes exblas_int has a twin ending in
 * _64 (Fortran: _64_) that takes exblas_int64. */
typedef int32_t exblas_int;
typedef int64_t exblas_int64;

/* Numbers of 16 bits, by their encodings: bfloat16 and IEEE half. */
typedef uint16_t exblas_bf16;
typedef uint16_t exblas_f16;

/* What Fortran's complex functions return, by value: re, im. Elsewhere complex numbers
 * are pairs of reals behind void pointers. */
#if defined(__GNUC__)
__extension__ typedef float _Complex exblas_complex_float;
__extension__ typedef double _Complex exblas_complex_double;
#elif defined(_MSC_VER)
typedef struct {
    float re, im;
} exblas_complex_float;
typedef struct {
    double re, im;
} exblas_complex_double;
#else
typedef float _Complex exblas_complex_float;
typedef double _Complex exblas_complex_double;
#endif

/* What entries that are not BLAS routines return. */
typedef int exblas_status;
enum {
    EXBLAS_OK = 0,
    EXBLAS_EINVAL = 1,       /* an argument has an illegal value; nothing was changed */
    EXBLAS_ENOMEM = 2,       /* out of memory */
    EXBLAS_ERANGE = 3,       /* the result does not fit */
    EXBLAS_EUNDERFLOW = 4,   /* bits below the format were lost */
    EXBLAS_EFORMAT = 5,      /* damaged or foreign data */
    EXBLAS_EDEVICE = 6,      /* a device or its driver failed */
    EXBLAS_EUNSUPPORTED = 7, /* not in this build or on this machine */
    EXBLAS_ESINGULAR = 8,    /* a system of equations without a unique solution */
    EXBLAS_EINDEFINITE = 9   /* a matrix that is not positive definite */
};

EXBLAS_BEGIN_C

/* One line of English for a status; never NULL. */
EXBLAS_API const char *exblas_status_text(exblas_status status);

EXBLAS_END_C

#endif
