/* SPDX-License-Identifier: MIT */
/* Misuse of pointers to the members of a key: AddressSanitizer reports each. */
#include "support/index.h"
#include "support/misuse.h"

/* Four members of key 1, then four of key 2. */
static hm_index make_full(void)
{
    hm_index index = make((hm_index_desc){0});
    for (uint32_t slot = 0; slot < 8; slot++)
        set(&index, owner(slot), 1 + slot / 4);
    return index;
}

static const uint64_t *bits_of(const hm_index *index, uint64_t key)
{
    return &hm_index_members(index, key, NULL)->bits;
}

DEATH_TEST(index_misuse, a_member_is_read_at_its_old_place_after_its_key_has_grown)
{
    hm_index index = make_full();
    const uint64_t *stale = bits_of(&index, 1);
    for (uint32_t slot = 8; slot < 100; slot++)
        set(&index, owner(slot), 1);
    CHECK(bits_of(&index, 1) != stale);
    expect_report();
    read_word(stale + 3);
}

DEATH_TEST(index_misuse, a_member_is_read_behind_the_last_after_one_has_left)
{
    hm_index index = make_full();
    const uint64_t *members = bits_of(&index, 1);
    set(&index, owner(0), 2);
    expect_report();
    read_word(members + 3);
}

DEATH_TEST(index_misuse, a_member_is_read_after_its_key_was_removed)
{
    hm_index index = make_full();
    const uint64_t *stale = bits_of(&index, 1);
    CHECK(hm_index_remove_key(&index, 1) == 4);
    expect_report();
    read_word(stale);
}

DEATH_TEST(index_misuse, a_member_is_read_after_clear)
{
    hm_index index = make_full();
    const uint64_t *stale = bits_of(&index, 2);
    hm_index_clear(&index);
    expect_report();
    read_word(stale);
}

DEATH_TEST(index_misuse, a_member_is_read_at_its_old_place_after_defragment)
{
    hm_index index = make_full();
    const uint64_t *stale = bits_of(&index, 2);
    CHECK(hm_index_remove_key(&index, 1) == 4);
    CHECK(hm_index_defragment(&index, NULL).done);
    expect_report();
    read_word(stale + 3);
}

/* The capacity that a batch takes is no one's until there are members. */
TEST(index_misuse, what_a_refused_batch_has_taken_is_poisoned_again)
{
    hm_index index = make_full();
    const hm_handle owners[] = {owner(20), owner(21), HM_NULL_HANDLE};
    CHECK(hm_index_set_n(&index, owners, (const uint64_t[]){1, 3, 1}, 3) == HM_ERROR_INVALID);
    CHECK(count_of(&index, 1) == 4 && __asan_address_is_poisoned(bits_of(&index, 1) + 4));
    finish(&index);
}
