"""Exact sums to keep, send and merge."""
from __future__ import annotations

import array
import itertools
import math
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

from exblas import _core
from exblas._numbers import DOUBLE, HALF, SINGLE, are_floats, is_buffer, iterable, native_copy, number, on_host, pieces, refuse, view_of, widened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy
    from typing_extensions import Buffer
    _Number: TypeAlias = float | Fraction | Decimal | numpy.integer[Any] | numpy.floating[Any]
    _Numbers: TypeAlias = _Number | Buffer | Iterable[Any]


def _comparison(*orders) -> Callable[[Any, Any], bool]:
    def compare(self, other):
        order = self._against(other)
        return NotImplemented if order is None else order in orders
    return compare


class Accumulator(_core.Accumulator):
    """An exact sum: `a += x` for a number, a buffer, an iterable or an accumulator; float(a) is the sum,
    rounded once. Equal sums are equal and have equal bytes, whatever the order was. Operators +, - with
    numbers and accumulators, * with a number (exactly, else OverflowError), comparisons, sum() of
    accumulators; pickling and to_bytes()."""

    __slots__ = ()

    def __init__(self, numbers: _Numbers | Accumulator = ()) -> None:
        self.add(numbers)

    def add(self, x: _Numbers | Accumulator) -> Accumulator:
        """Adds a number, the elements of a buffer or of an iterable, or another accumulator."""
        if isinstance(x, Accumulator):
            self._merge(x)
        elif isinstance(x, (Real, Decimal)):
            for piece in pieces(x):
                self._add_double(piece)
            self._counted(1)
        else:
            self._merge(_sum_of(x))
        return self

    def subtract(self, x: _Numbers | Accumulator) -> Accumulator:
        """Subtracts what add would add."""
        part = -Accumulator(x)
        part._counted(-2 * part._counted(0))
        return self.add(part)

    def add_product(self, x: _Number, y: _Number) -> Accumulator:
        """Adds x y exactly."""
        self._add_product(number(x), number(y))
        self._counted(1)
        return self

    def add_dot(self, x: Buffer | Iterable[Any], y: Buffer | Iterable[Any]) -> Accumulator:
        """Adds the sum of products of two vectors exactly."""
        self._add_dot(_vector(x), _vector(y))
        return self

    __iadd__, __isub__ = add, subtract

    def copy(self) -> Accumulator:
        """Another accumulator with the same sum."""
        return type(self)().add(self)

    __copy__ = __pos__ = copy

    def __deepcopy__(self, memo: Any) -> Accumulator:
        return self.copy()

    def __add__(self, other: _Numbers | Accumulator) -> Accumulator:
        return self.copy().add(other)

    def __radd__(self, other: _Numbers) -> Accumulator:
        return self.copy() if type(other) is int and not other else self + other  # the 0 from which sum() starts

    def __sub__(self, other: _Numbers | Accumulator) -> Accumulator:
        return self.copy().subtract(other)

    def __rsub__(self, other: _Numbers) -> Accumulator:
        return type(self)(other).subtract(self)

    def __neg__(self) -> Accumulator:
        return -1 * self

    def __abs__(self) -> Accumulator:
        return -self if self < 0 else self.copy()

    def __mul__(self, factor: _Number) -> Accumulator:
        if isinstance(factor, Accumulator):
            return NotImplemented
        result = self.copy()
        result._scale(number(factor))
        return result

    __rmul__ = __mul__

    def __float__(self) -> float:
        return self._rounded(DOUBLE)

    def __bool__(self) -> bool:
        return self != 0

    def __int__(self) -> int:
        """Toward zero, of a finite sum."""
        value = self.to_fraction()
        if value is None:
            raise OverflowError("the sum is not finite")
        return int(value)

    def to_float(self) -> float:
        """Rounded once to single precision."""
        return self._rounded(SINGLE)

    def to_half(self) -> float:
        """Rounded once to half precision."""
        return self._rounded(HALF)

    def quotient(self, divisor: _Number) -> float:
        """RN(sum / divisor), the divisor a double."""
        return self._quotient(number(divisor), DOUBLE)

    __truediv__ = quotient

    @property
    def count(self) -> int:
        """How many numbers and products were added, less those subtracted; ValueError after from_bytes."""
        n = self._counted(0)
        if n != n:
            raise ValueError("bytes of an accumulator hold no count")
        return int(n)

    def mean(self) -> float:
        """RN(sum / count)."""
        return self.quotient(self.count)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else repr(self)

    def __round__(self, n_digits: int | None = None) -> Any:
        """Of the exact sum; a float if a number of digits is given."""
        value = self.to_fraction()
        if value is None:
            return round(float(self), n_digits)
        return round(value) if n_digits is None else float(round(value, n_digits))

    def to_fraction(self) -> Fraction | None:
        """The sum as a fractions.Fraction; None for Inf and NaN."""
        data = self.to_bytes()
        if data[5]:
            return None
        return Fraction(int.from_bytes(data[16:], "little", signed=True), 1 << 2148)

    @classmethod
    def from_bytes(cls, data: Buffer, count: float = math.nan) -> Accumulator:
        """The accumulator whose to_bytes() these are; ValueError for others. Without a count it has no mean."""
        try:
            data = bytes(memoryview(data))
        except TypeError:
            raise TypeError(f"{type(data).__name__} has no bytes of an accumulator") from None
        result = cls()
        result._set_bytes(data)
        result._counted(count)
        return result

    @classmethod
    def combine(cls, parts: Iterable[Accumulator]) -> Accumulator:
        """The sum of accumulators, in any order."""
        result = cls()
        for part in parts:
            result.add(part)
        return result

    def __reduce__(self):
        return type(self).from_bytes, (self.to_bytes(), self._counted(0))

    def _against(self, other):
        """-1, 0, 1, 2 (unordered), or None for what is no number."""
        if not isinstance(other, Accumulator):
            if not isinstance(other, (Real, Decimal)):
                return None
            other = Accumulator(other)
        return self._compare(other)

    __eq__, __lt__, __le__ = _comparison(0), _comparison(-1), _comparison(-1, 0)
    __gt__, __ge__ = _comparison(1), _comparison(0, 1)
    __hash__ = None

    def __repr__(self):
        return f"Accumulator({float(self)!r})"


def _sum_of(numbers):
    """The sum of the elements of a buffer or an iterable."""
    refuse(numbers)
    numbers = widened(on_host(numbers))
    total = Accumulator.__new__(Accumulator)
    if is_buffer(numbers):
        total._add_array(_direct(memoryview(numbers)))
        return total
    source = iter(iterable(numbers))
    while some := list(itertools.islice(source, 10000)):
        if are_floats(some):
            total._add_array(array.array("d", some))
            continue
        for piece in itertools.chain.from_iterable(map(pieces, some)):
            total._add_double(piece)
        total._counted(len(some))
    return total


def _direct(view):
    refuse(view.obj)
    if view.format[:1] in (">", "!") and view.itemsize > 1:
        return native_copy(view)
    return view


def _vector(x):
    x = widened(on_host(x))
    return _direct(memoryview(x)) if is_buffer(x) else view_of(x)
