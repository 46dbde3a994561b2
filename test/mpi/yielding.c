/* Preloaded into programs of MPICH over UCX, whose processes wait busily: a process that finds
 * nothing to do lets others run. With more processes than processors each message would otherwise
 * wait for the end of a time slice. */
#include <dlfcn.h>
#include <sched.h>
#include <string.h>

typedef unsigned progress(void *worker);

/* UCX's, which comes after this one. */
static progress *find_next(void)
{
    void *symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
    progress *next;
    memcpy(&next, &symbol, sizeof next);
    return next;
}

progress ucp_worker_progress;

unsigned ucp_worker_progress(void *worker)
{
    static progress *next;
    if (!next)
        next = find_next();
    unsigned n_events = next(worker);
    if (n_events == 0)
        sched_yield();
    return n_events;
}
