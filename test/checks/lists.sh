#!/bin/sh
# SPDX-License-Identifier: MIT
# lists.sh SOURCE: every source file is in the list that builds it, so that no test is written and
# then never run; no two of the library's sources have the same name, since many programs build them
# into one directory of objects; and the root holds what belongs there.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
cd "$source"
files=0

# named FILE NAME LIST
named() {
    files=$((files + 1))
    grep -qx "$2" "$3" || complain "$1 is not in $3"
}

# No name has a space.
# shellcheck disable=SC2044
for file in $(find src -name '*.c'); do
    named "$file" "${file#src/}" src/sources.txt
done
for file in $(find test -name '*_test.c*') test/checks/*; do
    name=${file#test/}
    # Scripts are listed without directory and suffix.
    case $name in
    checks/*.sh) name=$(basename "$name" .sh) ;;
    esac
    named "$file" ".*'$name'.*" test/meson.build
done
for file in benchmarks/*.c benchmarks/*.cpp docs/examples/*.c; do
    named "$file" ".*'$(basename "$file")'.*" "$(dirname "$file")/meson.build"
done
for file in $(git ls-files 2>/dev/null | sed 's|/.*||' | sort -u); do
    case $file in
    .ci | .clang-format | .clang-tidy | .gitignore | CMakeLists.txt | LICENSE | README.md | \
        benchmarks | docs | include | meson.build | meson_options.txt | run | src | test | tools) ;;
    *)
        complain "$file does not belong in the root"
        ;;
    esac
done
twice=$(sed 's|.*/||' src/sources.txt | sort | uniq -d)
[ -z "$twice" ] || complain "two sources are called $twice"
echo "$files files"
! $failed
