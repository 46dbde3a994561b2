#include "core/kernels.h"

#include "core/config.h"
#include "core/cpu.h"

#include <stdatomic.h>
#include <string.h>

extern const exb_kernels exb_kernels_generic;
#if defined(__x86_64__)
extern const exb_kernels exb_kernels_avx2, exb_kernels_avx512;
static const exb_kernels *const table[] = {&exb_kernels_generic, &exb_kernels_avx2,
                                           &exb_kernels_avx512};
#elif defined(__aarch64__)
extern const exb_kernels exb_kernels_neon;
static const exb_kernels *const table[] = {&exb_kernels_generic, &exb_kernels_neon};
#else
static const exb_kernels *const table[] = {&exb_kernels_generic};
#endif

static _Atomic(const exb_kernels *) current = &exb_kernels_generic;

int exb_isa_count(void)
{
    return (int)(sizeof table / sizeof *table);
}

const char *exb_isa_name(int i)
{
    return table[i]->isa;
}

const exb_kernels *exb_kernels_current(void)
{
    exb_config_load();
    return atomic_load_explicit(&current, memory_order_relaxed);
}

static void use(const exb_kernels *k)
{
    atomic_store_explicit(&current, k, memory_order_relaxed);
}

int exb_isa_select(const char *name)
{
    exb_config_load();
    for (int i = 0; i < exb_isa_count(); i++)
        if (strcmp(name, exb_isa_name(i)) == 0 && exb_cpu_has(name)) {
            use(table[i]);
            return 0;
        }
    return -1;
}

void exb_kernels_configure(const char *cap)
{
    /* avx512vnni has no kernels of its own so far: its table is avx512's. */
    if (cap && strcmp(cap, "avx512vnni") == 0)
        cap = "avx512";
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
    while (last > 0 && !exb_cpu_has(exb_isa_name(last)))
        last--;
    use(table[last]);
}
