#!/bin/sh
# SPDX-License-Identifier: MIT
# types.sh SOURCE: a handle or a column of the wrong type does not compile, in C and in C++, with
# every installed compiler, and only for that reason: with the right type the same file compiles.
# HM_WARNINGS, HM_C_WARNINGS: the compilers' warning flags.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"

# refuses COMPILER LANGUAGE STANDARD FLAG...: the message names the types in $first and $second.
refuses() {
    compiler=$1 language=$2 standard=$3
    shift 3
    command -v "$compiler" >/dev/null || return 0
    tested=true
    echo "$compiler -std=$standard"
    set -- -x "$language" -std="$standard" "$@" -Werror -fsyntax-only -I "$source/include" \
        "$source/test/typed/wrong_type.c"
    "$compiler" -DHM_TEST_RIGHT_TYPE "$@"
    ! messages=$(LC_ALL=C "$compiler" "$@" 2>&1) || fail "$second was taken for $first"
    # The only error is about the two types, not about something else.
    errors=$(echo "$messages" | grep ' error: ')
    if [ "$(echo "$errors" | wc -l)" -ne 1 ] || ! echo "$messages" | grep -q "$first" ||
        ! echo "$messages" | grep -q "$second"; then
        fail "refused, but not only for the type: $messages"
    fi
}

# shellcheck disable=SC2086 # The warnings are lists.
for subject in INDEX LISTS MAP POOL SECONDARY TABLE COLUMN COMPONENT; do
    first=texture_handle second=mesh_handle
    [ $subject != COLUMN ] || first='int *\*' second='texture *\*'
    [ $subject != COMPONENT ] || first=texture_component second=mesh_component
    refuses gcc c c11 $HM_C_WARNINGS -DHM_TEST_$subject
    refuses clang c c11 $HM_C_WARNINGS -DHM_TEST_$subject
    refuses g++ c++ c++17 $HM_WARNINGS -DHM_TEST_$subject
    refuses clang++ c++ c++17 $HM_WARNINGS -DHM_TEST_$subject
done
$tested || skip "needs gcc or clang"
