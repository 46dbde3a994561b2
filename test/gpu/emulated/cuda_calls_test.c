/* The host code of libexblas_cuda on a device that computes nothing: parameters, launches,
 * scratch memory. */
#include "emulated_device.h"
#include "exblas/cuda.h"
#include "gpu/cuda/handle.h"
#include "gpu/flow/params.h"
#include "testing.h"

static exblas_cuda_handle handle;
static double x[16], z[16];
static float f[16];

static int setup(NO_STATE)
{
    emulated.idle = true;
    return exblas_cuda_create(&handle);
}

static int teardown(NO_STATE)
{
    return exblas_cuda_destroy(handle) || emulated.live != 0;
}

/* A value of its own for each. */
static int value_of(int i)
{
    const exb_gpu_known_param *p = &exb_gpu_known_params[i];
    return p->least + i % (p->most - p->least + 1);
}

static int param_now(const exb_gpu_known_param *p)
{
    exb_gpu gpu;
    assert_true(exb_cuda_begin(&gpu, handle));
    int value = exb_gpu_param(&gpu, p->routine, p->name, -1);
    exb_cuda_end(&gpu);
    return value;
}

/* Every parameter has a place: none takes that of another one. */
static void params(NO_STATE)
{
    int n = exb_gpu_n_known_params;
    for (int i = 0; i < n; i++) {
        const exb_gpu_known_param *p = &exb_gpu_known_params[i];
        assert_int_equal(exblas_cuda_set_param(handle, p->routine, p->name, value_of(i)),
                         EXBLAS_OK);
    }
    for (int i = 0; i < n; i++)
        assert_int_equal(param_now(&exb_gpu_known_params[i]), value_of(i));
    assert_in_range(n, 20, 1000);
    assert_int_equal(exblas_cuda_set_param(handle, "dgemv", "group", 257), EXBLAS_EINVAL);
    assert_int_equal(exblas_cuda_set_param(handle, "dgemm", "colour", 1), EXBLAS_EINVAL);
}

/* A sum is two launches and nothing else: each of them, of clears and of copies costs as much as to
 * read 10 MB. Of both parts of a complex one, two each. */
static void few_launches(NO_STATE)
{
    emulated.launches = emulated.copies = 0;
    assert_int_equal(exblas_cuda_dsum(handle, 1000000, x, 1, z), EXBLAS_OK);
    assert_int_equal(exblas_cuda_sdot(handle, 1000000, f, 1, f, 2, f), EXBLAS_OK);
    assert_int_equal(exblas_cuda_dnrm2(handle, 3, x, 1, z), EXBLAS_OK);
    assert_int_equal(emulated.launches, 6);
    assert_int_equal(exblas_cuda_zdotc(handle, 1000, x, 1, x, 1, z), EXBLAS_OK);
    assert_int_equal(emulated.launches, 10);
    assert_int_equal(emulated.copies, 0);
}

int main(void)
{
    return run_each_between(setup, teardown, params, few_launches);
}
