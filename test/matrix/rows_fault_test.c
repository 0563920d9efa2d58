/* SPDX-License-Identifier: MIT */
/* Refused memory, as fault.h has it: what has several columns, lists, and indices. */
#include "fault.h"

/* table: ten columns, with different lanes. Its rows have one size on each page. */

enum { COLUMNS = 10, TABLE_BATCH = 70, TABLE_WAYS = 6 };

static const hm_column table_columns[COLUMNS] = {
    {1, 0, NULL},  {2, 0, NULL}, {4, 0, NULL}, {8, 0, NULL},  {3, 0, NULL},
    {12, 4, NULL}, {5, 0, NULL}, {8, 8, NULL}, {48, 0, NULL}, {16, 0, NULL}};

/* The last two have no capacity. */
static const uint32_t table_lanes[TABLE_WAYS + 2] = {0, 1, 2, 8, 16, 64, 0, 8};

MADE_BY(table, .columns = table_columns, .column_count = COLUMNS, .lanes = table_lanes[on->way],
        .capacity = on->way < TABLE_WAYS ? MAX_ITEMS : 0, .max_slots = MAX_SLOTS)
COMMON(table)
STATES(table)

static bool table_note(scene *on, hm_handle handle)
{
    for (uint32_t c = 0; c < COLUMNS && !hm_handle_is_null(handle); c++)
        test_item_fill(hm_table_get(&on->in.table, handle, c), table_columns[c].size,
                       handle.bits + c);
    return !hm_handle_is_null(handle);
}

static bool table_add(scene *on)
{
    return table_note(on, hm_table_insert(&on->in.table, NULL));
}

static bool table_emplace(scene *on)
{
    uint32_t row = 7;
    hm_handle handle = hm_table_emplace(&on->in.table, &row);
    CHECK(hm_handle_is_null(handle) == (row == HM_INVALID_INDEX));
    return table_note(on, handle);
}

static bool table_insert_n(scene *on)
{
    static const unsigned char cells[TABLE_BATCH * 48];
    const void *columns[COLUMNS] = {cells, NULL,  cells, NULL, cells,
                                    cells, cells, cells, NULL, cells};
    hm_handle handles[TABLE_BATCH];
    memset(handles, 0x5A, sizeof handles);
    bool done = succeeds(hm_table_insert_n(&on->in.table, columns, TABLE_BATCH, handles));
    CHECK(done || test_bytes_are(handles, sizeof handles, 0x5A));
    for (uint32_t i = 0; done && i < TABLE_BATCH; i++)
        table_note(on, handles[i]);
    return done;
}

static bool table_large_reserve(scene *on)
{
    return succeeds(hm_table_reserve(&on->in.table, 5000));
}

static void table_erase(scene *on, uint32_t row)
{
    CHECK(hm_table_erase(&on->in.table, hm_table_handle_at(&on->in.table, row)));
}

static void table_ruin(scene *on)
{
    for (uint32_t i = 0; i < 4000; i++)
        CHECK(table_add(on));
    ruin_dense(on);
}

/* In the last group the lanes past the last row hold zero. */
static picture table_look(const scene *on)
{
    const hm_table *table = &on->in.table;
    picture seen = table_states(on);
    uint32_t groups = hm_table_group_count(table);
    for (uint32_t row = 0; row < seen.count; row++) {
        hm_handle handle = hm_table_handle_at(table, row);
        mix(&seen.contents, handle.bits);
        for (uint32_t c = 0; c < COLUMNS; c++)
            CHECK(
                test_item_is(hm_table_cell(table, row, c), table_columns[c].size, handle.bits + c));
    }
    uint32_t used = groups != 0 ? seen.count % table->lanes : 0;
    for (uint32_t c = 0; c < COLUMNS && used != 0; c++) {
        size_t size = table_columns[c].size;
        const unsigned char *cells = hm_table_group(table, groups - 1, c);
        CHECK(test_bytes_are(cells + size * used, size * (table->lanes - used), 0));
    }
    return seen;
}

static const kind table_kind = {DESCRIBED(table, TABLE_WAYS + 2), .unbounded = TABLE_WAYS,
                                .edge = 3, .only_one_size = true, .trim_drops = true};

REFUSED(table, insert_over_ten_columns, {stand_empty, table_add, 0},
        {stand_at_the_edge, table_add, 0}, {stand_cleared_and_trimmed, table_add, 0},
        {stand_empty, table_emplace, 0})
REFUSED(table, insert_n, {stand_empty, table_insert_n, 0}, {stand_at_the_edge, table_insert_n, 0},
        {stand_cleared_and_trimmed, table_insert_n, 0})
REFUSED(table, reserve, {stand_empty, table_reserve, 0}, {stand_empty, table_large_reserve, 0},
        {stand_at_the_edge, table_large_reserve, 0})
REFUSED(table, trim, {stand_in_ruins, table_trim, 0})
NEVER_ASKS(table)

static uint64_t scrambled(const void *cell, void *context)
{
    uint32_t number;
    (void)context;
    memcpy(&number, cell, sizeof number);
    return number * UINT32_C(2654435761) % 1000; /* any order but that of the rows */
}

/* Without memory for its lists an order waits, as the map's. */
TEST(table_fault, an_order_without_memory_leaves_whole_rows)
{
    const hm_order order = {.key = scrambled};
    for (uint32_t i = 0; i < 4 * TABLE_WAYS; i++) {
        const uint32_t k = 1 + i / TABLE_WAYS;
        hm_table *table = &stage.in.table;
        start(&stage, &table_kind, test_layout_at(0), i % TABLE_WAYS);
        for (uint32_t row = 0; row < 500; row++)
            CHECK(table_add(&stage));
        for (int round = 0; round < 3; round++) {
            test_memory_fail(&stage.memory, k, true);
            hm_table_defragment(table, 2, &order, &(hm_frame_budget){100, HM_NO_LIMIT, false});
            table_look(&stage);
        }
        test_memory_fail(&stage.memory, k, true);
        hm_progress progress = hm_table_defragment(table, 2, &order, NULL);
        test_memory_follow(&stage.memory, progress);
        test_memory_fail(&stage.memory, 0, false);
        CHECK(hm_table_defragment(table, 2, &order, NULL).done);
        table_look(&stage);
        for (uint32_t row = 1; row < 500; row++)
            CHECK(scrambled(hm_table_cell(table, row - 1, 2), NULL) <=
                  scrambled(hm_table_cell(table, row, 2), NULL));
        finish(&stage);
    }
}

/* lists */

MADE_BY(lists, .item_size = on->layout.item_size, .item_align = on->layout.item_align,
        .capacity = on->way == 0 ? MAX_ITEMS : 0, .max_slots = MAX_SLOTS,
        .max_items = 20000 + (1 << 20) / on->layout.item_size)
COMMON(lists)
STATES(lists)

static uint32_t length_of(const scene *on, hm_handle list)
{
    uint32_t length;
    hm_lists_items(&on->in.lists, list, &length);
    return length;
}

static bool lists_add(scene *on)
{
    hm_handle list = hm_lists_create(&on->in.lists);
    if (!hm_handle_is_null(list))
        on->list = list;
    return !hm_handle_is_null(list);
}

static bool lists_push(scene *on)
{
    uint64_t pattern = on->list.bits + length_of(on, on->list);
    void *place = hm_lists_push(&on->in.lists, on->list, NULL);
    if (place != NULL)
        test_item_fill(place, on->layout.item_size, pattern);
    return place != NULL;
}

static bool lists_push_n(scene *on)
{
    return succeeds(hm_lists_push_n(&on->in.lists, on->list, NULL, 20));
}

static bool lists_insert_at(scene *on)
{
    return hm_lists_insert_at(&on->in.lists, on->list, 0, NULL) != NULL;
}

static bool lists_resize(scene *on)
{
    uint32_t length = length_of(on, on->list) + 20;
    return succeeds(hm_lists_resize(&on->in.lists, on->list, length));
}

static bool lists_large_reserve(scene *on)
{
    return succeeds(hm_lists_reserve(&on->in.lists, MAX_ITEMS - lists_count(on)));
}

static void lists_erase(scene *on, uint32_t position)
{
    CHECK(hm_lists_destroy(&on->in.lists, hm_lists_handle_at(&on->in.lists, position)));
}

static void push_until_refused(scene *on)
{
    test_memory_fail(&on->memory, 1, true);
    while (lists_push(on))
        ;
    test_memory_fail(&on->memory, 0, false);
}

static void stand_with_a_list(scene *on)
{
    CHECK(lists_add(on));
}

/* The next create and the next push need memory. */
static void stand_at_both_edges(scene *on)
{
    CHECK(lists_add(on) && lists_push(on));
    stand_at_the_edge(on);
    push_until_refused(on);
}

/* The list has grown past the first page of every size, and then all was closed up. */
static void stand_packed(scene *on)
{
    stand_at_both_edges(on);
    CHECK(lists_push(on));
    CHECK(hm_lists_defragment(&on->in.lists, NULL).done);
    push_until_refused(on);
}

/* Few lists are left, and large ones are gone. */
static void lists_ruin(scene *on)
{
    CHECK(lists_push(on));
    push_until_refused(on);
    CHECK(lists_push(on));
    for (uint32_t k = 0; k < 3; k++)
        CHECK(lists_add(on) && hm_lists_resize(&on->in.lists, on->list,
                                               (uint32_t)(LARGE / on->layout.item_size)) == HM_OK);
    while (lists_count(on) > 5)
        lists_erase(on, 5);
    CHECK(lists_add(on) && lists_push(on));
    CHECK(hm_lists_defragment(&on->in.lists, NULL).done);
}

static void stand_trimmed_with_a_list(scene *on)
{
    stand_cleared_and_trimmed(on);
    CHECK(lists_add(on));
}

static picture lists_look(const scene *on)
{
    const hm_lists *lists = &on->in.lists;
    picture seen = lists_states(on);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < seen.count; i++) {
        uint32_t length;
        hm_handle list = hm_lists_handle_at(lists, i);
        const unsigned char *items = hm_lists_items(lists, list, &length);
        mix(&seen.contents, list.bits);
        mix(&seen.contents, length);
        for (size_t k = 0; k < length * on->layout.item_size; k++)
            mix(&seen.contents, items[k]);
        sum += length;
    }
    CHECK(hm_lists_item_count(lists) == sum);
    return seen;
}

static const kind lists_kind = {DESCRIBED(lists, 2), .unbounded = 1, .edge = 1, .any_align = true,
                                .trim_drops = true};

REFUSED(lists, create, {stand_empty, lists_add, 0}, {stand_at_the_edge, lists_add, 0},
        {stand_cleared_and_trimmed, lists_add, 0})
REFUSED(lists, reserve, {stand_empty, lists_reserve, 0}, {stand_at_the_edge, lists_reserve, 0},
        {stand_with_a_list, lists_large_reserve, 0}, {stand_cleared_and_trimmed, lists_reserve, 0},
        {stand_trimmed_with_a_list, lists_large_reserve, 0})
REFUSED(lists, growing_that_is, {stand_with_a_list, lists_push, 0},
        {stand_at_both_edges, lists_push, 0}, {stand_packed, lists_push, 0},
        {stand_trimmed_with_a_list, lists_push, 0}, {stand_packed, lists_push_n, 0},
        {stand_at_both_edges, lists_push_n, 0}, {stand_packed, lists_insert_at, 0},
        {stand_with_a_list, lists_resize, 0})
REFUSED(lists, trim, {stand_in_ruins, lists_trim, 0})

TEST(lists_fault, what_adds_nothing_succeeds_without_memory)
{
    for (size_t i = 0; i < test_layout_count() * 2; i++) {
        hm_lists *lists = &stage.in.lists;
        hm_handle list[4];
        uint32_t asked = 0;
        start(&stage, &lists_kind, test_layout_at(i / 2), i % 2);
        for (int l = 0; l < 4; l++) {
            CHECK(lists_add(&stage));
            list[l] = stage.list;
            for (int k = 0; k < 10; k++)
                CHECK(lists_push(&stage));
        }
        test_memory_fail(&stage.memory, 1, true);
        CHECK(hm_lists_erase_at(lists, list[0], 9) && hm_lists_erase_ordered_at(lists, list[0], 8));
        CHECK(hm_lists_resize(lists, list[1], 3) == HM_OK);
        CHECK(hm_lists_erase_if(lists, list[2], is_asked, &asked) == 5);
        CHECK(hm_lists_destroy(lists, list[3]));
        picture before = lists_look(&stage);
        CHECK(hm_lists_defragment(lists, NULL).done);
        check_unchanged(&stage, before, false);
        CHECK(lists_add(&stage)); /* the freed slot */
        hm_lists_clear(lists);
        CHECK(lists_add(&stage) && lists_push(&stage));
        CHECK(stage.memory.calls == 0 && hm_lists_validate(lists) == HM_OK);
        finish(&stage);
    }
}

/* index: of owners in slots from 0 on, with or without a limit of keys */

MADE_BY(index, .capacity = on->way < 2 ? MAX_ITEMS : 0, .max_slots = 64 * SEGMENT_SLOTS,
        .key_limit = on->way % 2 * MAX_ITEMS)
COMMON(index)

static bool index_set(scene *on, hm_handle owner, uint64_t key)
{
    return succeeds(hm_index_set(&on->in.index, owner, key));
}

static bool index_set_next(scene *on, uint64_t key)
{
    bool is_set = index_set(on, hm_handle_pack(on->next, 1, TYPE), key);
    on->next += is_set;
    return is_set;
}

static bool index_add(scene *on)
{
    return index_set_next(on, on->next);
}

static bool index_add_member(scene *on)
{
    return index_set_next(on, 7);
}

static bool index_set_far_away(scene *on)
{
    return index_set(on, hm_handle_pack(far_away(on), 1, TYPE), MAX_ITEMS - 1);
}

static bool index_move(scene *on)
{
    return index_set(on, hm_handle_pack(on->next / 2, 1, TYPE), MAX_ITEMS - 1);
}

static bool index_replace(scene *on)
{
    return index_set(on, hm_handle_pack(on->next / 2, 3, TYPE), MAX_ITEMS - 2);
}

static bool index_set_n(scene *on)
{
    enum { N = 40 };
    hm_handle owners[N];
    uint64_t keys[N];
    for (uint32_t i = 0; i < N; i++) {
        owners[i] = hm_handle_pack(i % 2 == 0 ? i * 499 : on->next + i, 1 + i % 4 / 2, TYPE);
        keys[i] = i % 3 == 0 ? 7 : 30000 + 17 * i;
    }
    return succeeds(hm_index_set_n(&on->in.index, owners, keys, N));
}

static bool index_large_reserve(scene *on)
{
    return succeeds(hm_index_reserve(&on->in.index, 3000));
}

static void index_erase(scene *on, uint32_t position)
{
    CHECK(hm_index_remove(&on->in.index, hm_handle_pack(position, 1, TYPE)));
}

static void index_ruin(scene *on)
{
    while (on->next < 10000)
        CHECK(index_add(on));
    while (on->next > 10)
        index_erase(on, --on->next);
}

static void use_up_members(scene *on)
{
    test_memory_fail(&on->memory, 1, true);
    while (index_add_member(on))
        ;
    test_memory_fail(&on->memory, 0, false);
}

/* A key may need memory where another member of one does not. */
static void stand_before_a_key(scene *on)
{
    stand_at_the_edge(on);
    use_up_members(on);
}

/* All that was committed is used up by one key. */
static void stand_with_many_members(scene *on)
{
    CHECK(index_add_member(on));
    use_up_members(on);
}

/* A batch that is refused may change the order of keys and of members. */
static picture index_look(const scene *on)
{
    hm_index_view view = {0};
    picture seen = index_glance(on);
    seen.slots = seen.free_slots = 0; /* as in a secondary */
    while (hm_index_next(&on->in.index, &view))
        for (uint32_t i = 0; i < view.count; i++) {
            uint64_t owner = view.members[i].bits, key = ~view.key;
            CHECK(hm_index_key_of(&on->in.index, view.members[i], &key) && key == view.key);
            mix(&owner, key);
            seen.contents += owner;
        }
    return seen;
}

static const kind index_kind = {DESCRIBED(index, 4), .unbounded = 2, .edge = 1,
                                .only_one_size = true};

REFUSED(index, set, {stand_empty, index_add, 0}, {stand_at_the_edge, index_add, 0},
        {stand_cleared_and_trimmed, index_add, 0}, {stand_empty, index_add_member, 0},
        {stand_before_a_key, index_add_member, 0}, {stand_with_many_members, index_add_member, 0},
        {stand_empty, index_set_far_away, 0}, {stand_at_the_edge, index_set_far_away, 0},
        {stand_with_many_members, index_set_far_away, 0}, {stand_in_ruins, index_set_far_away, 0})
REFUSED(index, move, {stand_at_the_edge, index_move, 0}, {stand_at_the_edge, index_replace, 0})
REFUSED(index, set_n, {stand_empty, index_set_n, 0}, {stand_at_the_edge, index_set_n, 0},
        {stand_with_many_members, index_set_n, 0}, {stand_in_ruins, index_set_n, 0})
REFUSED(index, reserve, {stand_at_the_edge, index_reserve, 0},
        {stand_empty, index_large_reserve, 0}, {stand_at_the_edge, index_large_reserve, 0})
REFUSED(index, trim, {stand_in_ruins, index_trim, 0}, {stand_with_many_members, index_trim, 0})
