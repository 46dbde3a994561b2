/* The anchored filter's kernels at the worst that their lemmas allow: every term as large
 * as the anchor admits, all of one sign, so that each lane runs as far as it can; every
 * length up to a full chunk's end, at every alignment, for every instruction set. The sum
 * of all s - sigma must be exact and the bound must hold. */
#include "core/kernels.h"

#include "isa_from.h"
#include "lossy_lanes.h"
#include "scoped.h"
#include "test_random.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <stdalign.h>

enum { N_BITS = 2400, LINE = 64, N_D = LINE / sizeof(double), N_S = LINE / sizeof(float) };

static alignas(LINE) double dx[EXB_CHUNK + N_D], dy[EXB_CHUNK + N_D];
static alignas(LINE) float sx[EXB_CHUNK + N_S], sy[EXB_CHUNK + N_S];

/* |sum - (h + l)| / bound, rounded up. */
static double part_of(const mpfr_t sum, double h, double l, double bound)
{
    MPFR(d, N_BITS);
    mpfr_set_d(d, h, MPFR_RNDN);
    mpfr_add_d(d, d, l, MPFR_RNDN);
    mpfr_sub(d, d, sum, MPFR_RNDN);
    mpfr_abs(d, d, MPFR_RNDN);
    mpfr_div_d(d, d, bound, MPFR_RNDU);
    return mpfr_get_d(d, MPFR_RNDU);
}

/* The error of (s - sigma) + c in units of E. */
static double error_of(const mpfr_t sum, const exb_anchored *a, int g, int64_t n)
{
    return part_of(sum, a->sum, a->c, exb_anchor_bound(exb_anchor_unit(g), n, a->n_lane));
}

static bool holds(const mpfr_t sum, const exb_anchored *a, int g, int64_t n)
{
    return error_of(sum, a, g, n) <= 1;
}

typedef enum { ALL_LARGEST, LARGEST_AND_RESTS, RESTS_OF_HALF_A_UNIT, N_SHAPES } shape;

/* Terms of magnitude at most 2^g, floats if is_s. */
static double term_of(shape s, int g, int i, bool is_s)
{
    double top = ldexp(1, g), unit = exb_anchor_unit(g);
    switch (s) {
    case ALL_LARGEST:
        return top;
    case LARGEST_AND_RESTS:
        return top * (1 - (is_s ? 0x1p-24 : 0x1p-53) * (i % 3));
    default:
        return is_s ? top * (1 - 0x1p-24 * (i % 5)) : unit * (4 * i + (i & 1 ? 0.5 : 1.5));
    }
}

static void check(bool is_s, int64_t n, int offset, shape s, int g, int sign, exb_term term)
{
    exb_anchored a[2];
    MPFR(sum, N_BITS);
    mpfr_set_zero(sum, 1);
    for (int64_t i = offset; i < offset + n; i++) {
        double x = sign * term_of(s, g, (int)(i - offset), is_s);
        if (is_s) {
            sx[i] = (float)x;
            sy[i] = 1;
        } else {
            dx[i] = x;
            dy[i] = 1;
        }
        mpfr_add_d(sum, sum, term == EXB_TERM_ABS_X ? fabs(x) : x, MPFR_RNDN);
    }
    const exb_kernels *k = exb_kernels_current();
    if (is_s)
        k->s.anchor(term, 1, n, sx + offset, sy + offset, exb_anchor_sigma(g), a);
    else
        k->d.anchor(term, 1, n, dx + offset, dy + offset, exb_anchor_sigma(g), a);
    if (a->valid && a->m <= exb_pow2(g) && !holds(sum, a, g, n))
        fail_msg("%s, %s, term %d: %jd terms of shape %d, sign %d, 2^%d at offset %d", k->isa,
                 is_s ? "float" : "double", term, (intmax_t)n, s, sign, g, offset);
    assert_true(a->valid && a->m <= exb_pow2(g)); /* such terms are what the anchor is for */
}

static void each_isa(bool is_s, int n_offsets, int g)
{
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        for (int term = EXB_TERM_X; term <= EXB_TERM_XY; term++) {
            if (term == EXB_TERM_XY && !is_s && !exb_kernels_current()->has_fma)
                continue;
            for (int offset = 0; offset < n_offsets; offset++)
                for (int64_t back = 0; back < 5; back++)
                    for (int s = 0; s < N_SHAPES; s++)
                        check(is_s, EXB_CHUNK - back, offset, (shape)s, g, s & 1 ? -1 : 1,
                              (exb_term)term);
        }
    }
}

static void full_lanes_of_doubles(NO_STATE)
{
    each_isa(false, N_D, 0);
}

static void full_lanes_of_floats(NO_STATE)
{
    each_isa(true, N_S, 0);
}

static void least_and_largest_anchor(NO_STATE)
{
    each_isa(false, 1, EXB_ANCHOR_MAX_G);
    each_isa(false, 1, EXB_ANCHOR_MIN_G + 60);
}

/* The error of one chunk of terms made for n_lanes lanes, in units of its bound. */
/* n lossy terms in dx, against 2^g, and their sum. */
static void lossy_sum(int n_lanes, int g, int64_t n, mpfr_t sum)
{
    lossy_lanes(n_lanes, exb_anchor_unit(g) / 2, n, dx);
    mpfr_init2(sum, N_BITS);
    mpfr_set_zero(sum, 1);
    for (int64_t i = 0; i < n; i++)
        mpfr_add_d(sum, sum, dx[i], MPFR_RNDN);
}

static double lossy_error(exb_term term, int n_lanes, exb_anchored *a)
{
    mpfr_t sum;
    int g = 1;
    lossy_sum(n_lanes, g, EXB_CHUNK, sum);
    exb_kernels_current()->d.anchor(term, 1, EXB_CHUNK, dx, dy, exb_anchor_sigma(g), a);
    assert_true(a->valid && a->m <= exb_pow2(g));
    double error = error_of(sum, a, g, EXB_CHUNK);
    mpfr_clear(sum);
    return error;
}

/* Lanes whose c loses as much as it can (lossy_lanes.h): where the terms were made for the kernel's
 * number of lanes of N terms, N / 6 in units of the bound's (N + 3) / 4 + 8. */
static void check_lossy(exb_term term)
{
    exb_anchored a[2];
    double most = 0;
    for (int n_lanes = 1; n_lanes <= LOSSY_MOST_LANES; n_lanes *= 2) {
        double error = lossy_error(term, n_lanes, a);
        most = error > most ? error : most;
    }
    double n = (double)a->n_lane, least = 0.9 * (n / 6) / ((n + 3) / 4 + 8);
    if (!(most <= 1 && most >= least))
        fail_msg("%s, term %d: the error is %g of the bound, not %g to 1",
                 exb_kernels_current()->isa, term, most, least);
}

static void lossy(NO_STATE)
{
    for (int64_t i = 0; i < EXB_CHUNK; i++)
        dy[i] = 1;
    for (int isa = 0; isa < exb_isa_count(); isa++)
        for (int term = EXB_TERM_X; term <= EXB_TERM_XY; term++)
            if (exb_isa_select(exb_isa_name(isa)) == 0 &&
                (term != EXB_TERM_XY || exb_kernels_current()->has_fma))
                check_lossy((exb_term)term);
}

/* Squares of `first` and of the others against 2^1, where a lane holds less than 64^2: taken if and
 * only if `fits`, and then within the bound. */
static void check_squares(int64_t n, double first, double others, bool fits)
{
    exb_anchored a[2];
    MPFR(sum, N_BITS);
    for (int64_t i = 0; i < n; i++)
        dx[i] = i == 0 ? first : others;
    mpfr_set_d(sum, others, MPFR_RNDN);
    mpfr_sqr(sum, sum, MPFR_RNDN);
    mpfr_mul_si(sum, sum, n - 1, MPFR_RNDN);
    mpfr_add_d(sum, sum, first * first, MPFR_RNDN); /* exactly, if it fits */
    exb_kernels_current()->d.anchor(EXB_TERM_XY, 1, n, dx, dx, exb_anchor_sigma(1), a);
    bool taken = a->valid && a->m <= exb_pow2(1);
    if (taken != fits || (taken && !holds(sum, a, 1, n)))
        fail_msg("%s: squares of %a and %jd of %a: %d", exb_kernels_current()->isa, first,
                 (intmax_t)n, others, taken);
}

/* Lanes that just stay in their binade, end on its far end, where what is left of a term may be
 * twice as large, and leave it; all lanes together; what is not finite. */
static void squares(NO_STATE)
{
    const double half = 0x1.6a09e6p-21; /* whose square is just below half a unit, 2^-40 */
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        if (!exb_kernels_current()->has_fma)
            continue;
        for (int64_t n = 1; n <= EXB_CHUNK; n += n < 100 ? 1 : 333) {
            check_squares(n, 63.75, half, true);
            check_squares(n, 64, 2 * half, false);
            check_squares(n, 64 + 0x1p-46, half, false);
            check_squares(n, 0x1p30, 1, false);
            check_squares(n, 0x1p600, 1, false);
            check_squares(n, NAN, 1, false);
        }
        check_squares(EXB_CHUNK, 1.875, 1.875, true);
        check_squares(EXB_CHUNK, 2.5, 2.5, false);
    }
}

/* Chunks, against 2^1, in which lanes fall by 12288 - 2^`above`, nearly all of sigma, and rise
 * again by `back` of that in many steps, or in one: none may be taken, since what falls so far has
 * lost bits. Or fall by 2^`above` alone, which is half of the binade at 12. */
static void check_fall(exb_term term, bool is_whole, int above, double back, bool at_once,
                       int64_t n)
{
    exb_anchored a[2];
    enum { LANES = 64 }; /* or a part of them, each in the same way */
    double fall = is_whole ? 12288 - ldexp(1.0 / 3, above) : ldexp(1.0 / 3, above);
    int64_t rises = at_once ? 1 : n / LANES - 1;
    MPFR(sum, N_BITS);
    mpfr_set_zero(sum, 1);
    for (int64_t i = 0; i < n; i++) {
        bool is_rise = i >= LANES && i / LANES <= rises;
        dx[i] = i < LANES ? -fall : is_rise ? back * fall / (double)rises : 0x1.8p-43;
        dy[i] = 1;
        mpfr_add_d(sum, sum, dx[i], MPFR_RNDN);
    }
    exb_kernels_current()->d.anchor(term, 1, n, dx, dy, exb_anchor_sigma(1), a);
    bool taken = a->valid && a->m <= exb_pow2(1);
    if ((taken && is_whole) || (taken && !holds(sum, a, 1, n)))
        fail_msg("%s, term %d: a fall of %a, %g back, taken", exb_kernels_current()->isa, term,
                 fall, back);
}

static void falls(NO_STATE)
{
    static const double back[] = {0, 0.5, 1, 1.01};
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1))
        for (int term = EXB_TERM_X; term <= EXB_TERM_XY; term++)
            for (int i = 0; i < 4 * 4 * 2 * 2; i++) {
                if (term == EXB_TERM_ABS_X ||
                    (term == EXB_TERM_XY && !exb_kernels_current()->has_fma))
                    continue;
                int64_t n = i & 1 ? EXB_CHUNK : 1024;
                check_fall((exb_term)term, true, i / 4 % 4 * 3, back[i / 16], i & 2, n);
                check_fall((exb_term)term, false, i / 4 % 4 + 9, back[i / 16], i & 2, n);
            }
}

/* The kernel `brief`, whose largest sample is the 1, with room for 2^5. Of N terms in a lane, 64 to
 * 256, it counts four more. */
static void lossy_brief(NO_STATE)
{
    enum { G = 5 };
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        double most = 0;
        for (int n_lanes = 1; n_lanes <= 32; n_lanes *= 2) {
            mpfr_t sum;
            lossy_sum(n_lanes, G, EXB_BRIEF, sum);
            exb_enclosure v;
            double r;
            exb_kernels_current()->d.brief(EXB_TERM_X, EXB_BRIEF, dx, &v, &r);
            double error = part_of(sum, v.h, v.l, v.e);
            most = error > most ? error : most;
            mpfr_clear(sum);
        }
        if (exb_isa_select(exb_isa_name(isa)) == 0 && !(most <= 1 && most >= 0.35))
            fail_msg("%s: the error is %g of the bound", exb_isa_name(isa), most);
    }
}

/* Full lanes through the public name: the terms that the driver samples are small, all others
 * fill the anchor that it then chooses. */
static void through_the_driver(NO_STATE)
{
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        exblas_set_num_threads(1);
        for (int offset = 0; offset < N_D; offset++)
            for (int n = EXB_CHUNK - 3; n <= EXB_CHUNK; n++) {
                double sum = 0; /* of integers: exact */
                for (int i = 0; i < n; i++)
                    sum += dx[offset + i] = i % (n / 32) == 0 && i / (n / 32) < 32 ? 1 : 8;
                assert_same_bits(excblas_dsum(n, dx + offset, 1), sum);
                assert_same_bits(excblas_dasum(n, dx + offset, 1), sum);
            }
    }
}

/* Terms that the sample misses and the anchor does not admit, but by little: the lanes leave
 * their binade, and the chunk has to be done again. */
static void beyond_the_anchor(NO_STATE)
{
    enum { N = 3 * EXB_CHUNK };
    static alignas(LINE) double x[N];
    exblas_set_num_threads(1);
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        for (int large = 9; large <= 400; large += large < 40 ? 1 : large / 3) {
            double sum = 0; /* of multiples of 2^-30 below 2^23: exact */
            for (int i = 0; i < N; i++)
                sum += x[i] = i % (N / 32) == 0 ? 1 : large + (i % 3 - 1) * 0x1p-30;
            assert_same_bits(excblas_dsum(N, x, 1), sum);
        }
    }
}

TESTS(full_lanes_of_doubles, full_lanes_of_floats, least_and_largest_anchor, through_the_driver,
      beyond_the_anchor, lossy, lossy_brief, squares, falls)
