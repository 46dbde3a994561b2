"""Files: their bytes, with progress, and what each is."""
import os
import stat
import sys
import time

from show import fail, plain

FORMATS = ("auto", "npy", "raw", "text", "csv", "mtx", "npz", "parquet", "arrow", "jsonl")
TABLES = ("csv", "parquet", "arrow", "jsonl")
SUFFIXES = {".npy": "npy", ".npz": "npz", ".mtx": "mtx", ".csv": "csv", ".tsv": "csv", ".raw": "raw", ".bin": "raw",
            ".jsonl": "jsonl", ".ndjson": "jsonl"}
MARK = b"\xef\xbb\xbf"
BEGINNINGS = {b"\x93NUMPY": "npy", b"PK\3\4": "npz", b"PK\5\6": "npz", b"PAR1": "parquet", b"ARROW1": "arrow",
              b"%%MatrixMarket": "mtx", MARK + b"%%MatrixMarket": "mtx"}
PACKERS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


class Input:
    """A file or, once, standard input."""
    standard_input_taken = False

    def __init__(self, path, quiet):
        standard = path == "-"
        self.name = "<stdin>" if standard else path
        if standard and Input.standard_input_taken:
            fail("-: standard input can be read once only")
        Input.standard_input_taken |= standard
        try:
            self.file = open(0 if standard else path, "rb", buffering=0, closefd=not standard)
        except OSError as error:
            fail(f"{self.name}: {error.strerror}")
        status = os.fstat(self.file.fileno())
        self.size = status.st_size if stat.S_ISREG(status.st_mode) else -1  # -1: unknown
        self.offset, self.ahead = 0, b""  # of the next byte, which is the first of `ahead`
        self.damage = OSError  # what else may be raised where the file is damaged
        self.process = None
        self.progress = not quiet and sys.stderr.isatty()
        self.started = self.shown = time.monotonic()

    def bad_offset(self, offset, text):
        fail(f"{self.name}: offset {offset}: {plain(text)}")

    def rewind(self, reader):
        try:
            self.file.seek(0)
        except OSError:
            fail(f"{self.name}: {reader} would have to read a stream: give a file")
        self.offset, self.ahead = 0, b""

    def unpack(self, program):
        """From here on the bytes are what the program makes of the file."""
        import subprocess
        self.rewind(program)
        try:
            self.process = subprocess.Popen([program, "-dc"], stdin=self.file, stdout=subprocess.PIPE, bufsize=0,
                                            stderr=subprocess.DEVNULL)
        except OSError:
            fail(f"{self.name}: damaged, or the program that reads it, {program}, is not installed")
        self.file, self.size = self.process.stdout, -1

    def show_progress(self):
        """After a second, five times a second."""
        now = time.monotonic()
        if not self.progress or now - self.started < 1 or now - self.shown < 0.2:
            return
        self.shown, mib = now, f"{self.offset / 2 ** 20:.0f} MiB"
        percent = 100 * self.offset // self.size if self.size > 0 else 0
        bar = f" [{'#' * min(percent * 3 // 10, 30):30}] {percent:3} %" if self.size > 0 else ""
        sys.stderr.write(f"\r\033[K{self.name}{bar}  {mib}")
        sys.stderr.flush()

    def system_read(self, read, wanted):
        try:
            got = read(wanted)
        except OSError as error:
            fail(f"{self.name}: {error.strerror or 'damaged'}")
        except self.damage:
            fail(f"{self.name}: damaged")
        if not got and self.process and self.process.wait() != 0:
            fail(f"{self.name}: damaged")
        self.show_progress()
        return got

    def peek(self, n):
        """At least n bytes that stay, fewer at the end."""
        while len(self.ahead) < n and (got := self.system_read(self.file.read, 1 << 16)):
            self.ahead += got
        return self.ahead

    def skip(self, n):
        self.ahead = self.ahead[n:]
        self.offset += n

    def read(self, n):
        """Some bytes, none at the end."""
        got = self.ahead[:n] or self.system_read(self.file.read, n)
        self.ahead = self.ahead[n:]
        self.offset += len(got)
        return got

    def fill(self, view):
        """The number of bytes, fewer than it takes only at the end."""
        done = min(len(self.ahead), len(view))
        view[:done] = self.ahead[:done]
        self.ahead = self.ahead[done:]
        while done < len(view) and (got := self.system_read(self.file.readinto, view[done:])):
            done += got
        self.offset += done
        return done

    def close(self):
        if self.shown > self.started:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


class Source:
    """The numbers of a file, in its order, as blocks(): arrays of doubles or floats."""
    is_complex = False     # elements are pairs of numbers: re, im; the shape counts pairs
    has_positions = True   # element k of two such files belong together, if the shapes agree
    fortran_order = False
    shape = ()

    def __init__(self, q, file, kind):
        self.q, self.file, self.kind = q, file, kind
        self.single = q.type == "f32"  # numbers are floats, and so is the result, unless asked otherwise
        self.decimal = q.decimal if kind != "mtx" else b"."


def stem(name):
    """Without what says that it is compressed."""
    return name[:-3] if name.endswith(".gz") else name[:-4] if name.endswith(".zst") else name


def detect(file):
    """By the first bytes, else by the name, else text if it looks like text."""
    head = file.peek(512)[:512]
    for beginning, kind in BEGINNINGS.items():
        if head.startswith(beginning):
            return kind
    for suffix, kind in SUFFIXES.items():
        if stem(file.name).endswith(suffix):
            return kind
    for k, c in enumerate(head):
        if c < 32 and c not in b"\t\n\v\f\r":
            file.bad_offset(k, "this is not text; say what it is with --format")
    return "text"


def check_options(q, name, kind):
    """An option that means nothing to a file is an error, unless it may mean another one."""
    table, text, alone = kind in TABLES, kind == "text", len(q.files) == 1 or q.command == "solve"
    for is_bad, option, formats in (
            (q.column and not table and kind != "npz", "--column", "csv and npz"),
            ((q.columns or q.by) and not table, "--columns" if q.columns else "--by", "csv"),
            ((q.header or q.no_header) and not table and (alone or text), f"--{'' if q.header else 'no-'}header", "csv"),
            ((q.delimiter or q.decimal_given) and not table and not text and alone,
             "--delimiter" if q.delimiter else "--decimal", "csv and text")):
        if is_bad:
            fail(f"{name}: {option} is for {formats}, this is {kind}")


def open_source(q, path):
    """Reads the header, too."""
    import arrays
    import matrix_market
    import tables
    import text
    file = Input(path, q.quiet)
    head = file.peek(4)
    for mark, program in PACKERS.items():  # raw numbers may look like it
        if head.startswith(mark) and q.format != "raw" and not file.name.endswith((".raw", ".bin")):
            file.unpack(program)
    kind = detect(file) if q.format == "auto" else q.format
    check_options(q, file.name, kind)
    if kind in ("text", "csv", "mtx"):  # the mark of UTF-8 says nothing
        head = file.peek(3)
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            file.bad_offset(0, "this is UTF-16: make it UTF-8 (iconv -f UTF-16 -t UTF-8)")
        file.skip(3 * head.startswith(MARK))
    readers = {"npy": arrays.Npy, "raw": arrays.Raw, "npz": arrays.Npz, "text": text.Words, "csv": tables.Csv,
               "mtx": matrix_market.Matrix}
    source = readers.get(kind, tables.Foreign)(q, file, kind)
    if source.is_complex and q.command in ("dot", "verify"):
        fail(f"{file.name}: {q.command} is of real numbers only")
    return source
