/* Streams, events and graphs of the emulated device. */
#include "emulated_device.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

/* A moment in a stream: done when the command that marks it has run. */
typedef struct {
    bool done;
    int n_users;
} mark;

/* A conditional node of a graph: its cases, and which of them a kernel has chosen. */
typedef struct choice {
    struct choice *next; /* of the same graph */
    int n_users;
    bool is_chosen;
    unsigned chosen, n_cases;
    cudaGraph_t *cases;
} choice;

typedef struct command {
    struct command *next;
    unsigned long number; /* in the order in which all streams' commands were given */
    mark *waits, *marks;
    choice *choice;
    void (*run)(const void *);
    size_t bytes;
    max_align_t data[];
} command;

typedef struct {
    command *first, **end;
} queue;

struct CUgraph_st {
    queue commands;
    bool is_broken, is_case;
    choice *choices;
    command *last, *added; /* a node that was added, and for which the capture does not wait yet */
};

struct CUstream_st {
    queue commands;
    bool is_destroyed;
    struct CUgraph_st *graph; /* what it is captured in */
    struct CUstream_st *next;
};

struct CUevent_st {
    mark *at;
    struct CUgraph_st *graph; /* recorded while being captured there */
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

static void release_mark(mark *m)
{
    if (m && --m->n_users == 0)
        free(m);
}

static mark *share_mark(mark *m)
{
    if (m)
        m->n_users++;
    return m;
}

static mark *new_mark(void)
{
    mark *m = calloc(1, sizeof *m);
    if (!m)
        emulated_misuse("out of memory");
    m->n_users = 1;
    return m;
}

static command *new_command(void (*run)(const void *), const void *data, size_t bytes)
{
    command *c = calloc(1, sizeof *c + bytes);
    if (!c)
        emulated_misuse("out of memory");
    c->run = run;
    c->bytes = bytes;
    if (bytes > 0)
        memcpy(c->data, data, bytes);
    return c;
}

/* The default stream runs before and after all others. */
static bool is_blocked(const struct CUstream_st *s)
{
    const command *c = s->commands.first;
    if (c->waits && !c->waits->done)
        return true;
    if (s != &standard)
        return standard.commands.first && standard.commands.first->number < c->number;
    for (const struct CUstream_st *t = streams; t; t = t->next)
        if (t->commands.first && t->commands.first->number < c->number)
            return true;
    return false;
}

static void run_command(const command *c)
{
    if (c->run)
        c->run(c->data);
    if (!c->choice)
        return;
    if (!c->choice->is_chosen)
        emulated_misuse("no kernel has chosen among the cases of a graph");
    c->choice->is_chosen = false;
    emulated.chosen = (int)c->choice->chosen;
    if (c->choice->chosen < c->choice->n_cases)
        for (const command *d = c->choice->cases[c->choice->chosen]->commands.first; d; d = d->next)
            run_command(d);
}

static void release_choice(choice *c)
{
    if (!c || --c->n_users > 0)
        return;
    for (unsigned i = 0; i < c->n_cases; i++)
        cudaGraphDestroy(c->cases[i]);
    free(c->cases);
    free(c);
}

static void run_first(queue *q)
{
    command *c = q->first;
    q->first = c->next;
    run_command(c);
    if (c->marks)
        c->marks->done = true;
    release_mark(c->marks);
    release_mark(c->waits);
    release_choice(c->choice);
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
    c->number = ++n_commands;
    if (s->graph && s->graph->added)
        emulated_misuse("a capture goes on beside a node that it ought to wait for");
    if (s->graph)
        s->graph->last = c;
    append(s->graph ? &s->graph->commands : &s->commands, c);
    run_some();
}

void emulated_enqueue(cudaStream_t stream, void (*run)(const void *), const void *data,
                      size_t bytes)
{
    give(stream_of(stream), new_command(run, data, bytes));
}

/* --- streams ----------------------------------------------------------------------------- */

static cudaError_t create_stream(cudaStream_t *stream, const char *function)
{
    *stream = NULL;
    if (emulated_fails(function))
        return cudaErrorUnknown;
    *stream = calloc(1, sizeof **stream);
    if (!*stream)
        return cudaErrorMemoryAllocation;
    (*stream)->next = standard.next;
    standard.next = *stream;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return create_stream(stream, "cudaStreamCreate");
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (flags != cudaStreamNonBlocking)
        emulated_misuse("a stream for captures waits for the default one");
    return create_stream(stream, "cudaStreamCreateWithFlags");
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
    if (emulated_breaks_capture())
        return cudaErrorStreamCaptureUnsupported;
    while (s->commands.first)
        run_one();
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    emulated_finish();
    return cudaSuccess;
}

/* --- events --------------------------------------------------------------------------------- */

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
    command *c = new_command(NULL, NULL, 0);
    release_mark(event->at);
    event->at = new_mark();
    event->graph = s->graph;
    c->marks = share_mark(event->at);
    give(s, c);
    return cudaSuccess;
}

/* An event of a capture cannot be waited for outside it, nor one from outside within. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    struct CUstream_st *s = stream_of(stream);
    (void)flags;
    if (emulated_fails("cudaStreamWaitEvent"))
        return cudaErrorUnknown;
    if (!event->at)
        return cudaSuccess;
    if (s->graph != event->graph) {
        if (s->graph)
            s->graph->is_broken = true;
        return cudaErrorStreamCaptureIsolation;
    }
    if (!s->graph) {
        command *c = new_command(NULL, NULL, 0);
        c->waits = share_mark(event->at);
        give(s, c);
    }
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    if (emulated_fails("cudaEventSynchronize"))
        return cudaErrorUnknown;
    if (event->graph)
        return cudaErrorStreamCaptureUnsupported;
    while (event->at && !event->at->done)
        run_one();
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    release_mark(event->at);
    free(event);
    emulated.live_events--;
    return cudaSuccess;
}

/* --- graphs: commands in the order in which they were given ------------------------------------
 */

bool emulated_is_capturing(cudaStream_t stream)
{
    return stream_of(stream)->graph != NULL;
}

bool emulated_breaks_capture(void)
{
    bool found = false;
    for (struct CUstream_st *s = streams; s; s = s->next)
        if (s->graph) {
            s->graph->is_broken = true;
            found = true;
        }
    return found;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    (void)mode;
    if (!stream || emulated_is_capturing(stream))
        return cudaErrorStreamCaptureUnsupported;
    stream->graph = calloc(1, sizeof *stream->graph);
    return stream->graph ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    if (emulated_fails("cudaStreamIsCapturing"))
        return cudaErrorUnknown;
    *status =
        emulated_is_capturing(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    *graph = stream_of(stream)->graph;
    stream->graph = NULL;
    if (emulated_fails("cudaStreamEndCapture") && *graph)
        (*graph)->is_broken = true;
    if (!*graph || !(*graph)->is_broken)
        return *graph ? cudaSuccess : cudaErrorInvalidValue;
    if (!(*graph)->is_case)
        cudaGraphDestroy(*graph);
    *graph = NULL;
    return cudaErrorStreamCaptureInvalidated;
}

static command *copy_of(const command *c)
{
    command *d = new_command(c->run, c->data, c->bytes);
    d->choice = c->choice;
    if (d->choice)
        d->choice->n_users++;
    return d;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    *exec = calloc(1, sizeof **exec);
    if (!*exec)
        return cudaErrorMemoryAllocation;
    for (const command *c = graph->commands.first; c; c = c->next)
        append(&(*exec)->commands, copy_of(c));
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    for (const command *c = exec->commands.first; c; c = c->next)
        give(stream_of(stream), copy_of(c));
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    for (command *c = graph->commands.first, *next; c; c = next) {
        next = c->next;
        release_mark(c->marks);
        release_mark(c->waits);
        release_choice(c->choice);
        free(c);
    }
    for (choice *c = graph->choices, *next; c; c = next) {
        next = c->next;
        release_choice(c);
    }
    free(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    return cudaGraphDestroy(exec);
}

/* --- cases of graphs ----------------------------------------------------------------------------
 */

bool emulated_is_case(cudaStream_t stream)
{
    const struct CUgraph_st *g = stream_of(stream)->graph;
    return g && g->is_case;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **after, const cudaGraphEdgeData **edges,
                                     size_t *n_after)
{
    static const cudaGraphEdgeData plain;
    static cudaGraphNode_t last;
    (void)id;
    if (emulated_fails("cudaStreamGetCaptureInfo"))
        return cudaErrorUnknown;
    *graph = stream_of(stream)->graph;
    *status = *graph ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    last = *graph ? (cudaGraphNode_t)(void *)(*graph)->last : NULL;
    *after = &last;
    *edges = &plain;
    *n_after = last != NULL;
    return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned standard, unsigned flags)
{
    (void)standard, (void)flags; /* that nobody chooses is a misuse */
    choice *c = calloc(1, sizeof *c);
    if (!c || emulated_fails("cudaGraphConditionalHandleCreate")) {
        free(c);
        return cudaErrorUnknown;
    }
    c->n_users = 1;
    c->next = graph->choices;
    graph->choices = c;
    *handle = (cudaGraphConditionalHandle)(uintptr_t)c;
    return cudaSuccess;
}

void emulated_choose(unsigned long long condition, unsigned i);

void emulated_choose(unsigned long long condition, unsigned i)
{
    choice *c = (choice *)(uintptr_t)condition;
    c->is_chosen = true;
    c->chosen = i;
}

static void add_cases(choice *c, unsigned n)
{
    c->cases = calloc(n, sizeof(cudaGraph_t));
    for (c->n_cases = 0; c->cases && c->n_cases < n; c->n_cases++) {
        cudaGraph_t g = c->cases[c->n_cases] = calloc(1, sizeof *g);
        if (!g)
            emulated_misuse("out of memory");
        g->is_case = true;
    }
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                             const cudaGraphEdgeData *edges, size_t n_after,
                             struct cudaGraphNodeParams *params)
{
    choice *c = graph->choices;
    if (emulated_fails("cudaGraphAddNode") || params->type != cudaGraphNodeTypeConditional ||
        params->conditional.type != cudaGraphCondTypeSwitch || params->conditional.size == 0)
        return cudaErrorInvalidValue;
    while (c && (uintptr_t)c != params->conditional.handle)
        c = c->next;
    if (!c || c->cases)
        emulated_misuse("a condition is another graph's, or has a node already");
    if (!edges || n_after != 1 || after[0] != (cudaGraphNode_t)(void *)graph->last)
        emulated_misuse("a node does not wait for what was captured before it");
    command *added = new_command(NULL, NULL, 0);
    add_cases(c, params->conditional.size);
    c->n_users++;
    added->choice = c;
    append(&graph->commands, added);
    graph->last = graph->added = added;
    params->conditional.phGraph_out = c->cases;
    *node = (cudaGraphNode_t)(void *)added;
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                const cudaGraphEdgeData *edges, size_t n,
                                                unsigned flags)
{
    cudaGraph_t g = stream_of(stream)->graph;
    (void)edges;
    if (emulated_fails("cudaStreamUpdateCaptureDependencies"))
        return cudaErrorUnknown;
    if (!g || n != 1 || nodes[0] != (cudaGraphNode_t)(void *)g->added ||
        flags != cudaStreamSetCaptureDependencies)
        emulated_misuse("a capture waits for nodes that are not its last");
    g->added = NULL;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *after,
                                          const cudaGraphEdgeData *edges, size_t n_after,
                                          enum cudaStreamCaptureMode mode)
{
    (void)after, (void)edges, (void)mode;
    if (emulated_fails("cudaStreamBeginCaptureToGraph"))
        return cudaErrorUnknown;
    if (!stream || emulated_is_capturing(stream) || n_after != 0 || graph->commands.first)
        return cudaErrorStreamCaptureUnsupported;
    stream->graph = graph;
    return cudaSuccess;
}
