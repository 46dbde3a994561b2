#!/usr/bin/env python3
"""test_elsewhere.py EXBLAS-RUN COMPILER...: reports of BLAS calls that do not come by, for libraries
as they are about: with a BLAS inside, with a LAPACK that calls the BLAS's kernels. Reports in TAP."""
import sys
import tempfile

from standin import Workshop, check, report

run, *compiler = sys.argv[1:]

BLAS = """double ddot_(int *n, double *x, int *incx, double *y, int *incy) { return 0; }
void lsame_(void) {} void dcabs1_(void) {}
void dgemm_(void) { lsame_(); dcabs1_(); }
"""
KERNELS = "void dgetrf_single(void) {}\n"
LAPACK = """void dgetrf_single(void); void dgetrf_(void) { dgetrf_single(); }
void dgesv_(void) { dgetrf_(); } void dsytrf_rook_(void) {} void LAPACKE_dgesv(void) { dgesv_(); }
"""
NETLIB = """void dgemm_(void); void lsame_(void); void xerbla_(void);
static volatile int never;
void dgetrf_(void) { if (never) dgemm_(); lsame_(); } void dgesv_(void) { dgetrf_(); }
"""
ENGINE = """void cblas_dgemm_pack(void) {}
void engine(int solve) { if (solve) { dgesv_(); cblas_dgemm_pack(); } else dgemm_(); }
"""
ALONE = """double ddot_(int *n, double *x, int *incx, double *y, int *incy) { return 0; }
static double inside(int *n, double *x) { return ddot_(n, x, n, x, n); }
double engine_norm(int *n, double *x) { return inside(n, x); }
"""


WRAPPERS = """void dgemm_(void); double ddot_(int *n, double *x, int *incx, double *y, int *incy);
static volatile int never;
void wrapper2_dgemm_(void) { if (never) dgemm_(); }
double wrapper_cblas_ddot(int n, double *x) { return ddot_(&n, x, &n, x, &n); }
"""
DEEP = """double ddot_(int *n, double *x, int *incx, double *y, int *incy);
double module(int *n, double *x) { return ddot_(n, x, n, x, n); }
"""
LOADER = """void *dlopen(const char *, int), *dlsym(void *, const char *);
"""


def program(body):
    """Calls ddot, so that something is intercepted, and then what is tested."""
    return f"""double ddot_(int *, double *, int *, double *, int *);
int main(void) {{ double x[] = {{1, 1}}; int n = 2, one = 1; {body}
return ddot_(&n, x, &one, x, &one) != 2; }}"""


def main():
    print("1..15")
    with tempfile.TemporaryDirectory() as folder:
        w = Workshop(compiler, folder)
        blas = w.make("librefblas.so.0", BLAS)

        def found(name, body, *link):
            w.make(name, program(body), *link)
            return report(run, "--no-lapack", w.path(name))

        engine = w.make("libengine.so", BLAS + KERNELS + LAPACK + ENGINE, "-Wl,-z,now")
        said, lines = found("solver", "engine(1);", blas, engine)
        check("a library with a BLAS and a LAPACK inside: its own calls",
              {line[3] for line in lines if line[1] == line[2] == "libengine.so"}
              == {"not-covered", "bundled-lapack"}, said)
        w.make("libsymbolic.so", ALONE, "-Wl,-Bsymbolic", "-s")
        said, lines = found("symbolic", "engine_norm(&n, x);", blas, w.path("libsymbolic.so"))
        check("a library that exports a BLAS and calls it without the dynamic linker",
              lines == {("ddot_", "libsymbolic.so", "libsymbolic.so", "static")}, said)

        w.make("libkernels.so.0", BLAS + KERNELS)
        w.make("split/liblapack.so.3", LAPACK, w.path("libkernels.so.0"))
        said, lines = found("by_rpath", "dgesv_();", "-Wl,--disable-new-dtags", f"-Wl,-rpath,{folder}/split",
                            f"{folder}/split/liblapack.so.3", blas)
        check("a LAPACK beside its BLAS, found through DT_RPATH",
              lines == {("dgesv_", "by_rpath", "liblapack.so.3", "bundled-lapack")}, said)

        vendor = w.make("libvendor.so.0", BLAS + KERNELS + LAPACK)
        said, lines = found("fortran", "dgesv_();", vendor)
        check("a LAPACK with its BLAS in one library",
              ("dgesv_", "fortran", "libvendor.so.0", "bundled-lapack") in lines, said)
        said, lines = found("in_c", "LAPACKE_dgesv();", vendor)
        check("called through LAPACKE",
              ("LAPACKE_dgesv", "in_c", "libvendor.so.0", "bundled-lapack") in lines, said)
        said, lines = found("rook", "dsytrf_rook_();", vendor)
        check("a LAPACK name with underscores",
              ("dsytrf_rook_", "rook", "libvendor.so.0", "bundled-lapack") in lines, said)

        said, lines = found("plain", "if (n == 3) dgemm_();", blas)
        check("a BLAS whose calls all come by", not lines, said)
        said, lines = found("plain_now", "if (n == 3) dgemm_();", blas, "-Wl,-z,now")
        check("the same, bound at the start", not lines, said)
        lapack = w.make("netlib/liblapack.so.0", NETLIB, blas)
        said, lines = found("netlib_now", "dgesv_();", "-Wl,--disable-new-dtags",
                            f"-Wl,-rpath,{folder}/netlib", lapack, blas, "-Wl,-z,now")
        check("a LAPACK that calls BLAS by its names", not lines, said)
        w.make("libnow.so.0", BLAS + KERNELS + LAPACK, "-Wl,-z,now")
        said, lines = found("unused", "", w.path("libnow.so.0"))
        check("a LAPACK that nobody calls, bound at the start", not lines, said)

        wrappers = w.make("libwrappers.so", WRAPPERS, blas)
        said, lines = found("wrapped", "wrapper2_dgemm_(); wrapper_cblas_ddot(n, x);", wrappers, blas)
        check("wrappers that call BLAS by its names", not lines, said)
        said, lines = found("own_loops", "wrapper_dgemv_(); wrapper2_dgemm_();", wrappers, blas,
                            w.make("libown.so", "void dgemm_(void); void wrapper_dgemv_(void) {} void f(void) { dgemm_(); }"))
        check("a prefixed name whose library calls no such routine",
              lines == {("wrapper_dgemv_", "own_loops", "libown.so", "unknown-prefix")}, said)
        w.make("deep.so", DEEP, blas)
        w.make("deep_loader", LOADER + program(
            f'((double (*)(int *, double *))dlsym(dlopen("{w.path("deep.so")}", 1 | 8), "module"))(&n, x);'), blas)
        said, lines = report(run, "--no-lapack", w.path("deep_loader"))
        check("a module loaded with RTLD_DEEPBIND",
              lines == {("ddot_", "deep.so", "librefblas.so.0", "deepbind")}, said)

        for style in ["sysv", "gnu"]:
            hashed = w.make(f"lib{style}.so.0", BLAS + KERNELS + LAPACK, f"-Wl,--hash-style={style}")
            said, lines = found(f"by_{style}", "dgesv_();", hashed)
            check(f"a LAPACK with its BLAS, their names hashed as {style}",
                  ("dgesv_", f"by_{style}", f"lib{style}.so.0", "bundled-lapack") in lines, said)


main()
