#!/usr/bin/env python3
"""Sums of chunks (exblas.chunks, exblas.arrow) against fractions: any chunks, nulls, types; their bytes against a reader in
Python; bad input. Parts without NumPy or pyarrow are skipped. Reports in TAP."""
import copy
import decimal
import gc
import math
import pickle
import struct
import threading
import zlib
from fractions import Fraction

import exblas
import states
import tap
from arrow_c import Chunks, Column, alive, bits
from exblas import _arrow, _core
from exblas.chunks import HEAD, Sums, keyed, of_keys, shared

np = tap.needed("numpy")
rng = np.random.default_rng(7)
N = 4000
HARD = rng.standard_normal(N) * 2.0 ** rng.integers(-60, 60, N)
HARD[::100] = HARD[1::100] * -1
WILD = rng.standard_normal(N) * 10.0 ** rng.integers(-300, 300, N)


def arrow():
    import pyarrow
    import exblas.arrow
    return pyarrow, exblas.arrow


def exact(values):
    return states.rounded((0, sum(map(Fraction, values)), (0, 0, 0)))


def cut(x, n_chunks, seed):
    """The array in chunks, some of them empty."""
    ends = np.sort(np.random.default_rng(seed).integers(0, len(x) + 1, n_chunks - 1)).tolist()
    return [x[i:k] for i, k in zip([0, *ends], [*ends, len(x)])]


def any_chunks():
    pa, ea = arrow()
    for x in (HARD, WILD, HARD.astype("f")):
        want, first = exact(x.tolist()), None
        for i in range(20):
            c = pa.chunked_array(cut(pa.array(x), i + 1, i), type=pa.array(x[:1]).type)
            s = ea.sums(c, squares=True)
            first = first or s
            assert ea.sum(c) == want == s.sum() and s == first and hash(s) == hash(first), i
            assert s.states() == first.states() and s.count() == len(x)
        assert first.mean() == exblas.mean(x.astype("d")) and first.var(1) == exblas.var(x.astype("d"), ddof=1)
        assert first.std() == exblas.std(x.astype("d"))


def nulls_and_specials():
    pa, ea = arrow()
    mask = rng.random(N) < 0.3
    for begin in (0, 3, 64):
        a = pa.array(HARD, mask=mask)[begin:-5]
        assert ea.sum(a) == exact(HARD[begin:-5][~mask[begin:-5]].tolist())
        assert ea.sums(a).count() == int((~mask[begin:-5]).sum())
    x = HARD.copy()
    x[10] = np.nan
    assert math.isnan(ea.sum(pa.array(x))) and ea.sum(pa.array(x), skip_nan=True) == exact(np.delete(x, 10).tolist())
    x[10] = np.inf
    assert ea.sum(pa.array(x)) == math.inf
    x[11] = -np.inf
    assert math.isnan(ea.sum(pa.chunked_array(cut(pa.array(x), 5, 1))))
    assert ea.sum(pa.array([], pa.float64())) == 0 and math.isnan(ea.mean(pa.array([None], pa.float64())))


def all_types():
    pa, ea = arrow()
    for kind in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        info = np.iinfo(kind)
        values = [info.max, info.max, info.min, 7, *rng.integers(info.min, info.max, 50, kind, True).tolist()]
        a = pa.array([None, *values, None], getattr(pa, kind)())
        assert ea.sum(a) == sum(values) and ea.mean(a) == float(Fraction(sum(values), len(values))), kind
        m = len(values) * sum(v * v for v in values) - sum(values) ** 2
        assert ea.var(a) == float(Fraction(m, len(values) ** 2)) and ea.sums(a, squares=True).count() == len(values), kind
    with np.errstate(over="ignore"):
        half = HARD.astype("e")
    half = half[np.isfinite(half)]
    assert ea.sum(pa.array(half)) == exact(half.tolist())
    values = [decimal.Decimal(v).scaleb(-3) for v in (10 ** 37, -10 ** 37 + 1, 5, -7, 2 ** 90)]
    a = pa.array([*values, None], pa.decimal128(38, 3))
    total = sum(map(Fraction, values))
    assert Fraction(ea.sum(a)) == total and ea.mean(a) == float(total / 5)
    assert ea.var(a, ddof=1) == float((5 * sum(Fraction(v) ** 2 for v in values) - total ** 2) / 20)
    t = pa.table({"i": [2 ** 60 + 1, -3, None], "x": [0.1, 1e300, 1.0]})
    assert ea.dot(t, "i", "x") == float((2 ** 60 + 1) * Fraction(0.1) - 3 * Fraction(1e300))


def groups():
    pa, ea = arrow()
    keys = rng.integers(-50, 50, N)
    t = pa.table({"k": pa.array(keys, mask=rng.random(N) < 0.05), "x": pa.array(WILD, mask=rng.random(N) < 0.05)})
    want = {k: exact([x for j, x in zip(t["k"].to_pylist(), t["x"].to_pylist()) if j == k and x is not None]) for k in
            t["k"].drop_null().unique().to_pylist()}
    for n in (1, 3, 1000):
        chunked = pa.concat_tables([t[i:i + n * 100] for i in range(0, N, n * 100)])
        assert dict(zip(*ea.groupby_sum(chunked, "k", "x"))) == want
    found, sums = ea.groupby(t, "k", "x", squares=True)
    assert sums.shape == (len(want),) and dict(zip(found, sums.sum())) == want
    d = pa.table({"k": pa.array(["b", "a", "b"]).dictionary_encode(), "x": [1e16, 1.0, 1.0]})
    assert dict(zip(*ea.groupby_sum(d, "k", "x"))) == {0: 1e16, 1: 1.0}
    other = pa.table({"k": pa.array(["c"]).dictionary_encode(), "x": [1.0]})
    reader = pa.RecordBatchReader.from_batches(d.schema, [*d.to_batches(), *other.to_batches()])
    tap.refused(ValueError, "dictionaries of their own", lambda: ea.groupby_sum(reader, "k", "x"))
    n = 10 ** 6  # several threads, whose tables are merged
    many, x = rng.integers(0, n // 4, n), rng.standard_normal(n)
    got = dict(zip(*ea.groupby_sum(pa.table({"k": many, "x": x}), "k", "x")))
    assert len(got) == len(np.unique(many)) and all(
        got[k] == math.fsum(x[many == k]) for k in many[:20].tolist())


def values():
    x = np.concatenate([HARD, [np.inf], [2.0 ** 1000, 2.0 ** -1000]])
    whole = Sums((3,), True)._cells
    s = Sums((3,), True)
    s._cells.add(x, None, np.arange(len(x)) % 2, False)
    parts = [Sums((3,), True) for _ in range(4)]
    for i, part in enumerate(parts):
        part._cells.add(x[i::4], None, np.arange(len(x))[i::4] % 2, False)
    merged = Sums.combine(pickle.loads(pickle.dumps(part)) for part in parts)
    assert merged == s and {merged: 1}[s] == 1 and merged.to_bytes() == s.to_bytes() and len(s.states()) == 3
    assert copy.deepcopy(s) == s and s != parts[0] and whole.state(0) == Sums((), True)._cells.state(0)
    again = Sums((3,), True).add_states(s.states(), range(3))
    assert again == s and again.count().tolist() == [2002, 2001, 0]
    assert exblas.Accumulator.combine(exblas.Accumulator(p) for p in cut(HARD, 9, 3)) == exblas.Accumulator(HARD)
    assert s.accumulator(1) == exblas.Accumulator(x[1::2])
    single, near = Sums(), np.array([1, 2.0 ** -24, 2.0 ** -60])  # twice rounded it would be 1
    single._cells.add(near, None, None, False)
    assert single.sum(np.dtype("f")) == np.float32(1 + 2.0 ** -23)
    wide, large = Sums(), np.array([2 ** 62 + 1, 2 ** 53 + 1, -2 ** 62])  # of two doubles each
    wide._cells.add(large, None, None, False)
    assert wide.count() == 3 and wide.sum(np.dtype("q")) == 2 ** 53 + 2
    some, holes = Sums((2,)), np.array([1, np.nan, 2, 4])
    some._cells.add(holes, None, np.array([0, 0, -1, 1]), True)
    assert some.sum().tolist() == [1, 4] and some.count().tolist() == [1, 1]


def bytes_in_python():
    for x in (HARD, WILD, np.append(HARD, [np.inf, np.nan, -np.inf]), np.zeros(3), -HARD[:1], np.zeros(0)):
        parts = []
        for piece in cut(x, 6, 2):
            parts.append(Sums((), True))
            parts[-1]._cells.add(np.ascontiguousarray(piece), None, None, False)
        whole = Sums.combine(parts)
        merged = states.merge(states.read(part.states()[0]) for part in parts)
        assert states.write(merged) == whole.states()[0]
        assert merged[0][0] == len(x) and repr(states.rounded(merged[0])) == repr(whole.sum())
        table, shape = states.read_table(whole.to_bytes())
        assert table == [merged] and shape == ()


def bad_bytes():
    s = Sums((2,))
    s._cells.add(HARD, None, np.arange(N) % 2, False)
    data, state = s.to_bytes(), s.states()[0]
    for i in (*range(0, 40), len(data) - 1):
        bad = bytearray(data)
        bad[i] ^= 1
        tap.refused(ValueError, "not the bytes", lambda bad=bad: Sums.from_bytes(bad))
    for i in range(len(state)):
        bad = bytearray(state)
        bad[i] ^= 16
        tap.refused(ValueError, "not the bytes", lambda bad=bad: Sums().add_states([bytes(bad)]))
    for bad in (b"", state[:-1], state + b"x", state + state, b"ExCe", exblas.Accumulator(1).to_bytes()):
        tap.refused(ValueError, "not the bytes", lambda bad=bad: Sums().add_states([bad]))
    tap.refused(ValueError, "not the bytes", lambda: Sums.from_bytes(data[:-8]))
    tap.refused(ValueError, "not the bytes", lambda: Sums((), True).add_states([state]))
    tap.refused(ValueError, "other groups", lambda: Sums.combine([s, Sums()]))


def bad_columns():
    pa, ea = arrow()
    t = pa.table({"k": [1, 2], "x": [1.0, 2.0], "s": ["a", "b"]})
    tap.refused(TypeError, "'u'", lambda: ea.sum(t, "s"))
    tap.refused(KeyError, "name one of", lambda: ea.sum(t))
    tap.refused(KeyError, "name one of", lambda: ea.sum(t, "z"))
    tap.refused(TypeError, "no columns", lambda: ea.sum(t["x"], "x"))
    tap.refused(TypeError, "list has neither", lambda: ea.sum([1.0]))
    tap.refused(TypeError, "keys are integers", lambda: ea.groupby_sum(t, "x", "k"))
    tap.refused(TypeError, "'b'", lambda: ea.sum(pa.array([True])))
    tap.refused(TypeError, "standard deviation", lambda: ea.std(pa.array([decimal.Decimal("1.5")])))
    nested = pa.StructArray.from_arrays([pa.array([1.0, 2.0])], ["x"], mask=pa.array([True, False]))
    tap.refused(TypeError, "struct that is null", lambda: ea.sum(nested, "x"))


def damaged(shape, n_kept=1, n_long=(0, 0), rest=b""):
    """Bytes with a right CRC-32 whose contents are wrong."""
    head = HEAD.pack(b"ExCs", 1, n_kept, len(shape), 0, *n_long)
    rest = head[12:] + struct.pack(f"<{len(shape)}Q", *shape) + rest
    return head[:8] + struct.pack("<I", zlib.crc32(rest, zlib.crc32(head[4:8]))) + rest


def no_wrong_states():
    for bad in (damaged((2 ** 59,)), damaged((2 ** 63, 2)), damaged((), 3, (0, 0), bytes(96)), damaged((), 1, (1, 0), bytes(32)),
                damaged((), 1, (0, 0), bytes(33)), damaged((), 1, (0, 1), bytes(32)), damaged((), 1, (0, 0), struct.pack("<dddq", 1, 2, 3, -2 ** 63))):
        tap.refused(ValueError, "damaged", lambda bad=bad: Sums.from_bytes(bad))
    for n in (2 ** 58, 2 ** 59, 2 ** 62):
        tap.refused(MemoryError, "", lambda: _core.Cells(n, 1, False))
    large = Sums()  # whose three doubles have a sum that overflows
    large._cells.add(np.array([np.finfo("d").max, 2.0 ** 970, -1]), None, None, False)
    assert Sums.from_bytes(large.to_bytes()) == large and pickle.loads(pickle.dumps(large)).sum() == large.sum()
    both, one = Sums((), True), Sums()
    both._cells.add(np.array([10.0]), None, None, False)
    one._cells.add(np.array([1.0]), None, None, False)
    before = both.to_bytes()
    bad = bytearray(both.states()[0])
    bad[-1] ^= 16
    for state in (one.states()[0], bytes(bad)):
        tap.refused(ValueError, "not the bytes", lambda state=state: both.add_states([state]))
        assert both.to_bytes() == before
    for other, keys in ((_core.Cells(2, 1, False), None), (_core.Cells(1, 2, False), None), (one._cells, None), (Sums()._cells, np.arange(1))):
        tap.refused(ValueError, "out of range", lambda other=other, keys=keys: one._cells.merge(other, keys))
    cells = keyed()
    tap.refused(ValueError, "out of range", lambda: cells.merge(Sums()._cells, np.arange(2)))
    cells.merge(one._cells, np.array([7]))
    keys, sums = of_keys(cells)
    sums.merge(Sums((1,)))  # numbered, once the keys are handed out
    assert (list(keys), sums.sum().tolist()) == ([7], [1])
    tap.refused(ValueError, "out of range", lambda: one._cells.add(HARD, None, np.arange(N), False))
    tap.refused(TypeError, "of one length", lambda: one._cells.add(None, HARD, None, False))
    assert one.sum() == 1

    def no_room():
        if threading.current_thread() is not threading.main_thread():
            raise MemoryError("no room")
        return [0]

    def add(state, i):
        state[0] += i
    try:
        assert shared(range(1000), add, no_room, list.extend) == [499500]  # one processor, no helpers
    except MemoryError:
        pass
    assert str(exblas.average(np.array([1.0, -1.0]), weights=np.array([-1.0, -1.0]))) == "0.0"
    assert exblas.average(np.array([-1e308, 1e308]), weights=np.array([2.0, -1.0])) == -math.inf


def infinite_products():
    for x, y, want in (([np.inf], [2 ** 60], np.inf), ([-np.inf, 1], [2 ** 60 + 1, 3], -np.inf), ([np.inf], [-2 ** 62 - 1], -np.inf),
                       ([np.inf, 1], [0, 2 ** 60], np.nan), ([np.nan, 1], [1, 2 ** 60], np.nan), ([np.inf, 1], [5, 2 ** 60], np.inf)):
        for one, other in ((np.array(x, "d"), np.array(y)), (np.array(y), np.array(x, "d"))):
            whole, parts = Sums(), [Sums() for _ in x]
            whole._cells.add(one, other, None, False)
            for i, part in enumerate(parts):
                part._cells.add(one[i:i + 1], other[i:i + 1], None, False)
            assert repr(whole.sum()) == repr(float(want)) and Sums.combine(parts) == whole and whole.count() == len(x), (x, y)


def dictionaries_and_decimals():
    pa, ea = arrow()
    coded = pa.array([1.5, 2.5, 1.5]).dictionary_encode()
    t = pa.table({"k": pa.array([1, 1, 2]), "x": coded, "y": [1.0, 2.0, 3.0]})
    for call in (lambda: ea.sum(coded), lambda: ea.mean(t, "x"), lambda: ea.var(t, "x"), lambda: ea.sums(t, "x"),
                 lambda: ea.dot(t, "y", "x"), lambda: ea.groupby_sum(t, "k", "x")):
        tap.refused(TypeError, "in a dictionary", call)
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 3], pa.int32()), pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array([1.5, 2.5])))
    tap.refused(TypeError, "in a dictionary", lambda: _arrow.whole(_arrow.lists, lists))

    def grouped(*dictionaries):
        k = pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), d) for d in dictionaries])
        keys, found = ea.groupby_sum(pa.table({"k": k, "x": np.arange(1.0, 1 + 2 * len(dictionaries))}), "k", "x")
        return dict(zip(keys, found))
    for one, other in ((["a", "b"], ["b", "a"]), ([{"q": 1}, {"q": 2}], [{"q": 2}, {"q": 1}]), ([[1], [2]], [[2], [1]]),
                       (["", None], [None, ""]), ([1, 2], [2, 1])):
        one, other = pa.array(one), pa.array(other)
        tap.refused(ValueError, "dictionaries of their own", lambda: grouped(one, other))
        assert grouped(one) == {0: 1, 1: 2}
        if pa.types.is_string(one.type) and hasattr(pa, "string_view"):
            views = one.cast(pa.string_view()), other.cast(pa.string_view())
            tap.refused(ValueError, "dictionaries of their own", lambda: grouped(*views))
            assert grouped(views[0], views[0]) == {0: 4, 1: 6}
    same = pa.array(["a", "b"])
    assert grouped(same, same) == {0: 4, 1: 6} and grouped(pa.nulls(2), pa.nulls(2)) == {0: 4, 1: 6}
    d = pa.table({"k": [1, 1, 2], "d": pa.array(map(decimal.Decimal, ("1.25", "2.25", "0.10")), pa.decimal128(9, 2))})
    assert dict(zip(*ea.groupby_sum(d, "k", "d"))) == {1: 3.5, 2: 0.1}
    tap.refused(TypeError, "decimal's scale", lambda: ea.sums(d, "d"))
    tap.refused(TypeError, "decimal's scale", lambda: ea.groupby(d, "k", "d"))
    whole = pa.table({"k": [1, 1], "d": pa.array([decimal.Decimal(3), decimal.Decimal(4)], pa.decimal128(9, 0))})
    assert ea.sums(whole, "d").sum() == 7 and ea.groupby_sum(whole, "k", "d")[1].tolist() == [7]


def by_hand():
    """What no library of Arrow has written: every letter, offsets, bitmaps, empty columns, faults; all is released."""
    import exblas.arrow as ea
    mask = rng.random(40) < 0.7
    for offset in (0, 3, 9):
        for letter, code in zip("cCsSiIlLefg", "bBhHiIqQefd"):
            x = rng.standard_normal(40).astype(code) if code in "efd" else np.arange(100, 140).astype(code)
            kept = x[offset:][mask[offset:]]
            want = exact(kept.tolist())
            one = Column(letter, 40 - offset, bits(mask), x, offset=offset)
            assert ea.sum(one) == want and ea.sum(Chunks(one, one)) == exact(kept.tolist() * 2), (letter, offset)
            inner = Column(letter, 40, None, x, name="x", null_count=0)
            struct = Column("+s", 40 - offset, None, offset=offset, children=(inner, Column("u", 40, None, None, None, name="s")), null_count=0)
            assert ea.sum(struct, "x") == exact(x[offset:].tolist())
        words = b"".join((10 ** 30 * i - 7).to_bytes(16, "little", signed=True) for i in range(-20, 20))
        total = sum(10 ** 30 * i - 7 for i in range(-20 + offset, 20))
        assert ea.sum(Column("d:38,3", 40 - offset, None, words, offset=offset)) == decimal.Decimal(total).scaleb(-3, decimal.Context(60))
    assert ea.sum(Column("g", 0, None, None)) == 0 and ea.sum(Chunks(Column("g", 0, None, None))) == 0
    keys = Column("s", 3, bits([1, 0, 1]), np.array([5, 9, -5], np.int16), name="k")
    coded = Column("c", 3, None, np.array([1, 0, 1], np.int8), name="k", dictionary=Column("u", 2, None, np.array([0, 1, 2], "i"), b"ab"))
    for k, groups in ((keys, {5: 1.0, -5: 4.0}), (coded, {1: 5.0, 0: 2.0})):
        frame = Column("+s", 3, None, null_count=0, children=(k, Column("g", 3, None, np.array([1.0, 2.0, 4.0]), name="x")))
        assert dict(zip(*ea.groupby_sum(frame, "k", "x"))) == groups == dict(zip(*ea.groupby_sum(Chunks(frame), "k", "x")))
    for letter, code in (("+l", "i"), ("+L", "q")):
        lists = Column(letter, 3, bits([1, 0, 1]), np.array([0, 1, 3, 4], code), children=(Column("g", 3, None, np.array([7.0, 1, 2, 4]), offset=1),))
        lists.buffers = bits([1, 0, 1]), np.array([0, 1, 2, 3], code)
        sums, (schema, (array,)) = Sums((3,)), _arrow.opened(lists)
        sums._cells.add_lists(*_arrow.lists(schema, array), False, 0)
        assert sums.sum().tolist() == [1, 0, 4] and sums.count().tolist() == [1, 0, 1]
    for bad in ("u", "b", "n", "tdD", "d:76,3,256", "+l", "w:8", "gg", ""):
        tap.refused(TypeError, "cast it first", lambda bad=bad: ea.sum(Column(bad, 1, None, bytes(99))))
    tap.refused(TypeError, "cast it first", lambda: ea.sum(Column("g", 1, bytes(8))))
    tap.refused(OSError, "with an error: no more", lambda: ea.sum(Chunks(Column("g", 1, None, bytes(8)), error="no more")))
    tap.refused(IndexError, "no such rows", lambda: _arrow.column(schema, array, -1, 2, 4))
    gc.collect()
    assert not alive, len(alive)


tap.run(any_chunks, nulls_and_specials, all_types, groups, values, bytes_in_python, bad_bytes, bad_columns,
        no_wrong_states, infinite_products, dictionaries_and_decimals, by_hand)
