#!/bin/bash
# lammps_test.sh EXBLAS-RUN INPUT MPIRUN ARGUMENT...: LAMMPS, an MPI program that knows nothing
# of ExBLAS, prints the same energies whatever algorithm Open MPI uses for MPI_Allreduce, if it
# is started by exblas-run --mpi; and how many different answers it gives without. Reports in TAP.
set -u
run=$1 input=$2
shift 2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# answers COMMAND...: the number of different tables of energies over five algorithms.
answers() {
    for algorithm in 1 2 3 4 5; do
        mpirun --mca coll_tuned_use_dynamic_rules 1 \
            --mca coll_tuned_allreduce_algorithm "$algorithm" -n 5 \
            "$@" -in "$input" -screen none -log "$out/log" >"$out/err" 2>&1 || cat "$out/err" >&2
        grep '^ *[0-9]* *0x' "$out/log" >"$out/table" || echo "no energies: algorithm $algorithm"
        md5sum <"$out/table"
        rm -f "$out/log"
    done | sort -u | wc -l
}

mpirun_command=("$@")
mpirun() { "${mpirun_command[@]}" "$@"; }
plain=$(answers lmp)
exact=$(answers "$run" --mpi lmp)
echo 1..1
echo "# plain: $plain different answers from five algorithms; exact: $exact"
if [ "$exact" -eq 1 ]; then echo "ok 1 - one answer"; else echo "not ok 1 - one answer"; fi
