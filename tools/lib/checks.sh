# shellcheck shell=bash
# shellcheck disable=SC2034 # names: for who sources this
# Sourced by the tools, which are in the root of the tree from here on: options, stages with their times, and what is
# counted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=tools/lib/packages.sh
. tools/lib/packages.sh

passed=0 failed=0 names=() stage='' begin=$SECONDS
log=$(mktemp) # of what only matters if it fails
trap 'rm -f "$log"' EXIT

# What --help prints: the comment at the head of the tool.
usage() { (cd "$OLDPWD" && sed -n '/^# shellcheck/q; 2,/^[^#]/s/^#$//p; 2,/^[^#]/s/^# //p' "$0"); }

die() {
    echo "${0##*/}: $*" >&2
    exit 2
}

# read_options SPEC ARGUMENT...: SPEC has the options between spaces, with a `=` those that take a value.
# --some-option sets the variable some_option, to true or to its value; what is no option is in `names`.
read_options() {
    local spec=" $1 " name
    shift
    while [ $# -gt 0 ]; do
        name=${1#--}
        case $1 in
        -h | --help) usage; exit 0 ;;
        --*)
            if [[ $spec == *" $1= "* ]]; then
                [ $# -gt 1 ] || die "$1 needs a value"
                printf -v "${name//-/_}" %s "$2"
                shift
            elif [[ $spec == *" $1 "* ]]; then
                printf -v "${name//-/_}" %s true
            else
                die "unknown option $1 (--help lists them)"
            fi
            ;;
        -*) die "unknown option $1 (--help lists them)" ;;
        *) names+=("$1") ;;
        esac
        shift
    done
}

# chosen NAME: whether it is among `names`, or there are none.
chosen() { [ ${#names[@]} -eq 0 ] || [[ " ${names[*]} " == *" $1 "* ]]; }

# only NAME...: all of `names` are among them.
only() {
    local name
    for name in ${names[@]+"${names[@]}"}; do
        [[ " $* " == *" $name "* ]] || die "no $name; there are: $*"
    done
}

# stage TITLE: ends the stage before, with its time.
stage() {
    [ -z "$stage" ] || echo "   $stage: $((SECONDS - begin)) s"
    stage=$1 begin=$SECONDS
    [ -z "$stage" ] || echo "== $stage"
}

# finish: the time of the last stage, the totals, and the exit status.
finish() {
    stage ''
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

# quietly COMMAND...: what it prints appears only if it fails.
quietly() { "$@" >"$log" 2>&1 || { cat "$log"; return 1; }; }

# check TITLE COMMAND...: what it prints is in $log; its end appears only if it fails.
check() {
    local title=$1
    shift
    if "$@" >"$log" 2>&1; then
        echo "ok      $title"
        passed=$((passed + 1))
    else
        echo "FAILED  $title"
        failed=$((failed + 1))
        tail -n 30 "$log" | cut -c 1-300
    fi
}

# add_totals: adds those of $log, the output of a tool whose last line is `N passed, N failed`.
add_totals() {
    local p f
    read -r p f <<<"$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log")"
    passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
}

# run_tool COMMAND...: another tool, which ends with `N passed, N failed`.
run_tool() {
    "$@" 2>&1 | tee "$log" | sed -u '${/^[0-9]* passed, [0-9]* failed$/d}' || true
    add_totals
}
