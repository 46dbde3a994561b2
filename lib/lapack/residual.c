/* Types: d. */
#include "lapack/residual.h"

#include "core/memory.h"
#include "core/partition.h"
#include "core/thread.h"
#include "level1/reduce.h"

#include <stdlib.h>

enum { MORE_FOR_CALL = 4 };

bool exb_residual_init(exb_residual *r, int64_t n, const double *s, const exb_layout *layout)
{
    size_t size = (size_t)n, n_words = (size_t)layout->n_words;
    *r = (exb_residual){.n = n, .s = s, .layout = layout};
    r->sums = exb_memory_get(size * sizeof *r->sums);
    r->value = malloc((2 + n_words) * size * sizeof *r->value);
    if (!r->sums || !r->value) {
        exb_residual_free(r);
        return false;
    }
    r->errors = r->value + n;
    r->minus_term = r->errors + n;
    r->n_ranges = exb_partition_count(4 * (double)n * (double)n * (double)n_words, n);
    return true;
}

void exb_residual_free(exb_residual *r)
{
    exb_memory_put(r->sums);
    exb_memory_put(r->acc);
    free(r->value);
    *r = (exb_residual){.n = 0};
}

static void set_bounds(exb_residual *r)
{
    r->most = 0;
    r->error = r->lost ? INFINITY : 0;
    for (int64_t i = 0; i < r->n; i++) {
        double m = exb_fabs(r->value[i]), e = r->errors[i];
        r->most = m > r->most ? m : r->most;
        if (!(m <= DBL_MAX && e <= DBL_MAX))
            r->error = INFINITY;
        else if (e > r->error)
            r->error = e;
    }
}

static int64_t row_length(const exb_residual *r)
{
    return r->n * r->layout->n_words;
}

/* Row i as h + l +- e, of which l is left to the error. */
static void enclose(exb_residual *r, int64_t i, bool exact_terms)
{
    int64_t n_terms = r->layout->n_words + r->n_subtracted * (row_length(r) + MORE_FOR_CALL);
    exb_enclosure v = exb_t(triples_enclosure)(r->sums + i, n_terms, exact_terms, 0);
    r->value[i] = v.h;
    r->errors[i] = n_terms <= EXB_TRIPLE_MOST ? exb_bound_up(v.e + exb_fabs(v.l)) : INFINITY;
}

void exb_residual_start(exb_residual *r, const double *c)
{
    const exb_layout *layout = r->layout;
    r->c = c;
    r->n_subtracted = 0;
    r->exact = r->lost = false;
    for (int64_t i = 0; i < r->n; i++) {
        r->sums[i] = (exb_triples){.s = {0}};
        exb_kernels_current()->d.triple(EXB_TERM_XY, layout->n_words, c + i * layout->ld_right,
                                        layout->scale, r->sums + i);
        enclose(r, i, true);
    }
    set_bounds(r);
}

static void subtract_from_sum(exb_residual *r, int64_t i)
{
    exb_kernels_current()->d.triple(EXB_TERM_XY, row_length(r), r->s + i * r->layout->ld,
                                    r->minus_term, r->sums + i);
    enclose(r, i, false);
}

/* Row i rounded once: half an ulp is at most 2^-53 of a number, or 2^-1075. */
static void subtract_exactly(exb_residual *r, int64_t i)
{
    exb_superacc *acc = &r->acc[i].acc;
    exb_dreduction dot = exb_ddot_of(row_length(r), r->s + i * r->layout->ld, 1, r->minus_term, 1);
    exb_dreduce_exact(&dot, exb_method_current(), acc);
    r->value[i] = exb_superacc_round(exb_format_d(), acc);
    r->errors[i] = exb_fabs(r->value[i]) * 0x1p-53 + 0x1p-1074;
}

static void subtract_range(void *ctx, int64_t range)
{
    exb_residual *r = ctx;
    exb_range rows = exb_partition_range(r->n, r->n_ranges, (int)range);
    for (int64_t i = rows.begin; i < rows.end; i++)
        (r->exact ? subtract_exactly : subtract_from_sum)(r, i);
}

void exb_residual_subtract(exb_residual *r, const double *term)
{
    for (int64_t i = 0; i < row_length(r); i++) {
        double x = -term[i % r->n], scale = r->layout->scale[i / r->n];
        r->minus_term[i] = x * scale;
        r->lost |= r->minus_term[i] / scale != x;
    }
    r->n_subtracted++;
    exb_parallel_for(r->n_ranges, r->n_ranges, subtract_range, r);
    set_bounds(r);
}

bool exb_residual_make_exact(exb_residual *r, int n_terms, const double *terms)
{
    if (!r->acc)
        r->acc = exb_memory_get((size_t)r->n * sizeof *r->acc);
    if (!r->acc)
        return false;
    const exb_layout *layout = r->layout;
    for (int64_t i = 0; i < r->n; i++) {
        exb_product_acc_init(r->acc + i);
        for (int w = 0; w < layout->n_words; w++)
            exb_superacc_add_product(&r->acc[i].acc, r->c[i * layout->ld_right + w],
                                     layout->scale[w]);
    }
    r->exact = true;
    for (int k = 0; k < n_terms; k++)
        exb_residual_subtract(r, terms + k * r->n);
    return true;
}

bool exb_residual_is_zero(exb_residual *r)
{
    for (int64_t i = 0; i < r->n; i++)
        if (!r->exact || r->lost || r->value[i] != 0 || exb_superacc_sign(&r->acc[i].acc) != 0)
            return false;
    return true;
}
