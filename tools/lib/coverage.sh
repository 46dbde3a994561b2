# Sourced: which lines of lib/ the tests of a build folder reached, by lcov.

# report_coverage DIR LEAST: for each file the lines that were not reached, at the end the share of
# those that were; fails if that is less than LEAST percent. DIR was configured with
# -Db_coverage=true and its tests have run. libexblas_cuda does not count: it needs a device.
report_coverage() {
    local found=$1/lib.info report share
    lcov --quiet --capture --directory "$1" --base-directory "$1" --output-file "$found" 2>/dev/null
    lcov --quiet --extract "$found" "$PWD/lib/*" --output-file "$found"
    lcov --quiet --remove "$found" '*/lib/gpu/cuda/*' --output-file "$found"
    report=$(awk -F '[:,]' -v root="$PWD/" '
        $1 == "SF" { file = substr($2, length(root) + 1) }
        $1 == "DA" { n++; if ($3 == 0) { open[file] = open[file] " " $2; n_open++ } }
        END {
            for (file in open) print file ":" open[file] | "sort"
            close("sort")
            printf "coverage: %d of %d lines of lib/, %.1f %%\n", n - n_open, n,
                n ? 100 * (n - n_open) / n : 0
        }' "$found")
    echo "$report"
    share=$(sed -n '$s/.*, \([0-9]*\)\.[0-9]* %$/\1/p' <<<"$report")
    [ "${share:-0}" -ge "$2" ]
}
