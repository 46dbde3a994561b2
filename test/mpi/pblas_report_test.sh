#!/bin/bash
# pblas_report_test.sh EXBLAS-RUN PYTHON PROGRAM MPIRUN ARGUMENT...: a program for ScaLAPACK under exblas-run --mpi factors
# and solves with the same bits on every grid, and the report counts its calls and bytes. In TAP.
set -u
run=$1 program=("$2" "$3")
shift 3
out=$(mktemp) report=$(mktemp)
trap 'rm -f "$out" "$report"' EXIT
echo 1..3
for grid in '1 1' '1 4' '4 1' '2 2' '3 1'; do
    # shellcheck disable=SC2086 # two numbers
    "$@" -n $((${grid% *} * ${grid#* })) "$run" --mpi "${program[@]}" $grid 2>/dev/null | grep hashes >>"$out"
done
if [ "$(wc -l <"$out")" = 5 ] && [ "$(sort -u "$out" | wc -l)" = 1 ]; then
    echo 'ok 1 - one hash on five grids'
else
    echo 'not ok 1 - one hash on five grids'
    sed 's/^/# /' "$out"
fi
"$@" -n 4 "$run" --mpi --report "${program[@]}" 2 2 >/dev/null 2>"$report"
lines=$(grep -cE '^distributed: PDGEMM, [1-9][0-9]* calls, [1-9][0-9]* bytes sent$' "$report")
[ "$lines" = 4 ] && echo 'ok 2 - text' || { echo 'not ok 2 - text'; sed 's/^/# /' "$report"; }
"$@" -n 1 "$run" --mpi --report="$report.json" "${program[@]}" 1 1 >/dev/null 2>&1
if python3 -c "
import json, sys
rows = {r['routine']: r for r in json.load(open(sys.argv[1]))['distributed']}
sys.exit(not (rows['PDTRSM']['calls'] > 0 and rows['PDTRSM']['bytes_sent'] == 0))" "$report.json"; then
    echo 'ok 3 - JSON'
else
    echo 'not ok 3 - JSON'
    sed 's/^/# /' "$report.json"
fi
rm -f "$report.json"
