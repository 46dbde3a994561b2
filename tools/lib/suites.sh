# shellcheck shell=bash
# Sourced by the tiers that build tests; brings checks.sh.
# shellcheck source=tools/lib/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

# The compilers' results do not depend on the folder, which is another for each build.
export CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR-1}

# install_for_tests MORE...: what the tests need.
install_for_tests() {
    install_packages ccache gcc g++ gfortran libc6-dev dpkg-dev meson ninja-build pkg-config python3 libcmocka-dev \
        libmpfr-dev cmake doxygen gnuplot-nox libblas-dev libblas3 libblas-test libblas64-test liblapack3 \
        libopenblas0-pthread libopenmpi-dev libscalapack-openmpi-dev libscalapack-mpich-dev openmpi-bin libmpich-dev mpich lammps \
        pocl-opencl-icd ocl-icd-opencl-dev opencl-c-headers make universal-ctags 'clang-format-14|' libsqlite3-dev \
        libeigen3-dev libarmadillo-dev 'postgresql-15|postgresql-17' 'postgresql-server-dev-15|postgresql-server-dev-17' \
        python3-venv python3-dev python3-numpy python3-pandas python3-scipy python3-matplotlib libpetsc-real-dev python3-petsc4py "$@"
}

# count DIR: adds the cases of a test run to the totals and names those that failed.
count() {
    local result p f
    result=$(python3 tools/lib/count_tests.py "$1/meson-logs")
    echo "$result" | sed '$d'
    read -r p f <<<"$(echo "$result" | tail -n 1)"
    passed=$((passed + p)) failed=$((failed + f))
}

# configure DIR SETUP-OPTION...: once; after that what the tree changed in it.
configure() {
    local dir=$1
    shift
    if [ -f "$dir/build.ninja" ]; then quietly ninja -C "$dir" build.ninja; else
        quietly meson setup "$dir" -Dwerror=true -Dtests=enabled "$@"
    fi
}

# all_but DIR SUITE NAME...: sets `chosen_tests` to the tests of a suite (`all`: of every one) without those named.
all_but() {
    local dir=$1 suite=$2
    shift 2
    mapfile -t chosen_tests < <(meson test -C "$dir" --no-rebuild --list 2>/dev/null |
        if [ "$suite" = all ]; then cat; else grep ":$suite\b"; fi | sed 's/.* //' | grep -vxF "$(printf '%s\n' "$@")")
}

# run_suite DIR TITLE TEST-OPTION... -- SETUP-OPTION...: configures, builds what the tests need, runs and counts them.
run_suite() {
    local dir=$1 title=$2 test_options=() targets=() wrapped
    shift 2
    while [ "$1" != -- ]; do test_options+=("$1"); shift; done
    shift
    stage "build: $title"
    if ! configure "$dir" "$@"; then failed=$((failed + 1)) && return; fi
    mapfile -t targets < <(python3 tools/lib/suite_targets.py "$dir" "${test_options[@]}")
    if ! quietly ninja -C "$dir" --quiet "${targets[@]}"; then failed=$((failed + 1)) && return; fi
    stage "tests: $title"
    rm -f "$dir"/meson-logs/testlog[.-]*
    meson test -C "$dir" --no-rebuild --print-errorlogs "${test_options[@]}" || true
    for wrapped in "$dir"/meson-logs/testlog-*; do # Meson adds the wrapper's name
        [ ! -e "$wrapped" ] || mv "$wrapped" "$dir/meson-logs/testlog.${wrapped#*/testlog-*.}"
    done
    count "$dir"
}
