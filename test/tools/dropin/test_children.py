#!/usr/bin/env python3
"""test_children.py EXBLAS-RUN COMPILER...: traces of a process, of those that it forks and of those that
it starts: a file each, and none destroys another's. Reports in TAP."""
import os
import sys
import tempfile

from standin import Workshop, check, start

run, *compiler = sys.argv[1:]

OTHER = "double dasum_(int *n, double *x, int *incx) { return 7; }\n"
# fork: parent and child call in turn. orphan: the child calls after its parent has ended.
PROGRAM = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
double dasum_(int *, double *, int *);
static void call(int n) { double x[9] = {0}; int one = 1; dasum_(&n, x, &one); }
int main(int argc, char **argv)
{
    char command[4096];
    pid_t parent = getpid();
    const char *how = argc > 1 ? argv[1] : "";
    call(1);
    if (!strcmp(how, "fork") || !strcmp(how, "orphan")) {
        pid_t child = fork();
        if (child == 0) {
            while (!strcmp(how, "orphan") && getppid() == parent)
                usleep(1000);
            printf("%d\\n", (int)getpid());
            fflush(stdout);
            call(5), call(6);
            _exit(0);
        }
        if (!strcmp(how, "orphan"))
            return 0;
        wait(NULL);
    } else if (!strcmp(how, "start")) {
        snprintf(command, sizeof command, "%s once", argv[0]);
        system(command);
        system(command);
    } else {
        printf("%d\\n", (int)getpid());
    }
    call(2);
    return 0;
}
"""


def main():
    print("1..6")
    with tempfile.TemporaryDirectory() as folder:
        w = Workshop(compiler, folder)
        program = w.make("program", PROGRAM, w.make("libother.so.0", OTHER))

        def traced(name, how):
            """{file: its lengths n by SEQ, if the file is well-formed}, and the children's numbers."""
            traces = w.path(how or "alone")
            os.makedirs(traces, exist_ok=True)
            done = start(run, "--trace", os.path.join(traces, name), program, how)
            files = {}
            for file in os.listdir(traces):
                with open(os.path.join(traces, file)) as f:
                    head, *lines = f.read().splitlines()
                fields = [line.split() for line in lines]
                right = head.startswith("exblas-trace 1 ") and all(
                    f[0] == str(i + 1) and f[2] == "dasum" for i, f in enumerate(fields))
                files[file] = [f[3] for f in fields] if right else (head, lines)
            return files, done.stdout.split()

        parent, child, once = ["n=1", "n=2"], ["n=5", "n=6"], ["n=1", "n=2"]
        files, (pid,) = traced("t", "fork")
        check("a forked child", files == {"t": parent, "t." + pid: child}, files)
        files, pids = traced("t", "start")
        check("processes that it starts", len(pids) == 2 and files == {
            "t": parent, "t." + pids[0]: once, "t." + pids[1]: once}, files)
        files, (pid,) = traced("t", "orphan")
        check("a child that its parent leaves", files == {"t": ["n=1"], "t." + pid: child}, files)
        traced("t", "")
        files, _ = traced("t", "")
        check("another run replaces the file", files == {"t": once}, files)
        files, (pid,) = traced("p.%p.t", "fork")
        new = {name: lines for name, lines in files.items() if name.startswith("p.")}
        check("%p in the name", sorted(new.values(), key=str) == [parent, child] and new.get(f"p.{pid}.t") == child, files)
        done = start(run, "--trace", "/dev/stderr", program, "fork")
        check("a file that can be shared", done.stderr.count("dasum n=") == 4, done)


main()
