/* Sums of accumulators over a communicator, whole or word by word. The datatype and the operation
 * are made once, and freed in MPI_Finalize, which deletes the attributes of MPI_COMM_SELF before
 * anything else. */
#include "exblas/mpi.h"

#include "mpi/try.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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

static int get_handles(MPI_Datatype *type, MPI_Op *op)
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
    return get_handles(type, NULL);
}

int exblas_mpi_sum_op(MPI_Op *op)
{
    return get_handles(NULL, op);
}

int exblas_mpi_fortran_handles(MPI_Fint *type, MPI_Fint *op)
{
    MPI_Datatype c_type;
    MPI_Op c_op;
    EXB_TRY(get_handles(&c_type, &c_op));
    *type = MPI_Type_c2f(c_type);
    *op = MPI_Op_c2f(c_op);
    return MPI_SUCCESS;
}

/* --- sums ------------------------------------------------------------------------- */

enum { CHUNK = 64 }; /* most accumulators in a message whose copy is on the stack */

/* MPI_IN_PLACE becomes a copy: MPICH 4.0 reads from its address when derived types
 * are reduced to a root other than 0. */
int exblas_mpi_reduce(const exblas_acc *in, exblas_acc *out, int count, int root, MPI_Comm comm)
{
    MPI_Datatype type;
    MPI_Op op;
    exblas_acc copy[CHUNK];
    bool in_place = (const void *)in == MPI_IN_PLACE;
    int wrong = get_handles(&type, &op);
    for (int i = 0; i < count && !wrong; i += CHUNK) {
        int n = count - i < CHUNK ? count - i : CHUNK;
        if (in_place)
            memcpy(copy, out + i, (size_t)n * sizeof *copy);
        wrong = MPI_Reduce(in_place ? copy : in + i, out ? out + i : NULL, n, type, op, root, comm);
    }
    return wrong;
}

int exblas_mpi_allreduce(const exblas_acc *in, exblas_acc *out, int count, MPI_Comm comm)
{
    MPI_Datatype type;
    MPI_Op op;
    EXB_TRY(get_handles(&type, &op));
    return MPI_Allreduce(in, out, count, type, op, comm);
}

/* An accumulator in words that MPI_SUM adds: normalised words lie in [0, 2^53), so that those
 * of 1000 processes fit into 63 bits (the top one is the sum's own); the flags +Inf, -Inf and NaN
 * are counted in three fields of 20 bits of the last word. */
enum { MESSAGE_WORDS = EXBLAS_ACC_WORDS + 1, MOST_PROCESSES = 1000, FLAG_BITS = 20 };

typedef int64_t message[MESSAGE_WORDS];

static void write_message(int count, const exblas_acc *a, message *m)
{
    for (int i = 0; i < count; i++) {
        exblas_acc copy = a[i];
        exblas_acc_normalize(&copy);
        memcpy(m[i], copy.word, sizeof copy.word);
        m[i][EXBLAS_ACC_WORDS] = 0;
        for (int flag = 0; flag < 3; flag++)
            m[i][EXBLAS_ACC_WORDS] |= (int64_t)(copy.special >> flag & 1) << FLAG_BITS * flag;
    }
}

static void read_message(int count, message *m, exblas_acc *a)
{
    for (int i = 0; i < count; i++) {
        int64_t flags = m[i][EXBLAS_ACC_WORDS];
        memcpy(a[i].word, m[i], sizeof a[i].word);
        a[i].special = 0;
        for (int flag = 0; flag < 3; flag++)
            if (flags >> FLAG_BITS * flag & ((1 << FLAG_BITS) - 1))
                a[i].special |= 1u << flag;
        a[i].n_free = 0; /* words are as large as they may be */
    }
}

/* The size of the group, or of the larger one of an intercommunicator: the same number on all
 * processes. */
static int size_of_group(MPI_Comm comm, bool *is_inter, int *n)
{
    int inter, n_remote = 0;
    EXB_TRY(MPI_Comm_test_inter(comm, &inter));
    EXB_TRY(MPI_Comm_size(comm, n));
    if (inter)
        EXB_TRY(MPI_Comm_remote_size(comm, &n_remote));
    *is_inter = inter;
    *n = *n > n_remote ? *n : n_remote;
    return MPI_SUCCESS;
}

/* To all processes, or to a root. */
static int reduce_words(const exblas_acc *in, exblas_acc *out, int count, const int *root,
                        MPI_Comm comm)
{
    message sent[CHUNK], received[CHUNK];
    int n, rank, wrong = MPI_SUCCESS;
    bool is_inter;
    EXB_TRY(size_of_group(comm, &is_inter, &n));
    EXB_TRY(MPI_Comm_rank(comm, &rank));
    if (n > MOST_PROCESSES)
        return root ? exblas_mpi_reduce(in, out, count, *root, comm)
                    : exblas_mpi_allreduce(in, out, count, comm);
    /* Over an intercommunicator one group contributes and has a rank of the other as its root;
     * the other has MPI_ROOT and MPI_PROC_NULL. */
    bool contributes = !root || (*root != MPI_ROOT && *root != MPI_PROC_NULL);
    bool receives = !root || (is_inter ? *root == MPI_ROOT : *root == rank);
    in = (const void *)in == MPI_IN_PLACE ? out : in;
    for (int i = 0; i < count && !wrong; i += CHUNK) {
        int m = count - i < CHUNK ? count - i : CHUNK, n_words = m * MESSAGE_WORDS;
        if (contributes)
            write_message(m, in + i, sent);
        wrong = root ? MPI_Reduce(sent, received, n_words, MPI_INT64_T, MPI_SUM, *root, comm)
                     : MPI_Allreduce(sent, received, n_words, MPI_INT64_T, MPI_SUM, comm);
        if (!wrong && receives)
            read_message(m, received, out + i);
    }
    return wrong;
}

int exblas_mpi_allreduce_words(const exblas_acc *in, exblas_acc *out, int count, MPI_Comm comm)
{
    return reduce_words(in, out, count, NULL, comm);
}

int exblas_mpi_reduce_words(const exblas_acc *in, exblas_acc *out, int count, int root,
                            MPI_Comm comm)
{
    return reduce_words(in, out, count, &root, comm);
}
