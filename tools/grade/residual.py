"""A finding of a driver of LAPACK as a C program: its calls, and the residuals of their results in long double."""
import re

import library
import program

# Rows and columns in excess of the order of rows.
MORE = {"getrf": 3, "geqrf": 4, "gels": 4, "gesvd": 2}


def orthogonal(v, m, n):
    return n, n, m, f"conjl(E({v}, k, i, {m}))", f"E({v}, k, j, {m})", "i == j"


# Of a result: rows, columns and terms, factors left and right, and what their product is. v0, v1 ... are the arrays of the
# calls in their order, was0 ... what they were, first0 what it was after the first call.
CHECKS = {
    "gesv": [("N", "3", "N", "E(was0, i, k, N)", "E(v2, k, j, N)", "E(was2, i, j, N)")],
    "posv": [("N", "3", "N", "E(was0, i, k, N)", "E(v1, k, j, N)", "E(was1, i, j, N)")],
    "getrf": [("M", "N", "N", "i == k ? 1 : i > k ? E(v0, i, k, M) : 0", "k <= j ? E(v0, k, j, M) : 0",
               "E(was0, order[i], j, M)")],
    "potrf": [("N", "N", "N", "i >= k ? E(v0, i, k, N) : 0", "j >= k ? conjl(E(v0, j, k, N)) : 0", "E(was0, i, j, N)")],
    "geqrf": [("M", "N", "N", "E(v0, i, k, M)", "k <= j ? E(first0, k, j, M) : 0", "E(was0, i, j, M)"),
              orthogonal("v0", "M", "N")],
    "gels": [("N", "2", "M", "conjl(E(was0, k, i, M))", "left[k + j * M]", "0")],
    "syev": [("N", "N", "N", "E(was0, i, k, N)", "E(v0, k, j, N)", "E(v0, i, j, N) * v1[j]"), orthogonal("v0", "N", "N")],
    "gesvd": [("M", "N", "N", "E(v2, i, k, M) * v1[k]", "E(v3, k, j, N)", "E(was0, i, j, M)"), orthogonal("v2", "M", "N"),
              orthogonal("v3", "N", "N")]}
BEFORE = {
    "getrf": """    int order[M];
    for (int i = 0; i < M; i++)
        order[i] = i;
    for (int i = 0, o; i < N; i++)
        o = order[i], order[i] = order[v1[i] - 1], order[v1[i] - 1] = o;
""",
    "gels": """    number left[2 * M];
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < M; i++) {
            left[i + j * M] = E(was1, i, j, M);
            for (int k = 0; k < N; k++)
                left[i + j * M] -= E(was0, i, k, M) * E(v1, k, j, M);
        }
"""}
UNSORTED = {"syev": "v1[i] > v1[i + 1]", "gesvd": "v1[i] < v1[i + 1]"}

HELPERS = """#include <complex.h>

typedef long double _Complex number;

static number at(const real *v, int i)
{
    return P == 2 ? v[2 * i] + v[2 * i + 1] * I : v[i];
}
#define E(v, i, j, ld) at(v, (i) + (j) * (ld))

static void *copy_of(const void *from, size_t size)
{
    return memcpy(malloc(size), from, size);
}

/* The largest sum of magnitudes of a column of C - AB. */
#define CHECK(m, n, terms, A, B, C, most)                                       \\
    do {                                                                        \\
        long double largest = 0;                                                \\
        for (int j = 0; j < n; j++) {                                           \\
            long double sum = 0;                                                \\
            for (int i = 0; i < m; i++) {                                       \\
                number r = C;                                                   \\
                for (int k = 0; k < terms; k++)                                 \\
                    r -= (A) * (B);                                             \\
                sum += fabsl(creall(r)) + fabsl(cimagl(r));                     \\
            }                                                                   \\
            largest = sum <= largest ? largest : sum;                           \\
        }                                                                       \\
        printf("residual: expected at most %Lg, got %Lg\\n", (long double)(most), largest); \\
        bad |= !(largest <= (most));                                            \\
    } while (0)
"""


def call(x, symbol, integer, words, lwork):
    """One call: arguments by reference, then the lengths of letters."""
    kind, values = "int64_t" if integer == library.FORMS["fortran64"] else "int", []
    for w in words:
        if w == "work":
            values += [f"calloc({lwork}, P * sizeof(real))", f"({kind}[]){{{lwork}}}"]
        elif w == "rwork":
            values += ["calloc(4000, sizeof(real))"] * (x.parts == 2)
        else:
            values.append(f"({kind}[]){{{w}}}" if isinstance(w, int) else f'"{w}"' if isinstance(w, str) else x.variable(w))
    letters = sum(isinstance(w, str) and w not in ("work", "rwork") for w in words)
    types = ", ".join(["void *"] * (len(values) + 1) + ["size_t"] * letters)
    return (f'    ((void (*)({types}))dlsym(library, "{symbol}"))({", ".join(values)}, &info{", 1" * letters});\n'
            '    if (info) {\n        printf("expected info 0, got %ld\\n", (long)info);\n        return 1;\n    }\n')


def write(x, driver, n, what, text):
    real, out, copies = "float" if x.letter in "sc" else "double", "", ""
    for i, (v, was) in enumerate(x.arrays):
        kind = real if v._type_ is x.real else "int64_t" if x.tape[0][1] == library.FORMS["fortran64"] else "int"
        lines = re.sub(r"(.{1,90})(?:, |$)", r"    \1,\n", ", ".join(map(program.number, was)) if kind == real else "0")
        out += f"static const {kind} was{i}[{len(was)}] = {{\n{lines}}};\n"
        copies += f"    {kind} *v{i} = copy_of(was{i}, sizeof was{i});\n"
    calls = [call(x, *c) for c in x.tape]
    calls[1:1] = ["    real *first0 = copy_of(v0, sizeof was0);\n    (void)first0;\n"]
    checks = "".join(f"    CHECK({', '.join(c)}, {program.number(30 * scale)});\n" for c, scale in zip(CHECKS[driver], x.scales))
    if driver in UNSORTED:
        checks += f'    for (int i = 0; i + 1 < N; i++)\n        if ({UNSORTED[driver]})\n' \
                  '            bad = 1, printf("expected sorted values, got %d and the next\\n", i);\n'
    return (program.preface(what, text, x.library.path, real) + f"\nenum {{ P = {x.parts}, N = {n}, M = {n + MORE.get(driver, 0)} }};\n"
            + HELPERS + "\n" + out + "\nint main(int argc, char **argv)\n{\n"
            f'    void *library = dlopen(argc > 1 ? argv[1] : "{x.library.path}", RTLD_NOW);\n'
            '    if (!library) {\n        puts(dlerror());\n        return 2;\n    }\n' + program.SIGNALS
            + f"    int64_t info = 0;\n    int bad = 0;\n{copies}" + "".join(calls) + BEFORE.get(driver, "") + checks
            + "    return bad;\n}\n")
