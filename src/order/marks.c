/* SPDX-License-Identifier: MIT */
/* order: the marks, 2 bits for each position, read and written a word of 32 at a time. */
#include "order_internal.h"

#include "../memory/memory_private.h"

static const uint64_t order_low_bits = UINT64_MAX / 3; /* the lower bit of each mark */

/* One bit for each position whose mark is not clean. */
static uint64_t order_dirty_bits(uint64_t word)
{
    return (word | word >> 1) & order_low_bits;
}

bool hm_order_seek(hm_order_call *call, uint32_t *at, uint32_t end, bool clean)
{
    const uint64_t *marks = call->state->marks, wrong = clean ? order_low_bits : 0;
    uint32_t next = *at;
    while (next < end) {
        if (!hm_order_may_work(call)) {
            *at = next;
            return false;
        }
        uint64_t bits = order_dirty_bits(marks[next / HM_MARKS_PER_WORD]) ^ wrong;
        bits >>= next % HM_MARKS_PER_WORD * 2;
        if (bits != 0) {
            next += hm_bits_lowest(bits) / 2;
            break;
        }
        next = hm_order_next_word(next, end);
    }
    if (*at < end)
        *at = next < end ? next : end;
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

/* The bits of the marks from `begin` on that are in its word and below `end`. */
static uint64_t order_part_of_word(uint32_t begin, uint32_t end)
{
    uint32_t bit = begin % HM_MARKS_PER_WORD;
    uint64_t part = UINT64_MAX << bit * 2;
    if (end - begin < HM_MARKS_PER_WORD - bit)
        part &= ~(UINT64_MAX << (bit + end - begin) * 2);
    return part;
}

/* Returns how many marks of a word are told by their lower bits. */
static uint32_t order_count(uint64_t bits)
{
    const uint64_t pairs = UINT64_MAX / 5, nibbles = UINT64_MAX / 17; /* the lower half of each */
    bits = (bits & pairs) + (bits >> 2 & pairs);
    bits = (bits & nibbles) + (bits >> 4 & nibbles);
    return (uint32_t)(bits * (UINT64_MAX / 255) >> 56); /* the sum of the bytes */
}

uint32_t hm_order_clean(const hm_order_state *state)
{
    uint32_t clean = hm_order_managed(state);
    for (uint32_t at = 0, end = clean; at < end; at = hm_order_next_word(at, end))
        clean -= order_count(hm_order_dirty_part(state, at, end));
    return clean;
}

bool hm_order_count_dirty(hm_order_call *call, uint32_t *at, uint32_t end, uint32_t *count)
{
    while (*at < end && call->max_work - call->work > HM_MARKS_PER_WORD) {
        uint32_t dirty = order_count(hm_order_dirty_part(call->state, *at, end));
        call->work += 1 + dirty;
        *count += dirty;
        *at = hm_order_next_word(*at, end);
    }
    for (;; ++*at, ++*count) {
        if (!hm_order_seek(call, at, end, false))
            return false;
        if (*at >= end)
            return true;
    }
}

uint64_t hm_order_dirty_part(const hm_order_state *state, uint32_t begin, uint32_t end)
{
    return order_dirty_bits(state->marks[begin / HM_MARKS_PER_WORD]) &
           order_part_of_word(begin, end);
}

bool hm_order_is_clean(const hm_order_state *state, uint32_t begin, uint32_t end)
{
    uint64_t dirty = 0;
    for (; begin < end; begin = hm_order_next_word(begin, end))
        dirty |= state->marks[begin / HM_MARKS_PER_WORD] & order_part_of_word(begin, end);
    return dirty == 0;
}

uint32_t hm_order_clean_above(const hm_order_state *state, uint32_t at, uint32_t most)
{
    uint32_t clean = 0;
    while (clean < most) {
        uint32_t bit = (at + clean) % HM_MARKS_PER_WORD;
        uint64_t bits = state->marks[(at + clean) / HM_MARKS_PER_WORD] >> bit * 2;
        clean += bits != 0 ? hm_bits_lowest(bits) / 2 : HM_MARKS_PER_WORD - bit;
        if (bits != 0)
            break;
    }
    return clean < most ? clean : most;
}

uint32_t hm_order_clean_below(const hm_order_state *state, uint32_t at, uint32_t most)
{
    uint32_t clean = 0;
    while (clean < most) {
        uint32_t bit = (at - clean - 1) % HM_MARKS_PER_WORD;
        uint64_t bits = state->marks[(at - clean - 1) / HM_MARKS_PER_WORD]
                        << (HM_MARKS_PER_WORD - 1 - bit) * 2;
        clean += bits != 0 ? (63 - hm_bits_highest(bits)) / 2 : bit + 1;
        if (bits != 0)
            break;
    }
    return clean < most ? clean : most;
}

void hm_order_set_marks(hm_order_state *state, uint32_t begin, uint32_t end, hm_mark mark)
{
    for (; begin < end; begin = hm_order_next_word(begin, end)) {
        uint64_t *word = &state->marks[begin / HM_MARKS_PER_WORD];
        uint64_t part = order_part_of_word(begin, end);
        *word = (*word & ~part) | (order_low_bits * mark & part);
    }
}

void hm_order_set_cursor(hm_order_state *state, uint32_t cursor)
{
    state->cursor = cursor;
    uint32_t bit = cursor % HM_MARKS_PER_WORD;
    if (bit != 0)
        state->marks[cursor / HM_MARKS_PER_WORD] &= ~(UINT64_MAX << bit * 2);
}

void hm_order_set_pending(hm_order_state *state, uint32_t index)
{
    hm_order_set_mark(state, index, HM_MARK_PENDING);
    if (state->pending_end == 0 || index < state->pending_begin)
        state->pending_begin = index;
    if (index >= state->pending_end)
        state->pending_end = index + 1;
}

/* The words of the range that are the state. */
enum { ORDER_STATE_WORDS = (sizeof(hm_order_state) + sizeof(uint64_t) - 1) / sizeof(uint64_t) };

/* Returns the words for the state and so many marks. The cursor needs one even at the end. */
static size_t order_words(uint32_t count)
{
    return ORDER_STATE_WORDS + (size_t)count / HM_MARKS_PER_WORD + 1;
}

hm_status hm_order_open(hm_order_state **place, const hm_sequence *sequence)
{
    hm_order_state *state = *place;
    hm_array *range = state != NULL ? &state->range : NULL;
    hm_array_desc desc = {.item_size = sizeof(uint64_t), .memory = sequence->memory};
    desc.capacity = order_words(sequence->capacity);
    hm_status status = hm_array_open(&range, &desc, order_words(sequence->count),
                                     state != NULL ? order_words(state->cursor) : 0);
    if (status != HM_OK)
        return status;
    *place = state = (hm_order_state *)(void *)range;
    state->marks = (uint64_t *)(void *)state + ORDER_STATE_WORDS;
    return HM_OK;
}

hm_status hm_order_shrink(hm_order_state *state, uint32_t count)
{
    state->range.count = order_words(count);
    return hm_array_decommit(&state->range);
}

void hm_order_release(hm_order_state **place)
{
    hm_array *range = *place != NULL ? &(*place)->range : NULL;
    hm_array_close(&range);
    *place = NULL;
}
