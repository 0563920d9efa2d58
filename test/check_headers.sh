#!/bin/sh
# SPDX-License-Identifier: MIT
# check_headers.sh SOURCE HEADER...: every public header compiles alone, and twice in one unit, as
# C11 and as C++17, without a warning, with every compiler that is here; and the list is complete:
# it names exactly the files of include/handle_map, and the umbrella includes all the others.
# HM_WARNINGS, HM_C_WARNINGS: the compilers' warning flags.
set -eu
source=$1
shift

[ "$(printf '%s\n' "$@" | sort)" = "$(cd "$source/include/handle_map" && ls | sort)" ] || {
    echo "meson.build's public_headers are not the files of include/handle_map" >&2
    exit 1
}

# compiles COMPILER LANGUAGE STANDARD HEADER FLAG...
compiles() {
    compiler=$1 language=$2 standard=$3 header=$4
    shift 4
    echo "$compiler -std=$standard $header"
    printf '#include <handle_map/%s>\n#include <handle_map/%s>\n' "$header" "$header" |
        "$compiler" -x "$language" -std="$standard" "$@" -Werror -O1 -S -o - \
            -I "$source/include" - >/dev/null
}

compiled_c=false compiled_cpp=false
for header; do
    if [ "$header" != handle_map.h ] &&
        ! grep -q "^#include <handle_map/$header>" "$source/include/handle_map/handle_map.h"; then
        echo "the umbrella lacks $header" >&2
        exit 1
    fi
    for compiler in gcc clang; do
        command -v "$compiler" >/dev/null || continue
        compiles "$compiler" c c11 "$header" $HM_C_WARNINGS
        compiled_c=true
    done
    for compiler in g++ clang++; do
        command -v "$compiler" >/dev/null || continue
        compiles "$compiler" c++ c++17 "$header" $HM_WARNINGS
        compiled_cpp=true
    done
done
if ! $compiled_c || ! $compiled_cpp; then
    echo "skipped: needs gcc or clang, and g++ or clang++" >&2
    exit 77
fi
