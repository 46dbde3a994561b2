#!/bin/bash
# fuse_test.sh EXBLAS-RUN PROGRAM MPIRUN ARGUMENT...: a program that was never changed prints one line on 1 to 4
# processes under exblas-run --mpi=fuse, on every rank; without it, several. In TAP.
set -u
run=$1 program=$2
shift 2
out=$(mktemp)
trap 'rm -f "$out"' EXIT
number=0

# say CONDITION TITLE: a test's line; what was printed if it failed.
say() {
    number=$((number + 1))
    if eval "$1"; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        sort "$out" | uniq -c | sed 's/^/# /'
    fi
}

# lines COUNTS COMMAND...: what COMMAND prints on so many processes.
lines() {
    for n in $1; do
        "${mpirun[@]}" -n "$n" "${@:2}"
    done >"$out" 2>&1
}

different() { sort -u "$out" | wc -l; }

mpirun=("$@")
echo 1..4
lines '1 2 3 4' "$run" --mpi=fuse "$program"
# shellcheck disable=SC2034 # in what is evaluated
fused=$(head -n 1 "$out" | cut -d ' ' -f 1,2,4,5)
say '[ "$(wc -l <"$out")" = 10 ] && [ "$(different)" = 1 ]' 'one answer on 1 to 4 processes'
lines '1 4' "$run" --mpi "$program"
say '[ "$(different)" -gt 1 ]' 'several without fuse'
"$run" "$program" >"$out" 2>&1
say '[ "$(cut -d " " -f 1,2,4,5 "$out")" = "$fused" ]' 'but for the square, which is rounded, that of BLAS alone'
"$run" --mpi=other "$program" >"$out" 2>&1
# shellcheck disable=SC2034
status=$?
say '[ "$status" = 125 ] && grep -q fuse "$out"' 'another value of --mpi is refused'
