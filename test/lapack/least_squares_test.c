/* Least squares and least norms against rational arithmetic: NIST's Statistical Reference Datasets
 * for linear least squares (StRD, figures from its published tables), and hostile systems, as many
 * as LEAST_SQUARES_SYSTEMS says. Data are multiplied by powers of ten that make them integers. */
#include "system_case.h"
#include "testing.h"

#include <math.h>

static system_case c;

/* Columns: x^first ... x^(n - 1), or those of x; x and y times what makes them integers. */
typedef struct {
    const char *name;
    int m, n, first, n_columns;
    double x_scale, y_scale;
    const double *x, *y; /* x: NULL for 0, 1, ... */
    const char *certified[11];
} data_set;

static const double norris_x[] = {0.2,   337.4, 118.2, 884.6, 10.1,  226.5, 666.3, 996.3, 448.6,
                                  777.0, 558.2, 0.4,   0.6,   775.5, 666.9, 338.0, 447.5, 11.6,
                                  556.0, 228.1, 995.8, 887.6, 120.2, 0.3,   0.3,   556.8, 339.1,
                                  887.2, 999.0, 779.0, 11.1,  118.3, 229.2, 669.1, 448.9, 0.5};
static const double norris_y[] = {0.1,   338.8, 118.1, 888.0, 9.2,   228.1, 668.5, 998.5, 449.1,
                                  778.9, 559.2, 0.3,   0.1,   778.1, 668.8, 339.3, 448.9, 10.8,
                                  557.7, 228.3, 998.0, 888.8, 119.6, 0.3,   0.6,   557.6, 339.3,
                                  888.0, 998.5, 778.9, 10.2,  117.6, 228.9, 668.4, 449.2, 0.2};
static const double pontius_x[] = {
    150000,  300000,  450000,  600000,  750000,  900000,  1050000, 1200000, 1350000, 1500000,
    1650000, 1800000, 1950000, 2100000, 2250000, 2400000, 2550000, 2700000, 2850000, 3000000,
    150000,  300000,  450000,  600000,  750000,  900000,  1050000, 1200000, 1350000, 1500000,
    1650000, 1800000, 1950000, 2100000, 2250000, 2400000, 2550000, 2700000, 2850000, 3000000};
static const double pontius_y[] = {
    .11019,  .21956,  .32949,  .43899,  .54803,  .65694,  .76562,  .87487,  .98292,  1.09146,
    1.20001, 1.30822, 1.41599, 1.52399, 1.63194, 1.73947, 1.84646, 1.95392, 2.06128, 2.16844,
    .11052,  .22018,  .32939,  .43886,  .54798,  .65739,  .76596,  .87474,  .98300,  1.09150,
    1.20004, 1.30818, 1.41613, 1.52408, 1.63159, 1.73965, 1.84696, 1.95445, 2.06177, 2.16829};
static const double noint1_x[] = {60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70};
static const double noint1_y[] = {130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140};
static const double noint2_x[] = {4, 5, 6}, noint2_y[] = {3, 4, 4};
static const double longley_x[] = {
    83.0,  234289, 2356, 1590, 107608, 1947, 88.5,  259426, 2325, 1456, 108632, 1948,
    88.2,  258054, 3682, 1616, 109773, 1949, 89.5,  284599, 3351, 1650, 110929, 1950,
    96.2,  328975, 2099, 3099, 112075, 1951, 98.1,  346999, 1932, 3594, 113270, 1952,
    99.0,  365385, 1870, 3547, 115094, 1953, 100.0, 363112, 3578, 3350, 116219, 1954,
    101.2, 397469, 2904, 3048, 117388, 1955, 104.6, 419180, 2822, 2857, 118734, 1956,
    108.4, 442769, 2936, 2798, 120445, 1957, 110.8, 444546, 4681, 2637, 121950, 1958,
    112.6, 482704, 3813, 2552, 123366, 1959, 114.2, 502601, 3931, 2514, 125368, 1960,
    115.7, 518173, 4806, 2572, 127852, 1961, 116.9, 554894, 4007, 2827, 130081, 1962};
static const double longley_y[] = {60323, 61122, 60171, 61187, 63221, 63639, 64989, 63761,
                                   66019, 67857, 68169, 66513, 68655, 69564, 69331, 70551};
static const double wampler1_y[] = {1,      6,      63,      364,     1365,    3906,    9331,
                                    19608,  37449,  66430,   111111,  177156,  271453,  402234,
                                    579195, 813616, 1118481, 1508598, 2000719, 2613660, 3368421};
static const double wampler2_y[] = {1.00000,  1.11111,  1.24992,  1.42753,  1.65984,  1.96875,
                                    2.38336,  2.94117,  3.68928,  4.68559,  6.00000,  7.71561,
                                    9.92992,  12.75603, 16.32384, 20.78125, 26.29536, 33.05367,
                                    41.26528, 51.16209, 63.00000};
static const double wampler3_y[] = {760,    -2042,  2111,    -1684,   3888,    1858,    11379,
                                    17560,  39287,  64382,   113159,  175108,  273291,  400186,
                                    581243, 811568, 1121004, 1506550, 2002767, 2611612, 3369180};
static const double wampler4_y[] = {75901,   -204794, 204863,  -204436, 253665,  -200894, 214131,
                                    -185192, 221249,  -138370, 315911,  -27644,  455253,  197434,
                                    783995,  608816,  1370781, 1303798, 2205519, 2408860, 3444321};
static const double wampler5_y[] = {7590001,  -20479994, 20480063, -20479636, 25231365, -20476094,
                                    20489331, -20460392, 18417449, -20413570, 20591111, -20302844,
                                    18651453, -20077766, 21059195, -19666384, 26348481, -18971402,
                                    22480719, -17866340, 10958421};
static const double filip_x[] = {
    -6.860120914, -4.324130045, -4.358625055, -4.358426747, -6.955852379, -6.661145254,
    -6.355462942, -6.118102026, -7.115148017, -6.815308569, -6.519993057, -6.204119983,
    -5.853871964, -6.109523091, -5.79832982,  -5.482672118, -5.171791386, -4.851705903,
    -4.517126416, -4.143573228, -3.709075441, -3.499489089, -6.300769497, -5.953504836,
    -5.642065153, -5.031376979, -4.680685696, -4.329846955, -3.928486195, -8.56735134,
    -8.363211311, -8.107682739, -7.823908741, -7.522878745, -7.218819279, -6.920818754,
    -6.628932138, -6.323946875, -5.991399828, -8.781464495, -8.663140179, -8.473531488,
    -8.247337057, -7.971428747, -7.676129393, -7.352812702, -7.072065318, -6.774174009,
    -6.478861916, -6.159517513, -6.835647144, -6.53165267,  -6.224098421, -5.910094889,
    -5.598599459, -5.290645224, -4.974284616, -4.64454848,  -4.290560426, -3.885055584,
    -3.408378962, -3.13200249,  -8.726767166, -8.66695597,  -8.511026475, -8.165388579,
    -7.886056648, -7.588043762, -7.283412422, -6.995678626, -6.691862621, -6.392544977,
    -6.067374056, -6.684029655, -6.378719832, -6.065855188, -5.752272167, -5.132414673,
    -4.811352704, -4.098269308, -3.66174277,  -3.2644011};
static const double filip_y[] = {
    0.8116, 0.9072, 0.9052, 0.9039, 0.8053, 0.8377, 0.8667, 0.8809, 0.7975, 0.8162, 0.8515, 0.8766,
    0.8885, 0.8859, 0.8959, 0.8913, 0.8959, 0.8971, 0.9021, 0.909,  0.9139, 0.9199, 0.8692, 0.8872,
    0.89,   0.891,  0.8977, 0.9035, 0.9078, 0.7675, 0.7705, 0.7713, 0.7736, 0.7775, 0.7841, 0.7971,
    0.8329, 0.8641, 0.8804, 0.7668, 0.7633, 0.7678, 0.7697, 0.77,   0.7749, 0.7796, 0.7897, 0.8131,
    0.8498, 0.8741, 0.8061, 0.846,  0.8751, 0.8856, 0.8919, 0.8934, 0.894,  0.8957, 0.9047, 0.9129,
    0.9209, 0.9219, 0.7739, 0.7681, 0.7665, 0.7703, 0.7702, 0.7761, 0.7809, 0.7961, 0.8253, 0.8602,
    0.8809, 0.8301, 0.8664, 0.8834, 0.8898, 0.8964, 0.8963, 0.9074, 0.9119, 0.9228};

#define ONES                                                                                       \
    {                                                                                              \
        "1", "1", "1", "1", "1", "1"                                                               \
    }
static const data_set sets[] = {
    {"Norris", 36, 2, 0, 1, 10, 10, norris_x, norris_y, {"-0.262323073774029", "1.00211681802045"}},
    {"Pontius",
     40,
     3,
     0,
     1,
     1,
     1e5,
     pontius_x,
     pontius_y,
     {"0.673565789473684E-03", "0.732059160401003E-06", "-0.316081871345029E-14"}},
    {"NoInt1", 11, 1, 1, 1, 1, 1, noint1_x, noint1_y, {"2.07438016528926"}},
    {"NoInt2", 3, 1, 1, 1, 1, 1, noint2_x, noint2_y, {"0.727272727272727"}},
    {"Longley",
     16,
     7,
     0,
     6,
     10,
     1,
     longley_x,
     longley_y,
     {"-3482258.63459582", "15.0618722713733", "-0.358191792925910E-01", "-2.02022980381683",
      "-1.03322686717359", "-0.511041056535807E-01", "1829.15146461355"}},
    {"Wampler1", 21, 6, 0, 1, 1, 1, NULL, wampler1_y, ONES},
    {"Wampler2",
     21,
     6,
     0,
     1,
     1,
     1e5,
     NULL,
     wampler2_y,
     {"1", "0.1", "0.1E-1", "0.1E-2", "0.1E-3", "0.1E-4"}},
    {"Wampler3", 21, 6, 0, 1, 1, 1, NULL, wampler3_y, ONES},
    {"Wampler4", 21, 6, 0, 1, 1, 1, NULL, wampler4_y, ONES},
    {"Wampler5", 21, 6, 0, 1, 1, 1, NULL, wampler5_y, ONES},
    {"Filip",
     82,
     11,
     0,
     1,
     1,
     1e4,
     filip_x,
     filip_y,
     {"-1467.48961422980", "-2772.17959193342", "-2316.37108160893", "-1127.97394098372",
      "-354.478233703349", "-75.1242017393757", "-10.8753180355343", "-1.06221498588947",
      "-0.670191154593408E-01", "-0.246781078275479E-02", "-0.402962525080404E-04"}}};
enum { N_SETS = sizeof sets / sizeof *sets };

static void set_system(const data_set *s)
{
    c = (system_case){.routine = SYSTEM_GELS, .format = FORMAT_D, .m = s->m, .n = s->n, .nrhs = 1};
    for (int i = 0; i < s->m; i++) {
        c.b[i][0] = rint(s->y[i] * s->y_scale);
        for (int j = 0; j < s->n; j++) {
            double x = s->x ? s->x[i * s->n_columns + (s->n_columns > 1 && j ? j - 1 : 0)] : i;
            double scaled = s->x_scale == 1 ? x : rint(x * s->x_scale);
            c.a[i][j] = s->n_columns > 1 ? (j ? scaled : 1) : pow(scaled, s->first + j);
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
static int digits_of(double x, const char *certified)
{
    double wanted = strtod(certified, NULL);
    int exponent = (int)floor(log10(fabs(wanted))), digits = 15;
    while (digits > 0 && fabs(x - wanted) > 0.75 * pow(10, exponent - digits + 1))
        digits--;
    return digits;
}

/* All digits of all sets whose data are doubles; the powers of Filip's x are not, and its
 * coefficients are those of the rounded ones. */
static void reference_data_sets(NO_STATE)
{
    for (int k = 0; k < N_SETS; k++) {
        const data_set *s = &sets[k];
        double x[SYSTEM_MOST][SYSTEM_MOST_RIGHT];
        int least = 15;
        set_system(s);
        assert_true(holds(x));
        for (int j = 0; j < s->n; j++) {
            int power = s->n_columns > 1 ? j > 0 : s->first + j;
            int digits = digits_of(x[j][0] * pow(s->x_scale, power) / s->y_scale, s->certified[j]);
            least = digits < least ? digits : least;
        }
        print_message("# %-8s %2d x %2d: %d certified digits, the exact solution rounded\n",
                      s->name, s->m, s->n, least);
        assert_true(least >= (s->x == filip_x ? 7 : 15));
    }
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
