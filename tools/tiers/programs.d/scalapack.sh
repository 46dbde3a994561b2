# shellcheck shell=bash
# shellcheck disable=SC2154 # of tools/tiers/programs, which sources this
# ScaLAPACK's own testers, under exblas-run --mpi.

[ -e "$build/lib/mpi/pblas/libexblas_pblas_shim.so" ] || die "no drop-in PBLAS in $build; build it with MPI first"
install_packages scalapack-mpi-test openmpi-bin mpich
if readelf -d "$build/lib/mpi/pblas/libexblas_pblas.so" | grep -q mpich; then
    mpi=mpich start=(mpirun.mpich)
else
    mpi=openmpi start=(mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none)
fi
tests=$(ls -d /usr/lib/*/scalapack/$mpi-tests)
export EXBLAS_NUM_THREADS=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader \
    OMPI_MCA_btl_vader_single_copy_mechanism=none FI_PROVIDER=tcp
runner=("$run" --mpi)
if $stock; then runner=(env); fi
work=$build/scalapack
rm -rf "$work"
mkdir -p "$work"
cp "$tests"/*.dat "$tests"/PBLAS/*.dat "$tests"/PBLAS/TIMING/*.dat "$work"

n_skipped=0

# once N PROGRAM: runs it; false if it did not end well.
once() {
    (cd "$work" && timeout 60 "${start[@]}" -n "$1" "${runner[@]}" "$2") >"$log" 2>&1
}

# report N PROGRAM TRIES: adds the results that a program of either kind prints.
report() {
    local name=${2##*/} ended=ok try good bad skipped ours=("${runner[@]}")
    for ((try = 1; try <= $3; try++)); do
        if once "$1" "$2"; then ended=ok; break; else ended="ended with $?"; fi
    done
    if [ "$ended" != ok ] && [ "$3" -gt 1 ]; then
        runner=(env)
        once "$1" "$2" || ended="skipped: $ended, and so it does with ScaLAPACK's own PBLAS"
        runner=("${ours[@]}")
    fi
    read -r good bad skipped <<<"$(awk '
        /^ *\|/ { passed += $4; failed += $5; skipped += $6 }
        /completed and passed residual/ { passed += $1 }
        /completed and failed residual/ { failed += $1 }
        /skipped because of illegal/ { skipped += $1 }
        /error exit.*FAILED|Error-exit.*FAILED/ { failed++ }
        END { print passed + 0, failed + 0, skipped + 0 }' "$log")"
    case $ended in
    ok) [ "$good" -gt 0 ] || bad=$((bad + 1)) ;;
    skipped*) skipped=$((skipped + 1)) ;;
    *) bad=$((bad + 1)) ;;
    esac
    printf '%s processes  %-8s %5d passed %3d failed %4d skipped  %s\n' "$1" "$name" "$good" "$bad" "$skipped" \
        "${ended#ok}"
    passed=$((passed + good)) failed=$((failed + bad)) n_skipped=$((n_skipped + skipped))
}

# timing N PROGRAM: the routines that it has timed, all of which count as passed if it comes to its end.
timing() {
    local timed
    if once "$1" "$2" && grep -q 'End of Tests' "$log"; then
        timed=$(grep -cE '^ *\| +P[SDCZ]' "$log" || true)
    fi
    printf '%s processes  %-8s %5d timed\n' "$1" "${2##*/}" "${timed:-0}"
    if [ "${timed:-0}" = 0 ]; then failed=$((failed + 1)); else passed=$((passed + timed)); fi
}

if [ "$part" != lapack ]; then
    for n in ${processes:-2 4 6}; do
        for level in 1 2 3; do
            for type in s d c z; do report "$n" "$tests/PBLAS/${type}pb${level}tst" 1; done
        done
    done
    for level in 1 2 3; do
        if [ "${processes:-4}" -ge 4 ]; then
            for type in s d c z; do timing "${processes:-4}" "$tests/PBLAS/TIMING/${type}pb${level}tim"; done
        fi
    done
fi
if [ "$part" != pblas ]; then
    for name in lu inv ls qr llt; do
        for type in s d c z; do
            report "${processes:-4}" "$tests/x$type$name" "$([ $name = llt ] && echo 3 || echo 1)"
        done
    done
fi
echo "$n_skipped skipped"
