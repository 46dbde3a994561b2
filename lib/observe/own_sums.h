/* Sums that Python libraries computed by loops of their own, for the report. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum { EXB_NUMPY, EXB_PANDAS, EXB_N_LIBRARIES } exb_library;

/* One more sum, and why it was not ours, in up to 63 bytes; NULL: from now on they are counted. Any
 * thread. */
__attribute__((visibility("default"))) void exb_report_own(exb_library library, const char *reason);

bool exb_own_sums_are_counted(void);

/* Whether NumPy is loaded. */
bool exb_own_sums_matter(void);

typedef struct {
    char reason[64];
    exb_library library;
    uint64_t count;
} exb_own_sum;

/* The i-th entry, whose count may be 0; false past the end. */
bool exb_own_sum_at(int i, exb_own_sum *out);
