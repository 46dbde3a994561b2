/* A call of the list in expected.h with its operands on the emulated device, and the bits that the
 * processor's routine gives. The output lies between guards. */
#pragma once

#include "expected.h"

#include <exblas/cuda.h>

typedef struct {
    expected_case e;
    void *input; /* the output's first contents */
    char wanted[24];
    void *a, *b, *index, *guarded; /* on the device */
} device_job;

/* The list by what it consists of: size, kind (0: hard sums, 1: integers, 2: moderate), type (0:
 * float, 1: double), option (1: transposed, beta = 0). */
int job_number(int size, int kind, int type, int option);

/* Fails the test if there is no memory. */
device_job job_make(int number);
void job_free(device_job *j);

/* As before the first call. */
void job_reset(device_job *j);

exblas_status job_call(device_job *j, exblas_cuda_handle handle);

/* The output, after everything on the device has ended: the guards are whole, and it is what it was
 * before the call, or has the wanted bits. Fails the test if the guards are not whole. */
bool job_is_untouched(device_job *j);
bool job_is_right(device_job *j);
