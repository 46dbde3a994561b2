/* Chains of FMAs: the kernels against a model of one chain, bit by bit, and the bounds of chain.h
 * against chains whose rounding errors all point the same way. */
#include "level3/chain.h"

#include "core/fpenv.h"
#include "core/kernels.h"
#include "level3/kernels/chain_kernel.h"
#include "isa_from.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>

enum { MOST_TERMS = 3000, MOST_ROWS = 24, MOST_COLS = 8, LD = 27 };

/* --- a model of one chain ------------------------------------------------- */

typedef struct {
    double s, l;
} chain;

static chain anchored_runs(int64_t k, int64_t length, const double *a, const double *b)
{
    chain c = {EXB_CHAIN_ANCHOR, 0};
    for (int64_t begin = 0; begin < k; begin += length) {
        double run = 0;
        for (int64_t t = begin; t < k && t < begin + length; t++) {
            double next = fma(a[t], b[t], c.s), h = next - c.s;
            c.s = next;
            run += fma(a[t], b[t], -h);
        }
        c.l += run;
    }
    return c;
}

static chain anchored_model(int64_t k, const double *a, const double *b)
{
    return anchored_runs(k, EXB_CHAIN_RUN, a, b);
}

static chain plain_model(int64_t k, const double *a, const double *b)
{
    chain c = {0, 0};
    for (int64_t begin = 0; begin < k; begin += EXB_CHAIN_SHORT_RUN) {
        double run = 0;
        for (int64_t t = begin; t < k && t < begin + EXB_CHAIN_SHORT_RUN; t++)
            run = fma(a[t], b[t], run);
        c.s += run;
    }
    return c;
}

static double rounded_sum(int64_t k, const double *a, const double *b)
{
    ORACLE(o);
    for (int64_t t = 0; t < k; t++)
        oracle_add_product(&o, a[t], b[t]);
    return oracle_round(&o, FORMAT_D);
}

/* |(s - anchor) + l - sum of products| */
static double error_of(int64_t k, const double *a, const double *b, chain c, double anchor)
{
    ORACLE(o);
    for (int64_t t = 0; t < k; t++)
        oracle_add_product(&o, a[t], b[t]);
    oracle_add(&o, -c.s);
    oracle_add(&o, anchor);
    oracle_add(&o, -c.l);
    return fabs(oracle_round(&o, FORMAT_D));
}

/* --- kernels against the model -------------------------------------------- */

typedef struct {
    double row[MOST_ROWS][MOST_TERMS], column[MOST_COLS][MOST_TERMS];
    double a[MOST_ROWS * MOST_TERMS], b[MOST_COLS * MOST_TERMS];
} panels;

/* Vectors of norm at most sqrt(1 - 2^-20): equal magnitudes with full significands, or two terms
 * that have it all, with one sign or any. Float products are exact. */
static void fill_vector(test_random *r, number_format f, int64_t k, double *x)
{
    bool is_positive = random_chance(r, 2), is_flat = random_chance(r, 2);
    double size = sqrt((1 - 0x1p-19) / (double)(is_flat || k < 2 ? k : 2));
    for (int64_t t = 0; t < k; t++) {
        double y = random_number(r, f, (int)random_between(r, -90, -60));
        if (is_flat || t == k / 3 || t == k - 1)
            y = round_to(f, size * (1 - (double)random_between(r, 1, 1 << 20) * 0x1p-52));
        while (y > size) /* floats may have been rounded up */
            y = round_to(f, y * (1 - 0x1p-22));
        x[t] = is_positive ? fabs(y) : random_sign(r) * fabs(y);
    }
}

static void pack(int64_t k, int width, double from[][MOST_TERMS], double *to)
{
    for (int64_t t = 0; t < k; t++)
        for (int v = 0; v < width; v++)
            to[t * width + v] = from[v][t];
}

/* One strip of rows and one of columns from term `first` to before `end`, of a kernel's shape. */
static exb_chain_panels one_strip(const exb_chain_kernel *kernel, int64_t first, int64_t end,
                                  const double *a, const double *b)
{
    exb_chain_panels q = {.n_strips = 1, .k = end - first};
    q.a = a + first * kernel->rows;
    q.b = q.ahead = b + first * kernel->cols;
    return q;
}

/* In one go, or resumed after a number of whole runs. What lay there before does not count. */
static void check_tile(exb_chain_kernel kernel, bool anchored, int64_t k, int64_t first, panels *p)
{
    double s[MOST_COLS * LD], l[MOST_COLS * LD];
    pack(k, kernel.rows, p->row, p->a);
    pack(k, kernel.cols, p->column, p->b);
    for (int i = 0; i < MOST_COLS * LD; i++)
        s[i] = l[i] = -7;
    exb_chain_panels before = one_strip(&kernel, 0, first, p->a, p->b);
    exb_chain_panels after = one_strip(&kernel, first, k, p->a, p->b);
    if (first > 0)
        kernel.run(&before, false, s, l, LD);
    kernel.run(&after, first > 0, s, l, LD);
    for (int j = 0; j < MOST_COLS; j++)
        for (int i = 0; i < LD; i++) {
            chain c = {-7, -7};
            bool inside = i < kernel.rows && j < kernel.cols;
            if (inside)
                c = (anchored ? anchored_model : plain_model)(k, p->row[i], p->column[j]);
            assert_same_bits(s[j * LD + i], c.s);
            if (anchored || !inside)
                assert_same_bits(l[j * LD + i], c.l);
        }
}

static void check_kernels(const char *isa, test_random *r, panels *p)
{
    static const int64_t lengths[] = {1,   2,   127, 128, 129,  255, 256,
                                      257, 511, 512, 513, 1024, 1100};
    const exb_kernels *kernels = exb_kernels_current();
    printf("# %s: %d x %d, anchored %d x %d\n", isa, kernels->plain->rows, kernels->plain->cols,
           kernels->anchored->rows, kernels->anchored->cols);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int anchored = 0; anchored < 2; anchored++) {
            number_format f = anchored ? FORMAT_D : FORMAT_S;
            if (anchored && !kernels->anchored->run)
                continue;
            for (int v = 0; v < MOST_ROWS; v++)
                fill_vector(r, f, lengths[i], p->row[v]);
            for (int v = 0; v < MOST_COLS; v++)
                fill_vector(r, f, lengths[i], p->column[v]);
            exb_chain_kernel kernel = anchored ? *kernels->anchored : *kernels->plain;
            check_tile(kernel, anchored, lengths[i], 0, p);
            if (lengths[i] > EXB_CHAIN_RUN)
                check_tile(kernel, anchored, lengths[i], EXB_CHAIN_RUN, p);
        }
}

static void kernels_follow_the_model(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "chain kernels");
    panels *p = malloc(sizeof *p);
    assert_non_null(p);
    for (int i = isa_from(0); i >= 0; i = isa_from(i + 1))
        check_kernels(exb_isa_name(i), &r, p);
    free(p);
}

/* --- bounds --------------------------------------------------------------- */

/* The next column element among some: the one that adds most to the error of the model. */
static void attack_anchored(test_random *r, int64_t k, double *a, double *b)
{
    double s = EXB_CHAIN_ANCHOR, run = 0;
    for (int64_t t = 0; t < k; t++) {
        double most = -1, best_s = 0, best_run = 0;
        run = t % EXB_CHAIN_RUN == 0 ? 0 : run;
        a[t] = random_number(r, FORMAT_D, -27);
        for (int i = 0; i < 24; i++) {
            /* ab just below half a unit of S, so that corrections grow as fast as they can. */
            double y = 0x1p-52 * (1 - fabs(random_number(r, FORMAT_D, -6))) / a[t];
            double next = fma(a[t], y, s), low = fma(a[t], y, -(next - s)), sum = run + low;
            double z = sum - run; /* two_sum: what this addition rounds off */
            double lost = (run - (sum - z)) + (low - z);
            double gained = lost + fma(a[t], y, -low) * (next == s);
            if (gained > most) {
                most = gained;
                b[t] = y;
                best_s = next;
                best_run = sum;
            }
        }
        s = best_s;
        run = best_run;
    }
}

/* One product that is nearly all of the sum; every other is just too small to change it. */
static void attack_plain(test_random *r, int64_t k, double *a, double *b)
{
    a[0] = b[0] = round_to(FORMAT_S, 0.8 + 0x1p-10 * (double)random_between(r, 0, 100));
    for (int64_t t = 1; t < k; t++) {
        a[t] = 0x1p-27;
        b[t] = 0x1p-27 * (1 - 0x1p-24 * (double)random_between(r, 1, 9));
    }
}

/* The bounds hold, and are no larger than they have to be: a bound that the attack does not come
 * near would not be tested by it. */
static void bounds_hold(NO_STATE)
{
    static const int64_t lengths[] = {1, 2, 3, 16, 100, 128, 250, 256, 300, 512, 600, 1000, 3000};
    static double a[MOST_TERMS], b[MOST_TERMS];
    test_random r = test_random_start(test_seed(), "chain bounds");
    double nearest[2] = {0, 0};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int round = 0; round < 6; round++) {
            int64_t k = lengths[i];
            attack_anchored(&r, k, a, b);
            double e = error_of(k, a, b, anchored_model(k, a, b), EXB_CHAIN_ANCHOR) /
                       exb_chain_bound_anchored(k, EXB_CHAIN_RUN);
            nearest[1] = fmax(nearest[1], e);
            for (int64_t run = 8; run <= 128; run *= 4) { /* as in short panels */
                e = error_of(k, a, b, anchored_runs(k, run, a, b), EXB_CHAIN_ANCHOR);
                assert_true(e <= exb_chain_bound_anchored(k, run));
            }
            attack_plain(&r, k, a, b);
            e = error_of(k, a, b, plain_model(k, a, b), 0) / exb_chain_bound_plain(k);
            nearest[0] = fmax(nearest[0], e);
        }
    printf("# largest error: %.3f of the bound, anchored %.3f\n", nearest[0], nearest[1]);
    assert_true(nearest[0] <= 1 && nearest[0] > 0.4);
    assert_true(nearest[1] <= 1 && nearest[1] > 0.5);
}

/* The same attack on a whole product: behind one large product, whose last place is far above the
 * errors, and before two terms that take the sum to a midpoint plus half of what the chain loses:
 * with a bound below that, the chain would be certified on the wrong side. Scales are 1. */
static void attack_product(test_random *r, int64_t k, double *a, double *b)
{
    attack_anchored(r, k, a, b);
    a[0] = 0.8;
    b[0] = 0.75 + 0x1p-30 * (double)random_between(r, 0, 1 << 20);
    a[k - 2] = a[k - 1] = 0;
    b[k - 2] = b[k - 1] = 0x1p-3;
    double lost = error_of(k, a, b, anchored_model(k, a, b), EXB_CHAIN_ANCHOR);
    ORACLE(o);
    for (int64_t t = 0; t < k; t++)
        oracle_add_product(&o, a[t], b[t]);
    double near = oracle_round(&o, FORMAT_D);
    oracle_add(&o, -near);
    oracle_add(&o, -half_ulp(near, FORMAT_D));
    oracle_add(&o, -lost / 2);
    a[k - 2] = -8 * oracle_round(&o, FORMAT_D);
    oracle_add_product(&o, a[k - 2], 0x1p-3);
    a[k - 1] = -8 * oracle_round(&o, FORMAT_D);
}

/* In every element of m x n. */
static void check_attacked(test_random *r, int m, int n, int64_t k)
{
    enum { ROWS = 32, COLS = 6, TERMS = 900 };
    static double a[ROWS * TERMS], b[COLS * TERMS], c[ROWS * COLS];
    attack_product(r, k, a, b);
    double right = rounded_sum(k, a, b);
    for (int64_t i = k; i < m * k; i++)
        a[i] = a[i - k];
    for (int64_t j = k; j < n * k; j++)
        b[j] = b[j - k];
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        assert_int_equal(exblas_set_method("anchor"), EXBLAS_OK);
        excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_TRANS, EXBLAS_NO_TRANS, m, n, (int)k, 1, a, (int)k,
                      b, (int)k, 0, c, m);
        for (int i = 0; i < m * n; i++)
            assert_same_bits(c[i], right);
    }
    exblas_set_method(NULL);
}

/* One element, and whole strips, which are rounded in registers. */
static void products_at_the_bound(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "products at the bound");
    for (int round = 0; round < 12; round++)
        check_attacked(&r, 1, 1, round % 2 ? MOST_TERMS : random_between(&r, 100, 900));
    for (int round = 0; round < 6; round++)
        check_attacked(&r, 32, 6, round % 2 ? 900 : random_between(&r, 100, 900));
}

/* Subnormal elements are flushed to zero in the kernels, corrections too. */
static void flushed_terms_are_inside_the_bound(NO_STATE)
{
    static double a[MOST_TERMS], b[MOST_TERMS], s[MOST_COLS * LD], l[MOST_COLS * LD];
    enum { K = 64 };
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        if (!exb_kernels_current()->anchored->run)
            continue;
        exb_chain_kernel kernel = *exb_kernels_current()->anchored;
        for (int t = 0; t < K * MOST_ROWS; t++)
            a[t] = 0x1.fffffffffffffp-1023;
        for (int t = 0; t < K * MOST_COLS; t++)
            b[t] = 0x1p-4;
        exb_chain_panels q = one_strip(&kernel, 0, K, a, b);
        exb_fpenv env;
        exb_fpenv_enter_flushing(&env);
        kernel.run(&q, false, s, l, LD);
        exb_fpenv_leave(&env);
        assert_true(s[0] == EXB_CHAIN_ANCHOR);
        assert_true(fabs(l[0] - K * 0x1p-1026) <= exb_chain_bound_anchored(K, EXB_CHAIN_RUN));
    }
}

/* --- sums that are rounded at once ------------------------------------------ */

/* k terms: that of 1/2, that of the low part, and zeros; the first n_before are added up before. */
typedef struct {
    int k, half, low, n_before;
} term_order;

/* Two terms alone, or up to three runs. */
static term_order draw_order(test_random *r)
{
    if (random_between(r, 0, 3) == 0)
        return (term_order){2, 0, 1, 0};
    term_order t = {.k = (int)random_between(r, 2, 3 * EXB_CHAIN_RUN)};
    t.half = (int)random_between(r, 0, t.k - 1);
    do
        t.low = (int)random_between(r, 0, t.k - 1);
    while (t.low == t.half);
    t.n_before = random_between(r, 0, 1) ? (int)random_between(r, 1, t.k - 1) : 0;
    return t;
}

/* 1/2 + low, exactly, in every element: two products. */
static void pack_half(const exb_chain_kernel *kernel, const double *low, const term_order *t,
                      panels *p)
{
    memset(p->a, 0, (size_t)(t->k * kernel->rows) * sizeof *p->a);
    for (int i = 0; i < kernel->rows; i++) {
        p->a[t->half * kernel->rows + i] = 0.5;
        p->a[t->low * kernel->rows + i] = low[i];
    }
    for (int l = 0; l < t->k * kernel->cols; l++)
        p->b[l] = 1;
}

/* C is an odd or even integer of 53 bits, or nothing and 2^-54 is among the low parts: the sum is a
 * midpoint and `off`. Up to `bound` either neighbour may be right. */
typedef struct {
    double row_scale[MOST_ROWS], col_scale[MOST_COLS], off[MOST_ROWS], c[MOST_COLS * LD];
    double bound, sign;
    bool adds;
    term_order order;
} ending_case;

static void check_element(const ending_case *q, int i, int j, bool open, double old, double r)
{
    double scale = q->sign * q->row_scale[i] * q->col_scale[j], ulp = q->adds ? 1 : 0x1p-53;
    double below = q->adds ? old / scale : 0.5, off = q->off[i];
    if (open) {
        assert_same_bits(r, old);
        assert_true(fabs(off) < 1.01 * q->bound + 8 * 0x1p-53 * ulp);
        return;
    }
    assert_true(fabs(off) > q->bound);
    assert_same_bits(r, scale * (off > 0 ? below + ulp : below));
}

static void check_ending(const exb_chain_kernel *kernel, ending_case *q, panels *p)
{
    double s[MOST_COLS * LD], l[MOST_COLS * LD], s2[MOST_COLS * LD], l2[MOST_COLS * LD];
    double low[MOST_ROWS], c[MOST_COLS * LD];
    uint64_t open[MOST_COLS];
    exb_fpenv env;
    for (int i = 0; i < kernel->rows; i++)
        low[i] = q->adds ? q->off[i] : 0x1p-54 + q->off[i];
    const term_order *t = &q->order;
    exb_chain_panels before = one_strip(kernel, 0, t->n_before, p->a, p->b);
    exb_chain_panels after = one_strip(kernel, t->n_before, t->k, p->a, p->b);
    bool resumes = t->n_before > 0;
    pack_half(kernel, low, t, p);
    memcpy(c, q->c, sizeof c);
    exb_chain_ending ending = {c,       LD,       q->row_scale, q->col_scale,
                               q->sign, q->bound, q->adds,      resumes};
    exb_fpenv_enter_flushing(&env);
    if (resumes) {
        kernel->run(&before, false, s, l, LD);
        kernel->run(&before, false, s2, l2, LD);
    }
    kernel->end(&after, &ending, s, l, LD, open);
    kernel->run(&after, resumes, s2, l2, LD);
    exb_fpenv_leave(&env);
    for (int j = 0; j < kernel->cols; j++)
        for (int i = 0; i < kernel->rows; i++) {
            int at = j * LD + i;
            check_element(q, i, j, open[j] >> i & 1, q->c[at], c[at]);
            if (open[j]) {
                assert_same_bits(s[at], s2[at]);
                assert_same_bits(l[at], l2[at]);
            }
        }
}

static void fill_case(ending_case *q, test_random *r)
{
    static const double near[] = {0, 0x1p-40, 0.5, 1, 1 + 0x1p-52, 1 + 0x1p-40, 1.02, 3};
    bool exact = random_between(r, 0, 7) == 0;
    q->order = draw_order(r);
    q->adds = random_between(r, 0, 1);
    q->sign = random_between(r, 0, 1) ? 1 : -1;
    q->bound = exact ? 0
                     : ldexp((double)random_between(r, 1 << 20, 1 << 21),
                             (int)random_between(r, -120, -90));
    if (q->adds && !exact)
        q->bound *= 0x1p40;
    for (int i = 0; i < MOST_ROWS; i++) {
        double size = exact ? ldexp(1, (int)random_between(r, -120, -90)) : q->bound;
        q->off[i] = near[random_between(r, 0, 7)] * random_sign(r) * size;
        if (!q->adds) /* as much of it as is in the low part */
            q->off[i] = (0x1p-54 + q->off[i]) - 0x1p-54;
        q->row_scale[i] = ldexp(1, (int)random_between(r, -400, 400));
    }
    for (int j = 0; j < MOST_COLS; j++) {
        q->col_scale[j] = ldexp(1, (int)random_between(r, -400, 400));
        for (int i = 0; i < MOST_ROWS; i++)
            q->c[j * LD + i] = q->sign * q->row_scale[i] * q->col_scale[j] *
                               (0x1p52 + (double)random_between(r, 0, 1000));
    }
}

/* Next to midpoints the kernel that rounds decides nothing that the bound leaves open, and what is
 * farther away; what it leaves open stays, with its sums. */
static void midpoints_are_left_open(NO_STATE)
{
    static panels p;
    static ending_case q;
    test_random r = test_random_start(test_seed(), "endings of chains");
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        if (!exb_kernels_current()->anchored->end)
            continue;
        for (int i = 0; i < 2000; i++) {
            fill_case(&q, &r);
            check_ending(exb_kernels_current()->anchored, &q, &p);
        }
    }
}

/* --- some strips of rows at once ---------------------------------------------- */

enum {
    STRIPS = 9, /* more than columns, so that some ask for nothing */
    WIDE = STRIPS * MOST_ROWS,
    MOST_LONG = EXB_CHAIN_RUN + 40,
    STEP = MOST_LONG * MOST_ROWS
};

/* What a kernel leaves behind. */
typedef struct {
    double c[MOST_COLS * WIDE], s[MOST_COLS * WIDE], l[MOST_COLS * WIDE];
    uint64_t open[STRIPS * MOST_COLS];
} ended;

typedef struct {
    double a[STRIPS * STEP], b[2 * MOST_LONG * MOST_COLS], row_scale[WIDE], col_scale[MOST_COLS];
    ended one, other;
} strips;

static void fill_ended(ended *e, test_random *r)
{
    for (int at = 0; at < MOST_COLS * WIDE; at++) {
        e->c[at] = random_chance(r, 8) ? HUGE_VAL : random_number(r, FORMAT_D, 0);
        e->s[at] = EXB_CHAIN_ANCHOR + random_number(r, FORMAT_D, -3);
        e->l[at] = random_number(r, FORMAT_D, -60);
    }
}

static void fill_strips(strips *q, test_random *r)
{
    for (int i = 0; i < STRIPS * STEP; i++)
        q->a[i] = random_number(r, FORMAT_D, -6);
    for (int i = 0; i < 2 * MOST_LONG * MOST_COLS; i++)
        q->b[i] = random_number(r, FORMAT_D, -6);
    for (int i = 0; i < WIDE; i++)
        q->row_scale[i] = ldexp(1, (int)random_between(r, -3, 3));
    for (int j = 0; j < MOST_COLS; j++)
        q->col_scale[j] = ldexp(1, (int)random_between(r, -3, 3));
}

/* All strips, and strip t; there are columns ahead, or none. */
static exb_chain_panels all_strips(const exb_chain_kernel *kernel, const strips *q, int64_t k,
                                   bool are_more)
{
    const double *ahead = are_more ? q->b + k * kernel->cols : q->b;
    return (exb_chain_panels){STRIPS, k, q->a, STEP, q->b, ahead};
}

static exb_chain_panels strip_alone(const strips *q, int64_t k, int t)
{
    return (exb_chain_panels){1, k, q->a + t * STEP, 0, q->b, q->b};
}

static void check_same(const ended *x, const ended *y)
{
    assert_memory_equal(x->c, y->c, sizeof x->c);
    assert_memory_equal(x->s, y->s, sizeof x->s);
    assert_memory_equal(x->l, y->l, sizeof x->l);
}

/* One call for some strips of rows does what a call for each does. */
static void check_endings(const exb_chain_kernel *kernel, strips *q, int64_t k, test_random *r)
{
    exb_chain_panels all = all_strips(kernel, q, k, random_chance(r, 2));
    fill_ended(&q->one, r);
    q->other = q->one;
    exb_chain_ending e = {q->one.c,
                          WIDE,
                          q->row_scale,
                          q->col_scale,
                          random_sign(r),
                          exb_chain_bound_anchored(k, EXB_CHAIN_RUN),
                          random_chance(r, 2),
                          random_chance(r, 2)};
    kernel->end(&all, &e, q->one.s, q->one.l, WIDE, q->one.open);
    e.c = q->other.c;
    for (int t = 0; t < STRIPS; t++, e.c += kernel->rows, e.row_scale += kernel->rows) {
        exb_chain_panels alone = strip_alone(q, k, t);
        kernel->end(&alone, &e, q->other.s + t * kernel->rows, q->other.l + t * kernel->rows, WIDE,
                    q->other.open + t * kernel->cols);
    }
    check_same(&q->one, &q->other);
    for (int t = 0; t < STRIPS * kernel->cols; t++)
        assert_true(q->one.open[t] == q->other.open[t]);
}

static void check_runs(const exb_chain_kernel *kernel, strips *q, int64_t k, test_random *r)
{
    exb_chain_panels all = all_strips(kernel, q, k, random_chance(r, 2));
    bool resume = random_chance(r, 2);
    fill_ended(&q->one, r);
    q->other = q->one;
    kernel->run(&all, resume, q->one.s, q->one.l, WIDE);
    for (int t = 0; t < STRIPS; t++) {
        exb_chain_panels alone = strip_alone(q, k, t);
        kernel->run(&alone, resume, q->other.s + t * kernel->rows, q->other.l + t * kernel->rows,
                    WIDE);
    }
    check_same(&q->one, &q->other);
}

static void strips_are_as_single_ones(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "strips of chains");
    strips *q = malloc(sizeof *q);
    assert_non_null(q);
    fill_strips(q, &r);
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        const exb_kernels *kernels = exb_kernels_current();
        for (int i = 0; i < 100; i++) {
            int64_t k = random_between(&r, 1, 40) + (random_chance(&r, 4) ? EXB_CHAIN_RUN : 0);
            check_runs(kernels->plain, q, k, &r);
            if (!kernels->anchored->run)
                continue;
            check_runs(kernels->anchored, q, k, &r);
            check_endings(kernels->anchored, q, k, &r);
        }
    }
    free(q);
}

/* Scaled norms are at most sqrt(1 - 2^-20), with room for the error of the norm, and no smaller
 * than a quarter of that. */
static void exponents(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "chain exponents");
    for (int i = 0; i < 100000; i++) {
        int exp2 = (int)random_between(&r, -600, 600);
        double sumsq = fabs(random_number(&r, FORMAT_D, exp2));
        if (i % 4 == 0)
            sumsq = ldexp(1 - ldexp(1, -(int)random_between(&r, 1, 53)), exp2);
        if (i % 4 == 1)
            sumsq = ldexp(1, exp2);
        double scaled = ldexp(sumsq, -2 * exb_chain_exponent(sumsq));
        assert_true(scaled * (1 + 0x1p-21) <= 1 - 0x1p-20 && scaled >= 0x1p-2 * (1 - 0x1p-17));
    }
}

/* --- packing --------------------------------------------------------------- */

enum { WIDTH = 24 }; /* of a strip */

/* What pack says about the grid. */
static double lost_of(double x, double factor, bool across, bool strided)
{
    double in[WIDTH * 3] = {0}, out[WIDTH] = {0}, factors[WIDTH], lost[WIDTH] = {0}, sum = 0;
    for (int v = 0; v < WIDTH; v++)
        factors[v] = factor;
    int64_t vs = across ? 1 : strided ? 3 : 1, n = across ? WIDTH : 1;
    in[0] = x;
    exb_kernels_current()->d.pack(WIDTH, n, 1, in, vs, strided ? 2 : 1, factors, out, WIDTH, lost);
    for (int v = 1; v < WIDTH; v++)
        sum += fabs(lost[v]) + fabs(out[v]);
    assert_true(sum == 0);
    assert_true(out[0] == x * factor);
    return lost[0];
}

static bool is_float_on_grid(float x)
{
    double factor = 1, out[WIDTH], lost = 0;
    exb_kernels_current()->s.pack(WIDTH, 1, 1, &x, 1, 1, &factor, out, WIDTH, &lost);
    return lost == 0;
}

static void grid_of_floats(NO_STATE)
{
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        assert_true(is_float_on_grid(0x1p-26f) && is_float_on_grid(-0x1.fffffep-3f));
        assert_false(is_float_on_grid(0x1p-27f) || is_float_on_grid(-0x1.fffffep-4f));
    }
}

/* Exactly the multiples of the grid are on it, even where the scaled number underflows. */
static void grid(NO_STATE)
{
    static const struct {
        double x, factor;
        bool on;
    } cases[] = {
        {0, 1, true},
        {0x1p-25, 1, true},
        {0x1p-26, 1, false},
        {0.5 + 0x1p-25, 1, true},
        {0.5 + 0x1p-26, 1, false},
        {0.5 + 0x1p-52, 1, false},
        {1, 0x1p-999, false}, /* scaled it is not on the grid */
        {0x1p999, 0x1p-999, true},
        {0x1p974, 0x1p-999, true},
        {0x1p973, 0x1p-999, false},
        {0x1p-1074, 0x1p-999, false}, /* scaled it is 0 */
        {0x1p-1074, 1, false},
        {0x1p-1000, 0x1p999, true},
        {0x1p-1024, 0x1p999, true},
        {0x1p-1025, 0x1p999, false},
        {0x1p-1074, 0x1p999, false},
        {0x1.8p-1023, 0x1p999, true},
        {0x1.800001p-1000, 0x1p999, true},
        {0x1.8000008p-1000, 0x1p999, false},
    };
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (int sign = -1; sign < 2; sign += 2)
                for (int way = 0; way < 3; way++) {
                    double x = sign * cases[i].x;
                    bool on = lost_of(x, cases[i].factor, way == 0, way == 1) == 0;
                    if (on != cases[i].on)
                        fail_msg("%s: %a times %a, way %d", exb_isa_name(isa), x, cases[i].factor,
                                 way);
                }
}

TESTS(kernels_follow_the_model, bounds_hold, products_at_the_bound,
      flushed_terms_are_inside_the_bound, midpoints_are_left_open, strips_are_as_single_ones,
      exponents, grid, grid_of_floats)
