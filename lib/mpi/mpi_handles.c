/* The datatype and the operation of accumulators: made once, freed in MPI_Finalize, which
 * deletes the attributes of MPI_COMM_SELF before anything else. */
#include "exblas/mpi.h"

#include "mpi/try.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool made; /* guarded by lock, as what follows */
static MPI_Datatype type_of_acc;
static MPI_Op sum_of_accs;

static void merge_all(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        exblas_acc_merge((exblas_acc *)inout + i, (const exblas_acc *)in + i);
}

static int free_handles(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    pthread_mutex_lock(&lock);
    made = false;
    int wrong = exb_first_error(MPI_Type_free(&type_of_acc), MPI_Op_free(&sum_of_accs));
    pthread_mutex_unlock(&lock);
    return wrong;
}

static int make_type(void)
{
    int length[] = {EXBLAS_ACC_WORDS, 1, 1};
    MPI_Aint at[] = {offsetof(exblas_acc, word), offsetof(exblas_acc, n_free),
                     offsetof(exblas_acc, special)};
    MPI_Datatype type[] = {MPI_INT64_T, MPI_INT32_T, MPI_UINT32_T};
    EXB_TRY(MPI_Type_create_struct(3, length, at, type, &type_of_acc));
    return MPI_Type_commit(&type_of_acc);
}

/* Free at the end, and only then. */
static int attach_handles(void)
{
    int keyval;
    EXB_TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_handles, &keyval, NULL));
    EXB_TRY(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL));
    return MPI_Comm_free_keyval(&keyval);
}

static int make_handles(void)
{
    EXB_TRY(make_type());
    EXB_TRY(MPI_Op_create(merge_all, 1, &sum_of_accs));
    return attach_handles();
}

static int make_once(MPI_Datatype *type, MPI_Op *op)
{
    int wrong = MPI_SUCCESS;
    pthread_mutex_lock(&lock);
    if (!made) {
        wrong = make_handles();
        made = !wrong;
    }
    if (!wrong && type)
        *type = type_of_acc;
    if (!wrong && op)
        *op = sum_of_accs;
    pthread_mutex_unlock(&lock);
    return wrong;
}

int exblas_mpi_datatype(MPI_Datatype *type)
{
    return make_once(type, NULL);
}

int exblas_mpi_sum_op(MPI_Op *op)
{
    return make_once(NULL, op);
}

int exblas_mpi_fortran_handles(MPI_Fint *type, MPI_Fint *op)
{
    MPI_Datatype c_type;
    MPI_Op c_op;
    EXB_TRY(make_once(&c_type, &c_op));
    *type = MPI_Type_c2f(c_type);
    *op = MPI_Op_c2f(c_op);
    return MPI_SUCCESS;
}
