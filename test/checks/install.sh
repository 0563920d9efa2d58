#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh SOURCE BUILD: does what a user does first. Installs the library from the build
# directory, compiles README's first C program with the flags from pkg-config, and runs it, with the
# shared library and with the static one; and with the shared one that CMake's find_package finds.
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

meson install -C "$build" --no-rebuild --destdir "$work/root" >"$work/install.log" || {
    cat "$work/install.log" >&2
    exit 1
}
pc=$(find "$work/root" -name handle_map.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$work/root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
libraries=$(dirname "$PKG_CONFIG_PATH")

mkdir "$work/blocks"
awk -v DIRECTORY="$work/blocks" -f "$source/test/tools/extract_c_blocks.awk" "$source/README.md"

echo "shared:"
# shellcheck disable=SC2046 # pkg-config prints lists.
cc $(pkg-config --cflags handle_map) "$work/blocks/1.c" $(pkg-config --libs handle_map) \
    -o "$work/shared"
LD_LIBRARY_PATH=$libraries "$work/shared"
# Without the library, which Meson lets tests find, it must not start, or it was not linked with it.
unset LD_LIBRARY_PATH
if "$work/shared" >/dev/null 2>&1; then
    echo "the program does not use the installed shared library" >&2
    exit 1
fi

if command -v cmake >/dev/null; then
    echo "shared, by find_package:"
    # configure VERSION: a project that asks for this version.
    configure() {
        rm -rf "$work/found"
        mkdir "$work/found"
        cp "$work/blocks/1.c" "$work/found/program.c"
        cat >"$work/found/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(program LANGUAGES C)
find_package(handle_map $1 REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE handle_map::handle_map)
set_target_properties(program PROPERTIES C_STANDARD 11)
END
        # The tree was made for the prefix, and is elsewhere.
        cmake -S "$work/found" -B "$work/found/build" \
            -Dhandle_map_DIR="$libraries/cmake/handle_map" >"$work/log" 2>&1
    }
    if ! { configure 0.3 && cmake --build "$work/found/build" >>"$work/log" 2>&1; }; then
        cat "$work/log" >&2
        exit 1
    fi
    "$work/found/build/program"
    readelf -d "$work/found/build/program" | grep -q 'NEEDED.*libhandle_map' || {
        echo "CMake has not linked the shared library" >&2
        exit 1
    }
    if configure '0.3 COMPONENTS none' || ! grep -q "so no 'none'" "$work/log"; then
        echo "a component that does not exist does not fail" >&2
        exit 1
    fi
    # Another minor version may have other signatures; a later patch may have what is missing here.
    for other in 0.2 0.4 0.3.9 1; do
        if configure $other; then
            echo "a program that asks for version $other gets another" >&2
            exit 1
        fi
        grep -q "compatible with requested version" "$work/log" || {
            cat "$work/log" >&2
            exit 1
        }
    done
else
    echo "not tried without CMake: find_package"
fi

echo "static:"
rm "$libraries"/libhandle_map.so*
# shellcheck disable=SC2046 # pkg-config prints lists.
cc $(pkg-config --cflags handle_map) "$work/blocks/1.c" \
    $(pkg-config --libs --static handle_map) -o "$work/static"
"$work/static"
