/* How much of a thread's stack routines use: at most 64 KiB, so that threads of 128 KiB, as some C
 * libraries give by default, can call all of them. Every routine runs on a stack that was painted
 * before, with every instruction set, by filters and exactly; what lost its paint was used. */
#include "core/kernels.h"

#include "every_case.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <pthread.h>
#include <sys/mman.h>

enum { STACK = 512 << 10, BLOCK = 1 << 12, PAINT = 0xa5, LAYOUTS = 12, MOST = 64 << 10 };

/* The first `painted` bytes have their paint. */
static unsigned char *stack, paint[BLOCK];
static size_t painted;

typedef struct {
    every_case c;
    const routine_name *name;
} call;

static void *run(void *arg)
{
    call *q = arg;
    if (q->name)
        every_case_call(&q->c, q->name);
    return NULL;
}

/* Bytes of the stack that a thread uses for the call; for none, what a thread needs anyway. */
static size_t used_by(call *q)
{
    pthread_attr_t attr;
    pthread_t thread;
    memset(stack + painted, PAINT, STACK - painted);
    pthread_attr_init(&attr);
    assert_int_equal(pthread_attr_setstack(&attr, stack, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attr, run, q), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    for (painted = 0; painted < STACK && memcmp(stack + painted, paint, BLOCK) == 0;)
        painted += BLOCK;
    while (painted < STACK && stack[painted] == PAINT)
        painted++;
    return STACK - painted;
}

/* Sizes in turn, the larger ones first, with data of both kinds. */
static every_layout layout_of(int routine, int i)
{
    return (every_layout){.size = EVERY_LARGE - i % (EVERY_LARGE + 1),
                          .options = (i * 5 + routine) % EVERY_OPTIONS,
                          .increment = i % 3,
                          .data = i / (EVERY_LARGE + 1)};
}

/* The most of a routine's calls beyond `own`. */
static size_t used_by_routine(int routine, size_t own)
{
    call q = {.name = every_name_of(routine)};
    size_t most = 0;
    for (int i = 0; i < LAYOUTS; i++) {
        every_layout layout = layout_of(routine, i);
        every_case_init(&q.c, exb_routines[routine], &layout);
        size_t used = used_by(&q);
        every_case_clear(&q.c);
        most = used > own + most ? used - own : most;
    }
    return most;
}

/* The number of routines that take too much. */
static int measure_all(const char *isa, const char *method)
{
    call nothing = {.name = NULL};
    size_t largest = 0, own = used_by(&nothing);
    const char *hungriest = "";
    int n_wrong = 0;
    exblas_set_method(method);
    for (int r = 0; exb_routines[r]; r++) {
        size_t used = used_by_routine(r, own);
        if (used > largest) {
            largest = used;
            hungriest = exb_routines[r]->name;
        }
        if (used <= MOST)
            continue;
        print_error("# %s uses %zu bytes (%s, %s)\n", exb_routines[r]->name, used, isa, method);
        n_wrong++;
    }
    exblas_set_method(NULL);
    print_message("# %s, %s: %zu bytes at most, by %s\n", isa, method, largest, hungriest);
    assert_true(largest > 1000);
    return n_wrong;
}

static void stack_of_every_routine(NO_STATE)
{
    static const char *const methods[] = {"auto", "superacc"};
    int n_wrong = 0;
    exblas_set_num_threads(1);
    for (int i = 0; i < exb_isa_count(); i++) /* what is emulated takes long */
        for (int m = 0; m < 2 && !strstr(exb_isa_name(i), "emulated"); m++)
            if (exb_isa_select(exb_isa_name(i)) == 0)
                n_wrong += measure_all(exb_isa_name(i), methods[m]);
    assert_int_equal(n_wrong, 0);
}

int main(void)
{
    stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        return 1;
    memset(paint, PAINT, BLOCK);
    return run_each(stack_of_every_routine);
}
