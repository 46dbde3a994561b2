/* The process's settings: EXBLAS_ variables. Each is read once, by whom it concerns. */
#pragma once

#include <stddef.h>

/* The value of a known EXBLAS_ variable, NULL if unset or empty. A program that has more rights
 * than who started it (set-user-id) has no settings: they name files to write and code to load.
 * Also for the drop-in objects. */
__attribute__((visibility("default"))) const char *exb_config_get(const char *name);

/* The same for the library's own settings; warns once, on stderr, about EXBLAS_ variables that do
 * not exist. Thread-safe. */
const char *exb_config_setting(const char *name);

/* A file name that a setting gives, with each %p replaced by the process's number. */
void exb_config_file(char *out, size_t size, const char *pattern);

/* One line on stderr: "exblas: " and the formatted text. */
void exb_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
