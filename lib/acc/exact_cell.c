/* Cells (exblas/cell.h): terms, batches, combining, rounding. */
#include "acc/exact_cell.h"

#include "core/fpenv.h"
#include "core/kernels.h"

#include <math.h>

void exblas_cell_widen(exblas_cell *c, exblas_cell_wide *room)
{
    if (exb_cell_wide(c))
        return;
    memset(room, 0, sizeof *room);
    room->n = exb_cell_count(c);
    c->n_or_wide = (int64_t)(uintptr_t)room + 1;
}

exblas_cell_wide *exblas_cell_wide_part(const exblas_cell *c)
{
    return exb_cell_wide(c);
}

int64_t exblas_cell_count(const exblas_cell *c)
{
    return exb_cell_count(c);
}

void exblas_cell_clear(exblas_cell *c)
{
    exblas_cell_wide *room = exb_cell_wide(c);
    *c = (exblas_cell){.n_or_wide = 0};
    if (room)
        exblas_cell_widen(c, room);
}

/* Counts a term that is not finite; `by` is -1 if it is taken away. */
static void count_special(exblas_cell_wide *w, bool is_nan, bool negative, int64_t by)
{
    *(is_nan ? &w->n_nan : negative ? &w->n_neg_inf : &w->n_pos_inf) += by;
}

static void add_product_wide(exblas_cell_wide *w, double x, double y, int64_t by)
{
    exb_decomposed p = exb_split(x), q = exb_split(y);
    if (!p.is_finite || !q.is_finite) {
        bool negative = p.negative != q.negative;
        bool is_nan = exb_special_of_product(p, q, negative) == EXB_HAS_NAN;
        count_special(w, is_nan, negative, by);
    } else {
        exblas_acc_add_product(&w->acc, by > 0 ? x : -x, y);
    }
}

EXB_INLINE bool add_term(exblas_cell *c, double x, int64_t by)
{
    if (EXB_UNLIKELY(!exb_terms_add(c->term, by > 0 ? x : -x))) {
        if (!exb_cell_wide(c))
            return false;
        add_product_wide(exb_cell_wide(c), x, 1, by);
    }
    exb_cell_count_add(c, by);
    return true;
}

/* t += x y, where two_prod is exact (eft.h): p in range, or a factor that is 0, when the other
 * is finite. A factor above 2^996 can make the error NaN, which exb_terms_add refuses. */
EXB_INLINE bool add_product_to_terms(double t[3], double x, double y)
{
    double error, p = exb_two_prod(x, y, &error);
    double sum[3] = {t[0], t[1], t[2]};
    bool is_exact = exb_product_in_range(p) || (p == 0 && (x == 0 || y == 0));
    if (!is_exact || !exb_terms_add(sum, p) || !exb_terms_add(sum, error))
        return false;
    memcpy(t, sum, sizeof sum);
    return true;
}

EXB_INLINE bool add_product_term(exblas_cell *c, double x, double y, int64_t by)
{
    if (EXB_UNLIKELY(!add_product_to_terms(c->term, by > 0 ? x : -x, y))) {
        if (!exb_cell_wide(c))
            return false;
        add_product_wide(exb_cell_wide(c), x, y, by);
    }
    exb_cell_count_add(c, by);
    return true;
}

/* Blocks of a vector go through a kernel. Shorter vectors are added one by one. AHEAD: cells that
 * are fetched before their turn. */
enum { SHORTEST = 256, AHEAD = 32 };

static bool add_block(double t[3], int64_t n, const double *x)
{
    double sum[3] = {t[0], t[1], t[2]};
    exb_triples part = {.w = {0}};
    bool fits = true;
    exb_kernels_current()->d.triple(EXB_TERM_X, n, x, NULL, &part);
    for (int j = 0; j < EXB_TRIPLE_LANES && fits; j++)
        fits = part.w[j] == 0 && exb_terms_add(sum, part.s[j]) && exb_terms_add(sum, part.c[j]);
    if (fits)
        memcpy(t, sum, sizeof sum);
    return fits;
}

static bool add_block_wide(exblas_cell_wide *w, int64_t n, const double *x)
{
    if (!w)
        return false;
    exblas_acc sum = w->acc;
    exblas_acc_add_vector(&sum, n, x, 1);
    if (sum.special)
        return false;
    w->acc = sum;
    return true;
}

static EXB_NOINLINE int64_t add_vector(exblas_cell *c, int64_t n, const double *x)
{
    int64_t i = 0;
    while (i < n) {
        int64_t left = n - i, block = left < EXB_CHUNK ? left : EXB_CHUNK;
        if (block >= SHORTEST &&
            (add_block(c->term, block, x + i) || add_block_wide(exb_cell_wide(c), block, x + i))) {
            i += block;
            exb_cell_count_add(c, block);
            continue;
        }
        for (int64_t end = i + block; i < end; i++)
            if (!add_term(c, x[i], 1))
                return i;
    }
    return n;
}

int64_t exblas_cell_add_vector(exblas_cell *c, int64_t n, const double *x)
{
    int64_t n_added;
    EXB_GUARDED(n_added = add_vector(c, n, x));
    return n_added;
}

static EXB_NOINLINE int64_t add_dot(exblas_cell *c, int64_t n, const double *x, const double *y)
{
    for (int64_t i = 0; i < n; i++)
        if (!add_product_term(c, x[i], y[i], 1))
            return i;
    return n;
}

int64_t exblas_cell_add_dot(exblas_cell *c, int64_t n, const double *x, const double *y)
{
    int64_t n_added;
    EXB_GUARDED(n_added = add_dot(c, n, x, y));
    return n_added;
}

EXB_INLINE exblas_cell *cell_at(void *state, size_t offset)
{
    return (exblas_cell *)((char *)state + offset);
}

/* Both ends: a cell may lie in two lines of the cache. */
EXB_INLINE void fetch_cell(const exblas_cell *c)
{
    __builtin_prefetch(c, 1);
    __builtin_prefetch(&c->n_or_wide, 1);
}

EXB_INLINE exblas_cell *next_cell(int64_t i, int64_t n, void *const *state, size_t offset)
{
    fetch_cell(cell_at(state[i + AHEAD < n ? i + AHEAD : i], offset));
    return cell_at(state[i], offset);
}

/* y is NULL for a sum of x. */
EXB_INLINE int64_t add_rows(int64_t n, void *const *state, size_t offset, const double *x,
                            const double *y)
{
    for (int64_t i = 0; i < n; i++) {
        exblas_cell *c = next_cell(i, n, state, offset);
        if (!(y ? add_product_term(c, x[i], y[i], 1) : add_term(c, x[i], 1)))
            return i;
    }
    return n;
}

static EXB_NOINLINE int64_t add_each(int64_t n, void *const *state, size_t offset, const double *x,
                                     const double *y)
{
    return y ? add_rows(n, state, offset, x, y) : add_rows(n, state, offset, x, NULL);
}

int64_t exblas_cell_add_each_product(int64_t n, void *const *state, size_t offset, const double *x,
                                     const double *y)
{
    int64_t n_added;
    EXB_GUARDED(n_added = add_each(n, state, offset, x, y));
    return n_added;
}

int64_t exblas_cell_add_each(int64_t n, void *const *state, size_t offset, const double *x)
{
    return exblas_cell_add_each_product(n, state, offset, x, NULL);
}

/* x, or x y unless y is NULL. */
static EXB_NOINLINE bool add_one(exblas_cell *c, double x, const double *y, int64_t by)
{
    return y ? add_product_term(c, x, *y, by) : add_term(c, x, by);
}

static exblas_status add_guarded(exblas_cell *c, double x, const double *y, int64_t by)
{
    bool fits;
    EXB_GUARDED(fits = add_one(c, x, y, by));
    return fits ? EXBLAS_OK : EXBLAS_ENOMEM;
}

exblas_status exblas_cell_add(exblas_cell *c, double x)
{
    return add_guarded(c, x, NULL, 1);
}

exblas_status exblas_cell_sub(exblas_cell *c, double x)
{
    return add_guarded(c, x, NULL, -1);
}

exblas_status exblas_cell_add_product(exblas_cell *c, double x, double y)
{
    return add_guarded(c, x, &y, 1);
}

exblas_status exblas_cell_sub_product(exblas_cell *c, double x, double y)
{
    return add_guarded(c, x, &y, -1);
}

static void combine_wide(exblas_cell_wide *a, const exblas_cell_wide *b, int64_t by)
{
    exblas_acc acc = b->acc;
    if (by < 0)
        exblas_acc_negate(&acc);
    exblas_acc_merge(&a->acc, &acc);
    a->n_pos_inf += by * b->n_pos_inf;
    a->n_neg_inf += by * b->n_neg_inf;
    a->n_nan += by * b->n_nan;
}

/* a += by b: b's three doubles as terms, which go to the wide part together if one must. */
static EXB_NOINLINE bool add_cell(exblas_cell *a, const exblas_cell *b, int64_t by)
{
    double sum[3] = {a->term[0], a->term[1], a->term[2]}, term[3];
    exblas_cell_wide *wide = exb_cell_wide(a);
    const exblas_cell_wide *b_wide = exb_cell_wide(b);
    bool fits = true;
    for (int i = 0; i < 3; i++) {
        term[i] = by > 0 ? b->term[i] : -b->term[i];
        fits = fits && (term[i] == 0 || exb_terms_add(sum, term[i]));
    }
    if (!wide && (!fits || b_wide))
        return false;
    if (b_wide)
        combine_wide(wide, b_wide, by);
    if (fits)
        memcpy(a->term, sum, sizeof sum);
    for (int i = 0; i < 3 && !fits; i++)
        exblas_acc_add(&wide->acc, term[i]);
    exb_cell_count_add(a, by * exb_cell_count(b));
    return true;
}

static bool is_untouched(const exblas_cell *c)
{
    return (exb_bits(c->term[0]) | exb_bits(c->term[1]) | exb_bits(c->term[2]) |
            (uint64_t)c->n_or_wide) == 0;
}

/* Most often tables of groups are combined, and a group is new to one of them: no arithmetic. */
EXB_INLINE bool combine_cells(exblas_cell *a, const exblas_cell *b)
{
    if (exb_cell_wide(b) || !is_untouched(a))
        return add_cell(a, b, 1);
    *a = *b;
    return true;
}

static exblas_status combine_guarded(exblas_cell *a, const exblas_cell *b, int64_t by)
{
    bool fits;
    EXB_GUARDED(fits = by > 0 ? combine_cells(a, b) : add_cell(a, b, by));
    return fits ? EXBLAS_OK : EXBLAS_ENOMEM;
}

exblas_status exblas_cell_combine(exblas_cell *a, const exblas_cell *b)
{
    return combine_guarded(a, b, 1);
}

exblas_status exblas_cell_subtract(exblas_cell *a, const exblas_cell *b)
{
    return combine_guarded(a, b, -1);
}

static EXB_NOINLINE int64_t combine_each(int64_t n, void *const *a, void *const *b, size_t offset)
{
    for (int64_t i = 0; i < n; i++)
        if (!combine_cells(next_cell(i, n, a, offset), next_cell(i, n, b, offset)))
            return i;
    return n;
}

int64_t exblas_cell_combine_each(int64_t n, void *const *a, void *const *b, size_t offset)
{
    int64_t n_combined;
    EXB_GUARDED(n_combined = combine_each(n, a, b, offset));
    return n_combined;
}

void exb_cell_finite_sum(const exblas_cell *c, exblas_acc *a)
{
    if (exb_cell_wide(c))
        *a = exb_cell_wide(c)->acc;
    else
        exblas_acc_init(a);
    for (int i = 0; i < 3; i++)
        exblas_acc_add(a, c->term[i]);
}

double exb_cell_special(const exblas_cell *c)
{
    const exblas_cell_wide *w = exb_cell_wide(c);
    if (!w || !(w->n_nan | w->n_pos_inf | w->n_neg_inf))
        return 0;
    if (w->n_nan || (w->n_pos_inf && w->n_neg_inf))
        return exb_from_bits(EXB_CANONICAL_NAN);
    return w->n_pos_inf ? (double)INFINITY : -(double)INFINITY;
}

static EXB_NOINLINE bool round_terms(const double t[3], double *r)
{
    return exb_cell_round_terms(t, r);
}

double exblas_cell_to_double(const exblas_cell *c)
{
    double r = exb_cell_special(c);
    bool done = r != 0;
    if (!done && !exb_cell_wide(c))
        EXB_GUARDED(done = round_terms(c->term, &r));
    if (done)
        return r;
    exblas_acc a;
    exb_cell_finite_sum(c, &a);
    return exblas_acc_to_double(&a);
}

int exblas_cell_is_finite(const exblas_cell *c)
{
    return exb_cell_special(c) == 0;
}

void exblas_cell_add_to(const exblas_cell *c, exblas_acc *a)
{
    exblas_acc sum;
    exb_cell_finite_sum(c, &sum);
    exblas_acc_merge(a, &sum);
    if (!exblas_cell_is_finite(c))
        exblas_acc_add(a, exb_cell_special(c));
}
