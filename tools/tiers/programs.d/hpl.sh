# shellcheck shell=bash
# shellcheck disable=SC2154 # of tools/tiers/programs, which sources this
# Debian's HPC Challenge under exblas-run.

install_packages hpcc openmpi-bin libopenblas0-pthread

# write_input FOLDER: hpcc's own example, for our size and one process.
write_input() {
    awk -v n="$n" -v nb="$nb" '
        NR == 6 { $1 = n } NR == 8 { $1 = nb } NR == 11 || NR == 12 { $1 = 1 } { print }
    ' /usr/share/doc/hpcc/examples/_hpccinf.txt >"$1/hpccinf.txt"
}

# value KEY FOLDER: of hpcc's summary.
value() {
    sed -n "s/^$1=//p" "$2/hpccoutf.txt"
}

# measure NAME COMMAND...: one run; adds "GFLOP/s of HPL, of DGEMM, residual, verdict" to NAME.txt.
measure() {
    local name=$1 folder=$work/run verdict=failed
    shift
    rm -rf "$folder" && mkdir "$folder"
    write_input "$folder"
    (cd "$folder" && OPENBLAS_NUM_THREADS=1 EXBLAS_NUM_THREADS=1 "$@" hpcc >"$log" 2>&1) || cat "$log"
    grep -q '\.\.\.\.\.\. PASSED' "$folder/hpccoutf.txt" && verdict=PASSED
    awk -v t="$(value HPL_Tflops "$folder")" -v d="$(value StarDGEMM_Gflops "$folder")" \
        -v r="$(value HPL_RnormI "$folder")" -v e="$(sed -n 's/.*(||A||_oo.*=  *\([0-9.]*\).*/\1/p' "$folder/hpccoutf.txt" | head -1)" \
        -v v="$verdict" 'BEGIN { print 1000 * t, d, r, e, v }' >>"$work/$name.txt"
}

work=$build/hpl
rm -rf "$work"
mkdir -p "$work"
for round in 1 2 3; do
    echo "round $round of 3"
    measure plain env
    measure exact "$run"
done

printf '%-24s%12s%12s%14s%12s\n' "hpcc, N = $n, NB = $nb" 'HPL GF/s' 'DGEMM GF/s' 'max|Ax-b|' 'scaled'
for variant in plain exact; do
    title="the machine's BLAS"
    [ "$variant" = plain ] || title="under exblas-run"
    sort -rn "$work/$variant.txt" | awk -v title="$title" '
        NR == 1 { hpl = $1; residual = $3; scaled = $4 } { if ($2 > product) product = $2; if ($5 != "PASSED") bad = 1 }
        END { printf "%-24s%12.2f%12.2f%14s%12s  %s\n", title, hpl, product, residual, scaled, bad ? "failed" : "PASSED" }'
    check "$title: each run passed" sh -c '! grep -v PASSED "$1"' sh "$work/$variant.txt"
done
check "one residual under exblas-run" test "$(cut -d' ' -f3 "$work/exact.txt" | sort -u | wc -l)" -eq 1
