// Eigen and Armadillo on a BLAS: how many of the elements of a product are not the exact value, rounded once.
//
//   c++ -std=c++20 -O2 eigen.cpp $(pkg-config --cflags --libs exblas eigen3) -lblas -o eigen
//   ./eigen && exblas-run ./eigen         (Debian: libeigen3-dev, libarmadillo-dev)
#define EIGEN_USE_BLAS
#define ARMA_DONT_USE_WRAPPER
#include <Eigen/Dense>
#include <armadillo>
#include <exblas/linalg.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>

namespace {

// What a view of column-major memory needs, where the standard library has no mdspan yet.
struct matrix {
    using element_type = double;
    double *data;
    std::ptrdiff_t m, n;
    static constexpr std::size_t rank() { return 2; }
    std::ptrdiff_t extent(std::size_t r) const { return r == 0 ? m : n; }
    std::ptrdiff_t stride(std::size_t r) const { return r == 0 ? 1 : m; }
    double *data_handle() const { return data; }
};

int n_different(const double *a, const double *b, int n) {
    int count = 0;
    for (int i = 0; i < n; i++)
        count += std::memcmp(a + i, b + i, sizeof *a) != 0;
    return count;
}

} // namespace

int main() {
    const int n = 100;
    Eigen::MatrixXd a(n, n), b(n, n), c(n, n), exact(n, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            a(i, j) = std::sin(i + n * j);
            b(i, j) = std::cos(i * 3 + j);
        }
    exblas::linalg::matrix_product(matrix{a.data(), n, n}, matrix{b.data(), n, n}, matrix{exact.data(), n, n});
    c.noalias() = a * b;
    arma::mat d = arma::mat(a.data(), n, n) * arma::mat(b.data(), n, n);
    std::printf("Eigen %d, Armadillo %d of %d\n", n_different(c.data(), exact.data(), n * n),
                n_different(d.memptr(), exact.data(), n * n), n * n);
}
