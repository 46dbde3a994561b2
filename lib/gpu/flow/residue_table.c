#include "gpu/residue_table.h"

#include "gpu/flow/gpu_residue.h"

/* The lowest of the four bytes that stand for c, 256 c, ... (residue.h) is c itself. */
static int weight_of(const exb_modulus *m, int side)
{
    return (int8_t)(m->digit[side][0] & 255);
}

static void init_modulus(exb_table_modulus *t, const exb_modulus *m)
{
    t->p = m->p;
    t->inverse = 1.0 / m->p;
    for (int side = 0; side < 2; side++) {
        int64_t weight = weight_of(m, side);
        for (int d = 0; d < EXB_PARTS_MAX; d++) {
            t->weight[side][d] = exb_symmetric(weight, m->p);
            weight = weight * (((int64_t)1 << EXB_PART_BITS) % m->p);
        }
    }
}

static void init_pair(exb_table_pair *t, const exb_pair *pair)
{
    t->multiply[0] = pair->multiply[0] & 255;
    t->multiply[1] = pair->multiply[0] >> 8;
    memcpy(t->limb, pair->limb, sizeof t->limb);
}

void exb_residue_table_init(exb_residue_table *table, const exb_residue_system *system)
{
    memset(table, 0, sizeof *table);
    table->log2_p = system->log2_p;
    table->inverse = system->inverse;
    memcpy(table->limb, system->limb, sizeof table->limb);
    memcpy(table->carry, system->carry, sizeof table->carry);
    for (int n = EXB_MODULI_MIN; n <= EXB_MODULI_MAX; n++)
        table->log2_of[n] = exb_residue_log2(n);
    for (int i = 0; i < system->n_moduli; i++)
        init_modulus(&table->modulus[i], &system->modulus[i]);
    table->modulus[system->n_moduli].p = 1;
    table->modulus[system->n_moduli].inverse = 1;
    for (int i = 0; i < system->n_pairs; i++)
        init_pair(&table->pair[i], &system->pair[i]);
}
