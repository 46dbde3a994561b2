/* Least squares and least norms against rational arithmetic: NIST's Statistical Reference Datasets
 * for linear least squares (StRD, figures from its published tables), and hostile systems, as many
 * as LEAST_SQUARES_SYSTEMS says. Data are multiplied by powers of ten that make them integers. */
#include "system_case.h"
#include "testing.h"

#include <math.h>

static system_case c;

/* Columns: x^first ... x^(n - 1), or 1 and those of x; x and y times what makes them integers. */
typedef struct {
    char name[16];
    int m, n, first, n_columns;
    double x_scale, y_scale, x[6 * SYSTEM_MOST], y[SYSTEM_MOST], certified[11];
} data_set;

static void read_numbers(FILE *in, int n, double *x)
{
    for (int i = 0; i < n; i++)
        assert_int_equal(fscanf(in, "%lf", &x[i]), 1);
}

/* The next one of test/vectors/least_squares.txt. */
static bool read_set(FILE *in, data_set *s)
{
    if (fscanf(in, "%15s %d %d %d %d %lf %lf", s->name, &s->m, &s->n, &s->first, &s->n_columns,
               &s->x_scale, &s->y_scale) != 7)
        return false;
    read_numbers(in, s->m * s->n_columns, s->x);
    read_numbers(in, s->m, s->y);
    read_numbers(in, s->n, s->certified);
    return true;
}

static void set_system(const data_set *s)
{
    c = (system_case){.routine = SYSTEM_GELS, .format = FORMAT_D, .m = s->m, .n = s->n, .nrhs = 1};
    for (int i = 0; i < s->m; i++) {
        c.b[i][0] = rint(s->y[i] * s->y_scale);
        for (int j = 0; j < s->n; j++) {
            bool several = s->n_columns > 1;
            double x = s->n_columns ? s->x[i * s->n_columns + (several && j ? j - 1 : 0)] : i;
            double scaled = s->x_scale == 1 ? x : rint(x * s->x_scale);
            c.a[i][j] = several ? (j ? scaled : 1) : pow(scaled, s->first + j);
        }
    }
}

static bool holds(double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT])
{
    static const call_mode plain;
    exblas_solution info;
    exblas_status status;
    bool changed, right = system_holds(&c, &plain, &info, &status) && status == EXBLAS_OK;
    if (right && x)
        system_call(&c, &plain, x, &info, &changed);
    mode_restore();
    return right;
}

/* Digits, of the 15 that are certified, in which a coefficient and the table agree: within half a
 * unit of the last one, and a quarter for the rounding of the coefficient. */
static int digits_of(double x, double certified)
{
    int exponent = (int)floor(log10(fabs(certified))), digits = 15;
    while (digits > 0 && fabs(x - certified) > 0.75 * pow(10, exponent - digits + 1))
        digits--;
    return digits;
}

/* All digits of all sets whose data are doubles; the powers of Filip's x are not, and its
 * coefficients are those of the rounded ones. */
static void reference_data_sets(NO_STATE)
{
    static data_set s;
    const char *folder = getenv("TEST_VECTORS");
    char path[512];
    int n_sets = 0;
    snprintf(path, sizeof path, "%s/least_squares.txt", folder ? folder : "test/vectors");
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    for (; read_set(in, &s); n_sets++) {
        double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT];
        int least = 15;
        set_system(&s);
        assert_true(holds(x));
        for (int j = 0; j < s.n; j++) {
            int power = s.n_columns > 1 ? j > 0 : s.first + j;
            int digits = digits_of(x[j][0] * pow(s.x_scale, power) / s.y_scale, s.certified[j]);
            least = digits < least ? digits : least;
        }
        print_message("# %-8s %2d x %2d: %d certified digits, the exact solution rounded\n", s.name,
                      s.m, s.n, least);
        assert_true(least >= (strcmp(s.name, "Filip") == 0 ? 7 : 15));
    }
    fclose(in);
    assert_int_equal(n_sets, 11);
}

/* x is 2^-321 below a tie, by the last element, of which sums of three parts know nothing. */
static void beside_a_tie(NO_STATE)
{
    const int exp2[] = {0, 0, -60, -60, -110, -110, -160};
    double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT];
    c = (system_case){.routine = SYSTEM_GELS, .format = FORMAT_D, .m = 7, .n = 1, .nrhs = 1};
    for (int i = 0; i < 7; i++) {
        c.a[i][0] = ldexp(1, exp2[i]);
        c.b[i][0] = i < 6 ? ldexp(i % 2 ? 1 + 0x1p-51 : 1 + 0x1p-52, exp2[i]) : 0;
    }
    assert_true(holds(x) && x[0][0] == 1 + 0x1p-52);
}

static int systems_to_try(void)
{
    const char *text = getenv("LEAST_SQUARES_SYSTEMS");
    return text ? atoi(text) : 200;
}

/* A column of zeros, or two columns that differ in their last bits. */
static void spoil(test_random *r)
{
    int j = (int)random_between(r, 0, c.n - 1), k = (int)random_between(r, 0, c.n - 1);
    for (int i = 0; i < c.m; i++) {
        double x = c.a[i][k];
        c.a[i][j] = random_chance(r, 8) ? x + half_ulp(x, c.format) * 2 : x;
    }
    if (random_chance(r, 4))
        for (int i = 0; i < c.m; i++)
            c.a[i][j] = 0;
}

static void hostile_systems(NO_STATE)
{
    test_random r = test_random_start(test_seed(), "least squares");
    exblas_solution info;
    exblas_status status;
    int n_of[EXBLAS_EINDEFINITE + 1] = {0}, n_exact = 0, n_systems = systems_to_try();
    for (int round = 0; round < n_systems; round++) {
        size_t kind = (size_t)round % system_kinds();
        c.routine = SYSTEM_GELS;
        c.format = random_chance(&r, 4) ? FORMAT_S : FORMAT_D;
        bool extreme =
            strchr("gs", *system_kind_name(kind)) != NULL; /* graded, scattered: most words */
        c.n = (int)random_between(&r, 1, extreme ? 3 : 12);
        c.nrhs = (int)random_between(&r, 1, extreme ? 1 : SYSTEM_MOST_RIGHT);
        system_fill(&c, kind, &r);
        if (random_chance(&r, 6))
            spoil(&r);
        if (!system_holds(&c, mode_next(), &info, &status))
            fail_msg("system %d, kind: %s", round, system_kind_name(kind));
        n_of[status]++;
        n_exact += info.n_exact > 0;
    }
    mode_restore();
    print_message(
        "# %d systems: %d solved, %d proved singular, %d with components decided exactly\n",
        n_systems, n_of[EXBLAS_OK], n_of[EXBLAS_ESINGULAR], n_exact);
    assert_true(n_of[EXBLAS_OK] > 0 && n_of[EXBLAS_ESINGULAR] > 0);
}

/* A common factor leaves the condition as it is, also where squares overflow or underflow. */
static void conditions(NO_STATE)
{
    static const int exp2[] = {0, 500, 600, 1010, -530, -600, -1060};
    for (size_t i = 0; i < sizeof exp2 / sizeof *exp2; i++) {
        double a[] = {3, 1, 2, 1, 4, 1}, b[] = {1, 2, 3}, x[2];
        exblas_solution info;
        for (size_t k = 0; k < sizeof a / sizeof *a; k++)
            a[k] = ldexp(a[k], exp2[i]);
        assert_int_equal(exblas_dgels(3, 2, 1, a, 3, b, 3, x, 2, &info), EXBLAS_OK);
        assert_true(info.condition > 1.9 && info.condition < 2.2);
    }
    /* Columns that differ by more than the range of doubles, in either order. */
    for (int i = 0; i < 2; i++) {
        double a[] = {i ? 1e300 : 1e-300, 0, 0, 0, i ? 1e-300 : 1e300, 0}, b[] = {1, 2, 3}, x[2];
        exblas_solution info;
        assert_int_equal(exblas_dgels(3, 2, 1, a, 3, b, 3, x, 2, &info), EXBLAS_OK);
        assert_true(isinf(info.condition));
    }
}

TESTS(reference_data_sets, beside_a_tie, conditions, hostile_systems)
