#include "observe/watch.h"

#include "core/config.h"
#include "core/fpenv.h"
#include "core/system.h"
#include "observe/region.h"
#include "observe/report.h"

#include <errno.h>

atomic_int exb_watching = 1;

/* After statistics or the trace were switched. */
static void update_watching(void)
{
    atomic_store(&exb_watching, exb_stats_are_on() || exb_trace_is_on());
}

/* Another thread may have held a lock when this one forked. Nothing is locked before the fork
 * instead: a program may fork in a signal handler that interrupted the holder. */
static void after_fork_child(void)
{
    exb_stats_after_fork();
    exb_trace_after_fork();
}

static void read_variables(void)
{
    exb_system_at_fork(after_fork_child);
    exb_report_configure(exb_config_setting("EXBLAS_VERBOSE"), exb_config_get("EXBLAS_REPORT"));
    exb_trace_configure(exb_config_get("EXBLAS_TRACE"));
    update_watching();
}

void exb_watch_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_variables);
}

/* What the environment asks for comes first: it must not be forgotten by what is set here. */
void exblas_stats_enable(int on)
{
    exb_watch_load();
    exb_stats_set_enabled(on != 0);
    update_watching();
}

/* Every process that ends the usual way comes by here, even one that never made a call and so
 * has not read the settings. */
__attribute__((destructor)) static void at_exit(void)
{
    if (!exb_config_get("EXBLAS_REPORT") && !exb_config_get("EXBLAS_VERBOSE"))
        return;
    exb_watch_load();
    exb_report_write();
}

/* The number of results: elements that are written, or of x for a number. */
static uint64_t elements_of(const exb_routine *r, const exb_value *v)
{
    int64_t n = 0;
    for (int i = 0; i < r->n_arguments; i++)
        if (r->argument[i].kind == EXB_ARG_ARRAY && (r->argument[i].is_written || r->result)) {
            n = exb_region_count(r, v, i);
            break;
        }
    return (uint64_t)n;
}

static EXB_NOINLINE void begin_call(exb_watch *w)
{
    exb_watch_load();
    w->traces = exb_trace_is_on();
    if (w->traces)
        exb_trace_inputs_of(w->routine, w->values, &w->inputs);
    w->counts = exb_stats_open_call(&w->stats, &w->outer);
}

static EXB_NOINLINE void end_call(exb_watch *w, const void *result)
{
    if (w->counts) {
        exblas_stats done = exb_stats_close_call(&w->stats, w->outer, w->routine->name,
                                                 elements_of(w->routine, w->values));
        exb_report_call(w->routine, w->values, &done);
    }
    if (w->traces)
        exb_trace_call(w->routine, w->values, &w->inputs, result);
}

void exb_watch_begin(exb_watch *w, const exb_routine *routine, const exb_value *values)
{
    int saved = errno;
    w->routine = routine;
    w->values = values;
    EXB_GUARDED(begin_call(w));
    errno = saved;
}

void exb_watch_end(exb_watch *w, const void *result)
{
    int saved = errno;
    EXB_GUARDED(end_call(w, result));
    errno = saved;
}
