"""Solutions of linear systems."""
from exblas import _core
from exblas._numbers import exactly, load_numpy, ndarray_of, packed, refuse

SINGULAR = 8  # EXBLAS_ESINGULAR


def solve(a, b):
    """The x with a x = b, every component RN of that of the exact solution, whatever the condition.

    Shapes as numpy.linalg.solve: a is n x n or a stack of such, b a vector of n or n x k, or a stack of these
    if a is one. Single and double precision, real or complex; integers that floats equal become
    float64. A singular matrix, proved to be
    one, is a numpy.linalg.LinAlgError; Inf and NaN are a ValueError."""
    numpy = load_numpy("solve")
    refuse(a)
    refuse(b)
    a, b = ndarray_of(numpy, a), ndarray_of(numpy, b)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError("square matrices are needed")
    is_vector = b.ndim == 1
    if b.ndim == 0 or b.shape[0 if is_vector else -2] != a.shape[-1]:
        raise ValueError("b has another number of rows than a")
    dtype = numpy.result_type(a.dtype, b.dtype)
    if dtype.kind in "biu":
        dtype = numpy.dtype(numpy.float64)
    if dtype.char not in "fdFD":
        raise TypeError(f"systems of {dtype} are not solved")
    right = b[:, None] if is_vector else b
    stack = numpy.broadcast_shapes(a.shape[:-2], right.shape[:-2])
    left = numpy.broadcast_to(exactly(numpy, a, dtype), stack + a.shape[-2:])
    right = numpy.broadcast_to(exactly(numpy, right, dtype), stack + right.shape[-2:])
    x = numpy.empty(right.shape, dtype)
    for index in numpy.ndindex(stack):
        x[index] = _solve_one(numpy, left[index], right[index])
    return x[..., 0] if is_vector else x


def _solve_one(numpy, a, b):
    if a.dtype.kind == "c":  # both parts of x as one vector
        n = len(a)
        x = _solve_one(numpy, numpy.block([[a.real, -a.imag], [a.imag, a.real]]), numpy.concatenate([b.real, b.imag]))
        y = numpy.empty_like(b)
        y.real, y.imag = x[:n], x[n:]
        return y
    if not (numpy.isfinite(a).all() and numpy.isfinite(b).all()):
        raise ValueError("Inf and NaN have no exact solution")
    x = numpy.empty(b.shape[::-1], b.dtype)
    if x.size and _core.solve(packed(numpy, a.T), packed(numpy, b.T), x) == SINGULAR:
        raise numpy.linalg.LinAlgError("the matrix is singular")
    return x.T
