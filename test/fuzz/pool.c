/* SPDX-License-Identifier: MIT */
/* The target `pool`: the model's own operations, memory refused among them; handles of any bits,
 * given to every function that takes one; and addresses of any bits. The first byte chooses the
 * storage, so that each of the three can be fuzzed alone. */
#include "fuzz.h"
#include "support/pool_model.h"

enum {
    KINDS = 12,  /* of storage, block size and hook together, in the model's begin */
    SHAPES = 600 /* below, no pool has thousands of items, which take a script many seconds */
};

#define OF_MODEL(name)                                                                             \
    static void name(void *state, const uint32_t arguments[3])                                     \
    {                                                                                              \
        fuzz_run_operation(&pool_subject, #name, state, arguments);                                \
    }

OF_MODEL(insert)
OF_MODEL(insert_burst)
OF_MODEL(reserve)
OF_MODEL(erase)
OF_MODEL(erase_n)
OF_MODEL(erase_stretch)
OF_MODEL(erase_walking)
OF_MODEL(clear)
OF_MODEL(trim)
OF_MODEL(edit)
OF_MODEL(probe)
OF_MODEL(age)
OF_MODEL(refuse)
OF_MODEL(insert_n)
OF_MODEL(erase_if)

static hm_handle handle_at(const pool_model *model, uint32_t slot)
{
    return hm_handle_pack(slot, model->slots[slot].generation, model->desc.type_id);
}

/* The upper half is any bits, or combined with a slot's entry, which for a hole has the free bit.
 * The index is low, high, that slot's, or that slot's with a bit that must not be ignored. */
static hm_handle hostile_handle(const pool_model *model, const uint32_t arguments[3])
{
    uint32_t which = arguments[0] / 4;
    uint32_t slot = model->end != 0 ? which % model->end : 0;
    uint32_t entry = model->end != 0 ? model->pool.entries[slot] : 0;
    uint64_t upper = (arguments[1] & 0xFFFF) << 16 | (arguments[2] & 0xFFFF);
    switch (arguments[0] % 4) {
    case 0:
        return hm_handle_from_bits(upper << 32 | which);
    case 1:
        return hm_handle_from_bits(upper << 32 | (UINT32_MAX - which));
    case 2:
        return hm_handle_from_bits((upper ^ entry) << 32 | slot);
    default:
        return hm_handle_from_bits((uint64_t)entry << 32 | slot | UINT32_C(1) << upper % 32);
    }
}

/* A handle as above. One that resolves is not erased, since the model would not know of it. */
static void hostile(void *state, const uint32_t arguments[3])
{
    pool_model *model = state;
    hm_pool *pool = &model->pool;
    hm_handle handle = hostile_handle(model, arguments);
    hm_handle twice[] = {handle, HM_NULL_HANDLE, handle};
    uint32_t slot = hm_handle_index(handle);
    bool lives = slot < model->end && model->slots[slot].is_live &&
                 hm_handle_equal(handle, handle_at(model, slot));
    void *place = lives ? model->slots[slot].place : NULL;
    CHECK(hm_pool_get(pool, handle) == place && hm_pool_contains(pool, handle) == lives);
    CHECK((hm_pool_explain(pool, handle) == HM_HANDLE_LIVE) == lives);
    if (lives)
        return;
    CHECK(!hm_pool_erase(pool, handle));
    CHECK(hm_pool_erase_n(pool, twice, sizeof twice / sizeof *twice) == 0);
}

/* Returns the handle of the item that has this byte. */
static hm_handle owner_of(const pool_model *model, uintptr_t address)
{
    for (uint32_t slot = 0; slot < model->end; slot++)
        if (model->slots[slot].is_live &&
            address - (uintptr_t)model->slots[slot].place < model->desc.item_size)
            return handle_at(model, slot);
    return HM_NULL_HANDLE;
}

/* An address near an item or where one was, or any 48 bits. */
static void hostile_address(void *state, const uint32_t arguments[3])
{
    const pool_model *model = state;
    uintptr_t near = 0, by = 0;
    if (arguments[0] % 4 != 0 && model->end != 0) {
        near = (uintptr_t)model->slots[arguments[1] % model->end].place;
        by = arguments[0] % 4 == 1 ? model->desc.item_size : arguments[0] % 4 == 2 ? 1 : 4096;
        by *= arguments[2] % 64;
    } else {
        near = (uintptr_t)((uint64_t)arguments[1] << 32 | arguments[2] << 16 | arguments[0] / 4);
    }
    uintptr_t address = arguments[0] / 4 % 2 == 0 ? near + by : near - by;
    CHECK(hm_handle_equal(hm_pool_handle_of(&model->pool, (const void *)address),
                          owner_of(model, address)));
}

static const test_operation operations[] = {
    {"insert", 0, insert},
    {"insert_burst", 0, insert_burst},
    {"reserve", 0, reserve},
    {"erase", 0, erase},
    {"erase_n", 0, erase_n},
    {"erase_stretch", 0, erase_stretch},
    {"erase_walking", 0, erase_walking},
    {"clear", 0, clear},
    {"trim", 0, trim},
    {"edit", 0, edit},
    {"probe", 0, probe},
    {"age", 0, age},
    {"refuse", 0, refuse},
    {"hostile", 0, hostile},
    {"hostile_address", 0, hostile_address},
    {"insert_n", 0, insert_n},
    {"erase_if", 0, erase_if},
};

enum { OPERATIONS = sizeof operations / sizeof *operations, OWN_OPERATIONS = 2 };

static void *begin(const uint32_t arguments[3])
{
    uint32_t kind = (arguments[0] & 0xFF) % KINDS;
    uint32_t shape = arguments[1] % SHAPES;
    uint32_t of_model[] = {arguments[0] >> 8, shape, arguments[2] * KINDS + kind};
    CHECK(pool_subject.operation_count + OWN_OPERATIONS == OPERATIONS); /* None is left out. */
    return pool_subject.begin(of_model);
}

static void check(void *state)
{
    pool_subject.check(state);
}

static void end(void *state)
{
    pool_subject.end(state);
}

const test_subject fuzz_pool_subject = {
    .name = "hostile_pool",
    .operations = operations,
    .operation_count = OPERATIONS,
    .begin = begin,
    .check = check,
    .end = end,
};
