"""The exact aggregates of SQL in SQLite: exblas.sqlite.load(connection)."""
from typing import Any

from exblas._config import extension


def load(connection: Any) -> None:
    """From now on exact_sum and the other aggregates are there (doc/sql.md)."""
    connection.enable_load_extension(True)
    try:
        connection.load_extension(extension("exblas_sqlite.so"))
    finally:
        connection.enable_load_extension(False)
