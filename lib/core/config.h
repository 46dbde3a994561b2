/* The process's settings: EXBLAS_ variables, read once, and the setters. */
#ifndef EXB_CONFIG_H
#define EXB_CONFIG_H

#include "core/arith/compiler.h"

#include <stdatomic.h>

/* Set when the environment has been read. */
extern atomic_bool exb_config_loaded;
void exb_config_read(void);

/* Reads the environment on the first call and warns on stderr, once, about
 * EXBLAS_ variables that do not exist and values that make no sense. Thread-safe;
 * a load and a branch afterwards. */
EXB_INLINE void exb_config_load(void)
{
    if (EXB_UNLIKELY(!atomic_load_explicit(&exb_config_loaded, memory_order_acquire)))
        exb_config_read();
}

/* The value of a known EXBLAS_ variable, NULL if unset or empty. A program that has more rights
 * than who started it (set-user-id) has no settings: they name files to write and code to load.
 * Also for the drop-in objects. */
__attribute__((visibility("default"))) const char *exb_config_get(const char *name);

/* One line on stderr: "exblas: " and the formatted text. */
void exb_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
