#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh SOURCE BUILD: does what a user does first. Installs the library from the build
# directory, compiles README's first C program with the flags from pkg-config, and runs it, with the
# shared library and with the static one.
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
# Without the library it must not start, or it was not linked with it.
if "$work/shared" >/dev/null 2>&1; then
    echo "the program does not use the installed shared library" >&2
    exit 1
fi

echo "static:"
rm "$libraries"/libhandle_map.so*
# shellcheck disable=SC2046 # pkg-config prints lists.
cc $(pkg-config --cflags handle_map) "$work/blocks/1.c" \
    $(pkg-config --libs --static handle_map) -o "$work/static"
"$work/static"
