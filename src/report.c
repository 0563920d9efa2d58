/* SPDX-License-Identifier: MIT */
/* report: a list of entries, and what each kind of container tells about itself. */
#include "memory/poison_private.h"

#include "base_private.h"

#ifndef HM_FREESTANDING

#include <handle_map/report.h>

#include "announce_private.h"
#include "atomic_private.h"
#include "pool/pool_private.h"
#include "sink_private.h"
#include "world/world_private.h"

#include <inttypes.h>

/* What the report asks of a container. */
typedef struct hm_report_kind {
    const char *word;
    hm_stats (*get_stats)(const void *container);
    const char *(*get_name)(const void *container);
    uint32_t (*get_type_id)(const void *container);
    void (*put_more)(hm_text *json, const void *container); /* fields of its own; or NULL */
} hm_report_kind;

static hm_report_entry *report_first;

/* How many inits are reading the list now, in any thread. The highest bit says that the list is
 * being changed: then an init does not read it. */
static uint32_t report_readers;
#define REPORT_IS_CHANGING UINT32_C(0x80000000)

static void report_end_reading(void)
{
    (void)hm_atomic_add(&report_readers, UINT32_MAX);
}

static bool report_begin_reading(void)
{
    if ((hm_atomic_add(&report_readers, 1) & REPORT_IS_CHANGING) == 0)
        return true;
    report_end_reading();
    return false;
}

static void report_begin_change(void)
{
    while (!hm_atomic_exchange_if(&report_readers, 0, REPORT_IS_CHANGING))
        ;
}

static void report_end_change(void)
{
    /* The bit is the highest, so adding it again clears it. */
    (void)hm_atomic_add(&report_readers, REPORT_IS_CHANGING);
}

/* Called by each init. A listed container is alive or zeroed, so it may be read. After it has
 * ended, its memory may be that of another kind, so the address alone does not say which one it is.
 */
static void report_hear_init(const char *kind, const void *container)
{
    if (!report_begin_reading())
        return;
    for (hm_report_entry *entry = report_first; entry != NULL; entry = entry->next) {
        if (entry->container != container || strcmp(entry->kind->word, kind) != 0)
            continue;
        hm_stats stats = entry->kind->get_stats(container);
        entry->leaks += stats.capacity != 0;
        entry->leaked_committed += stats.committed_size;
        entry->leaked_reserved += stats.reserved_size;
    }
    report_end_reading();
}

/* The link at which the search ends is where the entry goes. */
static hm_status report_add(hm_report_entry *entry, const hm_report_kind *kind,
                            const void *container)
{
    hm_report_entry **link = &report_first;
    for (; *link != NULL; link = &(*link)->next)
        if (*link == entry || (*link)->container == container)
            return hm_fail(HM_ERROR_INVALID, "the report has this entry or this %s already",
                           kind->word);
    *entry = (hm_report_entry){.kind = kind, .container = container};
    hm_announce_to(report_hear_init);
    report_begin_change();
    *link = entry;
    report_end_change();
    return HM_OK;
}

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

static void report_json_string(hm_text *json, const char *string)
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

static uint32_t report_ones(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* How many items each part of the slots has. A part is whole words of 64 slots. */
static void report_json_pool(hm_text *json, const void *container)
{
    enum { PARTS = 64 }; /* at most */
    const hm_pool *pool = container;
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

static void report_json_lists(hm_text *json, const void *container)
{
    const hm_lists *lists = container;
    hm_text_put(json, ", \"items\": %" HM_U64, hm_lists_item_count(lists));
}

/* A component without a name is its number. */
static void report_json_component(hm_text *json, const hm_world *world, uint32_t number)
{
    const char *name = hm_world_record(world, number)->name;
    if (name != NULL)
        report_json_string(json, name);
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

static void report_json_world(hm_text *json, const void *container)
{
    const hm_world *world = container;
    const char *comma = "";
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

/* All that a kind of container needs, and its hm_report_add. */
#define REPORT_KIND(container, its_type_id, put_more)                                              \
    static hm_stats report_stats_of_##container(const void *asked)                                 \
    {                                                                                              \
        return hm_##container##_get_stats(asked);                                                  \
    }                                                                                              \
    static const char *report_name_of_##container(const void *asked)                               \
    {                                                                                              \
        return ((const hm_##container *)asked)->name;                                              \
    }                                                                                              \
    static uint32_t report_type_id_of_##container(const void *asked)                               \
    {                                                                                              \
        const hm_##container *container = asked;                                                   \
        return its_type_id;                                                                        \
    }                                                                                              \
    static const hm_report_kind report_##container = {#container, report_stats_of_##container,     \
                                                      report_name_of_##container,                  \
                                                      report_type_id_of_##container, put_more};    \
    hm_status hm_report_add_##container(hm_report_entry *entry, const hm_##container *container)   \
    {                                                                                              \
        HM_CONTRACT(entry != NULL, "hm_report_add_" #container ": entry is NULL");                 \
        HM_CONTRACT(container != NULL, "hm_report_add_" #container ": " #container " is NULL");    \
        return report_add(entry, &report_##container, container);                                  \
    }

REPORT_KIND(index, index->owners.type_id, NULL)
REPORT_KIND(lists, lists->ids.type_id, report_json_lists)
REPORT_KIND(map, map->ids.type_id, NULL)
REPORT_KIND(pool, hm_pool_type_id(pool), report_json_pool)
REPORT_KIND(table, table->ids.type_id, NULL)
REPORT_KIND(secondary, secondary->type_id, NULL)
REPORT_KIND(world, world->ids.type_id, report_json_world)

hm_status hm_report_remove(hm_report_entry *entry)
{
    HM_CONTRACT(entry != NULL, "hm_report_remove: entry is NULL");
    for (hm_report_entry **link = &report_first; *link != NULL; link = &(*link)->next) {
        if (*link != entry)
            continue;
        report_begin_change();
        *link = entry->next;
        report_end_change();
        *entry = (hm_report_entry){.next = NULL};
        return HM_OK;
    }
    return hm_fail(HM_ERROR_INVALID, "the report does not have this entry");
}

static uint64_t report_kib(size_t size)
{
    return (uint64_t)size / 1024 + (size % 1024 != 0);
}

static void report_line(FILE *file, const hm_report_entry *entry, const hm_stats *stats)
{
    uint64_t per_mille = (uint64_t)stats->slots * 1000 / stats->max_slots;
    fprintf(file,
            "%-9s %10" PRIu32 " %10" PRIu32 " %7" PRIu64 ".%" PRIu64 "%% %7" PRIu32 " %13" PRIu64
            " %12" PRIu64 "  %s\n",
            entry->kind->word, stats->count, stats->capacity, per_mille / 10, per_mille % 10,
            stats->retired_slots, report_kib(stats->committed_size),
            report_kib(stats->reserved_size), entry->kind->get_name(entry->container));
}

static void report_leak(FILE *file, const hm_report_entry *entry)
{
    const char *name = entry->kind->get_name(entry->container);
    fprintf(file,
            "leaked: %s %s was initialised again while alive, %" PRIu32
            " time%s; committed %" PRIu64 " KiB, reserved %" PRIu64 " KiB\n",
            entry->kind->word, name != NULL ? name : "(finished)", entry->leaks,
            entry->leaks == 1 ? "" : "s", report_kib(entry->leaked_committed),
            report_kib(entry->leaked_reserved));
}

/* Returns how often listed containers were initialised while alive. */
static uint32_t report_leaks(FILE *file)
{
    uint32_t leaks = 0;
    for (const hm_report_entry *entry = report_first; entry != NULL; entry = entry->next) {
        leaks += entry->leaks;
        if (file != NULL && entry->leaks != 0)
            report_leak(file, entry);
    }
    return leaks;
}

uint32_t hm_report(FILE *file)
{
    uint32_t alive = 0;
    hm_stats sum = {0};
    for (const hm_report_entry *entry = report_first; entry != NULL; entry = entry->next) {
        hm_stats stats = entry->kind->get_stats(entry->container);
        if (stats.capacity == 0) /* never initialised, or finished */
            continue;
        if (file != NULL && alive == 0)
            fprintf(file, "%-9s %10s %10s %10s %7s %13s %12s  %s\n", "kind", "items", "capacity",
                    "slots used", "retired", "committed KiB", "reserved KiB", "name");
        if (file != NULL)
            report_line(file, entry, &stats);
        alive++;
        sum.committed_size += stats.committed_size;
        sum.reserved_size += stats.reserved_size;
    }
    if (file != NULL)
        fprintf(file,
                "containers alive: %" PRIu32 "; committed %" PRIu64 " KiB, reserved %" PRIu64
                " KiB\n",
                alive, report_kib(sum.committed_size), report_kib(sum.reserved_size));
    return alive + report_leaks(file);
}

void hm_report_leaks(void)
{
    if (hm_report(NULL) != 0)
        hm_report(stderr);
}

static void report_json_sizes(hm_text *json, size_t committed, size_t reserved)
{
    hm_text_put(json, ", \"committed_size\": %zu, \"reserved_size\": %zu", committed, reserved);
}

static void report_json_container(hm_text *json, const hm_report_entry *entry,
                                  const hm_stats *stats)
{
    hm_text_put(json, "{\"kind\": \"%s\", \"name\": ", entry->kind->word);
    report_json_string(json, entry->kind->get_name(entry->container));
    hm_text_put(json, ", \"type_id\": %" HM_U32 ", \"count\": %" HM_U32,
                entry->kind->get_type_id(entry->container), stats->count);
    hm_text_put(json, ", \"capacity\": %" HM_U32 ", \"slots\": %" HM_U32, stats->capacity,
                stats->slots);
    hm_text_put(json,
                ", \"max_slots\": %" HM_U32 ", \"free_slots\": %" HM_U32
                ", \"retired_slots\": %" HM_U32,
                stats->max_slots, stats->free_slots, stats->retired_slots);
    report_json_sizes(json, stats->committed_size, stats->reserved_size);
    if (entry->kind->put_more != NULL)
        entry->kind->put_more(json, entry->container);
    hm_text_put(json, "}");
}

hm_status hm_report_json(hm_sink sink)
{
    HM_CONTRACT(sink.write != NULL, "hm_report_json: the sink has no function");
    hm_text json = {.sink = sink};
    const char *comma = "";
    hm_text_put(&json, "{\"version\": \"%s\", \"containers\": [", hm_version());
    for (const hm_report_entry *entry = report_first; entry != NULL; entry = entry->next) {
        hm_stats stats = entry->kind->get_stats(entry->container);
        if (stats.capacity == 0)
            continue;
        hm_text_put(&json, "%s\n", comma);
        report_json_container(&json, entry, &stats);
        comma = ",";
    }
    hm_text_put(&json, "], \"leaks\": [");
    comma = "";
    for (const hm_report_entry *entry = report_first; entry != NULL; entry = entry->next) {
        if (entry->leaks == 0)
            continue;
        hm_text_put(&json, "%s\n{\"kind\": \"%s\", \"name\": ", comma, entry->kind->word);
        report_json_string(&json, entry->kind->get_name(entry->container));
        hm_text_put(&json, ", \"times\": %" HM_U32, entry->leaks);
        report_json_sizes(&json, entry->leaked_committed, entry->leaked_reserved);
        hm_text_put(&json, "}");
        comma = ",";
    }
    hm_text_put(&json, "]}\n");
    return hm_text_end(&json);
}

#endif
