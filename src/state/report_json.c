/* SPDX-License-Identifier: MIT */
/* report: what a container tells as JSON. */
#include "../base/base_private.h"

#ifndef HM_FREESTANDING

#include "state_private.h"

#include "../order/order_private.h"
#include "../pool/pool_private.h"
#include "../world/world_private.h"

/* Returns how many bytes the character of UTF-8 has that begins here, or 0 if none does. */
static size_t report_json_measure(const unsigned char *text)
{
    unsigned first = text[0], low = 0x80, high = 0xBF;
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    /* Neither longer than needed, nor half of a pair, nor above U+10FFFF. */
    if (first == 0xE0)
        low = 0xA0;
    if (first == 0xED)
        high = 0x9F;
    if (first == 0xF0)
        low = 0x90;
    if (first == 0xF4)
        high = 0x8F;
    for (size_t i = 1; i < size; i++, low = 0x80, high = 0xBF)
        if (text[i] < low || text[i] > high)
            return 0;
    return size;
}

static void report_json_character(hm_text *json, const char *text, size_t size)
{
    char character[5] = "";
    memcpy(character, text, size);
    hm_text_put(json, "%s", character);
}

void hm_report_put_string(hm_text *json, const char *string)
{
    if (string == NULL) {
        hm_text_put(json, "null");
        return;
    }
    const unsigned char *text = (const unsigned char *)string;
    hm_text_put(json, "\"");
    while (*text != '\0') {
        size_t size = report_json_measure(text);
        if (size == 0)
            hm_text_put(json, "\\ufffd");
        else if (*text < 0x20 || *text == '"' || *text == '\\')
            hm_text_put(json, "\\u%04x", (unsigned)*text);
        else
            report_json_character(json, (const char *)text, size);
        text += size != 0 ? size : 1;
    }
    hm_text_put(json, "\"");
}

/* The slots of a container and how often each has been issued, which is its generation. The upper
 * half of a handle has the generation in its lower bits, and so has an entry of a pool. */
typedef struct report_slots {
    const void *entries; /* one behind the other */
    size_t size;         /* bytes of an entry: 4, or 8 of which the upper half counts */
    uint32_t count;
} report_slots;

static uint32_t report_generation(const report_slots *slots, uint32_t slot)
{
    if (slots->size == sizeof(hm_handle))
        return hm_handle_generation(((const hm_handle *)slots->entries)[slot]);
    return ((const uint32_t *)slots->entries)[slot] & HM_HANDLE_MAX_GENERATION;
}

/* Only some slots are looked at, evenly spread, so that the cost has a bound. */
static void report_put_wear(hm_text *json, report_slots slots)
{
    enum { MOST = 4096, BITS = 16 };
    HM_STATIC_ASSERT(HM_HANDLE_MAX_GENERATION >> BITS == 0, "a count for each length");
    uint32_t counts[BITS] = {0};
    uint32_t step = slots.count / MOST + (slots.count % MOST != 0), seen = 0;
    for (uint64_t slot = 0; slot < slots.count; slot += step, seen++) {
        uint32_t generation = report_generation(&slots, (uint32_t)slot);
        counts[hm_bits_highest(generation | 1)]++; /* A damaged one may be 0. */
    }
    hm_text_put(json, ", \"wear\": {\"slots\": %" HM_U32 ", \"counts\": [", seen);
    for (uint32_t i = 0; i < BITS; i++)
        hm_text_put(json, "%s%" HM_U32, i != 0 ? ", " : "", counts[i]);
    hm_text_put(json, "]}");
}

static void report_put_ids(hm_text *json, const hm_id_table *ids)
{
    report_put_wear(json, (report_slots){ids->entries, sizeof *ids->entries, ids->slot_count});
}

/* Of a container that has never been put in order nothing is known. */
static void report_put_order(hm_text *json, const hm_order_state *order)
{
    if (hm_order_managed(order) != 0)
        hm_text_put(json, ", \"in_order\": %" HM_U32, hm_order_clean(order));
}

void hm_report_put_map(hm_text *json, const void *container)
{
    const hm_map *map = container;
    report_put_ids(json, &map->ids);
    report_put_order(json, map->order);
}

void hm_report_put_table(hm_text *json, const void *container)
{
    const hm_table *table = container;
    report_put_ids(json, &table->ids);
    report_put_order(json, table->order);
}

void hm_report_put_secondary(hm_text *json, const void *container)
{
    report_put_order(json, ((const hm_secondary *)container)->order);
}

static uint32_t report_ones(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* How many items each part of the slots has. A part is whole words of 64 slots. */
void hm_report_put_pool(hm_text *json, const void *container)
{
    enum { PARTS = 64 }; /* at most */
    const hm_pool *pool = container;
    report_put_wear(json, (report_slots){pool->entries, sizeof *pool->entries, pool->slot_count});
    uint32_t slots = hm_pool_get_stats(pool).slots;
    uint32_t words = slots / 64 + (slots % 64 != 0);
    uint32_t part = words <= PARTS ? 1 : words / PARTS + (words % PARTS != 0);
    uint64_t live;
    uint32_t word = hm_pool_next_word(pool, 0, &live);
    hm_text_put(json, ", \"occupancy\": {\"slots\": %" HM_U32 ", \"counts\": [", 64 * part);
    for (uint32_t first = 0; first < words; first += part) {
        uint32_t count = 0;
        for (; word < first + part; word = hm_pool_next_word(pool, word + 1, &live))
            count += report_ones(live);
        hm_text_put(json, "%s%" HM_U32, first != 0 ? ", " : "", count);
    }
    hm_text_put(json, "]}");
}

void hm_report_put_lists(hm_text *json, const void *container)
{
    const hm_lists *lists = container;
    report_put_ids(json, &lists->ids);
    hm_text_put(json, ", \"items\": %" HM_U64 ", \"item_size\": %zu, \"blocks_size\": %" HM_U64,
                hm_lists_item_count(lists), lists->blocks.item_size,
                (uint64_t)lists->blocks.end << lists->blocks.unit_shift);
}

/* A component without a name is its number. */
static void report_json_component(hm_text *json, const hm_world *world, uint32_t number)
{
    const char *name = hm_world_record(world, number)->name;
    if (name != NULL)
        hm_report_put_string(json, name);
    else
        hm_text_put(json, "%" HM_U32, number);
}

static void report_json_archetype(hm_text *json, const hm_world *world,
                                  const hm_world_archetype *archetype)
{
    hm_text_put(json, "\n {\"components\": [");
    for (uint32_t i = 0; i < archetype->set_count; i++) {
        hm_text_put(json, "%s", i != 0 ? ", " : "");
        report_json_component(json, world, archetype->set[i]);
    }
    hm_text_put(json, "], \"count\": %" HM_U32 ", \"chunks\": %" HM_U32 "}", archetype->count,
                archetype->chunk_count);
}

void hm_report_put_world(hm_text *json, const void *container)
{
    const hm_world *world = container;
    const char *comma = "";
    report_put_ids(json, &world->ids);
    hm_text_put(json, ", \"archetypes\": [");
    for (uint32_t i = 0; i < world->archetype_array.count; i++) {
        if (!world->archetypes[i].is_alive)
            continue;
        hm_text_put(json, "%s", comma);
        report_json_archetype(json, world, &world->archetypes[i]);
        comma = ",";
    }
    hm_text_put(json, "], \"sparse\": [");
    comma = "";
    for (uint32_t number = 0; number < world->component_count; number++) {
        if (!hm_world_is_sparse(world, number))
            continue;
        hm_text_put(json, "%s\n {\"component\": ", comma);
        report_json_component(json, world, number);
        hm_text_put(json, ", \"count\": %" HM_U32 "}",
                    hm_secondary_count(hm_world_sparse(world, number)));
        comma = ",";
    }
    hm_text_put(json, "]");
}

void hm_report_put_sizes(hm_text *json, size_t committed, size_t reserved)
{
    hm_text_put(json, ", \"committed_size\": %zu, \"reserved_size\": %zu", committed, reserved);
}

void hm_report_put_container(hm_text *json, const hm_report_entry *entry, const hm_stats *stats)
{
    hm_text_put(json, "{\"id\": %" HM_U32 ", \"kind\": \"%s\", \"name\": ", entry->id,
                entry->kind->word);
    hm_report_put_string(json, entry->kind->get_name(entry->container));
    hm_text_put(json, ", \"type_id\": %" HM_U32 ", \"count\": %" HM_U32,
                entry->kind->get_type_id(entry->container), stats->count);
    hm_text_put(json, ", \"capacity\": %" HM_U32 ", \"slots\": %" HM_U32, stats->capacity,
                stats->slots);
    hm_text_put(json,
                ", \"max_slots\": %" HM_U32 ", \"free_slots\": %" HM_U32
                ", \"retired_slots\": %" HM_U32 ", \"promised_slots\": %" HM_U32,
                stats->max_slots, stats->free_slots, stats->retired_slots, stats->promised_slots);
    hm_report_put_sizes(json, stats->committed_size, stats->reserved_size);
    if (entry->kind->put_more != NULL)
        entry->kind->put_more(json, entry->container);
    hm_text_put(json, "}");
}

#endif
