/* Operands whose sums are hard as a whole: factors that cancel each other, and structure. */
#include "generate.h"

#include "adversarial.h"

#include <math.h>
#include <stdlib.h>

/* The longest of the operands' sides. */
static int64_t longest_side(const fuzz_case *c)
{
    int64_t most = 1;
    for (int w = 0; w < N_OPERANDS; w++) {
        const fuzz_operand *o = &c->operand[w];
        most = o->rows > most ? o->rows : most;
        most = o->cols > most ? o->cols : most;
    }
    return most;
}

/* Element i of each row or each column of an operand is number i, but for powers of two. */
static void repeat(test_random *r, const fuzz_case *c, fuzz_which which, const double *numbers)
{
    const fuzz_operand *o = &c->operand[which];
    number_format f = fuzz_operand_format(c, which);
    int64_t parts = fuzz_operand_parts(c, which);
    bool by_rows = which < OPERAND_X && random_chance(r, 2);
    for (int64_t i = 0; i < o->rows * o->cols; i++) {
        const double *x = numbers + parts * (by_rows ? i / o->rows : i % o->rows);
        int exp2 = random_chance(r, 8) ? (int)random_between(r, -3, 3) : 0;
        double re = scale_if_exact(round_to(f, x[0]), exp2, f);
        o->v[i] = (test_number){re, parts == 2 ? x[1] : 0};
    }
}

void fuzz_fill_hard(test_random *r, fuzz_case *c)
{
    fuzz_which first = c->operand[OPERAND_A].rows > 0 ? OPERAND_A : OPERAND_X;
    number_format f = fuzz_operand_format(c, first) == FORMAT_D ? FORMAT_D : FORMAT_S;
    int64_t n = 2 * longest_side(c);
    double *u = fuzz_malloc((size_t)n * sizeof *u), *v = fuzz_malloc((size_t)n * sizeof *v);
    if (first == OPERAND_X && c->operand[OPERAND_Y].rows == 0)
        terms_fill((size_t)random_between(r, 0, (int64_t)terms_kinds() - 1), r, f, n, u);
    else
        factors_fill((size_t)random_between(r, 0, (int64_t)factors_kinds() - 1), r, f, n, u, v);
    for (int w = 0; w < N_OPERANDS; w++)
        repeat(r, c, (fuzz_which)w, (fuzz_which)w == first ? u : v);
    free(u);
    free(v);
}

/* --- zeros ---------------------------------------------------------------- */

static test_number zero(test_random *r)
{
    return (test_number){random_chance(r, 2) ? -0.0 : 0.0, 0};
}

typedef struct {
    int64_t begin, end;
} range;

static range random_range(test_random *r, int64_t n)
{
    int64_t begin = random_between(r, 0, n), end = random_between(r, begin, n);
    if (random_chance(r, 2)) { /* at the limits of blocks */
        begin = begin / 32 * 32;
        end = end / 64 * 64;
    }
    if (random_chance(r, 4))
        begin = 0;
    if (random_chance(r, 4))
        end = n;
    return (range){begin, end};
}

static bool in_range(range x, int64_t i)
{
    return i >= x.begin && i < x.end;
}

/* Zeroes what lies outside of ranges of the lines, which are columns or rows; or whole lines. */
static void cut_lines(test_random *r, const fuzz_operand *o)
{
    bool by_columns = random_chance(r, 2), whole = random_chance(r, 2);
    int64_t n_lines = by_columns ? o->cols : o->rows, length = by_columns ? o->rows : o->cols;
    for (int64_t line = 0; line < n_lines; line++) {
        range kept = random_range(r, length);
        if (whole)
            kept = random_chance(r, 2) ? (range){0, 0} : (range){0, length};
        for (int64_t i = 0; i < length; i++)
            if (!in_range(kept, i))
                o->v[by_columns ? line * o->rows + i : i * o->rows + line] = zero(r);
    }
}

static void zero_block(test_random *r, const fuzz_operand *o)
{
    range i = random_range(r, o->rows), j = random_range(r, o->cols);
    for (int64_t at = 0; at < o->rows * o->cols; at++)
        if (in_range(i, at % o->rows) && in_range(j, at / o->rows))
            o->v[at] = zero(r);
}

/* One element of each column, where there is a row for it: some are 1. */
static void permute(test_random *r, const fuzz_operand *o)
{
    double *place = fuzz_malloc((size_t)o->rows * sizeof *place);
    for (int64_t i = 0; i < o->rows; i++)
        place[i] = (double)i;
    shuffle(r, o->rows, place, NULL);
    for (int64_t at = 0; at < o->rows * o->cols; at++)
        if (at / o->rows >= o->rows || at % o->rows != (int64_t)place[at / o->rows])
            o->v[at] = zero(r);
        else if (random_chance(r, 2))
            o->v[at] = (test_number){1, 0};
    free(place);
}

void fuzz_put_zeros(test_random *r, const fuzz_case *c)
{
    static const double hidden[] = {INFINITY, -INFINITY, NAN};
    for (int w = 0; w < OPERAND_X; w++) {
        const fuzz_operand *o = &c->operand[w];
        int64_t n = o->rows * o->cols;
        int what = (int)random_between(r, 0, 6);
        if (what == 1)
            permute(r, o);
        else if (what == 2)
            zero_block(r, o);
        else if (what > 2)
            cut_lines(r, o);
        if (n > 0 && random_chance(r, 4))
            o->v[random_between(r, 0, n - 1)].re = hidden[random_between(r, 0, 2)];
    }
}
