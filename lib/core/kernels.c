#include "core/kernels.h"

#include "core/config.h"
#include "core/cpu.h"
#include "core/tiles.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

extern const exb_kernels exb_kernels_generic, exb_kernels_avx2, exb_kernels_avx512,
    exb_kernels_neon;
/* The columns of the table: an instruction set that only has other products of bytes shares the
 * rest with its base. */
typedef struct {
    const char *isa;
    const exb_kernels *kernels;
    const exb_residue_kernels *residue; /* NULL: none */
    bool residue_is_fast;               /* faster than chains of FMAs */
    bool (*permitted)(void); /* NULL, or asks whether the operating system allows its use; */
    const char *otherwise;   /* the instruction set if it does not */
    bool is_emulated;        /* in use only if it is asked for by name */
} column;

static const column table[] = {
#if defined(__x86_64__)
    {"generic", &exb_kernels_generic, &exb_residue_sse2, true, NULL, NULL, false},
    {"avx2", &exb_kernels_avx2, &exb_residue_avxvnni_emulated, false, NULL, NULL, false},
    {"avxvnni", &exb_kernels_avx2, &exb_residue_avxvnni, true, NULL, NULL, false},
    {"avx512", &exb_kernels_avx512, &exb_residue_avxvnni_emulated, false, NULL, NULL, false},
    {"avx512vnni", &exb_kernels_avx512, &exb_residue_avx512vnni, true, NULL, NULL, false},
    {"amx", &exb_kernels_avx512, &exb_residue_amx, true, exb_tiles_permitted, "avx512vnni", false},
    {"avxvnni-emulated", &exb_kernels_avx2, &exb_residue_avxvnni_emulated, true, NULL, NULL, true},
    {"amx-emulated-avx2", &exb_kernels_avx2, &exb_residue_amx_emulated_avx2, true,
     exb_emulated_tiles_permitted, "avxvnni-emulated", true},
    {"amx-emulated", &exb_kernels_avx512, &exb_residue_amx_emulated, true,
     exb_emulated_tiles_permitted, "avx512vnni", true},
#else
    {"generic", &exb_kernels_generic, NULL, false, NULL, NULL, false},
#endif
#if defined(__aarch64__)
    {"neon", &exb_kernels_neon, NULL, false, NULL, NULL, false},
#endif
};

static _Atomic(const column *) current;

int exb_isa_count(void)
{
    return (int)(sizeof table / sizeof *table);
}

const char *exb_isa_name(int i)
{
    return table[i].isa;
}

static bool may_choose(int i, const char *cap)
{
    bool is_named = cap && strcmp(cap, table[i].isa) == 0;
    return (is_named || !table[i].is_emulated) && exb_cpu_has(table[i].isa);
}

/* The number of a name in the table; below 0 if there is none. */
static int number_of(const char *isa)
{
    int i = exb_isa_count() - 1;
    while (i >= 0 && strcmp(isa, table[i].isa) != 0)
        i--;
    return i;
}

/* The best table up to that of EXBLAS_ISA, which is emulated only if it says so. */
static void read_setting(void)
{
    const char *cap = exb_config_setting("EXBLAS_ISA");
    int last = exb_isa_count() - 1, named = cap ? number_of(cap) : last,
        i = named < 0 ? last : named;
    if (named < 0)
        exb_warn("EXBLAS_ISA=%s is not an instruction set of this build and is ignored", cap);
    while (i > 0 && !may_choose(i, cap))
        i--;
    atomic_store_explicit(&current, &table[i], memory_order_relaxed);
}

static const column *column_in_force(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const column *c = atomic_load_explicit(&current, memory_order_relaxed);
    if (EXB_LIKELY(c != NULL))
        return c;
    pthread_once(&once, read_setting);
    return atomic_load_explicit(&current, memory_order_relaxed);
}

const exb_kernels *exb_kernels_current(void)
{
    return column_in_force()->kernels;
}

const char *exb_isa_current(void)
{
    return column_in_force()->isa;
}

const exb_residue_kernels *exb_residue_current(bool *fast)
{
    const column *c = column_in_force();
    *fast = c->residue_is_fast;
    return c->residue;
}

/* Pairs go with what is newer than AVX-512 by itself. */
const exb_half_chain *exb_half_chain_current(void)
{
    const column *c = column_in_force();
#if defined(__x86_64__)
    if (c->kernels == &exb_kernels_avx512 && strcmp(c->isa, "avx512") != 0 &&
        exb_cpu_has("avx512bf16"))
        return &exb_half_chain_avx512bf16;
#endif
    return c->kernels->half;
}

const exb_residue_kernels *exb_residue_permitted(void)
{
    const column *c = column_in_force();
    if (!c->permitted || c->permitted())
        return c->residue;
    const column *other = &table[number_of(c->otherwise)];
    /* Unless another one was chosen meanwhile. */
    atomic_compare_exchange_strong(&current, &c, other);
    return other->residue;
}

int exb_isa_select(const char *name)
{
    column_in_force(); /* what the environment says must not come later */
    int i = number_of(name);
    if (i < 0 || !exb_cpu_has(name))
        return -1;
    atomic_store_explicit(&current, &table[i], memory_order_relaxed);
    return 0;
}
