/* sum, asum, nrm2, dot: a block of numbers at a time into an accumulator, so that files of any
 * size need no memory. */
#include "show.h"
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <exblas/accumulator.h>

static double block_x[CLI_BLOCK], block_y[CLI_BLOCK];

typedef struct {
    const char *name, *format;
    int64_t n;
    bool is_float; /* rounded to */
    double result;
} outcome;

static void add(const char *command, exblas_acc *a, size_t n, const double *x)
{
    if (strcmp(command, "sum") == 0)
        exblas_acc_add_vector(a, (int64_t)n, x, 1);
    else if (strcmp(command, "asum") == 0)
        exblas_acc_add_magnitudes(a, (int64_t)n, x, 1);
    else
        exblas_acc_add_dot(a, (int64_t)n, x, 1, x, 1);
}

static double rounded(const char *command, const exblas_acc *a, bool is_float)
{
    if (strcmp(command, "nrm2") == 0)
        return is_float ? (double)exblas_acc_root_to_float(a) : exblas_acc_root_to_double(a);
    return is_float ? (double)exblas_acc_to_float(a) : exblas_acc_to_double(a);
}

static bool result_is_float(const cli_request *q, bool data_are_float)
{
    return q->type == CLI_TYPE_OF_FILE ? data_are_float : q->type == CLI_F32;
}

static void reduce_file(const cli_request *q, const char *path, outcome *o, exblas_acc *total)
{
    cli_source s;
    exblas_acc a;
    size_t n;
    exblas_acc_init(&a);
    cli_source_open(&s, q, path);
    while ((n = cli_source_read(&s, block_x, CLI_BLOCK)) > 0)
        add(q->command, &a, n, block_x);
    cli_source_close(&s);
    bool is_float = result_is_float(q, s.is_float);
    *o = (outcome){s.in.name, cli_format_names[s.format], s.n_read, is_float,
                   rounded(q->command, &a, is_float)};
    exblas_acc_merge(total, &a);
}

static void show_json(const cli_request *q, const outcome *o, const char *indent)
{
    printf("%s{", indent);
    if (o->name) {
        printf("\"file\": ");
        cli_json_string(o->name);
        printf(", \"format\": \"%s\", ", o->format);
    }
    printf("\"n\": %lld, \"type\": \"%s\", \"%s\": ", (long long)o->n, o->is_float ? "f32" : "f64",
           q->command);
    cli_json_number(o->result, o->is_float);
    printf("}");
}

static void show(const cli_request *q, const outcome *o, int n, const outcome *total)
{
    char text[CLI_SHOWN];
    if (q->json)
        printf("{\"command\": \"%s\", \"files\": [\n", q->command);
    for (int k = 0; k < n; k++)
        if (q->json) {
            show_json(q, &o[k], k ? ",\n  " : "  ");
        } else {
            printf("%s", cli_show(o[k].result, o[k].is_float, text));
            printf(n > 1 ? "  %s\n" : "\n", o[k].name);
        }
    if (q->json) {
        printf("\n], \"total\": ");
        show_json(q, total, "");
        printf("}\n");
    } else if (n > 1) {
        printf("%s  total\n", cli_show(total->result, total->is_float, text));
    }
}

int cli_reduce(const cli_request *q)
{
    exblas_acc sum;
    outcome total = {.is_float = true};
    if (q->n_files < 1)
        cli_fail(CLI_BAD_INPUT, "%s needs a file, or - for standard input", q->command);
    outcome *o = cli_allocate(q->n_files, sizeof *o);
    exblas_acc_init(&sum);
    for (int k = 0; k < q->n_files; k++) {
        reduce_file(q, q->file[k], &o[k], &sum);
        total.n += o[k].n;
        total.is_float &= o[k].is_float;
    }
    total.result = rounded(q->command, &sum, total.is_float);
    show(q, o, q->n_files, &total);
    free(o);
    return CLI_OK;
}

static void describe_shape(const cli_source *s, char text[160])
{
    int n = snprintf(text, 160, "(");
    for (int d = 0; d < s->n_dims && n < 130; d++)
        n += snprintf(text + n, (size_t)(160 - n), d ? ", %lld" : "%lld", (long long)s->shape[d]);
    snprintf(text + n, (size_t)(160 - n), ")");
}

static void check_shapes(const cli_source *x, const cli_source *y)
{
    char a[160], b[160];
    const cli_source *unordered = !x->has_positions ? x : !y->has_positions ? y : NULL;
    if (unordered)
        cli_fail(CLI_BAD_INPUT, "%s: dot is of dense general arrays only", unordered->in.name);
    if (!x->n_dims || !y->n_dims)
        return;
    describe_shape(x, a);
    describe_shape(y, b);
    if (x->n_dims != y->n_dims ||
        memcmp(x->shape, y->shape, (size_t)x->n_dims * sizeof *x->shape) != 0)
        cli_fail(CLI_BAD_INPUT, "%s has shape %s, %s has %s", x->in.name, a, y->in.name, b);
}

/* Reads as many of y as of x. */
static size_t read_pairs(cli_source *x, cli_source *y)
{
    size_t n = cli_source_read(x, block_x, CLI_BLOCK), got = 0, more = 1;
    while (got < n && more)
        got += more = cli_source_read(y, block_y + got, n - got);
    bool y_ended = got < n, x_ended = n == 0;
    if (x_ended && cli_source_read(y, block_y, 1) > 0)
        cli_fail(CLI_BAD_INPUT, "%s has %lld numbers, %s has more", x->in.name,
                 (long long)x->n_read, y->in.name);
    if (y_ended)
        cli_fail(CLI_BAD_INPUT, "%s has %lld numbers, %s has more", y->in.name,
                 (long long)y->n_read, x->in.name);
    return n;
}

/* Arrays of different order are paired in memory. */
static int64_t dot_in_memory(cli_source *x, cli_source *y, exblas_acc *a)
{
    int64_t n, m;
    double *u = cli_source_read_all(x, &n), *v = cli_source_read_all(y, &m);
    cli_to_c_order(x->fortran_order ? x : y, x->fortran_order ? u : v);
    exblas_acc_add_dot(a, n, u, 1, v, 1);
    free(u);
    free(v);
    return n;
}

int cli_dot(const cli_request *q)
{
    static cli_source x, y;
    exblas_acc a;
    outcome o = {0};
    size_t n;
    if (q->n_files != 2)
        cli_fail(CLI_BAD_INPUT, "dot needs two files");
    exblas_acc_init(&a);
    cli_source_open(&x, q, q->file[0]);
    cli_source_open(&y, q, q->file[1]);
    check_shapes(&x, &y);
    if (x.n_dims > 1 && y.n_dims > 1 && x.fortran_order != y.fortran_order)
        dot_in_memory(&x, &y, &a);
    else
        while ((n = read_pairs(&x, &y)) > 0)
            exblas_acc_add_dot(&a, (int64_t)n, block_x, 1, block_y, 1);
    cli_source_close(&x);
    cli_source_close(&y);
    o.n = x.n_read;
    o.is_float = result_is_float(q, x.is_float && y.is_float);
    o.result = rounded("dot", &a, o.is_float);
    if (q->json) {
        printf("{\"command\": \"dot\", \"files\": [");
        cli_json_string(x.in.name);
        printf(", ");
        cli_json_string(y.in.name);
        printf("], \"total\": ");
        show_json(q, &o, "");
        printf("}\n");
    } else {
        char text[CLI_SHOWN];
        printf("%s\n", cli_show(o.result, o.is_float, text));
    }
    return CLI_OK;
}
