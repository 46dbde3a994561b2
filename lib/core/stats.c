#include "core/stats.h"

#include "core/system.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROUTINES = 2048, NAME = 24 }; /* BLAS's and LAPACK's are 146 and 1950 */

static atomic_bool enabled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static exblas_stats last;
static bool any;
static struct {
    char name[NAME];
    exblas_stats total;
} routines[MOST_ROUTINES];
static int n_routines;
static __thread exb_call_stats *open_call;

void exb_stats_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
}

int64_t exb_stats_now(const exb_call_stats *s)
{
    return s ? exb_system_nanoseconds() : 0;
}

bool exb_stats_are_on(void)
{
    return atomic_load_explicit(&enabled, memory_order_relaxed);
}

bool exb_stats_open_call(exb_call_stats *s, exb_call_stats **outer)
{
    *outer = open_call;
    if (!exb_stats_are_on())
        return false;
    memset(s, 0, sizeof *s);
    s->begin_ns = exb_system_nanoseconds();
    open_call = s;
    return true;
}

exb_call_stats *exb_stats_begin_call(exb_call_stats *s)
{
    exb_call_stats *outer;
    if (open_call) {
        open_call->depth++;
        return open_call;
    }
    return exb_stats_open_call(s, &outer) ? s : NULL;
}

exb_call_stats *exb_stats_current_call(void)
{
    return exb_stats_are_on() ? open_call : NULL;
}

void exb_stats_phase(exb_call_stats *s, exb_phase phase, int64_t *since)
{
    if (!s)
        return;
    int64_t now = exb_system_nanoseconds();
    atomic_fetch_add_explicit(&s->ns[phase], now - *since, memory_order_relaxed);
    *since = now;
}

static exblas_stats result_of(exb_call_stats *s, uint64_t elements)
{
    exblas_stats r = {.calls = 1, .n_moduli = s->n_moduli};
    r.elements = s->elements ? (uint64_t)s->elements : elements;
    r.fallbacks = (uint64_t)s->fallbacks;
    r.seconds = 1e-9 * (double)(exb_system_nanoseconds() - s->begin_ns);
    r.convert = 1e-9 * (double)s->ns[EXB_PHASE_CONVERT];
    r.product = 1e-9 * (double)s->ns[EXB_PHASE_PRODUCT];
    r.reconstruct = 1e-9 * (double)s->ns[EXB_PHASE_RECONSTRUCT];
    r.certify = 1e-9 * (double)s->ns[EXB_PHASE_CERTIFY];
    r.fallback = 1e-9 * (double)s->ns[EXB_PHASE_FALLBACK];
    snprintf(r.engine, sizeof r.engine, "%s", s->engine ? s->engine : "");
    return r;
}

/* Fortran names end in an underscore that is none of the routine's. */
static bool is_of_name(const char *c)
{
    return isalnum((unsigned char)*c) || (*c == '_' && isalpha((unsigned char)c[1]));
}

/* The plain name of a routine in lower case. */
static void plain_name(char *out, const char *routine)
{
    const char *prefix[] = {"cblas_", "excblas_", "ex"};
    for (int i = 0; i < 3; i++)
        if (strncmp(routine, prefix[i], strlen(prefix[i])) == 0) {
            routine += strlen(prefix[i]);
            break;
        }
    int n = 0;
    for (; n < NAME - 1 && is_of_name(routine + n); n++)
        out[n] = (char)tolower((unsigned char)routine[n]);
    out[n] = '\0';
}

static exblas_stats *total_of(const char *name, bool create)
{
    for (int i = 0; i < n_routines; i++)
        if (strcmp(routines[i].name, name) == 0)
            return &routines[i].total;
    if (!create || n_routines == MOST_ROUTINES)
        return NULL;
    memcpy(routines[n_routines].name, name, NAME);
    return &routines[n_routines++].total;
}

static void add_to(exblas_stats *t, const exblas_stats *s)
{
    t->calls += s->calls;
    t->elements += s->elements;
    t->fallbacks += s->fallbacks;
    t->seconds += s->seconds;
    t->convert += s->convert;
    t->product += s->product;
    t->reconstruct += s->reconstruct;
    t->certify += s->certify;
    t->fallback += s->fallback;
    t->n_moduli = s->n_moduli;
    memcpy(t->engine, s->engine, sizeof t->engine);
}

static void record_call(const char *routine, const exblas_stats *r)
{
    char name[NAME] = {0};
    plain_name(name, routine);
    pthread_mutex_lock(&lock);
    last = *r;
    any = true;
    exblas_stats *total = total_of(name, true);
    if (total)
        add_to(total, r);
    pthread_mutex_unlock(&lock);
}

exblas_stats exb_stats_close_call(exb_call_stats *s, exb_call_stats *outer, const char *routine,
                                  uint64_t elements)
{
    exblas_stats r = result_of(s, elements);
    open_call = outer;
    record_call(routine, &r);
    return r;
}

void exb_stats_end_call(exb_call_stats *s, const char *routine)
{
    if (s && s->depth-- == 0)
        exb_stats_close_call(s, NULL, routine, 0);
}

const char *exb_stats_of(int number, exblas_stats *total)
{
    pthread_mutex_lock(&lock);
    const char *name = number < n_routines ? routines[number].name : NULL;
    if (name)
        *total = routines[number].total;
    pthread_mutex_unlock(&lock);
    return name;
}

void exb_stats_set_enabled(bool on)
{
    pthread_mutex_lock(&lock);
    if (on && !atomic_load(&enabled)) {
        any = false;
        n_routines = 0;
        memset(routines, 0, sizeof routines);
    }
    atomic_store(&enabled, on);
    pthread_mutex_unlock(&lock);
}

exblas_status exblas_stats_last(exblas_stats *out)
{
    if (!out)
        return EXBLAS_EINVAL;
    pthread_mutex_lock(&lock);
    bool found = any;
    if (found)
        *out = last;
    pthread_mutex_unlock(&lock);
    return found ? EXBLAS_OK : EXBLAS_EINVAL;
}

exblas_status exblas_stats_total(const char *routine, exblas_stats *out)
{
    char name[NAME] = {0};
    if (!out || !routine)
        return EXBLAS_EINVAL;
    plain_name(name, routine);
    pthread_mutex_lock(&lock);
    const exblas_stats *t = total_of(name, false);
    if (t)
        *out = *t;
    pthread_mutex_unlock(&lock);
    return t ? EXBLAS_OK : EXBLAS_EINVAL;
}
