#include "gpu/opencl/matrix_call.h"

#include "core/check/check.h"

/* Where a check reports to; the first member, so that the report finds the rest. */
typedef struct {
    exb_site site;
    exb_gpu *gpu;
} check_site;

static void report(const exb_site *site, exb_fault fault)
{
    const check_site *s = (const check_site *)site;
    exb_gpu_fail(s->gpu, EXBLAS_EINVAL, "argument %d of %s is not valid (numbers as in cblas_%s)",
                 fault.position, site->routine, site->routine);
}

static check_site site_of(exb_gpu *gpu, const char *routine)
{
    return (check_site){{routine, EXB_CALL_CBLAS, report}, gpu};
}

static void check(const check_site *s, exb_fault fault)
{
    exb_rejected(&s->site, fault);
}

void exb_cl_check_gemv(exb_gpu *gpu, const exb_cl_arguments *a)
{
    check_site s = site_of(gpu, "gemv");
    check(&s, exb_check_gemv(&s.site, a->layout, a->trans, (int64_t)a->m, (int64_t)a->n,
                             (int64_t)a->lda, a->incx, a->incy));
}

void exb_cl_check_trsv(exb_gpu *gpu, const exb_cl_arguments *a)
{
    check_site s = site_of(gpu, "trsv");
    check(&s, exb_check_trsv(&s.site, EXB_FULL, a->layout, a->uplo, a->trans, a->diag,
                             (int64_t)a->n, 0, (int64_t)a->lda, a->incx));
}

void exb_cl_check_gemm(exb_gpu *gpu, const exb_cl_arguments *a)
{
    check_site s = site_of(gpu, "gemm");
    check(&s, exb_check_gemm(&s.site, a->layout, a->trans, a->transb, (int64_t)a->m, (int64_t)a->n,
                             (int64_t)a->k, (int64_t)a->lda, (int64_t)a->ldb, (int64_t)a->ldc));
}

/* `outer` runs of `inner` elements, ld apart. */
static void check_room(exb_gpu *gpu, const char *name, size_t element, cl_mem buffer, size_t offset,
                       size_t outer, size_t inner, size_t ld)
{
    size_t last;
    if (__builtin_add_overflow(offset, inner - 1, &last))
        exb_gpu_fail(gpu, EXBLAS_EINVAL, "the offset of %s is too large", name);
    else
        exb_cl_check_vector(gpu, name, buffer, last, outer, (int64_t)ld, element);
}

exb_gpu_matrix exb_cl_matrix(exb_gpu *gpu, const char *name, bool is_s, int layout, int trans,
                             size_t rows, size_t cols, cl_mem buffer, size_t offset, size_t ld)
{
    size_t element = is_s ? sizeof(float) : sizeof(double);
    exb_gpu_matrix a = {{buffer, offset * element}, (exb_i64)ld, 1};
    bool row_is_run = (layout == EXB_ROW_MAJOR) == (trans == EXB_NO_TRANS);
    if (!row_is_run) {
        a.row = 1;
        a.col = (exb_i64)ld;
    }
    if (!exb_gpu_status(gpu) && rows > 0 && cols > 0)
        check_room(gpu, name, element, buffer, offset, row_is_run ? rows : cols,
                   row_is_run ? cols : rows, ld);
    return a;
}

exb_gpu_vector exb_cl_vector(exb_gpu *gpu, const char *name, bool is_s, size_t n, cl_mem buffer,
                             size_t offset, exblas_int64 inc)
{
    size_t element = is_s ? sizeof(float) : sizeof(double);
    exb_gpu_vector v = {{buffer, offset * element}, inc};
    if (exb_gpu_status(gpu) || n == 0)
        return v;
    exb_cl_check_vector(gpu, name, buffer, offset, n, inc, element);
    if (inc < 0)
        v.at.offset += (n - 1) * ((size_t)0 - (size_t)inc) * element;
    return v;
}

exb_cl_system exb_cl_lower(bool is_s, bool is_lower, size_t n, exb_gpu_matrix t, exb_gpu_vector x)
{
    exb_i64 last = (exb_i64)n - 1;
    if (is_lower || n == 0)
        return (exb_cl_system){t, x};
    return (exb_cl_system){
        {exb_gpu_element(t.at, last * t.row + last * t.col, is_s), -t.row, -t.col},
        {exb_gpu_element(x.at, last * x.inc, is_s), -x.inc}};
}
