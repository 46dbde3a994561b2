/* Results that are kept, and sums of accumulators by MPI's own reductions. A value that is no kept
 * result is its own accumulator. */
#include "exblas/mpi.h"
#include "mpi/pmpi/fused.h"

#include <pthread.h>
#include <string.h>

typedef struct {
    unsigned char value[sizeof(double)];
    size_t size; /* of the value; 0: nothing is kept here */
    exblas_acc exact;
} result;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static result kept[EXB_KEPT_RESULTS]; /* guarded by lock, as what follows */
static int next;

/* The place of these bits; NULL if there is none. */
static result *place_of(const void *value, size_t size)
{
    for (int i = 0; i < EXB_KEPT_RESULTS; i++)
        if (kept[i].size == size && memcmp(kept[i].value, value, size) == 0)
            return &kept[i];
    return NULL;
}

void exb_fused_remember(const void *value, size_t size, const exblas_acc *exact)
{
    pthread_mutex_lock(&lock);
    result *place = place_of(value, size);
    if (!place) {
        place = &kept[next];
        next = (next + 1) % EXB_KEPT_RESULTS;
    }
    memcpy(place->value, value, size);
    place->size = size;
    place->exact = *exact;
    pthread_mutex_unlock(&lock);
}

/* The exact value behind these bits; false if none is kept. */
static bool find_result(const void *value, size_t size, exblas_acc *exact)
{
    pthread_mutex_lock(&lock);
    const result *place = place_of(value, size);
    if (place)
        *exact = place->exact;
    pthread_mutex_unlock(&lock);
    return place;
}

static void contribute_values(const exb_reduction *r, const void *in, int count, exblas_acc *sums)
{
    for (int i = 0; i < count; i++) {
        exblas_acc_init(&sums[i]);
        if (!in)
            continue;
        double value = r->is_float ? (double)((const float *)in)[i] : ((const double *)in)[i];
        if (!find_result(exb_at(r, in, i), exb_bytes(r, 1), &sums[i]))
            exblas_acc_add(&sums[i], value);
    }
}

void exb_fused_finish(const exb_reduction *r, const exblas_acc *sums, int count, void *out)
{
    for (int i = 0; i < count; i++)
        if (r->is_float)
            ((float *)out)[i] = exblas_acc_to_float(&sums[i]);
        else
            ((double *)out)[i] = exblas_acc_to_double(&sums[i]);
}

int exb_fused_reduce(const exb_reduction *r, const void *in, void *out, int count)
{
    exblas_acc sent[EXB_MOST_FUSED], received[EXB_MOST_FUSED];
    contribute_values(r, in, count, sent);
    int wrong = r->to_all ? exblas_mpi_allreduce(sent, received, count, r->comm)
                          : exblas_mpi_reduce(sent, received, count, r->root, r->comm);
    if (!wrong && out)
        exb_fused_finish(r, received, count, out);
    return wrong;
}

int exb_fused_start(const exb_reduction *r, const void *in, exblas_acc *sums, int count,
                    MPI_Request *request)
{
    MPI_Datatype type;
    MPI_Op op;
    EXB_TRY(exblas_mpi_datatype(&type));
    EXB_TRY(exblas_mpi_sum_op(&op));
    contribute_values(r, in, count, sums);
    return r->to_all ? PMPI_Iallreduce(sums, sums + count, count, type, op, r->comm, request)
                     : PMPI_Ireduce(sums, sums + count, count, type, op, r->root, r->comm, request);
}
