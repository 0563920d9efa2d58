/* SPDX-License-Identifier: MIT */
/* The state spaces of a secondary. The spaces of the map search what the order itself promises,
 * stability and total cost; these show that the secondary moves owners along, and reports every
 * change. */
#include "blank.h"
#include "subject.h"

#include "support/secondary_model.h"

#include <stddef.h>
#include <string.h>

enum {
    SECONDARY_WINDOW = 48 /* bytes that an array needs, except scratch memory, at most */
};

static secondary_model model;
static const space_config *config;

/* begin and end */

static hm_status init(void)
{
    const hm_secondary_desc desc = {.value_size = config->item_size,
                                    .capacity = config->capacity,
                                    .max_slots = config->max_slots,
                                    .type_id = SPACE_TYPE_ID};
    return secondary_model_init(&model, &desc, config->hooks, config->page_size);
}

static void fini(void)
{
    secondary_model_fini(&model);
}

static void probe(hm_handle handle)
{
    secondary_model_refuse(&model, handle);
}

static bool has_value(uint32_t slot)
{
    for (uint32_t i = 0; i < model.count; i++)
        if (hm_handle_index(model.entries[i].owner) == slot)
            return true;
    return false;
}

/* A position whose owner has another slot must not be trusted. It becomes 0, which is a position,
 * as fresh memory has it; but while the order lists slots, it may rely on the mark of a removed
 * one. */
static void blank_positions(void)
{
    const hm_secondary *secondary = &model.secondary;
    if (blank_order_lists(secondary->order))
        return;
    for (uint32_t slot = 0; slot < secondary->slot_end; slot++)
        if (secondary->segments[slot >> secondary->segment_shift] != 0 && !has_value(slot))
            secondary->positions[slot] = 0;
}

/* As blank.c does for the order: blanks what is behind the values, which a later set or commit
 * writes before it is read; and the counts of arrays, since the secondary has its own, and sets
 * these at a trim. */
static void blank(void)
{
    hm_secondary *secondary = &model.secondary;
    for (uint32_t i = 0; i < SECONDARY_MODEL_VALUES; i++) {
        const secondary_model_entry entry = model.entries[i];
        memset(&model.entries[i], 0, sizeof entry);
        if (i >= model.count)
            continue;
        CHECK(entry.destroyed == 0 && !entry.is_zero);
        model.entries[i].owner = entry.owner;
        model.entries[i].value = entry.value;
        model.entries[i].is_late = entry.is_late;
    }
    blank_behind(&secondary->value_array, config->item_size * secondary->count);
    blank_behind(&secondary->owner_array, sizeof(hm_handle) * secondary->count);
    blank_behind(&secondary->segment_array, secondary->segment_array.count);
    BLANK(secondary->value_array.count);
    BLANK(secondary->owner_array.count);
    blank_positions();
    hm_links links = {.owners = secondary->owners, .positions = secondary->positions};
    blank_order(secondary->order, links, secondary->slot_end);
}

/* The arrangements name handles of all lives, whether they have values or not, so that the names
 * never change: all slots, the last one first; and two slots, between handles that are no owners.
 */
static void name(void)
{
    hm_handle *all = model.names[0], *some = model.names[1];
    uint32_t last = config->max_slots - 1;
    for (uint32_t slot = config->max_slots; slot-- > 0;)
        for (uint32_t life = SPACE_LIVES; life > 0; life--)
            *all++ = space_name(slot, life, SPACE_TYPE_ID, false);
    *some++ = HM_NULL_HANDLE;
    *some++ = space_name(0, SPACE_LIVES, SPACE_TYPE_ID + 1, false);
    for (uint32_t life = 1; life <= SPACE_LIVES; life++) {
        *some++ = space_name(last, life, SPACE_TYPE_ID, false);
        *some++ = space_name(last / 2, life, SPACE_TYPE_ID, false);
    }
    *some++ = space_name(last + 1, 1, SPACE_TYPE_ID, false);
    *some++ = model.names[1][2]; /* again */
    model.name_counts[0] = (uint32_t)(all - model.names[0]);
    model.name_counts[1] = (uint32_t)(some - model.names[1]);
}

/* Sets a value for the first life that is not spent of as many slots as fit, the last slot first.
 */
static void fill(void)
{
    for (uint32_t i = 0; i < config->capacity; i++) {
        uint32_t slot = config->max_slots - 1 - i;
        hm_handle owner = space_name(slot, config->spent_lives + 1u, SPACE_TYPE_ID, false);
        secondary_model_set(&model, owner, SECONDARY_MODEL_GIVEN, i % config->keys);
        CHECK(model.count == i + 1);
    }
}

/* After a trim: the pages of values and owners, the segments that owners use, and the column that
 * tells which these are. The order's memory is not promised. */
static void check_trimmed(void)
{
    const hm_secondary *secondary = &model.secondary;
    uint32_t shift = secondary->segment_shift, used = 0, segments = 0, end = 0;
    for (uint32_t i = 0; i < model.count; i++)
        used |= 1u << (hm_handle_index(model.entries[i].owner) >> shift);
    for (; used >> end != 0; end++)
        segments += used >> end & 1;
    size_t needed = space_in_pages(config, config->item_size * model.count) +
                    space_in_pages(config, sizeof(hm_handle) * model.count) +
                    space_in_pages(config, end) + (sizeof(uint32_t) << shift) * segments;
    hm_stats aside = {0};
    hm_order_add_sizes(secondary->order, &aside);
    CHECK(hm_secondary_get_stats(secondary).committed_size == needed + aside.committed_size);
}

static void save(hm_sink sink)
{
    CHECK(hm_secondary_save(&model.secondary, NULL, sink) == HM_OK);
}

static void load(hm_source source)
{
    arena_empty();
    CHECK(init() == HM_OK);
    CHECK(hm_secondary_load(&model.secondary, NULL, source) == HM_OK);
}

static bool has_more(void)
{
    return blank_order_knows(model.secondary.order);
}

static size_t begin(const space_config *of)
{
    static const subject_file file = {save, load, model.entries, has_more, &model.ordered};
    /* marks; values, owners, segments and positions; scratch memory: small ones first */
    static const size_t windows[] = {4 * SECONDARY_WINDOW, SPACE_ORDER, SPACE_SCRATCH};
    const size_t live = offsetof(secondary_model, secondary);
    CHECK(of->capacity <= SECONDARY_MODEL_VALUES);
    config = of;
    memset(&model, 0, sizeof model);
    model.keys = of->keys;
    arena_begin(windows, sizeof windows / sizeof windows[0], config->page_size);
    arena_init(init);
    name();
    if (config->full)
        fill();
    return subject_begin(&(subject_space){
        of, &secondary_subject, &model, (unsigned char *)&model + live, sizeof model - live,
        &model.refusals, blank, probe, fini, check_trimmed, &file});
}

/* steps */

/* Handles that are foreign or have the free bit are probed in every state, but set only in spaces
 * without goals. Owners that live are those behind the spent lives. */
static void list_sets(space_actions *list)
{
    for (uint32_t n = 0; n < space_handle_values(config); n += config->goals != 0 ? 4 : 1) {
        uint32_t life = n % SPACE_SLOT_VALUES / 4;
        hm_handle handle = space_handle_value(n);
        uint32_t which = 4 * hm_handle_index(handle), above = (uint32_t)(handle.bits >> 48);
        if (life > 0 && life <= config->spent_lives)
            continue;
        subject_add(list, "hostile_set", which, above | SECONDARY_MODEL_ZERO << 16, life);
        subject_add(list, "hostile_set", which, above | SECONDARY_MODEL_ITSELF << 16, life);
        for (uint32_t key = 0; key < config->keys; key++)
            subject_add(list, "hostile_set", which, above, life | (life ^ key) << 16);
    }
}

/* One call within each of some budgets, and calls with the least one until all is done. */
static void list_goals(space_actions *list)
{
    enum { ONCE_BY = 2, ANEW_BY = 4, NAMED = 1, LIST = 2, ONCE_NAMED = 4, ANEW_NAMED = 8 };
    static const uint32_t budgets[][2] = {{1, 0}, {0, 1}, {0, 0}, {1, 1}, {2, 6}};
    for (uint32_t goal = SPACE_BY_KEY; goal < SPACE_GOALS; goal++) {
        uint32_t by = goal == SPACE_BY_COMPARE, bits = NAMED;
        if (goal == SPACE_SOME_FIRST)
            bits |= LIST;
        if ((config->goals >> goal & 1) == 0)
            continue;
        for (uint32_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
            uint32_t swaps = budgets[i][0], compares = budgets[i][1];
            if (goal <= SPACE_BY_COMPARE)
                subject_add(list, "defragment", by | ONCE_BY, swaps, compares);
            else
                subject_add(list, "arrange", 0, 0, bits | ONCE_NAMED | swaps << 8 | compares << 16);
        }
        for (uint32_t anew = 0; anew < 2; anew++)
            if (goal <= SPACE_BY_COMPARE)
                subject_add(list, "defragment", by | anew * ANEW_BY, 1, 1);
            else
                subject_add(list, "arrange", 0, 0, bits | anew * ANEW_NAMED | 1 << 8 | 1 << 16);
    }
}

static void list_all(space_actions *list)
{
    list->count = 0;
    subject_add(list, "clear", 0, 0, 0);
    subject_add(list, "trim", 0, 0, 0);
    subject_add(list, "reserve", UINT32_MAX, 0, 0);
    for (uint32_t n = 0; n <= config->capacity + 1; n++)
        subject_add(list, "reserve", n, 0, 0);
    for (uint32_t set = 0; set < 1u << config->capacity; set++)
        subject_add(list, "remove_if", set, 0, 0);
    list_sets(list);
    for (uint32_t position = 0; position < config->capacity; position++) {
        subject_add(list, "remove", 0, position, 0);
        for (uint32_t key = 0; key < config->keys; key++)
            subject_add_quiet(list, "edit", 0, position, key);
    }
    for (uint32_t add = 0; add < config->keys; add++)
        subject_add_quiet(list, "touch_all", add, 0, 0);
    list_goals(list);
}

static bool is_possible(const void *state, const space_action *action)
{
    (void)state;
    if (subject_is(action, "remove_if"))
        return action->a < 1u << model.count;
    if (subject_is(action, "hostile_set") && action->b >> 16 == SECONDARY_MODEL_ITSELF)
        return has_value(action->a / 4);
    return (!subject_is(action, "remove") && !subject_is(action, "edit")) ||
           action->b < model.count;
}

const space_kind secondary_space = {&secondary_subject, 0,        begin,       fini,
                                    subject_check,      list_all, is_possible, subject_take};
