#!/bin/sh
# SPDX-License-Identifier: MIT
# poison.sh SOURCE: a program that is built with AddressSanitizer gets reports of its stale pointers
# even from a library that is not: the misuse tests pass with such a library, with every installed
# compiler.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tested=false
export ASAN_OPTIONS=detect_leaks=0

for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    echo 'int main(void) { return 0; }' |
        "$compiler" -fsanitize=address -x c -o "$work/probe" - 2>/dev/null || continue
    tested=true
    echo "$compiler"
    # -r makes one object of all sources, which are still compiled one by one.
    # shellcheck disable=SC2046 # The sources are a list.
    "$compiler" -std=c11 -O2 -r -nostdlib -I "$source/include" \
        $(sed "s|^|$source/src/|" "$source/src/sources.txt") -o "$work/library.o"
    "$compiler" -std=c11 -O1 -fsanitize=address -I "$source/include" -I "$source/test" \
        "$source/test/index/index_test.c" "$source/test/index/batch_test.c" \
        "$source/test/index/misuse_test.c" "$source/test/lists/misuse_test.c" "$source/test/map/misuse_test.c" \
        "$source/test/pool/misuse_test.c" "$source/test/secondary/misuse_test.c" \
        "$source"/test/support/*.c "$work/library.o" -pthread -o "$work/program"
    # The tests of the index too, whose library uses inline functions of others.
    for suite in misuse index; do
        "$work/program" "$suite" >"$work/log" 2>&1 || {
            grep 'does not hold\|^FAILED\|ended with\|ERROR' "$work/log" >&2
            exit 1
        }
        tail -n 1 "$work/log"
    done
done
$tested || {
    echo "skipped: needs gcc or clang with AddressSanitizer" >&2
    exit 77
}
