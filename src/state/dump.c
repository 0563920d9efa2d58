/* SPDX-License-Identifier: MIT */
/* dump: the lines of text, which all containers share, and a loop over each of them. */
#include "../memory/poison_private.h"

#include <handle_map/dump.h>

#include "../base/base_private.h"
#include "../world/world_private.h"

enum { DUMP_BYTES = 64 };

typedef struct dump {
    hm_text text;
    const hm_dump_desc *desc;
    uint32_t begin, end; /* lines that are asked for, of those that there may be */
    uint32_t line;       /* the next one, where lines are counted */
} dump;

/* Counts a line, and returns whether it is asked for. */
static bool dump_takes(dump *to)
{
    return to->line++ >= to->begin;
}

/* Whether there may be another line. */
static bool dump_goes_on(const dump *to)
{
    return to->text.status == HM_OK && to->line < to->end;
}

static void dump_item(dump *to, const void *item, size_t size, uint32_t which)
{
    const unsigned char *bytes = item;
    if (to->desc != NULL && to->desc->print != NULL) {
        char text[HM_TEXT_PART] = "";
        (void)to->desc->print(item, which, text, sizeof text, to->desc->context);
        text[sizeof text - 1] = '\0';
        hm_text_put(&to->text, "%s", text);
        return;
    }
    for (size_t i = 0; i < size && i < DUMP_BYTES; i++)
        hm_text_put(&to->text, "%s%02x", i != 0 ? " " : "", (unsigned)bytes[i]);
    if (size > DUMP_BYTES)
        hm_text_put(&to->text, " ... (%zu bytes)", size);
}

static void dump_handle(dump *to, hm_handle handle)
{
    hm_text_put(&to->text, "0x%016" HM_X64 ": ", handle.bits);
}

/* Several items of a line. */
static void dump_items(dump *to, const void *items, size_t size, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        hm_text_put(&to->text, "%s", i != 0 ? " | " : "");
        dump_item(to, (const unsigned char *)items + size * i, size, 0);
    }
    hm_text_put(&to->text, "\n");
}

/* Writes the first line. A container that is not initialised has the capacity 0. */
static dump dump_begin(const char *kind, const char *items, const char *name, const hm_stats *stats,
                       uint32_t type_id, const hm_dump_desc *desc, hm_sink sink)
{
    HM_CONTRACT(sink.write != NULL, "hm_dump: sink.write is NULL");
    dump to = {.text = {.sink = sink}, .desc = desc, .end = stats->count};
    if (desc != NULL) {
        to.begin = desc->first;
        if (desc->most != 0 && desc->first < to.end && desc->most < to.end - desc->first)
            to.end = desc->first + desc->most;
    }
    if (stats->capacity == 0)
        to.text.status = hm_fail_uninitialised(kind);
    hm_text_put(&to.text, "%s '%.80s': %" HM_U32 " %s", kind, name != NULL ? name : "",
                stats->count, items);
    if (stats->slots != 0)
        hm_text_put(&to.text, ", %" HM_U32 " slots", stats->slots);
    hm_text_put(&to.text, ", type id %" HM_U32 "\n", type_id);
    return to;
}

hm_status hm_map_dump(const hm_map *map, const hm_dump_desc *desc, hm_sink sink)
{
    HM_CONTRACT(map != NULL, "hm_map_dump: map is NULL");
    hm_stats stats = hm_map_get_stats(map);
    dump to = dump_begin("map", "items", map->name, &stats, map->ids.type_id, desc, sink);
    for (uint32_t i = to.begin; i < to.end && to.text.status == HM_OK; i++) {
        dump_handle(&to, hm_map_handle_at(map, i));
        dump_items(&to, map->items + map->item_size * i, map->item_size, 1);
    }
    return hm_text_end(&to.text);
}

hm_status hm_pool_dump(const hm_pool *pool, const hm_dump_desc *desc, hm_sink sink)
{
    HM_CONTRACT(pool != NULL, "hm_pool_dump: pool is NULL");
    hm_stats stats = hm_pool_get_stats(pool);
    uint32_t type_id = hm_pool_as_owners(pool).type_id;
    dump to = dump_begin("pool", "items", pool->name, &stats, type_id, desc, sink);
    uint32_t length, slot = hm_pool_next_run(pool, 0, &length);
    for (; length != 0 && dump_goes_on(&to); slot = hm_pool_next_run(pool, slot, &length))
        for (; length > 0 && dump_goes_on(&to); length--, slot++) {
            if (!dump_takes(&to))
                continue;
            dump_handle(&to, hm_pool_handle_at(pool, slot));
            dump_items(&to, hm_pool_item_at(pool, slot), pool->item_size, 1);
        }
    return hm_text_end(&to.text);
}

hm_status hm_table_dump(const hm_table *table, const hm_dump_desc *desc, hm_sink sink)
{
    HM_CONTRACT(table != NULL, "hm_table_dump: table is NULL");
    hm_stats stats = hm_table_get_stats(table);
    dump to = dump_begin("table", "rows", table->name, &stats, table->ids.type_id, desc, sink);
    for (uint32_t row = to.begin; row < to.end && to.text.status == HM_OK; row++) {
        dump_handle(&to, hm_table_handle_at(table, row));
        for (uint32_t c = 0; c < table->column_count; c++) {
            hm_text_put(&to.text, "%s", c != 0 ? " | " : "");
            dump_item(&to, hm_table_cell(table, row, c), table->columns[c].size, c);
        }
        hm_text_put(&to.text, "\n");
    }
    return hm_text_end(&to.text);
}

hm_status hm_secondary_dump(const hm_secondary *secondary, const hm_dump_desc *desc, hm_sink sink)
{
    HM_CONTRACT(secondary != NULL, "hm_secondary_dump: secondary is NULL");
    hm_stats stats = hm_secondary_get_stats(secondary);
    stats.slots = 0; /* They are those of the owners. */
    dump to =
        dump_begin("secondary", "values", secondary->name, &stats, secondary->type_id, desc, sink);
    for (uint32_t i = to.begin; i < to.end && to.text.status == HM_OK; i++) {
        dump_handle(&to, hm_secondary_owner_at(secondary, i));
        dump_items(&to, secondary->values + secondary->value_size * i, secondary->value_size, 1);
    }
    return hm_text_end(&to.text);
}

hm_status hm_lists_dump(const hm_lists *lists, const hm_dump_desc *desc, hm_sink sink)
{
    HM_CONTRACT(lists != NULL, "hm_lists_dump: lists is NULL");
    hm_stats stats = hm_lists_get_stats(lists);
    dump to = dump_begin("lists", "lists", lists->name, &stats, lists->ids.type_id, desc, sink);
    for (uint32_t i = to.begin; i < to.end && to.text.status == HM_OK; i++) {
        hm_handle list = hm_lists_handle_at(lists, i);
        uint32_t count;
        const void *items = hm_lists_items(lists, list, &count);
        dump_handle(&to, list);
        dump_items(&to, items, lists->blocks.item_size, count);
    }
    return hm_text_end(&to.text);
}

hm_status hm_index_dump(const hm_index *index, const hm_dump_desc *desc, hm_sink sink)
{
    HM_CONTRACT(index != NULL, "hm_index_dump: index is NULL");
    hm_stats stats = hm_index_get_stats(index);
    stats.slots = 0; /* As above. */
    dump to = dump_begin("index", "owners", index->name, &stats, index->owners.type_id, desc, sink);
    hm_index_view view = {0};
    while (dump_goes_on(&to) && hm_index_next(index, &view)) {
        if (!dump_takes(&to))
            continue;
        hm_text_put(&to.text, "%" HM_U64 ":", view.key);
        for (uint32_t i = 0; i < view.count; i++)
            hm_text_put(&to.text, " 0x%016" HM_X64, view.members[i].bits);
        hm_text_put(&to.text, "\n");
    }
    return hm_text_end(&to.text);
}

/* Returns the number of the component with this name, or HM_INVALID_INDEX. */
static uint32_t dump_find_component(const hm_world *world, const char *wanted)
{
    for (uint32_t number = 0; number < world->component_count; number++) {
        const char *name = hm_world_record(world, number)->name;
        char digits[11];
        (void)hm_format(digits, sizeof digits, "%" HM_U32, number);
        if (hm_is_same_text(name != NULL ? name : digits, wanted))
            return number;
    }
    return HM_INVALID_INDEX;
}

static void dump_component(dump *to, const hm_world *world, hm_handle entity, uint32_t number)
{
    const hm_world_component_record *record = hm_world_record(world, number);
    hm_component component = world->salt + number;
    const void *value = hm_world_get(world, entity, component);
    if (record->name != NULL)
        hm_text_put(&to->text, "%.80s", record->name);
    else
        hm_text_put(&to->text, "component %" HM_U32, number);
    if (value == NULL)
        return;
    hm_text_put(&to->text, " ");
    dump_item(to, value, record->size, component);
}

static void dump_entity(dump *to, const hm_world *world, hm_handle entity)
{
    const char *between = "";
    dump_handle(to, entity);
    for (uint32_t number = 0; number < world->component_count; number++) {
        if (!hm_world_has(world, entity, world->salt + number))
            continue;
        hm_text_put(&to->text, "%s", between);
        dump_component(to, world, entity, number);
        between = " | ";
    }
    hm_text_put(&to->text, "\n");
}

hm_status hm_world_dump(const hm_world *world, const hm_dump_desc *desc, hm_sink sink)
{
    HM_CONTRACT(world != NULL, "hm_world_dump: world is NULL");
    hm_stats stats = hm_world_get_stats(world);
    dump to = dump_begin("world", "entities", world->name, &stats, world->ids.type_id, desc, sink);
    const char *wanted = desc != NULL ? desc->component : NULL;
    uint32_t number = wanted != NULL ? dump_find_component(world, wanted) : 0;
    for (uint32_t i = 0; i < stats.count && dump_goes_on(&to); i++) {
        hm_handle entity = hm_world_handle_at(world, i);
        if (wanted != NULL && !hm_world_has(world, entity, world->salt + number))
            continue;
        if (dump_takes(&to))
            dump_entity(&to, world, entity);
    }
    return hm_text_end(&to.text);
}
