/* SPDX-License-Identifier: MIT */
/* secondary: the sparse column, from slots to positions, and the segments of it that have memory.
 */
#include "dense_private.h"

#include "../ids/ids_private.h"
#include "../memory/memory_private.h"

/* The bits of a byte of `segments`. */
enum {
    SECONDARY_COMMITTED = 1, /* the segment has memory */
    SECONDARY_USED = 2,      /* during a trim: and an owner has a slot there */
    SECONDARY_LEFT = 4       /* and memory in the range that it has left */
};

/* Bytes of a segment, unless a page is larger: large enough to make commits rare, and small enough
 * for the single owner with a high index. */
#ifndef HM_EXHAUSTIVE
#define SECONDARY_SEGMENT_SIZE ((size_t)64 << 10)
#endif

size_t hm_secondary_count_segments(hm_secondary *secondary, const hm_memory *memory)
{
    size_t size = memory->page_size;
    if (size < SECONDARY_SEGMENT_SIZE)
        size = SECONDARY_SEGMENT_SIZE;
    secondary->segment_shift = (uint16_t)hm_bits_highest(size / sizeof(uint32_t));
    return (((size_t)secondary->max_slots - 1) >> secondary->segment_shift) + 1;
}

static size_t secondary_segment_begin(const hm_secondary *secondary, size_t segment)
{
    return segment << secondary->segment_shift << 2;
}

/* Returns the bytes of a segment. The last one ends where the reservation does. */
static size_t secondary_segment_size(const hm_secondary *secondary, size_t segment)
{
    size_t size = secondary_segment_begin(secondary, 1);
    size_t left = secondary->reserved_size - secondary_segment_begin(secondary, segment);
    return size < left ? size : left;
}

static unsigned char *secondary_segment_at(const hm_secondary *secondary, size_t segment)
{
    return (unsigned char *)secondary->positions + secondary_segment_begin(secondary, segment);
}

/* Returns the slots of the segments before this one, as far as positions are reserved. */
static uint32_t secondary_slots_before(const hm_secondary *secondary, size_t segment)
{
    uint64_t end = (uint64_t)segment << secondary->segment_shift;
    uint64_t reserved = secondary->reserved_size / sizeof(uint32_t);
    if (end > reserved)
        end = reserved;
    return end < secondary->max_slots ? (uint32_t)end : secondary->max_slots;
}

static hm_status secondary_commit_segment(hm_secondary *secondary, size_t segment)
{
    size_t size = secondary_segment_size(secondary, segment);
    hm_status status = hm_memory_commit(secondary->value_array.memory,
                                        secondary_segment_at(secondary, segment), size, false);
    if (status != HM_OK)
        return status;
    secondary->positions_size += size;
    secondary->segments[segment] |= SECONDARY_COMMITTED;
    return HM_OK;
}

void hm_secondary_release_positions(const hm_secondary *secondary)
{
    const hm_memory *memory = secondary->value_array.memory;
    if (secondary->has_own_range)
        memory->release(memory->context, secondary->positions, secondary->reserved_size);
}

/* Gives `wide` memory for the segments that have some, and copies them. */
static hm_status secondary_copy_segments(const hm_secondary *secondary, hm_secondary *wide)
{
    hm_status status = HM_OK;
    for (size_t segment = 0; segment < secondary->segment_array.count && status == HM_OK;
         segment++) {
        if (secondary->segments[segment] == 0)
            continue;
        status = secondary_commit_segment(wide, segment);
        if (status == HM_OK)
            memcpy(secondary_segment_at(wide, segment), secondary_segment_at(secondary, segment),
                   secondary_segment_size(secondary, segment));
    }
    return status;
}

/* Returns the secondary as if its segments were in the range that it has left. */
static hm_secondary secondary_as_before(const hm_secondary *secondary)
{
    hm_secondary before = *secondary;
    size_t slots = hm_id_table_first_slots(secondary->capacity, secondary->max_slots);
    before.positions = secondary->left;
    before.reserved_size =
        hm_memory_round_up(sizeof(uint32_t) * slots, secondary->value_array.memory->page_size);
    return before;
}

size_t hm_secondary_left_size(const hm_secondary *secondary)
{
    if (secondary->left == NULL)
        return 0;
    hm_secondary before = secondary_as_before(secondary);
    size_t left = 0;
    for (size_t segment = 0; segment < before.segment_array.count; segment++)
        if ((before.segments[segment] & SECONDARY_LEFT) != 0)
            left += secondary_segment_size(&before, segment);
    return left;
}

/* Gives back the marked segments of the range that a secondary has left. After a failure the next
 * trim goes on. */
static hm_status secondary_leave_segments(hm_secondary *secondary)
{
    if (secondary->left == NULL)
        return HM_OK;
    hm_secondary before = secondary_as_before(secondary);
    for (size_t segment = 0; segment < before.segment_array.count; segment++) {
        if ((before.segments[segment] & SECONDARY_LEFT) == 0)
            continue;
        hm_status status =
            hm_memory_decommit(before.value_array.memory, secondary_segment_at(&before, segment),
                               secondary_segment_size(&before, segment));
        if (status != HM_OK)
            return status;
        before.segments[segment] &= SECONDARY_COMMITTED;
    }
    secondary->left = NULL;
    return HM_OK;
}

hm_status hm_secondary_widen(hm_secondary *secondary, uint32_t slots)
{
    size_t space = secondary->reserved_size / sizeof(uint32_t);
    size_t wider = hm_array_wider(space, slots, secondary->max_slots);
    if (wider == space)
        return HM_OK;
    hm_array range = {0};
    const hm_array_column column = {
        .array = &range, .desc = {sizeof(uint32_t), 0, wider, 0, secondary->value_array.memory}};
    hm_status status = hm_array_init_columns(&column, 1, false);
    if (status != HM_OK)
        return status;
    hm_secondary wide = *secondary;
    wide.positions = hm_array_data(&range);
    wide.positions_size = 0;
    wide.reserved_size = range.range_size;
    wide.has_own_range = true;
    status = secondary_copy_segments(secondary, &wide);
    if (status != HM_OK) {
        hm_secondary_release_positions(&wide);
        return status;
    }
    if (secondary->has_own_range) {
        hm_secondary_release_positions(secondary);
        *secondary = wide;
        return HM_OK;
    }
    wide.left = secondary->positions;
    for (size_t segment = 0; segment < secondary->segment_array.count; segment++)
        if (secondary->segments[segment] != 0)
            secondary->segments[segment] |= SECONDARY_LEFT;
    *secondary = wide;
    return secondary_leave_segments(secondary);
}

/* The first segment brings the bytes of all: a page is enough for 64 million slots. */
hm_status hm_secondary_prepare_slot(hm_secondary *secondary, uint32_t slot)
{
    size_t segment = (size_t)slot >> secondary->segment_shift;
    hm_status status = HM_OK;
    if (secondary->segment_array.count == 0)
        status = hm_array_resize(&secondary->segment_array, secondary->segment_array.capacity);
    if (status == HM_OK && secondary->segments[segment] == 0)
        status = secondary_commit_segment(secondary, segment);
    if (status == HM_OK && slot >= secondary->slot_end)
        secondary->slot_end = secondary_slots_before(secondary, segment + 1);
    return status;
}

/* Decommits a segment that no owner uses, and takes the mark of a used one back. */
static hm_status secondary_trim_segment(hm_secondary *secondary, size_t segment)
{
    if (secondary->segments[segment] != SECONDARY_COMMITTED)
        return HM_OK;
    size_t size = secondary_segment_size(secondary, segment);
    hm_status status = hm_memory_decommit(secondary->value_array.memory,
                                          secondary_segment_at(secondary, segment), size);
    if (status == HM_OK) {
        secondary->segments[segment] = 0;
        secondary->positions_size -= size;
    }
    return status;
}

hm_status hm_secondary_trim_segments(hm_secondary *secondary)
{
    hm_status status = secondary_leave_segments(secondary);
    if (status != HM_OK)
        return status;
    for (uint32_t i = 0; i < secondary->count; i++) {
        uint32_t slot = hm_handle_index(secondary->owners[i]);
        secondary->segments[(size_t)slot >> secondary->segment_shift] |= SECONDARY_USED;
    }
    size_t end = 0;
    for (size_t segment = 0; segment < secondary->segment_array.count; segment++) {
        if (status == HM_OK)
            status = secondary_trim_segment(secondary, segment);
        secondary->segments[segment] &= SECONDARY_COMMITTED;
        if (secondary->segments[segment] != 0)
            end = segment + 1;
    }
    if (end == 0)
        (void)hm_array_resize(&secondary->segment_array, 0); /* It shrinks. */
    secondary->slot_end = secondary_slots_before(secondary, end);
    return status == HM_OK ? hm_array_trim(&secondary->segment_array) : status;
}

bool hm_secondary_segments_are_valid(const hm_secondary *secondary)
{
    size_t size = 0;
    if (hm_secondary_moves_to_grow(secondary))
        return secondary->segments[0] != 0 && secondary->segments[1] != 0;
    for (size_t segment = 0; segment < secondary->segment_array.count; segment++) {
        if ((secondary->segments[segment] & ~SECONDARY_LEFT) > SECONDARY_COMMITTED)
            return false;
        if (secondary->segments[segment] != 0)
            size += secondary_segment_size(secondary, segment);
    }
    return size == secondary->positions_size &&
           (secondary->slot_end == 0 ||
            hm_secondary_has_segment(secondary, secondary->slot_end - 1));
}
