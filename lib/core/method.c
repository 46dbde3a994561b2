#include "core/method.h"

#include "core/arith/compiler.h"
#include "core/config.h"
#include "exblas/exblas.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* A name that means nothing for a routine yet stands for auto there. */
static const exb_method table[] = {
    {"auto", true, 4, true, EXB_ENGINE_ANY},
    {"superacc", false, 0, false, EXB_ENGINE_GENERAL},
    {"fpe2", false, 2, false, EXB_ENGINE_GENERAL},
    {"fpe3", false, 3, false, EXB_ENGINE_GENERAL},
    {"fpe4", false, 4, false, EXB_ENGINE_GENERAL},
    {"fpe5", false, 5, false, EXB_ENGINE_GENERAL},
    {"fpe6", false, 6, false, EXB_ENGINE_GENERAL},
    {"fpe7", false, 7, false, EXB_ENGINE_GENERAL},
    {"fpe8", false, 8, false, EXB_ENGINE_GENERAL},
    {"fpe4ee", false, 4, true, EXB_ENGINE_GENERAL},
    {"fpe6ee", false, 6, true, EXB_ENGINE_GENERAL},
    {"fpe8ee", false, 8, true, EXB_ENGINE_GENERAL},
    {"filter", true, 4, true, EXB_ENGINE_ANY},
    {"anchor", true, 4, true, EXB_ENGINE_CHAIN},
    {"residue", true, 4, true, EXB_ENGINE_RESIDUE},
    {"general", true, 4, true, EXB_ENGINE_GENERAL},
};

static _Atomic(const exb_method *) current;

const exb_method *exb_method_at(int i)
{
    return i >= 0 && i < (int)(sizeof table / sizeof *table) ? &table[i] : NULL;
}

const exb_method *exb_method_find(const char *name)
{
    const exb_method *m = exb_method_at(0);
    for (int i = 1; m && strcmp(m->name, name) != 0; i++)
        m = exb_method_at(i);
    return m;
}

static void read_setting(void)
{
    const char *name = exb_config_setting("EXBLAS_METHOD");
    const exb_method *m = name ? exb_method_find(name) : &table[0];
    if (!m)
        exb_warn("EXBLAS_METHOD=%s is not a method; auto is used", name);
    atomic_store_explicit(&current, m ? m : &table[0], memory_order_relaxed);
}

const exb_method *exb_method_current(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const exb_method *m = atomic_load_explicit(&current, memory_order_relaxed);
    if (EXB_LIKELY(m != NULL))
        return m;
    pthread_once(&once, read_setting);
    return atomic_load_explicit(&current, memory_order_relaxed);
}

exblas_status exblas_set_method(const char *name)
{
    exb_method_current(); /* what the environment says must not come later */
    const exb_method *m = name ? exb_method_find(name) : &table[0];
    if (!m)
        return EXBLAS_EINVAL;
    atomic_store_explicit(&current, m, memory_order_relaxed);
    return EXBLAS_OK;
}

const char *exblas_get_method(void)
{
    return exb_method_current()->name;
}
