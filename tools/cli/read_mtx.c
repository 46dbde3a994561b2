/* Matrix Market files (R. Boisvert, R. Pozo, K. Remington, NISTIR 5935): coordinate and array,
 * real, integer and pattern. Entries that symmetry implies are numbers of the matrix too. */
#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void expect_word(cli_source *s, cli_word *w, const char *what)
{
    if (!cli_next_word(&s->in, '%', 0, w))
        cli_bad_place(&s->in, s->in.place, "truncated: %s is missing", what);
}

static int64_t whole(cli_source *s, const char *what, int64_t low, int64_t high, int64_t *line)
{
    cli_word w;
    char *end;
    expect_word(s, &w, what);
    errno = 0;
    long long x = strtoll(w.text, &end, 10);
    if (*end || errno || x < low || x > high)
        cli_bad_place(&s->in, w.place, "'%.40s': %s from %lld to %lld is expected", w.text, what,
                      (long long)low, (long long)high);
    if (*line && w.place.line != *line)
        cli_bad_place(&s->in, w.place, "%s does not stand on line %lld", what, (long long)*line);
    *line = w.place.line;
    return x;
}

/* Each entry begins on a line of its own. */
static void new_line(cli_source *s, int64_t line)
{
    if (line == s->matrix.last_line)
        cli_bad_place(&s->in, (cli_place){line, 1}, "more on this line than one entry");
    s->matrix.last_line = line;
}

static double value(cli_source *s, int64_t line)
{
    cli_word w;
    expect_word(s, &w, "a value");
    if (line && w.place.line != line)
        cli_bad_place(&s->in, w.place, "the value does not stand on line %lld", (long long)line);
    return cli_number(s, &w);
}

static double coordinate_entry(cli_source *s, bool *diagonal)
{
    cli_matrix_market *m = &s->matrix;
    int64_t line = 0;
    int64_t i = whole(s, "a row", 1, m->n_rows, &line);
    new_line(s, line);
    int64_t j = whole(s, "a column", 1, m->n_columns, &line);
    if (m->mirror && (j > i || (m->mirror < 0 && j == i)))
        cli_bad_place(&s->in, (cli_place){line, 1}, "entry (%lld, %lld) is not %s the diagonal",
                      (long long)i, (long long)j, m->mirror < 0 ? "below" : "on or below");
    *diagonal = i == j;
    m->row = i - 1;
    m->column = j - 1;
    return m->pattern ? 1 : value(s, line);
}

/* By columns; with symmetry only the lower triangle. */
static double array_entry(cli_source *s, bool *diagonal)
{
    cli_matrix_market *m = &s->matrix;
    *diagonal = m->row == m->column;
    if (++m->row == m->n_rows) {
        m->column++;
        m->row = m->mirror ? m->column + (m->mirror < 0) : 0;
    }
    return value(s, 0);
}

static void expect_end(cli_source *s)
{
    cli_word w;
    if (cli_next_word(&s->in, '%', 0, &w))
        cli_bad_place(&s->in, w.place, "text after the last entry");
}

/* Of coordinates: the place of the entry that was read last becomes that of its mirror image. */
static void exchange_place(cli_matrix_market *m)
{
    int64_t row = m->row;
    if (m->coordinate) {
        m->row = m->column;
        m->column = row;
    }
}

static size_t read_entries(cli_source *s, double *x, size_t n)
{
    cli_matrix_market *m = &s->matrix;
    for (size_t k = 0; k < n; k++) {
        bool diagonal;
        if (m->has_mirrored) {
            x[k] = m->mirrored;
            m->has_mirrored = false;
            exchange_place(m);
            continue;
        }
        if (m->n_left == 0) {
            if (k == 0)
                expect_end(s);
            return k;
        }
        m->n_left--;
        x[k] = m->coordinate ? coordinate_entry(s, &diagonal) : array_entry(s, &diagonal);
        m->has_mirrored = m->mirror && !diagonal;
        m->mirrored = m->mirror < 0 ? -x[k] : x[k];
    }
    return n;
}

static int choose(cli_source *s, const char *what, const char *const *list)
{
    cli_word w;
    if (!cli_next_word(&s->in, -1, 0, &w) || w.place.line != 1)
        cli_bad_place(&s->in, w.place, "malformed first line: %s is missing", what);
    for (int k = 0; list[k]; k++)
        if (strcasecmp(w.text, list[k]) == 0)
            return k;
    cli_bad_place(&s->in, w.place, "%s '%.40s' is not read", what, w.text);
}

static void take_banner(cli_source *s)
{
    static const char *const banners[] = {"%%MatrixMarket", NULL},
                             *const objects[] = {"matrix", NULL},
                             *const formats[] = {"coordinate", "array", NULL},
                             *const fields[] = {"real", "integer", "double", "pattern", NULL},
                             *const symmetries[] = {"general", "symmetric", "skew-symmetric", NULL};
    static const int mirrors[] = {0, 1, -1};
    cli_matrix_market *m = &s->matrix;
    choose(s, "banner", banners);
    choose(s, "object", objects);
    m->coordinate = choose(s, "format", formats) == 0;
    m->pattern = choose(s, "field", fields) == 3;
    m->mirror = mirrors[choose(s, "symmetry", symmetries)];
    if (m->pattern && (!m->coordinate || m->mirror < 0))
        cli_bad_place(&s->in, (cli_place){1, 1}, "a pattern is %s",
                      m->coordinate ? "never skew-symmetric" : "never an array");
}

/* Entries of an array: all, or one triangle. */
static bool count_array(cli_matrix_market *m)
{
    int64_t n = m->n_rows;
    if (!m->mirror)
        return !__builtin_mul_overflow(n, m->n_columns, &m->n_left);
    int64_t other = m->mirror > 0 ? n + 1 : n - 1; /* one of the two is even */
    return n % 2 ? !__builtin_mul_overflow(n, other / 2, &m->n_left)
                 : !__builtin_mul_overflow(n / 2, other, &m->n_left);
}

void cli_open_mtx(cli_source *s, const cli_request *q)
{
    (void)q;
    cli_matrix_market *m = &s->matrix;
    int64_t line = 0;
    *m = (cli_matrix_market){0};
    take_banner(s);
    m->n_rows = whole(s, "a number of rows", 0, INT64_MAX >> 1, &line);
    m->n_columns = whole(s, "a number of columns", 0, INT64_MAX >> 1, &line);
    if (m->mirror && m->n_rows != m->n_columns)
        cli_bad_place(&s->in, (cli_place){line, 1}, "a symmetric matrix is square");
    if (m->coordinate)
        m->n_left = whole(s, "a number of entries", 0, INT64_MAX, &line);
    else if (!count_array(m))
        cli_bad_place(&s->in, (cli_place){line, 1}, "the array is too large");
    m->last_line = line;
    m->row = m->mirror < 0 ? 1 : 0;
    s->has_positions = !m->coordinate && !m->mirror;
    s->fortran_order = true;
    s->n_dims = 2;
    s->shape[0] = m->n_rows;
    s->shape[1] = m->n_columns;
    s->n_elements = m->coordinate || m->mirror ? -1 : m->n_left;
    s->read = read_entries;
}
