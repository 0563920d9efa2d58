/* SPDX-License-Identifier: MIT */
/* Refused memory, as matrix/fault.h has it: worlds. */
#include "matrix/fault.h"

#include "support/world.h"

enum { CAPACITY = 40000, MANY = 3000 };

/* The ways; after the second, operations are not refused in all of them. */
enum { UNBOUNDED = 1, BARE = 2 /* without components */, SMALL = 3 /* pages of 64 bytes */ };

static const test_layout one_layout = {.page_size = 65536, .item_size = 1, .item_align = 1};

static void count_destroyed(void *value, void *context)
{
    scene *on = context;
    (void)value;
    if (on->destroyed++ % 512 == 0)
        CHECK(hm_world_validate(&on->in.world) == HM_OK);
}

/* Two in archetypes, a tag, two sparse ones, and one with a hook. */
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
    return hm_world_component(&on->in.world, &descs[c]);
}

static size_t size_of(uint32_t c)
{
    return c == 2 ? 0 : c == 0 || c == 3 ? 4 : 8;
}

/* With an entity that has the first two components. */
static hm_status world_init(scene *on)
{
    hm_world *world = &on->in.world;
    test_memory_use(on->way == SMALL ? hm_memory_heap() : NULL);
    test_memory_init(&on->memory, test_page_size(on->layout.page_size));
    test_memory_use(NULL);
    hm_world_desc desc = {.capacity = CAPACITY,
                          .max_archetypes = 1 << 15,
                          .max_size = 1 << 26,
                          .type_id = TYPE,
                          .memory = &on->memory.table};
    if (on->way == UNBOUNDED)
        desc.capacity = 0, desc.max_size = 0;
    CHECK(hm_world_init(world, &desc) == HM_OK);
    if (on->way == BARE)
        return HM_OK;
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        on->components[c] = make_numbered(on, c);
        CHECK(on->components[c] != HM_INVALID_INDEX);
    }
    for (uint32_t i = 0; i < TAGS; i++)
        on->tags[i] = make_tag(world);
    on->list = hm_world_create(world, on->components, 2);
    test_item_fill(hm_world_get(world, on->list, on->components[0]), 4, 5);
    test_item_fill(hm_world_get(world, on->list, on->components[1]), 8, 6);
    return HM_OK;
}

COMMON(world)
STATES(world)

static bool world_add(scene *on)
{
    return !hm_handle_is_null(hm_world_create(&on->in.world, on->components + 1, 4));
}

static void world_erase(scene *on, uint32_t position)
{
    CHECK(hm_world_destroy(&on->in.world, hm_world_handle_at(&on->in.world, position)));
}

/* A large archetype is empty, and could be dropped. */
static void world_ruin(scene *on)
{
    hm_handle many[MANY];
    hm_world *world = &on->in.world;
    CHECK(hm_world_create_n(world, on->components, 5, 20, NULL, NULL) == HM_OK);
    CHECK(hm_world_create_n(world, on->components + 1, 5, MANY, NULL, many) == HM_OK);
    CHECK(hm_world_destroy_n(world, many, MANY) == MANY);
    on->destroyed = 0;
}

static picture world_look(const scene *on)
{
    const hm_world *world = &on->in.world;
    picture seen = world_states(on);
    CHECK(world->store.base_array.count <= world->store.base_array.capacity);
    mix(&seen.contents, on->destroyed);
    for (uint32_t i = 0; i < seen.count; i++) {
        hm_handle entity = hm_world_handle_at(world, i);
        mix(&seen.contents, entity.bits);
        for (uint32_t c = 0; c < COMPONENTS; c++) {
            uint64_t bytes = 0;
            const void *value = hm_world_get(world, entity, on->components[c]);
            bool has = hm_world_has(world, entity, on->components[c]);
            CHECK((value != NULL) == (has && size_of(c) != 0));
            if (value != NULL)
                memcpy(&bytes, value, size_of(c));
            mix(&seen.contents, bytes + has);
        }
    }
    return seen;
}

static const kind world_kind = {DESCRIBED(world, 2), .unbounded = UNBOUNDED, .edge = 1,
                                .only_one_size = true, .trim_drops = true};

/* The states in which an operation starts. */

/* All chunks that are committed are used up: small ones by archetypes with one entity, whose sets
 * differ in tags, and large ones before. */
static void stand_without_small_chunks(scene *on)
{
    hm_component set[TAGS];
    CHECK(hm_world_reserve(&on->in.world, CAPACITY / 2) == HM_OK);
    test_memory_fail(&on->memory, 1, true);
    while (!hm_handle_is_null(hm_world_create(&on->in.world, on->components, 1)))
        ;
    bool has_made = true;
    for (uint32_t tags = 1; has_made && tags < 1U << TAGS; tags++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < TAGS; i++)
            if ((tags >> i & 1) != 0)
                set[n++] = on->tags[i];
        has_made = !hm_handle_is_null(hm_world_create(&on->in.world, set, n));
    }
    CHECK(!has_made);
    test_memory_fail(&on->memory, 0, false);
}

/* And so are all entries of the index space. */
static void stand_at_the_end(scene *on)
{
    test_memory_fail(&on->memory, 1, true);
    while (!hm_handle_is_null(hm_world_create(&on->in.world, NULL, 0)))
        ;
    test_memory_fail(&on->memory, 0, false);
}

/* An entity has changed, which is remembered; and there is no chunk for more rows like it. */
static void stand_without_chunks(scene *on)
{
    uint32_t chunk;
    hm_handle other = hm_world_create(&on->in.world, on->components, 2);
    CHECK(hm_world_change(&on->in.world, other, on->components + 2, 1, on->components, 1) == HM_OK);
    test_memory_fail(&on->memory, 1, true);
    for (uint32_t level = 0; level < HM_WORLD_CLASSES; level++)
        while (hm_world_store_take(&on->in.world, level, &chunk) == HM_OK)
            ;
    while (!hm_handle_is_null(hm_world_create(&on->in.world, on->components + 1, 2)))
        ;
    test_memory_fail(&on->memory, 0, false);
}

/* There is no block for a chunk, and the next one begins a region. Without a capacity, the array of
 * the regions is full. */
static void stand_before_a_region(scene *on)
{
    const hm_world_store *store = &on->in.world.store;
    uint32_t chunk;
    while (store->record_array.count < 8)
        CHECK(hm_world_store_take(&on->in.world, HM_WORLD_CLASSES - 1, &chunk) == HM_OK);
    CHECK(store->base_array.count == 4);
    CHECK(on->way != UNBOUNDED || store->base_array.capacity == 4);
}

static void stand_trimmed_empty(scene *on)
{
    hm_handle many[MANY];
    CHECK(hm_world_create_n(&on->in.world, on->components + 1, 4, MANY, NULL, many) == HM_OK);
    CHECK(hm_world_destroy_n(&on->in.world, many, MANY) == MANY);
    CHECK(hm_world_trim(&on->in.world) == HM_OK);
}

/* The operations. Each returns whether it succeeded. */

static bool run_create(scene *on)
{
    return !hm_handle_is_null(hm_world_create(&on->in.world, on->components, COMPONENTS));
}

static bool run_create_without_components(scene *on)
{
    return !hm_handle_is_null(hm_world_create(&on->in.world, NULL, 0));
}

static bool run_create_sparse(scene *on)
{
    return !hm_handle_is_null(hm_world_create(&on->in.world, on->components + 3, 2));
}

static bool run_create_n(scene *on)
{
    return succeeds(
        hm_world_create_n(&on->in.world, on->components + 1, COMPONENTS - 1, MANY, NULL, NULL));
}

static bool run_add(scene *on)
{
    const uint64_t value = 77;
    return succeeds(hm_world_add(&on->in.world, on->list, on->components[5], &value));
}

static bool run_add_tag(scene *on)
{
    return succeeds(hm_world_add(&on->in.world, on->list, on->components[2], NULL));
}

static bool run_add_sparse(scene *on)
{
    const uint64_t value = 77;
    return succeeds(hm_world_add(&on->in.world, on->list, on->components[4], &value));
}

static bool run_remove(scene *on)
{
    return succeeds(hm_world_remove(&on->in.world, on->list, on->components[0], NULL));
}

static bool run_change(scene *on)
{
    const hm_component more[] = {on->components[5], on->components[4], on->components[3],
                                 on->components[1]};
    return succeeds(hm_world_change(&on->in.world, on->list, more, 4, on->components, 1));
}

static bool run_remove_all(scene *on)
{
    return succeeds(hm_world_remove_all(&on->in.world, on->list));
}

static bool run_change_again(scene *on)
{
    return succeeds(
        hm_world_change(&on->in.world, on->list, on->components + 2, 1, on->components, 1));
}

static bool run_sparse_component(scene *on)
{
    return make_numbered(on, 4) != HM_INVALID_INDEX;
}

static bool world_large_reserve(scene *on)
{
    return succeeds(hm_world_reserve(&on->in.world, 10000));
}

REFUSED(world, create, {stand_empty, run_create, 0}, {stand_trimmed_empty, run_create, 0},
        {stand_without_small_chunks, run_create, 0},
        {stand_at_the_end, run_create_without_components, 0},
        {stand_at_the_end, run_create_sparse, 0}, {stand_trimmed_empty, run_create_sparse, 0})
REFUSED(world, create_n, {stand_empty, run_create_n, 0}, {stand_trimmed_empty, run_create_n, 0},
        {stand_without_small_chunks, run_create_n, 0}, {stand_before_a_region, run_create_n, 0})
REFUSED(world, add, {stand_without_small_chunks, run_add, 0},
        {stand_without_small_chunks, run_add_tag, 0}, {stand_empty, run_add_sparse, 0},
        {stand_trimmed_empty, run_add_sparse, 0})
REFUSED(world, remove, {stand_without_small_chunks, run_remove, 0},
        {stand_without_chunks, run_remove_all, 0})
REFUSED(world, change, {stand_empty, run_change, 0}, {stand_trimmed_empty, run_change, 0},
        {stand_without_small_chunks, run_change, 0}, {stand_without_chunks, run_change_again, 0})
REFUSED(world, component, {stand_empty, run_sparse_component, 0})
REFUSED(world, reserve, {stand_at_the_end, world_large_reserve, 0},
        {stand_trimmed_empty, world_large_reserve, 0})
REFUSED(world, trim, {stand_in_ruins, world_trim, 0})

/* The list of the chunks of the archetype that is being ordered, in a world with small pages. */

enum { ROWS = 400 }; /* in more chunks than the list has space for at first */

static hm_component large; /* few of its values fill a chunk */

static void check_list_of_chunks(const scene *on)
{
    const hm_world *world = &on->in.world;
    uint32_t chunk = HM_WORLD_NONE;
    if (world->order_archetype != HM_WORLD_NONE)
        chunk = world->archetypes[world->order_archetype].first;
    for (; chunk != HM_WORLD_NONE; chunk = hm_world_link_of(world, chunk)->next) {
        const uint32_t *at =
            hm_world_order_of(world)->chunks + hm_world_link_of(world, chunk)->ordinal;
        test_memory_check_committed(&on->memory, at, sizeof *at);
        CHECK(*at == chunk);
    }
}

static bool run_order(scene *on)
{
    static const hm_order order = {.key = int_key};
    hm_progress progress = hm_world_defragment(&on->in.world, large, &order, NULL);
    CHECK(progress.done == (progress.status == HM_OK));
    CHECK(!progress.done || world_is_in_order(&on->in.world, large, int_key, NULL));
    check_list_of_chunks(on);
    return succeeds(progress.status);
}

/* Where nothing is refused any more, the archetype that has grown is put in order. */
static bool run_grow(scene *on)
{
    bool done = succeeds(hm_world_create_n(&on->in.world, &large, 1, ROWS, NULL, NULL));
    check_list_of_chunks(on);
    CHECK(on->memory.fail_at != 0 || (done && run_order(on)));
    return done;
}

/* It has one chunk. */
static void make_large_archetype(scene *on)
{
    large = hm_world_component(&on->in.world, &(hm_component_desc){.size = 12000});
    CHECK(hm_world_create_n(&on->in.world, &large, 1, 0, NULL, NULL) == HM_OK);
}

/* Another archetype, which is ordered later, has many. */
static void stand_before_an_order(scene *on)
{
    hm_handle entities[ROWS];
    make_large_archetype(on);
    const hm_component both[] = {large, on->components[2]};
    CHECK(hm_world_create_n(&on->in.world, both, 2, ROWS, NULL, entities) == HM_OK);
    for (int i = 0; i < ROWS; i++)
        *(int *)hm_world_get(&on->in.world, entities[i], large) = ROWS - i;
}

/* The list has no space for another chunk. */
static void stand_in_order(scene *on)
{
    make_large_archetype(on);
    CHECK(run_order(on));
    hm_array *list = on->in.world.order;
    list->limit = list->capacity = list->committed_size / sizeof(uint32_t);
}

static void stand_in_order_with_many_chunks(scene *on)
{
    stand_before_an_order(on);
    CHECK(run_order(on));
}

TEST(world_fault, an_order_waits_for_the_list_of_its_chunks)
{
    static const operation operations[] = {{stand_before_an_order, run_order, 0},
                                           {stand_in_order, run_grow, 0},
                                           {stand_in_order_with_many_chunks, world_trim, 0}};
    stage.kind = &world_kind;
    stage.layout = one_layout;
    stage.way = SMALL;
    for (uint32_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        uint32_t k = 1;
        for (; refuse(&stage, operations[i], k, false); k = test_next_call(k))
            refuse(&stage, operations[i], k, true);
        CHECK(k > 1);
    }
}

TEST(world_fault, a_component_refused_makes_none)
{
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        uint32_t k = 0;
        bool is_made = false;
        while (!is_made) {
            start(&stage, &world_kind, one_layout, BARE);
            k++;
            test_memory_fail(&stage.memory, k, k % 2 == 0);
            is_made = make_numbered(&stage, c) != HM_INVALID_INDEX;
            CHECK(is_made == (stage.memory.calls < k));
            test_memory_fail(&stage.memory, 0, false);
            CHECK(stage.in.world.component_count == is_made);
            CHECK(make_numbered(&stage, c) != HM_INVALID_INDEX);
            CHECK(hm_world_validate(&stage.in.world) == HM_OK);
            CHECK(hm_world_get_stats(&stage.in.world).committed_size ==
                  stage.memory.committed_size);
            finish(&stage);
        }
        CHECK(k > 1);
    }
}

/* The way to another archetype is cached where there is memory for it, and searched where not. */
TEST(world_fault, a_way_that_cannot_be_cached_is_found_again)
{
    scene *on = &stage;
    start(on, &world_kind, one_layout, 0);
    for (int i = 0; i < 100; i++)
        make_tag(&on->in.world); /* So the cells of the root archetype do not reach the last one. */
    hm_component last = make_tag(&on->in.world);
    CHECK(!hm_handle_is_null(hm_world_create(&on->in.world, &last, 1)));
    stand_without_small_chunks(on);
    hm_handle entity = hm_world_create(&on->in.world, NULL, 0);
    uint32_t taken = 0, chunk; /* The chunks of the next class are used up too. */
    test_memory_fail(&on->memory, 1, true);
    while (hm_world_store_take(&on->in.world, 1, &chunk) == HM_OK)
        taken++;
    CHECK(hm_world_add(&on->in.world, entity, last, NULL) == HM_OK);
    CHECK(hm_world_remove(&on->in.world, entity, last, NULL) == HM_OK);
    CHECK(on->in.world.archetypes[HM_WORLD_ROOT].cell_count <= 100 &&
          hm_world_validate(&on->in.world) == HM_OK);
    test_memory_fail(&on->memory, 0, false);
    CHECK(hm_world_add(&on->in.world, entity, last, NULL) == HM_OK);
    CHECK(on->in.world.archetypes[HM_WORLD_ROOT].cell_count > 100 &&
          hm_world_has(&on->in.world, entity, last));
    CHECK(hm_world_validate(&on->in.world) == HM_OK && taken < 100);
    finish(on);
}

/* Makes or finds the archetype of the tags whose bits are set. */
static hm_status make_set(hm_world *world, const hm_component *tags, uint32_t bits)
{
    hm_component set[32];
    uint32_t n = 0;
    for (uint32_t i = 0; i < 32; i++)
        if ((bits >> i & 1) != 0)
            set[n++] = tags[i];
    return hm_world_create_n(world, set, n, 0, NULL, NULL);
}

static void make_archetype(hm_world *world, const hm_component *tags, uint32_t bits)
{
    CHECK(make_set(world, tags, bits) == HM_OK);
}

/* As many archetypes as there are buckets, of which all that have memory are in use. */
TEST(world_fault, archetypes_are_found_where_there_is_no_memory_for_more_buckets)
{
    enum { MANY_TAGS = 15 };
    hm_component tags[MANY_TAGS];
    hm_world *world = &stage.in.world;
    start(&stage, &world_kind, one_layout, BARE);
    for (uint32_t i = 0; i < MANY_TAGS; i++)
        tags[i] = make_tag(world);
    const hm_array *buckets = &world->bucket_array;
    uint32_t last = world->bucket_mask + 1, chunks[2];
    while (HM_WORLD_BUCKETS_BEGIN + 2 * (size_t)last <= buckets->limit)
        last *= 2;
    CHECK(2 * last <= 1 << MANY_TAGS);
    for (uint32_t bits = 1; bits < last; bits++)
        make_archetype(world, tags, bits);
    CHECK(world->bucket_mask == last - 1 && world->archetype_count == last - 1);
    for (int i = 0; i < 2; i++) /* What the last archetype needs is there. */
        CHECK(hm_world_store_take(world, 0, &chunks[i]) == HM_OK);
    for (int i = 0; i < 2; i++)
        hm_world_store_give(&world->store, chunks[i]);
    CHECK(hm_world_widen(world, &world->archetype_array, sizeof(hm_world_archetype),
                         (size_t)last + 1) == HM_OK);
    CHECK(hm_array_commit(&world->archetype_array, (size_t)last + 1, false) == HM_OK);
    test_memory_fail(&stage.memory, 1, true);
    make_archetype(world, tags, last);
    CHECK(test_memory_refused(&stage.memory) && world->bucket_mask == last - 1);
    for (uint32_t bits = 1; bits <= last; bits++)
        make_archetype(world, tags, bits);
    CHECK(world->archetype_count == last);
    test_memory_fail(&stage.memory, 0, false);
    make_archetype(world, tags, last + 1);
    CHECK(world->bucket_mask == 2 * last - 1);
    for (uint32_t bits = 1; bits <= last + 1; bits++)
        make_archetype(world, tags, bits);
    CHECK(world->archetype_count == last + 1);
    finish(&stage);
}

TEST(world_fault, without_a_capacity_archetypes_are_found_where_buckets_cannot_move)
{
    enum { MANY_TAGS = 10, SETS = 1 << MANY_TAGS };
    hm_component tags[MANY_TAGS];
    hm_world *world = &stage.in.world;
    uint32_t without_buckets = 0;
    start(&stage, &world_kind, one_layout, UNBOUNDED);
    uint32_t before = world->archetype_count;
    for (uint32_t i = 0; i < MANY_TAGS; i++)
        tags[i] = make_tag(world);
    for (int round = 0; round < 2; round++)
        for (uint32_t bits = 1; bits < SETS; bits++) {
            hm_status status = HM_ERROR_MEMORY;
            for (uint32_t k = 1; status != HM_OK; k++) {
                test_memory_fail(&stage.memory, k, false);
                status = make_set(world, tags, bits);
            }
            without_buckets += test_memory_refused(&stage.memory);
        }
    CHECK(world->archetype_count == before + SETS - 1 && without_buckets > 0);
    finish(&stage);
}

/* Destroy, clear, replace, remove a sparse value: they ask for no memory. Defragment does, and
 * waits for it. */
TEST(world_fault, what_adds_nothing_succeeds_without_memory)
{
    static const hm_order order = {.key = int_key};
    start(&stage, &world_kind, one_layout, 0);
    scene *on = &stage;
    stand_in_ruins(on);
    CHECK(run_add_sparse(on) && run_add(on));
    test_memory_fail(&on->memory, 1, true);
    CHECK(run_add(on) && run_add_sparse(on) && on->destroyed == 1);
    CHECK(hm_world_remove(&on->in.world, on->list, on->components[4], NULL) == HM_OK);
    CHECK(hm_world_change(&on->in.world, on->list, on->components, 1, on->components + 2, 1) ==
          HM_OK);
    CHECK(hm_world_destroy(&on->in.world, hm_world_handle_at(&on->in.world, 3)));
    CHECK(on->memory.calls == 0);
    hm_progress waits = hm_world_defragment(&on->in.world, on->components[0], &order, NULL);
    test_memory_follow(&on->memory, waits);
    CHECK(!waits.done && on->memory.fail_at == 0);
    while (!hm_world_defragment(&on->in.world, on->components[0], &order, NULL).done)
        ;
    test_memory_fail(&on->memory, 1, true);
    CHECK(hm_world_validate(&on->in.world) == HM_OK);
    CHECK(hm_world_destroy(&on->in.world, on->list) && on->destroyed == 2);
    hm_world_clear(&on->in.world);
    CHECK(run_create_without_components(on) && hm_world_validate(&on->in.world) == HM_OK);
    test_memory_fail(&on->memory, 0, false);
    finish(on);
}
