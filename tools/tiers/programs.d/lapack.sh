# shellcheck shell=bash
# shellcheck disable=SC2154 # of tools/tiers/programs, which sources this
# netlib's LAPACK test programs.

case $type in '' | s | d | c | z) ;; *) die "no type $type" ;; esac
bits=''
if $wide; then bits=64; fi
number=${bits:+$bits-} # as in libblas3, libblas64-3
install_packages "liblapack$bits-test" "liblapack${number}3" "libblas${number}3" "libopenblas${number}0-pthread" python3
libraries=$(ls -d "/usr/lib/"*"/lapack$bits" | head -n 1)
declare -A paths=([own]=$build/tools/shim:$build/lib:$libraries [netlib]=${libraries%/lapack*}/blas$bits:$libraries
    [openblas]=${libraries%/lapack*}/openblas$bits-pthread)
[ -n "${paths[$blas]-}" ] || die "no BLAS $blas; there are: ${!paths[*]}"

# run_tests WHO: the summary and the ratios; sets n_run and n_bad.
run_tests() {
    local work=$build/lapack-$1$bits path=${paths[$1]}
    rm -rf "$work"
    mkdir -p "$work/bin/Release" "$work/TESTING"
    ln -s "$libraries"/x* "$work/bin/Release"
    cp "$libraries"/*.in "$work/TESTING"
    echo "on $(LD_LIBRARY_PATH=$path ldd "$libraries/xlintstd" | awk '/lib(lapack|blas)/ { printf "%s ", $3 }')"
    (
        cd "$work" || exit
        export EXBLAS_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 LD_LIBRARY_PATH=$path
        python3 "$libraries/lapack_testing.py" --run --short --prec "${type:-x}" |
            tee summary.txt
        grep -r -H -E 'result +[0-9]+ is|test\( *[0-9]+\) *=|, ratio *=' TESTING --include='*.out' | sort >failures || true
        echo "Ratios above their thresholds: $(wc -l <failures)"
        cat failures
    )
    read -r n_run n_bad <<<"$(awk '/^(REAL|DOUBLE|COMPLEX)/ {
        sub(/^[A-Z ]*[0-9]*[ \t]*\t/, ""); ran += $1; failed += $2 } END { print ran + 0, failed + 0 }' "$work/summary.txt")"
}

# Which test failed, without the ratio; but one of zsep in 3.12.1, 51.04 of 50: chance, which strikes with two of 400
# seeds, with one on netlib's BLAS.
failed_tests() { sed -E '/type=10, seed=2967, 637,2441,1881/d; s/ is +[^ ]+ *$//; s/(test\( *[0-9]+\)) *=.*/\1/; s/, ratio *=.*//' "$build/lapack-$1$bits/failures"; }

if $compare; then
    run_tests netlib
    run_tests own
    echo "Only netlib's:"
    comm -23 <(failed_tests netlib) <(failed_tests own)
    echo "Only ours:"
    comm -13 <(failed_tests netlib) <(failed_tests own) | tee "$log"
    n_bad=$(wc -l <"$log")
    passed=$((passed + n_run - n_bad)) failed=$((failed + n_bad))
else
    run_tests "$blas"
    passed=$((passed + n_run - n_bad)) failed=$((failed + n_bad))
fi
