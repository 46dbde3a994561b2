#include "vector_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const vector_routine routines[] = {
    {"dsum", "n", "x", 'd', FORMAT_D},
    {"ssum", "n", "x", 's', FORMAT_S},
    {"csum", "n", "x", 'c', FORMAT_S},
    {"zsum", "n", "x", 'z', FORMAT_D},
    {"dasum", "n", "x", 'd', FORMAT_D},
    {"scasum", "n", "x", 'c', FORMAT_S},
    {"dzasum", "n", "x", 'z', FORMAT_D},
    {"dnrm2", "n", "x", 'd', FORMAT_D},
    {"scnrm2", "n", "x", 'c', FORMAT_S},
    {"dznrm2", "n", "x", 'z', FORMAT_D},
    {"ddot", "n", "xy", 'd', FORMAT_D},
    {"sdot", "n", "xy", 's', FORMAT_S},
    {"dsdot", "n", "xy", 's', FORMAT_D},
    {"cdotu", "n", "xy", 'c', FORMAT_S},
    {"cdotc", "n", "xy", 'c', FORMAT_S},
    {"zdotu", "n", "xy", 'z', FORMAT_D},
    {"zdotc", "n", "xy", 'z', FORMAT_D},
    {"dgemv", "trans m n alpha beta", "axy", 'd', FORMAT_D},
    {"sgemv", "trans m n alpha beta", "axy", 's', FORMAT_S},
    {"dgemm", "transa transb m n k alpha beta", "abc", 'd', FORMAT_D},
    {"sgemm", "transa transb m n k alpha beta", "abc", 's', FORMAT_S},
    {"cgemm", "transa transb m n k alphar alphai betar betai", "abc", 'c', FORMAT_S},
    {"zgemm", "transa transb m n k alphar alphai betar betai", "abc", 'z', FORMAT_D},
    {"dtrsv", "uplo trans diag n", "ax", 'd', FORMAT_D},
    {"strsv", "uplo trans diag n", "ax", 's', FORMAT_S},
    {"ctrsv", "uplo trans diag n", "ax", 'c', FORMAT_S},
    {"ztrsv", "uplo trans diag n", "ax", 'z', FORMAT_D},
};

typedef struct {
    const char *path;
    FILE *stream;
    char *line; /* the current one, without its newline */
    size_t capacity;
    int line_number;
} line_reader;

static bool fail(const line_reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: ", r->path, r->line_number);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return false;
}

static void *checked_realloc(void *p, size_t n_bytes)
{
    void *q = realloc(p, n_bytes);
    if (!q) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return q;
}

/* False at the end of the file. */
static bool next_line(line_reader *r)
{
    size_t n = 0;
    int ch;
    while ((ch = getc(r->stream)) != EOF && ch != '\n') {
        if (n + 2 > r->capacity) {
            r->capacity = 2 * r->capacity + 256;
            r->line = checked_realloc(r->line, r->capacity);
        }
        r->line[n++] = (char)ch;
    }
    if (ch == EOF && n == 0)
        return false;
    if (!r->line)
        r->line = checked_realloc(NULL, r->capacity = 256);
    r->line[n] = '\0';
    r->line_number++;
    return true;
}

/* Up to 13 hex digits of a fraction, as 52 bits. */
static bool parse_fraction(const char **s, uint64_t *fraction)
{
    int n_digits = 0;
    *fraction = 0;
    for (; **s != 'p'; (*s)++, n_digits++) {
        const char *digit = strchr("0123456789abcdef", **s);
        if (!**s || !digit || n_digits == 13)
            return false;
        *fraction = *fraction << 4 | (uint64_t)(digit - "0123456789abcdef");
    }
    *fraction <<= 4 * (13 - n_digits);
    return true;
}

static bool parse_exponent(const char *s, int *exp2)
{
    char *end;
    if ((s[0] != '+' && s[0] != '-') || s[1] < '0' || s[1] > '9' || strlen(s) > 5)
        return false;
    *exp2 = (int)strtol(s, &end, 10);
    return *end == '\0';
}

/* 0x1.FFFp+E, 0x0.FFFp-1022 or 0x0p+0, unsigned. */
static bool parse_hex(const char *s, uint64_t *bits)
{
    uint64_t fraction = 0;
    int exp2;
    if (s[0] != '0' || s[1] != 'x' || (s[2] != '0' && s[2] != '1'))
        return false;
    bool normal = s[2] == '1';
    s += 3;
    if (*s == '.') {
        s++;
        if (!parse_fraction(&s, &fraction))
            return false;
    }
    if (*s != 'p' || !parse_exponent(s + 1, &exp2))
        return false;
    if (exp2 < -1022 || exp2 > 1023 || (!normal && fraction && exp2 != -1022))
        return false;
    *bits = (normal ? (uint64_t)(exp2 + 1023) << 52 : 0) | fraction;
    return true;
}

static bool parse_number(const char *token, double *x)
{
    uint64_t bits;
    bool negative = token[0] == '-';
    const char *magnitude = token + negative;
    if (strcmp(token, "nan") == 0)
        bits = TEST_CANONICAL_NAN;
    else if (strcmp(magnitude, "inf") == 0)
        bits = 0x7ff0000000000000u;
    else if (!parse_hex(magnitude, &bits))
        return false;
    *x = from_bits(bits | (uint64_t)negative << 63);
    return true;
}

static bool fits_format(double x, number_format f)
{
    return f == FORMAT_D || same_bits((double)(float)x, x);
}

/* Numbers separated by single blanks; text is cut into tokens. */
static bool parse_array(const line_reader *r, char *text, number_format f, vector_array *a)
{
    size_t capacity = 0;
    a->n = 0;
    a->value = NULL;
    for (char *token = text, *end; *token; token = end) {
        size_t n_chars = strcspn(token, " ");
        end = token + n_chars + (token[n_chars] == ' ');
        token[n_chars] = '\0';
        if (a->n == capacity)
            a->value = checked_realloc(a->value, (capacity = 2 * capacity + 8) * sizeof(double));
        if (!parse_number(token, &a->value[a->n]))
            return fail(r, "'%s' is not a number of this format", token);
        if (!fits_format(a->value[a->n], f))
            return fail(r, "%s is not a float", token);
        a->n++;
    }
    return true;
}

static const vector_routine *find_routine(const char *name)
{
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (strcmp(routines[i].name, name) == 0)
            return &routines[i];
    return NULL;
}

/* Takes the word at *s and moves on to the next. */
static bool take_word(const char **s, char *word, size_t n_bytes)
{
    size_t n = strcspn(*s, " ");
    if (n == 0 || n >= n_bytes)
        return false;
    memcpy(word, *s, n);
    word[n] = '\0';
    *s += n + ((*s)[n] == ' ');
    return true;
}

static bool parse_key(const char **s, const char *expected, vector_key *key)
{
    char word[64];
    size_t n_chars = strlen(expected);
    if (!take_word(s, word, sizeof word) || strncmp(word, expected, n_chars) != 0 ||
        word[n_chars] != '=' || strlen(word + n_chars + 1) >= sizeof key->text)
        return false;
    strcpy(key->name, expected);
    strcpy(key->text, word + n_chars + 1);
    return key->text[0] != '\0';
}

static bool is_integer(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0' && strlen(text) < 10;
}

static bool is_one_of(const char *text, const char *letters)
{
    return strlen(text) == 1 && strchr(letters, text[0]);
}

static bool key_is_valid(const vector_key *k, const vector_routine *r)
{
    double x;
    bool is_complex = r->type == 'c' || r->type == 'z';
    number_format f = r->type == 's' || r->type == 'c' ? FORMAT_S : FORMAT_D;
    if (strlen(k->name) == 1)
        return is_integer(k->text);
    if (strncmp(k->name, "trans", 5) == 0)
        return is_one_of(k->text, is_complex ? "ntc" : "nt");
    if (strcmp(k->name, "uplo") == 0)
        return is_one_of(k->text, "lu");
    if (strcmp(k->name, "diag") == 0)
        return is_one_of(k->text, "nu");
    return parse_number(k->text, &x) && fits_format(x, f);
}

static bool parse_header(const line_reader *r, vector_case *c)
{
    const char *s = r->line;
    char word[32], expected[10];
    if (!take_word(&s, word, sizeof word) || !(c->routine = find_routine(word)))
        return fail(r, "no known routine in '%s'", r->line);
    int n_keys = 0;
    for (const char *keys = c->routine->keys; *keys; n_keys++) {
        take_word(&keys, expected, sizeof expected);
        if (n_keys == VECTOR_MAX_KEYS)
            return fail(r, "%s has more keys than there is room for", c->routine->name);
        vector_key *key = &c->key[n_keys];
        if (!parse_key(&s, expected, key) || !key_is_valid(key, c->routine))
            return fail(r, "%s needs a valid %s=", c->routine->name, expected);
    }
    return *s ? fail(r, "surplus '%s'", s) : true;
}

static const vector_key *find_key(const vector_case *c, const char *name)
{
    for (int i = 0; i < VECTOR_MAX_KEYS; i++)
        if (strcmp(c->key[i].name, name) == 0)
            return &c->key[i];
    return NULL;
}

static size_t size_key(const vector_case *c, const char *name)
{
    const vector_key *k = find_key(c, name);
    return k ? (size_t)strtol(k->text, NULL, 10) : 0;
}

/* Elements of operand x, y, a, b or c; '=' is the answer, the shape of the
 * last operand in level 2 and 3 and one number in level 1. */
static size_t n_elements(const vector_case *c, char operand)
{
    size_t m = size_key(c, "m"), n = size_key(c, "n"), k = size_key(c, "k");
    bool is_gemm = find_key(c, "transa") != NULL;
    const vector_key *trans = find_key(c, "trans");
    bool is_gemv = trans && find_key(c, "m");
    if (is_gemm)
        return operand == 'a' ? m * k : operand == 'b' ? k * n : m * n;
    if (is_gemv && operand == 'a')
        return m * n;
    if (is_gemv)
        return (operand == 'x') == (trans->text[0] == 'n') ? n : m;
    if (operand == 'a')
        return n * n;
    return operand == '=' && !trans ? 1 : n;
}

/* Doubles per element; norms and sums of absolute values of complex data are real. */
static size_t n_parts(const vector_routine *r, char operand)
{
    if (r->type == 's' || r->type == 'd')
        return 1;
    return operand == '=' && (strstr(r->name, "asum") || strstr(r->name, "nrm2")) ? 1 : 2;
}

static bool parse_operand(line_reader *r, const vector_case *c, char name, vector_array *a)
{
    number_format f = c->routine->answer;
    if (name != '=')
        f = c->routine->type == 's' || c->routine->type == 'c' ? FORMAT_S : FORMAT_D;
    if (!next_line(r) || r->line[0] != name || r->line[1] != ' ')
        return fail(r, "expected a line '%c …'", name);
    if (!parse_array(r, r->line + 2, f, a))
        return false;
    size_t expected = n_elements(c, name) * n_parts(c->routine, name);
    if (a->n != expected)
        return fail(r, "%c has %zu numbers, not %zu", name, a->n, expected);
    return true;
}

static bool parse_case(line_reader *r, vector_case *c)
{
    *c = (vector_case){.file = r->path};
    if (strncmp(r->line, "# ", 2) != 0 || strlen(r->line) < 3)
        return fail(r, "expected '# name', found '%s'", r->line);
    snprintf(c->name, sizeof c->name, "%s", r->line + 2);
    if (!next_line(r))
        return fail(r, "the file ends in a case");
    c->line = r->line_number;
    if (!parse_header(r, c))
        return false;
    for (int i = 0; c->routine->operands[i]; i++)
        if (!parse_operand(r, c, c->routine->operands[i], &c->operand[i]))
            return false;
    if (!parse_operand(r, c, '=', &c->answer))
        return false;
    return next_line(r) && r->line[0] ? fail(r, "expected an empty line") : true;
}

static bool parse_file(line_reader *r, vector_file *f)
{
    size_t capacity = 0;
    while (next_line(r)) {
        if (f->n_cases == capacity)
            f->cases = checked_realloc(f->cases, (capacity = 2 * capacity + 64) * sizeof *f->cases);
        if (!parse_case(r, &f->cases[f->n_cases++]))
            return false;
    }
    return f->n_cases > 0 && !ferror(r->stream) ? true : fail(r, "no cases, or a read error");
}

static char *copy_text(const char *s)
{
    return strcpy(checked_realloc(NULL, strlen(s) + 1), s);
}

vector_file *vector_file_read(const char *path)
{
    line_reader r = {.path = path, .stream = fopen(path, "r")};
    if (!r.stream) {
        perror(path);
        return NULL;
    }
    vector_file *f = checked_realloc(NULL, sizeof *f);
    *f = (vector_file){0};
    char *kept_path = copy_text(path);
    r.path = kept_path;
    bool ok = parse_file(&r, f);
    fclose(r.stream);
    free(r.line);
    if (f->n_cases == 0)
        free(kept_path); /* otherwise the first case owns it */
    if (ok)
        return f;
    vector_file_free(f);
    return NULL;
}

void vector_file_free(vector_file *f)
{
    if (!f)
        return;
    if (f->n_cases)
        free((void *)f->cases[0].file);
    for (size_t i = 0; i < f->n_cases; i++) {
        for (int j = 0; j < VECTOR_MAX_OPERANDS; j++)
            free(f->cases[i].operand[j].value);
        free(f->cases[i].answer.value);
    }
    free(f->cases);
    free(f);
}

static const vector_key *require_key(const vector_case *c, const char *name)
{
    const vector_key *k = find_key(c, name);
    if (!k) {
        fprintf(stderr, "%s:%d: %s has no key %s\n", c->file, c->line, c->routine->name, name);
        abort();
    }
    return k;
}

int64_t vector_int(const vector_case *c, const char *key)
{
    return strtol(require_key(c, key)->text, NULL, 10);
}

char vector_letter(const vector_case *c, const char *key)
{
    return require_key(c, key)->text[0];
}

double vector_number(const vector_case *c, const char *key)
{
    double x = 0;
    if (!parse_number(require_key(c, key)->text, &x))
        abort();
    return x;
}

const double *vector_operand(const vector_case *c, char name)
{
    const char *at = strchr(c->routine->operands, name);
    if (!at || !name) {
        fprintf(stderr, "%s:%d: %s has no operand %c\n", c->file, c->line, c->routine->name, name);
        abort();
    }
    return c->operand[at - c->routine->operands].value;
}
