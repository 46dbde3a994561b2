"""solve: a sparse system by conjugate gradients, BiCGStab or GMRES, whose steps have the same bits on any machine."""
import contextlib
import sys
import time
import types
from array import array
from ctypes import byref, c_void_p, cast

from native import BREAKDOWN, ERANGE, REASONS, STEP, SolverOptions, SolverResult, address, library
from reduce import read_all
from show import FINDING, OK, RESOURCES, fail, hexadecimal, number
from source import open_source
from verify import Matrix, Output, least_squares

NO_MEMORY = "not enough memory for the "


def succeed(status, what):
    if status:
        fail(NO_MEMORY + what, RESOURCES)


class Rows:
    """Of a square sparse matrix: room for them, filled by a function of the library."""

    def __init__(self, n, n_entries, fill):
        self.n = n
        self.start, self.column = array("q", bytes(8 * (n + 1))), array("q", bytes(8 * n_entries))
        self.value = array("d", bytes(8 * n_entries))
        self.status = fill(*self.addresses())

    def addresses(self):
        return address(self.start), address(self.column), address(self.value)

    def handle(self):
        handle = c_void_p()
        succeed(library.exblas_dcsr_create_64(self.n, self.n, *self.addresses(), byref(handle)), "matrix")
        return handle


def read_matrix(q, path):
    plain = {**dict.fromkeys(vars(q)), "command": q.command, "quiet": q.quiet, "files": q.files, "format": "auto", "decimal": b"."}
    source = open_source(types.SimpleNamespace(**plain), path)
    if source.kind != "mtx" or not source.coordinate:
        fail(f"{path}: a Matrix Market file of coordinates is needed")
    n = source.shape[0]
    if n != source.shape[1]:
        fail(f"{path}: {n} x {source.shape[1]} is not square")
    row, column, value = array("q"), array("q"), array("d")
    for i, j, x in source.entries():
        row.extend(i)
        column.extend(j)
        value.extend(x)
    source.file.close()
    if source.mirror:
        others = [k for k in range(len(row)) if row[k] != column[k]]
        row, column = row + array("q", (column[k] for k in others)), column + array("q", (row[k] for k in others))
        value.extend([source.mirror * value[k] for k in others])
    row, column = (array("q", (k - 1 for k in indices)) for indices in (row, column))
    a = Rows(n, len(row), lambda *to: library.exblas_dcoo_to_csr_64(n, n, len(row), address(row), address(column), address(value), *to))
    succeed(a.status, f"rows of {path}")
    return a


def expect_symmetric(a, name):
    """As conjugate gradients need it."""
    t = Rows(a.n, len(a.value), lambda *to: library.exblas_dcsr_transpose_64(a.n, a.n, *a.addresses(), *to))
    succeed(t.status, f"transpose of {name}")
    if [m.tobytes() for m in (a.start, a.column, a.value)] == [m.tobytes() for m in (t.start, t.column, t.value)]:
        return
    for i in range(a.n):
        rows = [slice(m.start[i], m.start[i + 1]) for m in (a, t)]
        mirrored = dict(zip(t.column[rows[1]], t.value[rows[1]]))
        for j, value in zip(a.column[rows[0]], a.value[rows[0]]):
            if value != mirrored.get(j, 0):
                fail(f"{name}: not symmetric at ({i + 1}, {j + 1}), as --cg needs it: say --gmres")


def read_vector(q, path, n):
    source = open_source(q, path)
    if source.is_complex:
        fail(f"{path}: the right-hand side is not real")
    b = read_all(source, "d")
    if len(b) != n:
        fail(f"{path}: {len(b)} numbers, but the matrix has {n} rows")
    return b


def jacobi(a, name):
    """M = the inverse of the diagonal."""
    m = Rows(a.n, a.n, lambda *to: library.exblas_dcsr_block_inverse_64(a.n, 1, *a.addresses(), *to))
    if m.status == ERANGE:
        fail(f"{name}: an element of the diagonal has no inverse")
    succeed(m.status, "preconditioner")
    return m


def run(q, a, m, b, x, history):
    """x = 0 at the beginning."""
    on_terminal = not q.quiet and sys.stderr.isatty()
    shown = [time.monotonic(), False]

    def show_step(_, step, residual, __):
        if on_terminal and time.monotonic() - shown[0] > 0.1:
            sys.stderr.write(f"\rstep {step}, residual {residual:.3e}\033[K")
            sys.stderr.flush()
            shown[:] = time.monotonic(), True
        return 0

    product, inverse, step = a.handle(), m.handle() if m else None, STEP(show_step)
    apply = cast(library.exblas_dcsr_handle_apply, c_void_p)
    options = SolverOptions(tolerance=q.tolerance, most_steps=q.steps, precondition=apply if m else None,
                            precondition_context=inverse, step=cast(step, c_void_p), history=address(history),
                            history_size=len(history))
    result = SolverResult()
    solver = getattr(library, f"exblas_d{q.method}_64")
    status = solver(a.n, apply, product, address(b), address(x), byref(options), byref(result))
    for handle in (product, inverse):
        library.exblas_dcsr_free(handle)
    if shown[1]:
        sys.stderr.write("\r\033[K")
    succeed(status, "solver")
    return result


def solve(q):
    if len(q.files) != 2:
        fail("solve takes a matrix and a right-hand side")
    if q.method == "least-squares":
        return least_squares(q)
    a = read_matrix(q, q.files[0])
    b, x = read_vector(q, q.files[1], a.n), array("d", bytes(8 * a.n))
    history = array("d", bytes(8 * (q.steps + 1 if q.history else 0)))
    m = jacobi(a, q.files[0]) if q.jacobi else None
    if q.method == "cg":
        expect_symmetric(a, q.files[0])
    out, to = Output(q.output), Output(q.history) if q.history else None
    result = run(q, a, m, b, x, history)
    if to:  # step, residual as a decimal and in full
        to.write(f"{i} {number(r, False)} {hexadecimal(r)}\n" for i, r in enumerate(history[:result.steps + 1]))
    if result.reason == BREAKDOWN:  # x may be anything
        out.write([])
    else:
        out.write_transpose(Matrix("", 1, a.n, x))
    if not q.quiet:
        with contextlib.suppress(OSError):
            print(f"exblas: {REASONS[result.reason]} after {result.steps} steps, residual {result.residual:.3e}",
                  file=sys.stderr, flush=True)
    return OK if REASONS[result.reason] == "converged" else FINDING
