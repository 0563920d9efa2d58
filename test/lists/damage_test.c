/* SPDX-License-Identifier: MIT */
/* hm_lists_validate sees each kind of damage. */
#include "support/lists.h"
#include "support/lists_blocks.h"

#include <string.h>

enum {
    EXACT,     /* 3 items in a block of 3 units, behind which 1 is free */
    FREED,     /* destroyed: a free block of 4 units */
    FULL,      /* 5 items */
    ONE,       /* 1 item */
    EMPTIED,   /* none, in a block */
    UNTOUCHED, /* none, without a block */
    GONE,      /* destroyed, without a block */
    SLOTS,
    BLOCKS = 6 /* one is the free unit */
};

static void add(hm_lists *lists, uint32_t slot, uint32_t n)
{
    hm_handle list = hm_lists_create(lists);
    CHECK(hm_handle_index(list) == slot && hm_lists_push_n(lists, list, NULL, n) == HM_OK);
}

static hm_lists make_scene(void)
{
    hm_lists lists = make((hm_lists_desc){0});
    add(&lists, EXACT, 5);
    CHECK(hm_lists_defragment(&lists, NULL).done);
    add(&lists, FREED, 6);
    add(&lists, FULL, 5);
    add(&lists, ONE, 1);
    add(&lists, EMPTIED, 1);
    add(&lists, UNTOUCHED, 0);
    add(&lists, GONE, 0);
    CHECK(hm_lists_resize(&lists, hm_lists_handle_at(&lists, EXACT), 3) == HM_OK);
    CHECK(hm_lists_erase_at(&lists, hm_lists_handle_at(&lists, EMPTIED), 0));
    CHECK(hm_lists_destroy(&lists, hm_lists_handle_at(&lists, GONE)));
    CHECK(hm_lists_destroy(&lists, hm_lists_handle_at(&lists, FREED)));
    CHECK(hm_lists_validate(&lists) == HM_OK);
    return lists;
}

/* What corrupt may change; the rest of the range is poisoned. */
typedef struct saved {
    hm_lists_record records[SLOTS];
    uint32_t units[BLOCKS];
    hm_lists_block heads[BLOCKS];
    hm_lists_links links; /* of the free block of 4 units */
    uint32_t classes[HM_LISTS_CLASSES];
} saved;

static hm_lists_links *links_of(const hm_lists *lists, uint32_t unit)
{
    return (hm_lists_links *)(void *)hm_lists_address(&lists->blocks, unit + 1);
}

static void save(const hm_lists *lists, saved *into)
{
    uint32_t unit = 1;
    for (int i = 0; i < BLOCKS; i++) {
        into->units[i] = unit;
        into->heads[i] = *hm_lists_block_at(&lists->blocks, unit);
        unit += size_of_block(&lists->blocks, unit);
    }
    CHECK(unit == lists->blocks.end && size_of_block(&lists->blocks, into->units[1]) == 1);
    CHECK(heads_of(&lists->blocks)[2] == into->units[2]);
    HM_UNPOISON(links_of(lists, into->units[2]), sizeof(hm_lists_links));
    into->links = *links_of(lists, into->units[2]);
    memcpy(into->records, lists->blocks.records, sizeof into->records);
    memcpy(into->classes, heads_of(&lists->blocks), sizeof into->classes);
}

static void bring_back(hm_lists *lists, const saved *from)
{
    for (int i = 0; i < BLOCKS; i++)
        *hm_lists_block_at(&lists->blocks, from->units[i]) = from->heads[i];
    *links_of(lists, from->units[2]) = from->links;
    memcpy(lists->blocks.records, from->records, sizeof from->records);
    memcpy(heads_of(&lists->blocks), from->classes, sizeof from->classes);
}

static void corrupt_block(hm_lists *lists, const uint32_t units[BLOCKS], int how)
{
    hm_lists_block *exact = hm_lists_block_at(&lists->blocks, units[0]);
    hm_lists_block *full = hm_lists_block_at(&lists->blocks, units[3]);
    switch (how) {
    case 0: /* blocks fill the range */
        exact->size = 0;
        break;
    case 1:
        exact->size = lists->blocks.end;
        break;
    case 2: /* each is of the list that it names */
        exact->slot = ONE;
        break;
    case 3:
        exact->slot = SLOTS;
        break;
    case 4: /* or free */
        full->slot = HM_LISTS_FREE;
        break;
    case 5: /* an exact one has the number of items */
        exact->size = HM_LISTS_EXACT | 4;
        break;
    case 6: /* which is not zero */
        exact->size = HM_LISTS_EXACT;
        lists->blocks.records[EXACT].count = 0;
        break;
    case 7: /* any other has a power of two of units */
        full->size = 3;
        break;
    case 8: /* a free block is listed */
        memset(heads_of(&lists->blocks), 0, HM_LISTS_HEADS_SIZE);
        break;
    case 9: /* and nothing else is */
        heads_of(&lists->blocks)[1] = units[0];
        break;
    case 10:
        heads_of(&lists->blocks)[1] = lists->blocks.end;
        break;
    case 11: /* in its class */
        heads_of(&lists->blocks)[1] = units[2];
        break;
    case 12: /* once */
        links_of(lists, units[2])->next = units[2];
        break;
    case 13: /* in both directions */
        links_of(lists, units[2])->previous = units[1];
        break;
    case 14: /* but one without links is not */
        heads_of(&lists->blocks)[0] = units[1];
        break;
    }
}

static void corrupt_record(hm_lists *lists, int how)
{
    hm_lists_record *records = lists->blocks.records;
    switch (how) {
    case 0: /* a record tells the number of items */
        records[EXACT].count = 2;
        break;
    case 1:
        records[EXACT].count = 0;
        break;
    case 2: /* and the capacity, which is 0 for an exact block */
        records[EXACT].capacity = 3;
        break;
    case 3:
        records[FULL].capacity = 7;
        break;
    case 4: /* and the items have */
        records[FULL].count = 7;
        break;
    case 5: /* items are counted */
        records[FULL].count = 4;
        break;
    case 6: /* and are in a block */
        records[FULL].unit = 0;
        break;
    case 7: /* of one's own */
        records[UNTOUCHED].unit = records[ONE].unit;
        break;
    case 8:
        records[EMPTIED] = (hm_lists_record){.tag = records[EMPTIED].tag};
        break;
    case 9: /* without a block there is nothing */
        records[UNTOUCHED].count = 1;
        break;
    case 10:
        records[UNTOUCHED].capacity = 1;
        break;
    case 11: /* nor without a list */
        records[GONE].unit = 1;
        break;
    case 12:
        records[GONE].count = 1;
        break;
    case 13:
        records[GONE].capacity = 1;
        break;
    case 14:
        records[GONE].tag = 1;
        break;
    case 15: /* a list is found by its handle */
        records[UNTOUCHED].tag++;
        break;
    case 16:
        records[UNTOUCHED].tag = 0;
        break;
    }
}

static void corrupt_lists(hm_lists *lists, int how)
{
    switch (how) {
    case 0: /* blocks go up to the end */
        lists->blocks.end = 0;
        break;
    case 1:
        lists->blocks.end = UINT32_MAX;
        break;
    case 2: /* no gap is below the cursor */
        lists->blocks.cursor = lists->blocks.end;
        break;
    case 3: /* which is where a block begins */
        lists->blocks.cursor = 2;
        break;
    case 4:
        lists->blocks.cursor = 0;
        break;
    case 5:
        lists->blocks.cursor = lists->blocks.end + 1;
        break;
    case 6: /* the items are counted */
        lists->blocks.item_count++;
        break;
    case 7: /* the columns are where the arrays have them */
        lists->blocks.records++;
        break;
    case 8:
        lists->blocks.base++;
        break;
    case 9: /* and cover the slots */
        lists->blocks.record_array.limit = 1;
        break;
    case 10: /* and the blocks */
        lists->blocks.unit_array.limit = 1;
        break;
    case 11: /* push is refused from max_items on */
        lists->blocks.limit++;
        break;
    case 12: /* and while busy */
        lists->guard.flags |= HM_GUARD_BUSY;
        break;
    case 13: /* nothing is left to join */
        lists->blocks.is_joined = true;
        break;
    case 14: /* the ID table is sound */
        lists->ids.count++;
        break;
    }
}

TEST(lists_damage, validate_sees_each_broken_invariant)
{
    for (int how = 0; how < 47; how++) {
        static saved sound;
        hm_lists lists = make_scene(), damaged = lists;
        save(&lists, &sound);
        if (how < 15)
            corrupt_block(&damaged, sound.units, how);
        else if (how < 32)
            corrupt_record(&damaged, how - 15);
        else
            corrupt_lists(&damaged, how - 32);
        CHECK(hm_lists_validate(&damaged) == HM_ERROR_CORRUPT);
        bring_back(&lists, &sound);
        finish(&lists);
    }
}

TEST(lists_damage, validate_sees_a_block_below_the_cursor_that_is_not_exact)
{
    hm_lists lists = make((hm_lists_desc){0});
    make_list(&lists, 0, 1);
    hm_lists damaged = lists;
    damaged.blocks.cursor = damaged.blocks.end;
    CHECK(hm_lists_validate(&damaged) == HM_ERROR_CORRUPT);
    CHECK(strcmp(hm_last_error(),
                 "hm_lists_validate: 'lists': the size of the list at unit 1 is damaged") == 0);
    finish(&lists);
}

TEST(lists_damage, validate_sees_free_blocks_that_were_not_joined)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list[4];
    for (int i = 0; i < 4; i++)
        list[i] = make_list(&lists, 10 * i, 2);
    CHECK(hm_lists_destroy(&lists, list[1]));
    lists.blocks.is_joined = true;
    CHECK(hm_lists_validate(&lists) == HM_OK);
    CHECK(hm_lists_destroy(&lists, list[0]) && hm_lists_validate(&lists) == HM_OK);
    CHECK(!lists.blocks.is_joined);
    lists.blocks.is_joined = true; /* but the first two blocks are free */
    CHECK(hm_lists_validate(&lists) == HM_ERROR_CORRUPT);
    lists.blocks.is_joined = false;
    CHECK(hm_lists_destroy(&lists, list[2]) && hm_lists_defragment(&lists, NULL).done);
    list[0] = make_list(&lists, 0, 2);
    CHECK(hm_lists_destroy(&lists, list[3]) && hm_lists_destroy(&lists, list[0]));
    lists.blocks.is_joined = true; /* but the last block is free */
    CHECK(hm_lists_validate(&lists) == HM_ERROR_CORRUPT);
    lists.blocks.is_joined = false;
    finish(&lists);
}

TEST(lists_damage, validate_sees_a_damaged_id_table)
{
    hm_lists lists = make_scene(), damaged = lists;
    damaged.ids.used = damaged.ids.slot_count + 1;
    CHECK(hm_lists_validate(&damaged) == HM_ERROR_CORRUPT);
    finish(&lists);
}

TEST(lists_damage, validate_sees_an_empty_list_whose_block_was_not_freed)
{
    hm_lists lists = make((hm_lists_desc){0});
    hm_handle list = make_list(&lists, 0, 1);
    CHECK(hm_lists_erase_at(&lists, list, 0) && hm_lists_validate(&lists) == HM_OK);
    lists.blocks.is_joined = true;
    CHECK(hm_lists_validate(&lists) == HM_ERROR_CORRUPT);
    lists.blocks.is_joined = false;
    push_row(&lists, list, 0, 1);
    lists.blocks.is_joined = true;
    CHECK(hm_lists_validate(&lists) == HM_OK);
    CHECK(hm_lists_erase_at(&lists, list, 0)); /* Hears of it. */
    CHECK(lists.guard.flags == 0 && hm_lists_validate(&lists) == HM_OK);
    finish(&lists);
}
