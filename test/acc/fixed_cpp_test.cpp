// The fixed-point header and its atomic addition in C++17.
#include <exblas/fixed.h>

#include <cstdio>
#include <thread>
#include <vector>

static int number = 0, n_failed = 0;

static void check(bool ok, const char *what)
{
    std::printf("%s %d - %s\n", ok ? "ok" : "not ok", ++number, what);
    n_failed += !ok;
}

static void add_range(std::uint64_t *shared, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        std::uint64_t v[3];
        exblas_hp_from_double(v, 3, 2, (i % 2 ? -1.0 : 1.0) / (i / 2 + 1));
        exblas_hp_atomic_add(shared, v, 3);
    }
}

int main()
{
    constexpr int n_threads = 4, n_each = 5000;
    std::uint64_t shared[3] = {0, 0, 0}, v[3], one[3];
    double x = 1;
    std::printf("1..4\n");
    check(exblas_hp_from_double(v, 3, 2, -0.75) == EXBLAS_OK && v[2] == ~std::uint64_t{0} &&
              v[1] == std::uint64_t{1} << 62 && v[0] == 0,
          "conversion of a negative number");
    check(exblas_hp_from_double(v, 3, 2, 0x1p-129) == EXBLAS_EUNDERFLOW, "underflow");
    exblas_hp_from_double(one, 3, 2, 0x1p62);
    check(exblas_hp_add(one, one, 3) == EXBLAS_ERANGE, "overflow");
    std::vector<std::thread> threads;
    for (int i = 0; i < n_threads; i++)
        threads.emplace_back(add_range, shared, i * n_each, (i + 1) * n_each);
    for (auto &t : threads)
        t.join();
    exblas_hp_to_double(shared, 3, 2, &x);
    check(x == 0 && shared[0] == 0 && shared[1] == 0 && shared[2] == 0,
          "sums of opposite numbers from several threads are zero");
    return n_failed != 0;
}
