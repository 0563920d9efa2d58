/* SPDX-License-Identifier: MIT */
/* secondary: the sparse column, from slots to positions, and the pieces of it that have memory. */
#include "dense_private.h"

#include "../ids/ids_private.h"
#include "../memory/memory_private.h"

/* The bits of a byte of `pieces`. */
enum {
    SECONDARY_COMMITTED = 1, /* the piece has memory */
    SECONDARY_USED = 2,      /* during a trim: and an owner has a slot there */
    SECONDARY_LEFT = 4       /* and memory in the range that it has left */
};

/* Bytes of a piece, unless a page is larger: large enough to make commits rare, and small enough
 * for the single owner with a high index. */
#ifndef HM_EXHAUSTIVE
#define SECONDARY_PIECE_SIZE ((size_t)64 << 10)
#endif

size_t hm_secondary_count_pieces(hm_secondary *secondary, const hm_memory *memory)
{
    size_t size = memory->page_size;
    if (size < SECONDARY_PIECE_SIZE)
        size = SECONDARY_PIECE_SIZE;
    secondary->piece_shift = (uint16_t)hm_bits_highest(size / sizeof(uint32_t));
    return (((size_t)secondary->max_slots - 1) >> secondary->piece_shift) + 1;
}

static size_t secondary_piece_begin(const hm_secondary *secondary, size_t piece)
{
    return piece << secondary->piece_shift << 2;
}

/* Returns the bytes of a piece. The last one ends where the reservation does. */
static size_t secondary_piece_size(const hm_secondary *secondary, size_t piece)
{
    size_t size = secondary_piece_begin(secondary, 1);
    size_t left = secondary->reserved_size - secondary_piece_begin(secondary, piece);
    return size < left ? size : left;
}

static unsigned char *secondary_piece_at(const hm_secondary *secondary, size_t piece)
{
    return (unsigned char *)secondary->positions + secondary_piece_begin(secondary, piece);
}

/* Returns the slots of the pieces before this one, as far as positions are reserved. */
static uint32_t secondary_slots_before(const hm_secondary *secondary, size_t piece)
{
    uint64_t end = (uint64_t)piece << secondary->piece_shift;
    uint64_t reserved = secondary->reserved_size / sizeof(uint32_t);
    if (end > reserved)
        end = reserved;
    return end < secondary->max_slots ? (uint32_t)end : secondary->max_slots;
}

static hm_status secondary_commit_piece(hm_secondary *secondary, size_t piece)
{
    size_t size = secondary_piece_size(secondary, piece);
    hm_status status = hm_memory_commit(secondary->value_array.memory,
                                        secondary_piece_at(secondary, piece), size, false);
    if (status != HM_OK)
        return status;
    secondary->positions_size += size;
    secondary->pieces[piece] |= SECONDARY_COMMITTED;
    return HM_OK;
}

void hm_secondary_release_positions(const hm_secondary *secondary)
{
    const hm_memory *memory = secondary->value_array.memory;
    if (secondary->has_own_range)
        memory->release(memory->context, secondary->positions, secondary->reserved_size);
}

/* Gives `wide` memory for the pieces that have some, and copies them. */
static hm_status secondary_copy_pieces(const hm_secondary *secondary, hm_secondary *wide)
{
    hm_status status = HM_OK;
    for (size_t piece = 0; piece < secondary->piece_array.count && status == HM_OK; piece++) {
        if (secondary->pieces[piece] == 0)
            continue;
        status = secondary_commit_piece(wide, piece);
        if (status == HM_OK)
            memcpy(secondary_piece_at(wide, piece), secondary_piece_at(secondary, piece),
                   secondary_piece_size(secondary, piece));
    }
    return status;
}

/* Returns the secondary as if its pieces were in the range that it has left. */
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
    for (size_t piece = 0; piece < before.piece_array.count; piece++)
        if ((before.pieces[piece] & SECONDARY_LEFT) != 0)
            left += secondary_piece_size(&before, piece);
    return left;
}

/* Gives back the marked pieces of the range that a secondary has left. After a failure the next
 * trim goes on. */
static hm_status secondary_leave_pieces(hm_secondary *secondary)
{
    if (secondary->left == NULL)
        return HM_OK;
    hm_secondary before = secondary_as_before(secondary);
    for (size_t piece = 0; piece < before.piece_array.count; piece++) {
        if ((before.pieces[piece] & SECONDARY_LEFT) == 0)
            continue;
        hm_status status =
            hm_memory_decommit(before.value_array.memory, secondary_piece_at(&before, piece),
                               secondary_piece_size(&before, piece));
        if (status != HM_OK)
            return status;
        before.pieces[piece] &= SECONDARY_COMMITTED;
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
    status = secondary_copy_pieces(secondary, &wide);
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
    for (size_t piece = 0; piece < secondary->piece_array.count; piece++)
        if (secondary->pieces[piece] != 0)
            secondary->pieces[piece] |= SECONDARY_LEFT;
    *secondary = wide;
    return secondary_leave_pieces(secondary);
}

/* The first piece brings the bytes of all: a page is enough for 64 million slots. */
hm_status hm_secondary_prepare_slot(hm_secondary *secondary, uint32_t slot)
{
    size_t piece = (size_t)slot >> secondary->piece_shift;
    hm_status status = HM_OK;
    if (secondary->piece_array.count == 0)
        status = hm_array_resize(&secondary->piece_array, secondary->piece_array.capacity);
    if (status == HM_OK && secondary->pieces[piece] == 0)
        status = secondary_commit_piece(secondary, piece);
    if (status == HM_OK && slot >= secondary->slot_end)
        secondary->slot_end = secondary_slots_before(secondary, piece + 1);
    return status;
}

/* Decommits a piece that no owner uses, and takes the mark of a used one back. */
static hm_status secondary_trim_piece(hm_secondary *secondary, size_t piece)
{
    if (secondary->pieces[piece] != SECONDARY_COMMITTED)
        return HM_OK;
    size_t size = secondary_piece_size(secondary, piece);
    hm_status status = hm_memory_decommit(secondary->value_array.memory,
                                          secondary_piece_at(secondary, piece), size);
    if (status == HM_OK) {
        secondary->pieces[piece] = 0;
        secondary->positions_size -= size;
    }
    return status;
}

hm_status hm_secondary_trim_pieces(hm_secondary *secondary)
{
    hm_status status = secondary_leave_pieces(secondary);
    if (status != HM_OK)
        return status;
    for (uint32_t i = 0; i < secondary->count; i++) {
        uint32_t slot = hm_handle_index(secondary->owners[i]);
        secondary->pieces[(size_t)slot >> secondary->piece_shift] |= SECONDARY_USED;
    }
    size_t end = 0;
    for (size_t piece = 0; piece < secondary->piece_array.count; piece++) {
        if (status == HM_OK)
            status = secondary_trim_piece(secondary, piece);
        secondary->pieces[piece] &= SECONDARY_COMMITTED;
        if (secondary->pieces[piece] != 0)
            end = piece + 1;
    }
    if (end == 0)
        (void)hm_array_resize(&secondary->piece_array, 0); /* It shrinks. */
    secondary->slot_end = secondary_slots_before(secondary, end);
    return status == HM_OK ? hm_array_trim(&secondary->piece_array) : status;
}

bool hm_secondary_pieces_are_valid(const hm_secondary *secondary)
{
    size_t size = 0;
    if (hm_secondary_moves_to_grow(secondary))
        return secondary->pieces[0] != 0 && secondary->pieces[1] != 0;
    for (size_t piece = 0; piece < secondary->piece_array.count; piece++) {
        if ((secondary->pieces[piece] & ~SECONDARY_LEFT) > SECONDARY_COMMITTED)
            return false;
        if (secondary->pieces[piece] != 0)
            size += secondary_piece_size(secondary, piece);
    }
    return size == secondary->positions_size &&
           (secondary->slot_end == 0 || hm_secondary_has_piece(secondary, secondary->slot_end - 1));
}
