/* A BLAS that was linked into a program or a library, as far as the file's symbol tables tell (a
 * stripped file has only the one of what it exports). */
#pragma once

#include <stdbool.h>

/* Whether the file defines a BLAS routine; the first one's name, and whether it exports one: calls
 * of those may be bound dynamically. */
bool exb_static_blas(const char *path, char symbol[static 64], bool *exported);
