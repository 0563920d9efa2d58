/* SPDX-License-Identifier: MIT */
/* The target `lists`: the model's own operations, memory refused among them; and handles of any
 * bits, given to every function that takes one. */
#include "fuzz.h"
#include "support/lists_model.h"

#define OF_MODEL(function, name)                                                                   \
    static void function(void *state, const uint32_t arguments[3])                                 \
    {                                                                                              \
        fuzz_run_operation(&lists_subject, name, state, arguments);                                \
    }

OF_MODEL(create, "create")
OF_MODEL(reserve, "reserve")
OF_MODEL(destroy, "destroy")
OF_MODEL(clear, "clear")
OF_MODEL(trim, "trim")
OF_MODEL(push, "push")
OF_MODEL(push_n, "push_n")
OF_MODEL(insert_at, "insert_at")
OF_MODEL(resize, "resize")
OF_MODEL(erase_at, "erase_at")
OF_MODEL(erase_ordered_at, "erase_ordered_at")
OF_MODEL(erase_if, "erase_if")
OF_MODEL(defragment, "defragment")
OF_MODEL(probe, "probe")
OF_MODEL(refuse, "refuse")

/* A hostile handle beside one of a list that there is, or could be. */
static hm_handle hostile_handle(const lists_model *model, const uint32_t arguments[3])
{
    uint32_t which = arguments[0] / 4;
    hm_handle list = model->count != 0 ? model->entries[which % model->count].list
                                       : hm_handle_pack(which, 1, model->desc.type_id);
    return fuzz_hostile_handle(list, arguments);
}

/* A handle as above. */
static void hostile(void *state, const uint32_t arguments[3])
{
    lists_model *model = state;
    hm_handle handle = hostile_handle(model, arguments);
    lists_model_probe(model, handle);
    if (lists_model_find(model, handle) == NULL)
        lists_model_check_refused(model, handle);
}

static const test_operation operations[] = {
    {"create", 0, create},
    {"reserve", 0, reserve},
    {"destroy", 0, destroy},
    {"clear", 0, clear},
    {"trim", 0, trim},
    {"push", 0, push},
    {"push_n", 0, push_n},
    {"insert_at", 0, insert_at},
    {"resize", 0, resize},
    {"erase_at", 0, erase_at},
    {"erase_ordered_at", 0, erase_ordered_at},
    {"erase_if", 0, erase_if},
    {"defragment", 0, defragment},
    {"probe", 0, probe},
    {"refuse", 0, refuse},
    {"hostile", 0, hostile},
};

enum { OPERATIONS = sizeof operations / sizeof *operations, OWN_OPERATIONS = 1 };

static void *begin(const uint32_t arguments[3])
{
    CHECK(lists_subject.operation_count + OWN_OPERATIONS == OPERATIONS); /* None is left out. */
    return lists_subject.begin(arguments);
}

static void check(void *state)
{
    lists_subject.check(state);
}

static void end(void *state)
{
    lists_subject.end(state);
}

const test_subject fuzz_lists_subject = {
    .name = "hostile_lists",
    .operations = operations,
    .operation_count = OPERATIONS,
    .begin = begin,
    .check = check,
    .end = end,
};
