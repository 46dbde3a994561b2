/* Which BLAS calls of this process did not reach us, as far as the dynamic linker's tables tell. */
#ifndef EXB_ELSEWHERE_H
#define EXB_ELSEWHERE_H

#include <stdbool.h>

/* A binding of a BLAS or LAPACK name: who uses it, who provides it, and why it is not ours.
 * `symbol+N` stands for N more of the same caller, provider and reason. */
typedef struct {
    const char *symbol, *caller, *provider, *reason;
} exb_elsewhere;

/* Calls `report` for each; with none_intercepted once more for the whole process. */
void exb_elsewhere_find(bool none_intercepted, void (*report)(void *, const exb_elsewhere *),
                        void *context);

#endif
