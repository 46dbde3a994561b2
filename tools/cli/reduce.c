/* sum, asum, nrm2, mean, var, dot: a block of numbers at a time into an accumulator, so that files
 * of any size need no memory. */
#include "reduce.h"
#include "show.h"
#include "source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double block_x[CLI_BLOCK], block_y[CLI_BLOCK];

static bool is(const char *command, const char *name)
{
    return strcmp(command, name) == 0;
}

void cli_clear(cli_sums *s)
{
    *s = (cli_sums){.n = 0};
    exblas_acc_init(&s->part[0]);
    exblas_acc_init(&s->part[1]);
    exblas_acc_init(&s->squares);
}

static void merge(cli_sums *s, const cli_sums *other)
{
    exblas_acc_merge(&s->part[0], &other->part[0]);
    exblas_acc_merge(&s->part[1], &other->part[1]);
    exblas_acc_merge(&s->squares, &other->squares);
    s->is_complex |= other->is_complex;
    s->n += other->n;
}

/* Numbers that are not NaN, one after the other. */
static int64_t without_missing(int64_t n, const double *x, int64_t step, int parts, double *to)
{
    int64_t m = 0;
    for (int64_t k = 0; k < n; k++, x += step) {
        bool is_missing = isnan(x[0]) || isnan(x[parts - 1]);
        for (int p = 0; p < parts && !is_missing; p++)
            to[parts * m + p] = x[p];
        m += !is_missing;
    }
    return m;
}

void cli_add(const cli_request *q, cli_sums *s, int64_t n, const double *x, int64_t step)
{
    int parts = s->is_complex ? 2 : 1;
    if (q->skip_na) {
        n = without_missing(n, x, step, parts, block_y);
        x = block_y;
        step = parts;
    }
    s->n += n;
    for (int p = 0; p < parts; p++) {
        if (is(q->command, "asum"))
            exblas_acc_add_magnitudes(&s->part[0], n, x + p, step);
        else if (!is(q->command, "nrm2"))
            exblas_acc_add_vector(&s->part[p], n, x + p, step);
        if (is(q->command, "nrm2") || is(q->command, "var"))
            exblas_acc_add_dot(&s->squares, n, x + p, step, x + p, step);
    }
}

/* The result, or one of its parts. */
static double rounded(const cli_request *q, const cli_sums *s, int part, bool is_float)
{
    int format = is_float ? EXBLAS_SINGLE : EXBLAS_DOUBLE;
    const exblas_acc *a = &s->part[part], *b = &s->part[1];
    exblas_moment m = {s->n, s->is_complex ? 2 : 1, &s->squares, {a, b}, {a, b}};
    if (is(q->command, "nrm2"))
        return exblas_acc_root_to_format(&s->squares, format);
    if (is(q->command, "var"))
        return exblas_moment_to_format(&m, s->n - q->ddof, format);
    if (is(q->command, "mean"))
        return exblas_acc_quotient_to_format(a, (double)s->n, format);
    return exblas_acc_to_format(a, format);
}

void cli_finish(const cli_request *q, const cli_sums *s, cli_outcome *o)
{
    o->n = s->n;
    o->is_complex = s->is_complex && (is(q->command, "sum") || is(q->command, "mean"));
    o->result = rounded(q, s, 0, o->is_float);
    if (o->is_complex)
        o->im = rounded(q, s, 1, o->is_float);
}

bool cli_result_is_float(const cli_request *q, bool data_are_float)
{
    return q->type == CLI_TYPE_OF_FILE ? data_are_float : q->type == CLI_F32;
}

static void reduce_file(const cli_request *q, const char *path, cli_outcome *o, cli_sums *total)
{
    static cli_source s;
    cli_sums of_file;
    size_t n;
    cli_clear(&of_file);
    cli_source_open(&s, q, path);
    of_file.is_complex = s.is_complex;
    int64_t step = s.is_complex ? 2 : 1;
    while ((n = cli_source_read(&s, block_x, CLI_BLOCK)) > 0)
        cli_add(q, &of_file, (int64_t)n / step, block_x, step);
    cli_input_close(&s.in);
    *o = (cli_outcome){.name = s.in.name,
                       .format = cli_format_names[s.format],
                       .is_float = cli_result_is_float(q, s.is_float)};
    cli_finish(q, &of_file, o);
    merge(total, &of_file);
}

void cli_json_outcome(const cli_request *q, const cli_outcome *o, const char *indent)
{
    printf("%s{", indent);
    if (o->name) {
        printf("\"file\": ");
        cli_json_string(o->name);
        printf(", \"format\": \"%s\", ", o->format);
    }
    for (int k = 0; k < 2; k++)
        if (o->of[k]) {
            printf(k ? "\"column\": " : "\"by\": ");
            cli_json_string(o->of[k]);
            printf(", ");
        }
    printf("\"n\": %lld, \"type\": \"%s\", \"%s\": ", (long long)o->n, o->is_float ? "f32" : "f64",
           q->command);
    if (o->is_complex)
        printf("{\"re\": ");
    cli_json_number(o->result, o->is_float);
    if (o->is_complex) {
        printf(", \"im\": ");
        cli_json_number(o->im, o->is_float);
        printf("}");
    }
    printf("}");
}

void cli_text_outcome(const cli_outcome *o, const char *name)
{
    char text[CLI_SHOWN];
    printf("%s", cli_show(o->result, o->is_float, text));
    if (o->is_complex)
        printf(" %s", cli_show(o->im, o->is_float, text));
    const char *names[] = {name, o->of[0], o->of[1]};
    for (int k = 0; k < 3; k++)
        if (names[k])
            printf("  %s", names[k]);
    printf("\n");
}

static void show(const cli_request *q, const cli_outcome *o, int n, const cli_outcome *total)
{
    if (q->json)
        printf("{\"command\": \"%s\", \"files\": [\n", q->command);
    for (int k = 0; k < n; k++)
        if (q->json)
            cli_json_outcome(q, &o[k], k ? ",\n  " : "  ");
        else
            cli_text_outcome(&o[k], n > 1 ? o[k].name : NULL);
    if (q->json) {
        printf("\n], \"total\": ");
        cli_json_outcome(q, total, "");
        printf("}\n");
    } else if (n > 1) {
        cli_text_outcome(total, "total");
    }
}

int cli_reduce(const cli_request *q)
{
    cli_sums all;
    cli_outcome total = {.is_float = true};
    if (q->columns || q->by || q->axis)
        return cli_reduce_each(q);
    if (q->n_files < 1)
        cli_fail(CLI_BAD_INPUT, "%s needs a file, or - for standard input", q->command);
    cli_outcome *o = cli_allocate(q->n_files, sizeof *o);
    cli_clear(&all);
    for (int k = 0; k < q->n_files; k++) {
        reduce_file(q, q->file[k], &o[k], &all);
        total.is_float &= o[k].is_float;
    }
    cli_finish(q, &all, &total);
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
    cli_outcome o = {0};
    size_t n;
    if (q->n_files != 2)
        cli_fail(CLI_BAD_INPUT, "dot needs two files");
    exblas_acc_init(&a);
    cli_source_open(&x, q, q->file[0]);
    cli_source_open(&y, q, q->file[1]);
    check_shapes(&x, &y);
    if (x.n_dims > 1 && y.n_dims && x.fortran_order != y.fortran_order)
        dot_in_memory(&x, &y, &a);
    else
        while ((n = read_pairs(&x, &y)) > 0)
            exblas_acc_add_dot(&a, (int64_t)n, block_x, 1, block_y, 1);
    cli_input_close(&x.in);
    cli_input_close(&y.in);
    o.n = x.n_read;
    o.is_float = cli_result_is_float(q, x.is_float && y.is_float);
    o.result = exblas_acc_to_format(&a, o.is_float ? EXBLAS_SINGLE : EXBLAS_DOUBLE);
    if (q->json) {
        printf("{\"command\": \"dot\", \"files\": [");
        cli_json_string(x.in.name);
        printf(", ");
        cli_json_string(y.in.name);
        printf("], \"total\": ");
        cli_json_outcome(q, &o, "");
        printf("}\n");
    } else {
        cli_text_outcome(&o, NULL);
    }
    return CLI_OK;
}
