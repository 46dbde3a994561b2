/* --columns, --by, --axis: many results from one file, which is read once. */
#include "reduce.h"
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double block[CLI_BLOCK];

/* n_each sums of each key, in the order in which keys come; slots are a hash table of keys. */
typedef struct {
    int64_t n, n_each, n_slots;
    cli_sums *sums;
    char **key;
    int64_t *slot; /* the number of a key from 1; 0: empty */
} groups;

static void add_group(groups *g, const char *key)
{
    if ((g->n & (g->n - 1)) == 0) { /* room for twice as many */
        g->sums = cli_grow(g->sums, (2 * g->n + 1) * g->n_each, sizeof *g->sums);
        g->key = cli_grow(g->key, 2 * g->n + 1, sizeof *g->key);
    }
    for (int64_t c = 0; c < g->n_each; c++)
        cli_clear(&g->sums[g->n * g->n_each + c]);
    g->key[g->n] = key ? strcpy(cli_allocate((int64_t)strlen(key) + 1, 1), key) : NULL;
    g->n++;
}

/* The slot of a key, which may be empty. */
static int64_t *find_slot(const groups *g, const char *key)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *c = key; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    for (uint64_t k = hash;; k++) {
        int64_t *slot = &g->slot[k % (uint64_t)g->n_slots];
        if (!*slot || strcmp(g->key[*slot - 1], key) == 0)
            return slot;
    }
}

static cli_sums *sums_of(groups *g, const char *key)
{
    if (2 * g->n >= g->n_slots) {
        g->n_slots = 4 * g->n_slots + 64;
        g->slot = cli_grow(g->slot, g->n_slots, sizeof *g->slot);
        memset(g->slot, 0, (size_t)g->n_slots * sizeof *g->slot);
        for (int64_t k = 0; k < g->n; k++)
            *find_slot(g, g->key[k]) = k + 1;
    }
    int64_t *slot = find_slot(g, key);
    if (!*slot) {
        add_group(g, key);
        *slot = g->n;
    }
    return &g->sums[(*slot - 1) * g->n_each];
}

static void read_table(cli_source *s, const cli_request *q, groups *g)
{
    int64_t each = g->n_each = s->table.n_wanted;
    if (s->table.by < 0)
        add_group(g, NULL);
    for (size_t n; (n = cli_source_read(s, block, CLI_BLOCK)) > 0;) {
        cli_sums *to = s->table.by < 0 ? g->sums : sums_of(g, s->table.key);
        for (int64_t c = 0; c < each; c++)
            cli_add(q, &to[c], (int64_t)n / each, block + c, each);
    }
}

static int64_t length_of_axes(const cli_source *s, int from, int to)
{
    int64_t n = 1;
    for (int d = from; d < to; d++)
        n *= s->shape[d];
    return n;
}

/* Elements lie as n_outer x n x n_inner, those of one result n_inner apart. */
static void read_lines(cli_source *s, const cli_request *q, groups *g)
{
    char *end;
    long axis = strtol(q->axis, &end, 10), last = s->n_dims - 1;
    if (s->n_dims == 0 || *end || end == q->axis || axis < -s->n_dims || axis > last)
        cli_fail(CLI_BAD_INPUT, "%s: no axis %s in %d dimensions", s->in.name, q->axis, s->n_dims);
    if (s->fortran_order && s->n_dims > 2)
        cli_fail(CLI_BAD_INPUT, "%s: --axis takes arrays of more than two dimensions in C order",
                 s->in.name);
    axis += axis < 0 ? s->n_dims : 0;
    int64_t before = length_of_axes(s, 0, (int)axis), n_line = s->shape[axis], step = 1;
    int64_t behind = length_of_axes(s, (int)axis + 1, s->n_dims);
    int64_t n_inner = s->fortran_order ? before : behind, at = 0;
    g->n_each = before * behind;
    add_group(g, NULL);
    step += s->is_complex;
    for (int64_t c = 0; c < g->n_each; c++)
        g->sums[c].is_complex = s->is_complex;
    for (size_t n; (n = cli_source_read(s, block, CLI_BLOCK)) > 0;)
        for (int64_t k = 0, run; k < (int64_t)n / step; k += run, at += run) {
            run = n_inner > 1 ? 1 : n_line - at % n_line;
            run = run < (int64_t)n / step - k ? run : (int64_t)n / step - k;
            cli_sums *to = &g->sums[at / (n_line * n_inner) * n_inner + at % n_inner];
            cli_add(q, to, run, block + step * k, step);
        }
}

static const char *column_of(const cli_source *s, int64_t place, char number[24])
{
    const cli_table *t = &s->table;
    int64_t c = 0;
    while (t->place[c] != place)
        c++;
    snprintf(number, 24, "%lld", (long long)c + 1);
    return t->has_names ? t->name[c] : number;
}

static void show(const cli_source *s, const cli_request *q, const groups *g)
{
    char number[24];
    if (q->json)
        printf("{\"command\": \"%s\", \"results\": [", q->command);
    for (int64_t k = 0; k < g->n * g->n_each; k++) {
        cli_outcome o = {
            .is_float = cli_result_is_float(q, s->is_float),
            .of = {g->key[k / g->n_each], q->columns ? column_of(s, k % g->n_each, number) : NULL}};
        cli_finish(q, &g->sums[k], &o);
        if (q->json)
            cli_json_outcome(q, &o, k ? ",\n  " : "\n  ");
        else
            cli_text_outcome(&o, NULL);
    }
    if (q->json)
        printf("\n]}\n");
}

int cli_reduce_each(const cli_request *q)
{
    static cli_source s;
    groups g = {0};
    if (q->n_files != 1)
        cli_fail(CLI_BAD_INPUT, "--columns, --by and --axis take one file");
    cli_source_open(&s, q, q->file[0]);
    if (q->axis && s.format != CLI_NPY && s.format != CLI_NPZ)
        cli_fail(CLI_BAD_INPUT, "%s: --axis is for npy and npz, this is %s", s.in.name,
                 cli_format_names[s.format]);
    (q->axis ? read_lines : read_table)(&s, q, &g);
    cli_input_close(&s.in);
    show(&s, q, &g);
    for (int64_t k = 0; k < g.n; k++)
        free(g.key[k]);
    free(g.key);
    free(g.slot);
    free(g.sums);
    return CLI_OK;
}
