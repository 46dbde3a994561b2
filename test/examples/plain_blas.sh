#!/bin/sh
# plain_blas.sh EXBLAS-RUN PROGRAM: the program gets the exact sum under exblas-run.
unset LD_LIBRARY_PATH # which may have ours
alone=$("$2") && exact=$("$1" "$2") || exit 1
echo "alone $alone, under exblas-run $exact"
[ "$exact" = 1000 ]
