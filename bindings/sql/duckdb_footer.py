#!/usr/bin/env python3
"""duckdb_footer.py LIBRARY OUTPUT VERSION PLATFORM: the shared library with the footer by which
DuckDB knows an extension: eight fields of 32 bytes, in reverse order, and room for a signature, as
a custom section of WebAssembly (DuckDB's documentation: extension-ci-tools,
append_extension_metadata.py)."""
import pathlib
import sys

API = "v1.2.0"  # of the C functions, since when DuckDB calls them stable


def footer(version, platform):
    fields = ["4", platform, API, version, "C_STRUCT", "", "", ""]
    section = b"".join(f.encode().ljust(32, b"\0") for f in reversed(fields)) + bytes(256)
    name = b"duckdb_signature"
    # Custom section 0: its length, 531, and the signature's, 512, as LEB128 numbers.
    return b"\x00\x93\x04" + bytes([len(name)]) + name + b"\x80\x04" + section


def main(library, output, version, platform):
    content = pathlib.Path(library).read_bytes()
    pathlib.Path(output).write_bytes(content + footer(version, platform))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
