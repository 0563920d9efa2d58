/* SPDX-License-Identifier: MIT */
/* Refused memory: while commands are recorded, nothing is recorded or promised then; in apply, the
 * k-th call for each k, once and from then on. The entities before it are done, the others as they
 * were, and the next apply does the rest. */
#include "support/memory.h"
#include "support/test.h"

#include <handle_map/commands.h>

#include <string.h>

enum {
    ENTITIES = 60,
    PARTS = 6, /* large components; most entities have a set of them that no other has */
    PART_SIZE = 2000,
    HUGE_SIZE = 100000,
    NUMBERS = 2 * ENTITIES /* of tokens: the first ones, then those that replace them */
};

struct token {
    uint32_t number, entity;
};

typedef struct scene {
    test_memory memory;
    hm_world world;
    hm_commands commands;
    hm_component token, parts[PARTS], sparse, huge;
    hm_handle entities[ENTITIES];
    uint32_t destroyed[NUMBERS];
} scene;

static void count_destroyed(void *value, void *context)
{
    scene *on = context;
    const struct token *token = value;
    CHECK(token->number < NUMBERS);
    on->destroyed[token->number]++;
    CHECK(hm_world_validate(&on->world) == HM_OK);
}

static hm_component make(scene *on, hm_component_desc desc)
{
    hm_component component = hm_world_component(&on->world, &desc);
    CHECK(component != HM_INVALID_INDEX);
    return component;
}

static bool is_new(uint32_t entity)
{
    return entity % 3 == 0;
}

static bool is_destroyed(uint32_t entity)
{
    return entity % 11 == 10;
}

static void start(scene *on, size_t page_size)
{
    memset(on, 0, sizeof *on);
    test_memory_init_with_holes(&on->memory, test_page_size(page_size));
    hm_world_desc desc = {.capacity = 10000, .memory = &on->memory.table};
    CHECK(hm_world_init(&on->world, &desc) == HM_OK);
    on->token =
        make(on, (hm_component_desc){
                     .size = sizeof(struct token), .destroy = count_destroyed, .context = on});
    for (int i = 0; i < PARTS; i++)
        on->parts[i] = make(on, (hm_component_desc){.size = PART_SIZE});
    on->sparse =
        make(on, (hm_component_desc){.size = sizeof(struct token), .storage = HM_COMPONENT_SPARSE});
    on->huge = make(on, (hm_component_desc){.size = HUGE_SIZE, .storage = HM_COMPONENT_SPARSE});
    for (uint32_t i = 0; i < ENTITIES; i++) {
        struct token first = {i, i};
        if (is_new(i))
            continue;
        on->entities[i] = hm_world_create(&on->world, NULL, 0);
        CHECK(hm_world_add(&on->world, on->entities[i], on->token, &first) == HM_OK);
    }
    CHECK(hm_world_reserve(&on->world, ENTITIES) == HM_OK);
    CHECK(hm_commands_init(&on->commands, &on->world, NULL) == HM_OK);
}

/* The commands of an entity come in four passes, so that none are next to each other. */
static void record_pass(scene *on, uint32_t i, int pass)
{
    hm_commands *commands = &on->commands;
    hm_handle entity = on->entities[i];
    struct token second = {ENTITIES + i, i};
    hm_component parts[PARTS];
    uint32_t count = 0;
    for (uint32_t part = 0; part < PARTS; part++)
        if ((i + 1) >> part & 1)
            parts[count++] = on->parts[part];
    if (pass == 0 && is_new(i))
        on->entities[i] = hm_commands_create(commands, parts, count);
    else if (pass == 0)
        CHECK(hm_commands_change(commands, entity, parts, count, &on->token, 1) == HM_OK);
    else if (pass == 1)
        CHECK(hm_commands_add(commands, entity, on->token, &second) == HM_OK);
    else if (pass == 2)
        CHECK(hm_commands_add(commands, entity, i % 7 == 0 ? on->huge : on->sparse, NULL) == HM_OK);
    else if (is_destroyed(i))
        CHECK(hm_commands_destroy(commands, entity) == HM_OK);
    CHECK(!hm_handle_is_null(on->entities[i]));
}

static void record_all(scene *on)
{
    for (int pass = 0; pass < 4; pass++)
        for (uint32_t i = 0; i < ENTITIES; i++)
            record_pass(on, i, pass);
}

static bool is_done(const scene *on, uint32_t i)
{
    const struct token *token = hm_world_get(&on->world, on->entities[i], on->token);
    if (is_destroyed(i))
        return !hm_world_contains(&on->world, on->entities[i]);
    return token != NULL && token->number == ENTITIES + i;
}

/* All of its commands have been run, or none. */
static void check_entity(const scene *on, uint32_t i, bool is_applied)
{
    hm_handle entity = on->entities[i];
    bool has_more = is_applied && !is_destroyed(i);
    const struct token *token = hm_world_get(&on->world, entity, on->token);
    CHECK(hm_world_has(&on->world, entity, i % 7 == 0 ? on->huge : on->sparse) == has_more);
    for (uint32_t part = 0; part < PARTS; part++)
        CHECK(hm_world_has(&on->world, entity, on->parts[part]) ==
              (has_more && ((i + 1) >> part & 1) != 0));
    CHECK(on->destroyed[i] == (is_applied && !is_new(i)));
    CHECK(on->destroyed[ENTITIES + i] == (is_applied && is_destroyed(i)));
    if (!is_applied)
        CHECK(is_new(i) ? token == NULL : token != NULL && token->number == i);
}

/* The entities are done in order. Returns how many. */
static uint32_t check_state(const scene *on)
{
    uint32_t done = 0, waiting = 0;
    CHECK(hm_world_validate(&on->world) == HM_OK);
    while (done < ENTITIES && is_done(on, done))
        check_entity(on, done++, true);
    for (uint32_t i = done; i < ENTITIES; i++) {
        check_entity(on, i, false);
        waiting += 3 + is_destroyed(i);
    }
    CHECK(hm_commands_count(&on->commands) == waiting);
    return done;
}

static void end(scene *on)
{
    hm_commands_fini(&on->commands);
    hm_world_fini(&on->world);
    test_memory_check_released(&on->memory);
}

static void finish(scene *on)
{
    end(on);
    for (uint32_t i = 0; i < NUMBERS; i++)
        CHECK(on->destroyed[i] == (i >= ENTITIES || !is_new(i)));
}

/* Refuses the k-th call. Returns whether it was reached. */
static bool refuse(scene *on, size_t page_size, uint32_t k, bool and_later)
{
    start(on, page_size);
    record_all(on);
    test_memory_fail(&on->memory, k, and_later);
    hm_status status = hm_commands_apply(&on->commands);
    bool reached = test_memory_refused(&on->memory);
    CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && reached));
    uint32_t done = check_state(on);
    if (status != HM_OK && and_later) {
        CHECK(hm_commands_apply(&on->commands) == HM_ERROR_MEMORY);
        CHECK(check_state(on) == done);
    }
    test_memory_fail(&on->memory, 0, false);
    CHECK(hm_commands_apply(&on->commands) == HM_OK);
    CHECK(check_state(on) == ENTITIES && hm_commands_skipped(&on->commands) == 0);
    finish(on);
    return reached;
}

static scene stage; /* too large for the stack */

TEST(commands_fault, an_apply_that_is_refused_memory_keeps_the_rest)
{
    static const size_t page_sizes[] = {4096, 16384, 65536};
    for (int i = 0; i < 3; i += test_scale() < 50 ? 1 : 2) {
        uint32_t k = 1;
        for (; refuse(&stage, page_sizes[i], k, false); k = test_next_call(k))
            refuse(&stage, page_sizes[i], k, true);
        CHECK(k > 10);
    }
}

TEST(commands_fault, a_record_that_is_refused_memory_changes_nothing)
{
    hm_component sparse;
    start(&stage, 4096);
    sparse = stage.huge;
    hm_commands *commands = &stage.commands;
    static unsigned char value[HUGE_SIZE];
    for (int round = 0; round < 3; round++) {
        hm_handle next = hm_world_upcoming(&stage.world, 0);
        uint32_t count = hm_commands_count(commands);
        test_memory_fail(&stage.memory, 1, true);
        while (hm_commands_destroy(commands, HM_NULL_HANDLE) == HM_OK)
            count++;
        CHECK(hm_handle_is_null(hm_commands_create(commands, &sparse, 1)));
        CHECK(strstr(hm_last_error(), "was refused") != NULL);
        CHECK(hm_commands_add(commands, next, sparse, value) == HM_ERROR_MEMORY);
        CHECK(hm_commands_add(commands, next, sparse, NULL) == HM_ERROR_MEMORY);
        CHECK(hm_commands_remove(commands, next, sparse) == HM_ERROR_MEMORY);
        CHECK(hm_commands_change(commands, next, NULL, 0, NULL, 0) == HM_ERROR_MEMORY);
        CHECK(hm_commands_count(commands) == count);
        CHECK(hm_handle_equal(hm_world_upcoming(&stage.world, 0), next));
        test_memory_fail(&stage.memory, 0, false);
        CHECK(hm_handle_equal(hm_commands_create(commands, &sparse, 1), next));
        CHECK(hm_commands_add(commands, next, sparse, value) == HM_OK);
        count += 2;
        CHECK(hm_commands_count(commands) == count);
    }
    CHECK(hm_commands_apply(commands) == HM_OK);
    CHECK(hm_world_validate(&stage.world) == HM_OK);
    end(&stage);
}

static uint32_t count_ready(const scene *on)
{
    uint32_t k = 0;
    while (!hm_handle_is_null(hm_world_upcoming(&on->world, k)))
        k++;
    return k;
}

TEST(commands_fault, a_reserve_that_is_refused_memory_promises_nothing_more)
{
    for (uint32_t k = 1;; k++) {
        start(&stage, 4096);
        CHECK(count_ready(&stage) == ENTITIES);
        test_memory_fail(&stage.memory, k, false);
        hm_status status = hm_world_reserve(&stage.world, 9000);
        bool reached = test_memory_refused(&stage.memory);
        CHECK((status == HM_OK) == !reached);
        CHECK(count_ready(&stage) == (reached ? ENTITIES : 9000));
        CHECK(hm_world_validate(&stage.world) == HM_OK);
        test_memory_fail(&stage.memory, 0, false);
        end(&stage);
        if (reached)
            continue;
        CHECK(k > 3);
        break;
    }
}

TEST(commands_fault, the_size_of_a_buffer_has_limits)
{
    static const hm_commands zero;
    const uint64_t least = 32 << 10, most = UINT64_C(16) << 30;
    const uint64_t sizes[] = {1, least - 1, least, most, most + 1};
    hm_commands commands;
    start(&stage, 4096);
    for (int i = 0; i < 5; i++) {
        bool is_valid = sizes[i] >= least && sizes[i] <= most;
        if (is_valid ? !test_has_addresses(sizes[i], "a large buffer") : sizes[i] > SIZE_MAX)
            continue;
        memset(&commands, 0x5A, sizeof commands);
        const hm_commands_desc desc = {.size = (size_t)sizes[i]};
        hm_status status = hm_commands_init(&commands, &stage.world, &desc);
        CHECK(status == (is_valid ? HM_OK : HM_ERROR_INVALID));
        if (is_valid)
            CHECK(hm_commands_destroy(&commands, HM_NULL_HANDLE) == HM_OK);
        else
            CHECK(strstr(hm_last_error(), " is not from 32768 to 17179869184") != NULL);
        hm_commands_fini(&commands);
        CHECK(memcmp(&commands, &zero, sizeof zero) == 0);
    }
    end(&stage);
}

/* With heap memory a buffer has 4 MiB. */
TEST(commands_fault, a_buffer_that_is_full_can_be_applied)
{
    hm_world world;
    hm_commands commands;
    static unsigned char value[HUGE_SIZE];
    const hm_world_desc desc = {.capacity = 100, .memory = hm_memory_heap()};
    const hm_component_desc huge = {.size = HUGE_SIZE, .storage = HM_COMPONENT_SPARSE};
    CHECK(hm_world_init(&world, &desc) == HM_OK);
    hm_component component = hm_world_component(&world, &huge);
    hm_handle entity = hm_world_create(&world, NULL, 0);
    CHECK(hm_commands_init(&commands, &world, NULL) == HM_OK);
    for (int round = 0; round < 2; round++) {
        hm_status status;
        uint32_t count = 0;
        do {
            memset(value, (int)count, sizeof value);
            status = hm_commands_add(&commands, entity, component, value);
            count += status == HM_OK;
        } while (status == HM_OK);
        CHECK(status == HM_ERROR_FULL && count == 41);
        CHECK(strstr(hm_last_error(), "the commands of 'world': 41 take ") == hm_last_error());
        CHECK(hm_commands_count(&commands) == count);
        while (hm_commands_destroy(&commands, HM_NULL_HANDLE) == HM_OK)
            count++;
        CHECK(strstr(hm_last_error(), " take 41") != NULL);
        CHECK(hm_commands_count(&commands) == count);
        CHECK(hm_commands_apply(&commands) == HM_OK);
        CHECK(hm_commands_skipped(&commands) == count - 41);
        const unsigned char *last = hm_world_get(&world, entity, component);
        CHECK(last != NULL && last[0] == 40 && last[HUGE_SIZE - 1] == 40);
    }
    hm_commands_fini(&commands);
    hm_world_fini(&world);
}
