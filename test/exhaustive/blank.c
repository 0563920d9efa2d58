/* SPDX-License-Identifier: MIT */
/* Bytes of an order's state that must not matter get one fixed value, so that states that behave
 * equally are equal, and so that a library that reads them goes wrong: bytes 0xDD are no count,
 * position, slot or pointer.
 *
 *     fields of phases      each is written before the phases that the table below names, and read
 *                           in no other
 *     pending_begin         has no meaning while pending_end says that none is pending
 *     keys                  unless their flag says that they are known
 *     marks                 if nothing is managed, or the phase does not use them; and below the
 *                           target of an arrangement, where it never looks again
 *     scratch memory        except what the phase still reads of its lists: once the digits are
 *                           sorted, not for items that were erased, touched or moved meanwhile
 *
 * The search shows that this is sound: if one of these bytes were read later, it would decide where
 * an item goes. The order and the names in the state are not among them, although the next call may
 * start anew: whether it does depends on them. */
#include "blank.h"

#include "search.h"

#include <stddef.h>
#include <string.h>

#define IN(phase) (1u << HM_ORDER_##phase)

enum {
    LIFTING = IN(LIFT) | IN(LIFT_ALL),
    BY_DIGITS = IN(TALLY) | IN(SCATTER),
    SORTING = LIFTING | IN(EXTRACT) | BY_DIGITS | IN(MERGE),
    NAMING = IN(SPREAD) | IN(NAME),
    BATCHED = SORTING | IN(LOCATE) | IN(PLACE) | NAMING,
    KEYED = IN(SCAN) | IN(LOCATE),
    NAMED = IN(VERIFY) | NAMING
};

enum { LIFTED = 2, QUEUED = 3 }; /* marks */

typedef struct phase_field {
    size_t offset, size; /* bytes, in hm_order_state */
    uint32_t phases;     /* set of phases that read it */
} phase_field;

#define FIELD(member, phases)                                                                      \
    {                                                                                              \
        offsetof(hm_order_state, member), sizeof(((hm_order_state *)NULL)->member), phases         \
    }

static const phase_field fields[] = {
    FIELD(is_disturbed, BATCHED | IN(COUNT)),
    FIELD(keys.has_item, KEYED),
    FIELD(keys.has_probe, KEYED),
    FIELD(scan.doubt, IN(SCAN)),
    FIELD(scan.last_end, IN(SCAN)),
    FIELD(scan.is_last_known, IN(SCAN)),
    FIELD(scan.run, IN(SCAN)),
    FIELD(scan.run_limit, IN(SCAN)),
    FIELD(lift, IN(COUNT) | IN(LIFT)),
    FIELD(batch.items, BATCHED),
    FIELD(batch.keys, BATCHED),
    FIELD(batch.tally, BATCHED),
    FIELD(batch.queue, BATCHED),
    FIELD(batch.origins, BATCHED),
    FIELD(batch.tally_bits, BATCHED),
    FIELD(batch.capacity, BATCHED),
    FIELD(batch.count, BATCHED | IN(COUNT)),
    FIELD(batch.current, BATCHED),
    FIELD(batch.next, IN(EXTRACT) | BY_DIGITS | IN(LOCATE) | IN(PLACE)),
    FIELD(digits.shift, BY_DIGITS),
    FIELD(digits.bits, BY_DIGITS),
    FIELD(digits.varying, IN(EXTRACT) | BY_DIGITS),
    FIELD(merge, IN(MERGE)),
    FIELD(search, IN(LOCATE)),
    FIELD(place, IN(PLACE)),
    FIELD(arrangement.next_name, NAMED),
    FIELD(arrangement.target, NAMED),
};

/* The order that is being blanked. */
static struct {
    const hm_order_state *order;
    hm_links links;
    uint32_t slot_count;
} blanked;

void blank_behind(hm_array *array, size_t live_size)
{
    CHECK(live_size <= array->committed_size);
    if (array->data != NULL)
        memset(array->data + live_size, SPACE_BLANK, array->committed_size - live_size);
}

void blank_floors(hm_id_table *table)
{
    if (table->floors != NULL)
        blank_behind(table->floors, sizeof(uint16_t) * table->floors->count);
}

/* scratch memory: what is kept is copied to a second, blank one */

static unsigned char kept[SPACE_SCRATCH];

static void keep(const void *cells, size_t size)
{
    const hm_array *scratch = &blanked.order->batch.scratch;
    size_t offset = (size_t)((const unsigned char *)cells - scratch->data);
    CHECK(offset + size <= scratch->committed_size);
    memcpy(kept + offset, cells, size);
}

/* Whether the item is still lifted or queued. If not, its entry is skipped whatever it says, and it
 * will not be lifted or queued again in this round. */
static bool is_as_marked(uint32_t position, uint32_t mark)
{
    const hm_order_state *order = blanked.order;
    return position < order->cursor && (order->marks[0] >> 2 * position & 3) == mark;
}

static bool is_slot_as_marked(uint32_t slot, uint32_t mark)
{
    return slot < blanked.slot_count && is_as_marked(hm_links_position(&blanked.links, slot), mark);
}

static void keep_items(uint32_t side, uint32_t from, uint32_t to)
{
    const hm_order_batch *batch = &blanked.order->batch;
    if (from < to)
        keep(batch->items[side] + from, sizeof **batch->items * (to - from));
}

static void keep_keys(uint32_t side, uint32_t from, uint32_t to)
{
    const hm_order_batch *batch = &blanked.order->batch;
    if (from < to && batch->keys[side] != NULL)
        keep(batch->keys[side] + from, sizeof **batch->keys * (to - from));
}

static void keep_pairs(uint32_t side, uint32_t from, uint32_t to)
{
    const uint32_t *items = blanked.order->batch.items[side];
    for (uint32_t i = from; i < to; i++)
        if (is_as_marked(items[i], LIFTED)) {
            keep_items(side, i, i + 1);
            keep_keys(side, i, i + 1);
        }
}

/* Before there are runs all is one list. Then keeps the rest of the two runs, the runs behind them,
 * and what has been merged from either end. */
static void keep_runs(const hm_order_batch *batch, const hm_order_merge *merge)
{
    if (merge->width == 0) {
        keep_pairs(batch->current, 0, batch->count);
        return;
    }
    uint32_t left = merge->left_end - merge->left, right = merge->right_end - merge->right;
    keep_pairs(batch->current, merge->left, merge->left_end);
    keep_pairs(batch->current, merge->right, merge->right_end);
    keep_pairs(batch->current, merge->end, batch->count);
    keep_pairs(!batch->current, 0, merge->out);
    keep_pairs(!batch->current, merge->out + left + right, merge->end);
}

/* Keeps items that are located, and their gaps. */
static void keep_gaps(uint32_t side, uint32_t from, uint32_t to)
{
    const uint32_t *items = blanked.order->batch.items[side];
    for (uint32_t i = from; i < to; i++)
        if (is_slot_as_marked(items[i], LIFTED)) {
            keep_items(side, i, i + 1);
            keep_items(!side, i, i + 1);
        }
}

/* The digits of void items are counted and scattered like all others. */
static void keep_digits(const hm_order_batch *batch, bool scatter)
{
    uint32_t from = scatter ? batch->next : 0;
    keep_items(batch->current, from, batch->count);
    keep_keys(batch->current, from, batch->count);
    if (scatter && batch->next > 0) {
        keep_items(!batch->current, 0, batch->count);
        keep_keys(!batch->current, 0, batch->count);
    }
    if (scatter || batch->next > 0)
        keep(batch->tally,
             (size_t)((unsigned char *)batch->items[0] - (unsigned char *)batch->tally));
}

static void keep_queue(const hm_order_batch *batch, const hm_order_place *place)
{
    for (uint32_t i = 0; i < place->queue_count; i++) {
        uint32_t entry = (place->queue_head + i) % batch->capacity;
        if (!is_slot_as_marked(batch->queue[entry], QUEUED))
            continue;
        keep(&batch->queue[entry], sizeof *batch->queue);
        keep(&batch->origins[entry], sizeof *batch->origins);
    }
}

static void keep_lists(const hm_order_state *order)
{
    const hm_order_batch *batch = &order->batch;
    switch (order->phase) {
    case HM_ORDER_TALLY:
    case HM_ORDER_SCATTER:
        keep_digits(batch, order->phase == HM_ORDER_SCATTER);
        break;
    case HM_ORDER_MERGE:
        keep_runs(batch, &order->merge);
        break;
    case HM_ORDER_LOCATE:
        keep_gaps(batch->current, 0, batch->next);
        keep_pairs(batch->current, batch->next, batch->count);
        break;
    case HM_ORDER_PLACE:
        keep_gaps(batch->current, batch->next, batch->count);
        keep_queue(batch, &order->place);
        break;
    default: /* still being listed */
        keep_items(0, 0, batch->count);
        if (order->phase == HM_ORDER_EXTRACT)
            keep_keys(0, 0, batch->next);
        if (order->phase == HM_ORDER_NAME)
            keep_items(1, 0, batch->count);
    }
}

/* the order's state */

static void blank_marks(hm_order_state *order)
{
    bool is_marked = order->cursor > 0 && order->phase != HM_ORDER_VERIFY;
    size_t end = (size_t)((unsigned char *)order->marks - order->range.data);
    blank_behind(&order->range, end + (is_marked ? sizeof *order->marks : 0));
    BLANK(order->range.count); /* A trim sets it. */
    if (!is_marked || !order->is_arranging)
        return;
    uint32_t target =
        order->phase == HM_ORDER_PLACE ? order->place.target : order->arrangement.target;
    if (target > 0)
        order->marks[0] |= UINT64_MAX >> (64 - 2 * target);
}

/* Before there are runs, nothing is merged. */
static void blank_merge(hm_order_merge *merge)
{
    if (merge->width != 0)
        return;
    uint32_t end = merge->end;
    BLANK(*merge);
    merge->width = 0;
    merge->end = end;
}

/* Only a scan that is in doubt looks back. */
static void blank_doubt(hm_order_scan *scan, bool is_scanning)
{
    if (!is_scanning || scan->doubt != HM_ORDER_DOUBT_BEFORE)
        BLANK(scan->passed);
    if (!is_scanning || scan->doubt == HM_ORDER_NO_DOUBT)
        BLANK(scan->probe_end);
}

bool blank_order_knows(const hm_order_state *order)
{
    return order != NULL &&
           (order->cursor != 0 || order->is_arranging || order->phase != HM_ORDER_SCAN);
}

bool blank_order_lists(const hm_order_state *order)
{
    return order != NULL && (BATCHED >> order->phase & 1) != 0;
}

void blank_order(hm_order_state *order, hm_links links, uint32_t slot_count)
{
    if (order == NULL)
        return;
    uint32_t now = 1u << order->phase;
    blanked.order = order;
    blanked.links = links;
    blanked.slot_count = slot_count;
    if (order->phase == HM_ORDER_LIFT_ALL && order->cursor == 0)
        now = 0; /* The next call begins the batch, or begins it again. */
    memset(kept, SPACE_BLANK, sizeof kept);
    if ((now & BATCHED) != 0)
        keep_lists(order);
    if (order->batch.scratch.data != NULL)
        memcpy(order->batch.scratch.data, kept, order->batch.scratch.committed_size);
    blank_marks(order);
    blank_merge(&order->merge);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if ((fields[i].phases & now) == 0)
            memset((unsigned char *)order + fields[i].offset, SPACE_BLANK, fields[i].size);
    bool has_keys = (now & KEYED) != 0;
    if (!has_keys || !order->keys.has_item)
        BLANK(order->keys.item);
    if (!has_keys || !order->keys.has_probe)
        BLANK(order->keys.probe);
    blank_doubt(&order->scan, now == IN(SCAN));
    if (order->pending_end == 0)
        BLANK(order->pending_begin);
    if (order->order.compare == NULL && order->order.key == NULL)
        BLANK(order->scan.run_limit); /* The first order begins its scan. */
}
