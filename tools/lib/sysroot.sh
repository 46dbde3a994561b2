# shellcheck shell=bash
# Sourced by the tools: libraries of another Debian architecture, unpacked into a folder of the
# build. Nothing of the system changes: apt works with lists of its own.

# fetch_sysroot DEBIAN-ARCH DIR PACKAGE...: unpacks the packages below DIR, once.
fetch_sysroot() {
    local arch=$1 dir=$2 apt
    shift 2
    [ ! -f "$dir/complete" ] || return 0
    mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/apt/packages"
    : >"$dir/apt/status"
    apt=(apt-get -qq -o "APT::Architecture=$arch" -o "APT::Architectures=$arch"
        -o "Dir::State::Lists=$PWD/$dir/apt/lists" -o "Dir::State::status=$PWD/$dir/apt/status"
        -o "Dir::Cache=$PWD/$dir/apt/cache" -o APT::Sandbox::User=root)
    # A list that is not to be had (a mirror in the middle of its own update) may not matter: if it
    # does, the download fails.
    "${apt[@]}" update || true
    (cd "$dir/apt/packages" && "${apt[@]}" download "$@")
    for package in "$dir"/apt/packages/*.deb; do dpkg-deb -x "$package" "$dir"; done
    rm -rf "$dir/apt"
    : >"$dir/complete"
}
