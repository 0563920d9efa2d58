/* SPDX-License-Identifier: MIT */
/* report: a list of entries, and what each kind of container tells about itself. */
#include "../base/base_private.h"

#ifndef HM_FREESTANDING

#include "state_private.h"

#include "../base/atomic_private.h"
#include "../ids/ids_private.h"
#include "../pool/pool_private.h"

#include <inttypes.h>

static hm_report_entry *report_first;
static uint32_t report_last_id;

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
            return hm_fail(
                HM_ERROR_INVALID,
                "hm_report_add_%s: the report has this entry or this %s already: remove it first",
                kind->word, kind->word);
    *entry = (hm_report_entry){.kind = kind, .container = container, .id = ++report_last_id};
    hm_announce_to(report_hear_init);
    report_begin_change();
    *link = entry;
    report_end_change();
    return HM_OK;
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
    static size_t report_describe_##container(const void *asked, hm_handle handle, char *buffer,   \
                                              size_t size)                                         \
    {                                                                                              \
        return hm_##container##_describe(asked, handle, buffer, size);                             \
    }                                                                                              \
    static hm_status report_dump_##container(const void *asked, const hm_dump_desc *desc,          \
                                             hm_sink sink)                                         \
    {                                                                                              \
        return hm_##container##_dump(asked, desc, sink);                                           \
    }                                                                                              \
    static const hm_report_kind report_##container = {#container,                                  \
                                                      report_stats_of_##container,                 \
                                                      report_name_of_##container,                  \
                                                      report_type_id_of_##container,               \
                                                      report_describe_##container,                 \
                                                      report_dump_##container,                     \
                                                      put_more};                                   \
    hm_status hm_report_add_##container(hm_report_entry *entry, const hm_##container *container)   \
    {                                                                                              \
        HM_CONTRACT(entry != NULL, "hm_report_add_" #container ": entry is NULL");                 \
        HM_CONTRACT(container != NULL, "hm_report_add_" #container ": " #container " is NULL");    \
        return report_add(entry, &report_##container, container);                                  \
    }

REPORT_KIND(index, index->owners.type_id, NULL)
REPORT_KIND(lists, lists->ids.type_id, hm_report_put_lists)
REPORT_KIND(map, map->ids.type_id, hm_report_put_map)
REPORT_KIND(pool, hm_pool_type_id(pool), hm_report_put_pool)
REPORT_KIND(table, table->ids.type_id, hm_report_put_table)
REPORT_KIND(secondary, secondary->type_id, hm_report_put_secondary)
REPORT_KIND(world, world->ids.type_id, hm_report_put_world)

/* Returns the link that leads to the entry, or NULL if it is not in the list. */
static hm_report_entry **report_link(const hm_report_entry *entry)
{
    for (hm_report_entry **link = &report_first; *link != NULL; link = &(*link)->next)
        if (*link == entry)
            return link;
    return NULL;
}

static hm_status report_fail_missing(void)
{
    return hm_fail(HM_ERROR_INVALID,
                   "the report does not have this entry: call hm_report_add_map or the like first");
}

hm_status hm_report_set_print(hm_report_entry *entry, const hm_dump_desc *desc)
{
    HM_CONTRACT(entry != NULL, "hm_report_set_print: entry is NULL");
    if (report_link(entry) == NULL)
        return report_fail_missing();
    entry->print = desc != NULL ? desc->print : NULL;
    entry->context = desc != NULL ? desc->context : NULL;
    return HM_OK;
}

hm_status hm_report_remove(hm_report_entry *entry)
{
    HM_CONTRACT(entry != NULL, "hm_report_remove: entry is NULL");
    hm_report_entry **link = report_link(entry);
    if (link == NULL)
        return report_fail_missing();
    report_begin_change();
    *link = entry->next;
    report_end_change();
    *entry = (hm_report_entry){.next = NULL};
    return HM_OK;
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
    if (file != NULL && hm_memory_os_kept() != 0)
        fprintf(file, "kept for the next: %" PRIu64 " KiB\n", report_kib(hm_memory_os_kept()));
    return alive + report_leaks(file);
}

void hm_report_leaks(void)
{
    if (hm_report(NULL) != 0)
        hm_report(stderr);
}

hm_status hm_report_json(hm_sink sink)
{
    HM_CONTRACT(sink.write != NULL, "hm_report_json: sink.write is NULL");
    hm_text json = {.sink = sink};
    const char *comma = "";
    hm_text_put(&json, "{\"version\": \"%s\", \"kept_size\": %zu, \"containers\": [", hm_version(),
                hm_memory_os_kept());
    for (const hm_report_entry *entry = report_first; entry != NULL; entry = entry->next) {
        hm_stats stats = entry->kind->get_stats(entry->container);
        if (stats.capacity == 0)
            continue;
        hm_text_put(&json, "%s\n", comma);
        hm_report_put_container(&json, entry, &stats);
        comma = ",";
    }
    hm_text_put(&json, "], \"leaks\": [");
    comma = "";
    for (const hm_report_entry *entry = report_first; entry != NULL; entry = entry->next) {
        if (entry->leaks == 0)
            continue;
        hm_text_put(&json, "%s\n{\"kind\": \"%s\", \"name\": ", comma, entry->kind->word);
        hm_report_put_string(&json, entry->kind->get_name(entry->container));
        hm_text_put(&json, ", \"times\": %" HM_U32, entry->leaks);
        hm_report_put_sizes(&json, entry->leaked_committed, entry->leaked_reserved);
        hm_text_put(&json, "}");
        comma = ",";
    }
    hm_text_put(&json, "]}\n");
    return hm_text_end(&json);
}

/* A container that has ended, or was never initialised, has no capacity. */
static bool report_is_alive(const hm_report_entry *entry)
{
    return entry->kind->get_stats(entry->container).capacity != 0;
}

hm_status hm_report_items(uint32_t id, const hm_dump_desc *part, hm_sink sink)
{
    HM_CONTRACT(sink.write != NULL, "hm_report_items: sink.write is NULL");
    const hm_report_entry *entry = report_first;
    while (entry != NULL && entry->id != id)
        entry = entry->next;
    if (entry == NULL || !report_is_alive(entry))
        return hm_fail(HM_ERROR_INVALID,
                       "hm_report_items: the report has no live container with the id %" HM_U32,
                       id);
    hm_dump_desc desc = part != NULL ? *part : (hm_dump_desc){0};
    if (desc.print == NULL) {
        desc.print = entry->print;
        desc.context = entry->context;
    }
    if (desc.most == 0 || desc.most > HM_REPORT_MOST_ITEMS)
        desc.most = HM_REPORT_MOST_ITEMS;
    return entry->kind->dump(entry->container, &desc, sink);
}

hm_status hm_report_describe(hm_handle handle, hm_sink sink)
{
    HM_CONTRACT(sink.write != NULL, "hm_report_describe: sink.write is NULL");
    hm_text text = {.sink = sink};
    char sentence[HM_TEXT_PART];
    bool is_known = false;
    for (const hm_report_entry *entry = report_first; entry != NULL; entry = entry->next) {
        if (!report_is_alive(entry) ||
            entry->kind->get_type_id(entry->container) != hm_handle_type_id(handle))
            continue;
        (void)entry->kind->describe(entry->container, handle, sentence, sizeof sentence);
        hm_text_put(&text, "%s, ", entry->kind->word);
        hm_text_put(&text, "%s\n", sentence);
        is_known = true;
    }
    if (!is_known)
        hm_text_put(&text,
                    "no live container of the report has handles with the type id %" HM_U32 "\n",
                    (uint32_t)hm_handle_type_id(handle));
    return hm_text_end(&text);
}

#endif
