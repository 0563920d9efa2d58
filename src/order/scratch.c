/* SPDX-License-Identifier: MIT */
/* order: the scratch memory of the lifted items. */
#include "order_internal.h"

#include "../base/base_private.h"
#include "../memory/memory_private.h"

#ifndef HM_EXHAUSTIVE
enum {
    ORDER_KEPT_CELLS = 8192, /* 64 KiB of scratch memory are kept for the next round */
    ORDER_DIGIT_BITS = 11    /* of a key: the tally has 8 KiB, and its lists fit a cache */
};
#endif
enum { ORDER_TALLY_SIZE = 1 << ORDER_DIGIT_BITS };

/* Lists are in whole cells. */
static size_t order_cells(size_t count, size_t item_size)
{
    return (count * item_size + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static void *order_take_cells(uint64_t **cells, size_t count, size_t item_size)
{
    void *taken = *cells;
    *cells += order_cells(count, item_size);
    return taken;
}

/* The system's own memory is taken as huge pages if it fills half of one: touching and returning it
 * page by page costs more than sorting in it. */
static const hm_memory *order_choose_memory(const hm_memory *memory, size_t size)
{
    bool is_huge = memory == hm_memory_os() && size >= hm_memory_os_huge()->page_size / 2;
    return is_huge ? hm_memory_os_huge() : memory;
}

/* Makes the array of cells large enough. */
static bool order_commit_cells(hm_order_call *call, size_t cells)
{
    hm_array *scratch = &call->state->batch.scratch;
    if (cells > scratch->capacity) {
        hm_array_desc desc = {.item_size = sizeof(uint64_t)};
        desc.capacity = cells;
        /* Containers divide scarce addresses, and most containers are small. */
        if (cells < ORDER_KEPT_CELLS && hm_memory_is_ample(call->sequence->memory))
            desc.capacity = ORDER_KEPT_CELLS;
        desc.memory = order_choose_memory(call->sequence->memory, desc.capacity * sizeof(uint64_t));
        desc.commit_step = 1;
        hm_array_fini(scratch);
        if (hm_array_init(scratch, &desc) != HM_OK)
            return false;
    }
    return hm_array_commit(scratch, cells, false) == HM_OK;
}

/* Besides the two lists of items there are two arrays for each item, of `size` bytes in each: keys
 * or copies, if there are any, and later the queue and its origins. */
static bool order_divide_scratch(hm_order_call *call, uint32_t capacity, size_t size, bool is_keyed)
{
    hm_order_batch *batch = &call->state->batch;
    size_t cells = 2 * order_cells(capacity, size) + 2 * order_cells(capacity, sizeof(uint32_t));
    if (is_keyed)
        cells += order_cells(ORDER_TALLY_SIZE, sizeof(uint32_t));
    if (!order_commit_cells(call, cells))
        return false;
    uint64_t *next = hm_array_data(&batch->scratch);
    for (uint32_t i = 0; i < 2; i++) {
        void *beside = order_take_cells(&next, capacity, size);
        batch->keys[i] = is_keyed ? beside : NULL;
        batch->copies[i] = beside;
        batch->items[i] = order_take_cells(&next, capacity, sizeof(uint32_t));
    }
    batch->queue = (uint32_t *)(void *)batch->copies[0];
    batch->origins = (uint32_t *)(void *)batch->copies[1];
    batch->tally = is_keyed ? order_take_cells(&next, ORDER_TALLY_SIZE, sizeof(uint32_t)) : NULL;
    return true;
}

/* The order's type may be larger than the items. Copies that are larger than the space between them
 * would reach beyond the last one. */
static size_t order_choose_copy_size(const hm_order_call *call)
{
    const hm_order *order = &call->state->order;
    if (call->state->is_arranging || order->loops == NULL)
        return 0;
    size_t stride;
    hm_sequence_run(call->sequence, 0, &stride);
    return order->loops->copy_size <= stride ? order->loops->copy_size : 0;
}

bool hm_order_begin_batch(hm_order_call *call, uint32_t capacity)
{
    hm_order_batch *batch = &call->state->batch;
    bool is_keyed = !call->state->is_arranging && call->state->order.key != NULL;
    size_t least = is_keyed ? sizeof(uint64_t) : sizeof(uint32_t);
    batch->copy_size = order_choose_copy_size(call);
    size_t size = batch->copy_size > least ? batch->copy_size : least;
    if (!order_divide_scratch(call, capacity, size, is_keyed)) {
        if (size == least)
            return false;
        hm_restore_last_error(); /* There is a way without copies. */
        if (!order_divide_scratch(call, capacity, least, is_keyed))
            return false;
        batch->copy_size = 0;
    }
    batch->tally_bits = ORDER_DIGIT_BITS;
    batch->capacity = capacity;
    batch->count = batch->next = batch->current = 0;
    return true;
}

void hm_order_end_batch(hm_order_state *state)
{
    if (state->batch.scratch.capacity > ORDER_KEPT_CELLS)
        hm_array_fini(&state->batch.scratch);
}

void hm_order_append(hm_order_call *call, uint32_t position, uint32_t name)
{
    hm_order_batch *batch = &call->state->batch;
    batch->items[0][batch->count++] = name;
    hm_order_set_mark(call->state, position, HM_MARK_LIFTED);
}
