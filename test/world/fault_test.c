/* SPDX-License-Identifier: MIT */
/* Refused memory: for every operation that can reach the memory table, the k-th call is refused,
 * for every k, once and from then on. The operation then fails without a visible change, or did not
 * need what was refused; and once there is memory again it succeeds. */
#include "support/layout.h"
#include "support/memory.h"
#include "support/world.h"

enum { CAPACITY = 40000, BATCH = 3000, COMPONENTS = 6, TAGS = 10, COPIES = 300 };

typedef struct copy {
    hm_handle entity;
    bool has[COMPONENTS];
    unsigned char values[COMPONENTS][8];
} copy;

typedef struct scene {
    test_memory memory;
    hm_world world;
    hm_component components[COMPONENTS]; /* two of int, a tag, two sparse ones, one with a hook */
    hm_component tags[TAGS];
    hm_handle entity;   /* has the first two */
    uint32_t destroyed; /* calls of the hook */
    uint32_t destroyed_before;
    uint32_t archetype_count, count;
    copy copies[COPIES]; /* of some entities */
} scene;

static scene stage; /* too large for the stack */

static void count_destroyed(void *value, void *context)
{
    scene *on = context;
    (void)value;
    if (on->destroyed++ % 512 == 0)
        CHECK(hm_world_validate(&on->world) == HM_OK);
}

static hm_component make_numbered(scene *on, uint32_t c)
{
    const hm_component_desc descs[COMPONENTS] = {
        {.size = 4},
        {.size = 8},
        {.size = 0},
        {.size = 4, .storage = HM_COMPONENT_SPARSE},
        {.size = 8, .storage = HM_COMPONENT_SPARSE},
        {.size = 8, .destroy = count_destroyed, .context = on},
    };
    return hm_world_component(&on->world, &descs[c]);
}

static hm_world_desc describe(scene *on, size_t page_size)
{
    test_memory_init(&on->memory, test_page_size(page_size));
    return (hm_world_desc){.capacity = CAPACITY, .max_size = 1 << 26, .memory = &on->memory.table};
}

static void start(scene *on, size_t page_size)
{
    hm_world_desc desc = describe(on, page_size);
    CHECK(hm_world_init(&on->world, &desc) == HM_OK);
    on->destroyed = 0;
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        on->components[c] = make_numbered(on, c);
        CHECK(on->components[c] != HM_INVALID_INDEX);
    }
    for (uint32_t i = 0; i < TAGS; i++)
        on->tags[i] = make_tag(&on->world);
    on->entity = hm_world_create(&on->world, on->components, 2);
    test_item_fill(hm_world_get(&on->world, on->entity, on->components[0]), 4, 5);
    test_item_fill(hm_world_get(&on->world, on->entity, on->components[1]), 8, 6);
}

static void finish_scene(scene *on)
{
    hm_world_fini(&on->world);
    test_memory_check_released(&on->memory);
}

static size_t size_of(uint32_t c)
{
    return c == 2 ? 0 : c == 0 || c == 3 ? 4 : 8;
}

static copy copy_of(const scene *on, hm_handle entity)
{
    copy made = {.entity = entity};
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        const void *value = hm_world_get(&on->world, entity, on->components[c]);
        made.has[c] = hm_world_has(&on->world, entity, on->components[c]);
        CHECK((value != NULL) == (made.has[c] && size_of(c) != 0));
        if (value != NULL)
            memcpy(made.values[c], value, size_of(c));
    }
    return made;
}

/* Entities from the whole world, the first one among them. */
static hm_handle copied(const scene *on, uint32_t i)
{
    return hm_world_handle_at(&on->world, on->count <= COPIES ? i : on->count / COPIES * i);
}

static void remember(scene *on)
{
    on->count = hm_world_count(&on->world);
    on->archetype_count = hm_world_archetype_count(&on->world);
    on->destroyed_before = on->destroyed;
    for (uint32_t i = 0; i < COPIES && i < on->count; i++)
        on->copies[i] = copy_of(on, copied(on, i));
}

static void check_unchanged(const scene *on)
{
    CHECK(hm_world_validate(&on->world) == HM_OK);
    CHECK(hm_world_count(&on->world) == on->count && on->destroyed == on->destroyed_before);
    for (uint32_t i = 0; i < COPIES && i < on->count; i++) {
        copy now = copy_of(on, copied(on, i));
        CHECK(memcmp(&now, &on->copies[i], sizeof now) == 0);
    }
    CHECK(hm_world_get_stats(&on->world).committed_size == on->memory.committed_size);
}

/* The states in which an operation starts. */

static void stand_small(scene *on)
{
    (void)on;
}

/* All chunks that are committed are used up: small ones by archetypes with one entity, whose sets
 * differ in tags, and large ones before. */
static void stand_at_the_edge(scene *on)
{
    hm_component set[TAGS];
    CHECK(hm_world_reserve(&on->world, CAPACITY / 2) == HM_OK);
    test_memory_fail(&on->memory, 1, true);
    while (!hm_handle_is_null(hm_world_create(&on->world, on->components, 1)))
        ;
    bool has_made = true;
    for (uint32_t tags = 1; has_made && tags < 1U << TAGS; tags++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < TAGS; i++)
            if ((tags >> i & 1) != 0)
                set[n++] = on->tags[i];
        has_made = !hm_handle_is_null(hm_world_create(&on->world, set, n));
    }
    CHECK(!has_made);
    test_memory_fail(&on->memory, 0, false);
}

/* And so are all entries of the index space. */
static void stand_at_the_end(scene *on)
{
    test_memory_fail(&on->memory, 1, true);
    while (!hm_handle_is_null(hm_world_create(&on->world, NULL, 0)))
        ;
    test_memory_fail(&on->memory, 0, false);
}

/* An entity has changed, which is remembered; and there is no chunk for more rows like it. */
static void stand_without_chunks(scene *on)
{
    uint32_t chunk;
    hm_handle other = hm_world_create(&on->world, on->components, 2);
    CHECK(hm_world_change(&on->world, other, on->components + 2, 1, on->components, 1) == HM_OK);
    test_memory_fail(&on->memory, 1, true);
    for (uint32_t level = 0; level < HM_WORLD_CLASSES; level++)
        while (hm_world_store_take(&on->world.store, level, &chunk) == HM_OK)
            ;
    while (!hm_handle_is_null(hm_world_create(&on->world, on->components + 1, 2)))
        ;
    test_memory_fail(&on->memory, 0, false);
}

static void stand_trimmed(scene *on)
{
    hm_handle many[BATCH];
    CHECK(hm_world_create_n(&on->world, on->components + 1, 4, BATCH, NULL, many) == HM_OK);
    CHECK(hm_world_destroy_n(&on->world, many, BATCH) == BATCH);
    CHECK(hm_world_trim(&on->world) == HM_OK);
}

/* A large archetype is empty, and could be dropped. */
static void stand_in_ruins(scene *on)
{
    hm_handle many[BATCH];
    CHECK(hm_world_create_n(&on->world, on->components, 5, 20, NULL, NULL) == HM_OK);
    CHECK(hm_world_create_n(&on->world, on->components + 1, 5, BATCH, NULL, many) == HM_OK);
    CHECK(hm_world_destroy_n(&on->world, many, BATCH) == BATCH);
    on->destroyed = 0;
}

/* The operations. Each returns whether it succeeded. */

static bool succeeded(hm_status status)
{
    CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
    return status == HM_OK;
}

static bool run_create(scene *on)
{
    return !hm_handle_is_null(hm_world_create(&on->world, on->components, COMPONENTS));
}

static bool run_create_without_components(scene *on)
{
    return !hm_handle_is_null(hm_world_create(&on->world, NULL, 0));
}

static bool run_create_sparse(scene *on)
{
    return !hm_handle_is_null(hm_world_create(&on->world, on->components + 3, 2));
}

static bool run_create_n(scene *on)
{
    return succeeded(
        hm_world_create_n(&on->world, on->components + 1, COMPONENTS - 1, BATCH, NULL, NULL));
}

static bool run_add(scene *on)
{
    const uint64_t value = 77;
    return succeeded(hm_world_add(&on->world, on->entity, on->components[5], &value));
}

static bool run_add_tag(scene *on)
{
    return succeeded(hm_world_add(&on->world, on->entity, on->components[2], NULL));
}

static bool run_add_sparse(scene *on)
{
    const uint64_t value = 77;
    return succeeded(hm_world_add(&on->world, on->entity, on->components[4], &value));
}

static bool run_remove(scene *on)
{
    return succeeded(hm_world_remove(&on->world, on->entity, on->components[0]));
}

static bool run_change(scene *on)
{
    const hm_component more[] = {on->components[5], on->components[4], on->components[3],
                                 on->components[1]};
    return succeeded(hm_world_change(&on->world, on->entity, more, 4, on->components, 1));
}

static bool run_remove_all(scene *on)
{
    return succeeded(hm_world_remove_all(&on->world, on->entity));
}

static bool run_change_again(scene *on)
{
    return succeeded(
        hm_world_change(&on->world, on->entity, on->components + 2, 1, on->components, 1));
}

static bool run_sparse_component(scene *on)
{
    return make_numbered(on, 4) != HM_INVALID_INDEX;
}

static bool run_reserve(scene *on)
{
    return succeeded(hm_world_reserve(&on->world, 10000));
}

static bool run_trim(scene *on)
{
    return succeeded(hm_world_trim(&on->world));
}

typedef struct operation {
    void (*stand)(scene *on);
    bool (*run)(scene *on);
} operation;

static bool create_more(scene *on)
{
    return !hm_handle_is_null(hm_world_create(&on->world, on->components + 1, 4)) &&
           hm_world_destroy(&on->world, on->entity);
}

/* Refuses the k-th call. Returns whether it was reached. */
static bool refuse(scene *on, size_t page_size, operation what, uint32_t k, bool and_later)
{
    start(on, page_size);
    what.stand(on);
    remember(on);
    test_memory_fail(&on->memory, k, and_later);
    bool has_succeeded = what.run(on);
    bool reached = on->memory.calls >= k;
    if (!has_succeeded) {
        CHECK(reached);
        check_unchanged(on);
        if (and_later)
            CHECK(!what.run(on));
        check_unchanged(on);
        test_memory_fail(&on->memory, 0, false);
        CHECK(what.run(on));
    }
    CHECK(hm_world_validate(&on->world) == HM_OK);
    test_memory_fail(&on->memory, 0, false);
    CHECK(create_more(on) && hm_world_validate(&on->world) == HM_OK);
    finish_scene(on);
    return reached;
}

/* There must be at least one call to refuse, or the operation was not tested. */
static void refuse_every_call(const operation *operations, size_t count)
{
    const size_t pages[] = {hm_memory_os()->page_size, 65536};
    for (size_t i = 0; i < 2 * count; i++) {
        uint32_t k = 1;
        for (; refuse(&stage, pages[i % 2], operations[i / 2], k, false); k++)
            refuse(&stage, pages[i % 2], operations[i / 2], k, true);
        CHECK(k > 1);
    }
}

TEST(world_fault, init_refused_leaves_a_zeroed_world)
{
    static const hm_world zero;
    hm_status status = HM_ERROR_MEMORY;
    uint32_t k = 1;
    for (; status != HM_OK; k++) {
        hm_world_desc desc = describe(&stage, 65536);
        test_memory_fail(&stage.memory, k, k % 2 == 0);
        memset(&stage.world, 0x5A, sizeof stage.world);
        status = hm_world_init(&stage.world, &desc);
        CHECK((status == HM_OK) == (stage.memory.calls < k));
        CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
        if (status == HM_OK)
            hm_world_fini(&stage.world);
        CHECK(memcmp(&stage.world, &zero, sizeof zero) == 0);
        test_memory_check_released(&stage.memory);
    }
    CHECK(k > 12); /* twelve reservations, and some commits */
}

TEST(world_fault, create_refused_changes_nothing)
{
    static const operation operations[] = {
        {stand_small, run_create},
        {stand_trimmed, run_create},
        {stand_at_the_edge, run_create},
        {stand_at_the_end, run_create_without_components},
        {stand_at_the_end, run_create_sparse},
        {stand_trimmed, run_create_sparse},
    };
    refuse_every_call(operations, sizeof operations / sizeof *operations);
}

TEST(world_fault, create_n_refused_changes_nothing)
{
    static const operation operations[] = {
        {stand_small, run_create_n},
        {stand_trimmed, run_create_n},
        {stand_at_the_edge, run_create_n},
    };
    refuse_every_call(operations, sizeof operations / sizeof *operations);
}

TEST(world_fault, add_remove_and_change_refused_move_nothing)
{
    static const operation operations[] = {
        {stand_at_the_edge, run_add},
        {stand_at_the_edge, run_add_tag},
        {stand_small, run_add_sparse},
        {stand_trimmed, run_add_sparse},
        {stand_at_the_edge, run_remove},
        {stand_small, run_change},
        {stand_trimmed, run_change},
        {stand_at_the_edge, run_change},
        {stand_without_chunks, run_remove_all},
        {stand_without_chunks, run_change_again},
    };
    refuse_every_call(operations, sizeof operations / sizeof *operations);
}

TEST(world_fault, component_reserve_and_trim_refused_change_nothing)
{
    static const operation operations[] = {
        {stand_small, run_sparse_component},
        {stand_at_the_end, run_reserve},
        {stand_trimmed, run_reserve},
        {stand_in_ruins, run_trim},
    };
    refuse_every_call(operations, sizeof operations / sizeof *operations);
}

TEST(world_fault, a_component_refused_makes_none)
{
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        uint32_t k = 0;
        bool is_made = false;
        while (!is_made) {
            hm_world_desc desc = describe(&stage, 65536);
            CHECK(hm_world_init(&stage.world, &desc) == HM_OK);
            k++;
            test_memory_fail(&stage.memory, k, k % 2 == 0);
            is_made = make_numbered(&stage, c) != HM_INVALID_INDEX;
            CHECK(is_made == (stage.memory.calls < k));
            test_memory_fail(&stage.memory, 0, false);
            CHECK(stage.world.component_count == is_made);
            CHECK(make_numbered(&stage, c) != HM_INVALID_INDEX);
            CHECK(hm_world_validate(&stage.world) == HM_OK);
            CHECK(hm_world_get_stats(&stage.world).committed_size == stage.memory.committed_size);
            finish_scene(&stage);
        }
        CHECK(k > 1);
    }
}

/* The way to another archetype is cached where there is memory for it, and searched where not. */
TEST(world_fault, a_way_that_cannot_be_cached_is_found_again)
{
    scene *on = &stage;
    start(on, 65536);
    for (int i = 0; i < 100; i++)
        make_tag(&on->world); /* So the cells of the root archetype do not reach the last one. */
    hm_component last = make_tag(&on->world);
    CHECK(!hm_handle_is_null(hm_world_create(&on->world, &last, 1)));
    stand_at_the_edge(on);
    hm_handle entity = hm_world_create(&on->world, NULL, 0);
    uint32_t taken = 0, chunk; /* The pieces of the next class are used up too. */
    test_memory_fail(&on->memory, 1, true);
    while (hm_world_store_take(&on->world.store, 1, &chunk) == HM_OK)
        taken++;
    CHECK(hm_world_add(&on->world, entity, last, NULL) == HM_OK);
    CHECK(hm_world_remove(&on->world, entity, last) == HM_OK);
    CHECK(on->world.archetypes[HM_WORLD_ROOT].span <= 100 &&
          hm_world_validate(&on->world) == HM_OK);
    test_memory_fail(&on->memory, 0, false);
    CHECK(hm_world_add(&on->world, entity, last, NULL) == HM_OK);
    CHECK(on->world.archetypes[HM_WORLD_ROOT].span > 100 && hm_world_has(&on->world, entity, last));
    CHECK(hm_world_validate(&on->world) == HM_OK && taken < 100);
    finish_scene(on);
}

/* Makes or finds the archetype of the tags whose bits are set. */
static void make_archetype(hm_world *world, const hm_component *tags, uint32_t bits)
{
    hm_component set[32];
    uint32_t n = 0;
    for (uint32_t i = 0; i < 32; i++)
        if ((bits >> i & 1) != 0)
            set[n++] = tags[i];
    CHECK(hm_world_create_n(world, set, n, 0, NULL, NULL) == HM_OK);
}

/* As many archetypes as there are buckets, of which all that have memory are in use. */
TEST(world_fault, archetypes_are_found_where_there_is_no_memory_for_more_buckets)
{
    enum { MANY_TAGS = 15 };
    hm_component tags[MANY_TAGS];
    hm_world_desc desc = describe(&stage, 65536);
    hm_world *world = &stage.world;
    desc.max_archetypes = 1 << MANY_TAGS;
    CHECK(hm_world_init(world, &desc) == HM_OK);
    for (uint32_t i = 0; i < MANY_TAGS; i++)
        tags[i] = make_tag(world);
    uint32_t last = (uint32_t)world->bucket_array.limit, pieces[2];
    CHECK(2 * last <= desc.max_archetypes);
    for (uint32_t bits = 1; bits < last; bits++)
        make_archetype(world, tags, bits);
    CHECK(world->bucket_array.count == last && world->archetype_count == last - 1);
    for (int i = 0; i < 2; i++) /* What the last archetype needs is there. */
        CHECK(hm_world_store_take(&world->store, 0, &pieces[i]) == HM_OK);
    for (int i = 0; i < 2; i++)
        hm_world_store_give(&world->store, pieces[i]);
    CHECK(hm_array_commit(&world->archetype_array, (size_t)last + 1, false) == HM_OK);
    test_memory_fail(&stage.memory, 1, true);
    make_archetype(world, tags, last);
    CHECK(test_memory_refused(&stage.memory) && world->bucket_array.count == last);
    for (uint32_t bits = 1; bits <= last; bits++)
        make_archetype(world, tags, bits);
    CHECK(world->archetype_count == last);
    test_memory_fail(&stage.memory, 0, false);
    make_archetype(world, tags, last + 1);
    CHECK(world->bucket_array.count == 2 * (size_t)last);
    for (uint32_t bits = 1; bits <= last + 1; bits++)
        make_archetype(world, tags, bits);
    CHECK(world->archetype_count == last + 1);
    finish_scene(&stage);
}

/* Destroy, clear, replace, remove a sparse value: they ask for no memory. Defragment does, and
 * waits for it. */
TEST(world_fault, what_adds_nothing_succeeds_without_memory)
{
    static const hm_order order = {.key = int_key};
    start(&stage, 65536);
    scene *on = &stage;
    stand_in_ruins(on);
    CHECK(run_add_sparse(on) && run_add(on));
    test_memory_fail(&on->memory, 1, true);
    CHECK(run_add(on) && run_add_sparse(on) && on->destroyed == 1);
    CHECK(hm_world_remove(&on->world, on->entity, on->components[4]) == HM_OK);
    CHECK(hm_world_change(&on->world, on->entity, on->components, 1, on->components + 2, 1) ==
          HM_OK);
    CHECK(hm_world_destroy(&on->world, hm_world_handle_at(&on->world, 3)));
    CHECK(on->memory.calls == 0);
    hm_progress waits = hm_world_defragment(&on->world, on->components[0], &order, NULL);
    test_memory_follow(&on->memory, waits);
    CHECK(!waits.done && on->memory.fail_at == 0);
    while (!hm_world_defragment(&on->world, on->components[0], &order, NULL).done)
        ;
    test_memory_fail(&on->memory, 1, true);
    CHECK(hm_world_validate(&on->world) == HM_OK);
    CHECK(hm_world_destroy(&on->world, on->entity) && on->destroyed == 2);
    hm_world_clear(&on->world);
    CHECK(run_create_without_components(on) && hm_world_validate(&on->world) == HM_OK);
    test_memory_fail(&on->memory, 0, false);
    finish_scene(on);
}
