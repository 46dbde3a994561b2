# shellcheck shell=bash
# Sourced by the tools: libraries of another Debian architecture, unpacked into a folder of the
# build. Nothing of the system changes: apt works with lists of its own.

# apt_apart DIR OPTION...: sets `apt` to options of apt's commands for lists and packages of their own
# in DIR/apt, where nothing is installed.
apt_apart() {
    local apart=$PWD/$1/apt
    shift
    mkdir -p "$apart/lists/partial" "$apart/cache/archives/partial" "$apart/packages"
    : >"$apart/status"
    apt=(-qq -o "Dir::State::Lists=$apart/lists" -o "Dir::State::status=$apart/status"
        -o "Dir::Cache=$apart/cache" -o APT::Sandbox::User=root "$@")
}

# fetch_sysroot DEBIAN-ARCH DIR PACKAGE...: unpacks the packages below DIR, once.
fetch_sysroot() {
    local arch=$1 dir=$2 apt
    shift 2
    [ ! -f "$dir/complete" ] || return 0
    apt_apart "$dir" -o "APT::Architecture=$arch" -o "APT::Architectures=$arch"
    # A list that is not to be had (a mirror in the middle of its own update) may not matter: if it
    # does, the download fails.
    apt-get "${apt[@]}" update || true
    (cd "$dir/apt/packages" && apt-get "${apt[@]}" download "$@")
    for package in "$dir"/apt/packages/*.deb; do dpkg-deb -x "$package" "$dir"; done
    rm -rf "$dir/apt"
    : >"$dir/complete"
}

# apt_of_release RELEASE DIR [deb-src]: sets `apt` as apt_apart does, for the packages or sources of another
# release of Debian from the same mirror, and fetches its lists.
apt_of_release() {
    local mirror
    # shellcheck disable=SC2016 # apt's own variable
    mirror=$(apt-get indextargets --format '$(REPO_URI)' | sed -n '/\/debian\/$/h; ${x;p}')
    [ -n "$mirror" ] || mirror=http://deb.debian.org/debian/
    apt_apart "$2" -o "Dir::Etc::SourceList=$PWD/$2/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
    echo "${3-deb} [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" >"$2/apt/sources.list"
    apt-get "${apt[@]}" update
}
