/* Functions whose order is known. */
#pragma once

#include "fprev.h"

/* Their names with what they do, for help texts. */
extern const char fprev_model_help[];

/* Makes *f the model `name` for n_terms terms of f's type, product, absolute. False with a
 * reason in *error if there is none of that name, or if out of memory. */
bool fprev_model_start(fprev_function *f, const char *name, const char **error);
void fprev_model_stop(fprev_function *f);
