/* The finish kernels: whenever one decides, both ends of the exact interval round to its answer.
 * Enclosures are put next to midpoints, with bounds about as large as the distance. */
#include "core/kernels.h"
#include "element/column.h"
#include "isa_from.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <math.h>

enum { LANES = 64, ROOM = LANES + 8, EXACT_BITS = 6400 }; /* whole vectors are read */

typedef struct {
    exb_column k;
    double h[ROOM], l[ROOM], e[ROOM], row_bound[ROOM], row_scale[ROOM], c[ROOM];
    number_format f;
    exb_column more; /* the other one */
    double more_h[ROOM], more_l[ROOM], more_e[ROOM], more_c[ROOM];
} column;

/* Exactly. */
static double scale_of(const column *x, int i)
{
    return x->row_scale[i] * x->k.col_scale;
}

static double bound_of(const column *x, int i)
{
    if (x->k.e)
        return x->e[i];
    bool is_zero = x->row_bound[i] < 0 || x->k.col_bound < 0; /* EXB_BOUND_OF_ZEROS */
    return is_zero ? 0 : fmax(x->row_bound[i], x->k.col_bound);
}

/* alpha scale (h - anchor + l + e_factor e) + beta c, exactly, and so of the other column; its e
 * goes the same way. */
static void value(oracle *out, const column *x, int i, int e_factor)
{
    ORACLE(sum);
    ORACLE(scaled);
    oracle_reset(out);
    oracle_add(&sum, x->h[i]);
    oracle_add(&sum, -x->k.anchor);
    oracle_add(&sum, x->l[i]);
    oracle_add(&sum, e_factor * bound_of(x, i));
    oracle_add_scaled(&scaled, scale_of(x, i), &sum);
    oracle_add_scaled(out, x->k.alpha, &scaled);
    if (x->k.beta != 0)
        oracle_add_product(out, x->k.beta, x->c[i]);
    if (!x->k.other)
        return;
    oracle_reset(&sum);
    oracle_add(&sum, x->more_h[i]);
    oracle_add(&sum, x->more_l[i]);
    oracle_add(&sum, (x->more.alpha * x->k.alpha < 0 ? -e_factor : e_factor) * x->more_e[i]);
    oracle_add_scaled(out, x->more.alpha, &sum);
    if (x->more.beta != 0)
        oracle_add_product(out, x->more.beta, x->more_c[i]);
}

static double rounded(const column *x, int i, int e_factor)
{
    ORACLE(v);
    value(&v, x, i, e_factor);
    return oracle_round(&v, x->f);
}

/* --- enclosures ------------------------------------------------------------ */

/* l and e such that the value is the distance d from a boundary of rounding and e is about d,
 * both in units of the scaled and multiplied h. */
static void put_near_midpoint(column *x, int i, test_random *r)
{
    ORACLE(v);
    MPFR(m, EXACT_BITS);
    x->l[i] = 0;
    value(&v, x, i, 0);
    double near = oracle_round(&v, x->f), half = half_ulp(near, x->f);
    double d = random_chance(r, 4) ? 0 : half * ldexp(1, -(int)random_between(r, 1, 90));
    if (half > 0 && x->k.alpha != 0) {
        mpfr_set_d(m, near, MPFR_RNDN);
        mpfr_add_d(m, m, random_sign(r) * half, MPFR_RNDN);
        mpfr_add_d(m, m, random_sign(r) * d, MPFR_RNDN);
        mpfr_sub(m, m, v.sum, MPFR_RNDN);
        mpfr_div_d(m, m, x->k.alpha, MPFR_RNDN);
        mpfr_div_d(m, m, scale_of(x, i), MPFR_RNDN);
        double l = mpfr_get_d(m, MPFR_RNDN);
        double scaled = l * x->row_scale[i] * x->k.col_scale; /* exactly (column.h) */
        x->l[i] = fabs(l) <= 0x1p900 && scaled / scale_of(x, i) == l ? l : 0;
    }
    double unit = fabs(x->k.alpha * scale_of(x, i));
    double e = fabs(d / unit) * (1 + (double)random_between(r, -3, 3) * 0x1p-51);
    x->e[i] = e <= 0x1p900 ? e : 0x1p-60 * fabs(x->h[i]);
}

/* What is left of a sum that cancelled: l is nearly all of it, h - anchor a distance from a
 * midpoint about as small as what the rounding of alpha l loses. */
static void put_low_near_midpoint(column *x, int i, test_random *r, int exp2)
{
    double alpha = fabs(x->k.alpha);
    if (x->k.anchor != 0 || x->k.beta != 0 || x->k.other || exp2 < -60 || exp2 > 60 ||
        alpha < 0x1p-60 || alpha > 0x1p60)
        return;
    ORACLE(v);
    x->h[i] = 0;
    x->l[i] = random_number(r, FORMAT_D, 0);
    double near = rounded(x, i, 0);
    value(&v, x, i, 0);
    mpfr_d_sub(v.sum, near + 0.0, v.sum, MPFR_RNDN);
    mpfr_add_d(v.sum, v.sum, random_sign(r) * half_ulp(near, x->f), MPFR_RNDN);
    mpfr_div_d(v.sum, v.sum, x->k.alpha * scale_of(x, i), MPFR_RNDN);
    x->h[i] = mpfr_get_d(v.sum, MPFR_RNDN);
}

/* Where the results lie: anywhere, at the ends of the format, or in the middle. */
static int exponent(test_random *r, number_format f)
{
    bool is_float = f == FORMAT_S;
    switch (random_between(r, 0, 7)) {
    case 0:
        return (int)random_between(r, is_float ? -152 : -1078, is_float ? -120 : -1018);
    case 1:
        return (int)random_between(r, is_float ? 120 : 1015, is_float ? 130 : 1022);
    case 2:
        return (int)random_between(r, -1000, 1000);
    default:
        return (int)random_between(r, -60, 60);
    }
}

static void fill_lane(column *x, int i, test_random *r, int exp2)
{
    int row = exp2 < -900 ? 0 : (int)random_between(r, -30, 30), col;
    frexp(x->k.col_scale, &col);
    x->row_scale[i] = ldexp(1, row);
    int h_exp2 = exp2 - row - (col - 1);
    if (x->k.anchor != 0) {
        double units = (double)random_between(r, -((int64_t)1 << 51) + 1, ((int64_t)1 << 51) - 1);
        x->h[i] = x->k.anchor + units * 0x1p-51;
        x->row_scale[i] = fmin(fmax(ldexp(1, h_exp2 + row), 0x1p-399), 0x1p399);
    } else {
        int bits = (int)random_between(r, 1, 53);
        h_exp2 = h_exp2 < -1074 ? -1074 : h_exp2 > 1000 ? 1000 : h_exp2;
        double h = random_number(r, FORMAT_D, h_exp2);
        x->h[i] = random_chance(r, 12)  ? 0
                  : random_chance(r, 2) ? ldexp(rint(ldexp(h, bits - h_exp2)), h_exp2 - bits)
                                        : h;
    }
    /* c: something of the size of the result, or what cancels most of it. */
    double beta_c = x->k.alpha * scale_of(x, i) * (x->h[i] - x->k.anchor);
    x->c[i] = random_number(r, x->f, exp2 < 100 && exp2 > -100 ? exp2 : 0);
    if (x->k.beta != 0 && random_chance(r, 3) && fabs(beta_c / x->k.beta) < 0x1p120)
        x->c[i] = round_to(x->f, -beta_c / x->k.beta);
    if (random_chance(r, 20))
        x->c[i] = random_chance(r, 2) ? 0 : -0.0;
    x->l[i] = x->e[i] = 0;
    switch (random_between(r, 0, 6)) {
    case 0: /* no correction: a tie where h is one */
        break;
    case 6:
        put_low_near_midpoint(x, i, r, exp2);
        break;
    case 1:
        x->l[i] = x->h[i] * 0x1p-54 * random_sign(r);
        x->e[i] = random_chance(r, 2) ? 0 : fabs(x->h[i]) * 0x1p-90;
        break;
    default:
        put_near_midpoint(x, i, r);
        if (random_chance(r, 3))
            x->e[i] *= random_chance(r, 2) ? 0 : 0x1p-3;
    }
    if (x->k.anchor != 0 && fabs(x->l[i]) > 0x1p-30)
        x->l[i] = 0x1p-60;
}

static double scalar(test_random *r, number_format f)
{
    switch (random_between(r, 0, 5)) {
    case 0:
        return -1;
    case 1:
        return ldexp(random_sign(r), (int)random_between(r, -20, 20));
    case 2:
        return random_number(r, f, (int)random_between(r, -3, 3));
    case 3:
        return f == FORMAT_S ? random_number(r, f, (int)random_between(r, -149, 120))
                             : random_number(r, f, (int)random_between(r, -1074, 1000));
    default:
        return 1;
    }
}

static void fill_other(column *x, test_random *r, int exp2)
{
    x->more = (exb_column){.h = x->more_h, .l = x->more_l, .e = x->more_e, .c = x->more_c};
    x->more.alpha = random_chance(r, 4) ? random_sign(r) : random_number(r, FORMAT_D, 0);
    x->more.beta = random_chance(r, 2) ? 0 : random_number(r, FORMAT_D, 0);
    for (int i = 0; i < LANES; i++) {
        x->more_h[i] = random_chance(r, 12) ? 0 : random_number(r, FORMAT_D, exp2);
        x->more_l[i] = random_chance(r, 4) ? 0 : x->more_h[i] * random_number(r, FORMAT_D, -54);
        x->more_e[i] = random_chance(r, 2) ? 0 : 0x1p-120 * fabs(x->more_h[i]);
        x->more_c[i] = random_chance(r, 12) ? 0 : random_number(r, x->f, exp2);
    }
    x->k.other = &x->more;
}

static void fill_column(column *x, test_random *r, number_format f)
{
    memset(x, 0, sizeof *x);
    x->f = f;
    x->k = (exb_column){.h = x->h, .l = x->l, .row_scale = x->row_scale, .c = x->c};
    x->k.anchor = random_chance(r, 3) ? 3 : 0;
    x->k.alpha = random_chance(r, 2) ? 1 : scalar(r, f);
    x->k.beta = random_chance(r, 2) ? 0 : scalar(r, f);
    x->k.e = x->e;
    int exp2 = exponent(r, f);
    /* Scaling is exact (kernels.h). */
    x->k.col_scale = exp2 < -900 ? 1 : ldexp(1, (int)random_between(r, -40, 40));
    if (exp2 > -60 && exp2 < 60 && random_chance(r, 3))
        fill_other(x, r, exp2);
    for (int i = 0; i < LANES; i++)
        fill_lane(x, i, r, exp2);
    if (random_chance(r, 3)) { /* bounds of rows and of the column */
        x->k.e = NULL;
        x->k.row_bound = x->row_bound;
        x->k.col_bound = x->e[random_between(r, 0, LANES - 1)];
        for (int i = 0; i < LANES; i++)
            x->row_bound[i] = random_chance(r, 4) ? EXB_BOUND_OF_ZEROS : x->e[i];
        if (random_chance(r, 8))
            x->k.col_bound = EXB_BOUND_OF_ZEROS;
    }
    if (x->k.beta == 0)
        for (int i = 0; i < LANES; i++)
            x->c[i] = (double)NAN; /* not read */
}

/* --- checks ---------------------------------------------------------------- */

static exb_column from_lane(const exb_column *k, int i)
{
    exb_column lane = *k;
    lane.h += i;
    lane.l += i;
    lane.c += i;
    if (k->e)
        lane.e += i;
    else
        lane.row_bound += i;
    if (k->row_scale)
        lane.row_scale += i;
    return lane;
}

/* Lanes begin ... begin + n - 1. */
static uint64_t run(const column *x, int begin, int n, double *r)
{
    float r_s[ROOM];
    exb_column k = from_lane(&x->k, begin), other;
    if (k.other) {
        other = from_lane(k.other, begin);
        k.other = &other;
    }
    if (x->f == FORMAT_D)
        return exb_kernels_current()->d.finish(n, &k, r);
    uint64_t open = exb_kernels_current()->s.finish(n, &k, r_s);
    for (int i = 0; i < n; i++)
        r[i] = r_s[i];
    return open;
}

/* Bits set where all numbers of the interval round alike; their values. */
static uint64_t decidable(const column *x, double *answer)
{
    uint64_t set = 0;
    for (int i = 0; i < LANES; i++) {
        answer[i] = rounded(x, i, 1);
        if (same_bits(answer[i], rounded(x, i, -1)))
            set |= (uint64_t)1 << i;
    }
    return set;
}

static void check(const column *x, int begin, int n, uint64_t possible, const double *answer,
                  size_t *decided)
{
    double r[ROOM];
    uint64_t open = run(x, begin, n, r);
    assert_true(n == 64 || open >> n == 0);
    for (int j = 0; j < n; j++) {
        int i = begin + j;
        if (open >> j & 1)
            continue;
        if (!(possible >> i & 1) || !same_bits(r[j], answer[i]))
            fail_msg(
                "%s, %s, lane %d: %a from h %a (- %g) l %a e %a scale %a * %a alpha %a beta %a "
                "c %a; the interval ends in %a and %a",
                exb_isa_current(), x->f == FORMAT_D ? "double" : "float", i, r[j], x->h[i],
                x->k.anchor, x->l[i], bound_of(x, i), x->row_scale[i], x->k.col_scale, x->k.alpha,
                x->k.beta, x->c[i], rounded(x, i, -1), answer[i]);
        ++*decided;
    }
}

/* A lane that stays open changes the way that those after it take. */
static void check_each(const column *x, uint64_t possible, const double *answer)
{
    size_t decided = 0;
    for (int i = 0; i < LANES; i++)
        check(x, i, 1, possible, answer, &decided);
}

static void decisions_are_right(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "finish");
    size_t n_possible = 0, n_decided = 0;
    int n_isas = 0;
    for (int isa = 0; isa < exb_isa_count(); isa++)
        n_isas += exb_isa_select(exb_isa_name(isa)) == 0;
    for (int round = 0; round < 900; round++) {
        static column x;
        double answer[LANES];
        fill_column(&x, &r, round % 2 ? FORMAT_S : FORMAT_D);
        uint64_t possible = decidable(&x, answer);
        int n = round % 3 ? LANES : (int)random_between(&r, 1, LANES);
        n_possible += (size_t)__builtin_popcountll(possible) * (size_t)n_isas;
        for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
            check(&x, 0, n, possible, answer, &n_decided);
            check_each(&x, possible, answer);
        }
    }
    printf("# decided: %zu of %zu that could be\n", n_decided, n_possible);
    assert_true(n_decided > n_possible / 4);
}

/* Other parts that are neighbours, and the same as a column of their own. */
static void exchanged_parts(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "exchanged parts");
    for (int round = 0; round < 900; round++) {
        static column x;
        double exchanged[ROOM], apart[ROOM];
        fill_column(&x, &r, round % 2 ? FORMAT_S : FORMAT_D);
        x.k.row_scale = NULL;
        fill_other(&x, &r, 0);
        exb_column other = x.k;
        other.other = NULL;
        other.alpha = x.more.alpha;
        other.beta = x.more.beta;
        other.exchanged = true;
        for (int i = 0; i < LANES; i++) {
            double sign = i % 2 ? 1 : -1;
            x.more_h[i] = sign * (x.h[i ^ 1] - x.k.anchor);
            x.more_l[i] = sign * x.l[i ^ 1];
            x.more_e[i] = bound_of(&x, i ^ 1);
            x.more_c[i] = sign * x.c[i ^ 1];
        }
        for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
            x.k.other = &x.more;
            uint64_t open = run(&x, 0, LANES, apart);
            x.k.other = &other;
            uint64_t also = run(&x, 0, LANES, exchanged);
            assert_true(also == open || !x.k.e); /* bounds of zeros are read in another way */
            open |= also;
            for (int i = 0; i < LANES; i++)
                if (!(open >> i & 1))
                    assert_same_bits(exchanged[i], apart[i]);
        }
    }
}

/* Products that cancel, and their low parts, too, beside a sum of few bits: what the additions of
 * these lose is about as large as the distance from a midpoint. */
static void low_parts_cancel(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "low parts");
    ORACLE(l);
    for (int round = 0; round < 2000; round++) {
        static column x;
        double answer[LANES];
        size_t n_decided = 0;
        memset(&x, 0, sizeof x);
        x.f = FORMAT_D;
        x.k = (exb_column){.h = x.h, .l = x.l, .e = x.e, .row_scale = x.row_scale, .c = x.c};
        x.k.col_scale = 1;
        x.k.alpha = x.k.beta = random_number(&r, FORMAT_D, 0);
        for (int i = 0; i < LANES; i++) {
            x.row_scale[i] = 1;
            x.h[i] = random_number(&r, FORMAT_D, 0);
            x.c[i] = -x.h[i] + (double)random_between(&r, 1, 9) * half_ulp(x.h[i], FORMAT_D) * 2;
            double seen = x.k.alpha * x.h[i] + x.k.beta * x.c[i];
            value(&l, &x, i, 0);
            mpfr_d_sub(l.sum, seen + 0.0, l.sum, MPFR_RNDN);
            mpfr_add_d(l.sum, l.sum, random_sign(&r) * half_ulp(seen, FORMAT_D), MPFR_RNDN);
            mpfr_div_d(l.sum, l.sum, x.k.alpha, MPFR_RNDN);
            x.l[i] = mpfr_get_d(l.sum, MPFR_RNDN);
            x.e[i] = 0x1p-300;
        }
        uint64_t possible = decidable(&x, answer);
        for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
            check(&x, 0, LANES, possible, answer, &n_decided);
    }
}

/* One lane alone, with neither anchor nor scales. */
typedef struct {
    double h, l, e, alpha, beta, c, answer;
} single;

static uint64_t run_single(number_format f, const single *s, double *r)
{
    static column x;
    x = (column){.f = f, .h = {s->h}, .l = {s->l}, .e = {s->e}, .c = {s->c}, .row_scale = {1}};
    x.k = (exb_column){.h = x.h, .l = x.l, .e = x.e, .row_scale = x.row_scale, .c = x.c};
    x.k.col_scale = 1;
    x.k.alpha = s->alpha;
    x.k.beta = s->beta;
    return run(&x, 0, 1, r);
}

/* What must be decided: exact sums, ties and zeros among them, and sums far from a midpoint. */
static void easy_ones_are_decided(NO_STATE)
{
    static const single cases[] = {
        {0, 0, 0, 1, 0, 0, 0},
        {-0.0, 0, 0, 1, 0, 0, 0},
        {5, 0, 0, 1, 1, -5, 0},
        {5, 0, 0, -1, 0, 0, -5},
        {1 + 0x1p-23, 0, 0, 1, 1, 0x1p-24, 1 + 0x1p-22},
        {1, 0, 0, 3, 5, 7, 38},
        {1, 0x1p-80, 0x1p-90, 1, 0, 0, 1},
        {1, -0x1p-80, 0x1p-90, 3, 2, 4, 11},
        {0, 0, 0, 5, 7, 0.5, 3.5},
    };
    double r[LANES];
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        for (size_t t = 0; t < sizeof cases / sizeof *cases; t++)
            for (int f = 0; f < 2; f++) {
                double answer = f && t == 4 ? 1 + 0x1p-23 + 0x1p-24 : cases[t].answer;
                assert_true(run_single(f ? FORMAT_D : FORMAT_S, &cases[t], r) == 0);
                assert_same_bits(r[0], answer);
            }
}

static void those_decided_are_right(const single *cases, int n)
{
    double r[LANES];
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        for (int t = 0; t < n; t++)
            if ((run_single(FORMAT_D, &cases[t], r) & 1) == 0)
                assert_same_bits(r[0], cases[t].answer);
}

/* Exact sums and products, of which a low part is lost beside the rest, which alone would be a
 * tie: that of beta c beside alpha h, or that of alpha h beside what beta c left of it. */
static void lost_addends_are_not_exact(NO_STATE)
{
    static const single cases[] = {
        {1 + 0x1p-52, 0, 0, 1, 1 + 0x1p-52, 0x1p-53 * (1 - 0x1p-52), 1 + 0x1p-52},
        {1 - 0x1p-30, 0, 0, 1 + 0x1p-30, 1, 0x1p53 + 2, 0x1p53 + 2},
        {1 - 0x1p-30, 0, 0, -1 - 0x1p-30, 1, -0x1p53 - 2, -0x1p53 - 2},
    };
    those_decided_are_right(cases, sizeof cases / sizeof *cases);
}

/* alpha l overflows, or its sum with the rest, and alpha (h + l) + beta c does not. */
static void low_parts_that_overflow(NO_STATE)
{
    static const single cases[] = {
        {-2, 3.5, 0, 0x1.cp1022, 0, 0, 0x1.5p1023},
        {-2, 3.5, 0x1p-100, 0x1.cp1022, 0, 0, 0x1.5p1023},
        {2, -3.5, 0x1p-100, 0x1.cp1022, 1, 1, -0x1.5p1023},
        {2, -3.5, 0x1p-100, -0x1.cp1022, 0x1p1000, 0x1p-1000, 0x1.5p1023},
        {-1.75, 1.9375, 0, 0x1p1023, 1, 0x1p969 + 0x1p917, 0x1.8p1020},
    };
    those_decided_are_right(cases, sizeof cases / sizeof *cases);
}

/* Zero sums of rows of zeros, or of a column of zeros, whatever the other's bound. */
static void sums_of_zeros_are_decided(NO_STATE)
{
    for (int isa = 0; isa < exb_isa_count(); isa++)
        for (int of_column = 0; of_column < 2 && exb_isa_select(exb_isa_name(isa)) == 0;
             of_column++) {
            column x = {.f = FORMAT_D};
            double r[LANES];
            x.k = (exb_column){.h = x.h, .l = x.l, .row_scale = x.row_scale, .anchor = 3};
            x.k.row_bound = x.row_bound;
            x.k.alpha = x.k.col_scale = 1;
            x.k.col_bound = of_column ? EXB_BOUND_OF_ZEROS : 0x1p-90;
            for (int i = 0; i < LANES; i++) {
                x.h[i] = 3;
                x.row_scale[i] = 1;
                x.row_bound[i] = i % 2 ? EXB_BOUND_OF_ZEROS : 0x1p-90;
            }
            assert_true(run(&x, 0, LANES, r) == (of_column ? 0 : 0x5555555555555555));
            assert_same_bits(r[1], 0.0);
            for (int i = 0; i < LANES; i++)
                x.h[i] = 3 + (1 + 0x1p-24); /* so is a midpoint, if there is no bound */
            x.f = FORMAT_S;
            assert_true(run(&x, 0, LANES, r) == (of_column ? 0 : 0x5555555555555555));
            assert_same_bits(r[1], 1.0);
        }
}

TESTS(decisions_are_right, exchanged_parts, low_parts_cancel, easy_ones_are_decided,
      sums_of_zeros_are_decided, lost_addends_are_not_exact, low_parts_that_overflow)
