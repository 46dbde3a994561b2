/* The BLAS underneath the tracing object. */
#ifndef EXB_TRACE_REAL_H
#define EXB_TRACE_REAL_H

#define EXB_SHIM __attribute__((visibility("default")))

typedef void exb_function(void);

/* The function that one of the names (NULL at the end) has in the BLAS underneath: in the library
 * that EXBLAS_TRACE_BLAS names, else in whatever object of the process defines it, else in
 * libblas.so.3. Kept in *slot. Ends the process with status 127 if there is none, as the dynamic
 * linker would have. */
exb_function *exb_real(_Atomic(void *) *slot, const char *const *names);

#endif
