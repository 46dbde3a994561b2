/* exblas/linalg.hpp: every function, type and kind of memory against the C function on dense copies, bit by bit; sums of ranges,
 * accumulators, refusals. With std::mdspan where there is one, and always with a class that has its interface. */
#include <exblas/linalg.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <limits>
#include <list>
#include <random>
#include <unordered_set>
#include <version>
#if __has_include(<mdspan>)
#include <mdspan>
#endif

namespace la = exblas::linalg;
using exblas::detail::scalar_arg;
using exblas::detail::pick;

namespace {

int n_tests = 0, n_failed = 0;

void check(const std::string &title, bool is_right) {
    n_failed += !is_right;
    std::printf("%sok %d - %s\n", is_right ? "" : "not ", ++n_tests, title.c_str());
}

std::mt19937 engine(1);

template <class T> T draw() {
    std::normal_distribution<double> normal;
    auto one = [&] { return static_cast<exblas::real_of<T>>(std::ldexp(normal(engine), int(engine() % 40) - 20)); };
    if constexpr (exblas::complex_scalar<T>)
        return {one(), one()};
    else
        return one();
}

/* Strided memory of its own, with the interface of mdspan. */
template <class T, std::size_t Rank> struct box {
    using element_type = T;
    std::vector<T> memory;
    std::ptrdiff_t first = 0;
    std::array<std::ptrdiff_t, Rank> n, inc;
    static constexpr std::size_t rank() { return Rank; }
    std::ptrdiff_t extent(std::size_t r) const { return n[r]; }
    std::ptrdiff_t stride(std::size_t r) const { return inc[r]; }
    T *data_handle() const { return const_cast<T *>(memory.data()) + first; }
};

/* Kinds of memory: by columns, by rows, both with gaps, strides without a leading dimension, backwards. */
constexpr int n_kinds = 5;
template <class T> box<T, 2> matrix(int m, int n, int kind) {
    box<T, 2> a{std::vector<T>(std::size_t(6 * (m + 1) * (n + 1))), 0, {m, n}, {}};
    std::ptrdiff_t strides[n_kinds][2] = {{1, m + 2}, {n + 1, 1}, {1, m}, {2, 3 * m}, {-1, m}};
    a.inc = {strides[kind][0], strides[kind][1]};
    a.first = kind == 4 ? m - 1 : 0;
    std::ranges::generate(a.memory, draw<T>);
    return a;
}
template <class T> box<T, 1> column(int n, int kind) {
    auto a = matrix<T>(n, 1, kind);
    return {a.memory, a.first, {n}, {a.inc[0]}};
}

/* By columns, without gaps or a factor. */
template <class X> auto dense(const X &x) {
    auto v = la::detail::as_view(x);
    std::vector<la::element_of<X>> to;
    for (std::int64_t j = 0; j < (v.extents.size() > 1 ? v.extents.back() : 1); j++)
        for (std::int64_t i = 0; i < v.extents[0]; i++)
            to.push_back(v.element(i, j));
    return to;
}
template <class X, class T> bool equals(const X &x, const std::vector<T> &y) {
    auto d = dense(x);
    return std::memcmp(d.data(), y.data(), y.size() * sizeof(T)) == 0 && d.size() == y.size();
}

constexpr int m = 5, n = 7, k = 4, col = EXBLAS_COL_MAJOR, no = EXBLAS_NO_TRANS;

/* The matrices of a case: as they are, transposed, conjugated, both. */
template <class T, class F> void with_views(int rows, int cols, int kind, F &&f) {
    auto a = matrix<T>(rows, cols, kind), b = matrix<T>(cols, rows, kind);
    f(la::scaled(T(1), a)), f(la::transposed(b)), f(la::conjugated(a)), f(la::conjugate_transposed(b));
}

template <class T> bool products(T alpha, int kind) {
    bool passed = true;
    with_views<T>(m, k, kind, [&](auto a) {
        with_views<T>(k, n, (kind + 1) % n_kinds, [&](auto b) {
            auto c = matrix<T>(m, n, (kind + 2) % n_kinds), e = matrix<T>(m, n, kind);
            auto da = dense(a), db = dense(b), want = dense(e);
            auto call = pick<T>(excblas_sgemm_64, excblas_dgemm_64, excblas_cgemm_64, excblas_zgemm_64);
            auto gemm = [&](T beta) {
                call(col, no, no, m, n, k, scalar_arg(alpha), da.data(), m, db.data(), k, scalar_arg(beta), want.data(), m);
            };
            la::matrix_product(a, la::scaled(alpha, b), e, c);
            gemm(T(1));
            passed = passed && equals(c, want);
            la::matrix_product(la::scaled(alpha, a), b, c);
            gemm(T(0));
            passed = passed && equals(c, want);
        });
        auto x = column<T>(k, kind), y = column<T>(m, (kind + 1) % n_kinds), z = column<T>(m, kind);
        auto da = dense(a), dx = dense(x), want = dense(y);
        auto call = pick<T>(excblas_sgemv_64, excblas_dgemv_64, excblas_cgemv_64, excblas_zgemv_64);
        la::matrix_vector_product(la::scaled(alpha, a), x, y, z);
        call(col, no, m, k, scalar_arg(alpha), da.data(), m, dx.data(), 1, scalar_arg(T(1)), want.data(), 1);
        passed = passed && equals(z, want);
        la::matrix_vector_product(a, la::scaled(alpha, x), z);
        call(col, no, m, k, scalar_arg(alpha), da.data(), m, dx.data(), 1, scalar_arg(T(0)), want.data(), 1);
        passed = passed && equals(z, want);
    });
    return passed;
}

template <bool IsHermitian, class T, class U, class P, class V>
bool symmetric(T alpha, int kind, U u, const P &product, const V &vector_product) {
    bool passed = true;
    int uplo = la::detail::uplo_of(u);
    constexpr bool is_hermitian = IsHermitian && exblas::complex_scalar<T>;
    auto call = pick<T>(excblas_ssymm_64, excblas_dsymm_64, is_hermitian ? excblas_chemm_64 : excblas_csymm_64,
                        is_hermitian ? excblas_zhemm_64 : excblas_zsymm_64);
    with_views<T>(m, m, kind, [&](auto a) {
        auto b = matrix<T>(m, n, (kind + 1) % n_kinds), c = b, br = matrix<T>(n, m, kind), cr = br;
        auto x = column<T>(m, kind), y = column<T>(m, 0);
        auto da = dense(a), db = dense(b), want = db, dr = dense(br), want_r = dr, dx = dense(x), want_y = dx;
        product(a, u, la::scaled(alpha, b), c), product(br, la::scaled(alpha, a), u, cr);
        vector_product(la::scaled(alpha, a), u, x, y);
        auto symm = [&](int side, int rows, int cols, const T *from, T *to) {
            call(col, side, uplo, rows, cols, scalar_arg(alpha), da.data(), m, from, rows, scalar_arg(T(0)), to, rows);
        };
        symm(EXBLAS_LEFT, m, n, db.data(), want.data()), symm(EXBLAS_RIGHT, n, m, dr.data(), want_r.data());
        symm(EXBLAS_LEFT, m, 1, dx.data(), want_y.data());
        passed = passed && equals(c, want) && equals(cr, want_r) && equals(y, want_y);
    });
    return passed;
}

template <class T, class U, class D> bool triangles(T alpha, int kind, U u, D d) {
    bool passed = true;
    int uplo = la::detail::uplo_of(u), diag = la::detail::diag_of(d);
    with_views<T>(m, m, kind, [&](auto a) {
        auto b = matrix<T>(m, n, (kind + 1) % n_kinds), c = b, s = b, br = matrix<T>(n, m, kind), cr = br, sr = br;
        auto x = column<T>(m, kind), y = x, z = x, in_place = x;
        auto da = dense(a);
        auto compare = [&](auto call, int side, int rows, int cols, auto from, const auto &got) {
            auto want = dense(from);
            call(col, side, uplo, no, diag, rows, cols, scalar_arg(alpha), da.data(), m, want.data(), rows);
            passed = passed && equals(got, want);
        };
        auto trmm = pick<T>(excblas_strmm_64, excblas_dtrmm_64, excblas_ctrmm_64, excblas_ztrmm_64);
        auto trsm = pick<T>(excblas_strsm_64, excblas_dtrsm_64, excblas_ctrsm_64, excblas_ztrsm_64);
        la::triangular_matrix_product(a, u, d, la::scaled(alpha, b), c);
        compare(trmm, EXBLAS_LEFT, m, n, b, c);
        la::triangular_matrix_product(la::scaled(alpha, br), a, u, d, cr);
        compare(trmm, EXBLAS_RIGHT, n, m, br, cr);
        la::triangular_matrix_matrix_left_solve(a, u, d, la::scaled(alpha, b), s);
        compare(trsm, EXBLAS_LEFT, m, n, b, s);
        la::triangular_matrix_matrix_right_solve(a, u, d, la::scaled(alpha, br), sr);
        compare(trsm, EXBLAS_RIGHT, n, m, br, sr);
        la::triangular_matrix_vector_product(la::scaled(alpha, a), u, d, x, y);
        compare(trmm, EXBLAS_LEFT, m, 1, x, y);
        la::triangular_matrix_vector_solve(a, u, d, la::scaled(alpha, x), z);
        compare(trsm, EXBLAS_LEFT, m, 1, x, z);
        la::triangular_matrix_vector_product(a, u, d, in_place);
        la::triangular_matrix_vector_product(a, u, d, x, y);
        passed = passed && equals(in_place, dense(y));
        auto want = dense(x);
        in_place = x;
        pick<T>(excblas_strsv_64, excblas_dtrsv_64, excblas_ctrsv_64,
                excblas_ztrsv_64)(col, uplo, no, diag, m, da.data(), m, want.data(), 1);
        la::triangular_matrix_vector_solve(a, u, d, in_place);
        passed = passed && equals(in_place, want);
    });
    return passed;
}

template <class T, class U> bool updates(T alpha, int kind, U u) {
    bool passed = true;
    int uplo = la::detail::uplo_of(u), next = (kind + 1) % n_kinds;
    auto x = column<T>(m, kind), y = column<T>(m, next), w = column<T>(n, next);
    auto dx = dense(x), dy = dense(y), dw = dense(w);
    const auto c = matrix<T>(m, m, kind), r = matrix<T>(m, n, kind);
    auto compare = [&](auto update, auto call, auto a) {
        auto want = dense(a);
        update(a), call(want.data());
        passed = passed && equals(a, want);
    };
    auto ger = pick<T>(excblas_sger_64, excblas_dger_64, excblas_cgeru_64, excblas_zgeru_64);
    auto gerc = pick<T>(excblas_sger_64, excblas_dger_64, excblas_cgerc_64, excblas_zgerc_64);
    auto syrk = pick<T>(excblas_ssyrk_64, excblas_dsyrk_64, excblas_csyrk_64, excblas_zsyrk_64);
    auto syr2k = pick<T>(excblas_ssyr2k_64, excblas_dsyr2k_64, excblas_csyr2k_64, excblas_zsyr2k_64);
    compare([&](auto &a) { la::matrix_rank_1_update(la::scaled(alpha, x), w, a); },
            [&](T *a) { ger(col, m, n, scalar_arg(alpha), dx.data(), 1, dw.data(), 1, a, m); }, r);
    compare([&](auto &a) { la::matrix_rank_1_update_c(la::scaled(alpha, x), w, a); },
            [&](T *a) { gerc(col, m, n, scalar_arg(alpha), dx.data(), 1, dw.data(), 1, a, m); }, r);
    compare([&](auto &a) { la::symmetric_matrix_rank_1_update(alpha, x, a, u); },
            [&](T *a) { syrk(col, uplo, no, m, 1, scalar_arg(alpha), dx.data(), m, scalar_arg(T(1)), a, m); }, c);
    compare([&](auto &a) { la::symmetric_matrix_rank_2_update(la::scaled(alpha, x), y, a, u); },
            [&](T *a) { syr2k(col, uplo, no, m, 1, scalar_arg(alpha), dx.data(), m, dy.data(), m, scalar_arg(T(1)), a, m); }, c);
    with_views<T>(m, k, next, [&](auto f) {
        auto g = matrix<T>(m, k, kind);
        auto df = dense(f), dg = dense(g);
        compare([&](auto &a) { la::symmetric_matrix_rank_k_update(alpha, f, a, u); },
                [&](T *a) { syrk(col, uplo, no, m, k, scalar_arg(alpha), df.data(), m, scalar_arg(T(1)), a, m); }, c);
        compare([&](auto &a) { la::symmetric_matrix_rank_2k_update(f, la::scaled(alpha, g), a, u); },
                [&](T *a) { syr2k(col, uplo, no, m, k, scalar_arg(alpha), df.data(), m, dg.data(), m, scalar_arg(T(1)), a, m); }, c);
        if constexpr (exblas::complex_scalar<T>) {
            auto herk = pick<T>(0, 0, excblas_cherk_64, excblas_zherk_64);
            auto her2k = pick<T>(0, 0, excblas_cher2k_64, excblas_zher2k_64);
            T real = alpha.real();
            compare([&](auto &a) { la::hermitian_matrix_rank_k_update(real, f, a, u); },
                    [&](T *a) { herk(col, uplo, no, m, k, alpha.real(), df.data(), m, 1, a, m); }, c);
            compare([&](auto &a) { la::hermitian_matrix_rank_1_update(x, a, u); },
                    [&](T *a) { herk(col, uplo, no, m, 1, 1, dx.data(), m, 1, a, m); }, c);
            compare([&](auto &a) { la::hermitian_matrix_rank_2k_update(la::scaled(alpha, f), g, a, u); },
                    [&](T *a) { her2k(col, uplo, no, m, k, &alpha, df.data(), m, dg.data(), m, 1, a, m); }, c);
            compare([&](auto &a) { la::hermitian_matrix_rank_2_update(x, y, a, u); },
                    [&](T *a) {
                        T one = 1;
                        her2k(col, uplo, no, m, 1, &one, dx.data(), m, dy.data(), m, 1, a, m);
                    }, c);
        }
    });
    return passed;
}

template <class T> bool vectors(T alpha, int kind) {
    using R = exblas::real_of<T>;
    auto x = column<T>(n, kind), y = column<T>(n, (kind + 1) % n_kinds);
    auto dx = dense(x), dy = dense(y), squares = dx;
    T want[3] = {}, one(1), init = draw<T>();
    for (int i = 0; i < 2; i++) {
        if constexpr (exblas::real_scalar<T>)
            want[i] = pick<T>(excblas_sdot_64, excblas_ddot_64, 0, 0)(n, dx.data(), 1, dy.data(), 1);
        else
            pick<T>(0, 0, i ? excblas_cdotc_sub_64 : excblas_cdotu_sub_64, i ? excblas_zdotc_sub_64 : excblas_zdotu_sub_64)(
                n, dx.data(), 1, dy.data(), 1, &want[i]);
    }
    bool passed = la::dot(x, y) == want[0] && la::dotc(x, y) == want[1] && la::dot(dx, y) == want[0] &&
                  la::dot(y, la::conjugated(x)) == want[1];
    want[2] = init;
    pick<T>(excblas_sgemv_64, excblas_dgemv_64, excblas_cgemv_64, excblas_zgemv_64)(
        col, no, 1, n, scalar_arg(alpha), dx.data(), 1, dy.data(), 1, scalar_arg(one), &want[2], 1);
    passed = passed && la::dot(x, la::scaled(alpha, y), init) == want[2];
    auto norm = pick<T>(excblas_snrm2_64, excblas_dnrm2_64, excblas_scnrm2_64, excblas_dznrm2_64);
    auto asum = pick<T>(excblas_sasum_64, excblas_dasum_64, excblas_scasum_64, excblas_dzasum_64);
    passed = passed && la::vector_two_norm(x) == norm(n, dx.data(), 1) && la::vector_abs_sum(x) == asum(n, dx.data(), 1);
    passed = passed && la::vector_two_norm(la::scaled(T(4), x)) == 4 * norm(n, dx.data(), 1);
    dx.push_back(T(R(3)));
    return passed && la::vector_two_norm(x, R(3)) == norm(n + 1, dx.data(), 1) &&
           la::vector_abs_sum(x, R(3)) == asum(n + 1, dx.data(), 1);
}

template <class T> void all_functions(const char *name) {
    bool passed[5] = {true, true, true, true, true};
    for (int kind = 0; kind < n_kinds; kind++)
        for (T alpha : {T(1), T(-3), draw<T>()}) {
            passed[0] &= vectors(alpha, kind);
            passed[1] &= products(alpha, kind);
            auto by_triangle = [&](auto u) {
                passed[2] &= symmetric<false>(alpha, kind, u, la::symmetric_matrix_product, la::symmetric_matrix_vector_product) &&
                             symmetric<true>(alpha, kind, u, la::hermitian_matrix_product, la::hermitian_matrix_vector_product);
                passed[3] &= triangles(alpha, kind, u, la::explicit_diagonal);
                passed[3] &= triangles(alpha, kind, u, la::implicit_unit_diagonal);
                passed[4] &= updates(alpha, kind, u);
            };
            by_triangle(la::upper_triangle), by_triangle(la::lower_triangle);
        }
    const char *titles[] = {"vectors", "products", "symmetric matrices", "triangles", "updates"};
    for (int i = 0; i < 5; i++)
        check(std::string(name) + ": " + titles[i], passed[i]);
}

void sums() {
    std::vector<double> x{1e16, 1, -1e16, 0x1p-60};
    std::list<float> f{1e8f, 1, -1e8f, 3};
    std::deque<std::complex<double>> z{{1e16, 1}, {1, 1e16}, {-1e16, -1e16}};
    std::vector<std::complex<double>> v(z.begin(), z.end());
    check("sums of ranges", exblas::sum(x) == 1 && exblas::sum(f) == 4 && exblas::sum(z) == std::complex<double>(1, 1) &&
                                exblas::sum(v) == exblas::sum(z) && exblas::sum(std::span(x).first(2)) == 1e16 &&
                                exblas::sum(std::list{1, 2, 3}) == 6);
    exblas::accumulator a, b(0x1p-60);
    a.add(std::span(x).first(3)).add_product(0x1p-30, 0x1p-30);
    check("accumulators", a == b + 1 && a > exblas::accumulator(1) && (a - b).value() == 1 && double(-a) == -1 &&
                              (a *= 2).value<float>() == 2 && !(exblas::accumulator(NAN) == exblas::accumulator(NAN)));
    auto copy = exblas::accumulator::from_bytes(a.bytes());
    std::unordered_set<exblas::accumulator> set{a, copy, b};
    check("bytes and hashes", copy == a && set.size() == 2);
}

template <class Error, class F> bool throws(F &&f) {
    try {
        f();
    } catch (const Error &) {
        return true;
    }
    return false;
}

void refusals() {
    auto a = matrix<double>(3, 4, 0), b = matrix<double>(3, 4, 1), c = a;
    std::vector<double> x(3), y(4), none;
    using wrong = std::invalid_argument;
    auto before = c.memory;
    check("extents that do not fit",
          throws<wrong>([&] { la::matrix_product(a, b, c); }) && throws<wrong>([&] { la::dot(x, y); }) &&
              throws<wrong>([&] { la::matrix_vector_product(a, x, y); }) &&
              throws<wrong>([&] { la::triangular_matrix_vector_solve(a, la::upper_triangle, la::explicit_diagonal, y); }) &&
              throws<wrong>([&] { la::symmetric_matrix_rank_1_update(x, a, la::upper_triangle); }) &&
              throws<wrong>([&] { exblas::accumulator::from_bytes(std::array<unsigned char, 3>()); }) && c.memory == before);
    auto square = matrix<double>(3, 3, 0), square2 = matrix<double>(2, 2, 0);
    check("factors that cannot be multiplied",
          throws<std::domain_error>([&] { la::scaled(0.1, la::scaled(0.1, x)); }) &&
              throws<std::domain_error>([&] { la::scaled(0x1p-600, la::scaled(0x1p-600, x)); }) &&
              throws<std::domain_error>([&] {
                  la::triangular_matrix_vector_solve(la::scaled(2.0, square), la::upper_triangle, la::explicit_diagonal, x);
              }));
    la::matrix_vector_product(matrix<double>(3, 0, 0), none, x = {1, 2, 3});
    check("nothing to add", x == std::vector<double>(3) && la::dot(none, none) == 0 && exblas::sum(none) == 0);
    for (int kind : {0, 1}) {
        auto a0 = matrix<double>(2, 0, kind), b0 = matrix<double>(0, 2, kind), p = matrix<double>(2, 2, kind);
        (kind == 0 ? b0.inc[1] : a0.inc[0]) = 0; /* as the standard's layouts have it */
        std::vector<double> z{1, 2}, e{3, 4};
        la::matrix_product(a0, b0, p), la::matrix_vector_product(a0, none, z);
        bool is_zero = equals(p, std::vector<double>(4)) && z == std::vector<double>(2);
        la::matrix_product(a0, b0, square2, p), la::matrix_vector_product(a0, none, e, z);
        check("strides of 0 of empty matrices", is_zero && equals(p, dense(square2)) && z == e);
    }
    constexpr double inf = std::numeric_limits<double>::infinity();
    std::vector<double> with_inf{inf, 1};
    std::vector<std::complex<double>> z_inf{{inf, 1}};
    check("norms of infinities", la::vector_two_norm(with_inf, 1.0) == inf && la::vector_two_norm(la::scaled(2.0, with_inf)) == inf &&
                                     la::vector_two_norm(la::scaled(std::complex(0., 2.), z_inf)) == inf &&
                                     std::isnan(la::vector_two_norm(la::scaled(0.0, with_inf))));
    std::vector<double> ones{1, 2}, nothing, zeros(2);
    check("infinite factors of nothing and of zeros",
          la::vector_abs_sum(la::scaled(inf, nothing), 3.0) == 3 && la::vector_two_norm(la::scaled(inf, nothing), 3.0) == 3 &&
              la::dot(la::scaled(inf, nothing), nothing, 3.0) == 3 && std::isnan(la::vector_abs_sum(la::scaled(inf, zeros))) &&
              std::isnan(la::vector_two_norm(la::scaled(inf, zeros))) && std::isnan(la::dot(la::scaled(inf, zeros), ones)));
    check("factors that are infinite or NaN",
          la::vector_abs_sum(la::scaled(-inf, ones)) == inf && la::dot(la::scaled(-inf, ones), ones) == -inf &&
              la::vector_two_norm(la::scaled(inf, la::scaled(0.1, ones))) == inf && std::isnan(la::dot(la::scaled(NAN, ones), ones)));
    x = {1, 2, 3};
    std::vector<double> ones3(3, 1.);
    auto before3 = c.memory;
    auto tall = matrix<double>(3, 3, 0), wide = matrix<double>(3, 4, 0);
    check("nothing is written when factors are refused",
          throws<std::domain_error>([&] {
              la::triangular_matrix_vector_solve(la::scaled(2.0, square), la::upper_triangle, la::explicit_diagonal, ones3, x);
          }) && throws<std::domain_error>([&] { la::matrix_vector_product(la::scaled(0.1, square), la::scaled(0.1, ones3), ones3, x); }) &&
              throws<std::domain_error>([&] { la::matrix_product(la::scaled(0.1, tall), la::scaled(0.1, wide), wide, c); }) &&
              x == std::vector<double>{1, 2, 3} && c.memory == before3);
    check("what is no argument is said so", !la::argument<std::list<double>> && !la::argument<std::vector<int>> &&
                                                !la::writable<const std::vector<double>> && la::argument<std::span<const float>>);
}

#ifdef __cpp_lib_mdspan
void standard_mdspan() {
    std::vector<double> p(12), q(8), r(6), want(6), x{1, 1e16, 1, -1e16};
    std::ranges::generate(p, draw<double>), std::ranges::generate(q, draw<double>);
    la::matrix_product(std::mdspan(p.data(), 3, 4), la::scaled(2.0, std::mdspan(q.data(), 4, 2)), std::mdspan(r.data(), 3, 2));
    excblas_dgemm_64(EXBLAS_ROW_MAJOR, no, no, 3, 2, 4, 2, p.data(), 4, q.data(), 2, 0, want.data(), 2);
    std::mdspan<double, std::extents<int, 2>, std::layout_stride> even(x.data(), {std::extents<int, 2>(), std::array{2}});
    check("std::mdspan", r == want && la::dot(even, std::vector<double>{1, 1}) == 2);
}
#endif

} // namespace

int main() {
    all_functions<float>("float");
    all_functions<double>("double");
    all_functions<std::complex<float>>("complex<float>");
    all_functions<std::complex<double>>("complex<double>");
    sums();
    refusals();
#ifdef __cpp_lib_mdspan
    standard_mdspan();
#endif
    std::printf("1..%d\n", n_tests);
    return n_failed != 0;
}
