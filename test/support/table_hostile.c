/* SPDX-License-Identifier: MIT */
/* Operations of the model of a table that pass handles and addresses of any bits. */
#include "layout.h"
#include "table_model.h"

/* The slot's entry has the free bit if it is free. */
static hm_handle table_handle(const table_model *model, const uint32_t arguments[TEST_ARGUMENTS])
{
    const hm_id_table *ids = &model->table.ids;
    uint32_t slot = ids->slot_count != 0 ? arguments[0] / 4 % ids->slot_count : 0;
    uint64_t entry = ids->slot_count != 0 ? ids->entries[slot].bits >> 32 : 0;
    return test_hostile_handle(hm_handle_from_bits(entry << 32 | slot), arguments);
}

void table_model_hostile(void *state, const uint32_t arguments[TEST_ARGUMENTS])
{
    table_model *model = state;
    hm_handle handle = table_handle(model, arguments);
    hm_handle twice[] = {handle, HM_NULL_HANDLE, handle};
    table_model_probe(model, handle);
    hm_table_touch(&model->table, handle);
    if (table_model_find(model, handle) != NULL)
        return;
    CHECK(!hm_table_erase(&model->table, handle));
    CHECK(hm_table_erase_n(&model->table, twice, sizeof twice / sizeof *twice) == 0);
}

/* Returns the handle of the row whose cell in this column has this byte. */
static hm_handle row_of(const table_model *model, uint32_t column, uintptr_t address)
{
    for (uint32_t row = 0; row < model->count; row++)
        if (address - (uintptr_t)hm_table_cell(&model->table, row, column) <
            model->columns[column].size)
            return model->rows[row];
    return HM_NULL_HANDLE;
}

void table_model_hostile_address(void *state, const uint32_t arguments[TEST_ARGUMENTS])
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
        owner = row_of(model, column, address);
    CHECK(hm_handle_equal(hm_table_handle_of(&model->table, (const void *)address, column), owner));
}
