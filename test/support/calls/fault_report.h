/* What routines report about their arguments, compared with what they should: the first illegal
 * argument, once, under BLAS's name and number, and nothing written. */
#ifndef FAULT_REPORT_H
#define FAULT_REPORT_H

#include "blas_call.h"
#include "test_random.h"

enum { FAULT_OPERANDS = 3, FAULT_SIZE = 512 };

/* Operands for the calls, every byte of which counts. */
extern double fault_data[FAULT_OPERANDS][FAULT_SIZE];

/* A call is made between fault_begin and fault_check. */
void fault_begin(void);

/* Fails unless the call reported CBLAS's argument `position` of `name` (such as dgemv) under the
 * name that the form has; 0: nothing. Returns whether there was something to report. */
bool fault_check(call_form form, const char *name, int position);

bool fault_is_cblas(call_form form);

/* Makes 1500 calls of each family and type that `call` knows: it makes one and returns
 * fault_check's answer, or -1 if there is no such routine. Fails if fewer than 10000 are bad. */
void fault_every_routine(const char *seed_name, int n_families,
                         int (*call)(test_random *r, int family, char type));

/* The position of the first illegal argument in a list such as "t2 m3 n4", 0 if there is none. */
int fault_first(const char *checked, bool (*is_bad)(const void *call, char argument),
                const void *call);

/* One of the letters, or with a chance of one in `odds` the illegal x. */
char fault_option(test_random *r, int odds, const char *letters);

#endif
