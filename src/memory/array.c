/* SPDX-License-Identifier: MIT */
/* array: reserves, commits in steps, gives back; and moves the arrays of a container together.
 *
 * Every size is checked once, at init: the bytes of `capacity` items fit in size_t when rounded up
 * to pages, so that no later product overflows.
 *
 *     a range in steps                        a whole range
 *     | x x x x . . | y y y . . . | z z .     |x x x x .|y y y .|z z .|   all of it committed
 *     each from a page on                     small from a cache line on, large from a page on
 */
#include "../base/base_private.h"
#include "memory_private.h"

#include <handle_map/bits.h>

HM_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(hm_array) == 64, "containers have several");

/* Bytes. What is copied rather than remapped: into memory that the system has just given, a page of
 * which costs 1 to 13 us, or into memory that was kept, where a page costs 0.1 us. */
enum { ARRAY_COPY_SIZE = 128 << 10, ARRAY_WARM_COPY_SIZE = 1 << 20 };

/* Returns "item_" of "column 1 (x): item_", for a sentence that has said the rest already. */
static const char *array_last_word(const char *text)
{
    const char *word = text;
    for (; *text != '\0'; text++)
        if (*text == ' ')
            word = text + 1;
    return word;
}

hm_status hm_array_check_layout(size_t size, size_t align, const char *what)
{
    if (size == 0) { /* The status is a constant, so that analyzers see that none divides by 0. */
        (void)hm_fail(HM_ERROR_INVALID, "%ssize is 0", what);
        return HM_ERROR_INVALID;
    }
    if (align == 0)
        return HM_OK; /* natural alignment */
    if ((align & (align - 1)) != 0)
        return hm_fail(HM_ERROR_INVALID, "%salign %zu is not a power of two", what, align);
    if (align > HM_MEMORY_ALIGNMENT)
        return hm_fail(HM_ERROR_INVALID, "%salign %zu is above %u", what, align,
                       HM_MEMORY_ALIGNMENT);
    if (size % align == 0)
        return HM_OK;
    return hm_fail(HM_ERROR_INVALID, "%ssize %zu is not a multiple of %salign %zu", what, size,
                   array_last_word(what), align);
}

hm_status hm_array_check_size(size_t size, size_t count, const char *what, const hm_memory *memory)
{
    if (count <= (SIZE_MAX - (memory->page_size - 1)) / size) {
        if (size <= UINT32_MAX)
            return HM_OK;
        return hm_fail(HM_ERROR_INVALID, "%ssize %zu is above %" HM_U32, what, size, UINT32_MAX);
    }
    return hm_fail(HM_ERROR_INVALID, "%zu times %ssize %zu does not fit in size_t", count, what,
                   size);
}

static const hm_memory *array_memory_of(const hm_array_desc *desc)
{
    return desc->memory != NULL ? desc->memory : hm_memory_os();
}

/* Returns how many items the first range of an array without a capacity has space for. */
static size_t array_first_capacity(size_t item_size, const hm_memory *memory)
{
    size_t first = memory->page_size;
    if (first < HM_ARRAY_FIRST_SIZE)
        first = HM_ARRAY_FIRST_SIZE;
    return item_size < first ? first / item_size : 1;
}

static size_t array_capacity_of(const hm_array_desc *desc)
{
    return desc->capacity != 0 ? desc->capacity
                               : array_first_capacity(desc->item_size, array_memory_of(desc));
}

hm_status hm_array_check(const hm_array_desc *desc, const char *what)
{
    hm_status status = hm_memory_check(array_memory_of(desc));
    if (status == HM_OK)
        status = hm_array_check_layout(desc->item_size, desc->item_align, what);
    if (status == HM_OK)
        status = hm_array_check_size(desc->item_size, array_capacity_of(desc), what,
                                     array_memory_of(desc));
    return status;
}

static size_t array_align_of(const hm_array_desc *desc)
{
    return desc->item_align != 0 ? desc->item_align : hm_array_natural_align(desc->item_size);
}

static size_t array_size_of(const hm_array_desc *desc)
{
    return desc->item_size * array_capacity_of(desc);
}

/* Returns the unit in which a range in steps is laid out: whole pages that keep every alignment. */
static size_t array_unit_of(const hm_array_column *columns, uint32_t count)
{
    size_t unit = columns->desc.memory->page_size;
    for (uint32_t i = 0; i < count; i++)
        if (unit < array_align_of(&columns[i].desc))
            unit = array_align_of(&columns[i].desc);
    return unit;
}

/* Returns the unit for one column of a whole range. */
static size_t array_whole_unit_of(const hm_array_desc *desc)
{
    size_t unit = array_align_of(desc),
           size = hm_memory_round_up(array_size_of(desc), HM_ARRAY_LINE);
    if (unit < HM_ARRAY_LINE)
        unit = HM_ARRAY_LINE;
    if (hm_array_has_pages(size, desc->memory) && unit < desc->memory->page_size)
        unit = desc->memory->page_size;
    return unit;
}

/* Chooses where each column begins, in bytes from the start of the range, and returns the size of
 * the range. HM_ERROR_MEMORY: it does not fit in size_t. */
static hm_status array_lay_out(const hm_array_column *columns, uint32_t count, bool moves_to_grow,
                               size_t *offsets, size_t *total)
{
    /* The sum of two of these, and of the gaps, does not overflow. */
    const size_t most = SIZE_MAX / 2 - SIZE_MAX / 32;
    size_t unit = array_unit_of(columns, count), end = 0;
    for (uint32_t i = 0; i < count; i++) {
        const hm_array_desc *desc = &columns[i].desc;
        if (end > most || array_capacity_of(desc) > most / desc->item_size)
            return hm_fail_memory(HM_RESERVATION, SIZE_MAX);
        size_t own = moves_to_grow ? array_whole_unit_of(desc) : unit;
        offsets[i] = hm_memory_round_up(end, own);
        end = hm_memory_round_up(offsets[i] + array_size_of(desc), own);
    }
    *total = hm_memory_round_up(end, unit);
    return HM_OK;
}

void hm_array_place(const hm_array_column *column, unsigned char *data)
{
    const hm_array_desc *desc = &column->desc;
    hm_array *array = column->array;
    array->data = data;
    array->capacity = array_capacity_of(desc);
    array->item_size = (uint32_t)desc->item_size;
    array->align_shift = (uint8_t)hm_bits_highest(array_align_of(desc));
    if (desc->commit_step != 0)
        array->step_shift = (uint8_t)(1 + hm_bits_highest(2 * desc->commit_step - 1));
    array->memory = desc->memory;
    array->is_raw = column->is_visible;
}

/* Sets the limit: the number of whole items in the first `size` bytes. */
static void array_set_limit(hm_array *array, size_t size)
{
    size_t limit = size / array->item_size;
    array->limit = limit < array->capacity ? limit : array->capacity;
}

void hm_array_place_whole(const hm_array_column *column, unsigned char *data)
{
    hm_array *array = column->array;
    hm_array_place(column, data);
    size_t size = hm_memory_round_up(array_size_of(&column->desc), HM_ARRAY_LINE);
    array->moves_to_grow = true;
    array->committed_size = size;
    hm_memory_advise_large(array->memory, size, data, size);
    size_t used = column->desc.item_size * column->used;
    if (column->is_visible) {
        hm_memory_poison(data + used, size - used);
    } else if (column->parts == NULL) {
        if (hm_array_has_pages(size, array->memory)) /* The last page may be remapped whole. */
            size = hm_memory_round_up(size, array->memory->page_size);
        hm_memory_clear(array->memory, data + used, size - used);
    }
}

/* Reserves a range for columns, and commits it if it is a whole one. */
static hm_status array_reserve(const hm_array_column *columns, uint32_t count, bool moves_to_grow,
                               size_t *offsets, unsigned char **data, size_t *total)
{
    const hm_memory *memory = columns->desc.memory;
    hm_status status = array_lay_out(columns, count, moves_to_grow, offsets, total);
    if (status == HM_OK)
        status = hm_memory_reserve(memory, *total, data);
    if (status != HM_OK || !moves_to_grow)
        return status;
    status = hm_memory_commit(memory, *data, *total, true);
    if (status != HM_OK)
        memory->release(memory->context, *data, *total);
    return status;
}

size_t hm_array_whole_size(const hm_array_column *columns, uint32_t count)
{
    size_t offsets[HM_ARRAY_MAX_COLUMNS] = {0}, total = 0;
    (void)array_lay_out(columns, count, true, offsets, &total);
    return total;
}

/* Places new arrays in a whole range. */
static void array_place_all(const hm_array_column *columns, uint32_t count, unsigned char *data,
                            const size_t *offsets)
{
    for (uint32_t i = 0; i < count; i++) {
        hm_array_place_whole(&columns[i], data + offsets[i]);
        columns[i].array->limit = columns[i].array->capacity;
    }
}

void hm_array_place_columns(const hm_array_column *columns, uint32_t count, unsigned char *data)
{
    size_t offsets[HM_ARRAY_MAX_COLUMNS] = {0}, total = 0;
    (void)array_lay_out(columns, count, true, offsets, &total);
    array_place_all(columns, count, data, offsets);
}

hm_status hm_array_init_columns(const hm_array_column *columns, uint32_t count, bool moves_to_grow)
{
    size_t offsets[HM_ARRAY_MAX_COLUMNS] = {0}, total = 0;
    unsigned char *data = NULL;
    hm_status status = array_reserve(columns, count, moves_to_grow, offsets, &data, &total);
    if (status != HM_OK)
        return status;
    if (moves_to_grow)
        array_place_all(columns, count, data, offsets);
    for (uint32_t i = 0; i < count && !moves_to_grow; i++)
        hm_array_place(&columns[i], data + offsets[i]);
    columns->array->range_size = total;
    return HM_OK;
}

hm_array_column hm_array_column_of(hm_array *array, size_t used, bool is_visible)
{
    hm_array_column column = {.array = array, .used = used, .is_visible = is_visible};
    column.desc.item_size = array->item_size;
    column.desc.item_align = (size_t)1 << array->align_shift;
    column.desc.capacity = array->capacity;
    column.desc.memory = array->memory;
    return column;
}

/* Whether to copy so many bytes although their pages could be remapped. Memory that is kept is warm
 * only as long as it has its pages: for a container that is made again and again a copy is cheaper,
 * as long as the pause is short. */
static bool array_copies(const hm_array *to, size_t size)
{
    return hm_memory_is_keeping(to->memory) &&
           (size <= ARRAY_COPY_SIZE ||
            (size <= ARRAY_WARM_COPY_SIZE && hm_memory_is_kept(to->data)));
}

void hm_array_transfer(const hm_array *from, const hm_array *to, size_t size)
{
    const hm_memory *memory = to->memory;
    if (memory->remap != NULL && from->moves_to_grow && !array_copies(to, size) &&
        hm_array_has_pages(from->committed_size, memory) &&
        hm_array_has_pages(to->committed_size, memory) && size >= HM_ARRAY_REMAP_SIZE / 2 &&
        memory->remap(memory->context, from->data, to->data,
                      hm_memory_round_up(size, memory->page_size)))
        return;
    memcpy(to->data, from->data, size);
}

hm_status hm_array_move_columns(const hm_array_column *columns, uint32_t count)
{
    const bool moves_to_grow = columns->array->moves_to_grow;
    hm_array others[HM_ARRAY_MAX_COLUMNS]; /* the new ones, and then the old ones */
    hm_array_column moved[HM_ARRAY_MAX_COLUMNS] = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        const hm_array *array = columns[i].array;
        others[i] = (hm_array){
            .count = array->count, .step_shift = array->step_shift, .is_alone = array->is_alone};
        moved[i] = columns[i];
        moved[i].array = &others[i];
    }
    hm_status status = hm_array_init_columns(moved, count, moves_to_grow);
    for (uint32_t i = 0; i < count && status == HM_OK && !moves_to_grow; i++)
        status = hm_array_commit(&others[i], columns[i].used, false);
    if (status != HM_OK) {
        hm_array_fini(others);
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        hm_array *array = columns[i].array, before = *array;
        hm_memory_unpoison(before.data, before.committed_size);
        *array = others[i];
        others[i] = before;
        /* What was ready stays so; the rest becomes resident part by part. */
        if (moves_to_grow && array->limit > before.limit)
            array->limit = before.limit;
        if (columns[i].parts != NULL)
            columns[i].parts->transfer(columns[i].owner);
        else
            hm_array_transfer(&before, array, array->item_size * columns[i].used);
    }
    for (uint32_t i = count; i-- > 0;) /* The range is the first one's. */
        hm_array_fini(&others[i]);
    return HM_OK;
}

size_t hm_array_factor(const hm_memory *memory, size_t size)
{
    return size <= memory->page_size && hm_memory_is_ample(memory) ? 16 : 2;
}

/* Returns the capacity that an array grows to, for at least `need` items. */
static size_t array_grown(const hm_array *array, size_t need)
{
    size_t grown = array->capacity * hm_array_factor(array->memory, array->committed_size);
    return grown > need ? grown : need;
}

hm_status hm_array_widen(hm_array *array, size_t need, size_t used)
{
    hm_array before = *array;
    hm_array_column column = hm_array_column_of(array, used, false);
    column.desc.capacity = array_grown(array, need);
    hm_status status = hm_array_move_columns(&column, 1);
    if (status != HM_OK || before.moves_to_grow || before.range_size != 0 ||
        before.committed_size == 0)
        return status;
    /* The range that it leaves stays, since it is another array's. */
    status = hm_memory_decommit(before.memory, before.data, before.committed_size);
    if (status != HM_OK) {
        hm_array_fini(array);
        *array = before;
    }
    return status;
}

/* Passes a status on, and says that an array was refused memory, if it was. */
static hm_status array_blame(size_t capacity, hm_status status)
{
    return hm_blame(status, &(hm_limits){.what = "array", .capacity = capacity});
}

hm_status hm_array_init(hm_array *array, const hm_array_desc *desc)
{
    if (array == NULL)
        return hm_refuse_null("hm_array_init", "array");
    memset(array, 0, sizeof *array);
    desc = HM_DESC(hm_array_desc, desc);
    hm_status status = hm_array_check(desc, "item_");
    hm_array_column column = {.array = array, .desc = *desc};
    column.desc.memory = array_memory_of(desc);
    column.is_visible = desc->capacity == 0; /* One in steps is poisoned by hm_array_prepare. */
    if (status == HM_OK)
        status = hm_array_init_columns(&column, 1, desc->capacity == 0);
    array->is_alone = status == HM_OK && desc->capacity == 0;
    return status == HM_OK ? HM_OK
                           : hm_fail_in("array_init", NULL, array_blame(desc->capacity, status));
}

void hm_array_fini(hm_array *array)
{
    HM_CONTRACT(array != NULL, "hm_array_fini: array is NULL");
    if (array->data == NULL)
        return;
    hm_memory_unpoison(array->data, array->committed_size);
    if (array->range_size != 0)
        array->memory->release(array->memory->context, array->data, array->range_size);
    memset(array, 0, sizeof *array);
}

/* Commits once: up to `end`, or a step if that is more. */
static hm_status array_commit_to(hm_array *array, size_t end)
{
    const size_t before = array->committed_size;
    size_t step = array->step_shift != 0
                      ? (size_t)1 << (array->step_shift - 1)
                      : hm_memory_growth(array->memory, before, array->data + before);
    size_t left = hm_memory_round_up(array->item_size * array->capacity, array->memory->page_size) -
                  array->committed_size;
    size_t size = end - array->committed_size;
    if (size < step)
        size = left > step ? step : left;
    size = hm_memory_round_up(size, array->memory->page_size);
    unsigned char *start = array->data + array->committed_size;
    hm_status status = hm_memory_commit(array->memory, start, size, array->is_raw);
    if (status != HM_OK)
        return status;
    array->committed_size += size;
    if (!hm_memory_is_huge(array->memory, before))
        hm_memory_advise_large(array->memory, array->committed_size, array->data,
                               array->item_size * array->capacity);
    return HM_OK;
}

/* Makes the next part of what is committed resident, if it holds the bytes up to `end`. Returns
 * where it ends; where all ends if there are no parts. */
static size_t array_bring_more(const hm_array *array, size_t end)
{
    size_t ready = hm_memory_round_up(array->item_size * array->limit, array->memory->page_size);
    if (ready >= array->committed_size) /* The last page of a whole range may be cut. */
        return array->committed_size;
    size_t size = hm_memory_resident_size(array->memory, ready, array->committed_size);
    if (array->step_shift != 0 || size == 0 || end > ready + size)
        return array->committed_size;
    if (!hm_memory_is_kept(array->data + ready)) /* else it is there already */
        hm_memory_populate(array->data + ready, size);
    return ready + size;
}

hm_status hm_array_commit(hm_array *array, size_t count, bool grows)
{
    if (count > array->capacity)
        return hm_fail_full("array", NULL, array->count, array->capacity, count - array->count);
    if (count <= array->limit)
        return HM_OK;
    size_t end = array->item_size * count;
    hm_status status = HM_OK;
    if (end > array->committed_size)
        status = array_commit_to(array, end);
    if (status == HM_OK)
        array_set_limit(array, grows ? array_bring_more(array, end) : array->committed_size);
    return status;
}

hm_status hm_array_prepare(hm_array *array, size_t count, bool grows)
{
    size_t before = array->committed_size;
    hm_status status = hm_array_commit(array, count, grows);
    if (array->committed_size > before)
        hm_memory_poison(array->data + before, array->committed_size - before);
    return status;
}

/* Moves an array that is alone to a range for `capacity` items. */
static hm_status array_move(hm_array *array, size_t capacity)
{
    hm_array_column column = hm_array_column_of(array, array->count, true);
    column.desc.capacity = capacity;
    return hm_array_move_columns(&column, 1);
}

/* As hm_array_prepare, for an array that may be alone. */
static hm_status array_make_room(hm_array *array, size_t count, bool grows)
{
    hm_status status = HM_OK;
    if (array->is_alone && count > array->capacity)
        status = array_move(array, array_grown(array, count));
    if (status == HM_OK)
        status = hm_array_prepare(array, count, grows);
    return array_blame(array->capacity, status);
}

hm_status hm_array_reserve(hm_array *array, size_t n)
{
    HM_CONTRACT(array != NULL, "hm_array_reserve: array is NULL");
    size_t count = n <= SIZE_MAX - array->count ? array->count + n : SIZE_MAX;
    return array_make_room(array, count, false);
}

bool hm_array_grow(hm_array *array)
{
    return array_make_room(array, array->count + 1, true) == HM_OK;
}

hm_status hm_array_resize(hm_array *array, size_t count)
{
    HM_CONTRACT(array != NULL, "hm_array_resize: array is NULL");
    hm_status status = array_make_room(array, count, true);
    if (status != HM_OK)
        return status;
    size_t end = array->item_size * array->count;
    size_t new_end = array->item_size * count;
    if (new_end > end) {
        hm_memory_unpoison(array->data + end, new_end - end);
        memset(array->data + end, 0, new_end - end);
    } else if (new_end < end) {
        hm_memory_poison(array->data + new_end, end - new_end);
    }
    array->count = count;
    return HM_OK;
}

/* Returns the bytes from the start that a trim keeps: whole pages that hold the items. */
static size_t array_kept_size(const hm_array *array)
{
    if (array->committed_size == 0 || array->moves_to_grow)
        return array->committed_size;
    return hm_memory_round_up(array->item_size * array->count, array->memory->page_size);
}

hm_status hm_array_decommit(hm_array *array)
{
    size_t keep = array_kept_size(array);
    if (keep >= array->committed_size)
        return HM_OK;
    hm_status status =
        hm_memory_decommit(array->memory, array->data + keep, array->committed_size - keep);
    if (status != HM_OK)
        return status;
    array->committed_size = keep;
    array_set_limit(array, keep);
    return HM_OK;
}

static hm_status array_shrink(hm_array *array)
{
    size_t capacity = array_first_capacity(array->item_size, array->memory);
    if (capacity < array->count)
        capacity = array->count;
    return capacity <= array->capacity / 2 ? array_move(array, capacity) : HM_OK;
}

hm_status hm_array_trim(hm_array *array)
{
    HM_CONTRACT(array != NULL, "hm_array_trim: array is NULL");
    size_t keep = array_kept_size(array);
    if (array->is_alone)
        return array_blame(array->capacity, array_shrink(array));
    if (keep >= array->committed_size)
        return HM_OK;
    /* The memory table's function may write there. */
    hm_memory_unpoison(array->data + keep, array->committed_size - keep);
    hm_status status = hm_array_decommit(array);
    if (status != HM_OK)
        hm_memory_poison(array->data + keep, array->committed_size - keep);
    return array_blame(array->capacity, status);
}

hm_status hm_array_open(hm_array **place, const hm_array_desc *desc, size_t count, size_t used)
{
    hm_array *old = *place, range;
    if (old != NULL && count <= old->capacity)
        return hm_array_commit(old, count, true);
    hm_status status = hm_array_init(&range, desc);
    if (status == HM_OK)
        status = hm_array_commit(&range, count, true);
    if (status != HM_OK) {
        hm_array_fini(&range);
        return status;
    }
    hm_array *array = hm_array_data(&range);
    range.count = old != NULL ? old->count : (sizeof range + desc->item_size - 1) / desc->item_size;
    if (old != NULL)
        memcpy(array, old, old->item_size * used);
    hm_array_close(place);
    *array = range;
    *place = array;
    return HM_OK;
}

void hm_array_close(hm_array **place)
{
    if (*place == NULL)
        return;
    hm_array range = **place; /* It is in the memory that it releases. */
    hm_array_fini(&range);
    *place = NULL;
}
