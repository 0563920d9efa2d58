/* SPDX-License-Identifier: MIT */
/* Commands that do the same to entities whose rows follow each other are run together. They leave
 * the rows of all archetypes in the order in which calls of one by one leave them, also where runs
 * are refused memory. */
#include "support/memory.h"
#include "support/world.h"

#include <handle_map/commands.h>

enum { ENTITIES = 4000, SKIPPED = 7 };

enum { TAG, VALUE, ZERO, REMOVE, UNHOOK, REPLACE, NOTHING, SPARSE, CHANGE, CREATE, MIXED, KINDS };

typedef struct side {
    hm_world world;
    hm_component id, wide, added, sparse, tag, hooked;
    hm_handle entities[2 * ENTITIES];
    uint32_t count, destroyed;
} side;

static void count_destroyed(void *value, void *context)
{
    side *self = context;
    (void)value;
    self->destroyed++;
}

/* All have an id, and some more, of which one has a hook. */
static void start(side *self, const hm_memory *memory, uint32_t count)
{
    hm_world_desc desc = {.memory = memory, .capacity = 20000};
    self->world = make_world(desc);
    self->id = make_int(&self->world);
    self->wide = make_component(&self->world, (hm_component_desc){.size = 48, .align = 16});
    self->added = make_component(&self->world, (hm_component_desc){.size = 40});
    self->sparse = make_component(&self->world,
                                  (hm_component_desc){.size = 40, .storage = HM_COMPONENT_SPARSE});
    self->tag = make_tag(&self->world);
    self->hooked = make_component(
        &self->world, (hm_component_desc){.size = 4, .destroy = count_destroyed, .context = self});
    self->count = count;
    self->destroyed = 0;
    const hm_component set[] = {self->id, self->wide, self->hooked};
    CHECK(hm_world_reserve(&self->world, count) == HM_OK);
    for (uint32_t i = 0; i < count; i++) {
        self->entities[i] = hm_world_create(&self->world, set, 3);
        *(uint32_t *)hm_world_get(&self->world, self->entities[i], self->id) = i + 1;
        *(uint32_t *)hm_world_get(&self->world, self->entities[i], self->wide) = i + 1;
    }
    CHECK(hm_world_reserve(&self->world, count) == HM_OK);
}

/* A value of the components `added` and `sparse`. */
static const void *value_for(uint32_t i)
{
    static uint32_t value[10];
    value[0] = value[9] = i;
    return value;
}

static const void *wide_for(uint32_t i)
{
    static uint32_t value[12];
    value[0] = value[9] = ~i;
    return value;
}

/* Which change is the i-th of a kind. */
static int nth(int kind, uint32_t i)
{
    if (kind == MIXED) /* Tags, with and without values between. */
        kind = i % 6 == 0 ? TAG : i % 4 == 0 ? ZERO : VALUE;
    return kind;
}

static void call(side *self, int kind, uint32_t i)
{
    hm_world *world = &self->world;
    const hm_component add[] = {self->added, self->tag};
    hm_handle entity = self->entities[i];
    hm_status status = HM_OK;
    if (kind == CREATE)
        self->entities[self->count++] = hm_world_create(world, add, 2);
    else if (kind == REMOVE)
        status = hm_world_remove(world, entity, self->wide, NULL);
    else if (kind == UNHOOK)
        status = hm_world_remove(world, entity, self->hooked, NULL);
    else if (kind == REPLACE)
        status = hm_world_add(world, entity, self->wide, wide_for(i));
    else if (kind == NOTHING)
        status = hm_world_change(world, entity, NULL, 0, NULL, 0);
    else if (kind == SPARSE)
        status = hm_world_add(world, entity, self->sparse, value_for(i));
    else if (kind == CHANGE)
        status = hm_world_change(world, entity, add, 2, &self->wide, 1);
    else if (kind == TAG)
        status = hm_world_add(world, entity, self->tag, NULL);
    else
        status = hm_world_add(world, entity, self->added, kind == VALUE ? value_for(i) : NULL);
    CHECK(status == HM_OK);
}

static void record(side *self, hm_commands *commands, int kind, uint32_t i)
{
    const hm_component add[] = {self->added, self->tag};
    hm_handle entity = self->entities[i];
    hm_status status = HM_OK;
    if (kind == CREATE)
        self->entities[self->count++] = hm_commands_create(commands, add, 2);
    else if (kind == REMOVE)
        status = hm_commands_remove(commands, entity, self->wide);
    else if (kind == UNHOOK)
        status = hm_commands_remove(commands, entity, self->hooked);
    else if (kind == REPLACE)
        status = hm_commands_add(commands, entity, self->wide, wide_for(i));
    else if (kind == NOTHING)
        status = hm_commands_change(commands, entity, NULL, 0, NULL, 0);
    else if (kind == SPARSE)
        status = hm_commands_add(commands, entity, self->sparse, value_for(i));
    else if (kind == CHANGE)
        status = hm_commands_change(commands, entity, add, 2, &self->wide, 1);
    else if (kind == TAG)
        status = hm_commands_add(commands, entity, self->tag, NULL);
    else
        status =
            hm_commands_add(commands, entity, self->added, kind == VALUE ? value_for(i) : NULL);
    CHECK(status == HM_OK);
}

/* Returns how many rows of its archetype come before the entity's. */
static uint32_t row_of(const hm_world *world, hm_handle entity)
{
    hm_world_place place = *hm_world_place_of(world, entity);
    const hm_world_archetype *archetype = &world->archetypes[hm_world_place_archetype(place)];
    uint32_t row = hm_world_place_row(place), chunk = place.chunk;
    while ((chunk = hm_world_link_of(world, chunk)->previous) != HM_WORLD_NONE)
        row += archetype->rows[hm_world_chunk_class(chunk)];
    return row;
}

static void check_equal(side *a, side *b)
{
    const hm_component *columns_a = &a->id, *columns_b = &b->id;
    CHECK(hm_world_validate(&b->world) == HM_OK && a->destroyed == b->destroyed);
    CHECK(hm_world_count(&a->world) == hm_world_count(&b->world) && a->count == b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        hm_handle entity = a->entities[i];
        CHECK(entity.bits == b->entities[i].bits);
        CHECK(row_of(&a->world, entity) == row_of(&b->world, entity));
        for (int c = 0; c < 4; c++) {
            const void *value_a = hm_world_get(&a->world, entity, columns_a[c]);
            const void *value_b = hm_world_get(&b->world, entity, columns_b[c]);
            CHECK((value_a == NULL) == (value_b == NULL));
            CHECK(value_a == NULL || memcmp(value_a, value_b, c == 0 ? 4 : 40) == 0);
        }
        CHECK(hm_world_has(&a->world, entity, a->tag) == hm_world_has(&b->world, entity, b->tag));
    }
}

/* Changes `n` of `count` entities from `first` on, but for every SKIPPED-th if there are gaps. The
 * k-th call for memory is refused; 0: none. Returns whether it was reached. */
static bool check_run(int kind, uint32_t count, uint32_t first, uint32_t n, bool has_gaps,
                      uint32_t k)
{
    static side called, recorded; /* Too large for the stack. */
    test_memory memory;
    hm_commands commands;
    test_memory_init(&memory, test_page_size(4096));
    start(&called, NULL, count);
    start(&recorded, &memory.table, count);
    CHECK(hm_commands_init(&commands, &recorded.world, NULL) == HM_OK);
    for (uint32_t i = first; i < first + n; i++)
        if (!has_gaps || i % SKIPPED != 0) {
            call(&called, nth(kind, i), i);
            record(&recorded, &commands, nth(kind, i), i);
        }
    test_memory_fail(&memory, k, false);
    hm_status status = hm_commands_apply(&commands);
    bool reached = k != 0 && test_memory_refused(&memory);
    CHECK(status == HM_OK || (status == HM_ERROR_MEMORY && reached));
    CHECK(hm_world_validate(&recorded.world) == HM_OK);
    test_memory_fail(&memory, 0, false);
    CHECK(hm_commands_apply(&commands) == HM_OK && hm_commands_count(&commands) == 0);
    check_equal(&called, &recorded);
    hm_commands_fini(&commands);
    hm_world_fini(&recorded.world);
    hm_world_fini(&called.world);
    test_memory_check_released(&memory);
    return reached;
}

TEST(commands_run, equal_commands_leave_rows_where_calls_leave_them)
{
    static const uint32_t counts[] = {3, 4, 9, 60, ENTITIES};
    for (int k = 0; k < KINDS; k++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            uint32_t count = counts[c];
            if (count == ENTITIES && test_scale() >= 50 && k % 4 != 0)
                continue;
            check_run(k, count, 0, count, false, 0);
            check_run(k, count, 0, count - 1, false, 0);
            check_run(k, count, 1, count - 1, false, 0);
            check_run(k, count, count / 3, count / 2, false, 0);
            check_run(k, count, count / 2, count / 4, false, 0);
            check_run(k, count, 0, count, true, 0);
        }
}

TEST(commands_run, a_run_that_is_refused_memory_waits_or_is_run_one_by_one)
{
    for (int which = 0; which < KINDS; which++) {
        uint32_t k = 1;
        while (check_run(which, 1500, 100, 1200, false, k))
            k = test_next_call(k);
        CHECK(k > 1);
    }
}

TEST(commands_run, a_run_for_which_there_is_no_archetype_waits)
{
    enum { MANY = 20 };
    hm_world world = make_world((hm_world_desc){.max_archetypes = 1});
    hm_component first = make_int(&world), second = make_int(&world);
    hm_commands commands;
    hm_handle entities[MANY];
    CHECK(hm_commands_init(&commands, &world, NULL) == HM_OK);
    for (int i = 0; i < MANY; i++) {
        entities[i] = make_one(&world, first, i);
        CHECK(hm_commands_add(&commands, entities[i], second, NULL) == HM_OK);
    }
    for (int round = 0; round < 2; round++) {
        CHECK(hm_commands_apply(&commands) == HM_ERROR_FULL);
        CHECK(strstr(hm_last_error(), " has 1 of 1 archetypes: trim it, or raise max_archetypes") !=
              NULL);
        CHECK(hm_commands_count(&commands) == MANY && hm_world_validate(&world) == HM_OK);
        for (int i = 0; i < MANY; i++) {
            CHECK(value_of(&world, entities[i], first) == i);
            CHECK(!hm_world_has(&world, entities[i], second));
        }
    }
    hm_commands_fini(&commands);
    finish_world(&world);
}

/* An entity without a command is then in the row of the one that was destroyed. */
TEST(commands_run, a_run_ends_before_an_entity_that_was_destroyed_after_it_was_recorded)
{
    enum { COUNT = 12, GONE = 5 };
    static side self;
    hm_commands commands;
    start(&self, NULL, COUNT);
    CHECK(hm_commands_init(&commands, &self.world, NULL) == HM_OK);
    for (uint32_t i = 0; i + 1 < COUNT; i++)
        record(&self, &commands, VALUE, i);
    CHECK(hm_world_destroy(&self.world, self.entities[GONE]));
    CHECK(hm_commands_apply(&commands) == HM_OK && hm_commands_skipped(&commands) == 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        const void *value = hm_world_get(&self.world, self.entities[i], self.added);
        bool is_given = i != GONE && i + 1 < COUNT;
        CHECK(is_given ? memcmp(value, value_for(i), 40) == 0 : value == NULL);
    }
    hm_commands_fini(&commands);
    finish_world(&self.world);
}

/* All get a tag but for one, which is to lose it, and one, which gets it and then loses it. */
static void check_exceptions(uint32_t opposite, uint32_t twice)
{
    enum { COUNT = 12 };
    static side self;
    hm_commands commands;
    start(&self, NULL, COUNT);
    CHECK(hm_commands_init(&commands, &self.world, NULL) == HM_OK);
    for (uint32_t i = 0; i < COUNT; i++)
        if (i != opposite)
            record(&self, &commands, TAG, i);
        else
            CHECK(hm_commands_remove(&commands, self.entities[i], self.tag) == HM_OK);
    CHECK(hm_commands_remove(&commands, self.entities[twice], self.tag) == HM_OK);
    CHECK(hm_commands_apply(&commands) == HM_OK && hm_commands_count(&commands) == 0);
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(hm_world_has(&self.world, self.entities[i], self.tag) ==
              (i != opposite && i != twice));
    hm_commands_fini(&commands);
    finish_world(&self.world);
}

TEST(commands_run, a_run_ends_at_a_command_that_does_the_opposite_or_is_not_the_last)
{
    check_exceptions(5, 8);
    check_exceptions(8, 5);
}

/* The last entity's commands are run first: it gets a tag and loses it again, for which no memory
 * is needed. Returns whether the k-th call was refused. */
static bool refuse_behind_done(uint32_t k, bool *is_done_first)
{
    enum { COUNT = 8 };
    static side self;
    test_memory memory;
    hm_commands commands;
    test_memory_init(&memory, test_page_size(4096));
    start(&self, &memory.table, COUNT);
    CHECK(hm_commands_init(&commands, &self.world, NULL) == HM_OK);
    hm_handle last = self.entities[COUNT - 1];
    CHECK(hm_commands_remove(&commands, last, self.tag) == HM_OK);
    for (uint32_t i = 0; i < COUNT; i++)
        record(&self, &commands, TAG, i);
    CHECK(hm_commands_remove(&commands, last, self.tag) == HM_OK);
    test_memory_fail(&memory, k, true);
    bool is_refused = hm_commands_apply(&commands) != HM_OK;
    *is_done_first = *is_done_first || hm_commands_count(&commands) == COUNT - 1;
    test_memory_fail(&memory, 0, false);
    CHECK(hm_commands_apply(&commands) == HM_OK && hm_commands_count(&commands) == 0);
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(hm_world_has(&self.world, self.entities[i], self.tag) == (i + 1 < COUNT));
    hm_commands_fini(&commands);
    finish_world(&self.world);
    test_memory_check_released(&memory);
    return is_refused;
}

TEST(commands_run, a_run_ends_at_a_command_that_was_run_before_memory_was_refused)
{
    bool is_done_first = false;
    uint32_t k = 1;
    while (refuse_behind_done(k, &is_done_first))
        k++;
    CHECK(is_done_first);
}

/* Entities whose rows have the numbers of neighbours, but lie in two chunks. */
TEST(commands_run, a_run_ends_before_an_entity_of_another_chunk)
{
    enum { RUN = 6 };
    static side self;
    hm_commands commands;
    hm_handle chosen[RUN];
    start(&self, NULL, ENTITIES);
    CHECK(hm_commands_init(&commands, &self.world, NULL) == HM_OK);
    hm_world_place first = *hm_world_place_of(&self.world, self.entities[0]);
    for (uint32_t k = 0; k < RUN; k++) {
        uint32_t i = 0;
        hm_world_place place = first;
        while ((place.chunk != first.chunk) != (k % 2 != 0) || place.row != first.row + k) {
            CHECK(++i < ENTITIES);
            place = *hm_world_place_of(&self.world, self.entities[i]);
        }
        chosen[k] = self.entities[i];
        CHECK(hm_commands_add(&commands, chosen[k], self.tag, NULL) == HM_OK);
    }
    CHECK(hm_commands_apply(&commands) == HM_OK);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        bool is_chosen = false;
        for (uint32_t k = 0; k < RUN; k++)
            is_chosen = is_chosen || hm_handle_equal(self.entities[i], chosen[k]);
        CHECK(hm_world_has(&self.world, self.entities[i], self.tag) == is_chosen);
    }
    hm_commands_fini(&commands);
    finish_world(&self.world);
}
