/* SPDX-License-Identifier: MIT */
/* The steps and states of maps and tables, and what a step must fulfil beyond what the model
 * compares. */
#include "dense_space.h"

#include <stddef.h>
#include <string.h>

dense_model dense;
const space_config *dense_config;

static const dense_space *space;

static const hm_id_table *ids(void)
{
    return dense.is_table ? &dense.table.ids : &dense.map.ids;
}

static hm_order_state *order(void)
{
    return dense.is_table ? dense.table.order : dense.map.order;
}

/* names */

/* Arrangements name handles that were issued before they began; other names are null. */
static hm_handle name(uint32_t slot, uint32_t life)
{
    bool is_known = life <= dense.slots[slot].generation;
    return is_known ? space_name(slot, life, SPACE_TYPE_ID, false) : HM_NULL_HANDLE;
}

/* Names the last slot, one in the middle, and that again; between handles that are null, foreign or
 * out of range. */
static uint32_t name_some(hm_handle *list)
{
    uint32_t count = 0, slots = dense_config->max_slots;
    list[count++] = HM_NULL_HANDLE;
    list[count++] = space_name(0, SPACE_LIVES, SPACE_TYPE_ID + 1, false);
    for (uint32_t life = dense_config->spent_lives + 1u; life <= SPACE_LIVES; life++) {
        list[count++] = name(slots - 1, life);
        list[count++] = name(slots / 2, life);
    }
    list[count++] = space_name(slots, 1, SPACE_TYPE_ID, false);
    list[count++] = name(slots / 2, SPACE_LIVES);
    return count;
}

/* The two that name all slots differ in nothing that the order keeps of them, except the names. */
static uint32_t name_for(dense_model *model, uint32_t goal)
{
    uint32_t count = 0, slots = dense_config->max_slots;
    if (goal == SPACE_SOME_FIRST)
        return name_some(model->names);
    for (uint32_t i = 0; i < slots; i++)
        for (uint32_t life = SPACE_LIVES; life > dense_config->spent_lives; life--)
            model->names[count++] = name(goal == SPACE_LAST_FIRST ? slots - 1 - i : i, life);
    return count;
}

/* states */

/* Makes each rank one more than the number of equals with a lower one, or 0 if all equals have the
 * same. */
static void tidy_ranks(void)
{
    uint32_t classes[DENSE_MODEL_ITEMS], ranks[DENSE_MODEL_ITEMS] = {0};
    uint32_t tidy[DENSE_MODEL_ITEMS] = {0}, count = dense.count;
    for (uint32_t i = 0; i < count && dense.goal != 0; i++) {
        classes[i] = dense_model_class(&dense, i);
        ranks[i] = dense_model_find(&dense, dense.dense[i])->rank;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lower = 0, others = 0;
        for (uint32_t j = 0; j < count && ranks[i] != 0; j++) {
            if (j == i || ranks[j] == 0 || classes[j] != classes[i])
                continue;
            others++;
            lower += ranks[j] < ranks[i];
        }
        if (others != 0)
            tidy[i] = lower + 1;
    }
    for (uint32_t i = 0; i < count; i++)
        dense_model_find(&dense, dense.dense[i])->rank = tidy[i];
}

/* As blank.c does for the order: blanks what is behind the live items, which a later insert or
 * commit writes before it is read; and the counts of arrays, since the id table and its owner have
 * their own, and set these at a trim. */
static void blank(void)
{
    hm_id_table *table = (hm_id_table *)ids();
    tidy_ranks();
    memset(dense.dense + dense.count, 0, sizeof *dense.dense * (DENSE_MODEL_ITEMS - dense.count));
    space->blank_items();
    blank_behind(&table->entry_array, sizeof(hm_handle) * table->slot_count);
    blank_behind(&table->slot_array, sizeof(uint32_t) * table->used);
    blank_floors(table);
    BLANK(table->entry_array.count);
    BLANK(table->slot_array.count);
    hm_links links = {.slots = table->slots, .entries = table->entries};
    blank_order(order(), links, table->slot_count);
}

/* begin and end */

void dense_space_end(void)
{
    dense_model_fini(&dense);
}

static void probe(hm_handle handle)
{
    dense_model_refuse(&dense, handle);
}

/* Inserts as many items as fit. */
static void fill(void)
{
    for (uint32_t i = 0; i < dense_config->capacity; i++) {
        subject_run("insert", (uint32_t[]){DENSE_COPY, 0, i});
        CHECK(dense.count == i + 1);
    }
}

/* A trim leaves the pages of the items and of the slots that are left; not promised are generation
 * floors, and the order's memory. */
static void check_trimmed(void)
{
    hm_stats stats = DENSE_ASK(&dense, get_stats);
    const hm_array *floors = ids()->floors;
    hm_stats aside = {.committed_size = floors != NULL ? floors->committed_size : 0};
    hm_order_add_sizes(order(), &aside);
    CHECK(stats.committed_size - aside.committed_size ==
          space->needed_size() + space_in_pages(dense_config, sizeof(hm_handle) * stats.slots) +
              space_in_pages(dense_config, sizeof(uint32_t) * (stats.slots - stats.retired_slots)));
}

static void save(hm_sink sink)
{
    CHECK(space->save(sink) == HM_OK);
}

static void load(hm_source source)
{
    arena_empty();
    CHECK(space->init() == HM_OK);
    CHECK(space->load(source) == HM_OK);
}

static bool has_more(void)
{
    return blank_order_knows(order());
}

/* The arena has windows for what init reserves, and the generation floors, and an order. */
size_t dense_space_begin(const space_config *config, const dense_space *of)
{
    static const subject_file file = {save, load, dense.slots, has_more, &dense.ordered};
    const size_t live = offsetof(dense_model, map);
    size_t windows[ARENA_RANGES];
    dense_config = config;
    space = of;
    memset(&dense, 0, sizeof dense);
    dense.keys = config->keys;
    dense.name = name_for;
    uint32_t count = space->list_windows(windows);
    windows[count++] = SPACE_SCRATCH;
    windows[count++] = SPACE_SCRATCH; /* for the floors */
    windows[count++] = SPACE_ORDER;
    arena_begin(windows, count, config->page_size);
    arena_init(space->init);
    size_t size = subject_begin(&(subject_space){
        config, space->subject, &dense, (unsigned char *)&dense + live, sizeof dense - live, NULL,
        blank, probe, dense_space_end, check_trimmed, &file});
    subject_spend_lives(fill);
    return size;
}

/* actions */

static void list_insert_n(space_actions *list, uint32_t key, uint32_t zeros)
{
    for (uint32_t n = 0; n <= 3; n++)
        subject_add(list, "insert_n", n, key, zeros);
}

/* What is tried with a table only: batches of handles, and, in spaces without goals, the other ways
 * to insert. */
static void list_columns(space_actions *list)
{
    if (dense_config->goals == 0) {
        subject_add(list, "insert", DENSE_EMPLACE, 0, 0);
        subject_add(list, "insert", DENSE_COPY, 1, 0);
        list_insert_n(list, 0, 1);
    }
    for (uint32_t set = 0; set < 1u << dense_config->capacity; set++) {
        subject_add(list, "erase_set", set, false, 0);
        subject_add(list, "erase_set", set, true, 0);
    }
}

/* One call within each of some budgets, and calls with the least one until all is done. */
static void list_goal(space_actions *list, uint32_t goal)
{
    enum { ONCE = 1, ANEW = 2, LEAST = 1 | 1 << 8 };
    static const uint32_t limits[] = {1, 1 << 8, 0, LEAST, 2 | 6 << 8};
    static const uint32_t orders[] = {[SPACE_BY_KEY] = DENSE_BY_KEY,
                                      [SPACE_BY_COMPARE] = DENSE_BY_COMPARE,
                                      [SPACE_BY_BOTH] = DENSE_BY_BOTH,
                                      [SPACE_BY_COLUMN] = DENSE_BY_KEY + DENSE_ORDERS};
    bool is_order = goal <= SPACE_BY_COLUMN;
    const char *verb = is_order ? "defragment" : "arrange";
    uint32_t what = is_order ? orders[goal] : goal;
    for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++)
        subject_add(list, verb, what, limits[i], ONCE);
    subject_add(list, verb, what, LEAST, 0);
    subject_add(list, verb, what, LEAST, ANEW);
}

static void list_goals(space_actions *list)
{
    for (uint32_t i = 0; i < dense_config->capacity; i++) {
        subject_add(list, "touch", 0, i, 0);
        for (uint32_t key = 0; key < dense_config->keys; key++)
            subject_add(list, "edit", 0, i, key);
    }
    for (uint32_t add = 0; add < dense_config->keys; add++)
        subject_add(list, "touch_all", add, 0, 0);
    for (uint32_t goal = SPACE_NO_GOAL + 1; goal < SPACE_GOALS; goal++)
        if ((dense_config->goals >> goal & 1) != 0)
            list_goal(list, goal);
}

void dense_space_list(space_actions *list)
{
    list->count = 0;
    subject_add(list, "insert", DENSE_ZERO, 0, 0);
    list_insert_n(list, 0, UINT32_MAX);
    if (dense.is_table)
        list_columns(list);
    for (uint32_t key = 0; key < dense_config->keys; key++) {
        subject_add(list, "insert", DENSE_COPY, 0, key);
        list_insert_n(list, key, 0);
    }
    subject_add(list, "clear", 0, 0, 0);
    subject_add(list, "trim", 0, 0, 0);
    subject_add(list, "reserve", UINT32_MAX, 0, 0);
    for (uint32_t n = 0; n <= dense_config->max_slots + 1; n++)
        subject_add(list, "reserve", n, 0, 0);
    for (uint32_t set = 0; set < 1u << dense_config->capacity; set++)
        subject_add(list, "erase_if", set, 0, 0);
    for (uint32_t i = 0; i < dense_config->capacity; i++)
        subject_add(list, "erase", 0, i, 0);
    if (dense_config->goals != 0)
        list_goals(list);
    if (dense_config->adopts)
        subject_add_adopts(list, dense_config->max_slots);
}

/* While an arrangement is not done, its names must not be used for another: but for that, the last
 * steps would be the first ones of the other. */
static bool is_named_otherwise(const space_action *action)
{
    enum { ANEW = 2, BOTH = SPACE_LAST_FIRST + SPACE_FIRST_FIRST };
    return subject_is(action, "arrange") && action->c != ANEW && action->a != SPACE_SOME_FIRST &&
           dense.goal == DENSE_MODEL_ARRANGED + BOTH - action->a;
}

bool dense_space_is_possible(const void *state, const space_action *action)
{
    (void)state;
    if (subject_is(action, "erase_if") || subject_is(action, "erase_set"))
        return action->a < 1u << dense.count;
    if (subject_is(action, "erase") || subject_is(action, "touch") || subject_is(action, "edit"))
        return action->b < dense.count;
    return !is_named_otherwise(action);
}

/* steps */

/* What a state shows beyond its items. */
typedef struct observation {
    hm_handle_state explained[DENSE_MODEL_SLOTS][SPACE_LIVES];
    uint32_t slots, free_slots, retired_slots;
} observation;

static void observe(observation *seen)
{
    hm_stats stats = DENSE_ASK(&dense, get_stats);
    memset(seen, 0, sizeof *seen);
    for (uint32_t slot = 0; slot < dense_config->max_slots; slot++)
        for (uint32_t life = 0; life < SPACE_LIVES; life++)
            seen->explained[slot][life] =
                DENSE_CALL(&dense, explain, space_name(slot, life + 1, SPACE_TYPE_ID, false));
    seen->slots = stats.slots;
    seen->free_slots = stats.free_slots;
    seen->retired_slots = stats.retired_slots;
}

/* A refused call changes nothing, except a trim, which leaves the handles unchanged, and calls that
 * bring items into order, which do it in another way. Only inserts add slots, only trims drop them.
 * What was stale stays so, unless an insert or reserve retires it, or an adopt revives it; retired
 * stays retired. */
static void check_step(const void *before, const observation *old, const space_action *action,
                       bool is_refused)
{
    const size_t live = offsetof(dense_model, map), slots = offsetof(dense_model, slots) - live;
    const dense_slot *were = (const dense_slot *)((const unsigned char *)before + slots);
    bool is_trim = subject_is(action, "trim"), is_adopt = subject_is(action, "adopt");
    bool may_retire =
        !is_refused && (subject_is(action, "insert") || subject_is(action, "insert_n") ||
                        subject_is(action, "reserve"));
    uint32_t count = 0;
    observation now;
    observe(&now);
    for (uint32_t slot = 0; slot < dense_config->max_slots; slot++) {
        count += were[slot].is_live;
        CHECK(!is_refused || (were[slot].generation == dense.slots[slot].generation &&
                              were[slot].is_live == dense.slots[slot].is_live));
        for (uint32_t life = 0; life < were[slot].generation; life++) {
            hm_handle_state was = old->explained[slot][life], is = now.explained[slot][life];
            CHECK(is == was || (was == HM_HANDLE_LIVE && is == HM_HANDLE_STALE) ||
                  (was == HM_HANDLE_STALE && is == HM_HANDLE_LIVE && is_adopt) ||
                  (was == HM_HANDLE_STALE && is == HM_HANDLE_RETIRED && may_retire));
        }
    }
    CHECK(!is_refused || is_trim || memcmp(&now, old, sizeof now) == 0);
    CHECK(now.slots == old->slots || is_trim || dense.count > count);
}

/* An order that is done keeps at most 8 cells of scratch memory. */
uint32_t dense_space_take(const void *before, const space_action *action, uint32_t refuse,
                          bool *changed)
{
    observation old;
    observe(&old);
    uint32_t made = subject_take(before, action, refuse, changed);
    bool is_refused = refuse != 0 && refuse <= made;
    check_step(before, &old, action, is_refused);
    bool is_order = subject_is(action, "defragment") || subject_is(action, "arrange");
    if (is_order && !dense.is_stopped && order() != NULL)
        CHECK(order()->batch.scratch.committed_size <= 8 * sizeof(uint64_t));
    return made;
}
