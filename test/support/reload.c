/* SPDX-License-Identifier: MIT */
#include "reload.h"

#include "../../src/world/world_private.h"
#include "file.h"

#include <handle_map/hash.h>

#include <string.h>

/* Two, which keep their memory. */
static test_file first, second;

static hm_sink emptied(test_file *file)
{
    file->size = 0;
    return test_sink(file);
}

/* `again` has been initialised. */
#define RELOAD(kind, made, again)                                                                  \
    do {                                                                                           \
        CHECK(hm_##kind##_save(made, NULL, emptied(&first)) == HM_OK);                             \
        CHECK(hm_##kind##_load(&(again), NULL, test_source(&first)) == HM_OK);                     \
        CHECK(hm_##kind##_validate(&(again)) == HM_OK && first.position == first.size);            \
        CHECK(hm_##kind##_save(&(again), NULL, emptied(&second)) == HM_OK);                        \
        CHECK(first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0);    \
    } while (0)

/* The same items once more, under new handles. */
#define MERGE(kind, again)                                                                         \
    do {                                                                                           \
        uint32_t before = hm_##kind##_count(&(again));                                             \
        hm_status status = hm_##kind##_merge(&(again), NULL, test_source(&first), NULL);           \
        CHECK(status == HM_OK || status == HM_ERROR_FULL);                                         \
        CHECK(hm_##kind##_count(&(again)) == (status == HM_OK ? 2 * before : before));             \
        CHECK(hm_##kind##_validate(&(again)) == HM_OK);                                            \
    } while (0)
#define MERGE_NOTHING(kind, again) (void)(again)

#define RELOADS(kind, merges, without_hooks)                                                       \
    void test_reload_##kind(const hm_##kind *kind, const hm_##kind##_desc *desc)                   \
    {                                                                                              \
        hm_##kind again;                                                                           \
        hm_##kind##_desc with = *desc;                                                             \
        with.memory = hm_memory_heap();                                                            \
        without_hooks;                                                                             \
        CHECK(hm_##kind##_init(&again, &with) == HM_OK);                                           \
        RELOAD(kind, kind, again);                                                                 \
        merges(kind, again);                                                                       \
        hm_##kind##_fini(&again);                                                                  \
    }

RELOADS(map, MERGE, (with.destroy = NULL, with.relocate = NULL))
RELOADS(pool, MERGE, with.destroy = NULL)
RELOADS(table, MERGE, with.destroy = NULL)
RELOADS(secondary, MERGE_NOTHING, with.destroy = NULL)
RELOADS(lists, MERGE, with.destroy = NULL)
RELOADS(index, MERGE_NOTHING, (void)0)

/* Some scripts make many components without a name of their own: no file can tell them apart. */
void test_reload_world(const hm_world *world)
{
    hm_world again;
    if (hm_world_save(world, NULL, emptied(&first)) == HM_ERROR_INVALID &&
        strstr(hm_last_error(), " name") != NULL)
        return;
    CHECK(hm_world_init_like(&again, world) == HM_OK);
    again.clock = 0; /* as that of a new one */
    for (uint32_t i = 0; i < again.component_count; i++)
        hm_world_record(&again, i)->destroy = NULL;
    RELOAD(world, world, again);
    MERGE(world, again);
    hm_world_fini(&again);
}

/* tallies */

static bool is_open;
static test_reload_tallies tallies;

void test_reload_open(void)
{
    CHECK(!is_open);
    is_open = true;
    tallies = (test_reload_tallies){.made = {0, 0}};
}

test_reload_tallies test_reload_close(void)
{
    CHECK(is_open);
    is_open = false;
    return tallies;
}

static void tally(test_tally *of, const hm_hash *hash)
{
    of->count++;
    of->sum += hm_hash_end(hash);
}

void test_reload_made(const void *value, size_t size)
{
    hm_hash hash = {0};
    hm_hash_add(&hash, value, size);
    tally(&tallies.made, &hash);
}

void test_reload_made_row(void *const *cells, const size_t *sizes, uint32_t columns)
{
    hm_hash hash = {0};
    for (uint32_t c = 0; c < columns; c++)
        hm_hash_add(&hash, cells[c], sizes[c]);
    tally(&tallies.made, &hash);
}

bool test_reload_counts(const void *value, size_t size)
{
    hm_hash hash = {0};
    if (!is_open)
        return false;
    hm_hash_add(&hash, value, size);
    tally(&tallies.destroyed, &hash);
    return true;
}

bool test_reload_counts_row(const hm_table *table, uint32_t row)
{
    hm_hash hash = {0};
    if (!is_open)
        return false;
    for (uint32_t c = 0; c < table->column_count; c++)
        hm_hash_add(&hash, hm_table_cell(table, row, c), table->columns[c].size);
    tally(&tallies.destroyed, &hash);
    return true;
}
