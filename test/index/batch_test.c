/* SPDX-License-Identifier: MIT */
/* Many owners in one call: the same as one after the other, but all or none. */
#include "support/index.h"

#include "support/memory.h"

#include <string.h>

enum { OWNERS = 300 };

typedef struct batch {
    hm_handle owners[OWNERS];
    uint64_t keys[OWNERS];
} batch;

/* The owners in slots `first` and so on; their keys are i * factor % count. */
static void fill(batch *to, uint32_t first, uint32_t factor, uint32_t count)
{
    for (uint32_t i = 0; i < OWNERS; i++) {
        to->owners[i] = owner(first + i);
        to->keys[i] = i * factor % count;
    }
}

static void check_keys(const hm_index *index, const batch *of)
{
    check_valid(index);
    for (uint32_t i = 0; i < OWNERS; i++) {
        uint64_t key = UINT64_MAX;
        CHECK(hm_index_key_of(index, of->owners[i], &key) && key == of->keys[i]);
    }
}

TEST(index_batch, set_n_sets_and_moves_owners)
{
    for (uint32_t limit = 0; limit <= OWNERS; limit += OWNERS) {
        batch to;
        hm_index index = make((hm_index_desc){.key_limit = limit});
        const uint32_t counts[] = {1, 7, OWNERS, 40, OWNERS, 2};
        for (uint32_t i = 0; i < 6; i++) {
            fill(&to, 0, i + 1, counts[i]);
            CHECK(hm_index_set_n(&index, to.owners, to.keys, OWNERS) == HM_OK);
            CHECK(hm_index_count(&index) == OWNERS);
            check_keys(&index, &to);
        }
        CHECK(hm_index_set_n(&index, NULL, NULL, 0) == HM_OK);
        finish(&index);
    }
}

/* The only member of a key leaves while others are coming. */
TEST(index_batch, owners_exchange_their_keys)
{
    hm_index index = make((hm_index_desc){0});
    const hm_handle owners[] = {owner(0), owner(1), owner(2)};
    set(&index, owner(0), 10);
    set(&index, owner(1), 11);
    set(&index, owner(2), 12);
    CHECK(hm_index_set_n(&index, owners, (const uint64_t[]){11, 12, 10}, 3) == HM_OK);
    CHECK(has_members(&index, 10, (const uint32_t[]){2}, 1));
    CHECK(has_members(&index, 11, (const uint32_t[]){0}, 1));
    CHECK(has_members(&index, 12, (const uint32_t[]){1}, 1));
    CHECK(hm_index_set_n(&index, owners, (const uint64_t[]){11, 11, 11}, 3) == HM_OK);
    CHECK(has_members(&index, 11, (const uint32_t[]){0, 1, 2}, 3));
    CHECK(hm_index_key_count(&index) == 1);
    finish(&index);
}

TEST(index_batch, the_last_of_an_owners_keys_holds)
{
    hm_index index = make((hm_index_desc){0});
    const hm_handle owners[] = {owner(0), owner(0), owner(0), owner(1), owner(1)};
    CHECK(hm_index_set_n(&index, owners, (const uint64_t[]){5, 6, 7, 5, 5}, 5) == HM_OK);
    CHECK(has_members(&index, 7, (const uint32_t[]){0}, 1) && count_of(&index, 6) == 0);
    CHECK(has_members(&index, 5, (const uint32_t[]){1}, 1));
    CHECK(hm_index_count(&index) == 2 && hm_index_key_count(&index) == 2);
    finish(&index);
}

TEST(index_batch, the_last_owner_of_a_slot_holds)
{
    hm_index index = make((hm_index_desc){0});
    const hm_handle owners[] = {owner_of(0, 2), owner_of(0, 3), owner_of(1, 4), owner_of(1, 5)};
    set(&index, owner_of(0, 1), 5);
    CHECK(hm_index_set_n(&index, owners, (const uint64_t[]){6, 5, 8, 9}, 4) == HM_OK);
    CHECK(hm_index_contains(&index, owner_of(0, 3)) && !hm_index_contains(&index, owner_of(0, 2)));
    CHECK(count_of(&index, 6) == 0 && count_of(&index, 5) == 1 && count_of(&index, 8) == 0);
    CHECK(hm_index_contains(&index, owner_of(1, 5)) && hm_index_count(&index) == 2);
    CHECK(hm_handle_equal(hm_index_members(&index, 5, NULL)[0], owner_of(0, 3)));
    finish(&index);
}

static void check_nothing_changed(const hm_index *index)
{
    check_valid(index);
    CHECK(hm_index_count(index) == 2 && hm_index_key_count(index) == 2);
    CHECK(hm_index_contains(index, owner_of(0, 2)) && hm_index_contains(index, owner_of(1, 2)));
    CHECK(count_of(index, 10) == 1 && count_of(index, 11) == 1);
}

TEST(index_batch, a_batch_with_an_owner_that_is_refused_changes_nothing)
{
    for (uint32_t limit = 0; limit <= 100; limit += 100) {
        hm_index index = make((hm_index_desc){.capacity = 4, .max_slots = 9, .key_limit = limit});
        const hm_handle bad[] = {HM_NULL_HANDLE, owner_of(0, 1), owner_of(9, 1),
                                 owner_of(1, 2), owner(5),       hm_handle_pack(2, 1, 77),
                                 owner_of(0, 0), owner(8)};
        const hm_status wanted[] = {
            HM_ERROR_INVALID, HM_ERROR_STALE,   HM_ERROR_INVALID, HM_OK,
            HM_ERROR_FULL,    HM_ERROR_INVALID, HM_ERROR_INVALID, HM_ERROR_FULL};
        set(&index, owner_of(0, 2), 10);
        set(&index, owner_of(1, 2), 11);
        for (uint32_t i = 0; i < 8; i++) {
            const hm_handle owners[] = {owner_of(0, 3), owner(2), owner(3), bad[i]};
            const uint64_t keys[] = {11, 10, 12, 13};
            if (wanted[i] != HM_OK)
                CHECK(hm_index_set_n(&index, owners, keys, 4) == wanted[i]);
            check_nothing_changed(&index);
        }
        const hm_handle owners[] = {owner_of(0, 3), owner(2)};
        if (limit != 0) {
            CHECK(hm_index_set_n(&index, owners, (const uint64_t[]){5, 100}, 2) ==
                  HM_ERROR_INVALID);
            CHECK(strcmp(hm_last_error(), "key 100 is not below key_limit 100 of 'index'") == 0);
            check_nothing_changed(&index);
        }
        finish(&index);
    }
}

/* The claims of a batch need more keys than there may be at once. */
TEST(index_batch, a_batch_that_needs_too_many_keys_at_once_is_refused)
{
    hm_index index = make((hm_index_desc){.capacity = 4});
    hm_handle owners[9];
    uint64_t keys[9];
    for (uint32_t i = 0; i < 9; i++) {
        owners[i] = owner(0);
        keys[i] = i;
    }
    CHECK(hm_index_set_n(&index, owners, keys, 9) == HM_ERROR_FULL);
    CHECK(hm_index_count(&index) == 0);
    check_valid(&index);
    const uint32_t most = sizeof(void *) > 4 ? 8 : 5; /* fewer where addresses are scarce */
    CHECK(hm_index_set_n(&index, owners, keys, most + 1) == HM_ERROR_FULL);
    CHECK(hm_index_set_n(&index, owners, keys, most) == HM_OK && count_of(&index, most - 1) == 1);
    for (uint32_t i = 0; i < 9; i++)
        keys[i] = 20;
    CHECK(hm_index_set_n(&index, owners, keys, 9) == HM_OK);
    finish(&index);
}

TEST(index_batch, a_batch_that_is_refused_memory_changes_nothing)
{
    batch to;
    for (uint32_t k = 1; k < 12; k++) {
        test_memory memory;
        test_memory_init_with_holes(&memory, test_page_size(4096));
        hm_index index = make((hm_index_desc){.capacity = 1000, .memory = &memory.table});
        set(&index, owner(5), 1);
        fill(&to, 0, 1, OWNERS);
        for (uint32_t i = 0; i < OWNERS; i++)
            to.owners[i] = owner(3 * i); /* which need more of the sparse column */
        test_memory_fail(&memory, k, k % 2 == 0);
        hm_status status = hm_index_set_n(&index, to.owners, to.keys, OWNERS);
        CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && test_memory_refused(&memory)));
        check_valid(&index);
        CHECK(hm_index_count(&index) == (status == HM_OK ? OWNERS + 1 : 1));
        CHECK(hm_index_contains(&index, owner(5)));
        test_memory_fail(&memory, 0, false);
        CHECK(hm_index_set_n(&index, to.owners, to.keys, OWNERS) == HM_OK);
        check_keys(&index, &to);
        finish(&index);
        test_memory_check_released(&memory);
    }
}

TEST(index_batch, remove_n_removes_those_that_have_a_key)
{
    batch to;
    hm_index index = make((hm_index_desc){0});
    fill(&to, 0, 1, 9);
    CHECK(hm_index_set_n(&index, to.owners, to.keys, OWNERS) == HM_OK);
    fill(&to, 100, 1, 9);
    CHECK(hm_index_remove_n(&index, to.owners, OWNERS) == OWNERS - 100);
    CHECK(hm_index_remove_n(&index, to.owners, OWNERS) == 0);
    CHECK(hm_index_remove_n(&index, NULL, 0) == 0 && hm_index_count(&index) == 100);
    finish(&index);
}

TEST(index_batch, a_batch_above_the_capacity_moves_no_members)
{
    hm_index index = make((hm_index_desc){.capacity = 3});
    const hm_handle owners[] = {owner(1), owner(3)};
    const uint64_t keys[] = {6, 6};
    for (uint32_t i = 0; i < 3; i++)
        set(&index, owner(i), 5);
    CHECK(hm_index_remove(&index, owner(2)));
    set(&index, owner(2), 7);
    const hm_handle *members = hm_index_members(&index, 7, NULL);
    CHECK(hm_index_set_n(&index, owners + 1, keys, 1) == HM_ERROR_FULL);
    CHECK(hm_index_members(&index, 7, NULL) == members);
    CHECK(hm_index_set_n(&index, owners, keys, 2) == HM_ERROR_FULL);
    CHECK(hm_index_members(&index, 7, NULL) == members);
    finish(&index);
}
