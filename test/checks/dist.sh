#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh SOURCE: the archive of a release has every file and every test of the tree. From it alone the
# library builds: as the subproject that the wrap file names, and installed.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
needs git meson xz
archive=$(sh "$source/test/tools/archive.sh" "$source" "$work")
cd "$work"
tar -xf "$archive"
release=$(basename "$archive" .tar.xz)

git -C tree ls-files | sort >expected
find "$release" ! -type d | sed "s|^$release/||" | sort >contained
diff expected contained || fail "the archive has not the files of the tree"

# tests SOURCE NAME: writes the names of the source's tests.
tests() {
    quietly meson setup "$2" "$1" -Dtests=true
    meson introspect --tests "$2" | python3 -c '
import json, sys
print("\n".join(sorted(test["name"] for test in json.load(sys.stdin))))' >"$2.tests"
}

tests "$source" of_the_tree
tests "$release" of_the_archive
diff of_the_tree.tests of_the_archive.tests || fail "the archive has not the tests of the tree"
echo "$(wc -l <contained) files, $(wc -l <of_the_archive.tests) tests"

write_first_program

echo "by the wrap file:"
mkdir -p wrapped/subprojects/packagefiles
cp "$release/tools/package/handle_map.wrap" wrapped/subprojects
cp "$archive" wrapped/subprojects/packagefiles
cp first.c wrapped/program.c
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
cp first.c found/program.c
write_cmake_project found 'find_package(handle_map 0.3 REQUIRED)'
quietly cmake -S found -B found/build -DCMAKE_PREFIX_PATH="$work/root"
quietly cmake --build found/build
found/build/program
