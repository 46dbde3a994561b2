/* Targets are run in a process of their own, so that one that crashes, exits or hangs is a
 * result too. */
#pragma once

#include "blas.h"

#include <stdio.h>

enum { FPREV_EXIT_OK, FPREV_EXIT_FOUND_BAD, FPREV_EXIT_USAGE, FPREV_EXIT_TARGET };

/* [NAME=VALUE ...] LIB[:SYMBOL] | model:NAME */
typedef struct {
    const char *target;
    fprev_problem problem;
    fprev_options options;
    bool all_elements, quiet;
    int n_threads; /* 0: as the environment says */
    int timeout_s; /* for one call */
    int limit_s;   /* for all of them; 0: none */
    /* Instead of revealing: results for the input of mask_i, mask_j (-1: none), then of
     * random terms. */
    int n_inputs;
    int64_t mask_i, mask_j;
} fprev_request;

/* One order, and the results that share it. */
typedef struct {
    int64_t element, n_same;
    fprev_result result;
} fprev_record;

typedef struct {
    int exit; /* 0: records are valid; otherwise error is */
    char error[320], symbol[64];
    fprev_function f; /* what it is, not how to call it */
    int n_records;
    fprev_record *record;
    double *value; /* n_inputs */
} fprev_reply;

/* Runs the request in a child and shows progress: on a terminal always, elsewhere one line
 * when it takes long. */
void fprev_session(const fprev_request *q, fprev_reply *reply);

/* What happens in the child: loads the target, does what is asked and writes a reply, its values,
 * its records and their trees (parents, marks) to f. False if that could not be written. */
bool fprev_work(const fprev_request *q, FILE *f, volatile int64_t *calls);

void fprev_reply_free(fprev_reply *reply);

/* The terms of input k of a request, as they are made in the child. */
void fprev_input_terms(const fprev_request *q, const fprev_function *f, int k, double *a,
                       double *b);
