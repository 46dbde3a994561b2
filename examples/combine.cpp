// Exact sums of C++ containers, in parallel: every thread has an accumulator, and they are merged in whatever
// order the threads end.
//
//   c++ -std=c++17 combine.cpp $(pkg-config --cflags --libs exblas) -pthread -o combine && ./combine
#include <exblas/exblas.h>

#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace {

class Sum {
public:
    Sum() { exblas_acc_init(&total); }
    void add(const std::vector<double> &x, std::size_t begin, std::size_t end)
    {
        exblas_acc mine;
        exblas_acc_init(&mine);
        exblas_acc_add_vector(&mine, static_cast<std::int64_t>(end - begin), x.data() + begin, 1);
        std::lock_guard<std::mutex> lock(mutex);
        exblas_acc_merge(&total, &mine);
    }
    double value() const { return exblas_acc_to_double(&total); }

private:
    exblas_acc total;
    std::mutex mutex;
};

double sum(const std::vector<double> &x, std::size_t n_threads)
{
    Sum s;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < n_threads; i++)
        threads.emplace_back(&Sum::add, &s, std::cref(x), x.size() * i / n_threads,
                             x.size() * (i + 1) / n_threads);
    for (std::thread &t : threads)
        t.join();
    return s.value();
}

} // namespace

int main()
{
    std::vector<double> x;
    for (int i = 0; i < 100000; i++)
        x.push_back((i % 2 ? -1e16 : 1e16) / (i + 1));
    double one = sum(x, 1);
    int n_different = 0;
    for (std::size_t n_threads = 2; n_threads <= 8; n_threads++)
        n_different += sum(x, n_threads) != one;
    std::printf("%a, %d of 7 other splits differ\n", one, n_different);
    return n_different != 0;
}
