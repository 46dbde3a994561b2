#!/bin/bash
# unequal_test.sh EXBLAS-RUN PYTHON SUMS PBLAS MPIRUN ARGUMENT...: programs in Python under exblas-run --mpi, one
# process of which has other arguments, end with a line that says so. PBLAS may be "none". In TAP.
set -u
run=$1 python=$2 sums=$3 pblas=$4
shift 4
mpirun=("$@")
out=$(mktemp)
trap 'rm -f "$out"' EXIT
number=0

# ends TITLE WORDS COMMAND...: neither well nor by its timer, and says it. MPICH's mpirun now and then loses what is
# printed at the end: five times at most.
ends() {
    for _ in 1 2 3 4 5; do
        timeout 100 "${mpirun[@]}" -n 4 "${@:3}" >"$out" 2>&1
        status=$?
        case $status in 0 | 124 | 142) break ;; esac
        ! grep -q -- "$2" "$out" || break
    done
    number=$((number + 1))
    if [ $status != 0 ] && [ $status != 124 ] && [ $status != 142 ] && grep -q -- "$2" "$out"; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        sed "s/^/# status $status: /" "$out"
    fi
}

echo 1..6
ends 'a sum in two algorithms' 'a sum of [0-9]* elements on process .*, of [0-9]* on process' "$run" --mpi "$python" "$sums" Allreduce 100 5000
ends 'a sum with and without a second exchange' 'a sum of 1[45] elements on process' "$run" --mpi "$python" "$sums" Allreduce 14 15
ends 'fused, and not' 'a sum of 100* elements on process' "$run" --mpi=fuse "$python" "$sums" Allreduce 10 100
ends 'fused, of two lengths' 'a sum of [12] elements on process' "$run" --mpi=fuse "$python" "$sums" Allreduce 1 2
ends 'the root of a reduce' 'a sum of 1 elements on process 0, of 150000 on process 1' "$run" --mpi "$python" "$sums" Reduce 1 150000
if [ "$pblas" = none ]; then
    echo 'ok 6 # SKIP no ScaLAPACK'
else
    ends 'PBLAS' 'exblas: PDGEMM: argument 1 is not the same' "$run" --mpi "$python" "$pblas" 1 4 unequal
fi
