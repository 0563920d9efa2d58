#!/bin/sh
# SPDX-License-Identifier: MIT
# check_floors.sh SOURCE: includes point down. Every header and every source file belongs to a room,
# every room stands on a floor, and a file includes its own room's header and those of lower floors
# only. The memory room alone includes the headers of an operating system. The examples include
# the library's public headers as any program does.
set -eu
source=$1
cd "$source"

awk '
    BEGIN {
        floor["base"] = 0
        floor["guard"] = floor["handle"] = floor["memory"] = 1
        floor["array"] = floor["typed"] = 2
        floor["id_table"] = floor["order"] = 3
        floor["map"] = floor["pool"] = 4
        floor["directory"] = 5
        floor["handle_map"] = 6 # the umbrella
        split("assert ctype errno float inttypes limits math setjmp stdalign stdarg stdbool " \
              "stddef stdint stdio stdlib string time", standard)
        for (i in standard)
            is_standard[standard[i] ".h"] = 1
        is_standard["type_traits"] = 1 # C++, for HM_MAP_DEFINE and HM_POOL_DEFINE
        is_standard["intrin.h"] = 1 # Microsoft C, for bit scans
    }
    function fail(message) {
        print FILENAME ":" FNR ": " message > "/dev/stderr"
        failed = 1
    }
    # src/map_edit.c, src/map_private.h and map.h belong to the room "map".
    function room_of(path,    name) {
        name = path
        sub(/.*\//, "", name)
        sub(/\.[ch]$/, "", name)
        if (name == "bits") # base is one module with two headers
            name = "base"
        while (!(name in floor) && sub(/_[^_]*$/, "", name))
            ;
        return name
    }
    FNR == 1 {
        room = room_of(FILENAME)
        if (!(room in floor))
            fail("belongs to no room")
        files++
    }
    /^[ \t]*#[ \t]*include/ {
        target = $0
        sub(/^[^<"]*[<"]/, "", target)
        sub(/[>"].*/, "", target)
        includes++
        if (target ~ /^handle_map\// || /"/) {
            other = room_of(target)
            if (!(other in floor))
                fail(target " belongs to no room")
            else if (other != room && floor[other] >= floor[room])
                fail("includes " target ", which is not below")
        } else if (room != "memory" && !(target in is_standard)) {
            fail("includes " target ", which only the memory room may")
        }
    }
    END {
        print files " files, " includes " includes"
        exit failed || includes == 0
    }
' $(find include src -name '*.[ch]')

if grep -n '#include.*\(src/\|\.\./\)' docs/examples/*.[ch]; then
    echo "an example reaches into the library" >&2
    exit 1
fi
