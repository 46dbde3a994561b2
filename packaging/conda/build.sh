#!/bin/bash
set -euo pipefail
meson setup build --prefix="$PREFIX" --libdir=lib --buildtype=release -Dpython=disabled \
    -Dmpi=disabled -Dopencl=disabled -Dcuda=disabled -Dlapack=third-party/lapack
ninja -C build
meson install -C build --no-rebuild
