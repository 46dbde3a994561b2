/* gemm's engines against each other, every element, and against MPFR, some: all types, shapes at
 * the edges of blocks, small workspaces, data for which one engine or another fails. */
#include "core/kernels.h"
#include "core/partition.h"
#include "gemm_case.h"
#include "modes.h"
#include "testing.h"

#include <exblas/exblas.h>

static const char *const methods[] = {"auto", "anchor", "residue", "general", "superacc", "fpe4"};
static const int thread_counts[] = {1, 2, 7};
static const size_t workspaces[] = {0, 1 << 16, 1 << 19, 1 << 21};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

typedef struct {
    test_random random;
    int next; /* way to run */
    int n_samples, n_ways;
} context;

static context start(const char *name, int n_ways, int n_samples)
{
    return (context){test_random_start(test_seed(), name), 0, n_samples, n_ways};
}

/* Ways are numbered: methods go fastest. 7 and 5 are coprime to the lists, so that pairs meet. */
static void select_way(int way, const char **text)
{
    static char line[128];
    const char *method = methods[way % 4], *isa = exb_isa_name(way / 4 % exb_isa_count());
    int threads = thread_counts[(way + way / 7) % COUNT(thread_counts)];
    size_t workspace = workspaces[(way / 3 + way / 5) % COUNT(workspaces)];
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    exb_isa_select(isa); /* if it is not on this CPU, the last one */
    exblas_set_num_threads(threads);
    exb_partition_set_grain(way % 2 ? 1 : 1000);
    exblas_set_workspace(workspace);
    snprintf(line, sizeof line, "way %d: method %s, %s, %d threads, workspace %zu", way, method,
             isa, threads, workspace);
    *text = line;
}

static void fail_at(const fuzz_case *c, size_t kind, const char *way, const char *what)
{
    fuzz_print_case(stderr, c);
    fail_msg("%s: %s; %s; TEST_SEED=%llu", gemm_kind_name(kind), what, way,
             (unsigned long long)test_seed());
}

static bool is_right(const fuzz_case *c, const test_number *found, int64_t i, int64_t j)
{
    test_number x = found[j * c->m + i], wanted = fuzz_element(c, i, j);
    return same_bits(x.re, wanted.re) && same_bits(x.im, wanted.im);
}

static void check_samples(context *t, const fuzz_case *c, size_t kind, const char *way,
                          const test_number *found)
{
    for (int s = 0; s < t->n_samples && c->m && c->n; s++) {
        int64_t i = s == 0 ? c->m - 1 : random_between(&t->random, 0, c->m - 1);
        int64_t j = s == 0 ? c->n - 1 : random_between(&t->random, 0, c->n - 1);
        if (!is_right(c, found, i, j)) {
            char what[64];
            snprintf(what, sizeof what, "element %d, %d is wrong", (int)i, (int)j);
            fail_at(c, kind, way, what);
        }
    }
}

static void check(context *t, char type, size_t kind, int64_t m, int64_t n, int64_t k)
{
    const char *way;
    fuzz_case c = gemm_random(&t->random, type, kind, m, n, k);
    select_way(t->next++, &way);
    test_number *first = fuzz_computed(&c);
    check_samples(t, &c, kind, way, first);
    for (int i = 1; i < t->n_ways; i++) {
        select_way(t->next++, &way);
        if (fuzz_check(&c, first).differs)
            fail_at(&c, kind, way, "differs from the way before, or wrote elsewhere");
    }
    free(first);
    fuzz_case_free(&c);
}

/* All kinds of data in small calls of all types. */
static void small_calls(NO_STATE)
{
    context t = start("small gemm", 5, 12);
    for (int round = 0; round < 8; round++)
        for (size_t kind = 0; kind < gemm_kinds(); kind++)
            for (const char *type = "sdcz"; *type; type++)
                check(&t, *type, kind, random_between(&t.random, 1, 40),
                      random_between(&t.random, 1, 40), random_between(&t.random, 1, 90));
    mode_restore();
}

/* One, two and no terms; one row; one column; nothing at all. */
static void thin_calls(NO_STATE)
{
    static const int64_t shapes[][3] = {{5, 7, 0},   {5, 7, 1},   {33, 31, 2}, {1, 70, 50},
                                        {70, 1, 50}, {1, 1, 90},  {0, 5, 3},   {5, 0, 3},
                                        {200, 1, 1}, {1, 200, 1}, {1, 1, 1},   {64, 65, 3}};
    context t = start("thin gemm", 8, 4);
    for (int i = 0; i < COUNT(shapes); i++)
        for (size_t kind = 0; kind < gemm_kinds(); kind += 2)
            for (const char *type = "sdcz"; *type; type++)
                if (shapes[i][2] > 3 || kind != 8)
                    check(&t, *type, shapes[i][2] ? kind : 0, shapes[i][0], shapes[i][1],
                          shapes[i][2]);
    mode_restore();
}

/* Rows, columns and terms just around the sizes of tiles, parts and panels. */
static void edges_of_blocks(NO_STATE)
{
    static const int64_t edges[] = {23, 24,  25,  47,  48,  49,  95, 96,
                                    97, 191, 192, 193, 383, 384, 385};
    context t = start("edges", 4, 4);
    for (int i = 0; i < 2 * COUNT(edges); i++) {
        int64_t e = edges[i % COUNT(edges)], f = edges[(4 * i + 1) % COUNT(edges)];
        size_t kind = (size_t)i % 3 == 0 ? 0 : (size_t)(5 * i) % gemm_kinds();
        int64_t small = random_between(&t.random, 9, 30);
        check(&t, "ddzs"[i % 4], kind, e, small, f);
        check(&t, "dzdc"[i % 4], kind, small, e, f);
        if (i % 4 == 0)
            check(&t, 'd', kind, e, f, small);
    }
    check(&t, 'd', 0, 97, 193, 389);
    check(&t, 'd', 5, 97, 193, 389);
    mode_restore();
}

/* Many terms: several panels, and sums modulo p that are added up. */
static void many_terms(NO_STATE)
{
    context t = start("many terms", 4, 1);
    for (size_t kind = 0; kind < gemm_kinds(); kind++)
        for (const char *type = "sdz"; *type; type++)
            check(&t, *type, kind, 3, 2, 4097 + (int64_t)kind * 511);
    check(&t, 'd', 0, 2, 2, 100000);
    check(&t, 'd', 2, 3, 1, 100000);
    check(&t, 's', 0, 1, 3, 100000);
    check(&t, 'd', 5, 1, 63, 2100); /* scalar products, of which there are two small blocks */
    check(&t, 'd', 5, 62, 1, 2100);
    check(&t, 'z', 5, 1, 2, 2100);
    mode_restore();
}

/* Terms around the parts in which chains go through them, which are counted from the first that is
 * not zero. */
static void parts_of_terms(NO_STATE)
{
    static const int64_t terms[] = {511, 512, 513, 700, 1024, 1025, 1537, 2049};
    context t = start("parts of terms", 4, 20);
    for (int i = 0; i < COUNT(terms); i++) {
        check(&t, "dds"[i % 3], gemm_kind("zero ends"), 70, 41, terms[i]);
        check(&t, "dzd"[i % 3], gemm_kind("uniform"), 33, 26, terms[i]);
    }
    mode_restore();
}

/* Every element at a rounding boundary or next to one, checked one by one. */
static void boundaries(NO_STATE)
{
    context t = start("boundaries", 8, 60);
    for (int round = 0; round < 6; round++)
        for (const char *type = "sd"; *type; type++)
            check(&t, *type, gemm_kind("boundaries"), random_between(&t.random, 5, 60), 9,
                  random_between(&t.random, 5, 200));
    mode_restore();
}

/* A product of integers of 27 bits, times 2^200, that is a tie, and a term 2^-1000 that breaks it:
 * scaled to integers it underflows to nothing, and nothing else is inexact. */
static void terms_that_scaling_loses(NO_STATE)
{
    enum { M = 64, K = 3 };
    static double a[M * K], b[K * M], c[M * M];
    const double tie = 0x1p200 * 0x1p53, up = 0x1p200 * ((1 << 27) + (1 << 26) + 2),
                 down = 0x1p200 * ((1 << 27) + (1 << 26));
    for (int i = 0; i < M; i++) {
        a[i] = 0x1p200 * ((1 << 26) + 1);
        a[M + i] = 0;
        a[2 * M + i] = ldexp(1, -1000 + i);
        b[K * i] = (1 << 27) + 1;
        b[K * i + 1] = 0;
        b[K * i + 2] = i % 3 - 1;
    }
    for (int way = 0; way < 4 * exb_isa_count(); way++) {
        const char *text;
        select_way(way, &text);
        excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, M, M, K, 1, a, M, b, K, 0,
                      c, M);
        for (int i = 0; i < M * M; i++) /* the tie goes to even, which is down */
            assert_same_bits(c[i], tie + (b[K * (i / M) + 2] > 0 ? up : down));
    }
    mode_restore();
}

TESTS(small_calls, thin_calls, edges_of_blocks, many_terms, parts_of_terms, boundaries,
      terms_that_scaling_loses)
