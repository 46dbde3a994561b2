#include "mpi/pblas/redistribute.h"

#include "exblas/cblas.h"
#include "mpi/try.h"
#include "observe/tally.h"

#include <string.h>

/* Elements that are under way at once; whole columns, at least one. */
static int64_t piece_size(void)
{
    return exb_least(exb_pblas_workspace() / 4, INT32_MAX / 2);
}

static int64_t columns_at_once(int64_t m)
{
    return exb_most(piece_size() / exb_most(m, 1), 1);
}

/* A part of the matrix may have fewer rows, and more of its columns go at once: m' <= m rows take
 * at most m' max(1, piece / m') <= max(m, piece) elements. */
void exb_redistribute_plan(exb_workspace *w, int64_t m, int64_t n, size_t size)
{
    size_t bytes = (size_t)exb_least(m * n, exb_most(m, piece_size())) * size;
    w->exchange.bytes = bytes > w->exchange.bytes ? bytes : w->exchange.bytes;
}

void exb_redistribute_take(exb_workspace *w, const exb_team *t)
{
    exb_exchange *e = &w->exchange;
    size_t requests = 2 * (size_t)t->n * sizeof *e->request;
    e->sent = exb_workspace_take(w, e->bytes, e->bytes);
    e->received = exb_workspace_take(w, e->bytes, e->bytes);
    e->request = exb_workspace_take(w, requests, requests);
}

/* Whether the member `sender` is the one that sends to `receiver` what it has. */
static bool serves_member(const exb_team *t, const exb_layout *from, int sender, int receiver)
{
    bool by_team = from->row.over == EXB_OVER_TEAM || from->col.over == EXB_OVER_TEAM;
    bool by_row = from->row.over == EXB_OVER_ROWS || from->col.over == EXB_OVER_ROWS;
    bool by_col = from->row.over == EXB_OVER_COLS || from->col.over == EXB_OVER_COLS;
    int n_cols = t->grid->n_cols, s = t->rank[sender], r = t->rank[receiver];
    return by_team ||
           ((by_row || s / n_cols == r / n_cols) && (by_col || s % n_cols == r % n_cols));
}

/* One message: the elements of some columns that one member has of a layout and another needs for
 * another layout. */
typedef struct {
    exb_walk rows, cols;
} parcel;

static int64_t length_of(exb_walk w)
{
    int64_t n = 0;
    exb_range r;
    while (exb_walk_next(&w, &r))
        n += r.end - r.begin;
    return n;
}

static int64_t elements_of(const parcel *p)
{
    int64_t n = length_of(p->cols);
    return n > 0 ? n * length_of(p->rows) : 0;
}

/* n elements; the strides are in bytes. */
static void copy_run(int64_t n, size_t size, const char *from, int64_t from_stride, char *to,
                     int64_t to_stride)
{
    if (from_stride == (int64_t)size && to_stride == (int64_t)size) {
        memcpy(to, from, (size_t)n * size);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * to_stride, from + i * from_stride, size);
}

/* Where the sender, or the receiver, has element i. */
static int64_t place_in(const exb_walk *w, bool is_source, int64_t i)
{
    return is_source ? exb_axis_before(w->a, w->pa, i) : exb_axis_before(w->b, w->pb, i);
}

/* Copies a parcel between a buffer, in which it lies column by column, and what a process has. */
static void copy_parcel(const parcel *p, const exb_spread *s, bool is_source, char *buffer)
{
    int64_t size = (int64_t)s->size, step = s->row_stride * size;
    exb_range c, r;
    for (exb_walk cols = p->cols; exb_walk_next(&cols, &c);) {
        int64_t col = place_in(&cols, is_source, c.begin);
        for (int64_t j = c.begin; j < c.end; j++, col++)
            for (exb_walk rows = p->rows; exb_walk_next(&rows, &r);) {
                int64_t row = place_in(&rows, is_source, r.begin);
                int64_t n = r.end - r.begin;
                char *at = exb_spread_at(s, row, col);
                if (is_source)
                    copy_run(n, s->size, at, step, buffer, size);
                else
                    copy_run(n, s->size, buffer, size, at, step);
                buffer += n * size;
            }
    }
}

/* Fewer than 2^31 elements: a piece, or a part of one column. */
static void pack_parcel(const parcel *p, const exb_spread *from, char *buffer, int64_t n)
{
    void *imaginary = buffer + from->size / 2;
    copy_parcel(p, from, true, buffer);
    if (from->conjugate && from->size == 2 * sizeof(float))
        excblas_sscal_64(n, -1, imaginary, 2);
    else if (from->conjugate)
        excblas_dscal_64(n, -1, imaginary, 2);
}

typedef struct {
    const exb_exchange *e;
    const exb_team *t;
    const exb_spread *from, *to;
    MPI_Datatype type;
} move;

/* How many elements go from member s to member r; *p says where from and to. */
static int64_t elements_between(const move *m, int s, int r, exb_range window, parcel *p)
{
    const exb_layout *f = &m->from->layout, *g = &m->to->layout;
    *p = (parcel){{&f->row, &g->row, exb_team_part(m->t, &f->row, s),
                   exb_team_part(m->t, &g->row, r), 0, f->row.n},
                  {&f->col, &g->col, exb_team_part(m->t, &f->col, s),
                   exb_team_part(m->t, &g->col, r), window.begin, window.end}};
    return serves_member(m->t, f, s, r) ? elements_of(p) : 0;
}

/* This process's own elements have a place among those that come. */
static int expect_all(const move *m, exb_range window)
{
    int n_expected = 0;
    char *at = m->e->received;
    for (int s = 0; s < m->t->n; s++) {
        parcel p;
        int64_t n = elements_between(m, s, m->t->self, window, &p);
        if (n > 0 && s != m->t->self)
            MPI_Irecv(at, (int)n, m->type, m->t->rank[s], EXB_TAG, m->t->grid->comm,
                      &m->e->request[n_expected++]);
        at += n * (int64_t)m->from->size;
    }
    return n_expected;
}

/* Sends what others need, waiting when the buffer is full: everybody expects everything by now, or
 * will. Returns how many messages are still under way. */
static int send_all(const move *m, exb_range window)
{
    MPI_Request *request = m->e->request + m->t->n;
    int n_sent = 0;
    size_t used = 0;
    for (int i = 1; i < m->t->n; i++) {
        int r = (m->t->self + i) % m->t->n;
        parcel p;
        int64_t n = elements_between(m, m->t->self, r, window, &p);
        size_t bytes = (size_t)n * m->from->size;
        if (n == 0)
            continue;
        if (bytes > m->e->bytes - used) {
            exb_mpi_wait_all(n_sent, request);
            n_sent = 0;
            used = 0;
        }
        pack_parcel(&p, m->from, m->e->sent + used, n);
        MPI_Isend(m->e->sent + used, (int)n, m->type, m->t->rank[r], EXB_TAG, m->t->grid->comm,
                  &request[n_sent++]);
        used += bytes;
        exb_report_sent(bytes);
    }
    return n_sent;
}

static void unpack_all(const move *m, exb_range window)
{
    char *at = m->e->received;
    for (int s = 0; s < m->t->n; s++) {
        parcel p;
        int64_t n = elements_between(m, s, m->t->self, window, &p);
        if (n > 0 && s == m->t->self)
            pack_parcel(&p, m->from, at, n);
        if (n > 0)
            copy_parcel(&p, m->to, false, at);
        at += n * (int64_t)m->from->size;
    }
}

static MPI_Datatype type_of(size_t size)
{
    MPI_Datatype type;
    MPI_Type_contiguous((int)size, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

void exb_redistribute(exb_workspace *w, const exb_team *t, const exb_spread *from,
                      const exb_spread *to)
{
    move m = {&w->exchange, t, from, to, type_of(from->size)};
    int64_t columns = to->layout.col.n, width = columns_at_once(to->layout.row.n);
    for (int64_t j = 0; j < columns; j += width) {
        exb_range window = {j, exb_least(j + width, columns)};
        int n_expected = expect_all(&m, window), n_sent = send_all(&m, window);
        exb_mpi_wait_all(n_sent, m.e->request + t->n);
        exb_mpi_wait_all(n_expected, m.e->request);
        unpack_all(&m, window);
    }
    MPI_Type_free(&m.type);
}
