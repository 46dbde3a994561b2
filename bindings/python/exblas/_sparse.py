"""Sparse matrices of SciPy times vectors and dense matrices."""
from exblas import _core
from exblas._numbers import exactly, ndarray_of, packed

_SAME, _TRANSPOSED, _CONJUGATED = 111, 112, 113


def _type(numpy, *arrays):
    """The type that the product is computed in."""
    for x in arrays:
        if x.dtype.char in "eg" or x.dtype.kind not in "biufc" or x.dtype.char == "G":
            raise TypeError(f"sparse products of {x.dtype} are not made")
    return numpy.result_type(*(x.dtype if x.dtype.kind in "fc" else numpy.float64 for x in arrays))


def _rows_of(numpy, coordinates):
    """The entries by rows, those with the same place beside each other: not added, which would round."""
    order = numpy.argsort(coordinates.row, kind="stable")
    counts = numpy.bincount(coordinates.row, minlength=coordinates.shape[0])
    start = numpy.concatenate(([0], numpy.cumsum(counts)))
    return start, coordinates.col[order], coordinates.data[order]


def _stored(numpy, a):
    """Start of rows, columns, values and whether these are the columns and rows of a."""
    if not hasattr(a, "tocoo") or getattr(a, "ndim", 2) != 2:
        raise TypeError(f"{type(a).__name__} is no sparse matrix of SciPy")
    if a.format in ("csr", "csc"):
        return a.indptr, a.indices, a.data, a.format == "csc"
    return (*_rows_of(numpy, a.tocoo()), False)


def _indices(numpy, start, column):
    wide = numpy.int64 if max(start.dtype.itemsize, column.dtype.itemsize) > 4 else numpy.int32
    return packed(numpy, start, wide), packed(numpy, column, wide)


def _multiply(a, x, adjoint):
    import numpy
    start, column, value, by_columns = _stored(numpy, a)
    x = ndarray_of(numpy, x)
    m, n = a.shape
    rows, inner = (n, m) if adjoint else (m, n)
    if x.ndim not in (1, 2) or x.shape[0] != inner:
        raise ValueError(f"the shapes do not fit: {(rows, inner)} and {x.shape}")
    dtype = _type(numpy, value, x)
    start, column = _indices(numpy, start, column)
    value = exactly(numpy, value, dtype)
    if by_columns:
        m, n = n, m
        if adjoint and dtype.kind == "c":
            value = value.conj()
    trans = _SAME if by_columns == adjoint else _CONJUGATED if adjoint else _TRANSPOSED
    two_dimensional = packed(numpy, exactly(numpy, x, dtype).reshape(inner, x.shape[1] if x.ndim == 2 else 1))
    y = numpy.zeros((rows, two_dimensional.shape[1]), dtype)
    if y.size:
        _core.csrmm(trans, m, n, start, column, packed(numpy, value), two_dimensional, y)
    return y.reshape((rows, *x.shape[1:]))


def csrmv(a, x):
    """A x for a sparse matrix or array of SciPy, in any of its formats, and a vector or dense matrix x: each
    element RN(S a_ij x_j). Entries with the same place count as their exact sum."""
    return _multiply(a, x, False)


def _handle_of(numpy, a, dtype):
    """The rows of a real matrix, checked and laid out once; None of others and of columns."""
    start, column, value, by_columns = _stored(numpy, a)
    if by_columns or dtype.kind == "c":
        return None
    start, column = _indices(numpy, start, column)
    return _core.csr_handle(*a.shape, start, column, packed(numpy, exactly(numpy, value, dtype)))


def linear_operator(a):
    """A, as it is now, as a LinearOperator, for SciPy's solvers: its products are those of csrmv, of A and of
    its adjoint. A is checked and laid out here, so its products with vectors are faster than those of csrmv."""
    import numpy
    from scipy.sparse.linalg import LinearOperator
    a = a.copy()
    m, n = a.shape
    dtype = _type(numpy, _stored(numpy, a)[2])
    handle = _handle_of(numpy, a, dtype)

    def multiply(x):
        x = ndarray_of(numpy, x)
        if handle is None or x.size != n or x.shape not in ((n,), (n, 1)) or _type(numpy, x) != dtype:
            return _multiply(a, x, False)
        y = numpy.zeros(m, dtype)
        _core.csr_mv(handle, m, n, packed(numpy, exactly(numpy, x, dtype).reshape(n)), y)
        return y.reshape((m, *x.shape[1:]))

    def multiply_adjoint(x):
        return _multiply(a, x, True)

    return LinearOperator(a.shape, matvec=multiply, rmatvec=multiply_adjoint, matmat=multiply,
                          rmatmat=multiply_adjoint, dtype=dtype)
