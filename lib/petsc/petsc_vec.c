/* Vec type "exblas": PETSc's own vectors, of which dot products, norms and linear combinations are
 * computed here: each dot exact over all processes and rounded once, each element of an update
 * rounded once (of axpbypcz: twice). */
#include "petsc/petsc_plugin.h"

#include "exblas/cblas.h"
#include "exblas/mpi.h"

#include <petsc/private/vecimpl.h>

/* --- sums ----------------------------------------------------------------------- */

static PetscErrorCode add_dot(exblas_acc *sum, Vec x, Vec y)
{
    const PetscScalar *px, *py;
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(x, &px));
    PetscCall(VecGetArrayRead(y, &py));
    exblas_acc_init(sum);
    exblas_acc_add_dot(sum, x->map->n, px, 1, py, 1);
    PetscCall(VecRestoreArrayRead(x, &px));
    PetscCall(VecRestoreArrayRead(y, &py));
    PetscFunctionReturn(0);
}

/* All products in one message. */
static PetscErrorCode dots(MPI_Comm comm, Vec x, PetscInt n, const Vec y[], PetscScalar *result)
{
    exblas_acc *sum;
    PetscFunctionBegin;
    PetscCall(PetscMalloc1(n, &sum));
    for (PetscInt i = 0; i < n; i++)
        PetscCall(add_dot(&sum[i], x, y[i]));
    PetscCallMPI(exblas_mpi_allreduce(MPI_IN_PLACE, sum, (int)n, comm));
    for (PetscInt i = 0; i < n; i++)
        result[i] = exblas_acc_to_double(&sum[i]);
    PetscCall(PetscFree(sum));
    PetscFunctionReturn(0);
}

static PetscErrorCode mdot(Vec x, PetscInt n, const Vec y[], PetscScalar *result)
{
    return dots(PetscObjectComm((PetscObject)x), x, n, y, result);
}

static PetscErrorCode dot_vectors(Vec x, Vec y, PetscScalar *result)
{
    return dots(PetscObjectComm((PetscObject)x), x, 1, &y, result);
}

static PetscErrorCode mdot_local(Vec x, PetscInt n, const Vec y[], PetscScalar *result)
{
    return dots(PETSC_COMM_SELF, x, n, y, result);
}

static PetscErrorCode dot_local(Vec x, Vec y, PetscScalar *result)
{
    return dots(PETSC_COMM_SELF, x, 1, &y, result);
}

static PetscErrorCode dotnorm2(Vec x, Vec y, PetscScalar *product, PetscScalar *square)
{
    Vec both[2] = {x, y};
    PetscScalar result[2];
    PetscFunctionBegin;
    PetscCall(mdot(y, 2, both, result));
    *product = result[0];
    *square = result[1];
    PetscFunctionReturn(0);
}

/* PETSc adds up what processes return: all of it from the first one, and zeros. */
static PetscErrorCode sum(Vec x, PetscScalar *result)
{
    MPI_Comm comm = PetscObjectComm((PetscObject)x);
    const PetscScalar *p;
    PetscMPIInt rank;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    PetscCall(VecGetArrayRead(x, &p));
    PetscScalar all = exblas_mpi_dsum_64(x->map->n, p, 1, comm);
    *result = rank == 0 ? all : 0;
    PetscCall(VecRestoreArrayRead(x, &p));
    PetscFunctionReturn(0);
}

static PetscErrorCode norm_over(MPI_Comm comm, Vec x, NormType type, PetscReal *result)
{
    const PetscScalar *p;
    PetscInt n = x->map->n;
    PetscReal *two = type == NORM_1_AND_2 ? result + 1 : result;
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(x, &p));
    if (type == NORM_1 || type == NORM_1_AND_2)
        *result = exblas_mpi_dasum_64(n, p, 1, comm);
    if (type == NORM_2 || type == NORM_FROBENIUS || type == NORM_1_AND_2)
        *two = exblas_mpi_dnrm2_64(n, p, 1, comm);
    if (type == NORM_INFINITY) {
        PetscReal most = n > 0 ? PetscAbsScalar(p[excblas_idamax_64(n, p, 1)]) : 0;
        PetscCallMPI(MPI_Allreduce(&most, result, 1, MPIU_REAL, MPIU_MAX, comm));
    }
    PetscCall(VecRestoreArrayRead(x, &p));
    PetscFunctionReturn(0);
}

static PetscErrorCode norm(Vec x, NormType type, PetscReal *result)
{
    return norm_over(PetscObjectComm((PetscObject)x), x, type, result);
}

static PetscErrorCode norm_local(Vec x, NormType type, PetscReal *result)
{
    return norm_over(PETSC_COMM_SELF, x, type, result);
}

/* --- linear combinations -------------------------------------------------------- */

/* y = alpha x + beta y */
static PetscErrorCode axpby(Vec y, PetscScalar alpha, PetscScalar beta, Vec x)
{
    const PetscScalar *px;
    PetscScalar *py;
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(x, &px));
    PetscCall(VecGetArray(y, &py));
    excblas_daxpby_64(y->map->n, alpha, px, 1, beta, py, 1);
    PetscCall(VecRestoreArrayRead(x, &px));
    PetscCall(VecRestoreArray(y, &py));
    PetscFunctionReturn(0);
}

static PetscErrorCode axpy(Vec y, PetscScalar alpha, Vec x)
{
    return axpby(y, alpha, 1, x);
}

static PetscErrorCode aypx(Vec y, PetscScalar beta, Vec x)
{
    return axpby(y, 1, beta, x);
}

/* w = alpha x + y; w is neither. */
static PetscErrorCode waxpy(Vec w, PetscScalar alpha, Vec x, Vec y)
{
    PetscFunctionBegin;
    PetscCall(VecCopy(y, w));
    PetscCall(axpy(w, alpha, x));
    PetscFunctionReturn(0);
}

static PetscErrorCode maxpy(Vec y, PetscInt n, const PetscScalar *alpha, Vec *x)
{
    PetscFunctionBegin;
    for (PetscInt i = 0; i < n; i++)
        PetscCall(axpy(y, alpha[i], x[i]));
    PetscFunctionReturn(0);
}

/* z = alpha x + beta y + gamma z */
static PetscErrorCode axpbypcz(Vec z, PetscScalar alpha, PetscScalar beta, PetscScalar gamma, Vec x,
                               Vec y)
{
    PetscFunctionBegin;
    PetscCall(axpby(z, beta, gamma, y));
    PetscCall(axpy(z, alpha, x));
    PetscFunctionReturn(0);
}

static PetscErrorCode scale_vector(Vec x, PetscScalar alpha)
{
    PetscScalar *p;
    PetscFunctionBegin;
    PetscCall(VecGetArray(x, &p));
    excblas_dscal_64(x->map->n, alpha, p, 1);
    PetscCall(VecRestoreArray(x, &p));
    PetscFunctionReturn(0);
}

/* --- the type ------------------------------------------------------------------- */

/* A duplicate has the functions of its original, but PETSc's name for a vector over processes. */
static PetscErrorCode (*duplicate_base)(Vec, Vec *);

static PetscErrorCode duplicate(Vec v, Vec *copy)
{
    PetscFunctionBegin;
    PetscCall((*duplicate_base)(v, copy));
    PetscCall(PetscObjectChangeTypeName((PetscObject)*copy, EXB_PETSC_VEC));
    PetscFunctionReturn(0);
}

static void set_functions(VecOps ops)
{
    ops->dot = ops->tdot = dot_vectors;
    ops->mdot = ops->mtdot = mdot;
    ops->dot_local = ops->tdot_local = dot_local;
    ops->mdot_local = ops->mtdot_local = mdot_local;
    ops->dotnorm2 = dotnorm2;
    ops->norm = norm;
    ops->norm_local = norm_local;
    ops->sum = sum;
    ops->axpy = axpy;
    ops->aypx = aypx;
    ops->axpby = axpby;
    ops->waxpy = waxpy;
    ops->maxpy = maxpy;
    ops->axpbypcz = axpbypcz;
    ops->scale = scale_vector;
}

PetscErrorCode exb_petsc_create_vec(Vec v)
{
    PetscMPIInt size;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)v), &size));
    /* A vector that had PETSc's type keeps its name, not its functions, when the type changes. */
    PetscCall(PetscObjectChangeTypeName((PetscObject)v, NULL));
    PetscCall(VecSetType(v, size == 1 ? VECSEQ : VECMPI));
    PetscCall(PetscObjectChangeTypeName((PetscObject)v, EXB_PETSC_VEC));
    set_functions(v->ops);
    if (size > 1) {
        duplicate_base = v->ops->duplicate;
        v->ops->duplicate = duplicate;
    }
    PetscFunctionReturn(0);
}
