/* Calls of which a device and the processor give the same bits. */
#pragma once

#include "gpu/calls/device_case.h"
#include "gpu/calls/on_device.h"

/* A case with its operands: a, b and what is written, here (as before the call) and on the device,
 * and the processor's result. */
typedef struct {
    device_case c;
    size_t bytes[3];
    char *x[3], *wanted;
    int32_t *index; /* of scatter-add */
    void *y[3], *y_index;
} device_job;

device_job job_make(test_random *r, const device_case *c);

/* A size of a routine; one job of it, whose alpha is not 0. */
typedef struct {
    routine which;
    int m, n, k;
} device_size;

device_job job_of(const device_size *s, char type, int kind, const char *method);
void job_free(device_job *j);

/* As before the first call. */
void job_reset(device_job *j);

/* Again, after a change of j->index. */
void job_upload_index(device_job *j);

exblas_status job_call(device_job *j);

/* Whether all of the output's memory is as before the call; or what lies around the output; or all
 * of it has the processor's bits, gaps and what lies around included, which says what differs; the
 * same for a call on the host's memory, if there is such a one. */
bool job_is_untouched(const device_job *j);
bool job_is_contained(const device_job *j);
bool job_is_right(const device_job *j);
bool job_is_right_on_host(const device_job *j);
