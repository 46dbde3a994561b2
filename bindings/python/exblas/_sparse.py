"""Sparse matrices of SciPy times vectors and dense matrices."""
from exblas._numbers import exactly, ndarray_of, packed

_SAME, _TRANSPOSED, _CONJUGATED = 111, 112, 113


def _type(numpy, *arrays):
    """The type that the product is computed in."""
    for x in arrays:
        if x.dtype.char in "eg" or x.dtype.kind not in "biufc" or x.dtype.char == "G":
            raise TypeError(f"sparse products of {x.dtype} are not made")
    return numpy.result_type(*(x.dtype if x.dtype.kind in "fc" else numpy.float64 for x in arrays))


def _stored(numpy, a):
    """Start of rows, columns, values and whether these are the columns and rows of a. Those with the same place are not
    added, which would round."""
    if not hasattr(a, "tocoo") or getattr(a, "ndim", 2) != 2:
        raise TypeError(f"{type(a).__name__} is no sparse matrix of SciPy")
    if a.format in ("csr", "csc"):
        return a.indptr, a.indices, a.data, a.format == "csc"
    entries = a.tocoo()
    order = numpy.argsort(entries.row, kind="stable")
    start = numpy.concatenate(([0], numpy.cumsum(numpy.bincount(entries.row, minlength=a.shape[0]))))
    return start, entries.col[order], entries.data[order], False


def _entries(numpy, n_rows, start, column, value, dtype, kind=None):
    """They as the library takes them; kind: of indices."""
    kind = kind or (numpy.int64 if max(start.dtype.itemsize, column.dtype.itemsize) > 4 else numpy.int32)
    if start.shape != (n_rows + 1,) or value.ndim != 1 or column.shape != value.shape:
        raise TypeError("arrays of one type of floats and of indices are needed")
    if start.item(-1) > column.size:
        raise ValueError("an index or offset is out of range")
    return packed(numpy, start, kind), packed(numpy, column, kind), packed(numpy, exactly(numpy, value, dtype))


def _multiply(a, x, adjoint):
    import numpy
    start, column, value, by_columns = _stored(numpy, a)
    x = ndarray_of(numpy, x)
    m, n = a.shape
    rows, inner = (n, m) if adjoint else (m, n)
    if x.ndim not in (1, 2) or x.shape[0] != inner:
        raise ValueError(f"the shapes do not fit: {(rows, inner)} and {x.shape}")
    dtype = _type(numpy, value, x)
    if by_columns:
        m, n = n, m
        if adjoint and dtype.kind == "c":
            value = value.conj()
    trans = _SAME if by_columns == adjoint else _CONJUGATED if adjoint else _TRANSPOSED
    two_dimensional = packed(numpy, exactly(numpy, x, dtype).reshape(inner, x.shape[1] if x.ndim == 2 else 1))
    y = numpy.zeros((rows, two_dimensional.shape[1]), dtype)
    if y.size:
        from exblas._calls import csrmm
        csrmm(trans, n, *_entries(numpy, m, start, column, value, dtype), two_dimensional, y)
    return y.reshape((rows, *x.shape[1:]))


def csrmv(a, x):
    """A x for a sparse matrix or array of SciPy, in any of its formats, and a vector or dense matrix x: each
    element RN(S a_ij x_j). Entries with the same place count as their exact sum."""
    return _multiply(a, x, False)


def linear_operator(a):
    """A, as it is now, as a LinearOperator, for SciPy's solvers: its products are those of csrmv, of A and of
    its adjoint. A is checked and laid out here, so its products with vectors are faster than those of csrmv."""
    import numpy
    from scipy.sparse.linalg import LinearOperator
    a = a.copy()
    m, n = a.shape
    *entries, by_columns = _stored(numpy, a)
    dtype, handle = _type(numpy, entries[2]), None
    if not by_columns and dtype.kind != "c":
        from exblas._calls import Matrix
        handle = Matrix(n, *_entries(numpy, m, *entries, dtype, numpy.int64))

    def multiply(x):
        x = ndarray_of(numpy, x)
        if handle is None or x.size != n or x.shape not in ((n,), (n, 1)) or _type(numpy, x) != dtype:
            return _multiply(a, x, False)
        y = numpy.zeros(m, dtype)
        handle.multiply(packed(numpy, exactly(numpy, x, dtype)), y)
        return y.reshape((m, *x.shape[1:]))

    def multiply_adjoint(x):
        return _multiply(a, x, True)

    return LinearOperator(a.shape, matvec=multiply, rmatvec=multiply_adjoint, matmat=multiply,
                          rmatmat=multiply_adjoint, dtype=dtype)
