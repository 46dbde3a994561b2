/* An order in words. */
#pragma once

#include "fprev.h"

#include <stddef.h>

/* "16 lanes × 4 terms (stride 16), then pairwise". Never more than size bytes. */
void fprev_describe(const fprev_tree *t, char *text, size_t size);
