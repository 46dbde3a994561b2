"""Products of vectors and matrices. Everything becomes products of matrices, in a stack or alone."""
import array
import functools
import math
import sys
from numbers import Integral

from exblas import _core
from exblas._accumulator import Accumulator
from exblas._numbers import (DOUBLE, are_integers, exactly, flag, format_of, is_ndarray, load_numpy, ndarray_of, number, numpy_of, packed,
                             refuse, type_of, view_of)
from exblas._reductions import SUM, axes_of, ddof_of, finish, meet, narrowed, result_type, warn_of_few
from exblas._reductions import sum as sum_axes


def _product_type(numpy, a, b, dtype):
    if dtype is not None:
        if dtype.kind in "iu" and not {a.dtype.kind, b.dtype.kind} <= set("biu"):
            raise TypeError(f"the exact result is no {dtype}")
        if dtype.kind != "c" and "c" in (a.dtype.kind, b.dtype.kind):
            raise TypeError(f"the result is complex, not {dtype}")
        return dtype
    if {a.dtype.kind, b.dtype.kind} <= set("biu"):
        return numpy.dtype(numpy.uint64 if a.dtype.kind == b.dtype.kind == "u" else numpy.int64)
    return numpy.result_type(a.dtype, b.dtype)


def _widened(numpy, *arrays, dtype=None):
    """The arrays and the type of results: all bfloat16, or what is bfloat16 as float32."""
    wanted = [x.dtype for x in arrays] + [dtype] * (dtype is not None)
    if all(kind.name == "bfloat16" for kind in wanted):
        return *arrays, wanted[0]
    if dtype is not None and dtype.kind == "V":
        raise TypeError("results of bfloat16 come of bfloat16 alone: ask for float32")
    return *(x.astype(numpy.float32) if x.dtype.kind == "V" else x for x in arrays), dtype


def _gemm(numpy, a, b, result, alpha, beta):
    """result = RN(alpha a b + beta result), operands converted to its type; bfloat16 goes by its bits. Those are copied of
    which neither rows nor columns lie in one piece."""
    arrays = [exactly(numpy, a, result.dtype), exactly(numpy, b, result.dtype), result]
    arrays = [x.view(numpy.uint16) if x.dtype.kind == "V" else x for x in arrays]
    while (i := _core.gemm(*arrays, alpha, beta)) is not None:
        arrays[i] = packed(numpy, arrays[i])


def _multiply(numpy, a, b, dtype):
    """The product of m x k and k x n arrays, or of stacks of them of one shape, each element rounded once."""
    if a.dtype.kind == "O":
        return a @ b
    a, b, dtype = _widened(numpy, a, b, dtype=dtype)
    dtype = _product_type(numpy, a, b, dtype)
    stack, shape = a.shape[:-2], a.shape[:-1] + b.shape[-1:]
    if len(stack) > 1:
        a, b = (x.reshape((math.prod(stack),) + x.shape[-2:]) for x in (a, b))
    if a.dtype == b.dtype == dtype and (dtype.char == "e" or dtype.name == "bfloat16") or (
            dtype.char in "fdFD" and numpy.result_type(a.dtype, b.dtype, numpy.float32) == dtype):
        result = numpy.empty(a.shape[:-1] + b.shape[-1:], dtype)
        _gemm(numpy, a, b, result, (1.0, 0.0), (0.0, 0.0))
        return result.reshape(shape)
    work = numpy.dtype({"i": numpy.int64, "u": numpy.uint64, "f": numpy.float64, "c": numpy.complex128}[dtype.kind])
    result = numpy.empty(a.shape[:-1] + b.shape[-1:], work)
    _core.product(a, b, result, format_of(dtype))
    return narrowed(numpy, result, dtype).reshape(shape)


def _arrays(numpy, *sources):
    return [ndarray_of(numpy, x, has_bfloat16=True) for x in sources]


def _no_table(*sources):
    for x in sources:
        refuse(x)


def _quick_dot(a, b, conjugates):
    """Of two vectors of one type: the same with less asking. Else NotImplemented."""
    if not (is_ndarray(a) and is_ndarray(b)):
        return NotImplemented
    meet(sys.modules["numpy"])
    return _core.dot(a, b, conjugates)


def dot(a, b, out=None):
    """RN(sum a_i b_i); of matrices and arrays as numpy.dot: the last axis of a, the last but one of b.

    Integers give exact integers. Integers with floats must be floats exactly, else ValueError."""
    result = _quick_dot(a, b, False) if out is None else NotImplemented
    if result is not NotImplemented:
        return result
    _no_table(a, b)
    numpy = numpy_of(a, b) if out is None else load_numpy("out")
    if numpy is None:
        return _plain_dot(a, b)
    x, y = _arrays(numpy, a, b)
    dtype = type_of(numpy, None, out, has_bfloat16=True)
    if x.ndim == 1 and y.ndim == 1:
        if x.shape != y.shape:
            raise ValueError("two vectors of one length are needed")
        return finish(numpy, _multiply(numpy, x[None, :], y[:, None], dtype)[0, 0, ...], out)
    if x.ndim == 0 or y.ndim == 0:
        each = _multiply(numpy, x.reshape(-1, 1), y.reshape(1, -1), dtype)
        return finish(numpy, each.reshape(x.shape + y.shape), out)
    return finish(numpy, _tensor(numpy, x, y, [x.ndim - 1], [max(y.ndim - 2, 0)], dtype), out)


def inner(a, b, /):
    """RN(sum a_i b_i) over the last axes: numpy.inner."""
    numpy = numpy_of(a, b)
    if numpy is None or 0 in map(numpy.ndim, (a, b)):
        return dot(a, b)
    return tensordot(a, b, axes=(-1, -1))


def outer(a, b, out=None):
    """RN(a_i b_k), all elements of a by all of b."""
    _no_table(a, b)
    numpy = load_numpy("outer")
    x, y = _arrays(numpy, a, b)
    return matmul(x.reshape(-1, 1), y.reshape(1, -1), out)


def _last(numpy, x, axis):
    """x with this axis behind the others."""
    if not isinstance(axis, Integral):
        raise TypeError("axis is an integer")
    return numpy.moveaxis(x, axes_of(axis, x.ndim)[0], -1)


def vecdot(x1, x2, /, *, axis=-1, dtype=None):
    """RN(sum conj(a_i) b_i) along an axis of both: numpy.vecdot."""
    numpy = load_numpy("vecdot")
    x, y = (_last(numpy, v, axis) for v in _arrays(numpy, x1, x2))
    return matmul(x.conj()[..., None, :], y[..., None], dtype=dtype)[..., 0, 0][()]


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """RN(sum (x_{i+1} - x_i) (y_i + y_{i+1}) / 2): numpy.trapezoid. dx: the distance of all, if there is no x."""
    numpy = load_numpy("trapezoid")
    v = _last(numpy, ndarray_of(numpy, y), axis)
    ends = [v[..., :-1], v[..., 1:]]
    if x is None:
        w = numpy.full(2 * ends[0].shape[-1], number(dx))
    else:
        places = ndarray_of(numpy, x)
        z = exactly(numpy, places if places.ndim == 1 else _last(numpy, places, axis), numpy.float64)
        ends += [v[..., -1:], v[..., :1]]
        w = numpy.concatenate([z[..., 1:], -z[..., :-1], z[..., -1:], -z[..., :1]], -1)
    half = w / 2
    if (half * 2 != w).any():
        raise ValueError("half of a distance or place is no double")
    given = [v.dtype] if x is None else [v.dtype, places.dtype]
    dtype = numpy.result_type(*given, *([] if any(kind.kind in "fc" for kind in given) else [numpy.float64]))
    return matmul(numpy.concatenate(ends, -1)[..., None, :], half[..., None], dtype=dtype)[..., 0, 0][()]


def _plain_dot(a, b):
    if all(isinstance(v, (list, tuple)) and are_integers(v) for v in (a, b)) and len(a) == len(b):
        return sum(int(v) * int(w) for v, w in zip(a, b))
    x, y = view_of(a), view_of(b)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError("two vectors of one length are needed")
    result = _core.dot(x, y, False)
    if result is not NotImplemented:
        return result
    codes = {x.format[-1:], y.format[-1:]}
    if not codes & set("efd"):
        raise OverflowError("the exact integer does not fit into 64 bits: give floats")
    if codes & set("qQlLnN"):
        x, y = (view_of([number(v) for v in z]) if z.format[-1:] in "qQlLnN" else z for z in (x, y))
    return float(Accumulator().add_dot(x, y))


def vdot(a, b):
    """RN(sum conj(a_i) b_i) over all elements; both parts of a complex result are rounded once."""
    result = _quick_dot(a, b, True)
    if result is not NotImplemented:
        return result
    _no_table(a, b)
    numpy = numpy_of(a, b)
    if numpy is None:
        return _plain_dot(a, b)
    x, y = (v.reshape(-1) for v in _arrays(numpy, a, b))
    if x.shape != y.shape:
        raise ValueError("as many elements are needed")
    result = _quick_dot(x, y, True)
    return dot(x.conj(), y) if result is NotImplemented else result


def matmul(a, b, out=None, *, order="K", dtype=None, axes=None):
    """RN of each element of the matrix product, numpy.matmul's shapes: vectors, matrices, stacks of them."""
    if axes is not None or not isinstance(order, str) or order != "K":
        return _matmul_along(load_numpy("matmul"), a, b, out, order, dtype, axes)
    if out is None and dtype is None:
        result = _quick_matmul(a, b)
        if result is not None:
            return result
    _no_table(a, b)
    numpy = numpy_of(a, b) or load_numpy("matmul")
    x, y = _arrays(numpy, a, b)
    dtype = type_of(numpy, dtype, out, has_bfloat16=True)
    if x.ndim == 0 or y.ndim == 0:
        raise ValueError("matmul needs vectors or matrices")
    p = x[None, :] if x.ndim == 1 else x
    q = y[:, None] if y.ndim == 1 else y
    if p.shape[-1] != q.shape[-2]:
        raise ValueError(f"matmul: {x.shape} and {y.shape} do not fit")
    stack = numpy.broadcast_shapes(p.shape[:-2], q.shape[:-2])
    p, q = numpy.broadcast_to(p, stack + p.shape[-2:]), numpy.broadcast_to(q, stack + q.shape[-2:])
    result = _multiply(numpy, p, q, dtype)
    if x.ndim == 1:
        result = result[..., 0, :]
    if y.ndim == 1:
        result = result[..., 0]
    return finish(numpy, result, out)


def _matmul_along(numpy, a, b, out, order, dtype, axes):
    """axes: where each of the three has its rows and columns."""
    if not isinstance(order, str) or order not in ("C", "F", "A", "K"):
        raise ValueError("order is C, F, A or K")
    x, y = _arrays(numpy, a, b)
    axes = [(-2, -1)[-z.ndim:] for z in (x, y)] if axes is None else axes
    if not isinstance(axes, (list, tuple)) or len(axes) not in (2, 3):
        raise TypeError("axes is a list of axes for each of the two arrays and for the result")
    ends = [(v,) if isinstance(v, Integral) else v for v in axes]
    if not all(isinstance(v, tuple) and len(v) < 3 and all(isinstance(i, Integral) for i in v) for v in ends):
        raise TypeError("axes are integers, or pairs of them")
    x, y = (numpy.moveaxis(z, at, range(-len(at), 0)) for z, at in zip((x, y), ends))
    result = matmul(x, y, dtype=type_of(numpy, dtype, out, has_bfloat16=True))
    if len(ends) > 2 and ends[2]:
        result = numpy.moveaxis(result, range(-len(ends[2]), 0), ends[2])
    return finish(numpy, numpy.asarray(result, order=order), out)


def _quick_matmul(a, b):
    """Of matrices, or stacks of them, of one type and as they can be multiplied: the same with less asking. Else None."""
    if not (is_ndarray(a) and is_ndarray(b) and a.ndim == b.ndim and 1 < a.ndim < 4 and a.dtype == b.dtype
            and a.dtype.char in "efdFDbhilqBHILQ" and a.shape[:-2] == b.shape[:-2] and a.shape[-1] == b.shape[-2]):
        return None
    is_float, shape = a.dtype.kind in "fc", a.shape[:-1] + b.shape[-1:]
    result = sys.modules["numpy"].empty(shape, a.dtype if is_float else "u8" if a.dtype.kind == "u" else "i8")
    try:
        is_made = (_core.gemm(a, b, result, (1.0, 0.0), (0.0, 0.0)) if is_float else _core.product(a, b, result, DOUBLE)) is None
    except TypeError:  # of another order of bytes
        return None
    return result if is_made else None


def _tensor(numpy, x, y, axes_x, axes_y, dtype):
    """The contraction over pairs of axes, as one product of matrices."""
    free_x = [i for i in range(x.ndim) if i not in axes_x]
    free_y = [i for i in range(y.ndim) if i not in axes_y]
    if [x.shape[i] for i in axes_x] != [y.shape[i] for i in axes_y]:
        raise ValueError(f"shapes {x.shape} and {y.shape} do not fit")
    shape = [x.shape[i] for i in free_x] + [y.shape[i] for i in free_y]
    m, n_terms, n = (math.prod(z.shape[i] for i in axes) for z, axes in ((x, free_x), (x, axes_x), (y, free_y)))
    p = x.transpose(free_x + list(axes_x)).reshape(m, n_terms)
    q = y.transpose(list(axes_y) + free_y).reshape(n_terms, n)
    return _multiply(numpy, p, q, dtype).reshape(shape)


def tensordot(a, b, axes=2):
    """RN of each element of the contraction over the axes; numpy.tensordot's arguments."""
    _no_table(a, b)
    numpy = numpy_of(a, b) or load_numpy("tensordot")
    x, y = _arrays(numpy, a, b)
    if isinstance(axes, Integral):
        axes_x, axes_y = list(range(x.ndim - axes, x.ndim)), list(range(axes))
    elif isinstance(axes, (tuple, list)) and len(axes) == 2 and all(isinstance(v, (Integral, tuple, list)) for v in axes):
        axes_x, axes_y = ([v] if isinstance(v, Integral) else list(v) for v in axes)
    else:
        raise TypeError("axes is an integer or a pair of axes or lists of them")
    for chosen, z in ((axes_x, x), (axes_y, y)):
        axes_of(tuple(chosen), z.ndim)
    if len(axes_x) != len(axes_y):
        raise ValueError("as many axes of both are needed")
    result = _tensor(numpy, x, y, [int(v) % x.ndim for v in axes_x], [int(v) % y.ndim for v in axes_y], None)
    return result[()] if result.ndim == 0 else result


def _letter(i):
    if i is not Ellipsis and not (isinstance(i, Integral) and 0 <= i < 52):
        raise TypeError("einsum takes a string of labels, or behind each array a list of numbers below 52")
    return "..." if i is Ellipsis else "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[i]


def _spelled(words):
    """einsum's arguments as a string of labels and arrays, if lists of numbers stand behind each array and at the end."""
    if isinstance(words[0], str):
        return words[0], words[1:]
    n_pairs = len(words) // 2
    lists = (*words[1:2 * n_pairs:2], *words[2 * n_pairs:])
    spelled = ["".join(map(_letter, part if isinstance(part, (list, tuple)) else [None])) for part in lists]
    return ",".join(spelled[:n_pairs]) + "".join("->" + part for part in spelled[n_pairs:]), words[:2 * n_pairs:2]


def _without_dots(text, n_dims):
    """Labels in place of '...', from the last axis on, in the result in front if it has none."""
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    free = [c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBAzyxwvutsrqponmlkjihgfedcba" if c not in text]
    most = max([n - len(t.replace("...", "")) for t, n in zip(terms, n_dims) if "..." in t], default=0)
    if not 0 <= most <= len(free):
        raise ValueError(f"einsum: labels '{inputs}' for {', '.join(map(str, n_dims))} dimensions")
    dots = "".join(free[:most])
    if not arrow:
        letters = inputs.replace(",", "").replace(".", "")
        output = "..." + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    spelled = [t.replace("...", dots[most - (n - len(t.replace("...", ""))):]) for t, n in zip(terms, n_dims)]
    return spelled, output.replace("...", dots)


def _labels(text, operands):
    """Labels of the operands and of the result."""
    if text.replace("...", "").replace("->", "", 1).count(".") or len(text.replace(" ", "").split("->")) > 2:
        raise ValueError(f"einsum: labels '{text}'")
    text = text.replace(" ", "")
    n_terms = text.partition("->")[0].count(",") + 1
    if n_terms != len(operands):
        raise ValueError(f"einsum: {n_terms} terms, {len(operands)} arrays")
    terms, output = _without_dots(text, [x.ndim for x in operands])
    for term, x in zip(terms, operands):
        if len(term) != x.ndim:
            raise ValueError(f"einsum: labels '{term}' for {x.ndim} dimensions")
    if len(set(output)) != len(output) or not set(output) <= set("".join(terms)):
        raise ValueError(f"einsum: result '{output}'")
    return terms, output


def _without_repeats(numpy, x, term):
    """The diagonal along labels that come twice: a view, no arithmetic."""
    once = "".join(dict.fromkeys(term))
    if once == term:
        return x, term
    shape = [{x.shape[i] for i, c in enumerate(term) if c == label} for label in once]
    if any(len(n) > 1 for n in shape):
        raise ValueError(f"einsum: '{term}' needs axes of one length")
    strides = [sum(x.strides[i] for i, c in enumerate(term) if c == label) for label in once]
    return numpy.lib.stride_tricks.as_strided(x, [n.pop() for n in shape], strides, writeable=False), once


def einsum(subscripts, *operands, out=None, dtype=None, optimize=None):
    """RN of each element of the sum of products of arrays, numpy.einsum's labels or sublists. optimize, an order of
    products, shows nowhere. Three and more arrays are multiplied as Python's integers."""
    subscripts, operands = _spelled((subscripts, *operands))
    _no_table(*operands)
    numpy = numpy_of(*operands) or load_numpy("einsum")
    arrays = _arrays(numpy, *operands)
    dtype = type_of(numpy, dtype, out, has_bfloat16=True)
    terms, output = _labels(subscripts, arrays)
    arrays, terms = zip(*(_without_repeats(numpy, x, t) for x, t in zip(arrays, terms)))
    if len(arrays) > 2:
        from exblas._rational import products
        arrays, dtype = [ndarray_of(numpy, x) for x in arrays], type_of(numpy, dtype)
        kind = functools.reduce(lambda x, y: numpy.empty(0, _product_type(numpy, x, y, dtype)), arrays).dtype
        return finish(numpy, products(numpy, terms, output, arrays, kind), out)
    if len(arrays) == 1:
        x, term = arrays[0], terms[0]
        axes = tuple(i for i, c in enumerate(term) if c not in output)
        total = sum_axes(x, axis=axes, dtype=dtype) if axes else x if dtype is None else narrowed(
            numpy, _widened(numpy, x, dtype=dtype)[0], result_type(numpy, SUM, x, dtype))
        left = [c for c in term if c in output]
        return finish(numpy, numpy.asarray(total).transpose([left.index(c) for c in output]), out)
    return finish(numpy, contract(numpy, arrays, terms, output, dtype), out)


def contract(numpy, arrays, terms, output, dtype):
    """Two arrays: labels of both and the result are a stack, of both and not the result are summed. A
    label of one that is not in the result is summed too: the other one is repeated along it."""
    size = {}
    for x, term in zip(arrays, terms):
        for c, n in zip(term, x.shape):
            if size.setdefault(c, n) not in (n, 1) and n != 1:
                raise ValueError(f"einsum: label '{c}' is {size[c]} and {n} long")
            size[c] = max(size[c], n) if 0 not in (size[c], n) else 0
    summed = [c for c in size if c not in output]
    stack = [c for c in output if c in terms[0] and c in terms[1]]
    free = [[c for c in output if c in t and c not in stack] for t in terms]
    p = _spread(numpy, arrays[0], terms[0], stack + free[0] + summed, size)
    q = _spread(numpy, arrays[1], terms[1], stack + summed + free[1], size)
    n_terms, *counts = (math.prod(map(size.get, labels)) for labels in (summed, *free))
    shape = tuple(size[c] for c in stack)
    result = _multiply(numpy, p.reshape(shape + (counts[0], n_terms)), q.reshape(shape + (n_terms, counts[1])), dtype)
    labels = stack + free[0] + free[1]
    return result.reshape([size[c] for c in labels]).transpose([labels.index(c) for c in output])


def _spread(numpy, x, term, labels, size):
    """x with these labels as axes, repeated along those that it lacks."""
    x = x.transpose([term.index(c) for c in labels if c in term])
    x = x[tuple(slice(None) if c in term else None for c in labels)]
    return numpy.broadcast_to(x, [size[c] for c in labels])


def gemm(a, b, alpha=1.0, beta=0.0, c=None):
    """RN(alpha a b + beta c) of each element, rounded once: a new array of NumPy, or, of plain buffers, a
    memoryview of two dimensions."""
    _no_table(a, b)
    numpy = numpy_of(a, b) if c is None else numpy_of(a, b, c)
    x, y = map(view_of, (a, b)) if numpy is None else _arrays(numpy, a, b)
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[0]:
        raise ValueError("a and b must be matrices, b with as many rows as a has columns")
    return _gemm_plain(x, y, alpha, beta, c) if numpy is None else _scaled_product(numpy, x, y, alpha, beta, c)


def _scaled_product(numpy, x, y, alpha, beta, c):
    x, y, *z, dtype = _widened(numpy, x, y, *([] if c is None else _arrays(numpy, c)))
    if z and z[0].shape != (x.shape[0], y.shape[1]):
        raise ValueError("c must have a's rows and b's columns")
    if dtype is None:
        kinds = {v.dtype for v in (x, y, *z)}
        dtype = x.dtype if kinds == {numpy.dtype(numpy.float16)} else numpy.result_type(numpy.float32, *kinds)
    if isinstance(alpha, complex) or isinstance(beta, complex):
        dtype = numpy.result_type(dtype, numpy.complex64)
    result = numpy.zeros((x.shape[0], y.shape[1]), dtype)
    if z:
        result[...] = exactly(numpy, z[0], dtype)
    is_single = dtype.char in "fF"
    _gemm(numpy, x, y, result, _scalar(alpha, is_single), _scalar(beta if z else 0.0, is_single))
    return result


def _scalar(x, is_single):
    """The parts of alpha or beta, which the matrices' type must have."""
    x = x.item() if hasattr(x, "item") and not hasattr(x, "__len__") else x
    parts = (number(x.real), number(x.imag)) if isinstance(x, complex) else (number(x), 0.0)
    if is_single:
        single = array.array("f", [0.0])
        for value in parts:
            try:
                single[0] = value
            except OverflowError:
                single[0] = 0.0
            if single[0] != value and value == value:
                raise ValueError(f"{x} is no number of single precision, as the matrices are")
    return parts


def _gemm_plain(x, y, alpha, beta, c):
    z = None if c is None else view_of(c)
    if z is not None and z.shape != (x.shape[0], y.shape[1]):
        raise ValueError("c must have a's rows and b's columns")
    given = [x, y] if z is None else [x, y, z]
    code = "f" if all(v.format[-1:] == "f" for v in given) else "d"
    m, n = x.shape[0], y.shape[1]
    alpha, beta = _scalar(alpha, code == "f"), _scalar(beta if z is not None else 0.0, code == "f")
    if m * n == 0:
        return memoryview(array.array(code))
    out = _zeros(code, (m, n)) if z is None else _matrix(_flat(z, code), code, (m, n))
    if x.shape[1] == 0:
        x, y = view_of(_zeros(code, (m, 1))), view_of(_zeros(code, (1, n)))
    _core.gemm(_matrix(_flat(x, code), code, x.shape), _matrix(_flat(y, code), code, y.shape), out, alpha, beta)
    return out


def _zeros(code, shape):
    return _matrix(array.array(code, bytes(array.array(code).itemsize * shape[0] * shape[1])), code, shape)


def _flat(view, code):
    """A copy of all elements in one type that has them, in C order."""
    rows = view.tolist() if view.ndim == 2 else [view.tolist()]
    return array.array(code, (number(v) for row in rows for v in row))


def _matrix(flat, code, shape):
    return memoryview(flat).cast("B").cast(code, shape)


def gemv(a, x, alpha=1.0, beta=0.0, y=None):
    """RN(alpha a x + beta y) of each element, rounded once; a is a matrix, x and y vectors."""
    _no_table(a, x)
    numpy = numpy_of(a, x) or load_numpy("gemv")
    matrix, vector = _arrays(numpy, a, x)
    if matrix.ndim != 2 or vector.shape != matrix.shape[1:]:
        raise ValueError("a must be a matrix, x a vector of as many elements as a has columns")
    c = None if y is None else _arrays(numpy, y)[0]
    if c is not None and c.shape != matrix.shape[:1]:
        raise ValueError("y must be a vector of as many elements as a has rows")
    return _scaled_product(numpy, matrix, vector[:, None], alpha, beta, None if c is None else c[:, None])[:, 0]


def _moments(name, m, y, rowvar, divisor, is_correlation, dtype, times=None, weights=None):
    given = [m] if y is None else [m, y]
    numpy = numpy_of(*given) or load_numpy(name)
    _no_table(m)
    rowvar, dtype, given = flag("rowvar", rowvar), type_of(numpy, dtype), [ndarray_of(numpy, v) for v in given]
    if any(v.ndim > 2 for v in given):
        raise ValueError(f"{name} takes vectors and matrices")
    x, *more = (numpy.atleast_2d(v if rowvar else v.T) for v in given)
    for z in more:
        both = numpy.result_type(x.dtype, z.dtype)
        x = numpy.concatenate([exactly(numpy, x, both), exactly(numpy, z, both)])
    if times is not None:
        times = ndarray_of(numpy, times)
        if times.shape != x.shape[1:] or times.dtype.kind not in "iuf" or not (
                times >= 0).all() or times.max(initial=0) >= 2 ** 63 or (numpy.floor(times) != times).any():
            raise ValueError("fweights are natural numbers below 2^63, one for each observation")
        times = times.astype(numpy.int64)
        if weights is None:
            x = numpy.repeat(x, times, axis=1)
    default = x.dtype if x.dtype.kind in "fc" else numpy.dtype(numpy.float64)
    dtype = default if dtype is None else dtype
    if dtype.kind not in "fc" or (x.dtype.kind == "c") != (dtype.kind == "c"):
        raise TypeError(f"{name} of {x.dtype} is no {dtype}")
    if weights is not None:
        weights = ndarray_of(numpy, weights)
        if weights.shape != x.shape[1:] or weights.dtype.kind == "c" or (weights < 0).any():
            raise ValueError("aweights are real numbers from 0 up, one for each observation")
        from exblas._rational import weighted_cov
        result = weighted_cov(numpy, x, times, weights, -divisor(0), dtype)
        return result[0, 0] if result.size == 1 else result
    if x.dtype.kind in "biu" and (x.dtype.itemsize < 8 or x.size and abs(int(x.max())) < 2 ** 53 and abs(int(x.min())) < 2 ** 53):
        x = x.astype(numpy.float64)
    warn_of_few(divisor(x.shape[1]), 0)
    result = numpy.empty((x.shape[0],) * 2, numpy.complex128 if dtype.kind == "c" else numpy.float64)
    parts = numpy.stack([x.real, x.imag]) if x.dtype.kind == "c" else x[None]
    _core.moments(packed(numpy, parts), result, divisor(x.shape[1]), is_correlation, format_of(dtype))
    result = result.astype(dtype, copy=False)
    return result[0, 0] if result.size == 1 else result


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """RN((n sum x conj(y) - sum x conj(sum y)) / (n (n - ddof))) for each two rows x, y: covariances. fweights: how often
    each observation counts. aweights: how much, by Python's integers."""
    bias = flag("bias", bias)
    ddof = ddof_of(int(not bias) if ddof is None else ddof)
    return _moments("cov", m, y, rowvar, lambda n: n - ddof, False, dtype, fweights, aweights)


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """RN(M(x, y) / sqrt(M(x, x) M(y, y))), M(x, y) = n sum x conj(y) - sum x conj(sum y): correlations."""
    return _moments("corrcoef", x, y, rowvar, lambda n: n, True, dtype)
