#!/bin/sh
# SPDX-License-Identifier: MIT
# lists.sh SOURCE: every source file is in the list that builds it, so that no test is written and
# then never run; no two of the library's sources have the same name, since many programs build them
# into one directory of objects; and the root holds what belongs there.
set -eu
cd "$1"
files=0
failed=false

# named FILE NAME LIST
named() {
    files=$((files + 1))
    grep -qx "$2" "$3" || {
        echo "$1 is not in $3" >&2
        failed=true
    }
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
        echo "$file does not belong in the root" >&2
        failed=true
        ;;
    esac
done
twice=$(sed 's|.*/||' src/sources.txt | sort | uniq -d)
[ -z "$twice" ] || {
    echo "two sources are called $twice" >&2
    failed=true
}
echo "$files files"
! $failed
