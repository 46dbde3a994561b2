"""What is asked of a target in a process of its own: its orders, or its results. The library of fprev.h finds them; it calls
the target, which is a BLAS, or one of its models, by way of a function here."""
import ctypes
import json
import os
import re
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_uint64, c_void_p

FOLDER = os.path.dirname(os.path.realpath(__file__))
BAD_USAGE, BAD_TARGET = 2, 3  # exit statuses
CODES = {"d": "d", "s": "f", "h": "H", "b": "H"}  # of elements, in the order of fprev_type
CALL = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p)


class Function(Structure):
    """fprev_function"""
    _fields_ = [("n_terms", c_int64), ("n_results", c_int64), ("type", c_int), ("result_type", c_int), ("product", c_bool),
                ("absolute", c_bool), ("ctx", c_void_p), ("call", CALL)]


class Options(Structure):
    """fprev_options"""
    _fields_ = [("seed", c_uint64), ("element", c_int64), ("call", POINTER(c_int64))]


class Result(Structure):
    """fprev_result, with its fprev_adder, and the fprev_tree at the end."""
    _fields_ = [("kind", c_int), ("exact_bits", c_int), ("fma", c_int), ("extra_bits", c_int), ("nearest", c_bool),
                ("wide", c_int), ("calls", c_int64), ("total_calls", c_int64), ("runs", c_int), ("mismatches", c_int),
                ("hash", c_uint64), ("note", ctypes.c_char * 128), ("n_leaves", c_int32), ("n_nodes", c_int32),
                ("nodes", c_void_p * 6)]


class Mask(Structure):
    """fprev_mask"""
    _fields_ = [(name, c_double) for name in ("mask_a", "mask_b", "unit_a", "unit_b")] + [("capacity", c_int64)]


class Probe(Structure):
    """fprev_probe"""
    _fields_ = [("f", c_void_p), ("mask", Mask), ("a", c_void_p), ("b", c_void_p), ("results", c_void_p), ("element", c_int64),
                ("n_calls", c_int64), ("count", c_void_p), ("status", c_int)]


class Failure(Exception):
    """The exit status of the command, and a line."""


def fail(text, status=BAD_USAGE):
    raise Failure(status, text)


def open_library():
    lib = ctypes.CDLL(os.path.join(FOLDER, "libexblas_fprev_worker.so"))
    for names, result, *arguments in (
            ("fprev_reveal", c_int, c_void_p, c_void_p, c_void_p), ("fprev_tree_text", c_void_p, c_void_p),
            ("fprev_status_text fprev_class_name", c_char_p, c_int), ("fprev_mask_of", Mask, c_void_p),
            ("fprev_probe_start", c_bool, c_void_p, c_void_p, c_int64, c_void_p), ("fprev_load", c_double, c_int, c_void_p, c_int64),
            ("fprev_probe_on", c_double, c_void_p, c_void_p, c_void_p), ("fprev_model_start", c_char_p, c_void_p, c_char_p),
            ("fprev_random_terms", None, c_void_p, c_int, c_void_p, c_void_p, c_void_p)):
        for name in names.split():
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
    return lib


class Operand:
    """What the routine reads, a vector or a matrix. Term i stands at i step and, all rows of A and all columns of B being
    equal so that every result is of the same terms, in `count` copies, `apart` from each other."""
    PIECE = 512  # terms

    def __init__(self, q, n_terms, step, count=1, apart=0):
        self.code, self.step, self.count, self.apart = CODES[q.type], step, count, apart
        self.size = 8 if q.type == "d" else 4 if q.type == "s" else 2
        n = (n_terms - 1) * step + (count - 1) * apart + 1
        try:
            self.block = bytearray(n * self.size + 64 + q.align)
        except (MemoryError, OverflowError):
            fail("out of memory")
        begin = ctypes.addressof(ctypes.c_char.from_buffer(self.block))
        shift = -begin % 64 + q.align
        self.address, self.last = begin + shift, bytes(n_terms * self.size)
        self.view = memoryview(self.block)[shift:shift + n * self.size].cast(self.code)

    def update(self, address):
        """Brings the terms that changed since the last call into the array: few do, so whole pieces are compared."""
        now, piece = ctypes.string_at(address, len(self.last)), self.PIECE * self.size
        for begin in range(0, len(now), piece):
            terms = now[begin:begin + piece]
            if terms != self.last[begin:begin + piece]:
                terms = memoryview(terms).cast(self.code)
                for copy in range(self.count):
                    at = begin // self.size * self.step + copy * self.apart
                    self.view[at:at + (len(terms) - 1) * self.step + 1:self.step] = terms
        self.last = now


class Blas:
    """The BLAS of a shared library as a function to be asked. gemv N and T, column-major: A is m x n; terms run along the
    columns for N, the rows for T. gemm: C is m x n, k terms, A and B not transposed or both."""

    def __init__(self, q, path, what, names):
        routine, m, n, k = q.routine, q.m, q.n, q.k
        turned, gemm = q.trans == "t", routine == "gemm"
        matrix = gemm or routine == "gemv"
        self.real = c_double if q.type == "d" else c_float  # of 16-bit numbers: sbdot, shgemm, with results of floats
        n_terms = k if gemm else m if routine == "gemv" and turned else n
        n_results = m * n if gemm else (n if turned else m) if matrix else 1
        rows = k if gemm and turned else m
        if 0 < q.lda < rows:
            fail("--lda is smaller than the number of rows")
        lda, ldb = q.lda or rows, n if turned else k
        self.f = Function(n_terms, n_results, list(CODES).index(q.type), 0 if q.type == "d" else 1,
                          matrix or routine == "dot", routine == "asum", None, CALL(self.call))
        self.returns = not matrix
        if matrix:
            self.x = Operand(q, n_terms, *((1, n if not gemm else m, lda) if turned else (lda, m, 1)))
            self.y = Operand(q, n_terms, *((1,) if not gemm else (ldb, n, 1) if turned else (1, n, ldb)))
        else:
            self.x, self.y = Operand(q, n_terms, q.incx), Operand(q, n_terms, q.incx)
        self.name, abi = self.load(path, what, names)
        self.result = c_void_p()
        self.arguments = self.list_arguments(q, abi, lda, ldb)

    def load(self, path, what, names):
        """Opens the library and finds the symbol: the first name that it has."""
        try:
            library = ctypes.CDLL(path, mode=os.RTLD_NOW)
        except OSError as error:
            fail(f"cannot load {path[:60]}: {str(error)[:180]}")
        for name, abi in names:
            self.symbol = getattr(library, name, None)
            if self.symbol:
                if abi == "auto":
                    fail(f"the name {name[:60]} does not tell how it is called: use --abi")
                self.symbol.restype = self.real if self.returns else None
                return name, abi
        fail(f"{path[:100]} has no {what[:200]}")

    def list_arguments(self, q, abi, lda, ldb):
        fortran, integer = abi.startswith("fortran"), c_int64 if abi.endswith("64") else c_int32

        def given(value):
            return byref(value) if fortran else value

        option = c_char_p(q.trans.upper().encode()) if fortran else c_int(112 if q.trans == "t" else 111)
        m, n, k, lda, ldb, inc, unit = (given(integer(value)) for value in (q.m, q.n, q.k, lda, ldb, q.incx, 1))
        one, zero, x, y = given(self.real(1)), given(self.real(0)), c_void_p(self.x.address), c_void_p(self.y.address)
        if q.routine == "gemv":
            arguments = [option, m, n, one, x, lda, y, unit, zero, self.result, unit]
        elif q.routine == "gemm":
            arguments = [option, option, m, n, k, one, x, lda, y, ldb, zero, self.result, m]
        else:
            return [n, x, inc] + [y, inc] * (q.routine == "dot")
        return arguments + [c_size_t(1)] * arguments.count(option) if fortran else [c_int(102), *arguments]

    def call(self, _, a, b, results):
        self.x.update(a)
        if b:
            self.y.update(b)
        self.result.value = results
        value = self.symbol(*self.arguments)
        if self.returns:
            self.real.from_address(results).value = value
        return 0


class Model:
    """A function whose order is known."""
    name = ""

    def __init__(self, q, lib, name):
        if q.routine in ("gemv", "gemm"):
            fail("models are of the routines sum, dot and asum")
        self.f = Function(q.n, 1, list(CODES).index(q.type), 0, q.routine == "dot", q.routine == "asum")
        wrong = lib.fprev_model_start(byref(self.f), name.encode())
        if wrong:
            fail(wrong.decode())


class Question:
    def __init__(self, q, lib, target, count):
        self.q, self.lib, self.f = q, lib, byref(target.f)
        self.n_terms, self.n_results = target.f.n_terms, target.f.n_results
        self.product, self.result_type = target.f.product, target.f.result_type
        self.options = Options(q.seed, q.element, ctypes.pointer(count))
        self.a, self.b = (c_double * self.n_terms)(), (c_double * self.n_terms)()

    def start_probe(self):
        probe = Probe()
        if not self.lib.fprev_probe_start(byref(probe), self.f, self.options.element, self.options.call):
            fail("out of memory", BAD_TARGET)
        return probe

    def result_of_random_terms(self, probe, k, state):
        self.lib.fprev_random_terms(self.f, k, byref(state), self.a, self.b)
        return self.lib.fprev_probe_on(byref(probe), self.a, self.b)

    def find_same(self, done):
        """How many more of the results have the same bits as the element on random data: all rows and columns being
        equal, these are the ones with the same order."""
        probe, state, same = self.start_probe(), c_uint64(self.q.seed), set(range(self.n_results))
        for k in range(48):
            r = self.result_of_random_terms(probe, k, state)
            same = {i for i in same if self.lib.fprev_load(self.result_type, probe.results, i) == r}
        n_same = len(same - done)
        done |= same | {self.options.element}
        return n_same

    def order(self, done):
        r = Result()
        status = self.lib.fprev_reveal(self.f, byref(self.options), byref(r))
        if status:  # NaN, or it gave up
            fail(self.lib.fprev_status_text(status).decode(), BAD_TARGET if status in (1, 2) else BAD_USAGE)
        tree = Result.n_leaves.offset + ctypes.addressof(r)
        text = ctypes.string_at(self.lib.fprev_tree_text(tree)).decode() if r.n_nodes else ""
        known = {name: getattr(r, name) for name in ("exact_bits", "fma", "wide", "extra_bits", "nearest", "calls", "runs", "mismatches")}
        return {"element": self.options.element, "alike": self.find_same(done) if self.q.all else 1,
                "kind": self.lib.fprev_class_name(r.kind).decode(), **known, "note": r.note.decode(), "hash": f"{r.hash:016x}",
                "tree": text}

    def orders(self):
        done, found = set(), []
        for element in range(self.n_results) if self.q.all else [self.q.element]:
            if element not in done:
                self.options.element = element
                found.append(self.order(done))
        return {"orders": found}

    def results(self, inputs, masks):
        """The results, and the terms of the last input."""
        probe, found, mask = self.start_probe(), [], self.lib.fprev_mask_of(self.f)
        for k in inputs:
            if k > 0 or masks[0] < 0:
                found.append(self.result_of_random_terms(probe, k, c_uint64(self.q.seed + k)))
                continue
            self.a[:], self.b[:] = [mask.unit_a] * self.n_terms, [mask.unit_b] * self.n_terms
            for i in masks:
                self.a[i], self.b[i] = mask.mask_a, mask.mask_b
            self.a[masks[1]] *= -1
            found.append(self.lib.fprev_probe_on(byref(probe), self.a, self.b))
        terms = {"results": found, "a": self.a, "b": self.b if self.product else []}
        return {name: [re.sub(r"\.?0+p", "p", float.hex(x)) for x in values] for name, values in terms.items()}


def answer(q, target, what, names, inputs, masks, count):
    """The symbol that was found, and what is asked for; count is where calls are counted."""
    lib = open_library()
    asked = Model(q, lib, target[6:]) if target.startswith("model:") else Blas(q, target, what, names)
    question = Question(q, lib, asked, count)
    if q.element >= question.n_results:
        fail("there is no such element")
    found = question.results(inputs, masks) if inputs else question.orders()
    about = {"terms": question.n_terms, "elements": question.n_results, "absolute": int(asked.f.absolute),
             "result_type": list(CODES)[question.result_type]}
    return f"{asked.name}\n{json.dumps({**about, **found})}\n"
