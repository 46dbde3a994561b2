# shellcheck shell=bash
# shellcheck disable=SC2154 # of tools/tiers/wheels, which sources this
# The wheel for AArch64, and its bits against those of this machine's.
# shellcheck source=tools/lib/sysroot.sh
. tools/lib/sysroot.sh
# shellcheck source=/dev/null
. "$parts/wheel.sh"
install_packages gcc libc6-dev python3-dev python3-venv pkg-config liblapack3 liblapack64-3 qemu-user \
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross
root=$folder/root-aarch64 site=$folder/site-aarch64 here=$folder/clean python=$folder/python-aarch64
wheel_tools "$glibc"

# The interpreter that meson asks and that runs the tests: Debian's, of the same version as here.
unpack_python() {
    local version
    version=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    (cd "$folder" && fetch_sysroot arm64 "${root##*/}" "python$version-minimal" "libpython$version-minimal" \
        "libpython$version-stdlib" "libpython$version-dev" libc6 libgcc-s1 libstdc++6 libexpat1 zlib1g libcrypt1 libffi8)
    printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s/usr/bin/python%s" "$@"\n' "$root" "$root" "$version" >"$python"
    chmod +x "$python"
    "$python" -c 'import platform; assert platform.machine() == "aarch64"'
}

# A cross file to be read after tools/cross/aarch64.ini.
write_cross_file() {
    cat >"$python.ini" <<END
[binaries]
python = '$python'
$([ -z "$glibc" ] || echo "c = '$folder/cc-aarch64'")

[properties]
pkg_config_libdir = ['$root/none']

[built-in options]
c_args = ['-I$root/usr/include']
END
}

build_foreign() {
    _PYTHON_HOST_PLATFORM=linux-aarch64 build_wheel "$folder/objects$glibc-aarch64" "$folder/wheels-aarch64" \
        -C "setup-args=--cross-file=$PWD/tools/cross/aarch64.ini" -C "setup-args=--cross-file=$python.ini"
}

install_here() {
    [ -x "$here/bin/python" ] || /usr/bin/python3 -m venv "$here"
    "$here/bin/pip" install -q numpy
    "$here/bin/pip" install -q --no-index --no-deps --force-reinstall "$folder"/wheels/*.whl
}

# From a network or from what pip is configured for: not part of the package.
fetch_numpy() {
    rm -rf "$folder/numpy-aarch64"
    "$tools/bin/pip" download -q --no-deps --only-binary :all: --platform manylinux_2_28_aarch64 \
        -d "$folder/numpy-aarch64" "numpy==$("$here/bin/python" -c 'import numpy; print(numpy.__version__)')"
}

# Wheels of every Linux whose glibc is no newer than this machine's.
install_foreign() {
    local platforms=() minor newest
    newest=$(getconf GNU_LIBC_VERSION)
    for ((minor = 17; minor <= ${newest##*.}; minor++)); do platforms+=(--platform "manylinux_2_${minor}_aarch64"); done
    rm -rf "$site"
    "$tools/bin/pip" install -q --no-index --no-deps --only-binary :all: "${platforms[@]}" --target "$site" \
        "$folder"/wheels-aarch64/*.whl "$folder"/numpy-aarch64/*.whl
}

import_works() {
    PYTHONPATH=$site "$python" -c 'import exblas; exblas.show_config(); assert exblas.fsum([1e16, 1, -1e16]) == 1'
}

# same_bits OPTION... PROGRAM: prints the same there as here, with exblas-run and the options where there are any.
same_bits() {
    local there=("$python") ours=("$here/bin/python") program=${*: -1}
    [ $# -eq 1 ] || {
        there=("$site/exblas/bin/exblas-run" "${@:1:$#-1}" "${there[@]}")
        ours=("$here/bin/exblas-run" "${@:1:$#-1}" "${ours[@]}")
    }
    "${ours[@]}" "$program" >"$folder/ours" && PYTHONPATH=$site "${there[@]}" "$program" >"$folder/theirs" &&
        cat "$folder/theirs" && [ -s "$folder/theirs" ] && diff "$folder/ours" "$folder/theirs"
}

check 'Python for AArch64' unpack_python
[ -z "$glibc" ] || old_compiler aarch64 "$glibc" "$root/usr/include"
write_cross_file
check 'its wheel is built' build_foreign
check 'and has all its parts' has_all "$folder/wheels-aarch64"
check 'the wheel of this machine is built' build_wheel "$folder/objects" "$folder/wheels"
check 'and installed' install_here
check "NumPy's wheel for AArch64" fetch_numpy
check 'both are installed' install_foreign
check 'import' import_works
check 'the same bits of the package' same_bits "$parts/bits.py"
echo "        $(wc -l <"$folder/theirs") hashes: $(tail -n 1 "$folder/theirs") and others"
check 'the same bits of a NumPy program' same_bits --numpy "$parts/program.py"
ls "$folder/wheels-aarch64"
