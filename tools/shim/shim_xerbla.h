/* How the drop-in objects report illegal arguments: as netlib's BLAS and CBLAS. */
#pragma once

#include "core/check/check.h"

#include <stdint.h>

#if defined(_WIN32)
#define EXB_SHIM __declspec(dllexport)
#else
#define EXB_SHIM __attribute__((visibility("default")))
#endif

/* The integers of the plain names. */
#ifdef EXB_PLAIN_64
typedef int64_t shim_info;
#else
typedef int shim_info;
#endif

/* A bad enum of a CBLAS call goes to cblas_xerbla, all else to xerbla_, both
 * through the dynamic linker, so that a program's own take precedence. */
void exb_shim_report(const exb_site *site, exb_fault fault);

/* The same for names with 64-bit integers beside those with 32 bits: to xerbla_64_. */
void exb_shim_report_64(const exb_site *site, exb_fault fault);
