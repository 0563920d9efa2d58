#!/bin/sh
# SPDX-License-Identifier: MIT
# typed.sh SOURCE: every public function of a map or a pool has a typed form. Each function
# that the header declares, but for those that are named below, must be called in typed form by
# test/typed/typed_test.c, which compiles as C11 and as C++17 without a warning, with every compiler that
# is here. HM_WARNINGS, HM_C_WARNINGS: the compilers' warning flags.
set -eu
source=$1
program=$source/test/typed/typed_test.c

# What inline functions call and programs do not.
private_to_map='clear_meta issue_slow erase_guarded'
private_to_pool='issue issue_slow erase_slow open_word next_hole_word measure_run find lives
    growing_place place_in'

# has NAME WORDS
has() {
    echo "$2" | tr ' ' '\n' | grep -qx "$1"
}

failed=false
for kind in map pool; do
    case $kind in
    map) private=$private_to_map ;;
    pool) private=$private_to_pool ;;
    esac
    # A declaration or definition stands at the beginning of a line.
    names=$(sed -n "s/^[A-Za-z].*[ *]hm_${kind}_\([a-z_]*\)(.*/\1/p" \
        "$source/include/handle_map/$kind.h" | grep -v '_as$' | sort -u)
    for name in $names; do
        ! has "$name" "$private" || continue
        grep -q "body_${kind}_$name(" "$program" || {
            echo "hm_${kind}_$name has no typed form that test/typed/typed_test.c calls" >&2
            failed=true
        }
    done
    for name in $private; do
        has "$name" "$names" || {
            echo "hm_${kind}_$name is private in this check, but no longer there" >&2
            failed=true
        }
    done
    echo "hm_$kind: $(echo "$names" | wc -w) functions"
done
if $failed; then
    exit 1
fi

compiled=false
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    echo "$compiler -std=c11"
    # shellcheck disable=SC2086 # The warnings are a list.
    "$compiler" -std=c11 $HM_C_WARNINGS -Wdeclaration-after-statement -Werror -O1 -S -o /dev/null \
        -I "$source/include" -I "$source/test" "$program"
    compiled=true
done
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    echo "$compiler -std=c++17"
    # shellcheck disable=SC2086 # The warnings are a list.
    "$compiler" -x c++ -std=c++17 $HM_WARNINGS -Wold-style-cast -Werror -O1 -S -o /dev/null \
        -I "$source/include" -I "$source/test" "$program"
done
$compiled || {
    echo "skipped: needs gcc or clang" >&2
    exit 77
}
