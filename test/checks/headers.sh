#!/bin/sh
# SPDX-License-Identifier: MIT
# headers.sh SOURCE HEADER...: every public header compiles alone, and twice in one unit, as C11 and
# as C++17, without a warning, with every installed compiler; those for C also as C++11, those for C++
# as C++20, and without exceptions. The list is complete: it names exactly the files of include/handle_map, and the two
# umbrellas include all the others. Whoever opens a header soon sees what it declares: outside of
# detail/ the first declaration is in one of the first 31 lines. Programs in older C can use them as
# gnu99, or else get one error that says what is needed; and programs with a boolean type of their
# own keep it if they include their own headers first.
# HM_WARNINGS, HM_C_WARNINGS: the compilers' warning flags.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
shift

[ "$(printf '%s\n' "$@" | sort)" = "$(cd "$source/include/handle_map" && find . -name '*.h*' | sed 's|^\./||' | sort)" ] ||
    fail "meson.build's public_headers are not the files of include/handle_map"

# lines_before FILE: how many lines stand before its first declaration. Comments, empty lines,
# directives, HM_BEGIN_C and the openings of a namespace are none. Nothing, if there is none.
lines_before() {
    awk '
        is_comment { is_comment = !/\*\//; next }
        is_directive || /^ *#/ { is_directive = /\\$/; next }
        /^ *\/\*/ { is_comment = !/\*\//; next }
        /^ *$/ || /^HM_BEGIN_C$/ || /^namespace / || /^[{}]$/ { next }
        { print NR - 1; exit }' "$1"
}

for header; do
    lines=$(lines_before "$source/include/handle_map/$header")
    if [ "${header#detail/}" = "$header" ] && [ "${lines:-0}" -gt 30 ]; then
        fail "$header has $lines lines before its first declaration: 30 are allowed"
    fi
done

# compiles COMPILER LANGUAGE STANDARD HEADER FLAG...
compiles() {
    compiler=$1 language=$2 standard=$3 header=$4
    shift 4
    echo "$compiler -std=$standard $header"
    # A header may have macros only, and a program needs a declaration.
    printf '#include <handle_map/%s>\n#include <handle_map/%s>\nextern int program;\n' \
        "$header" "$header" |
        "$compiler" -x "$language" -std="$standard" "$@" -Werror -O1 -S -o - \
            -I "$source/include" - >/dev/null
}

compiled_c=false compiled_cpp=false
for header; do
    umbrella=handle_map.${header##*.}
    if [ "${header#detail/}" = "$header" ] && [ "$header" != "$umbrella" ] &&
        ! grep -q "^#include <handle_map/$header>" "$source/include/handle_map/$umbrella"; then
        fail "the umbrella lacks $header"
    fi
    for compiler in gcc clang; do
        [ "${header%.h}" != "$header" ] || continue
        command -v "$compiler" >/dev/null || continue
        # shellcheck disable=SC2086 # The warnings are a list.
        compiles "$compiler" c c11 "$header" $HM_C_WARNINGS -Wdeclaration-after-statement
        compiled_c=true
    done
    for compiler in g++ clang++; do
        command -v "$compiler" >/dev/null || continue
        case $("$compiler" --version) in
        *clang*) casts=-Wold-style-cast ;;
        *) casts='-Wold-style-cast -Wuseless-cast' ;;
        esac
        # shellcheck disable=SC2086 # The warnings are a list.
        compiles "$compiler" c++ c++17 "$header" $HM_WARNINGS $casts
        if [ "${header%.hpp}" != "$header" ]; then
            # shellcheck disable=SC2086 # The warnings are a list.
            compiles "$compiler" c++ c++20 "$header" $HM_WARNINGS $casts \
                -fno-exceptions -fno-rtti
        else
            # shellcheck disable=SC2086 # The warnings are a list.
            compiles "$compiler" c++ c++11 "$header" $HM_WARNINGS $casts -fsyntax-only
        fi
        compiled_cpp=true
    done
done
# program "STANDARD [FLAG...]": compiles standard input with $compiler; prints its messages.
program() {
    # shellcheck disable=SC2086 # A standard and flags.
    "$compiler" -x c -std=$1 -O1 -S -o /dev/null -I "$source/include" - 2>&1
}

old_program='
    typedef enum { false, true } boolean;
    #include <handle_map/handle_map.h>
    HM_MAP_DEFINE(thing, int, 1)
    HM_POOL_DEFINE_FOR(thing, int, 2)
    HM_SECONDARY_DEFINE(weight, thing, float)
    HM_STATIC_ASSERT(sizeof(boolean) == sizeof(int), "");
    boolean is_there(thing_map *map, thing_handle handle)
    {
        return thing_map_contains(map, handle) ? true : false;
    }'
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    echo "$compiler, older C"
    echo "$old_program" | program 'gnu99 -Wall -Wextra -Wpedantic -Werror -Wno-unused-function'
    echo "$old_program" | program c11
    for standard in c89 gnu89 c99; do
        errors=$(echo '#include <handle_map/handle_map.h>' | program $standard | grep 'error: ')
        if [ "$(echo "$errors" | wc -l)" -ne 1 ] || ! echo "$errors" | grep -q 'needs C11'; then
            fail "-std=$standard should say once what is needed, but says: $errors"
        fi
    done
done

if ! $compiled_c || ! $compiled_cpp; then
    skip "needs gcc or clang, and g++ or clang++"
fi
