/* Blocks of threads as fibers. A fiber runs one thread after the other; one that comes to a barrier
 * stays with its fiber, and others start on another. When all have come or ended they go on. */
#include "emulated_device.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

typedef struct {
    unsigned x, y, z;
} index_3;

/* As the kernels see them (emulated_kernel.h). */
index_3 emulated_thread, emulated_block, emulated_local, emulated_groups;
void *emulated_shared;
void emulated_barrier(void);

enum { STACK_BYTES = 256 << 10, MOST_FIBERS = 1024 };

typedef struct {
    jmp_buf at; /* where it goes on */
    index_3 thread;
    bool is_started, is_waiting;
    char *stack;
} fiber;

static fiber fibers[MOST_FIBERS];
static fiber *current;
static jmp_buf home;

static struct {
    const emulated_kernel *kernel;
    void *const *arguments;
    int n_threads, n_started, n_ended;
    bool backwards;
} now;

/* --- switches ------------------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__)
static void *home_fake;
static const void *home_stack;
static size_t home_bytes;

static void leave(void **fake, const void *stack, size_t bytes)
{
    __sanitizer_start_switch_fiber(fake, stack, bytes);
}

static void arrive(void *fake, const void **stack, size_t *bytes)
{
    __sanitizer_finish_switch_fiber(fake, stack, bytes);
}
#define LEAVE_HOME(f) leave(&home_fake, (f)->stack, STACK_BYTES)
#define ARRIVE_HOME() arrive(home_fake, NULL, NULL)
#define LEAVE_FIBER(fake) leave(fake, home_stack, home_bytes)
#define ARRIVE_FIBER(fake) arrive(fake, &home_stack, &home_bytes)
#else
#define LEAVE_HOME(f) ((void)(f))
#define ARRIVE_HOME() ((void)0)
#define LEAVE_FIBER(fake) ((void)(fake))
#define ARRIVE_FIBER(fake) ((void)(fake))
#endif

/* Back to the loop of run_block, until it comes here again. */
static void go_home(void)
{
    void *fake = NULL;
    if (_setjmp(current->at) == 0) {
        LEAVE_FIBER(&fake);
        _longjmp(home, 1);
    }
    ARRIVE_FIBER(fake);
    emulated_thread = current->thread;
}

void emulated_barrier(void)
{
    emulated.barriers++;
    current->is_waiting = true;
    go_home();
}

/* --- threads ---------------------------------------------------------------------- */

static void begin_thread(void)
{
    unsigned t = (unsigned)(now.backwards ? now.n_threads - 1 - now.n_started : now.n_started);
    now.n_started++;
    current->thread = (index_3){t % emulated_local.x, t / emulated_local.x, 0};
    emulated_thread = current->thread;
}

static void run_threads(void)
{
    ARRIVE_FIBER(NULL);
    for (;;) {
        while (now.n_started < now.n_threads) {
            begin_thread();
            now.kernel->call(now.arguments);
            now.n_ended++;
        }
        go_home();
    }
}

static void start(fiber *f)
{
    ucontext_t c;
    if (!f->stack)
        f->stack = malloc(STACK_BYTES);
    if (!f->stack || getcontext(&c) != 0)
        emulated_misuse("out of memory");
    c.uc_stack.ss_sp = f->stack;
    c.uc_stack.ss_size = STACK_BYTES;
    c.uc_link = NULL;
    makecontext(&c, run_threads, 0);
    f->is_started = true;
    setcontext(&c);
}

static void go_on(fiber *f)
{
    current = f;
    emulated_thread = f->thread;
    if (_setjmp(home) == 0) {
        LEAVE_HOME(f);
        if (!f->is_started)
            start(f);
        _longjmp(f->at, 1);
    }
    ARRIVE_HOME();
}

/* Those that wait at a barrier, from fibers 0 to n - 1. Each begins no other thread: n_started is
 * n_threads here. */
static void pass_barrier(int n)
{
    for (int i = 0; i < n; i++) {
        fibers[i].is_waiting = false;
        go_on(&fibers[i]);
    }
}

static void run_block(void)
{
    int n = 0, n_ended;
    now.n_started = now.n_ended = 0;
    while (now.n_started < now.n_threads) {
        go_on(&fibers[n]);
        n += fibers[n].is_waiting;
    }
    for (n_ended = now.n_ended; now.n_ended < now.n_threads; n_ended = now.n_ended) {
        if (n_ended > 0)
            emulated_misuse("a barrier that not all threads of the block reach");
        pass_barrier(n);
    }
}

void emulated_run_kernel(const emulated_kernel *kernel, const unsigned groups[2],
                         const unsigned local[2], size_t shared_bytes, void *const *arguments)
{
    now.kernel = kernel;
    now.arguments = arguments;
    now.n_threads = (int)(local[0] * local[1]);
    emulated_local = (index_3){local[0], local[1], 1};
    emulated_groups = (index_3){groups[0], groups[1], 1};
    emulated_shared = malloc(shared_bytes + 1);
    if (!emulated_shared)
        emulated_misuse("out of memory");
    for (unsigned y = 0; y < groups[1]; y++)
        for (unsigned x = 0; x < groups[0]; x++) {
            emulated_block = (index_3){x, y, 0};
            memset(emulated_shared, 0xee, shared_bytes);
            now.backwards = emulated_random(2) != 0;
            run_block();
        }
    free(emulated_shared);
}
