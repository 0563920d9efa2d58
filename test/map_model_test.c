/* Random operations on a map against the naive model of map_model.h, everything compared after each
 * one: at least 1,000,000 operations over all layouts, pages, hooks and index spaces. */
#include "map_model.h"

enum {
    OPERATIONS_SMALL = 28800, /* for each layout with items up to MODEL_SMALL bytes */
    OPERATIONS_LARGE = 4800,  /* and for each other one */
    OPERATIONS_IN_ALL = 1000000,
    EPISODE = 1200, /* operations on one map */
    PARTS = 3       /* tests that share them, to run at once */
};

/* A handle to try: live, dead, damaged, foreign, null or plain noise. */
static hm_handle pick_handle(const map_model *model, uint64_t *random)
{
    uint64_t bits = test_random(random);
    uint32_t kind = test_random_below(random, 16);
    hm_handle live = HM_NULL_HANDLE;
    if (model->count != 0)
        live = model->dense[test_random_below(random, model->count)];
    if (kind < 8)
        return live;
    if (kind < 11 && model->past_count != 0) {
        uint32_t known = model->past_count < MODEL_PAST ? model->past_count : MODEL_PAST;
        return model->past[test_random_below(random, known)];
    }
    if (kind == 11)
        return HM_NULL_HANDLE;
    if (kind == 12)
        return hm_handle_from_bits(live.bits ^ UINT64_C(1) << (bits % 64));
    if (kind == 13) /* any slot, some generation near those issued */
        return hm_handle_pack(test_random_below(random, model->desc.max_slots), (uint32_t)bits % 8,
                              model->desc.type_id);
    if (kind == 14)
        return hm_handle_pack(hm_handle_index(live), hm_handle_generation(live),
                              model->desc.type_id + 1u);
    return hm_handle_from_bits(bits);
}

static void erase_many(map_model *model, uint64_t *random)
{
    hm_handle handles[MODEL_BATCH];
    uint32_t n = test_random_below(random, MODEL_BATCH + 1);
    for (uint32_t i = 0; i < n; i++) {
        bool again = i != 0 && test_random_below(random, 4) == 0;
        handles[i] = again ? handles[test_random_below(random, i)] : pick_handle(model, random);
    }
    model_erase_n(model, handles, n);
}

static void defragment(map_model *model, uint64_t *random)
{
    const hm_order *order = test_random_below(random, 4) != 0 ? &model->by_compare : &model->by_key;
    hm_budget budget = {test_random_below(random, 8), test_random_below(random, 16)};
    model_defragment(model, order, budget);
}

static void insert_burst(map_model *model, uint64_t *random, uint64_t value)
{
    uint32_t n = test_random_below(random, model_room(model) + 2);
    model_insert_n(model, n, false, value);
}

/* The rare ones. */
static void run_rare(map_model *model, uint64_t *random, uint64_t value)
{
    switch (test_random_below(random, 8)) {
    case 0:
        model_clear(model);
        break;
    case 1:
    case 2:
        model_trim(model);
        break;
    case 3:
        model_reserve(model, test_random_below(random, 40), value);
        break;
    case 4:
        insert_burst(model, random, value);
        break;
    default:
        model_erase_if(model, test_random_below(random, 9));
    }
}

/* `growth` of 16 common operations insert, until the next change of mood. */
static void run_one(map_model *model, uint64_t *random, uint32_t growth)
{
    uint64_t value = test_random(random);
    if (test_random_below(random, 16) == 0)
        test_memory_fail(&model->memory, 1 + test_random_below(random, 3), value % 2 == 0);
    if (test_random_below(random, 16) < growth) {
        if (test_random_below(random, 8) == 0)
            model_insert_n(model, test_random_below(random, MODEL_BATCH / 4), true, value);
        else
            model_insert(model, (model_way)test_random_below(random, MODEL_WAYS), value);
    } else {
        switch (test_random_below(random, 16)) {
        case 0:
            run_rare(model, random, value);
            break;
        case 1:
            erase_many(model, random);
            break;
        case 2:
        case 3:
            defragment(model, random);
            break;
        case 4:
        case 5:
            model_edit(model, pick_handle(model, random), value);
            break;
        case 6:
            model_probe(model, pick_handle(model, random));
            break;
        default:
            model_erase(model, pick_handle(model, random));
        }
    }
    test_memory_fail(&model->memory, 0, false);
}

/* A map like no other: mostly small ones, tiny index spaces among them, now and then thousands. */
static hm_map_desc pick_desc(test_layout layout, uint64_t *random)
{
    static const uint32_t capacities[] = {1, 2, 4, 16, 40, 64, 64, 100};
    static const uint32_t spares[] = {0, 1, 3, 20, 600};
    static const size_t metas[] = {0, 0, 0, 1, 3, 8, 24};
    hm_map_desc desc = {.item_size = layout.item_size, .item_align = layout.item_align};
    desc.capacity = capacities[test_random_below(random, 8)];
    if (test_random_below(random, 24) == 0)
        desc.capacity = 3000;
    desc.max_slots = desc.capacity + spares[test_random_below(random, 5)];
    desc.meta_size = metas[test_random_below(random, 7)];
    desc.type_id = (uint16_t)(test_random(random) & HM_HANDLE_MAX_TYPE_ID);
    if (test_random_below(random, 4) == 0)
        desc.type_id = test_random_below(random, 2) == 0 ? 0 : HM_HANDLE_MAX_TYPE_ID;
    return desc;
}

static void run_episode(test_layout layout, uint64_t *random)
{
    map_model model;
    hm_map_desc desc = pick_desc(layout, random);
    uint64_t hooks = test_random(random);
    uint32_t growth = 8;
    model_init(&model, &desc, layout.page_size, hooks & 1, hooks & 2);
    if (desc.capacity <= 4 && layout.item_size <= MODEL_SMALL)
        model_age(&model, desc.capacity, 2 + test_random_below(random, 60));
    for (uint32_t i = 0; i < EPISODE; i++) {
        if (i % 128 == 0)
            growth = 2 + test_random_below(random, 13);
        run_one(&model, random, growth);
        model_check(&model);
        model_probe(&model, pick_handle(&model, random));
    }
    model_fini(&model);
}

static uint32_t run_layout(test_layout layout, uint64_t *random)
{
    uint32_t n = layout.item_size <= MODEL_SMALL ? OPERATIONS_SMALL : OPERATIONS_LARGE;
    uint32_t operations = 0;
    for (; operations < n; operations += EPISODE)
        run_episode(layout, random);
    return operations;
}

/* Every PARTS-th layout from `part` on, and again where the system's page leaves few of them. */
static void run_part(const char *what, size_t part)
{
    uint64_t random = test_seed(what);
    uint32_t operations = 0;
    while (operations <= OPERATIONS_IN_ALL / PARTS)
        for (size_t i = part; i < test_layout_count(); i += PARTS)
            operations += run_layout(test_layout_at(i), &random);
}

TEST(map_model, the_map_agrees_with_the_model_part_1)
{
    run_part("map_model part 1", 0);
}

TEST(map_model, the_map_agrees_with_the_model_part_2)
{
    run_part("map_model part 2", 1);
}

TEST(map_model, the_map_agrees_with_the_model_part_3)
{
    run_part("map_model part 3", 2);
}
