/* What EXBLAS_VERBOSE and EXBLAS_REPORT ask for: a line a call, a table when the process ends. */
#pragma once

#include "exblas/exblas.h"
#include "observe/routine.h"

/* verbose: NULL or "0" nothing, "1" a line a call, "2" a table at exit; file: where the table goes,
 * in JSON if the name ends in .json, "-" for stderr, %p being the process's number. Switches
 * statistics on as needed. */
void exb_report_configure(const char *verbose, const char *file);

/* One call that has ended, for EXBLAS_VERBOSE=1. */
void exb_report_call(const exb_routine *r, const exb_value *v, const exblas_stats *s);

/* What was asked for, when the process ends. */
void exb_report_write(void);
