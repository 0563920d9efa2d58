/* SPDX-License-Identifier: MIT */
/* What changed between two marks, for a program of random operations over every container
 * (program.h): compared with what a walk over each container finds at both marks. */
#include "../support/file.h"
#include "../support/memory.h"
#include "../support/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARKS = 6, COMPARES = 300, LEAST = 20 /* where all takes long */, STEPS_OF_A_MARK = 100 };

/* A value that is there at a mark. */
typedef struct value {
    hm_handle handle;
    uint32_t part;
    size_t size;
    uint64_t hash; /* of its bytes */
} value;

typedef struct values {
    value *list;
    size_t count, capacity;
} values;

/* The containers of the program that are looked at. */
enum {
    MAP,
    POOL,
    TABLE = POOL + POOLS,
    SECONDARY = TABLE + TABLES,
    INDEX,
    LISTS = INDEX + INDICES,
    WORLD,
    CONTAINERS
};

static void add(values *to, hm_handle handle, uint32_t part, const void *bytes, size_t size)
{
    hm_hash hash = {0};
    hm_hash_add(&hash, bytes, size);
    if (to->count == to->capacity) {
        to->capacity = to->capacity * 2 + 1000;
        to->list = realloc(to->list, to->capacity * sizeof *to->list);
        CHECK(to->list != NULL);
    }
    to->list[to->count++] = (value){handle, part, size, hm_hash_end(&hash)};
}

static int by_place(const void *a, const void *b)
{
    const value *x = a, *y = b;
    uint32_t slots[] = {hm_handle_index(x->handle), hm_handle_index(y->handle)};
    if (slots[0] != slots[1])
        return slots[0] < slots[1] ? -1 : 1;
    uint32_t parts[] = {x->part + 1, y->part + 1}; /* the entity itself comes first */
    return (parts[0] > parts[1]) - (parts[0] < parts[1]);
}

/* ---- what is there ---- */

static void list_map(const hm_map *map, values *to)
{
    for (uint32_t i = 0; i < hm_map_count(map); i++) {
        add(to, hm_map_handle_at(map, i), 0, hm_map_get(map, hm_map_handle_at(map, i)),
            map->item_size);
        if (hm_map_meta_at(map, i) != NULL)
            add(to, hm_map_handle_at(map, i), 1, hm_map_meta_at(map, i),
                map->extras->meta_array.item_size);
    }
}

static void list_pool(const hm_pool *pool, values *to)
{
    uint32_t length;
    for (uint32_t slot = hm_pool_next_run(pool, 0, &length); length != 0;
         slot = hm_pool_next_run(pool, slot, &length))
        for (; length > 0; length--, slot++)
            add(to, hm_pool_handle_at(pool, slot), 0, hm_pool_item_at(pool, slot), pool->item_size);
}

static void list_table(const hm_table *table, values *to)
{
    for (uint32_t row = 0; row < hm_table_count(table); row++)
        for (uint32_t c = 0; c < table->column_count; c++)
            add(to, hm_table_handle_at(table, row), c, hm_table_cell(table, row, c),
                table->columns[c].size);
}

static void list_secondary(const hm_secondary *secondary, values *to)
{
    for (uint32_t i = 0; i < hm_secondary_count(secondary); i++)
        add(to, hm_secondary_owner_at(secondary, i), 0,
            hm_secondary_get(secondary, hm_secondary_owner_at(secondary, i)),
            secondary->value_size);
}

static void list_index(const hm_index *index, values *to)
{
    hm_index_view view = {0};
    while (hm_index_next(index, &view))
        for (uint32_t i = 0; i < view.count; i++)
            add(to, view.members[i], 0, &view.key, sizeof view.key);
}

static void list_lists(const hm_lists *lists, values *to)
{
    for (uint32_t i = 0; i < hm_lists_count(lists); i++) {
        uint32_t count;
        const void *items = hm_lists_items(lists, hm_lists_handle_at(lists, i), &count);
        add(to, hm_lists_handle_at(lists, i), 0, items, count * lists->blocks.item_size);
    }
}

static void list_world(const program *p, values *to)
{
    static const size_t sizes[COMPONENTS] = {8, 48, 16, 72, 0}; /* as in program.c */
    for (uint32_t i = 0; i < hm_world_count(&p->world); i++) {
        hm_handle entity = hm_world_handle_at(&p->world, i);
        add(to, entity, HM_INVALID_INDEX, NULL, 0);
        for (uint32_t k = 0; k < COMPONENTS; k++)
            if (hm_world_has(&p->world, entity, p->components[k]))
                add(to, entity, p->components[k], hm_world_get(&p->world, entity, p->components[k]),
                    sizes[k]);
    }
}

static void list(const program *p, uint32_t which, values *to)
{
    to->count = 0;
    if (which == MAP)
        list_map(&p->map, to);
    else if (which < TABLE)
        list_pool(&p->pools[which - POOL], to);
    else if (which < SECONDARY)
        list_table(&p->tables[which - TABLE], to);
    else if (which == SECONDARY)
        list_secondary(&p->secondary, to);
    else if (which < LISTS)
        list_index(&p->indices[which - INDEX], to);
    else if (which == LISTS)
        list_lists(&p->lists, to);
    else
        list_world(p, to);
    if (to->count > 0)
        qsort(to->list, to->count, sizeof *to->list, by_place);
}

static hm_status changes(const hm_history *history, const program *p, uint32_t which, uint64_t from,
                         uint64_t to, hm_change_visit *visit, void *context)
{
    if (which == MAP)
        return hm_map_changes(&p->map, history, from, to, visit, context);
    if (which < TABLE)
        return hm_pool_changes(&p->pools[which - POOL], history, from, to, visit, context);
    if (which < SECONDARY)
        return hm_table_changes(&p->tables[which - TABLE], history, from, to, visit, context);
    if (which == SECONDARY)
        return hm_secondary_changes(&p->secondary, history, from, to, visit, context);
    if (which < LISTS)
        return hm_index_changes(&p->indices[which - INDEX], history, from, to, visit, context);
    if (which == LISTS)
        return hm_lists_changes(&p->lists, history, from, to, visit, context);
    return hm_world_changes(&p->world, history, from, to, visit, context);
}

/* ---- what differs ---- */

/* What is to be told, in this order. */
typedef struct expected {
    const value *from, *to; /* NULL: there is none */
} expected;

typedef struct comparison {
    bool expects_erased; /* they come first */
    uint64_t hash;       /* of what was told */
    expected *list;
    size_t count, told, capacity;
    uint64_t kinds[3];
    bool is_right;
} comparison;

static void expect(comparison *c, const value *from, const value *to)
{
    if (from != NULL && to != NULL && from->size == to->size && from->hash == to->hash)
        return;
    if ((to == NULL) != c->expects_erased)
        return;
    if (c->count == c->capacity) {
        c->capacity = c->capacity * 2 + 1000;
        c->list = realloc(c->list, c->capacity * sizeof *c->list);
        CHECK(c->list != NULL);
    }
    c->list[c->count++] = (expected){from, to};
}

/* Returns the end of the values of a slot. */
static size_t end_of_slot(const values *all, size_t at, uint32_t slot)
{
    while (at < all->count && hm_handle_index(all->list[at].handle) == slot)
        at++;
    return at;
}

/* The values of a slot, from one to another in each list. */
static void expect_slot(comparison *c, const values *from, size_t i, size_t i_end, const values *to,
                        size_t k, size_t k_end)
{
    bool is_same = i < i_end && k < k_end && from->list[i].handle.bits == to->list[k].handle.bits;
    while (!is_same && i < i_end)
        expect(c, &from->list[--i_end], NULL);
    while (i < i_end || k < k_end) {
        int order = i == i_end ? 1 : k == k_end ? -1 : by_place(&from->list[i], &to->list[k]);
        expect(c, order <= 0 ? &from->list[i] : NULL, order >= 0 ? &to->list[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
}

static void expect_pass(comparison *c, const values *from, const values *to, bool erased)
{
    c->expects_erased = erased;
    for (size_t i = 0, k = 0; i < from->count || k < to->count;) {
        uint32_t slot = UINT32_MAX;
        if (i < from->count)
            slot = hm_handle_index(from->list[i].handle);
        if (k < to->count && hm_handle_index(to->list[k].handle) < slot)
            slot = hm_handle_index(to->list[k].handle);
        size_t i_end = end_of_slot(from, i, slot), k_end = end_of_slot(to, k, slot);
        expect_slot(c, from, i, i_end, to, k, k_end);
        i = i_end;
        k = k_end;
    }
}

static void expect_all(comparison *c, const values *from, const values *to)
{
    c->count = c->told = 0;
    expect_pass(c, from, to, true);
    expect_pass(c, from, to, false);
}

static bool is_of(const value *known, const hm_change *change, const void *bytes, size_t size)
{
    hm_hash hash = {0};
    if (known == NULL)
        return bytes == NULL && size == 0;
    hm_hash_add(&hash, bytes, bytes != NULL ? size : 0);
    return bytes != NULL && known->handle.bits == change->handle.bits &&
           known->part == change->part && known->size == size && known->hash == hm_hash_end(&hash);
}

static void check_change(const hm_change *change, void *context)
{
    comparison *c = context;
    c->kinds[change->kind]++;
    c->hash += hm_change_hash(change);
    if (c->told == c->count) {
        c->is_right = false;
        return;
    }
    const expected *next = &c->list[c->told++];
    hm_change_kind kind = next->from == NULL ? HM_CHANGE_INSERTED
                          : next->to == NULL ? HM_CHANGE_ERASED
                                             : HM_CHANGE_EDITED;
    if (change->kind != kind || !is_of(next->from, change, change->before, change->before_size) ||
        !is_of(next->to, change, change->after, change->after_size))
        c->is_right = false;
}

/* ---- the program ---- */

typedef struct marks {
    uint64_t mark[MARKS];
    values at[MARKS][CONTAINERS];
    uint32_t count; /* marks so far */
    comparison comparison;
} marks;

static void take_mark(marks *known, hm_history *history, const program *p)
{
    uint32_t i = known->count++ % MARKS;
    for (uint32_t which = 0; which < CONTAINERS; which++)
        list(p, which, &known->at[i][which]);
    known->mark[i] = hm_history_mark(history);
    CHECK(known->mark[i] != 0);
}

static void add_hash(const hm_change *change, void *sum)
{
    *(uint64_t *)sum += hm_change_hash(change);
}

/* The hash of the one mark, and of the changes to the other, is that of the other. */
static void check_hash(marks *known, const hm_history *history, const program *p, uint32_t which,
                       uint32_t i, uint32_t k)
{
    uint64_t at_from = 0, at_to = 0;
    CHECK(changes(history, p, which, 0, known->mark[i], add_hash, &at_from) == HM_OK);
    CHECK(changes(history, p, which, 0, known->mark[k], add_hash, &at_to) == HM_OK);
    CHECK(at_from + known->comparison.hash == at_to);
    known->comparison.hash = 0;
}

/* Follows the program by its changes alone. */
static hm_status apply(program *p, uint32_t which, const hm_change *change)
{
    if (which == MAP)
        return hm_map_apply(&p->map, change);
    if (which < TABLE)
        return hm_pool_apply(&p->pools[which - POOL], change);
    if (which < SECONDARY)
        return hm_table_apply(&p->tables[which - TABLE], change);
    if (which == SECONDARY)
        return hm_secondary_apply(&p->secondary, change);
    if (which < LISTS)
        return hm_index_apply(&p->indices[which - INDEX], change);
    if (which == LISTS)
        return hm_lists_apply(&p->lists, change);
    return hm_world_apply(&p->world, change);
}

/* The same by way of a file. */
static hm_status save(const hm_history *history, const program *p, uint32_t which, uint64_t from,
                      uint64_t to, hm_sink sink)
{
    if (which == MAP)
        return hm_map_save_changes(&p->map, history, NULL, from, to, sink);
    if (which < TABLE)
        return hm_pool_save_changes(&p->pools[which - POOL], history, NULL, from, to, sink);
    if (which < SECONDARY)
        return hm_table_save_changes(&p->tables[which - TABLE], history, NULL, from, to, sink);
    if (which == SECONDARY)
        return hm_secondary_save_changes(&p->secondary, history, NULL, from, to, sink);
    if (which < LISTS)
        return hm_index_save_changes(&p->indices[which - INDEX], history, NULL, from, to, sink);
    if (which == LISTS)
        return hm_lists_save_changes(&p->lists, history, NULL, from, to, sink);
    return hm_world_save_changes(&p->world, history, NULL, from, to, sink);
}

static hm_status load(program *p, uint32_t which, hm_source source)
{
    if (which == MAP)
        return hm_map_load_changes(&p->map, NULL, source);
    if (which < TABLE)
        return hm_pool_load_changes(&p->pools[which - POOL], NULL, source);
    if (which < SECONDARY)
        return hm_table_load_changes(&p->tables[which - TABLE], NULL, source);
    if (which == SECONDARY)
        return hm_secondary_load_changes(&p->secondary, NULL, source);
    if (which < LISTS)
        return hm_index_load_changes(&p->indices[which - INDEX], NULL, source);
    if (which == LISTS)
        return hm_lists_load_changes(&p->lists, NULL, source);
    return hm_world_load_changes(&p->world, NULL, source);
}

typedef struct follower {
    program copy;
    uint32_t which;
    uint64_t mark;
    bool by_file;
    test_file file;
} follower;

static void begin_follower(follower *f)
{
    program_begin(&f->copy, hm_memory_os(), 0);
    hm_lists *lists = &f->copy.lists;
    const hm_lists_desc desc = {.item_size = (uint32_t)lists->blocks.item_size,
                                .type_id = (uint16_t)lists->ids.type_id};
    /* A list may become longer before another one becomes shorter. */
    hm_lists_fini(lists);
    CHECK(hm_lists_init(lists, &desc) == HM_OK);
    f->mark = 0;
    f->by_file = true;
    f->file = (test_file){.bytes = NULL};
}

static void follow_change(const hm_change *change, void *context)
{
    follower *f = context;
    CHECK(apply(&f->copy, f->which, change) == HM_OK);
}

/* Its components have the same numbers, but are others. */
static void rename_parts(values *of, const program *from, const program *to)
{
    for (size_t i = 0; i < of->count; i++)
        if (of->list[i].part != HM_INVALID_INDEX)
            of->list[i].part += to->components[0] - from->components[0];
}

static void follow_one(follower *f, const hm_history *history, const program *p, uint64_t to)
{
    if (!f->by_file) {
        CHECK(changes(history, p, f->which, f->mark, to, follow_change, f) == HM_OK);
        return;
    }
    f->file.size = 0;
    CHECK(save(history, p, f->which, f->mark, to, test_sink(&f->file)) == HM_OK);
    CHECK(load(&f->copy, f->which, test_source(&f->file)) == HM_OK);
    CHECK(f->file.position == f->file.size);
}

static void follow(follower *f, marks *known, const hm_history *history, const program *p,
                   uint32_t i)
{
    static values found;
    for (f->which = 0; f->which < CONTAINERS; f->which++) {
        const values *right = &known->at[i][f->which];
        follow_one(f, history, p, known->mark[i]);
        list(&f->copy, f->which, &found);
        if (f->which == WORLD)
            rename_parts(&found, &f->copy, p);
        CHECK(found.count == right->count);
        for (size_t k = 0; k < found.count; k++)
            CHECK(by_place(&found.list[k], &right->list[k]) == 0 &&
                  found.list[k].handle.bits == right->list[k].handle.bits &&
                  found.list[k].hash == right->list[k].hash);
    }
    f->mark = known->mark[i];
    f->by_file = !f->by_file;
}

static void compare(marks *known, const hm_history *history, const program *p, uint32_t i,
                    uint32_t k)
{
    comparison *c = &known->comparison;
    for (uint32_t which = 0; which < CONTAINERS; which++) {
        expect_all(c, &known->at[i][which], &known->at[k][which]);
        c->is_right = true;
        CHECK(changes(history, p, which, known->mark[i], known->mark[k], check_change, c) == HM_OK);
        if (!c->is_right || c->told != c->count)
            printf("container %u: %zu of %zu told\n", (unsigned)which, c->told, c->count);
        CHECK(c->is_right && c->told == c->count);
        check_hash(known, history, p, which, i, k);
    }
}

static void check_changes(const hm_memory *parent, hm_history_method method, uint32_t capacity,
                          const char *what)
{
    static program p;
    static marks known;
    static follower f;
    hm_history history;
    uint64_t random = test_seed(what);
    const hm_history_desc desc = {
        .marks = MARKS, .method = method, .size = (size_t)1 << 28, .memory = parent};
    memset(&known, 0, sizeof known);
    CHECK(hm_history_init(&history, &desc) == HM_OK);
    CHECK(hm_history_watch(&history, &p, sizeof p) == HM_OK);
    program_begin(&p, &history.table, capacity);
    begin_follower(&f);
    for (uint32_t left = LEAST + test_scaled(COMPARES); left > 0 && program_step(&p);) {
        if (test_random_below(&random, STEPS_OF_A_MARK) != 0)
            continue;
        take_mark(&known, &history, &p);
        if (known.count % (MARKS - 1) == 0) /* the last mark is kept as long */
            follow(&f, &known, &history, &p, (known.count - 1) % MARKS);
        if (known.count < MARKS)
            continue;
        uint32_t i = test_random_below(&random, MARKS),
                 beyond = test_random_below(&random, MARKS - 1);
        compare(&known, &history, &p, i, (i + 1 + beyond) % MARKS);
        left--;
    }
    for (uint32_t kind = 0; kind < 3; kind++)
        CHECK(known.comparison.kinds[kind] > 0);
    while (program_step(&p)) {
    }
    program_end(&p);
    program_release(&f.copy);
    test_file_end(&f.file);
    hm_history_fini(&history);
    for (uint32_t i = 0; i < MARKS; i++)
        for (uint32_t which = 0; which < CONTAINERS; which++)
            free(known.at[i][which].list);
    free(known.comparison.list);
}

TEST(changes, between_two_marks_are_told_for_every_container)
{
    check_changes(hm_memory_os(), HM_HISTORY_AUTO, 0, "changes");
}

TEST(changes, are_told_for_containers_with_a_capacity)
{
    check_changes(hm_memory_os(), HM_HISTORY_COMPARE, CAPACITY, "changes, with a capacity");
}
