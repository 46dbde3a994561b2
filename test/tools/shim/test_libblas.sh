#!/bin/sh
# test_libblas.sh LIBBLAS: the 24 programs of Debian's libblas-test on the drop-in libblas.so.3, or those of
# libblas64-test on libblas64.so.3; the counts of PASS are those of netlib's own.
own=$(dirname "$1")
bits=$(basename "$1" | tr -cd 46)
dir=$(ls -d "/usr/lib/"*"/blas$bits" 2>/dev/null | head -n 1)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
[ -x "$dir/xblat2d" ] || { echo "libblas$bits-test is not installed"; exit 77; }
cd "$work" || exit 1
status=0

# check NAME INPUT COUNT
check() {
    LD_LIBRARY_PATH=$own:$dir "$dir/$1" <"$2" >out 2>&1
    n=$(cat out ./*.out 2>/dev/null | grep -c PASS)
    rm -f ./*.out
    echo "$1: $n of $3"
    [ "$n" -eq "$3" ] || status=1
}

# level LEVEL COUNTS: the Fortran and the CBLAS programs of the types s d c z.
level() {
    level=$1
    shift
    for type in s d c z; do
        fortran=/dev/null
        cblas=/dev/null
        if [ "$level" -gt 1 ]; then
            fortran=$dir/${type}blat$level.in
            cblas=$dir/${type}in$level
        fi
        check "xblat$level$type" "$fortran" "$1"
        check "x${type}cblat$level" "$cblas" "$2"
        shift 2
    done
}

level 1 13 10 13 10 10 10 10 10
level 2 33 49 33 49 35 52 35 52
# Since 3.12.1 there is gemmtr.
if grep -qi gemmtr "$dir/dblat3.in"; then
    level 3 15 22 15 22 21 31 21 31
else
    level 3 13 19 13 19 19 28 19 28
fi
exit $status
