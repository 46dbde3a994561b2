/* The second filter for dots (kernels.h): triple.h's step in every lane, 24 operations a product.
 * Types: s d. */
#include "core/arith/triple.h"
#include "core/simd/element_simd.h"
#include "core/kernel.h"

enum { CHAINS = 2 /* enough for the latency of eight additions */ };

typedef struct {
    exb_v s, c, d, w;
} triples;

EXB_INLINE triples add_product(triples a, exb_v x, exb_v y)
{
    exb_v q, f, g = v_zero(), r = v_zero();
    exb_v p = EXB_IS_S ? v_mul(x, y) : v_two_prod(x, y, &r);
    a.s = v_two_sum(a.s, p, &q);
    a.c = v_two_sum(a.c, q, &f);
    if (!EXB_IS_S)
        a.c = v_two_sum(a.c, r, &g);
    exb_v t = v_add(f, g);
    a.d = v_add(a.d, t);
    a.w = v_add(a.w, v_abs(t));
    return a;
}

/* As exb_triple_join. */
EXB_INLINE triples join(triples a, triples b)
{
    exb_v q, f, g;
    a.s = v_two_sum(a.s, b.s, &q);
    a.c = v_two_sum(a.c, q, &f);
    a.c = v_two_sum(a.c, b.c, &g);
    exb_v t = v_add(f, g);
    a.d = v_add(v_add(a.d, t), b.d);
    a.w = v_add(v_add(a.w, v_abs(t)), b.w);
    return a;
}

void exb_ti(triple_dot)(int64_t n, const exb_real *x, const exb_real *y, exb_triples *sum)
{
    triples a[CHAINS] = {{v_load(sum->s), v_load(sum->c), v_load(sum->d), v_load(sum->w)}};
    int64_t i = 0;
    for (int j = 1; j < CHAINS; j++)
        a[j] = (triples){v_zero(), v_zero(), v_zero(), v_zero()};
    for (; i + CHAINS * EXB_LANES <= n; i += CHAINS * EXB_LANES)
        for (int j = 0; j < CHAINS; j++)
            a[j] = add_product(a[j], v_load_real(x + i + j * EXB_LANES),
                               v_load_real(y + i + j * EXB_LANES));
    for (; i + EXB_LANES <= n; i += EXB_LANES)
        a[0] = add_product(a[0], v_load_real(x + i), v_load_real(y + i));
    if (i < n)
        a[0] = add_product(a[0], v_load_few(x + i, n - i), v_load_few(y + i, n - i));
    for (int j = 1; j < CHAINS; j++)
        a[0] = join(a[0], a[j]);
    v_store(sum->s, a[0].s);
    v_store(sum->c, a[0].c);
    v_store(sum->d, a[0].d);
    v_store(sum->w, a[0].w);
}
