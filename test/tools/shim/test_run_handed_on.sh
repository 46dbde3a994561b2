#!/bin/sh
# test_run_handed_on.sh EXBLAS-RUN: what the program gets of its caller's environment and of exblas-run's choices, in
# a tree of stand-ins. In TAP.
set -u
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
package=$tree/bindings/python/exblas
mkdir -p "$tree/tools/run" "$tree/tools/shim" "$package/_startup" "$tree/caller"
cp "$1" "$tree/tools/run/exblas-run"
run=$tree/tools/run/exblas-run
libm=$(ldd /bin/sh | awk '$3 ~ /^\// { print $3; exit }') # any library that can be loaded
for name in shim trace lapack; do cp "$libm" "$tree/tools/shim/libexblas_$name.so"; done
echo 'print("ours")' >"$package/_startup/sitecustomize.py"
echo 'print("the caller'"'"'s")' >"$tree/caller/mine.py"
startup=$(readlink -f "$tree/tools/run")/../../bindings/python/exblas/_startup

number=0
check() { # NAME WANTED GOT
    number=$((number + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $number - $1"
    else
        printf 'not ok %s - %s\n# wanted %s, got %s\n' "$number" "$1" "$2" "$3"
    fi
}

echo 1..8
# shellcheck disable=SC2016 # for the program's shell
check 'ours before the folders of PYTHONPATH' "$startup:/one:/two" \
    "$(PYTHONPATH=/one:/two "$run" --numpy sh -c 'printf %s "$PYTHONPATH"')"
# shellcheck disable=SC2016
check 'no empty part, which is the working folder' "$startup" "$(PYTHONPATH='' "$run" --numpy sh -c 'printf %s "$PYTHONPATH"')"
check 'a module of the caller' "ours the caller's" \
    "$(PYTHONPATH=$tree/caller "$run" --numpy python3 -c 'import mine' 2>/dev/null | tr '\n' ' ' | sed 's/ $//')"

lapack() { # VARIABLE=VALUE OPTION...: EXBLAS_LAPACK as the program has it
    setting=$1
    shift
    # shellcheck disable=SC2016,SC2086 # for the program; none or one word
    env -u EXBLAS_LAPACK $setting "$run" "$@" sh -c 'printf %s "${EXBLAS_LAPACK-none}"'
}
check 'LAPACK is the program'"'"'s where its calls are traced' program "$(lapack '' --trace "$tree/t" --trace-blas)"
check 'whatever the caller says' program "$(lapack EXBLAS_LAPACK=exact --trace "$tree/t" --trace-blas)"
check 'without --trace-blas it is not touched' none "$(lapack '' --trace "$tree/t")"
check 'nor is what the caller says' exact "$(lapack EXBLAS_LAPACK=exact --trace "$tree/t")"
rm "$tree/tools/shim/libexblas_lapack.so"
check 'and without jumps there is nothing to say' none "$(lapack '' --trace "$tree/t" --trace-blas)"
