#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols.sh SOURCE LIBRARY: the shared library exports exactly the functions that the public
# headers declare with HM_API, so only names that begin with hm_.
set -eu
source=$1 library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find "$source/include" -name '*.h' -exec cat {} + | awk '
    /HM_API/ && !/^#/ && !/^ ?\*/ && !/^\/\*/ {
        if (!match($0, /[A-Za-z_][A-Za-z0-9_]*\(/)) {
            print "no function name on the line: " $0 > "/dev/stderr"
            exit 1
        }
        print substr($0, RSTART, RLENGTH - 1)
    }' >"$work/names"
sort -u "$work/names" >"$work/declared"
nm -D --defined-only "$library" | awk '{ print $NF }' | sort >"$work/exported"

echo "$(wc -l <"$work/exported") exported, $(wc -l <"$work/declared") declared"
if [ ! -s "$work/declared" ] || grep -v '^hm_' "$work/exported"; then
    echo "exported names must begin with hm_" >&2
    exit 1
fi
diff "$work/declared" "$work/exported"
