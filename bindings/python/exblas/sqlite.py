"""The exact aggregates of SQL in SQLite: exblas.sqlite.load(connection)."""
from typing import Any

from exblas._config import extension


def load(connection: Any) -> None:
    """From now on exact_sum and the other aggregates are there (doc/sql.md)."""
    if not hasattr(connection, "enable_load_extension"):
        raise TypeError("this Python's sqlite3 was built without extensions, or this is no connection of it")
    connection.enable_load_extension(True)
    try:
        connection.load_extension(extension("exblas_sqlite.so"))
    finally:
        connection.enable_load_extension(False)
