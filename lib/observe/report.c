#include "observe/report.h"

#include "core/config.h"
#include "core/system.h"
#include "observe/elsewhere.h"
#include "observe/own_sums.h"
#include "core/stats.h"
#include "observe/trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LAPACKS = 4, MOST_DISTRIBUTED = 160 };

static bool prints_lines, prints_table;
static const char *pattern;
static _Atomic(const char *) lapacks[MOST_LAPACKS];
static atomic_int n_lapacks;

void exb_report_lapack(const char *path)
{
    int i = atomic_fetch_add(&n_lapacks, 1);
    if (i < MOST_LAPACKS)
        atomic_store(&lapacks[i], path);
}

static struct {
    const char *routine;
    _Atomic uint64_t calls, bytes;
} traffic[MOST_DISTRIBUTED];
static int n_distributed;
static pthread_mutex_t traffic_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int current;

void exb_report_distributed(const char *routine)
{
    pthread_mutex_lock(&traffic_lock);
    for (current = 0; current < n_distributed; current++)
        if (strcmp(traffic[current].routine, routine) == 0)
            break;
    if (current == n_distributed && n_distributed < MOST_DISTRIBUTED - 1)
        traffic[n_distributed++].routine = routine;
    pthread_mutex_unlock(&traffic_lock);
    traffic[current].calls++;
}

void exb_report_sent(size_t bytes)
{
    traffic[current].bytes += bytes;
}

void exb_report_configure(const char *verbose, const char *file)
{
    if (verbose && (strlen(verbose) != 1 || !strchr("012", *verbose)))
        exb_warn("EXBLAS_VERBOSE: '%s' is ignored: 1 is a line a call, 2 a table at exit", verbose);
    prints_lines = verbose && strcmp(verbose, "1") == 0;
    prints_table = verbose && strcmp(verbose, "2") == 0;
    pattern = file;
    if (prints_lines || prints_table || file)
        exb_stats_set_enabled(true);
}

void exb_report_call(const exb_routine *r, const exb_value *v, const exblas_stats *s)
{
    char arguments[512];
    if (!prints_lines)
        return;
    exb_trace_arguments(arguments, sizeof arguments, r, v);
    fprintf(stderr, "exblas: %s%s elements=%llu seconds=%.9f%s%s\n", r->name, arguments,
            (unsigned long long)s->elements, s->seconds, *s->engine ? " engine=" : "", s->engine);
}

static bool has_calls(void)
{
    return exb_stats_of(0, &(exblas_stats){0});
}

/* How a report is written: as text or as JSON. */
typedef struct {
    FILE *out;
    bool json;
    int n_elsewhere;
    uint64_t n_own;
    unsigned advice; /* a bit for each that applies */
} report;

/* What to do about calls that went elsewhere. */
static const struct {
    const char *reason, *text;
} advice[] = {
    {"none-intercepted", "it may have a BLAS that is linked into it, or make no such calls"},
    {"static", "link it with a shared BLAS"},
    {"bundled-lapack", "run it by exblas-run without --no-lapack"},
    {"no-lapack",
     "install netlib's (Debian: liblapack3, liblapack64-3) or build it (doc/lapack.md)"},
    {"unknown-prefix", "no names with this prefix are covered: use another build of the library"},
    {"deepbind", "load the module without RTLD_DEEPBIND, or link it with our libblas.so.3"},
    {"not-covered", "avoid these extensions, or use a library without a BLAS of its own"},
};
enum { N_ADVICE = sizeof advice / sizeof *advice };

/* As it stands, or as a JSON string. */
static void put_text(const report *r, const char *text)
{
    if (!r->json) {
        fputs(text, r->out);
        return;
    }
    putc('"', r->out);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(r->out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(r->out, "\\u%04x", *text);
        else
            putc(*text, r->out);
    putc('"', r->out);
}

/* A text behind what leads to it in a line or in JSON. */
static void put_field(const report *r, const char *in_line, const char *in_json, const char *text)
{
    fputs(r->json ? in_json : in_line, r->out);
    put_text(r, text);
}

static void put_routines(const report *r)
{
    exblas_stats s;
    const char *name;
    for (int i = 0; (name = exb_stats_of(i, &s)) != NULL; i++) {
        const char *form =
            r->json ? "%s\n    {\"routine\": \"%s\", \"calls\": %llu, \"elements\": %llu, "
                      "\"seconds\": %.6f, \"fallback_percent\": %.4f}"
                    : "%s%-8s %12llu %16llu %12.6f %9.4f\n";
        double fallback_percent = s.elements ? 100.0 * (double)s.fallbacks / (double)s.elements : 0;
        fprintf(r->out, form, r->json && i > 0 ? "," : "", name, (unsigned long long)s.calls,
                (unsigned long long)s.elements, s.seconds, fallback_percent);
    }
}

static void put_elsewhere(void *context, const exb_elsewhere *e)
{
    report *r = context;
    put_field(r, "elsewhere: ", r->n_elsewhere ? ",\n    {\"symbol\": " : "\n    {\"symbol\": ",
              e->symbol);
    put_field(r, " ", ", \"caller\": ", e->caller);
    put_field(r, "→", ", \"provider\": ", e->provider);
    put_field(r, " ", ", \"reason\": ", e->reason);
    fputs(r->json ? "}" : "\n", r->out);
    for (int i = 0; i < N_ADVICE; i++)
        if (strcmp(e->reason, advice[i].reason) == 0)
            r->advice |= 1u << i;
    r->n_elsewhere++;
}

static void put_lapacks(const report *r)
{
    const char *path;
    for (int i = 0; i < MOST_LAPACKS && (path = atomic_load(&lapacks[i])) != NULL; i++) {
        put_field(r, "lapack: ", i > 0 ? ", " : "", path);
        fputs(r->json ? "" : "\n", r->out);
    }
}

static const char *const names[EXB_N_LIBRARIES] = {"numpy", "pandas"};
static const char *const owners[EXB_N_LIBRARIES] = {"NumPy's", "pandas'"};

/* numpy: 12 sums were NumPy's own: sum with initial (3), einsum of 3 arrays (9) */
static void put_own_line(report *r, exb_library library)
{
    exb_own_sum s;
    uint64_t total = 0;
    for (int i = 0; exb_own_sum_at(i, &s); i++)
        total += s.library == library ? s.count : 0;
    if (total == 0)
        return;
    fprintf(r->out, "%s: %llu sum%s %s own", names[library], (unsigned long long)total,
            total == 1 ? " was" : "s were", owners[library]);
    const char *before = ": ";
    for (int i = 0; exb_own_sum_at(i, &s); i++)
        if (s.library == library && s.count > 0) {
            fprintf(r->out, "%s%s (%llu)", before, s.reason, (unsigned long long)s.count);
            before = ", ";
        }
    putc('\n', r->out);
    r->n_own += total;
}

static void put_own_json(report *r)
{
    exb_own_sum s;
    if (!exb_own_sums_matter())
        return;
    fprintf(r->out, "], \"own_sums_counted\": %s, \"own_sums\": [",
            exb_own_sums_are_counted() ? "true" : "false");
    for (int i = 0; exb_own_sum_at(i, &s); i++) {
        if (s.count == 0)
            continue;
        fprintf(r->out, "%s\n    {\"library\": \"%s\", \"reason\": ", r->n_own ? "," : "",
                names[s.library]);
        put_text(r, s.reason);
        fprintf(r->out, ", \"count\": %llu}", (unsigned long long)s.count);
        r->n_own += s.count;
    }
}

/* One line: whether all that is known went to us, or what to do. */
static void put_verdict(report *r)
{
    if (!exb_elsewhere_is_known())
        return;
    fprintf(r->out, "verdict: %s BLAS and LAPACK call was ours",
            r->n_elsewhere ? "not every" : "every");
    for (int i = 0; i < N_ADVICE; i++)
        if (r->advice >> i & 1)
            fprintf(r->out, "; %s: %s", advice[i].reason, advice[i].text);
    if (r->n_own > 0)
        fputs("; sums outside BLAS were not all ours", r->out);
    else if (!exb_own_sums_are_counted() && exb_own_sums_matter())
        fputs("; NumPy's own sums were not watched (--numpy)", r->out);
    putc('\n', r->out);
}

/* Where there was none, a report says nothing about it. */
static void put_traffic(report *r)
{
    if (r->json && n_distributed > 0)
        fputs("], \"distributed\": [", r->out);
    for (int i = 0; i < n_distributed; i++)
        fprintf(r->out,
                r->json ? "%s\n    {\"routine\": \"%s\", \"calls\": %llu, \"bytes_sent\": %llu}"
                        : "%sdistributed: %s, %llu calls, %llu bytes sent\n",
                r->json && i > 0 ? "," : "", traffic[i].routine,
                (unsigned long long)traffic[i].calls, (unsigned long long)traffic[i].bytes);
}

static void put_json(report *r)
{
    fprintf(r->out, "{\"exblas_report\": 1, \"pid\": %ld, \"program\": ", exb_system_process());
    put_text(r, exb_system_program());
    fputs(", \"routines\": [", r->out);
    put_routines(r);
    put_traffic(r);
    fputs("], \"lapack\": [", r->out);
    put_lapacks(r);
    fputs("], \"elsewhere\": [", r->out);
    exb_elsewhere_find(!has_calls(), put_elsewhere, r);
    put_own_json(r);
    fprintf(r->out, "], \"all_ours\": %s}\n",
            !exb_elsewhere_is_known()    ? "null"
            : r->n_elsewhere || r->n_own ? "false"
                                         : "true");
}

static void put_table(report *r)
{
    fprintf(r->out, "exblas: %s (process %ld)\n%-8s %12s %16s %12s %9s\n", exb_system_program(),
            exb_system_process(), "routine", "calls", "elements", "seconds", "fallback%");
    put_routines(r);
    put_traffic(r);
    put_lapacks(r);
    exb_elsewhere_find(!has_calls(), put_elsewhere, r);
    for (exb_library library = 0; library < EXB_N_LIBRARIES; library++)
        put_own_line(r, library);
    put_verdict(r);
}

static void write_report(const char *file)
{
    char name[4096];
    exb_config_file(name, sizeof name, file);
    size_t n = strlen(name);
    bool to_stderr = strcmp(name, "-") == 0;
    report r = {.out = to_stderr ? stderr : fopen(name, "w"),
                .json = n >= 5 && strcmp(name + n - 5, ".json") == 0};
    if (!r.out) {
        exb_warn("EXBLAS_REPORT: %s cannot be written", name);
        return;
    }
    (r.json ? put_json : put_table)(&r);
    if (to_stderr)
        fflush(stderr);
    else
        fclose(r.out);
}

/* A process that made no call reports nothing, but for the one that exblas-run became: helpers
 * that a program starts would only be noise, and would write over its file. */
void exb_report_write(void)
{
    const char *pid = exb_config_get("EXBLAS_REPORT_PID");
    bool is_started = pid && strtol(pid, NULL, 10) == exb_system_process();
    if (prints_table && has_calls())
        write_report("-");
    if (pattern && (has_calls() || n_distributed > 0 || is_started))
        write_report(pattern);
}
