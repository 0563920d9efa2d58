#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh SOURCE BUILD: does what a user does first. Installs the library from the build
# directory, compiles README's first C program with the flags from pkg-config, and runs it, with the
# shared library and with the static one; and with the shared one that CMake's find_package finds.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
build=$2

quietly meson install -C "$build" --no-rebuild --destdir "$work/root"
pc=$(find "$work/root" -name handle_map.pc)
find "$source/tools/debug" -type f | while read -r file; do
    find "$work/root" -path "*/share/handle_map/${file##*/}" | grep -q . ||
        fail "${file##*/}, for debuggers, is not installed"
done
PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$work/root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
libraries=$(dirname "$PKG_CONFIG_PATH")

write_first_program

echo "shared:"
# shellcheck disable=SC2046 # pkg-config prints lists.
cc $(pkg-config --cflags handle_map) "$work/first.c" $(pkg-config --libs handle_map) \
    -o "$work/shared"
LD_LIBRARY_PATH=$libraries "$work/shared"
# Without the library, which Meson lets tests find, it must not start, or it was not linked with it.
unset LD_LIBRARY_PATH
! "$work/shared" >/dev/null 2>&1 || fail "the program does not use the installed shared library"

if command -v cmake >/dev/null; then
    echo "shared, by find_package:"
    # configure VERSION: a project that asks for this version.
    configure() {
        rm -rf "$work/found"
        mkdir "$work/found"
        cp "$work/first.c" "$work/found/program.c"
        write_cmake_project "$work/found" "find_package(handle_map $1 REQUIRED)"
        # The tree was made for the prefix, and is elsewhere.
        cmake -S "$work/found" -B "$work/found/build" \
            -Dhandle_map_DIR="$libraries/cmake/handle_map" >"$work/log" 2>&1
    }
    configure 0.3 || fail "$(cat "$work/log")"
    quietly cmake --build "$work/found/build"
    "$work/found/build/program"
    readelf -d "$work/found/build/program" | grep -q 'NEEDED.*libhandle_map' ||
        fail "CMake has not linked the shared library"
    if configure '0.3 COMPONENTS none' || ! grep -q "so no 'none'" "$work/log"; then
        fail "a component that does not exist does not fail"
    fi
    # Another minor version may have other signatures; a later patch may have what is missing here.
    for other in 0.2 0.4 0.3.9 1; do
        ! configure $other || fail "a program that asks for version $other gets another"
        grep -q "compatible with requested version" "$work/log" || fail "$(cat "$work/log")"
    done
else
    echo "not tried without CMake: find_package"
fi

echo "static:"
rm "$libraries"/libhandle_map.so*
# shellcheck disable=SC2046 # pkg-config prints lists.
cc $(pkg-config --cflags handle_map) "$work/first.c" \
    $(pkg-config --libs --static handle_map) -o "$work/static"
"$work/static"
