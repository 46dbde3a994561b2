#!/usr/bin/env python3
"""exports.py NM LIBRARY HEADER: the library exports what the header declares. Reports in TAP."""
import sys

import symbols


def main():
    nm, library, header = sys.argv[1:]
    print("1..1")
    have, wanted = set(symbols.exports(nm, library)), symbols.declared([header])
    symbols.report("exported names", wanted - have, have - wanted)


main()
