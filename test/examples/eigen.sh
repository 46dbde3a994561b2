#!/bin/sh
# eigen.sh EXBLAS-RUN PROGRAM: under exblas-run Eigen's and Armadillo's products are exact, and are not otherwise.
unset LD_LIBRARY_PATH # which may have ours
alone=$("$2") && exact=$("$1" "$2") || exit 1
echo "alone: $alone, under exblas-run: $exact"
[ "$exact" = "Eigen 0, Armadillo 0 of 10000" ] && [ "$alone" != "$exact" ]
