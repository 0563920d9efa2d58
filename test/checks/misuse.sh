#!/bin/sh
# SPDX-License-Identifier: MIT
# misuse.sh SOURCE PROGRAM: a wrong use of the C++ classes fails to compile, with one error that says
# what is wrong: each case of PROGRAM, with every installed compiler.
# HM_WARNINGS: the compilers' warning flags.
set -eu
source=$1
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's|^#.*if CASE == \([0-9]*\) */\* \(.*\) \*/$|\1 \2|p' "$program" >"$work/cases"

# compiles CASE: with $compiler; what it says is in $work/output.
compiles() {
    # shellcheck disable=SC2086 # The warnings are a list.
    LC_ALL=C "$compiler" -std=c++17 $HM_WARNINGS -Werror -Wno-unused-variable -fsyntax-only \
        -DCASE="$1" -I "$source/include" "$program" >"$work/output" 2>&1
}

compiled=false
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    compiled=true
    compiles 0 || {
        cat "$work/output" >&2
        exit 1
    }
    while read -r number message; do
        if compiles "$number"; then
            echo "$compiler: case $number should fail: $message" >&2
            exit 1
        fi
        grep 'error: ' "$work/output" >"$work/errors" || true
        if [ "$(wc -l <"$work/errors")" -ne 1 ] || ! grep -q "$message" "$work/errors"; then
            echo "$compiler: case $number should say once '$message', but says:" >&2
            cat "$work/errors" >&2
            exit 1
        fi
    done <"$work/cases"
    echo "$compiler: $(wc -l <"$work/cases") wrong uses are refused"
done
[ -s "$work/cases" ]
$compiled || {
    echo "skipped: needs g++ or clang++" >&2
    exit 77
}
