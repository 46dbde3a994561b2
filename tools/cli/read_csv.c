/* Tables: one column of comma-separated values (RFC 4180: quoted fields, doubled quotes).
 * Semicolons or tabs separate if the first line has no comma. The first record is a header if
 * the column is asked for by name or its first field is no number. */
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { FIELD_MORE, FIELD_LAST, FIELD_NONE } field_end;

static char find_separator(cli_input *in)
{
    size_t n = cli_input_peek(in, CLI_BUFFER);
    const char *line = (const char *)in->buffer + in->next;
    const char *newline = memchr(line, '\n', n);
    n = newline ? (size_t)(newline - line) : n;
    if (memchr(line, ',', n))
        return ',';
    return memchr(line, ';', n) ? ';' : memchr(line, '\t', n) ? '\t' : ',';
}

static void append(const cli_input *in, cli_word *w, size_t *n, int c)
{
    if (*n == CLI_WORD - 1)
        cli_bad_place(in, w->place, "this field is too long");
    if (c == 0) /* the rest would count for nothing */
        cli_bad_place(in, w->place, "a zero byte in a field");
    w->text[(*n)++] = (char)c;
}

/* From the opening quote to behind the closing one. */
static void quoted(cli_input *in, cli_word *w, size_t *n)
{
    cli_input_get(in);
    for (;;) {
        int c = cli_input_get(in);
        if (c < 0)
            cli_bad_place(in, w->place, "a quoted field does not end");
        if (c == '"') {
            if (cli_input_next(in) != '"')
                return;
            cli_input_get(in);
        }
        append(in, w, n, c);
    }
}

static void trim(cli_word *w, size_t n)
{
    size_t begin = strspn(w->text, " \t");
    while (n > begin && strchr(" \t\r", w->text[n - 1]))
        n--;
    w->text[n] = 0;
    memmove(w->text, w->text + begin, n - begin + 1);
}

static field_end next_field(cli_source *s, cli_word *w)
{
    cli_input *in = &s->in;
    size_t n = 0;
    w->place = in->place;
    bool is_quoted = cli_input_next(in) == '"';
    if (is_quoted)
        quoted(in, w, &n);
    for (;;) {
        int c = cli_input_get(in);
        bool ends = c < 0 || c == '\n' || c == s->table.separator;
        if (ends) {
            w->text[n] = 0;
            if (!is_quoted)
                trim(w, n);
            return c == s->table.separator ? FIELD_MORE : FIELD_LAST;
        }
        if (is_quoted && c != '\r')
            cli_bad_place(in, w->place, "text after a quoted field");
        if (!is_quoted)
            append(in, w, &n, c);
    }
}

/* Empty lines do not count. */
static bool at_record(cli_input *in)
{
    while (cli_input_next(in) == '\n' || cli_input_next(in) == '\r')
        cli_input_get(in);
    return cli_input_next(in) >= 0;
}

/* The wanted field of the next record. */
static bool next_record(cli_source *s, cli_word *wanted)
{
    cli_word w;
    int64_t n = 0;
    field_end end;
    if (!at_record(&s->in))
        return false;
    cli_place place = s->in.place;
    do {
        end = next_field(s, &w);
        if (n++ == s->table.wanted)
            *wanted = w;
    } while (end == FIELD_MORE);
    if (n != s->table.n_columns)
        cli_bad_place(&s->in, place, "%lld fields instead of %lld", (long long)n,
                      (long long)s->table.n_columns);
    return true;
}

static size_t read_column(cli_source *s, double *x, size_t n)
{
    cli_word w;
    size_t k = 0;
    if (s->table.has_first) {
        x[k++] = s->table.first;
        s->table.has_first = false;
    }
    while (k < n && next_record(s, &w))
        x[k++] = cli_number(&s->in, w.place, w.text, s->is_float);
    return k;
}

/* A whole number from 1 is a position, anything else a name. */
static int64_t position(const char *column)
{
    char *end;
    long long k = column ? strtoll(column, &end, 10) : 0;
    return column && *column && !*end && k >= 1 ? k : 0;
}

static void list_name(char *names, size_t room, const cli_word *w)
{
    size_t n = strlen(names);
    snprintf(names + n, room - n, "%s%.30s", n ? ", " : "", w->text);
}

void cli_open_csv(cli_source *s, const char *column)
{
    cli_table *t = &s->table;
    cli_word w, first = {.place = s->in.place};
    char names[200] = "";
    field_end end;
    int64_t at = position(column);
    if (cli_input_peek(&s->in, 3) >= 3 && memcmp(s->in.buffer, "\xef\xbb\xbf", 3) == 0)
        s->in.next += 3; /* the mark of UTF-8 */
    *t = (cli_table){.separator = find_separator(&s->in), .wanted = at ? at - 1 : -1};
    s->read = read_column;
    if (!at_record(&s->in))
        cli_bad_place(&s->in, s->in.place, "the table is empty");
    do {
        end = next_field(s, &w);
        list_name(names, sizeof names, &w);
        if (column && !at && t->wanted < 0 && strcmp(column, w.text) == 0)
            t->wanted = t->n_columns;
        if (t->n_columns == (t->wanted < 0 ? 0 : t->wanted))
            first = w;
        t->n_columns++;
    } while (end == FIELD_MORE);
    if (!column && t->n_columns > 1)
        cli_bad_place(&s->in, first.place, "%lld columns (%s): choose one with --column",
                      (long long)t->n_columns, names);
    if (column && (t->wanted < 0 || t->wanted >= t->n_columns))
        cli_bad_place(&s->in, (cli_place){1, 1}, "no column %s among %lld (%s)", column,
                      (long long)t->n_columns, names);
    t->wanted = t->wanted < 0 ? 0 : t->wanted;
    bool named = column && !at;
    t->has_first = !named && cli_parse_number(first.text, s->is_float, &t->first) != CLI_NO_NUMBER;
    if (t->has_first)
        t->first = cli_number(&s->in, first.place, first.text, s->is_float);
}
