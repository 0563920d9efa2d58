/* SPDX-License-Identifier: MIT */
/* Refused memory: for every operation of a table that can reach the memory table, in each layout,
 * the k-th call is refused, for every k, once and from then on. The operation then fails without a
 * visible change, or did not need what was refused; and once there is memory again it succeeds. */
#include "support/layout.h"
#include "support/memory.h"
#include "support/table.h"

enum { WIDE = 10, MAX_HANDLES = 40000, BATCH = 70, CELL = 48 };

/* Ten columns. A cell's bytes are a pattern of its row's handle. */
static const hm_column wide_columns[WIDE] = {
    {1, 0, NULL},  {2, 0, NULL}, {4, 0, NULL}, {8, 0, NULL},  {3, 0, NULL},
    {12, 4, NULL}, {5, 0, NULL}, {8, 8, NULL}, {48, 0, NULL}, {16, 0, NULL}};

typedef struct scene {
    test_memory memory;
    hm_table table;
    hm_handle issued[MAX_HANDLES]; /* all that were ever issued */
    uint32_t issued_count;
    unsigned char states[MAX_HANDLES]; /* explain's answer for each, before the operation */
    uint32_t rows[MAX_HANDLES];        /* and its row */
    hm_table_stats stats;              /* before the operation */
} scene;

static scene stage; /* too large for the stack */

static hm_table_desc describe(scene *on, uint32_t lanes)
{
    return (hm_table_desc){.columns = wide_columns,
                           .column_count = WIDE,
                           .lanes = lanes,
                           .capacity = MAX_HANDLES / 2,
                           .max_slots = MAX_HANDLES,
                           .type_id = 77,
                           .memory = &on->memory.table};
}

static void start(scene *on, uint32_t lanes)
{
    test_memory_init(&on->memory, hm_memory_os()->page_size);
    on->issued_count = 0;
    hm_table_desc desc = describe(on, lanes);
    CHECK(hm_table_init(&on->table, &desc) == HM_OK);
}

/* Records a new row and fills it. */
static void note(scene *on, hm_handle handle)
{
    CHECK(on->issued_count < MAX_HANDLES);
    on->issued[on->issued_count++] = handle;
    for (uint32_t c = 0; c < WIDE; c++)
        test_item_fill(hm_table_get(&on->table, handle, c), wide_columns[c].size, handle.bits + c);
}

static void remember(scene *on)
{
    on->stats = hm_table_get_stats(&on->table);
    for (uint32_t i = 0; i < on->issued_count; i++) {
        on->states[i] = (unsigned char)hm_table_explain(&on->table, on->issued[i]);
        on->rows[i] = hm_table_row(&on->table, on->issued[i]);
    }
}

static void check_cells(const scene *on)
{
    const hm_table *table = &on->table;
    CHECK(hm_table_validate(table) == HM_OK);
    for (uint32_t row = 0; row < hm_table_count(table); row++)
        for (uint32_t c = 0; c < WIDE; c++)
            CHECK(test_item_is(hm_table_cell(table, row, c), wide_columns[c].size,
                               hm_table_handle_at(table, row).bits + c));
    uint32_t groups = hm_table_group_count(table);
    if (groups == 0 || hm_table_count(table) % table->lanes == 0)
        return;
    uint32_t used = hm_table_count(table) % table->lanes;
    for (uint32_t c = 0; c < WIDE; c++) {
        size_t size = wide_columns[c].size;
        const unsigned char *cells = hm_table_group(table, groups - 1, c);
        CHECK(test_bytes_are(cells + size * used, size * (table->lanes - used), 0));
    }
}

/* A trim that was refused may have dropped some slots; nothing else may change them. */
static void check_unchanged(const scene *on, bool trimming)
{
    hm_table_stats now = hm_table_get_stats(&on->table);
    CHECK(now.count == on->stats.count && now.retired_slots == on->stats.retired_slots);
    CHECK(trimming || (now.slots == on->stats.slots && now.free_slots == on->stats.free_slots));
    CHECK(now.committed_size == on->memory.committed_size);
    CHECK(now.reserved_size == on->memory.reserved_size);
    for (uint32_t i = 0; i < on->issued_count; i++) {
        hm_handle handle = on->issued[i];
        CHECK(hm_table_explain(&on->table, handle) == (hm_handle_state)on->states[i]);
        CHECK(hm_table_row(&on->table, handle) == on->rows[i]);
    }
    check_cells(on);
}

/* The states in which an operation starts. */

static void stand_empty(scene *on)
{
    (void)on;
}

/* The next insert needs memory: all that one of the columns has committed is used up. */
static void stand_at_the_edge(scene *on)
{
    note(on, hm_table_insert(&on->table, NULL));
    test_memory_fail(&on->memory, 1, true);
    hm_handle handle = hm_table_insert(&on->table, NULL);
    while (!hm_handle_is_null(handle)) {
        note(on, handle);
        handle = hm_table_insert(&on->table, NULL);
    }
    test_memory_fail(&on->memory, 0, false);
}

/* Two of three rows are gone, and all the last ones, so there is memory to trim. */
static void stand_in_ruins(scene *on)
{
    stand_at_the_edge(on);
    CHECK(hm_table_reserve(&on->table, 4000) == HM_OK);
    for (uint32_t i = 0; i < 4000; i++)
        note(on, hm_table_insert(&on->table, NULL));
    for (uint32_t i = 0; i < on->issued_count; i++)
        if (i % 3 != 0 || i > on->issued_count / 4)
            CHECK(hm_table_erase(&on->table, on->issued[i]));
}

static void stand_cleared_and_trimmed(scene *on)
{
    stand_in_ruins(on);
    hm_table_clear(&on->table);
    CHECK(hm_table_trim(&on->table) == HM_OK);
}

/* The operations. Each returns whether it succeeded. */

static bool is_done(hm_status status)
{
    CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
    return status == HM_OK;
}

static bool run_insert(scene *on)
{
    hm_handle handle = hm_table_insert(&on->table, NULL);
    if (!hm_handle_is_null(handle))
        note(on, handle);
    return !hm_handle_is_null(handle);
}

static bool run_emplace(scene *on)
{
    uint32_t row = 7;
    hm_handle handle = hm_table_emplace(&on->table, &row);
    CHECK(hm_handle_is_null(handle) == (row == HM_INVALID_INDEX));
    if (row != HM_INVALID_INDEX)
        note(on, handle);
    return row != HM_INVALID_INDEX;
}

static bool run_insert_n(scene *on)
{
    static const unsigned char cells[BATCH * CELL];
    const void *columns[WIDE] = {cells, NULL, cells, NULL, cells, cells, cells, cells, NULL, cells};
    hm_handle handles[BATCH];
    memset(handles, 0x5A, sizeof handles);
    bool done = is_done(hm_table_insert_n(&on->table, columns, BATCH, handles));
    CHECK(done || test_bytes_are(handles, sizeof handles, 0x5A));
    for (uint32_t i = 0; done && i < BATCH; i++)
        note(on, handles[i]);
    return done;
}

static bool run_reserve(scene *on)
{
    return is_done(hm_table_reserve(&on->table, 5000));
}

static bool run_trim(scene *on)
{
    return is_done(hm_table_trim(&on->table));
}

typedef struct operation {
    void (*stand)(scene *on);
    bool (*run)(scene *on);
} operation;

/* Refuses the k-th call. Returns whether it was reached. */
static bool refuse(scene *on, uint32_t lanes, operation what, uint32_t k, bool and_later)
{
    start(on, lanes);
    what.stand(on);
    remember(on);
    test_memory_fail(&on->memory, k, and_later);
    bool succeeded = what.run(on);
    bool reached = on->memory.calls >= k;
    if (!succeeded) {
        CHECK(reached);
        check_unchanged(on, what.run == run_trim);
        test_memory_fail(&on->memory, 0, false);
        CHECK(what.run(on));
    }
    test_memory_fail(&on->memory, 0, false);
    check_cells(on);
    CHECK(run_insert_n(on) && run_insert(on));
    check_cells(on);
    hm_table_fini(&on->table);
    test_memory_check_released(&on->memory);
    return reached;
}

/* Returns the number of calls that could be refused. */
static uint32_t refuse_every_call(uint32_t lanes, operation what)
{
    uint32_t k = 1;
    for (; refuse(&stage, lanes, what, k, false); k++)
        refuse(&stage, lanes, what, k, true);
    return k - 1;
}

static void refuse_everywhere(void (*stand)(scene *on), bool (*run)(scene *on), uint32_t least)
{
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++)
        CHECK(refuse_every_call(table_lanes(layout), (operation){stand, run}) >= least);
}

TEST(table_fault, init_refused_leaves_a_zeroed_table)
{
    static const hm_table zero;
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++) {
        hm_status status = HM_ERROR_MEMORY;
        uint32_t k = 1;
        for (; status != HM_OK; k++) {
            test_memory_init(&stage.memory, hm_memory_os()->page_size);
            test_memory_fail(&stage.memory, k, k % 2 == 0);
            hm_table_desc desc = describe(&stage, table_lanes(layout));
            memset(&stage.table, 0x5A, sizeof stage.table);
            status = hm_table_init(&stage.table, &desc);
            CHECK(is_done(status) == (stage.memory.calls < k));
            if (status == HM_OK)
                hm_table_fini(&stage.table);
            CHECK(memcmp(&stage.table, &zero, sizeof zero) == 0);
            test_memory_check_released(&stage.memory);
        }
        CHECK(k > (table_lanes(layout) == 0 ? WIDE : 1) + 3u);
    }
}

TEST(table_fault, insert_refused_over_ten_columns_changes_nothing)
{
    refuse_everywhere(stand_empty, run_insert, 3);
    refuse_everywhere(stand_at_the_edge, run_insert, 1);
    refuse_everywhere(stand_cleared_and_trimmed, run_insert, 1);
    refuse_everywhere(stand_empty, run_emplace, 3);
}

TEST(table_fault, insert_n_refused_changes_nothing)
{
    refuse_everywhere(stand_empty, run_insert_n, 3);
    refuse_everywhere(stand_at_the_edge, run_insert_n, 1);
    refuse_everywhere(stand_cleared_and_trimmed, run_insert_n, 1);
}

TEST(table_fault, reserve_refused_changes_nothing)
{
    refuse_everywhere(stand_empty, run_reserve, 3);
    refuse_everywhere(stand_at_the_edge, run_reserve, 1);
}

TEST(table_fault, trim_refused_changes_nothing)
{
    refuse_everywhere(stand_in_ruins, run_trim, 1);
}

static uint64_t number_of(const void *cell, void *context)
{
    uint32_t number;
    (void)context;
    memcpy(&number, cell, sizeof number);
    return number * UINT32_C(2654435761) % 1000; /* any order but that of the rows */
}

/* Without memory for its lists an order waits, as the map's. */
TEST(table_fault, an_order_without_memory_leaves_whole_rows)
{
    const hm_order order = {.key = number_of};
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++)
        for (uint32_t k = 1; k <= 4; k++) {
            start(&stage, table_lanes(layout));
            for (uint32_t i = 0; i < 500; i++)
                note(&stage, hm_table_insert(&stage.table, NULL));
            for (int round = 0; round < 3; round++) {
                test_memory_fail(&stage.memory, k, true);
                hm_table_defragment(&stage.table, 2, &order, &(hm_budget){.max_swaps = 100});
                test_memory_fail(&stage.memory, 0, false);
                check_cells(&stage);
            }
            test_memory_fail(&stage.memory, k, true);
            hm_progress progress = hm_table_defragment(&stage.table, 2, &order, NULL);
            test_memory_follow(&stage.memory, progress);
            test_memory_fail(&stage.memory, 0, false);
            progress = hm_table_defragment(&stage.table, 2, &order, NULL);
            CHECK(progress.done);
            check_cells(&stage);
            for (uint32_t row = 1; row < 500; row++)
                CHECK(number_of(hm_table_cell(&stage.table, row - 1, 2), NULL) <=
                      number_of(hm_table_cell(&stage.table, row, 2), NULL));
            hm_table_fini(&stage.table);
            test_memory_check_released(&stage.memory);
        }
}

TEST(table_fault, erase_and_clear_never_ask_for_memory)
{
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++) {
        start(&stage, table_lanes(layout));
        stand_at_the_edge(&stage);
        uint32_t n = stage.issued_count;
        test_memory_fail(&stage.memory, 1, true);
        CHECK(hm_table_erase(&stage.table, stage.issued[3]));
        CHECK(hm_table_erase_n(&stage.table, stage.issued, 5) == 4);
        check_cells(&stage);
        hm_table_clear(&stage.table);
        while (hm_table_count(&stage.table) < n)
            CHECK(run_insert(&stage));
        CHECK(stage.memory.calls == 0);
        hm_table_fini(&stage.table);
        test_memory_check_released(&stage.memory);
    }
}
