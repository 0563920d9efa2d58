/* SPDX-License-Identifier: MIT */
/* HM_TYPE_ID_UNIQUE: each container that issues handles gets a type id of its own. */
#include "../../src/ids/ids_private.h"
#include "support/id_table.h"
#include "support/memory.h"
#include "support/owners.h"
#include "support/test.h"

#include <string.h>

/* What ends an item is not asked here. */
OWNER_KIND(id_table, contains, issue(&made->id_table), )
static const owner_kind kinds[] = {OWNER_ROWS, OWNER_ROW(id_table)};
enum { KINDS = sizeof kinds / sizeof *kinds };

TEST(unique, no_container_takes_the_handle_of_another)
{
    owner made[2 * KINDS];
    hm_handle handles[2 * KINDS];
    for (size_t i = 0; i < 2 * KINDS; i++) {
        CHECK(kinds[i / 2].init(&made[i], HM_TYPE_ID_UNIQUE, NULL) == HM_OK);
        handles[i] = kinds[i / 2].issue(&made[i]);
        CHECK(hm_handle_type_id(handles[i]) >= HM_TYPE_ID_FIRST_UNIQUE);
    }
    for (size_t i = 0; i < 2 * KINDS; i++)
        for (size_t j = 0; j < 2 * KINDS; j++)
            CHECK(kinds[i / 2].contains(&made[i], handles[j]) == (i == j));
    for (size_t i = 0; i < 2 * KINDS; i++)
        kinds[i / 2].fini(&made[i]);
}

TEST(unique, a_container_made_anew_does_not_take_handles_of_the_one_before)
{
    for (size_t i = 0; i < KINDS; i++) {
        owner made;
        CHECK(kinds[i].init(&made, HM_TYPE_ID_UNIQUE, NULL) == HM_OK);
        const hm_handle before = kinds[i].issue(&made);
        kinds[i].fini(&made);
        CHECK(kinds[i].init(&made, HM_TYPE_ID_UNIQUE, NULL) == HM_OK);
        CHECK(kinds[i].contains(&made, kinds[i].issue(&made)));
        CHECK(!kinds[i].contains(&made, before));
        kinds[i].fini(&made);
    }
}

/* Whether init is refused for want of a number, and gives its memory back. */
static bool is_refused_as_full(const owner_kind *refused)
{
    test_memory memory;
    test_memory_init(&memory, test_page_size(4096));
    owner made;
    bool is_refused = refused->init(&made, HM_TYPE_ID_UNIQUE, &memory.table) == HM_ERROR_FULL &&
                      strstr(hm_last_error(), "HM_TYPE_ID_UNIQUE") != NULL &&
                      strstr(hm_last_error(), refused->name) != NULL;
    refused->fini(&made);
    test_memory_check_released(&memory);
    return is_refused;
}

TEST(unique, when_no_number_is_left_init_is_refused)
{
    const uint32_t before = hm_next_unique_type_1;
    for (size_t i = 0; i < KINDS; i++) {
        owner made;
        hm_next_unique_type_1 = HM_HANDLE_MAX_TYPE_ID;
        CHECK(kinds[i].init(&made, HM_TYPE_ID_UNIQUE, NULL) == HM_OK);
        CHECK(hm_handle_type_id(kinds[i].issue(&made)) == HM_HANDLE_MAX_TYPE_ID);
        CHECK(is_refused_as_full(&kinds[i]) && is_refused_as_full(&kinds[i]));
        kinds[i].fini(&made);
    }
    hm_next_unique_type_1 = before;
}

TEST(unique, a_long_name_leaves_room_for_the_reason)
{
    const uint32_t before = hm_next_unique_type_1;
    char name[200] = "";
    memset(name, 'n', sizeof name - 1);
    hm_map map;
    const hm_map_desc desc = {.item_size = 4, .type_id = HM_TYPE_ID_UNIQUE, .name = name};
    hm_next_unique_type_1 = HM_HANDLE_MAX_TYPE_ID + 1;
    CHECK(hm_map_init(&map, &desc) == HM_ERROR_FULL);
    CHECK(strstr(hm_last_error(), "n': no type_id is left") != NULL);
    hm_next_unique_type_1 = before;
}

TEST(unique, an_init_that_fails_uses_up_no_number)
{
    for (size_t i = 0; i < KINDS; i++) {
        const uint32_t before = hm_next_unique_type_1;
        owner made;
        test_memory memory;
        test_memory_init(&memory, test_page_size(4096));
        hm_status status = HM_ERROR_MEMORY;
        uint32_t refused = 0;
        for (; status != HM_OK; refused++) {
            CHECK(hm_next_unique_type_1 == before);
            test_memory_fail(&memory, refused + 1, false);
            status = kinds[i].init(&made, HM_TYPE_ID_UNIQUE, &memory.table);
            CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
        }
        CHECK(refused > 1 && hm_next_unique_type_1 == before + 1);
        kinds[i].fini(&made);
        test_memory_check_released(&memory);
    }
}

/* Their type id is that of their owners. */
TEST(unique, secondaries_and_indices_have_none_of_their_own)
{
    owner owners;
    CHECK(kinds[0].init(&owners, HM_TYPE_ID_UNIQUE, NULL) == HM_OK);
    const hm_handle of = kinds[0].issue(&owners);
    hm_secondary values;
    hm_secondary_desc desc = {.value_size = 4, .owners = hm_map_as_owners(&owners.map)};
    CHECK(hm_secondary_init(&values, &desc) == HM_OK);
    CHECK(hm_secondary_set(&values, of, NULL) != NULL);
    hm_secondary_fini(&values);
    desc.owners = (hm_owners){.is_given = false};
    desc.type_id = HM_TYPE_ID_UNIQUE;
    CHECK(hm_secondary_init(&values, &desc) == HM_ERROR_INVALID);
    CHECK(strstr(hm_last_error(), "HM_TYPE_ID_UNIQUE is for containers") != NULL);
    hm_index index;
    CHECK(hm_index_init(&index, &(hm_index_desc){.type_id = HM_TYPE_ID_UNIQUE}) ==
          HM_ERROR_INVALID);
    CHECK(strstr(hm_last_error(), "HM_TYPE_ID_UNIQUE is for containers") != NULL);
    kinds[0].fini(&owners);
}
