#include "observe/report.h"

#include "core/config.h"
#include "core/system.h"
#include "core/stats.h"
#include "observe/elsewhere.h"
#include "observe/tally.h"
#include "observe/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool prints_lines, prints_table;
static const char *pattern;

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
    const exb_tally *t = NULL;
    for (const char *before = ""; (t = exb_tally_next(EXB_LAPACKS, t)) != NULL; before = ", ") {
        put_field(r, "lapack: ", before, t->name);
        fputs(r->json ? "" : "\n", r->out);
    }
}

/* Of exb_tally_kind. */
static const char *const libraries[] = {"numpy", "pandas"};
static const char *const owners[] = {"NumPy's", "pandas'"};
enum { N_LIBRARIES = sizeof libraries / sizeof *libraries };

/* numpy: 12 sums were NumPy's own: sum with initial (3), einsum of 3 arrays (9) */
static void put_own_line(report *r, int library)
{
    const exb_tally *t = NULL;
    uint64_t total = 0;
    while ((t = exb_tally_next((exb_tally_kind)library, t)) != NULL)
        total += t->count;
    if (total == 0)
        return;
    fprintf(r->out, "%s: %llu sum%s %s own", libraries[library], (unsigned long long)total,
            total == 1 ? " was" : "s were", owners[library]);
    for (const char *before = ": "; (t = exb_tally_next((exb_tally_kind)library, t)) != NULL;
         before = ", ")
        fprintf(r->out, "%s%s (%llu)", before, t->name, (unsigned long long)t->count);
    putc('\n', r->out);
    r->n_own += total;
}

static void put_own_json(report *r)
{
    if (!exb_own_sums_matter())
        return;
    fprintf(r->out, "], \"own_sums_counted\": %s, \"own_sums\": [",
            exb_own_sums_are_counted() ? "true" : "false");
    for (int i = 0; i < N_LIBRARIES; i++)
        for (const exb_tally *t = NULL; (t = exb_tally_next((exb_tally_kind)i, t)) != NULL;) {
            fprintf(r->out, "%s\n    {\"library\": \"%s\", \"reason\": ", r->n_own ? "," : "",
                    libraries[i]);
            put_text(r, t->name);
            fprintf(r->out, ", \"count\": %llu}", (unsigned long long)t->count);
            r->n_own += t->count;
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
    const exb_tally *t = exb_tally_next(EXB_DISTRIBUTED, NULL);
    if (r->json && t)
        fputs("], \"distributed\": [", r->out);
    for (const char *before = ""; t; t = exb_tally_next(EXB_DISTRIBUTED, t)) {
        fprintf(r->out,
                r->json ? "%s\n    {\"routine\": \"%s\", \"calls\": %llu, \"bytes_sent\": %llu}"
                        : "%sdistributed: %s, %llu calls, %llu bytes sent\n",
                before, t->name, (unsigned long long)t->count, (unsigned long long)t->bytes);
        before = r->json ? "," : "";
    }
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
    for (int library = 0; library < N_LIBRARIES; library++)
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
    if (pattern && (has_calls() || exb_tally_next(EXB_DISTRIBUTED, NULL) || is_started))
        write_report(pattern);
}
