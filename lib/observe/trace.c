#include "observe/trace.h"

#include "core/arith/half.h"
#include "core/check/check.h"
#include "core/config.h"
#include "core/system.h"
#include "observe/region.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *pattern;
static int file = -1;
static bool is_on;
static long owner;
static atomic_ullong sequence;
static atomic_uint threads;
static __thread unsigned thread_number; /* from 1 */

typedef struct {
    char text[LINE];
    size_t length;
} line;

static void put_text(line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_text(line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(l->text + l->length, sizeof l->text - l->length, format, args);
    va_end(args);
    l->length += n > 0 ? (size_t)n : 0;
    if (l->length >= sizeof l->text)
        l->length = sizeof l->text - 1;
}

/* NAME or, where that belongs to another process, NAME.PID. Of a forked child it never is: what
 * stands there is the parent's, even if that has ended. */
static int open_free(char *name, size_t size, bool is_forked)
{
    bool is_ours = !is_forked || strstr(pattern, "%p") || exb_system_can_share(name);
    bool is_taken = !is_ours;
    int fd = is_ours ? exb_system_open(name, &is_taken) : -1;
    if (fd < 0 && is_taken) {
        size_t n = strlen(name);
        snprintf(name + n, size - n, ".%ld", owner);
        fd = exb_system_open(name, &is_taken);
    }
    return fd;
}

static void open_file(bool is_forked)
{
    char name[4096];
    line l = {.length = 0};
    owner = exb_system_process();
    exb_config_file(name, sizeof name, pattern);
    file = open_free(name, sizeof name, is_forked);
    is_on = file >= 0;
    if (!is_on) {
        exb_warn("EXBLAS_TRACE: %s cannot be written", name);
        return;
    }
    put_text(&l, "exblas-trace 1 %ld %s\n", owner, exb_system_program());
    exb_system_write(file, l.text, l.length);
}

/* A forked child has a file of its own, and no hand on its parent's. */
static void follow_fork(void)
{
    if (exb_system_process() == owner)
        return;
    if (file >= 0)
        exb_system_close(file);
    atomic_store(&sequence, 0);
    open_file(true);
}

void exb_trace_configure(const char *name)
{
    pattern = name;
    if (pattern)
        open_file(false);
}

void exb_trace_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    if (file >= 0)
        exb_system_close(file); /* the lock on it is the parent's */
    file = -1;
}

bool exb_trace_is_on(void)
{
    return is_on;
}

static char letter_of(int64_t option)
{
    static const char letters[] = {
        [EXB_ROW_MAJOR] = 'R',  [EXB_COL_MAJOR] = 'C',     [EXB_NO_TRANS] = 'N', [EXB_TRANS] = 'T',
        [EXB_CONJ_TRANS] = 'C', [EXB_CONJ_NO_TRANS] = 'R', [EXB_UPPER] = 'U',    [EXB_LOWER] = 'L',
        [EXB_NON_UNIT] = 'N',   [EXB_UNIT] = 'U',          [EXB_LEFT] = 'L',     [EXB_RIGHT] = 'R'};
    bool is_known = option > 0 && option <= EXB_RIGHT && letters[option];
    return is_known ? letters[option] : '?';
}

static double part_of(const exb_routine *r, const void *p, int part)
{
    bool is_float = r->type == 's' || r->type == 'c', is_half = r->type == 'b' || r->type == 'h';
    if (is_half)
        return exb_widen_half(r->type == 'b' ? EXB_BF16 : EXB_F16, *(const uint16_t *)p);
    return is_float ? (double)((const float *)p)[part] : ((const double *)p)[part];
}

static void put_argument(line *l, const exb_routine *r, const exb_argument *a, exb_value v)
{
    bool is_pair = (r->type == 'c' || r->type == 'z') && !a->is_real;
    if (a->kind == EXB_ARG_OPTION)
        put_text(l, " %s=%c", a->name, letter_of(v.i));
    else if (a->kind == EXB_ARG_LETTER)
        put_text(l, " %s=%c", a->name, toupper((unsigned char)v.i));
    else if (a->kind == EXB_ARG_INTEGER)
        put_text(l, " %s=%lld", a->name, (long long)v.i);
    else if (a->kind == EXB_ARG_SCALAR)
        put_text(l, " %s=%a", a->name, part_of(r, v.p, 0));
    if (a->kind == EXB_ARG_SCALAR && is_pair)
        put_text(l, ",%a", part_of(r, v.p, 1));
}

static void put_arguments(line *l, const exb_routine *r, const exb_value *v)
{
    for (int i = 0; i < r->n_arguments; i++)
        put_argument(l, r, &r->argument[i], v[i]);
}

void exb_trace_arguments(char *text, size_t size, const exb_routine *r, const exb_value *v)
{
    line l = {.length = 0};
    put_arguments(&l, r, v);
    snprintf(text, size, "%s", l.text);
}

static void put_hash(line *l, char separator, bool known, uint64_t hash)
{
    if (known)
        put_text(l, "%c%016llx", separator, (unsigned long long)hash);
    else
        put_text(l, "%c-", separator);
}

void exb_trace_inputs_of(const exb_routine *r, const exb_value *v, exb_trace_inputs *in)
{
    for (int i = 0; i < r->n_arguments; i++)
        in->is_read[i] = r->argument[i].kind == EXB_ARG_ARRAY && exb_region_is_read(r, v, i) &&
                         exb_region_hash(r, v, i, &in->hash[i]);
}

static void put_inputs(line *l, const exb_routine *r, const exb_trace_inputs *in)
{
    char separator = '=';
    put_text(l, " in");
    for (int i = 0; i < r->n_arguments; i++)
        if (r->argument[i].kind == EXB_ARG_ARRAY) {
            put_hash(l, separator, in->is_read[i], in->hash[i]);
            separator = ',';
        }
    if (separator == '=')
        put_text(l, "=-");
}

static void put_outputs(line *l, const exb_routine *r, const exb_value *v, const void *result)
{
    char separator = '=';
    uint64_t hash = 0;
    put_text(l, " out");
    for (int i = 0; i < r->n_arguments; i++)
        if (r->argument[i].is_written) {
            bool known = exb_region_hash(r, v, i, &hash);
            put_hash(l, separator, known, hash);
            separator = ',';
        }
    if (r->result)
        put_hash(l, separator, true, exb_result_hash(r, result));
    else if (separator == '=')
        put_text(l, "=-");
}

void exb_trace_call(const exb_routine *r, const exb_value *v, const exb_trace_inputs *in,
                    const void *result)
{
    line l = {.length = 0};
    if (!thread_number)
        thread_number = 1 + atomic_fetch_add(&threads, 1);
    pthread_mutex_lock(&lock);
    follow_fork();
    put_text(&l, "%llu %u %s", atomic_fetch_add(&sequence, 1) + 1, thread_number, r->name);
    put_arguments(&l, r, v);
    put_inputs(&l, r, in);
    put_outputs(&l, r, v, result);
    put_text(&l, "\n");
    exb_system_write(file, l.text, l.length);
    pthread_mutex_unlock(&lock);
}
