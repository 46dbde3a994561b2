#include "golden.h"

#include "adversarial.h"
#include "hostile_env.h"

#include <exblas/cblas.h>
#include <exblas/sparse.h>

enum { SIDE = 60, ENTRIES = 700 };

/* One matrix in the four types; complex elements are pairs of neighbours. */
typedef struct {
    int32_t row_start[SIDE + 1], column[ENTRIES];
    double value[2 * ENTRIES], x[2 * SIDE], y[2 * SIDE], alpha[2], beta[2];
    float value_f[2 * ENTRIES], x_f[2 * SIDE], y_f[2 * SIDE], alpha_f[2], beta_f[2];
} matrix;

static void choose_places(test_random *r, matrix *a)
{
    a->row_start[0] = 0;
    for (int i = 0; i < SIDE; i++) {
        int32_t n = (int32_t)random_between(r, 0, i == 7 ? 300 : 12);
        int32_t left = ENTRIES - a->row_start[i];
        a->row_start[i + 1] = a->row_start[i] + (n < left ? n : left);
    }
    for (int k = 0; k < ENTRIES; k++)
        a->column[k] = (int32_t)random_between(r, 0, SIDE - 1);
}

static void narrow(int n, const double *from, float *to)
{
    for (int i = 0; i < n; i++)
        to[i] = (float)from[i];
}

/* Doubles of kind `kind`, then floats: those of the same kind. */
static void fill(test_random *r, size_t kind, matrix *a)
{
    double value[2 * ENTRIES], x[2 * ENTRIES];
    for (int f = FORMAT_S; f <= FORMAT_D; f++) {
        factors_fill(kind, r, (number_format)f, 2 * ENTRIES, value, x);
        memcpy(a->value, value, sizeof a->value);
        memcpy(a->x, x, sizeof a->x);
        memcpy(a->y, x + 2 * SIDE, sizeof a->y);
        for (int k = 0; k < 2; k++) {
            a->alpha[k] = random_chance(r, 2) ? 1 - k : random_number(r, (number_format)f, 0);
            a->beta[k] = random_chance(r, 2) ? 0 : random_number(r, (number_format)f, 1);
        }
        if (f == FORMAT_D)
            break;
        narrow(2 * ENTRIES, a->value, a->value_f);
        narrow(2 * SIDE, a->x, a->x_f);
        narrow(2 * SIDE, a->y, a->y_f);
        narrow(2, a->alpha, a->alpha_f);
        narrow(2, a->beta, a->beta_f);
    }
}

static exblas_status multiply(char type, int trans, matrix *a)
{
    const int32_t *start = a->row_start, *column = a->column;
    switch (type) {
    case 's':
        return exblas_scsrmv(trans, SIDE, SIDE, a->alpha_f[0], start, column, a->value_f, a->x_f,
                             a->beta_f[0], a->y_f);
    case 'd':
        return exblas_dcsrmv(trans, SIDE, SIDE, a->alpha[0], start, column, a->value, a->x,
                             a->beta[0], a->y);
    case 'c':
        return exblas_ccsrmv(trans, SIDE, SIDE, a->alpha_f, start, column, a->value_f, a->x_f,
                             a->beta_f, a->y_f);
    default:
        return exblas_zcsrhemv(trans == EXBLAS_NO_TRANS ? EXBLAS_UPPER : EXBLAS_LOWER, SIDE,
                               a->alpha, start, column, a->value, a->x, a->beta, a->y);
    }
}

static uint64_t hash_results(uint64_t hash, char type, const matrix *a)
{
    for (int i = 0; i < 2 * SIDE; i++) {
        double y = type == 's' || type == 'c' ? a->y_f[i] : a->y[i];
        hash = golden_add(hash, bits_of(y == y ? y : from_bits(TEST_CANONICAL_NAN)), 8);
    }
    return hash;
}

uint64_t golden_csr_hash(const call_mode *m)
{
    static matrix a;
    uint64_t hash = GOLDEN_EMPTY;
    test_random r = test_random_start(1, "csr");
    mode_select(m);
    for (size_t kind = 0; kind < factors_kinds(); kind++)
        for (const char *type = "sdcz"; *type; type++)
            for (int trans = EXBLAS_NO_TRANS; trans <= EXBLAS_CONJ_TRANS; trans++) {
                choose_places(&r, &a);
                fill(&r, kind, &a);
                hostile_env_enter(m->level[FACTOR_ENVIRONMENT]);
                exblas_status status = multiply(*type, trans, &a);
                golden_leave(status == EXBLAS_OK ? NULL : "csr: a call failed");
                hash = hash_results(hash, *type, &a);
            }
    return hash;
}
