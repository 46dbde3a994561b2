#!/bin/bash
# cmake_test.sh BUILD-DIR SOURCE-DIR: installs, moves the installation and builds an example against it
# with find_package. Reports in TAP.
set -u
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
echo 1..2
meson install -C "$1" --no-rebuild --quiet --destdir "$root/first" >"$root/log" 2>&1 || { cat "$root/log"; exit 1; }
mv "$root/first" "$root/moved"
config=$(find "$root/moved" -name exblas-config.cmake)
mkdir "$root/project"
cat >"$root/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(example C)
find_package(exblas 0.1 REQUIRED)
add_executable(example ${EXAMPLE})
target_link_libraries(example exblas::exblas)
END
cmake -S "$root/project" -B "$root/build" -Dexblas_DIR="${config%/*}" \
    -DEXAMPLE="$2/examples/accumulator.c" >"$root/log" 2>&1 && cmake --build "$root/build" >>"$root/log" 2>&1
got=$("$root/build/example" 2>&1 | head -n 2 | tail -n 1)
if [ -x "$root/build/example" ] && [ -n "$got" ]; then echo "ok 1 - found, built and run"; else
    echo "not ok 1 - found, built and run"; sed 's/^/# /' "$root/log"; fi
sed -i 's/exblas 0.1/exblas 99/' "$root/project/CMakeLists.txt"
if cmake -S "$root/project" -B "$root/other" -Dexblas_DIR="${config%/*}" -DEXAMPLE=x >"$root/log" 2>&1; then
    echo "not ok 2 - another major version is refused"; else echo "ok 2 - another major version is refused"; fi
