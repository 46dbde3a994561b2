/* Plain sums of the parts of complex floats (plain.h): elements of even and of odd number in
 * lanes of their own. Two operations a vector.
 *
 * A lane's first addition, to 0, is exact, and the trees that add up lanes have at most four
 * levels: together fewer than the n + 3 roundings of exb_plain_enclosure. Types: s. */
#include "core/simd/element_simd.h"
#include "core/kernel.h"

enum { STEP = EXB_UNROLL * EXB_LANES };

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

/* Lanes of the same parity added up, by halves. */
EXB_INLINE void join_lanes(exb_v a, double out[2])
{
    for (int half = EXB_LANES / 2; half > 1; half /= 2)
        a = v_add(a, v_swap(a, half));
    out[0] = v_first(a);
    out[1] = v_first(v_swap(a, 1));
}

/* All vectors to the first. */
EXB_INLINE void join_vectors(lanes *l)
{
    for (int step = 1; step < EXB_UNROLL; step *= 2)
        for (int j = 0; j + step < EXB_UNROLL; j += 2 * step)
            l[j] = add_lanes(l[j], l[j + step]);
}

void exb_ti(plain_parts)(int64_t n, const exb_real *x, double sum[2], double most[2])
{
    _Static_assert(EXB_UNROLL <= 4 && EXB_LANES <= 8, "levels of the trees");
    lanes l[EXB_UNROLL];
    int64_t i = 0;
    for (int j = 0; j < EXB_UNROLL; j++)
        l[j] = (lanes){v_zero(), v_zero()};
    for (; i + STEP <= n; i += STEP)
        for (int j = 0; j < EXB_UNROLL; j++)
            l[j] = add_terms(l[j], v_load_real(x + i + j * EXB_LANES));
    for (; i + EXB_LANES <= n; i += EXB_LANES)
        l[0] = add_terms(l[0], v_load_real(x + i));
    if (i < n)
        l[0] = add_terms(l[0], v_load_few_real(x + i, n - i));
    join_vectors(l);
    join_lanes(l[0].s, sum);
    join_lanes(l[0].m, most);
}
