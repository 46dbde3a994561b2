# Sourced by the tools: installing what a step needs on Debian and Ubuntu.

# The packages of the arguments that are not installed: of `first|second` the first that there is, of `first|` that
# or none.
missing_packages() {
    local package name
    for package in "$@"; do
        for name in ${package//|/ }; do
            if dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q '^install ok installed$'; then continue 2; fi
        done
        for name in ${package//|/ }; do
            if [ "$name" = "$package" ] || apt-cache show "$name" >/dev/null 2>&1; then echo -n "$name " && break; fi
        done
    done
}

# install_packages NAME...: says what it installs; does nothing if all is there.
install_packages() {
    if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
        echo "This is not Debian or Ubuntu: make sure that the equivalents of these are there: $*"
        return 0
    fi
    local missing sudo=()
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null 2>&1; then
            echo "Please install as root: apt-get install $missing" >&2
            return 1
        fi
        sudo=(sudo)
    fi
    echo "Installing with apt-get: $missing"
    "${sudo[@]}" apt-get update -qq
    # shellcheck disable=SC2086 # a list of names
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $missing >/dev/null
}
