/* Tables: one column of comma-separated values (RFC 4180: quoted fields, doubled quotes).
 * Semicolons, tabs or bars separate if they stand on the first line instead of commas. Where the
 * first record may be a header or not, or two characters may separate, the options decide. */
#include "source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
        x[k++] = cli_number(s, &w);
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

/* The first record. Columns count from 1; 0 is none. */
typedef struct {
    int64_t n_columns, by_number, by_name, n_of_name;
    cli_word field; /* of the column by number, or else of the first */
    char names[200];
} head;

static void read_head(cli_source *s, const char *column, head *h)
{
    cli_word w;
    field_end end;
    int64_t at = position(column);
    *h = (head){0};
    do {
        end = next_field(s, &w);
        list_name(h->names, sizeof h->names, &w);
        h->n_columns++;
        if (column && strcmp(column, w.text) == 0 && h->n_of_name++ == 0)
            h->by_name = h->n_columns;
        if (h->n_columns == at)
            h->by_number = at;
        if (h->n_columns == 1 || h->n_columns == at)
            h->field = w;
    } while (end == FIELD_MORE);
}

/* Neither a number in any notation nor what stands for a missing one. */
static bool is_name(const char *text)
{
    static const char *const missing[] = {"na", "n/a", "null", "none", "nil", "missing"};
    double x;
    for (size_t k = 0; k < sizeof missing / sizeof *missing; k++)
        if (strcasecmp(text, missing[k]) == 0)
            return false;
    if (cli_parse_number(text, false, &x) != CLI_NO_NUMBER)
        return false;
    bool foreign = (unsigned char)*text >= 0x80 && !strpbrk(text, "0123456789");
    return isalpha((unsigned char)*text) || *text == '_' || foreign;
}

/* The column, from 0. */
static int64_t choose_column(const cli_source *s, const cli_request *q, const head *h)
{
    const cli_input *in = &s->in;
    cli_place place = h->field.place;
    if (!q->column && h->n_columns > 1)
        cli_bad_place(in, place, "%lld columns (%s): choose one with --column",
                      (long long)h->n_columns, h->names);
    if (q->column && !h->by_number && (q->no_header || !h->by_name))
        cli_bad_place(in, place, "no column %s among %lld (%s)", q->column, (long long)h->n_columns,
                      h->names);
    if (q->column && !h->by_number && h->n_of_name > 1)
        cli_bad_place(in, place, "%lld columns are named %s: choose one by its number",
                      (long long)h->n_of_name, q->column);
    return h->by_number ? h->by_number - 1 : h->by_name ? h->by_name - 1 : 0;
}

static bool has_header(const cli_source *s, const cli_request *q, const head *h)
{
    bool named = q->column && !h->by_number;
    if (q->header || q->no_header || named)
        return !q->no_header;
    if (!is_name(h->field.text))
        cli_bad_place(&s->in, h->field.place,
                      "'%.40s' may be a name or a value: say --header or --no-header",
                      h->field.text);
    return true;
}

void cli_open_csv(cli_source *s, const cli_request *q)
{
    cli_table *t = &s->table;
    head h;
    s->read = read_column;
    if (!at_record(&s->in))
        cli_bad_place(&s->in, s->in.place, "the table is empty");
    if (!s->separator && cli_ends(s->in.name, ".tsv"))
        s->separator = '\t';
    if (!s->separator)
        s->separator = find_separator(&s->in, s->decimal == ',' ? ";\t|" : ",;\t|");
    read_head(s, q->column, &h);
    *t = (cli_table){.n_columns = h.n_columns, .wanted = choose_column(s, q, &h)};
    t->has_first = !has_header(s, q, &h);
    if (t->has_first)
        t->first = cli_number(s, &h.field);
    else if (h.by_number && h.by_name && h.by_name != h.by_number)
        cli_bad_place(&s->in, h.field.place, "%s is the name of column %lld, too: rename it",
                      q->column, (long long)h.by_name);
}
