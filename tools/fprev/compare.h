/* Do two targets add in the same order? */
#pragma once

#include "options.h"

#include <stdio.h>

/* Writes the answer; the exit status. */
int fprev_compare(FILE *f, const fprev_command *c);
