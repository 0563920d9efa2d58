#!/bin/sh
# narrow.sh FILE OLD NEW: prints the file with the one place that says OLD saying NEW. Fails when
# there is no such place, or more than one: then a constant has changed its face, and the small
# world would silently be a large one.
set -eu
awk -v old="$2" -v new="$3" '
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
            print FILENAME ": \"" old "\" stands there " found + 0 " times, not once" > "/dev/stderr"
            exit 1
        }
    }
' "$1"
