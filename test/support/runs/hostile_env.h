/* Floating-point environments a caller may be in, and the check that a call
 * left it alone: rounding direction, flush modes and exception flags. */
#pragma once

#include <stdbool.h>

/* Environment 0 is the default one with no flag raised. */
int hostile_env_count(void);
const char *hostile_env_name(int index);

/* Between enter and leave, do nothing but the call under test. leave returns
 * to the default environment and says whether it found what enter had set. */
void hostile_env_enter(int index);
bool hostile_env_leave(void);

/* Unmasks the traps for invalid, division by zero and overflow, so that any
 * operation that raises one of them ends the process, where hardware and C
 * library have such traps. The default environment, which leave restores,
 * masks them again. */
void hostile_env_unmask_traps(void);
