/* Every case of test/vectors, first by the oracle alone (which proves both), then by
 * the library in every mode: full products of instruction sets and methods, of
 * environments and threads, of entries, strides and paddings, and a covering of all pairs of
 * {instruction set, method, threads, floating-point environment, entry and layout, strides,
 * padding}; complex cases in the last of these. */
#include "fuzz/differential/compare.h"
#include "fuzz/differential/expect.h"
#include "testing.h"
#include "vector_reader.h"

#include <exblas/cblas.h>
#include <math.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static bool has_key(const vector_case *v, const char *name)
{
    int i = 0;
    while (i < VECTOR_MAX_KEYS && strcmp(v->key[i].name, name) != 0)
        i++;
    return i < VECTOR_MAX_KEYS;
}

static char letter_of(const vector_case *v, const char *name)
{
    return has_key(v, name) ? vector_letter(v, name) : 'n';
}

static level2_number scalar_of(const vector_case *v, const char *name)
{
    char re[8], im[8];
    snprintf(re, sizeof re, "%sr", name);
    snprintf(im, sizeof im, "%si", name);
    if (has_key(v, re))
        return (level2_number){vector_number(v, re), vector_number(v, im)};
    return (level2_number){has_key(v, name) ? vector_number(v, name) : 1, 0};
}

static level2_number number_of(const vector_array *a, int64_t parts, int64_t i)
{
    return (level2_number){a->value[parts * i], parts == 2 ? a->value[2 * i + 1] : 0};
}

static fuzz_case call_of(const vector_case *v)
{
    static const char letters[] = {'a', 'b', 'c', 'x', 'y', 0};
    fuzz_case c = fuzz_case_named(v->routine->name);
    c.transa = letter_of(v, c.group == GROUP_LEVEL3 ? "transa" : "trans");
    c.transb = letter_of(v, "transb");
    c.uplo = letter_of(v, "uplo");
    c.diag = letter_of(v, "diag");
    c.n = vector_int(v, "n");
    c.m = has_key(v, "m") ? vector_int(v, "m") : c.n;
    c.k = has_key(v, "k") ? vector_int(v, "k") : 0;
    c.alpha = scalar_of(v, "alpha");
    c.beta = scalar_of(v, "beta");
    fuzz_allocate(&c);
    for (const char *name = v->routine->operands; *name; name++) {
        const fuzz_operand *o = &c.operand[strchr(letters, *name) - letters];
        for (int64_t i = 0; i < o->rows * o->cols; i++)
            o->v[i] = number_of(&v->operand[name - v->routine->operands], fuzz_parts(&c), i);
    }
    return c;
}

/* What the file says of the memory. */
static fuzz_memory expected_of(const vector_case *v, const fuzz_case *c)
{
    fuzz_memory m = fuzz_memory_of(c);
    int64_t parts = fuzz_parts(c);
    if (c->group == GROUP_REDUCTION) {
        m.result = number_of(&v->answer, (int64_t)v->answer.n, 0);
        return m;
    }
    const fuzz_operand *o = &c->operand[fuzz_written(c)];
    for (int64_t at = 0; at < o->rows * o->cols; at++)
        fuzz_put(c, &m, fuzz_written(c), at % o->rows, at / o->rows,
                 number_of(&v->answer, parts, at));
    return m;
}

/* Whether something is wrong with a case in a mode; NULL: by the oracle. */
static bool fails(const vector_case *v, const call_mode *mode)
{
    char how[200] = "by the oracle";
    const char *wrong = NULL;
    fuzz_case c = call_of(v);
    if (mode) {
        placement p = mode_placement(mode);
        fuzz_place_as(&c, &p);
        mode_text(mode, how);
    }
    fuzz_memory found = fuzz_memory_of(&c), expected = expected_of(v, &c);
    if (mode)
        wrong = fuzz_call(&c, &found).wrong;
    else
        fuzz_expect(&c, &found);
    fuzz_verdict d = fuzz_compare(&c, &expected, &found);
    if (d.differs || wrong)
        print_error("%s:%d %s: %s, %a for %a\n    %s\n", v->file, v->line, v->name,
                    wrong ? wrong : "a number is wrong", d.found, d.expected, how);
    fuzz_memory_free(&found);
    fuzz_memory_free(&expected);
    fuzz_case_free(&c);
    return d.differs || wrong;
}

/* --- modes ------------------------------------------------------------------------- */

static size_t failures_in_mode(const vector_file *f, const call_mode *m, size_t *n_run)
{
    size_t failures = 0;
    if (m)
        mode_select(m);
    for (size_t i = 0; i < f->n_cases && failures < 5; i++) {
        failures += fails(&f->cases[i], m);
        (*n_run)++;
    }
    return failures;
}

static vector_file *read_vectors(const char *name)
{
    char path[512];
    const char *dir = getenv("TEST_VECTORS");
    snprintf(path, sizeof path, "%s/%s", dir ? dir : "test/vectors", name);
    vector_file *f = vector_file_read(path);
    assert_non_null(f);
    return f;
}

static void oracle_agrees(void **state)
{
    size_t n_run = 0;
    vector_file *f = read_vectors(*state);
    assert_int_equal(failures_in_mode(f, NULL, &n_run), 0);
    vector_file_free(f);
}

static void run_modes(const char *name, const call_mode *modes, size_t n_modes)
{
    vector_file *f = read_vectors(name);
    size_t n_run = 0, failures = 0;
    for (size_t i = 0; i < n_modes && failures == 0; i++)
        failures += failures_in_mode(f, &modes[i], &n_run);
    printf("# %s: %zu calls in %zu modes\n", name, n_run, n_modes);
    mode_restore();
    vector_file_free(f);
    assert_int_equal(failures, 0);
    assert_true(n_run > 0);
}

static void product(void **state)
{
    const call_mode *modes;
    size_t n = modes_product(1u << FACTOR_ISA | 1u << FACTOR_METHOD, &modes);
    run_modes(*state, modes, n);
}

static void environments(void **state)
{
    const call_mode *modes;
    size_t n =
        modes_product(1u << FACTOR_ISA | 1u << FACTOR_ENVIRONMENT | 1u << FACTOR_THREADS, &modes);
    run_modes(*state, modes, n);
}

static void placements(void **state)
{
    const call_mode *modes;
    size_t n =
        modes_product(1u << FACTOR_ENTRY | 1u << FACTOR_STRIDES | 1u << FACTOR_PADDING, &modes);
    run_modes(*state, modes, n);
}

static void pairwise(void **state)
{
    const call_mode *modes;
    size_t n = modes_pairwise(&modes);
    run_modes(*state, modes, n);
}

/* Dots of a vector with itself are those with a copy of it, and subnormal ones leave the flag of
 * subnormal operands alone. */
static void with_itself(NO_STATE)
{
    enum { N = 40 };
    static const int increments[][2] = {{1, 1}, {2, 2}, {-1, -1}, {1, 2}, {1, -1}, {3, 3}};
    static const double odd_ones[] = {1, 0x1p600, 0x1p-600, INFINITY, NAN};
    static const double tiny[] = {0x1p-535, 0, 0x1p-536, 0};
    double x[6 * N], copy[6 * N], y[2], right[2];
    for (int i = 0; i < 6 * N; i++)
        x[i] = 1 / (i + 0.7) - 0.1;
    for (size_t k = 0; k < sizeof odd_ones / sizeof *odd_ones; k++)
        for (size_t i = 0; i < sizeof increments / sizeof *increments; i++)
            for (int n = 1; n <= N; n += 13) {
                int incx = increments[i][0], incy = increments[i][1];
                x[0] = odd_ones[k];
                memcpy(copy, x, sizeof x);
                excblas_zdotc_sub(n, x, incx, x, incy, y);
                excblas_zdotc_sub(n, x, incx, copy, incy, right);
                for (int part = 0; part < 2; part++)
                    assert_true(same_bits(y[part], right[part]) ||
                                (isnan(y[part]) && isnan(right[part])));
            }
#if defined(__x86_64__)
    _mm_setcsr(0x1f80);
    excblas_zdotc_sub(2, tiny, 1, tiny, 1, y);
    assert_int_equal(_mm_getcsr(), 0x1f80);
#endif
    assert_true(tiny[0] > 0);
}

int main(void)
{
    static char one[] = "level1.txt", two[] = "level23.txt", complex[] = "complex.txt";
    const struct CMUnitTest tests[] = {
        {"level1.txt, the oracle", oracle_agrees, NULL, NULL, one},
        {"level1.txt, instruction sets x methods", product, NULL, NULL, one},
        {"level1.txt, environments x threads", environments, NULL, NULL, one},
        {"level1.txt, entries x strides x paddings", placements, NULL, NULL, one},
        {"level1.txt, all pairs of modes", pairwise, NULL, NULL, one},
        {"level23.txt, the oracle", oracle_agrees, NULL, NULL, two},
        {"level23.txt, instruction sets x methods", product, NULL, NULL, two},
        {"level23.txt, environments x threads", environments, NULL, NULL, two},
        {"level23.txt, entries x strides x paddings", placements, NULL, NULL, two},
        {"level23.txt, all pairs of modes", pairwise, NULL, NULL, two},
        {"complex.txt, the oracle", oracle_agrees, NULL, NULL, complex},
        {"complex.txt, all pairs of modes", pairwise, NULL, NULL, complex},
        cmocka_unit_test(with_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
