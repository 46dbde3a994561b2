/* Cases one after the other. */
#pragma once

#include "generate.h"

typedef struct {
    uint64_t seed, first, n_cases;
    double seconds;
    int most; /* that are found before the run ends */
    bool verbose;
    fuzz_choice choice;
} fuzz_run;

/* Prints what differs and, if a signal ends a case, that one: how many differ. */
int fuzz_run_all(const fuzz_run *o);
/* The same of so many cases of TEST_SEED. */
int fuzz_some(const char *routines, uint64_t n_cases);
