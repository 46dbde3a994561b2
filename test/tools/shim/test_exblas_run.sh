#!/bin/sh
# Smoke test of exblas-run: options, exit codes, environment handed on.
#
#   test_exblas_run.sh [PATH/TO/exblas-run]     (default: the build tree's)
#
# The script under test is copied into a tree of its own beside a stand-in
# shim, so that only exblas-run is tested and nothing needs to be built but it.
set -u

here=$(cd "$(dirname "$0")" && pwd)
original=${1:-$here/../../build/tools/run/exblas-run}
[ -f "$original" ] || { echo "no such file: $original" >&2; exit 2; }
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
trap 'exit 1' HUP INT TERM

passed=0
failed=0

pass() { passed=$((passed + 1)); }

fail() {
    failed=$((failed + 1))
    printf 'FAIL: %s\n' "$*"
}

# check NAME WANTED GOT
check() {
    if [ "$2" = "$3" ]; then pass; else fail "$1: wanted '$2', got '$3'"; fi
}

# contains NAME PART WHOLE
contains() {
    case $3 in
        *"$2"*) pass ;;
        *) fail "$1: no '$2' in '$3'" ;;
    esac
}

# status NAME WANTED COMMAND...; standard error is left in $tree/err
status() {
    name=$1 wanted=$2
    shift 2
    "$@" >"$tree/out" 2>"$tree/err" </dev/null
    check "$name (exit status)" "$wanted" "$?"
}

one_line() {
    check "$1 (lines of message)" 1 "$(wc -l <"$tree/err" | tr -d ' ')"
}

# A stand-in for the shim: any loadable library will do, libm is on every system.
lay_tree() {
    mkdir -p "$tree/tools/run" "$tree/tools/shim" "$tree/a b"
    cp "$original" "$tree/tools/run/exblas-run"
    chmod +x "$tree/tools/run/exblas-run"
    run=$tree/tools/run/exblas-run
    libm=$(ldd /bin/sh "$(command -v od)" "$(command -v awk)" 2>/dev/null |
        awk '$3 ~ /^\// { print $3; exit }')
    cp "$libm" "$tree/tools/shim/libexblas_shim.so"
    cp "$libm" "$tree/libother.so"
    shim=$(readlink -f "$tree/tools/shim/libexblas_shim.so")
    # Prints the environment that exblas-run hands to a program, then the arguments.
    cat >"$tree/show" <<'EOF'
#!/bin/sh
printf '%s\n' "preload=$LD_PRELOAD" "path=${LD_LIBRARY_PATH-}" \
    "threads=${EXBLAS_NUM_THREADS-}" "method=${EXBLAS_METHOD-}"
for argument; do printf '<%s>\n' "$argument"; done
EOF
    chmod +x "$tree/show"
    cp "$tree/show" "$tree/a b/show it"
    echo data >"$tree/plain.txt"
}

test_messages() {
    status help 0 "$run" --help
    contains help "usage: exblas-run" "$(cat "$tree/out")"
    status version 0 "$run" --version
    contains version "exblas-run " "$(cat "$tree/out")"
    status 'no program' 125 "$run"
    one_line 'no program'
    for option in --bogus -x --report= --trace= --mpi --trace-blas --complex-return=c \
        --threads=0 --threads=two --threads=-1 --threads= --method=; do
        status "$option" 125 "$run" "$option" true
        one_line "$option"
    done
    for option in --threads --method --trace --complex-return; do
        status "$option without a value" 125 "$run" "$option"
        one_line "$option without a value"
    done
}

test_exit_codes() {
    status 'true' 0 "$run" true
    status "the program's own status" 37 "$run" sh -c 'exit 37'
    status 'missing program' 127 "$run" no-such-program-anywhere
    contains 'missing program' 'no-such-program-anywhere' "$(cat "$tree/err")"
    status 'missing path' 127 "$run" "$tree/nothing"
    status 'not executable' 126 "$run" "$tree/plain.txt"
    status 'a directory' 126 "$run" "$tree"
    status 'not executable, on PATH' 126 env PATH="$tree:$PATH" "$run" plain.txt
    status 'killed by signal' 143 "$run" sh -c 'kill -TERM $$'
}

test_environment() {
    shown=$("$run" --threads 3 --method fpe4ee "$tree/show" 2>/dev/null)
    contains '--threads' 'threads=3' "$shown"
    contains '--method' 'method=fpe4ee' "$shown"
    contains 'LD_PRELOAD' "preload=$shim" "$shown"
    shown=$(LD_PRELOAD=$tree/libother.so "$run" -- "$tree/show" 2>/dev/null)
    contains 'LD_PRELOAD kept, ours first' "preload=$shim:$tree/libother.so" "$shown"
    shown=$(LD_LIBRARY_PATH=/opt/one:/opt/two "$run" "$tree/show" 2>/dev/null)
    contains 'LD_LIBRARY_PATH kept, ours first' '/opt/one:/opt/two
' "$shown"
    shown=$(env -u LD_LIBRARY_PATH "$run" "$tree/show" 2>/dev/null)
    case $shown in
        *"path=:"* | *"::"*) fail "empty part in LD_LIBRARY_PATH: $shown" ;;
        *) pass ;;
    esac
    shown=$(EXBLAS_NUM_THREADS=5 "$run" "$tree/show" 2>/dev/null)
    contains 'the environment without options' 'threads=5' "$shown"
}

test_netlib() {
    shown=$(env -u LD_LIBRARY_PATH "$run" "$tree/show" 2>"$tree/err")
    for name in lapack blas; do
        if ls /usr/lib/*/"$name"/lib"$name".so.3 >/dev/null 2>&1; then
            contains "netlib's $name" "/$name" "$shown"
        else
            contains "netlib's $name missing" "lib${name}3" "$(cat "$tree/err")"
        fi
    done
    shown=$(env -u LD_LIBRARY_PATH "$run" --no-lapack "$tree/show" 2>/dev/null)
    case $shown in
        */lapack*) fail "--no-lapack: $shown" ;;
        *) pass ;;
    esac
}

test_arguments() {
    shown=$("$run" "$tree/a b/show it" 'one two' '' '*' --help 2>/dev/null)
    contains 'arguments' '<one two>
<>
<*>
<--help>' "$shown"
    shown=$(cd "$tree" && "$run" ./show 'x  y' 2>/dev/null)
    contains 'relative program' '<x  y>' "$shown"
}

test_places() {
    ln -s "$run" "$tree/a b/link"
    ln -s link "$tree/a b/link2"
    shown=$("$tree/a b/link2" "$tree/show" 2>/dev/null)
    contains 'through a symbolic link' "preload=$shim" "$shown"
    shown=$(PATH="$tree/tools/run:$PATH" && cd / && exblas-run "$tree/show" 2>/dev/null)
    contains 'found on PATH' "preload=$shim" "$shown"

    bindir=$(sed -n "s/^BINDIR='\(.*\)'$/\1/p" "$run")
    libdir=$(sed -n "s/^LIBDIR='\(.*\)'$/\1/p" "$run")
    case $bindir$libdir in /*) return ;; esac
    mkdir -p "$tree/prefix/$bindir" "$tree/prefix/$libdir/exblas"
    cp "$run" "$tree/prefix/$bindir/"
    status 'no shim' 125 "$tree/prefix/$bindir/exblas-run" true
    one_line 'no shim'
    cp "$shim" "$tree/prefix/$libdir/exblas/"
    shown=$("$tree/prefix/$bindir/exblas-run" "$tree/show" 2>/dev/null)
    contains 'installed' "/$libdir/exblas/libexblas_shim.so" "$shown"
}

# The report, the trace and the other objects.
test_observing() {
    cat >"$tree/settings" <<'EOF_SETTINGS'
#!/bin/sh
echo "report=${EXBLAS_REPORT-} pid=$((EXBLAS_REPORT_PID - $$)) trace=${EXBLAS_TRACE-} blas=${EXBLAS_TRACE_BLAS-} preload=$LD_PRELOAD"
EOF_SETTINGS
    chmod +x "$tree/settings"
    check '--report' "report=- pid=0 trace= blas= preload=$shim" \
        "$("$run" --report "$tree/settings" 2>/dev/null)"
    contains '--report=FILE, --trace' "report=r.json pid=0 trace=t.%p" \
        "$("$run" --report=r.json --trace t.%p "$tree/settings" 2>/dev/null)"
    for name in trace shim_f2c; do
        cp "$shim" "$tree/tools/shim/libexblas_$name.so"
    done
    folder=${shim%/*}
    contains '--trace-blas' "blas=libx.so preload=$folder/libexblas_trace.so" \
        "$("$run" --trace t --trace-blas=libx.so "$tree/settings" 2>/dev/null)"
    contains '--complex-return' "preload=$folder/libexblas_shim_f2c.so" \
        "$("$run" --complex-return f2c "$tree/settings" 2>/dev/null)"
    contains '--complex-return gnu' "preload=$shim" \
        "$("$run" --complex-return=gnu "$tree/settings" 2>/dev/null)"
    if command -v cc >/dev/null && echo 'int main(void) { return 0; }' |
        cc -static -x c -o "$tree/static" - 2>/dev/null; then
        status 'a static program' 0 "$run" --report "$tree/static"
        contains 'a static program' 'static→static static' "$(cat "$tree/err")"
        status 'a static program, without a report' 0 "$run" "$tree/static"
        one_line 'a static program, without a report'
    fi
}

# What nothing can be preloaded into is named in one line; of a script its interpreter.
test_loaders() {
    command -v cc >/dev/null || return 0
    echo 'int main(void) { return 3; }' >"$tree/main.c"
    musl=-Wl,--dynamic-linker=/nowhere/ld-musl-x86_64.so.1
    cc -o "$tree/glibc" "$tree/main.c" && cc "$musl" -o "$tree/musl" "$tree/main.c" || return 0
    status 'a program of glibc' 3 "$run" --no-lapack "$tree/glibc"
    check 'a program of glibc (nothing said)' '' "$(grep -v netlib "$tree/err")"
    printf '#!%s\n' "$tree/musl" >"$tree/musl_script"
    printf '#! /usr/bin/env -S A=1 musl\n' >"$tree/musl_by_env"
    chmod +x "$tree/musl_script" "$tree/musl_by_env"
    for program in musl musl_script musl_by_env; do
        status "musl: $program" 126 env PATH="$tree:$PATH" "$run" "$program"
        contains "musl: $program" "/musl is for musl (/nowhere/ld-musl-x86_64.so.1)" "$(tail -n 1 "$tree/err")"
    done
    cp "$tree/glibc" "$tree/foreign"
    printf '\377' | dd of="$tree/foreign" bs=1 seek=18 conv=notrunc 2>/dev/null
    "$run" "$tree/foreign" >/dev/null 2>"$tree/err"
    contains 'for another processor' "$tree/foreign is for another processor" "$(cat "$tree/err")"
}

# Descriptors that the caller has closed; the program's own messages cannot end in files that it opens.
test_closed() {
    printf '#!/bin/sh\n[ -e /dev/fd/2 ] && exit 7\n' >"$tree/seven"
    chmod +x "$tree/seven"
    for closed in '<&-' '>&-' '2>&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
        (eval "\"$run\" --report \"$tree/seven\" $closed") >"$tree/out" 2>"$tree/err"
        check "closed: $closed" 7 "$?"
    done
}

# Without the two objects --mpi is an error (test_messages); with them, they are preloaded too.
test_mpi() {
    mkdir -p "$tree/lib/mpi/pblas"
    cp "$shim" "$tree/lib/mpi/libexblas_pmpi.so"
    cp "$shim" "$tree/lib/mpi/pblas/libexblas_pblas_shim.so"
    pmpi=$(readlink -f "$tree/lib/mpi/libexblas_pmpi.so")
    pmpi=$pmpi:$(readlink -f "$tree/lib/mpi/pblas/libexblas_pblas_shim.so")
    shown=$(LD_PRELOAD=$tree/libother.so "$run" --mpi --threads 2 "$tree/show" 2>/dev/null)
    contains '--mpi' "preload=$shim:$pmpi:$tree/libother.so" "$shown"
    contains '--mpi and --threads' 'threads=2' "$shown"
}

lay_tree
test_messages
test_exit_codes
test_environment
test_netlib
test_arguments
test_places
test_observing
test_loaders
test_closed
test_mpi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
