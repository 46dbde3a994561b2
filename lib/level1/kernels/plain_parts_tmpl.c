/* Plain sums of the parts of complex floats (plain.h): elements of even and of odd number in
 * lanes of their own. Two operations a vector.
 *
 * A lane's first addition, to 0, is exact, and the trees that add up lanes have at most four
 * levels: together fewer than the n + 3 roundings of exb_plain_enclosure. Types: s. */
#include "core/simd/element_simd.h"
#include "core/kernel.h"

enum {
    STEP = EXB_UNROLL * EXB_LANES,
    PARITIES = EXB_LANES == 1 ? 2 : 1 /* vectors that hold lanes of both */
};

typedef struct {
    exb_v s, m;
} lanes;

EXB_INLINE lanes add_terms(lanes l, exb_v x)
{
    l.s = v_add(l.s, x);
    l.m = v_max_abs(l.m, l.s);
    return l;
}

EXB_INLINE lanes add_lanes(lanes a, lanes b)
{
    return (lanes){v_add(a.s, b.s), v_add(a.m, b.m)};
}

/* Lanes of the same parity added up, by halves; odd ones of `odd`. */
EXB_INLINE void join_lanes(exb_v even, exb_v odd, double out[2])
{
    for (int half = EXB_LANES / 2; half > 1; half /= 2) {
        even = v_add(even, v_swap(even, half));
        odd = v_add(odd, v_swap(odd, half));
    }
    out[0] = v_first(even);
    out[1] = v_first(v_swap(odd, 1));
}

/* All vectors to those of the first, or the first of each parity. */
EXB_INLINE void join_vectors(lanes *l)
{
    for (int step = PARITIES; step < EXB_UNROLL; step *= 2)
        for (int j = 0; j + step < EXB_UNROLL; j++)
            if (j % (2 * step) < PARITIES)
                l[j] = add_lanes(l[j], l[j + step]);
}

void exb_ti(plain_parts)(int64_t n, const exb_real *x, double sum[2], double most[2])
{
    _Static_assert(EXB_UNROLL <= 4 && EXB_LANES <= 8 && EXB_UNROLL % PARITIES == 0,
                   "levels of the trees");
    lanes l[EXB_UNROLL];
    int64_t i = 0;
    for (int j = 0; j < EXB_UNROLL; j++)
        l[j] = (lanes){v_zero(), v_zero()};
    for (; i + STEP <= n; i += STEP)
        for (int j = 0; j < EXB_UNROLL; j++)
            l[j] = add_terms(l[j], v_load_real(x + i + j * EXB_LANES));
    for (; i + PARITIES * EXB_LANES <= n; i += PARITIES * EXB_LANES)
        for (int j = 0; j < PARITIES; j++)
            l[j] = add_terms(l[j], v_load_real(x + i + j * EXB_LANES));
    if (i < n)
        l[0] = add_terms(l[0], v_load_few_real(x + i, n - i));
    join_vectors(l);
    join_lanes(l[0].s, l[PARITIES - 1].s, sum);
    join_lanes(l[0].m, l[PARITIES - 1].m, most);
}
