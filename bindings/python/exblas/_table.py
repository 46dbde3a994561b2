"""python -m exblas._table parquet|arrow|jsonl <FILE: a table as csv with a header, for the command `exblas`, behind a line
that is 0 or says what is wrong. Exit status 1: it is damaged."""
import csv
import importlib.util
import itertools
import json
import signal
import sys


def field(value):
    """As the command reads it: doubles and text; nothing, where there is nothing."""
    if isinstance(value, int) and int(float(value)) != value:
        return f"{value} (no double)"
    return int(value) if isinstance(value, bool) else value


def of_batches(names, batches):
    yield names
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns))


def by_arrow(kind, source):
    import pyarrow
    if kind == "parquet":
        from pyarrow import parquet
        table = parquet.ParquetFile(source)
        return of_batches(table.schema_arrow.names, table.iter_batches())
    table = pyarrow.ipc.open_file(source)
    return of_batches(table.schema.names, map(table.get_batch, range(table.num_record_batches)))


def by_duckdb(kind, source):
    import duckdb
    cursor = duckdb.execute("select * from read_parquet('/dev/stdin')")
    yield [column[0] for column in cursor.description]
    while rows := cursor.fetchmany(10000):
        yield from rows


def of_lines(source):
    """Numbers with a point stay as they are written."""
    records = (json.loads(line, parse_float=str) for line in source if line.strip())
    first = next(records, {})
    yield list(first)
    for record in itertools.chain([first], records):
        if not first.keys() >= record.keys():
            raise ValueError(f"{(record.keys() - first.keys()).pop()} is not in the first record")
        yield [record.get(name) for name in first]


def rows_of(kind, source):
    if kind == "jsonl":
        return of_lines(source)
    for library, read in (("pyarrow", by_arrow), *([("duckdb", by_duckdb)] if kind == "parquet" else [])):
        if importlib.util.find_spec(library):
            return read(kind, source)
    raise ImportError(f"{kind} needs pyarrow, which is not installed: pip install pyarrow")


def send(kind, source, out):
    try:
        rows = rows_of(kind, source)
        names = next(rows)
    except Exception as error:  # whatever a library says of a file
        kind = "" if isinstance(error, ImportError) else f"{type(error).__name__}: "
        print((kind + str(error)).partition("\n")[0], file=out)
        return
    out.write("0\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(map(field, row) for row in rows)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the command wants no more
    send(sys.argv[1], sys.stdin.buffer, sys.stdout)
