#!/bin/sh
# SPDX-License-Identifier: MIT
# subproject.sh SOURCE: a program that uses the library as a Meson subproject builds and runs, and
# gets none of its tests. Only what a program needs is copied, so that nothing else can be used.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"

mkdir -p "$work/subprojects/handle_map"
cp -R "$source/meson.build" "$source/meson_options.txt" "$source/src" "$source/include" \
    "$work/subprojects/handle_map"
cat >"$work/meson.build" <<'END'
project('program', 'c')
handle_map = dependency('handle_map', fallback: ['handle_map', 'handle_map_dep'])
test('program', executable('program', 'program.c', dependencies: handle_map))
END
cat >"$work/program.c" <<'END'
#include <handle_map/handle_map.h>

int main(void)
{
    const hm_map_desc desc = {.item_size = sizeof(int), .capacity = 10};
    hm_map map;
    if (hm_map_init(&map, &desc) != HM_OK)
        return 1;
    const int seven = 7;
    hm_handle handle = hm_map_insert(&map, &seven);
    const int *item = hm_map_get(&map, handle);
    bool held = item != NULL && *item == 7 && hm_map_erase(&map, handle);
    bool refused = hm_map_get(&map, handle) == NULL;
    hm_map_fini(&map);
    return held && refused ? 0 : 2;
}
END

cd "$work"
meson setup --force-fallback-for=handle_map build
meson test -C build
tests=$(meson introspect --tests build | grep -o '"suite"' | wc -l)
! [ "$tests" -ne 1 ] || fail "the program has one test of its own, but Meson has $tests"
