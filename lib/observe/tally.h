/* What others tell the report: names of several kinds, of which copies are kept, and how often each
 * came. Without locks, since a child of fork may come from the middle of anything. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why sums were not ours that Python libraries computed by loops of their own; files of LAPACKs
 * that calls were led to; distributed routines. */
typedef enum { EXB_NUMPY, EXB_PANDAS, EXB_LAPACKS, EXB_DISTRIBUTED, EXB_N_TALLIES } exb_tally_kind;

typedef struct {
    _Atomic(char *) name;
    _Atomic uint64_t count, bytes;
} exb_tally;

/* The next name of a kind, the first one after NULL; NULL past the last. Those that find no place
 * are "others". */
const exb_tally *exb_tally_next(exb_tally_kind kind, const exb_tally *before);

bool exb_own_sums_are_counted(void);

/* For the drop-in objects, libexblas_pblas and Python, too. Any thread. */
#pragma GCC visibility push(default)

/* One more sum that was a library's own; NULL: from now on they are counted. */
void exb_report_own(exb_tally_kind library, const char *reason);

/* The file of a LAPACK. */
void exb_report_lapack(const char *path);

/* A call of a distributed routine begins: what this thread sends from now on is its. */
void exb_report_distributed(const char *routine);
void exb_report_sent(size_t bytes);

#pragma GCC visibility pop
