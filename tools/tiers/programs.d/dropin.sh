# shellcheck shell=bash
# shellcheck disable=SC2154 # of tools/tiers/programs, which sources this
# Real programs under exblas-run: their bits over OpenBLAS kernels and threads.

# PYTHON PACKAGE: the hash of what steps.py prints. SciPy 1.10's sqrtm differs from run to run by itself.
# shellcheck disable=SC2016 # for the inner shell
steps=(sh -c '"$0" tools/tiers/wheels.d/steps.py "$1" | grep -v sqrtm | sha256sum')

# results COMMAND...: each different line of output, with how often it came.
results() {
    local kernel threads
    for kernel in Prescott Nehalem Haswell Zen SkylakeX; do
        for threads in 1 2; do
            OPENBLAS_CORETYPE=$kernel OPENBLAS_NUM_THREADS=$threads EXBLAS_NUM_THREADS=$threads "$@" 2>/dev/null
        done
    done | sort | uniq -c
}

# compare RUN NAME COMMAND...
compare() {
    local run=$1 name=$2 found count
    shift 2
    found=$(results "$run" "$@")
    count=$(wc -l <<<"$found")
    if [ "$count" -eq 1 ] && [ "$(awk '{ print $1 }' <<<"$found")" -eq 10 ]; then
        passed=$((passed + 1))
        echo "same bits    $name: ${found#*10 }"
    else
        failed=$((failed + 1))
        printf 'DIFFERENT    %s:\n%s\n' "$name" "$found"
    fi
    if $plain; then echo "             without exblas-run: $(results "$@" | wc -l) different results"; fi
}

# alternatives PACKAGE: the installed libblas.so.3 behind the two links of the alternatives system. Not under exblas-run:
# `env` takes its place.
alternatives() {
    local installed=$build/installed links=$build/alternatives library
    rm -rf "$installed" "$links"
    mkdir -p "$links"/{etc,admin,lib}
    [ -d "$build/to-install" ] || meson setup "$build/to-install" --prefix "$installed" \
        --buildtype=release -Dmpi=disabled >/dev/null
    meson install -C "$build/to-install" --quiet >/dev/null
    library=$(find "$installed" -name libblas.so.3)
    update-alternatives --quiet --altdir "$links/etc" --admindir "$links/admin" \
        --install "$links/lib/libblas.so.3" libblas.so.3-any "$library" 5
    compare env "Debian's Python by update-alternatives, $1" env -u LD_PRELOAD \
        "LD_LIBRARY_PATH=$links/lib:$(dirname "$(find /usr/lib -path '*/lapack/liblapack.so.3')")" \
        "${steps[@]}" /usr/bin/python3 "$1"
}

install_packages meson ninja-build python3-numpy python3-scipy python3-venv libopenblas0-pthread liblapack3 liblapack64-3 libblas3 \
    r-base-core octave
python_from_pip numpy scipy
for python in /usr/bin/python3 "$venv/bin/python"; do
    from="from Debian"
    [ "$python" = /usr/bin/python3 ] || from="from pip"
    compare "$run" "NumPy $from" "${steps[@]}" "$python" numpy
    compare "$run" "SciPy $from" "${steps[@]}" "$python" scipy
    compare "$run" "NumPy $from, Inf and NaN" "$python" test/tools/shim/numpy_finite.py
done
compare "$run" "R" Rscript "$parts/program.R"
compare "$run" "Octave" octave-cli --no-init-file --quiet "$parts/program.m"
alternatives numpy
alternatives scipy
