/* The zero-sum test: n numbers, half of them the negatives of the others, added in 16384
 * random orders. The exact sum is 0; what a plain loop gets depends on the order, and
 * its spread grows with n. */
#include "harness.h"
#include "sums.h"

#include <math.h>

enum { MOST = 1024, N_ORDERS = 16384, N = 3, K = 2 };

static void shuffle(int n, double *x, uint64_t *state)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(next_uniform(state) * (i + 1));
        double t = x[i];
        x[i] = x[j];
        x[j] = t;
    }
}

typedef struct {
    double sum_of_squares, largest; /* of plain sums */
    int n_plain, n_hp, n_ours;      /* that are not 0 */
    int n_lost;                     /* conversions or additions that did not fit */
} tally;

static void add_order(tally *t, int n, const double *x)
{
    uint64_t w[N] = {0};
    double plain = sum_plain(n, x), hp = 1;
    t->n_lost += !hp_add_all(w, N, K, n, x);
    exblas_hp_to_double(w, N, K, &hp);
    t->sum_of_squares += plain * plain;
    t->largest = fmax(t->largest, fabs(plain));
    t->n_plain += plain != 0;
    t->n_hp += hp != 0;
    t->n_ours += excblas_dsum(n, x, 1) != 0;
}

int main(int argc, char **argv)
{
    static double x[MOST];
    uint64_t state = 1;
    bench_options o =
        bench_start(argc, argv, "zero_sum: sums that are exactly zero, in many orders");
    int n_orders = o.quick ? N_ORDERS / 16 : N_ORDERS;
    printf("# numbers in [0, 0.001) and their negatives, %d random orders each\n", n_orders);
    printf("# of the sums: standard deviation and largest magnitude of the plain loop's; how many\n"
           "# are not 0; additions that did not fit in HP(%d, %d)\n",
           N, K);
    printf("%6s %14s %14s %10s %10s %10s %10s\n", "n", "deviation", "largest", "plain", "HP(3,2)",
           "exblas", "lost");
    for (int n = 64; n <= MOST; n += 64) {
        tally t = {0};
        for (int i = 0; i < n; i += 2) {
            /* Only a number below 2^-75 would have bits below 2^-128. */
            x[i] = next_uniform(&state) * 0.001;
            x[i + 1] = -x[i];
        }
        for (int i = 0; i < n_orders; i++) {
            shuffle(n, x, &state);
            add_order(&t, n, x);
        }
        printf("%6d %14.4e %14.4e %10d %10d %10d %10d\n", n, sqrt(t.sum_of_squares / n_orders),
               t.largest, t.n_plain, t.n_hp, t.n_ours, t.n_lost);
    }
    return 0;
}
