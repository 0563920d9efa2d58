#!/bin/sh
# SPDX-License-Identifier: MIT
# one_file.sh SOURCE: all sources compile as one file, without a warning, with every installed
# compiler, and README's first program runs with it. So no two names of the library clash, static
# ones included.
# HM_C_WARNINGS: the compilers' warning flags.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Feature test macros must come before the first system header.
while read -r file; do
    grep -h '^#define _.*_SOURCE' "$source/src/$file" || true
done <"$source/src/sources.txt" | sort -u | sed 's/\(#define \([^ ]*\).*\)/#ifndef \2\n\1\n#endif/' \
    >"$work/library.c"
sed "s|.*|#include \"$source/src/&\"|" "$source/src/sources.txt" >>"$work/library.c"
mkdir "$work/blocks"
awk -v DIRECTORY="$work/blocks" -f "$source/test/tools/extract_c_blocks.awk" "$source/README.md"

tested=false
for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    tested=true
    echo "$compiler"
    # shellcheck disable=SC2086 # The warnings are a list.
    "$compiler" -std=c11 $HM_C_WARNINGS -Werror -O1 -I "$source/include" "$work/library.c" \
        "$work/blocks/1.c" -pthread -o "$work/program"
    "$work/program"
done
$tested || {
    echo "skipped: needs gcc or clang" >&2
    exit 77
}
