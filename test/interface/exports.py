#!/usr/bin/env python3
"""exports.py NM LIBRARY HEADER...: the library exports what the headers declare. Reports in TAP."""
import sys

import symbols


def main():
    nm, library, *headers = sys.argv[1:]
    print("1..1")
    symbols.compare("exported names", set(symbols.exports(nm, library)), symbols.declared(headers))


main()
