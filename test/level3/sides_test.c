/* The kernels solve_sides and solve_complex_sides: whenever one decides an unknown, both ends of
 * the exact interval round to its answer. Residuals are put next to midpoints, sums cancel, sums
 * are zeros, Inf and NaN, products underflow and overflow, and one unknown is far above the others.
 */
#include "core/kernels.h"
#include "level3/kernels/sides.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <math.h>

enum { SIDES = 64, TERMS = 24, EXACT_BITS = 6400 };

typedef enum { ANY, INTEGERS, NEAR_MIDPOINTS, ZEROS, SCALED, N_FAMILIES } family;

/* A row; numbers of both types are kept as doubles. */
typedef struct {
    exb_sides k;
    number_format f;
    int n, t_exp2, x_exp2; /* sizes of coefficients and unknowns */
    double t[TERMS], x[TERMS * SIDES], b[SIDES], peak[SIDES], h[SIDES], l[SIDES], e[SIDES];
} row;

static double *unknown(row *s, int j, int v)
{
    return &s->x[j * SIDES + v];
}

/* The residual of side v with e_factor e, exactly. */
static void residual(oracle *out, row *s, int v, int e_factor)
{
    oracle_reset(out);
    oracle_add_product(out, s->k.alpha, s->b[v]);
    for (int j = 0; j < s->k.n_terms; j++)
        oracle_add_product(out, -s->t[j], *unknown(s, j, v));
    if (s->k.h) {
        oracle_add(out, -s->h[v]);
        oracle_add(out, -s->l[v]);
        oracle_add(out, -e_factor * s->e[v]);
    }
}

static double rounded(row *s, int v, int e_factor)
{
    ORACLE(q);
    residual(&q, s, v, e_factor);
    return oracle_quotient(&q, s->k.unit ? 1 : s->k.divisor, s->f);
}

/* b and the last product such that the unknown is next to a midpoint: what is kept, with its bound,
 * lies on both sides of it, and all else is nearer by far. */
static void put_near_midpoint(row *s, int v, test_random *r)
{
    ORACLE(rest);
    MPFR(want, EXACT_BITS);
    int last = s->k.n_terms - 1;
    double near = random_number(r, s->f, (int)random_between(r, -2, 2));
    mpfr_set_d(want, near, MPFR_RNDN);
    mpfr_add_d(want, want, random_sign(r) * half_ulp(near, s->f), MPFR_RNDN);
    mpfr_mul_d(want, want, s->k.unit ? 1 : s->k.divisor, MPFR_RNDN);
    mpfr_add_d(want, want, s->k.h ? random_sign(r) * s->e[v] / 2 : 0, MPFR_RNDN);
    s->b[v] = *unknown(s, last, v) = 0;
    s->t[last] = 1;
    residual(&rest, s, v, 0);
    mpfr_sub(rest.sum, want, rest.sum, MPFR_RNDN); /* what b has to give */
    s->b[v] = round_to(s->f, mpfr_get_d(rest.sum, MPFR_RNDN) / s->k.alpha);
    residual(&rest, s, v, 0);
    mpfr_sub(rest.sum, rest.sum, want, MPFR_RNDN); /* what the last product has to take */
    *unknown(s, last, v) = round_to(s->f, mpfr_get_d(rest.sum, MPFR_RNDN));
}

static double sized(row *s, family what, test_random *r, int exp2)
{
    int most = s->f == FORMAT_D ? 1000 : 120;
    exp2 = exp2 > most ? most : exp2 < -most ? -most : exp2;
    if (what == ZEROS && !random_chance(r, 4))
        return 0;
    return what == INTEGERS ? (double)random_between(r, -3, 3)
                            : random_number(r, s->f, exp2 + (int)random_between(r, -4, 4));
}

static double number(row *s, family what, test_random *r)
{
    return sized(s, what, r, s->t_exp2 + s->x_exp2);
}

static void fill_side(row *s, int v, family what, test_random *r)
{
    bool is_double = s->f == FORMAT_D;
    for (int j = 0; j < s->k.n_terms; j++)
        *unknown(s, j, v) = what == ZEROS && v % 2 ? 0 : sized(s, what, r, s->x_exp2);
    if (what == SCALED && s->k.n_terms > 1 && random_chance(r, 2))
        *unknown(s, s->k.n_terms - 2, v) = sized(s, what, r, s->x_exp2 + 30);
    s->b[v] = number(s, what, r);
    if (what == INTEGERS && random_chance(r, 2)) /* the residual may be a tie */
        s->b[v] = random_sign(r) * (is_double ? 0x1p53 : 0x1p24) + 2 * number(s, what, r);
    if (s->k.h && !(what == ZEROS && random_chance(r, 2))) {
        s->h[v] = number(s, what, r);
        s->l[v] = what == INTEGERS ? 0 : s->h[v] * 0x1p-60;
        int exp2 = (int)(is_double ? random_between(r, -90, -60) : random_between(r, -60, -34));
        s->e[v] = random_chance(r, 2) ? 0 : fabs(s->h[v]) * ldexp(1, exp2);
    }
    if (what == NEAR_MIDPOINTS && s->k.n_terms > 1)
        put_near_midpoint(s, v, r);
    for (int j = 0; j < s->k.n_terms; j++)
        s->peak[v] = fmax(s->peak[v], fabs(*unknown(s, j, v)));
}

static void fill_row(row *s, family what, test_random *r, number_format f)
{
    memset(s, 0, sizeof *s);
    s->f = f;
    if (what == SCALED) {
        int most = f == FORMAT_D ? 560 : 60;
        s->t_exp2 = (int)random_between(r, -most, most);
        s->x_exp2 = (int)random_between(r, -most, most);
    }
    s->n = random_chance(r, 2) ? SIDES : (int)random_between(r, 1, SIDES);
    s->k = (exb_sides){.n_terms = (int)random_between(r, 0, TERMS), .ld = SIDES};
    s->k.peak = s->peak;
    s->k.unit = random_chance(r, 2);
    s->k.alpha = random_chance(r, 2) ? random_sign(r) : random_number(r, f, 1);
    s->k.divisor = what == INTEGERS ? ldexp(random_sign(r), (int)random_between(r, -3, 3))
                                    : random_number(r, f, (int)random_between(r, -3, 3));
    s->k.inverse = 1 / s->k.divisor;
    if (random_chance(r, 2)) {
        s->k.h = s->h;
        s->k.l = s->l;
        s->k.e = s->e;
    }
    for (int j = 0; j < s->k.n_terms; j++)
        s->t[j] = sized(s, what, r, s->t_exp2);
    for (int v = 0; v < SIDES; v++)
        fill_side(s, v, what, r);
}

/* The row as the last of a block: the others are zeros, which no result depends on. */
static exb_side_rows block_of(const row *s, double *divisor, double *inverse, double *peak)
{
    int i = s->k.n_terms;
    exb_side_rows k = {.n = i + 1, .n_sides = s->n, .unit = s->k.unit, .alpha = s->k.alpha};
    divisor[i] = s->k.divisor;
    inverse[i] = s->k.inverse;
    memset(peak, 0, SIDES * sizeof *peak);
    for (int v = 0; v < SIDES; v++) /* the last but one is the kernel's to see */
        for (int j = 0; j + 2 < i; j++)
            peak[v] = fmax(peak[v], fabs(s->x[j * SIDES + v]));
    k.divisor = divisor;
    k.inverse = inverse;
    k.peak = peak;
    k.h = s->k.h; /* of this row: kept_ld is 0 */
    k.l = s->k.l;
    k.e = s->k.e;
    return k;
}

static uint64_t run(const row *s, double *r)
{
    enum { T = (TERMS + 1) * TERMS / 2 };
    double divisor[TERMS + 1], inverse[TERMS + 1], peak[SIDES];
    static double t[T], x[(TERMS + 1) * SIDES];
    static float t_s[T], x_s[(TERMS + 1) * SIDES];
    exb_side_rows k = block_of(s, divisor, inverse, peak);
    int i = s->k.n_terms;
    double *row_x = x + i * SIDES;
    uint64_t open = 0;
    memcpy(t + i * (i - 1) / 2, s->t, (size_t)i * sizeof *t);
    memcpy(x, s->x, (size_t)i * SIDES * sizeof *x);
    memcpy(row_x, s->b, sizeof s->b);
    if (s->f == FORMAT_D) {
        exb_kernels_current()->d.solve_sides(&k, i, t, x, &open);
    } else {
        for (int j = 0; j < T; j++)
            t_s[j] = (float)t[j];
        for (int j = 0; j < (TERMS + 1) * SIDES; j++)
            x_s[j] = (float)x[j];
        exb_kernels_current()->s.solve_sides(&k, i, t_s, x_s, &open);
        for (int v = 0; v < SIDES; v++)
            row_x[v] = x_s[i * SIDES + v];
    }
    memcpy(r, row_x, SIDES * sizeof *r);
    return open;
}

static bool is_there(int isa, number_format f)
{
    return exb_isa_select(exb_isa_name(isa)) == 0 &&
           (f == FORMAT_S || exb_kernels_current()->has_fma);
}

static int check(row *s, const double *low, const double *high)
{
    double r[SIDES];
    uint64_t open = run(s, r);
    int n_decided = 0;
    assert_true(s->n == 64 || open >> s->n == 0);
    for (int v = 0; v < s->n; v++) {
        if (open >> v & 1)
            continue;
        if (!same_bits(r[v], low[v]) || !same_bits(r[v], high[v]))
            fail_msg("%s, %s, side %d of %d, %d terms: %a; the interval ends in %a and %a",
                     exb_isa_current(), s->f == FORMAT_D ? "double" : "float", v, s->n,
                     s->k.n_terms, r[v], low[v], high[v]);
        n_decided++;
    }
    return n_decided;
}

static void decisions_are_right(NO_STATE)
{
    static row s;
    test_random r = test_random_start(test_seed(), "sides");
    size_t n_sides = 0, n_decided = 0;
    for (int round = 0; round < 400; round++) {
        double low[SIDES], high[SIDES];
        number_format f = round % 2 ? FORMAT_S : FORMAT_D;
        family what = (family)(round / 2 % N_FAMILIES);
        fill_row(&s, what, &r, f);
        for (int v = 0; v < s.n; v++) {
            low[v] = rounded(&s, v, -1);
            high[v] = rounded(&s, v, 1);
        }
        for (int isa = 0; isa < exb_isa_count(); isa++)
            if (is_there(isa, f)) {
                int count = check(&s, low, high);
                n_sides += what == ANY ? (size_t)s.n : 0;
                n_decided += what == ANY ? (size_t)count : 0;
            }
    }
    printf("# decided: %zu of %zu ordinary ones\n", n_decided, n_sides);
    assert_true(n_decided > n_sides / 1000 * 999);
}

/* --- complex systems ---------------------------------------------------------- */

typedef struct {
    row part[2];
    double re, im;
} complex_row;

/* Part `part` of side v, its residuals at these ends. */
static double rounded_part(complex_row *s, int part, int v, int end_re, int end_im)
{
    row *a = &s->part[0];
    ORACLE(x);
    ORACLE(y);
    ORACLE(n);
    ORACLE(d);
    residual(&x, a, v, end_re);
    residual(&y, &s->part[1], v, end_im);
    if (a->k.unit)
        return oracle_round(part == 0 ? &x : &y, a->f);
    oracle_add_scaled(&n, part == 0 ? s->re : -s->im, &x);
    oracle_add_scaled(&n, part == 0 ? s->im : s->re, &y);
    oracle_add_product(&d, s->re, s->re);
    oracle_add_product(&d, s->im, s->im);
    return oracle_ratio(&n, &d, a->f);
}

/* Parts of one system: they have the unknowns in common. */
static void fill_complex(complex_row *s, family what, test_random *r, number_format f)
{
    row *a = &s->part[0], *b = &s->part[1];
    fill_row(b, what, r, f);
    fill_row(a, what, r, f);
    s->re = a->k.divisor;
    s->im = random_chance(r, 2) ? 0 : b->k.divisor;
    if (random_chance(r, 4))
        s->re = 0;
    b->n = a->n;
    b->k.n_terms = a->k.n_terms;
    b->k.unit = a->k.unit;
    b->k.alpha = a->k.alpha;
    memcpy(b->x, a->x, sizeof b->x);
    memcpy(b->peak, a->peak, sizeof b->peak);
    for (int j = 0; j < TERMS; j++)
        b->t[j] = j < a->k.n_terms ? number(b, what, r) : 0;
    if (s->re == 0 && s->im == 0)
        s->im = 1;
}

static uint64_t run_complex(complex_row *s, double r[2][SIDES])
{
    exb_complex_sides k = {.part = {s->part[0].k, s->part[1].k}, .re = s->re, .im = s->im};
    for (int part = 0; part < 2; part++)
        memcpy(r[part], s->part[part].b, sizeof r[part]);
    if (s->part[0].f == FORMAT_D)
        return exb_kernels_current()->d.solve_complex_sides(s->part[0].n, &k, s->part[0].t,
                                                            s->part[1].t, s->part[0].x, r[0], r[1]);
    float t[2][TERMS], r_s[2][SIDES];
    static float x[TERMS * SIDES];
    for (int j = 0; j < TERMS; j++)
        for (int part = 0; part < 2; part++)
            t[part][j] = (float)s->part[part].t[j];
    for (int i = 0; i < TERMS * SIDES; i++)
        x[i] = (float)s->part[0].x[i];
    for (int v = 0; v < SIDES; v++)
        for (int part = 0; part < 2; part++)
            r_s[part][v] = (float)r[part][v];
    uint64_t open = exb_kernels_current()->s.solve_complex_sides(s->part[0].n, &k, t[0], t[1], x,
                                                                 r_s[0], r_s[1]);
    for (int v = 0; v < SIDES; v++)
        for (int part = 0; part < 2; part++)
            r[part][v] = r_s[part][v];
    return open;
}

/* The answers of all ends, [part][side]; NaN where they differ. */
static void find_answers(complex_row *s, double answer[2][SIDES])
{
    for (int part = 0; part < 2; part++)
        for (int v = 0; v < s->part[0].n; v++)
            for (int ends = 0; ends < 4; ends++) {
                double r = rounded_part(s, part, v, ends & 1 ? 1 : -1, ends & 2 ? 1 : -1);
                if (ends > 0 && !same_bits(r, answer[part][v]))
                    r = (double)NAN;
                answer[part][v] = r;
            }
}

static void complex_decisions_are_right(NO_STATE)
{
    static complex_row s;
    test_random r = test_random_start(test_seed(), "complex sides");
    size_t n_sides = 0, n_decided = 0;
    for (int round = 0; round < 160; round++) {
        double answer[2][SIDES], found[2][SIDES];
        number_format f = round % 2 ? FORMAT_S : FORMAT_D;
        family what = (family)(round / 2 % N_FAMILIES);
        fill_complex(&s, what, &r, f);
        find_answers(&s, answer);
        for (int isa = 0; isa < exb_isa_count(); isa++) {
            if (!is_there(isa, f))
                continue;
            uint64_t open = run_complex(&s, found);
            for (int v = 0; v < s.part[0].n; v++)
                for (int part = 0; part < 2 && !(open >> v & 1); part++)
                    if (!same_bits(found[part][v], answer[part][v]))
                        fail_msg("%s, side %d, part %d: %a, not %a", exb_isa_current(), v, part,
                                 found[part][v], answer[part][v]);
            n_sides += what == ANY ? (size_t)s.part[0].n : 0;
            n_decided += what == ANY ? (size_t)(s.part[0].n - __builtin_popcountll(open)) : 0;
        }
    }
    printf("# decided: %zu of %zu ordinary ones\n", n_decided, n_sides);
    assert_true(n_decided > n_sides / 1000 * 999);
}

/* One unknown: t x with b = 0, or in a row of zeros. */
static bool decides(number_format f, double t, double x, double b, double *r)
{
    static row s;
    double answers[SIDES];
    memset(&s, 0, sizeof s);
    s.f = f;
    s.n = 1;
    s.k = (exb_sides){.n_terms = 1, .unit = true, .ld = SIDES, .peak = s.peak, .alpha = 1};
    s.t[0] = t;
    s.x[0] = x;
    s.b[0] = b;
    s.peak[0] = fabs(x) > 0 ? fabs(x) : 0; /* a NaN is dropped */
    bool decided = run(&s, answers) == 0;
    *r = answers[0];
    return decided;
}

/* The same of a complex one. */
static bool decides_complex(number_format f, double t, double x, double b)
{
    static complex_row s;
    double answers[2][SIDES];
    memset(&s, 0, sizeof s);
    for (int part = 0; part < 2; part++) {
        row *a = &s.part[part];
        a->f = f;
        a->n = 1;
        a->k = (exb_sides){.n_terms = 1, .unit = true, .ld = SIDES, .alpha = 1};
        a->k.peak = a->peak;
        a->t[0] = t;
        a->b[0] = b;
    }
    s.re = 1;
    s.part[0].x[0] = x;
    s.part[0].peak[0] = s.part[1].peak[0] = fabs(x) > 0 ? fabs(x) : 0;
    return run_complex(&s, answers) == 0;
}

static void zeros_and_special_values(NO_STATE)
{
    double r;
    for (int f = 0; f < 2; f++)
        for (int isa = 0; isa < exb_isa_count(); isa++) {
            number_format format = f ? FORMAT_D : FORMAT_S;
            if (!is_there(isa, format))
                continue;
            assert_true(decides(format, 3, 0, 0, &r) && same_bits(r, 0.0));
            assert_true(decides(format, 0, 3, -0.0, &r) && same_bits(r, 0.0));
            assert_true(decides(format, 0, 3, 5, &r) && r == 5);
            if (format == FORMAT_D)
                assert_false(decides(format, 0x1p-540, 0x1p-540, 0, &r));
            assert_false(decides(format, 0, (double)INFINITY, 0, &r));
            assert_false(decides(format, 1, (double)INFINITY, 0, &r));
            assert_false(decides(format, 0, (double)NAN, 0, &r));
            assert_false(decides(format, 1, (double)NAN, 1, &r));
            assert_false(decides(format, (double)NAN, 0, 0, &r));
            assert_false(decides(format, 1, 1, (double)NAN, &r));
            assert_true(decides_complex(format, 3, 0, 0));
            assert_false(decides_complex(format, (double)NAN, 0, 0));
            assert_false(decides_complex(format, 0, (double)INFINITY, 0));
        }
}

/* Kept sums of which nothing is known leave a row open, whatever stands in their places. */
static void unknown_sums_are_open(NO_STATE)
{
    static const double l[] = {0, (double)NAN, (double)INFINITY};
    for (int f = 0; f < 2; f++)
        for (int isa = 0; isa < exb_isa_count(); isa++)
            for (size_t i = 0; i < sizeof l / sizeof *l; i++) {
                number_format format = f ? FORMAT_D : FORMAT_S;
                row s = {.f = format, .n = SIDES, .b = {5}, .l = {l[i]}, .e = {(double)INFINITY}};
                double r[SIDES];
                s.k = (exb_sides){.unit = true, .ld = SIDES, .alpha = 1, .peak = s.peak};
                s.k.h = s.h;
                s.k.l = s.l;
                s.k.e = s.e;
                if (is_there(isa, format))
                    assert_true(run(&s, r) & 1);
            }
}

TESTS(decisions_are_right, complex_decisions_are_right, zeros_and_special_values,
      unknown_sums_are_open)
