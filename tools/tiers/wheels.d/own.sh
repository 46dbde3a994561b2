# shellcheck shell=bash
# shellcheck disable=SC2154 # of tools/tiers/wheels, which sources this
# The wheel, installed where there is no compiler, and NumPy on it.
# shellcheck source=/dev/null
. "$parts/wheel.sh"
install_packages gcc libc6-dev python3-dev python3-venv git pkg-config liblapack3 liblapack64-3 ${lapack:+gfortran}

# What goes to pip's build, and what the wheel has for it.
options=() needed=()
[ -z "$lapack" ] || {
    options=(-C "setup-args=-Dlapack=$(readlink -f "$lapack")")
    needed=(lib/exblas/liblapack.so.3 lib/exblas/liblapack64.so.3)
}
wheel_tools "$glibc"
[ -z "$glibc" ] || {
    old_compiler "$(uname -m)" "$glibc" /usr/include
    CC=$folder/cc-$(uname -m)
    export CC
}

# A source archive is what git has: only for a tree without changes. Its wheel is built from it alone.
build_archive() {
    git diff --quiet HEAD || { echo "the tree has changes"; return 0; }
    "$tools/bin/python" -m build --sdist --no-isolation --outdir "$folder/wheels" .
    tar -tzf "$folder"/wheels/*.tar.gz >"$folder/names" && grep -q '/pyproject.toml$' "$folder/names"
}

# As pip installs it from the tree: auditwheel has changed nothing, so Meson must have said where the library is.
installed_from_tree() {
    rm -rf "$folder/own"
    "$tools/bin/pip" install -q --no-index --no-deps --target "$folder/own" "$folder"/raw/*.whl &&
        [ "$(PYTHONPATH=$folder/own "$tools/bin/python" -c 'import exblas; print(exblas.fsum([1e16, 1, -1e16]))')" = 1.0 ]
}

clean=$folder/clean
# A search path without compilers: the environment, a shell and its tools.
bare() {
    env -i PATH="$clean/bin:$folder/shell" HOME="$HOME" PIP_NO_INDEX=1 "$@"
}

install_wheel() {
    mkdir -p "$folder/shell"
    for name in sh bash cat env od awk readlink dirname printf; do ln -sf "$(command -v "$name")" "$folder/shell/$name"; done
    bare "$clean/bin/pip" install --no-index --force-reinstall --no-deps "$folder"/wheels/*.whl
}

commands_work() {
    printf '1e16\n1\n-1e16\n' >"$folder/numbers.txt"
    [ "$(bare exblas sum --quiet "$folder/numbers.txt" | head -n 1)" = 1 ] || { echo "exblas sum"; return 1; }
    bare exblas info && bare exblas-fprev model:pairwise --n 8 | head -n 3
    bare exblas-run --report "$clean/bin/python" -c 'import exblas; print(exblas.fsum([1e16, 1, -1e16]))'
    bare "$clean/bin/python" -m exblas run -c 'import exblas; exblas.show_config()' | grep -q libexblas_shim
    bare exblas-trace-diff --help && bare exblas grade --routines ddot,sgemv | tail -n 1
}

# All that the command reads, and npz files.
npz_files() {
    "$clean/bin/python" "$parts/npz.py" "$folder/some.npz" || return 1
    [ "$(bare exblas sum --quiet --column x "$folder/some.npz" | head -n 1)" = 1 ] || { echo "exblas sum"; return 1; }
    bare "$clean/bin/python" "$parts/tap.py" "$clean/bin/python" test/tools/cli/test_cli.py "$clean/bin/exblas"
}

# results COMMAND...: how many different outputs three kernels of OpenBLAS give.
results() {
    for kernel in Haswell Prescott SkylakeX; do
        bare OPENBLAS_CORETYPE="$kernel" "$@" 2>/dev/null
    done | sort -u
}

one_answer() {
    local count
    count=$(results exblas-run --numpy "$clean/bin/python" "$parts/program.py" | tee -a "$log" | wc -l)
    echo "without exblas-run: $(results "$clean/bin/python" "$parts/program.py" | wc -l) different results"
    [ "$count" -eq 1 ]
}

# LAPACK's calls of pip's NumPy, whose integers have 64 bits, go to the wheel's own.
lapack_is_ours() {
    bare exblas-run --report "$clean/bin/python" -c 'import numpy; numpy.linalg.solve(numpy.eye(3), numpy.ones(3))' 2>&1 |
        tee "$folder/report"
    grep -q "^lapack: .*/site-packages/exblas/lib/exblas/liblapack64.so.3" "$folder/report"
}

check 'the wheel is built' build_wheel "$folder/objects$glibc${lapack:+-lapack}" "$folder/wheels" ${options[@]+"${options[@]}"}
check 'and has all its parts' has_all "$folder/wheels" ${needed[@]+"${needed[@]}"}
check 'as pip makes it from the tree' installed_from_tree
check 'a source archive' build_archive
[ -x "$clean/bin/python" ] || /usr/bin/python3 -m venv "$clean"
# From a network or from what pip is configured for: not part of the package.
$no_numpy || "$clean/bin/pip" install -q numpy ml_dtypes pandas pytest pytest-timeout hypothesis
begin=$(date +%s)
check 'installed without a network or a compiler' install_wheel
check 'the commands' commands_work
check 'npz files' npz_files
check 'tests of the package' bare "$clean/bin/python" test/bindings/python/test_python.py
if ! $no_numpy; then
    check "one answer from pip's NumPy" one_answer
    echo "        $(($(date +%s) - begin)) s from the wheel to one answer; $(tail -n 1 "$log")"
    [ -z "$lapack" ] || check "the wheel's LAPACK" lapack_is_ours
    check 'exblas quickstart' bare exblas quickstart --quick
    for of in arrays reductions products like_numpy refusals; do
        check "tests of $of" bare "$clean/bin/python" "$parts/tap.py" "$clean/bin/python" \
            "test/bindings/python/test_$of.py"
    done
    check "NumPy's own tests of what is patched" bare "$clean/bin/python" "$parts/numpy_tests.py"
fi
if $torch; then
    "$clean/bin/pip" install -q torch
    check 'PyTorch' bare "$clean/bin/python" "$parts/tap.py" "$clean/bin/python" \
        test/bindings/python/test_torch.py
fi
if $engines; then
    install_packages default-jre-headless
    "$clean/bin/pip" install -q pyarrow 'dask[array,dataframe]' xarray flox polars datafusion pyspark
    for name in java ps rm sleep; do ln -sf "$(command -v "$name")" "$folder/shell/$name"; done
    for of in chunks engines; do
        check "tests of $of" bare "$clean/bin/python" "$parts/tap.py" "$clean/bin/python" \
            "test/bindings/python/test_$of.py"
    done
fi
ls "$folder/wheels"
