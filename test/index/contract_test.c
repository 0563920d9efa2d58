/* SPDX-License-Identifier: MIT */
/* The limits of an index; keys of any bits; what a predicate sees; and that validate sees each kind
 * of damage. */
#include "support/index.h"

#include "support/damage.h"
#include "support/memory.h"

/* init */

TEST(index_contract, the_largest_capacity_and_key_limit_are_valid)
{
    hm_index index;
    const uint32_t most = UINT32_C(1) << 28;
    if (!test_has_addresses(UINT64_C(1) << 37, "an index of 2^28 owners"))
        return;
    const hm_index_desc desc = {.capacity = most, .max_slots = most, .key_limit = UINT32_MAX};
    CHECK(hm_index_init(&index, &desc) == HM_OK);
    CHECK(hm_index_set(&index, hm_handle_pack(most - 1, 1, 0), 3) == HM_OK);
    CHECK(hm_index_set(&index, hm_handle_pack(0, 1, 0), UINT32_MAX) == HM_ERROR_INVALID);
    /* Also in the largest index an exact block has no room for another member. */
    CHECK(hm_index_defragment(&index, NULL).done);
    const hm_handle other = hm_handle_pack(1, 1, 0);
    const uint64_t key = 3;
    CHECK(hm_index_set_n(&index, &other, &key, 1) == HM_OK);
    uint32_t count;
    CHECK(hm_index_members(&index, 3, &count) != NULL && count == 2);
    finish(&index);
}

/* validate */

/* The buckets: 0 and 1 with keys 10 and 11, of two owners each; 2 and 3 are free. */
static int damage(hm_index *index, int how)
{
    int number = 0;
    hm_index_place *places = (hm_index_place *)(void *)index->owners.values;
    hm_handle *members =
        (hm_handle *)(void *)hm_lists_address(&index->members, index->buckets[0].record.unit + 1);
    uint32_t *head = index->key_limit == 0 ? hm_index_heads(index) : &hm_index_heads(index)[10];
    while (*head == 0)
        head++;
    DAMAGE("the secondary's values", index->owners.count = UINT32_MAX);
    DAMAGE("lists have blocks", index->members.item_count++);
    DAMAGE("position 0 is misplaced", places[0].bucket = index->bucket_count);
    DAMAGE("position 0 is misplaced", places[0].bucket = UINT32_MAX);
    DAMAGE("position 0 is misplaced", places[0].position = 2);
    DAMAGE("position 0 is misplaced", places[0].position ^= 1);
    DAMAGE("position 0 is misplaced", members[0] = members[1]);
    DAMAGE("4 members, 3 owners", index->owners.count--);
    DAMAGE("the columns of index", index->members.record_array.limit = 3);
    DAMAGE("the columns of index", index->members.limit--);
    DAMAGE("the columns of index", index->members.base++);
    DAMAGE("bucket 1 is damaged", index->buckets[1].pending = 1);
    DAMAGE("bucket 2 is damaged", index->buckets[2].record.capacity = 1);
    DAMAGE("the free buckets are damaged", index->free = 1);
    DAMAGE("the free buckets are damaged", index->free = 5);
    DAMAGE("0 of 4 buckets are free", index->free = 0);
    DAMAGE("5 of 4 buckets are free", index->buckets[index->free - 1].next = index->free);
    DAMAGE("of 2 keys are found", *head = 0);
    DAMAGE("the keys of head", *head = 100);
    DAMAGE("the keys of head", *head = index->free);
    /* It belongs to another head, with this seed too. */
    DAMAGE("the keys of head", index->buckets[*head - 1].key += 2);
    DAMAGE("the keys of head", index->buckets[*head - 1].next = *head);
    DAMAGE("the keys of head 0",
           hm_index_heads(index)[0] = index->free); /* found, but without members */
    DAMAGE("2 keys have members, of 3", index->key_count++);
    DAMAGE("2 keys have members, of 1", index->key_count--);
    DAMAGE("head", hm_index_heads(index)[index->head_array.limit - 1] = 1);
    DAMAGE("the columns of index", index->buckets++);
    return number;
}

TEST(index_contract, validate_sees_each_broken_invariant)
{
    for (uint32_t limit = 0; limit <= 100; limit += 100)
        for (int how = 0, damages = 1; how < damages; how++) {
            hm_index index = make((hm_index_desc){.key_limit = limit});
            for (uint32_t slot = 0; slot < 6; slot++)
                set(&index, owner(slot), slot < 4 ? 10 + slot / 2 : 20 + slot);
            CHECK(hm_index_remove(&index, owner(4)) && hm_index_remove(&index, owner(5)));
            CHECK(index.bucket_count == 4 && hm_index_validate(&index) == HM_OK);
            hm_index whole = index;
            damages = damage(&index, how);
            CHECK(is_told(hm_index_validate(&index)));
            hm_index_fini(&whole);
        }
}
