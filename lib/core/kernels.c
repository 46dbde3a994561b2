#include "core/kernels.h"

#include "core/config.h"
#include "core/cpu.h"
#include "core/tiles.h"

#include <stdatomic.h>
#include <string.h>

extern const exb_kernels exb_kernels_generic, exb_kernels_avx2, exb_kernels_avx512,
    exb_kernels_neon;
/* The columns of the table: an instruction set that only has other products of bytes shares the
 * rest with its base. */
typedef struct {
    const char *isa;
    const exb_kernels *kernels;
    const exb_residue_kernels *residue;
    bool residue_is_fast;    /* faster than chains of FMAs */
    bool (*permitted)(void); /* NULL, or asks whether the operating system allows its use; */
    const char *otherwise;   /* the instruction set if it does not */
    bool is_emulated;        /* in use only if it is asked for by name */
} column;

static const column table[] = {
#if defined(__x86_64__)
    {"generic", &exb_kernels_generic, &exb_residue_sse2, true, NULL, NULL, false},
    {"avx2", &exb_kernels_avx2, &exb_residue_generic, false, NULL, NULL, false},
    {"avxvnni", &exb_kernels_avx2, &exb_residue_avxvnni, true, NULL, NULL, false},
    {"avx512", &exb_kernels_avx512, &exb_residue_generic, false, NULL, NULL, false},
    {"avx512vnni", &exb_kernels_avx512, &exb_residue_avx512vnni, true, NULL, NULL, false},
    {"avx512ifma", &exb_kernels_avx512, &exb_residue_avx512ifma, true, NULL, NULL, false},
    {"amx", &exb_kernels_avx512, &exb_residue_amx, true, exb_tiles_permitted, "avx512ifma", false},
    {"avxvnni-emulated", &exb_kernels_avx2, &exb_residue_avxvnni_emulated, true, NULL, NULL, true},
    {"amx-emulated-avx2", &exb_kernels_avx2, &exb_residue_amx_emulated_avx2, true,
     exb_emulated_tiles_permitted, "avxvnni-emulated", true},
    {"amx-emulated", &exb_kernels_avx512, &exb_residue_amx_emulated, true,
     exb_emulated_tiles_permitted, "avx512ifma", true},
#else
    {"generic", &exb_kernels_generic, &exb_residue_generic, false, NULL, NULL, false},
#endif
#if defined(__aarch64__)
    {"neon", &exb_kernels_neon, &exb_residue_generic, false, NULL, NULL, false},
    {"i8mm", &exb_kernels_neon, &exb_residue_i8mm, true, NULL, NULL, false},
    {"amx-emulated", &exb_kernels_neon, &exb_residue_amx_emulated, true,
     exb_emulated_tiles_permitted, "i8mm", true},
#endif
};

static _Atomic(const column *) current = &table[0];

int exb_isa_count(void)
{
    return (int)(sizeof table / sizeof *table);
}

const char *exb_isa_name(int i)
{
    return table[i].isa;
}

const exb_kernels *exb_kernels_current(void)
{
    exb_config_load();
    return atomic_load_explicit(&current, memory_order_relaxed)->kernels;
}

const char *exb_isa_current(void)
{
    exb_config_load();
    return atomic_load_explicit(&current, memory_order_relaxed)->isa;
}

const exb_residue_kernels *exb_residue_current(bool *fast)
{
    exb_config_load();
    const column *c = atomic_load_explicit(&current, memory_order_relaxed);
    *fast = c->residue_is_fast;
    return c->residue;
}

const exb_residue_kernels *exb_residue_permitted(void)
{
    exb_config_load();
    const column *c = atomic_load_explicit(&current, memory_order_relaxed);
    if (!c->permitted || c->permitted())
        return c->residue;
    const column *other = c;
    while (strcmp(other->isa, c->otherwise) != 0)
        other--;
    /* Unless another one was chosen meanwhile. */
    atomic_compare_exchange_strong(&current, &c, other);
    return other->residue;
}

static void use_column(const column *k)
{
    atomic_store_explicit(&current, k, memory_order_relaxed);
}

int exb_isa_select(const char *name)
{
    exb_config_load();
    for (int i = 0; i < exb_isa_count(); i++)
        if (strcmp(name, exb_isa_name(i)) == 0 && exb_cpu_has(name)) {
            use_column(&table[i]);
            return 0;
        }
    return -1;
}

static bool may_choose(int i, const char *cap)
{
    bool is_named = cap && strcmp(cap, table[i].isa) == 0;
    return (is_named || !table[i].is_emulated) && exb_cpu_has(table[i].isa);
}

void exb_kernels_configure(const char *cap)
{
    int last = exb_isa_count() - 1;
    if (cap) {
        int i = last;
        while (i >= 0 && strcmp(cap, exb_isa_name(i)) != 0)
            i--;
        if (i >= 0)
            last = i;
        else
            exb_warn("EXBLAS_ISA=%s is not an instruction set of this build and is ignored", cap);
    }
    while (last > 0 && !may_choose(last, cap))
        last--;
    use_column(&table[last]);
}
