/* How much of a thread's stack routines use: products of bands with vectors 179 KiB, the most of
 * all. (Some C libraries give threads no more than 128 KiB by default.) Every routine runs on a
 * stack that was painted before; what lost its paint was used. */
#include "core/partition.h"

#include "every_case.h"
#include "testing.h"

#include <exblas/exblas.h>
#include <pthread.h>
#include <sys/mman.h>

extern const exb_routine *const exb_routines[];

enum { STACK = 1 << 20, PAINT = 0xa5, MOST_USED = 192 << 10 };

static unsigned char *stack;

typedef struct {
    every_case c;
    const every_name *name;
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
    memset(stack, PAINT, STACK);
    pthread_attr_init(&attr);
    assert_int_equal(pthread_attr_setstack(&attr, stack, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attr, run, q), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    size_t untouched = 0;
    while (untouched < STACK && stack[untouched] == PAINT)
        untouched++;
    return STACK - untouched;
}

static const every_name *cblas_name(int routine)
{
    const every_name *name = every_names;
    while (name->routine != routine)
        name++;
    return name;
}

static void stack_of_every_routine(void **state)
{
    (void)state;
    call q = {.name = NULL};
    size_t largest = 0, own = used_by(&q);
    const char *hungriest = "";
    exblas_set_num_threads(1);
    for (int r = 0; exb_routines[r]; r++)
        for (int i = 0; i < 12; i++) {
            every_layout layout = {.size = i % (EVERY_LARGE + 1),
                                   .options = (i * 5 + r) % EVERY_OPTIONS,
                                   .data = i / 6};
            every_case_init(&q.c, exb_routines[r], &layout);
            q.name = cblas_name(r);
            size_t used = used_by(&q);
            used = used > own ? used - own : 0;
            every_case_clear(&q.c);
            if (used > largest) {
                largest = used;
                hungriest = exb_routines[r]->name;
            }
        }
    print_message("# %zu bytes at most, by %s\n", largest, hungriest);
    assert_true(largest > 1000);
    assert_true(largest <= MOST_USED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stack_of_every_routine)};
    stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
