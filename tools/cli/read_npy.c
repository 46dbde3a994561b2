/* NumPy's format, versions 1 to 3, and raw little-endian numbers. */
#include "source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The header: a Python dictionary of known keys. */
typedef struct {
    const cli_source *s;
    const char *at, *begin, *end;
    int64_t offset; /* of begin */
} scanner;

static _Noreturn void malformed(const scanner *c, const char *what)
{
    cli_bad_offset(&c->s->in, c->offset + (c->at - c->begin), "malformed npy header: %s", what);
}

static void skip_blanks(scanner *c)
{
    while (c->at < c->end && strchr(" \t\n\r", *c->at) && *c->at)
        c->at++;
}

static bool take(scanner *c, const char *text)
{
    size_t n = strlen(text);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, text, n) != 0)
        return false;
    c->at += n;
    return true;
}

static void take_string(scanner *c, char *text, size_t room)
{
    skip_blanks(c);
    char quote = c->at < c->end ? *c->at : 0;
    if (quote != '\'' && quote != '"')
        malformed(c, "a string is expected");
    const char *close = memchr(c->at + 1, quote, (size_t)(c->end - c->at - 1));
    if (!close || (size_t)(close - c->at) > room)
        malformed(c, "a string does not end");
    memcpy(text, c->at + 1, (size_t)(close - c->at - 1));
    text[close - c->at - 1] = 0;
    c->at = close + 1;
}

static int64_t take_length(scanner *c)
{
    int64_t n = 0;
    skip_blanks(c);
    if (c->at == c->end || *c->at < '0' || *c->at > '9')
        malformed(c, "a length is expected");
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *c->at - '0', &n))
            malformed(c, "a length is too large");
    return n;
}

static void take_shape(scanner *c, cli_source *s)
{
    if (!take(c, "("))
        malformed(c, "the shape is not a tuple");
    s->n_dims = 0;
    s->n_elements = 1;
    while (!take(c, ")")) {
        if (s->n_dims == CLI_MAX_DIMS)
            malformed(c, "too many dimensions");
        int64_t n = take_length(c);
        s->shape[s->n_dims++] = n;
        /* 2^59 numbers: bytes can be counted too. */
        if (__builtin_mul_overflow(s->n_elements, n, &s->n_elements) || s->n_elements >> 59)
            malformed(c, "the array is too large");
        if (!take(c, ",") && !take(c, ")"))
            malformed(c, "the shape is not a tuple");
        else if (c->at[-1] == ')')
            break;
    }
}

static void take_type(scanner *c, cli_source *s)
{
    char text[32];
    skip_blanks(c);
    if (c->at < c->end && *c->at == '[')
        malformed(c, "structured arrays are not read");
    take_string(c, text, sizeof text);
    const char *size = text[0] && text[1] ? text + 2 : "";
    char kind = text[0] ? text[1] : 0;
    int n_bytes = strcmp(size, "16") == 0 ? 16 : strlen(size) == 1 ? size[0] - '0' : 0;
    bool known = strchr("<>|=", text[0]) &&
                 ((kind == 'f' && (n_bytes == 2 || n_bytes == 4 || n_bytes == 8)) ||
                  (kind == 'c' && (n_bytes == 8 || n_bytes == 16)) ||
                  (kind && strchr("iu", kind) &&
                   (n_bytes == 1 || n_bytes == 2 || n_bytes == 4 || n_bytes == 8)) ||
                  (kind == 'b' && n_bytes == 1));
    if (!known)
        cli_bad_offset(&s->in, c->offset,
                       "elements of type '%s' are not read, only f2, f4, f8, c8, c16, "
                       "integers and booleans",
                       text);
    s->is_complex = kind == 'c';
    if (s->is_complex) {
        kind = 'f';
        n_bytes /= 2;
    }
    s->element = (cli_element){kind, n_bytes, text[0] == '>'};
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    s->element.big_endian |= text[0] == '=';
#endif
    s->is_float = kind == 'f' && n_bytes == 4;
}

static void take_dictionary(scanner *c, cli_source *s)
{
    char key[32];
    unsigned seen = 0;
    if (!take(c, "{"))
        malformed(c, "no dictionary");
    while (!take(c, "}")) {
        take_string(c, key, sizeof key);
        if (!take(c, ":"))
            malformed(c, "':' is expected");
        if (strcmp(key, "descr") == 0) {
            take_type(c, s);
            seen |= 1;
        } else if (strcmp(key, "shape") == 0) {
            take_shape(c, s);
            seen |= 2;
        } else if (strcmp(key, "fortran_order") == 0) {
            s->fortran_order = take(c, "True");
            if (!s->fortran_order && !take(c, "False"))
                malformed(c, "True or False is expected");
            seen |= 4;
        } else {
            malformed(c, "unknown key");
        }
        if (!take(c, ",") && (skip_blanks(c), c->at == c->end || *c->at != '}'))
            malformed(c, "',' is expected");
    }
    if (seen != 7)
        malformed(c, "descr, shape or fortran_order is missing");
}

static uint64_t bits_of(const unsigned char *p, const cli_element *e)
{
    uint64_t b = 0;
    for (int k = 0; k < e->n_bytes; k++)
        b = b << 8 | p[e->big_endian ? k : e->n_bytes - 1 - k];
    return b;
}

/* The double that equals a number of half precision: (-1)^s m 2^e. */
static double half_value(uint64_t b)
{
    int field = (int)(b >> 10 & 31);
    double m = (double)(b & 1023), sign = b >> 15 ? -1 : 1;
    if (field == 31)
        return b & 1023 ? NAN : sign * INFINITY;
    return sign * ldexp(field ? m + 1024 : m, (field ? field : 1) - 25);
}

/* False if the integer is not a double. */
static bool convert(const unsigned char *p, const cli_element *e, double *x)
{
    uint64_t b = bits_of(p, e);
    if (e->kind == 'f' && e->n_bytes == 8) {
        memcpy(x, &b, sizeof *x);
    } else if (e->kind == 'f' && e->n_bytes == 2) {
        *x = half_value(b);
    } else if (e->kind == 'f') {
        uint32_t half = (uint32_t)b;
        float f;
        memcpy(&f, &half, sizeof f);
        *x = (double)f;
    } else {
        bool negative = e->kind == 'i' && b >> (8 * e->n_bytes - 1);
        uint64_t low = (uint64_t)1 << (8 * e->n_bytes - 1);
        uint64_t magnitude = negative ? (low - 1 - (b & (low - 1))) + 1 : b;
        *x = (double)magnitude; /* at most 2^64, which fits if it was rounded up to it */
        if (*x >= 0x1p64 || (uint64_t)*x != magnitude)
            return false;
        *x = negative ? -*x : *x;
    }
    return true;
}

/* The bytes of the file are those of a double here. */
static bool is_double(const cli_element *e)
{
    return e->kind == 'f' && e->n_bytes == 8 &&
           e->big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* At the end of what the header promises, the file has to end too. */
static void expect_end(cli_source *s)
{
    if (cli_input_peek(&s->in, 1))
        cli_bad_offset(&s->in, s->in.offset, "bytes after the last of %lld elements",
                       (long long)s->n_elements);
}

static size_t read_elements(cli_source *s, double *x, size_t n)
{
    const cli_element *e = &s->element;
    unsigned char bytes[1 << 15];
    size_t size = (size_t)e->n_bytes, most = sizeof bytes / size;
    n = n < most ? n : most;
    if (s->n_elements >= 0 && (int64_t)n > s->n_elements - s->n_read)
        n = (size_t)(s->n_elements - s->n_read);
    if (!n && s->n_elements >= 0)
        expect_end(s);
    int64_t offset = s->in.offset;
    size_t got = cli_input_read(&s->in, bytes, n * size);
    if (got % size || (s->n_elements >= 0 && got < n * size))
        cli_bad_offset(&s->in, s->in.offset, "truncated after %lld%s elements",
                       (long long)(s->n_read + (int64_t)(got / size)),
                       got % size ? " and a part of" : "");
    if (is_double(e))
        memcpy(x, bytes, got);
    for (size_t k = 0; k < got / size && !is_double(e); k++)
        if (!convert(bytes + k * size, e, &x[k]))
            cli_bad_offset(&s->in, offset + (int64_t)(k * size),
                           "this integer is not exactly a double");
    return got / size;
}

void cli_open_npy(cli_source *s, const cli_request *q)
{
    (void)q;
    unsigned char fixed[12];
    size_t got = cli_input_read(&s->in, fixed, 10);
    if (got < 6 || memcmp(fixed, "\x93NUMPY", 6) != 0)
        cli_bad_offset(&s->in, 0, "not an npy file");
    if (got == 10 && (fixed[6] < 1 || fixed[6] > 3))
        cli_bad_offset(&s->in, 6, "npy version %d is not known", fixed[6]);
    if (got == 10 && fixed[6] > 1)
        got += cli_input_read(&s->in, fixed + 10, 2);
    else
        memset(fixed + 10, 0, 2);
    size_t n = fixed[8] | (size_t)fixed[9] << 8 | (size_t)fixed[10] << 16 | (size_t)fixed[11] << 24;
    if (got < 10 || (fixed[6] > 1 && got < 12))
        cli_bad_offset(&s->in, s->in.offset, "truncated in the npy header");
    if (n > 1 << 20)
        cli_bad_offset(&s->in, 8, "malformed npy header: %zu bytes long", n);
    char *text = cli_allocate((int64_t)n, 1);
    scanner c = {s, text, text, text + n, s->in.offset};
    if (cli_input_read(&s->in, text, n) < n)
        cli_bad_offset(&s->in, s->in.offset, "truncated in the npy header");
    take_dictionary(&c, s);
    free(text);
    s->n_elements *= 1 + s->is_complex; /* below 2^60 */
    s->read = read_elements;
}

void cli_open_raw(cli_source *s, const cli_request *q)
{
    (void)q;
    s->element = (cli_element){'f', s->is_float ? 4 : 8, false};
    s->read = read_elements;
}
