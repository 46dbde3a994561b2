/* Sums of accumulators by MPI's own reductions. A value that is no kept result is its own
 * accumulator. */
#include "exblas/mpi.h"
#include "mpi/pmpi/fused.h"

static void contribute_values(const exb_reduction *r, const void *in, int count, exblas_acc *sums)
{
    for (int i = 0; i < count; i++) {
        exblas_acc_init(&sums[i]);
        if (!in)
            continue;
        double value = r->is_float ? (double)((const float *)in)[i] : ((const double *)in)[i];
        if (!exb_fused_find(exb_at(r, in, i), exb_bytes(r, 1), &sums[i]))
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

static int get_handles(MPI_Datatype *type, MPI_Op *op)
{
    EXB_TRY(exblas_mpi_datatype(type));
    return exblas_mpi_sum_op(op);
}

int exb_fused_reduce(const exb_reduction *r, const void *in, void *out, int count)
{
    exblas_acc sent[EXB_MOST_FUSED], received[EXB_MOST_FUSED];
    MPI_Datatype type;
    MPI_Op op;
    EXB_TRY(get_handles(&type, &op));
    contribute_values(r, in, count, sent);
    int wrong = r->to_all ? PMPI_Allreduce(sent, received, count, type, op, r->comm)
                          : PMPI_Reduce(sent, received, count, type, op, r->root, r->comm);
    if (!wrong && out)
        exb_fused_finish(r, received, count, out);
    return wrong;
}

int exb_fused_start(const exb_reduction *r, const void *in, exblas_acc *sums, int count,
                    MPI_Request *request)
{
    MPI_Datatype type;
    MPI_Op op;
    EXB_TRY(get_handles(&type, &op));
    contribute_values(r, in, count, sums);
    return r->to_all ? PMPI_Iallreduce(sums, sums + count, count, type, op, r->comm, request)
                     : PMPI_Ireduce(sums, sums + count, count, type, op, r->root, r->comm, request);
}
