#!/usr/bin/env python3
"""test_text.py EXBLAS: odd and bad text, tables and matrices. Each gives the right sum, or one line with its place and
the option that decides, and nothing on standard output. Reports in TAP."""
import contextlib
import io
import math
import os
import random
import sys
import tempfile

MARK = b"\xef\xbb\xbf"
BANNER = b"%%MatrixMarket matrix array real general"
OPTIONS = "say --header or --no-header"
COMMA = "Say --delimiter , or --decimal ,"
MIXED = "lines end with CR alone and with LF"

# format, bytes, options, and the sum or what the message says
CASES = (
    # ends of lines
    ("csv", b"x\r1\r2\r", "", 3),
    ("csv", b"a,b\r1,2\r3,4", "--column b", 6),
    ("csv", b"a,b\r\n1,2\r\n\r\n3,4\r\n", "--column b", 6),
    ("csv", b"x\r\r\n1\r\r\n2\r\r\n", "", 3),
    ("csv", b"x\r\r1\r\r\r2", "", 3),
    ("csv", b"x\n1\r2\n", "", f":2:2: {MIXED}"),
    ("csv", b"x\r1\n2\r", "", f":2:2: {MIXED}"),
    ("csv", b"x\r1\rz\r", "", ":3:1: 'z' is not a number"),
    ("csv", b"x\r\n1\r\nz", "", ":3:1: 'z' is not a number"),
    ("csv", b"x\r\r\n1\r\r\nz", "", ":3:1: 'z' is not a number"),
    ("csv", b'x,"two\nlines"\r\n1,2\r\n3,4\r\n', "--column 2", 6),
    ("csv", b'x,"two\rlines"\n1,2\n3,z\n', "--column 2", ":4:3: 'z' is not a number"),
    ("text", b"# numbers\r1\r2\r3\r", "", 6),
    ("text", b"# numbers\r\r\n1\r\r\n2", "", 3),
    ("text", b"1\r2\n3", "", f":2:2: {MIXED}"),
    ("text", b"1\r2 z", "", ":2:3: 'z' is not a number"),
    ("mtx", BANNER + b"\r% comment\r2 1\r1\r2\r", "", 3),
    ("mtx", BANNER + b"\r\r\n% comment\r\r\n2 1\r\r\n1\r\r\n2\r\r\n", "", 3),
    ("mtx", BANNER.replace(b"array", b"coordinate") + b"\r2 2 1\r1 1 1 2\r", "", ":3:7: text after the last entry"),
    # headers
    ("csv", b"2020,2021\n1,2\n3,4\n", "--column 1", f":1:1: '2020' may be a name or a value: {OPTIONS}"),
    ("csv", b"2020,2021\n1,2\n3,4\n", "--column 2", f":1:6: '2021' may be a name or a value: {OPTIONS}"),
    ("csv", b"2020,2021\n1,2\n3,4\n", "--column 1 --header", 4),
    ("csv", b"2020,2021\n1,2\n3,4\n", "--column 1 --no-header", 2024),
    ("csv", b"2020,2021\n1,2\n3,4\n", "--column 2021", 6),
    ("csv", b"2020,2021\n1,2\n", "--column 2021 --no-header", ":1:1: no column 2021 among 2"),
    ("csv", b"name,2020\na,2\nb,4\n", "--column 2", f":1:6: '2020' may be a name or a value: {OPTIONS}"),
    ("csv", b"1\n2\n3\n", "", f":1:1: '1' may be a name or a value: {OPTIONS}"),
    ("csv", b"1\n2\n3\n", "--no-header", 6),
    ("csv", b"nan\n2\n3\n", "", f":1:1: 'nan' may be a name or a value: {OPTIONS}"),
    ("csv", b"NA\n2\n3\n", "", f":1:1: 'NA' may be a name or a value: {OPTIONS}"),
    ("csv", b"1 000\n2\n3\n", "", f":1:1: '1 000' may be a name or a value: {OPTIONS}"),
    ("csv", b"$5\n2\n3\n", "", f":1:1: '$5' may be a name or a value: {OPTIONS}"),
    ("csv", "\u22125\n2\n3\n".encode(), "", f":1:1: '\u22125' may be a name or a value: {OPTIONS}"),
    ("csv", b",b\n2,5\n3,5\n", "--column 1", f":1:1: '' may be a name or a value: {OPTIONS}"),
    ("csv", b",b\n2,5\n3,5\n", "--column 1 --header", 5),
    ("csv", b"NA\n2\n", "--no-header", ":1:1: 'NA' is not a number"),
    ("csv", "größe\n2\n3\n".encode(), "", 5),
    ("csv", "größe\n2\n3\n".encode(), "--column größe", 5),
    ("csv", "élan\n2\n3\n".encode(), "", 5),
    ("csv", b"_\n2\n3\n", "", 5),
    ("csv", b"2,1\n5,6\n", "--column 1 --header", ":1:1: 1 is the name of column 2, too"),
    ("csv", b"1,2\n5,6\n", "--column 1 --header", 5),
    ("csv", b"a,a\n5,6\n", "--column a", ":1:1: 2 columns are named a"),
    ("csv", b"a,a\n5,6\n", "--column 2", 6),
    ("csv", b"a,b\n", "--column 2", 0),
    ("csv", b"a,b\n  ,5\n", "--column a", ":2:1: '' is not a number"),
    # separators
    ("csv", b"1,5;2,5\n3,5;4,5\n", "--column 1", ":1:1: ',' and ';' both stand here: say --delimiter"),
    ("csv", b"1,5\t2,5\n", "--column 1", ":1:1: ',' and 'tab' both stand here"),
    ("csv", b"1,5|2,5\n", "--column 1", ":1:1: ',' and '|' both stand here"),
    ("csv", b"1,5;2,5\n3,5;4,5\n", "--column 1 --decimal , --no-header", 5),
    ("csv", b"1,5;2,5\n3,5;4,5\n", "--column 1 --delimiter , --no-header", 4),
    ("csv", b"1,5;2,5\n3,5;4,5\n", "--column 1 --delimiter ; --no-header", ":1:1: '1,5' is not a number (see --decimal)"),
    ("csv", b"x;y\n1,5;2,5\n", "--column y", ":2:5: '2,5' is not a number (see --decimal)"),
    ("csv", b"x;y\n1,5;2,5\n", "--column y --decimal ,", 2.5),
    ("csv", b"x;y\n1;2.5\n", "--column y --decimal ,", ":2:3: '2.5' is not a number with --decimal ,"),
    ("csv", b"x;y\n1;1.234,5\n", "--column y --decimal ,", ":2:3: '1.234,5' is not a number with --decimal ,"),
    ("csv", b"x;y\n1;1,234,5\n", "--column y --decimal ,", ":2:3: '1,234,5' is not a number"),
    ("csv", b"x\n1,5\n2,5\n", "--decimal ,", 4),
    ("csv", b"x\n1,5\n2,5\n", "", ":2:1: 2 fields instead of 1"),
    ("csv", b'x\n"1,5"\n', "", ":2:1: '1,5' is not a number (see --decimal)"),
    ("csv", b'x\n"1,234"\n', "", ":2:1: '1,234' is not a number"),
    ("csv", b'"a,b";c\n1;2\n', "--column c", 2),
    ("csv", b'"a ""b"", c";d\n1;2\n', "--column d", 2),
    ("csv", b"\n\na;b\n1;2\n", "--column b", 2),
    ("csv", b"a|b\n1|2\n", "--column b", 2),
    ("csv", b"a:b\n1:2\n", "--column b --delimiter :", 2),
    ("csv", b"a b\n1 2\n", "--column b --delimiter space", 2),
    ("csv", b"a,b\tc\n1,5\t2\n", "--column c --delimiter tab", 2),
    ("tsv", b"a,b\tc\n1,5\t2\n", "--column c", 2),
    ("tsv", b"x\n1,5\n", "", ":2:1: '1,5' is not a number (see --decimal)"),
    ("tsv", b"x\n1,5\n", "--decimal ,", 1.5),
    ("text", b"1,5\n2,5\n", "", f":1:2: does this comma separate? {COMMA}"),
    ("text", b"1,5\n2,5\n", "--decimal ,", 4),
    ("text", b"1,5\n2,5\n", "--delimiter ,", 13),
    ("text", b"-1,5\n", "", f":1:3: does this comma separate? {COMMA}"),
    ("text", b"12345 1.25,3\n", "", 12349.25),
    ("text", b"1,234,567\n", "", f":1:2: does this comma separate? {COMMA}"),
    ("text", b"1,234.5\n", "", f":1:2: does this comma separate? {COMMA}"),
    ("text", b"1.234,5\n", "", f":1:6: does this comma separate? {COMMA}"),
    ("text", b"123.456,5\n", "", f":1:8: does this comma separate? {COMMA}"),
    ("text", b"1234.567,5\n", "", 1239.567),
    ("text", b"0.5,1.25\n3,4\n", "", 8.75),
    ("text", b"1, 2,3\n", "", 6),
    ("text", b"1,\n2,\n3,\n", "", 6),
    ("text", b"1,-2,3", "", 2),
    ("text", b"1e3,5", "", 1005),
    ("text", b"1,5;2,5", "--decimal , --delimiter ;", 4),
    ("text", b"1;2", "", ":1:1: '1;2' is not a number"),
    ("text", b"1.5\n2,5", "--decimal ,", ":1:1: '1.5' is not a number with --decimal ,"),
    ("mtx", BANNER + b"\n2 1\n1,5\n", "", ":3:1: '1,5' is not a number"),
    ("mtx", BANNER + b"\n1 1\n1.5\n", "--decimal ,", "--decimal is for csv and text, this is mtx"),
    # marks and codes
    ("text", MARK + b"1 2", "", 3),
    ("text", MARK + b"# comment\n1 2 z", "", ":2:5: 'z' is not a number"),
    ("text", MARK + b"z", "", ":1:1: 'z' is not a number"),
    ("text", b"1 2\n" + MARK + b"3", "", ":2:1: '" + MARK.decode() + "3' is not a number: a byte order mark"),
    ("csv", MARK + b"x\n1\n", "--column x", 1),
    ("csv", MARK + b'"x"\n1\n', "--column x", 1),
    ("csv", b"x\n1\n" + MARK + b"2\n", "", "is not a number: a byte order mark"),
    ("mtx", MARK + BANNER + b"\n1 1\n5\n", "", 5),
    ("auto", MARK + BANNER + b"\n1 1\n5\n", "", 5),
    ("auto", MARK + b"5", "", 5),
    ("text", "1 2".encode("utf-16"), "", "offset 0: this is UTF-16: make it UTF-8"),
    ("csv", b"\xfe\xff\0x\0\n", "", "offset 0: this is UTF-16: make it UTF-8"),
    ("text", b"1\xa02", "", ":1:1: '1?2' is not a number"),
    ("text", "1\u00a02".encode(), "", "is not a number"),
    ("text", b"1 2\x1a", "", ":1:3: '2?' is not a number"),
    # options
    ("csv", b"x\n1\n", "--header --no-header", "--header and --no-header are one choice"),
    ("csv", b"x\n1\n", "--delimiter , --decimal ,", "--delimiter and --decimal are both ,"),
    ("csv", b"x\n1\n", "--delimiter x", "--delimiter x: no such choice"),
    ("csv", b"x\n1\n", "--decimal ;", "--decimal ;: no such choice"),
    ("text", b"1", "--no-header", "--no-header is for csv, this is text"),
    ("raw", b"", "--header", "--header is for csv, this is raw"),
    ("raw", b"", "--delimiter ;", "--delimiter is for csv and text, this is raw"),
)


def run(*words):
    """In this process, to which Python's start is nothing."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            return cli.run(list(words)), out.getvalue()
        except cli.Failure as failure:
            return failure.args[1], failure.args[0]


def is_right(got, want):
    status, text = got
    if isinstance(want, str):
        return status == 2 and want in text and "\n" not in text
    return status == 0 and float(text) == want


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def in_pieces(folder, form, data, options):
    """Of any file some bytes may be read at a time."""
    path = write(folder, "x" + ".tsv" * (form == "tsv"), data)
    words = ["sum", path, *([] if form == "tsv" else ["--format", form]), *options.split()]
    for text.BLOCK in (1, 2, 3, 7, 64, 1 << 20):
        yield run(*words)


def is_right_in_company(folder):
    """What decides for a table may stand beside a file that needs no such option."""
    x = write(folder, "x.npy", b"\x93NUMPY\1\0\x76\0" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }".ljust(117) +
              b"\n" + bytes(6) + b"\x10\x40")
    status, out = run("sum", x, write(folder, "x.tsv", b"1,5\n2,5\n"), "--no-header", "--decimal", ",")
    return (status, [float(line.split()[0]) for line in out.splitlines()]) == (0, [4, 4, 8])


def is_right_of_a_system(folder):
    """The options are for the right-hand side."""
    a = write(folder, "a.mtx", b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
    status, out = run("solve", "--cg", "--quiet", a, write(folder, "b.csv", b"1;2,5\n"), *"--column 2 --no-header --decimal ,".split())
    return (status, out.split()[-1:]) == (0, ["1.25"])


def is_right_of_random_numbers(folder):
    """Written here in any notation, between what may stand there."""
    r = random.Random(1)
    for _ in range(300):
        x = [r.choice((0.0, -0.0, 1.5, math.inf, r.uniform(-1, 1) * 2.0 ** r.randint(-1070, 1000))) for _ in range(r.randint(1, 60))]
        words = [r.choice((repr, float.hex, "{:+.17e}".format, "{:.40g}".format, "{:.17g}".format))(v) for v in x]
        table = "".join(f'"a{i}{r.choice(("", chr(10), chr(34) * 2))}",{r.choice((word, f"{chr(34)}{word}{chr(34)}", f" {word}"))},{i}\n'
                        for i, word in enumerate(words))
        files = {"text": "".join(word + r.choice((" ", "\n", ", ", "\t\r\n", " # no number 7\n", ",,")) for word in words),
                 "csv": "name,x,i\n" + table,
                 "mtx": f"%%MatrixMarket matrix coordinate real general\n{len(x)} 3 {len(x)}\n" + "".join(
                     f"{1 + i} {1 + i % 3} {word}{r.choice((chr(10), chr(10) + '% a comment' + chr(10)))}" for i, word in enumerate(words))}
        for kind, written in files.items():
            path = write(folder, "y." + kind, written.encode())
            text.BLOCK = r.choice((1, 5, 50, 1 << 20))
            q = cli.parse_words("sum", "reduce", [path, "--format", kind, *(["--column", "x"] if kind == "csv" else [])])
            got = [v.hex() for block in source.open_source(q, path).blocks() for v in block]
            if got != [v.hex() for v in x]:
                print(f"# {kind}: {written!r}")
                return False
    return True


sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[1])))
import cli  # noqa: E402
import source  # noqa: E402
import text  # noqa: E402
print(f"1..{len(CASES) + 3}")
with tempfile.TemporaryDirectory() as folder:
    for number, (form, data, options, want) in enumerate(CASES, 1):
        wrong = [got for got in in_pieces(folder, form, data, options) if not is_right(got, want)]
        print(f"{'not ok' if wrong else 'ok'} {number} - {form} {data[:40]!r} {options}".replace("#", "no."))
        if wrong:
            print(f"# {want!r} is wanted, not {wrong[0]!r}")
    print(f"{'ok' if is_right_in_company(folder) else 'not ok'} {len(CASES) + 1} - beside an array")
    print(f"{'ok' if is_right_of_a_system(folder) else 'not ok'} {len(CASES) + 2} - of a system")
    print(f"{'ok' if is_right_of_random_numbers(folder) else 'not ok'} {len(CASES) + 3} - random numbers")
