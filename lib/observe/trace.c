#include "observe/trace.h"

#include "core/check/check.h"
#include "core/config.h"
#include "observe/process.h"
#include "observe/region.h"

#include <fcntl.h>
#include <stdarg.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *pattern;
static int file = -1;
static pid_t owner;
static atomic_ullong sequence;
static atomic_uint threads;
static __thread unsigned thread_number; /* from 1 */

typedef struct {
    char text[LINE];
    size_t length;
} line;

static void put(line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(l->text + l->length, sizeof l->text - l->length, format, args);
    va_end(args);
    l->length += n > 0 ? (size_t)n : 0;
    if (l->length >= sizeof l->text)
        l->length = sizeof l->text - 1;
}

/* A line goes out in one piece, so that what several processes write stays apart. */
static void flush(line *l)
{
    const char *p = l->text;
    while (l->length > 0) {
        ssize_t n = write(file, p, l->length);
        if (n <= 0)
            return;
        p += n;
        l->length -= (size_t)n;
    }
}

static void open_file(void)
{
    char name[4096];
    line l = {.length = 0};
    owner = getpid();
    exb_process_file(name, sizeof name, pattern);
    file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) {
        exb_warn("EXBLAS_TRACE: %s cannot be written", name);
        return;
    }
    put(&l, "exblas-trace 1 %ld %s\n", (long)owner, exb_process_name());
    flush(&l);
}

/* A forked child has a file of its own if the name has room for its number. */
static void follow_fork(void)
{
    if (getpid() == owner || !strstr(pattern, "%p"))
        return;
    close(file);
    open_file();
}

void exb_trace_configure(const char *name)
{
    pattern = name;
    if (pattern)
        open_file();
}

void exb_trace_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
}

bool exb_trace_is_on(void)
{
    return file >= 0;
}

static char letter_of(int64_t option)
{
    static const char letters[] = "RC"
                                  "NTC"
                                  "UL"
                                  "NU"
                                  "LR";
    static const int first[] = {101, 111, 121, 131, 141}, count[] = {2, 3, 2, 2, 2};
    for (int i = 0, at = 0; i < 5; at += count[i++])
        if (option >= first[i] && option < first[i] + count[i])
            return letters[at + option - first[i]];
    return '?';
}

static double part_of(const exb_routine *r, const void *p, int part)
{
    bool is_float = r->type == 's' || r->type == 'c';
    return is_float ? (double)((const float *)p)[part] : ((const double *)p)[part];
}

static void put_argument(line *l, const exb_routine *r, const exb_argument *a, exb_value v)
{
    bool is_pair = (r->type == 'c' || r->type == 'z') && !a->is_real;
    if (a->kind == EXB_ARG_OPTION)
        put(l, " %s=%c", a->name, letter_of(v.i));
    else if (a->kind == EXB_ARG_INTEGER)
        put(l, " %s=%lld", a->name, (long long)v.i);
    else if (a->kind == EXB_ARG_SCALAR)
        put(l, " %s=%a", a->name, part_of(r, v.p, 0));
    if (a->kind == EXB_ARG_SCALAR && is_pair)
        put(l, ",%a", part_of(r, v.p, 1));
}

static void put_arguments(line *l, const exb_routine *r, const exb_value *v)
{
    for (int i = 0; i < r->n_arguments; i++)
        put_argument(l, r, &r->argument[i], v[i]);
}

size_t exb_trace_arguments(char *text, size_t size, const exb_routine *r, const exb_value *v)
{
    line l = {.length = 0};
    put_arguments(&l, r, v);
    snprintf(text, size, "%s", l.text);
    return strlen(text);
}

static void put_hash(line *l, char separator, bool known, uint64_t hash)
{
    if (known)
        put(l, "%c%016llx", separator, (unsigned long long)hash);
    else
        put(l, "%c-", separator);
}

static void put_inputs(line *l, const exb_watch *w)
{
    char separator = '=';
    put(l, " in");
    for (int i = 0; i < w->routine->n_arguments; i++)
        if (w->routine->argument[i].kind == EXB_ARG_ARRAY) {
            put_hash(l, separator, w->has_input[i], w->input[i]);
            separator = ',';
        }
}

static void put_outputs(line *l, const exb_watch *w, const void *result)
{
    const exb_routine *r = w->routine;
    char separator = '=';
    uint64_t hash = 0;
    put(l, " out");
    for (int i = 0; i < r->n_arguments; i++)
        if (r->argument[i].is_written) {
            bool known = exb_region_hash(r, w->values, i, &hash);
            put_hash(l, separator, known, hash);
            separator = ',';
        }
    if (r->result)
        put_hash(l, separator, true, exb_result_hash(r, result));
}

void exb_trace_call(const exb_watch *w, const void *result)
{
    line l = {.length = 0};
    if (!thread_number)
        thread_number = 1 + atomic_fetch_add(&threads, 1);
    pthread_mutex_lock(&lock);
    follow_fork();
    put(&l, "%llu %u %s", atomic_fetch_add(&sequence, 1) + 1, thread_number, w->routine->name);
    put_arguments(&l, w->routine, w->values);
    put_inputs(&l, w);
    put_outputs(&l, w, result);
    put(&l, "\n");
    flush(&l);
    pthread_mutex_unlock(&lock);
}
