/* SPDX-License-Identifier: MIT */
/* HM_SECONDARY_DEFINE in C++17: the whole use of a typed secondary. */
#ifdef HM_TEST_CRITERION
#include <criterion/criterion.h>
#endif

extern "C" {
#include "support/test.h"
}

#include <handle_map/handle_map.h>

namespace
{

struct unit {
    int number;
};

struct alignas(32) armour {
    double strength;
    int number;
};

HM_MAP_DEFINE(unit, unit, 12)
HM_SECONDARY_DEFINE(armour, unit, armour)

bool is_gone(unit_handle owner, const armour *, void *map)
{
    return !unit_map_contains(static_cast<const unit_map *>(map), owner);
}

uint64_t number_of(const void *value, void *)
{
    return static_cast<uint64_t>(static_cast<const armour *>(value)->number);
}

} // namespace

TEST(secondary_typed_cpp, a_typed_secondary_works_in_cpp)
{
    unit_map units;
    armour_secondary armours;
    unit_handle handles[10];
    CHECK(unit_map_init(&units, 10) == HM_OK);
    CHECK(armour_secondary_init(&armours, 10, 12) == HM_OK);
    for (int i = 0; i < 10; i++) {
        const unit made = {i};
        const armour worn = {i * 0.5, 9 - i};
        handles[i] = unit_map_insert(&units, &made);
        const armour *place = armour_secondary_set(&armours, handles[i], &worn);
        CHECK(place != nullptr && reinterpret_cast<uintptr_t>(place) % 32 == 0);
    }
    CHECK(armour_secondary_get(&armours, handles[2])->number == 7);
    CHECK(unit_map_erase(&units, handles[2]) && unit_map_erase(&units, handles[4]));
    CHECK(armour_secondary_remove_if(&armours, is_gone, &units) == 2);
    CHECK(armour_secondary_get(&armours, handles[2]) == nullptr);

    const hm_order order = {nullptr, number_of, nullptr, nullptr};
    CHECK(armour_secondary_defragment(&armours, &order, hm_budget{0, 0}).done);
    CHECK(armour_secondary_count(&armours) == 8);
    for (uint32_t i = 1; i < 8; i++)
        CHECK(armour_secondary_values(&armours)[i - 1].number <
              armour_secondary_values(&armours)[i].number);
    CHECK(armour_secondary_index_of(&armours, handles[9]) == 0);
    CHECK(armour_secondary_lower_bound(&armours, &order, armour_secondary_values(&armours)) == 0);
    CHECK(armour_secondary_upper_bound(&armours, &order, armour_secondary_values(&armours)) == 1);
    CHECK(hm_handle_equal(armour_secondary_owner_at(&armours, 0).id, handles[9].id));
    CHECK(armour_secondary_arrange(&armours, handles, 10, hm_budget{0, 0}).done);
    CHECK(armour_secondary_index_of(&armours, handles[0]) == 0);
    CHECK(hm_secondary_validate(&armours.secondary) == HM_OK);
    armour_secondary_clear(&armours);
    armour_secondary_fini(&armours);
    unit_map_fini(&units);
}
