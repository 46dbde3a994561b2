/* Every case of test/vectors, first by the oracle alone (which proves both), then by
 * the library in every mode: full products of instruction sets and methods, of
 * environments and threads, of entries, strides and paddings, and a covering of all pairs of
 * {instruction set, method, threads, floating-point environment, entry and layout, strides,
 * padding}; complex cases in the last of these. */
#include "fuzz/differential/compare.h"
#include "fuzz/differential/expect.h"
#include "testing.h"

#include <exblas/cblas.h>
#include <math.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* --- files ------------------------------------------------------------------------- */

/* A case of a file (test/vectors/README.md). */
typedef struct {
    int line; /* of the header */
    char name[64];
    fuzz_case call;
    test_number *answer;
} vector_case;

typedef struct {
    const char *name;
    int n_cases;
    vector_case *cases;
} vector_file;

/* Strict: what is not as it must be fails, and is never left out. */
typedef struct {
    const char *name;
    FILE *in;
    int line_number;
    char line[1 << 16]; /* without its newline */
} reader;

static void require(const reader *r, bool ok, const char *what)
{
    if (!ok)
        fail_msg("%s:%d: expected %s in '%.60s'", r->name, r->line_number, what, r->line);
}

/* False at the end of the file. */
static bool next_line(reader *r)
{
    r->line_number++;
    if (!fgets(r->line, sizeof r->line, r->in))
        return false;
    r->line[strcspn(r->line, "\n")] = '\0';
    return true;
}

/* A number of the format at *text, and the blank behind it. */
static double take_number(const reader *r, char **text, number_format f)
{
    char *begin = *text;
    double x = strtod(begin, text);
    require(r, *text > begin && (f == FORMAT_D || x != x || (float)x == x),
            "a number of the format");
    *text += **text == ' ';
    return x == x ? x : from_bits(TEST_CANONICAL_NAN);
}

/* A line of a name and n numbers, or pairs. */
static void read_numbers(reader *r, const char *name, number_format f, int64_t n, int parts,
                         test_number *to)
{
    char *text = r->line + 2;
    require(r, next_line(r) && r->line[0] == name[0] && r->line[1] == ' ', name);
    for (int64_t i = 0; i < n; i++) {
        to[i].re = take_number(r, &text, f);
        to[i].im = parts == 2 ? take_number(r, &text, f) : 0;
    }
    require(r, *text == '\0', "no more numbers");
}

/* The value of the next word, NAME=VALUE. */
static const char *value_of(const reader *r, const char *name, const char *suffix, char **rest)
{
    char key[16], *word = strtok_r(NULL, " ", rest);
    size_t length = (size_t)snprintf(key, sizeof key, "%s%s=", name, suffix);
    require(r, word && strncmp(word, key, length) == 0, key);
    return word + length;
}

static void take_scalar(const reader *r, const fuzz_case *c, const char *name, char **rest,
                        test_number *x)
{
    bool is_complex = fuzz_parts(c) == 2;
    x->re = strtod(value_of(r, name, is_complex ? "r" : "", rest), NULL);
    x->im = is_complex ? strtod(value_of(r, name, "i", rest), NULL) : 0;
}

/* What the header says of an argument. */
static void take_argument(const reader *r, fuzz_case *c, const fuzz_argument *a, char **rest)
{
    const char *name = a->name;
    if (a->kind == FUZZ_OPTION && strcmp(name, "layout") != 0)
        *(strcmp(name, "uplo") == 0     ? &c->uplo
          : strcmp(name, "diag") == 0   ? &c->diag
          : strcmp(name, "transb") == 0 ? &c->transb
                                        : &c->transa) = value_of(r, name, "", rest)[0];
    if (a->kind == FUZZ_INTEGER && name[1] == '\0')
        *(name[0] == 'm'   ? &c->m
          : name[0] == 'n' ? &c->n
                           : &c->k) = strtol(value_of(r, name, "", rest), NULL, 10);
    if (a->kind == FUZZ_SCALAR)
        take_scalar(r, c, name, rest, name[0] == 'a' ? &c->alpha : &c->beta);
}

static void read_case(reader *r, vector_case *v)
{
    char *rest;
    require(r, strncmp(r->line, "# ", 2) == 0, "'# name'");
    snprintf(v->name, sizeof v->name, "%s", r->line + 2);
    require(r, next_line(r), "a header");
    v->line = r->line_number;
    fuzz_case *c = &v->call;
    *c = fuzz_case_named(strtok_r(r->line, " ", &rest));
    const fuzz_routine *routine = c->routine;
    for (int k = 0; k < routine->n_arguments; k++)
        take_argument(r, c, &routine->arguments[k], &rest);
    require(r, !strtok_r(NULL, " ", &rest), "no more keys");
    c->m = c->t.has_m ? c->m : c->n;
    fuzz_allocate(c);
    for (int k = 0; k < routine->n_arguments; k++) {
        fuzz_which which = fuzz_operand_of(c, &routine->arguments[k]);
        if (which != N_OPERANDS)
            read_numbers(r, routine->arguments[k].name, fuzz_operand_format(c, which),
                         c->operand[which].rows * c->operand[which].cols, fuzz_parts(c),
                         c->operand[which].v);
    }
    const fuzz_operand *o = &c->operand[c->t.written];
    bool is_number = c->group == GROUP_REDUCTION;
    int64_t n = is_number ? 1 : o->rows * o->cols;
    v->answer = fuzz_malloc((size_t)n * sizeof *v->answer);
    read_numbers(r, "=", is_number ? fuzz_result_format(c) : fuzz_format(c), n,
                 is_number && routine->result != 'T' ? 1 : fuzz_parts(c), v->answer);
    require(r, !next_line(r) || r->line[0] == '\0', "an empty line");
}

static vector_file read_vectors(const char *name)
{
    static reader r;
    char path[512];
    const char *folder = getenv("TEST_VECTORS");
    vector_file f = {.name = name};
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "test/vectors", name);
    r = (reader){.name = name, .in = fopen(path, "r")};
    assert_non_null(r.in);
    while (next_line(&r)) {
        f.cases = realloc(f.cases, (size_t)(f.n_cases + 1) * sizeof *f.cases);
        assert_non_null(f.cases);
        read_case(&r, &f.cases[f.n_cases++]);
    }
    assert_true(f.n_cases > 0);
    fclose(r.in);
    return f;
}

static void free_vectors(vector_file *f)
{
    for (int i = 0; i < f->n_cases; i++) {
        fuzz_case_free(&f->cases[i].call);
        free(f->cases[i].answer);
    }
    free(f->cases);
}

/* --- cases ------------------------------------------------------------------------- */

static fuzz_verdict compare_with_oracle(const fuzz_case *c, const test_number *answer)
{
    fuzz_memory found = fuzz_memory_of(c), expected = fuzz_memory_of(c);
    fuzz_expect(c, &found);
    fuzz_put_result(c, &expected, answer);
    fuzz_verdict d = fuzz_compare(c, &expected, &found);
    fuzz_memory_free(&found);
    fuzz_memory_free(&expected);
    return d;
}

/* Whether something is wrong with a case in a mode; NULL: by the oracle. */
static bool fails(const char *file, const vector_case *v, const call_mode *mode)
{
    char how[200] = "by the oracle";
    fuzz_case c = v->call;
    if (mode) {
        placement p = mode_placement(mode);
        fuzz_place_as(&c, &p);
        mode_text(mode, how);
    }
    fuzz_verdict d = mode ? fuzz_check(&c, v->answer) : compare_with_oracle(&c, v->answer);
    if (d.differs)
        print_error("%s:%d %s: %s, %a for %a\n    %s\n", file, v->line, v->name,
                    d.wrong ? d.wrong : "a number is wrong", d.found, d.expected, how);
    return d.differs;
}

/* --- modes ------------------------------------------------------------------------- */

/* In which modes: of the oracle alone, all pairs, or full products of factors. */
enum {
    BY_ORACLE = 0,
    PAIRWISE = -1,
    METHODS = 1 << FACTOR_ISA | 1 << FACTOR_METHOD,
    ENVIRONMENTS = 1 << FACTOR_ISA | 1 << FACTOR_ENVIRONMENT | 1 << FACTOR_THREADS,
    PLACEMENTS = 1 << FACTOR_ENTRY | 1 << FACTOR_STRIDES | 1 << FACTOR_PADDING
};

static void run_modes(const char *name, int factors)
{
    const call_mode *modes = NULL;
    size_t n_modes = factors == BY_ORACLE  ? 1
                     : factors == PAIRWISE ? modes_pairwise(&modes)
                                           : modes_product((unsigned)factors, &modes);
    vector_file f = read_vectors(name);
    int n_run = 0, failures = 0;
    for (size_t m = 0; m < n_modes && failures == 0; m++) {
        if (modes)
            mode_select(&modes[m]);
        for (int i = 0; i < f.n_cases && failures < 5; i++, n_run++)
            failures += fails(name, &f.cases[i], modes ? &modes[m] : NULL);
    }
    printf("# %s: %d calls in %zu modes\n", name, n_run, n_modes);
    mode_restore();
    free_vectors(&f);
    assert_int_equal(failures, 0);
}

static void every_case(NO_STATE)
{
    static const int factors[] = {BY_ORACLE, PAIRWISE, METHODS, ENVIRONMENTS, PLACEMENTS};
    for (int i = 0; i < 5; i++) {
        run_modes("level1.txt", factors[i]);
        run_modes("level23.txt", factors[i]);
        if (i < 2)
            run_modes("complex.txt", factors[i]);
    }
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

TESTS(every_case, with_itself)
