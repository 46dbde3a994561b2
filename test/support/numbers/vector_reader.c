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
    char line[1 << 16]; /* the current one, without its newline */
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
    if (!q)
        abort();
    return q;
}

/* False at the end of the file. */
static bool next_line(line_reader *r)
{
    if (!fgets(r->line, sizeof r->line, r->stream))
        return false;
    r->line[strcspn(r->line, "\n")] = '\0';
    r->line_number++;
    return true;
}

/* A number of the format at *s, behind which the text goes on. */
static bool parse_number(char **s, number_format f, double *x)
{
    char *begin = *s;
    *x = strtod(begin, s);
    if (*x != *x)
        *x = from_bits(TEST_CANONICAL_NAN);
    return *s > begin && (f == FORMAT_D || same_bits((double)(float)*x, *x));
}

/* Numbers separated by single blanks. */
static bool parse_array(const line_reader *r, char *text, number_format f, vector_array *a)
{
    size_t capacity = 0;
    *a = (vector_array){0};
    for (; *text; text += *text == ' ') {
        if (a->n == capacity)
            a->value = checked_realloc(a->value, (capacity = 2 * capacity + 8) * sizeof(double));
        if (!parse_number(&text, f, &a->value[a->n++]))
            return fail(r, "'%.30s' is not a number of this format", text);
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

/* The words NAME=VALUE of a header, in the routine's order. */
static bool parse_header(line_reader *r, vector_case *c)
{
    char *rest, *word = strtok_r(r->line, " ", &rest);
    if (!word || !(c->routine = find_routine(word)))
        return fail(r, "no known routine");
    int n_keys = 0;
    for (const char *key = c->routine->keys; *key; n_keys++) {
        size_t n_chars = strcspn(key, " ");
        word = strtok_r(NULL, " ", &rest);
        if (!word || strncmp(word, key, n_chars) != 0 || word[n_chars] != '=')
            return fail(r, "%s needs %s", c->routine->name, key);
        snprintf(c->key[n_keys].name, sizeof c->key->name, "%.*s", (int)n_chars, key);
        snprintf(c->key[n_keys].text, sizeof c->key->text, "%s", word + n_chars + 1);
        key += n_chars + (key[n_chars] == ' ');
    }
    return strtok_r(NULL, " ", &rest) ? fail(r, "there are more keys than those") : true;
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

vector_file *vector_file_read(const char *path)
{
    line_reader r = {.path = path, .stream = fopen(path, "r")};
    if (!r.stream) {
        perror(path);
        return NULL;
    }
    vector_file *f = checked_realloc(NULL, sizeof *f);
    *f = (vector_file){0};
    char *kept_path = strdup(path);
    r.path = kept_path;
    bool ok = parse_file(&r, f);
    fclose(r.stream);
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
    return strtod(require_key(c, key)->text, NULL);
}
