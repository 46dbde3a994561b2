#include "golden.h"

#include "adversarial.h"
#include "golden_acc.h"
#include "golden_csr.h"
#include "hostile_env.h"
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>

enum { N_ROUNDS = 3, MOST = 700 };

static const struct {
    const char *name;
    char type;
} routines[] = {
    {"ssum", 's'},  {"dsum", 'd'},  {"sasum", 's'}, {"dasum", 'd'},  {"snrm2", 's'}, {"dnrm2", 'd'},
    {"sdot", 's'},  {"ddot", 'd'},  {"dsdot", 's'}, {"sdsdot", 's'}, {"sgemv", 's'}, {"dgemv", 'd'},
    {"strsv", 's'}, {"dtrsv", 'd'}, {"sgemm", 's'}, {"dgemm", 'd'},  {"ssyrk", 's'}, {"dsyrk", 'd'},
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

/* A routine of Level 2 or 3 beyond the table above. */
typedef struct {
    int level, family;
    char type;
} family_routine;

static const char *name_of(const family_routine *r)
{
    return r->level == 2 ? level2_name((level2_family)r->family, r->type)
                         : level3_name((level3_family)r->family, r->type);
}

static bool is_in_table(const char *name)
{
    for (int i = 0; i < N_CASES; i++)
        if (strcmp(routines[i].name, name) == 0)
            return true;
    return false;
}

/* Number i of them, those of Level 2 first; false past the last one. */
static bool family_at(int i, family_routine *r)
{
    for (int level = 2; level <= 3; level++)
        for (int f = 0; f < (level == 2 ? (int)L2_FAMILIES : (int)L3_FAMILIES); f++)
            for (const char *type = "sdcz"; *type; type++) {
                *r = (family_routine){level, f, *type};
                const char *name = name_of(r);
                if (name && !is_in_table(name) && i-- == 0)
                    return true;
            }
    return false;
}

enum { FAMILIES_FIRST = N_CASES + N_VECTOR_NAMES };

int golden_count(void)
{
    family_routine r;
    int n = 0;
    while (family_at(n, &r))
        n++;
    return FAMILIES_FIRST + n + 2; /* the last are the accumulators' and that of sparse products */
}

const char *golden_name(int i)
{
    family_routine r;
    if (i < N_CASES)
        return routines[i].name;
    if (i < FAMILIES_FIRST)
        return vector_names[i - N_CASES];
    if (family_at(i - FAMILIES_FIRST, &r))
        return name_of(&r);
    return i == golden_count() - 2 ? "acc" : "csr";
}

static uint64_t hash_bits(uint64_t hash, uint64_t b)
{
    for (int i = 0; i < 8; i++) /* least significant byte first on every machine */
        hash = (hash ^ (b >> 8 * i & 0xff)) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_number(uint64_t hash, double x)
{
    return hash_bits(hash, bits_of(x));
}

typedef struct {
    double x[MOST], y[MOST], a[MOST], b[MOST], c[MOST];
} operands;

/* Sizes and options of a call of moderate size. */
typedef struct {
    int64_t m, n, k;
    char transa, transb, diag, uplo;
    double alpha, beta;
} choices;

static choices choose(int i, test_random *r)
{
    number_format f = level2_format(routines[i].type);
    const char *base = routines[i].name + 1;
    int side = i >= OF_MATRICES ? 24 : 300;
    choices c = {.m = random_between(r, 1, side)};
    c.n = random_between(r, 1, side);
    c.k = random_between(r, 1, side);
    c.transa = random_chance(r, 2) ? 'n' : 't';
    c.transb = random_chance(r, 2) ? 'n' : 't';
    c.diag = random_chance(r, 3) ? 'u' : 'n';
    if (strcmp(base, "trsv") == 0 || strcmp(base, "syrk") == 0)
        c.uplo = random_chance(r, 2) ? 'l' : 'u';
    c.alpha = random_chance(r, 2) ? 1 : random_number(r, f, 0);
    c.beta = random_chance(r, 2) ? 0 : random_number(r, f, -1);
    return c;
}

static void check(const char *wrong)
{
    if (!wrong)
        return;
    fprintf(stderr, "golden: %s\n", wrong);
    abort();
}

static uint64_t hash_products(uint64_t hash, int i, const placement *p, const choices *c,
                              const level2_number *const o[5])
{
    static level2_number result[MOST];
    bool is_syrk = strcmp(routines[i].name + 1, "syrk") == 0;
    level3_problem q = {.family = is_syrk ? L3_SYRK : L3_GEMM,
                        .type = routines[i].type,
                        .uplo = c->uplo,
                        .transa = c->transa,
                        .transb = c->transb,
                        .m = is_syrk ? c->n : c->m,
                        .n = c->n,
                        .k = c->k,
                        .alpha = {c->alpha, 0},
                        .beta = {c->beta, 0},
                        .a = o[2],
                        .b = o[3],
                        .c = o[4]};
    check(level3_run_problem(&q, p, result));
    for (int64_t l = 0; l < q.m * q.n; l++)
        if (level3_is_stored(&q, MATRIX_C, l % q.m, l / q.m))
            hash = hash_number(hash, result[l].re);
    return hash;
}

static uint64_t hash_vectors(uint64_t hash, int i, const placement *p, const choices *c,
                             const level2_number *const o[5])
{
    static level2_number result[MOST];
    bool is_trsv = strcmp(routines[i].name + 1, "trsv") == 0;
    level2_problem q = {.family = is_trsv ? L2_TRSV : L2_GEMV,
                        .type = routines[i].type,
                        .trans = c->transa,
                        .uplo = c->uplo,
                        .diag = c->diag,
                        .m = is_trsv ? c->n : c->m,
                        .n = c->n,
                        .alpha = {c->alpha, 0},
                        .beta = {c->beta, 0},
                        .a = o[2],
                        .x = o[0],
                        .y = o[1]};
    check(level2_run_problem(&q, p, result));
    for (int64_t l = 0; l < level2_result_length(&q); l++)
        hash = hash_number(hash, result[l].re);
    return hash;
}

static void take_pairs(char type, size_t n, const double *re, const double *im, level2_number *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (level2_number){re[i], level2_is_complex(type) ? im[i] : 0};
}

static uint64_t hash_call(uint64_t hash, int i, const call_mode *m, test_random *r,
                          const operands *o)
{
    placement p = mode_placement(m);
    choices c = choose(i, r);
    if (i >= OF_MATRICES) {
        static level2_number pair[5][MOST];
        const level2_number *const all[] = {pair[0], pair[1], pair[2], pair[3], pair[4]};
        const double *const from[] = {o->x, o->y, o->a, o->b, o->c};
        for (int k = 0; k < 5; k++)
            take_pairs('d', MOST, from[k], NULL, pair[k]);
        bool with_vectors = strchr(routines[i].name, 'v') != NULL;
        return (with_vectors ? hash_vectors : hash_products)(hash, i, &p, &c, all);
    }
    blas_case q = {routines[i].name, c.n, c.alpha, o->x, o->y};
    double result;
    check(blas_run(&q, &p, &result));
    return hash_number(hash, result);
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
        hash = is_float ? hash_bits(hash, b) : hash_number(hash, ((const double *)p)[i]);
    }
    return hash;
}

enum { N_ELEMENTS = 60, N_REALS = 2 * 3 * N_ELEMENTS };

/* What rotg and rotmg write is in the result, in order. */
static void take_result(const char *name, routine_call *q, size_t real)
{
    char *r = q->result;
    bool is_complex = level2_is_complex(type_of(name)), modified = strcmp(name + 1, "rotmg") == 0;
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
    bool is_float = level2_format(type_of(name)) == FORMAT_S, is_index = name[0] == 'i';
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
    check(hostile_env_leave() ? NULL : "the floating-point environment changed");
    if (is_index)
        narrow(is_float, 1, (double[]){(double)(index - 1)}, result);
    hash = hash_array(hash, is_float, N_REALS, x);
    hash = hash_array(hash, is_float, N_REALS, y);
    return hash_array(hash, is_float, 8, result);
}

static uint64_t vector_hash(const char *name, const call_mode *m)
{
    static operands o;
    uint64_t hash = 0xcbf29ce484222325u;
    test_random r = test_random_start(1, name);
    number_format f = level2_format(type_of(name));
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

enum { L2_SIDE = 24 };

typedef struct {
    level2_number a[L2_SIDE * L2_SIDE], x[L2_SIDE], y[L2_SIDE], result[L2_SIDE * L2_SIDE];
} level2_operands;

/* A call of moderate size on numbers whose sums are hard. */
static level2_problem level2_random(const family_routine *q, size_t kind, test_random *r,
                                    level2_operands *o)
{
    static double u[L2_SIDE * L2_SIDE], v[L2_SIDE * L2_SIDE];
    number_format f = level2_format(q->type);
    const level2_traits *t = &level2_family_traits[q->family];
    level2_problem p = {
        .family = (level2_family)q->family, .type = q->type, .a = o->a, .x = o->x, .y = o->y};
    p.n = random_between(r, 1, L2_SIDE);
    p.m = t->shape == SHAPE_GENERAL ? random_between(r, 1, L2_SIDE) : p.n;
    p.kl = random_between(r, 0, L2_SIDE);
    p.ku = random_between(r, 0, L2_SIDE);
    p.trans = t->updates || t->shape == SHAPE_SYMMETRIC ? 'n' : "ntc"[random_between(r, 0, 2)];
    p.uplo = random_chance(r, 2) ? 'u' : 'l';
    p.diag = random_chance(r, 2) ? 'u' : 'n';
    factors_fill(kind, r, f, L2_SIDE * L2_SIDE, u, v);
    take_pairs(q->type, L2_SIDE * L2_SIDE, u, v, o->a);
    factors_fill(kind, r, f, 2 * L2_SIDE, u, v);
    take_pairs(q->type, L2_SIDE, u, v, o->x);
    take_pairs(q->type, L2_SIDE, u + L2_SIDE, v + L2_SIDE, o->y);
    bool real_alpha = !level2_is_complex(q->type) || (t->updates && !t->has_y);
    p.alpha = (level2_number){random_chance(r, 2) ? 1 : random_number(r, f, 0), 0};
    p.beta = (level2_number){random_chance(r, 2) ? 0 : random_number(r, f, -1), 0};
    if (!real_alpha && random_chance(r, 2))
        p.alpha.im = p.beta.im = random_number(r, f, 1);
    return p;
}

static uint64_t level2_hash(const family_routine *q, const call_mode *m)
{
    static level2_operands o;
    uint64_t hash = 0xcbf29ce484222325u;
    placement place = mode_placement(m);
    test_random r = test_random_start(1, name_of(q));
    mode_select(m);
    for (size_t kind = 0; kind < factors_kinds(); kind++) {
        level2_problem p = level2_random(q, kind, &r, &o);
        check(level2_run_problem(&p, &place, o.result));
        bool updates = level2_family_traits[p.family].updates;
        for (int64_t i = 0; i < level2_result_length(&p); i++)
            if (!updates || level2_is_stored(&p, i % p.m, i / p.m))
                hash = hash_number(hash_number(hash, o.result[i].re), o.result[i].im);
    }
    return hash;
}

enum { L3_SIDE = 12 };

typedef struct {
    level2_number a[L3_SIDE * L3_SIDE], b[L3_SIDE * L3_SIDE], c[L3_SIDE * L3_SIDE],
        result[L3_SIDE * L3_SIDE];
} level3_operands;

static level3_problem level3_random(const family_routine *q, size_t kind, test_random *r,
                                    level3_operands *o)
{
    enum { N = L3_SIDE * L3_SIDE };
    static double u[N], v[N];
    number_format f = level2_format(q->type);
    const level3_traits *t = &level3_family_traits[q->family];
    bool is_complex = level2_is_complex(q->type), few = is_complex && t->has_k && !t->has_transb;
    level3_problem p = {
        .family = (level3_family)q->family, .type = q->type, .a = o->a, .b = o->b, .c = o->c};
    p.n = random_between(r, 1, L3_SIDE);
    p.m = t->has_m ? random_between(r, 1, L3_SIDE) : p.n;
    p.k = random_between(r, 1, L3_SIDE);
    p.side = random_chance(r, 2) ? 'l' : 'r';
    p.uplo = random_chance(r, 2) ? 'u' : 'l';
    p.diag = random_chance(r, 2) ? 'u' : 'n';
    p.transb = "ntc"[random_between(r, 0, 2)];
    p.transa = few ? (t->is_hermitian ? "nc" : "nt")[random_between(r, 0, 1)]
                   : "ntc"[random_between(r, 0, 2)];
    factors_fill(kind, r, f, N, u, v);
    take_pairs(q->type, N, u, v, o->a);
    factors_fill(kind, r, f, N, u, v);
    take_pairs(q->type, N, u, v, o->b);
    factors_fill(kind, r, f, N, u, v);
    take_pairs(q->type, N, v, u, o->c);
    p.alpha = (level2_number){random_chance(r, 2) ? 1 : random_number(r, f, 0), 0};
    p.beta = (level2_number){random_chance(r, 2) ? 0 : random_number(r, f, -1), 0};
    if (is_complex && random_chance(r, 2)) {
        p.alpha.im = t->real_alpha ? 0 : random_number(r, f, 1);
        p.beta.im = t->real_beta ? 0 : random_number(r, f, 1);
    }
    return p;
}

static uint64_t level3_hash(const family_routine *q, const call_mode *m)
{
    static level3_operands o;
    uint64_t hash = 0xcbf29ce484222325u;
    placement place = mode_placement(m);
    test_random r = test_random_start(1, name_of(q));
    mode_select(m);
    for (size_t kind = 0; kind < factors_kinds(); kind++) {
        level3_problem p = level3_random(q, kind, &r, &o);
        check(level3_run_problem(&p, &place, o.result));
        for (int64_t i = 0; i < p.m * p.n && !level3_returns_quickly(&p); i++)
            if (level3_is_stored(&p, MATRIX_C, i % p.m, i / p.m))
                hash = hash_number(hash_number(hash, o.result[i].re), o.result[i].im);
    }
    return hash;
}

uint64_t golden_hash(int i, const call_mode *m)
{
    static operands o;
    family_routine q;
    if (i == golden_count() - 2)
        return golden_acc_hash(m);
    if (i == golden_count() - 1)
        return golden_csr_hash(m);
    if (i >= FAMILIES_FIRST && family_at(i - FAMILIES_FIRST, &q))
        return (q.level == 2 ? level2_hash : level3_hash)(&q, m);
    if (i >= N_CASES)
        return vector_hash(vector_names[i - N_CASES], m);
    uint64_t hash = 0xcbf29ce484222325u;
    test_random r = test_random_start(1, routines[i].name);
    number_format f = level2_format(routines[i].type);
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
