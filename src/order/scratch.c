/* SPDX-License-Identifier: MIT */
/* order: the scratch memory of the lifted items. */
#include "order_internal.h"

#include "../array_private.h"
#include "../base_private.h"

enum {
    ORDER_KEPT_CELLS = 8192, /* 64 KiB of scratch memory are kept for the next round */
    ORDER_DIGIT_BITS = 11,   /* of a key: the tally has 8 KiB, and its lists fit a cache */
    ORDER_TALLY_SIZE = 1 << ORDER_DIGIT_BITS
};

static void *order_take_cells(uint64_t **cells, size_t count, size_t item_size)
{
    void *taken = *cells;
    *cells += (count * item_size + sizeof **cells - 1) / sizeof **cells;
    return taken;
}

/* The system's own memory is taken as huge pages if it fills half of one: touching and returning it
 * page by page costs more than sorting in it. */
static const hm_memory *order_choose_memory(const hm_memory *memory, size_t size)
{
    bool is_huge = memory == hm_memory_os() && size >= hm_memory_os_huge()->page_size / 2;
    return is_huge ? hm_memory_os_huge() : memory;
}

bool hm_order_begin_batch(hm_order_call *call, uint32_t capacity)
{
    hm_order_batch *batch = &call->state->batch;
    bool keyed = !call->state->is_arranging && call->state->order.key != NULL;
    size_t cells =
        (size_t)(capacity / 2 + 1) * 4 + (keyed ? (size_t)capacity * 2 + ORDER_TALLY_SIZE / 2 : 0);
    if (cells > batch->scratch.capacity) {
        hm_array_desc desc = {.item_size = sizeof(uint64_t)};
        desc.capacity = cells > ORDER_KEPT_CELLS ? cells : ORDER_KEPT_CELLS;
        desc.memory = order_choose_memory(call->sequence->memory, desc.capacity * sizeof(uint64_t));
        desc.commit_step = 1;
        hm_array_fini(&batch->scratch);
        if (hm_array_init(&batch->scratch, &desc) != HM_OK) {
            hm_forgive();
            return false;
        }
    }
    if (hm_array_commit(&batch->scratch, cells, false) != HM_OK) {
        hm_forgive(); /* Insertion sort does without it. */
        return false;
    }
    uint64_t *next = hm_array_data(&batch->scratch);
    batch->keys[0] = keyed ? order_take_cells(&next, capacity, sizeof(uint64_t)) : NULL;
    batch->keys[1] = keyed ? order_take_cells(&next, capacity, sizeof(uint64_t)) : NULL;
    batch->tally = keyed ? order_take_cells(&next, ORDER_TALLY_SIZE, sizeof(uint32_t)) : NULL;
    batch->items[0] = order_take_cells(&next, capacity, sizeof(uint32_t));
    batch->items[1] = order_take_cells(&next, capacity, sizeof(uint32_t));
    batch->queue = order_take_cells(&next, capacity, sizeof(uint32_t));
    batch->origins = order_take_cells(&next, capacity, sizeof(uint32_t));
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
