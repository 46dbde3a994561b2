/* Mat types "seqaijexblas" and "mpiaijexblas": PETSc's own AIJ matrices, whose products with
 * vectors are computed here: each element of the result rounded once, wherever its terms come from.
 */
#include "petsc/petsc_plugin.h"

#include "exblas/mpi_sparse.h"

#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */

/* What products need of a matrix: copies of it as it was in this state, or NULL. */
typedef struct {
    PetscObjectState state;
    exblas_mpi_dcsr *rows;
    Mat transpose;
} product_data;

#define PRODUCT_DATA "exblas_product_data"

static PetscErrorCode free_copies(product_data *d)
{
    PetscFunctionBegin;
    PetscCallMPI(exblas_mpi_dcsr_free(d->rows));
    d->rows = NULL;
    PetscCall(MatDestroy(&d->transpose));
    PetscFunctionReturn(0);
}

static PetscErrorCode free_data(void *p)
{
    PetscFunctionBegin;
    PetscCall(free_copies(p));
    PetscCall(PetscFree(p));
    PetscFunctionReturn(0);
}

/* Without copies if the matrix has changed. */
static PetscErrorCode get_data(Mat a, product_data **d)
{
    PetscContainer box;
    PetscObjectState state;
    PetscFunctionBegin;
    PetscCall(PetscObjectQuery((PetscObject)a, PRODUCT_DATA, (PetscObject *)&box));
    if (!box) {
        PetscCall(PetscNew(d));
        PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)a), &box));
        PetscCall(PetscContainerSetPointer(box, *d));
        PetscCall(PetscContainerSetUserDestroy(box, free_data));
        PetscCall(PetscObjectCompose((PetscObject)a, PRODUCT_DATA, (PetscObject)box));
        PetscCall(PetscContainerDestroy(&box)); /* the matrix keeps it */
    } else {
        PetscCall(PetscContainerGetPointer(box, (void **)d));
    }
    PetscCall(PetscObjectStateGet((PetscObject)a, &state));
    if ((*d)->state != state)
        PetscCall(free_copies(*d));
    (*d)->state = state;
    PetscFunctionReturn(0);
}

/* --- rows ----------------------------------------------------------------------- */

/* A matrix of one process, whose column j is column map[j] of the whole or first + j. */
typedef struct {
    Mat mat;
    const PetscInt *map;
    PetscInt first, m;
    const PetscInt *start, *column;
    const PetscScalar *value;
} part;

static PetscErrorCode open_part(part *p)
{
    PetscBool done;
    PetscFunctionBegin;
    PetscCall(
        MatGetRowIJ(p->mat, 0, PETSC_FALSE, PETSC_FALSE, &p->m, &p->start, &p->column, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "the rows cannot be read");
    PetscCall(MatSeqAIJGetArrayRead(p->mat, &p->value));
    PetscFunctionReturn(0);
}

static PetscErrorCode close_part(part *p)
{
    PetscBool done;
    PetscFunctionBegin;
    PetscCall(MatSeqAIJRestoreArrayRead(p->mat, &p->value));
    PetscCall(
        MatRestoreRowIJ(p->mat, 0, PETSC_FALSE, PETSC_FALSE, &p->m, &p->start, &p->column, &done));
    PetscFunctionReturn(0);
}

/* Rows of entries, columns numbered over all processes. */
typedef struct {
    exblas_int64 *start, *column;
    PetscScalar *value;
} rows;

static void add_row(const part *p, PetscInt i, rows *r, exblas_int64 *at)
{
    for (PetscInt e = p->start[i]; e < p->start[i + 1]; e++) {
        PetscInt j = p->column[e];
        r->column[*at] = p->map ? p->map[j] : p->first + j;
        r->value[(*at)++] = p->value[e];
    }
}

static PetscErrorCode make_rows(Mat a, int n_parts, part *p, exblas_mpi_dcsr **out)
{
    rows r;
    PetscInt m, n;
    exblas_int64 n_entries = 0, at = 0;
    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(a, &m, &n));
    for (int k = 0; k < n_parts; k++) {
        PetscCall(open_part(&p[k]));
        n_entries += p[k].start[p[k].m];
    }
    PetscCall(PetscMalloc3(m + 1, &r.start, n_entries, &r.column, n_entries, &r.value));
    r.start[0] = 0;
    for (PetscInt i = 0; i < m; i++) {
        for (int k = 0; k < n_parts; k++)
            add_row(&p[k], i, &r, &at);
        r.start[i + 1] = at;
    }
    for (int k = 0; k < n_parts; k++)
        PetscCall(close_part(&p[k]));
    PetscCallMPI(exblas_mpi_dcsr_create(m, n, r.start, r.column, r.value,
                                        PetscObjectComm((PetscObject)a), out));
    PetscCall(PetscFree3(r.start, r.column, r.value));
    PetscFunctionReturn(0);
}

/* The matrix as it is now. */
static PetscErrorCode current_rows(Mat a, exblas_mpi_dcsr **out)
{
    product_data *d;
    PetscMPIInt size;
    part p[2] = {{.mat = a}};
    PetscFunctionBegin;
    PetscCall(get_data(a, &d));
    if (!d->rows) {
        PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)a), &size));
        if (size > 1) {
            PetscCall(MatMPIAIJGetSeqAIJ(a, &p[0].mat, &p[1].mat, &p[1].map));
            PetscCall(MatGetOwnershipRangeColumn(a, &p[0].first, NULL));
        }
        PetscCall(make_rows(a, size > 1 ? 2 : 1, p, &d->rows));
    }
    *out = d->rows;
    PetscFunctionReturn(0);
}

static PetscErrorCode current_transpose(Mat a, Mat *out)
{
    product_data *d;
    PetscFunctionBegin;
    PetscCall(get_data(a, &d));
    if (!d->transpose)
        PetscCall(MatTranspose(a, MAT_INITIAL_MATRIX, &d->transpose));
    *out = d->transpose;
    PetscFunctionReturn(0);
}

/* --- products ------------------------------------------------------------------- */

/* y = A x + beta y */
static PetscErrorCode multiply_add(Mat a, Vec x, PetscScalar beta, Vec y)
{
    exblas_mpi_dcsr *r = NULL;
    const PetscScalar *px;
    PetscScalar *py;
    PetscFunctionBegin;
    PetscCall(current_rows(a, &r));
    PetscCall(VecGetArrayRead(x, &px));
    PetscCall(VecGetArray(y, &py));
    PetscCallMPI(exblas_mpi_dcsr_mv(r, 1, px, beta, py));
    PetscCall(VecRestoreArrayRead(x, &px));
    PetscCall(VecRestoreArray(y, &py));
    PetscFunctionReturn(0);
}

static PetscErrorCode mult(Mat a, Vec x, Vec y)
{
    return multiply_add(a, x, 0, y);
}

/* z = y + A x; z may be y. */
static PetscErrorCode mult_add(Mat a, Vec x, Vec y, Vec z)
{
    PetscFunctionBegin;
    if (y != z)
        PetscCall(VecCopy(y, z));
    PetscCall(multiply_add(a, x, 1, z));
    PetscFunctionReturn(0);
}

static PetscErrorCode mult_transpose(Mat a, Vec x, Vec y)
{
    Mat t = NULL;
    PetscFunctionBegin;
    PetscCall(current_transpose(a, &t));
    PetscCall(mult(t, x, y));
    PetscFunctionReturn(0);
}

static PetscErrorCode mult_transpose_add(Mat a, Vec x, Vec y, Vec z)
{
    Mat t = NULL;
    PetscFunctionBegin;
    PetscCall(current_transpose(a, &t));
    PetscCall(mult_add(t, x, y, z));
    PetscFunctionReturn(0);
}

/* --- the types ------------------------------------------------------------------ */

static PetscErrorCode create(Mat a, MatType base, MatType type)
{
    PetscFunctionBegin;
    PetscCall(MatSetType(a, base));
    PetscCall(PetscObjectChangeTypeName((PetscObject)a, type));
    PetscCall(MatSetVecType(a, EXB_PETSC_VEC));
    PetscCall(MatSetOperation(a, MATOP_MULT, (void (*)(void))mult));
    PetscCall(MatSetOperation(a, MATOP_MULT_ADD, (void (*)(void))mult_add));
    PetscCall(MatSetOperation(a, MATOP_MULT_TRANSPOSE, (void (*)(void))mult_transpose));
    PetscCall(MatSetOperation(a, MATOP_MULT_TRANSPOSE_ADD, (void (*)(void))mult_transpose_add));
    PetscFunctionReturn(0);
}

PetscErrorCode exb_petsc_create_seq_mat(Mat a)
{
    return create(a, MATSEQAIJ, EXB_PETSC_SEQ_MAT);
}

PetscErrorCode exb_petsc_create_mpi_mat(Mat a)
{
    return create(a, MATMPIAIJ, EXB_PETSC_MPI_MAT);
}
