/* What the engines say about every element of a product, before it is rounded: the exact value lies
 * in the enclosure, and is its middle where no error is admitted. Compiled for floats and doubles.
 */
#include "level3/flow.h"

#include "core/partition.h"
#include "core/thread.h"
#include "level3/chain.h"
#include "level3/kernels/chain_kernel.h"
#include "isa_from.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <math.h>
#include <pthread.h>

enum { MOST = 60, MOST_TERMS = 700 };

typedef struct {
    exb_real a[MOST * MOST_TERMS], b[MOST * MOST_TERMS]; /* rows, columns */
    exb_p(product) product;
    exb_p(flow) flow;
    pthread_mutex_t lock;
    const char *what;
    int n_taken[MOST * MOST];
    double nearest; /* largest error in units of its bound */
    double e;       /* the last bound seen */
    int64_t n_exact, n_known;
    bool zeros_are_left; /* what is trivially zero need not be known for exact */
} problem;

/* The vector of B that is column j of the product, of halves apart in every other pair. */
static const exb_real *column_of(const problem *p, int64_t j)
{
    return p->b + (p->product.is_apart ? j / 4 * 2 + j % 2 : j) * p->product.k;
}

/* error of element (i, j), in units of the block's: exact / scale - (h - anchor + l). */
static double error_of(const problem *p, const exb_enclosures *b, int i, int j, double scale)
{
    ORACLE(o);
    int64_t k = p->product.k, at = exb_begin_of(b, &(int){j}) + i;
    const exb_real *row = p->a + (b->i0 + i) * k, *column = column_of(p, b->j0 + j);
    for (int64_t l = 0; l < k; l++) {
        bool is_negated = p->product.is_apart && (b->j0 + j) & 2 && l >= k / 2;
        oracle_add_product(&o, (double)row[l], is_negated ? -(double)column[l] : (double)column[l]);
    }
    oracle_add_product(&o, -b->h[at], scale);
    oracle_add_product(&o, b->anchor, scale);
    oracle_add_product(&o, -b->l[at], scale);
    mpfr_div_d(o.sum, o.sum, scale, MPFR_RNDN); /* a power of two */
    return fabs(mpfr_get_d(o.sum, MPFR_RNDA));
}

static double bound_of(const exb_enclosures *b, int i, int j)
{
    int64_t begin = exb_begin_of(b, &j);
    if (b->e)
        return b->e[begin + i];
    bool is_zero = b->row_bound[i] < 0 || b->col_bound[j] < 0; /* EXB_BOUND_OF_ZEROS */
    return is_zero ? 0 : fmax(b->row_bound[i], b->col_bound[j]);
}

static bool is_zero_vector(const exb_real *x, int64_t k)
{
    for (int64_t l = 0; l < k; l++)
        if (x[l] != 0)
            return false;
    return true;
}

/* The product of a row or column of zeros with finite numbers. */
static bool is_trivially_zero(const problem *p, int64_t i, int64_t j)
{
    int64_t k = p->product.k;
    return is_zero_vector(p->a + i * k, k) || is_zero_vector(column_of(p, j), k);
}

static void check_element(problem *p, const exb_enclosures *b, int i, int j)
{
    int scale_of = j;
    exb_begin_of(b, &scale_of);
    double scale = b->row_scale[i] * b->col_scale[scale_of];
    double e = bound_of(b, i, j);
    p->n_taken[(b->j0 + j) * MOST + b->i0 + i]++;
    if (!(scale >= 0x1p-800 && scale <= 0x1p800))
        return;
    double error = error_of(p, b, i, j, scale);
    /* 2^-1020, before or after scaling, is the finish's to add. */
    if (!(error <= e + (e == 0 ? 0 : 0x1p-1020 + 0x1p-1020 / scale)))
        fail_msg("%s: element %d, %d: off by %g where %g is the bound; TEST_SEED=%llu", p->what,
                 (int)b->i0 + i, (int)b->j0 + j, error, e, (unsigned long long)test_seed());
    if (e != 0 && !p->zeros_are_left && is_trivially_zero(p, b->i0 + i, b->j0 + j))
        fail_msg("%s: element %d, %d is 0 and not known for exact", p->what, (int)b->i0 + i,
                 (int)b->j0 + j);
    p->n_known++;
    p->e = e;
    p->n_exact += e == 0;
    p->nearest = e > 0 ? fmax(p->nearest, error / e) : p->nearest;
}

static void check_task(void *ctx, int64_t number)
{
    problem *p = ctx;
    exb_p(task) t;
    exb_task_space space;
    exb_p(task_begin)(&t, &p->flow, number);
    while (exb_p(task_next)(&t, &space)) {
        pthread_mutex_lock(&p->lock);
        for (int j = 0; j < t.found.n; j++)
            for (int i = 0; i < t.found.m; i++)
                check_element(p, &t.found, i, j);
        pthread_mutex_unlock(&p->lock);
    }
}

/* All that the engine says for which the flow was begun. */
static void check_flow(problem *p)
{
    while (exb_p(flow_next_block)(&p->flow))
        exb_parallel_for(p->flow.n_threads, p->flow.n_threads, check_task, p);
    exb_p(flow_end)(&p->flow);
}

static bool begin_chains(problem *p)
{
    exb_p(flow_init)(&p->flow, &p->product);
    return exb_p(chain_begin)(&p->flow);
}

static problem *new_problem(void)
{
    problem *p = aligned_alloc(_Alignof(problem), sizeof *p);
    assert_non_null(p);
    memset(p, 0, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    p->product = (exb_p(product)){.method = exb_method_current()};
    return p;
}

static void set_shape(problem *p, int64_t m, int64_t n, int64_t k)
{
    exb_p(product) *q = &p->product;
    q->m = m;
    q->n = n;
    q->k = k;
    q->a = (exb_p(operand)){.in_place = {p->a, k, 1}};
    q->b = (exb_p(operand)){.in_place = {p->b, k, 1}};
    memset(p->n_taken, 0, sizeof p->n_taken);
}

static void check_taken(const problem *p)
{
    for (int64_t j = 0; j < p->product.n << p->product.is_apart; j++)
        for (int64_t i = 0; i < p->product.m; i++)
            assert_int_equal(p->n_taken[j * MOST + i], 1);
}

/* --- data -------------------------------------------------------------------- */

static number_format format(void)
{
    return EXB_IS_S ? FORMAT_S : FORMAT_D;
}

/* Anything, of one size, graded, from the whole range, integers, zeros, tiny beside huge. */
static void fill(test_random *r, int kind, bool is_b, int64_t n_vectors, int64_t k, exb_real *x)
{
    format_limits f = limits_of(format());
    for (int64_t v = 0; v < n_vectors; v++, x += k) {
        int top = (int)random_between(r, -20, 20) + (int)v % 3 * (EXB_IS_S ? 30 : 250);
        for (int64_t l = 0; l < k; l++) {
            int spread = kind == 0 ? 1 : kind == 1 ? 30 : kind == 2 ? 90 : 0;
            double y = random_number(r, format(), top - (int)random_between(r, 0, spread));
            if (kind == 3)
                y = (double)random_between(r, -(1 << 20), 1 << 20);
            if (kind == 4 && v % 2) /* scaled, the small ones underflow */
                y = random_number(r, format(),
                                  l == k / 2 ? (EXB_IS_S ? 120 : 870)
                                             : f.min_exp2 + (int)random_between(r, 0, 60));
            if (kind == 4 && v % 4 == 0 && l == k / 2)
                y = 0;     /* against the large one */
            if (kind == 5) /* the squares of all but one are rounded to 0 */
                y = is_b ? 1 : l == k / 3 ? 0x1.1p-537 : 0x1.6p-538;
            x[l] = (exb_real)(v % 7 == 6 || random_chance(r, 9) ? 0 : y);
        }
    }
}

enum { N_KINDS = EXB_IS_S ? 5 : 6 };

static void fill_problem(problem *p, test_random *r, int kind)
{
    int64_t unit = p->product.is_apart ? 2 : 1;
    set_shape(p, random_between(r, 1, MOST), exb_round_up(random_between(r, 1, 12), unit),
              exb_round_up(random_between(r, 1, 300), unit));
    fill(r, kind, false, p->product.m, p->product.k, p->a);
    /* Columns of another kind: one side on the grid, the other not. */
    fill(r, kind < 4 && random_chance(r, 2) ? (int)random_between(r, 0, 3) : kind, true,
         p->product.n, p->product.k, p->b);
}

/* --- chains ------------------------------------------------------------------ */

static void check_chains(bool is_apart, const char *name)
{
    test_random r = test_random_start(test_seed(), name);
    problem *p = new_problem();
    p->product.is_apart = is_apart;
    exb_partition_set_grain(1);
    for (int round = 0; round < 8 * N_KINDS; round++) {
        fill_problem(p, &r, round % N_KINDS);
        for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
            exblas_set_num_threads(round % 2 ? 3 : 1);
            exblas_set_workspace(round % 3 ? 0 : 390000);
            memset(p->n_taken, 0, sizeof p->n_taken);
            p->what = exb_isa_name(isa);
            if (begin_chains(p)) {
                check_flow(p);
                check_taken(p);
            } else
                assert_true(!EXB_IS_S && !exb_kernels_current()->anchored->run);
        }
    }
    assert_true(p->n_exact > 0 && p->n_known > p->n_exact); /* sums on the grid, and others */
    free(p);
}

static void chains(NO_STATE)
{
    check_chains(false, EXB_IS_S ? "float chains" : "chains");
}

/* P + Q and P - Q of two halves. */
static void chains_apart(NO_STATE)
{
    check_chains(true, EXB_IS_S ? "float halves" : "halves");
}

/* Halves that begin inside of panels, and in later ones. */
static void halves_in_panels(NO_STATE)
{
    test_random r = test_random_start(test_seed(), EXB_IS_S ? "float panels" : "panels");
    problem *p = new_problem();
    int64_t least = MOST_TERMS;
    p->product.is_apart = true;
    exblas_set_num_threads(1);
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        for (size_t kilobytes = 200; kilobytes > 0; kilobytes -= 40) {
            set_shape(p, 7, 4, MOST_TERMS);
            fill(&r, (int)kilobytes / 40 % 2, false, 7, MOST_TERMS, p->a);
            fill(&r, 0, true, 4, MOST_TERMS, p->b);
            exblas_set_workspace(kilobytes << 10);
            p->what = exb_isa_name(isa);
            if (!begin_chains(p))
                continue;
            least = exb_least(least, p->flow.panel);
            check_flow(p);
            check_taken(p);
        }
    assert_true(least < MOST_TERMS / 2);
    exblas_set_workspace(0);
    free(p);
}

/* --- small blocks against two anchors ---------------------------------------- */

/* Of strips without an element that is wanted nothing is said. */
static void check_block_twice(problem *p, exb_block b, test_random *r)
{
    exb_task_space space;
    uint32_t open[EXB_SUB_COLUMNS];
    for (int j = 0; j < b.n; j++)
        open[j] = random_chance(r, 2) ? ~(uint32_t)0 : (uint32_t)random_bits(r) & 0x80010001;
    exb_enclosures found = exb_p(enclose_twice)(&p->product, b, open, &space);
    for (int j = 0; j < found.n; j++)
        for (int row = 0; row < found.m; row++)
            if (open[j] >> row & 1)
                check_element(p, &found, row, j);
            else
                p->n_taken[(found.j0 + j) * MOST + found.i0 + row]++;
}

/* By all instruction sets. */
static void run_twice(problem *p, test_random *r)
{
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        p->what = exb_isa_name(isa);
        memset(p->n_taken, 0, sizeof p->n_taken);
        for (int64_t j = 0; j < p->product.n; j += EXB_SUB_COLUMNS)
            for (int64_t i = 0; i < p->product.m; i += EXB_SUB_ROWS) {
                exb_block b = {i, j, exb_least(p->product.m - i, EXB_SUB_ROWS),
                               exb_least(p->product.n - j, EXB_SUB_COLUMNS)};
                check_block_twice(p, b, r);
            }
        check_taken(p);
    }
}

static void two_anchors(NO_STATE)
{
    test_random r = test_random_start(test_seed(), EXB_IS_S ? "float anchors" : "two anchors");
    problem *p = new_problem();
    p->zeros_are_left = true;
    for (int round = 0; round < 4 * N_KINDS; round++) {
        fill_problem(p, &r, round % N_KINDS);
        run_twice(p, &r);
    }
    assert_true(p->n_exact > 0 && p->n_known > p->n_exact);
    free(p);
}

#if !EXB_IS_S
/* Products just below half of the first anchor's unit, which their sum reaches k times, with bits
 * far below the second's; each element has one value and one sign, so that roundings add up. Two
 * terms that meet zeros set the scales to 1. */
static void fill_biased(problem *p, test_random *r, double sign)
{
    int64_t k = p->product.k;
    for (int64_t v = 0; v < MOST; v++) {
        double a = 0x1p-26 * (1 - (double)random_between(r, 1, 1 << 20) * 0x1p-52);
        double b = 0x1p-26 * (1 - (double)random_between(r, 1, 1 << 20) * 0x1p-52);
        for (int64_t l = 0; l < k; l++) {
            p->a[v * k + l] = l == 0 ? 0.5 : l == 1 ? 0 : a;
            p->b[v * k + l] = l == 0 ? 0 : l == 1 ? 0.5 : sign * b;
        }
    }
}

/* Of 2^n terms. */
static void two_anchors_at_the_bound(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "two anchors at the bound");
    problem *p = new_problem();
    for (int n = 1; n <= 9; n++) {
        p->nearest = 0;
        for (int round = 0; round < 8; round++) {
            set_shape(p, MOST, 5, (int64_t)1 << n);
            fill_biased(p, &r, round % 2 ? -1 : 1);
            run_twice(p, &r);
        }
        if (n > 3 && !(p->nearest > 0.125))
            fail_msg("2^%d terms: the largest error is %g of the bound", n, p->nearest);
    }
    free(p);
}
#endif

/* --- residues ---------------------------------------------------------------- */

static void run_residues(problem *p, int isa, int n_moduli)
{
    static char text[64];
    memset(p->n_taken, 0, sizeof p->n_taken);
    snprintf(text, sizeof text, "%s, %d moduli", exb_isa_name(isa), n_moduli);
    p->what = text;
    exb_t(flow_init)(&p->flow, &p->product);
    const exb_residue_kernels *kernels = exb_residue_permitted();
    if (kernels && exb_t(residue_begin)(&p->flow, kernels, n_moduli)) {
        check_flow(p);
        check_taken(p);
    }
}

/* The last is the one with kernels of its own, if this CPU has it. */
static int select_isa(int i)
{
    int isa = i ? exb_isa_count() - 1 : 0;
    return exb_isa_select(exb_isa_name(isa)) == 0 ? isa : (exb_isa_select(exb_isa_name(0)), 0);
}

static void residues(NO_STATE)
{
    test_random r = test_random_start(test_seed(), EXB_IS_S ? "float residues" : "residues");
    problem *p = new_problem();
    exb_partition_set_grain(1);
    for (int n_moduli = EXB_MODULI_MIN; n_moduli <= EXB_MODULI_MAX; n_moduli++)
        for (int round = 0; round < 3; round++) {
            fill_problem(p, &r, (n_moduli + round) % N_KINDS);
            for (int i = 0; i < 2; i++) {
                exblas_set_num_threads(round % 2 ? 3 : 1);
                exblas_set_workspace(round == 2 ? (size_t)1570 << 10 : 0); /* several panels */
                run_residues(p, select_isa(i), n_moduli);
            }
        }
    free(p);
}

/* Operands whose first terms have fractions, near one half, all of the sign that adds to the error:
 * those of A times one number, A times those of B, or both. What is left out adds up to the bound.
 * The scale is 1. Floats hold them for five moduli. */
enum { MOST_LOSSY = EXB_IS_S ? EXB_MODULI_MIN : 12 };

static void fill_lossy(problem *p, int n_moduli, int way, int64_t n_lossy)
{
    int64_t k = p->product.k;
    double norm = exp2((exb_residue_log2(n_moduli) - 1) / 2 - 0.5);
    double n = floor(norm / sqrt((double)k)), fraction = 0.5 + 0x1p-8;
    for (int64_t i = 0; i < MOST * k; i++) {
        bool lossy = i % k < n_lossy;
        p->a[i] = (exb_real) - (n + (lossy && way != 1 ? fraction : 0));
        p->b[i] = (exb_real)(n + (lossy && way != 0 ? fraction : 0));
    }
}

static void run_lossy(problem *p, int n_moduli, int way, int64_t n_lossy)
{
    set_shape(p, 20, 9, MOST_TERMS);
    fill_lossy(p, n_moduli, way, n_lossy);
    p->nearest = 0;
    for (int i = 0; i < 2; i++)
        run_residues(p, select_isa(i), n_moduli);
}

static void expect_near_bound(const problem *p, int n_moduli, int way)
{
    if (!(p->nearest > 0.9))
        fail_msg("%d moduli, way %d: the largest error is %g of the bound", n_moduli, way,
                 p->nearest);
}

static void residues_at_the_bound(NO_STATE)
{
    problem *p = new_problem();
    exblas_set_num_threads(1);
    exblas_set_workspace(0);
    for (int n_moduli = EXB_MODULI_MIN; n_moduli <= MOST_LOSSY; n_moduli++)
        for (int way = 0; way < 3; way++) {
            run_lossy(p, n_moduli, way, MOST_TERMS);
            expect_near_bound(p, n_moduli, way);
        }
    free(p);
}

/* Only the first of several panels loses something, which the bound still has to know after the
 * last: the workspace is the largest that makes panels. */
static void losses_of_the_first_panel(NO_STATE)
{
    enum { N_LOSSY = 16 };
    problem *p = new_problem();
    exblas_set_num_threads(1);
    for (int n_moduli = EXB_MODULI_MIN; n_moduli <= MOST_LOSSY; n_moduli += 4)
        for (int way = 0; way < 2; way++) {
            size_t kilobytes = 700;
            do {
                exblas_set_workspace((kilobytes -= 100) << 10);
                run_lossy(p, n_moduli, way, N_LOSSY);
            } while (p->flow.panel >= MOST_TERMS && kilobytes > 200);
            expect_near_bound(p, n_moduli, way);
        }
    exblas_set_workspace(0);
    free(p);
}

/* As many moduli as the format needs where bytes are multiplied fast, none where that is slow; and
 * fewer if few elements are to be certified. */
static void choice_of_moduli(NO_STATE)
{
    if (!exb_residue_permitted())
        skip();
    test_random r = test_random_start(test_seed(), "moduli");
    problem *p = new_problem();
    exb_residue_kernels kernels = *exb_residue_permitted();
    set_shape(p, MOST, MOST, MOST_TERMS);
    for (int64_t l = 0; l < MOST_TERMS; l++) {
        p->a[l] = (exb_real)random_number(&r, format(), -(int)random_between(&r, 0, 60));
        p->b[l] = (exb_real)random_number(&r, format(), -(int)random_between(&r, 0, 60));
    }
    p->product.m = p->product.n = 1000000; /* one vector, as often as that */
    p->product.a.in_place.vs = p->product.b.in_place.vs = 0;
    kernels.products = 2000;
    int n = exb_p(residue_choose)(&p->product, &kernels, false);
    assert_in_range(n, EXB_IS_S ? 11 : 19, EXB_IS_S ? 15 : 23);
    kernels.products = 1;
    assert_int_equal(exb_p(residue_choose)(&p->product, &kernels, false), 0);
    assert_in_range(exb_p(residue_choose)(&p->product, &kernels, true), n - 5, n);
    for (int64_t l = 0; l < MOST_TERMS; l++)
        p->a[l] = p->b[l] = (exb_real)(l % 100);
    kernels.products = 2000;
    assert_int_equal(exb_p(residue_choose)(&p->product, &kernels, false), EXB_MODULI_MIN);
    free(p);
}

#if !EXB_IS_S
/* Chains in panels that are shorter than a run are joined more often, which the bound has to know.
 */
static void short_panels(NO_STATE)
{
    enum { K = MOST * MOST_TERMS };
    if (!exb_kernels_current()->anchored->run)
        return;
    test_random r = test_random_start(test_seed(), "short panels");
    problem *p = new_problem();
    exblas_set_num_threads(1);
    set_shape(p, 1, 1, K);
    fill(&r, 0, false, 1, K, p->a);
    fill(&r, 0, true, 1, K, p->b);
    for (int little = 0; little < 2; little++) {
        size_t kilobytes = little ? 370 : 0;
        do {
            exblas_set_workspace(kilobytes << 10);
            assert_true(begin_chains(p));
            check_flow(p);
            kilobytes -= 30;
        } while (little && kilobytes > 30 && p->flow.panel >= EXB_CHAIN_RUN);
        int64_t panel = p->flow.panel;
        assert_true((panel < EXB_CHAIN_RUN) == little);
        assert_true(p->e == exb_chain_bound_anchored(K, little ? panel : EXB_CHAIN_RUN));
    }
    exblas_set_workspace(0);
    free(p);
}
#endif

#if EXB_IS_S
TESTS(chains, chains_apart, halves_in_panels, two_anchors, residues, residues_at_the_bound,
      losses_of_the_first_panel, choice_of_moduli)
#else
TESTS(chains, chains_apart, halves_in_panels, two_anchors, residues, residues_at_the_bound,
      losses_of_the_first_panel, choice_of_moduli, two_anchors_at_the_bound, short_panels)
#endif
