#!/usr/bin/env python3
"""test_cli.py EXBLAS: the command reads every format, its answers are those of exact fractions, and
what is wrong with a file is said with its place. Reports in TAP."""
import functools
import itertools
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from fractions import Fraction

from exact import by_columns, next_after, npy, numbers, product, root, rounded
import tap

TOOL = os.path.abspath(sys.argv[1])
DIRECTORY = None
BUILD = os.path.join(os.path.dirname(TOOL), "..", "..")


def run(*arguments, stdin=b"", **variables):
    done = subprocess.run([TOOL, *map(str, arguments)], input=stdin, capture_output=True, timeout=60,
                          cwd=DIRECTORY, env={**os.environ, **variables})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def same(what, got, want):
    assert got == want, f"{what}: {got!r} instead of {want!r}"


def write(name, data):
    with open(os.path.join(DIRECTORY, name), "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    return name


def answer(*arguments, **options):
    """The hexadecimal of a result, and the whole report."""
    status, out, err = run(*arguments, "--json", **options)
    same((arguments, err), (status, err), (0, ""))
    report = json.loads(out)
    number = report["total"][arguments[0]]
    value = float.fromhex(number["hex"])
    decimal = number["value"]
    if decimal is not None:  # as short as reads back in the type
        decimal = rounded(Fraction(repr(decimal)), report["total"]["type"] == "f32" and "f" or "d")
    same("decimal", decimal, value if math.isfinite(value) else None)
    return value, report


def expect(want, *arguments, **options):
    got, report = answer(*arguments, **options)
    same((arguments, report), (got, math.copysign(1, got)), (want, math.copysign(1, want)))
    return report


def refused(words, *arguments, stdin=b"", status=2, **variables):
    got, out, err = run(*arguments, stdin=stdin, **variables)
    same((arguments, err), (got, out, err.count("\n"), err[:8]), (status, "", 1, "exblas: "))
    assert words in err, f"{arguments}: {err!r} does not say {words!r}"


def only_python():
    """A folder for PATH."""
    folder = os.path.join(DIRECTORY, "only")
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(os.path.join(folder, "python3")):
        os.symlink(sys.executable, os.path.join(folder, "python3"))
    return folder


def total(x, power=1):
    """Of x^power, for finite x."""
    parts = map(float.as_integer_ratio, map(float, x))
    return Fraction(sum(n ** power << power * (1075 - d.bit_length()) for n, d in parts), 2 ** (1074 * power))


def reductions_of_npy():
    for kind, code in (("d", "f8"), ("f", "f4")):
        for n in (0, 1, 2, 1000, 33001):
            x = numbers(n, kind, seed=n)
            for order in "<>":
                write("x.npy", npy(x, order + code))
                expect(rounded(total(x), kind), "sum", "x.npy")
                if n < 2000:
                    expect(rounded(total(map(abs, x)), kind), "asum", "x.npy")
                    expect(root(total(x, 2), kind), "nrm2", "x.npy")
    x = numbers(50, "d", 3)
    write("x.npy", npy(x))
    expect(rounded(total(x), "f"), "sum", "x.npy", "--type", "f32")


def rounding_once():
    tie = [1.0, 2.0 ** -53]
    cases = ((tie, 1.0), (tie + [2.0 ** -1074], 1 + 2.0 ** -52), ([1e308, 1e308, -1e308], 1e308), ([1e308] * 2, math.inf),
             ([-0.0], 0.0), ([2.0 ** -1074, -2.0 ** -1074], 0.0), ([1e16, 1, -1e16], 1.0))
    for x, want in cases:
        expect(want, "sum", "-", "--format", "raw", stdin=struct.pack(f"<{len(x)}d", *x))
    # through double first would give 1.0
    x = [1.0, 2.0 ** -24, 2.0 ** -80]
    expect(1 + 2.0 ** -23, "sum", "-", "--type", "f32", "--format", "raw", stdin=struct.pack("<3f", *x))


def integers_and_shapes():
    for code, x in (("i1", [-128, 127, 3]), ("u1", [255, 1]), ("i2", [-32768, 5]), ("u2", [65535]), ("i4", [-2 ** 31, 7]),
                    ("u4", [2 ** 32 - 1]), ("i8", [-2 ** 63, 2 ** 53, 1]), ("u8", [2 ** 63, 3]), ("b1", [True, False, True])):
        for order in "<>":
            write("i.npy", npy(x, order + code))
            expect(rounded(Fraction(sum(map(int, x)))), "sum", "i.npy")
    write("i.npy", npy([1, 2 ** 53 + 1], "<i8"))
    refused("offset 136: this integer is not exactly a double", "sum", "i.npy")
    for shape in ((), (1,), (2, 3), (2, 0), (2, 3, 4)):
        x = numbers(math.prod(shape))
        write("s", npy(x, shape=shape, version=2))  # which the first bytes tell
        expect(rounded(total(x)), "sum", "s")


def dots():
    m, n = 37, 53
    x, y = numbers(m * n, seed=4), numbers(m * n, seed=5)
    want = rounded(sum(Fraction(a) * Fraction(b) for a, b in zip(x, y)))
    write("x.npy", npy(x, shape=(m, n)))
    write("y.npy", npy(y, shape=(m, n)))
    write("yf.npy", npy(by_columns(y, m, n), shape=(m, n), fortran=True))
    write("xf.npy", npy(by_columns(x, m, n), shape=(m, n), fortran=True))
    for a in ("x.npy", "xf.npy"):
        for b in ("y.npy", "yf.npy"):
            expect(want, "dot", a, b)
    write("y.raw", struct.pack(f"<{m * n}d", *y))
    write("y.txt", " ".join(map(repr, y)))
    for b in ("y.raw", "y.txt"):
        expect(want, "dot", "x.npy", b)
    big = [2.0 ** 1000, 2.0 ** -1000, 3.0]
    write("b.npy", npy(big))
    write("c.npy", npy([2.0 ** 1000, 2.0 ** -1000, 1.0]))
    expect(math.inf, "dot", "b.npy", "c.npy")
    write("c.npy", npy([0.0, 2.0 ** -70, 1.0]))
    expect(3.0, "dot", "b.npy", "c.npy")
    write("t.npy", npy(y, shape=(n, m)))
    refused("x.npy has shape (37, 53), t.npy has (53, 37)", "dot", "x.npy", "t.npy")
    write("z.txt", "1 2 3")
    refused("z.txt has 3 numbers, x.npy has more", "dot", "x.npy", "z.txt")
    refused("z.txt has 3 numbers, x.npy has more", "dot", "z.txt", "x.npy")
    write("x.txt", " ".join(map(repr, x[:-1])))
    refused("x.txt has 1960 numbers, y.raw has more", "dot", "x.txt", "y.raw")
    refused("read once only", "dot", "-", "-")


def zipped(arrays, method=zipfile.ZIP_STORED, name="x.npz"):
    with zipfile.ZipFile(os.path.join(DIRECTORY, name), "w", method) as z:
        for key, data in arrays.items():
            with z.open(f"{key}.npy", "w", force_zip64=True) as f:  # as NumPy does
                f.write(data)
    return name


def means_and_variances():
    for kind, code in (("d", "<f8"), ("f", "<f4")):
        for n in (1, 2, 7, 1000, 33001)[:5 if kind == "d" else 4]:
            x = numbers(n, kind, 20, seed=n)
            write("x.npy", npy(x, code))
            s, squares = total(x), total(x, 2)
            expect(rounded(s / n, kind), "mean", "x.npy")
            expect(rounded((n * squares - s * s) / (n * n), kind), "var", "x.npy")
            if n > 1:
                expect(rounded((n * squares - s * s) / (n * (n - 1)), kind), "var", "x.npy", "--ddof", "1")
    write("a.txt", "1e16 1")
    write("b.txt", "-1e16 1")
    expect(0.5, "mean", "a.txt", "b.txt")  # of all numbers, not of two means
    same("no numbers", run("mean", "-", stdin=b"")[1], "nan\n")
    refused("sum has no option --ddof", "sum", "a.txt", "--ddof", "1")
    refused("--ddof x: a number", "var", "a.txt", "--ddof", "x")


def half_precision():
    bits = [*range(0x7c00), *range(0x8000, 0xfc00)]
    values = [struct.unpack("<e", struct.pack("<H", b))[0] for b in bits]
    variance = rounded(total(v * v for v in values) / len(values))  # their sum is 0
    for order in "<>":
        write("x.npy", npy(values, order + "f2"))
        expect(variance, "var", "x.npy")
        expect(rounded(total(map(abs, values))), "asum", "x.npy")
        expect(rounded(total(values[:31000])), "sum", write("y.npy", npy(values[:31000], order + "f2")))
    for text in ("inf", "-inf", "nan"):
        same(text, run("sum", write("x.npy", npy([float(text)], "<f2")))[1].strip(), text)


def complex_numbers():
    for kind, code in (("d", "<c16"), ("f", ">c8")):
        x = numbers(2 * 16501, kind, 30, seed=5)
        write("x.npy", npy(x, code))
        n, re, im, squares = 16501, total(x[::2]), total(x[1::2]), total(x, 2)
        for command, divisor in (("sum", 1), ("mean", n)):
            status, out, err = run(command, "x.npy", "--json")
            found = json.loads(out)["total"][command]
            same((command, status, err), [float.fromhex(found[p]["hex"]) for p in ("re", "im")],
                 [rounded(re / divisor, kind), rounded(im / divisor, kind)])
            same("n", json.loads(out)["total"]["n"], n)
        expect(rounded(total(map(abs, x)), kind), "asum", "x.npy")
        expect(root(squares, kind), "nrm2", "x.npy")
        expect(rounded((n * squares - re * re - im * im) / (n * n), kind), "var", "x.npy")
    same("two parts", len(run("sum", "x.npy")[1].split()), 2)
    refused("dot is of real numbers only", "dot", "x.npy", "x.npy")


def archives():
    x, y = numbers(33001, seed=1), numbers(3, seed=2)
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        zipped({"x": npy(x)}, method)
        expect(rounded(total(x)), "sum", "x.npz")
        zipped({"x": npy(x), "second": npy(y)}, method)
        expect(rounded(total(y)), "sum", "x.npz", "--column", "second")
        expect(rounded(total(x)), "sum", "x.npz", "--column", "x")
        refused("2 arrays (x, second): choose one", "sum", "x.npz")
        refused("2 arrays (x, second), none of them wanted", "sum", "x.npz", "--column", "z")
    for other in ("notes.txt", "a", "npy"):  # what is no array does not count
        zipped({"x": npy(x)})
        with zipfile.ZipFile(os.path.join(DIRECTORY, "x.npz"), "a") as z:
            z.writestr(other, "text")
        expect(rounded(total(x)), "sum", "x.npz")
    zipped({"x": npy(x), "second": npy(y)})
    path = os.path.join(DIRECTORY, "x.npz")
    data = bytearray(open(path, "rb").read())
    data[len(data) // 3] ^= 0xff
    write("bad.npz", bytes(data))
    refused("bad.npz: damaged", "sum", "bad.npz", "--column", "x")
    write("cut.npz", bytes(data[:1000]))
    refused("not an npz file, or damaged", "sum", "cut.npz")
    refused("cannot be read from a stream", "sum", "-", stdin=bytes(data))
    write("empty.npz", b"PK\5\6" + bytes(18))
    refused("0 arrays", "sum", "empty.npz")


def shown_names():
    """What a table's head says is shown as text, whatever it is."""
    write("x.csv", b"a\x1b[31m,\xff\xfe,\xc2\x9b5m,\xed\xe4,c\xc3\xa4,\x7f\n1,2,3,4,5,6\n")
    status, _, err = run("sum", "x.csv")
    same("names", (status, err), (2, "exblas: x.csv:1:1: 6 columns (a?[31m, ??, ??5m, ??, cä, ?): choose one with --column\n"))


def decimal_text():
    # halfway between neighbours, and just above: the conversion is correctly rounded
    expect(1.0, "sum", "-", stdin=b"1.00000000000000011102230246251565404236316680908203125")
    expect(1 + 2.0 ** -52, "sum", "-", stdin=b"1.00000000000000011102230246251565404236316680908203126")
    expect(1.0, "sum", "-", "--type", "f32", stdin=b"1.000000059604644775390625")
    expect(1 + 2.0 ** -23, "sum", "-", "--type", "f32", stdin=b"1.0000000596046447753906251")
    # by way of a double these would be ties: above an odd float, just below infinity, and below the normal numbers
    for word, want in ((b"1.00000017881393432617187499999", 1 + 2.0 ** -23), (b"0x1.000003p0", 1 + 2.0 ** -22),
                       (b"0x1.0000010000000000001p0", 1 + 2.0 ** -23), (b"-0x1.0000010000000000001p0", -1 - 2.0 ** -23),
                       (b"340282356779733661637539395458142568447.9", float.fromhex("0x1.fffffep127")),
                       (b"7.0064923216240853546186479164e-46", 0.0), (b"7.0064923216240853546186479165e-46", 2.0 ** -149)):
        expect(want, "sum", "-", "--type", "f32", stdin=b"0 " + word)
    refused("is too large for a float", "sum", "-", "--type", "f32", stdin=b"340282356779733661637539395458142568448")
    expect(2.0 ** -1074, "sum", "-", stdin=b"4e-324")
    expect(3.5, "sum", "-", stdin=b"# numbers\n1, 2\r\n0x1p-1 # half\n\n")
    expect(0.0, "sum", "-", stdin=b"")
    expect(-math.inf, "sum", "-", stdin=b"1 -inf 3")
    x = numbers(30000, seed=9)  # longer than the buffer: every place where it can be cut
    expect(rounded(total(x)), "sum", "-", stdin="\n".join(map(repr, x)).encode())
    got, out, _ = run("sum", "-", stdin=b"inf -inf")
    same("nan", (got, out), (0, "nan\n"))
    refused("<stdin>:2:3: 'x' is not a number", "sum", "-", stdin=b"1\n2 x\n")
    refused("<stdin>:1:1: '1e999' is too large for a double", "sum", "-", stdin=b"1e999")
    refused("<stdin>:1:3: '1e39' is too large for a float", "sum", "-", "--type", "f32", stdin=b"1 1e39")
    refused("offset 1: this is not text", "sum", "-", stdin=b"1\x00\x01")
    refused("'--5' is not a number", "sum", "-", "--format", "text", stdin=b"--5")


def tables():
    table = 'name,"a ""b""",c\nx,1.5,2\r\n"y,z",0.25, 3\n\n"two\nlines",-1,"4"'
    write("t.csv", table)
    expect(0.75, "sum", "t.csv", "--column", 'a "b"')
    expect(9.0, "sum", "t.csv", "--column", "3")
    expect(9.0, "sum", "t.csv", "--column", "c")
    expect(7.0, "sum", "-", "--format", "csv", "--column", "2", stdin=b"\xef\xbb\xbfa;b\n1;3\n2;4\n")
    expect(7.0, "sum", "-", "--format", "csv", "--column", "b", stdin=b"a\tb\n1\t3\n2\t4\n")
    refused('3 columns (name, a "b", c): choose one with --column', "sum", "t.csv")
    refused("no column d among 3", "sum", "t.csv", "--column", "d")
    refused("no column 4 among 3", "sum", "t.csv", "--column", "4")
    refused("t.csv:2:1: 'x' is not a number", "sum", "t.csv", "--column", "name")
    csv = ("sum", "-", "--format", "csv", "--column", "2")
    refused("<stdin>:3:1: 1 fields instead of 2", *csv, stdin=b"a,b\n1,2\n3\n")
    refused("<stdin>:2:1: 3 fields instead of 2", *csv, stdin=b"a,b\n1,2,3\n")
    refused("<stdin>:2:3: a quoted field does not end", *csv, stdin=b'a,b\n1,"2\n')
    refused("<stdin>:2:3: text after a quoted field", *csv, stdin=b'a,b\n1,"2"3\n')
    refused("<stdin>:2:3: a zero byte in a field", *csv, stdin=b"a,b\n1,3\x00 5\n")
    refused("<stdin>:2:3: a zero byte in a field", *csv, stdin=b"a,b\n1,3\x00\n")
    refused("<stdin>:2:3: a zero byte in a field", *csv, stdin=b'a,b\n1,"3\x00"\n')
    refused("<stdin>:3:1: a zero byte in a field", *csv, stdin=b"a,b\n1,2\nx\x00,3\n")
    refused("<stdin>:1:3: a zero byte in a field", *csv, stdin=b"a,b\x00c\n1,2\n")
    refused("<stdin>:1:1: a zero byte in a field", "sum", "-", "--format", "csv", stdin=b"3\x004\n")
    refused("the table is empty", *csv, stdin=b"\n\n")
    write("x.txt", "1 2")
    refused("--column is for csv and npz, this is text", "sum", "x.txt", "--column", "1")


def each(*arguments, **options):
    """The results of --columns, --by, --axis: (key, column, number)."""
    status, out, err = run(*arguments, "--json", **options)
    same((arguments, err), (status, err), (0, ""))
    results = [(r.get("by"), r.get("column"), r[arguments[0]]) for r in json.loads(out)["results"]]
    return [(key, column, value if "re" in value else float.fromhex(value["hex"])) for key, column, value in results]


def groups():
    rows = [(f"k{k % 700}", *numbers(2, seed=k)) for k in range(3000)]
    write("g.csv", "key,x,y\n" + "".join(f"{key},{x!r},{y!r}\n" for key, x, y in rows))
    keys = list(dict.fromkeys(row[0] for row in rows))
    want = {(key, c): rounded(total(row[c] for row in rows if row[0] == key)) for key in keys for c in (1, 2)}
    same("by", each("sum", "g.csv", "--by", "key", "--columns", "all"), [(k, "xy"[c - 1], want[k, c]) for k in keys for c in (1, 2)])
    same("one", each("sum", "g.csv", "--by", "1", "--column", "3"), [(k, None, want[k, 2]) for k in keys])
    same("columns", each("sum", "g.csv", "--columns", "y,2"), [(None, name, rounded(total(row[c] for row in rows)))
                                                              for name, c in (("y", 2), ("x", 1))])
    same("text", run("sum", "-", "--format", "csv", "--by", "k", stdin=b"v,k\n1,a\n2,b\n3,a\n")[1], "4  a\n2  b\n")
    same("no header", each("sum", "-", "--format", "csv", "--no-header", "--columns", "all", stdin=b"1,2\n3,5\n"),
         [(None, "1", 4.0), (None, "2", 7.0)])
    same("missing", each("mean", "-", "--format", "csv", "--columns", "all", "--skip-na", stdin=b"a,b\n1,NA\n,4\n5,nan\n"),
         [(None, "a", 3.0), (None, "b", 4.0)])
    expect(4.0, "sum", "-", "--skip-na", stdin=b"1 NA 3 nan null")
    write("n.npy", npy([1.0, math.nan, 2.5, math.nan], "<c16"))
    same("NaN in a part", run("mean", "n.npy", "--skip-na"), (0, "nan nan\n", ""))
    refused("'NA' is not a number", "sum", "-", stdin=b"1 NA")
    for words, *arguments in (("no column z", "sum", "g.csv", "--by", "z", "--column", "x"), ("named twice", "sum", "g.csv", "--columns", "x,x"),
                              ("one choice", "sum", "g.csv", "--column", "x", "--columns", "y"), ("dot has no option --skip-na", "dot", "--skip-na"),
                              ("take one file", "sum", "g.csv", "g.csv", "--by", "key"), ("'k0' is not a number", "sum", "g.csv", "--columns", "all"),
                              ("no column  among", "sum", "g.csv", "--columns", "x,"), ("--by is for csv, this is npy", "sum", "n.npy", "--by", "1"),
                              ("--axis is for npy and npz, this is csv", "sum", "g.csv", "--column", "x", "--axis", "0"),
                              ("--axis is for npy, --by for csv", "sum", "g.csv", "--axis", "0", "--by", "x")):
        refused(words, *arguments)


def axes():
    shape = 3, 70, 157
    x = numbers(math.prod(shape), "d", 40)
    at = dict(zip(itertools.product(*map(range, shape)), x))
    write("a.npy", npy(x, shape=shape))
    for axis in (0, 1, -1):
        kept = [n for i, n in enumerate(shape) if i != axis % 3]
        lines = {index: [] for index in itertools.product(*map(range, kept))}
        for index, value in at.items():
            lines[tuple(n for i, n in enumerate(index) if i != axis % 3)].append(value)
        same(axis, [r[2] for r in each("sum", "a.npy", "--axis", axis)], [rounded(total(line)) for line in lines.values()])
    save_matrix("f.npy", numbers(35, "f"), 5, 7, "f", True)
    save_matrix("c.npy", numbers(35, "f"), 5, 7, "f")
    for axis in (0, 1):
        same("order", each("var", "f.npy", "--axis", axis), each("var", "c.npy", "--axis", axis))
    write("z.npy", npy([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], "<c16", (2, 2)))
    same("complex", [(r[2]["re"]["value"], r[2]["im"]["value"]) for r in each("sum", "z.npy", "--axis", 0)], [(6, 8), (10, 12)])
    for words, *arguments in (("no axis 3 in 3 dimensions", "a.npy", "3"), ("no axis -4", "a.npy", "-4"), ("no axis x", "a.npy", "x")):
        refused(words, "sum", arguments[0], "--axis", arguments[1])
    write("f.npy", npy([1.0] * 8, shape=(2, 2, 2), fortran=True))
    refused("f.npy: --axis takes arrays of more than two dimensions in C order", "sum", "f.npy", "--axis", 0)


def compressed():
    x = numbers(20000)
    for name, command in (("gz", "gzip"), ("zst", "zstd")):
        if shutil.which(command) is None:
            continue
        for kind, data in (("npy", npy(x)), ("csv", "x\n" + "\n".join(map(repr, x))),
                           ("jsonl", "\n".join(f'{{"x": {y!r}}}' for y in x)), ("txt", " ".join(map(repr, x)))):
            packed = subprocess.run([command, "-c"], input=data if isinstance(data, bytes) else data.encode(), capture_output=True).stdout
            expect(rounded(total(x)), "sum", write(f"x.{kind}.{name}", packed))
            refused(f"x.{kind}.{name}: damaged", "sum", write(f"x.{kind}.{name}", packed[:2000]))
        refused("would have to read a stream", "sum", "-", stdin=packed)
        refused("x.npy.gz: damaged, or the program", "sum", write("x.npy.gz", packed), PATH=only_python())
    expect(struct.unpack("<d", b"\x1f\x8b" + bytes(6))[0], "sum", write("x.raw", b"\x1f\x8b" + bytes(6)))


def tables_by_python():
    write("t.jsonl", '{"k": "a", "v": 0.1}\n\n{"v": null, "k": "a,b"}\n{"k": "a", "v": true}\n')
    same("lines", each("sum", "t.jsonl", "--column", "v", "--by", "k", "--skip-na"), [("a", None, 1.1), ("a,b", None, 0.0)])
    refused("t.jsonl:3:7: '' is not a number", "sum", "t.jsonl", "--column", "v")
    refused("u.jsonl:2: ValueError: u is not", "sum", write("u.jsonl", '{"v": 1}\n{"u": 1}\n'))
    refused("'9007199254740993 (no double)' is not a number", "sum", write("u.jsonl", '{"v": 9007199254740993}'))
    refused("u.jsonl:3: JSONDecodeError: Expecting", "sum", write("u.jsonl", '{"v": 1}\n\n{'))
    refused("u.jsonl:1: TypeError", "sum", write("u.jsonl", "5"))
    for kind in ("parquet", "arrow"):
        write(f"u.{kind}", {"parquet": b"PAR1", "arrow": b"ARROW1\0\0"}[kind])
        refused(f"u.{kind}: offset 0: ", "sum", f"u.{kind}")
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return
    x = numbers(5000, "f")
    table = pyarrow.table({"k": ["a", "b"] * 2500, "x": pyarrow.array(x, pyarrow.float32()), "n": [1] * 4999 + [None]})
    parquet.write_table(table, os.path.join(DIRECTORY, "t.parquet"), row_group_size=700)
    with pyarrow.ipc.new_file(os.path.join(DIRECTORY, "t.arrow"), table.schema) as f:
        f.write(table)
    for name in ("t.parquet", "t.arrow"):
        same(name, each("sum", name, "--by", "k", "--columns", "x,n", "--skip-na"),
             [("a", "x", rounded(total(x[::2]))), ("a", "n", 2500.0), ("b", "x", rounded(total(x[1::2]))), ("b", "n", 2499.0)])


def matrix_market():
    banner = "%%MatrixMarket matrix "
    for text, want in (("coordinate real general\n% comment\n2 3 2\n1 1 1.5\n2 3 -4\n", -2.5),
                       ("coordinate integer symmetric\n3 3 2\n2 1 5\n3 3 7\n", 17.0),
                       ("coordinate real skew-symmetric\n2 2 1\n2 1 5\n", 0.0), ("coordinate pattern general\n2 2 2\n1 1\n1 2\n", 2.0),
                       ("coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n", 5.0),
                       ("array real general\n2 2\n1\n2\n3\n4.5\n", 10.5),
                       ("array real symmetric\n2 2\n1\n2\n4\n", 9.0),
                       ("array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 31.0)):
        expect(want, "sum", "-", stdin=(banner + text).encode())
    expect(10.0, "asum", "-", stdin=(banner + "array real skew-symmetric\n2 2\n-5\n").encode())
    # (2, 1), (3, 1), (3, 2), each with its negative opposite it
    for command, want in (("asum", 14.0), ("sum", 0.0), ("nrm2", math.sqrt(42))):
        expect(want, command, "-", stdin=(banner + "array real skew-symmetric\n3 3\n1\n2\n4\n").encode())
    expect(0.0, "sum", "-", stdin=(banner + "array real skew-symmetric\n0 0\n").encode())
    expect(31 / 9, "mean", "-", stdin=(banner + "array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n").encode())
    write("a.mtx", banner + "array real general\n2 3\n1\n2\n3\n4\n5\n6\n")  # by columns
    write("a.npy", npy([1.0, 10.0, 100.0, 1000.0, 1e4, 1e5], shape=(2, 3)))
    expect(1.0 + 30 + 500 + 2000 + 4e4 + 6e5, "dot", "a.mtx", "a.npy")
    coordinate = "coordinate real general\n2 3 2\n"
    for text, words in (("array complex general\n1 1\n1 2\n", "1:29: field 'complex' is not read"),
                        ("coordinate real hermitian\n1 1 0\n", "symmetry 'hermitian' is not read"),
                        ("array pattern general\n1 1\n", "never an array"), ("coordinate pattern skew-symmetric\n1 1 0\n", "never skew"),
                        (coordinate + "1 1 1\n", "4:1: truncated: a row is missing"),
                        (coordinate + "1 1 1\n2", "truncated: a column is missing"),
                        (coordinate + "3 1 1\n", "3:1: '3': a row from 1 to 2 is expected"),
                        (coordinate + "1 0 1\n", "3:3: '0': a column from 1 to 3"),
                        (coordinate + "1 1\n2 2 2\n", "4:1: the value does not stand on line 3"),
                        (coordinate + "1 1 1 2 2 2\n", "3:1: more on this line than one entry"),
                        (coordinate + "1 1 1\n2 2 2\n3 3 3\n", "5:1: text after the last entry"),
                        (coordinate + "1 1 q\n", "3:5: 'q' is not a number"),
                        ("coordinate real symmetric\n2 2 1\n1 2 5\n", "entry (1, 2) is not on or below the diagonal"),
                        ("array real symmetric\n2 3\n", "a symmetric matrix is square"),
                        # n (n + 1) / 2 and n (n - 1) / 2 on both sides of 2^63
                        ("array real symmetric\n3037000500 3037000500\n", "3:1: truncated: a value is missing"),
                        ("array real symmetric\n4294967295 4294967295\n", "3:1: truncated: a value is missing"),
                        ("array real symmetric\n4294967296 4294967296\n", "2:1: the array is too large"),
                        ("array real skew-symmetric\n4294967296 4294967296\n", "3:1: truncated: a value is missing"),
                        ("array real skew-symmetric\n4294967297 4294967297\n", "2:1: the array is too large"),
                        ("array real symmetric\n4611686018427387903 4611686018427387903\n", "2:1: the array is too large"),
                        ("array real general\n-1 3\n", "2:1: '-1'"), ("array real", "symmetry is missing")):
        refused(words, "sum", "-", stdin=(banner + text).encode())
    write("c.mtx", banner + "coordinate real general\n2 3 1\n1 1 1\n")
    refused("c.mtx: dot is of dense general arrays only", "dot", "a.npy", "c.mtx")


def malformed_npy():
    good = npy([1.0, 2.0, 3.0])
    for length in (0, 3, 6, 9):
        write("m.npy", good[:length])
        refused("m.npy: offset", "sum", "m.npy", "--format", "npy")
    for length in range(10, len(good), 11):
        write("m.npy", good[:length])
        refused("truncated", "sum", "m.npy")
    refused("offset 141: truncated after 1 and a part of elements", "sum", write("m.npy", good[:141]))
    for n, x in ((3, good), (0, npy([]))):
        refused(f"offset {len(x)}: bytes after the last of {n} elements", "sum", write("m.npy", x + b"x"))
    head = good[:128]
    for old, new, words in ((b"<f8", b"<c4", "elements of type '<c4' are not read"), (b"<f8", b"<f3", "'<f3'"),
                            (b"'<f8'", b"[('a', '<f8')]", "structured"), (b"(3,)", b"(-3)", "the shape is not a tuple of lengths"),
                            (b"(3,)", b"(9999999999999999999999,)", "too large"), (b"shape", b"shope", "unknown key"),
                            (b"(3,)", b"(2147483648, 268435456)", "the array is too large"),
                            (b", 'shape': (3,)", b"               ", "is missing"), (b"False", b"'Yes'", "True or False"), (b"False", b"Fales", "no dictionary"),
                            (b"{", b"(", "no dictionary"), (b"}", b" ", "malformed npy header"),
                            (b"\x93NUMPY\x01", b"\x93NUMPY\x04", "offset 6: npy version 4 is not known"),
                            (b"\x93NUMPY\x01", b"\x93NUMPY\x00", "offset 6: npy version 0 is not known"),
                            (b"\x01\0v\0", b"\x02\0\x01\0\x10\0", "npy header: 1048577 bytes long")):
        changed = head.replace(old, new)[:128]
        assert changed != head, old
        refused(words, "sum", write("m.npy", changed + good[128:]))
    refused("offset 10: truncated after 1 and a part of", "sum", "-", "--format",
            "raw", stdin=b"0123456789")
    refused("offset 10: truncated after 2 and a part of", "sum", "-", "--format", "raw", "--type", "f32", stdin=b"0123456789")
    for cut in range(8, 128, 5):  # any damage to the header is an error or harmless, never a crash
        damaged = bytearray(good)
        damaged[cut] ^= 0x41
        status, out, err = run("sum", "-", stdin=bytes(damaged))
        assert (status, err) == (0, "") or (status, out, err.count("\n")) == (2, "", 1), (cut, status, out, err)


def several_files():
    x, y = numbers(100, seed=1), numbers(100, seed=2)
    write("x.npy", npy(x))
    write("y.npy", npy(y))
    report = expect(rounded(total(x + y)), "sum", "x.npy", "y.npy")
    same("files", [f["file"] for f in report["files"]], ["x.npy", "y.npy"])
    same("each", [float.fromhex(f["sum"]["hex"]) for f in report["files"]], [rounded(total(v)) for v in (x, y)])
    status, out, _ = run("sum", "x.npy", "y.npy")
    same("lines", (status, [line.split()[1] for line in out.splitlines()]), (0, ["x.npy", "y.npy", "total"]))
    same("shortest", [float(line.split()[0]) for line in out.splitlines()],
         [rounded(total(v)) for v in (x, y, x + y)])
    refused("none.npy: No such file", "sum", "x.npy", "none.npy")
    refused("directory", "sum", DIRECTORY)


def written(screen):
    """All of it, until the end, where the system says EIO or nothing."""
    try:
        part = os.read(screen, 4096)
    except OSError:
        return b""
    return part and part + written(screen)


def progress():
    """On a terminal, of what takes more than a second."""
    half, (screen, terminal) = struct.pack("<d", 1.0) * 2 ** 18, os.openpty()
    command = [TOOL, "dot", write("x.raw", 3 * half), "-", "--format", "raw"]
    children = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, cwd=DIRECTORY)
                for stderr in (terminal, subprocess.STDOUT)]
    for child in children:
        child.stdin.write(2 * half)
        child.stdin.flush()
    time.sleep(1.2)
    for child in children:
        same("result", child.communicate(half)[0], b"786432\n")
    os.close(terminal)
    said = written(screen)
    assert b"\r\x1b[K<stdin>  4 MiB\r\x1b[Kx.raw [#####################         ]  70 %  4 MiB\r\x1b[K" in said, said
    same("cleared", said[-8:], b"\r\x1b[K\r\x1b[K")


def save_matrix(name, x, rows, columns, kind, fortran=False):
    x = by_columns(x, rows, columns) if fortran else x
    return write(name, npy(x, "<f8" if kind == "d" else "<f4", (rows, columns), fortran))


def verified_products():
    for kind, (m, k, n) in (("d", (7, 5, 9)), ("f", (7, 5, 9)), ("d", (1, 20, 1)), ("f", (3, 1, 4)), ("d", (2, 0, 3))):
        a, b, c0 = (numbers(s, kind, 20, seed) for seed, s in enumerate((m * k, k * n, m * n)))
        alpha, beta = -1.5, 0.75
        for fortran in (False, True):
            save_matrix("a.npy", a, m, k, kind, fortran)
            save_matrix("b.npy", b, k, n, kind, not fortran)
            save_matrix("c0.npy", c0, m, n, kind, fortran)
            save_matrix("c.npy", product(a, b, m, k, n, kind), m, n, kind, fortran)
            same("plain", run("verify", "a.npy", "b.npy", "c.npy"),
                 (0, f"{m * n} of {m * n} elements are correctly rounded\n", ""))
            save_matrix("c.npy", product(a, b, m, k, n, kind, alpha, beta, c0), m, n, kind)
            same("scaled", run("verify", "a.npy", "b.npy", "c.npy", "--alpha", "-1.5", "--beta", ".75", "--c0", "c0.npy")[0], 0)


def wrong_products():
    for kind in "df":
        m, k, n = 6, 4, 5
        a, b = numbers(m * k, kind, 3, 1), numbers(k * n, kind, 3, 2)
        right = product(a, b, m, k, n, kind)
        given = list(right)
        steps = {0: 700, 3: 1, 8: -2, 21: 3}
        for at, step in steps.items():
            given[at] = next_after(right[at], step, kind)
        given[29] = math.nan
        for name, x, rows, columns in (("a.npy", a, m, k), ("b.npy", b, k, n), ("c.npy", given, m, n)):
            save_matrix(name, x, rows, columns, kind)
        status, out, err = run("verify", "a.npy", "b.npy", "c.npy", "--json")
        r = json.loads(out)
        same("counts", (status, err, r["wrong"], r["not_finite"]), (1, "", 5, 1))
        same("histogram", [(h["up_to_ulps"], h["count"]) for h in r["histogram"]], [(1, 1), (2, 1), (4, 1), (1024, 1)])
        same("worst", (r["worst"]["element"], r["worst"]["ulps"], r["worst"] in r["list"]), ([0, 0], 700, True))
        same("list", {e["element"][0] * n + e["element"][1]: e["ulps"] for e in r["list"]},
             {**{at: abs(s) for at, s in steps.items()}, 29: None})
        same("right", [float.fromhex(e["right"]["hex"]) for e in r["list"]], [right[at] for at in (0, 3, 8, 21, 29)])
        status, out, _ = run("verify", "a.npy", "b.npy", "c.npy")
        assert status == 1 and "25 of 30 elements are correctly rounded" in out and "700 ulps" in out, out
        same("steps", re.findall("off by (.*)", out), ["1 ulp", "2 ulps", "3 to 4 ulps", "513 to 1024 ulps"])
        same("the worst is also listed", len(out.splitlines()), len(set(out.splitlines())) + 1)
    save_matrix("a.npy", [1.0, -1.0], 1, 2, "d")
    save_matrix("b.npy", [1.0] * 2 * 30, 2, 30, "d")
    save_matrix("c.npy", [-0.0] * 30, 1, 30, "d")
    status, out, _ = run("verify", "a.npy", "b.npy", "c.npy")
    assert status == 1 and "30  zeros of the wrong sign" in out and "and 10 more" in out, out
    same("all", run("verify", "--all", "a.npy", "b.npy", "c.npy")[1].count("sign of zero"), 30)
    save_matrix("c.npy", [-next_after(0.0, 1)] * 15 + [next_after(0.0, 2)] * 15, 1, 30, "d")
    same("around zero", json.loads(run("verify", "a.npy", "b.npy", "c.npy", "--json")[1])["histogram"],
         [{"up_to_ulps": 1, "count": 15}, {"up_to_ulps": 2, "count": 15}])


def refused_products():
    for name, rows, columns, kind in (("a.npy", 2, 3, "d"), ("b.npy", 3, 4, "d"), ("c.npy", 2, 4, "d"), ("f.npy", 2, 4, "f"),
                                      ("t.npy", 4, 2, "d")):
        save_matrix(name, numbers(rows * columns, kind), rows, columns, kind)
    write("v.npy", npy(numbers(3)))
    write("i.npy", npy([1, 2, 3, 4, 5, 6], "<i4", (3, 2)))
    for words, arguments in (("a.npy has 3 columns, c.npy has 2 rows", ("a.npy", "c.npy", "c.npy")),
                             ("t.npy has shape (4, 2), the product has (2, 4)", ("a.npy", "b.npy", "t.npy")),
                             ("a.npy is of type f8, f.npy of f4", ("a.npy", "b.npy", "f.npy")),
                             ("v.npy: 1 dimensions", ("a.npy", "v.npy", "c.npy")),
                             ("i.npy: elements are integers", ("a.npy", "i.npy", "c.npy")),
                             ("verify needs three files", ("a.npy", "b.npy")),
                             ("--beta needs --c0", ("a.npy", "b.npy", "c.npy", "--beta", "2")),
                             ("--alpha 2x: not a number", ("a.npy", "b.npy", "c.npy", "--alpha", "2x")),
                             ("t.npy has shape", ("a.npy", "b.npy", "c.npy", "--beta", "2", "--c0", "t.npy"))):
        refused(words, "verify", *arguments)
    write("x.txt", "1 2")
    refused("x.txt: not an npy file", "verify", "x.txt", "b.npy", "c.npy")


def eliminated(rows, n):
    """Rows of fractions after Gauss and Jordan."""
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k and rows[i][k]:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    return rows


def solution(a, b, m, n, nrhs, kind):
    """RN of the solution, of least squares for m > n, in C order."""
    p, q = [Fraction(x) for x in a], [Fraction(x) for x in b]
    if m > n:
        q = [sum(p[l * n + i] * q[l * nrhs + k] for l in range(m)) for i in range(n) for k in range(nrhs)]
        p = [sum(p[l * n + i] * p[l * n + j] for l in range(m)) for i in range(n) for j in range(n)]
    rows = eliminated([p[i * n:(i + 1) * n] + q[i * nrhs:(i + 1) * nrhs] for i in range(n)], n)
    return [rounded(rows[i][n + k] / rows[i][i], kind) for i in range(n) for k in range(nrhs)]


def solutions():
    for kind in "df":
        for m, n, nrhs in ((5, 5, 2), (7, 3, 1), (1, 1, 1)):
            a, b = numbers(m * n, kind, 3, 4), numbers(m * nrhs, kind, 3, 5)
            right = solution(a, b, m, n, nrhs, kind)
            save_matrix("a.npy", a, m, n, kind, m == 7)
            save_matrix("b.npy", b, m, nrhs, kind)
            save_matrix("x.npy", right, n, nrhs, kind, m == 5)
            same("right", run("verify", "--solve", "a.npy", "b.npy", "x.npy"),
                 (0, f"{n * nrhs} of {n * nrhs} elements are correctly rounded\n", ""))
            right[-1] = next_after(right[-1], 3, kind)
            save_matrix("x.npy", right, n, nrhs, kind)
            status, out, _ = run("verify", "--solve", "a.npy", "b.npy", "x.npy", "--json")
            r = json.loads(out)
            same("wrong", (status, r["wrong"], r["worst"]["element"], r["worst"]["ulps"]), (1, 1, [n - 1, nrhs - 1], 3))
    write("v.npy", npy([2.0, 4.0]))
    save_matrix("a.npy", [1.0, 1.0, 0.0, 2.0], 2, 2, "d")
    write("x.npy", npy([0.0, 2.0]))
    same("vectors", run("verify", "--solve", "a.npy", "v.npy", "x.npy")[0], 0)
    refused("x.npy has shape (2, 1), the solution has (2, 2)", "verify", "--solve", "a.npy", "a.npy", "x.npy")
    refused("--solve has no option --alpha", "verify", "--solve", "--alpha", "2", "a.npy", "v.npy", "x.npy")
    refused("verify needs three files: A B X", "verify", "--solve", "a.npy")
    save_matrix("a.npy", [1.0, 1.0, 2.0, 2.0], 2, 2, "d")
    refused("no unique solution", "verify", "--solve", "a.npy", "v.npy", "x.npy")
    write("v.npy", npy([2.0, math.inf]))
    refused("Inf and NaN", "verify", "--solve", "a.npy", "v.npy", "x.npy")


def sparse_systems():
    """Differences on a 12 x 12 grid: the lower triangle in a file, one entry as the sum of two."""
    side, places = 12, {}
    for i in range(side * side):
        places[i, i] = 4
        places.update({(i, i - d): -1 for d in (1, side) if i >= d and (d > 1 or i % side)})
    n, entries = side * side, [(i, j, v) for (i, j), v in places.items() if (i, j) != (5, 5)] + [(5, 5, 1), (5, 5, 3)]
    head = "%%MatrixMarket matrix coordinate real"
    lines = [f"{i + 1} {j + 1} {v}" for i, j, v in entries]
    write("a.mtx", f"{head} symmetric\n{n} {n} {len(lines)}\n" + "\n".join(lines) + "\n")
    lines += [f"{j + 1} {i + 1} {v}" for i, j, v in entries if i != j]
    write("whole.mtx", f"{head} general\n{n} {n} {len(lines)}\n" + "\n".join(lines) + "\n")
    b = [(7 * i % 11) / 8 - 0.5 for i in range(n)]
    write("b.txt", "\n".join(map(repr, b)))
    norm = math.sqrt(sum(x * x for x in b))
    for method in ("--cg", "--bicgstab", "--gmres"):
        status, out, err = run("solve", method, "a.mtx", "b.txt", "--history", "h", "--jacobi")
        same(method, (status, err.startswith("exblas: converged after ")), (0, True))
        lines = out.splitlines()
        same("head", lines[:2], ["%%MatrixMarket matrix array real general", f"{n} 1"])
        x = [float(line) for line in lines[2:]]
        residual = list(b)
        for (i, j), v in places.items():
            residual[i] -= v * x[j]
            residual[j] -= v * x[i] if i != j else 0
        assert math.sqrt(sum(r * r for r in residual)) <= 1.01e-10 * norm, method
        history = [line.split() for line in open(os.path.join(DIRECTORY, "h"))]
        same("steps", [int(h[0]) for h in history], list(range(int(err.split()[3]) + 1)))
        assert all(float(h[1]) == float.fromhex(h[2]) for h in history)
        assert float(history[-1][1]) <= 1e-10 * norm < float(history[-2][1])
        for isa, threads, matrix in (("generic", "1", "a.mtx"), ("", "2", "whole.mtx")):
            again = run("solve", method, matrix, "b.txt", "--jacobi", "--quiet", EXBLAS_ISA=isa, EXBLAS_NUM_THREADS=threads)
            same((method, isa), again, (0, out, ""))
    status, out, err = run("solve", "--cg", "-", "b.txt", "--steps", 3, "--output", "x.mtx", "--history", "h",
                           stdin=open(os.path.join(DIRECTORY, "a.mtx"), "rb").read())
    same("few steps", (status, out, err.split(",")[0]), (1, "", "exblas: not converged after 3 steps"))
    history = [line.split() for line in open(os.path.join(DIRECTORY, "h"))]
    same("their residuals", [h[0] for h in history], list("0123"))
    same("the last", f"residual {float(history[-1][1]):.3e}", err.split(", ")[1].strip())
    expect(math.fsum(map(float, open(os.path.join(DIRECTORY, "x.mtx")).read().split("1\n", 1)[1].split())), "sum", "x.mtx")
    screen, terminal = os.openpty()
    subprocess.run([TOOL, "solve", "--gmres", "a.mtx", "b.txt", "--tolerance", "1e-300", "--steps", "60000"], stdout=subprocess.DEVNULL,
                   stderr=terminal, cwd=DIRECTORY, timeout=60)
    os.close(terminal)
    said = written(screen)
    assert re.match(rb"\rstep \d+, residual \d\.\d\d\de-\d\d\x1b\[K.*\r\x1b\[Kexblas: not converged", said), said


def least_squares():
    head = "%%MatrixMarket matrix array real general\n"
    for code in "f8", "f4":
        write("a.npy", npy([1, 2, 3, 4, 5, 7], "<" + code, (3, 2)))
        write("b.npy", npy([1, 2, 3], "<" + code))
        status, out, err = run("solve", "--least-squares", "a.npy", "b.npy")
        same(code, (status, out[:len(head) + 4], err), (0, head + "2 1\n", ""))
        same(code, out.splitlines()[2:], [{"f8": "-0.07142857142857142", "f4": "-0.071428575"}[code], "0.5"])
        same(code, run("solve", "--least-squares", "a.npy", "b.npy", "--output", "x.mtx"), (0, "", ""))
        same(code, open(os.path.join(DIRECTORY, "x.mtx")).read(), out)
    refused("/dev/full: cannot be written", "solve", "--least-squares", "a.npy", "b.npy", "--output", "/dev/full", status=3)
    write("zero.npy", npy([0] * 6, "<f8", (3, 2)))
    write("b.npy", npy([1, 2, 3]))
    refused("no unique solution", "solve", "--least-squares", "zero.npy", "b.npy")
    refused("has no option --steps", "solve", "--least-squares", "--steps", "3", "zero.npy", "b.npy")


def refused_systems():
    head = "%%MatrixMarket matrix coordinate real general\n"
    write("wide.mtx", head + "1 2 1\n1 1 1\n")
    write("a.mtx", head + "2 2 2\n1 1 1\n2 1 1\n")
    write("far.mtx", head + "2 2 1\n3 1 1\n")
    write("b.txt", "1 2")
    write("three.txt", "1 2 3")
    for words, *arguments in (("--cg, --bicgstab, --gmres or --least-squares is needed", "a.mtx", "b.txt"), ("takes a matrix", "--cg", "a.mtx"),
                              ("coordinates is needed", "--cg", "b.txt", "b.txt"), ("2 rows", "--cg", "a.mtx", "three.txt"),
                              ("1 x 2 is not square", "--cg", "wide.mtx", "b.txt"), ("no inverse", "--cg", "--jacobi", "a.mtx", "b.txt"),
                              ("far.mtx:3:1: '3'", "--cg", "far.mtx", "b.txt"), ("--tolerance 2", "--cg", "--tolerance", "2"), ("--steps 0", "--cg", "--steps", "0"),
                              ("--steps 2147483647", "--cg", "--steps", "2147483647"), ("one choice", "--cg", "--gmres", "a.mtx", "b.txt"),
                              ("no option --json", "--cg", "a.mtx", "b.txt", "--json")):
        refused(words, "solve", *arguments)
    refused("a.mtx: not symmetric at (2, 1), as --cg needs it", "solve", "--cg", "a.mtx", "b.txt")
    write("next.mtx", head + "3 3 2\n1 3 1\n3 2 1\n")  # the transpose's next row begins with the third column
    refused("not symmetric at (1, 3)", "solve", "--cg", "next.mtx", "three.txt")
    write("zero.mtx", head + "2 2 3\n1 1 1\n2 2 1\n1 2 0\n")  # which is symmetric
    same("a stored zero", run("solve", "--cg", "--quiet", "zero.mtx", "b.txt")[0], 0)
    write("skew.mtx", head + "2 2 2\n1 2 1\n2 1 1\n")
    write("e.txt", "1 0")
    status, out, err = run("solve", "--cg", "skew.mtx", "e.txt")
    same("breakdown", (status, out, err[:17]), (1, "", "exblas: breakdown"))
    refused("has no option --jacobi", "sum", "b.txt", "--jacobi")
    refused("cannot be written", "solve", "--bicgstab", "--quiet", "a.mtx", "b.txt", "--output", "/dev/full", status=3)
    refused("/no/x", "solve", "--gmres", "a.mtx", "b.txt", "--output", "/no/x", status=3)


def listed_commands(**variables):
    commands = run("--help", **variables)[1].partition("\nResults are")[0]
    return re.findall(r"^  ([a-z][a-z-]*[a-z2]) ", commands, re.M)


def parts_of_an_installation():
    """A command that lacks others lists only what works."""
    global TOOL
    if not os.path.exists(os.path.join(BUILD, "lib")):  # a package's
        return
    whole, variables = TOOL, {"PATH": only_python(), "LD_LIBRARY_PATH": os.path.join(BUILD, "lib")}
    TOOL = os.path.join(shutil.copytree(os.path.dirname(TOOL), os.path.join(DIRECTORY, "alone")), "exblas")
    try:
        same("alone", {"bench", "grade", "trace-diff"} & set(listed_commands(**variables)), set())
        for name, words in (("bench",), "exblas-bench"), (("grade",), "exblas-grade"), (("trace-diff",), "exblas-trace-diff"):
            status, out, err = run(*name, **variables)
            same(name, (status, out, err), (3, "", f"exblas: {name[0]} is not part of this installation: it takes {words}\n"))
        elsewhere = os.path.join(DIRECTORY, "elsewhere")
        os.mkdir(elsewhere)
        variables["PATH"] += f":{elsewhere}"
        with open(os.path.join(elsewhere, "exblas-bench"), "w") as f:
            f.write("#!/bin/sh\necho it is $*\n")
        os.chmod(f.name, 0o755)
        assert "bench" in listed_commands(**variables)
        same("found", run("bench", "dot", **variables), (0, "it is dot\n", ""))
    finally:
        TOOL = whole


def usage():
    for words, arguments in (("no command", ()), ("no such command: plus", ("plus",)), ("needs a file", ("sum",)),
                             ("no such command: plus", ("help", "plus")), ("needs two files", ("dot", "x")), ("--bad: unknown option", ("sum", "--bad")),
                             ("no such command: smu (did you mean sum?)", ("smu",)), ("(did you mean verify?)", ("verfy", "x")),
                             ("(did you mean --delimiter?)", ("sum", "--delimeter", ",")), ("such command: xy, see", ("xy",)),
                             ("--column needs a value", ("sum", "--column")), ("bash, zsh or fish", ("completions", "csh")),
                             ("--format gif", ("sum", "x", "--format", "gif")), ("--type f16", ("sum", "x", "--type", "f16")),
                             ("sum has no option --alpha", ("sum", "x", "--alpha", "1")),
                             ("sum has no option --all", ("sum", "x", "--all")), ("sum has no option --solve", ("sum", "x", "--solve")),
                             ("info has no option --format", ("info", "--format", "raw")), ("takes no files", ("demo", "x"))):
        refused(words, *arguments)
    status, out, err = run("--help")
    assert status == 0 and "usage:" in out and not err
    same("help", [run("help"), run("help", "sum")], 2 * [(status, out, err)])
    same("version", run("-V"), run("--version"))
    for shell in ("bash", "zsh", "fish"):
        status, words, err = run("completions", shell)
        same(shell, (status, err, {"sum", "trace-diff", "help"} - set(re.split(r"[ ']", words)), "column" in words), (0, "", set(), True))
    script = 'eval "$("$0" completions bash)"; complete -p exblas'
    same("bash", subprocess.run(["bash", "-c", script, TOOL], capture_output=True).returncode, 0)
    commands = listed_commands()
    for name in commands:
        same((name, "--help"), run(name, "--help")[0], 0)
    for name in {"bench", "trace-diff", "run", "quickstart", "fprev"} - set(commands):
        status, out, err = run(name)
        same(name, (status in (2, 3), out, err.count("\n")), (True, "", 1))
    full = open("/dev/full", "w")
    done = subprocess.run([TOOL, "info"], stdout=full, capture_output=False, stderr=subprocess.PIPE)
    same("full disk", (done.returncode, b"cannot write" in done.stderr), (3, True))


def information_and_demonstration():
    status, out, _ = run("info", "--json")
    same("info", (status, set(json.loads(out)) >= {"version", "isa", "isas", "threads", "method", "compiler"}), (0, True))
    same("generic", json.loads(run("info", "--json", EXBLAS_ISA="generic")[1])["isa"], "generic")
    status, out, _ = run("demo", "--json")
    r = json.loads(out)
    same("demo", (status, r["exblas"]["different"], r["exblas"]["runs"]), (0, 1, 40))
    same("plain", (r["plain"]["different"], [x["hex"] for x in r["plain"]["results"][5:]]), (7, ["0x1.880c664823b5ep+28", "0x1.880c664823b66p+28"]))
    golden = r["exblas"]["results"][0]["hex"]
    text = run("demo")[1]
    same("in words", re.findall(r"  \d+ different answers? out of \d+\n", text), ["  7 different answers out of 7\n", "  1 different answer out of 40\n"])
    same("other kernels", json.loads(run("demo", "--json", EXBLAS_ISA="generic")[1])["exblas"]["results"][0]["hex"], golden)


def in_a_folder(test):
    @functools.wraps(test)
    def run_there():
        global DIRECTORY
        with tempfile.TemporaryDirectory() as DIRECTORY:
            test()
    return run_there


tap.run(*map(in_a_folder, [
    reductions_of_npy, rounding_once, integers_and_shapes, dots, decimal_text, tables, groups, axes, compressed, tables_by_python,
    matrix_market, malformed_npy, several_files, progress, means_and_variances, half_precision, complex_numbers, archives,
    shown_names, verified_products, wrong_products, refused_products, solutions, sparse_systems, least_squares,
    refused_systems, usage, parts_of_an_installation, information_and_demonstration]))
