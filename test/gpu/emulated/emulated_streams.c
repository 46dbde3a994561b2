/* Streams and events of the emulated device. */
#include "emulated_device.h"

#include "core/fpenv.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

/* All that was given to a stream up to a command of this number. */
struct CUevent_st {
    struct CUstream_st *stream; /* NULL: nothing */
    unsigned long number;
};

typedef struct command {
    struct command *next;
    unsigned long number; /* in the order in which all streams' commands were given */
    struct CUevent_st waits;
    void (*run)(const void *);
    max_align_t data[];
} command;

typedef struct {
    command *first, **end;
} queue;

struct CUstream_st {
    queue commands;
    bool is_destroyed, is_captured;
    struct CUstream_st *next;
};

static struct CUstream_st standard; /* NULL, the legacy default stream */
static struct CUstream_st *streams = &standard;
static unsigned long n_commands;

static struct CUstream_st *stream_of(cudaStream_t stream)
{
    struct CUstream_st *s = stream ? stream : &standard;
    if (s->is_destroyed)
        emulated_misuse("a stream is used that was destroyed");
    return s;
}

/* --- queues --------------------------------------------------------------------------- */

static void append(queue *q, command *c)
{
    if (!q->first)
        q->end = &q->first;
    *q->end = c;
    q->end = &c->next;
}

static command *new_command(void (*run)(const void *), const void *data, size_t bytes)
{
    command *c = calloc(1, sizeof *c + bytes);
    if (!c)
        emulated_misuse("out of memory");
    c->run = run;
    if (bytes > 0)
        memcpy(c->data, data, bytes);
    return c;
}

static bool is_pending(const struct CUevent_st *e)
{
    const command *c = e->stream ? e->stream->commands.first : NULL;
    return c && c->number <= e->number;
}

/* The default stream runs before and after all others. */
static bool is_blocked(const struct CUstream_st *s)
{
    const command *c = s->commands.first;
    if (is_pending(&c->waits))
        return true;
    if (s != &standard)
        return standard.commands.first && standard.commands.first->number < c->number;
    for (const struct CUstream_st *t = streams; t; t = t->next)
        if (t->commands.first && t->commands.first->number < c->number)
            return true;
    return false;
}

/* A device computes as it does, whoever waits for it. */
static void run_first(queue *q)
{
    command *c = q->first;
    exb_fpenv env;
    exb_fpenv_enter(&env);
    if (c->run)
        c->run(c->data);
    exb_fpenv_leave(&env);
    q->first = c->next;
    free(c);
}

/* The next command of a stream that has one, any of them; false if there is none. */
static bool run_one(void)
{
    struct CUstream_st *ready[64];
    unsigned n = 0;
    bool any = false;
    for (struct CUstream_st *s = streams; s && n < 64; s = s->next)
        if (s->commands.first) {
            any = true;
            if (!is_blocked(s))
                ready[n++] = s;
        }
    if (any && n == 0)
        emulated_misuse("streams wait for each other");
    if (n > 0)
        run_first(&ready[emulated.seed ? emulated_random(n) : 0]->commands);
    return n > 0;
}

void emulated_finish(void)
{
    while (run_one())
        ;
}

/* The device goes on by itself, sometimes. */
static void run_some(void)
{
    if (!emulated.seed)
        emulated_finish();
    else if (emulated_random(4) == 0)
        for (unsigned n = emulated_random(8); n > 0 && run_one(); n--)
            ;
}

static void give(struct CUstream_st *s, command *c)
{
    if (s->is_captured)
        emulated_misuse("a stream that is being captured is used");
    c->number = ++n_commands;
    append(&s->commands, c);
    run_some();
}

void emulated_enqueue(cudaStream_t stream, void (*run)(const void *), const void *data,
                      size_t bytes)
{
    give(stream_of(stream), new_command(run, data, bytes));
}

/* --- streams and events ------------------------------------------------------------------ */

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = calloc(1, sizeof **stream);
    if (!*stream)
        return cudaErrorMemoryAllocation;
    (*stream)->next = standard.next;
    standard.next = *stream;
    return cudaSuccess;
}

/* Its commands run; the object stays, to tell who uses it. */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    stream_of(stream)->is_destroyed = true;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    struct CUstream_st *s = stream_of(stream);
    if (emulated_fails("cudaStreamSynchronize"))
        return cudaErrorUnknown;
    while (s->commands.first)
        run_one();
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    emulated_finish();
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    *event = NULL;
    if (flags != cudaEventDisableTiming)
        emulated_misuse("an event takes times that nobody asks for");
    if (emulated_fails("cudaEventCreateWithFlags"))
        return cudaErrorMemoryAllocation;
    *event = calloc(1, sizeof **event);
    emulated.live_events += *event != NULL;
    return *event ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    struct CUstream_st *s = stream_of(stream);
    if (emulated_fails("cudaEventRecord"))
        return cudaErrorUnknown;
    *event = (struct CUevent_st){s, n_commands};
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    struct CUstream_st *s = stream_of(stream);
    (void)flags;
    if (emulated_fails("cudaStreamWaitEvent"))
        return cudaErrorUnknown;
    command *c = new_command(NULL, NULL, 0);
    c->waits = *event;
    give(s, c);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (emulated_fails("cudaEventSynchronize"))
        return cudaErrorUnknown;
    while (is_pending(event))
        run_one();
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    emulated.live_events--;
    return cudaSuccess;
}

/* --- captures, which the library refuses --------------------------------------------------- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    (void)mode;
    stream_of(stream)->is_captured = true;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    if (emulated_fails("cudaStreamIsCapturing"))
        return cudaErrorUnknown;
    *status = stream_of(stream)->is_captured ? cudaStreamCaptureStatusActive
                                             : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

/* The graph is empty. */
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    stream_of(stream)->is_captured = false;
    *graph = NULL;
    return cudaSuccess;
}
