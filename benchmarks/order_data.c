/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L

#include "order_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int compare(const void *a, const void *b, void *context)
{
    const struct order_item *x = a, *y = b;
    (void)context;
    return (x->key > y->key) - (x->key < y->key);
}

static uint64_t key(const void *item, void *context)
{
    (void)context;
    return ((const struct order_item *)item)->key;
}

const hm_order order_by_compare = {.compare = compare};
const hm_order order_by_key = {.key = key};

#ifdef WITH_STANDARD
const bool order_has_standard_sort = true;
#else
const bool order_has_standard_sort = false;

void order_standard_sort(struct order_item *items, size_t count)
{
    (void)items;
    (void)count;
}
#endif

/* splitmix64 (Steele, Lea and Flood, 2014). */
uint64_t order_random(struct order_data *data)
{
    uint64_t z = data->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

double order_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void stop(const char *why)
{
    fprintf(stderr, "order_benchmark: %s\n", why);
    exit(1);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = malloc(count * size);
    if (memory == NULL)
        stop("out of memory");
    return memory;
}

static uint32_t below(struct order_data *data, uint32_t bound)
{
    return (uint32_t)(order_random(data) % bound);
}

static void disorder_keys(struct order_data *data, enum order_disorder disorder, double share)
{
    struct order_item *items = hm_map_items(&data->map);
    uint32_t count = data->count;
    uint32_t changed = (uint32_t)(share * count + 0.5);
    for (uint32_t i = 0; i < changed; i++) {
        struct order_item *item = &items[below(data, count)];
        uint32_t other = i + below(data, count - i);
        uint32_t waiting = items[i].key;
        switch (disorder) {
        case ORDER_SHUFFLED:
            items[i].key = items[other].key;
            items[other].key = waiting;
            break;
        case ORDER_DISPLACED:
            item->key = below(data, count);
            break;
        case ORDER_APPENDED:
            items[count - 1 - i].key = below(data, count);
            break;
        case ORDER_NEARBY:
            item->key += below(data, 129);
            item->key = item->key > 64 ? item->key - 64 : 0;
            break;
        }
    }
}

void order_data_init(struct order_data *data, uint32_t count, enum order_disorder disorder,
                     double share, uint64_t seed)
{
    data->count = count;
    data->random = seed;
    data->handles = allocate(count, sizeof *data->handles);
    hm_map_desc desc = {
        .item_size = sizeof(struct order_item), .capacity = count, .type_id = 1, .name = "order"};
    if (hm_map_init(&data->map, &desc) != HM_OK ||
        hm_map_insert_n(&data->map, NULL, count, data->handles) != HM_OK)
        stop("out of memory");
    struct order_item *items = hm_map_items(&data->map);
    for (uint32_t i = 0; i < count; i++)
        items[i] = (struct order_item){i, i};
    disorder_keys(data, disorder, share);
}

void order_data_copy(const struct order_data *data, struct order_baseline *baseline)
{
    const struct order_item *items = hm_map_items(&data->map);
    baseline->count = data->count;
    baseline->items = allocate(data->count, sizeof *baseline->items);
    baseline->slots = allocate(data->count, sizeof *baseline->slots);
    baseline->entries = allocate(data->count, sizeof *baseline->entries);
    for (uint32_t i = 0; i < data->count; i++) {
        baseline->items[i] = items[i];
        baseline->slots[i] = i;
        baseline->entries[i] = (uint64_t)1 << 32 | i;
    }
}

void order_baseline_fini(struct order_baseline *baseline)
{
    free(baseline->items);
    free(baseline->slots);
    free(baseline->entries);
}

void order_data_fini(struct order_data *data)
{
    hm_map_fini(&data->map);
    free(data->handles);
}

void order_data_check(const struct order_data *data)
{
    const struct order_item *items = hm_map_items(&data->map);
    for (uint32_t i = 1; i < data->count; i++)
        if (items[i - 1].key > items[i].key ||
            (items[i - 1].key == items[i].key && items[i - 1].id > items[i].id))
            stop("the items are not in stable order");
    for (uint32_t id = 0; id < data->count; id++) {
        const struct order_item *item = hm_map_get(&data->map, data->handles[id]);
        if (item == NULL || item->id != id)
            stop("a handle does not find its item");
    }
}
