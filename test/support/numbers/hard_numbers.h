/* Numbers for problems of Levels 2 and 3. */
#pragma once

#include "adversarial.h"
#include "level2_problem.h"

/* In [-3, 3], with zeros of both signs. */
double small_integer(test_random *r);

/* An alpha or beta: 1, 0, -1, 0.5, or any; complex where the type is and it need not be real. */
level2_number hard_scalar(test_random *r, char type, bool is_real);

/* h - rest, where h is half a last place of the value and rest what the model leaves of a sum whose
 * value it has been given the negative of. */
double to_midpoint(double value, double rest, number_format f);
