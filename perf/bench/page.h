/* The page of results: what was measured where, a picture and a table for each suite. */
#ifndef EXB_PERF_PAGE_H
#define EXB_PERF_PAGE_H

#include "table.h"

/* How it was run; `command` is the line that makes the page again. */
typedef struct {
    const char *processor, *version, *commit, *kernels, *compiler, *command;
    int n_processors;
    double load; /* average over the last minute: other programs */
} page_run;

void page_write_head(FILE *f, const page_run *r);

/* `kernels` name the instruction set; `pictures` is the folder of the pictures as seen from the
 * page, or NULL. */
void page_write_suite(FILE *f, const bench_table *t, const char *kernels, const char *pictures);

#endif
