/* SPDX-License-Identifier: MIT */
/* Promises of maps, tables and pools: random operations, with rewinds and files, beside a list of
 * all handles that there ever were; and what each of them promises by itself. */
#include "support/file.h"
#include "support/last_error.h"
#include "support/memory.h"

#include <handle_map/handle_map.h>

#include <string.h>

enum { TYPE = 9, ITEMS = 30, MANY = 3000, SLOTS = 200, WAYS = 6, STEPS = 3000, EVER = 20000 };

static uint32_t max_slots = SLOTS;

typedef union container {
    hm_map map;
    hm_table table;
    hm_pool pool;
} container;

static container made;
static hm_history history;

/* What a container has; all of `made`, but for those that say so. */
typedef struct verbs {
    hm_status (*init)(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory);
    void (*fini)(container *c);
    hm_handle (*insert)(uint32_t value);
    hm_status (*insert_as)(hm_handle promised, uint32_t value);
    const uint32_t *(*get)(hm_handle handle);
    bool (*erase)(hm_handle handle);
    hm_status (*reserve)(uint32_t n);
    hm_status (*reserve_promises)(uint32_t n);
    hm_handle (*promise)(void);
    bool (*give_up)(hm_handle promised);
    hm_status (*adopt)(hm_handle handle);
    hm_handle_state (*explain)(hm_handle handle);
    hm_stats (*stats)(void);
    uint32_t (*available)(void);
    hm_handle (*upcoming)(uint32_t k);
    void (*clear)(void);
    hm_status (*trim)(void);
    hm_status (*save)(hm_sink sink);
    hm_status (*load)(container *c, hm_source source);
    hm_status (*merge)(hm_source source);
    hm_status (*validate)(void);
    size_t (*describe)(hm_handle handle, char *text, size_t size);
} verbs;

static const hm_column numbers[] = {{.size = 4, .align = 4, .name = "number"},
                                    {.size = 16, .align = 4, .name = "rest"}};

static hm_status init_map(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    const hm_map_desc desc = {.item_size = 16,
                              .meta_size = way % 2,
                              .capacity = capacity,
                              .max_slots = max_slots,
                              .type_id = TYPE,
                              .generation_bits = (uint16_t)(way % 3 == 2 ? 2 : 0),
                              .memory = memory};
    return hm_map_init(&c->map, &desc);
}

static hm_status init_table(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    const hm_table_desc desc = {.columns = numbers,
                                .column_count = 2,
                                .lanes = 8 * (way % 2),
                                .capacity = capacity,
                                .max_slots = max_slots,
                                .type_id = TYPE,
                                .generation_bits = (uint16_t)(way % 3 == 2 ? 2 : 0),
                                .memory = memory};
    return hm_table_init(&c->table, &desc);
}

static hm_status init_pool(container *c, uint32_t way, uint32_t capacity, const hm_memory *memory)
{
    const hm_pool_desc desc = {.item_size = 16,
                               .capacity = capacity != 0 ? capacity : max_slots,
                               .max_slots = max_slots,
                               .type_id = TYPE,
                               .generation_bits = (uint16_t)(way >= 3 ? 2 : 0),
                               .storage = (hm_storage)(way % 3),
                               .memory = memory};
    return hm_pool_init(&c->pool, &desc);
}

static const uint32_t *item_of(uint32_t value)
{
    static uint32_t item[4];
    item[0] = value;
    return item;
}

static hm_handle insert_row(const uint32_t *value)
{
    const void *values[] = {value, NULL};
    return hm_table_insert(&made.table, values);
}

static hm_status insert_row_as(hm_handle promised, const uint32_t *value)
{
    const void *values[] = {value, NULL};
    return hm_table_insert_as(&made.table, promised, values);
}

#define VERBS(kind, insert_value, insert_value_as, get_value)                                      \
    static void fini_##kind(container *c)                                                          \
    {                                                                                              \
        hm_##kind##_fini(&c->kind);                                                                \
    }                                                                                              \
    static hm_handle insert_##kind(uint32_t value)                                                 \
    {                                                                                              \
        return insert_value;                                                                       \
    }                                                                                              \
    static hm_status insert_as_##kind(hm_handle promised, uint32_t value)                          \
    {                                                                                              \
        return insert_value_as;                                                                    \
    }                                                                                              \
    static const uint32_t *get_##kind(hm_handle handle)                                            \
    {                                                                                              \
        return get_value;                                                                          \
    }                                                                                              \
    static bool erase_##kind(hm_handle handle)                                                     \
    {                                                                                              \
        return hm_##kind##_erase(&made.kind, handle);                                              \
    }                                                                                              \
    static hm_status reserve_##kind(uint32_t n)                                                    \
    {                                                                                              \
        return hm_##kind##_reserve(&made.kind, n);                                                 \
    }                                                                                              \
    static hm_status reserve_promises_##kind(uint32_t n)                                           \
    {                                                                                              \
        return hm_##kind##_reserve_promises(&made.kind, n);                                        \
    }                                                                                              \
    static hm_handle promise_##kind(void)                                                          \
    {                                                                                              \
        return hm_##kind##_promise(&made.kind);                                                    \
    }                                                                                              \
    static bool give_up_##kind(hm_handle promised)                                                 \
    {                                                                                              \
        return hm_##kind##_give_up(&made.kind, promised);                                          \
    }                                                                                              \
    static hm_status adopt_##kind(hm_handle handle)                                                \
    {                                                                                              \
        return hm_##kind##_adopt(&made.kind, handle, NULL);                                        \
    }                                                                                              \
    static hm_handle_state explain_##kind(hm_handle handle)                                        \
    {                                                                                              \
        return hm_##kind##_explain(&made.kind, handle);                                            \
    }                                                                                              \
    static hm_stats stats_##kind(void)                                                             \
    {                                                                                              \
        return hm_##kind##_get_stats(&made.kind);                                                  \
    }                                                                                              \
    static uint32_t available_##kind(void)                                                         \
    {                                                                                              \
        return hm_##kind##_available(&made.kind);                                                  \
    }                                                                                              \
    static hm_handle upcoming_##kind(uint32_t k)                                                   \
    {                                                                                              \
        return hm_##kind##_upcoming(&made.kind, k);                                                \
    }                                                                                              \
    static void clear_##kind(void)                                                                 \
    {                                                                                              \
        hm_##kind##_clear(&made.kind);                                                             \
    }                                                                                              \
    static hm_status trim_##kind(void)                                                             \
    {                                                                                              \
        return hm_##kind##_trim(&made.kind);                                                       \
    }                                                                                              \
    static hm_status save_##kind(hm_sink sink)                                                     \
    {                                                                                              \
        return hm_##kind##_save(&made.kind, NULL, sink);                                           \
    }                                                                                              \
    static hm_status load_##kind(container *c, hm_source source)                                   \
    {                                                                                              \
        return hm_##kind##_load(&c->kind, NULL, source);                                           \
    }                                                                                              \
    static hm_status merge_##kind(hm_source source)                                                \
    {                                                                                              \
        return hm_##kind##_merge(&made.kind, NULL, source, NULL);                                  \
    }                                                                                              \
    static hm_status validate_##kind(void)                                                         \
    {                                                                                              \
        return hm_##kind##_validate(&made.kind);                                                   \
    }                                                                                              \
    static size_t describe_##kind(hm_handle handle, char *text, size_t size)                       \
    {                                                                                              \
        return hm_##kind##_describe(&made.kind, handle, text, size);                               \
    }                                                                                              \
    static const verbs kind##_verbs = {                                                            \
        init_##kind,     fini_##kind,      insert_##kind,   insert_as_##kind,                      \
        get_##kind,      erase_##kind,     reserve_##kind,  reserve_promises_##kind,               \
        promise_##kind,  give_up_##kind,   adopt_##kind,    explain_##kind,                        \
        stats_##kind,    available_##kind, upcoming_##kind, clear_##kind,                          \
        trim_##kind,     save_##kind,      load_##kind,     merge_##kind,                          \
        validate_##kind, describe_##kind}

VERBS(map, hm_map_insert(&made.map, item_of(value)),
      hm_map_insert_as(&made.map, promised, item_of(value)), hm_map_get(&made.map, handle));
VERBS(table, insert_row(&value), insert_row_as(promised, &value),
      hm_table_get(&made.table, handle, 0));
VERBS(pool, hm_pool_insert(&made.pool, item_of(value)),
      hm_pool_insert_as(&made.pool, promised, item_of(value)), hm_pool_get(&made.pool, handle));

/* What became of a handle. */
typedef enum fate { PROMISED, LIVE, GONE } fate;

typedef struct record {
    hm_handle handle;
    fate fate;
    uint32_t value;
} record;

/* All handles that there ever were, and how many promises are ready. */
typedef struct model {
    record all[EVER];
    uint32_t count, ready;
} model;

static model now, before;

static record *draw(uint64_t *random)
{
    return now.count != 0 ? &now.all[test_random_below(random, now.count)] : NULL;
}

static void note(hm_handle handle, fate become, uint32_t value)
{
    CHECK(now.count < EVER && !hm_handle_is_null(handle));
    for (uint32_t i = 0; i < now.count; i++)
        CHECK(!hm_handle_equal(now.all[i].handle, handle));
    now.all[now.count++] = (record){handle, become, value};
}

static void check(const verbs *of)
{
    uint32_t live = 0, promised = now.ready;
    CHECK(of->validate() == HM_OK);
    for (uint32_t i = 0; i < now.count; i++) {
        const record *each = &now.all[i];
        const uint32_t *item = of->get(each->handle);
        hm_handle_state state = of->explain(each->handle);
        CHECK((item != NULL) == (each->fate == LIVE) && (item == NULL || *item == each->value));
        CHECK((state == HM_HANDLE_PROMISED) == (each->fate == PROMISED));
        live += each->fate == LIVE;
        promised += each->fate == PROMISED;
    }
    hm_stats stats = of->stats();
    CHECK(stats.count == live && stats.promised_slots == promised);
    CHECK(stats.ready_slots == now.ready);
    CHECK(stats.count + stats.promised_slots <= stats.capacity);
    CHECK(stats.slots ==
          stats.count + stats.free_slots + stats.retired_slots + stats.promised_slots);
}

/* Saves all, and loads it into another container, in which nothing is promised. */
static void check_file(const verbs *of, uint32_t way, uint32_t capacity)
{
    test_file file = {0};
    container kept;
    CHECK(of->save(test_sink(&file)) == HM_OK);
    memcpy(&kept, &made, sizeof made);
    CHECK(of->init(&made, way, capacity, NULL) == HM_OK);
    CHECK(of->load(&made, test_source(&file)) == HM_OK && of->validate() == HM_OK);
    CHECK(of->stats().promised_slots == 0);
    for (uint32_t i = 0; i < now.count; i++) {
        const record *each = &now.all[i];
        const uint32_t *item = of->get(each->handle);
        CHECK((item != NULL) == (each->fate == LIVE) && (item == NULL || *item == each->value));
        CHECK(of->insert_as(each->handle, 1) == HM_ERROR_STALE && !of->give_up(each->handle));
    }
    for (hm_handle next; !hm_handle_is_null(next = of->insert(0));)
        for (uint32_t i = 0; i < now.count; i++) /* None is issued again. */
            CHECK(!hm_handle_equal(next, now.all[i].handle));
    of->fini(&made);
    memcpy(&made, &kept, sizeof made);
    free(file.bytes);
}

static void promise(const verbs *of)
{
    hm_handle handle = of->promise();
    CHECK(hm_handle_is_null(handle) == (now.ready == 0));
    if (now.ready == 0)
        return;
    now.ready--;
    note(handle, PROMISED, 0);
}

static void fulfil(const verbs *of, record *each, uint32_t value)
{
    hm_status status = of->insert_as(each->handle, value);
    CHECK(status == (each->fate == PROMISED ? HM_OK : HM_ERROR_STALE));
    if (status == HM_OK)
        *each = (record){each->handle, LIVE, value};
}

static void step(const verbs *of, uint64_t *random)
{
    record *each = draw(random);
    uint32_t value = (uint32_t)test_random(random), n = test_random_below(random, 6);
    switch (test_random_below(random, 12)) {
    case 0:
        if (of->reserve_promises(n) == HM_OK && n > now.ready)
            now.ready = n;
        break;
    case 1:
    case 2:
        promise(of);
        break;
    case 3:
    case 4:
    case 5:
        if (each != NULL)
            fulfil(of, each, value);
        break;
    case 6:
        if (each != NULL && of->give_up(each->handle)) {
            CHECK(each->fate == PROMISED);
            each->fate = GONE;
        } else {
            CHECK(each == NULL || each->fate != PROMISED);
        }
        break;
    case 7:
    case 8: {
        uint32_t available = of->available();
        hm_handle next = of->reserve(1) == HM_OK ? of->upcoming(0) : HM_NULL_HANDLE;
        hm_handle handle = of->insert(value);
        CHECK(hm_handle_is_null(handle) == (available == 0) && hm_handle_equal(handle, next));
        if (available != 0)
            note(handle, LIVE, value);
        break;
    }
    case 9:
    case 10:
        if (each != NULL && of->erase(each->handle)) {
            CHECK(each->fate == LIVE);
            each->fate = GONE;
        }
        break;
    default:
        if (each != NULL && each->fate == PROMISED)
            CHECK(of->adopt(each->handle) == HM_ERROR_STALE);
        if (n == 0)
            CHECK(of->trim() == HM_OK);
        if (n == 1 && value % 8 == 0) {
            of->clear();
            for (uint32_t i = 0; i < now.count; i++)
                if (now.all[i].fate == LIVE)
                    now.all[i].fate = GONE;
        }
        break;
    }
}

static void check_random(const verbs *of, uint32_t way, uint32_t capacity)
{
    uint64_t random = test_seed("promises"), mark = 0;
    memset(&now, 0, sizeof now);
    CHECK(hm_history_init(&history, &(hm_history_desc){.marks = 2}) == HM_OK);
    CHECK(of->init(&made, way, capacity, &history.table) == HM_OK);
    CHECK(hm_history_watch(&history, &made, sizeof made) == HM_OK);
    for (uint32_t i = 0; i < test_scaled(STEPS); i++) {
        step(of, &random);
        if (i % 16 == 0)
            check(of);
        if (i % 80 == 40) {
            mark = hm_history_mark(&history);
            before = now;
            check_file(of, way, capacity);
        }
        if (i % 80 == 60 && test_random_below(&random, 2) == 0) {
            CHECK(hm_history_rewind(&history, mark) == HM_OK);
            now = before;
            check(of);
        }
    }
    of->fini(&made);
    hm_history_fini(&history);
}

/* The items come whatever else was inserted, and where no memory can be had. Each array has several
 * pages. */
static void check_memory(const verbs *of, uint32_t way, uint32_t capacity)
{
    static hm_handle promised[MANY];
    test_memory memory;
    max_slots = 3 * MANY;
    capacity = capacity != 0 ? 2 * MANY : 0;
    if (of == &pool_verbs)
        test_memory_init_with_holes(&memory, test_page_size(4096));
    else
        test_memory_init(&memory, test_page_size(4096));
    CHECK(of->init(&made, way, capacity, &memory.table) == HM_OK);
    max_slots = SLOTS;
    CHECK(of->reserve_promises(MANY) == HM_OK && of->reserve_promises(3) == HM_OK);
    CHECK(of->stats().promised_slots == MANY);
    for (uint32_t i = 0; i < MANY; i++)
        promised[i] = of->promise();
    CHECK(hm_handle_is_null(of->promise()) && strstr(hm_last_error(), "no promises left") != NULL);
    if (capacity != 0)
        CHECK(of->reserve_promises(MANY + 1) == HM_ERROR_FULL);
    uint32_t others = way % 2 == 0 ? MANY / 2 : MANY;
    for (uint32_t i = 0; i < others; i++)
        CHECK(!hm_handle_is_null(of->insert(i)));
    CHECK(capacity == 0 || of->available() == MANY - others);
    if (of == &pool_verbs) { /* A pool may need its memory again. */
        CHECK(of->trim() == HM_OK && of->validate() == HM_OK && of->give_up(promised[0]));
        CHECK(of->validate() == HM_OK && of->reserve_promises(1) == HM_OK);
        promised[0] = of->promise();
    } else {
        CHECK(way / 2 % 2 == 0 || of->trim() == HM_OK);
        test_memory_fail(&memory, 1, true);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        CHECK(of->explain(promised[i]) == HM_HANDLE_PROMISED);
        CHECK(of->insert_as(promised[i], 100 + i) == HM_OK && *of->get(promised[i]) == 100 + i);
        CHECK(of->insert_as(promised[i], 1) == HM_ERROR_STALE && !of->give_up(promised[i]));
        if (i % 512 == 0)
            CHECK(of->validate() == HM_OK);
    }
    CHECK(of->validate() == HM_OK && of->stats().promised_slots == 0);
    test_memory_fail(&memory, 0, false);
    of->fini(&made);
    test_memory_check_released(&memory);
}

/* Uses up the generations of so many slots, which have entries then, but no positions. */
static void retire_of_map(uint32_t n)
{
    CHECK(hm_map_reserve(&made.map, n) == HM_OK); /* No more memory than that. */
    for (uint32_t lives = 0; lives < 3; lives++) {
        CHECK(hm_map_insert_n(&made.map, NULL, n, NULL) == HM_OK);
        hm_map_clear(&made.map);
    }
}

/* Of small items the positions run out of memory first: beside retired slots, and of slots that an
 * adopt makes. */
TEST(promise, of_a_map_of_bytes_has_its_position)
{
    /* Positions are committed by 16,384 of them. */
    enum { WAITING = 16000, RETIRED = 15000, OTHERS = 1000, FAR = 20000, MOST = 60000 };
    static hm_handle promised[WAITING];
    for (uint32_t way = 0; way < 4; way++) {
        test_memory memory;
        test_memory_init(&memory, test_page_size(4096));
        const hm_map_desc desc = {.item_size = 1,
                                  .capacity = way % 2 * MOST,
                                  .max_slots = MOST,
                                  .type_id = TYPE,
                                  .generation_bits = 2,
                                  .memory = &memory.table};
        CHECK(hm_map_init(&made.map, &desc) == HM_OK);
        if (way >= 2)
            retire_of_map(RETIRED);
        CHECK(hm_map_reserve_promises(&made.map, WAITING) == HM_OK);
        for (uint32_t i = 0; i < WAITING; i++)
            promised[i] = hm_map_promise(&made.map);
        for (uint32_t i = 0; way >= 2 && i < OTHERS; i++)
            CHECK(!hm_handle_is_null(hm_map_insert(&made.map, NULL)));
        if (way < 2)
            CHECK(hm_map_adopt(&made.map, hm_handle_pack(FAR, 1, TYPE), NULL) == HM_OK);
        test_memory_fail(&memory, 1, true);
        for (uint32_t i = 0; i < WAITING; i++)
            CHECK(hm_map_insert_as(&made.map, promised[i], NULL) == HM_OK);
        CHECK(hm_map_validate(&made.map) == HM_OK);
        test_memory_fail(&memory, 0, false);
        hm_map_fini(&made.map);
        test_memory_check_released(&memory);
    }
}

/* Where memory is refused, nothing has changed. */
static void check_faults(const verbs *of, uint32_t way, uint32_t capacity)
{
    for (uint32_t k = 1;; k++) {
        test_memory memory;
        if (of == &pool_verbs)
            test_memory_init_with_holes(&memory, test_page_size(4096));
        else
            test_memory_init(&memory, test_page_size(4096));
        CHECK(of->init(&made, way, capacity, &memory.table) == HM_OK);
        hm_handle first = of->insert(1);
        CHECK(of->reserve_promises(2) == HM_OK);
        hm_handle promised = of->promise();
        test_memory_fail(&memory, k, false);
        hm_status status = of->reserve_promises(ITEMS - 3);
        bool is_refused = test_memory_refused(&memory);
        test_memory_fail(&memory, 0, false);
        CHECK(status == (is_refused ? HM_ERROR_MEMORY : HM_OK) && of->validate() == HM_OK);
        CHECK(of->stats().promised_slots == (is_refused ? 2 : ITEMS - 2));
        CHECK(of->insert_as(promised, 7) == HM_OK && *of->get(promised) == 7);
        CHECK(*of->get(first) == 1 && of->validate() == HM_OK);
        of->fini(&made);
        test_memory_check_released(&memory);
        if (!is_refused)
            return;
    }
}

/* One that was not given out yet is nobody's; and no other handle is one. */
static void check_strangers(const verbs *of, uint32_t way, uint32_t capacity)
{
    char text[160];
    CHECK(of->init(&made, way, capacity, NULL) == HM_OK);
    CHECK(hm_handle_is_null(of->promise()));
    CHECK(of->insert_as(hm_handle_pack(0, 1, TYPE), 1) == HM_ERROR_STALE);
    hm_handle next = of->reserve(2) == HM_OK ? of->upcoming(1) : HM_NULL_HANDLE;
    CHECK(of->reserve_promises(2) == HM_OK);
    CHECK(of->insert_as(next, 1) == HM_ERROR_STALE && !of->give_up(next));
    CHECK(of->explain(next) == HM_HANDLE_FORGED);
    CHECK(of->describe(next, text, sizeof text) > 0 && strncmp(text, "forged: slot ", 13) == 0);
    hm_handle first = of->promise();
    CHECK(of->insert_as(next, 1) == HM_ERROR_STALE && !of->give_up(next));
    CHECK(hm_handle_equal(of->promise(), next));
    for (uint32_t bit = 0; bit < 64; bit++) {
        hm_handle other = hm_handle_from_bits(next.bits ^ UINT64_C(1) << bit);
        bool is_first = hm_handle_equal(other, first);
        CHECK(is_first || (of->insert_as(other, 1) == HM_ERROR_STALE && !of->give_up(other)));
        CHECK(of->get(other) == NULL && !of->erase(other));
    }
    CHECK(of->insert_as(HM_NULL_HANDLE, 1) == HM_ERROR_STALE && !of->give_up(HM_NULL_HANDLE));
    CHECK(of->describe(next, text, sizeof text) > 0 && strncmp(text, "promised: slot ", 15) == 0);
    CHECK(of->give_up(next) && of->insert_as(next, 1) == HM_ERROR_STALE && !of->give_up(next));
    CHECK(of->explain(next) == HM_HANDLE_STALE && of->validate() == HM_OK);
    CHECK(of->insert_as(first, 5) == HM_OK && *of->get(first) == 5 && of->erase(first));
    of->fini(&made);
}

/* A merge brings its items beside what is promised. */
static void check_merge(const verbs *of, uint32_t way, uint32_t capacity)
{
    test_file file = {0};
    CHECK(of->init(&made, way, capacity, NULL) == HM_OK);
    for (uint32_t i = 0; i < 5; i++)
        CHECK(!hm_handle_is_null(of->insert(i)));
    CHECK(of->save(test_sink(&file)) == HM_OK);
    of->fini(&made);
    CHECK(of->init(&made, way, capacity, NULL) == HM_OK && of->reserve_promises(5) == HM_OK);
    hm_handle promised = of->promise();
    CHECK(of->merge(test_source(&file)) == HM_OK && of->validate() == HM_OK);
    CHECK(of->stats().count == 5 && of->stats().promised_slots == 5);
    CHECK(of->explain(promised) == HM_HANDLE_PROMISED && of->insert_as(promised, 9) == HM_OK);
    CHECK(*of->get(promised) == 9 && of->stats().count == 6 && of->validate() == HM_OK);
    of->fini(&made);
    free(file.bytes);
}

#define TEST_EACH(kind, name, check)                                                               \
    TEST(promise, of_a_##kind##_##name)                                                            \
    {                                                                                              \
        for (uint32_t way = 0; way < 2 * WAYS; way++)                                              \
            check(&kind##_verbs, way / 2, way % 2 * ITEMS);                                        \
    }
#define TESTS(kind)                                                                                \
    TEST_EACH(kind, holds_through_random_operations_rewinds_and_files, check_random)               \
    TEST_EACH(kind, has_its_memory, check_memory)                                                  \
    TEST_EACH(kind, is_not_made_where_memory_is_refused, check_faults)                             \
    TEST_EACH(kind, is_only_of_who_was_given_it, check_strangers)                                  \
    TEST_EACH(kind, stays_beside_a_merge, check_merge)

TESTS(map)
TESTS(table)
TESTS(pool)

/* Holes without memory are between those that have it, or are all that there are. */
TEST(promise, of_a_pool_has_its_memory_where_holes_are_cold)
{
    enum { LARGE = 4096, FEW = 9 };
    hm_pool_desc desc = {.item_size = LARGE, .capacity = FEW + 1, .max_slots = 10000};
    CHECK(hm_pool_init(&made.pool, &desc) == HM_OK);
    CHECK(hm_pool_adopt(&made.pool, hm_handle_pack(5000, 1, 0), NULL) == HM_OK);
    CHECK(hm_pool_reserve_promises(&made.pool, FEW) == HM_OK);
    CHECK(hm_pool_validate(&made.pool) == HM_OK);
    for (int i = 0; i < FEW; i++)
        CHECK(hm_pool_insert_as(&made.pool, hm_pool_promise(&made.pool), NULL) == HM_OK);
    CHECK(hm_pool_validate(&made.pool) == HM_OK);
    hm_pool_fini(&made.pool);
    desc = (hm_pool_desc){.item_size = 8 * LARGE, .capacity = MANY / 10};
    desc.storage = HM_STORAGE_FIXED_BLOCKS;
    CHECK(hm_pool_init(&made.pool, &desc) == HM_OK);
    CHECK(hm_pool_insert_n(&made.pool, NULL, MANY / 10, NULL) == HM_OK);
    hm_pool_clear(&made.pool);
    CHECK(hm_pool_trim(&made.pool) == HM_OK);
    CHECK(hm_pool_reserve_promises(&made.pool, MANY / 10 - 1) == HM_OK);
    CHECK(hm_pool_validate(&made.pool) == HM_OK);
    CHECK(!hm_handle_is_null(hm_pool_insert(&made.pool, NULL)));
    for (int i = 0; i < MANY / 10 - 1; i++)
        CHECK(hm_pool_insert_as(&made.pool, hm_pool_promise(&made.pool), NULL) == HM_OK);
    CHECK(hm_pool_validate(&made.pool) == HM_OK);
    hm_pool_fini(&made.pool);
}

/* An item may lie in the container, which does not move; and a hook may promise. */
static hm_handle promised_by_hook;

static void promise_in_hook(void *item, void *context)
{
    (void)item;
    promised_by_hook = hm_map_promise(context);
    CHECK(hm_map_insert_as(context, promised_by_hook, NULL) == HM_ERROR_BUSY);
    CHECK(!hm_map_give_up(context, promised_by_hook));
}

TEST(promise, of_a_map_may_be_made_in_a_hook_and_kept_with_an_item_of_the_map)
{
    const hm_map_desc desc = {.item_size = 4, .destroy = promise_in_hook, .context = &made.map};
    const uint32_t seven = 7;
    CHECK(hm_map_init(&made.map, &desc) == HM_OK && hm_map_reserve_promises(&made.map, 2) == HM_OK);
    hm_handle first = hm_map_insert(&made.map, &seven), other = hm_map_insert(&made.map, NULL);
    CHECK(hm_map_erase(&made.map, other));
    const void *item = hm_map_get(&made.map, first);
    CHECK(hm_map_insert_as(&made.map, promised_by_hook, item) == HM_OK);
    CHECK(*(const uint32_t *)hm_map_get(&made.map, promised_by_hook) == 7);
    hm_map_fini(&made.map);
}

DEATH_TEST(promise, of_no_map_panics)
{
    test_expect_panic_of("", "hm_map_promise: map is NULL");
    (void)hm_map_promise(NULL);
}

DEATH_TEST(promise, of_no_table_panics)
{
    test_expect_panic_of("", "hm_table_promise: table is NULL");
    (void)hm_table_promise(NULL);
}

DEATH_TEST(promise, of_no_pool_panics)
{
    test_expect_panic_of("", "hm_pool_promise: pool is NULL");
    (void)hm_pool_promise(NULL);
}
