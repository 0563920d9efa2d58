/* SPDX-License-Identifier: MIT */
/* The memory that a pool's blocks take, and that validate sees damage. */
#include "support/damage.h"
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/pool.h>

#include <string.h>

enum { STORAGES = 3 };

/* A block larger than the machine's memory is requested when it is needed, not before. */
TEST(pool_contract, any_block_size_is_taken)
{
    static const size_t sizes[] = {1, 4095, 4097, 100000, SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        hm_pool pool;
        hm_pool_desc desc = {.item_size = 24, .capacity = 5000, .block_size = sizes[i]};
        desc.storage = HM_STORAGE_FIXED_BLOCKS;
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        for (int k = 0; k < 5000; k++)
            CHECK(!hm_handle_is_null(hm_pool_insert(&pool, NULL)));
        CHECK(hm_pool_validate(&pool) == HM_OK);
        hm_pool_fini(&pool);
    }
}

TEST(pool_contract, blocks_have_16_kib_when_nothing_else_is_said)
{
    const size_t page_size = hm_memory_os()->page_size;
    hm_pool pool;
    hm_pool_desc desc = {.item_size = 64, .capacity = 5000, .max_slots = 5000};
    desc.storage = HM_STORAGE_FIXED_BLOCKS;
    CHECK(hm_pool_init(&pool, &desc) == HM_OK && !hm_handle_is_null(hm_pool_insert(&pool, NULL)));
    CHECK(pool.item_committed_size == (page_size > 16384 ? page_size : 16384));
    hm_pool_fini(&pool);
}

TEST(pool_contract, a_block_has_at_most_half_of_all_indices)
{
    hm_pool pool;
    hm_pool_desc desc = {.item_size = 1, .capacity = UINT32_MAX - 1, .max_slots = UINT32_MAX};
    desc.storage = HM_STORAGE_FIXED_BLOCKS;
    desc.block_size = SIZE_MAX;
    if (!test_has_addresses((uint64_t)1 << 36, "pools of 2^32 slots"))
        return;
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    CHECK(pool.places.first_block == 31); /* an index of 32 bits can be shifted by that */
    hm_pool_fini(&pool);
}

DEATH_TEST(pool_contract, a_loop_over_items_of_another_size_panics)
{
    hm_pool pool;
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4, .capacity = 10}) == HM_OK);
    HM_POOL_EACH(uint64_t, item, i, &pool)
        CHECK(item == NULL); /* There is none. */
    CHECK(!hm_handle_is_null(hm_pool_insert(&pool, NULL)));
    HM_POOL_EACH(uint32_t, item, i, &pool)
        *item = 0;
    test_expect_panic_of("", "HM_POOL_EACH: the items are not of this type");
    HM_POOL_EACH(uint64_t, item, i, &pool)
        *item = 0;
}

DEATH_TEST(pool_contract, a_loop_over_no_pool_panics)
{
    const hm_pool *none = NULL;
    test_expect_panic_of("", "HM_POOL_EACH: pool is NULL");
    HM_POOL_EACH(uint32_t, item, i, none)
        *item = 0;
}

/* validate */

enum { SLOTS = 200 };

/* Level 1 follows level 0. */
static uint64_t *level_1(const hm_pool *pool)
{
    return pool->listed + (pool->word_array.capacity + 63) / 64;
}

/* Breaks one thing in a pool whose slots are live except holes at 0 to 9 and 100 and a retired one
 * at 10. The recent holes are 0, and before it 100. */
static int damage(hm_pool *pool, int how)
{
    int number = 0;
    const char *slots = "the pool's counts disagree with its slots";
    const char *memory = "the pool's counts and memory disagree";
    const char *levels = "the levels above the pool's bits are damaged";
    const char *slot_0 = "the entry or the bits of slot 0 are damaged";
    const char *slot_10 = "the entry or the bits of slot 10 are damaged";
    const char *slot_20 = "the entry or the bits of slot 20 are damaged";
    const char *slot_64 = "the entry or the bits of slot 64 are damaged";
    hm_pool_word *words = pool->words;
    uint32_t *entries = pool->entries, *latest = &pool->recent[pool->recent_count - 1];
    DAMAGE(slots, pool->count++); /* live + free + retired = slots */
    DAMAGE(slots, pool->retired_count++);
    DAMAGE(levels, pool->slot_count--);                  /* a live bit behind the slots */
    DAMAGE(slot_0, words[0].live ^= 1);                  /* a hole that is live */
    DAMAGE(slot_0, words[0].open ^= 1);                  /* free, but no hole */
    DAMAGE(slot_10, words[0].open ^= UINT64_C(1) << 10); /* a retired slot that is a hole */
    DAMAGE(slot_20, words[0].open ^= 1 << 20);           /* a live slot that is open */
    DAMAGE(slot_64, words[1].live ^= 1);                 /* a live entry without its bit */
    DAMAGE(slot_20, entries[20] |= HM_POOL_FREE_ENTRY);  /* a live slot with a free bit */
    DAMAGE(slot_0, entries[0] &= ~HM_POOL_FREE_ENTRY);   /* and a hole without it */
    DAMAGE(slot_20, entries[20] ^= 1u << 16);            /* another type id */
    DAMAGE(slot_20, entries[20] &= ~HM_HANDLE_MAX_GENERATION);
    DAMAGE(levels, pool->listed[0] ^= 1);               /* a word with a hole that is not recent */
    DAMAGE(levels, pool->listed[0] ^= 2);               /* a word whose holes are all recent */
    DAMAGE(levels, pool->listed[0] ^= 4);               /* a word without holes */
    DAMAGE(levels, *level_1(pool) ^= 1);                /* a level says what is below it */
    DAMAGE(memory, pool->listed++);                     /* it follows the recent holes */
    DAMAGE(levels, pool->hole_word = HM_INVALID_INDEX); /* the lowest word that is listed */
    DAMAGE(levels, pool->hole_word = 1);
    DAMAGE(memory, pool->guard.limit--);                 /* the capacity */
    DAMAGE(memory, pool->guard.flags |= HM_GUARD_BUSY);  /* and 0 while busy */
    DAMAGE(memory, pool->entry_array.limit = SLOTS - 1); /* committed entries cover the slots */
    DAMAGE(memory, pool->fresh_end = SLOTS - 1);         /* fresh slots are behind the others */
    DAMAGE(memory, pool->item_committed_size++); /* the items' memory is that of the units */
    DAMAGE(memory, pool->unit_end = 0);          /* and has memory */
    DAMAGE(memory, pool->unit_end = SIZE_MAX / 2);
    DAMAGE(memory, pool->unit_end++);            /* the last unit has memory */
    DAMAGE(memory, pool->max_slots = SLOTS - 1); /* slots are within the index space */
    DAMAGE(memory, pool->capacity = pool->guard.limit = 1);
    DAMAGE(memory, pool->entries++); /* both columns are those of their arrays */
    DAMAGE(memory, pool->words++);
    DAMAGE(levels, pool->recent_count = HM_POOL_RECENT + 1); /* more than fit */
    DAMAGE(levels, *latest = SLOTS);                         /* no slot */
    DAMAGE(levels, *latest = 20);                            /* no hole */
    DAMAGE(levels, *latest = 100);                           /* there twice */
    DAMAGE(levels, pool->recent_count = 0); /* each hole is recent or in a listed word */
    DAMAGE(memory, pool->has_cold = true);  /* then no slot is fresh */
    DAMAGE(memory, pool->erase_limit--);    /* the last generation, without a hook */
    DAMAGE(memory, pool->recent++);         /* they are before the levels */
    return number;
}

/* Breaks one thing in a pool with the recent holes 7 on top of 5, and the cold ones 3 and 0. */
static int damage_cold(hm_pool *pool, int how)
{
    int number = 0;
    DAMAGE("the levels above the pool's bits are damaged", pool->has_cold = false);
    DAMAGE("the pool's counts and memory disagree", pool->fresh_end++);
    DAMAGE("the levels above the pool's bits are damaged", pool->hole_word = 0);
    DAMAGE("the levels above the pool's bits are damaged", pool->recent[0] = 3);
    DAMAGE(
        "the entry or the bits of slot 3 are damaged",
        (pool->words[0].live |= 1 << 3, pool->entries[3] &= ~HM_POOL_FREE_ENTRY)); /* it is cold */
    return number;
}

TEST(pool_contract, validate_sees_each_broken_invariant)
{
    for (int how = 0, damages = 1; how < damages * STORAGES; how++) {
        hm_pool pool;
        hm_pool_desc desc = {
            .item_size = 40, .capacity = 1 << 20, .storage = (hm_storage)(how % STORAGES)};
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        for (uint32_t i = 0; i < SLOTS; i++) {
            CHECK(!hm_handle_is_null(hm_pool_insert(&pool, NULL)));
            if (i == 10) {
                pool.entries[10] |= HM_HANDLE_MAX_GENERATION;
                CHECK(hm_pool_erase(&pool, hm_pool_handle_of(&pool, hm_pool_item_at(&pool, 10))));
            }
        }
        for (uint32_t i = 0; i < 10; i++)
            hm_pool_erase(&pool, hm_handle_pack(i, 1, 0));
        CHECK(hm_pool_trim(&pool) == HM_OK);
        hm_handle handle = hm_pool_insert(&pool, NULL);
        CHECK(hm_pool_erase(&pool, hm_handle_pack(100, 1, 0)) && hm_pool_erase(&pool, handle));
        CHECK(hm_pool_validate(&pool) == HM_OK);
        hm_pool damaged = pool;
        hm_pool_word words[2];
        uint32_t entries[SLOTS];
        uint64_t level = pool.listed[0], above = *level_1(&pool);
        uint32_t *latest = &pool.recent[pool.recent_count - 1], slot = *latest;
        memcpy(words, pool.words, sizeof words);
        memcpy(entries, pool.entries, sizeof entries);
        damages = damage(&damaged, how / STORAGES);
        CHECK(is_told(hm_pool_validate(&damaged)));
        memcpy(pool.words, words, sizeof words);
        memcpy(pool.entries, entries, sizeof entries);
        pool.listed[0] = level;
        *level_1(&pool) = above;
        *latest = slot;
        CHECK(hm_pool_validate(&pool) == HM_OK);
        hm_pool_fini(&pool);
    }
}

TEST(pool_contract, validate_sees_holes_that_lack_their_memory)
{
    static const uint32_t holes[] = {0, 3, 5, 7};
    for (int how = 0, damages = 1; how < damages; how++) {
        hm_pool pool;
        hm_pool_desc desc = {.item_size = test_page_size(HM_MEMORY_ALIGNMENT), /* a block */
                             .capacity = SLOTS,
                             .storage = HM_STORAGE_FIXED_BLOCKS,
                             .block_size = 1};
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        for (uint32_t i = 0; i < 8; i++)
            CHECK(!hm_handle_is_null(hm_pool_insert(&pool, NULL)));
        for (uint32_t i = 0; i < 2; i++)
            CHECK(hm_pool_erase_at(&pool, holes[i]));
        CHECK(hm_pool_trim(&pool) == HM_OK);
        for (uint32_t i = 2; i < 4; i++)
            CHECK(hm_pool_erase_at(&pool, holes[i]));
        CHECK(hm_pool_validate(&pool) == HM_OK);
        hm_pool damaged = pool;
        damages = damage_cold(&damaged, how);
        CHECK(is_told(hm_pool_validate(&damaged)));
        pool.recent[0] = 5;
        pool.words[0].live &= ~UINT64_C(8);
        pool.entries[3] |= HM_POOL_FREE_ENTRY;
        CHECK(hm_pool_validate(&pool) == HM_OK);
        hm_pool_fini(&pool);
    }
}

/* The extents that are reserved are all known, each once, in the order of their addresses. */
TEST(pool_contract, validate_sees_an_extent_that_no_address_leads_to)
{
    enum { BLOCK = 4, BLOCKS = 3 };
    hm_pool pool;
    hm_pool_desc desc = {.item_size = 16384, .block_size = BLOCK * 16384};
    desc.storage = HM_STORAGE_FIXED_BLOCKS;
    desc.capacity = desc.max_slots = 100;
    CHECK(hm_pool_init(&pool, &desc) == HM_OK && hm_pool_validate(&pool) == HM_OK);
    for (uint32_t i = 0; i < BLOCKS * BLOCK; i++)
        CHECK(!hm_handle_is_null(hm_pool_insert(&pool, NULL)));
    for (uint32_t i = BLOCK; i < 2 * BLOCK; i++)
        CHECK(hm_pool_erase(&pool, hm_handle_pack(i, 1, 0)));
    CHECK(hm_pool_trim(&pool) == HM_OK && hm_pool_validate(&pool) == HM_OK);
    pool.extent_count--;
    CHECK(hm_pool_validate(&pool) == HM_ERROR_CORRUPT);
    pool.extent_count++;
    CHECK(pool.extent_count == BLOCKS - 1);
    uint32_t *extents = hm_array_data(&pool.extent_array), kept = extents[0];
    for (uint32_t wrong = 0; wrong <= BLOCKS;
         wrong++) { /* twice, absent, no extent's, or no block */
        extents[0] = wrong;
        CHECK((hm_pool_validate(&pool) == HM_OK) == (wrong == kept));
    }
    extents[0] = extents[1];
    extents[1] = kept;
    CHECK(hm_pool_validate(&pool) == HM_ERROR_CORRUPT);
    extents[1] = extents[0];
    extents[0] = kept;
    CHECK(hm_pool_validate(&pool) == HM_OK);
    hm_pool_fini(&pool);
}

/* Blocks get memory one by one at first. Their addresses are reserved for 1, 1, 2, 4, ... of them
 * at once, in the end for 2 MiB, and released with the last of these blocks. */
TEST(pool_contract, addresses_of_fixed_blocks_come_and_go_together)
{
    enum { BLOCK = 65536, BLOCKS = 200, MOST = 32 }; /* bytes: the largest page that is tried */
    test_memory memory;
    hm_pool pool;
    test_memory_init_with_holes(&memory, hm_memory_os()->page_size);
    hm_pool_desc desc = {.item_size = BLOCK, .capacity = BLOCKS, .max_slots = BLOCKS + MOST};
    desc.storage = HM_STORAGE_FIXED_BLOCKS;
    desc.memory = &memory.table;
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    size_t reserved = 1;
    for (size_t blocks = 1; blocks <= BLOCKS; blocks++) {
        CHECK(!hm_handle_is_null(hm_pool_insert(&pool, NULL)));
        if (blocks > reserved)
            reserved += reserved < MOST ? reserved : MOST;
        CHECK(pool.item_reserved_size == reserved * BLOCK);
        CHECK(pool.item_committed_size >= blocks * BLOCK);
        CHECK(pool.item_committed_size <= (blocks + blocks / 4) * BLOCK);
    }
    CHECK(memory.calls < 150); /* one for each block would be more than 200 */
    CHECK(hm_pool_trim(&pool) == HM_OK && pool.item_committed_size == (size_t)BLOCKS * BLOCK);
    for (uint32_t i = 0; i < MOST; i++) {
        CHECK(pool.item_reserved_size == reserved * BLOCK);
        CHECK(hm_pool_erase(&pool, hm_handle_pack(2 * MOST + i, 1, 0)));
        CHECK(hm_pool_trim(&pool) == HM_OK && hm_pool_validate(&pool) == HM_OK);
        CHECK(pool.item_committed_size == (size_t)(BLOCKS - 1 - i) * BLOCK);
    }
    CHECK(pool.item_reserved_size == (reserved - MOST) * BLOCK);
    hm_pool_fini(&pool);
    test_memory_check_released(&memory);
}

static int damage_blocks(hm_pool *pool, uintptr_t *other_bases, int how)
{
    int number = 0;
    const char *memory = "the pool's counts and memory disagree";
    DAMAGE(memory, pool->item_reserved_size += 65536);
    DAMAGE(memory, pool->blocks_end_in_words = !pool->blocks_end_in_words);
    DAMAGE(memory, pool->listed++);
    DAMAGE(memory, pool->places.bases = other_bases);
    return number;
}

TEST(pool_contract, validate_sees_a_block_that_is_not_in_its_place)
{
    hm_pool pool;
    enum { BLOCK = 65536 }; /* bytes */
    hm_pool_desc desc = {.item_size = BLOCK, .capacity = 100, .max_slots = 100};
    desc.storage = HM_STORAGE_FIXED_BLOCKS;
    CHECK(hm_pool_init(&pool, &desc) == HM_OK && hm_pool_reserve(&pool, 8) == HM_OK);
    for (uint32_t i = 0; i < 8; i++)
        hm_pool_insert(&pool, NULL);
    CHECK(hm_pool_validate(&pool) == HM_OK);
    const hm_pool whole = pool;
    uintptr_t *bases = pool.places.bases, other[64];
    memcpy(other, bases, sizeof other);
    for (uint32_t block = 0; block < 8; block++) {
        /* The first two are alone in their extents: nothing else says where these are. */
        for (uintptr_t distance = 8; distance <= (block < 2 ? 8 : BLOCK); distance *= BLOCK / 8) {
            bases[block] += distance;
            CHECK(hm_pool_validate(&pool) == HM_ERROR_CORRUPT);
            bases[block] -= distance;
        }
    }
    bases[20]++; /* that block never had memory */
    CHECK(hm_pool_validate(&pool) == HM_ERROR_CORRUPT);
    bases[20]--;
    for (int how = 0, damages = 1; how < damages; how++) {
        damages = damage_blocks(&pool, other, how);
        CHECK(is_told(hm_pool_validate(&pool)));
        pool = whole;
    }
    CHECK(hm_pool_erase(&pool, hm_handle_pack(3, 1, 0)) && hm_pool_trim(&pool) == HM_OK);
    pool.hole_word = 0; /* then an insert would not bring block 3 back */
    CHECK(hm_pool_validate(&pool) == HM_ERROR_CORRUPT);
    pool.hole_word = HM_INVALID_INDEX;
    CHECK(hm_pool_validate(&pool) == HM_OK);
    hm_pool_fini(&pool);
}

TEST(pool_contract, pages_may_be_larger_than_what_is_committed_at_once)
{
    enum { PAGE = 1 << 20, ITEMS = 100 };
    test_memory memory;
    hm_pool pool;
    test_memory_init_with_holes(&memory, PAGE);
    hm_pool_desc desc = {.item_size = 50000, .capacity = ITEMS, .max_slots = ITEMS};
    desc.memory = &memory.table;
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    for (uint32_t i = 0; i < ITEMS; i++)
        CHECK(!hm_handle_is_null(hm_pool_insert(&pool, NULL)));
    CHECK(hm_pool_validate(&pool) == HM_OK);
    CHECK(hm_pool_erase(&pool, hm_handle_pack(99, 1, 0)));
    CHECK(hm_pool_trim(&pool) == HM_OK && hm_pool_validate(&pool) == HM_OK);
    hm_pool_fini(&pool);
    test_memory_check_released(&memory);
}

/* Each slot costs 4 bytes and two bits, and a 64th of a bit for the levels above. */
TEST(pool_contract, a_slot_costs_four_and_a_quarter_bytes)
{
    enum { MANY = 1 << 20 };
    for (int storage = 0; storage < STORAGES; storage++) {
        hm_pool pool;
        hm_pool_desc desc = {.item_size = 1, .capacity = MANY, .max_slots = 4 * MANY};
        desc.storage = (hm_storage)storage;
        CHECK(hm_pool_init(&pool, &desc) == HM_OK && hm_pool_reserve(&pool, MANY) == HM_OK);
        for (uint32_t i = 0; i < MANY; i++)
            hm_pool_insert(&pool, NULL);
        size_t size = hm_pool_get_stats(&pool).committed_size;
        CHECK(size - pool.item_committed_size <= (size_t)MANY * 17 / 4 + 6 * 65536);
        hm_pool_fini(&pool);
    }
}
