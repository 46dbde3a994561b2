"""The exact aggregates of SQL in DuckDB: exblas.duckdb.load(connection)."""
from typing import Any

from exblas._config import extension


def load(connection: Any) -> None:
    """From now on exact_sum and the other aggregates are there, as sql.md lists them.
    Its config needs allow_unsigned_extensions: duckdb.connect(config={"allow_unsigned_extensions": True})."""
    connection.execute(f"load '{extension('exblas.duckdb_extension')}'")
