#!/bin/bash
# ocean_test.sh OCEAN FAILING MPIRUN ARGUMENT...: the example's exact history is one, for any processes and any grid of them; an
# error without stat is one line. Reports in TAP.
set -u
ocean=$1 failing=$2
shift 2
all=$(for n in 1 2 3 4 6 7; do "$@" -n "$n" "$ocean"; done
    "$@" -n 6 "$ocean" 1
    "$@" -n 6 "$ocean" 6)
echo 1..3
grep -c '[0-9]x' <<<"$all" | grep -qx 8 && [ "$(awk '/[0-9]x/ {print $6, $7, $8}' <<<"$all" | sort -u | wc -l)" = 1 ] || printf 'not '
echo 'ok 1 - one exact history of eight runs'
[ "$(awk '/[0-9]x/ {print $4, $5}' <<<"$all" | sort -u | wc -l)" -gt 4 ] || printf 'not '
echo 'ok 2 - MPI has several'
"$@" -n 1 "$failing" stop 2>&1 | grep -qx 'exblas_global_sum: x has the shape (1), mask (2)' || printf 'not '
echo 'ok 3 - an error that is not asked for'
