/* Makes cases: a routine, sizes at the limits of blocks and panels, numbers that saturate bounds.
 */
#pragma once

#include "case.h"
#include "numbers.h"

/* What a run is restricted to; NULL: everything. A routine's name with or without its type,
 * or level1, level2, level3. */
typedef struct {
    const char *routine, *method, *isa;
    bool (*takes)(const fuzz_routine *r);
} fuzz_choice;

/* Case number `index` of a seed: always the same, whatever came before. False if the choice
 * leaves nothing. */
bool fuzz_generate(uint64_t seed, uint64_t index, const fuzz_choice *choice, fuzz_case *c);
/* Whether the choice names the routine. */
bool fuzz_is_chosen(const fuzz_choice *choice, const fuzz_routine *r);
enum { FUZZ_MOST_ISAS = 16 };
/* The instruction sets that this processor and the choice have. */
int fuzz_isas(const fuzz_choice *choice, const char *names[FUZZ_MOST_ISAS]);

/* Sizes (sizes.c): in proportion to what the oracle takes. */
void fuzz_choose_sizes(test_random *r, fuzz_case *c);
/* Long sums of few results instead, as many terms as the filters take at once; false if the routine
 * has no such sums. */
bool fuzz_choose_long_sums(test_random *r, fuzz_case *c);

/* The operands instead (structure.c): vectors, rows and columns whose products are hard to add; and
 * zero rows, columns, blocks and ends of lines, permuted identities, with Inf and NaN here and
 * there.
 */
void fuzz_fill_hard(test_random *r, fuzz_case *c);
void fuzz_put_zeros(test_random *r, const fuzz_case *c);

/* What old values of all elements (false if none are read), or the right-hand side of the last
 * unknown, bring next to a midpoint, as near as a number of the format can (midpoints.c). */
bool fuzz_steer_old(test_random *r, fuzz_case *c);
void fuzz_steer_solve(test_random *r, fuzz_case *c);
/* Afterwards, for one result: changes few numbers so that the exact result lies beside a middle
 * between two numbers, at a distance near what the filters' bounds are (steer.c). */
void fuzz_steer(test_random *r, fuzz_case *c);
void fuzz_steer_update(test_random *r, fuzz_case *c); /* Level 2 (steer_updates.c) */
void fuzz_steer_vector(test_random *r, fuzz_case *c); /* Level 1 */
/* The same for a case of long sums, whose terms lose as much as they can. */
void fuzz_steer_losing(test_random *r, fuzz_case *c);
