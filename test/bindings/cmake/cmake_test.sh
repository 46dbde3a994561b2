#!/bin/bash
# cmake_test.sh BUILD-DIR SOURCE-DIR: installs, moves the installation and builds an example against it
# with find_package, its shared library and each component that is there. Reports in TAP.
set -u
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
number=0

# report TITLE COMMAND...
report() {
    local title=$1
    shift
    number=$((number + 1))
    if "$@" >"$root/log" 2>&1; then echo "ok $number - $title"; else
        echo "not ok $number - $title"
        sed 's/^/# /' "$root/log"
    fi
}

# project NAME FIND-PACKAGE TARGET SOURCE [LANGUAGES]
project() {
    mkdir "$root/$1"
    cat >"$root/$1/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.13)
project(example ${5-C})
find_package(exblas $2)
add_executable(example $4)
target_link_libraries(example exblas::$3)
END
}

configure() {
    cmake -S "$root/$1" -B "$root/$1/build" -Dexblas_DIR="${config%/*}"
}

# runs NAME: the example is built, and prints something.
runs() {
    configure "$1" && cmake --build "$root/$1/build" && [ -n "$("$root/$1/build/example")" ]
}

stands_alone() {
    ldd "$root/$1/build/example" | grep -q libc && ! ldd "$root/$1/build/example" | grep libexblas
}

# fails_with TEXT COMMAND...
fails_with() {
    local text=$1
    shift
    "$@" && return 1
    grep -q "$text" "$root/log"
}

meson install -C "$1" --no-rebuild --quiet --destdir "$root/first" >"$root/log" 2>&1 || { cat "$root/log"; exit 1; }
mv "$root/first" "$root/moved"
config=$(find "$root/moved" -name exblas-config.cmake)
libraries=$(dirname "$(dirname "${config%/*}")")
example=$2/examples/accumulator.c

project shared '0.1 REQUIRED' exblas "$example"
report 'found, built and run' runs shared
project static 'REQUIRED COMPONENTS static' static "$example"
report 'the component static' runs static
report 'needs no libexblas' stands_alone static
if command -v gfortran >/dev/null; then
    printf 'use exblas\nprint *, exblas_sum([1d16, 1d0, -1d16])\nend\n' >"$root/sum.f90"
    project fortran 'REQUIRED COMPONENTS fortran' fortran "$root/sum.f90" 'C Fortran'
    report 'the component fortran' runs fortran
fi
if [ -e "$libraries/libexblas_mpi.so.0" ]; then
    project mpi 'REQUIRED COMPONENTS mpi' mpi "$2/examples/mpi/sum.c"
    report 'the component mpi' runs mpi
    if command -v gfortran >/dev/null; then
        project mpi_fortran 'REQUIRED COMPONENTS mpi_fortran' mpi_fortran "$2/examples/mpi/ocean.f90" 'C Fortran'
        report 'the component mpi_fortran' runs mpi_fortran
    fi
fi
if [ -e "$libraries/libexblas_opencl.so.0" ]; then
    project opencl 'REQUIRED COMPONENTS opencl' opencl "$2/examples/opencl.c"
    report 'the component opencl' runs opencl
fi
if [ -e "$libraries/libexblas_cuda.so.0" ]; then
    cat >"$root/device.c" <<'END'
#include <exblas/cuda.h>
#include <stdio.h>
int main(void)
{
    exblas_cuda_handle h = NULL;
    exblas_status s = exblas_cuda_create(&h);
    puts(s == EXBLAS_OK ? "a device" : exblas_cuda_last_error());
    return s == EXBLAS_OK ? exblas_cuda_destroy(h) != EXBLAS_OK : s != EXBLAS_EDEVICE;
}
END
    project cuda 'REQUIRED COMPONENTS cuda' cuda "$root/device.c"
    report 'the component cuda' runs cuda
fi
project other '99 REQUIRED' exblas "$example"
report 'another major version is refused' fails_with 'version' configure other
project unknown 'REQUIRED COMPONENTS vulkan' exblas "$example"
report 'and a component that is not there' fails_with 'installed without vulkan' configure unknown
echo "1..$number"
