/* SPDX-License-Identifier: MIT */
/* What the tests of save and load share: memory that grows or refuses, and a row for each kind of
 * container. */
#ifndef TEST_SAVE_SAVES_H
#define TEST_SAVE_SAVES_H

#include "../src/base/base_private.h"
#include "support/any.h"
#include "support/file.h"
#include "support/memory.h"
#include "support/runner.h"
#include "support/test.h"

#include <handle_map/handle_map.h>

#include <stdlib.h>
#include <string.h>

/* Computes all checksums of the file's first section anew, as a stranger would who changes it. */
static inline void test_file_seal(test_file *file)
{
    unsigned char *bytes = file->bytes;
    size_t end = 48 + 4 * (size_t)(bytes[38] | bytes[39] << 8) + bytes[36] + bytes[37];
    size_t left = 0;
    for (int i = 7; i >= 0; i--)
        left = left << 8 | bytes[40 + i];
    for (size_t from = 0;; end += left < 65536 ? left : 65536, left -= end - from) {
        if (end + 8 > file->size)
            return;
        uint64_t sum = hm_hash_of(bytes + from, end - from);
        for (int i = 0; i < 8; i++)
            bytes[end + (size_t)i] = (unsigned char)(sum >> 8 * i);
        from = end += 8;
        if (left == 0)
            return;
    }
}

static inline void saved_fill(void *bytes, size_t size, uint64_t *random)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)bytes)[i] = (unsigned char)test_random(random);
}

/* Gives a free slot a generation near the last, as if it had been used so often. */
static inline void saved_age(hm_id_table *ids, uint64_t *random)
{
    if (ids->used == ids->count)
        return;
    uint32_t slot = ids->slots[ids->count + test_random_below(random, ids->used - ids->count)];
    uint32_t lives = HM_HANDLE_MAX_GENERATION - hm_handle_generation(ids->entries[slot]);
    uint32_t most = test_random_below(random, 3);
    if (lives > most)
        ids->entries[slot].bits += (uint64_t)(lives - most) << HM_HANDLE_GENERATION_SHIFT;
}

/* Returns a handle that a container with so many slots may adopt, or refuse. */
static inline hm_handle saved_adoptee(uint32_t slots, uint32_t type_id, uint64_t *random)
{
    uint32_t slot = test_random_below(random, slots + 20);
    return hm_handle_pack(slot, 1 + test_random_below(random, 6), type_id);
}

/* Compares the handles at all positions, and what is said about others. */
static inline void saved_compare_ids(const hm_id_table *a, const hm_id_table *b)
{
    uint32_t slots = a->dropped_end + a->slot_count + 2;
    CHECK(a->count == b->count && a->used == b->used && a->slot_count == b->slot_count);
    for (uint32_t i = 0; i < a->count; i++)
        CHECK(hm_id_table_handle_at(a, i).bits == hm_id_table_handle_at(b, i).bits);
    for (uint32_t slot = 0; slot < slots; slot++)
        for (uint32_t generation = 1; generation < 12; generation++) {
            hm_handle early = hm_handle_pack(slot, generation, a->type_id);
            hm_handle late =
                hm_handle_pack(slot, HM_HANDLE_MAX_GENERATION + 1 - generation, a->type_id);
            CHECK(hm_id_table_explain(a, early) == hm_id_table_explain(b, early));
            CHECK(hm_id_table_explain(a, late) == hm_id_table_explain(b, late));
        }
}

typedef test_any saved;

/* What adding something answers: the handle is null if it is not the container's. */
typedef struct saved_answer {
    hm_status status;
    hm_handle handle;
} saved_answer;

static inline saved_answer saved_issued(hm_handle handle)
{
    return (saved_answer){hm_handle_is_null(handle) ? HM_ERROR_FULL : HM_OK, handle};
}

/* A kind of container. Shapes are numbered from 0. */
typedef struct saved_kind {
    const char *name;
    uint32_t shapes;
    void (*init)(saved *made, uint32_t shape, const hm_memory *memory);
    void (*run)(saved *made, uint64_t *random); /* one random change */
    hm_status (*save)(const saved *made, const hm_save_desc *desc, hm_sink sink);
    hm_status (*load)(saved *made, const hm_save_desc *desc, hm_source source);
    hm_status (*validate)(const saved *made);
    hm_status (*trim)(saved *made);
    hm_status (*changes)(const hm_history *history, const saved *made, uint64_t from, uint64_t to,
                         hm_change_visit *visit, void *context);
    hm_status (*save_changes)(const hm_history *history, const saved *made,
                              const hm_save_desc *desc, uint64_t from, uint64_t to, hm_sink sink);
    hm_status (*save_values)(const saved *made, const hm_save_desc *desc, const hm_handle *handles,
                             uint32_t n, hm_sink sink);
    hm_status (*load_changes)(saved *made, const hm_save_desc *desc, hm_source source);
    hm_status (*visit)(const saved *made, const hm_handle *handles, uint32_t n,
                       hm_change_visit *visit, void *context);
    uint64_t (*hash)(const saved *made, const hm_handle *handles, uint32_t n);
    hm_savable (*as_savable)(saved *made);
    hm_stats (*get_stats)(const saved *made);
    void (*compare)(const saved *a, const saved *b);     /* all that can be asked */
    bool (*go_on)(saved *a, saved *b, uint64_t *random); /* one more each; false: refused */
    void (*fini)(saved *made);
} saved_kind;

/* Defines the row of a kind, from its `shapes` and static functions `init`, `add`, `run`,
 * `compare`, and those that take a descriptor: save_kind, load_kind and so on. `run` changes
 * something that a random number below 1,000 chooses, and returns how many to add. */
#define SAVED_ROW(kind)                                                                            \
    static void run_any(saved *made, uint64_t *random)                                             \
    {                                                                                              \
        uint32_t choice = test_random_below(random, 1000);                                         \
        if (choice < 3)                                                                            \
            hm_##kind##_clear(&made->kind);                                                        \
        else if (choice < 10)                                                                      \
            CHECK(hm_##kind##_trim(&made->kind) == HM_OK);                                         \
        else                                                                                       \
            for (uint32_t n = run(made, choice, random); n > 0; n--)                               \
                (void)add(made, random);                                                           \
    }                                                                                              \
    static bool go_on(saved *a, saved *b, uint64_t *random)                                        \
    {                                                                                              \
        uint64_t state = *random;                                                                  \
        saved_answer answer = add(a, random), same = add(b, &state);                               \
        CHECK(same.status == answer.status && same.handle.bits == answer.handle.bits);             \
        CHECK(state == *random);                                                                   \
        return answer.status == HM_OK;                                                             \
    }                                                                                              \
    TEST_ASKS(hm_status, validate, kind, (const saved *made), validate(&made->kind))               \
    TEST_ASKS(hm_status, trim, kind, (saved * made), trim(&made->kind))                            \
    TEST_ASKS(hm_stats, get_stats, kind, (const saved *made), get_stats(&made->kind))              \
    TEST_DOES(fini, kind, (saved * made), fini(&made->kind))                                       \
    TEST_ASKS(hm_status, changes, kind,                                                            \
              (const hm_history *history, const saved *made, uint64_t from, uint64_t to,           \
               hm_change_visit *visit, void *context),                                             \
              changes(&made->kind, history, from, to, visit, context))                             \
    TEST_ASKS(hm_status, visit, kind,                                                              \
              (const saved *made, const hm_handle *handles, uint32_t n, hm_change_visit *visit,    \
               void *context),                                                                     \
              visit(&made->kind, handles, n, visit, context))                                      \
    TEST_ASKS(uint64_t, hash, kind, (const saved *made, const hm_handle *handles, uint32_t n),     \
              hash(&made->kind, NULL, handles, n))                                                 \
    TEST_ASKS(hm_savable, as_savable, kind, (saved * made), as_savable(&made->kind, NULL))         \
    const saved_kind saved_##kind = {.name = #kind,                                                \
                                     .shapes = sizeof shapes / sizeof *shapes,                     \
                                     .init = init,                                                 \
                                     .run = run_any,                                               \
                                     .save = save_##kind,                                          \
                                     .load = load_##kind,                                          \
                                     .validate = validate_##kind,                                  \
                                     .trim = trim_##kind,                                          \
                                     .changes = changes_##kind,                                    \
                                     .save_changes = save_changes_##kind,                          \
                                     .save_values = save_values_##kind,                            \
                                     .visit = visit_##kind,                                        \
                                     .hash = hash_##kind,                                          \
                                     .as_savable = as_savable_##kind,                              \
                                     .load_changes = load_changes_##kind,                          \
                                     .get_stats = get_stats_##kind,                                \
                                     .compare = compare,                                           \
                                     .go_on = go_on,                                               \
                                     .fini = fini_##kind};

/* The same of a kind whose items have one descriptor. */
#define SAVED_KIND(kind)                                                                           \
    TEST_ASKS(hm_status, save, kind, (const saved *made, const hm_save_desc *desc, hm_sink sink),  \
              save(&made->kind, desc, sink))                                                       \
    TEST_ASKS(hm_status, load, kind, (saved * made, const hm_save_desc *desc, hm_source source),   \
              load(&made->kind, desc, source))                                                     \
    TEST_ASKS(hm_status, save_changes, kind,                                                       \
              (const hm_history *history, const saved *made, const hm_save_desc *desc,             \
               uint64_t from, uint64_t to, hm_sink sink),                                          \
              save_changes(&made->kind, history, desc, from, to, sink))                            \
    TEST_ASKS(hm_status, save_values, kind,                                                        \
              (const saved *made, const hm_save_desc *desc, const hm_handle *handles, uint32_t n,  \
               hm_sink sink),                                                                      \
              save_values(&made->kind, desc, handles, n, sink))                                    \
    TEST_ASKS(hm_status, load_changes, kind,                                                       \
              (saved * made, const hm_save_desc *desc, hm_source source),                          \
              load_changes(&made->kind, desc, source))                                             \
    SAVED_ROW(kind)

/* Defines `init` of a kind whose `shapes` are descriptors. */
#define SAVED_DESC(kind, type)                                                                     \
    static void init(saved *made, uint32_t shape, const hm_memory *memory)                         \
    {                                                                                              \
        hm_##kind##_desc desc = shapes[shape];                                                     \
        desc.type_id = type;                                                                       \
        desc.memory = memory;                                                                      \
        desc.name = "things";                                                                      \
        CHECK(hm_##kind##_init(&made->kind, &desc) == HM_OK);                                      \
    }

extern const saved_kind saved_map, saved_pool, saved_table, saved_secondary, saved_lists,
    saved_index, saved_world;

/* Whether hm_change_hash sees other bytes than a hash of the container: a key is a number of the
 * machine there, and here as in a file. */
static inline bool saved_has_other_hash(const saved_kind *kind)
{
    const uint16_t one = 1;
    return kind == &saved_index && *(const unsigned char *)&one == 0;
}

/* All of them. */
enum { SAVED_KINDS = 7 };
extern const saved_kind *const saved_kinds[SAVED_KINDS];

/* Files that were changed; the arguments of begin choose the kind and whether it is a save or the
 * changes from one, the shape, and what was saved. */
extern const test_subject file_subject;

/* Marks and rewinds of all kinds together; the arguments of begin choose the method and the shapes.
 */
extern const test_subject history_subject;

#endif
