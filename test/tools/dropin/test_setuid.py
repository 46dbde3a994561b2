#!/usr/bin/env python3
"""test_setuid.py LIBEXBLAS LIBEXBLAS-TRACE COMPILER...: a set-user-id program of root's, started by somebody
else, writes no file and loads no code that the environment names. Reports in TAP."""
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

from standin import Workshop, check

library, tracer, *compiler = sys.argv[1:]

OTHER = "double ddot_(int *n, double *x, int *incx, double *y, int *incy) { return 7; }\n"
EVIL = OTHER + """#include <stdio.h>
__attribute__((constructor)) static void say(void) { puts("loaded"); }
"""
PROGRAM = """#include <stdio.h>
#include <sys/auxv.h>
double ddot_(int *, double *, int *, double *, int *);
int main(void)
{
    double x[] = {3, 4};
    int n = 2, one = 1;
    printf("%s\\n", getauxval(AT_SECURE) ? "secure" : "plain");
    printf("%g\\n", ddot_(&n, x, &one, x, &one));
    return 0;
}
"""
SECRET = "only root's\n"
TITLES = ["no file is overwritten", "no file is made", "no code is loaded", "nothing is said",
          "the same, started by root, does all that"]


def skip(why):
    print("1..0 # SKIP", why)
    sys.exit(0)


def try_out(w, program, user):
    """What it prints, the secret file, the names of new files."""
    with open(w.path("secret"), "w") as f:
        f.write(SECRET)
    os.chmod(w.path("secret"), 0o600)
    before = set(os.listdir(w.folder))
    settings = {"EXBLAS_TRACE": w.path("secret"), "EXBLAS_REPORT": w.path("report"), "EXBLAS_VERBOSE": "1",
                "EXBLAS_TRACE_BLAS": w.path("libevil.so")}
    identity = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
    done = subprocess.run([program], env=settings, capture_output=True, text=True, timeout=60, **identity)
    with open(w.path("secret")) as f:
        text = f.read()
    new = set(os.listdir(w.folder)) - before
    for name in new:
        os.remove(w.path(name))
    return done, text, new


def main():
    if os.geteuid() != 0:
        skip("set-user-id programs of root's can only be made by root")
    nobody = pwd.getpwnam("nobody")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        w = Workshop(compiler, folder)
        shutil.copy(library, w.path("libexblas.so.0"))
        shutil.copy(tracer, w.path("libexblas_trace.so"))
        w.make("libevil.so", EVIL)
        other = w.make("libother.so.0", OTHER)
        program = w.make("program", PROGRAM, "-Wl,--no-as-needed", w.path("libexblas_trace.so"), other,
                         w.path("libexblas.so.0"), "-Wl,--disable-new-dtags")
        os.chmod(program, 0o4755)
        done, secret, new = try_out(w, program, nobody)
        if not done.stdout.startswith("secure\n"):
            skip(f"set-user-id programs do not work here: {done}")
        print(f"1..{len(TITLES)}")
        check(TITLES[0], secret == SECRET, secret)
        check(TITLES[1], not new, new)
        check(TITLES[2], done.stdout == "secure\n7\n" and done.returncode == 0, done)
        check(TITLES[3], done.stderr == "", done)
        done, secret, new = try_out(w, program, None)
        check(TITLES[4], "loaded\n" in done.stdout and " ddot n=2 " in secret and new == {"report"},
              (done, secret, new))


main()
