#!/usr/bin/env python3
"""test_loading.py EXBLAS-RUN COMPILER...: reports and traces of a program whose other threads load and
unload libraries all the time: it ends, and says the same. Reports in TAP."""
import sys
import tempfile

from standin import Workshop, check, report, start

run, *compiler = sys.argv[1:]
ROUNDS, SECONDS = 12, 20

OTHER = """double cblas_ddot(int n, const double *x, int incx, const double *y, int incy) { return 7; }
double ddot_(int *n, double *x, int *incx, double *y, int *incy) { return 7; }
double dasum_(int *n, double *x, int *incx) { return 7; }
double dnrm2_(int *n, double *x, int *incx) { return 7; }
"""
# Names as LAPACK's, each of which is looked up: the report is not made in no time.
NAMES = [f"dq{i:03d}_" for i in range(500)]
WIDE = "".join(f"void {n}(void) {{}}\n" for n in NAMES)
USER = "void *const used[] = {" + ", ".join(NAMES) + "};\n"
PLUGIN = "double ddot_(); double plugin(void) { return ddot_ != 0; } int table[1000];\n"
# A constructor that takes long keeps the loader's lock long.
SLOW = "int usleep(unsigned); __attribute__((constructor)) static void wait(void) { usleep(500); }\n" + PLUGIN
PROGRAM = """#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
double cblas_ddot(int, const double *, int, const double *, int);
double ddot_(int *, double *, int *, double *, int *);
double dasum_(int *, double *, int *), dnrm2_(int *, double *, int *);
static atomic_int loads;
static void *load(void *name)
{
    for (;;) {
        void *handle = dlopen(name, RTLD_NOW);
        loads++;
        if (handle)
            dlclose(handle);
    }
}
int main(int argc, char **argv)
{
    double x[] = {3, 4};
    int n = 2, one = 1;
    pthread_t thread;
    alarm(60);
    for (int i = 1; i < argc; i++)
        pthread_create(&thread, NULL, load, argv[i]);
    while (argc > 1 && loads < 20)
        usleep(100);
    printf("%g\\n", cblas_ddot(2, x, 1, x, 1) + ddot_(&n, x, &one, x, &one) + dasum_(&n, x, &one)
                       + dnrm2_(&n, x, &one));
    return 0;
}
"""

ONCE = """#include <stdlib.h>
static int alive;
__attribute__((constructor)) static void begin(void) { if (alive++) _Exit(9); }
__attribute__((destructor)) static void end(void) { if (alive != 1) _Exit(9); }
"""


def repeated(what):
    """Results, up to the first that hung."""
    results = []
    while len(results) < ROUNDS and (not results or results[-1][0] is not None):
        results.append(what())
    return results


def trace(*command, **settings):
    with tempfile.NamedTemporaryFile() as file:
        done = start(run, "--trace", file.name, *command, seconds=SECONDS, **settings)
        return done, file.read().decode().splitlines()


def main():
    print("1..5")
    with tempfile.TemporaryDirectory() as folder:
        w = Workshop(compiler, folder)
        other = w.make("libother.so.0", OTHER)
        wide = w.make("libwide.so.0", WIDE)
        user = w.make("libuser.so.0", "".join(f"void {n}(void);\n" for n in NAMES) + USER, wide)
        plugins = [w.make("slow.so", SLOW, other), *(w.make(f"plugin{i}.so", PLUGIN, other) for i in range(3))]
        program = w.make("program", PROGRAM, other, "-Wl,--no-as-needed", user, "-lpthread", "-ldl")

        results = repeated(lambda: report(run, program, *plugins, seconds=SECONDS))
        check("reports at exit end", results[-1][0] is not None, f"the {len(results)}th hung")
        check("what they say", all(said and [r["routine"] for r in said["routines"]] == [
            "ddot", "dasum", "dnrm2"] and not lines for said, lines in results), results)

        results = repeated(lambda: trace("--trace-blas", program, *plugins))
        check("first calls of traced routines end", results[-1][0] is not None, f"the {len(results)}th hung")
        check("what they compute and write", all(
            done and done.stdout == "28\n" and len(lines) == 5 for done, lines in results), results)

        once = w.make("libonce.so.0", ONCE)
        ended = w.make("ended", PROGRAM, other, "-Wl,--no-as-needed", once, "-lpthread", "-ldl")
        done = start(run, "--report=/dev/null", ended)
        check("constructors run once", done and done.returncode == 0, done)


main()
