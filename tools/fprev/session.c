#include "session.h"

#include "tree.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 200, LONG_MS = 10000 };

/* Waits with an eye on the count of calls. */
typedef struct {
    const fprev_request *q;
    FILE *from;
    pid_t child;
    volatile int64_t *calls;
    int64_t last_calls;
    int64_t started_ms;
    int idle_ms;
    bool hung, late, shown, said;
} watch;

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000 * (int64_t)t.tv_sec + t.tv_nsec / 1000000;
}

/* Every term but one has to be compared with another in a call of its own: what these calls take
 * at the rate so far. */
static int64_t fewest_seconds(const watch *w, int64_t elapsed_ms)
{
    double calls = (double)*w->calls, fewest = (double)(w->q->problem.n - 1);
    return calls > 0 ? (int64_t)((double)elapsed_ms / 1000 * (fewest / calls)) : 0;
}

/* On a terminal all the time; elsewhere once, when it has taken long. */
static void show_progress(watch *w)
{
    int64_t elapsed_ms = now_ms() - w->started_ms;
    bool terminal = isatty(2);
    if (w->q->quiet || (!terminal && (w->said || elapsed_ms < LONG_MS)))
        return;
    fprintf(stderr, "%s%s: %" PRId64 " calls in %d s", terminal ? "\r\033[K" : "", w->q->target,
            *w->calls, (int)(elapsed_ms / 1000));
    if (elapsed_ms > 2000 && *w->calls)
        fprintf(stderr, ", of at least %" PRId64 " in %" PRId64 " s", w->q->problem.n - 1,
                fewest_seconds(w, elapsed_ms));
    fputs(terminal ? " " : "; see --n and --limit\n", stderr);
    fflush(stderr);
    w->shown = terminal;
    w->said = true;
}

static void end_progress(const watch *w)
{
    if (w->shown)
        fprintf(stderr, "\r\033[K");
}

/* For the beginning of the reply, of which all is known then. False if the child makes no progress
 * any more. */
static bool wait_for_reply(watch *w)
{
    struct pollfd p = {.fd = fileno(w->from), .events = POLLIN};
    for (;;) {
        int n = poll(&p, 1, TICK_MS);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
        show_progress(w);
        w->idle_ms = *w->calls == w->last_calls ? w->idle_ms + TICK_MS : 0;
        w->last_calls = *w->calls;
        w->late = w->q->limit_s && now_ms() - w->started_ms >= 1000 * (int64_t)w->q->limit_s;
        w->hung = w->idle_ms / 1000 >= w->q->timeout_s;
        if (w->hung || w->late) {
            kill(w->child, SIGKILL);
            return false;
        }
    }
}

static bool receive(watch *w, void *buffer, size_t size)
{
    return fread(buffer, size, 1, w->from) == 1;
}

static bool receive_tree(watch *w, fprev_tree *t)
{
    int32_t n_leaves = t->n_leaves, n_nodes = t->n_nodes;
    *t = (fprev_tree){0};
    if (n_nodes == 0)
        return true;
    if (!fprev_tree_start(t, n_leaves))
        return false;
    t->n_nodes = n_nodes;
    return receive(w, t->parent, (size_t)n_nodes * sizeof *t->parent) &&
           receive(w, t->mark, (size_t)n_nodes) && fprev_tree_close(t);
}

static bool receive_records(watch *w, fprev_reply *r)
{
    int n = r->n_records;
    r->record = calloc((size_t)n + 1, sizeof *r->record);
    r->n_records = 0;
    for (int k = 0; r->record && k < n; k++, r->n_records++)
        if (!receive(w, &r->record[k], sizeof *r->record) ||
            !receive_tree(w, &r->record[k].result.tree))
            return false;
    return r->record != NULL;
}

static bool receive_reply(watch *w, fprev_reply *r)
{
    if (!wait_for_reply(w) || !receive(w, r, sizeof *r))
        return false;
    size_t n = (size_t)w->q->n_inputs;
    r->record = NULL;
    r->value = NULL;
    if (r->exit)
        return true;
    if (n &&
        (!(r->value = malloc(n * sizeof *r->value)) || !receive(w, r->value, n * sizeof(double))))
        return false;
    return receive_records(w, r);
}

/* What became of a child that did not answer. */
static void explain(const watch *w, int status, fprev_reply *r)
{
    int64_t calls = *w->calls;
    fprev_reply_free(r);
    *r = (fprev_reply){.exit = FPREV_EXIT_TARGET};
    if (w->hung)
        snprintf(r->error, sizeof r->error, "%.200s: call %" PRId64 " did not return in %d s",
                 w->q->target, calls, w->q->timeout_s);
    else if (w->late)
        snprintf(r->error, sizeof r->error,
                 "%.160s: no answer within %d s and %" PRId64 " calls; %" PRId64
                 " terms need at least %" PRId64 " calls, some %" PRId64 " s",
                 w->q->target, w->q->limit_s, calls, w->q->problem.n, w->q->problem.n - 1,
                 fewest_seconds(w, now_ms() - w->started_ms));
    else if (WIFSIGNALED(status))
        snprintf(r->error, sizeof r->error, "%.200s crashed %s%" PRId64 ": %s", w->q->target,
                 calls ? "in call " : "while being loaded, call ", calls,
                 strsignal(WTERMSIG(status)));
    else
        snprintf(r->error, sizeof r->error,
                 "%.200s ended the process in call %" PRId64 " with status %d", w->q->target, calls,
                 WEXITSTATUS(status));
}

static void start_failed(fprev_reply *r, const char *what)
{
    *r = (fprev_reply){.exit = FPREV_EXIT_TARGET};
    snprintf(r->error, sizeof r->error, "%s: %s", what, strerror(errno));
}

static void run_child(const fprev_request *q, FILE *f, volatile int64_t *calls)
{
    dup2(2, 1); /* what a library prints is not our output */
    _exit(f && fprev_work(q, f, calls) ? 0 : 1);
}

void fprev_session(const fprev_request *q, fprev_reply *reply)
{
    int fd[2], status = 0;
    *reply = (fprev_reply){0};
    void *shared =
        mmap(NULL, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || pipe(fd) != 0) {
        start_failed(reply, "cannot make a pipe");
        return;
    }
    fflush(NULL);
    watch w = {.q = q, .calls = shared, .started_ms = now_ms(), .child = fork()};
    if (w.child == 0) {
        close(fd[0]);
        run_child(q, fdopen(fd[1], "w"), shared);
    }
    close(fd[1]);
    w.from = fdopen(fd[0], "r");
    bool ok = w.child > 0 && w.from && receive_reply(&w, reply);
    end_progress(&w);
    if (w.from)
        fclose(w.from);
    if (w.child < 0)
        start_failed(reply, "cannot start a process");
    while (w.child > 0 && waitpid(w.child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!ok && w.child > 0)
        explain(&w, status, reply);
    munmap(shared, sizeof(int64_t));
}

void fprev_reply_free(fprev_reply *reply)
{
    for (int k = 0; reply->record && k < reply->n_records; k++)
        fprev_result_free(&reply->record[k].result);
    free(reply->record);
    free(reply->value);
    reply->record = NULL;
    reply->value = NULL;
}
