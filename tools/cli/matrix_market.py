"""Matrix Market files (R. Boisvert, R. Pozo, K. Remington, NISTIR 5935): coordinate and array, real, integer and pattern.
Entries that symmetry implies are numbers of the matrix too."""
import re
from array import array

from show import plain
from text import Words

MOST = 2 ** 63 - 1
FIRST_LINE = (("banner", ["%%matrixmarket"]), ("object", ["matrix"]), ("format", ["coordinate", "array"]),
              ("field", ["real", "integer", "double", "pattern"]), ("symmetry", ["general", "symmetric", "skew-symmetric"]))
GAP = re.compile(rb"[ \t\v\f]*")


class Matrix(Words):
    fortran_order, line_ends = True, [b"\n", b"\r"]

    def __init__(self, q, file, kind):
        super().__init__(q, file, kind)
        self.separator, self.commas_separate = b"", True
        self.patterns = b"%", GAP, re.compile(rb"[^\s%]*")
        form, field, symmetry = self.take_first_line()
        self.coordinate, self.pattern = form == "coordinate", field == "pattern"
        self.mirror = {"general": 0, "symmetric": 1, "skew-symmetric": -1}[symmetry]  # the other triangle's sign
        if self.pattern and (not self.coordinate or self.mirror < 0):
            self.text.bad((1, 1), f"a pattern is never {'skew-symmetric' if self.coordinate else 'an array'}")
        n_rows, line = self.whole("a number of rows", 0, MOST >> 1)
        n_columns, _ = self.whole("a number of columns", 0, MOST >> 1, line)
        if self.mirror and n_rows != n_columns:
            self.text.bad((line, 1), "a symmetric matrix is square")
        if self.coordinate:
            self.n_left, _ = self.whole("a number of entries", 0, MOST, line)
        else:
            self.n_left = n_rows * (n_rows + self.mirror) // 2 if self.mirror else n_rows * n_columns
            if self.n_left > MOST:
                self.text.bad((line, 1), "the array is too large")
        self.last_line, self.shape = line, (n_rows, n_columns)
        self.has_positions = not self.coordinate and not self.mirror

    def take_first_line(self):
        for what, choices in FIRST_LINE:
            word, place = self.text.word(b"", GAP, re.compile(rb"\S*"))
            if word is None or place[0] != 1:
                self.text.bad(place, f"malformed first line: {what} is missing")
            if (choice := word.decode("latin-1").lower()) not in choices:
                self.text.bad(place, f"{what} '{plain(word[:40])}' is not read")
            if what not in ("banner", "object"):
                yield choice

    def expect_word(self, what):
        word, place = self.text.word(*self.patterns)
        if word is None:
            self.text.bad(place, f"truncated: {what} is missing")
        return word, place

    def whole(self, what, low, high, line=None):
        """A number, and its line, which has to be this one."""
        word, place = self.expect_word(what)
        if not re.fullmatch(rb"[+-]?\d+", word) or not low <= int(word) <= high:
            self.text.bad(place, f"'{plain(word[:40])}': {what} from {low} to {high} is expected")
        if line not in (None, place[0]):
            self.text.bad(place, f"{what} does not stand on line {line}")
        return int(word), place[0]

    def value(self, line=None):
        word, place = self.expect_word("a value")
        if line not in (None, place[0]):
            self.text.bad(place, f"the value does not stand on line {line}")
        return self.number(word, place)

    def entry(self):
        """Row and column, from 1, and the value: an entry begins on a line of its own."""
        i, line = self.whole("a row", 1, self.shape[0])
        if line == self.last_line:
            self.text.bad((line, 1), "more on this line than one entry")
        self.last_line = line
        j, _ = self.whole("a column", 1, self.shape[1], line)
        if self.mirror and j + (self.mirror < 0) > i:
            self.text.bad((line, 1), f"entry ({i}, {j}) is not {'below' if self.mirror < 0 else 'on or below'} the diagonal")
        return i, j, 1.0 if self.pattern else self.value(line)

    def quick_entries(self):
        if self.text.line == self.last_line:
            raise ValueError("in the middle of a line")
        lines = [words for line in self.text.complete().split(b"\n") if (words := line.split())]
        if len(lines) > self.n_left or not set(map(len, lines)) <= {3 - self.pattern}:
            raise ValueError("not an entry on each line")
        i, j, *values = zip(*lines) if lines else ([],) * 3
        i, j = array("q", map(int, i)), array("q", map(int, j))
        x = array(self.code, [1.0]) * len(i) if self.pattern else self.numbers(values[0])
        if lines and (min(i) < 1 or min(j) < 1 or max(i) > self.shape[0] or max(j) > self.shape[1] or
                      (self.mirror and any(l + (self.mirror < 0) > k for k, l in zip(i, j)))):
            raise ValueError("outside")
        self.text.skip()
        self.last_line = self.text.line - 1
        self.n_left -= len(i)
        return i, j, x

    def slow_entries(self):
        found = []
        while self.n_left and self.text.at < self.text.end:
            found.append(self.entry())
            self.n_left -= 1
        i, j, x = zip(*found) if found else ((),) * 3
        return array("q", i), array("q", j), array(self.code, x)

    def entries(self):
        """Rows and columns, from 1, and values, without those that symmetry implies."""
        while self.n_left:
            if not self.text.advance(self.line_ends):
                self.entry()  # says what is missing
            try:
                yield self.quick_entries()
            except (ValueError, OverflowError):
                yield self.slow_entries()
        self.expect_end()

    def expect_end(self):
        word, place = self.text.word(*self.patterns)
        if word is not None:
            self.text.bad(place, "text after the last entry")

    def blocks(self):
        if self.coordinate:
            for i, j, x in self.entries():
                yield x
                if self.mirror:
                    yield array(self.code, (self.mirror * value for k, l, value in zip(i, j, x) if k != l))
            return
        n_read, diagonal, length = 0, 0, self.shape[0]  # of a triangle by columns: where the next column begins
        for x in super().blocks():
            yield x
            alone = set()
            while self.mirror > 0 and diagonal < n_read + len(x):
                alone.add(diagonal - n_read)
                diagonal, length = diagonal + length, length - 1
            n_read += len(x)
            if self.mirror:
                yield array(self.code, (self.mirror * value for k, value in enumerate(x) if k not in alone))
        if self.n_left:
            self.expect_word("a value")
        self.expect_end()
