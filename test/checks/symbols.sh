#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols.sh SOURCE LIBRARY: the shared library exports exactly the functions that the public
# headers declare with HM_API, and the variables that the private ones do, so only names that begin
# with hm_.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
library=$2

find "$source/include" -name '*.h' -exec cat {} + | awk '
    /HM_API/ && !/^#/ && !/^ ?\*/ && !/^\/\*/ {
        if (!match($0, /[A-Za-z_][A-Za-z0-9_]*\(/)) {
            print "no function name on the line: " $0 > "/dev/stderr"
            exit 1
        }
        print substr($0, RSTART, RLENGTH - 1)
    }' >"$work/names"
sed -n 's/^extern HM_API .*[ *]\(hm_[a-z0-9_]*\);$/\1/p' "$source"/src/*/*_private.h >>"$work/names"
sort -u "$work/names" >"$work/declared"
nm -D --defined-only "$library" | awk '{ print $NF }' | sort >"$work/exported"

echo "$(wc -l <"$work/exported") exported, $(wc -l <"$work/declared") declared"
if [ ! -s "$work/declared" ] || grep -v '^hm_' "$work/exported"; then
    fail "exported names must begin with hm_"
fi
diff "$work/declared" "$work/exported"
