# shellcheck shell=bash
# shellcheck disable=SC2154 # of tools/tiers/programs, which sources this
# One program's linear algebra over OpenBLAS kernels, threads and two NumPys.

if [ -f "$build/tools/shim/liblapack64.so.3" ]; then
    install_packages python3 python3-venv python3-numpy python3-scipy libopenblas0-pthread libblas3
    python_from_pip numpy scipy
    answer_run=("$run")
    if $plain; then answer_run=(env); fi
    expected=test/tools/shim/lapack_answer.txt
    for python in /usr/bin/python3 "$venv/bin/python"; do
        "$python" -c 'import numpy, scipy; print("NumPy", numpy.__version__, "SciPy", scipy.__version__)'
        for kernel in Prescott Core2 Penryn Nehalem Barcelona Sandybridge Haswell Zen SkylakeX; do
            for threads in 1 2; do
                found=$(OPENBLAS_CORETYPE=$kernel OPENBLAS_NUM_THREADS=$threads EXBLAS_NUM_THREADS=$threads \
                    "${answer_run[@]}" "$python" test/tools/shim/lapack_answer.py)
                different=$(diff "$expected" - <<<"$found" | awk '$1 == ">" { printf " %s", $2 }') || true
                if [ -z "$different" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
                [ -z "$different" ] || echo "DIFFERENT $kernel, $threads threads:$different"
            done
        done
    done
else
    echo "skipped: no LAPACK of its own in $build (option -Dlapack)"
fi
