/* OpenBLAS's geadd, C = RN(alpha A + beta C), omatcopy, B = RN(alpha op(A)), and imatcopy, which
 * puts that in A's place: columns as vectors. Types: s d c z. */
#include "entry.h"

#include "core/fpenv.h"
#include "core/partition.h"
#include "element/line.h"
#include "level1/linear.h"

#include <string.h>

enum { TILE = 16 };

/* C = RN(alpha A + beta C), or of the conjugate of A, which may be C. */
static void add(bool conjugate, int64_t m, int64_t n, exb_scalar alpha, const exb_real *a,
                int64_t lda, exb_complex beta, exb_real *c, int64_t ldc)
{
    const exb_complex al = exb_scalar_value(alpha);
    if (lda == m && ldc == m) { /* one long column */
        m *= n;
        n = 1;
    }
    for (int64_t j = 0; j < n; j++)
        exb_t(linear_axpby)(m, al, conjugate, a + EXB_PARTS * j * lda, 1, beta,
                            c + EXB_PARTS * j * ldc, 1);
}

static EXB_NOINLINE void add_columns(int64_t m, int64_t n, exb_scalar alpha, const exb_real *a,
                                     int64_t lda, exb_scalar beta, exb_real *c, int64_t ldc)
{
    add(false, m, n, alpha, a, lda, exb_scalar_value(beta), c, ldc);
}

void exb_entry(geadd)(const exb_site *site, int layout, int64_t m, int64_t n, exb_scalar alpha,
                      const exb_real *a, int64_t lda, exb_scalar beta, exb_real *c, int64_t ldc)
{
    bool by_rows = layout == EXB_ROW_MAJOR;
    if (exb_rejected(site, exb_check_geadd(site, layout, m, n, lda, ldc)) || m == 0 || n == 0)
        return;
    EXB_GUARDED(add_columns(by_rows ? n : m, by_rows ? m : n, alpha, a, lda, beta, c, ldc));
}

static bool is_transposed(int op)
{
    return op == EXB_TRANS || op == EXB_CONJ_TRANS;
}

static bool is_conjugated(int op)
{
    return op == EXB_CONJ_TRANS || op == EXB_CONJ_NO_TRANS;
}

/* B = A^T, a few rows of A at a time, so that columns of B are not read a cache line an element. */
static void transpose(int64_t m, int64_t n, const exb_real *a, int64_t lda, exb_real *b,
                      int64_t ldb)
{
    for (int64_t i0 = 0; i0 < m; i0 += TILE)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = i0; i < exb_least(i0 + TILE, m); i++)
                memcpy(b + EXB_PARTS * (j + i * ldb), a + EXB_PARTS * (i + j * lda),
                       EXB_PARTS * sizeof *b);
}

/* B = RN(alpha A), of m x n in columns. */
static void copy_columns(int op, int64_t m, int64_t n, exb_scalar alpha, const exb_real *a,
                         int64_t lda, exb_real *b, int64_t ldb)
{
    add(is_conjugated(op), m, n, alpha, a, lda, (exb_complex){0, 0}, b, ldb);
}

static EXB_NOINLINE void copy(int op, int64_t m, int64_t n, exb_scalar alpha, const exb_real *a,
                              int64_t lda, exb_real *b, int64_t ldb)
{
    bool transposed = is_transposed(op);
    if (transposed && !exb_is_zero(exb_scalar_value(alpha))) /* or A is not read */
        transpose(m, n, a, lda, b, ldb);
    copy_columns(op, transposed ? n : m, transposed ? m : n, alpha, transposed ? b : a,
                 transposed ? ldb : lda, b, ldb);
}

void exb_entry(omatcopy)(const exb_site *site, int order, int op, int64_t m, int64_t n,
                         exb_scalar alpha, const exb_real *a, int64_t lda, exb_real *b, int64_t ldb)
{
    bool by_rows = order == EXB_ROW_MAJOR;
    if (exb_rejected(site, exb_check_omatcopy(site, order, op, m, n, lda, ldb)) || m == 0 || n == 0)
        return;
    EXB_GUARDED(copy(op, by_rows ? n : m, by_rows ? m : n, alpha, a, lda, b, ldb));
}

/* --- in place --------------------------------------------------------------- */

/* A, m x n in columns, becomes its transpose with columns ldb apart. Element k is number k of the
 * columns of A one after the other. */
typedef struct {
    exb_real *a;
    int64_t m, n, lda, ldb;
} turn;

static int64_t place_of(const turn *t, int64_t k)
{
    return k % t->m + k / t->m * t->lda;
}

static int64_t target_of(const turn *t, int64_t k)
{
    return k / t->m + k % t->m * t->ldb;
}

/* The element that lies at a place, -1 if none does. */
static int64_t element_at(const turn *t, int64_t place)
{
    int64_t i = place % t->lda, j = place / t->lda;
    return i < t->m && j < t->n ? i + j * t->m : -1;
}

static bool is_target(const turn *t, int64_t place)
{
    return place % t->ldb < t->n && place / t->ldb < t->m;
}

/* Whether a chain of moves begins with element k: to its place no other goes, or the chain is a
 * ring of which k is the first. */
static bool is_leader(const turn *t, int64_t k)
{
    if (!is_target(t, place_of(t, k)))
        return true;
    int64_t next = element_at(t, target_of(t, k));
    while (next > k)
        next = element_at(t, target_of(t, next));
    return next == k;
}

static void move_chain(const turn *t, int64_t k)
{
    exb_real moved[EXB_PARTS], old[EXB_PARTS];
    int64_t element = k;
    memcpy(moved, t->a + EXB_PARTS * place_of(t, k), sizeof moved);
    do {
        int64_t place = target_of(t, element);
        memcpy(old, t->a + EXB_PARTS * place, sizeof old);
        memcpy(t->a + EXB_PARTS * place, moved, sizeof moved);
        memcpy(moved, old, sizeof old);
        element = element_at(t, place);
    } while (element >= 0 && element != k);
}

/* Columns of m elements, lda apart, to ldb apart. */
static void move_columns(int64_t m, int64_t n, exb_real *a, int64_t lda, int64_t ldb)
{
    for (int64_t k = 0; k < n && lda != ldb; k++) {
        int64_t j = ldb < lda ? k : n - 1 - k;
        memmove(a + EXB_PARTS * j * ldb, a + EXB_PARTS * j * lda,
                (size_t)(EXB_PARTS * m) * sizeof *a);
    }
}

/* Tiles, so that rows are not read a cache line an element. */
static void turn_square(int64_t n, exb_real *a, int64_t lda)
{
    for (int64_t i0 = 0; i0 < n; i0 += TILE)
        for (int64_t j = 0; j < exb_least(i0 + TILE, n); j++)
            for (int64_t i = exb_most(i0, j + 1); i < exb_least(i0 + TILE, n); i++) {
                exb_real *p = a + EXB_PARTS * (i + j * lda), *q = a + EXB_PARTS * (j + i * lda);
                exb_real old[EXB_PARTS];
                memcpy(old, p, sizeof old);
                memcpy(p, q, sizeof old);
                memcpy(q, old, sizeof old);
            }
}

/* Elements are moved, then scaled where they are: this takes no memory. */
static EXB_NOINLINE void copy_in_place(int op, int64_t m, int64_t n, exb_scalar alpha, exb_real *a,
                                       int64_t lda, int64_t ldb)
{
    const turn t = {a, m, n, lda, ldb};
    bool transposed = is_transposed(op), is_square = m == n && lda == ldb;
    if (!transposed)
        move_columns(m, n, a, lda, ldb);
    else if (is_square)
        turn_square(n, a, lda);
    for (int64_t k = 0; k < m * n && transposed && !is_square; k++)
        if (is_leader(&t, k))
            move_chain(&t, k);
    copy_columns(op, transposed ? n : m, transposed ? m : n, alpha, a, ldb, a, ldb);
}

void exb_entry(imatcopy)(const exb_site *site, int order, int op, int64_t m, int64_t n,
                         exb_scalar alpha, exb_real *a, int64_t lda, int64_t ldb)
{
    bool by_rows = order == EXB_ROW_MAJOR;
    if (exb_rejected(site, exb_check_imatcopy(site, order, op, m, n, lda, ldb)) || m == 0 || n == 0)
        return;
    EXB_GUARDED(copy_in_place(op, by_rows ? n : m, by_rows ? m : n, alpha, a, lda, ldb));
}
