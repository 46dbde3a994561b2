/* The command line. */
#pragma once

#include "session.h"

typedef struct {
    fprev_request request; /* its target is the first one */
    bool compare;
    const char *other; /* the second target of compare */
    bool json;
    const char *file; /* NULL: standard output */
} fprev_command;

/* Do two targets add in the same order? Writes the answer; the exit status. */
int fprev_compare(FILE *f, const fprev_command *c);

/* True if there is something to do; otherwise *exit is the status. Prints help and errors. */
bool fprev_parse(int argc, char **argv, fprev_command *c, int *exit);
