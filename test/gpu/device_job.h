/* A device, and calls there of the cases that tests of the processor have (case.h). On OpenCL's
 * first device (on_opencl.c), or on CUDA's current one (on_cuda.c), which may be emulated. */
#pragma once

#include "call.h"
#include "fuzz/differential/numbers.h"

/* --- what a backend has ------------------------------------------------------------------------
 */

/* False, with the reason, if there is none. group: of work-items, and everything else small
 * (device_set); 0 for the standard. */
bool device_open(int group, const char **why);
void device_close(void);

/* What fails ends the program. */
void *device_upload(size_t bytes, const void *data);
void device_download(void *from, size_t bytes, void *to);
void device_release(void *memory);

/* The place so many bytes behind the start, or where calls have offsets the start. */
void *device_place(void *memory, size_t bytes);

/* The routine, whose operands and indices on the device begin with element `at` of their memory,
 * and the result with the second element. */
exblas_status device_run(const fuzz_case *c, const routine_call *q, void *index, size_t at);

/* With operands in the host's memory; EXBLAS_EUNSUPPORTED: the library has no such routine. */
exblas_status device_run_host(const fuzz_case *c, const routine_call *q);
const char *device_last_error(void);

/* --- for all of them ---------------------------------------------------------------------------
 */

/* Sets parameters, so that groups have that size and, unless groups_alone, slices, blocks and
 * panels are small. */
exblas_status device_set(int group, bool groups_alone,
                         exblas_status (*set)(const char *routine, const char *name, int value));

/* Whether the routine is one of the library's; and how many numbers or products a case adds up. */
extern const char device_routines[]; /* their names, with blanks around each */
bool device_has(const fuzz_routine *r);
double device_work(const fuzz_case *c);

/* Makes the call of a case there, its operands being in the host's memory if the case has several
 * threads and the library such calls: what is wrong besides numbers, or NULL (fuzz_elsewhere). */
const char *device_make(const fuzz_case *c, const fuzz_memory *m, fuzz_arguments *a);

typedef struct {
    void *operand[N_OPERANDS], *index, *result;
} device_operands;

/* A case that is called step by step: its memory before the call and as the processor leaves it,
 * and on the device. */
typedef struct {
    fuzz_case c;
    fuzz_memory before, wanted;
    fuzz_arguments a;
    device_operands d;
} device_job;

/* One of numbers of one style, alpha being 3/4, beta -3/2. */
fuzz_case case_of(const char *routine, int m, int n, int k, fuzz_style style, const char *method);

/* The case is the job's from now on. */
device_job *job_of(fuzz_case c);
void job_free(device_job *j);

/* As before the first call, with the indices that j->c has now. */
void job_reset(device_job *j);
exblas_status job_call(device_job *j);

/* Whether all memory is as before the call; or what the call does not write; or all of it has the
 * processor's bits, gaps and what lies around included, which says what differs. */
bool job_is_untouched(const device_job *j);
bool job_is_contained(const device_job *j);
bool job_is_right(const device_job *j);
