#!/bin/bash
# install_test.sh BUILD-DIR SOURCE-DIR CC [MPIRUN ARGUMENT...]: installs into a folder, compiles the
# examples against the installed pkg-config files and runs them. Reports in TAP.
set -u
build=$1 source=$2 cc=$3
shift 3
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
number=0

# report TITLE WANTED GOT
report() {
    number=$((number + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $number - $1"
    else
        printf 'not ok %d - %s\n# wanted: %s\n# got: %s\n' "$number" "$1" "${2//$'\n'/ | }" "${3//$'\n'/ | }"
    fi
}

meson install -C "$build" --no-rebuild --quiet --destdir "$root" >"$root/log" 2>&1 || { cat "$root/log"; exit 1; }
pc=$(dirname "$(find "$root" -name exblas.pc)")
prefix=$(sed -n 's/^prefix=//p' "$pc/exblas.pc")
drop_in=$(dirname "$(find "$root" -name blas.pc)")
sed -i "s|^prefix=.*|prefix=$root$prefix|" "$pc"/*.pc "$drop_in"/*.pc
export PKG_CONFIG_PATH=$pc
LD_LIBRARY_PATH=$(pkg-config --variable=libdir exblas)
export LD_LIBRARY_PATH

# compile NAME SOURCE PACKAGE
compile() {
    # shellcheck disable=SC2046 # options
    "$cc" -Wall -Wextra -Werror -o "$root/$1" "$source/examples/$2" $(pkg-config --cflags --libs "$3")
}

tests=6
[ $# -gt 0 ] && tests=8
[ -f "$pc/exblas-opencl.pc" ] && tests=$((tests + 1))
echo "1..$tests"
compile accumulator accumulator.c exblas
report 'accumulator.c' $'exact       0.30000000000000004\nstored      success, the same bytes' \
    "$("$root/accumulator" | tail -n 2)"
for name in blas cblas; do # found only where they are looked for, and then by the program, too
    PKG_CONFIG_PATH=$drop_in compile plain plain_blas.c $name
    report "plain_blas.c with $name.pc" 1000 "$(env -u LD_LIBRARY_PATH "$root/plain" | awk '{print $NF}')"
done
report "FlexiBLAS's entry names the library" ok \
    "$(test -f "$root$(sed -n 's/^library = //p' "$(find "$root" -name exblas.conf)")" && echo ok)"
# In a folder that it was not made for, and for any Python.
run=$(find "$root" -path '*/bin/exblas-run')
if [ -z "$(find "$root" -name sitecustomize.py)" ]; then
    for title in 'finds the package' 'adds exactly'; do
        report "exblas-run --numpy $title # SKIP no Python package" '' ''
    done
else
    report 'exblas-run --numpy finds the package' found \
        "$(env -u LD_LIBRARY_PATH "$run" --numpy sh -c '[ -f "${PYTHONPATH%%:*}/sitecustomize.py" ] && echo found' 2>&1)"
    numeric=/usr/bin/python3
    if "$numeric" -c 'import numpy' 2>/dev/null; then
        report 'exblas-run --numpy adds exactly' 1.0 \
            "$(env -u LD_LIBRARY_PATH "$run" --numpy "$numeric" -c 'import numpy; print(numpy.sum([1e16, 1, -1e16]))' 2>&1)"
    else
        report 'exblas-run --numpy adds exactly # SKIP no NumPy' '' ''
    fi
fi
if [ -f "$pc/exblas-opencl.pc" ]; then
    compile opencl opencl.c exblas-opencl
    shown=$("$root/opencl" | awk '{print $2}' | sort -u | wc -l)
    report 'opencl.c prints the same numbers, or that there is no device' 1 "$shown"
fi
[ $# -eq 0 ] && exit
compile sum mpi/sum.c exblas-mpi
one=$("$@" -n 1 "$root/sum")
report 'mpi/sum.c prints three numbers' 3 "$(wc -w <<<"$one")"
report 'mpi/sum.c on three processes' "$one" "$("$@" -n 3 "$root/sum")"
