#!/bin/bash
# gpu_check_test.sh SOURCE-DIR CALLS: tools/gpu-check without a GPU, and all of its walk with CALLS, the emulated
# device's program, in the place of a prebuilt one. Reports in TAP.
set -u
source_dir=$1 calls=$(readlink -f "$2")
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
        sed 's/^/# /' "$root/log" "$root/said"
    fi
}

# ends STATUS LINES TEXT ARGUMENT...: gpu-check, the device's program saying BREAK if that is set, ends with the status, having said so many lines, the last of which
# has the text.
ends() {
    local wanted=$1 lines=$2 text=$3 status=0
    shift 3
    "$root/tools/gpu-check" "$@" >"$root/said" 2>&1 || status=$?
    [ "$status" -eq "$wanted" ] && [ "$(wc -l <"$root/said")" -eq "$lines" ] &&
        tail -n 1 "$root/said" | grep -qF -- "$text"
}

# program NAME: one that gpu-check calls, from the input.
program() {
    cat >"$root/bin/$1"
    chmod +x "$root/bin/$1"
}

build='build-gpu/test/gpu'
mkdir -p "$root/tools/lib" "$root/bin"
cp "$source_dir/tools/gpu-check" "$root/tools"
cp "$source_dir"/tools/lib/{checks,packages}.sh "$root/tools/lib"
export PATH=$root/bin:$PATH

program nvidia-smi <<'END'
#!/bin/sh
echo 'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.'
exit 9
END
report 'a prebuilt library that is not there' ends 2 1 'there is no build-gpu/test/gpu/device_calls_cuda' --prebuilt
mkdir -p "$root/$build" "$root/build-gpu/perf"
cat >"$root/$build/device_calls_cuda" <<END
#!/bin/sh
[ -z "\$BREAK" ] || { echo "\$BREAK"; exit 1; }
"$calls" "\$@" --most 300 --calls 5
END
chmod +x "$root/$build/device_calls_cuda"
report 'no GPU: one line' ends 77 1 'skipped: there is no NVIDIA GPU' --prebuilt --quick
program nvidia-smi <<'END'
#!/bin/sh
case $* in
-L) echo 'GPU 0: emulated' ;;
*) echo 'emulated, 9.0, none' ;;
esac
END
report 'all of the walk, prebuilt' ends 0 10 ' passed, 0 failed' --prebuilt --quick
export BREAK='not ok 1 - dsum'
report 'a wrong bit is counted' ends 1 18 '0 passed, 8 failed' --prebuilt --quick
BREAK='1..0 # SKIP CUDA driver version is insufficient'
report 'a driver that is too old is no success' ends 1 18 '0 passed, 8 failed' --prebuilt --quick
unset BREAK
program compute-sanitizer <<'END'
#!/bin/sh
while [ "$1" != build-gpu/test/gpu/device_calls_cuda ]; do shift; done
exec "$@"
END
program bench <<'END'
#!/bin/sh
echo 'dsum 1'
END
cp "$root/bin/bench" "$root/build-gpu/perf/gpu_bench_cuda"
report 'with a sanitizer and times' ends 0 14 ' passed, 0 failed' --prebuilt
report 'an option that there is not' ends 2 1 "unknown option --fast" --fast
echo "1..$number"
