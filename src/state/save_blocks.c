/* SPDX-License-Identifier: MIT */
/* save: where the blocks of lists are, so that after a load lists go on as if there had been none.
 *
 * The payload has the blocks in the order of their addresses. The head of each: whose it is, in
 * `id_size` bytes, and 4 bytes with the number of its items. Bit 31 of these says that the block
 * has a power of two of units, and a byte with the logarithm follows. A free block has 0 items and
 * bit 31 not set; then its units stand in place of the owner, and 4 bytes follow: the unit of the
 * next free block of its class, or 0.
 *
 * Where units have another size, the range is too small, or nearly all of it is free, a load makes
 * exact blocks behind one another instead, as a defragment leaves them. Files of 0.3 have only
 * those. */
#include "../lists/lists_private.h"
#include "state_private.h"

#include "../base/base_private.h"

enum { BLOCKS_COUNT = 4, BLOCKS_LOG = 1, BLOCKS_NEXT = 4 /* bytes */ };

/* A block is at most half of what HM_LISTS_EXACT leaves room for. */
enum { BLOCKS_MOST_LOG = 30 };

/* A file may lie: blocks of lists must take one in so many units, beyond a few. */
enum { BLOCKS_FEW = 1 << 20, BLOCKS_SPREAD = 64 };

#define BLOCKS_POWER (UINT32_C(1) << 31)

static bool blocks_have_power(const hm_lists_block *block)
{
    return !hm_lists_is_free(block) && (block->size & HM_LISTS_EXACT) == 0;
}

uint32_t hm_save_describe_blocks(hm_save_section *section, const hm_lists_blocks *blocks)
{
    uint32_t *numbers = section->details + section->detail_count, owned = 0;
    section->detail_count += HM_SAVE_BLOCKS_DETAILS;
    numbers[HM_SAVE_UNIT_SIZE] = UINT32_C(1) << blocks->unit_shift;
    numbers[HM_SAVE_END] = blocks->end;
    numbers[HM_SAVE_CURSOR] = blocks->cursor;
    if (blocks->unit_array.moves_to_grow)
        numbers[HM_SAVE_SPACE] = blocks->space;
    numbers[HM_SAVE_IS_JOINED] = blocks->is_joined;
    for (uint32_t unit = 1; unit < blocks->end; unit = hm_lists_end_of(blocks, unit)) {
        const hm_lists_block *block = hm_lists_block_at(blocks, unit);
        owned += !hm_lists_is_free(block);
        numbers[HM_SAVE_FREE_BLOCKS] += hm_lists_is_free(block);
        numbers[HM_SAVE_POWERS] += blocks_have_power(block);
    }
    return owned;
}

uint64_t hm_save_size_of_blocks(const hm_save_section *section, uint32_t first, uint32_t id_size,
                                uint32_t owned)
{
    uint64_t head = id_size + BLOCKS_COUNT, size = head * owned;
    if (section->detail_count == first)
        return size;
    const uint32_t *numbers = section->details + first;
    return size + (uint64_t)BLOCKS_LOG * numbers[HM_SAVE_POWERS] +
           (head + BLOCKS_NEXT) * numbers[HM_SAVE_FREE_BLOCKS];
}

void hm_save_block(hm_save_out *out, const hm_lists_blocks *blocks, uint32_t unit, uint64_t id,
                   uint32_t id_size)
{
    const hm_lists_block *block = hm_lists_block_at(blocks, unit);
    const bool is_free = hm_lists_is_free(block), has_power = blocks_have_power(block);
    unsigned char *at = out->buffer + id_size;
    uint32_t count = is_free ? 0 : hm_lists_record_of(blocks, block->slot)->count;
    hm_save_put_64(out->buffer, is_free ? block->size : id); /* its upper half may be overwritten */
    hm_save_put_32(at, count | (has_power ? BLOCKS_POWER : 0));
    at += BLOCKS_COUNT;
    if (has_power)
        *at++ = (unsigned char)hm_bits_highest(block->size);
    if (is_free) {
        hm_save_put_32(at, hm_lists_next_free(blocks, unit));
        at += BLOCKS_NEXT;
    }
    hm_save_write(out, out->buffer, (size_t)(at - out->buffer));
}

/* load */

hm_status hm_load_check_blocks(hm_load *load, uint32_t first, uint32_t owned, uint64_t items,
                               bool is_alike)
{
    hm_save_in *in = &load->in;
    const uint32_t *numbers = in->section.details + first;
    hm_load_blocks *of = &load->blocks;
    const hm_lists_blocks *blocks = of->blocks;
    of->owned = owned;
    of->reaches_cursor = true;
    if (in->section.format == 1 && in->section.detail_count == first)
        return HM_OK;
    of->numbers = numbers;
    of->free = numbers[HM_SAVE_FREE_BLOCKS];
    of->powers = numbers[HM_SAVE_POWERS];
    if (in->section.detail_count != first + HM_SAVE_BLOCKS_DETAILS || of->powers > owned ||
        numbers[HM_SAVE_CURSOR] == 0 || numbers[HM_SAVE_CURSOR] > numbers[HM_SAVE_END] ||
        (numbers[HM_SAVE_SPACE] != 0 && numbers[HM_SAVE_END] > numbers[HM_SAVE_SPACE]) ||
        numbers[HM_SAVE_IS_JOINED] > 1)
        return hm_load_disagree(in);
    uint64_t most = BLOCKS_FEW + BLOCKS_SPREAD * (owned + hm_lists_units_of(blocks, items));
    of->is_kept = is_alike && numbers[HM_SAVE_UNIT_SIZE] == UINT32_C(1) << blocks->unit_shift &&
                  numbers[HM_SAVE_END] <= most &&
                  (blocks->unit_array.moves_to_grow || numbers[HM_SAVE_END] <= blocks->space);
    of->reaches_cursor = numbers[HM_SAVE_CURSOR] == numbers[HM_SAVE_END];
    return HM_OK;
}

/* Makes room for units up to `wanted`. While lists are loaded `end` is not in the struct. */
static hm_status blocks_open(hm_load *load, uint64_t wanted)
{
    hm_lists_blocks *blocks = load->blocks.blocks;
    if (load->blocks.is_kept && wanted > load->blocks.numbers[HM_SAVE_END])
        return hm_load_fail(&load->in, HM_ERROR_CORRUPT, 0, "a block is behind the end of all");
    blocks->end = load->opened;
    hm_status status = hm_lists_open_units(blocks, wanted - load->opened);
    blocks->end = 1;
    if (status == HM_OK)
        load->opened = (uint32_t)wanted;
    return status;
}

/* Whether a free block may be at the end of those that were read. */
static bool blocks_may_be_free(const hm_load_blocks *of, uint32_t unit, uint32_t size,
                               uint32_t next)
{
    bool is_joined = of->numbers[HM_SAVE_IS_JOINED] != 0;
    uint32_t left = of->numbers[HM_SAVE_END] - unit;
    return unit >= of->numbers[HM_SAVE_CURSOR] && size != 0 && size <= left &&
           (size != 1 || next == 0) && !(is_joined && (of->was_free || size == left));
}

/* Notes the unit of a free block that is in the list of a class. */
static hm_status blocks_note(hm_load_blocks *of, uint32_t unit)
{
    const hm_array_desc desc = {.item_size = sizeof unit, .memory = of->blocks->unit_array.memory};
    hm_status status = of->units.data == NULL ? hm_array_init(&of->units, &desc) : HM_OK;
    uint32_t *place = status == HM_OK ? hm_array_push(&of->units) : NULL;
    if (place == NULL)
        return status == HM_OK ? HM_ERROR_MEMORY : status;
    *place = unit;
    return HM_OK;
}

static hm_status blocks_load_free(hm_load *load, uint32_t size)
{
    hm_load_blocks *of = &load->blocks;
    hm_save_in *in = &load->in;
    uint32_t unit = load->opened;
    if (!hm_load_read(in, in->buffer, BLOCKS_NEXT))
        return in->status;
    uint32_t next = hm_load_32(in->buffer);
    if (of->free-- == 0)
        return hm_load_disagree(in);
    if (!of->is_kept)
        return HM_OK;
    if (!blocks_may_be_free(of, unit, size, next))
        return hm_load_fail(in, HM_ERROR_CORRUPT, BLOCKS_NEXT,
                            "unit %" HM_U32 " cannot begin a free block", unit);
    hm_status status = size > 1 ? blocks_note(of, unit) : HM_OK;
    if (status == HM_OK)
        status = blocks_open(load, (uint64_t)unit + size);
    if (status == HM_OK)
        hm_lists_put_free(of->blocks, unit, size, next);
    of->was_free = true;
    return status;
}

/* Reads the logarithm of a block's units, and checks that so many items fit. Where blocks are not
 * kept, it becomes an exact one. */
static hm_status blocks_load_power(hm_load *load, hm_load_block *block)
{
    hm_load_blocks *of = &load->blocks;
    hm_save_in *in = &load->in;
    if (!hm_load_read(in, in->buffer, BLOCKS_LOG))
        return in->status;
    uint32_t log = in->buffer[0];
    if (of->powers-- == 0)
        return hm_load_disagree(in);
    block->head += BLOCKS_LOG;
    if (!of->is_kept)
        return HM_OK;
    if (log == 0 || log > BLOCKS_MOST_LOG || load->opened < of->numbers[HM_SAVE_CURSOR] ||
        (block->count == 0 && of->numbers[HM_SAVE_IS_JOINED] != 0) ||
        hm_lists_units_of(of->blocks, block->count) > UINT32_C(1) << log)
        return hm_load_fail(in, HM_ERROR_CORRUPT, BLOCKS_LOG,
                            "%" HM_U32 " items cannot have a block of 2^%" HM_U32 " units",
                            block->count, log);
    block->size = UINT32_C(1) << log;
    return HM_OK;
}

/* All blocks have been read. */
static hm_status blocks_load_end(hm_load *load)
{
    hm_load_blocks *of = &load->blocks;
    if (of->powers != 0)
        return hm_load_disagree(&load->in);
    if (!of->is_kept)
        return HM_OK;
    if (load->opened == of->numbers[HM_SAVE_END] && of->reaches_cursor &&
        hm_lists_link_free(of->blocks, hm_array_data(&of->units), (uint32_t)of->units.count))
        return HM_OK;
    return hm_load_fail(&load->in, HM_ERROR_CORRUPT, 0,
                        "its free blocks are no lists, or its blocks end elsewhere");
}

hm_status hm_load_next_block(hm_load *load, uint32_t id_size, hm_load_block *block)
{
    hm_load_blocks *of = &load->blocks;
    hm_save_in *in = &load->in;
    hm_status status = HM_OK;
    *block = (hm_load_block){.head = id_size + BLOCKS_COUNT};
    while (status == HM_OK && (of->owned | of->free) != 0) {
        of->reaches_cursor = of->reaches_cursor ||
                             (of->numbers != NULL && load->opened == of->numbers[HM_SAVE_CURSOR]);
        if (!hm_load_read(in, in->buffer, block->head))
            return in->status;
        uint32_t count = hm_load_32(in->buffer + id_size);
        uint64_t id = id_size == 8 ? hm_load_64(in->buffer) : hm_load_32(in->buffer);
        if (count == 0) {
            status = blocks_load_free(load, (uint32_t)id);
            continue;
        }
        block->id = id;
        block->count = count & ~BLOCKS_POWER;
        if (of->owned-- == 0)
            return hm_load_disagree(in);
        of->was_free = false;
        block->is_there = true;
        return count != block->count ? blocks_load_power(load, block) : HM_OK;
    }
    return status == HM_OK ? blocks_load_end(load) : status;
}

hm_status hm_load_open_block(hm_load *load, const hm_load_block *block, uint32_t unit,
                             uint64_t count)
{
    uint64_t units = block->size != 0 ? block->size : hm_lists_units_of(load->blocks.blocks, count);
    return unit + units > load->opened ? blocks_open(load, unit + units) : HM_OK;
}

void hm_load_publish_blocks(hm_load *load, uint64_t items)
{
    const hm_load_blocks *of = &load->blocks;
    hm_lists_publish_blocks(of->blocks, load->opened, items);
    if (!of->is_kept)
        return;
    of->blocks->cursor = of->numbers[HM_SAVE_CURSOR];
    of->blocks->is_joined = of->numbers[HM_SAVE_IS_JOINED] != 0;
    if (of->blocks->unit_array.moves_to_grow && of->numbers[HM_SAVE_SPACE] != 0)
        of->blocks->space = of->numbers[HM_SAVE_SPACE];
}
