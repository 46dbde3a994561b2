/* Decimal numbers (also hexadecimal, inf, nan) between blanks and commas; # begins a comment. */
#include "source.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

double cli_number(const cli_input *in, cli_place place, const char *text, bool is_float)
{
    double x = 0;
    cli_parsed how = cli_parse_number(text, is_float, &x);
    if (how == CLI_NO_NUMBER)
        cli_bad_place(in, place, "'%.40s' is not a number", text);
    if (how == CLI_TOO_LARGE)
        cli_bad_place(in, place, "'%.40s' is too large for a %s", text,
                      is_float ? "float" : "double");
    return x;
}

static bool is_blank(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == ',';
}

static void skip_line(cli_input *in)
{
    int c;
    do
        c = cli_input_get(in);
    while (c >= 0 && c != '\n');
}

bool cli_next_word(cli_input *in, int comment, cli_word *w)
{
    int c;
    size_t n = 0;
    for (;;) {
        c = cli_input_next(in);
        if (c == comment && c >= 0)
            skip_line(in);
        else if (is_blank(c))
            cli_input_get(in);
        else
            break;
    }
    w->place = in->place;
    for (; c >= 0 && !is_blank(c) && c != comment; c = cli_input_next(in)) {
        if (n == CLI_WORD - 1 || c == 0)
            cli_bad_place(in, w->place, "this is not a number");
        w->text[n++] = (char)cli_input_get(in);
    }
    w->text[n] = 0;
    return n > 0;
}

static size_t read_numbers(cli_source *s, double *x, size_t n)
{
    cli_word w;
    size_t k = 0;
    while (k < n && cli_next_word(&s->in, '#', &w))
        x[k++] = cli_number(&s->in, w.place, w.text, s->is_float);
    return k;
}

void cli_open_text(cli_source *s)
{
    s->read = read_numbers;
}
