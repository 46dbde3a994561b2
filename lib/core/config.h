/* The process's settings: EXBLAS_ variables. Each is read once, by whom it concerns. */
#pragma once

/* The value of a known EXBLAS_ variable, NULL if unset or empty. A program that has more rights
 * than who started it (set-user-id) has no settings: they name files to write and code to load.
 * Also for the drop-in objects. */
__attribute__((visibility("default"))) const char *exb_config_get(const char *name);

/* The same for the library's own settings; warns once, on stderr, about EXBLAS_ variables that do
 * not exist. Thread-safe. */
const char *exb_config_setting(const char *name);

/* One line on stderr: "exblas: " and the formatted text. */
void exb_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
