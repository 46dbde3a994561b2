#!/bin/sh
# test_libblas.sh SHIM: the Level 2 programs of Debian's libblas-test with the drop-in
# preloaded before netlib's BLAS; the counts of PASSED are those of netlib's own.
shim=$1
dir=$(ls -d /usr/lib/*/blas 2>/dev/null | head -n 1)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
[ -x "$dir/xblat2d" ] || { echo "libblas-test is not installed"; exit 77; }
cd "$work" || exit 1
status=0

# check NAME INPUT COUNT
check() {
    LD_LIBRARY_PATH=$dir LD_PRELOAD=$shim "$dir/$1" <"$dir/$2" >out 2>&1
    n=$(cat out ./*.out 2>/dev/null | grep -c PASS)
    rm -f ./*.out
    echo "$1: $n of $3"
    [ "$n" -eq "$3" ] || status=1
}

check xblat2s sblat2.in 33
check xblat2d dblat2.in 33
check xblat2c cblat2.in 35
check xblat2z zblat2.in 35
check xscblat2 sin2 49
check xdcblat2 din2 49
check xccblat2 cin2 52
check xzcblat2 zin2 52
exit $status
