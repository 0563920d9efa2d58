/* SPDX-License-Identifier: MIT */
/* What each function of an index does, with keys by array and with hashed keys. */
#include "support/index.h"

#include <string.h>

/* Each test that does not concern the keys runs with both kinds. */
static const uint32_t limits[] = {0, 100};

#define FOR_BOTH(limit)                                                                            \
    for (uint32_t kind = 0, limit = limits[0]; kind < 2; limit = limits[++kind & 1])

/* set */

TEST(index, members_of_a_key_are_in_the_order_of_the_sets)
{
    FOR_BOTH(limit)
    {
        hm_index index = make((hm_index_desc){.key_limit = limit});
        for (uint32_t slot = 0; slot < 6; slot++)
            set(&index, owner(slot), 10 + slot % 2);
        CHECK(has_members(&index, 10, (const uint32_t[]){0, 2, 4}, 3));
        CHECK(has_members(&index, 11, (const uint32_t[]){1, 3, 5}, 3));
        CHECK(count_of(&index, 12) == 0 && count_of(&index, UINT64_MAX) == 0);
        CHECK(hm_index_count(&index) == 6 && hm_index_key_count(&index) == 2);
        CHECK(hm_index_members(&index, 10, NULL) != NULL);
        finish(&index);
    }
}

TEST(index, an_owner_that_is_set_again_leaves_its_former_key)
{
    FOR_BOTH(limit)
    {
        hm_index index = make((hm_index_desc){.key_limit = limit});
        for (uint32_t slot = 0; slot < 4; slot++)
            set(&index, owner(slot), 1);
        set(&index, owner(1), 2);
        CHECK(has_members(&index, 1, (const uint32_t[]){0, 3, 2}, 3));
        set(&index, owner(2), 2); /* the last member of its key */
        CHECK(has_members(&index, 1, (const uint32_t[]){0, 3}, 2));
        CHECK(has_members(&index, 2, (const uint32_t[]){1, 2}, 2));
        set(&index, owner(3), 2); /* which was moved when owner 1 left */
        CHECK(has_members(&index, 1, (const uint32_t[]){0}, 1));
        set(&index, owner(0), 3);
        CHECK(count_of(&index, 1) == 0 && hm_index_key_count(&index) == 2);
        set(&index, owner(0), 3);
        CHECK(has_members(&index, 3, (const uint32_t[]){0}, 1) && hm_index_count(&index) == 4);
        finish(&index);
    }
}

TEST(index, a_later_owner_of_a_slot_takes_the_place_of_the_earlier)
{
    FOR_BOTH(limit)
    {
        hm_index index = make((hm_index_desc){.key_limit = limit});
        set(&index, owner_of(7, 1), 1);
        set(&index, owner(8), 1);
        set(&index, owner_of(7, 3), 1); /* the same key */
        CHECK(!hm_index_contains(&index, owner_of(7, 1)) && hm_index_count(&index) == 2);
        CHECK(hm_handle_equal(hm_index_members(&index, 1, NULL)[0], owner_of(7, 3)));
        set(&index, owner_of(7, 4), 2);
        CHECK(has_members(&index, 1, (const uint32_t[]){8}, 1) && count_of(&index, 2) == 1);
        CHECK(hm_index_set(&index, owner_of(7, 3), 1) == HM_ERROR_STALE);
        CHECK(strcmp(hm_last_error(), "generation 3 of slot 7 is followed by generation 4") == 0);
        CHECK(!hm_index_remove(&index, owner_of(7, 3)) && count_of(&index, 2) == 1);
        finish(&index);
    }
}

/* remove */

TEST(index, the_last_member_fills_the_place_of_a_removed_one)
{
    FOR_BOTH(limit)
    {
        hm_index index = make((hm_index_desc){.key_limit = limit});
        for (uint32_t slot = 0; slot < 5; slot++)
            set(&index, owner(slot), 1);
        CHECK(hm_index_remove(&index, owner(1)) && !hm_index_remove(&index, owner(1)));
        CHECK(has_members(&index, 1, (const uint32_t[]){0, 4, 2, 3}, 4));
        CHECK(hm_index_remove(&index, owner(4)) && hm_index_remove(&index, owner(2)));
        CHECK(has_members(&index, 1, (const uint32_t[]){0, 3}, 2));
        CHECK(hm_index_remove(&index, owner(0)) && hm_index_remove(&index, owner(3)));
        CHECK(count_of(&index, 1) == 0 && hm_index_count(&index) == 0);
        CHECK(hm_index_key_count(&index) == 0);
        finish(&index);
    }
}

TEST(index, remove_key_takes_all_members_of_one_key)
{
    FOR_BOTH(limit)
    {
        hm_index index = make((hm_index_desc){.key_limit = limit});
        for (uint32_t slot = 0; slot < 20; slot++)
            set(&index, owner(slot), slot % 3);
        CHECK(hm_index_remove_key(&index, 1) == 7 && hm_index_remove_key(&index, 1) == 0);
        CHECK(hm_index_remove_key(&index, UINT64_MAX) == 0);
        CHECK(hm_index_count(&index) == 13 && count_of(&index, 1) == 0);
        CHECK(count_of(&index, 0) == 7 && count_of(&index, 2) == 6);
        for (uint32_t slot = 0; slot < 20; slot++)
            CHECK(hm_index_contains(&index, owner(slot)) == (slot % 3 != 1));
        finish(&index);
    }
}
