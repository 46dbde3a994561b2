/* Tables: one column of comma-separated values (RFC 4180: quoted fields, doubled quotes).
 * Semicolons, tabs or bars separate if they stand on the first line instead of commas. Where the
 * first record may be a header or not, or two characters may separate, the options decide. */
#include "source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { FIELD_MORE, FIELD_LAST, FIELD_NONE } field_end;

/* The one of these characters that stands on the first line outside quotes, or the first of them
 * if none does. */
static char find_separator(cli_input *in, const char *candidates)
{
    size_t n = cli_input_peek(in, CLI_BUFFER);
    const char *line = (const char *)in->buffer + in->next;
    bool is_quoted = false;
    char found = 0;
    for (size_t k = 0; k < n && (is_quoted || !strchr("\r\n", line[k])); k++) {
        char c = line[k];
        is_quoted ^= c == '"';
        if (is_quoted || !c || !strchr(candidates, c) || c == found)
            continue;
        if (found)
            cli_bad_place(
                in, in->place, "'%s' and '%s' both stand here: say --delimiter, or --decimal ,",
                found == '\t' ? "tab" : (char[]){found, 0}, c == '\t' ? "tab" : (char[]){c, 0});
        found = c;
    }
    return found ? found : *candidates;
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
    while (n > begin && strchr(" \t", w->text[n - 1]))
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
        int c = cli_input_get_text(in);
        bool ends = c < 0 || c == '\n' || c == s->separator;
        if (ends) {
            w->text[n] = 0;
            if (!is_quoted)
                trim(w, n);
            return c == s->separator ? FIELD_MORE : FIELD_LAST;
        }
        if (is_quoted)
            cli_bad_place(in, w->place, "text after a quoted field");
        if (!is_quoted)
            append(in, w, &n, c);
    }
}

/* Empty lines do not count. */
static bool at_record(cli_input *in)
{
    while (cli_input_next(in) == '\n' || cli_input_next(in) == '\r')
        cli_input_get_text(in);
    return cli_input_next(in) >= 0;
}

static void take_field(cli_source *s, int64_t c, const cli_word *w, double *x)
{
    cli_table *t = &s->table;
    if (c < t->n_columns && t->place[c] >= 0)
        x[t->place[c]] = cli_number(s, w);
    if (c == t->by)
        strcpy(t->key, w->text);
}

static void take_first(cli_source *s, double *x)
{
    cli_word w;
    for (int64_t c = 0; c < s->table.n_columns; c++) {
        w.place = s->table.at[c];
        strcpy(w.text, s->table.name[c]);
        take_field(s, c, &w, x);
    }
    s->table.has_first = false;
}

/* The wanted fields of the next record. */
static bool next_record(cli_source *s, double *x)
{
    cli_word w;
    int64_t n = 0;
    field_end end;
    if (s->table.has_first)
        return take_first(s, x), true;
    if (!at_record(&s->in))
        return false;
    cli_place place = s->in.place;
    do {
        end = next_field(s, &w);
        take_field(s, n++, &w, x);
    } while (end == FIELD_MORE);
    if (n != s->table.n_columns)
        cli_bad_place(&s->in, place, "%lld fields instead of %lld", (long long)n,
                      (long long)s->table.n_columns);
    return true;
}

static size_t read_records(cli_source *s, double *x, size_t n)
{
    size_t k = 0, each = (size_t)s->table.n_wanted;
    if (n < each)
        cli_fail(CLI_BAD_INPUT, "%s: at most %d columns at a time", s->in.name, CLI_BLOCK);
    while (k + each <= n && next_record(s, x + k)) {
        k += each;
        if (s->table.by >= 0)
            break;
    }
    return k;
}

static void read_names(cli_source *s)
{
    cli_table *t = &s->table;
    cli_word w;
    field_end end;
    *t = (cli_table){.by = -1, .key = cli_allocate(CLI_WORD, 1)};
    do {
        end = next_field(s, &w);
        if ((t->n_columns & (t->n_columns - 1)) == 0) { /* room for twice as many */
            t->name = cli_grow(t->name, 2 * t->n_columns + 1, sizeof *t->name);
            t->at = cli_grow(t->at, 2 * t->n_columns + 1, sizeof *t->at);
        }
        t->name[t->n_columns] = strcpy(cli_allocate((int64_t)strlen(w.text) + 1, 1), w.text);
        t->at[t->n_columns++] = w.place;
    } while (end == FIELD_MORE);
    t->place = cli_allocate(t->n_columns, sizeof *t->place);
    memset(t->place, -1, (size_t)t->n_columns * sizeof *t->place);
}

static const char *list_names(const cli_table *t)
{
    static char names[200];
    size_t n = 0;
    for (int64_t c = 0; c < t->n_columns && n < sizeof names; c++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%.30s", c ? ", " : "", t->name[c]);
    return names;
}

/* A whole number from 1 to the number of columns is a position; else 0. */
static int64_t position(const cli_table *t, const char *column)
{
    char *end;
    long long k = strtoll(column, &end, 10);
    return *column && !*end && k >= 1 && k <= t->n_columns ? k : 0;
}

/* Neither a number in any notation nor what stands for a missing one. */
static bool is_name(const char *text)
{
    double x;
    if (cli_is_missing(text) || cli_parse_number(text, false, &x) != CLI_NO_NUMBER)
        return false;
    bool foreign = (unsigned char)*text >= 0x80 && !strpbrk(text, "0123456789");
    return isalpha((unsigned char)*text) || *text == '_' || foreign;
}

/* The column that is meant, from 0; is_named: by its name, which is not a number. */
static int64_t find_column(const cli_source *s, const cli_request *q, const char *column,
                           bool *is_named)
{
    const cli_table *t = &s->table;
    int64_t number = position(t, column), named = 0, n_named = 0;
    for (int64_t c = 0; c < t->n_columns; c++)
        if (strcmp(column, t->name[c]) == 0 && n_named++ == 0)
            named = c + 1;
    if (!number && (q->no_header || !named))
        cli_bad_place(&s->in, t->at[0], "no column %s among %lld (%s)", column,
                      (long long)t->n_columns, list_names(t));
    if (!number && n_named > 1)
        cli_bad_place(&s->in, t->at[0], "%lld columns are named %s: choose one by its number",
                      (long long)n_named, column);
    bool has_names =
        q->header || (!q->no_header && (*is_named || is_name(t->name[number - !!number])));
    if (number && named && named != number && has_names)
        cli_bad_place(&s->in, t->at[number - 1], "%s is the name of column %lld, too: rename it",
                      column, (long long)named);
    *is_named |= !number;
    return (number ? number : named) - 1;
}

static void want(cli_source *s, int64_t c)
{
    if (s->table.place[c] >= 0)
        cli_bad_place(&s->in, s->table.at[c], "column %lld is named twice", (long long)c + 1);
    s->table.place[c] = s->table.n_wanted++;
}

/* Names between commas, or all but the keys. */
static void choose_columns(cli_source *s, const cli_request *q, bool *is_named)
{
    cli_table *t = &s->table;
    bool all = strcmp(q->columns, "all") == 0;
    char *list = all ? NULL : strdup(q->columns), *rest = list;
    for (int64_t c = 0; all && c < t->n_columns; c++)
        if (c != t->by)
            want(s, c);
    while (rest) {
        char *name = rest, *comma = strchr(rest, ',');
        rest = comma ? comma + 1 : NULL;
        name[strcspn(name, ",")] = 0;
        want(s, find_column(s, q, name, is_named));
    }
    free(list);
}

/* Whether the first record has names. */
static bool choose(cli_source *s, const cli_request *q)
{
    cli_table *t = &s->table;
    bool is_named = false;
    if (q->by)
        t->by = find_column(s, q, q->by, &is_named);
    int64_t n_left = t->n_columns - (t->by >= 0), first = t->by == 0;
    if (q->columns)
        choose_columns(s, q, &is_named);
    else if (q->column)
        want(s, find_column(s, q, q->column, &is_named));
    else if (n_left != 1)
        cli_bad_place(&s->in, t->at[0], "%lld columns (%s): choose one with --column",
                      (long long)t->n_columns, list_names(t));
    else
        want(s, first);
    if (q->header || q->no_header || is_named)
        return !q->no_header;
    while (t->place[first] != 0)
        first = (first + 1) % t->n_columns;
    if (!is_name(t->name[first]))
        cli_bad_place(&s->in, t->at[first],
                      "'%.40s' may be a name or a value: say --header or --no-header",
                      t->name[first]);
    return true;
}

void cli_open_csv(cli_source *s, const cli_request *q)
{
    s->read = read_records;
    if (!at_record(&s->in))
        cli_bad_place(&s->in, s->in.place, "the table is empty");
    if (!s->separator && cli_ends(s->in.name, ".tsv"))
        s->separator = '\t';
    if (!s->separator)
        s->separator = find_separator(&s->in, s->decimal == ',' ? ";\t|" : ",;\t|");
    read_names(s);
    s->table.has_names = choose(s, q);
    s->table.has_first = !s->table.has_names;
}
