#!/bin/sh
# SPDX-License-Identifier: MIT
# consumers.sh SOURCE: what goes wrong for a program that uses the library in an unusual way ends with
# a message that says what is needed, or works: an older language, a compiler without atomics, an
# older CMake, and two copies of the library in one program.
# shellcheck source=test/tools/check.sh
. "$1/test/tools/check.sh"
needs gcc
cd "$work"
python3 -B "$source/tools/amalgamate.py" one

# fails_with MESSAGE COMMAND...
fails_with() {
    message=$1
    shift
    echo "$*"
    ! "$@" >output 2>&1 || fail "it should fail: $*"
    grep -q "$message" output || {
        echo "it should say '$message', but says:" >&2
        head -n 5 output >&2
        exit 1
    }
}

# fails_once_with MESSAGE COMMAND...: and nothing else is an error.
fails_once_with() {
    fails_with "$@"
    [ "$(grep -c 'error: ' output)" -eq 1 ] ||
        fail "it should be the only error, but there are: $(grep 'error: ' output)"
}

for standard in c89 gnu89 c99 gnu99; do
    fails_once_with 'needs C11' gcc -std=$standard -c one/handle_map.c -o old.o
done
for name in memory/array dense/transpose; do
    fails_with 'need C11' gcc -std=gnu99 -I "$source/include" -c "$source/src/$name.c" -o old.o
done
fails_once_with 'compile its sources as C11' gcc -x c++ -c one/handle_map.c -o cpp.o
fails_with 'needs C11 atomics' gcc -std=c11 -DHM_PORTABLE -D__STDC_NO_ATOMICS__ \
    -c one/handle_map.c -o atomics.o
if command -v g++ >/dev/null; then
    echo '#include "one/handle_map.hpp"' >old.cpp
    fails_with 'needs C++17' g++ -std=c++14 -fsyntax-only old.cpp
    [ "$(grep -c 'error: ' output)" -le 2 ] ||
        fail "the message is lost among: $(grep 'error: ' output)"
fi
if command -v cmake >/dev/null; then
    sed 's/^cmake_minimum_required(.*/cmake_minimum_required(VERSION 99.0)/' \
        "$source/CMakeLists.txt" >CMakeLists.txt
    fails_with 'CMake 99.0 or higher is required' cmake -S . -B build
fi

# Two copies: the program has one, and a plug-in brings its own. Each reads, changes and ends what the
# other has made, with the memory of the one that made it; only the last error and the panic hook are
# each copy's own.
cat >plugin.c <<'END'
#include "handle_map.h"

bool plugin_change(hm_map *map, hm_handle handle)
{
    int seven = 7;
    return hm_map_get(map, handle) != NULL && hm_map_erase(map, handle) &&
           !hm_handle_is_null(hm_map_insert(map, &seven)) && hm_map_reserve(map, 100000) == HM_OK &&
           hm_map_validate(map) == HM_OK;
}

hm_status plugin_begin(hm_pool *pool)
{
    return hm_pool_init(pool, &(hm_pool_desc){.item_size = 8, .capacity = 1000});
}

const char *plugin_fail(void)
{
    (void)hm_map_init(NULL, NULL);
    return hm_last_error();
}
END
cat >program.c <<'END'
#include "handle_map.h"

#include <dlfcn.h>
#include <string.h>

int main(void)
{
    void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL)
        return 1;
    bool (*change)(hm_map *, hm_handle);
    hm_status (*begin)(hm_pool *);
    const char *(*fail)(void);
    *(void **)&change = dlsym(plugin, "plugin_change");
    *(void **)&begin = dlsym(plugin, "plugin_begin");
    *(void **)&fail = dlsym(plugin, "plugin_fail");
    hm_map map;
    if (hm_map_init(&map, &(hm_map_desc){.item_size = sizeof(int), .capacity = 200000}) != HM_OK)
        return 2;
    hm_handle handle = hm_map_insert(&map, NULL);
    if (!change(&map, handle) || hm_map_get(&map, handle) != NULL || hm_map_count(&map) != 1 ||
        hm_map_validate(&map) != HM_OK)
        return 3;
    hm_map_fini(&map);
    hm_pool pool;
    if (begin(&pool) != HM_OK || hm_handle_is_null(hm_pool_insert(&pool, NULL)) ||
        hm_pool_trim(&pool) != HM_OK || hm_pool_validate(&pool) != HM_OK)
        return 4;
    hm_pool_fini(&pool);
    return strcmp(fail(), "hm_map_init: map is NULL") == 0 ? 0 : 5;
}
END
# -Bsymbolic: the plug-in calls its own copy although the program exports the same names.
gcc -std=gnu11 -O1 -fPIC -shared -Ione one/handle_map.c plugin.c -pthread -Wl,-Bsymbolic -o plugin.so
gcc -std=gnu11 -O1 -Ione program.c one/handle_map.c -rdynamic -pthread -ldl -o program
./program
# C11 leaves <threads.h> optional; the library does without.
gcc -std=gnu11 -D__STDC_NO_THREADS__ -O1 -Ione program.c one/handle_map.c -pthread -ldl -o program
./program
echo "two copies work together"

command -v g++ >/dev/null || skip "needs g++ for the numbers of two copies"
# Unique type ids and the numbers of C++ types: where the dynamic linker merges the counters of two
# copies, all differ. Where it does not, a world refuses the types of the other copy.
cat >numbers.hpp <<'END2'
#include "handle_map.hpp"

struct position {
    float x, y;
};
struct velocity {
    float x, y;
};
struct health {
    int points, most;
};
struct library {
    std::uint16_t (*make_unique)();
    hm::status (*hurt)(hm::world &, hm::entity);
};
END2
cat >numbers_plugin.cpp <<'END2'
#include "numbers.hpp"

namespace
{
std::uint16_t make_unique()
{
    return hm::map<int, hm::unique>(10).type_id();
}
hm::status hurt(hm::world &world, hm::entity which)
{
    return world.add(which, health{100, 100});
}
}
extern "C" __attribute__((visibility("default"))) library plugin()
{
    return {make_unique, hurt};
}
END2
cat >numbers_program.cpp <<'END2'
#include "numbers.hpp"

#include <cstdlib>
#include <dlfcn.h>

/* Whether a plugin gets a unique type id of its own, whether it may add components, and with which
 * flag of dlopen it is loaded. */
int main(int, char **arguments)
{
    const bool own_ids = std::atoi(arguments[1]) != 0, adds = std::atoi(arguments[2]) != 0;
    const int visible = arguments[3][0] == 'g' ? RTLD_GLOBAL : RTLD_LOCAL;
    library plugins[2];
    for (int i = 0; i < 2; i++) {
        void *loaded = dlopen(i == 0 ? "./numbers0.so" : "./numbers1.so", RTLD_NOW | visible);
        if (loaded == nullptr)
            return 1;
        plugins[i] = reinterpret_cast<library (*)()>(dlsym(loaded, "plugin"))();
    }
    const std::uint16_t ids[] = {plugins[0].make_unique(), plugins[1].make_unique()};
    if ((ids[0] != ids[1]) != own_ids)
        return 2;
    hm::world world(10);
    const hm::entity which = world.create(position{1, 2}, velocity{3, 4});
    for (const library &each : plugins)
        if ((each.hurt(world, which) == HM_OK) != adds)
            return 3;
    (void)world.component<health>(); /* the plugins' one, by its name if they hide their types */
    const position *at = world.get<position>(which);
    if (at == nullptr || at->x != 1 || at->y != 2 || world.get<velocity>(which)->y != 4)
        return 4;
    if (world.has<health>(which) && world.get<health>(which)->points != 100)
        return 5;
    return world.has<health>(which) == adds ? 0 : 6;
}
END2
gcc -std=gnu11 -O1 -fPIC -Ione -c one/handle_map.c -o copy.o

# numbers OWN_IDS ADDS LOCAL_OR_GLOBAL COMPILER FLAG...: the last flags are those of all.
numbers() {
    own_ids=$1 adds=$2 how=$3 compiler=$4
    shift 4
    echo "numbers $own_ids $adds $how $compiler $*"
    for plugin in 0 1; do
        "$compiler" -std=c++17 -O1 -fPIC -shared -Ione "$@" numbers_plugin.cpp copy.o -pthread \
            -o numbers$plugin.so
    done
    "$compiler" -std=c++17 -O1 -Ione "$@" numbers_program.cpp copy.o -pthread -ldl -o numbers
    ./numbers "$own_ids" "$adds" "$how" || fail "numbers ended with $?"
}
numbers 1 1 local g++ -rdynamic
numbers 1 1 local g++ -rdynamic -fvisibility=hidden
numbers 1 0 global g++
numbers 0 0 local g++
if command -v clang++ >/dev/null; then
    numbers 1 1 local clang++ -rdynamic
    numbers 1 1 local clang++ -rdynamic -fvisibility=hidden
    numbers 0 0 local clang++
fi
echo "the numbers of two copies differ, or are refused"
