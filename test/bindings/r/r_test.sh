#!/bin/bash
# r_test.sh BUILD-DIR SOURCE-DIR: installs the R package against the library of a build tree and runs test.R.
set -eu
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/library"
cp -r "$2/bindings/r" "$root/exblas"
export PKG_CONFIG_PATH=$1/meson-uninstalled LD_LIBRARY_PATH=$1/lib
R CMD INSTALL --library="$root/library" "$root/exblas" >"$root/log" 2>&1 || { sed 's/^/# /' "$root/log"; exit 1; }
R_LIBS=$root/library Rscript "$2/test/bindings/r/test.R"
