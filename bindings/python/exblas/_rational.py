"""What is computed with Python's integers: exact whatever the numbers are, in less than a microsecond for each."""
import itertools
import math

from exblas._accumulator import Accumulator
from exblas._numbers import flag, load_numpy, ndarray_of
from exblas._products import contract
from exblas._reductions import axes_of, mean, sum as sum_of


def integers(numpy, x):
    """Real numbers as an array of Python's integers, and e: they are these times 2^e."""
    if x.dtype.kind in "biu":
        return x.astype(object), 0
    if not numpy.isfinite(x).all():
        raise ValueError("Inf and NaN have no exact value here")
    part, exp2 = numpy.frexp(x.astype(numpy.float64))
    least = int(exp2.min(initial=0, where=part != 0))
    whole = (part * 2.0 ** 53).astype(numpy.int64).astype(object)
    return numpy.left_shift(whole, numpy.where(part, exp2 - least, 0).astype(object)), least - 53


def _nearest(p, q):
    try:
        return p / q if p else 0.0  # -0.0 for q < 0
    except OverflowError:
        return math.inf if (p > 0) == (q > 0) else -math.inf


def _odd(p, q):
    """p / q, or of its neighbours among the doubles the one with an odd last bit: rounded to half or single precision it
    gives what p / q gives."""
    x = _nearest(p, q)
    if math.isinf(x):
        return x
    n, d = x.as_integer_ratio()
    if n * q == p * d or int(math.ldexp(math.frexp(x)[0], 53)) % 2:
        return x
    return math.nextafter(x, math.inf if (p * d > n * q) == (q > 0) else -math.inf)


def quotients(numpy, p, q, exp2, dtype):
    """RN(p 2^exp2 / q) of integers and arrays of them, no q 0; without q the integers themselves, if dtype is one."""
    if dtype.kind in "iu":
        return numpy.asarray(p, object).astype(dtype)
    each = numpy.frompyfunc(_nearest if dtype.char in "dD" else _odd, 2, 1)
    values = each(numpy.asarray(p, object) * 2 ** max(exp2, 0), numpy.asarray(q, object) * 2 ** max(-exp2, 0))
    with numpy.errstate(over="ignore"):
        return numpy.asarray(values, numpy.float64).astype(dtype)


def parts_of(x):
    return (x.real, x.imag) if x.dtype.kind == "c" else (x,)


def joined(numpy, parts, dtype):
    """Real parts, or two, as an array."""
    if dtype.kind != "c":
        return parts[0]
    result = numpy.empty(parts[0].shape, dtype)
    result.real, result.imag = parts
    return result


def _weighted(w, x, divide):
    """RN(sum w x / sum w) of two vectors."""
    p, q = (total.to_fraction() for total in (Accumulator().add_dot(w, x), Accumulator(w)))
    if p is None or q is None:
        return math.nan
    if q == 0:
        raise ZeroDivisionError("the weights sum to zero")
    return divide(p.numerator * q.denominator, p.denominator * q.numerator)


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """RN(sum w a / sum w) over the axes, NaN if a number is not finite; without weights the mean. weights: of a's shape, or a
    vector along one axis. returned: the sums of the weights, too."""
    numpy = load_numpy("average")
    x, keepdims = ndarray_of(numpy, a), flag("keepdims", keepdims)
    axes, w = axes_of(axis, x.ndim), numpy.ones(()) if weights is None else ndarray_of(numpy, weights)
    if w.shape not in ((), x.shape):
        if len(axes) != 1 or w.shape != (x.shape[axes[0]],):
            raise ValueError(f"weights have shape {w.shape}, the array {x.shape}")
        w = w.reshape([-1 if i in axes else 1 for i in range(x.ndim)])
    w = numpy.broadcast_to(w, x.shape)
    result = mean(x, axis, keepdims=keepdims) if weights is None else _averages(numpy, x, w, axes, keepdims)[()]
    return (result, sum_of(w, axis, keepdims=keepdims).astype(result.dtype)) if flag("returned", returned) else result


def _averages(numpy, x, w, axes, keepdims):
    dtype = numpy.result_type(x.dtype, w.dtype, *([numpy.float64] if x.dtype.kind in "biu" else []))
    order = [i for i in range(x.ndim) if i not in axes] + list(axes)
    shape = [1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes]
    lines = math.prod(shape), math.prod(x.shape[i] for i in axes)
    divide = _nearest if dtype.char in "dD" else _odd
    w = w.transpose(order).reshape(lines)
    each = [[_weighted(u, v, divide) for u, v in zip(w, part.transpose(order).reshape(lines))] for part in parts_of(x)]
    return joined(numpy, [numpy.array(v).reshape(shape).astype(dtype.char.lower()) for v in each], dtype)


def weighted_cov(numpy, x, times, weights, ddof, dtype):
    """RN((W sum w x conj(y) - sum w x conj(sum w y)) / (W^2 - ddof sum w a)), w = f a, W = sum w."""
    a, _ = integers(numpy, weights)
    w = a * (1 if times is None else times.astype(object))
    both, exp2 = integers(numpy, numpy.stack(parts_of(x)))
    total, sums = w.sum(), [part @ w for part in both]
    divisor = total ** 2 - ddof * (w * a).sum()
    if divisor <= 0:
        raise ValueError(f"the weights leave nothing for ddof {ddof}")

    def moment(i, k):
        return total * ((both[i] * w) @ both[k].T) - numpy.multiply.outer(sums[i], sums[k])
    if len(both) == 1:
        return quotients(numpy, moment(0, 0), divisor, 2 * exp2, dtype)
    parts = moment(0, 0) + moment(1, 1), moment(1, 0) - moment(0, 1)
    kind = numpy.dtype(dtype.char.lower())
    return joined(numpy, [quotients(numpy, p, divisor, 2 * exp2, kind) for p in parts], dtype)


def _contracted(numpy, arrays, terms, output):
    """einsum of integers, two arrays at a time."""
    while len(arrays) > 1:
        left = set(output).union(*terms[2:])
        kept = "".join(c for c in dict.fromkeys("".join(terms[:2])) if c in left) if terms[2:] else output
        arrays, terms = [contract(numpy, arrays[:2], terms[:2], kept, None), *arrays[2:]], [kept, *terms[2:]]
    return arrays[0]


def products(numpy, terms, output, arrays, dtype):
    """einsum of any number of arrays."""
    found = [[integers(numpy, part) for part in parts_of(x)] for x in arrays]
    sums, exp2 = [0, 0], [sum(e) for e in itertools.product(*({e for _, e in parts} for parts in found))]
    for chosen in itertools.product(*map(enumerate, found)):
        turns, e = sum(i for i, _ in chosen), sum(e for _, (_, e) in chosen)
        term = _contracted(numpy, [p for _, (p, _) in chosen], terms, output)
        sums[turns % 2] = sums[turns % 2] + (-1) ** (turns // 2) * term * 2 ** (e - min(exp2))
    kind = numpy.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype
    return joined(numpy, [quotients(numpy, s, 1, min(exp2), kind) for s in sums[:1 + (dtype.kind == "c")]], dtype)


def densities(numpy, place, weights, edges):
    """RN(w_i / (W (b - a))), w_i the sum of the weights in the bin from a to b, W that of all."""
    w, _ = integers(numpy, weights)
    e, exp2 = integers(numpy, edges)
    sums = numpy.zeros(len(e) - 1, object)
    numpy.add.at(sums, place, w)
    return quotients(numpy, sums, sums.sum() * numpy.diff(e), -exp2, numpy.dtype(numpy.float64))
