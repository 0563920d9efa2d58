#!/bin/sh
# SPDX-License-Identifier: MIT
# refused.sh SOURCE: what the C++ classes refuse to compile is one error with a sentence, and not a
# page about templates, with every installed compiler. The files test/cpp/refused_*.cpp have a case
# for each, as
#
#     #ifdef NAME // what the message says, or a note that belongs to it
#
# and compile without them, optimised, since some warnings come only then.
# HM_WARNINGS: the compilers' warning flags.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"

# compile STANDARD FLAG...: $program with $compiler.
compile() {
    standard=$1
    shift
    # shellcheck disable=SC2086 # The warnings are a list.
    LC_ALL=C "$compiler" -std="$standard" $HM_WARNINGS -Werror -Wno-unused-variable \
        -I "$source/include" "$@" "$program"
}

# refuse CASE
refuse() {
    wanted=$(sed -n "s|^#ifdef $1 // ||p" "$program")
    ! messages=$(compile c++17 -fsyntax-only -D"$1" 2>&1) || fail "$compiler: $1 compiles"
    errors=$(echo "$messages" | grep ' error: ')
    said=$(echo "$messages" | grep -E ' (error|note): ')
    if [ "$(echo "$errors" | wc -l)" -ne 1 ] || ! echo "$said" | grep -qF "$wanted" ||
        [ "$(echo "$messages" | wc -l)" -gt 30 ]; then
        fail "$compiler: $1 should say '$wanted' once, but says: $messages"
    fi
}

for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    tested=true
    for program in "$source"/test/cpp/refused_*.cpp; do
        cases=$(sed -n 's|^#ifdef \([a-z0-9_]*\) // .*|\1|p' "$program")
        [ -n "$cases" ]
        compile c++17 -O2 -S -o /dev/null
        compile c++20 -O2 -S -o /dev/null
        for case in $cases; do
            refuse "$case"
        done
        echo "$compiler: $(basename "$program"): $(echo "$cases" | wc -w) cases"
    done
done
$tested || skip "needs g++ or clang++"
