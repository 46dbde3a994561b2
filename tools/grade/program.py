"""A finding in words, and as a C program that shows it."""
import ctypes
import math
import os
import re
import sys

import library
import memory
import numbers_of_types as numbers

HEAD = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* What lies around operands: arithmetic changes it. */
static const real poison = POISON;
static struct { char *pages, *at; size_t room, size; } copy[8];
static int n_copies;

/* A copy that ends at a page that cannot be touched, or stands so many bytes behind one (from 1024 on with as many
 * behind it). */
static void *guarded(const void *from, size_t size, long behind)
{
    size_t room = (size + (behind > 0 ? (size_t)behind * (behind < 1024 ? 1 : 2) : 0) + 4095) / 4096 * 4096;
    room = room ? room : 4096;
    char *p = mmap(NULL, room + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *pages = p + 4096;
    mprotect(p, 4096, PROT_NONE);
    mprotect(pages + room, 4096, PROT_NONE);
    for (size_t i = 0; i < room; i += sizeof poison)
        memcpy(pages + i, &poison, sizeof poison);
    p = pages + (behind < 0 ? room - size : (size_t)behind);
    copy[n_copies].pages = pages, copy[n_copies].at = p, copy[n_copies].room = room, copy[n_copies++].size = size;
    return size ? memcpy(p, from, size) : p;
}

/* How many bytes around the copies are no longer what they were. */
static int count_changes(void)
{
    int n = 0;
    for (int i = 0; i < n_copies; i++)
        for (char *p = copy[i].pages; p < copy[i].pages + copy[i].room; p++)
            n += (p < copy[i].at || p >= copy[i].at + copy[i].size) &&
                 *p != ((char *)&poison)[(size_t)(p - copy[i].pages) % sizeof poison];
    return n;
}

static void on_signal(int n)
{
    char text[64]; /* whatever the heap is like */
    int size = snprintf(text, sizeof text, "expected a result, got signal %d\n", n);
    _exit(write(1, text, size) < 0 ? 2 : 1);
}

static double of_bf16(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float wide;
    memcpy(&wide, &bits, sizeof wide);
    return wide;
}

static double of_half(uint16_t x)
{
    int e = x >> 10 & 31, m = x & 1023;
    double y = e == 31 ? (m ? NAN : INFINITY) : ldexp(m + (e ? 1024 : 0), (e ? e : 1) - 25);
    return x & 0x8000 ? -y : y;
}

static int flushes(void)
{
    volatile double least = 0x1p-1022;
    least /= 2;
    return !(least * 0x1p60 > 0);
}

static int reported = -1;
#define FORTRAN(name) void name(const char *routine, const int *info) { (void)routine; reported = reported < 0 ? *info : reported; }
FORTRAN(xerbla_) FORTRAN(xerbla) FORTRAN(xerbla_64_) FORTRAN(scipy_xerbla_64_)
#define C(name) void name(int info, const char *routine, const char *f, ...) \
    { (void)routine, (void)f; reported = reported < 0 ? info : reported; }
C(cblas_xerbla) C(cblas_xerbla64_) C(cblas_xerbla_64)
"""
PATH = os.environ.get("LD_LIBRARY_PATH")  # of what the library needs
COMMAND = f" *   cc -rdynamic FILE.c -ldl -lm && {f'LD_LIBRARY_PATH={PATH} ' if PATH else ''}./a.out [LIBRARY]\n"
REAL = {"s": "float", "c": "float", "d": "double", "z": "double", "b": "uint16_t", "h": "uint16_t"}
ENDS = "it crashes", "it hangs", "memory outside an operand is touched"
SIGNALS = """    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
    for (int i = 0; i < 6; i++)
        signal(signals[i], on_signal);
    alarm(20);
"""

CALLERS = """
static time_t end;
static volatile int wrong;

static void *caller(void *unused)
{
    while (!wrong && time(NULL) < end)
        wrong |= once();
    return unused;
}

static int at_once(void)
{
    pthread_t callers[4];
    end = time(NULL) + 5;
    for (int i = 0; i < 4; i++)
        pthread_create(&callers[i], NULL, caller, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(callers[i], NULL);
    return wrong;
}
"""

ONES = """
/* n ones so far apart, in memory that is only then there. */
static real *ones(size_t n, size_t step)
{
    real *x = mmap(NULL, ((n - 1) * step + 1) * sizeof *x, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    madvise(x, ((n - 1) * step + 1) * sizeof *x, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < n && x != MAP_FAILED; i++)
        x[i * step] = 1;
    return x;
}
"""


def number(x):
    return "NAN" if x != x else ("-" if x < 0 else "") + "INFINITY" if math.isinf(x) else float(x).hex()


def literal(letter, x):
    return str(int.from_bytes(numbers.packed(letter, [x]), sys.byteorder)) if letter in "bh" else number(x)


def describe(f):
    """The call in one line, as BLAS has it."""
    case, words = f.case, []
    for a in case.routine.arguments:
        if a.kind == "array":
            words.append(a.name.upper())
        elif a.name == "layout" and case.form.startswith("fortran"):
            continue
        elif a.kind == "scalar":
            words.append(f"{a.name}=" + ",".join(f"{x:.3g}" for x in case.scalars[a.name]))
        else:
            words.append(f"{a.name}={case.args[a.name]}")
    text = f"{f.name or case.routine.name}({', '.join(words)})"
    if not f.operand:
        return text
    at = f"{f.operand.upper()}[{f.at}]" if f.operand != "result" else "the result"
    if f.what.startswith("an illegal"):
        return f"{text}: argument {f.expected:.0f}, " + (f"reported as {f.got:.0f}" if f.got >= 0 else "not reported")
    if f.what.endswith("written"):
        return f"{text}: {at if 'elements' in f.what else f.operand.upper()}"
    return f"{text}: {at} is {f.got:.17g}, not {f.expected:.17g}"


def declare(case, call):
    """The type of the function, and the arguments of its call."""
    r, types, values = case.routine, [], []
    real = REAL[r.type]
    integer = "int64_t" if library.FORMS[case.form] == 64 else "int"
    for a in r.arguments:
        if a.kind == "array":
            types.append("void *")
            values.append(a.name)
        elif a.kind == "option" and call.is_fortran:
            if a.name != "layout":
                types.append("const char *")
                values.append(f'"{case.args[a.name].upper()}"')
        elif a.kind == "option":
            types.append("int")
            values.append(str(call.by_value(a, case.args[a.name]).value))
        else:
            kind = integer if a.kind == "integer" else real
            v = str(case.args[a.name]) if a.kind == "integer" else ", ".join(
                literal(r.type, x) for x in case.scalars[a.name])
            pointer = call.is_fortran or a.kind == "scalar" and not a.real
            types.append(f"const {kind} *" if pointer else kind)
            values.append(f"({kind}[]){{{v}}}" if pointer else v)
    types += ["size_t"] * (sum(a.name != "layout" for a in r.options) if call.is_fortran else 0)
    values += ["1"] * (len(types) - len(values))
    if call.has_return:
        types.append("void *")
        values.append("result")
    result = {"-": "void", "I": integer if call.is_fortran else "size_t", "s": "float", "d": "double",
              "c": "float _Complex", "z": "double _Complex"}[r.result]
    return ("void" if call.has_return else result), ", ".join(types), ", ".join(values)


def arrays(case):
    """The operands' definitions, and the lines that put them before guard pages."""
    out, copies = "", ""
    if case.spread:
        out = ONES
    for a in case.routine.operands:
        if case.spread:
            n, step = case.spread[a.name]
            real = REAL[a.type]
            copies += f"    {real} *{a.name} = ones({n}, {step});\n"
            continue
        o = memory.Operand(case, a)
        real, poison, raw, size = REAL[a.type], o.poison(), o.bytes, o.size
        text = ", ".join("POISON" if size > 2 and x != x and raw[i * size:i * size + size] == poison[:size]
                         else literal(a.type, x) for i, x in enumerate(o.image)) or "0"
        text = re.sub(r"(.{1,90})(?:, |$)", r"    \1,\n", text)
        out += f"static const {real} {a.name}_image[] = {{\n{text}}};\n"
        if case.callers > 1:
            copies += f"    static _Thread_local real {a.name}[sizeof {a.name}_image / sizeof(real)];\n" \
                      f"    memcpy({a.name}, {a.name}_image, sizeof {a.name});\n"
            continue
        behind = -1 if case.place == "end" else case.place // o.size * o.size
        copies += f"    {real} *{a.name} = guarded({a.name}_image, {o.n} * sizeof({real}), {behind});\n"
    return out, copies


def verdict(f, real, returns):
    """The lines that print expected and got, and end with 1 if they differ."""
    if f.what.startswith("an illegal"):
        return (f'    printf("expected argument {f.expected:.0f}, got %d\\n", reported);\n'
                f"    return reported != {f.expected:.0f};\n")
    if "environment" in f.what or "flags" in f.what:
        return ('    int now[] = {fegetround(), fetestexcept(flags), flushes()};\n'
                '    printf("rounding mode, flags, flushing: expected %d %d %d, got %d %d %d\\n", mode, flags, flush, now[0], '
                "now[1], now[2]);\n    return now[0] != mode || now[1] != flags || now[2] != flush;\n")
    if f.what in (*ENDS, "bytes outside an operand are written"):
        return ('    printf("no crash, %d bytes around operands changed\\n", count_changes());\n'
                "    return count_changes() > 0;\n")
    if f.what.endswith("written"):
        name, size = f.operand, "*" if "elements" in f.what else ""
        size = f"{size}{name}{'' if size else '_image'}"
        return (f"    int same = memcmp({name} + {f.at}, {name}_image + {f.at}, sizeof {size}) == 0;\n"
                f'    printf("expected {name}[{f.at}] as it was, got it %s\\n", same ? "as it was" : "changed");\n'
                "    return !same;\n")
    got = f"{f.operand}[{f.at}]"
    if f.operand in f.case.routine.by_name:
        got = {"b": f"of_bf16({got})", "h": f"of_half({got})"}.get(f.case.routine.by_name[f.operand].type, got)
    tolerance = abs(f.expected - f.got) / 2 if math.isfinite(f.expected) and math.isfinite(f.got) else 0.0
    index = " + 1" if returns == "size_t" else ""
    return (f"    double expected = {number(f.expected)}, got = {got}{index};\n"
            f"    int bad = isnan(expected) ? !isnan(got) : isinf(expected) ? got != expected\n"
            f"              : !(fabs(got - expected) <= {number(tolerance)});\n"
            + "    if (bad)\n    " * (f.case.callers > 1)
            + '    printf("expected %a (%.17g), got %a (%.17g)\\n", expected, expected, got, got);\n    return bad;\n')


def preface(what, text, path, real):
    """The comment that says what a program shows, and what every program has."""
    return (f"/* {what}:\n *   {text}\n * of {path}\n" + COMMAND
            + " * prints what is expected and what it got, and ends with 1 if they differ. */"
            + f'\n#define POISON __builtin_nans{"f" * (real == "float")}("")\ntypedef {real} real;' + HEAD)


def write(worker, f):
    case = f.case
    call = worker.judge.call_of(case)
    real = REAL[case.routine.type]
    returns, types, values = declare(case, call)
    images, copies = arrays(case)
    kind = {"size_t": "double", "int": "double", "int64_t": "double", "void": real}.get(returns, returns.split()[0])
    keep = "" if returns == "void" else f"*({returns} *)result = " if "Complex" in returns else "result[0] = "
    f.name = call.name
    modes = worker.native.grade_environment
    modes.restype = ctypes.c_char_p
    mode = modes(case.environment).decode()
    flush = "#ifdef __SSE2__\n    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);\n#endif\n" * ("FTZ" in mode)
    mode = {"upward": "FE_UPWARD", "downward": "FE_DOWNWARD", "toward zero": "FE_TOWARDZERO"}.get(
        mode.removesuffix(", FTZ, DAZ"), "FE_TONEAREST")
    body = f"    {kind} result[2] = {{0, 0}};\n    (void)result;\n{copies}"
    call_line = f"    {keep}call({values});\n" + verdict(f, real, returns)
    once = ""
    if case.callers > 1:
        once, body = f"\nstatic int once(void)\n{{\n{body}{call_line}}}\n{CALLERS}", "    return at_once();\n"
    else:
        body += SIGNALS + f"    int mode = {mode}, flags = FE_INVALID | FE_DIVBYZERO;\n    (void)mode, (void)flags;\n"
        body += "    fesetround(mode);\n    feraiseexcept(flags);\n" if case.environment or "flags" in f.what else ""
        body += flush + "    int flush = flushes();\n    (void)flush;\n"
        # What is out of order in the heap shows when it is used again.
        body += ("    for (int i = 0; i < 100; i++)\n    " if f.what in ENDS else "") + call_line
    return (preface(f.what, describe(f), worker.library.path, "double" if real == "double" else "float") + f"\n{images}\nstatic {returns} (*call)({types});\n"
            + once + "\nint main(int argc, char **argv)\n{\n"
            f'    for (int i = 0; i < 4; i++)\n        setenv((char *[]){{"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", '
            f'"MKL_NUM_THREADS", "BLIS_NUM_THREADS"}}[i], "{case.threads}", 1);\n'
            f'    void *library = dlopen(argc > 1 ? argv[1] : "{worker.library.path}", RTLD_NOW);\n'
            f'    call = library ? dlsym(library, "{call.name}") : NULL;\n'
            '    if (!call) {\n        puts(dlerror());\n        return 2;\n    }\n'
            + body + "}\n")
