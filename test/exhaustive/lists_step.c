/* SPDX-License-Identifier: MIT */
/* The steps of small lists, and what each must fulfil. */
#include "lists_space.h"

#include <string.h>

/* `list` is a position. */
typedef enum lists_verb {
    LISTS_CREATE,
    LISTS_DESTROY,          /* list */
    LISTS_PUSH,             /* list; key or SPACE_ZEROED */
    LISTS_PUSH_N,           /* list, number */
    LISTS_INSERT_AT,        /* list, index */
    LISTS_RESIZE,           /* list, number */
    LISTS_ERASE_AT,         /* list, index */
    LISTS_ERASE_ORDERED_AT, /* list, index */
    LISTS_ERASE_IF,         /* list, set of indices */
    LISTS_CLEAR,
    LISTS_TRIM,
    LISTS_RESERVE,    /* number */
    LISTS_DEFRAGMENT, /* swaps; 0: no limit */
    LISTS_FINISH      /* calls with the least budget until it is done */
} lists_verb;

const space_verb_name lists_verbs[] = {
    [LISTS_CREATE] = {"create", NULL, NULL, false},
    [LISTS_DESTROY] = {"destroy", "list", NULL, false},
    [LISTS_PUSH] = {"push", "list", "key", false},
    [LISTS_PUSH_N] = {"push_n", "list", "number", false},
    [LISTS_INSERT_AT] = {"insert_at", "list", "index", false},
    [LISTS_RESIZE] = {"resize", "list", "number", false},
    [LISTS_ERASE_AT] = {"erase_at", "list", "index", false},
    [LISTS_ERASE_ORDERED_AT] = {"erase_ordered_at", "list", "index", false},
    [LISTS_ERASE_IF] = {"erase_if", "list", "set of indices", false},
    [LISTS_CLEAR] = {"clear", NULL, NULL, false},
    [LISTS_TRIM] = {"trim", NULL, NULL, false},
    [LISTS_RESERVE] = {"reserve", "number", NULL, false},
    [LISTS_DEFRAGMENT] = {"defragment", "swaps", NULL, false},
    [LISTS_FINISH] = {"finish", NULL, NULL, false},
};

static void list_items(space_actions *list, uint32_t row)
{
    uint32_t most = many.config->max_items;
    space_add(list, LISTS_DESTROY, row, 0);
    space_add(list, LISTS_PUSH, row, SPACE_ZEROED);
    for (uint32_t key = 0; key < many.config->keys; key++)
        space_add(list, LISTS_PUSH, row, key);
    for (uint32_t n = 0; n <= most + 1; n++) {
        space_add(list, LISTS_PUSH_N, row, n);
        space_add(list, LISTS_INSERT_AT, row, n);
        space_add(list, LISTS_RESIZE, row, n);
        space_add(list, LISTS_ERASE_AT, row, n);
        space_add(list, LISTS_ERASE_ORDERED_AT, row, n);
    }
    for (uint32_t set = 0; set < 1u << most; set++)
        space_add(list, LISTS_ERASE_IF, row, set);
}

void lists_list(space_actions *list)
{
    list->count = 0;
    space_add(list, LISTS_CREATE, 0, 0);
    space_add(list, LISTS_CLEAR, 0, 0);
    space_add(list, LISTS_TRIM, 0, 0);
    space_add(list, LISTS_RESERVE, UINT32_MAX, 0);
    for (uint32_t n = 0; n <= many.config->capacity + 1; n++)
        space_add(list, LISTS_RESERVE, n, 0);
    for (uint32_t swaps = 0; swaps <= many.config->capacity; swaps++)
        space_add(list, LISTS_DEFRAGMENT, swaps, 0);
    space_add(list, LISTS_FINISH, 0, 0);
    for (uint32_t row = 0; row < many.config->capacity; row++)
        list_items(list, row);
}

/* Indices up to one that is too large, and sets of indices that there are. */
bool lists_is_possible(const void *of, const space_action *action)
{
    const lists_state *state = of;
    if (action->verb < LISTS_DESTROY || action->verb > LISTS_ERASE_IF)
        return true;
    uint32_t count = state->model.dense[action->a].count;
    if (action->a >= state->model.count)
        return false;
    if (action->verb == LISTS_ERASE_IF)
        return action->b < 1u << count;
    if (action->verb == LISTS_INSERT_AT)
        return action->b <= count + 1;
    return (action->verb != LISTS_ERASE_AT && action->verb != LISTS_ERASE_ORDERED_AT) ||
           action->b <= count;
}

/* lists */

void lists_create(void)
{
    bool fits = lists_room() > 0;
    hm_handle handle = hm_lists_create(&many.lists);
    CHECK(hm_handle_is_null(handle) == (!fits || arena.refused));
    if (hm_handle_is_null(handle))
        return;
    uint32_t slot = hm_handle_index(handle), generation = hm_handle_generation(handle);
    CHECK(slot < many.config->max_slots && lists_position(handle) == HM_INVALID_INDEX);
    CHECK(handle.bits == space_name(slot, generation, SPACE_TYPE_ID, false).bits);
    CHECK(generation > many.model.highest[slot] && generation <= SPACE_LIVES);
    CHECK(many.model.dropped || generation == many.model.highest[slot] + 1u);
    many.model.highest[slot] = (uint8_t)generation;
    many.model.dense[many.model.count++] =
        (lists_row){.slot = (uint8_t)slot, .generation = (uint8_t)generation};
}

static void destroy(uint32_t position)
{
    lists_row *row = &many.model.dense[position];
    CHECK(hm_lists_destroy(&many.lists, lists_handle(row)) && arena.calls == 0);
    many.model.item_count -= row->count;
    *row = many.model.dense[--many.model.count];
}

static void clear(void)
{
    hm_lists_clear(&many.lists);
    CHECK(arena.calls == 0);
    many.model.count = many.model.item_count = 0;
}

/* After a reserve, that many creates succeed although the system refuses everything, and return the
 * upcoming handles. */
static void reserve(uint32_t n)
{
    static lists_state after;
    bool fits = n <= lists_room();
    hm_status status = hm_lists_reserve(&many.lists, n);
    CHECK(status == (!fits ? HM_ERROR_FULL : arena.refused ? HM_ERROR_MEMORY : HM_OK));
    if (status != HM_OK)
        return;
    uint32_t made = arena.calls;
    lists_capture(&after);
    arena.refuse_from = 1;
    arena.refuse_to = UINT32_MAX;
    hm_handle last = n != 0 ? hm_lists_upcoming(&many.lists, n - 1) : HM_NULL_HANDLE;
    for (uint32_t i = 0; i < n; i++)
        lists_create();
    CHECK(n == 0 || lists_handle(&many.model.dense[many.model.count - 1]).bits == last.bits);
    CHECK(arena.calls == made);
    lists_restore(&after);
}

/* No page behind the last block is left. */
static void trim(void)
{
    hm_status status = hm_lists_trim(&many.lists);
    many.model.dropped = 1;
    CHECK(status == (arena.refused ? HM_ERROR_MEMORY : HM_OK));
    size_t unit_size = (size_t)1 << many.lists.unit_shift;
    size_t used = many.lists.end > 1 ? unit_size * many.lists.end : 0;
    CHECK(status != HM_OK || many.lists.unit_array.committed_size < used + many.config->page_size);
}

/* items */

/* n items have been added at `index`: they are zero, or have these keys. Then they get the bytes of
 * their list. */
static void note_new(lists_row *row, uint32_t index, uint32_t n, const uint8_t *keys)
{
    size_t size = many.config->item_size;
    unsigned char *items = hm_lists_items(&many.lists, lists_handle(row), NULL);
    memmove(row->keys + index + n, row->keys + index, row->count - index);
    for (uint32_t i = 0; i < n; i++) {
        unsigned char expected[LISTS_ITEM] = {0};
        if (keys != NULL)
            lists_fill(expected, row, keys[i]);
        row->keys[index + i] = keys != NULL ? keys[i] : 0;
        CHECK(memcmp(items + size * (index + i), expected, size) == 0);
        lists_fill(items + size * (index + i), row, row->keys[index + i]);
    }
    row->count += (uint8_t)n;
    many.model.item_count += (uint8_t)n;
}

/* Whether n more items do not fit: too many, or there is no block for them. */
static bool is_full(const lists_row *row, uint32_t n, uint32_t longest_run)
{
    size_t unit_size = (size_t)1 << many.lists.unit_shift;
    size_t need = 1 + (many.config->item_size * (row->count + n) + unit_size - 1) / unit_size;
    uint32_t size = 2;
    while (size < need)
        size *= 2;
    return many.model.item_count + n > many.config->max_items || size > longest_run;
}

/* A failure is right if there is no space, or memory was refused. */
static void check_failure(const lists_row *row, uint32_t n, hm_status status, uint32_t longest_run)
{
    CHECK(status == (is_full(row, n, longest_run) ? HM_ERROR_FULL : HM_ERROR_MEMORY));
    CHECK(status == HM_ERROR_FULL || arena.refused);
}

static void push(lists_row *row, uint32_t key)
{
    unsigned char item[LISTS_ITEM];
    uint8_t keys[] = {(uint8_t)key};
    uint32_t longest_run = lists_longest_run();
    lists_fill(item, row, key);
    const void *place =
        hm_lists_push(&many.lists, lists_handle(row), key != SPACE_ZEROED ? item : NULL);
    if (place == NULL)
        check_failure(row, 1, arena.refused ? HM_ERROR_MEMORY : HM_ERROR_FULL, longest_run);
    else
        note_new(row, row->count, 1, key != SPACE_ZEROED ? keys : NULL);
}

static void push_n(lists_row *row, uint32_t n)
{
    unsigned char items[(LISTS_ITEMS + 1) * LISTS_ITEM];
    uint8_t keys[LISTS_ITEMS + 1];
    uint32_t longest_run = lists_longest_run();
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (uint8_t)(i % many.config->keys);
        lists_fill(items + many.config->item_size * i, row, keys[i]);
    }
    hm_status status = hm_lists_push_n(&many.lists, lists_handle(row), items, n);
    if (status != HM_OK)
        check_failure(row, n, status, longest_run);
    else if (n != 0)
        note_new(row, row->count, n, keys);
}

static void insert_at(lists_row *row, uint32_t index)
{
    unsigned char item[LISTS_ITEM];
    uint8_t keys[] = {(uint8_t)(many.config->keys - 1)};
    uint32_t longest_run = lists_longest_run();
    lists_fill(item, row, keys[0]);
    const void *place = hm_lists_insert_at(&many.lists, lists_handle(row), index, item);
    if (index > row->count)
        CHECK(place == NULL && arena.calls == 0);
    else if (place == NULL)
        check_failure(row, 1, arena.refused ? HM_ERROR_MEMORY : HM_ERROR_FULL, longest_run);
    else
        note_new(row, index, 1, keys);
}

static void shrink(lists_row *row, uint32_t count)
{
    many.model.item_count -= (uint8_t)(row->count - count);
    row->count = (uint8_t)count;
}

static void resize(lists_row *row, uint32_t count)
{
    uint32_t longest_run = lists_longest_run();
    hm_status status = hm_lists_resize(&many.lists, lists_handle(row), count);
    if (status != HM_OK)
        check_failure(row, count - row->count, status, longest_run);
    else if (count > row->count)
        note_new(row, row->count, count - row->count, NULL);
    else
        shrink(row, count);
}

static void erase_at(lists_row *row, uint32_t index)
{
    bool has = index < row->count;
    CHECK(hm_lists_erase_at(&many.lists, lists_handle(row), index) == has && arena.calls == 0);
    if (!has)
        return;
    row->keys[index] = row->keys[row->count - 1];
    shrink(row, row->count - 1u);
}

static void erase_ordered_at(lists_row *row, uint32_t index)
{
    bool has = index < row->count;
    CHECK(hm_lists_erase_ordered_at(&many.lists, lists_handle(row), index) == has &&
          arena.calls == 0);
    if (!has)
        return;
    memmove(row->keys + index, row->keys + index + 1, row->count - index - 1u);
    shrink(row, row->count - 1u);
}

/* The predicate is called in order; the lists are consistent, and cannot be changed. */
static bool is_doomed(const void *item, void *context)
{
    const lists_row *row = context;
    hm_handle list = lists_handle(row);
    unsigned char expected[LISTS_ITEM];
    lists_fill(expected, row, row->keys[many.asked]);
    CHECK(memcmp(item, expected, many.config->item_size) == 0);
    CHECK(hm_lists_validate(&many.lists) == HM_OK);
    CHECK(hm_lists_push(&many.lists, list, NULL) == NULL);
    CHECK(!hm_lists_erase_at(&many.lists, list, 0) && !hm_lists_destroy(&many.lists, list));
    CHECK(hm_lists_resize(&many.lists, list, 0) == HM_ERROR_BUSY);
    CHECK(hm_handle_is_null(hm_lists_create(&many.lists)));
    CHECK(!hm_lists_defragment(&many.lists, (hm_budget){0, 0}).done);
    CHECK(hm_lists_trim(&many.lists) == HM_ERROR_BUSY);
    return (many.doomed >> many.asked++ & 1) != 0;
}

static void erase_if(lists_row *row, uint32_t doomed)
{
    uint32_t kept = 0;
    many.asked = 0;
    many.doomed = doomed;
    uint32_t erased = hm_lists_erase_if(&many.lists, lists_handle(row), is_doomed, row);
    CHECK(many.asked == row->count && arena.calls == 0);
    for (uint32_t i = 0; i < row->count; i++)
        if ((doomed >> i & 1) == 0)
            row->keys[kept++] = row->keys[i];
    CHECK(erased == row->count - kept);
    shrink(row, kept);
}

/* defragment */

/* Returns the lists with items in the order of memory, four bits for each position. */
static uint32_t read_order(void)
{
    uint32_t order = 0;
    hm_lists_view view = {0};
    while (hm_lists_next(&many.lists, &view))
        order = order << 4 | (lists_position(view.list) + 1);
    return order;
}

static void note_places(const void *places[LISTS_SLOTS])
{
    for (uint32_t i = 0; i < many.model.count; i++)
        places[i] = hm_lists_items(&many.lists, lists_handle(&many.model.dense[i]), NULL);
}

/* A call moves no more lists than it may and says, and keeps their order; when it is done there are
 * no gaps, and another call does nothing. */
static bool defragment(uint32_t max_swaps)
{
    const void *before[LISTS_SLOTS], *after[LISTS_SLOTS];
    uint32_t moved = 0, order = read_order();
    bool was_done = many.lists.cursor == many.lists.end;
    note_places(before);
    hm_progress progress = hm_lists_defragment(&many.lists, (hm_budget){max_swaps, 0});
    note_places(after);
    for (uint32_t i = 0; i < many.model.count; i++)
        moved += before[i] != after[i];
    CHECK(read_order() == order && progress.swaps == moved && progress.compares == 0);
    CHECK(max_swaps == 0 || moved <= max_swaps);
    CHECK(max_swaps != 0 || progress.done);
    CHECK(!was_done || (progress.done && moved == 0));
    CHECK(arena.calls == 0 && progress.done == (many.lists.cursor == many.lists.end));
    if (progress.done)
        lists_check_packed();
    return progress.done;
}

/* Each call closes a gap, joins blocks or passes one. */
static void finish(void)
{
    uint32_t calls = 0;
    while (!defragment(1))
        CHECK(++calls < 2 * many.config->units);
}

/* the search's functions */

static void perform_on_row(const space_action *action)
{
    lists_row *row = &many.model.dense[action->a];
    switch (action->verb) {
    case LISTS_PUSH:
        push(row, action->b);
        break;
    case LISTS_PUSH_N:
        push_n(row, action->b);
        break;
    case LISTS_INSERT_AT:
        insert_at(row, action->b);
        break;
    case LISTS_RESIZE:
        resize(row, action->b);
        break;
    case LISTS_ERASE_AT:
        erase_at(row, action->b);
        break;
    case LISTS_ERASE_ORDERED_AT:
        erase_ordered_at(row, action->b);
        break;
    case LISTS_ERASE_IF:
        erase_if(row, action->b);
        break;
    }
}

static void perform(const space_action *action)
{
    switch (action->verb) {
    case LISTS_CREATE:
        lists_create();
        break;
    case LISTS_DESTROY:
        destroy(action->a);
        break;
    case LISTS_CLEAR:
        clear();
        break;
    case LISTS_TRIM:
        trim();
        break;
    case LISTS_RESERVE:
        reserve(action->a);
        break;
    case LISTS_DEFRAGMENT:
        defragment(action->a);
        break;
    case LISTS_FINISH:
        finish();
        break;
    default:
        perform_on_row(action);
    }
}

/* Only the list whose items are changed moves, and only if it has grown. */
static void check_places(const void *const before[LISTS_SLOTS], const space_action *action,
                         const lists_ghost *model)
{
    const void *after[LISTS_SLOTS];
    note_places(after);
    for (uint32_t i = 0; i < many.model.count; i++) {
        bool grows = i == action->a && many.model.dense[i].count > model->dense[i].count;
        CHECK(grows || many.model.dense[i].count == 0 || after[i] == before[i]);
    }
}

uint32_t lists_take(const void *state, const space_action *action, uint32_t refuse, bool *changed)
{
    const lists_state *before = state;
    const void *places[LISTS_SLOTS];
    note_places(places);
    arena_refuse(refuse);
    perform(action);
    uint32_t made = arena.calls;
    if (action->verb > LISTS_DESTROY && action->verb < LISTS_CLEAR)
        check_places(places, action, &before->model);
    arena_refuse(0);
    *changed = true;
    return made;
}
