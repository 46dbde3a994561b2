/* Mat types "seqaijexblas" and "mpiaijexblas": PETSc's own AIJ matrices, whose products with
 * vectors are computed here: each element of the result rounded once, wherever its terms come from.
 */
#include "petsc/petsc_plugin.h"

#include "exblas/mpi_sparse.h"

#include <petsc/private/petscimpl.h> /* PetscObjectStateGet */
#include <stdbool.h>

/* What products need of a matrix: copies of it as it was in this state, or NULL. */
typedef struct {
    PetscObjectState state;
    exblas_mpi_dcsr *rows[2]; /* of the matrix, of its transpose */
} product_data;

#define PRODUCT_DATA "exblas_product_data"

static PetscErrorCode free_copies(product_data *d)
{
    PetscFunctionBegin;
    for (int i = 0; i < 2; i++) {
        PetscCallMPI(exblas_mpi_dcsr_free(d->rows[i]));
        d->rows[i] = NULL;
    }
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

static PetscErrorCode make_rows(Mat a, exblas_mpi_dcsr **out)
{
    exblas_int64 *start, *column;
    PetscScalar *value;
    MatInfo info;
    PetscInt m, n, first, n_row;
    const PetscInt *j;
    const PetscScalar *v;
    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(a, &m, &n));
    PetscCall(MatGetOwnershipRange(a, &first, NULL));
    PetscCall(MatGetInfo(a, MAT_LOCAL, &info));
    PetscCall(
        PetscMalloc3(m + 1, &start, (size_t)info.nz_used, &column, (size_t)info.nz_used, &value));
    start[0] = 0;
    for (PetscInt i = 0; i < m; i++) {
        PetscCall(MatGetRow(a, first + i, &n_row, &j, &v));
        start[i + 1] = start[i] + n_row;
        for (PetscInt e = 0; e < n_row; e++) {
            column[start[i] + e] = j[e];
            value[start[i] + e] = v[e];
        }
        PetscCall(MatRestoreRow(a, first + i, &n_row, &j, &v));
    }
    PetscCallMPI(
        exblas_mpi_dcsr_create(m, n, start, column, value, PetscObjectComm((PetscObject)a), out));
    PetscCall(PetscFree3(start, column, value));
    PetscFunctionReturn(0);
}

/* The matrix, or its transpose, as it is now. */
static PetscErrorCode current_rows(Mat a, bool transposed, exblas_mpi_dcsr **out)
{
    product_data *d;
    Mat t = a;
    PetscFunctionBegin;
    PetscCall(get_data(a, &d));
    if (!d->rows[transposed]) {
        if (transposed)
            PetscCall(MatTranspose(a, MAT_INITIAL_MATRIX, &t));
        PetscCall(make_rows(t, &d->rows[transposed]));
        if (transposed)
            PetscCall(MatDestroy(&t));
    }
    *out = d->rows[transposed];
    PetscFunctionReturn(0);
}

/* --- products ------------------------------------------------------------------- */

/* y = op(A) x + beta y */
static PetscErrorCode multiply(Mat a, bool transposed, Vec x, PetscScalar beta, Vec y)
{
    exblas_mpi_dcsr *r = NULL;
    const PetscScalar *px;
    PetscScalar *py;
    PetscFunctionBegin;
    PetscCall(current_rows(a, transposed, &r));
    PetscCall(VecGetArrayRead(x, &px));
    PetscCall(VecGetArray(y, &py));
    PetscCallMPI(exblas_mpi_dcsr_mv(r, 1, px, beta, py));
    PetscCall(VecRestoreArrayRead(x, &px));
    PetscCall(VecRestoreArray(y, &py));
    PetscFunctionReturn(0);
}

/* z = y + op(A) x; z may be y. */
static PetscErrorCode multiply_add(Mat a, bool transposed, Vec x, Vec y, Vec z)
{
    PetscFunctionBegin;
    if (y != z)
        PetscCall(VecCopy(y, z));
    PetscCall(multiply(a, transposed, x, 1, z));
    PetscFunctionReturn(0);
}

static PetscErrorCode mult(Mat a, Vec x, Vec y)
{
    return multiply(a, false, x, 0, y);
}

static PetscErrorCode mult_add(Mat a, Vec x, Vec y, Vec z)
{
    return multiply_add(a, false, x, y, z);
}

static PetscErrorCode mult_transpose(Mat a, Vec x, Vec y)
{
    return multiply(a, true, x, 0, y);
}

static PetscErrorCode mult_transpose_add(Mat a, Vec x, Vec y, Vec z)
{
    return multiply_add(a, true, x, y, z);
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
