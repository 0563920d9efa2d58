#!/bin/sh
# SPDX-License-Identifier: MIT
# refused.sh SOURCE: what the C++ classes refuse to compile is one error with a sentence, and not a
# page about templates, with every installed compiler. test/cpp/refused.cpp has a case for each, as
#
#     #ifdef NAME // what the message says
#
# and compiles without them.
# HM_WARNINGS: the compilers' warning flags.
set -eu
source=$1
program=$source/test/cpp/refused.cpp
cases=$(sed -n 's|^#ifdef \([a-z_]*\) // .*|\1|p' "$program")
[ -n "$cases" ]
tested=false

# refuse COMPILER CASE
refuse() {
    wanted=$(sed -n "s|^#ifdef $2 // ||p" "$program")
    # shellcheck disable=SC2086 # The warnings are a list.
    if messages=$(LC_ALL=C "$1" -std=c++17 $HM_WARNINGS -fsyntax-only -I "$source/include" -D"$2" \
        "$program" 2>&1); then
        echo "$1: $2 compiles" >&2
        exit 1
    fi
    errors=$(echo "$messages" | grep ' error: ')
    if [ "$(echo "$errors" | wc -l)" -ne 1 ] || ! echo "$errors" | grep -qF "$wanted" ||
        [ "$(echo "$messages" | wc -l)" -gt 30 ]; then
        echo "$1: $2 should say '$wanted' once, but says: $messages" >&2
        exit 1
    fi
}

for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    for standard in c++17 c++20; do
        # shellcheck disable=SC2086 # The warnings are a list.
        "$compiler" -std=$standard $HM_WARNINGS -Werror -fsyntax-only -I "$source/include" "$program"
    done
    for case in $cases; do
        refuse "$compiler" "$case"
    done
    echo "$compiler: $(echo "$cases" | wc -w) cases"
    tested=true
done
if ! $tested; then
    echo "skipped: needs g++ or clang++" >&2
    exit 77
fi
