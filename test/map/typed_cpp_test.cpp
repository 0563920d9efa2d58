/* SPDX-License-Identifier: MIT */
/* HM_MAP_DEFINE in C++17: the whole use of a typed map. */
#ifdef HM_TEST_CRITERION
#include <criterion/criterion.h>
#endif

extern "C" {
#include "support/test.h"
}

#include <handle_map/handle_map.h>

namespace
{

struct alignas(32) particle {
    double x, y;
    int age;
};

HM_MAP_DEFINE(particle, particle, 12)

bool is_old(const particle *item, void *limit)
{
    return item->age > *static_cast<int *>(limit);
}

uint64_t age_of(const void *item, void *)
{
    return static_cast<uint64_t>(static_cast<const particle *>(item)->age);
}

} // namespace

TEST(map_typed_cpp, a_typed_map_works_in_cpp)
{
    particle_map map;
    particle_handle handles[10];
    CHECK(particle_map_init(&map, 10) == HM_OK);
    CHECK(particle_map_reserve(&map, 10) == HM_OK);
    const particle_handle last = particle_map_upcoming(&map, 9);
    for (int i = 0; i < 10; i++) {
        particle *place = nullptr;
        handles[i] = particle_map_emplace(&map, &place);
        CHECK(place != nullptr && reinterpret_cast<uintptr_t>(place) % 32 == 0);
        *place = particle{1.5, -1.5, 9 - i};
    }
    CHECK(hm_handle_is_null(particle_map_insert(&map, nullptr).id));
    CHECK(particle_handle_equal(handles[9], last));
    CHECK(hm_handle_type_id(handles[0].id) == 12);
    CHECK(particle_map_get(&map, handles[2])->age == 7);
    CHECK(particle_map_erase(&map, handles[0]) && !particle_map_contains(&map, handles[0]));
    int limit = 5;
    CHECK(particle_map_erase_if(&map, is_old, &limit) == 3);

    const hm_order order = {nullptr, age_of, nullptr, nullptr};
    CHECK(particle_map_defragment(&map, &order, hm_budget{0, 0}).done);
    CHECK(particle_map_count(&map) == 6);
    const particle probe = {0, 0, 4};
    CHECK(particle_map_lower_bound(&map, &order, &probe) == 4);
    CHECK(particle_map_upper_bound(&map, &order, &probe) == 5);
    for (uint32_t i = 0; i < 6; i++) {
        CHECK(particle_map_items(&map)[i].age == static_cast<int>(i));
        CHECK(particle_map_index_of(&map, handles[9 - i]) == i);
        CHECK(hm_handle_equal(particle_map_handle_at(&map, i).id, handles[9 - i].id));
    }
    CHECK(hm_map_explain(&map.map, HM_NULL_HANDLE) == HM_HANDLE_NULL);
    CHECK(hm_map_validate(&map.map) == HM_OK);
    particle_map_clear(&map);
    particle_map_fini(&map);
}
