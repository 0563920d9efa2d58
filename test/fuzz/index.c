/* SPDX-License-Identifier: MIT */
/* The target `index`: the model's own operations, memory refused among them; and handles and keys
 * of any bits, given to every function that takes one. */
#include "fuzz.h"
#include "support/index_model.h"

#define OF_MODEL(function, name)                                                                   \
    static void function(void *state, const uint32_t arguments[3])                                 \
    {                                                                                              \
        fuzz_run_operation(&index_subject, name, state, arguments);                                \
    }

OF_MODEL(set, "set")
OF_MODEL(set_n, "set_n")
OF_MODEL(remove_one, "remove")
OF_MODEL(remove_n, "remove_n")
OF_MODEL(remove_key, "remove_key")
OF_MODEL(remove_if, "remove_if")
OF_MODEL(clear, "clear")
OF_MODEL(trim, "trim")
OF_MODEL(reserve, "reserve")
OF_MODEL(defragment, "defragment")
OF_MODEL(probe, "probe")
OF_MODEL(refuse, "refuse")

/* A hostile handle beside one of a owner that there is, or could be. */
static hm_handle hostile_handle(const index_model *model, const uint32_t arguments[3])
{
    uint32_t which = arguments[0] / 4;
    hm_handle owner = model->count != 0 ? model->entries[which % model->count].owner
                                        : hm_handle_pack(which, 1, model->desc.type_id);
    return fuzz_hostile_handle(owner, arguments);
}

/* A handle as above, and a key that nothing has. One that resolves is not removed, since the model
 * would not know of it. */
static void hostile(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    hm_handle handle = hostile_handle(model, arguments);
    uint64_t key = (UINT64_C(1) << 63 | (uint64_t)arguments[1] << 16 | arguments[2]) ^ 1;
    index_model_probe(model, handle);
    CHECK(hm_index_members(&model->index, key, NULL) == NULL);
    CHECK(hm_index_remove_key(&model->index, key) == 0);
    if (index_model_find(model, handle) == NULL)
        CHECK(!hm_index_remove(&model->index, handle));
}

/* A handle as above. One that may be an owner's becomes one. */
static void hostile_set(void *state, const uint32_t arguments[3])
{
    index_model *model = state;
    index_model_set(model, hostile_handle(model, arguments), arguments[2] % (INDEX_MODEL_KEYS + 1));
}

static const test_operation operations[] = {
    {"set", 0, set},
    {"set_n", 0, set_n},
    {"remove", 0, remove_one},
    {"remove_n", 0, remove_n},
    {"remove_key", 0, remove_key},
    {"remove_if", 0, remove_if},
    {"clear", 0, clear},
    {"trim", 0, trim},
    {"reserve", 0, reserve},
    {"defragment", 0, defragment},
    {"probe", 0, probe},
    {"refuse", 0, refuse},
    {"hostile", 0, hostile},
    {"hostile_set", 0, hostile_set},
};

enum { OPERATIONS = sizeof operations / sizeof *operations, OWN_OPERATIONS = 2 };

static void *begin(const uint32_t arguments[3])
{
    CHECK(index_subject.operation_count + OWN_OPERATIONS == OPERATIONS); /* None is left out. */
    return index_subject.begin(arguments);
}

static void check(void *state)
{
    index_subject.check(state);
}

static void end(void *state)
{
    index_subject.end(state);
}

const test_subject fuzz_index_subject = {
    .name = "hostile_index",
    .operations = operations,
    .operation_count = OPERATIONS,
    .begin = begin,
    .check = check,
    .end = end,
};
