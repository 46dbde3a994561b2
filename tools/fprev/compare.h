/* Do two targets add in the same order? */
#ifndef FPREV_COMPARE_H
#define FPREV_COMPARE_H

#include "options.h"

#include <stdio.h>

/* Writes the answer; the exit status. */
int fprev_compare(FILE *f, const fprev_command *c);

#endif
