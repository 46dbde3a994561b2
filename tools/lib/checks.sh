# shellcheck shell=bash
# shellcheck disable=SC2154 # folder: of the tool
# Sourced by the tools: steps that are counted. $folder is the tool's folder.

passed=0 failed=0

# check TITLE COMMAND...: what it prints is in $folder/log; its end appears only if it fails.
check() {
    local title=$1
    shift
    if "$@" >"$folder/log" 2>&1; then
        echo "ok      $title"
        passed=$((passed + 1))
    else
        echo "FAILED  $title"
        failed=$((failed + 1))
        tail -n 30 "$folder/log" | cut -c 1-300
    fi
}
