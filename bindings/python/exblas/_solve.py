"""Solutions of linear systems."""
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
    both = floats_of(numpy, "systems", "fdFD", a, b[:, None] if is_vector else b)
    stack = numpy.broadcast_shapes(*(x.shape[:-2] for x in both))
    left, right = (numpy.broadcast_to(x, stack + x.shape[-2:]) for x in both)
    x = numpy.empty(right.shape, right.dtype)
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
    return solution(numpy, a, b, "is singular")


def floats_of(numpy, what, codes, *arrays):
    """The arrays in one type of floats that has all their numbers."""
    dtype = numpy.result_type(*(x.dtype for x in arrays))
    if dtype.kind in "biu":
        dtype = numpy.dtype(numpy.float64)
    if dtype.char not in codes:
        raise TypeError(f"{what} of {dtype} are not solved")
    return [exactly(numpy, x, dtype) for x in arrays]


def solution(numpy, a, b, fault):
    """Of a real system, or of least squares. fault: what the matrix is or has not if there is none."""
    if not (numpy.isfinite(a).all() and numpy.isfinite(b).all()):
        raise ValueError("Inf and NaN have no exact solution")
    from exblas._calls import solve
    x = numpy.zeros((b.shape[1], a.shape[1]), a.dtype)
    if x.size and solve(packed(numpy, a.T), packed(numpy, b.T), x) == SINGULAR:
        raise numpy.linalg.LinAlgError(f"the matrix {fault}")
    return x.T
