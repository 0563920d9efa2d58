/* SPDX-License-Identifier: MIT */
/* Calls while entities are promised to commands. One that is refused changes nothing: the entities
 * stay promised. One that succeeds brings them to life first, in their order. */
#include "support/promise.h"

static scene stage; /* too large for the stack */

/* Calls that are refused. Each returns whether it was. */

static bool create_of_null(scene *on)
{
    return hm_handle_is_null(hm_world_create(&on->world, NULL, 1));
}

static bool create_twice_the_same(scene *on)
{
    const hm_component twice[] = {on->a, on->a};
    return hm_handle_is_null(hm_world_create(&on->world, twice, 2));
}

static bool create_too_large(scene *on)
{
    return hm_handle_is_null(hm_world_create(&on->world, on->large, 2));
}

static bool create_n_of_a_stranger(scene *on)
{
    const hm_component stranger = HM_INVALID_INDEX;
    return hm_world_create_n(&on->world, &stranger, 1, 2, NULL, NULL) == HM_ERROR_INVALID;
}

static bool create_n_with_values_of_a_tag(scene *on)
{
    const void *columns[] = {"value"};
    return hm_world_create_n(&on->world, &on->tag, 1, 1, columns, NULL) == HM_ERROR_INVALID;
}

/* So many would fit if none were promised. */
static bool create_n_above_the_capacity(scene *on)
{
    uint32_t n = CAPACITY - LIVE - PROMISED + 1;
    return hm_world_create_n(&on->world, NULL, 0, n, NULL, NULL) == HM_ERROR_FULL &&
           hm_world_create_n(&on->world, &on->a, 1, n, NULL, NULL) == HM_ERROR_FULL &&
           hm_world_create_n(&on->world, &on->sparse, 1, n, NULL, NULL) == HM_ERROR_FULL;
}

static bool reserve_above_the_capacity(scene *on)
{
    CHECK(hm_world_available(&on->world) == CAPACITY - LIVE - PROMISED);
    return hm_world_reserve(&on->world, CAPACITY - LIVE - PROMISED + 1) == HM_ERROR_FULL;
}

/* Handles that neither live nor are promised: of a dead entity, of the next that could be promised,
 * of earlier and later lives of one that is, and of slots that were never issued. */
static void list_strangers(const scene *on, hm_handle strangers[8])
{
    const uint64_t one = UINT64_C(1) << HM_HANDLE_GENERATION_SHIFT;
    strangers[0] = on->dead;
    strangers[1] = HM_NULL_HANDLE;
    strangers[2] = hm_world_upcoming(&on->world, 0);
    strangers[3] = hm_handle_from_bits(on->promised[0].bits + one);
    strangers[4] = hm_handle_from_bits(on->promised[PROMISED - 1].bits - one);
    strangers[5] = hm_handle_from_bits(on->promised[PROMISED - 1].bits + one);
    strangers[6] = hm_handle_from_bits(UINT64_MAX);
    strangers[7] = hm_handle_pack(HM_INVALID_INDEX, 1, 0);
}

static bool change_strangers(scene *on)
{
    hm_handle strangers[8];
    bool refused = true;
    list_strangers(on, strangers);
    for (int i = 0; i < 8; i++) {
        hm_handle it = strangers[i];
        refused = refused && !hm_world_destroy(&on->world, it);
        refused = refused && hm_world_add(&on->world, it, on->a, NULL) == HM_ERROR_STALE;
        refused = refused && hm_world_add(&on->world, it, on->sparse, NULL) == HM_ERROR_STALE;
        refused = refused && hm_world_remove(&on->world, it, on->a, NULL) == HM_ERROR_STALE;
        refused = refused && hm_world_change(&on->world, it, &on->a, 1, NULL, 0) == HM_ERROR_STALE;
    }
    return refused && hm_world_destroy_n(&on->world, strangers, 8) == 0;
}

static bool destroy_none(scene *on)
{
    return hm_world_destroy_n(&on->world, NULL, 0) == 0;
}

/* Of a promised entity (which 0) and of a live one. */
static bool refuses_to_change(scene *on, int which)
{
    hm_world *world = &on->world;
    hm_handle entity = which == 0 ? on->promised[1] : on->live[1];
    const hm_component stranger = on->tags[TAGS - 1] + 1, twice[] = {on->b, on->b};
    return hm_world_add(world, entity, stranger, NULL) == HM_ERROR_INVALID &&
           hm_world_add(world, entity, on->tag, "value") == HM_ERROR_INVALID &&
           hm_world_remove(world, entity, stranger, NULL) == HM_ERROR_INVALID &&
           hm_world_change(world, entity, on->large, 2, NULL, 0) == HM_ERROR_INVALID &&
           hm_world_change(world, entity, twice, 2, NULL, 0) == HM_ERROR_INVALID &&
           hm_world_change(world, entity, &on->b, 1, &on->b, 1) == HM_ERROR_INVALID &&
           hm_world_change(world, entity, NULL, 1, NULL, 0) == HM_ERROR_INVALID;
}

static bool change_what_cannot_be(scene *on)
{
    return refuses_to_change(on, 0) && refuses_to_change(on, 1);
}

static bool query_change_to_too_much(scene *on)
{
    const hm_component more[] = {on->large[0], on->large[1], on->sparse};
    return hm_query_change(&on->all, on->large, 2, NULL, 0, NULL) == HM_ERROR_INVALID &&
           hm_query_change(&on->of_root, on->large, 2, NULL, 0, NULL) == HM_ERROR_INVALID &&
           hm_query_change(&on->of_root, more, 3, NULL, 0, NULL) == HM_ERROR_INVALID &&
           hm_query_change(&on->with_a, more, 3, NULL, 0, NULL) == HM_ERROR_INVALID &&
           hm_query_change(&on->all, NULL, 1, NULL, 0, NULL) == HM_ERROR_INVALID;
}

static call *const refused_calls[] = {
    create_of_null,
    create_twice_the_same,
    create_too_large,
    create_n_of_a_stranger,
    create_n_with_values_of_a_tag,
    create_n_above_the_capacity,
    reserve_above_the_capacity,
    change_strangers,
    destroy_none,
    change_what_cannot_be,
    query_change_to_too_much,
};

TEST(world_promise, a_refused_call_brings_no_promised_entity_to_life)
{
    for (size_t i = 0; i < sizeof refused_calls / sizeof *refused_calls; i++) {
        start(&stage);
        sight before = look(&stage);
        CHECK(before.count == LIVE);
        CHECK(refused_calls[i](&stage));
        CHECK(looks_like(&stage, before));
        CHECK(hm_commands_apply(&stage.commands) == HM_OK && all_live(&stage, LIVE));
        CHECK(hm_commands_skipped(&stage.commands) == 0);
        for (int k = 0; k < PROMISED; k++)
            CHECK(hm_world_has(&stage.world, stage.promised[k], stage.b));
        finish(&stage);
    }
}

/* All archetypes that may be made are. */
TEST(world_promise, a_call_for_which_there_is_no_archetype_brings_no_promised_entity_to_life)
{
    scene *on = &stage;
    start_with(on, (hm_world_desc){.capacity = CAPACITY, .max_archetypes = 1});
    promise(on);
    sight before = look(on);
    CHECK(hm_handle_is_null(hm_world_create(&on->world, &on->b, 1)));
    CHECK(hm_world_create_n(&on->world, &on->b, 1, 2, NULL, NULL) == HM_ERROR_FULL);
    for (int i = 0; i < 2; i++) {
        hm_handle entity = i == 0 ? on->promised[0] : on->live[0];
        CHECK(hm_world_add(&on->world, entity, on->b, NULL) == HM_ERROR_FULL);
        CHECK(hm_world_change(&on->world, entity, &on->b, 1, NULL, 0) == HM_ERROR_FULL);
    }
    CHECK(hm_query_change(&on->of_root, &on->b, 1, NULL, 0, NULL) == HM_ERROR_FULL);
    CHECK(hm_query_change(&on->with_a, &on->b, 1, NULL, 0, NULL) == HM_ERROR_FULL);
    CHECK(looks_like(on, before));
    CHECK(hm_world_change(&on->world, on->promised[0], &on->a, 1, NULL, 0) == HM_OK);
    CHECK(all_live(on, LIVE) && hm_world_has(&on->world, on->promised[0], on->a));
    hm_commands_clear(&on->commands);
    finish(on);
}

/* Calls that succeed if there is memory and no query runs. */

static bool create_none(scene *on)
{
    return hm_world_create_n(&on->world, NULL, 0, 0, NULL, NULL) == HM_OK;
}

static bool add_to_live(scene *on)
{
    return hm_world_add(&on->world, on->live[0], on->b, NULL) == HM_OK;
}

static bool add_to_promised(scene *on)
{
    return hm_world_add(&on->world, on->promised[1], on->b, NULL) == HM_OK;
}

static bool add_sparse_to_promised(scene *on)
{
    return hm_world_add(&on->world, on->promised[1], on->huge, NULL) == HM_OK &&
           hm_world_has(&on->world, on->promised[1], on->huge);
}

static bool replace(scene *on)
{
    return hm_world_add(&on->world, on->live[3], on->a, NULL) == HM_OK;
}

static bool replace_sparse(scene *on)
{
    return hm_world_add(&on->world, on->live[3], on->sparse, NULL) == HM_OK;
}

static bool remove_the_last(scene *on)
{
    return hm_world_remove(&on->world, on->live[0], on->a, NULL) == HM_OK;
}

static bool remove_sparse(scene *on)
{
    return hm_world_remove(&on->world, on->live[3], on->sparse, NULL) == HM_OK;
}

static bool remove_from_promised(scene *on)
{
    return hm_world_remove(&on->world, on->promised[0], on->a, NULL) == HM_OK;
}

static bool change_live(scene *on)
{
    const hm_component more[] = {on->b, on->huge};
    return hm_world_change(&on->world, on->live[0], more, 2, &on->a, 1) == HM_OK;
}

static bool change_promised(scene *on)
{
    const hm_component more[] = {on->tag, on->b};
    return hm_world_change(&on->world, on->promised[2], more, 2, &on->a, 1) == HM_OK &&
           hm_world_has(&on->world, on->promised[2], on->b);
}

static bool query_change_archetypes(scene *on)
{
    return hm_query_change(&on->with_a, &on->b, 1, &on->a, 1, NULL) == HM_OK;
}

static bool query_change_to_root(scene *on)
{
    return hm_query_change(&on->with_a, NULL, 0, &on->a, 1, NULL) == HM_OK;
}

static bool query_change_promised(scene *on)
{
    uint32_t changed;
    return hm_query_change(&on->of_root, on->large, 1, NULL, 0, &changed) == HM_OK &&
           changed == PROMISED && hm_world_has(&on->world, on->promised[4], on->large[0]);
}

static bool query_change_each(scene *on)
{
    const hm_component more[] = {on->large[0], on->huge};
    uint32_t changed;
    return hm_query_change(&on->all, more, 2, NULL, 0, &changed) == HM_OK &&
           changed == LIVE + PROMISED && hm_world_has(&on->world, on->promised[4], on->huge);
}

/* Of a slot behind all others. */
static bool adopt_far(scene *on)
{
    return hm_world_adopt(&on->world, hm_handle_pack(MANY, 1, 0)) == HM_OK;
}

static bool apply(scene *on)
{
    return hm_commands_apply(&on->commands) == HM_OK;
}

static call *const calls[] = {
    create_one,
    create_of_root,
    create_sparse,
    create_many,
    create_many_of_root,
    create_many_sparse,
    create_none,
    add_to_live,
    add_to_promised,
    add_sparse_to_promised,
    replace,
    replace_sparse,
    remove_the_last,
    remove_sparse,
    remove_from_promised,
    change_live,
    change_promised,
    query_change_archetypes,
    query_change_to_root,
    query_change_promised,
    query_change_each,
    adopt_far,
    apply,
};

enum { CALLS = sizeof calls / sizeof *calls };

TEST(world_promise, a_call_that_succeeds_brings_them_to_life_in_their_order)
{
    for (int i = 0; i < CALLS; i++) {
        start(&stage);
        uint64_t clock = hm_world_clock(&stage.world);
        CHECK(calls[i](&stage));
        CHECK(all_live(&stage, LIVE) && hm_world_clock(&stage.world) >= clock + PROMISED);
        finish(&stage);
    }
}

TEST(world_promise, a_call_while_a_query_runs_brings_no_promised_entity_to_life)
{
    start(&stage);
    sight before = look(&stage);
    hm_query running = ask(&stage, NULL, 0, NULL, 0);
    hm_query_loop loop;
    hm_query_begin(&running, &loop);
    for (int i = 0; i < CALLS; i++)
        CHECK(!calls[i](&stage));
    CHECK(!hm_world_destroy(&stage.world, stage.promised[0]));
    CHECK(!hm_world_destroy(&stage.world, stage.live[0]));
    CHECK(hm_world_destroy_n(&stage.world, stage.promised, PROMISED) == 0);
    CHECK(hm_world_trim(&stage.world) == HM_ERROR_BUSY);
    CHECK(looks_like(&stage, before));
    hm_query_end(&loop);
    hm_query_fini(&running);
    CHECK(calls[0](&stage) && all_live(&stage, LIVE));
    finish(&stage);
}

/* memory */

/* Makes archetypes without entities until all committed memory for archetypes and chunks is in
 * use. */
static void use_up(scene *on)
{
    test_memory_fail(&on->memory, 1, true);
    bool has_made = true;
    for (uint32_t bits = 1; has_made && bits < 1U << TAGS; bits++) {
        hm_component set[TAGS];
        uint32_t n = 0;
        for (uint32_t i = 0; i < TAGS; i++)
            if ((bits >> i & 1) != 0)
                set[n++] = on->tags[i];
        has_made = hm_world_create_n(&on->world, set, n, 0, NULL, NULL) == HM_OK;
    }
    CHECK(!has_made);
    test_memory_fail(&on->memory, 0, false);
}

/* Refuses the k-th call of the memory table. Returns whether it was reached. */
static bool refuse(scene *on, call *run, bool is_used_up, uint32_t k, bool and_later)
{
    start_with(on, (hm_world_desc){.capacity = CAPACITY});
    if (is_used_up)
        use_up(on);
    promise(on);
    sight before = look(on);
    test_memory_fail(&on->memory, k, and_later);
    bool has_run = run(on), reached = test_memory_refused(&on->memory);
    test_memory_fail(&on->memory, 0, false);
    if (!has_run) {
        CHECK(reached && looks_like(on, before));
        CHECK(run(on));
    }
    CHECK(all_live(on, LIVE));
    finish(on);
    return reached;
}

/* Apply says itself what it leaves behind. */
TEST(world_promise, a_call_that_memory_refuses_brings_no_promised_entity_to_life)
{
    uint32_t refusals = 0; /* of memory */
    uint32_t needy = 0;    /* calls that were refused some */
    for (int i = 0; i < CALLS; i++)
        for (int is_used_up = 0; is_used_up < 2 && calls[i] != apply; is_used_up++) {
            uint32_t k = 1;
            for (; refuse(&stage, calls[i], is_used_up != 0, k, false); k = test_next_call(k))
                refuse(&stage, calls[i], is_used_up != 0, k, true);
            refusals += 2 * (k - 1);
            needy += k > 1 && is_used_up != 0;
        }
    CHECK(refusals >= 4 * CALLS && needy >= CALLS / 2);
}

/* Each entity is destroyed whether it lives or is only promised. */
TEST(world_promise, destroy_takes_promised_entities_and_others)
{
    for (int i = 0; i < 4; i++) {
        start(&stage);
        hm_world *world = &stage.world;
        const hm_handle some[] = {stage.dead, stage.promised[1], stage.live[1], stage.promised[1]};
        if (i < 2)
            CHECK(hm_world_destroy(world, some[1 + i]));
        else
            CHECK(hm_world_destroy_n(world, some, 4) == 2);
        CHECK(hm_world_count(world) == LIVE + PROMISED - (i < 2 ? 1 : 2));
        CHECK(hm_world_contains(world, stage.promised[0]));
        CHECK(hm_world_contains(world, stage.promised[1]) == (i == 1));
        CHECK(hm_commands_apply(&stage.commands) == HM_OK);
        CHECK(hm_commands_skipped(&stage.commands) == (i != 1));
        finish(&stage);
    }
}

/* Hooks */

static void expect_life(void *value, void *context)
{
    scene *on = context;
    (void)value;
    CHECK(hm_world_validate(&on->world) == HM_OK);
    if (on->hooks++ == 0) /* Others run when the world ends. */
        CHECK(all_live(on, LIVE + 1));
}

TEST(world_promise, hooks_see_them_alive)
{
    for (int i = 0; i < 9; i++) {
        scene *on = &stage;
        start_with(on, (hm_world_desc){.capacity = CAPACITY});
        hm_component_desc desc = {.size = 4, .destroy = expect_life, .context = on};
        hm_component_storage storages[] = {HM_COMPONENT_ARCHETYPE, HM_COMPONENT_SPARSE};
        desc.storage = storages[i % 2];
        hm_component hooked = make(on, desc);
        hm_handle entity = hm_world_create(&on->world, &hooked, 1);
        hm_query query = ask(on, &hooked, 1, NULL, 0);
        promise(on);
        on->hooks = 0;
        if (i / 2 == 0)
            CHECK(hm_world_add(&on->world, entity, hooked, NULL) == HM_OK);
        else if (i / 2 == 1)
            CHECK(hm_world_remove(&on->world, entity, hooked, NULL) == HM_OK);
        else if (i / 2 == 2)
            CHECK(hm_world_change(&on->world, entity, &on->b, 1, &hooked, 1) == HM_OK);
        else if (i / 2 == 3)
            CHECK(hm_query_change(&query, NULL, 0, &hooked, 1, NULL) == HM_OK);
        else
            CHECK(hm_world_destroy(&on->world, entity));
        CHECK(on->hooks == 1);
        hm_query_fini(&query);
        finish(on);
    }
}

/* The clock */

static uint64_t time_of(const scene *on, hm_handle entity, hm_component component)
{
    return hm_world_changed(&on->world, entity, component);
}

TEST(world_promise, the_clock_tells_what_a_change_gave_them)
{
    for (int i = 0; i < 5; i++) {
        start(&stage);
        scene *on = &stage;
        hm_handle entity = on->promised[2];
        const hm_component both[] = {on->b, on->sparse};
        uint64_t clock = hm_world_clock(&on->world);
        uint64_t others = time_of(on, on->live[0], on->a);
        if (i == 0)
            CHECK(hm_world_add(&on->world, entity, on->b, NULL) == HM_OK);
        else if (i == 1)
            CHECK(hm_world_change(&on->world, entity, &on->b, 1, NULL, 0) == HM_OK);
        else if (i == 2)
            CHECK(hm_world_change(&on->world, entity, both, 2, NULL, 0) == HM_OK);
        else if (i == 3)
            CHECK(hm_query_change(&on->of_root, &on->b, 1, NULL, 0, NULL) == HM_OK);
        else
            CHECK(hm_query_change(&on->of_root, both, 2, NULL, 0, NULL) == HM_OK);
        CHECK(time_of(on, entity, on->b) > clock && others == time_of(on, on->live[0], on->a));
        CHECK(time_of(on, entity, on->b) <= hm_world_clock(&on->world));
        CHECK((time_of(on, entity, on->sparse) > clock) == (i == 2 || i == 4));
        finish(on);
    }
}

/* A change of all that match is one of the promised ones too, whichever the terms. */
TEST(world_promise, a_query_changes_those_that_match_when_they_live)
{
    for (int i = 0; i < 16; i++) {
        scene *on = &stage;
        uint32_t live = i < 8 ? LIVE : 0, terms = (uint32_t)i % 4, changed;
        start_with(on, (hm_world_desc){.capacity = CAPACITY});
        if (live == 0)
            CHECK(hm_world_destroy_n(&on->world, on->live, LIVE) == LIVE);
        promise(on);
        const hm_component some[] = {on->a, on->sparse};
        hm_query query;
        hm_query_desc desc = {0};
        if (terms == 1)
            desc = (hm_query_desc){.none = some, .none_count = 2};
        if (terms == 2)
            desc = (hm_query_desc){.any = some, .any_count = 2};
        if (terms == 3)
            desc = (hm_query_desc){.all = some, .all_count = 1};
        uint32_t expected = (terms != 1 ? live : 0) + (terms < 2 ? PROMISED : 0);
        CHECK(hm_query_init(&query, &on->world, &desc) == HM_OK);
        hm_component given = i / 4 % 2 == 0 ? on->tag : on->huge;
        CHECK(hm_query_change(&query, &given, 1, NULL, 0, &changed) == HM_OK);
        CHECK(changed == expected && all_live(on, live));
        for (int k = 0; k < PROMISED; k++)
            CHECK(hm_world_has(&on->world, on->promised[k], given) == (terms < 2));
        hm_query_fini(&query);
        finish(on);
    }
}

/* More of them than a list without memory holds. */
TEST(world_promise, a_query_that_cannot_list_them_all_brings_none_to_life)
{
    enum { SOME = 200 };
    bool is_refused = true;
    for (uint32_t k = 1; is_refused; k = test_next_call(k)) {
        test_memory memory;
        hm_world world;
        hm_commands commands;
        hm_query all;
        uint32_t changed;
        test_memory_init(&memory, test_page_size(4096));
        const hm_world_desc desc = {.capacity = CAPACITY, .memory = &memory.table};
        const hm_component_desc sparse = {.size = 4, .storage = HM_COMPONENT_SPARSE};
        CHECK(hm_world_init(&world, &desc) == HM_OK);
        hm_component given = hm_world_component(&world, &sparse);
        CHECK(hm_query_init(&all, &world, &(hm_query_desc){0}) == HM_OK);
        CHECK(hm_world_reserve(&world, SOME) == HM_OK);
        CHECK(hm_commands_init(&commands, &world, NULL) == HM_OK);
        for (uint32_t i = 0; i < SOME; i++)
            CHECK(!hm_handle_is_null(hm_commands_create(&commands, NULL, 0)));
        test_memory_fail(&memory, k, false);
        hm_status status = hm_query_change(&all, &given, 1, NULL, 0, &changed);
        is_refused = test_memory_refused(&memory);
        test_memory_fail(&memory, 0, false);
        CHECK(status == (is_refused ? HM_ERROR_MEMORY : HM_OK));
        CHECK(hm_world_count(&world) == (is_refused ? 0 : SOME) &&
              changed == hm_world_count(&world));
        CHECK(hm_query_change(&all, &given, 1, NULL, 0, &changed) == HM_OK && changed == SOME);
        hm_query_fini(&all);
        hm_commands_fini(&commands);
        CHECK(hm_world_validate(&world) == HM_OK);
        hm_world_fini(&world);
        test_memory_check_released(&memory);
    }
}
