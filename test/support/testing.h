/* Assertions on bits, and CMocka with what it needs. */
#pragma once

#include "test_bits.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The parameter of a test that needs none. */
#define NO_STATE void **state __attribute__((unused))

#define assert_same_bits(x, y) assert_same_bits_at((x), (y), #x, __FILE__, __LINE__)

static inline void assert_same_bits_at(double x, double y, const char *what, const char *file,
                                       int line)
{
    if (same_bits(x, y))
        return;
    print_error("%s:%d: %s is %a, not %a\n", file, line, what, x, y);
    _fail(file, line);
}

/* Runs tests, each between two functions, which may be NULL: how many failed. */
#define run_each_between(before, after, ...)                                                       \
    run_named_tests((before), (after), (char[]){#__VA_ARGS__},                                     \
                    (const CMUnitTestFunction[]){__VA_ARGS__})
#define run_each(...) run_each_between(NULL, NULL, __VA_ARGS__)

/* A program of these tests. */
#define TESTS(...)                                                                                 \
    int main(void)                                                                                 \
    {                                                                                              \
        return run_each(__VA_ARGS__);                                                              \
    }

/* names: of the functions, with commas between, written over. */
static inline int run_named_tests(CMFixtureFunction before, CMFixtureFunction after, char *names,
                                  const CMUnitTestFunction *functions)
{
    struct CMUnitTest tests[32];
    size_t n = 0;
    for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", "), n++) {
        assert(n < sizeof tests / sizeof *tests);
        tests[n] = (struct CMUnitTest){name, functions[n], before, after, NULL};
    }
    return _cmocka_run_group_tests("tests", tests, n, NULL, NULL);
}

/* Whether an emulator of user programs runs the test: QEMU's loses threads of forked children and
 * starts programs of its own architecture only. */
static inline bool test_is_emulated(void)
{
    return getenv("TEST_EMULATED") != NULL;
}

/* Leaves a test that cannot run here and says why. CMocka before 1.1.8 writes a skipped test as
 * `not ok`, which counts as failed. */
#define leave_test(why)                                                                            \
    do {                                                                                           \
        printf("# %s: skipped, %s\n", __func__, (why));                                            \
        return;                                                                                    \
    } while (0)
