/* array: reserving, committing in steps, giving back. Every size is checked once, at init: the
 * bytes of `capacity` items fit in size_t when rounded up to pages, so that no later product
 * overflows. */
#include "array_private.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

/* A commit costs about 0.3 us whatever its length, a fresh page 1.4 us when it is touched. 16 pages
 * at a time make the commit 2% of that; so steps grow with the array, to what the OS's memory
 * brings in at once. Bytes. */
static const size_t min_commit_step = (size_t)64 << 10;
static const size_t max_commit_step = (size_t)128 << 10;

static bool is_power_of_two(size_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static size_t round_up(size_t size, size_t page_size)
{
    return (size + page_size - 1) & ~(page_size - 1);
}

/* The largest power of two that divides the size, at most what any C type needs. */
static size_t natural_align(size_t item_size)
{
    size_t lowest_bit = item_size & (0 - item_size);
    return lowest_bit < alignof(max_align_t) ? lowest_bit : alignof(max_align_t);
}

static bool memory_is_whole(const hm_memory *memory)
{
    return memory->reserve != NULL && memory->commit != NULL && memory->decommit != NULL &&
           memory->release != NULL && is_power_of_two(memory->page_size) && memory->page_size >= 8;
}

static bool layout_is_valid(size_t item_size, size_t item_align)
{
    return item_size != 0 && is_power_of_two(item_align) && item_align <= HM_MEMORY_ALIGNMENT &&
           item_size % item_align == 0;
}

hm_status hm_array_init(hm_array *array, const hm_array_desc *desc)
{
    if (array == NULL)
        return HM_ERROR_INVALID;
    memset(array, 0, sizeof *array);
    if (desc == NULL)
        return HM_ERROR_INVALID;
    const hm_memory *memory = desc->memory != NULL ? desc->memory : hm_memory_os();
    size_t capacity = desc->capacity != 0 ? desc->capacity : HM_DEFAULT_CAPACITY;
    size_t align = desc->item_align != 0 ? desc->item_align : natural_align(desc->item_size);
    if (!memory_is_whole(memory) || !layout_is_valid(desc->item_size, align) ||
        capacity > (SIZE_MAX - (memory->page_size - 1)) / desc->item_size)
        return HM_ERROR_INVALID;

    size_t reserved_size = round_up(desc->item_size * capacity, memory->page_size);
    unsigned char *data = memory->reserve(memory->context, reserved_size);
    if (data == NULL)
        return HM_ERROR_MEMORY;
    if ((uintptr_t)data % HM_MEMORY_ALIGNMENT != 0) {
        memory->release(memory->context, data, reserved_size);
        return HM_ERROR_INVALID;
    }
    array->data = data;
    array->capacity = capacity;
    array->item_size = desc->item_size;
    array->commit_step = desc->commit_step;
    array->reserved_size = reserved_size;
    array->memory = memory;
    return HM_OK;
}

void hm_array_fini(hm_array *array)
{
    HM_CONTRACT(array != NULL, "hm_array_fini: array is NULL");
    if (array->data == NULL)
        return;
    hm_memory_unpoison(array->data, array->committed_size);
    array->memory->release(array->memory->context, array->data, array->reserved_size);
    memset(array, 0, sizeof *array);
}

/* The committed pages hold so many whole items. */
static void set_committed_size(hm_array *array, size_t committed_size)
{
    size_t limit = committed_size / array->item_size;
    array->committed_size = committed_size;
    array->limit = limit < array->capacity ? limit : array->capacity;
}

static size_t commit_step(const hm_array *array)
{
    if (array->commit_step != 0)
        return array->commit_step;
    size_t step = array->committed_size / 4;
    if (step < min_commit_step)
        return min_commit_step;
    return step < max_commit_step ? step : max_commit_step;
}

hm_status hm_array_commit(hm_array *array, size_t count)
{
    if (count > array->capacity)
        return HM_ERROR_FULL;
    if (count <= array->limit)
        return HM_OK;
    size_t step = commit_step(array);
    size_t target = array->item_size * count;
    if (target - array->committed_size < step)
        target = array->reserved_size - array->committed_size > step ? array->committed_size + step
                                                                     : array->reserved_size;
    target = round_up(target, array->memory->page_size);
    if (!array->memory->commit(array->memory->context, array->data + array->committed_size,
                               target - array->committed_size))
        return HM_ERROR_MEMORY;
    set_committed_size(array, target);
    return HM_OK;
}

hm_status hm_array_reserve(hm_array *array, size_t count)
{
    HM_CONTRACT(array != NULL, "hm_array_reserve: array is NULL");
    size_t before = array->committed_size;
    hm_status status = hm_array_commit(array, count);
    if (array->committed_size > before)
        hm_memory_poison(array->data + before, array->committed_size - before);
    return status;
}

hm_status hm_array_resize(hm_array *array, size_t count)
{
    HM_CONTRACT(array != NULL, "hm_array_resize: array is NULL");
    hm_status status = hm_array_reserve(array, count);
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

hm_status hm_array_trim(hm_array *array)
{
    HM_CONTRACT(array != NULL, "hm_array_trim: array is NULL");
    if (array->committed_size == 0)
        return HM_OK;
    size_t keep = round_up(array->item_size * array->count, array->memory->page_size);
    if (keep >= array->committed_size)
        return HM_OK;
    /* The table's function may write there. */
    hm_memory_unpoison(array->data + keep, array->committed_size - keep);
    if (!array->memory->decommit(array->memory->context, array->data + keep,
                                 array->committed_size - keep))
        return HM_ERROR_MEMORY;
    set_committed_size(array, keep);
    return HM_OK;
}
