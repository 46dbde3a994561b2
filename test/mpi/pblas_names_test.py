#!/usr/bin/env python3
"""pblas_names_test.py NM LIBRARY SHIM: the two objects export the routines of the list, the drop-in one also gsum2d of
BLACS, and nothing else that a program could call. In TAP."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "lib/mpi/pblas"), str(ROOT / "test/interface")]
import pblas  # noqa: E402
import symbols  # noqa: E402

nm, library, shim = sys.argv[1:]
names = {r.name + "_" for r in pblas.read(ROOT / "lib/mpi/pblas/pblas.list")}
sums = {f"{t}gsum2d_" for t in "sdcz"} | {f"C{t}gsum2d" for t in "sdcz"}
print("1..2")
for path, wanted in ((library, {"ex" + name for name in names}), (shim, names | sums)):
    symbols.compare(path, {name for name in symbols.exports(nm, path) if not name.startswith("exb_")}, wanted)
