/* Functions whose order is known. */
#pragma once

#include "fprev.h"

/* Makes *f the model `name` for n_terms terms of f's type, product, absolute. NULL, or why it
 * cannot; what is allocated stays. */
const char *fprev_model_start(fprev_function *f, const char *name);
