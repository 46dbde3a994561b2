/* Functions whose order is known. */
#pragma once

#include "fprev.h"

/* Makes *f the model `name` for n_terms terms of f's type, product, absolute. Ends the process with
 * a line if there is none of that name. */
void fprev_model_start(fprev_function *f, const char *name);
