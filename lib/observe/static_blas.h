/* A BLAS that was linked into a program or a library, as far as the file's symbol table tells (a
 * stripped file has none). */
#ifndef EXB_STATIC_BLAS_H
#define EXB_STATIC_BLAS_H

#include <stdbool.h>

/* Whether the file defines a BLAS routine; the first one's name. A library's exported ones do not
 * count: calls of those are bound dynamically. */
bool exb_static_blas(const char *path, bool is_program, char symbol[static 64]);

#endif
