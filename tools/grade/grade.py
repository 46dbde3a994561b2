"""exblas-grade: the options, the processes in which routines are judged, the files that are written."""
import argparse
import ctypes
import json
import mmap
import os
import platform
import shutil
import signal
import struct
import sys
import tempfile
import time

import lapack
import library
import report
import shapes
import worker

HERE = os.path.dirname(os.path.realpath(__file__))
USAGE = """Judges the BLAS of shared libraries, and the drivers of LAPACK where they have them: every routine in every
type, in a process of its own, against ExBLAS, whose every result is the exact value rounded once. Prints a table;
the exit status is 0 without findings, 1 with some, 2 if a library cannot be judged."""


OUTSIDE = "memory outside an operand is touched"


class Journal:
    """What a process is at, seen by its parent."""

    def __init__(self):
        self.memory = mmap.mmap(-1, 16)

    def at(self, i):
        self.memory[:16] = struct.pack("<qq", i, 0)

    def beat(self):
        """Another call of the same step."""
        self.memory[8] = (self.memory[8] + 1) % 256

    def own(self, is_own):
        """Whether it computes exact results, which may take long."""
        self.memory[9] = is_own

    def read(self):
        return struct.unpack("<q", self.memory[:8])[0]


def find_file(names):
    for name in names:
        path = os.path.normpath(os.path.join(HERE, name))
        if os.path.exists(path):
            return path
    raise library.Missing(f"no {os.path.basename(names[0])} in this installation: install ExBLAS again")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise library.Missing(f"{message} (--help)")


def parse(words):
    p = Parser(prog="exblas grade", description=USAGE, allow_abbrev=False)
    p.add_argument("library", nargs="*", metavar="[NAME=]LIBRARY",
                   help="shared objects, and what to call them; none: ExBLAS itself")
    p.add_argument("--routines", default="", metavar="LIST", help="names with or without type, as gemm,ddot")
    p.add_argument("--types", default="sdczbh", help="of s, d, c, z, b and h: by results (default all)")
    length = p.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="three minutes a library (the default)")
    length.add_argument("--long", action="store_true", help="more numbers, larger sizes, the calls of past reports")
    p.add_argument("--threads", default="1,2,4", metavar="N,N", help="numbers of threads that are compared (1,2,4)")
    p.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="at a time (all cores)")
    p.add_argument("--findings", metavar="FOLDER", help="writes a C program for each finding")
    p.add_argument("--json", metavar="FILE")
    p.add_argument("--html", metavar="FILE")
    p.add_argument("--seed", type=int, default=1, metavar="S")
    o = p.parse_args(words)
    if not o.types or set(o.types) - set("sdczbh"):
        p.error("--types takes letters of sdczbh")
    if not all(t.isdigit() and int(t) for t in o.threads.split(",")):
        p.error("--threads takes numbers, as 1,2,4")
    if o.processes < 1:
        p.error("--processes takes a number from 1")
    o.options = {"long": o.long, "seed": o.seed, "threads": [int(t) for t in o.threads.split(",")],
                 "shrink": 20 if o.long else 1.5}
    return o


def state_of(pid):
    """A process's letter (S: it waits) and its seconds of computing."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            words = f.read().rpartition(")")[2].split()
        return words[0], sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return "S", 0.0


class Grader:
    def __init__(self, o):
        self.o = o
        table = find_file(["grade_routines.json"])
        self.routines = shapes.read_table(table)
        self.native_path = find_file(["libexblas_grade.so"])
        self.oracle_path = find_file(["../../libexblas.so.0", "../../lib/libexblas.so.0", "../libexblas.so.0"])
        wanted = [w for w in o.routines.split(",") if w]
        known = {r.name for r in self.routines} | {r.base for r in self.routines} | set(lapack.DRIVERS)
        for w in wanted:
            if w not in known and w[1:] not in lapack.DRIVERS:
                raise library.Missing(f"no routine {w}: --routines takes names as gemm or ddot")
        self.chosen = [r for r in self.routines if r.type in o.types and
                       (not wanted or r.name in wanted or r.base in wanted)]
        self.drivers = [(t, d) for d in lapack.DRIVERS for t in o.types if t in "sdcz" and
                        (not wanted or d in wanted or t + d in wanted)]

    # --- in the process of a routine ------------------------------------------

    def load(self, path):
        native = ctypes.CDLL(self.native_path, mode=ctypes.RTLD_GLOBAL)
        lib = library.Library(path)
        info, path = lib.find("exblas_info"), self.oracle_path
        if info:  # ExBLAS judges itself by another copy, by the plainest way to each element
            info(b"isa")
            os.environ["EXBLAS_ISA"] = "generic"
            path = f"/proc/self/fd/{ctypes.CDLL(None).memfd_create(b'oracle', 1)}"
            shutil.copyfile(self.oracle_path, path)
        oracle = library.Library(path)
        if info:
            oracle.find("exblas_set_method")(b"superacc")
        for each in (oracle, lib):
            each.set_threads(1)
        return native, worker.judge.Oracle(oracle), lib

    def probe(self, path):
        """Names of the routines that a library has."""
        _, _, lib = self.load(path)
        return [r.name for r in self.routines if lib.forms(r)] + [
            t + d for t, d in self.drivers if lapack.find(lib, t + d)]

    def judge(self, path, what, journal, lost):
        native, oracle, lib = self.load(path)
        if isinstance(what, tuple):
            return lapack.judge(lib, oracle, self.routines, native, what, self.o.options, journal)
        w = worker.Worker(lib, oracle, self.routines, native, what, self.o.options)
        w.roomy = any(f["what"] == OUTSIDE for f in lost)
        if any(f["step"] == worker.REPORT for f in lost):
            w.options = {**self.o.options, "shrink": 0}
        return w.run(journal, [f["step"] for f in lost])

    @staticmethod
    def ends_well(w, case):
        pid = os.fork()
        if pid == 0:
            try:
                w.judge.run(case)
                os._exit(0)
            finally:
                os._exit(1)
        return os.waitpid(pid, 0)[1] == 0

    def crashed(self, path, what, step, why):
        """The report of a step that ended its process."""
        native, oracle, lib = self.load(path)
        if isinstance(what, tuple):
            return lapack.crashed(lib, oracle, self.routines, what, self.o.seed, step, why)
        w = worker.Worker(lib, oracle, self.routines, native, what, self.o.options)
        case = w.step(step)
        w.judge.call_of(case)
        if why == "it crashes" and not case.spread:
            roomy = case.copy()
            roomy.place = worker.memory.ROOMY
            # Damage to the heap shows by chance, wherever operands are.
            why = OUTSIDE if not self.ends_well(w, case) and self.ends_well(w, roomy) else why
        f = worker.judge.Finding(why, case)
        return {"what": why, "step": step, "calls": 1, "text": worker.program.describe(f), "program": worker.program.write(w, f)}

    # --- processes ------------------------------------------------------------------

    def start(self, job):
        """A process that writes what `job` returns, or the line of an error."""
        out = tempfile.TemporaryFile()
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            status = 0
            try:
                os.setsid()
                silence = os.open(os.devnull, os.O_RDWR)
                for fd in (0, 1) if os.environ.get("GRADE_DEBUG") else (0, 1, 2):
                    os.dup2(silence, fd)
                text = json.dumps({"result": job()})
            except library.Missing as e:
                text = json.dumps({"error": str(e)})
            except BaseException:
                import traceback
                text, status = json.dumps({"error": traceback.format_exc().strip()}), 3
            out.write(text.encode())
            out.flush()
            os._exit(status)
        return pid, out

    @staticmethod
    def finish(pid, out, status):
        out.seek(0)
        text = out.read()
        out.close()
        if os.WIFSIGNALED(status):
            return None, signal.Signals(os.WTERMSIG(status)).name
        if not text:
            return None, f"exit {os.waitstatus_to_exitcode(status)}"
        answer = json.loads(text)
        return answer.get("result"), answer.get("error")

    def ask(self, job, seconds=60):
        """What a job returns in a process of its own, and what was wrong."""
        pid, out = self.start(job)
        end = time.time() + seconds
        while True:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return self.finish(pid, out, status)
            if time.time() > end:
                os.killpg(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                return None, "hangs"
            time.sleep(0.002)

    def library(self, path, progress):
        names, wrong = self.ask(lambda: self.probe(path))
        if wrong:
            known = wrong.startswith(("cannot load", "SIG", "exit", "hangs"))
            raise library.Missing(wrong if wrong.startswith("cannot load") else
                                  f"{path} ends a program that loads it ({wrong})" if known else wrong)
        jobs = [r for r in self.chosen if r.name in names] + [d for d in self.drivers if d[0] + d[1] in names]
        if not jobs:
            raise library.Missing(f"{path} has none of the routines under any name known")
        return self.all(path, jobs, progress)

    def all(self, path, jobs, progress):
        limit = 60 if self.o.long else 15  # seconds for one step
        waiting, running, done = list(reversed(jobs)), {}, []
        begin = time.time()

        def go(what, lost):
            journal = Journal()
            pid, out = self.start(lambda: self.judge(path, what, journal, lost))
            running[pid] = [what, out, journal, lost, -1, time.time(), 0.0]
        while waiting or running:
            while waiting and len(running) < self.o.processes:
                go(waiting.pop(), [])
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                self.watch(running, limit)
                time.sleep(0.005)
                continue
            if pid not in running:
                continue
            what, out, journal, lost, _, since, _ = running.pop(pid)
            result, wrong = self.finish(pid, out, status)
            # Where a library writes over Python's own memory, this ends by any error.
            if result is None and len(lost) < (1 if isinstance(what, tuple) else 4):
                step, why, error = journal.read(), "it hangs" if since == 0 else "it crashes", ""
                found = {"what": "", "step": step}
                if step != worker.REPORT:
                    found, error = self.ask(lambda w=what, s=step, y=why: self.crashed(path, w, s, y))
                lost.append(found or {"what": why, "step": step, "calls": 1, "text": (error or "").rpartition("\n")[2], "program": ""})
                if not isinstance(what, tuple):
                    go(what, lost)
                    continue
            done.append(self.merged(what, result, lost, wrong))
            progress(len(done), len(jobs), time.time() - begin)
        return done

    @staticmethod
    def merged(what, result, lost, wrong):
        kinds = {f["what"]: f for f in reversed(lost) if f["what"]}  # the first of each
        if result is None:
            letter, base = what if isinstance(what, tuple) else (what.type, what.group)
            name = letter + base if isinstance(what, tuple) else what.name
            result = {"routine": name, "type": letter, "base": base, "forms": [], "results": 0, "rounded": 0,
                      "ulps": 0, "ratio": 0, "grade": "F", "notes": {},
                      "findings": [] if kinds else [{"what": "it crashes", "calls": 1, "text": f"{name}: {wrong}",
                                               "program": ""}]}
        result["findings"] += kinds.values()
        if kinds:
            result["grade"] = "F"
        return result

    @staticmethod
    def watch(running, limit):
        """Ends what is at a step for so many seconds of computing, or waits in it: not for a processor."""
        for pid, r in running.items():
            now, (state, used) = r[2].memory[:16], state_of(pid)
            if now != r[4] or now[9]:
                r[4:] = now, time.time(), used
            elif r[5]:
                r[5] = r[5] if state == "S" else time.time()
                spent, share = used - r[6], 1 + 3 * len(r[3])  # once it hung, it will again
                if spent > limit / share or time.time() - r[5] > 4 * limit / share and spent < 1:
                    os.killpg(pid, signal.SIGKILL)
                    r[5] = 0


def progress_line(name):
    def show(n, total, seconds):
        if sys.stderr.isatty():
            left = seconds / n * (total - n)
            print(f"\r{name}: {n} of {total}, {left:.0f} s left \x1b[K", end="" if n < total else "\r\x1b[K",
                  file=sys.stderr, flush=True)
    return show


def write(o, graded):
    """The files that were asked for, after each library."""
    out = {"machine": platform.machine(), "seed": o.seed, "mode": "long" if o.long else "quick", "libraries": graded}
    if o.findings:
        report.write_programs(graded, o.findings)
    for path, text in (o.json, json.dumps(out, indent=1)), (o.html, report.html(out)):
        if path:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)


def main(words):
    try:
        o = parse(words)
        grader = Grader(o)
        graded = []
        for word in o.library or [""]:
            begin = time.time()
            name, path = library.named(word, grader.oracle_path)
            routines = grader.library(path, progress_line(name))
            graded.append({"name": name, "library": path, "seconds": round(time.time() - begin, 1), "routines": sorted(
                routines, key=lambda r: r["routine"])})
            report.show(graded[-1])
            write(o, graded)
    except library.Missing as e:
        print(f"exblas grade: {e}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    if len(graded) > 1:
        report.show_beside(graded)
    return int(any(r["findings"] for g in graded for r in g["routines"]))
