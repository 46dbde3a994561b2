"""Tables: columns of comma-separated values (RFC 4180: quoted fields, doubled quotes), and of what Python makes such values
of. Semicolons, tabs or bars separate if they stand on the first line instead of commas. Where the first record may be a
header or not, or two characters may separate, the options decide."""
import csv
import importlib.util
import io
import itertools
import json
import os
import re
import types
from array import array

from decimals import MISSING, parse
from show import fail, plain
from source import stem
from text import LONGEST, RAW_LINE_END, TextSource

QUOTED = re.compile(rb'"([^"]*(?:""[^"]*)*)"(?!")')


def shown_separator(c):
    return "tab" if c == 9 else chr(c)


def is_name(text):
    """Neither a number in any notation nor what stands for a missing one."""
    try:
        is_number = parse(text, False) is not None
    except OverflowError:
        is_number = True
    if is_number or text.lower() in MISSING:
        return False
    return bool(re.match(rb"[A-Za-z_]|[\x80-\xff]\D*\Z", text, re.S))


class Csv(TextSource):
    ends = [b"\n", b"\r"]

    def __init__(self, q, file, kind):
        super().__init__(q, file, kind)
        self.skip_empty_lines()
        if self.text.at == len(self.text.data):
            self.text.bad(self.text.place(), "the table is empty")
        tab = b"\t" * stem(file.name).endswith(".tsv")
        self.separator = q.delimiter or tab or self.find_separator(b";\t|" if self.decimal == b"," else b",;\t|")
        self.plain_field = re.compile(rb"[^\r\n%s]*" % re.escape(self.separator))
        self.first = self.record()
        self.names = [name for name, _ in self.first]
        self.wanted, self.by = [], None
        self.has_names = self.choose(q)

    def skip_empty_lines(self):
        text = self.text
        while text.at < len(text.data) or text.more():
            if text.data[text.at] not in b"\r\n":
                return
            text.take_line_end()

    def find_separator(self, candidates):
        """The one that stands on the first line outside quotes, or the first of them if none does."""
        text, found, is_quoted = self.text, None, False
        while len(text.data) - text.at < LONGEST << 4 and text.more():
            pass
        for c in text.data[text.at:text.at + (LONGEST << 4)]:
            if not is_quoted and c in b"\r\n":
                break
            is_quoted ^= c == ord('"')
            if is_quoted or c not in candidates or c == found:
                continue
            if found:
                text.bad(text.place(), f"'{shown_separator(found)}' and '{shown_separator(c)}' both stand here: "
                                       "say --delimiter, or --decimal ,")
            found = c
        return bytes([found or candidates[0]])

    def column(self, name, q, is_named):
        """The column that is meant, from 0, and whether the first record has names: it is not a number."""
        first, n = self.first[0][1], len(self.names)
        number = int(name) if re.fullmatch(r"\+?0*[1-9][0-9]{0,9}", name) and int(name) <= n else 0
        named = [c + 1 for c, text in enumerate(self.names) if text == os.fsencode(name)]
        if not number and (q.no_header or not named):
            self.text.bad(first, f"no column {name} among {n} ({self.list_names()})")
        if not number and len(named) > 1:
            self.text.bad(first, f"{len(named)} columns are named {name}: choose one by its number")
        has_names = q.header or (not q.no_header and (is_named or is_name(self.names[number - 1 if number else 0])))
        if number and named and named[0] != number and has_names:
            self.text.bad(self.first[number - 1][1], f"{name} is the name of column {named[0]}, too: rename it")
        return (number or named[0]) - 1, is_named or not number

    def list_names(self):
        return plain(b", ".join(name[:30] for name in self.names)[:199])

    def choose(self, q):
        """Whether the first record has names."""
        n, is_named = len(self.names), False
        if q.by:
            self.by, is_named = self.column(q.by, q, False)
        others = [c for c in range(n) if c != self.by]
        if q.columns and q.columns != "all" or q.column:
            for name in q.columns.split(",") if q.columns else [q.column]:
                c, is_named = self.column(name, q, is_named)
                if c in self.wanted:
                    self.text.bad(self.first[c][1], f"column {c + 1} is named twice")
                self.wanted.append(c)
        elif len(others) != 1 and not q.columns:
            self.text.bad(self.first[0][1], f"{n} columns ({self.list_names()}): choose one with --column")
        else:
            self.wanted = others
        if not self.wanted:
            self.text.bad(self.first[0][1], "no column besides that of --by")
        if q.header or q.no_header or is_named:
            return not q.no_header
        name, place = self.first[self.wanted[0]]
        if not is_name(name):
            self.text.bad(place, f"'{plain(name[:40])}' may be a name or a value: say --header or --no-header")
        return True

    def record(self):
        """The fields, each with its place. What is not whole in data is begun again."""
        text = self.text
        start = text.line, text.at - text.begin
        while (fields := self.record_in_data()) is None:
            text.line, text.begin = start[0], text.at - start[1]
        return fields

    def record_in_data(self):
        text, fields, at = self.text, [], self.text.at
        while True:
            place = text.place(at)
            is_quoted = text.data[at:at + 1] == b'"'
            match = (QUOTED if is_quoted else self.plain_field).match(text.data, at)
            end = match.end() if match else len(text.data)
            if end == len(text.data) and end - at <= 2 * LONGEST and text.more():
                return None
            field = text.data[at:] if not match else match[1].replace(b'""', b'"') if is_quoted else match[0]
            for is_so, what in ((len(field) > LONGEST, "this field is too long"), (not match, "a quoted field does not end"),
                                (b"\0" in field, "a zero byte in a field")):
                if is_so:
                    text.bad(place, what)
            if is_quoted:
                for line_end in RAW_LINE_END.finditer(match[1]):
                    text.line, text.begin = text.line + 1, at + 1 + line_end.end()
            fields.append((field if is_quoted else field.strip(b" \t"), place))
            if text.data[end:end + 1] != self.separator:
                text.at = end
                if end < len(text.data):
                    if text.data[end] not in b"\r\n":
                        text.bad(place, "text after a quoted field")
                    text.take_line_end()
                return fields
            at = end + 1

    def take(self, fields):
        """The key, and the numbers that are wanted."""
        values = {c: self.number(*fields[c]) for c in sorted(self.wanted) if c < len(fields)}
        if len(fields) != len(self.names):
            self.text.bad(fields[0][1], f"{len(fields)} fields instead of {len(self.names)}")
        return (fields[self.by][0] if self.by is not None else None), [values[c] for c in self.wanted]

    def slow_rows(self):
        self.skip_empty_lines()
        while self.text.at < self.text.end:
            yield self.take(self.record())
            self.skip_empty_lines()

    def quick_rows(self):
        """Keys, and columns."""
        data = self.text.complete()
        if any(odd in data for odd in (b"\v", b"\f", b'" ', b' "', b'"\t', b'\t"')):
            raise ValueError("blanks that are not to be dropped")
        lines = data.decode("latin-1").split("\n")
        rows = list(csv.reader(lines, delimiter=self.separator.decode(), strict=True))
        if len(rows) != len(lines) or max(map(len, lines)) > LONGEST:
            raise ValueError("a field of several lines")
        rows = [row for row in rows if row]
        if not set(map(len, rows)) <= {len(self.names)}:
            raise ValueError("another number of fields")
        columns = [self.numbers([row[c].encode("latin-1") for row in rows]) for c in self.wanted]
        keys = [None] if self.by is None else [row[self.by].strip(" \t").encode("latin-1") for row in rows]
        self.text.skip()
        return keys, columns

    def grouped(self, keys, columns):
        """By key its rows of the columns."""
        if self.by is None:
            return [(None, columns)] if columns[0] else []
        places = {}
        for k, key in enumerate(keys):
            places.setdefault(key, []).append(k)
        return [(key, [array(self.code, [x[k] for k in at]) for x in columns]) for key, at in places.items()]

    def rows(self):
        """Blocks of them: a key, or None, and arrays for the columns that are wanted."""
        if not self.has_names:
            key, values = self.take(self.first)
            yield key, [array(self.code, [value]) for value in values]
        while self.text.advance(self.ends):
            try:
                keys, columns = self.quick_rows()
            except (ValueError, csv.Error):
                found = list(self.slow_rows())
                keys = [key for key, _ in found]
                columns = [array(self.code, x) for x in zip(*(values for _, values in found))] or [[]]
            yield from self.grouped(keys, columns)

    def blocks(self):
        for _, columns in self.rows():
            yield columns[0]


class Foreign(Csv):
    """Parquet, Arrow and JSON lines, as a csv file with a header."""

    def __init__(self, q, file, kind):
        if kind != "jsonl":
            file.rewind(kind)
        try:
            rows = rows_of(kind, file)
            names = next(rows)
        except Exception as error:  # whatever a library says of a file
            what = "" if isinstance(error, ImportError) else f"{type(error).__name__}: "
            file.bad_offset(0, f"{what}{error}".partition("\n")[0])
        pieces = pieces_of(itertools.chain([names], rows))
        file.ahead = b""
        file.file, file.size, file.damage = types.SimpleNamespace(read=lambda n: next(pieces, b"")), -1, Exception
        super().__init__(types.SimpleNamespace(**{**vars(q), "header": True, "delimiter": b",", "decimal": b"."}), file, kind)


def pieces_of(rows):
    while some := list(itertools.islice(rows, 1000)):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(map(field, row) for row in some)
        yield text.getvalue().encode()


def field(value):
    """As it is read: doubles and text; nothing, where there is nothing."""
    if isinstance(value, int) and int(float(value)) != value:
        return f"{value} (no double)"
    return int(value) if isinstance(value, bool) else value


def rows_of(kind, file):
    if kind == "jsonl":
        rest = io.BufferedReader(file.file)
        return of_lines(file, itertools.chain(io.BytesIO(file.ahead + rest.readline()), rest))
    for library, read in (("pyarrow", by_arrow), ("duckdb", by_duckdb)):
        if importlib.util.find_spec(library) and (library, kind) != ("duckdb", "arrow"):
            return read(kind, file)
    raise ImportError(f"{kind} needs pyarrow, which is not installed: pip install pyarrow")


def of_lines(file, lines):
    """Numbers with a point stay as they are written."""
    names, number = None, 0
    try:
        for number, line in enumerate(lines, 1):
            if line.strip():
                record = json.loads(line, parse_float=str)
                if names is None:
                    yield (names := list(record))
                if unknown := record.keys() - set(names):
                    raise ValueError(f"{unknown.pop()} is not in the first record")
                yield [record.get(key) for key in names]
    except (ValueError, AttributeError, TypeError) as error:
        cut = file.process and file.process.wait() != 0
        fail(f"{file.name}{': damaged' if cut else plain(f':{number}: {type(error).__name__}: {error}')}")
    if names is None:
        yield []


def by_arrow(kind, file):
    import pyarrow
    from pyarrow import parquet
    if kind == "parquet":
        table = parquet.ParquetFile(file.file)
        names, batches = table.schema_arrow.names, table.iter_batches()
    else:
        table = pyarrow.ipc.open_file(file.file)
        names, batches = table.schema.names, map(table.get_batch, range(table.num_record_batches))
    yield names
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns))


def by_duckdb(_, file):
    import duckdb
    cursor = duckdb.execute("select * from read_parquet(?)", [f"/dev/fd/{file.file.fileno()}"])
    yield [column[0] for column in cursor.description]
    while rows := cursor.fetchmany(10000):
        yield from rows
