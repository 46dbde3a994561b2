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

# The most arguments that a routine of LAPACK has. Beside: rounding up, numbers too small taken for zero, division by
# zero told or trapped, as this processor has them.
LONGS = ", ".join(f"long a{i}" for i in range(38))
SUM = " + ".join(f"a{i} * {i + 1}" for i in range(38))
STATE = f"""
#define LONGS {LONGS}
#define SUM {SUM}
#if defined(__x86_64__)
#include <xmmintrin.h>
typedef unsigned state;
#define STATES 32
static state get_state(void) {{ return _mm_getcsr(); }}
static void set_state(state s) {{ _mm_setcsr(s); }}
static state state_of(int k) {{ return (k & 1 ? 0x8000 : 0) | (k & 2 ? 0x40 : 0) | (k & 12) << 11 | (k & 16 ? 0x1d84 : 0x1f80); }}
static int state_is_plain(void) {{ return (_mm_getcsr() & 0xffc0) == 0x1f80; }}
#else
typedef unsigned long state;
#define STATES 8
static state get_state(void) {{ state s; __asm__ volatile("mrs %0, fpcr" : "=r"(s)); return s; }}
static void set_state(state s) {{ __asm__ volatile("msr fpcr, %0" : : "r"(s)); }}
static state state_of(int k) {{ return (state)k << 22; }}
static int state_is_plain(void) {{ return get_state() == 0; }}
#endif
"""
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
void dgesvd_(const char *ju, const char *jv, int *m, int *n, double *a, int *lda, double *s, double *u, int *ldu,
             double *vt, int *ldvt, double *work, int *lwork, int *info) { *info = 5; s[0] = 3; }
void zgelsd_(int *m, int *n, int *k, double *a, int *lda, double *b, int *ldb, double *s, double *rcond, int *rank,
             double *work, int *lwork, double *rwork, int *iwork, int *info) { *info = 5; *rank = 3; }
""" + STATE + """
double zuncsd_(LONGS) { return state_is_plain() ? SUM : -1; } int dlaruv_(void) { return state_is_plain(); }
"""
HOSTILE = STATE + """#include <stdio.h>
double zuncsd_(LONGS); int dlaruv_(void), dlaruv_64_(void);
int main(void)
{
    int right = 0;
    for (int k = STATES - 1; k >= 0; k--) {
        set_state(state_of(k));
        double r = zuncsd_(""" + ", ".join(str(i * i) for i in range(38)) + """) + dlaruv_() + dlaruv_64_();
        state after = get_state();
        set_state(state_of(0) & ~4u);
        right += r == WANTED && after == state_of(k);
    }
    printf("%d of %d\\n", right, STATES); return 0;
}
"""
# A singular value decomposition of a matrix with and without Inf, outside the matrix NaN, and a query.
FINITE = STATE + """#include <stdio.h>
#include <math.h>
void dgesvd_(const char *, const char *, int *, int *, double *, int *, double *, double *, int *, double *, int *, double *, int *, int *, long, long);
void zgelsd_(int *, int *, int *, double *, int *, double *, int *, double *, double *, int *, double *, int *, double *, int *, int *);
int main(void)
{
    double a[] = {1, 2, NAN, 3, 4, NAN}, s[3] = {7, 7, 7}, work[9], z[] = {1, 2}, b[] = {3, 4, 5, 6}; int n = 2, one = 1, lda = 3, size = 9, query = -1, info = 8, rank = 8;
    set_state(state_of(STATES - 1));
    dgesvd_("N", "N", &n, &n, a, &lda, s, 0, &n, 0, &n, work, &size, &info, 1, 1); printf("%d %g, ", info, s[0]);
    a[4] = -INFINITY;
    dgesvd_("N", "N", &n, &n, a, &lda, s, 0, &n, 0, &n, work, &query, &info, 1, 1); printf("%d %g, ", info, s[0]);
    dgesvd_("N", "N", &n, &n, a, &lda, s, 0, &n, 0, &n, work, &size, &info, 1, 1);
    printf("%d %d %d %d %g, ", info, isnan(s[0]), isnan(s[1]), isnan(a[0]), s[2]);
    z[1] = NAN;
    zgelsd_(&one, &one, &one, z, &one, b, &n, s + 2, work, &rank, work, &size, work, &one, &info);
    printf("%d %d %d %d %d %g\\n", info, rank, isnan(s[2]), isnan(b[0]), isnan(b[1]), b[2]);
    return get_state() != state_of(STATES - 1);
}
"""
BLAS64 = "int dgemm_(void) { return 4; }\n"
# What a program has of its own: another LAPACK with the same names and more.
OTHER = """int dgesv_(void) { return 7; } int scipy_dgesv_(void) { return 7; } int scipy_dgesv_64_(void) { return 7; }
int dgesv_64_(void) { return 7; } int dpbsv_(void) { return 77; } int dgetrf_(void) { return 7; }
double dlapy2_(void) { return 7; }
void dpotrf_(const char *uplo, int *n, double *a, int *lda, int *info, long length) { a[0] = ORDER; *info = 0; }
void dpotri_(const char *uplo, int *n, double *a, int *lda, int *info, long length) {}
double zuncsd_(void) { return 0; } int dlaruv_(void) { return 0; } int dlaruv_64_(void) { return 0; } void zgelsd_(void) {}
void dgesvd_(int a, int b, int c, int d, int e, int f, double *s) { s[0] = 2; }
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
# Numbers below the smallest normal one, taken for zero by whoever calls.
TINY = STATE + SOLVE.replace("{2, 1, 1, 3}, b[] = {4, 7}", "{2e-310, 1e-310, 1e-310, 3e-310}, b[] = {4e-310, 7e-310}").replace(
    "    NAME(", "    set_state(state_of(3));\n    NAME(").replace(
    "    printf", "    set_state(state_of(0));\n    printf").replace('"%g %g', '"%.9f %.9f')
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
    hostile(w)
    stub = w.make("libstub.so.0", "int dtrtrs_(void) { return 0; }\n")
    nobody = w.make("nobody", NOBODY, stub)
    w.make("libstub.so.0", "")
    done = w.start(nobody)
    check("a function that no library has", done.returncode == 127 and "dtrtrs" in done.stderr, done)
    done = w.call("threads", THREADS, "-rdynamic", "-pthread")
    check("eight threads make the first call at once", done.stdout == "8\n", done)
    watch(w)
    with open(w.path("libblas64.so.3"), "w") as f:
        f.write("nothing")
    done = w.start(w.path("names"))
    check("a LAPACK that cannot be opened is told of, and the program's is called", done.stdout == "32322 32322 7 7\n"
          and "exblas: LAPACK cannot be opened: " in done.stderr and "libblas64.so.3: " in done.stderr, done)


def hostile(w):
    """The caller's floating-point state, and operands that are not finite."""
    done = w.call("hostile", HOSTILE, f"-DWANTED={sum(i * i * (i + 1) for i in range(38)) + 2}")
    right, of = done.stdout.split()[0], done.stdout.split()[-1]
    check("LAPACK computes in the plain state, and the caller's is as it was", right == of != "0", done)
    wanted = "5 3, 5 3, 2 1 1 1 7, 1 0 1 1 1 5\n"
    done = w.call("finite", FINITE, "-lm")
    check("a matrix with Inf does not come to the routine", done.stdout == wanted and done.returncode == 0, done)
    done = w.start(w.path("finite"), EXBLAS_REPORT="/dev/null")
    check("nor while calls are watched", done.stdout == wanted and done.returncode == 0, done)
    done = w.start(w.path("finite"), EXBLAS_LAPACK="program")
    check("but where the program's own LAPACK computes", done.stdout == "8 2, 8 2, 8 0 0 0 7, 8 8 0 0 0 5\n", done)


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
            check(name + ", tiny numbers # SKIP no LAPACK with 64-bit integers was built", True)
            continue
        define = (f"-DNAME={name}", f"-DINTEGER={integer}")
        module = w.make("module.so", SOLVE, other, *define)
        w.make("linked", MAIN, module)
        loader = w.make("loader", LOADER)
        done = [start(run, w.path("linked")), start(run, loader, module)]
        check(f"{name}, linked and in a module", [d.stdout for d in done] == ["1 2 0\n"] * 2, done)
        done = start(run, w.make("tiny", TINY + MAIN, other, *define))
        check(f"{name}, tiny numbers from a caller that flushes them", done.stdout == "1.000000000 2.000000000 0\n", done)
    done = start(run, "--report", w.path("linked"))
    check("the call in the report", "\ndgesv               1                4 " in done.stderr
          and "\nverdict: every BLAS and LAPACK call was ours\n" in done.stderr, done)
    done = start(run, "--no-lapack", loader, module)
    check("--no-lapack leaves the program its own", "1 2 0" not in done.stdout, done)


def under_numpy():
    """With the NumPy that there is."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../shim/numpy_finite.py")
    python = next((p for p in ("/usr/bin/python3", sys.executable)
                   if subprocess.run([p, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0), None)
    if python is None:
        check("NumPy with Inf and NaN # SKIP no NumPy here", True)
        return
    done = start(run, python, program)
    check("NumPy tells of each Inf and NaN in a second", done and done.stdout == "3168 calls\n", done)


def own_build(folder):
    if lapack == "-":
        check("without jumps, tiny numbers # SKIP no LAPACK was built", True)
        check("functions of libm in it # SKIP no LAPACK was built", True)
        return
    w = Workshop(compiler, folder)
    done = start(w.make("tiny", TINY + MAIN, lapack, "-DNAME=dgesv_", "-DINTEGER=int"), LD_LIBRARY_PATH=os.path.dirname(lapack))
    check("without jumps, tiny numbers from a caller that flushes them", done.stdout == "1.000000000 2.000000000 0\n", done)
    out = subprocess.run([nm, "-D", "--undefined-only", lapack], check=True, stdout=subprocess.PIPE, text=True).stdout
    needed = {line.split()[-1].split("@")[0] for line in out.splitlines()}
    exported = subprocess.run([nm, "-D", "--defined-only", "/lib/x86_64-linux-gnu/libm.so.6"], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    libm = {line.split()[-1].split("@")[0] for line in exported.splitlines()}
    check("functions of libm in it are exact", needed & libm <= EXACT, needed & libm)


def main():
    print("1..37")
    with tempfile.TemporaryDirectory() as folder:
        stand_ins(folder)
    with tempfile.TemporaryDirectory() as folder:
        under_exblas_run(folder)
    under_numpy()
    with tempfile.TemporaryDirectory() as folder:
        own_build(folder)


main()
