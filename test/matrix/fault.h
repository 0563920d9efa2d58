/* SPDX-License-Identifier: MIT */
/* Refused memory: for every operation of a container that can reach the memory table, the k-th call
 * is refused, for every k, once and from then on. The operation then fails without a visible
 * change, or did not need what was refused; and once there is memory again it succeeds. What the
 * tests of all kinds share: how a scene is made, and how every call is refused in turn. */
#ifndef TEST_MATRIX_FAULT_H
#define TEST_MATRIX_FAULT_H

#include "kinds.h"

#include "support/any.h"
#include "support/layout.h"
#include "support/memory.h"

enum {
    MAX_ITEMS = 35000,
    MAX_SLOTS = 70000,
    BATCH = 3,
    EDGE = 40,
    META_SIZE = 8,
    TYPE = 77,
    SEGMENT_SLOTS = 16384, /* of a secondary's positions */
    LARGE = 3 << 16,       /* bytes of a list that is more than one page of every size */
    COMPONENTS = 6,        /* of a world */
    TAGS = 10
};

typedef struct scene {
    const struct kind *kind;
    test_memory memory;
    test_layout layout;
    uint32_t way;
    test_any in;
    uint32_t next;  /* index of an owner without a value */
    hm_handle list; /* that operations change; or entity */
    hm_component components[COMPONENTS], tags[TAGS];
    uint32_t destroyed; /* calls of a component's hook */
} scene;

/* All that can be observed, in a hash each. */
typedef struct picture {
    uint64_t contents, states; /* of the items in their order, and of what has been issued */
    uint32_t count, slots, free_slots, retired_slots;
} picture;

typedef bool action(scene *on);

/* How a kind is made, filled and looked at. The bytes of an item are a pattern of its handle. */
typedef struct kind {
    uint32_t ways, edge; /* items that stand at the edge at least */
    uint32_t unbounded;  /* 0, or ways from this one on have no capacity, and memory from init on */
    bool any_align;      /* else only the smallest alignment, which does not affect memory */
    bool only_one_size;  /* The layout has only the page size. */
    bool trim_drops;     /* A trim that is refused may have dropped some slots. */
    hm_status (*init)(scene *on);
    void (*fini)(scene *on);
    void (*clear)(scene *on);
    action *trim, *reserve, *add;
    uint32_t (*count)(const scene *on);
    void (*erase)(scene *on, uint32_t position);
    void (*ruin)(scene *on); /* erases so that there is memory to trim */
    picture (*look)(const scene *on);
} kind;

static inline bool is_unbounded(const scene *on)
{
    return on->kind->unbounded != 0 && on->way >= on->kind->unbounded;
}

/* Returns a slot of a secondary's last segment. Without a capacity it clears all positions up to
 * there, so one that is only behind all others. */
static inline uint32_t far_away(const scene *on)
{
    return 63 * (is_unbounded(on) ? SEGMENT_SLOTS / 8 : SEGMENT_SLOTS);
}

static inline bool succeeds(hm_status status)
{
    CHECK(status == HM_OK || status == HM_ERROR_MEMORY);
    return status == HM_OK;
}

static inline void mix(uint64_t *hash, uint64_t value)
{
    *hash = (*hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    *hash ^= *hash >> 32;
}

/* How a kind is made whose descriptor has these fields. */
#define MADE_BY(kind, ...)                                                                         \
    static hm_status kind##_init(scene *on)                                                        \
    {                                                                                              \
        return hm_##kind##_init(                                                                   \
            &on->in.kind,                                                                          \
            &(hm_##kind##_desc){.type_id = TYPE, .memory = &on->memory.table, __VA_ARGS__});       \
    }

/* What items of maps and pools share. */
#define ITEMS(kind)                                                                                \
    static bool kind##_add(scene *on)                                                              \
    {                                                                                              \
        return kind##_note(on, hm_##kind##_insert(&on->in.kind, NULL));                            \
    }                                                                                              \
    static bool kind##_emplace(scene *on)                                                          \
    {                                                                                              \
        void *place = on;                                                                          \
        hm_handle handle = hm_##kind##_emplace(&on->in.kind, &place);                              \
        CHECK(hm_handle_is_null(handle) == (place == NULL));                                       \
        return kind##_note(on, handle);                                                            \
    }

/* Orders while memory is refused: both calls wait. Once there is some, both end with all in order,
 * the second with these handles in front; from then on it is refused again. */
#define WAITS(kind)                                                                                \
    static void kind##_waits(scene *on, const hm_handle *handles, uint32_t n)                      \
    {                                                                                              \
        hm_##kind *c = &on->in.kind;                                                               \
        for (int arranging = 0; arranging < 2; arranging++) {                                      \
            hm_progress waits = arranging ? hm_##kind##_arrange(c, handles, n, NULL)               \
                                          : hm_##kind##_defragment(c, &by_first_byte, NULL);       \
            CHECK(waits.status == HM_ERROR_MEMORY && !waits.done && waits.swaps == 0);             \
        }                                                                                          \
        CHECK(on->memory.calls > 0);                                                               \
        test_memory_fail(&on->memory, 0, false);                                                   \
        CHECK(hm_##kind##_defragment(c, &by_first_byte, NULL).done);                               \
        CHECK(hm_##kind##_arrange(c, handles, n, NULL).done);                                      \
        test_memory_fail(&on->memory, 1, true);                                                    \
    }

/* What is the same for each kind, and the statistics, which must agree with the memory table. */
#define COMMON(kind)                                                                               \
    static void kind##_fini(scene *on)                                                             \
    {                                                                                              \
        hm_##kind##_fini(&on->in.kind);                                                            \
    }                                                                                              \
    static void kind##_clear(scene *on)                                                            \
    {                                                                                              \
        hm_##kind##_clear(&on->in.kind);                                                           \
    }                                                                                              \
    static bool kind##_trim(scene *on)                                                             \
    {                                                                                              \
        return succeeds(hm_##kind##_trim(&on->in.kind));                                           \
    }                                                                                              \
    static bool kind##_reserve(scene *on)                                                          \
    {                                                                                              \
        return succeeds(hm_##kind##_reserve(&on->in.kind, BATCH));                                 \
    }                                                                                              \
    static uint32_t kind##_count(const scene *on)                                                  \
    {                                                                                              \
        return hm_##kind##_count(&on->in.kind);                                                    \
    }                                                                                              \
    static picture kind##_glance(const scene *on)                                                  \
    {                                                                                              \
        const hm_##kind *c = &on->in.kind;                                                         \
        hm_##kind##_stats stats = hm_##kind##_get_stats(c);                                        \
        CHECK(hm_##kind##_validate(c) == HM_OK && stats.count == hm_##kind##_count(c));            \
        CHECK(stats.committed_size == on->memory.committed_size);                                  \
        CHECK(stats.reserved_size == on->memory.reserved_size);                                    \
        picture seen = {.count = stats.count,                                                      \
                        .slots = stats.slots,                                                      \
                        .free_slots = stats.free_slots,                                            \
                        .retired_slots = stats.retired_slots};                                     \
        return seen;                                                                               \
    }
/* The same, and what each handle is that may have been issued. */
#define STATES(kind)                                                                               \
    static picture kind##_states(const scene *on)                                                  \
    {                                                                                              \
        picture seen = kind##_glance(on);                                                          \
        for (uint32_t slot = 0; slot < seen.slots + BATCH; slot++)                                 \
            for (uint32_t generation = 1; generation <= 2; generation++)                           \
                mix(&seen.states, (uint64_t)hm_##kind##_explain(                                   \
                                      &on->in.kind, hm_handle_pack(slot, generation, TYPE)));      \
        return seen;                                                                               \
    }
#define DESCRIBED(kind, number)                                                                    \
    .ways = number, .init = kind##_init, .fini = kind##_fini, .clear = kind##_clear,               \
    .trim = kind##_trim, .reserve = kind##_reserve, .add = kind##_add, .count = kind##_count,      \
    .erase = kind##_erase, .ruin = kind##_ruin, .look = kind##_look

/* The states in which an operation starts. */

static inline void stand_empty(scene *on)
{
    (void)on;
}

/* Adds until the next item needs memory: all that was committed is used up. */
static inline void use_up(scene *on)
{
    test_memory_fail(&on->memory, 1, true);
    while (on->kind->add(on))
        ;
    test_memory_fail(&on->memory, 0, false);
}

static inline void stand_at_the_edge(scene *on)
{
    for (uint32_t i = 0; i < on->kind->edge; i++)
        CHECK(on->kind->add(on));
    use_up(on);
}

static inline void stand_in_ruins(scene *on)
{
    stand_at_the_edge(on);
    on->kind->ruin(on);
}

static inline void stand_trimmed(scene *on)
{
    stand_in_ruins(on);
    CHECK(on->kind->trim(on));
    use_up(on);
}

static inline void stand_cleared_and_trimmed(scene *on)
{
    stand_in_ruins(on);
    on->kind->clear(on);
    CHECK(on->kind->trim(on));
}

typedef struct operation {
    void (*stand)(scene *on);
    action *run;     /* returns whether it succeeded */
    size_t only_for; /* items of this size; 0: any */
} operation;

static scene stage;

static inline void start(scene *on, const kind *of, test_layout layout, uint32_t way)
{
    *on = (scene){.kind = of, .layout = layout, .way = way};
    test_memory_init_with_holes(&on->memory, layout.page_size);
    CHECK(of->init(on) == HM_OK);
}

static inline void finish(scene *on)
{
    on->kind->fini(on);
    test_memory_check_released(&on->memory);
}

static inline void check_unchanged(const scene *on, picture before, bool trimming)
{
    picture now = on->kind->look(on);
    if (trimming && on->kind->trim_drops) {
        before.states = now.states;
        before.slots = now.slots;
        before.free_slots = now.free_slots;
        CHECK(now.slots == now.count + now.free_slots + now.retired_slots);
    }
    CHECK(memcmp(&now, &before, sizeof now) == 0);
}

/* Refuses the k-th call. Returns whether it was reached. */
static inline bool refuse(scene *on, operation what, uint32_t k, bool and_later)
{
    const kind *of = on->kind;
    bool trimming = what.run == of->trim;
    start(on, of, on->layout, on->way);
    what.stand(on);
    picture before = of->look(on);
    test_memory_fail(&on->memory, k, and_later);
    bool succeeded = what.run(on), reached = on->memory.calls >= k;
    CHECK(!trimming || succeeded != reached);
    if (!succeeded) {
        CHECK(reached);
        check_unchanged(on, before, trimming);
        CHECK(!and_later || trimming || !what.run(on));
        check_unchanged(on, before, trimming);
        test_memory_fail(&on->memory, 0, false);
        CHECK(what.run(on));
    }
    test_memory_fail(&on->memory, 0, false);
    CHECK((!trimming && what.run != of->reserve) || of->look(on).contents == before.contents);
    for (uint32_t i = 0; i < BATCH; i++)
        CHECK(of->add(on));
    of->look(on);
    finish(on);
    return reached;
}

/* Whether the layout of the scene differs in memory from others of its kind, and has this size. */
static inline bool is_of_interest(const scene *on, size_t only_for)
{
    return (only_for == 0 || on->layout.item_size == only_for) &&
           (on->kind->any_align || on->layout.item_align == 1) &&
           (!on->kind->only_one_size || on->layout.item_size == 1);
}

/* There must be at least one call to refuse, or the operation was not tested. Where loops over
 * layouts are shortened, none of those that are left may make one. */
static inline void refuse_every_call(const kind *of, const operation *operations, size_t count)
{
    for (size_t o = 0; o < count; o++) {
        uint32_t calls = 0;
        for (size_t i = 0; i < test_layout_count() * of->ways; i++) {
            stage.kind = of;
            stage.way = (uint32_t)(i % of->ways);
            stage.layout = test_layout_at(i / of->ways);
            if (!is_of_interest(&stage, operations[o].only_for))
                continue;
            uint32_t k = 1;
            for (; refuse(&stage, operations[o], k, false); k = test_next_call(k))
                refuse(&stage, operations[o], k, true);
            calls += k - 1;
            /* A pool's blocks are released without being refused, and small items share a page. */
            CHECK(k > 1 || operations[o].run == of->trim ||
                  (is_unbounded(&stage) && operations[o].stand != stand_at_the_edge));
        }
        CHECK(calls > 0 || test_scale() > 1);
    }
}

#define REFUSED(of, name, ...)                                                                     \
    TEST(of##_fault, name##_refused_changes_nothing)                                               \
    {                                                                                              \
        static const operation operations[] = {__VA_ARGS__};                                       \
        refuse_every_call(&of##_kind, operations, sizeof operations / sizeof *operations);         \
    }

static inline bool is_asked(const void *item, void *context)
{
    (void)item;
    return ++*(uint32_t *)context % 2 == 0;
}

/* Once there is an item more than is needed, all others come and go without memory. */
static inline void erase_without_memory(const kind *of)
{
    for (size_t i = 0; i < test_layout_count() * of->ways; i++) {
        scene *on = &stage;
        start(on, of, test_layout_at(i / of->ways), (uint32_t)(i % of->ways));
        stand_at_the_edge(on);
        uint32_t n = of->count(on);
        test_memory_fail(&on->memory, 1, true);
        of->erase(on, 0);
        of->erase(on, of->count(on) / 2);
        of->look(on);
        of->clear(on);
        on->next = 0; /* Positions of later slots may need memory. */
        while (of->count(on) < n)
            CHECK(of->add(on));
        CHECK(on->memory.calls == 0);
        finish(on);
    }
}

/* Makes one step of a life, again if it is refused. */
static inline void live_through(scene *on, action *step)
{
    picture before = on->kind->look(on);
    if (step(on))
        return;
    CHECK(test_memory_refused(&on->memory));
    check_unchanged(on, before, step == on->kind->trim);
    if (on->memory.fail_after)
        test_memory_fail(&on->memory, 0, false);
    CHECK(step(on));
}

/* Grows over several pages, shrinks, trims, and grows again. Returns whether call k was reached. */
static inline bool live(scene *on, action *grow, uint32_t steps, uint32_t k, bool and_later)
{
    const kind *of = on->kind;
    start(on, of, on->layout, on->way);
    test_memory_fail(&on->memory, k, and_later);
    for (int age = 0; age < 2; age++) {
        for (uint32_t i = 0; i < steps; i++)
            live_through(on, grow);
        while (of->count(on) > 2)
            of->erase(on, 2);
        live_through(on, of->trim);
    }
    bool reached = on->memory.fail_at == 0 || on->memory.calls >= k;
    finish(on);
    return reached;
}

static inline void live_with_every_refusal(const kind *of, action *grow, uint32_t steps)
{
    for (size_t i = 0; i < test_layout_count() * of->ways; i++) {
        stage.kind = of;
        stage.way = (uint32_t)(i % of->ways);
        stage.layout = test_layout_at(i / of->ways);
        uint32_t k = 1;
        for (; is_of_interest(&stage, 0) && live(&stage, grow, steps, k, false);
             k = test_next_call(k))
            live(&stage, grow, steps, k, true);
        /* At least each column and what is behind it, or a range at a time. */
        CHECK(k > (is_unbounded(&stage) ? 1 : 5) || !is_of_interest(&stage, 0));
    }
}

#define NEVER_ASKS(of)                                                                             \
    TEST(of##_fault, erase_and_clear_never_ask_for_memory)                                         \
    {                                                                                              \
        erase_without_memory(&of##_kind);                                                          \
    }

/* Erases from the back what is not kept, which is two of three items and the last ones. */
static inline void ruin_dense(scene *on)
{
    uint32_t n = on->kind->count(on);
    for (uint32_t i = n; i-- > 0;)
        if (i % 3 != 0 || i > n / 4)
            on->kind->erase(on, i);
}

#endif
