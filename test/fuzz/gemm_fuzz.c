/* libFuzzer: dgemm of any small matrices, transposes, layouts, alpha and beta, with any method and
 * instruction set, against big integers. */
#include "fuzz_input.h"
#include "integer_oracle.h"

#include <exblas/exblas.h>
#include <string.h>

enum { MOST = 24, MOST_TERMS = 200, ROW_MAJOR = 101, NO_TRANS = 111 };

typedef struct {
    int layout, transa, transb, m, n, k;
    int lda, ldb, ldc;
    double alpha, beta;
    double a[MOST * MOST_TERMS], b[MOST * MOST_TERMS], c[MOST * MOST];
} problem;

/* Where element (i, j) of a matrix lies, which is stored transposed or not. */
static int place(const problem *p, int trans, int ld, int i, int j)
{
    return (p->layout == ROW_MAJOR) == (trans == NO_TRANS) ? i * ld + j : i + j * ld;
}

static double element(const problem *p, int i, int j)
{
    double old = p->c[place(p, NO_TRANS, p->ldc, i, j)], result;
    integer_oracle sum, all;
    integer_oracle_init(&sum);
    integer_oracle_init(&all);
    if (p->alpha != 0 && p->k > 0) {
        for (int l = 0; l < p->k; l++)
            integer_oracle_add_product(&sum, p->a[place(p, p->transa, p->lda, i, l)],
                                       p->b[place(p, p->transb, p->ldb, l, j)]);
        integer_oracle_add_scaled(&all, p->alpha, &sum);
    }
    if (p->beta != 0)
        integer_oracle_add_product(&all, p->beta, old);
    result = integer_oracle_round(&all, false);
    integer_oracle_clear(&sum);
    integer_oracle_clear(&all);
    return result;
}

static double scalar(fuzz_input *b)
{
    static const double usual[] = {1, 1, 0, -1, 0.5, 3};
    unsigned kind = fuzz_next(b);
    return kind < 200 ? usual[kind % 6] : kind < 230 ? fuzz_structured(b, usual, 0) : fuzz_raw(b);
}

/* A few numbers, which repeat with other signs: an input need not be as long as the matrices. */
static void fill(fuzz_input *b, unsigned shape, double *x, int n)
{
    int given = n < 40 ? n : 40;
    fuzz_numbers(b, shape & 1, x, given);
    for (int i = given; i < n; i++)
        x[i] = shape & 2 ? x[i % given] : -x[(i * 7 + i / given) % given];
}

static void take_problem(fuzz_input *b, problem *p)
{
    unsigned shape = fuzz_next(b);
    p->layout = shape & 16 ? ROW_MAJOR : 102;
    p->transa = NO_TRANS + (shape >> 5 & 1);
    p->transb = NO_TRANS + (shape >> 6 & 1);
    p->m = 1 + (int)fuzz_next(b) % MOST;
    p->n = 1 + (int)fuzz_next(b) % MOST;
    p->k = shape & 4 ? (int)fuzz_next(b) % MOST_TERMS : (int)fuzz_next(b) % 9;
    p->alpha = scalar(b);
    p->beta = scalar(b);
    int k = p->k > 0 ? p->k : 1;
    bool rows = p->layout == ROW_MAJOR;
    p->lda = rows == (p->transa == NO_TRANS) ? k : p->m;
    p->ldb = rows == (p->transb == NO_TRANS) ? p->n : k;
    p->ldc = rows ? p->n : p->m;
    fill(b, shape, p->a, p->m * k);
    fill(b, shape >> 1, p->b, k * p->n);
    fill(b, shape, p->c, p->m * p->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static problem p;
    static double got[MOST * MOST];
    fuzz_input b = {data, size};
    fuzz_choose_mode(&b);
    take_problem(&b, &p);
    memcpy(got, p.c, sizeof got);
    excblas_dgemm(p.layout, p.transa, p.transb, p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb,
                  p.beta, got, p.ldc);
    for (int i = 0; i < p.m; i++)
        for (int j = 0; j < p.n; j++) {
            int at = place(&p, NO_TRANS, p.ldc, i, j);
            bool untouched = (p.alpha == 0 || p.k == 0) && p.beta == 1;
            if (untouched)
                fuzz_require(memcmp(&got[at], &p.c[at], sizeof *got) == 0, "dgemm wrote");
            else
                fuzz_compare("dgemm", got[at], element(&p, i, j));
        }
    return 0;
}
