/* Decimal numbers (also hexadecimal, inf, nan) between blanks and commas; # begins a comment. */
#include "source.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

cli_parsed cli_parse_number(const char *text, bool is_float, double *x)
{
    char *end;
    if (!*text || strchr(" \t\n\v\f\r", *text))
        return CLI_NO_NUMBER;
    errno = 0;
    *x = is_float ? (double)strtof(text, &end) : strtod(text, &end);
    if (*end)
        return CLI_NO_NUMBER;
    /* ERANGE with a finite result: an underflow, correctly rounded. */
    return errno == ERANGE && isinf(*x) ? CLI_TOO_LARGE : CLI_NUMBER;
}

bool cli_is_missing(const char *text)
{
    static const char *const missing[] = {"", "na", "n/a", "null", "none", "nil", "missing"};
    for (size_t k = 0; k < sizeof missing / sizeof *missing; k++)
        if (strcasecmp(text, missing[k]) == 0)
            return true;
    return false;
}

_Noreturn static void not_a_number(const cli_source *s, const cli_word *w)
{
    static const char mark[] = "\xef\xbb\xbf";
    bool has_mark = strncmp(w->text, mark, strlen(mark)) == 0, comma = s->decimal == ',';
    const char *why = has_mark                        ? ": a byte order mark"
                      : comma && strchr(w->text, '.') ? " with --decimal ,"
                      : !comma && strchr(w->text, ',') && s->format != CLI_MTX ? " (see --decimal)"
                                                                               : "";
    cli_bad_place(&s->in, w->place, "'%.40s' is not a number%s", w->text, why);
}

/* With a point for the decimal comma; "" if there is a point already. */
static const char *with_point(const char *text, char *copy)
{
    char *comma = strchr(strcpy(copy, text), ',');
    if (strchr(copy, '.'))
        return "";
    if (comma)
        *comma = '.';
    return copy;
}

double cli_number(const cli_source *s, const cli_word *w)
{
    double x = 0;
    char copy[CLI_WORD];
    const char *text = s->decimal == ',' ? with_point(w->text, copy) : w->text;
    if (s->skip_na && cli_is_missing(w->text))
        return NAN;
    cli_parsed how = cli_parse_number(text, s->is_float, &x);
    if (how == CLI_NO_NUMBER)
        not_a_number(s, w);
    if (how == CLI_TOO_LARGE)
        cli_bad_place(&s->in, w->place, "'%.40s' is too large for a %s", w->text,
                      s->is_float ? "float" : "double");
    return x;
}

static bool separates(int c, char separator)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || (c > 0 && c == separator);
}

static void skip_line(cli_input *in)
{
    int c;
    do
        c = cli_input_get_text(in);
    while (c >= 0 && c != '\n');
}

bool cli_next_word(cli_input *in, int comment, char separator, cli_word *w)
{
    int c;
    size_t n = 0;
    for (;;) {
        c = cli_input_next(in);
        if (c == comment && c >= 0)
            skip_line(in);
        else if (separates(c, separator))
            cli_input_get_text(in);
        else
            break;
    }
    w->place = in->place;
    for (; c >= 0 && !separates(c, separator) && c != comment; c = cli_input_next(in)) {
        if (n == CLI_WORD - 1 || c == 0)
            cli_bad_place(in, w->place, "this is not a number");
        w->text[n++] = (char)cli_input_get(in);
    }
    w->text[n] = 0;
    return n > 0;
}

/* Digits, grouped by points or not: what may stand before a decimal comma, or between commas that
 * group. */
static bool is_whole(const char *text)
{
    const char *digits = text + strspn(text, "+-");
    const char *rest = digits + strspn(digits, "0123456789");
    if (rest == digits || (*rest && (*digits == '0' || rest - digits > 3)))
        return false;
    for (; *rest == '.'; rest += 4)
        if (strspn(rest + 1, "0123456789") != 3)
            return false;
    return !*rest;
}

/* 1,5 may be two numbers, or one. Any comma that can only separate says what all of them do. */
static void expect_separator(cli_source *s, const cli_word *w)
{
    cli_input *in = &s->in;
    if (s->is_separator || cli_input_next(in) != ',')
        return;
    if (is_whole(w->text) && cli_input_peek(in, 2) > 1 && isdigit(in->buffer[in->next + 1]))
        cli_bad_place(in, in->place, "does this comma separate? Say --delimiter , or --decimal ,");
    s->is_separator = true;
}

static size_t read_numbers(cli_source *s, double *x, size_t n)
{
    cli_word w;
    size_t k = 0;
    while (k < n && cli_next_word(&s->in, '#', s->separator, &w)) {
        x[k++] = cli_number(s, &w);
        expect_separator(s, &w);
    }
    return k;
}

void cli_open_text(cli_source *s, const cli_request *q)
{
    s->is_separator = q->delimiter || s->decimal == ',';
    if (!s->is_separator)
        s->separator = ',';
    s->read = read_numbers;
}
