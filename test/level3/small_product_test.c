/* Small products: the kernel against the exact answers, with sums next to midpoints at distances
 * about its bound; and what the driver does with elements that are not certified. */
#include "core/kernels.h"
#include "core/partition.h"
#include "level3/kernels/small.h"
#include "isa_from.h"
#include "oracle.h"
#include "test_random.h"
#include "testing.h"

#include <complex.h>
#include <exblas/exblas.h>
#include <math.h>
#include <string.h>

enum {
    MOST = EXB_SMALL_MOST,
    TERMS = EXB_SMALL_TERMS,
    PAD = 3,
    ROOM = (MOST + PAD) * (TERMS + 2 * PAD), /* for one matrix, or two with half of the terms */
    LARGEST = 193,                           /* more than products in blocks have */
};

/* --- the kernel ------------------------------------------------------------ */

typedef struct {
    exb_small q;
    number_format f;
    double a[ROOM], b[ROOM], c[ROOM], r[MOST * MOST];
    uint64_t uncertified[MOST];
} product;

static int parts_of(const product *p)
{
    return p->q.is_complex ? 2 : 1;
}

/* What term l of row i multiplies, rows and terms of complex numbers counted by parts: part i + l
 * of an element of A, part l of one of B. */
static double *a_at(product *p, int i, int l)
{
    int parts = parts_of(p), n = p->q.k / p->q.n_halves, h = l / n;
    const exb_small_factors *x = &p->q.half[h];
    return &p->a[h * ROOM / 2 + i / parts * x->a_vs + l % n / parts * x->a_ls + (i + l) % parts];
}

static double *b_at(product *p, int l, int j)
{
    int parts = parts_of(p), n = p->q.k / p->q.n_halves, h = l / n;
    const exb_small_factors *x = &p->q.half[h];
    return &p->b[h * ROOM / 2 + j * x->b_vs + l % n / parts * x->b_ls + l % parts];
}

/* And the sign of that product. */
static int sign_of(const product *p, int i, int l)
{
    bool a_im = (i + l) % 2 == 1, b_im = l % 2 == 1;
    if (!p->q.is_complex)
        return 1;
    return ((a_im && p->q.conjugate_a) + (b_im && p->q.conjugate_b) + (a_im && b_im)) % 2 ? -1 : 1;
}

/* The first n terms, those of a second half with another sign if it is subtracted. */
static void add_terms(product *p, oracle *o, int i, int j, int n, int sign, bool subtracts)
{
    for (int l = 0; l < n; l++) {
        int of_half = subtracts && l >= p->q.k / 2 ? -sign : sign;
        oracle_add_product(o, of_half * sign_of(p, i, l) * *a_at(p, i, l), *b_at(p, l, j));
    }
}

static void set_strides(test_random *r, int parts, int64_t *vs, int64_t *ls, int n, int k)
{
    bool side_by_side = random_chance(r, 2);
    int ld = parts * ((side_by_side ? n : k) + (int)random_between(r, 0, PAD));
    *vs = side_by_side ? parts : ld;
    *ls = side_by_side ? ld : parts;
}

/* In row i alpha times the sum is alpha `delta` from a midpoint of rounding in column 0: by its
 * last two terms, or those of two elements, which are multiplied by 2^-20. */
static void put_near_midpoint(product *p, int i, double delta)
{
    ORACLE(o);
    ORACLE(sum);
    int parts = parts_of(p);
    double alpha = p->q.alpha;
    add_terms(p, &sum, i, 0, p->q.k - 2 * parts, -1, false);
    oracle_add_scaled(&o, alpha, &sum);
    double near = oracle_round(&o, p->f);
    oracle_add(&o, -near);
    oracle_add(&o, -half_ulp(near, p->f));
    oracle_add_product(&o, alpha, delta);
    for (int l = p->q.k - 2 * parts; l < p->q.k; l += parts) {
        double last = oracle_quotient(&o, alpha, FORMAT_D);
        *a_at(p, i, l) = sign_of(p, i, l) * round_to(p->f, last * 0x1p20);
        oracle_reset(&sum);
        oracle_add_product(&sum, -sign_of(p, i, l) * *a_at(p, i, l), *b_at(p, l, 0));
        oracle_add_scaled(&o, alpha, &sum);
    }
}

static double find_peak(const double *x)
{
    double most = 0;
    for (int i = 0; i < ROOM; i++)
        most = fmax(most, fabs(x[i])); /* not NaN */
    return most;
}

static void fill(double *x, test_random *r, number_format f, int exp2, int spread)
{
    for (int i = 0; i < ROOM; i++)
        x[i] = random_number(r, f, exp2 - (int)random_between(r, 0, spread));
}

/* All products of an element in column 0 are the same: so are the errors, which add up. */
static void make_products_equal(product *p)
{
    for (int l = 1; l < p->q.k; l++) {
        *b_at(p, l, 0) = *b_at(p, 0, 0);
        for (int i = 0; i < p->q.m; i++)
            *a_at(p, i, l) = *a_at(p, i, 0);
    }
}

/* In powers of two, relative to the terms: about the bounds. */
static int random_distance(test_random *r, number_format f)
{
    int last = f == FORMAT_S ? -59 : -104;
    return last + (int)(random_chance(r, 2) ? random_between(r, 0, 12) : random_between(r, 5, 9));
}

static void fill_product(product *p, test_random *r, number_format f, bool is_complex)
{
    exb_small *q = &p->q;
    int parts = is_complex ? 2 : 1;
    p->f = f;
    *q = (exb_small){.m = (int)random_between(r, 1, random_chance(r, 3) ? MOST : 20)};
    q->is_complex = is_complex;
    q->conjugate_a = is_complex && random_chance(r, 2);
    q->conjugate_b = is_complex && random_chance(r, 2);
    q->m = (int)exb_round_up(q->m, parts);
    q->n = (int)random_between(r, 1, random_chance(r, 6) ? MOST : 9);
    bool is_equal = random_chance(r, 2);
    q->k = is_equal ? TERMS : (int)random_between(r, 1, random_chance(r, 3) ? TERMS : 12);
    q->n_halves = (int)random_between(r, 1, 2);
    q->k = (int)exb_round_up(q->k, parts * q->n_halves);
    for (int h = 0; h < q->n_halves; h++) {
        exb_small_factors *x = &q->half[h];
        set_strides(r, parts, &x->a_vs, &x->a_ls, q->m / parts, q->k / q->n_halves / parts);
        set_strides(r, parts, &x->b_vs, &x->b_ls, q->n, q->k / q->n_halves / parts);
    }
    q->ldc = q->m + random_between(r, 0, PAD);
    int exp2 = f == FORMAT_S         ? (int)random_between(r, -40, 40)
               : random_chance(r, 2) ? 0
                                     : (int)random_between(r, -380, 380);
    int spread = random_chance(r, 2) ? 0 : 30;
    fill(p->a, r, f, exp2, spread);
    fill(p->b, r, f, -exp2 / 2, spread);
    fill(p->c, r, f, exp2 / 2, spread);
    bool is_plain = random_chance(r, 2);
    q->alpha = is_plain ? random_sign(r) : random_number(r, f, 0);
    q->beta = random_chance(r, 2)   ? 0
              : random_chance(r, 2) ? 1
                                    : random_number(r, f, (int)random_between(r, -40, 1));
    for (int i = 0; i < ROOM; i += 2) /* sums that are next to midpoints stay there */
        p->c[i] = 0;
    q->is_lower = random_chance(r, 4);
    q->is_upper = !q->is_lower && random_chance(r, 4);
    q->is_hermitian = is_complex && random_chance(r, 2);
    q->is_apart = q->is_hermitian && q->n_halves == 2 && random_chance(r, 2);
    if (is_complex && (!q->is_hermitian || q->is_apart))
        q->alpha_im = !q->is_apart && random_chance(r, 2) ? 0 : random_number(r, f, 0);
    if (is_complex && !q->is_hermitian)
        q->beta_im = random_chance(r, 2) ? 0 : random_number(r, f, -1);
    q->diagonal = (int)random_between(r, -9, 9);
    if (is_equal)
        make_products_equal(p);
    for (int j = 0; j < q->n && q->k > 2 * parts; j++)
        for (int l = q->k - 2 * parts; l < q->k; l++)
            *b_at(p, l, j) = l % parts == 0 ? 0x1p-20 : 0;
    double unit = 2 * q->k * find_peak(p->a) * find_peak(p->b);
    for (int i = 0; i < q->m && q->k > 2 * parts; i++)
        put_near_midpoint(p, i, random_sign(r) * ldexp(unit, random_distance(r, f)));
    if (random_chance(r, 10))
        *a_at(p, 0, 0) = (double)NAN;
    q->peak = find_peak(p->a) * find_peak(p->b);
}

static void set_factors(exb_small *q, const char *a, const char *b, size_t bytes)
{
    for (int h = 0; h < q->n_halves; h++) {
        q->half[h].a = a + (size_t)(h * ROOM / 2) * bytes;
        q->half[h].b = b + (size_t)(h * ROOM / 2) * bytes;
    }
}

static int run(product *p)
{
    set_factors(&p->q, (const char *)p->a, (const char *)p->b, sizeof *p->a);
    if (p->f == FORMAT_D)
        return exb_kernels_current()->d.small_product(&p->q, p->c, p->r, p->uncertified);
    static float a[ROOM], b[ROOM], c[ROOM], r[MOST * MOST];
    for (int i = 0; i < ROOM; i++) {
        a[i] = (float)p->a[i];
        b[i] = (float)p->b[i];
        c[i] = (float)p->c[i];
    }
    set_factors(&p->q, (const char *)a, (const char *)b, sizeof *a);
    int count = exb_kernels_current()->s.small_product(&p->q, c, r, p->uncertified);
    for (int i = 0; i < MOST * MOST; i++)
        p->r[i] = r[i];
    return count;
}

/* What is not looked at, but must not count as uncertified. */
static bool is_imaginary(const exb_small *q, int i, int j)
{
    return q->is_hermitian && i == 2 * (j + q->diagonal) + 1;
}

static bool is_wanted(const exb_small *q, int i, int j)
{
    int row = (q->is_complex ? i / 2 : i) - q->diagonal;
    return (!q->is_lower || row >= j) && (!q->is_upper || row <= j) && !is_imaginary(q, i, j);
}

static double right_answer(product *p, oracle *o, int i, int j)
{
    const exb_small *q = &p->q;
    const double *c = p->c + j * q->ldc;
    oracle_reset(o);
    add_terms(p, o, i, j, q->k, 1, false);
    if (q->alpha_im == 0 && q->beta_im == 0)
        return oracle_scaled(o, q->alpha, q->beta, c[i], p->f);
    int other = i ^ 1, sign = i % 2 ? 1 : -1;
    ORACLE(sum);
    oracle_add_scaled(&sum, q->alpha, o);
    oracle_reset(o);
    add_terms(p, o, other, j, q->k, 1, q->is_apart);
    oracle_add_scaled(&sum, sign * q->alpha_im, o);
    oracle_add_product(&sum, q->beta, c[i]);
    oracle_add_product(&sum, sign * q->beta_im, c[other]);
    return oracle_round(&sum, p->f);
}

/* Every certified element that is wanted, and the count of the others. */
static size_t check(product *p, oracle *o)
{
    int count = run(p);
    size_t n_right = 0;
    for (int j = 0; j < p->q.n; j++) {
        count -= __builtin_popcountll(p->uncertified[j]);
        assert_true(p->q.m == 64 || p->uncertified[j] >> p->q.m == 0);
        for (int i = 0; i < p->q.m; i++) {
            double x = p->r[j * MOST + i];
            assert_true(!is_imaginary(&p->q, i, j) || !(p->uncertified[j] >> i & 1));
            if (!is_wanted(&p->q, i, j) || p->uncertified[j] >> i & 1)
                continue;
            if (!same_bits(x, right_answer(p, o, i, j)))
                fail_msg("%s, %s, %d x %d x %d, element (%d, %d): %a, not %a; TEST_SEED=%llu",
                         exb_isa_current(), p->f == FORMAT_D ? "double" : "float", p->q.m, p->q.n,
                         p->q.k, i, j, x, right_answer(p, o, i, j),
                         (unsigned long long)test_seed());
            n_right++;
        }
    }
    assert_int_equal(count, 0);
    return n_right;
}

static void certified_elements_are_right(NO_STATE)
{
    static product p;
    test_random r = test_random_start(test_seed(), "small product");
    size_t n_right = 0, n_all = 0;
    ORACLE(o);
    for (int round = 0; round < 320; round++) {
        fill_product(&p, &r, round % 2 ? FORMAT_S : FORMAT_D, round % 4 >= 2);
        for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
            if ((p.f == FORMAT_D && !exb_kernels_current()->has_fma))
                continue;
            n_right += check(&p, &o);
            for (int j = 0; j < p.q.n; j++)
                for (int i = 0; i < p.q.m; i++)
                    n_all += is_wanted(&p.q, i, j);
        }
    }
    printf("# certified: %zu of %zu\n", n_right, n_all);
    assert_true(n_right > n_all / 3);
}

/* --- the driver ------------------------------------------------------------ */

/* C of n x n by a method; returns how many elements left the first filter. */
static uint64_t multiply(const char *method, int n, const double *a, const double *b, double *c)
{
    exblas_stats stats;
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    for (int i = 0; i < n * n; i++)
        c[i] = (double)NAN;
    excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, n, n, n, 1, a, n, b, n, 0, c,
                  n);
    assert_int_equal(exblas_stats_last(&stats), EXBLAS_OK);
    assert_int_equal(stats.elements, n * n);
    exblas_set_method(NULL);
    return stats.fallbacks;
}

/* Sums of -2 units, whose low parts of 3.2 units an alpha makes overflow. */
static void low_parts_that_overflow(NO_STATE)
{
    enum { N = 4, K = 10 };
    double a[K * N], b[K * N], c[N * N], right[N * N];
    for (int l = 0; l < K; l++)
        for (int i = 0; i < N; i++) {
            a[l * N + i] = l == 0 ? 0x1p60 : l < K - 1 ? 0.4 * 0x1p15 : -0x1p16;
            b[i * K + l] = l != 0;
        }
    double alpha = 0x1p1008 * (1 - 0x1p-10);
    exblas_set_method("superacc");
    excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, N, N, K, alpha, a, N, b, K, 0,
                  right, N);
    exblas_set_method(NULL);
    assert_true(isfinite(right[0]));
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        excblas_dgemm(EXBLAS_COL_MAJOR, EXBLAS_NO_TRANS, EXBLAS_NO_TRANS, N, N, K, alpha, a, N, b,
                      K, 0, c, N);
        for (int i = 0; i < N * N; i++)
            assert_same_bits(c[i], right[i]);
    }
}

/* n_zeros columns from the given one on are exactly 0 by cancellation, which no error bound tells.
 */
static uint64_t check_fallback(int n, int first_zero, int n_zeros, double scale)
{
    static double a[LARGEST * LARGEST], b[LARGEST * LARGEST], c[LARGEST * LARGEST],
        right[LARGEST * LARGEST];
    test_random r = test_random_start(test_seed(), "fallback");
    for (int i = 0; i < n * n; i++) {
        a[i] = scale * random_number(&r, FORMAT_D, 0);
        b[i] = random_number(&r, FORMAT_D, 0);
    }
    for (int i = 0; i < n; i++)
        a[n + i] = a[i];
    for (int j = first_zero; j < first_zero + n_zeros; j++)
        for (int l = 0; l < n; l++)
            b[j * n + l] = l == 0 ? 1 : l == 1 ? -1 : 0;
    exblas_stats_enable(1);
    uint64_t n_fallbacks = multiply("auto", n, a, b, c);
    multiply("superacc", n, a, b, right);
    exblas_stats_enable(0);
    for (int i = 0; i < n * n; i++)
        assert_same_bits(c[i], right[i]);
    return n_fallbacks;
}

/* The widest vectors alone: products of bytes, emulated ones too, would tell zeros of the larger
 * matrices. */
static int select_vectors(NO_STATE)
{
    static const char *const names[] = {"avx512", "avx2", "neon", "generic"};
    int i = 0;
    while (exb_isa_select(names[i]) != 0)
        i++;
    return 0;
}

/* None, some, all elements, and numbers that are too large or small for the kernel. */
static void what_is_not_certified_is_computed(NO_STATE)
{
    bool has_fma = exb_kernels_current()->has_fma;
    for (int n = 2; n <= LARGEST; n += n < 20 ? 1 : n < 63 ? 11 : 43) {
        assert_true(check_fallback(n, 0, 0, 1) == 0 || !has_fma);
        uint64_t few = check_fallback(n, 0, 1, 1), all = check_fallback(n, 0, n, 1);
        assert_true((few == (uint64_t)n && all == (uint64_t)(n * n)) || !has_fma);
        check_fallback(n, 0, 0, 0x1p810);
        check_fallback(n, 0, 0, 0x1p-810);
        check_fallback(n, 0, n, 0);
    }
}

/* Columns of later blocks alone are open: one of them, half of them, all of a block. */
static void later_blocks_fall_back(NO_STATE)
{
    bool has_fma = exb_kernels_current()->has_fma;
    for (int threads = 1; threads <= 3; threads += 2) {
        exblas_set_num_threads(threads);
        exb_partition_set_grain(threads > 1);
        for (int n = 100; n <= 192; n += 60)
            for (int n_zeros = 1; n_zeros <= n - 48; n_zeros = 3 * n_zeros + 4)
                assert_true(check_fallback(n, 48, n_zeros, 1) == (uint64_t)(n * n_zeros) ||
                            !has_fma);
    }
    exblas_set_num_threads(0);
    exb_partition_set_grain(0);
}

/* A triangle of c = a b^T - c, n x n, and of a b^T + b a^T + c; what is not wanted stays. */
static void fill_triangle(const char *method, int uplo, int n, const double *a, const double *b,
                          double *c)
{
    assert_int_equal(exblas_set_method(method), EXBLAS_OK);
    for (int i = 0; i < n * n; i++)
        c[i] = (i * 37 % 101 - 50) * 0x1.123456789abcdp-5;
    excblas_dgemmt(EXBLAS_COL_MAJOR, uplo, EXBLAS_NO_TRANS, EXBLAS_TRANS, n, n, 1, a, n, b, n, -1,
                   c, n);
    excblas_dsyr2k(EXBLAS_COL_MAJOR, uplo, EXBLAS_NO_TRANS, n, n, 1, a, n, b, n, 1, c, n);
    exblas_set_method(NULL);
}

/* Triangles of several blocks, whose numbers are of different size; of their elements every 7th row
 * is left open. */
static void triangles_are_right(NO_STATE)
{
    static double a[LARGEST * LARGEST], b[LARGEST * LARGEST], c[LARGEST * LARGEST],
        right[LARGEST * LARGEST];
    test_random r = test_random_start(test_seed(), "triangles");
    for (int n = 60; n <= LARGEST; n += 33) {
        for (int i = 0; i < n * n; i++) {
            a[i] = i / n > 1 && i % n % 7 == 3 ? 0 : random_number(&r, FORMAT_D, 0);
            b[i] = random_number(&r, FORMAT_D, 0);
        }
        for (int i = 0; i < n; i++)
            b[n + i] = b[i];
        for (int i = 3; i < n; i += 7)
            a[n + i] = -a[i];
        for (int i = 0; i < n * n; i++) {
            a[i] *= i % n < 48 ? 1 : i % n < 96 ? 0x1p30 : 0x1p-20;
            b[i] *= i % n < 48 ? 1 : i % n < 96 ? 0x1p25 : 0x1p-15;
        }
        for (int upper = 0; upper < 2; upper++) {
            int uplo = upper ? EXBLAS_UPPER : EXBLAS_LOWER;
            fill_triangle("auto", uplo, n, a, b, c);
            fill_triangle("superacc", uplo, n, a, b, right);
            for (int i = 0; i < n * n; i++)
                assert_same_bits(c[i], right[i]);
        }
    }
}

/* Elements without the NaN are as they were: a signalling one hides no number before it, and what
 * cancels are large ones. */
static void signalling_nans_hide_nothing(NO_STATE)
{
    enum { N = 40, LANES = 16 /* two vectors */ };
    static double a[N * N], b[N * N], c[2][N * N];
    test_random r = test_random_start(test_seed(), "signalling");
    for (int i = 0; i < N * N; i++) {
        a[i] = random_number(&r, FORMAT_D, 0);
        b[i] = random_number(&r, FORMAT_D, 0);
    }
    for (int i = 0; i < N; i++) {
        a[i] *= 0x1p60;
        a[N + i] = -a[i];
        b[i * N + 1] = b[i * N];
    }
    for (int i = 0; i < LANES; i++)
        a[2 * N + i] = from_bits(0x7ff0000000012345);
    for (int method = 0; method < 2; method++) {
        exblas_set_method(method ? "superacc" : NULL);
        excblas_dgemm(102, 111, 111, N, N, N, 1, a, N, b, N, 0, c[method], N);
    }
    exblas_set_method(NULL);
    for (int i = 0; i < N * N; i++)
        assert_same_bits(c[0][i], c[1][i]);
}

/* b = b times a triangle of order m, beside which there are NaNs. */
static void multiply_by_triangle(const char *method, bool is_complex, int way, int m,
                                 const double *a, double *b)
{
    const double one[] = {1, 0};
    int side = way & 1 ? EXBLAS_LEFT : EXBLAS_RIGHT, uplo = way & 2 ? EXBLAS_UPPER : EXBLAS_LOWER;
    int trans = way & 4 ? EXBLAS_TRANS : EXBLAS_NO_TRANS;
    exblas_set_method(method);
    if (is_complex)
        excblas_ztrmm(EXBLAS_COL_MAJOR, side, uplo, trans, EXBLAS_NON_UNIT, m, m, one, a, m, b, m);
    else
        excblas_dtrmm(EXBLAS_COL_MAJOR, side, uplo, trans, EXBLAS_NON_UNIT, m, m, 1, a, m, b, m);
    exblas_set_method(NULL);
}

static void check_triangle(bool is_complex, int way, int m)
{
    enum { MOST_REALS = 2 * 48 * 48 };
    static double a[MOST_REALS], b0[MOST_REALS], b[MOST_REALS], right[MOST_REALS];
    test_random r = test_random_start(test_seed(), "triangle");
    int parts = is_complex ? 2 : 1;
    for (int at = 0; at < m * m * parts; at++) {
        int i = at / parts % m, j = at / parts / m;
        bool is_inside = way & 2 ? i <= j : i >= j;
        a[at] = is_inside ? random_number(&r, FORMAT_D, 0) : (double)NAN;
        b0[at] = random_number(&r, FORMAT_D, 0);
    }
    memcpy(right, b0, sizeof right);
    multiply_by_triangle("superacc", is_complex, way, m, a, right);
    for (int isa = isa_from(0); isa >= 0; isa = isa_from(isa + 1)) {
        memcpy(b, b0, sizeof b);
        multiply_by_triangle(NULL, is_complex, way, m, a, b);
        assert_memory_equal(b, right, (size_t)(m * m * parts) * sizeof *b);
    }
}

/* Of one block and of several. */
static void triangular_factors(NO_STATE)
{
    for (int way = 0; way < 8; way++)
        for (int m = 1; m <= 48; m += 3 + m / 6) {
            check_triangle(false, way, m);
            check_triangle(true, way, m);
        }
}

/* An n x n product of floats by the way for small ones and by accumulators; returns how many
 * elements are left to other ways. */
static uint64_t compare_floats(int n, int k, const float *a, const float *b)
{
    static float c[2][LARGEST * LARGEST];
    exblas_stats stats;
    for (int method = 0; method < 2; method++) {
        exblas_stats_enable(1);
        exblas_set_method(method ? "superacc" : NULL);
        excblas_sgemm(102, 111, 111, n, n, k, 1, a, n, b, k, 0, c[method], n);
        if (method == 0)
            assert_int_equal(exblas_stats_last(&stats), EXBLAS_OK);
    }
    exblas_stats_enable(0);
    exblas_set_method(NULL);
    for (int i = 0; i < n * n; i++)
        assert_same_bits(c[0][i], c[1][i]);
    return stats.fallbacks;
}

/* (1 + i) times imaginary sums above a midpoint, by 2^-120: of their real parts it is known that
 * they are 0, exactly. */
static void parts_are_not_confused(NO_STATE)
{
    enum { N = 4, K = 3 };
    static const float terms[K] = {1, 0x1p-24f, 0x1p-120f};
    const float complex alpha = 1 + I, beta = 1;
    float complex a[N * K], b[K * N], c[N * N];
    for (int i = 0; i < N * K; i++) {
        a[i] = 1;
        b[i] = I * terms[i % K];
    }
    for (int i = 0; i < N * N; i++)
        c[i] = I * 0.3f;
    excblas_cgemm(102, 111, 111, N, N, K, &alpha, a, N, b, K, &beta, c, N);
    for (int i = 0; i < N * N; i++)
        assert_true(c[i] == -1 - 0x1p-23f + I * (float)(1 + 0x1p-24 + 0.3f));
}

/* Sums of numbers of few bits are doubles, of which many are ties of floats: they are known. */
static void ties_of_few_bits_are_known(NO_STATE)
{
    static float a[LARGEST * LARGEST], b[LARGEST * LARGEST];
    test_random r = test_random_start(test_seed(), "few bits");
    for (int bits = 6; bits <= 24; bits++)
        for (int n = 3; n <= 190; n = 3 * n + 1) {
            int spread = bits % 2 ? 0 : 9;
            for (int i = 0; i < n * n; i++) {
                a[i] = (float)ldexp((double)random_between(&r, -(1 << bits), 1 << bits),
                                    -(int)random_between(&r, 0, spread));
                b[i] = (float)ldexp((double)random_between(&r, -(1 << bits), 1 << bits), -120);
            }
            uint64_t n_open = compare_floats(n, n, a, b);
            assert_true(n_open <= 4 * 36 || 2 * bits + spread + 8 > 53);
        }
}

/* 2^30 + 2^6 + 2^-23, which rounds to a tie in double, times numbers that make a block's units and
 * peaks: 3 2^30 >= 2^(-23 + 53). */
static void what_is_no_double_is_no_tie(NO_STATE)
{
    enum { N = 8, K = 3 };
    float a[N * K], b[K * N];
    for (int exp2 = -60; exp2 <= 60; exp2 += 20)
        for (int below = 0; below < 2; below++) {
            for (int i = 0; i < N * K; i++)
                a[i] = ldexpf(1, exp2);
            for (int j = 0; j < N; j++) {
                b[K * j] = 0x1p30f;
                b[K * j + 1] = 0x1p6f;
                b[K * j + 2] = below ? -0x1p-23f : 0x1p-23f;
            }
            compare_floats(N, K, a, b);
        }
}

/* What a Hermitian diagonal has for imaginary parts is not read, whatever it is. */
static void hermitian_diagonals(NO_STATE)
{
    enum { N = 12, K = 5 };
    double a[2 * N * K], c[2 * N * N] = {0};
    for (int i = 0; i < 2 * N * K; i++)
        a[i] = 1 / (i + 0.7) - 0.1;
    for (int i = 0; i < N; i++)
        c[2 * (i + i * N)] = c[2 * (i + i * N) + 1] = 0.3;
    excblas_zherk(EXBLAS_COL_MAJOR, EXBLAS_LOWER, EXBLAS_NO_TRANS, N, K, 1, a, N, 0.7, c, N);
    for (int i = 0; i < N; i++)
        assert_true(same_bits(c[2 * (i + i * N) + 1], 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certified_elements_are_right),
        cmocka_unit_test(low_parts_that_overflow),
        cmocka_unit_test_setup(parts_are_not_confused, select_vectors),
        cmocka_unit_test_setup(ties_of_few_bits_are_known, select_vectors),
        cmocka_unit_test(what_is_no_double_is_no_tie),
        cmocka_unit_test_setup(what_is_not_certified_is_computed, select_vectors),
        cmocka_unit_test_setup(later_blocks_fall_back, select_vectors),
        cmocka_unit_test(triangles_are_right),
        cmocka_unit_test(triangular_factors),
        cmocka_unit_test(hermitian_diagonals),
        cmocka_unit_test(signalling_nans_hide_nothing),
    };
    return cmocka_run_group_tests_name("small_product", tests, NULL, NULL);
}
