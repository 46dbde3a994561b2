/* The libraries underneath the objects that trace. */
#pragma once

#define EXB_SHIM __attribute__((visibility("default")))

typedef void exb_function(void);

/* The function that one of the names (NULL at the end) has in the BLAS underneath: in the library
 * that EXBLAS_TRACE_BLAS names, else in whatever object of the process defines it, else in
 * libblas.so.3. Kept in *slot. Ends the process with status 127 if there is none, as the dynamic
 * linker would have. */
exb_function *exb_real(_Atomic(void *) *slot, const char *const *names);

/* The function that one of the names has in the library that EXBLAS_TRACE_BLAS names, or in
 * whatever object of the process that is not ours; NULL: in none. */
exb_function *exb_real_named(const char *const *names);
exb_function *exb_real_loaded(const char *const *names);

/* POSIX, not C, makes pointers to data and to functions of one kind. */
exb_function *exb_function_of(void *p);
