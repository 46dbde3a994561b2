#!/bin/bash
# libblas.so.3, libcblas.so.3 and liblapack.so.3 where conda's programs look. One library has BLAS and CBLAS.
set -euo pipefail
case $PKG_NAME in
libblas | libcblas) object=libblas.so.3 ;;
liblapack) object=liblapack.so.3 ;;
esac
mkdir -p "$PREFIX/lib"
ln -s "exblas/$object" "$PREFIX/lib/$PKG_NAME.so.3"
