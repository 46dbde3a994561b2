#!/usr/bin/env python3
"""test_lapack.py EXBLAS-RUN TRACE-DIFF JUMPS LIBEXBLAS LAPACK NM COMPILER...: calls of LAPACK under all their names
are led to one LAPACK; reports and traces tell of them. JUMPS is libexblas_lapack.so, LAPACK a
liblapack.so.3 that was built with it or `-`. Most tests have stand-ins for LAPACK, which JUMPS finds
beside itself. Reports in TAP."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from standin import Workshop, check, start

run, diff, jumps, libexblas, lapack, nm, *compiler = sys.argv[1:]

# A LAPACK: its functions say where they are by what they return. dgesv calls dgetrf and a BLAS.
LAPACK = """#include <string.h>
int dgetrf_(int *m) { return WIDTH; }
int dgemm_(void); void xerbla_(const char *, int *, long);
int dgesv_(int *n) { int bad = 1; if (*n < 0) xerbla_("DGESV ", &bad, 6); return 1000 * WIDTH + 10 * dgetrf_(n) + dgemm_(); }
double dlapy2_(double a, float b, long c, double d, long e, long f, long g, long h, long i, long j, double k)
{ return a + 10 * b + 100 * c + 1e3 * d + 1e4 * e + 1e5 * f + 1e6 * g + 1e7 * h + 1e8 * i + 1e9 * j + 1e10 * k; }
void dpotrf_(const char *uplo, int *n, double *a, int *lda, int *info, long length) { a[0] = length + 1; *info = 0; }
void dpotri_(const char *uplo, int *n, double *a, int *lda, int *info, long length)
{ dpotrf_(uplo, n, a, lda, info, length); a[0] *= 3; }
"""
BLAS64 = "int dgemm_(void) { return 4; }\n"
# What a program has of its own: another LAPACK with the same names and more.
OTHER = """int dgesv_(void) { return 7; } int scipy_dgesv_(void) { return 7; } int scipy_dgesv_64_(void) { return 7; }
int dgesv_64_(void) { return 7; } int dpbsv_(void) { return 77; } int dgetrf_(void) { return 7; }
double dlapy2_(void) { return 7; }
void dpotrf_(const char *uplo, int *n, double *a, int *lda, int *info, long length) { a[0] = ORDER; *info = 0; }
void dpotri_(const char *uplo, int *n, double *a, int *lda, int *info, long length) {}
"""
HEAD = """#include <stdio.h>
#include <pthread.h>
int dgesv_(int *), scipy_dgesv_(int *), scipy_dgesv_64_(int *), dgesv_64_(int *), dpbsv_(int *), dgetrf_(int *);
double dlapy2_(double, float, long, double, long, long, long, long, long, long, double);
void dpotrf_(const char *, int *, double *, int *, int *, long), dpotri_(const char *, int *, double *, int *, int *, long);
int n = 3;
"""
NAMES = HEAD + """int dgemm_(void) { return 2; }
int main(void) { printf("%d %d %d %d\\n", dgesv_(&n), scipy_dgesv_(&n), dgesv_64_(&n), scipy_dgesv_64_(&n)); return 0; }
"""
ARGUMENTS = HEAD + """int main(void) { printf("%.0f %d\\n", dlapy2_(1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2), dpbsv_(&n)); return 0; }
"""
XERBLA = HEAD + """int dgemm_(void) { return 2; }
void xerbla_(const char *name, int *info, long length) { printf("program's %.*s %d\\n", (int)length, name, *info); }
int main(void) { n = -1; dgesv_(&n); return 0; }
"""
NOBODY = "int dtrtrs_(void);\nint main(void) { return dtrtrs_(); }\n"
THREADS = HEAD + """int dgemm_(void) { return 2; }
static pthread_barrier_t all;
static void *call(void *result) { pthread_barrier_wait(&all); *(int *)result = dgesv_(&n) + dgesv_64_(&n); return 0; }
int main(void)
{
    pthread_t thread[8]; int result[8], right = 0;
    pthread_barrier_init(&all, 0, 8);
    for (int i = 0; i < 8; i++) pthread_create(&thread[i], 0, call, &result[i]);
    for (int i = 0; i < 8; i++) { pthread_join(thread[i], 0); right += result[i] == 32322 + 64000 + 644; }
    printf("%d\\n", right); return 0;
}
"""
FACTOR = HEAD + """int main(void)
{ double a[] = {4}; int lda = 1, info, one = 1; dpotrf_("L", &one, a, &lda, &info, 1); printf("%g\\n", a[0]); return 0; }
"""
INVERSE = FACTOR.replace("dpotrf_(\"L", "dpotri_(\"L")
# Solves a system of two equations, also from a module as Python's are: found by its own handle only.
SOLVE = """#include <stdio.h>
typedef INTEGER integer;
void NAME(integer *, integer *, double *, integer *, integer *, double *, integer *, integer *);
int solve(void)
{
    double a[] = {2, 1, 1, 3}, b[] = {4, 7}; integer n = 2, one = 1, pivot[2], info;
    NAME(&n, &one, a, &n, pivot, b, &n, &info);
    printf("%g %g %d\\n", b[0], b[1], (int)info); return 0;
}
"""
MAIN = "int solve(void); int main(void) { return solve(); }\n"
LOADER = """#include <dlfcn.h>
int main(int n, char **names) { void *h = dlopen(names[1], RTLD_NOW | RTLD_LOCAL); return ((int (*)(void))dlsym(h, "solve"))(); }
"""
# What liblapack.so.3 may take from libm: what the standards define to the last bit.
EXACT = {"sqrt", "sqrtf", "frexp", "frexpf", "ldexp", "ldexpf", "ilogb", "lround", "lroundf", "nearbyint"}


class Place(Workshop):
    """A folder with JUMPS and stand-ins for LAPACK beside it."""

    def __init__(self, folder):
        super().__init__(compiler, folder)
        shutil.copy(jumps, folder)
        self.make("liblapack.so.3", LAPACK, "-DWIDTH=32")
        blas = self.make("libblas64.so.3", BLAS64)
        self.make("liblapack64.so.3", LAPACK, blas, "-DWIDTH=64")
        self.other = self.make("libother.so.0", OTHER, "-DORDER=5")

    def call(self, name, text, *options, **settings):
        program = self.make(name, text, self.other, *options)
        return self.start(program, **settings)

    def start(self, *command, preload=True, **settings):
        if preload:
            settings["LD_PRELOAD"] = self.path(os.path.basename(jumps))
        return start(*command, LD_LIBRARY_PATH=os.path.dirname(libexblas), **settings)


def stand_ins(folder):
    w = Place(folder)
    done = w.call("names", NAMES, preload=False)
    check("without the jumps the program's own library is called", done.stdout == "7 7 7 7\n", done)
    for how in ("lazy", "now"):
        done = w.start(w.make("names", NAMES, w.other, "-rdynamic", f"-Wl,-z,{how}"))
        check(f"each name to the LAPACK of its integers, and this to its own BLAS, bound {how}",
              done.stdout == "32322 32322 64644 64644\n", done)
    done = w.start(w.make("rpath", NAMES, w.other, "-rdynamic", "-Wl,--disable-new-dtags"))
    check("through DT_RPATH", done.stdout == "32322 32322 64644 64644\n", done)
    done = w.call("arguments", ARGUMENTS)
    check("arguments in registers and on the stack; a function LAPACK does not have",
          done.stdout == "21987654321 77\n", done)
    done = w.call("xerbla", XERBLA, "-rdynamic")
    check("XERBLA is the program's", done.stdout == "program's DGESV  1\n", done)
    stub = w.make("libstub.so.0", "int dtrtrs_(void) { return 0; }\n")
    nobody = w.make("nobody", NOBODY, stub)
    w.make("libstub.so.0", "")
    done = w.start(nobody)
    check("a function that no library has", done.returncode == 127 and "dtrtrs" in done.stderr, done)
    done = w.call("threads", THREADS, "-rdynamic", "-pthread")
    check("eight threads make the first call at once", done.stdout == "8\n", done)
    watch(w)


def watch(w):
    """Reports and traces. dpotrf is described in lapack.list, dlapy2 is not."""
    done = w.call("factor", FACTOR, EXBLAS_REPORT="-", EXBLAS_REPORT_PID="0")
    check("the result is LAPACK's while the call is watched", done.stdout == "2\n", done)
    check("the call is reported", "\ndpotrf              1                1 " in done.stderr, done)
    check("so is the LAPACK", f"\nlapack: {w.path('liblapack.so.3')}\n" in done.stderr, done)
    check("and that all is ours", "\nverdict: every BLAS and LAPACK call was ours\n" in done.stderr, done)
    report = w.path("report.json")
    done = w.call("inverse", INVERSE, EXBLAS_REPORT=report)
    with open(report, encoding="utf-8") as file:
        said = json.load(file)
    calls = {r["routine"]: r["calls"] for r in said["routines"]}
    check("what LAPACK calls itself is not counted", calls == {"dpotri": 1} and done.stdout == "6\n", said)
    check("as JSON", said["all_ours"] is True and said["lapack"] == [w.path("liblapack.so.3")], said)
    w.call("arguments", ARGUMENTS, EXBLAS_REPORT=report)
    with open(report, encoding="utf-8") as file:
        said = json.load(file)
    check("functions whose arguments are not known are counted",
          {r["routine"]: r["calls"] for r in said["routines"]} == {"dlapy2": 1, "dpbsv": 1}, said)
    check("a function that LAPACK does not have went elsewhere",
          [(e["symbol"], e["provider"], e["reason"]) for e in said["elsewhere"]] == [
              ("dpbsv_", "libother.so.0", "no-lapack")] and said["all_ours"] is False, said)
    traces = []
    for order in ("5", "6"):
        w.make("libother.so.0", OTHER, f"-DORDER={order}")
        traces.append(w.path("trace" + order))
        done = w.start(w.path("factor"), EXBLAS_TRACE=traces[-1], EXBLAS_LAPACK="program")
        check("the program's own LAPACK computes if that is asked for", done.stdout == order + "\n", done)
    done = start(diff, *traces)
    check("the routine that differs is named", done.returncode == 1 and "outputs: result 1" in done.stdout
          and "call 1: dpotrf uplo=L n=1 lda=1 in=" in done.stdout, done)


def under_exblas_run(folder):
    """With the LAPACK that there is."""
    w = Workshop(compiler, folder)
    other = w.make("libother.so.0", OTHER, "-DORDER=5")
    for name, integer in (("dgesv_", "int"), ("scipy_dgesv_", "int"), ("scipy_dgesv_64_", "long"), ("dgesv_64_", "long")):
        if integer == "long" and lapack == "-":
            check(name + " # SKIP no LAPACK with 64-bit integers was built", True)
            continue
        define = (f"-DNAME={name}", f"-DINTEGER={integer}")
        module = w.make("module.so", SOLVE, other, *define)
        w.make("linked", MAIN, module)
        loader = w.make("loader", LOADER)
        done = [start(run, w.path("linked")), start(run, loader, module)]
        check(f"{name}, linked and in a module", [d.stdout for d in done] == ["1 2 0\n"] * 2, done)
    done = start(run, "--report", w.path("linked"))
    check("the call in the report", "\ndgesv               1                4 " in done.stderr
          and "\nverdict: every BLAS and LAPACK call was ours\n" in done.stderr, done)
    done = start(run, "--no-lapack", loader, module)
    check("--no-lapack leaves the program its own", "1 2 0" not in done.stdout, done)


def own_build():
    if lapack == "-":
        check("functions of libm in it # SKIP no LAPACK was built", True)
        return
    out = subprocess.run([nm, "-D", "--undefined-only", lapack], check=True, stdout=subprocess.PIPE, text=True).stdout
    needed = {line.split()[-1].split("@")[0] for line in out.splitlines()}
    exported = subprocess.run([nm, "-D", "--defined-only", "/lib/x86_64-linux-gnu/libm.so.6"], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    libm = {line.split()[-1].split("@")[0] for line in exported.splitlines()}
    check("functions of libm in it are exact", needed & libm <= EXACT, needed & libm)


def main():
    print("1..26")
    with tempfile.TemporaryDirectory() as folder:
        stand_ins(folder)
    with tempfile.TemporaryDirectory() as folder:
        under_exblas_run(folder)
    own_build()


main()
