"""Decimal numbers (also hexadecimal, inf, nan) between blanks and commas; # begins a comment. And the words and lines of
text that other formats are made of, each with its place. All of it is bytes."""
import itertools
import re
import sys
from array import array

from decimals import MISSING, parse, parse_all
from show import fail, plain
from source import MARK, Source

BLANKS = b" \t\n\v\f\r"
LONGEST, BLOCK = 4095, 1 << 20
LINE_END = re.compile(rb"\r\r\n|\r\n|\r|\n")  # CR CR LF is what Windows makes of CR LF
RAW_LINE_END = re.compile(rb"\r\n|\r|\n")


class Text:
    """What was read of a file: data[at:] is still to be taken, data[at:end] is complete."""

    def __init__(self, file):
        self.file, self.data, self.at, self.end = file, b"", 0, 0
        self.line, self.begin = 1, 0  # where it begins in data
        self.line_end = None  # as the lines before ended: LF or, alone, CR

    def place(self, at=None):
        return self.line, (self.at if at is None else at) - self.begin + 1

    def bad(self, place, text):
        fail(f"{self.file.name}:{place[0]}:{place[1]}: {plain(text)}")

    def more(self):
        """Moves data[at:] to the beginning; false, and nothing is moved, at the end of the file."""
        got = self.file.read(BLOCK)
        if not got:
            return False
        self.data, self.begin, self.end, self.at = self.data[self.at:] + got, self.begin - self.at, self.end - self.at, 0
        for _ in range(3):  # what ends a line is whole
            if self.data.endswith(b"\r"):
                self.data += self.file.read(1)
        return True

    def advance(self, ends, most=64 * BLOCK):
        """Reads on, up to behind the last of these bytes or the end of the file; false if nothing is left."""
        is_more = True
        while self.end <= self.at and is_more:
            is_more = self.more() and len(self.data) - self.at < most  # nothing that is whole is longer
            self.end = 1 + max(map(self.data.rfind, ends)) if is_more else len(self.data)
        return self.end > self.at

    def complete(self):
        """data[at:end] with one kind of line end and nothing that only the slow way knows, or ValueError."""
        data = self.data[self.at:self.end]
        if b"\r" in data and b"\r\r\r" not in data:
            data = data.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n")
        if b"\r" in data or b"_" in data or b"\0" in data or (self.line_end == b"\r" and b"\n" in data):
            raise ValueError("not for the quick way")
        return data

    def skip(self):
        """What is complete was taken."""
        n_lines = self.data.count(b"\n", self.at, self.end)
        if n_lines:
            self.line, self.begin, self.line_end = self.line + n_lines, self.data.rfind(b"\n", 0, self.end) + 1, b"\n"
        self.at = self.end

    def take_line_end(self):
        match = LINE_END.match(self.data, self.at)
        kind = match[0] if match[0] == b"\r" else b"\n"
        if self.line_end not in (None, kind):
            self.bad(self.place(), "lines end with CR alone and with LF: make them one (mac2unix)")
        self.line_end, self.at = kind, match.end()
        self.line, self.begin = self.line + 1, self.at

    def skip_line(self):
        while not (match := RAW_LINE_END.search(self.data, self.at)):
            self.at = len(self.data)
            if not self.more():
                return
        self.at = match.start()

    def word(self, comment, gap, word):
        """The next one and its place; None at the end. Blanks, separators and comments are skipped."""
        while True:
            self.at = gap.match(self.data, self.at).end()
            if self.at == len(self.data):
                if not self.more():
                    return None, self.place()
            elif self.data[self.at] in comment:
                self.skip_line()
            elif self.data[self.at] in b"\r\n":
                self.take_line_end()
            else:
                break
        while (match := word.match(self.data, self.at)).end() == len(self.data) and len(match[0]) <= LONGEST and self.more():
            pass
        place = self.place()
        if len(match[0]) > LONGEST or b"\0" in match[0]:
            self.bad(place, "this is not a number")
        self.at = match.end()
        return match[0], place


class TextSource(Source):
    ends = [bytes([c]) for c in BLANKS]

    def __init__(self, q, file, kind):
        super().__init__(q, file, kind)
        self.text = Text(file)
        self.code = "f" if self.single else "d"

    def number(self, word, place):
        if self.q.skip_na and word.lower() in MISSING:
            return float("nan")
        # The empty word where there is a point already.
        text = word if self.decimal == b"." else b"" if b"." in word else word.replace(b",", b".", 1)
        try:
            x = parse(text, self.single)
        except OverflowError:
            self.text.bad(place, f"'{plain(word[:40])}' is too large for a {'float' if self.single else 'double'}")
        if x is None:
            why = (": a byte order mark" if word.startswith(MARK) else
                   " with --decimal ," * (b"." in word) if self.decimal == b"," else
                   " (see --decimal)" * (b"," in word and self.kind != "mtx"))
            self.text.bad(place, f"'{plain(word[:40])}' is not a number{why}")
        return x

    def numbers(self, words):
        """Quickly, or ValueError."""
        if self.decimal == b",":
            if any(b"." in word for word in words):
                raise ValueError("a point")
            words = [word.replace(b",", b".", 1) for word in words]
        return parse_all(words, self.single, self.q.skip_na)


class Words(TextSource):
    n_left = sys.maxsize  # where a header says how many there are

    def __init__(self, q, file, kind):
        super().__init__(q, file, kind)
        self.separator = q.delimiter or b"," * (self.decimal != b",")
        # 1,5 may be two numbers, or one. Any comma that can only separate says what all of them do.
        self.commas_separate = bool(q.delimiter) or self.decimal == b","
        separator = re.escape(self.separator)
        self.patterns = b"#", re.compile(rb"[ \t\v\f%s]*" % separator), re.compile(rb"[^\s#%s]*" % separator)

    # Digits, grouped by points or not: what may stand before a decimal comma, or between commas that group.
    WHOLE = re.compile(rb"[+-]*(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)")

    def expect_separator(self, word):
        text = self.text
        while len(text.data) < text.at + 2 and text.more():
            pass
        if text.data[text.at:text.at + 1] == b",":
            if self.WHOLE.fullmatch(word) and text.data[text.at + 1:text.at + 2].isdigit():
                text.bad(text.place(), "does this comma separate? Say --delimiter , or --decimal ,")
            self.commas_separate = True

    def slowly(self):
        while self.text.at < self.text.end:
            word, place = self.text.word(*self.patterns)
            if word is None:
                return
            yield self.number(word, place)
            if not self.commas_separate:
                self.expect_separator(word)

    def blocks(self):
        while self.n_left and self.text.advance([*self.ends, self.separator or b" "], BLOCK + LONGEST):
            try:
                data = self.text.complete()
                words = (data.replace(self.separator, b" ") if self.separator else data).split()
                if b"," in data and not self.commas_separate or len(words) > self.n_left:
                    raise ValueError("which commas are these, and which of these words?")
                x = self.numbers(words)
                self.text.skip()
            except ValueError:
                x = array(self.code, itertools.islice(self.slowly(), min(self.n_left, sys.maxsize)))
            self.n_left -= len(x)
            if x:
                yield x
