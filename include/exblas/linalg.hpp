/* ExBLAS for C++20: functions named and shaped as std::linalg's, sums of ranges, accumulators.
 *
 *   std::vector<double> x = ..., y = ...;
 *   double d = exblas::linalg::dot(x, y);                       RN(x . y)
 *   std::mdspan a(p, 3, 4), b(q, 4, 2), c(r, 3, 2);
 *   exblas::linalg::matrix_product(exblas::linalg::scaled(2.0, a), b, c);     RN(2 A B)
 *   double s = exblas::sum(x);                                  any range
 *
 * Each element of a result is the exact value of its expression, with the factors of scaled views,
 * rounded once: the bits of the C functions of exblas/cblas.h, which do the work.
 *
 * Elements are float, double and std::complex of them, one type in a call. A vector is a contiguous
 * sized range or an mdspan of rank 1, a matrix an mdspan of rank 2: std::mdspan, the reference
 * implementation's or any class with its element_type, rank, extent, stride and data_handle, whose
 * elements are what lies in memory. This header includes none of them. Any strides will do: what
 * BLAS has no leading dimension for is copied. Results may overlap other arguments only where BLAS
 * has one argument for both.
 *
 * What does not fit throws std::invalid_argument, factors whose product is not a number of the
 * type throw std::domain_error; then nothing was written. Copies may throw std::bad_alloc.
 *
 * Link with pkg-config exblas. */
#ifndef EXBLAS_LINALG_HPP
#define EXBLAS_LINALG_HPP

#include "exblas/accumulator.h"
#include "exblas/cblas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace exblas {

/* The four types of elements, and what a real of the same precision is. */
template <class T>
concept real_scalar = std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept complex_scalar = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
template <class T>
concept scalar = real_scalar<T> || complex_scalar<T>;

namespace detail {

template <class T> struct part { using type = T; };
template <class T> struct part<std::complex<T>> { using type = T; };

/* The one of four routines that is for T, and how it takes numbers. */
template <class T, class S, class D, class C, class Z> constexpr auto pick(S s, D d, C c, Z z) {
    if constexpr (std::same_as<T, float>)
        return s;
    else if constexpr (std::same_as<T, double>)
        return d;
    else if constexpr (std::same_as<T, std::complex<float>>)
        return c;
    else
        return z;
}
template <real_scalar T> T scalar_arg(const T &x) { return x; }
template <complex_scalar T> const void *scalar_arg(const T &x) { return &x; }

inline void require(bool holds, const char *what) {
    if (!holds)
        throw std::invalid_argument(std::string("exblas: ") + what);
}

template <class R> using range_scalar = std::remove_cv_t<std::ranges::range_value_t<R>>;

} // namespace detail

template <class T> using real_of = typename detail::part<T>::type;

/* A contiguous range of scalars. */
template <class R>
concept scalar_range =
    std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && scalar<detail::range_scalar<R>>;

/* An exact sum of numbers and products (exblas/accumulator.h). A value: copy it, compare it, hash
 * it, store its bytes. Equal sums are equal; NaN is unordered. */
class accumulator {
  public:
    accumulator() noexcept { exblas_acc_init(&acc); }
    explicit accumulator(double x) noexcept : accumulator() { *this += x; }
    explicit accumulator(const exblas_acc &a) noexcept : acc(a) {}

    accumulator &operator+=(double x) noexcept {
        exblas_acc_add(&acc, x);
        return *this;
    }
    accumulator &operator-=(double x) noexcept {
        exblas_acc_sub(&acc, x);
        return *this;
    }
    accumulator &operator+=(const accumulator &b) noexcept {
        exblas_acc_merge(&acc, &b.acc);
        return *this;
    }
    accumulator &operator-=(const accumulator &b) noexcept { return *this += -b; }
    accumulator operator-() const noexcept {
        accumulator negative = *this;
        exblas_acc_negate(&negative.acc);
        return negative;
    }
    friend accumulator operator+(accumulator a, const accumulator &b) noexcept { return a += b; }
    friend accumulator operator-(accumulator a, const accumulator &b) noexcept { return a -= b; }
    friend accumulator operator+(accumulator a, double x) noexcept { return a += x; }
    friend accumulator operator-(accumulator a, double x) noexcept { return a -= x; }

    accumulator &add_product(double x, double y) noexcept {
        exblas_acc_add_product(&acc, x, y);
        return *this;
    }
    template <scalar_range R>
    requires real_scalar<detail::range_scalar<R>> accumulator &add(const R &x) noexcept {
        using T = detail::range_scalar<R>;
        auto n = static_cast<std::int64_t>(std::ranges::size(x));
        detail::pick<T>(exblas_acc_add_vector_f, exblas_acc_add_vector, 0, 0)(&acc, n, std::ranges::data(x), 1);
        return *this;
    }
    template <scalar_range R, scalar_range S>
    requires real_scalar<detail::range_scalar<R>> && std::same_as<detail::range_scalar<R>, detail::range_scalar<S>>
        accumulator &add_dot(const R &x, const S &y) {
        using T = detail::range_scalar<R>;
        detail::require(std::ranges::size(x) == std::ranges::size(y),
                        "accumulator::add_dot: the ranges have different lengths");
        auto n = static_cast<std::int64_t>(std::ranges::size(x));
        detail::pick<T>(exblas_acc_add_dot_f, exblas_acc_add_dot, 0, 0)(&acc, n, std::ranges::data(x), 1,
                                                                        std::ranges::data(y), 1);
        return *this;
    }
    /* Times f, exactly; std::domain_error if bits would be lost. */
    accumulator &operator*=(double f) {
        if (exblas_acc_scale(&acc, f) != EXBLAS_OK)
            throw std::domain_error("exblas: accumulator: the product is out of its range");
        return *this;
    }

    /* RN(sum) */
    template <real_scalar T = double> T value() const noexcept {
        return detail::pick<T>(exblas_acc_to_float, exblas_acc_to_double, 0, 0)(&acc);
    }
    /* RN(sqrt(sum)) */
    template <real_scalar T = double> T root() const noexcept {
        return detail::pick<T>(exblas_acc_root_to_float, exblas_acc_root_to_double, 0, 0)(&acc);
    }
    template <real_scalar T> explicit operator T() const noexcept { return value<T>(); }
    const exblas_acc &c() const noexcept { return acc; }

    friend std::partial_ordering operator<=>(const accumulator &a, const accumulator &b) noexcept {
        int order = exblas_acc_compare(&a.acc, &b.acc);
        return order == 2 ? std::partial_ordering::unordered : order <=> 0;
    }
    friend bool operator==(const accumulator &a, const accumulator &b) noexcept { return (a <=> b) == 0; }

    /* The canonical bytes, and back; std::invalid_argument for others. */
    using bytes_type = std::array<unsigned char, EXBLAS_ACC_BYTES>;
    bytes_type bytes() const noexcept {
        bytes_type to;
        exblas_acc_export(&acc, to.data());
        return to;
    }
    static accumulator from_bytes(std::span<const unsigned char> bytes) {
        accumulator a;
        detail::require(exblas_acc_import(&a.acc, bytes.data(), bytes.size()) == EXBLAS_OK,
                        "accumulator::from_bytes: these are not the bytes of an accumulator");
        return a;
    }

  private:
    exblas_acc acc;
};

/* RN(the sum of a range): of the element type; of anything else that is a double exactly, a
 * double. */
template <std::ranges::input_range R>
requires scalar<detail::range_scalar<R>> detail::range_scalar<R> sum(R &&x) {
    using T = detail::range_scalar<R>;
    if constexpr (scalar_range<R>) {
        auto n = static_cast<exblas_int64>(std::ranges::size(x));
        if constexpr (real_scalar<T>) {
            return detail::pick<T>(excblas_ssum_64, excblas_dsum_64, 0, 0)(n, std::ranges::data(x), 1);
        } else {
            T result;
            detail::pick<T>(0, 0, excblas_csum_sub_64, excblas_zsum_sub_64)(n, std::ranges::data(x), 1, &result);
            return result;
        }
    } else {
        accumulator re, im;
        for (auto &&element : x) {
            re += static_cast<double>(std::real(element));
            im += static_cast<double>(std::imag(element));
        }
        if constexpr (real_scalar<T>)
            return re.template value<T>();
        else
            return T(re.template value<real_of<T>>(), im.template value<real_of<T>>());
    }
}
template <std::ranges::input_range R>
requires std::integral<detail::range_scalar<R>> &&(sizeof(detail::range_scalar<R>) < 8) double sum(R &&x) {
    accumulator total;
    for (auto &&element : x)
        total += static_cast<double>(element);
    return total.value();
}

namespace linalg {

/* What is read: strided memory, perhaps conjugated, times a factor. All arguments become one, and
 * scaled, conjugated and transposed make them. */
template <scalar T, std::size_t Rank> struct view {
    const T *data;
    std::array<std::int64_t, Rank> extents, strides;
    T factor = T(1);
    bool is_conjugated = false;

    T element(std::int64_t i, std::int64_t j = 0) const {
        T x = data[i * strides[0] + j * strides[Rank - 1] * std::int64_t(Rank - 1)];
        if constexpr (complex_scalar<T>)
            return is_conjugated ? std::conj(x) : x;
        else
            return x;
    }
};

struct upper_triangle_t {};
struct lower_triangle_t {};
struct explicit_diagonal_t {};
struct implicit_unit_diagonal_t {};
inline constexpr upper_triangle_t upper_triangle{};
inline constexpr lower_triangle_t lower_triangle{};
inline constexpr explicit_diagonal_t explicit_diagonal{};
inline constexpr implicit_unit_diagonal_t implicit_unit_diagonal{};

template <class T>
concept triangle = std::same_as<T, upper_triangle_t> || std::same_as<T, lower_triangle_t>;
template <class T>
concept diagonal = std::same_as<T, explicit_diagonal_t> || std::same_as<T, implicit_unit_diagonal_t>;

/* An mdspan of this rank whose elements lie in memory as they are. */
template <class M, std::size_t Rank>
concept strided = requires(const M &m) {
    typename M::element_type;
    requires scalar<std::remove_cv_t<typename M::element_type>>;
    requires M::rank()
    == Rank;
    { m.data_handle() } -> std::convertible_to<const std::remove_cv_t<typename M::element_type> *>;
    { m.extent(Rank - 1) } -> std::convertible_to<std::int64_t>;
    { m.stride(Rank - 1) } -> std::convertible_to<std::int64_t>;
}
&&!requires {
    /* an accessor that computes what it returns, as std::linalg's scaled_accessor */
    requires !std::is_reference_v<typename M::accessor_type::reference>;
};

namespace detail {

using exblas::detail::scalar_arg;
using exblas::detail::pick;
using exblas::detail::require;

template <class V> inline constexpr bool is_view = false;
template <class T, std::size_t Rank> inline constexpr bool is_view<view<T, Rank>> = true;

template <scalar T, std::size_t Rank> const view<T, Rank> &as_view(const view<T, Rank> &v) { return v; }
template <class M>
requires strided<M, 1>
auto as_view(const M &m) {
    using T = std::remove_cv_t<typename M::element_type>;
    return view<T, 1>{m.data_handle(), {std::int64_t(m.extent(0))}, {std::int64_t(m.stride(0))}};
}
template <class M>
requires strided<M, 2>
auto as_view(const M &m) {
    using T = std::remove_cv_t<typename M::element_type>;
    return view<T, 2>{m.data_handle(),
                      {std::int64_t(m.extent(0)), std::int64_t(m.extent(1))},
                      {std::int64_t(m.stride(0)), std::int64_t(m.stride(1))}};
}
template <scalar_range R>
requires(!strided<std::remove_cvref_t<R>, 1> && !is_view<std::remove_cvref_t<R>>) auto as_view(const R &r) {
    return view<exblas::detail::range_scalar<R>, 1>{
        std::ranges::data(r), {static_cast<std::int64_t>(std::ranges::size(r))}, {1}};
}

template <class X> using view_of = std::remove_cvref_t<decltype(detail::as_view(std::declval<const X &>()))>;
template <class X> struct traits {
    template <class T, std::size_t Rank> static T type(const view<T, Rank> &);
    template <class T, std::size_t Rank> static std::integral_constant<std::size_t, Rank> rank(const view<T, Rank> &);
    using element = decltype(type(std::declval<view_of<X>>()));
    static constexpr std::size_t n = decltype(rank(std::declval<view_of<X>>()))::value;
};

} // namespace detail

template <class X> using element_of = typename detail::traits<std::remove_cvref_t<X>>::element;

/* Arguments: a vector or matrix; one whose elements can be written; and one of the same type. */
template <class X>
concept vector_argument = requires(const std::remove_cvref_t<X> &x) {
    detail::as_view(x);
}
&&detail::traits<std::remove_cvref_t<X>>::n == 1;
template <class X>
concept matrix_argument = requires(const std::remove_cvref_t<X> &x) {
    detail::as_view(x);
}
&&detail::traits<std::remove_cvref_t<X>>::n == 2;
template <class X>
concept writable = requires(std::remove_reference_t<X> &x) {
    { x.data_handle() } -> std::convertible_to<element_of<X> *>;
}
|| requires(std::remove_reference_t<X> &x) {
    { std::ranges::data(x) } -> std::convertible_to<element_of<X> *>;
};
template <class X>
concept argument = vector_argument<X> || matrix_argument<X>;

/* Of the elements of Y; and those that can be written. */
template <class X, class Y, std::size_t Rank>
concept argument_of = argument<X> && detail::traits<std::remove_cvref_t<X>>::n == Rank &&
    std::same_as<element_of<X>, element_of<Y>>;
template <class X, class Y>
concept vector_of = argument_of<X, Y, 1>;
template <class X, class Y>
concept matrix_of = argument_of<X, Y, 2>;
template <class X, class Y>
concept vector_to = vector_of<X, Y> && writable<X>;
template <class X, class Y>
concept matrix_to = matrix_of<X, Y> && writable<X>;

namespace detail {

template <class T> T exact_product(T f, T g) {
    if constexpr (complex_scalar<T>) {
        if (f == T(1) || g == T(1))
            return f == T(1) ? g : f;
        if (f.imag() == 0 && g.imag() == 0)
            return T(exact_product(f.real(), g.real()));
        throw std::domain_error("exblas: the product of two complex factors is not taken exactly");
    } else {
        if (!std::isfinite(f) || !std::isfinite(g))
            return f * g;
        accumulator product;
        T p = product.add_product(double(f), double(g)).template value<T>();
        if (product - double(p) != accumulator())
            throw std::domain_error("exblas: the product of two factors is not a number of theirs");
        return p;
    }
}
template <class T> T conjugate(T x) {
    if constexpr (complex_scalar<T>)
        return std::conj(x);
    else
        return x;
}
/* Of what hermitian updates take, which must be real. */
template <class T> real_of<T> real_factor(T f) {
    if (std::imag(f) != 0)
        throw std::domain_error("exblas: the factor of a hermitian update must be real");
    return std::real(f);
}

template <class T> view<T, 2> transpose(view<T, 2> v) {
    std::swap(v.extents[0], v.extents[1]);
    std::swap(v.strides[0], v.strides[1]);
    return v;
}
template <class T> view<T, 2> column(const view<T, 1> &v) {
    return {v.data, {v.extents[0], 1}, {v.strides[0], v.extents[0]}, v.factor, v.is_conjugated};
}

/* A vector as a column. */
template <class T> view<T, 2> matrix_of_view(const view<T, 2> &v) { return v; }
template <class T> view<T, 2> matrix_of_view(const view<T, 1> &v) { return column(v); }
template <class X> auto as_matrix(const X &x) { return matrix_of_view(as_view(x)); }

/* A vector in memory as BLAS takes it, with a positive increment. */
template <class T> struct packed {
    std::vector<T> own;
    const T *data;
    std::int64_t n, inc;
    T factor;

    explicit packed(const view<T, 1> &v) : data(v.data), n(v.extents[0]), inc(v.strides[0]), factor(v.factor) {
        if (inc > 0 && !v.is_conjugated)
            return;
        for (std::int64_t i = 0; i < n; i++)
            own.push_back(v.element(i));
        data = own.data();
        inc = 1;
    }
};

/* Whether the memory of a matrix is that of a layout with a leading dimension. */
template <class T> bool has_layout(const view<T, 2> &v, int layout) {
    std::size_t unit = layout == EXBLAS_COL_MAJOR ? 0 : 1;
    return (v.strides[unit] == 1 || v.extents[unit] <= 1) &&
           (v.strides[1 - unit] >= v.extents[unit] || v.extents[1 - unit] <= 1);
}

/* A matrix in a layout: as it lies, or lies transposed if that may be, or a copy. Of a triangle
 * only that is copied. */
template <class T> struct laid_out {
    std::vector<T> own;
    const T *data;
    std::int64_t ld;
    int trans = EXBLAS_NO_TRANS, uplo;
    T factor;

    laid_out(const view<T, 2> &v, int layout, bool may_transpose, int triangle = 0)
        : data(v.data), uplo(triangle), factor(v.factor) {
        std::size_t outer = layout == EXBLAS_COL_MAJOR ? 1 : 0;
        if (has_layout(v, layout) && !v.is_conjugated) {
            ld = leading(v, outer);
        } else if (may_transpose && has_layout(transpose(v), layout)) {
            trans = v.is_conjugated ? EXBLAS_CONJ_TRANS : EXBLAS_TRANS;
            if (uplo != 0)
                uplo = uplo == EXBLAS_UPPER ? EXBLAS_LOWER : EXBLAS_UPPER;
            ld = leading(v, 1 - outer);
        } else {
            copy(v, outer);
        }
    }

  private:
    /* A single column or row may have any stride, and an empty matrix 0. */
    static std::int64_t leading(const view<T, 2> &v, std::size_t outer) {
        std::int64_t least = std::max<std::int64_t>(v.extents[1 - outer], 1);
        return v.extents[outer] > 1 ? std::max(v.strides[outer], least) : least;
    }
    void copy(const view<T, 2> &v, std::size_t outer) {
        std::int64_t m = v.extents[1 - outer];
        ld = m > 1 ? m : 1;
        own.resize(static_cast<std::size_t>(ld * v.extents[outer]));
        data = own.data();
        for (std::int64_t i = 0; i < v.extents[0]; i++)
            for (std::int64_t j = 0; j < v.extents[1]; j++)
                if (uplo == 0 || (uplo == EXBLAS_UPPER ? i <= j : i >= j))
                    own[static_cast<std::size_t>(outer == 1 ? i + ld * j : j + ld * i)] = v.element(i, j);
    }
};

template <class X> auto *memory(X &x) {
    if constexpr (requires { x.data_handle(); })
        return x.data_handle();
    else
        return std::ranges::data(x);
}

/* A result in one of the two layouts, in its place or in a copy that `store` writes back. */
template <class T> struct target {
    view<T, 2> v;
    T *to, *data;
    std::vector<T> own;
    int layout;
    std::int64_t ld;

    target(T *memory_, const view<T, 2> &v_) : v(v_), to(memory_), data(memory_) {
        layout =
            has_layout(v, EXBLAS_ROW_MAJOR) && !has_layout(v, EXBLAS_COL_MAJOR) ? EXBLAS_ROW_MAJOR : EXBLAS_COL_MAJOR;
        laid_out<T> now(v, layout, false);
        ld = now.ld;
        own = std::move(now.own);
        if (!own.empty())
            data = own.data();
    }
    T &element(std::int64_t i, std::int64_t j) { return data[layout == EXBLAS_COL_MAJOR ? i + ld * j : j + ld * i]; }
    void assign(const view<T, 2> &from) {
        for (std::int64_t i = 0; i < v.extents[0]; i++)
            for (std::int64_t j = 0; j < v.extents[1]; j++)
                element(i, j) = from.element(i, j);
    }
    void store() {
        for (std::int64_t i = 0; !own.empty() && i < v.extents[0]; i++)
            for (std::int64_t j = 0; j < v.extents[1]; j++)
                to[i * v.strides[0] + j * v.strides[1]] = element(i, j);
    }
};
template <argument C> auto target_of(C &&c) { return target<element_of<C>>(memory(c), as_matrix(c)); }

template <triangle U> constexpr int uplo_of(U) {
    return std::same_as<U, upper_triangle_t> ? EXBLAS_UPPER : EXBLAS_LOWER;
}
template <diagonal D> constexpr int diag_of(D) {
    return std::same_as<D, explicit_diagonal_t> ? EXBLAS_NON_UNIT : EXBLAS_UNIT;
}

/* c = RN(alpha A B + beta c) */
template <class T> void multiply(const view<T, 2> &va, const view<T, 2> &vb, T beta, target<T> &c) {
    laid_out<T> a(va, c.layout, true), b(vb, c.layout, true);
    T alpha = exact_product(a.factor, b.factor);
    pick<T>(excblas_sgemm_64, excblas_dgemm_64, excblas_cgemm_64,
            excblas_zgemm_64)(c.layout, a.trans, b.trans, va.extents[0], vb.extents[1], va.extents[1], scalar_arg(alpha),
                              a.data, a.ld, b.data, b.ld, scalar_arg(beta), c.data, c.ld);
    c.store();
}

/* c = RN(alpha A B + beta c) or RN(alpha B A + beta c), A symmetric or hermitian. The transpose of
 * a hermitian matrix is another one. */
template <bool WantsHermitian, class T>
void symm(int side, const view<T, 2> &va, int uplo, const view<T, 2> &vb, T beta, target<T> &c) {
    constexpr bool IsHermitian = WantsHermitian && complex_scalar<T>;
    laid_out<T> a(va, c.layout, !IsHermitian && !va.is_conjugated, uplo), b(vb, c.layout, false);
    T alpha = exact_product(a.factor, b.factor);
    constexpr auto call = pick<T>(excblas_ssymm_64, excblas_dsymm_64, IsHermitian ? excblas_chemm_64 : excblas_csymm_64,
                                  IsHermitian ? excblas_zhemm_64 : excblas_zsymm_64);
    call(c.layout, side, a.uplo, vb.extents[0], vb.extents[1], scalar_arg(alpha), a.data, a.ld, b.data, b.ld, scalar_arg(beta),
         c.data, c.ld);
    c.store();
}

/* c = RN(alpha op(A) c) or the solution, on either side, A a triangle. */
template <bool IsSolve, class T>
void triangular(int side, const view<T, 2> &va, int uplo, int diag, T alpha, target<T> &c) {
    laid_out<T> a(va, c.layout, true, uplo);
    constexpr auto call = IsSolve ? pick<T>(excblas_strsm_64, excblas_dtrsm_64, excblas_ctrsm_64, excblas_ztrsm_64)
                                  : pick<T>(excblas_strmm_64, excblas_dtrmm_64, excblas_ctrmm_64, excblas_ztrmm_64);
    call(c.layout, side, a.uplo, a.trans, diag, c.v.extents[0], c.v.extents[1], scalar_arg(alpha), a.data, a.ld, c.data, c.ld);
    c.store();
}

/* c += alpha A op(A), c += alpha A op(B) + ... B op(A): a triangle of it. */
template <bool IsHermitian, class T> void update(int uplo, T factor, const view<T, 2> &va, target<T> &c) {
    laid_out<T> a(va, c.layout, false);
    T alpha = exact_product(factor, exact_product(a.factor, IsHermitian ? conjugate(a.factor) : a.factor));
    std::int64_t n = va.extents[0], k = va.extents[1];
    if constexpr (IsHermitian && complex_scalar<T>)
        pick<T>(0, 0, excblas_cherk_64, excblas_zherk_64)(c.layout, uplo, EXBLAS_NO_TRANS, n, k, real_factor(alpha),
                                                          a.data, a.ld, 1, c.data, c.ld);
    else
        pick<T>(excblas_ssyrk_64, excblas_dsyrk_64, excblas_csyrk_64, excblas_zsyrk_64)(
            c.layout, uplo, EXBLAS_NO_TRANS, n, k, scalar_arg(alpha), a.data, a.ld, scalar_arg(T(1)), c.data, c.ld);
    c.store();
}
template <bool IsHermitian, class T> void update(int uplo, const view<T, 2> &va, const view<T, 2> &vb, target<T> &c) {
    laid_out<T> a(va, c.layout, false), b(vb, c.layout, false);
    T alpha = exact_product(a.factor, IsHermitian ? conjugate(b.factor) : b.factor);
    std::int64_t n = va.extents[0], k = va.extents[1];
    if constexpr (IsHermitian && complex_scalar<T>)
        pick<T>(0, 0, excblas_cher2k_64, excblas_zher2k_64)(c.layout, uplo, EXBLAS_NO_TRANS, n, k, scalar_arg(alpha), a.data,
                                                            a.ld, b.data, b.ld, 1, c.data, c.ld);
    else
        pick<T>(excblas_ssyr2k_64, excblas_dsyr2k_64, excblas_csyr2k_64, excblas_zsyr2k_64)(
            c.layout, uplo, EXBLAS_NO_TRANS, n, k, scalar_arg(alpha), a.data, a.ld, b.data, b.ld, scalar_arg(T(1)), c.data, c.ld);
    c.store();
}

template <class T> bool is_square(const view<T, 2> &a, std::int64_t n) {
    return a.extents[0] == n && a.extents[1] == n;
}

} // namespace detail

/* alpha x, alpha A: the factor is part of the expression that is rounded once. */
template <argument X> auto scaled(element_of<X> alpha, const X &x) {
    auto v = detail::as_view(x);
    v.factor = detail::exact_product(alpha, v.factor);
    return v;
}
template <argument X> auto conjugated(const X &x) {
    auto v = detail::as_view(x);
    v.is_conjugated = !v.is_conjugated && complex_scalar<element_of<X>>;
    v.factor = detail::conjugate(v.factor);
    return v;
}
template <matrix_argument A> auto transposed(const A &a) { return detail::transpose(detail::as_view(a)); }
template <matrix_argument A> auto conjugate_transposed(const A &a) { return conjugated(transposed(a)); }

namespace detail {

/* y = RN(alpha A x + beta y) */
template <class T> void multiply(const view<T, 2> &va, const view<T, 1> &vx, T beta, target<T> &y) {
    packed<T> x(vx);
    laid_out<T> a(va, EXBLAS_COL_MAJOR, true);
    T alpha = exact_product(a.factor, x.factor);
    if (x.n == 0 && beta == T(0)) /* gemv would leave y as it is */
        for (std::int64_t i = 0; i < va.extents[0]; i++)
            y.element(i, 0) = T(0);
    std::int64_t inc = y.layout == EXBLAS_COL_MAJOR ? 1 : y.ld;
    std::size_t rows = a.trans == EXBLAS_NO_TRANS ? 0 : 1;
    pick<T>(excblas_sgemv_64, excblas_dgemv_64, excblas_cgemv_64,
            excblas_zgemv_64)(EXBLAS_COL_MAJOR, a.trans, va.extents[rows], va.extents[1 - rows], scalar_arg(alpha), a.data,
                              a.ld, x.data, x.inc, scalar_arg(beta), y.data, inc);
    y.store();
}

/* RN(alpha x . y + beta init) */
template <class T> T dot(const view<T, 1> &x, const view<T, 1> &y, T beta, T init) {
    target<T> to(&init, view<T, 2>{&init, {1, 1}, {1, 1}});
    multiply(transpose(column(x)), y, beta, to);
    return init;
}
template <class T> T dot(view<T, 1> vx, const view<T, 1> &vy) {
    if (vx.factor != T(1) || vy.factor != T(1))
        return dot(vx, vy, T(0), T(0));
    bool is_conjugated = vx.is_conjugated;
    vx.is_conjugated = false;
    packed<T> x(vx), y(vy);
    if constexpr (real_scalar<T>) {
        return pick<T>(excblas_sdot_64, excblas_ddot_64, 0, 0)(x.n, x.data, x.inc, y.data, y.inc);
    } else {
        T result;
        auto call = is_conjugated ? pick<T>(0, 0, excblas_cdotc_sub_64, excblas_zdotc_sub_64)
                                  : pick<T>(0, 0, excblas_cdotu_sub_64, excblas_zdotu_sub_64);
        call(x.n, x.data, x.inc, y.data, y.inc, &result);
        return result;
    }
}

/* The sum of squares, or of magnitudes of parts, with the factor. */
template <class T> accumulator sum_of_squares(const view<T, 1> &v) {
    accumulator squares, re, im;
    if (v.extents[0] == 0)
        return squares; /* 0 Inf neither */
    for (std::int64_t i = 0; i < v.extents[0]; i++) {
        T x = v.element(i);
        squares.add_product(double(std::real(x)), double(std::real(x)));
        squares.add_product(double(std::imag(x)), double(std::imag(x)));
    }
    double f = double(std::real(v.factor)), g = double(std::imag(v.factor));
    re = im = squares;
    (re *= f) *= f, (im *= g) *= g;
    return g == 0 ? re : f == 0 ? im : re + im; /* 0 Inf is no part of it */
}
template <class T> accumulator sum_of_magnitudes(const view<T, 1> &v) {
    accumulator sum;
    for (std::int64_t i = 0; i < v.extents[0]; i++) {
        T x = v.element(i);
        sum += std::abs(double(std::real(x)));
        sum += std::abs(double(std::imag(x)));
    }
    double factor = std::abs(double(real_factor(v.factor)));
    return v.extents[0] == 0 ? sum : sum *= factor;
}

} // namespace detail

/* RN(x . y), RN(init + x . y); dotc takes the conjugates of x. */
template <vector_argument X, vector_of<X> Y> element_of<X> dot(const X &x, const Y &y) {
    auto vx = detail::as_view(x), vy = detail::as_view(y);
    detail::require(vx.extents == vy.extents, "dot: x and y have different lengths");
    return detail::dot(vx, vy);
}
template <vector_argument X, vector_of<X> Y> element_of<X> dot(const X &x, const Y &y, element_of<X> init) {
    auto vx = detail::as_view(x), vy = detail::as_view(y);
    detail::require(vx.extents == vy.extents, "dot: x and y have different lengths");
    return detail::dot(vx, vy, element_of<X>(1), init);
}
template <vector_argument X, vector_of<X> Y, class... Init>
requires(sizeof...(Init) <= 1) element_of<X> dotc(const X &x, const Y &y, Init... init) {
    return linalg::dot(conjugated(x), y, init...);
}

/* RN(sqrt(init^2 + sum of |x_i|^2)) */
template <vector_argument X> real_of<element_of<X>> vector_two_norm(const X &x, real_of<element_of<X>> init = 0) {
    using T = element_of<X>;
    auto v = detail::as_view(x);
    if (init != 0 || v.factor != T(1))
        return detail::sum_of_squares(v).add_product(double(init), double(init)).template root<real_of<T>>();
    v.is_conjugated = false;
    detail::packed<T> p(v);
    return detail::pick<T>(excblas_snrm2_64, excblas_dnrm2_64, excblas_scnrm2_64, excblas_dznrm2_64)(p.n, p.data,
                                                                                                     p.inc);
}
/* RN(init + sum of |Re x_i| + |Im x_i|) */
template <vector_argument X> real_of<element_of<X>> vector_abs_sum(const X &x, real_of<element_of<X>> init = 0) {
    using T = element_of<X>;
    auto v = detail::as_view(x);
    if (init != 0 || v.factor != T(1))
        return (detail::sum_of_magnitudes(v) += double(init)).template value<real_of<T>>();
    v.is_conjugated = false;
    detail::packed<T> p(v);
    return detail::pick<T>(excblas_sasum_64, excblas_dasum_64, excblas_scasum_64, excblas_dzasum_64)(p.n, p.data,
                                                                                                     p.inc);
}

namespace detail {

/* to = RN(A B), or RN(e + A B) */
template <class T, std::size_t Rank, class... E>
void product(const view<T, 2> &a, const view<T, Rank> &b, target<T> to, const E &...e) {
    auto right = matrix_of_view(b);
    require(a.extents[1] == right.extents[0] && a.extents[0] == to.v.extents[0] &&
                right.extents[1] == to.v.extents[1] && ((e.extents == to.v.extents) && ...),
            "a product: the extents do not fit");
    require(((e.factor == T(1)) && ...), "a product: what is added has a factor");
    exact_product(a.factor, b.factor); /* throws before anything is written */
    (to.assign(e), ...);
    multiply(a, b, T(sizeof...(E)), to);
}

} // namespace detail

/* z = RN(A x), z = RN(y + A x) */
template <matrix_argument A, vector_of<A> X, vector_to<A> Z>
void matrix_vector_product(const A &a, const X &x, Z &&z) {
    detail::product(detail::as_view(a), detail::as_view(x), detail::target_of(z));
}
template <matrix_argument A, vector_of<A> X, vector_of<A> Y, vector_to<A> Z>
void matrix_vector_product(const A &a, const X &x, const Y &y, Z &&z) {
    detail::product(detail::as_view(a), detail::as_view(x), detail::target_of(z), detail::as_matrix(y));
}

/* C = RN(A B), C = RN(E + A B) */
template <matrix_argument A, matrix_of<A> B, matrix_to<A> C>
void matrix_product(const A &a, const B &b, C &&c) {
    detail::product(detail::as_view(a), detail::as_view(b), detail::target_of(c));
}
template <matrix_argument A, matrix_of<A> B, matrix_of<A> E, matrix_to<A> C>
void matrix_product(const A &a, const B &b, const E &e, C &&c) {
    detail::product(detail::as_view(a), detail::as_view(b), detail::target_of(c), detail::as_view(e));
}

namespace detail {

/* The matrix argument on the left or right, and what it meets there. */
template <class T> void require_fit(int side, const view<T, 2> &a, const target<T> &c, const view<T, 2> &b) {
    require(is_square(a, c.v.extents[side == EXBLAS_LEFT ? 0 : 1]) && b.extents == c.v.extents,
            "the extents of a square matrix and of what it is multiplied with do not fit");
}
/* Of vectors or matrices. */
template <bool IsHermitian, std::size_t Rank> struct symmetric_product {
    template <matrix_argument A, triangle U, argument_of<A, Rank> B, argument_of<A, Rank> C>
    requires writable<C>
    void operator()(const A &a, U u, const B &b, C &&c) const { multiply(EXBLAS_LEFT, a, u, as_matrix(b), target_of(c)); }
    template <matrix_argument B, matrix_of<B> A, triangle U, matrix_to<B> C>
    requires(Rank == 2) void operator()(const B &b, const A &a, U u, C &&c) const {
        multiply(EXBLAS_RIGHT, a, u, as_view(b), target_of(c));
    }

  private:
    template <class A, class U, class B, class C>
    static void multiply(int side, const A &a, U u, const B &b, C to) {
        auto va = as_view(a);
        require_fit(side, va, to, b);
        symm<IsHermitian>(side, va, uplo_of(u), b, element_of<A>(0), to);
    }
};
template <bool IsSolve, class A, class U, class D, class B, class C>
void triangle_and(int side, const A &a, U u, D d, const B &b, C to) {
    auto va = as_view(a);
    require_fit(side, va, to, b);
    if (IsSolve && va.factor != element_of<A>(1))
        throw std::domain_error("exblas: a triangle to be solved with must not have a factor");
    auto alpha = exact_product(va.factor, b.factor);
    if (b.data != to.to || b.is_conjugated || b.strides != to.v.strides)
        to.assign(b);
    detail::triangular<IsSolve>(side, va, uplo_of(u), diag_of(d), alpha, to);
}

} // namespace detail

/* y = RN(A x), C = RN(A B) or RN(B A), of a symmetric or hermitian A, of which one triangle is
 * read. */
inline constexpr detail::symmetric_product<false, 1> symmetric_matrix_vector_product{};
inline constexpr detail::symmetric_product<false, 2> symmetric_matrix_product{};
inline constexpr detail::symmetric_product<true, 1> hermitian_matrix_vector_product{};
inline constexpr detail::symmetric_product<true, 2> hermitian_matrix_product{};

/* y = RN(A x), C = RN(A B) or RN(B A), of a triangle A; without x or B in place. */
template <matrix_argument A, triangle U, diagonal D, vector_of<A> X, vector_to<A> Y>
void triangular_matrix_vector_product(const A &a, U u, D d, const X &x, Y &&y) {
    detail::triangle_and<false>(EXBLAS_LEFT, a, u, d, detail::as_matrix(x), detail::target_of(y));
}
template <matrix_argument A, triangle U, diagonal D, vector_to<A> Y>
void triangular_matrix_vector_product(const A &a, U u, D d, Y &&y) { triangular_matrix_vector_product(a, u, d, y, y); }
template <matrix_argument A, triangle U, diagonal D, matrix_of<A> B, matrix_to<A> C>
void triangular_matrix_product(const A &a, U u, D d, const B &b, C &&c) {
    detail::triangle_and<false>(EXBLAS_LEFT, a, u, d, detail::as_view(b), detail::target_of(c));
}
template <matrix_argument B, matrix_of<B> A, triangle U, diagonal D, matrix_to<B> C>
void triangular_matrix_product(const B &b, const A &a, U u, D d, C &&c) {
    detail::triangle_and<false>(EXBLAS_RIGHT, a, u, d, detail::as_view(b), detail::target_of(c));
}

/* The solution of A x = b, A X = B or X A = B by substitution, each unknown RN of its expression
 * in the others, rounded; without b in place. A has no factor. */
template <matrix_argument A, triangle U, diagonal D, vector_of<A> B, vector_to<A> X>
void triangular_matrix_vector_solve(const A &a, U u, D d, const B &b, X &&x) {
    detail::triangle_and<true>(EXBLAS_LEFT, a, u, d, detail::as_matrix(b), detail::target_of(x));
}
template <matrix_argument A, triangle U, diagonal D, vector_to<A> X>
void triangular_matrix_vector_solve(const A &a, U u, D d, X &&x) { triangular_matrix_vector_solve(a, u, d, x, x); }
template <matrix_argument A, triangle U, diagonal D, matrix_of<A> B, matrix_to<A> X>
void triangular_matrix_matrix_left_solve(const A &a, U u, D d, const B &b, X &&x) {
    detail::triangle_and<true>(EXBLAS_LEFT, a, u, d, detail::as_view(b), detail::target_of(x));
}
template <matrix_argument A, triangle U, diagonal D, matrix_of<A> B, matrix_to<A> X>
void triangular_matrix_matrix_right_solve(const A &a, U u, D d, const B &b, X &&x) {
    detail::triangle_and<true>(EXBLAS_RIGHT, a, u, d, detail::as_view(b), detail::target_of(x));
}

/* A = RN(A + x y^T); _c: y is conjugated. As ger, geru, gerc: A is added to. */
template <vector_argument X, vector_of<X> Y, matrix_to<X> A>
void matrix_rank_1_update(const X &x, const Y &y, A &&a) {
    auto vx = detail::as_matrix(x);
    auto vy = detail::transpose(detail::as_matrix(y));
    auto to = detail::target_of(a);
    detail::require(vx.extents[0] == to.v.extents[0] && vy.extents[1] == to.v.extents[1],
                    "matrix_rank_1_update: the extents do not fit");
    detail::multiply(vx, vy, element_of<A>(1), to);
}
template <vector_argument X, vector_of<X> Y, matrix_to<X> A>
void matrix_rank_1_update_c(const X &x, const Y &y, A &&a) { matrix_rank_1_update(x, conjugated(y), a); }

namespace detail {

/* Of vectors or matrices. */
template <bool IsHermitian, std::size_t Rank> struct rank_k_update {
    template <argument X, matrix_to<X> C, triangle U>
    requires argument_of<X, X, Rank>
    void operator()(element_of<C> alpha, const X &x, C &&c, U u) const {
        auto a = as_matrix(x);
        auto to = target_of(c);
        require(is_square(to.v, a.extents[0]), "a rank-k update: the extents do not fit");
        update<IsHermitian>(uplo_of(u), alpha, a, to);
    }
    template <argument X, matrix_to<X> C, triangle U>
    requires argument_of<X, X, Rank>
    void operator()(const X &x, C &&c, U u) const { (*this)(element_of<C>(1), x, c, u); }
};
template <bool IsHermitian, std::size_t Rank> struct rank_2k_update {
    template <argument X, argument_of<X, Rank> Y, matrix_to<X> C, triangle U>
    requires argument_of<X, X, Rank>
    void operator()(const X &x, const Y &y, C &&c, U u) const {
        auto a = as_matrix(x), b = as_matrix(y);
        auto to = target_of(c);
        require(is_square(to.v, a.extents[0]) && a.extents == b.extents, "a rank-2k update: the extents do not fit");
        update<IsHermitian>(uplo_of(u), a, b, to);
    }
};

} // namespace detail

/* One triangle of A = RN(A + alpha x x^T), of A = RN(A + x y^T + y x^T), of C = RN(C + alpha A
 * A^T), of C = RN(C + A B^T + B A^T); hermitian_ with ^H for ^T and a real alpha. */
inline constexpr detail::rank_k_update<false, 1> symmetric_matrix_rank_1_update{};
inline constexpr detail::rank_2k_update<false, 1> symmetric_matrix_rank_2_update{};
inline constexpr detail::rank_k_update<false, 2> symmetric_matrix_rank_k_update{};
inline constexpr detail::rank_2k_update<false, 2> symmetric_matrix_rank_2k_update{};
inline constexpr detail::rank_k_update<true, 1> hermitian_matrix_rank_1_update{};
inline constexpr detail::rank_2k_update<true, 1> hermitian_matrix_rank_2_update{};
inline constexpr detail::rank_k_update<true, 2> hermitian_matrix_rank_k_update{};
inline constexpr detail::rank_2k_update<true, 2> hermitian_matrix_rank_2k_update{};

} // namespace linalg
} // namespace exblas

template <> struct std::hash<exblas::accumulator> {
    std::size_t operator()(const exblas::accumulator &a) const noexcept {
        auto bytes = a.bytes();
        return std::hash<std::string_view>()({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    }
};

#endif
