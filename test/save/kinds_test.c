/* SPDX-License-Identifier: MIT */
/* What holds for the save and load of every kind of container. */
#include "saves.h"

enum {
    SCRIPTS = 150, /* of each kind */
    STEPS = 1500,  /* of a script, at most */
    NEXT = 1000,   /* handles */
    TINY_STEPS = 40,
    TINY_SIZE = 4000, /* of a script whose file has few bytes */
    FORGERIES = 2000, /* of each shape */
    HISTORIES = 200,
    HISTORY_STEPS = 200,
    SHORT_STEPS = 6
};

#define EACH_KIND(kind)                                                                            \
    for (size_t kind##_i = 0; kind##_i < SAVED_KINDS; kind##_i++)                                  \
        for (const saved_kind *kind = saved_kinds[kind##_i]; kind != NULL; kind = NULL)

static void save_to(const saved_kind *kind, const saved *made, test_file *file)
{
    CHECK(kind->save(made, NULL, test_sink(file)) == HM_OK);
}

static void make(const saved_kind *kind, saved *made, uint32_t shape, uint32_t steps,
                 uint64_t *random)
{
    kind->init(made, shape, NULL);
    for (uint32_t i = 0; i < steps; i++)
        kind->run(made, random);
}

/* Makes a container whose file has few bytes, and the file. */
static void make_tiny(const saved_kind *kind, saved *made, uint32_t shape, test_file *file,
                      uint64_t *random)
{
    for (uint32_t steps = TINY_STEPS;; steps -= steps / 4) {
        make(kind, made, shape, steps, random);
        file->size = 0;
        save_to(kind, made, file);
        if (file->size <= TINY_SIZE)
            return;
        kind->fini(made);
    }
}

static void check_same_file(const test_file *a, const test_file *b)
{
    CHECK(a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0);
}

/* Both go on alike, from equal states. */
static void go_on(const saved_kind *kind, saved *a, saved *b, uint64_t *random)
{
    for (uint32_t i = 0; i < NEXT; i++) {
        if (kind->go_on(a, b, random))
            continue;
        uint64_t state = *random;
        kind->run(a, random);
        kind->run(b, &state);
        CHECK(state == *random);
    }
    CHECK(kind->validate(a) == HM_OK && kind->validate(b) == HM_OK);
    kind->compare(a, b);
}

/* One memory table for each number. */
static const hm_memory *memory_of(uint32_t i, hm_memory_arena *arena)
{
    hm_memory_arena_desc desc = {.size = 16 << 20};
    if (i % 3 == 0)
        return NULL;
    if (i % 3 == 1)
        return hm_memory_heap();
    CHECK(hm_memory_arena_init(arena, &desc) == HM_OK);
    return &arena->table;
}

TEST(save_kinds, everything_comes_back_and_goes_on_alike)
{
    uint64_t random = test_seed("save_kinds scripts");
    EACH_KIND(kind)
    for (uint32_t i = 0; i < test_scaled(SCRIPTS); i++) {
        saved made, loaded;
        test_file file = {0}, again = {0};
        hm_memory_arena arena = {0};
        make(kind, &made, i % kind->shapes, test_random_below(&random, STEPS), &random);
        save_to(kind, &made, &file);
        kind->init(&loaded, i % kind->shapes, memory_of(i / kind->shapes, &arena));
        CHECK(kind->load(&loaded, NULL, test_source(&file)) == HM_OK);
        CHECK(file.position == file.size && kind->validate(&loaded) == HM_OK);
        save_to(kind, &loaded, &again);
        check_same_file(&file, &again);
        kind->compare(&made, &loaded);
        go_on(kind, &made, &loaded, &random);
        kind->fini(&made);
        kind->fini(&loaded);
        hm_memory_arena_fini(&arena);
        test_file_end(&file);
        test_file_end(&again);
    }
}

/* A container that has failed to load is empty, and as after a trim, unless that was refused too.
 */
static void check_empty(const saved_kind *kind, saved *made, bool is_trimmed, hm_status status)
{
    hm_stats stats = kind->get_stats(made);
    CHECK(status != HM_OK && *hm_last_error() != '\0');
    CHECK(kind->validate(made) == HM_OK && stats.count == 0);
    CHECK(kind->trim(made) == HM_OK);
    hm_stats trimmed = kind->get_stats(made);
    CHECK(!is_trimmed || memcmp(&stats, &trimmed, sizeof stats) == 0);
}

TEST(save_kinds, a_flipped_bit_and_each_prefix_are_refused)
{
    uint64_t random = test_seed("save_kinds flips");
    EACH_KIND(kind)
    for (uint32_t shape = 0; shape < kind->shapes; shape++) {
        saved made, loaded;
        test_file file = {0};
        make_tiny(kind, &made, shape, &file, &random);
        kind->init(&loaded, shape, NULL);
        size_t whole = file.size;
        size_t step = test_scale(); /* Each byte, but where all takes long. */
        for (size_t i = test_random_below(&random, (uint32_t)step); i < whole; i += step) {
            unsigned char bit = (unsigned char)(1 << test_random_below(&random, 8));
            file.bytes[i] ^= bit;
            hm_status status = kind->load(&loaded, NULL, test_source(&file));
            check_empty(kind, &loaded, true, status);
            CHECK(status == HM_ERROR_CORRUPT);
            file.bytes[i] ^= bit;
            file.size = i;
            status = kind->load(&loaded, NULL, test_source(&file));
            check_empty(kind, &loaded, true, status);
            CHECK(status == HM_ERROR_CORRUPT);
            file.size = whole;
        }
        CHECK(kind->load(&loaded, NULL, test_source(&file)) == HM_OK);
        kind->compare(&made, &loaded);
        kind->fini(&made);
        kind->fini(&loaded);
        test_file_end(&file);
    }
}

/* Byte 38 of a header says how many numbers of 4 bytes it has from byte 48 on, before its name. */
TEST(save_kinds, a_header_with_fewer_details_or_one_more_is_refused)
{
    uint64_t random = test_seed("save_kinds headers");
    EACH_KIND(kind)
    for (uint32_t shape = 0; shape < kind->shapes; shape++) {
        saved made, loaded;
        test_file file = {0}, forged = {0};
        make_tiny(kind, &made, shape, &file, &random);
        kind->init(&loaded, shape, NULL);
        size_t usual = 48 + 4 * (size_t)file.bytes[38];
        for (unsigned char details = 0; details <= file.bytes[38] + 1; details++) {
            if (details == file.bytes[38])
                continue;
            forged.size = 0;
            CHECK(test_file_write(&forged, file.bytes, 48 + 4 * (size_t)details));
            CHECK(test_file_write(&forged, file.bytes + usual, file.size - usual));
            forged.bytes[38] = details;
            test_file_seal(&forged);
            hm_status status = kind->load(&loaded, NULL, test_source(&forged));
            check_empty(kind, &loaded, true, status);
        }
        kind->fini(&made);
        kind->fini(&loaded);
        test_file_end(&file);
        test_file_end(&forged);
    }
}

TEST(save_kinds, a_forged_file_is_refused_or_makes_a_valid_container)
{
    uint64_t random = test_seed("save_kinds forgeries");
    if (test_run_given(&file_subject))
        return;
    for (uint32_t kind = 0; kind < 2 * SAVED_KINDS; kind++)
        for (uint32_t shape = 0; shape < saved_kinds[kind % SAVED_KINDS]->shapes;
             shape += test_scale() < 50 ? 1 : 4) {
            const uint32_t begin[] = {kind, shape, (uint32_t)test_random(&random)};
            test_run_random(&file_subject, begin, test_scaled(FORGERIES), &random);
        }
}

TEST(save_kinds, a_rewind_brings_back_what_a_save_had_written)
{
    uint64_t random = test_seed("save_kinds histories");
    if (test_run_given(&history_subject))
        return;
    for (uint32_t i = 0; i < test_scaled(HISTORIES); i++) {
        const uint32_t begin[] = {i, i / 2, 0};
        test_run_random(&history_subject, begin, HISTORY_STEPS, &random);
    }
}

/* Every sequence of a few steps: changes of a map and of a world, marks, rewinds to the oldest
 * mark, to the one after it and to the newest. The containers have few items, so that most bytes
 * are shared.
 */
TEST(save_kinds, every_short_script_of_marks_and_rewinds_keeps_what_a_save_had_written)
{
    static const test_step verbs[] = {{0, {0, 2, 1}}, {0, {6, 5, 2}}, {1, {0}},
                                      {2, {0}},       {2, {1}},       {2, {3}}};
    enum { VERBS = sizeof verbs / sizeof *verbs };
    test_step steps[1 + SHORT_STEPS] = {{0, {0}}};
    const test_script script = {&history_subject, steps, 1 + SHORT_STEPS};
    /* Where all takes long, one in seven or more, with every verb at each place. */
    uint32_t scripts = 1,
             step = test_scale() > 1 ? 7 + VERBS * (test_scale() * test_scale() / 32) : 1;
    for (uint32_t i = 0; i < SHORT_STEPS; i++)
        scripts *= VERBS;
    for (uint32_t n = 0; n < scripts; n += step) {
        for (uint32_t i = 0, rest = n; i < SHORT_STEPS; i++, rest /= VERBS)
            steps[1 + i] = verbs[rest % VERBS];
        test_script_play(&script);
    }
}

/* Refuses each k-th write and read. */
static void refuse_streams(const saved_kind *kind, uint32_t shape, uint64_t *random)
{
    saved made, loaded;
    test_file file = {0};
    make(kind, &made, shape, STEPS, random);
    hm_status status = HM_ERROR_IO;
    for (file.fail_at = 1; status != HM_OK; file.fail_at++) {
        file.size = file.calls = 0;
        status = kind->save(&made, NULL, test_sink(&file));
        CHECK(status == (file.calls < file.fail_at ? HM_OK : HM_ERROR_IO));
    }
    kind->init(&loaded, shape, NULL);
    status = HM_ERROR_CORRUPT;
    for (file.fail_at = 1; status != HM_OK; file.fail_at++) {
        status = kind->load(&loaded, NULL, test_source(&file));
        if (status != HM_OK)
            check_empty(kind, &loaded, true, status);
        CHECK(status == (file.calls < file.fail_at ? HM_OK : HM_ERROR_CORRUPT));
    }
    kind->compare(&made, &loaded);
    kind->fini(&made);
    kind->fini(&loaded);
    test_file_end(&file);
}

/* Refuses each k-th call for memory, and every later one: also those that give memory back. A world
 * can do without some: its hash table is then only slower. */
static void refuse_memory(const saved_kind *kind, uint32_t shape, uint64_t *random)
{
    saved made, loaded;
    test_file file = {0};
    test_memory memory;
    make(kind, &made, shape, STEPS, random);
    save_to(kind, &made, &file);
    bool is_refused = true;
    for (uint32_t k = 1; is_refused; k = test_next_call(k)) {
        test_memory_init_with_holes(&memory, test_page_size(4096));
        kind->init(&loaded, shape, &memory.table);
        test_memory_fail(&memory, k, k % 2 != 0);
        hm_status status = kind->load(&loaded, NULL, test_source(&file));
        is_refused = test_memory_refused(&memory);
        CHECK(status == (is_refused ? HM_ERROR_MEMORY : HM_OK) ||
              (status == HM_OK && kind == &saved_world));
        test_memory_fail(&memory, 0, false);
        if (status != HM_OK) {
            check_empty(kind, &loaded, k % 2 == 0, status);
            CHECK(kind->load(&loaded, NULL, test_source(&file)) == HM_OK);
        }
        CHECK(kind->validate(&loaded) == HM_OK);
        kind->compare(&made, &loaded);
        kind->fini(&loaded);
        test_memory_check_released(&memory);
    }
    kind->fini(&made);
    test_file_end(&file);
}

TEST(save_kinds, after_each_refused_read_and_call_for_memory_it_is_empty)
{
    uint64_t random = test_seed("save_kinds refusals");
    EACH_KIND(kind)
    for (uint32_t shape = 0; shape < kind->shapes; shape += test_scale() < 50 ? 1 : 4) {
        refuse_streams(kind, shape, &random);
        refuse_memory(kind, shape, &random);
    }
}

/* The container is as before, so it takes the file without the damage. */
static void load_mended(const saved_kind *kind, saved *loaded, test_file *file)
{
    CHECK(kind->validate(loaded) == HM_OK);
    file->bytes[file->size - 1] ^= 1;
    CHECK(kind->load(loaded, NULL, test_source(file)) == HM_OK);
    file->bytes[file->size - 1] ^= 1;
    CHECK(kind->validate(loaded) == HM_OK);
}

/* Refuses each k-th call for memory of a load that finds damage at its end: what it says is the
 * damage, whether or not the system then takes memory back. Returns whether the call was reached.
 */
static bool refuse_damaged(const saved_kind *kind, uint32_t shape, test_file *file, uint32_t k,
                           const hm_memory *base, const char *damage)
{
    saved loaded;
    test_memory memory;
    test_memory_use(base);
    test_memory_init_with_holes(&memory, test_page_size(4096));
    kind->init(&loaded, shape, &memory.table);
    test_memory_fail(&memory, k, true);
    hm_status status = kind->load(&loaded, NULL, test_source(file));
    bool is_refused = test_memory_refused(&memory);
    test_memory_fail(&memory, 0, false);
    CHECK(status == HM_ERROR_CORRUPT || (status == HM_ERROR_MEMORY && is_refused));
    CHECK((strcmp(hm_last_error(), damage) == 0) == (status == HM_ERROR_CORRUPT));
    load_mended(kind, &loaded, file);
    kind->fini(&loaded);
    test_memory_check_released(&memory);
    return is_refused;
}

TEST(save_kinds, damage_is_what_the_last_error_says_though_memory_cannot_be_given_back)
{
    const hm_memory *const bases[] = {hm_memory_os(), hm_memory_heap()};
    uint64_t random = test_seed("save_kinds damage");
    EACH_KIND(kind)
    for (uint32_t shape = 0; shape < kind->shapes; shape += test_scale() < 50 ? 1 : 4) {
        saved made, loaded;
        test_file file = {0};
        char damage[160];
        make(kind, &made, shape, STEPS, &random);
        save_to(kind, &made, &file);
        file.bytes[file.size - 1] ^= 1;
        kind->init(&loaded, shape, NULL);
        CHECK(kind->load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
        strcpy(damage, hm_last_error());
        for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
            for (uint32_t k = 1; refuse_damaged(kind, shape, &file, k, bases[i], damage);
                 k = test_next_call(k))
                CHECK(k < 10000);
        load_mended(kind, &loaded, &file);
        kind->fini(&made);
        kind->fini(&loaded);
        test_file_end(&file);
    }
}

TEST(save_kinds, a_thousand_loads_leak_nothing)
{
    uint64_t random = test_seed("save_kinds leaks");
    EACH_KIND(kind)
    {
        saved made, loaded;
        test_file file = {0};
        test_memory memory;
        test_memory_init_with_holes(&memory, test_page_size(4096));
        make(kind, &made, 0, STEPS, &random);
        save_to(kind, &made, &file);
        for (uint32_t i = test_scaled(1000); i > 0; i--) {
            kind->init(&loaded, 0, &memory.table);
            CHECK(kind->load(&loaded, NULL, test_source(&file)) == HM_OK);
            kind->fini(&loaded);
            test_memory_check_released(&memory);
        }
        kind->fini(&made);
        test_file_end(&file);
    }
}

/* A source that tries to load its container, and to save it. */
typedef struct meddler {
    const saved_kind *kind;
    saved *loaded;
    test_file *file;
} meddler;

static bool read_and_meddle(void *context, void *bytes, size_t size)
{
    meddler *in = context;
    test_file other = {0};
    CHECK(in->kind->load(in->loaded, NULL, (hm_source){test_file_read, &other}) == HM_ERROR_BUSY);
    CHECK(in->kind->save(in->loaded, NULL, test_sink(&other)) == HM_OK);
    test_file_end(&other);
    return test_file_read(in->file, bytes, size);
}

TEST(save_kinds, what_is_not_initialised_busy_or_in_use_is_refused)
{
    uint64_t random = test_seed("save_kinds refused");
    EACH_KIND(kind)
    {
        static const saved zeroed;
        saved made, none = zeroed;
        test_file file = {0};
        make(kind, &made, 0, TINY_STEPS, &random);
        CHECK(kind->save(&none, NULL, test_sink(&file)) == HM_ERROR_FULL);
        CHECK(kind->load(&none, NULL, test_source(&file)) == HM_ERROR_FULL);
        save_to(kind, &made, &file);
        while (kind->get_stats(&made).count == 0)
            kind->run(&made, &random);
        CHECK(kind->load(&made, NULL, test_source(&file)) == HM_ERROR_INVALID);
        kind->init(&none, 0, NULL);
        meddler source = {kind, &none, &file};
        (void)test_source(&file);
        CHECK(kind->load(&none, NULL, (hm_source){read_and_meddle, &source}) == HM_OK);
        kind->fini(&none);
        kind->fini(&made);
        test_file_end(&file);
    }
}

static void encode_nothing(const void *item, void *bytes, void *context)
{
    (void)item;
    (void)bytes;
    (void)context;
}

TEST(save_kinds, a_descriptor_that_is_wrong_is_refused)
{
    enum { NAMES = 2 }; /* that are too long by a byte: for a load, too */
    static char long_name[257];
    const hm_save_desc wrong[] = {{.name = long_name},
                                  {.layout = long_name},
                                  {.encode = encode_nothing},
                                  {.encode = encode_nothing, .encoded_size = 8193}};
    memset(long_name, 'x', sizeof long_name - 1);
    EACH_KIND(kind)
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong && kind != &saved_world; i++) {
        saved made;
        test_file file = {0};
        kind->init(&made, 0, NULL);
        CHECK(kind->save(&made, &wrong[i], test_sink(&file)) == HM_ERROR_INVALID);
        CHECK(file.size == 0 && strlen(hm_last_error()) > 20);
        if (i < NAMES)
            CHECK(kind->load(&made, &wrong[i], test_source(&file)) == HM_ERROR_INVALID);
        kind->fini(&made);
        test_file_end(&file);
    }
}

static bool refuse_third(uint32_t version, const void *bytes, size_t size, void *item,
                         void *context)
{
    uint32_t *calls = context;
    (void)version, (void)bytes, (void)size, (void)item;
    return ++*calls != 3;
}

/* Their containers have no destroy hook. */
TEST(save_kinds, items_without_a_hook_may_fail_to_load_in_the_middle)
{
    uint64_t random = test_seed("save_kinds hookless");
    EACH_KIND(kind)
    for (uint32_t shape = 0; shape < kind->shapes && kind != &saved_world; shape++) {
        saved made, loaded;
        test_file file = {0};
        uint32_t calls = 0;
        const hm_save_desc plain = {.max_count = 0},
                           refuses = {.decode = refuse_third, .context = &calls};
        make(kind, &made, shape, STEPS, &random);
        save_to(kind, &made, &file);
        kind->init(&loaded, shape, NULL);
        hm_status status = kind->load(&loaded, &refuses, test_source(&file));
        if (status != HM_OK) {
            check_empty(kind, &loaded, true, status);
        } else { /* Random scripts may leave few items. */
            CHECK(calls < 3);
            kind->fini(&loaded);
            kind->init(&loaded, shape, NULL);
        }
        file.size -= 1;
        status = kind->load(&loaded, &plain, test_source(&file));
        check_empty(kind, &loaded, true, status);
        file.size += 1;
        CHECK(kind->load(&loaded, &plain, test_source(&file)) == HM_OK);
        kind->compare(&made, &loaded);
        kind->fini(&made);
        kind->fini(&loaded);
        test_file_end(&file);
    }
}
