#!/bin/sh
# SPDX-License-Identifier: MIT
# docs.sh SOURCE: every ```c block of README.md and docs/*.md is a complete translation unit that
# compiles without a warning, with every installed compiler.
# HM_C_WARNINGS: the compilers' warning flags.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
blocks=0
compiled=0

for page in "$source/README.md" "$source"/docs/*.md; do
    mkdir "$work/page"
    awk -v DIRECTORY="$work/page" -f "$source/test/tools/extract_c_blocks.awk" "$page"
    for block in "$work"/page/*.c; do
        [ -e "$block" ] || continue
        blocks=$((blocks + 1))
        for compiler in gcc clang; do
            command -v "$compiler" >/dev/null || continue
            # shellcheck disable=SC2086 # The warnings are a list.
            "$compiler" -std=c11 $HM_C_WARNINGS -Werror -O1 -S -o - -I "$source/include" \
                -I "$source/docs/examples" "$block" >/dev/null
            compiled=$((compiled + 1))
        done
    done
    rm -r "$work/page"
done
echo "$blocks blocks, compiled $compiled times"
if [ "$blocks" -eq 0 ]; then
    echo "no \`\`\`c block was found" >&2
    exit 1
fi
if [ "$compiled" -eq 0 ]; then
    echo "skipped: needs gcc or clang" >&2
    exit 77
fi
