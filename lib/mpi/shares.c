#include "mpi/shares.h"

int exb_shares_gather(MPI_Comm comm, int n, const int64_t *own, int64_t *begin, exb_shares *shares)
{
    int rank, n_processes, wrong = MPI_Comm_rank(comm, &rank);
    wrong = wrong ? wrong : MPI_Comm_size(comm, &n_processes);
    for (int i = 0; i < n && !wrong; i++) {
        exb_shares *s = &shares[i];
        *s = (exb_shares){begin + (int64_t)i * (n_processes + 1), rank, n_processes};
        s->begin[0] = 0;
        wrong = MPI_Allgather(&own[i], 1, MPI_INT64_T, s->begin + 1, 1, MPI_INT64_T, comm);
        for (int p = 0; p < n_processes; p++)
            s->begin[p + 1] += s->begin[p];
    }
    return wrong;
}

void exb_shares_counts(const exb_shares *s, exb_range window, int64_t unit, int *count, int *at)
{
    int total = 0;
    for (int p = 0; p < s->n_processes; p++) {
        exb_range r = exb_common(window, exb_share_of(s, p));
        count[p] = (int)(exb_most(r.end - r.begin, 0) * unit);
        at[p] = total;
        total += count[p];
    }
}
