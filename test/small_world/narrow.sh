#!/bin/sh
# SPDX-License-Identifier: MIT
# narrow.sh FILE (OLD NEW)...: prints the file with OLD replaced by NEW, for each pair. Fails when
# OLD is not there exactly once: then a constant was rewritten, and the small world would silently
# be a large one.
set -eu
file=$1
shift
text=$(cat "$file")
while [ $# -gt 0 ]; do
    text=$(printf '%s\n' "$text" | awk -v file="$file" -v old="$1" -v new="$2" '
    {
        place = index($0, old)
        if (place > 0) {
            found++
            $0 = substr($0, 1, place - 1) new substr($0, place + length(old))
        }
        if (index(substr($0, place + length(new)), old) > 0)
            found++
        print
    }
    END {
        if (found != 1) {
            print file ": \"" old "\" is there " found + 0 " times, not once" > "/dev/stderr"
            exit 1
        }
    }')
    shift 2
done
printf '%s\n' "$text"
