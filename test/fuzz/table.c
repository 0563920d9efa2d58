/* SPDX-License-Identifier: MIT */
/* The target `table`: the model's own operations, memory refused among them; handles of any bits,
 * given to every function that takes one; and addresses of any bits. The first byte chooses the
 * layout, so that each can be fuzzed alone. */
#include "fuzz.h"
#include "support/table_model.h"

enum { SHAPES = 600 /* below, no table has thousands of rows, which take a script many seconds */ };

#define OF_MODEL(name)                                                                             \
    static void name(void *state, const uint32_t arguments[3])                                     \
    {                                                                                              \
        fuzz_run_operation(&table_subject, #name, state, arguments);                               \
    }

OF_MODEL(insert)
OF_MODEL(insert_n)
OF_MODEL(insert_burst)
OF_MODEL(reserve)
OF_MODEL(erase)
OF_MODEL(erase_n)
OF_MODEL(erase_if)
OF_MODEL(clear)
OF_MODEL(trim)
OF_MODEL(edit)
OF_MODEL(probe)
OF_MODEL(defragment)
OF_MODEL(order)
OF_MODEL(arrange)
OF_MODEL(arrange_on)
OF_MODEL(touch_all)
OF_MODEL(age)
OF_MODEL(refuse)

/* The upper half is any bits, or combined with a slot's entry, which for a free slot has the free
 * bit. The index is low, high, that slot's, or that slot's with a bit that must not be ignored. */
static hm_handle hostile_handle(const table_model *model, const uint32_t arguments[3])
{
    const hm_id_table *ids = &model->table.ids;
    uint32_t which = arguments[0] / 4;
    uint32_t slot = ids->slot_count != 0 ? which % ids->slot_count : 0;
    uint64_t entry = ids->slot_count != 0 ? ids->entries[slot].bits >> 32 : 0;
    uint64_t upper = (arguments[1] & 0xFFFF) << 16 | (arguments[2] & 0xFFFF);
    switch (arguments[0] % 4) {
    case 0:
        return hm_handle_from_bits(upper << 32 | which);
    case 1:
        return hm_handle_from_bits(upper << 32 | (UINT32_MAX - which));
    case 2:
        return hm_handle_from_bits((upper ^ entry) << 32 | slot);
    default:
        return hm_handle_from_bits(entry << 32 | (slot ^ UINT32_C(1) << upper % 32));
    }
}

/* A handle as above. One that resolves is not erased, since the model would not know of it. */
static void hostile(void *state, const uint32_t arguments[3])
{
    table_model *model = state;
    hm_handle handle = hostile_handle(model, arguments);
    hm_handle twice[] = {handle, HM_NULL_HANDLE, handle};
    table_model_probe(model, handle);
    hm_table_touch(&model->table, handle);
    if (table_model_find(model, handle) != NULL)
        return;
    CHECK(!hm_table_erase(&model->table, handle));
    CHECK(hm_table_erase_n(&model->table, twice, sizeof twice / sizeof *twice) == 0);
}

/* Returns the handle of the row whose cell in this column has this byte. */
static hm_handle owner_of(const table_model *model, uint32_t column, uintptr_t address)
{
    for (uint32_t row = 0; row < model->count; row++)
        if (address - (uintptr_t)hm_table_cell(&model->table, row, column) <
            model->columns[column].size)
            return model->rows[row];
    return HM_NULL_HANDLE;
}

/* An address near a cell, of this column or another, or any 48 bits. */
static void hostile_address(void *state, const uint32_t arguments[3])
{
    const table_model *model = state;
    uint32_t column = arguments[0] / 8 % (model->desc.column_count + 1);
    uint32_t other = arguments[0] / 128 % model->desc.column_count;
    uintptr_t near = 0, by = 0;
    if (arguments[0] % 4 != 0 && model->count != 0) {
        near = (uintptr_t)hm_table_cell(&model->table, arguments[1] % model->count, other);
        by = arguments[0] % 4 == 1 ? model->columns[other].size : arguments[0] % 4 == 2 ? 1 : 4096;
        by *= arguments[2] % 64;
    } else {
        near = (uintptr_t)((uint64_t)arguments[1] << 32 | arguments[2] << 16 | arguments[0] / 4);
    }
    uintptr_t address = arguments[0] / 4 % 2 == 0 ? near + by : near - by;
    hm_handle owner = HM_NULL_HANDLE;
    if (column < model->desc.column_count)
        owner = owner_of(model, column, address);
    CHECK(hm_handle_equal(hm_table_handle_of(&model->table, (const void *)address, column), owner));
}

static const test_operation operations[] = {
    {"insert", 0, insert},
    {"insert_n", 0, insert_n},
    {"insert_burst", 0, insert_burst},
    {"reserve", 0, reserve},
    {"erase", 0, erase},
    {"erase_n", 0, erase_n},
    {"erase_if", 0, erase_if},
    {"clear", 0, clear},
    {"trim", 0, trim},
    {"edit", 0, edit},
    {"probe", 0, probe},
    {"defragment", 0, defragment},
    {"order", 0, order},
    {"arrange", 0, arrange},
    {"arrange_on", 0, arrange_on},
    {"touch_all", 0, touch_all},
    {"age", 0, age},
    {"refuse", 0, refuse},
    {"hostile", 0, hostile},
    {"hostile_address", 0, hostile_address},
};

enum { OPERATIONS = sizeof operations / sizeof *operations, OWN_OPERATIONS = 2 };

static void *begin(const uint32_t arguments[3])
{
    uint32_t layout = (arguments[0] & 0xFF) % TABLE_MODEL_LAYOUTS;
    uint32_t shape = arguments[1] % SHAPES;
    uint32_t of_model[] = {arguments[0] >> 8, shape, arguments[2] * TABLE_MODEL_LAYOUTS + layout};
    CHECK(table_subject.operation_count + OWN_OPERATIONS == OPERATIONS); /* None is left out. */
    return table_subject.begin(of_model);
}

static void check(void *state)
{
    table_subject.check(state);
}

static void end(void *state)
{
    table_subject.end(state);
}

const test_subject fuzz_table_subject = {
    .name = "hostile_table",
    .operations = operations,
    .operation_count = OPERATIONS,
    .begin = begin,
    .check = check,
    .end = end,
};
