#include "golden.h"

#include "adversarial.h"
#include "call.h"
#include "hostile_env.h"

#include <stdio.h>
#include <stdlib.h>

enum { N_ROUNDS = 3, MOST = 700 };

static const char *const routines[] = {
    "ssum",   "dsum",  "sasum", "dasum", "snrm2", "dnrm2", "sdot",  "ddot",  "dsdot",
    "sdsdot", "sgemv", "dgemv", "strsv", "dtrsv", "sgemm", "dgemm", "ssyrk", "dsyrk",
};

enum { N_CASES = sizeof routines / sizeof *routines, OF_MATRICES = 10 };

/* The vector routines of Level 1 that write their operands, and the complex reductions. */
static const char *const vector_names[] = {
    "sscal", "saxpy",  "saxpby",     "scopy",  "sswap",      "isamax", "srot",  "srotg",
    "dscal", "daxpy",  "daxpby",     "dcopy",  "dswap",      "idamax", "drot",  "drotg",
    "cscal", "caxpy",  "caxpby",     "ccopy",  "cswap",      "icamax", "crot",  "crotg",
    "zscal", "zaxpy",  "zaxpby",     "zcopy",  "zswap",      "izamax", "zrot",  "zrotg",
    "srotm", "srotmg", "drotm",      "drotmg", "creal_scal", "csum",   "cdotu", "cdotc",
    "casum", "cnrm2",  "zreal_scal", "zsum",   "zdotu",      "zdotc",  "zasum", "znrm2",
};
enum { N_VECTOR_NAMES = sizeof vector_names / sizeof *vector_names };

static const char *routine_of(const char *name)
{
    static const char *const others[][2] = {
        {"crot", "csrot"}, {"creal_scal", "csscal"}, {"casum", "scasum"}, {"cnrm2", "scnrm2"},
        {"zrot", "zdrot"}, {"zreal_scal", "zdscal"}, {"zasum", "dzasum"}, {"znrm2", "dznrm2"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i][0]) == 0)
            return others[i][1];
    return name;
}

static char type_of(const char *name)
{
    return name[name[0] == 'i'];
}

static bool is_in_table(const char *name)
{
    for (int i = 0; i < N_CASES; i++)
        if (strcmp(routines[i], name) == 0)
            return true;
    return false;
}

/* The other routines of Levels 2 and 3, without those of 16 bits and second names. */
enum { MOST_FAMILIES = 128, FAMILIES_FIRST = N_CASES + N_VECTOR_NAMES };

static struct {
    int n;
    const fuzz_routine *routine[MOST_FAMILIES];
} families;

static void find_families(void)
{
    for (int k = 0; k < n_fuzz_routines; k++) {
        const fuzz_routine *r = &fuzz_routines[k];
        fuzz_group group = fuzz_case_of(r).group;
        bool is_matrix = group == GROUP_LEVEL2 || group == GROUP_LEVEL3;
        bool is_first = r->name[0] == r->type && strcmp(r->name + 1, r->base) == 0;
        if (is_matrix && is_first && strchr("sdcz", r->type) && !is_in_table(r->name))
            families.routine[families.n++] = r;
    }
}

int golden_count(void)
{
    if (families.n == 0)
        find_families();
    return FAMILIES_FIRST + families.n + 2; /* accumulators and sparse products */
}

const char *golden_name(int i)
{
    if (i < FAMILIES_FIRST)
        return i < N_CASES ? routines[i] : vector_names[i - N_CASES];
    if (i < FAMILIES_FIRST + families.n)
        return families.routine[i - FAMILIES_FIRST]->name;
    return i == golden_count() - 2 ? "acc" : "csr";
}

uint64_t golden_add(uint64_t hash, uint64_t bytes, int n)
{
    for (int i = 0; i < n; i++)
        hash = (hash ^ (bytes >> 8 * i & 0xff)) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_number(uint64_t hash, double x)
{
    return golden_add(hash, bits_of(x), 8);
}

static void check(const char *wrong)
{
    if (!wrong)
        return;
    fprintf(stderr, "golden: %s\n", wrong);
    abort();
}

void golden_leave(const char *wrong)
{
    check(hostile_env_leave() ? wrong : "the floating-point environment changed");
}

/* The call in mode m: the result, or all that is written, both parts or only real ones. */
static uint64_t hash_case(uint64_t hash, fuzz_case *c, const call_mode *m, bool both)
{
    placement p = mode_placement(m);
    fuzz_place_as(c, &p);
    fuzz_memory memory = fuzz_memory_of(c);
    fuzz_which out = c->t.written;
    const fuzz_operand *o = &c->operand[out];
    check(fuzz_call(c, &memory).wrong);
    if (c->group == GROUP_REDUCTION)
        hash = hash_number(hash, memory.result.re);
    for (int64_t at = 0; at < o->rows * o->cols && c->group != GROUP_REDUCTION; at++) {
        int64_t i = at % o->rows, j = at / o->rows;
        if (!fuzz_is_stored(c, out, i, j))
            continue;
        test_number x = fuzz_number_in(c, &memory, out, i, j);
        hash = hash_number(hash, x.re);
        if (both)
            hash = hash_number(hash, fuzz_is_real(c, out, i, j) ? 0 : x.im);
    }
    fuzz_memory_free(&memory);
    fuzz_case_free(c);
    return hash;
}

/* Numbers of operand `which`; im may be NULL. */
static void put_numbers(fuzz_case *c, fuzz_which which, const double *re, const double *im)
{
    const fuzz_operand *o = &c->operand[which];
    bool is_complex = fuzz_parts(c) == 2;
    for (int64_t i = 0; i < o->rows * o->cols; i++)
        o->v[i] = (test_number){re[i], is_complex ? im[i] : 0};
}

typedef struct {
    double x[MOST], y[MOST], a[MOST], b[MOST], c[MOST];
} operands;

/* A call of moderate size of a routine of the table. */
static uint64_t hash_call(uint64_t hash, int i, const call_mode *m, test_random *r,
                          const operands *o)
{
    fuzz_case c = fuzz_case_named(routines[i]);
    number_format f = fuzz_format(&c);
    int side = i >= OF_MATRICES ? 24 : 300;
    c.m = random_between(r, 1, side);
    c.n = random_between(r, 1, side);
    c.k = random_between(r, 1, side);
    c.transa = random_chance(r, 2) ? 'n' : 't';
    c.transb = random_chance(r, 2) ? 'n' : 't';
    c.diag = random_chance(r, 3) ? 'u' : 'n';
    if (c.t.solves || c.t.is_rank_k)
        c.uplo = random_chance(r, 2) ? 'l' : 'u';
    c.alpha.re = random_chance(r, 2) ? 1 : random_number(r, f, 0);
    c.beta.re = random_chance(r, 2) ? 0 : random_number(r, f, -1);
    if (!c.t.has_m)
        c.m = c.n;
    fuzz_allocate(&c);
    const double *const from[] = {o->a, o->b, o->c, o->x, o->y};
    for (int w = 0; w < N_OPERANDS; w++)
        put_numbers(&c, (fuzz_which)w, from[w], NULL);
    return hash_case(hash, &c, m, false);
}

/* Numbers of the type in memory. Processors differ in what a conversion makes of a NaN's
 * payload, so a NaN becomes the canonical one. */
static void narrow(bool is_float, size_t n, const double *from, void *to)
{
    static const uint32_t canonical = 0x7fc00000u;
    float *f = to;
    if (!is_float)
        memcpy(to, from, n * sizeof *from);
    for (size_t i = 0; is_float && i < n; i++) {
        f[i] = (float)from[i];
        if (from[i] != from[i])
            memcpy(&f[i], &canonical, sizeof canonical);
    }
}

static uint64_t hash_array(uint64_t hash, bool is_float, size_t n, const void *p)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t b;
        memcpy(&b, (const char *)p + i * sizeof b, sizeof b);
        hash = is_float ? golden_add(hash, b, 8) : hash_number(hash, ((const double *)p)[i]);
    }
    return hash;
}

enum { N_ELEMENTS = 60, N_REALS = 2 * 3 * N_ELEMENTS };

/* What rotg and rotmg write is in the result, in order. */
static void take_result(const char *name, routine_call *q, size_t real)
{
    char *r = q->result;
    bool is_complex = is_complex_type(type_of(name)), modified = strcmp(name + 1, "rotmg") == 0;
    memcpy(r, q->x, real << is_complex);
    if (!is_complex)
        memcpy(r + real, q->y, real);
    q->b = is_complex ? q->y : r + real;
    if (!modified) {
        q->a = r;
        q->c = r + 2 * real;
        q->s = r + 3 * real;
        return;
    }
    memcpy(r + 2 * real, q->alpha, real);
    q->x = r;
    q->y = r + real;
    q->a = r + 2 * real;
    q->param = r + 3 * real;
}

/* One call of a vector routine: everything that it may write is hashed. */
static uint64_t hash_vector_call(uint64_t hash, const char *name, const call_mode *m,
                                 const operands *o, test_random *r)
{
    static double x[N_REALS], y[N_REALS], scalars[9], result[8];
    bool is_float = format_of_type(type_of(name)) == FORMAT_S, is_index = name[0] == 'i';
    placement p = mode_placement(m);
    narrow(is_float, N_REALS, o->x, x);
    narrow(is_float, N_REALS, o->y, y);
    narrow(is_float, 4, o->a, scalars);
    narrow(is_float, 8, (double[8]){0}, result);
    static double param[5];
    double h[] = {(double)random_between(r, -1, 1), o->b[0], o->b[1], o->b[2], o->b[3]};
    narrow(is_float, 5, h, param);
    int n = (int)random_between(r, 1, N_ELEMENTS);
    size_t real = is_float ? sizeof(float) : sizeof(double);
    /* The strides are part of what is written: fixed, not the mode's. */
    routine_call q = {.n = n,
                      .incx = 2,
                      .incy = -3,
                      .alpha = scalars,
                      .beta = (char *)scalars + 2 * real,
                      .x = x,
                      .y = y,
                      .param = param,
                      .result = result};
    int64_t index;
    if (is_index)
        q.result = &index;
    if (strcmp(name + 1, "real_scal") == 0)
        q.alpha = q.beta;
    if (strncmp(name + 1, "rot", 3) == 0 && strchr(name, 'g'))
        take_result(name, &q, real);
    hostile_env_enter(p.environment);
    routine_run(routine_of(name), FORM_CBLAS, &q);
    golden_leave(NULL);
    if (is_index)
        narrow(is_float, 1, (double[]){(double)(index - 1)}, result);
    hash = hash_array(hash, is_float, N_REALS, x);
    hash = hash_array(hash, is_float, N_REALS, y);
    return hash_array(hash, is_float, 8, result);
}

static uint64_t vector_hash(const char *name, const call_mode *m)
{
    static operands o;
    uint64_t hash = GOLDEN_EMPTY;
    test_random r = test_random_start(1, name);
    number_format f = format_of_type(type_of(name));
    mode_select(m);
    for (int round = 0; round < N_ROUNDS; round++)
        for (size_t kind = 0; kind < factors_kinds(); kind++) {
            factors_fill(kind, &r, f, MOST, o.x, o.y);
            for (int i = 0; i < 4; i++) {
                o.a[i] = random_scalar(&r, f);
                o.b[i] = random_scalar(&r, f);
            }
            hash = hash_vector_call(hash, name, m, &o, &r);
        }
    return hash;
}

enum { L2_SIDE = 24, L3_SIDE = 12, MOST_NUMBERS = L2_SIDE * L2_SIDE };

/* A call of moderate size on numbers whose sums are hard. */
static void fill_level2(fuzz_case *c, size_t kind, test_random *r)
{
    static double u[MOST_NUMBERS], v[MOST_NUMBERS];
    number_format f = fuzz_format(c);
    bool is_general = c->t.shape == SHAPE_GENERAL;
    c->n = random_between(r, 1, L2_SIDE);
    c->m = is_general ? random_between(r, 1, L2_SIDE) : c->n;
    c->kl = random_between(r, 0, L2_SIDE);
    c->ku = random_between(r, 0, L2_SIDE);
    c->transa = fuzz_has(c->routine, "trans") ? "ntc"[random_between(r, 0, 2)] : 'n';
    c->uplo = random_chance(r, 2) ? 'u' : 'l';
    c->diag = random_chance(r, 2) ? 'u' : 'n';
    fuzz_allocate(c);
    factors_fill(kind, r, f, MOST_NUMBERS, u, v);
    put_numbers(c, OPERAND_A, u, v);
    factors_fill(kind, r, f, 2 * L2_SIDE, u, v);
    put_numbers(c, OPERAND_X, u, v);
    put_numbers(c, OPERAND_Y, u + L2_SIDE, v + L2_SIDE);
    bool real_alpha = fuzz_parts(c) == 1 || (c->t.updates && !c->t.has_y);
    c->alpha.re = random_chance(r, 2) ? 1 : random_number(r, f, 0);
    c->beta.re = random_chance(r, 2) ? 0 : random_number(r, f, -1);
    if (!real_alpha && random_chance(r, 2))
        c->alpha.im = c->beta.im = random_number(r, f, 1);
}

static void fill_level3(fuzz_case *c, size_t kind, test_random *r)
{
    static double u[MOST_NUMBERS], v[MOST_NUMBERS];
    number_format f = fuzz_format(c);
    c->n = random_between(r, 1, L3_SIDE);
    c->m = c->t.has_m ? random_between(r, 1, L3_SIDE) : c->n;
    c->k = random_between(r, 1, L3_SIDE);
    c->side = random_chance(r, 2) ? 'l' : 'r';
    c->uplo = random_chance(r, 2) ? 'u' : 'l';
    c->diag = random_chance(r, 2) ? 'u' : 'n';
    c->transb = "ntc"[random_between(r, 0, 2)];
    c->transa = random_letter(r, fuzz_transposes(c));
    fuzz_allocate(c);
    for (int w = OPERAND_A; w <= OPERAND_C; w++) {
        factors_fill(kind, r, f, L3_SIDE * L3_SIDE, u, v);
        put_numbers(c, (fuzz_which)w, w == OPERAND_C ? v : u, w == OPERAND_C ? u : v);
    }
    c->alpha.re = random_chance(r, 2) ? 1 : random_number(r, f, 0);
    c->beta.re = random_chance(r, 2) ? 0 : random_number(r, f, -1);
    if (fuzz_parts(c) == 2 && random_chance(r, 2)) {
        c->alpha.im = c->t.real_alpha ? 0 : random_number(r, f, 1);
        c->beta.im = c->t.real_beta ? 0 : random_number(r, f, 1);
    }
}

static uint64_t matrix_hash(const fuzz_routine *routine, const call_mode *m)
{
    uint64_t hash = GOLDEN_EMPTY;
    test_random r = test_random_start(1, routine->name);
    mode_select(m);
    for (size_t kind = 0; kind < factors_kinds(); kind++) {
        fuzz_case c = fuzz_case_of(routine);
        (c.group == GROUP_LEVEL2 ? fill_level2 : fill_level3)(&c, kind, &r);
        hash = hash_case(hash, &c, m, true);
    }
    return hash;
}

/* Of a routine of the table. */
static uint64_t table_hash(int i, const call_mode *m)
{
    static operands o;
    uint64_t hash = GOLDEN_EMPTY;
    test_random r = test_random_start(1, routines[i]);
    fuzz_case c = fuzz_case_named(routines[i]);
    number_format f = fuzz_format(&c);
    mode_select(m);
    for (int round = 0; round < N_ROUNDS; round++) {
        for (size_t kind = 0; kind < factors_kinds(); kind++) {
            factors_fill(kind, &r, f, MOST, o.x, o.y);
            factors_fill(kind, &r, f, MOST, o.a, o.b);
            terms_fill(kind % terms_kinds(), &r, f, MOST, o.c);
            hash = hash_call(hash, i, m, &r, &o);
        }
        for (size_t kind = 0; kind < terms_kinds() && i < OF_MATRICES; kind++) {
            terms_fill(kind, &r, f, MOST, o.x);
            hash = hash_call(hash, i, m, &r, &o);
        }
    }
    return hash;
}

uint64_t golden_hash(int i, const call_mode *m)
{
    int n = golden_count();
    if (i >= n - 2)
        return i == n - 2 ? golden_acc_hash(m) : golden_csr_hash(m);
    if (i >= FAMILIES_FIRST)
        return matrix_hash(families.routine[i - FAMILIES_FIRST], m);
    return i >= N_CASES ? vector_hash(vector_names[i - N_CASES], m) : table_hash(i, m);
}
