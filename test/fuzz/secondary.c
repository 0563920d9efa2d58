/* SPDX-License-Identifier: MIT */
/* The target `secondary`: the model's own operations, memory refused among them; and handles of any
 * bits, given to every function that takes one. */
#include "fuzz.h"
#include "support/secondary_model.h"

#define OF_MODEL(function, name)                                                                   \
    static void function(void *state, const uint32_t arguments[3])                                 \
    {                                                                                              \
        fuzz_run_operation(&secondary_subject, name, state, arguments);                            \
    }

OF_MODEL(set, "set")
OF_MODEL(set_burst, "set_burst")
OF_MODEL(set_itself, "set_itself")
OF_MODEL(reserve, "reserve")
OF_MODEL(remove_one, "remove")
OF_MODEL(remove_if, "remove_if")
OF_MODEL(clear, "clear")
OF_MODEL(trim, "trim")
OF_MODEL(edit, "edit")
OF_MODEL(defragment, "defragment")
OF_MODEL(arrange, "arrange")
OF_MODEL(touch_all, "touch_all")
OF_MODEL(probe, "probe")
OF_MODEL(refuse, "refuse")
OF_MODEL(set_n, "set_n")
OF_MODEL(remove_at, "remove_at")
OF_MODEL(remove_n, "remove_n")
OF_MODEL(probe_n, "probe_n")

/* A hostile handle beside one of a owner that there is, or could be. */
static hm_handle hostile_handle(const secondary_model *model, const uint32_t arguments[3])
{
    uint32_t which = arguments[0] / 4;
    hm_handle owner = model->count != 0 ? model->entries[which % model->count].owner
                                        : hm_handle_pack(which, 1, model->desc.type_id);
    return fuzz_hostile_handle(owner, arguments);
}

/* A handle as above. One that resolves is not removed, since the model would not know of it. */
static void hostile(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    hm_handle handle = hostile_handle(model, arguments);
    secondary_model_probe(model, handle);
    hm_secondary_touch(&model->secondary, handle);
    if (secondary_model_find(model, handle) == NULL)
        CHECK(!hm_secondary_remove(&model->secondary, handle));
}

/* A handle as above. One that may be an owner's becomes one. */
static void hostile_set(void *state, const uint32_t arguments[3])
{
    secondary_model *model = state;
    secondary_model_set(model, hostile_handle(model, arguments), false, arguments[2]);
}

static const test_operation operations[] = {
    {"set", 0, set},
    {"set_burst", 0, set_burst},
    {"set_itself", 0, set_itself},
    {"reserve", 0, reserve},
    {"remove", 0, remove_one},
    {"remove_if", 0, remove_if},
    {"clear", 0, clear},
    {"trim", 0, trim},
    {"edit", 0, edit},
    {"defragment", 0, defragment},
    {"arrange", 0, arrange},
    {"touch_all", 0, touch_all},
    {"probe", 0, probe},
    {"refuse", 0, refuse},
    {"hostile", 0, hostile},
    {"hostile_set", 0, hostile_set},
    {"set_n", 0, set_n},
    {"remove_at", 0, remove_at},
    {"remove_n", 0, remove_n},
    {"probe_n", 0, probe_n},
};

enum { OPERATIONS = sizeof operations / sizeof *operations, OWN_OPERATIONS = 2 };

static void *begin(const uint32_t arguments[3])
{
    CHECK(secondary_subject.operation_count + OWN_OPERATIONS == OPERATIONS); /* None is left out. */
    return secondary_subject.begin(arguments);
}

static void check(void *state)
{
    secondary_subject.check(state);
}

static void end(void *state)
{
    secondary_subject.end(state);
}

const test_subject fuzz_secondary_subject = {
    .name = "hostile_secondary",
    .operations = operations,
    .operation_count = OPERATIONS,
    .begin = begin,
    .check = check,
    .end = end,
};
