#include "expected.h"

#include <stdio.h>

/* Of the routine, without the letters of its type. */
static const char *base_of(const expected_call *c)
{
    static const char *const names[EXPECTED_OPS] = {
        [EXPECTED_SUM] = "sum",   [EXPECTED_ASUM] = "asum",
        [EXPECTED_NRM2] = "nrm2", [EXPECTED_DOT] = "dot",
        [EXPECTED_GEMV] = "gemv", [EXPECTED_TRSV] = "trsv",
        [EXPECTED_GEMM] = "gemm", [EXPECTED_SYMM] = "symm",
        [EXPECTED_SYRK] = "syrk", [EXPECTED_TRSM] = "trsm",
        [EXPECTED_HEMM] = "hemm", [EXPECTED_HERK] = "herk",
        [EXPECTED_TRMM] = "trmm", [EXPECTED_BATCH] = "gemm_batch_strided"};
    if (c->op == EXPECTED_DOT && expected_is_complex(c))
        return c->transa == EXPECTED_CONJ_TRANS ? "dotc" : "dotu";
    return names[c->op] ? names[c->op] : "";
}

static void set_name(expected_words *w, const expected_call *c)
{
    bool has_real_result = c->op == EXPECTED_ASUM || c->op == EXPECTED_NRM2;
    const char *part = c->type == 'z' ? "d" : c->type == 'c' ? "s" : "";
    snprintf(w->name, sizeof w->name, "%s%c%s", has_real_result ? part : "", c->type, base_of(c));
}

static const void *set_scalar(const expected_call *c, double re, double im, double *d, float *s)
{
    d[0] = re;
    d[1] = im;
    s[0] = (float)re;
    s[1] = (float)im;
    return expected_bytes(c) == sizeof *s ? (const void *)s : d;
}

static void set_operands(const expected_call *c, device_call *d, void *a, void *b, void *r)
{
    bool in_place = c->op == EXPECTED_TRSM || c->op == EXPECTED_TRMM;
    bool has_square = in_place || c->op == EXPECTED_SYMM || c->op == EXPECTED_HEMM;
    bool updates = c->op == EXPECTED_SYRK || c->op == EXPECTED_HERK;
    d->a = d->x = a;
    d->b = d->y = b;
    d->c = d->r = r;
    d->lda = has_square || c->op == EXPECTED_TRSV ? expected_order(c) : expected_lda(c);
    d->ldb = has_square ? c->m : expected_ldb(c);
    d->ldc = updates ? c->n : c->m;
    if (in_place)
        d->b = r;
    if (c->op == EXPECTED_TRSV)
        d->x = r;
    if (c->op == EXPECTED_GEMV) {
        d->x = b;
        d->y = r;
    }
}

void expected_describe(const expected_call *c, expected_words *w, device_call *d, void *a, void *b,
                       void *r)
{
    set_name(w, c);
    *d = (device_call){.name = w->name,
                       .layout = EXPECTED_COL_MAJOR,
                       .side = expected_side(c),
                       .uplo = c->uplo,
                       .trans = c->transa,
                       .transb = c->transb,
                       .diag = c->diag,
                       .m = c->m,
                       .n = c->n,
                       .k = c->k,
                       .incx = 1,
                       .incy = 1,
                       .stridea = (int64_t)c->m * c->k,
                       .strideb = (int64_t)c->k * c->n,
                       .stridec = (int64_t)c->m * c->n,
                       .batch = EXPECTED_PRODUCTS};
    d->alpha = set_scalar(c, c->alpha, c->alpha_im, w->alpha, w->alpha_s);
    d->beta = set_scalar(c, c->beta, c->beta_im, w->beta, w->beta_s);
    set_operands(c, d, a, b, r);
}
