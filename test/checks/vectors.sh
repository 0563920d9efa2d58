#!/bin/sh
# SPDX-License-Identifier: MIT
# vectors.sh SOURCE: gcc and clang vectorise the heavy kernel of the particles example, at the
# library's flags. The assembly of each of its loops over lanes must have packed fused multiply-adds
# of 8 lanes for AVX2, and packed multiplications for SSE2; and none of one lane, except for the rest
# of a column.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"

[ "$(uname -m)" = x86_64 ] || skip "needs x86-64"
compiled=false

# body FUNCTION: its instructions.
body() {
    awk -v name="$1" '$0 ~ "^" name ":" { on = 1 } on; $0 ~ "\\.size[ \t]" name "," { on = 0 }' \
        "$work/assembly"
}

# has FUNCTION PATTERN
has() {
    count=$(body "$1" | grep -cE "$2") || true
    echo "$compiler: $1: $count of '$2'"
    [ "$count" -gt 0 ] || failed=true
}

# lacks FUNCTION PATTERN
lacks() {
    if body "$1" | grep -E "$2"; then
        complain "$compiler: $1: not vectorised"
    fi
}

for compiler in gcc clang clang-19; do
    command -v "$compiler" >/dev/null || continue
    "$compiler" -std=c11 -O3 -fPIC -S -o "$work/assembly" -I "$source/include" \
        "$source/docs/examples/particles_kernels.c"
    compiled=true
    for form in columns 8 16; do
        has "pull_${form}_avx2" 'vfn?m(add|sub)[0-9]*ps.*%ymm'
        has "pull_${form}_baseline" '[[:space:]]mulps'
    done
    for form in 8 16; do
        lacks "pull_${form}_avx2" 'vfn?m(add|sub)[0-9]*ss'
        lacks "pull_${form}_baseline" '[[:space:]]mulss'
    done
done
$compiled || skip "needs gcc or clang"
! $failed
