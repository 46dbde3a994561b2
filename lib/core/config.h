/* The process's settings: EXBLAS_ variables, read once, and the setters. */
#ifndef EXB_CONFIG_H
#define EXB_CONFIG_H

/* Reads the environment on the first call and warns on stderr, once, about
 * EXBLAS_ variables that do not exist and values that make no sense. Thread-safe;
 * a load and a branch afterwards. */
void exb_config_load(void);

/* The value of a known EXBLAS_ variable, NULL if unset or empty. A program that has more rights
 * than who started it (set-user-id) has no settings: they name files to write and code to load.
 * Also for the drop-in objects. */
__attribute__((visibility("default"))) const char *exb_config_get(const char *name);

/* One line on stderr: "exblas: " and the formatted text. */
void exb_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
