/* The first OpenCL device, buffers with guards, and group sizes, for tests of kernels. */
#pragma once

#include "testing.h"

#include <exblas/exblas.h>
#include <exblas/opencl.h>

/* False if there is no device: the test says that it is skipped and ends. */
bool gpu_start(void);

/* Context, an in-order queue and one that is not (NULL where the device has none). */
cl_context gpu_context(void);
cl_command_queue gpu_queue(void);
cl_command_queue gpu_free_queue(void);

/* References to the context when all commands have ended: 1, the queues, and those of buffers and
 * programs. Waits until they are as many as wanted, or, if that is 0, a while; not for ever. */
cl_uint gpu_references(cl_uint wanted);

/* Everything goes, the library's part too; false if something is left. */
bool gpu_end(void);

/* For main: runs the tests (run_each or the like), or reports in TAP that they are skipped. */
#define gpu_run(tests) (gpu_start() ? (tests) + !gpu_end() : gpu_skip())
int gpu_skip(void);

/* Fails with the library's own words unless status is EXBLAS_OK. */
void gpu_ok(exblas_status status);

/* The call has that status, and the library says these words. */
#define gpu_refused(wanted, status, words) gpu_refused_at((wanted), (status), (words), __LINE__)
void gpu_refused_at(exblas_status wanted, exblas_status status, const char *words, int line);

/* A buffer of these bytes, and back, also of other contexts than gpu_context. */
cl_mem gpu_buffer(cl_context context, size_t bytes, const void *data);
void gpu_read(cl_command_queue queue, cl_mem buffer, size_t from, size_t bytes, void *to);

/* A buffer of `n` numbers of a format ('s' or 'd') behind `offset` NaN and before another one, and
 * back as doubles. */
cl_mem gpu_vector(char type, int64_t n, const double *x, int64_t offset);
double gpu_element(cl_mem buffer, char type, size_t index);

/* The sizes of work-groups that kernels are tested with. */
enum { GPU_N_GROUPS = 7 };
extern const int gpu_groups[GPU_N_GROUPS];
