#!/bin/sh
# SPDX-License-Identifier: MIT
# poison.sh SOURCE: a program that is built with AddressSanitizer gets reports of its stale pointers,
# and no others, even from a library that is not: the tests of all containers pass with such a
# library, with every installed compiler. And every source of the library that includes memory.h
# includes poison_private.h before it, which lets its inline functions ask at run time.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
export HM_TEST_SCALE=100 # Each kind of access counts, not how often it happens.

containers='index lists map pool secondary table world'
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    echo 'int main(void) { return 0; }' |
        "$compiler" -fsanitize=address -x c -o "$work/probe" - 2>/dev/null || continue
    tested=true
    echo "$compiler"
    while read -r name; do
        first=$("$compiler" -std=c11 -fsyntax-only -H -I "$source/include" "$source/src/$name" 2>&1 |
            grep -o 'poison_private\.h\|handle_map/memory\.h' | head -n 1)
        [ "$first" != handle_map/memory.h ] ||
            fail "$name includes memory.h before poison_private.h"
    done <"$source/src/sources.txt"
    # -r makes one object of all sources, which are still compiled one by one.
    # shellcheck disable=SC2046 # The sources are a list.
    "$compiler" -std=c11 -O1 -r -nostdlib -I "$source/include" \
        $(sed "s|^|$source/src/|" "$source/src/sources.txt") -o "$work/library.o"
    for container in $containers; do
        set -- "$@" "$source/test/$container"/*_test.c
    done
    shift
    set -- "$@" "$source/test/matrix/misuse_test.c"
    "$compiler" -std=c11 -O0 -fsanitize=address -I "$source/include" -I "$source/test" \
        "$@" "$source"/test/support/*.c "$work/library.o" -pthread -lm -o "$work/program"
    "$work/program" >"$work/log" 2>&1 || {
        grep 'does not hold\|^FAILED\|ended with' "$work/log" >&2
        exit 1
    }
    tail -n 1 "$work/log"
    set -- "$source"
    containers='map secondary' # The second compiler differs in how headers see the sanitizer.
done
$tested || skip "needs gcc or clang with AddressSanitizer"
