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

/* Where something goes on: `first` before it was left, `again` after. */
typedef struct {
    ucontext_t first;
    jmp_buf again;
    bool was_left;
} place;

typedef struct {
    place at;
    index_3 thread;
    bool is_waiting;
    char *stack;
} fiber;

static fiber fibers[MOST_FIBERS];
static fiber *current;
static place home;

static struct {
    const emulated_kernel *kernel;
    void *const *arguments;
    int n_threads, n_started, n_ended;
    bool backwards;
} now;

/* --- switches -------------------------------------------------------------------------- */

/* The address sanitizer wants to know of stacks. */
#if defined(__SANITIZE_ADDRESS__)
static const void *home_stack;
static size_t home_bytes;
#define ANNOUNCE(fake, stack, bytes) __sanitizer_start_switch_fiber(fake, stack, bytes)
#define ARRIVE(fake, from, bytes) __sanitizer_finish_switch_fiber(fake, from, bytes)
#else
#define ANNOUNCE(fake, stack, bytes) ((void)(fake))
#define ARRIVE(fake, from, bytes) ((void)(fake))
#endif

/* The sanitizer takes longjmp for an exception; swapcontext asks the kernel for signals, twice,
 * which would be most of the time of a thread that meets others at barriers. */
static void go(place *from, place *to)
{
#if defined(__SANITIZE_ADDRESS__)
    swapcontext(&from->first, &to->first);
#else
    from->was_left = true;
    if (_setjmp(from->again) != 0)
        return;
    if (to->was_left)
        _longjmp(to->again, 1);
    setcontext(&to->first);
#endif
}

/* Back to the loop of run_block, until it comes here again. */
static void go_home(void)
{
    void *fake = NULL;
    ANNOUNCE(&fake, home_stack, home_bytes);
    go(&current->at, &home);
    ARRIVE(fake, &home_stack, &home_bytes);
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
    ARRIVE(NULL, &home_stack, &home_bytes);
    for (;;) {
        while (now.n_started < now.n_threads) {
            begin_thread();
            now.kernel->call(now.arguments);
            now.n_ended++;
        }
        go_home();
    }
}

static void prepare(fiber *f)
{
    f->stack = malloc(STACK_BYTES);
    if (!f->stack || getcontext(&f->at.first) != 0)
        emulated_misuse("out of memory");
    f->at.first.uc_stack.ss_sp = f->stack;
    f->at.first.uc_stack.ss_size = STACK_BYTES;
    f->at.first.uc_link = NULL;
    makecontext(&f->at.first, run_threads, 0);
    f->at.first.uc_stack.ss_size =
        0; /* the sanitizer cleans so much at each switch; calls return */
}

static void go_on(fiber *f)
{
    void *fake = NULL;
    if (!f->stack)
        prepare(f);
    current = f;
    emulated_thread = f->thread;
    ANNOUNCE(&fake, f->stack, STACK_BYTES);
    go(&home, &f->at);
    ARRIVE(fake, NULL, NULL);
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

/* Shared arrays of fixed size, of all kernels: nothing is in them when a kernel begins. The address
 * sanitizer knows of no variables in sections of their own. */
#if defined(__SANITIZE_ADDRESS__)
static void fill_static_shared(void) {}
#else
extern char __start_emulated_arrays[] __attribute__((visibility("hidden")));
extern char __stop_emulated_arrays[] __attribute__((visibility("hidden")));

static void fill_static_shared(void)
{
    memset(__start_emulated_arrays, 0xee,
           (size_t)(__stop_emulated_arrays - __start_emulated_arrays));
}
#endif

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
    fill_static_shared();
    bool from_last = emulated_random(2) != 0;
    for (unsigned i = 0; i < groups[1]; i++)
        for (unsigned j = 0; j < groups[0]; j++) {
            emulated_block =
                from_last ? (index_3){groups[0] - 1 - j, groups[1] - 1 - i, 0} : (index_3){j, i, 0};
            memset(emulated_shared, 0xee, shared_bytes);
            now.backwards = emulated_random(2) != 0;
            run_block();
        }
    free(emulated_shared);
}
