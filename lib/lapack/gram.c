/* Types: d. */
#include "lapack/gram.h"

#include "core/partition.h"
#include "core/thread.h"
#include "lapack/exponents.h"
#include "level1/reduce.h"

#include <stdlib.h>

enum {
    MOST_BITS = 1000,   /* of the numbers of a vector, to be scaled */
    TOP = 9,            /* exponent of the end of a word: elements of G and c are below 2^TOP */
    MOST_AT_ONCE = 512, /* products of which sums of three parts mostly lose none */
    FEW = 64
};

/* Of the bits of numbers that are not 0: the exponents. */
static const exb_range no_bits = {EXB_NO_BITS, -EXB_NO_BITS};

static exb_range join(exb_range a, exb_range b)
{
    return (exb_range){exb_least(a.begin, b.begin), exb_most(a.end, b.end)};
}

static exb_range shift(exb_range s, int64_t exp2)
{
    return (exb_range){s.begin + exp2, s.end + exp2};
}

static exb_range bits_of(int64_t n, const double *x)
{
    exb_range s = no_bits;
    for (int64_t i = 0; i < n; i++)
        s = join(s, (exb_range){exb_lowest_exp2(x[i]), exb_top_exp2(x[i])});
    return s;
}

typedef struct {
    exb_gram *g;
    double *v, *b;
    bool tall;
    int n_bits;           /* of the length */
    exb_range in_v, in_b; /* scaled */
    double exact_from;    /* what sums of three parts leave out, if not more, is nothing */
    int n_ranges;
} builder;

/* The exponent that brings the vector's numbers just below 2^top; what they are then. */
static int choose_exponent(exb_range s, int top, exb_range *all, bool *scaled)
{
    int exp2 = s.end > s.begin ? top - (int)s.end : 0;
    *scaled = *scaled && s.end - s.begin <= MOST_BITS;
    *all = join(*all, shift(s, exp2));
    return exp2;
}

/* Of right-hand side k: of D b, where A is wide. */
static exb_range bits_of_right(const builder *r, int64_t k)
{
    const exb_gram *g = r->g;
    if (r->tall)
        return bits_of(g->length, r->b + k * g->length);
    exb_range s = no_bits;
    for (int64_t i = 0; i < g->n; i++)
        s = join(s, shift(bits_of(1, r->b + k * g->n + i), g->scale[i]));
    return s;
}

static void choose_exponents(builder *r)
{
    exb_gram *g = r->g;
    int top = (TOP - r->n_bits) >> 1;
    g->is_scaled = true;
    r->in_v = r->in_b = no_bits;
    for (int64_t j = 0; j < g->n; j++)
        g->scale[j] =
            choose_exponent(bits_of(g->length, r->v + j * g->length), top, &r->in_v, &g->is_scaled);
    for (int64_t k = 0; k < g->n_right; k++)
        g->right[k] =
            -choose_exponent(bits_of_right(r, k), r->tall ? top : TOP, &r->in_b, &g->is_scaled);
    if (g->is_scaled)
        return;
    memset(g->scale, 0, (size_t)(g->n + g->n_right) * sizeof *g->scale);
    r->in_v = bits_of(g->n * g->length, r->v);
    r->in_b = bits_of(g->n_right * (r->tall ? g->length : g->n), r->b);
}

/* x 2^exp2, exactly. */
static void scale_vector(int64_t n, int exp2, double *x)
{
    double f = exb_pow2(exp2 / 2), g = exb_pow2(exp2 - exp2 / 2);
    for (int64_t i = 0; i < n; i++)
        x[i] = x[i] * f * g;
}

static void scale_all(const builder *r)
{
    const exb_gram *g = r->g;
    for (int64_t j = 0; j < g->n; j++)
        scale_vector(g->length, g->scale[j], r->v + j * g->length);
    for (int64_t k = 0; k < g->n_right && r->tall; k++)
        scale_vector(g->length, -g->right[k], r->b + k * g->length);
}

/* Which words of a window may be used. */
static void choose_words(builder *r)
{
    exb_gram *g = r->g;
    exb_range v = r->in_v, b = r->in_b, of_g = {2 * v.begin, 2 * v.end + r->n_bits};
    exb_range all =
        join(of_g, r->tall ? (exb_range){v.begin + b.begin, v.end + b.end + r->n_bits} : b);
    int least = exb_window_exp2(EXB_PRODUCT_FIRST);
    if (v.begin > v.end) { /* V = 0: all that follows is that A has not full rank */
        all = (exb_range){0, 1};
        g->is_scaled = false;
    }
    g->first = exb_word_index((int)all.begin - least);
    g->layout.n_words = exb_word_index((int)all.end - 1 - least) - g->first + 1;
    g->layout.ld = g->layout.ld_right = g->layout.n_words * (g->n + g->n_right);
    g->is_scaled = g->is_scaled && g->layout.n_words <= EXB_TRIPLE_LANES;
    for (int w = 0; w < g->layout.n_words && g->is_scaled; w++)
        g->layout.scale[w] = exb_pow2(least + EXB_WORD_BITS * (g->first + w) - TOP + r->n_bits);
    int unit = (int)(v.begin + exb_least(v.begin, r->tall ? b.begin : v.begin));
    r->exact_from = g->is_scaled ? exb_pow2(unit + 52) : 0;
}

/* acc += x' y, of n products: by halves, until sums of three parts have all of them (triple.h:
 * products are multiples of 2^unit, and so is what two_prod leaves) or the accumulator is cheaper.
 */
static void add_dot(const builder *r, int64_t n, const double *x, const double *y,
                    exb_superacc *acc)
{
    const exb_dkernels *kernels = &exb_kernels_current()->d;
    if (n <= MOST_AT_ONCE && r->g->is_scaled) {
        exb_triples lanes = {.s = {0}};
        exb_triple sum;
        kernels->triple(EXB_TERM_XY, n, x, y, &lanes);
        kernels->triple_sum(&lanes, &sum);
        if (sum.w <= r->exact_from) {
            exb_superacc_add(acc, sum.s);
            exb_superacc_add(acc, sum.c);
            exb_superacc_add(acc, sum.d);
            return;
        }
    }
    if (n <= FEW || !r->g->is_scaled) {
        exb_dreduction dot = exb_ddot_of(n, x, 1, y, 1);
        exb_dreduce_exact(&dot, exb_method_current(), acc);
        return;
    }
    add_dot(r, n / 2, x, y, acc);
    add_dot(r, n - n / 2, x + n / 2, y + n / 2, acc);
}

static void take_words(const exb_gram *g, exb_superacc *acc, int64_t step, double *to)
{
    double sign = exb_superacc_make_positive(acc) ? -1 : 1;
    for (int w = 0; w < g->layout.n_words; w++)
        to[w * step] = sign * (double)acc->word[g->first + w];
}

/* Row i of G from the diagonal on, and what mirrors it; then of the right-hand sides. */
static void build_row(const builder *r, int64_t i)
{
    const exb_gram *g = r->g;
    const double *x = r->v + i * g->length;
    exb_product_acc sum;
    int n_words = g->layout.n_words;
    for (int64_t j = i; j < g->n; j++) {
        add_dot(r, g->length, x, r->v + j * g->length, exb_product_acc_init(&sum));
        take_words(g, &sum.acc, g->n, g->word + i * g->layout.ld + j);
        for (int w = 0; w < n_words; w++)
            g->word[j * g->layout.ld + w * g->n + i] = g->word[i * g->layout.ld + w * g->n + j];
    }
    for (int64_t k = 0; k < g->n_right; k++) {
        exb_product_acc_init(&sum);
        if (r->tall) {
            add_dot(r, g->length, x, r->b + k * g->length, &sum.acc);
        } else {
            exb_decomposed d = exb_split(r->b[k * g->n + i]);
            if (d.significand) /* 0 has an exponent outside the window */
                exb_superacc_deposit(&sum.acc, d.negative, d.significand,
                                     d.exp2 + g->scale[i] - g->right[k]);
        }
        take_words(g, &sum.acc, 1, g->word + i * g->layout.ld + (g->n + k) * n_words);
    }
}

static void build_range(void *ctx, int64_t range)
{
    const builder *r = ctx;
    for (int64_t i = range; i < r->g->n; i += r->n_ranges)
        build_row(r, i);
}

bool exb_gram_init(exb_gram *g, const exb_problem *p)
{
    bool tall = p->m > p->n;
    *g = (exb_gram){
        .n = tall ? p->n : p->m, .length = tall ? p->m : p->n, .n_right = p->n_right, .v = p->a};
    builder r = {.g = g, .v = p->a, .b = p->b, .tall = tall};
    r.n_bits = 64 - exb_leading_zeros((uint64_t)g->length);
    g->scale = malloc((size_t)(g->n + g->n_right) * sizeof *g->scale);
    if (!g->scale)
        return false;
    g->right = g->scale + g->n;
    choose_exponents(&r);
    scale_all(&r);
    choose_words(&r);
    g->word = malloc((size_t)g->n * (size_t)g->layout.ld * sizeof *g->word);
    if (!g->word)
        return false;
    double work = 8 * (double)g->length * (double)g->n * (double)g->n;
    r.n_ranges = exb_partition_count(work, g->n);
    exb_parallel_for(r.n_ranges, r.n_ranges, build_range, &r);
    return true;
}

void exb_gram_free(exb_gram *g)
{
    free(g->scale);
    free(g->word);
}
