#!/bin/sh
# SPDX-License-Identifier: MIT
# check_lists.sh SOURCE: every source file is named in the meson.build beside it, so that no test is
# written and then never run.
set -eu
cd "$1"
files=0
failed=false
for file in src/*.c test/*_test.c test/*_test.cpp test/check_*.sh test/check_*.py \
    benchmarks/*.c benchmarks/*.cpp docs/examples/*.c; do
    name=$(basename "$file")
    # The scripts are named there without what their names have in common.
    case $name in
    check_*.sh) name=$(basename "${name#check_}" .sh) ;;
    esac
    files=$((files + 1))
    grep -q "'$name'" "$(dirname "$file")/meson.build" || {
        echo "$file is named in no meson.build" >&2
        failed=true
    }
done
echo "$files files"
! $failed
