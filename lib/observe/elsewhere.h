/* Which BLAS calls of this process did not reach us, as far as the dynamic linker's tables tell. */
#pragma once

#include <stdbool.h>

/* A binding of a BLAS or LAPACK name: who uses it, who provides it, and why it is not ours.
 * `symbol+N` stands for N more of the same caller, provider and reason. */
typedef struct {
    const char *symbol, *caller, *provider, *reason;
} exb_elsewhere;

/* Says that the object which holds this address is one of ours, under whatever name it was found:
 * each drop-in object does when it is loaded. */
#pragma GCC visibility push(default)
void exb_own_object(const void *inside);

/* Says that a LAPACK routine (dgesv, a static text) with integers of so many bits, 32 or 64, was
 * called and led on to the program's own library, because there is no other. */
void exb_lapack_passed(const char *routine, int bits, const char *provider);
#pragma GCC visibility pop

/* Whether this system's tables are read; else none is ever found. */
bool exb_elsewhere_is_known(void);

/* Calls `report` for each; with none_intercepted once more for the whole process. */
void exb_elsewhere_find(bool none_intercepted, void (*report)(void *, const exb_elsewhere *),
                        void *context);

/* Whether NumPy is loaded, whose own sums are no calls. */
bool exb_own_sums_matter(void);
