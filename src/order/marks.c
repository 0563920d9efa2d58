/* SPDX-License-Identifier: MIT */
/* order: the marks, 2 bits for each position, read and written a word of 32 at a time. */
#include "order_internal.h"

#include "../array_private.h"
#include "../base_private.h"

static const uint64_t order_low_bits = UINT64_MAX / 3; /* the lower bit of each mark */

/* One bit for each position whose mark is not clean. */
static uint64_t order_dirty_bits(uint64_t word)
{
    return (word | word >> 1) & order_low_bits;
}

bool hm_order_seek(hm_order_call *call, uint32_t *at, uint32_t end, bool clean)
{
    while (*at < end) {
        if (!hm_order_may_work(call))
            return false;
        uint32_t index = *at / HM_MARKS_PER_WORD, bit = *at % HM_MARKS_PER_WORD;
        uint64_t bits = order_dirty_bits(call->state->marks[index]) ^ (clean ? order_low_bits : 0);
        bits >>= bit * 2;
        uint32_t distance = bits != 0 ? hm_bits_lowest(bits) / 2 : HM_MARKS_PER_WORD - bit;
        *at = distance < end - *at ? *at + distance : end;
        if (bits != 0)
            break;
    }
    return true;
}

bool hm_order_seek_down(hm_order_call *call, uint32_t *end, uint32_t begin)
{
    while (*end > begin) {
        if (!hm_order_may_work(call))
            return false;
        uint32_t top = *end - 1;
        uint32_t bit = top % HM_MARKS_PER_WORD;
        uint64_t bits =
            order_dirty_bits(call->state->marks[top / HM_MARKS_PER_WORD]) ^ order_low_bits;
        bits <<= (HM_MARKS_PER_WORD - 1 - bit) * 2;
        uint32_t distance = bits != 0 ? (63 - hm_bits_highest(bits)) / 2 : bit + 1;
        *end = distance < *end - begin ? *end - distance : begin;
        if (bits != 0)
            break;
    }
    return true;
}

void hm_order_set_marks(hm_order_state *state, uint32_t begin, uint32_t end, hm_mark mark)
{
    while (begin < end) {
        if (begin % HM_MARKS_PER_WORD == 0 && end - begin >= HM_MARKS_PER_WORD) {
            state->marks[begin / HM_MARKS_PER_WORD] = order_low_bits * mark;
            begin += HM_MARKS_PER_WORD;
        } else {
            hm_order_set_mark(state, begin++, mark);
        }
    }
}

void hm_order_set_cursor(hm_order_state *state, uint32_t cursor)
{
    state->cursor = cursor;
    uint32_t bit = cursor % HM_MARKS_PER_WORD;
    if (bit != 0)
        state->marks[cursor / HM_MARKS_PER_WORD] &= ~(UINT64_MAX << bit * 2);
}

void hm_order_widen_pending(hm_order_state *state, uint32_t begin, uint32_t end)
{
    if (state->pending_end == 0 || begin < state->pending_begin)
        state->pending_begin = begin;
    if (end > state->pending_end)
        state->pending_end = end;
}

void hm_order_set_pending(hm_order_state *state, uint32_t index)
{
    hm_order_set_mark(state, index, HM_MARK_PENDING);
    hm_order_widen_pending(state, index, index + 1);
}

bool hm_order_cover(hm_order_call *call, uint32_t count)
{
    hm_order_state *state = call->state;
    size_t words = count / HM_MARKS_PER_WORD + 1; /* The cursor needs a word even at the end. */
    if (words <= state->mark_array.limit)
        return true;
    if (state->mark_array.data == NULL) {
        hm_array_desc desc = {.item_size = sizeof(uint64_t), .memory = call->sequence->memory};
        desc.capacity = call->sequence->capacity / HM_MARKS_PER_WORD + 1;
        if (hm_array_init(&state->mark_array, &desc) != HM_OK) {
            hm_forgive();
            return false;
        }
        state->marks = hm_array_data(&state->mark_array);
    }
    if (hm_array_commit(&state->mark_array, words, true) == HM_OK)
        return true;
    hm_forgive(); /* Insertion sort does without. */
    return false;
}
