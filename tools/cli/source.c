#include "source.h"

#include <stdlib.h>
#include <string.h>

const char *const cli_format_names[] = {"auto", "npy",     "raw",   "text",  "csv", "mtx",
                                        "npz",  "parquet", "arrow", "jsonl", NULL};

#define UTF8_MARK "\xef\xbb\xbf"

static bool begins(const cli_input *in, size_t n, const char *text)
{
    return n >= strlen(text) && memcmp(in->buffer + in->next, text, strlen(text)) == 0;
}

static bool ends(const char *name, size_t n, const char *suffix)
{
    size_t m = strlen(suffix);
    return n >= m && memcmp(name + n - m, suffix, m) == 0;
}

/* What a name says of what is compressed. */
bool cli_ends(const char *name, const char *suffix)
{
    size_t n = strlen(name);
    return ends(name, n - (ends(name, n, ".gz") ? 3 : ends(name, n, ".zst") ? 4 : 0), suffix);
}

/* Compressed files are read through the program that wrote them, unless raw numbers look like one.
 */
static void decompress(cli_input *in, cli_format format)
{
    static const char *const gzip[] = {"gzip", "-dc", NULL}, *const zstd[] = {"zstd", "-dc", NULL};
    size_t n = cli_input_peek(in, 4), length = strlen(in->name);
    bool is_raw =
        format == CLI_RAW || ends(in->name, length, ".raw") || ends(in->name, length, ".bin");
    if (begins(in, n, "\x1f\x8b") && !is_raw)
        cli_input_through(in, gzip);
    if (begins(in, n, "\x28\xb5\x2f\xfd") && !is_raw)
        cli_input_through(in, zstd);
}

/* By the first bytes, else by the name, else text if it looks like text. */
static cli_format detect(cli_input *in)
{
    size_t n = cli_input_peek(in, 512);
    if (begins(in, n, "\x93NUMPY"))
        return CLI_NPY;
    if (begins(in, n, "PK\3\4") || begins(in, n, "PK\5\6"))
        return CLI_NPZ;
    if (begins(in, n, "PAR1"))
        return CLI_PARQUET;
    if (begins(in, n, "ARROW1"))
        return CLI_ARROW;
    if (begins(in, n, "%%MatrixMarket") || begins(in, n, UTF8_MARK "%%MatrixMarket"))
        return CLI_MTX;
    static const struct {
        const char *suffix;
        cli_format format;
    } names[] = {{".npy", CLI_NPY}, {".npz", CLI_NPZ},     {".mtx", CLI_MTX},
                 {".csv", CLI_CSV}, {".tsv", CLI_CSV},     {".raw", CLI_RAW},
                 {".bin", CLI_RAW}, {".jsonl", CLI_JSONL}, {".ndjson", CLI_JSONL}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (cli_ends(in->name, names[k].suffix))
            return names[k].format;
    for (size_t k = 0; k < n && k < 512; k++) {
        unsigned char c = in->buffer[in->next + k];
        if (!c || (c < ' ' && !strchr("\t\n\v\f\r", c)))
            cli_bad_offset(in, (int64_t)k, "this is not text; say what it is with --format");
    }
    return CLI_TEXT;
}

/* The mark of UTF-8 says nothing; numbers in UTF-16 are not read. */
static void skip_mark(cli_input *in)
{
    size_t n = cli_input_peek(in, 3);
    if (begins(in, n, "\xff\xfe") || begins(in, n, "\xfe\xff"))
        cli_bad_offset(in, 0, "this is UTF-16: make it UTF-8 (iconv -f UTF-16 -t UTF-8)");
    if (!begins(in, n, UTF8_MARK))
        return;
    in->next += 3;
    in->offset += 3;
}

/* An option that means nothing to a file is an error, unless it may mean another one. */
static void check_options(const cli_source *s, const cli_request *q)
{
    bool table = s->format == CLI_CSV || s->format >= CLI_PARQUET, text = s->format == CLI_TEXT;
    const char *of_tables = q->columns ? "--columns" : q->by ? "--by" : NULL;
    bool alone = q->n_files == 1 || strcmp(q->command, "solve") == 0;
    if (q->column && !table && s->format != CLI_NPZ)
        cli_fail(CLI_BAD_INPUT, "%s: --column is for csv and npz, this is %s", s->in.name,
                 cli_format_names[s->format]);
    if (of_tables && !table)
        cli_fail(CLI_BAD_INPUT, "%s: %s is for csv, this is %s", s->in.name, of_tables,
                 cli_format_names[s->format]);
    if ((q->header || q->no_header) && !table && (alone || text))
        cli_fail(CLI_BAD_INPUT, "%s: --%sheader is for csv, this is %s", s->in.name,
                 q->header ? "" : "no-", cli_format_names[s->format]);
    if ((q->delimiter || q->decimal) && !table && !text && alone)
        cli_fail(CLI_BAD_INPUT, "%s: %s is for csv and text, this is %s", s->in.name,
                 q->delimiter ? "--delimiter" : "--decimal", cli_format_names[s->format]);
}

/* Python sends the array of this name; the only one, if there is no name. */
static void open_archive(cli_source *s, const cli_request *q)
{
    if (s->in.n_bytes < 0)
        cli_fail(CLI_BAD_INPUT, "%s: an npz file cannot be read from a stream", s->in.name);
    s->in.n_bytes = cli_input_by_python(&s->in, "exblas._npz", q->column);
    cli_open_npy(s, q);
}

/* Python makes a csv file with a header of it. */
static void open_table(cli_source *s, const cli_request *q)
{
    cli_request with_header = *q;
    with_header.header = true;
    s->separator = ',';
    s->decimal = '.';
    cli_input_by_python(&s->in, "exblas._table", cli_format_names[s->format]);
    cli_open_csv(s, &with_header);
}

void cli_source_open(cli_source *s, const cli_request *q, const char *path)
{
    static void (*const openers[])(cli_source *, const cli_request *) = {
        [CLI_NPY] = cli_open_npy,   [CLI_RAW] = cli_open_raw, [CLI_TEXT] = cli_open_text,
        [CLI_CSV] = cli_open_csv,   [CLI_MTX] = cli_open_mtx, [CLI_NPZ] = open_archive,
        [CLI_PARQUET] = open_table, [CLI_ARROW] = open_table, [CLI_JSONL] = open_table};
    *s = (cli_source){.is_float = q->type == CLI_F32,
                      .has_positions = true,
                      .n_elements = -1,
                      .skip_na = q->skip_na,
                      .separator = q->delimiter};
    cli_input_open(&s->in, path, q->quiet);
    decompress(&s->in, q->format);
    s->format = q->format == CLI_AUTO ? detect(&s->in) : q->format;
    s->decimal = q->decimal && s->format != CLI_MTX ? q->decimal : '.';
    check_options(s, q);
    if (s->format == CLI_TEXT || s->format == CLI_CSV || s->format == CLI_MTX)
        skip_mark(&s->in);
    openers[s->format](s, q);
    if (s->is_complex && (strcmp(q->command, "dot") == 0 || strcmp(q->command, "verify") == 0))
        cli_fail(CLI_BAD_INPUT, "%s: %s is of real numbers only", s->in.name, q->command);
}

size_t cli_source_read(cli_source *s, double *x, size_t n)
{
    size_t got = s->read(s, x, n);
    s->n_read += (int64_t)got;
    return got;
}

double *cli_source_read_all(cli_source *s, int64_t *n)
{
    int64_t room = s->n_elements >= 0 ? s->n_elements + 1 : CLI_BLOCK;
    double *x = cli_allocate(room, sizeof(double));
    size_t got;
    *n = 0;
    while ((got = cli_source_read(s, x + *n, (size_t)(room - *n))) > 0) {
        *n += (int64_t)got;
        if (*n == room)
            x = cli_grow(x, room *= 2, sizeof(double));
    }
    return x;
}

void cli_to_c_order(const cli_source *s, double *x)
{
    int64_t n = s->n_elements, index[CLI_MAX_DIMS] = {0}, stride[CLI_MAX_DIMS];
    double *from = cli_allocate(n, sizeof(double));
    memcpy(from, x, (size_t)n * sizeof(double));
    for (int d = 0; d < s->n_dims; d++)
        stride[d] = d ? stride[d - 1] * s->shape[d - 1] : 1;
    for (int64_t k = 0, at = 0; k < n; k++) {
        x[k] = from[at];
        for (int d = s->n_dims - 1; d >= 0; d--) { /* the last index runs fastest */
            at += stride[d];
            if (++index[d] < s->shape[d])
                break;
            at -= stride[d] * s->shape[d];
            index[d] = 0;
        }
    }
    free(from);
}
