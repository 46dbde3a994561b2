/* A dot on the first OpenCL device, twice: from buffers on the device, and from the host's memory.
 *
 *   cc opencl.c $(pkg-config --cflags --libs exblas-opencl) -o opencl && ./opencl
 */
#include <exblas/cblas.h>
#include <exblas/opencl.h>
#include <stdio.h>
#include <string.h>

enum { N = 100000 };

static double x[N], y[N];

/* The result stays on the device until it is read. */
static exblas_status dot_of_buffers(cl_context context, cl_command_queue queue, double *result)
{
    cl_event done;
    cl_mem bx = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL);
    cl_mem by = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof y, y, NULL);
    cl_mem br = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof *result, NULL, NULL);
    exblas_status status = exblas_cl_ddot(queue, N, bx, 0, 1, by, 0, 1, br, 0, 0, NULL, &done);
    if (status == EXBLAS_OK) {
        clEnqueueReadBuffer(queue, br, CL_TRUE, 0, sizeof *result, result, 1, &done, NULL);
        clReleaseEvent(done);
    }
    clReleaseMemObject(bx);
    clReleaseMemObject(by);
    clReleaseMemObject(br);
    return status;
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
        printf("no OpenCL device\n");
        return 0;
    }
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    for (int i = 0; i < N; i++) {
        x[i] = (i % 2 ? -1e10 : 1e10) / (i + 1);
        y[i] = 1.0 / (i + 3);
    }
    double on_device = 0, from_host = 0, on_cpu = excblas_ddot(N, x, 1, y, 1);
    exblas_status status = dot_of_buffers(context, queue, &on_device);
    if (status == EXBLAS_OK)
        status = exblas_cl_host_ddot(queue, N, x, 1, y, 1, &from_host);
    if (status != EXBLAS_OK)
        fprintf(stderr, "%s\n", exblas_cl_last_error());
    printf("CPU     %.17g\ndevice  %.17g\nhost    %.17g\n", on_cpu, on_device, from_host);
    exblas_cl_release(context);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return status != EXBLAS_OK;
}
