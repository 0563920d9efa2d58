#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh SOURCE: the archive of a release has every file and every test of the tree. From it alone the
# library builds: as the subproject that the wrap file names, and installed.
set -eu
source=$1
for tool in git meson xz; do
    command -v $tool >/dev/null || {
        echo "skipped: needs $tool" >&2
        exit 77
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archive=$(sh "$source/test/tools/archive.sh" "$source" "$work")
cd "$work"
tar -xf "$archive"
release=$(basename "$archive" .tar.xz)

git -C tree ls-files | sort >expected
find "$release" ! -type d | sed "s|^$release/||" | sort >contained
diff expected contained || {
    echo "the archive has not the files of the tree" >&2
    exit 1
}

# quietly COMMAND...: prints what the command prints only if it fails.
quietly() {
    "$@" >log 2>&1 || {
        echo "$*" >&2
        cat log >&2
        exit 1
    }
}

# tests SOURCE NAME: writes the names of the source's tests.
tests() {
    quietly meson setup "$2" "$1" -Dtests=true
    meson introspect --tests "$2" | python3 -c '
import json, sys
print("\n".join(sorted(test["name"] for test in json.load(sys.stdin))))' >"$2.tests"
}

tests "$source" of_the_tree
tests "$release" of_the_archive
diff of_the_tree.tests of_the_archive.tests || {
    echo "the archive has not the tests of the tree" >&2
    exit 1
}
echo "$(wc -l <contained) files, $(wc -l <of_the_archive.tests) tests"

mkdir blocks
awk -v DIRECTORY=blocks -f "$source/test/tools/extract_c_blocks.awk" "$source/README.md"

echo "by the wrap file:"
mkdir -p wrapped/subprojects/packagefiles
cp "$release/tools/package/handle_map.wrap" wrapped/subprojects
cp "$archive" wrapped/subprojects/packagefiles
cp blocks/1.c wrapped/program.c
cat >wrapped/meson.build <<'END_OF_BUILD'
project('program', 'c', default_options: ['c_std=c11'])
executable('program', 'program.c', dependencies: dependency('handle_map'))
END_OF_BUILD
quietly meson setup --force-fallback-for=handle_map wrapped/build wrapped
quietly meson compile -C wrapped/build program
wrapped/build/program

command -v cmake >/dev/null || {
    echo "not tried without CMake: find_package"
    exit 0
}
echo "installed, static, by find_package:"
quietly meson setup static "$release" --buildtype debug -Ddefault_library=static \
    --prefix "$work/root" --libdir lib
quietly meson install -C static
mkdir found
cp blocks/1.c found/program.c
cat >found/CMakeLists.txt <<'END_OF_BUILD'
cmake_minimum_required(VERSION 3.16)
project(program LANGUAGES C)
find_package(handle_map 0.3 REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE handle_map::handle_map)
set_target_properties(program PROPERTIES C_STANDARD 11)
END_OF_BUILD
quietly cmake -S found -B found/build -DCMAKE_PREFIX_PATH="$work/root"
quietly cmake --build found/build
found/build/program
