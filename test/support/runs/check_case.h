/* Runs a case in a mode and compares its bits with an answer. */
#pragma once

#include "modes.h"

/* True if the number that comes out is `answer`, bit for bit, and nothing else was
 * changed. Otherwise says on stderr what was run (`label`: where it comes from),
 * how, and what differs. */
bool check_case(const blas_case *c, const call_mode *m, double answer, const char *label);
