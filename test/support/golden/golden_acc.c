#include "golden.h"

#include "adversarial.h"
#include "hostile_env.h"

#include <exblas/accumulator.h>

enum { N_ROUNDS = 3, MOST = 700 };

typedef struct {
    double x[MOST], y[MOST];
    float fx[MOST], fy[MOST];
} terms;

static void fill(size_t kind, test_random *r, terms *t)
{
    factors_fill(kind, r, FORMAT_S, MOST, t->x, t->y);
    for (int i = 0; i < MOST; i++) {
        t->fx[i] = (float)t->x[i];
        t->fy[i] = (float)t->y[i];
    }
    factors_fill(kind, r, FORMAT_D, MOST, t->x, t->y);
}

static void add_all(exblas_acc *a, int64_t n, const terms *t)
{
    exblas_acc part;
    exblas_acc_init(&part);
    exblas_acc_add_vector(&part, n, t->x, 1);
    exblas_acc_add_dot(a, n, t->x, 1, t->y, -1);
    exblas_acc_add_magnitudes(&part, n / 2, t->y, 2);
    exblas_acc_add_vector_f(&part, n, t->fy, 1);
    exblas_acc_add_dot_f(a, n, t->fx, 1, t->fy, 1);
    for (int64_t i = 0; i < n; i++) {
        exblas_acc_add_atomic(a, t->x[i]);
        exblas_acc_sub_product(&part, t->y[i], t->x[n - 1 - i]);
    }
    exblas_acc_scale(&part, -0.25);
    exblas_acc_merge(a, &part);
}

static uint64_t hash_sum(uint64_t hash, const exblas_acc *a)
{
    unsigned char bytes[EXBLAS_ACC_BYTES];
    exblas_acc_export(a, bytes);
    for (int i = 0; i < EXBLAS_ACC_BYTES; i++)
        hash = golden_add(hash, bytes[i], 1);
    return hash;
}

uint64_t golden_acc_hash(const call_mode *m)
{
    static terms t;
    uint64_t hash = GOLDEN_EMPTY;
    test_random r = test_random_start(1, "acc");
    mode_select(m);
    for (int round = 0; round < N_ROUNDS; round++)
        for (size_t kind = 0; kind < factors_kinds(); kind++) {
            exblas_acc a;
            exblas_acc_init(&a);
            fill(kind, &r, &t);
            int64_t n = random_between(&r, 1, MOST);
            hostile_env_enter(mode_placement(m).environment);
            add_all(&a, n, &t);
            golden_leave(NULL);
            hash = hash_sum(hash, &a);
        }
    return hash;
}
