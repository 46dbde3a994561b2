# shellcheck shell=bash
# shellcheck disable=SC2154 # of tools/tiers/wheels, which sources this
# Python packages from pip under exblas-run over OpenBLAS kernels and threads, step by step.

build=$(readlink -f "${names[0]-build}")
[ -x "$build/tools/run/exblas-run" ] || die "no exblas-run in $build; build it first"
run=("$build/tools/run/exblas-run")
if $plain; then run=(env); fi
packages=(numpy scipy)
$few || packages+=(sklearn statsmodels pandas)
if $torch; then packages+=(torch); fi
install_packages python3 python3-venv liblapack3 libblas3
wheels=$build/wheels
[ -x "$wheels/bin/python" ] || python3 -m venv "$wheels"
"$wheels/bin/pip" install -q "${packages[@]/sklearn/scikit-learn}"

if $tests; then
    "$wheels/bin/pip" install -q pytest hypothesis
    # Not where a folder has the name of a package.
    check "scipy.linalg" sh -c 'cd "$1" && shift && "$@"' sh "$wheels" "${run[@]}" bin/python -m pytest -q \
        -p no:cacheprovider --pyargs scipy.linalg
    tail -n 1 "$log"
    finish
    exit
fi

results=$wheels/results
rm -rf "$results"
mkdir -p "$results"
declare -A mkl=([Prescott]=COMPATIBLE [Sandybridge]=AVX [Haswell]=AVX2 [SkylakeX]=AVX512)
for threads in 1 2; do
    for kernels in Prescott Sandybridge Haswell SkylakeX; do
        OPENBLAS_CORETYPE=$kernels MKL_CBWR=${mkl[$kernels]} OPENBLAS_NUM_THREADS=$threads OMP_NUM_THREADS=$threads \
            "${run[@]}" "$wheels/bin/python" "$parts/steps.py" "${packages[@]}" \
            >"$results/$kernels-$threads"
    done
done

# Steps that compute outside of BLAS and LAPACK, with the processor's own vectors or in OpenMP's order.
expected=" sklearn.kmeans "
passed=0 failed=0
while read -r name; do
    count=$(awk -v name="$name" '$1 == name { print $2 }' "$results"/* | sort -u | wc -l)
    note=""
    case $expected in *" $name "*) [ "$count" -eq 1 ] || note=" expected" ;; esac
    if [ "$count" -eq 1 ] || [ -n "$note" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    printf '%-32s%3d%s\n' "$name" "$count" "$note"
done < <(cut -d ' ' -f 1 "$results/Prescott-1")
