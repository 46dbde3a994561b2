/* A call made with other arguments on one process would leave the rest waiting for messages that
 * nobody sends. So what all processes have to say alike goes with the first message up a tree and
 * down again. */
#include "mpi/pblas/pblas_call.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    exb_merge *merge; /* of this process: not the one that comes */
    int differs;      /* 1 + the first position that does; 0: none */
    uint32_t said[1 + EXB_PBLAS_ARGUMENTS];
    _Alignas(16) unsigned char data[EXB_MOST_DATA];
} opinion;
_Static_assert(sizeof(opinion) <= EXB_MOST_MERGED, "an opinion is one message");

static int first_of(int a, int b)
{
    return a && (!b || a < b) ? a : b;
}

static void merge_opinions(void *into, const void *from)
{
    opinion *a = into;
    const opinion *b = from;
    int differs = 0;
    for (int i = EXB_PBLAS_ARGUMENTS; i >= 0; i--)
        differs = a->said[i] != b->said[i] ? i + 1 : differs;
    a->differs = first_of(differs, first_of(a->differs, b->differs));
    a->merge(a->data, b->data);
}

static void report_difference(const exb_pblas_call *q, int position)
{
    if (position == 0)
        fprintf(stderr, "exblas: %s: other processes call another routine; nothing was computed\n",
                q->routine);
    else
        fprintf(stderr,
                "exblas: %s: argument %d is not the same on all processes; nothing was computed\n",
                q->routine, position);
    q->report(q->grid.context, q->routine, -position);
}

bool exb_pblas_merge(exb_pblas_call *q, void *data, int size, exb_merge *merge)
{
    opinion o = {.merge = merge};
    if (q->team.n == 1)
        return true;
    memcpy(o.said, q->said, sizeof o.said);
    memcpy(o.data, data, (size_t)size);
    exb_team_merge(&q->team, &o, (int)offsetof(opinion, data) + size, merge_opinions);
    memcpy(data, o.data, (size_t)size);
    if (o.differs)
        report_difference(q, o.differs - 1);
    return !o.differs;
}

static void merge_failures(void *into, const void *from)
{
    *(bool *)into |= *(const bool *)from;
}

/* Calls with options, and those that need memory. The others of Level 1 and 2 are of the kind that
 * factorizations make for each column, with one message or none: it would double their time. */
static bool agrees_first(const exb_pblas_call *q)
{
    return q->side || q->uplo || q->trans || exb_workspace_is_large(&q->work);
}

bool exb_pblas_ready(exb_pblas_call *q)
{
    exb_redistribute_take(&q->work, &q->team);
    q->failed = q->work.failed;
    bool alike =
        !agrees_first(q) || exb_pblas_merge(q, &q->failed, sizeof q->failed, merge_failures);
    if (q->failed && q->report)
        fprintf(stderr, "exblas: %s: a process has no memory left; nothing was computed\n",
                q->routine);
    return alike && !q->failed;
}
