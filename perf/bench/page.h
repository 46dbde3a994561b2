/* The page of results: a table for each instruction set, whose rows are series of TABLE_RATIOS, and
 * pictures. What is measured is added at once, and what the page has is not measured again, so that
 * it can be made in pieces. */
#pragma once

#include "table.h"

typedef struct bench_page bench_page;

/* `machine` is what was measured where; `commit` must be that of the rows which are there.
 * `append`: goes on with the file, if there is one. After so many seconds nothing is lacking any
 * more. Ends the program, with a message, if the file cannot be written, as the functions below do.
 */
bench_page *page_open(const char *path, bool append, const char *machine, const char *kernels,
                      const char *commit, double seconds);

/* If not, the values are those of the page, or there is no time. */
bool page_lacks_row(bench_page *p, bench_table *t, int series);
void page_add_row(bench_page *p, const bench_table *t, int series);

bool page_lacks_picture(bench_page *p, const char *suite);
void page_add_picture(bench_page *p, const bench_table *t, const char *folder);

/* Whether all that was asked for was measured. */
bool page_is_done(const bench_page *p);
