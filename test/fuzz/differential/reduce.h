/* Takes indices out of a case: rows and columns of all operands that have them. */
#ifndef FUZZ_REDUCE_H
#define FUZZ_REDUCE_H

#include "case.h"

/* Which index runs along an operand's rows (along = 0) or columns: 'm', 'n', 'k', 'b' (bins, or
 * the matrices of a batch), or 0. */
char fuzz_index_of(const fuzz_case *c, fuzz_which which, int along);
/* m, n, k or the number of bins, whichever the routine has by itself; else NULL. */
int64_t *fuzz_extent(fuzz_case *c, char index);
/* Takes [from, from + count) out. */
void fuzz_remove(fuzz_case *c, char index, int64_t from, int64_t count);

#endif
