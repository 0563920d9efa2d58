/* SPDX-License-Identifier: MIT */
/* Saving worlds: components that differ, formats, and what the world is afterwards. */
#include "saves.h"

#include <handle_map/commands.h>
#include <handle_map/query.h>

enum { PLACE, SPEED, ENEMY, TARGET, KINDS };

static const hm_component_desc usual[KINDS] = {
    {.size = 8, .name = "place"},
    {.size = 4, .name = "speed"},
    {.name = "enemy"},
    {.size = 4, .name = "target", .storage = HM_COMPONENT_SPARSE},
};

typedef struct some {
    hm_world world;
    hm_component components[KINDS + 1];
} some;

static void begin_in(some *in, const hm_component_desc *components, uint32_t n,
                     const hm_memory *memory)
{
    const hm_world_desc desc = {.type_id = 5, .name = "level", .memory = memory};
    CHECK(hm_world_init(&in->world, &desc) == HM_OK);
    for (uint32_t i = 0; i < n; i++)
        in->components[i] = hm_world_component(&in->world, &components[i]);
}

static void begin(some *in, const hm_component_desc *components, uint32_t n)
{
    begin_in(in, components, n, NULL);
}

/* 100 entities, each with the components of its number's bits, whose values are its number. */
static void fill(some *in)
{
    for (uint32_t k = 0; k < 100; k++) {
        hm_component set[KINDS];
        uint32_t n = 0;
        for (uint32_t i = 0; i < KINDS; i++)
            if ((k >> i & 1) != 0)
                set[n++] = in->components[i];
        hm_handle entity = hm_world_create(&in->world, set, n);
        for (uint32_t i = 0; i < KINDS; i++) {
            uint32_t *value = hm_world_get(&in->world, entity, in->components[i]);
            if (value != NULL)
                *value = k;
        }
    }
}

static void save_usual(test_file *file, const hm_world_save_desc *desc)
{
    some in;
    begin(&in, usual, KINDS);
    fill(&in);
    CHECK(hm_world_save(&in.world, desc, test_sink(file)) == HM_OK);
    hm_world_fini(&in.world);
}

/* Checks that component i of each entity has the value that `fill` gave it, or zero, or is not
 * there. */
static void check_component(const some *in, const hm_component_desc *desc, uint32_t i,
                            bool is_there, bool is_zero)
{
    for (uint32_t k = 0; k < 100; k++) {
        hm_handle entity = hm_handle_pack(k, 1, 5);
        const uint32_t *value = hm_world_get(&in->world, entity, in->components[i]);
        bool has = is_there && (k >> i & 1) != 0;
        CHECK(hm_world_has(&in->world, entity, in->components[i]) == has);
        CHECK((value != NULL) == (has && desc->size != 0));
        CHECK(value == NULL || *value == (is_zero ? 0 : k));
    }
}

typedef struct answers {
    hm_load_action action;
    hm_load_action of_new; /* of what the file has not */
    uint32_t asked;
    hm_component_difference last;
    char name[16]; /* of the last one */
} answers;

static hm_load_action answer(const hm_component_difference *difference, void *context)
{
    answers *given = context;
    given->asked++;
    given->last = *difference;
    CHECK(strlen(difference->name) < sizeof given->name);
    strcpy(given->name, difference->name);
    given->last.name = NULL;
    return difference->is_saved ? given->action : given->of_new;
}

TEST(save_world, components_are_matched_by_their_names_whatever_their_order)
{
    const hm_component_desc other[KINDS] = {usual[TARGET], usual[ENEMY], usual[SPEED],
                                            usual[PLACE]};
    test_file file = {0};
    some in;
    save_usual(&file, NULL);
    begin(&in, other, KINDS);
    CHECK(hm_world_load(&in.world, NULL, test_source(&file)) == HM_OK);
    CHECK(hm_world_validate(&in.world) == HM_OK && hm_world_count(&in.world) == 100);
    for (uint32_t i = 0; i < KINDS / 2; i++) {
        hm_component component = in.components[i];
        in.components[i] = in.components[KINDS - 1 - i];
        in.components[KINDS - 1 - i] = component;
    }
    for (uint32_t i = 0; i < KINDS; i++)
        check_component(&in, &usual[i], i, true, false);
    hm_world_fini(&in.world);
    test_file_end(&file);
}

/* Each kind of difference. */
static const struct {
    uint32_t changed; /* KINDS: one more */
    hm_component_desc to;
    bool may_be_zero;
} differences[] = {
    {PLACE, {.size = 12, .name = "place"}, true},
    {SPEED, {.name = "speed"}, true},
    {ENEMY, {.size = 4, .name = "enemy"}, true},
    {SPEED, {.size = 4, .name = "speed", .storage = HM_COMPONENT_SPARSE}, false},
    {TARGET, {.size = 2000, .name = "target", .storage = HM_COMPONENT_SPARSE}, true},
    {TARGET, {.size = 4, .name = "target"}, false},
    {KINDS, {.size = 4, .name = "new"}, false},
    {TARGET, {.size = 4, .name = "renamed", .storage = HM_COMPONENT_SPARSE}, false},
};

enum { DIFFERENCES = sizeof differences / sizeof *differences };

/* Makes a world that differs so, in this memory. */
static void begin_other(some *in, hm_component_desc components[KINDS + 1], size_t difference,
                        const hm_memory *memory)
{
    uint32_t changed = differences[difference].changed;
    memcpy(components, usual, sizeof usual);
    components[changed] = differences[difference].to;
    begin_in(in, components, changed == KINDS ? KINDS + 1 : KINDS, memory);
}

static bool is_resolved(size_t difference, int action)
{
    return action == HM_LOAD_DROP ||
           (action == HM_LOAD_ZERO && differences[difference].may_be_zero);
}

TEST(save_world, a_difference_is_refused_dropped_or_made_zero_as_the_program_says)
{
    test_file file = {0};
    save_usual(&file, NULL);
    for (size_t c = 0; c < DIFFERENCES; c++)
        for (int action = HM_LOAD_REFUSE; action <= HM_LOAD_ZERO; action++) {
            hm_component_desc components[KINDS + 1];
            answers given = {.action = (hm_load_action)action, .of_new = (hm_load_action)action};
            const hm_world_save_desc desc = {.resolve = answer, .context = &given};
            uint32_t changed = differences[c].changed;
            bool is_done = is_resolved(c, action);
            some in;
            begin_other(&in, components, c, NULL);
            hm_status status = hm_world_load(&in.world, &desc, test_source(&file));
            CHECK(status == (is_done ? HM_OK : HM_ERROR_INVALID) && given.asked >= 1);
            CHECK(hm_world_validate(&in.world) == HM_OK);
            CHECK(hm_world_count(&in.world) == (is_done ? 100 : 0));
            for (uint32_t i = 0; i < KINDS && is_done; i++)
                check_component(&in, &components[i], i, i != changed || action == HM_LOAD_ZERO,
                                i == changed);
            hm_world_fini(&in.world);
        }
    test_file_end(&file);
}

/* What the file has, but for its size or storage, is not asked about as what it has not. */
TEST(save_world, a_component_that_is_dropped_is_asked_about_once)
{
    test_file file = {0};
    save_usual(&file, NULL);
    for (size_t c = 0; c < DIFFERENCES; c++) {
        hm_component_desc components[KINDS + 1];
        answers given = {.action = HM_LOAD_DROP, .of_new = HM_LOAD_REFUSE};
        const hm_world_save_desc desc = {.resolve = answer, .context = &given};
        bool is_matched = differences[c].changed != KINDS &&
                          strcmp(differences[c].to.name, usual[differences[c].changed].name) == 0;
        some in;
        begin_other(&in, components, c, NULL);
        hm_status status = hm_world_load(&in.world, &desc, test_source(&file));
        CHECK(status == (is_matched ? HM_OK : HM_ERROR_INVALID));
        CHECK(given.asked == 1 || !is_matched);
        hm_world_fini(&in.world);
    }
    test_file_end(&file);
}

/* Each k-th read, or call for memory, is refused. */
static void refuse_load(test_file *file, size_t difference, int action, bool refuses_reads)
{
    bool was_refused = true;
    for (uint32_t k = 1; was_refused; k = test_next_call(k)) {
        hm_component_desc components[KINDS + 1];
        answers given = {.action = (hm_load_action)action, .of_new = (hm_load_action)action};
        const hm_world_save_desc desc = {.resolve = answer, .context = &given};
        test_memory memory;
        some in;
        test_memory_init_with_holes(&memory, test_page_size(4096));
        begin_other(&in, components, difference, &memory.table);
        file->fail_at = refuses_reads ? k : 0;
        test_memory_fail(&memory, refuses_reads ? 0 : k, false);
        hm_status status = hm_world_load(&in.world, &desc, test_source(file));
        was_refused = refuses_reads ? file->calls >= k : test_memory_refused(&memory);
        test_memory_fail(&memory, 0, false);
        CHECK(was_refused || status == HM_OK);
        CHECK(status == HM_OK || status == (refuses_reads ? HM_ERROR_CORRUPT : HM_ERROR_MEMORY));
        CHECK(hm_world_validate(&in.world) == HM_OK);
        CHECK(hm_world_count(&in.world) == (status == HM_OK ? 100 : 0));
        hm_world_fini(&in.world);
        test_memory_check_released(&memory);
    }
    file->fail_at = 0;
}

TEST(save_world, reads_and_memory_may_be_refused_where_a_difference_is_resolved)
{
    test_file file = {0};
    save_usual(&file, NULL);
    for (size_t c = 0; c < DIFFERENCES; c++)
        for (int action = HM_LOAD_DROP; action <= HM_LOAD_ZERO; action++)
            for (int refuses_reads = 0; refuses_reads < 2 && is_resolved(c, action);
                 refuses_reads++)
                refuse_load(&file, c, action, refuses_reads != 0);
    test_file_end(&file);
}

TEST(save_world, without_a_say_a_new_component_is_no_matter_and_a_lost_one_is_refused)
{
    hm_component_desc more[KINDS + 1];
    test_file file = {0};
    some in;
    save_usual(&file, NULL);
    memcpy(more, usual, sizeof usual);
    more[KINDS] = (hm_component_desc){.size = 4, .name = "new"};
    begin(&in, more, KINDS + 1);
    CHECK(hm_world_load(&in.world, NULL, test_source(&file)) == HM_OK);
    hm_world_fini(&in.world);
    begin(&in, usual, KINDS - 1);
    CHECK(hm_world_load(&in.world, NULL, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(strstr(hm_last_error(), "'target' is not in the world") != NULL);
    CHECK(hm_world_count(&in.world) == 0);
    hm_world_fini(&in.world);
    test_file_end(&file);
}

TEST(save_world, a_new_component_is_told_of_by_its_name_in_files)
{
    static const hm_component_desc nameless = {.size = 4};
    answers given = {.of_new = HM_LOAD_DROP};
    hm_component_format format = {.format = {.name = "given", .version = 2}};
    const hm_world_save_desc desc = {
        .formats = &format, .format_count = 1, .resolve = answer, .context = &given};
    test_file file = {0};
    some in;
    save_usual(&file, NULL);
    begin(&in, usual, KINDS);
    format.component = hm_world_component(&in.world, &nameless);
    CHECK(hm_world_load(&in.world, &desc, test_source(&file)) == HM_OK && given.asked == 1);
    CHECK(strcmp(given.name, "given") == 0 && !given.last.is_saved && given.last.is_here);
    CHECK(given.last.version == 2);
    hm_world_fini(&in.world);
    test_file_end(&file);
}

/* Where a component begins in the payload of the usual world: the header ends at byte 97. */
enum { SECOND_COMPONENT = 97 + 16 + 5 };

TEST(save_world, a_world_that_cannot_be_is_refused)
{
    static const struct {
        size_t at, size;
        const char *value, *why;
    } forgeries[] = {
        {48 + 3 * 4, 2, "\x01\x04", "its size and its counts disagree"}, /* 1025 components */
        {SECOND_COMPONENT + 4, 1, "\x05", "component 'speed' has no such size"},
        {SECOND_COMPONENT + 16, 5, "place", "component 'place' is there twice"},
    };
    answers given = {.action = HM_LOAD_ZERO}; /* So that another size is no matter. */
    const hm_world_save_desc desc = {.resolve = answer, .context = &given};
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        test_file file = {0};
        some in;
        save_usual(&file, NULL);
        CHECK(memcmp(file.bytes + SECOND_COMPONENT + 16, "speed", 5) == 0);
        memcpy(file.bytes + forgeries[i].at, forgeries[i].value, forgeries[i].size);
        test_file_seal(&file);
        begin(&in, usual, KINDS);
        CHECK(hm_world_load(&in.world, &desc, test_source(&file)) == HM_ERROR_CORRUPT);
        CHECK(strstr(hm_last_error(), forgeries[i].why) != NULL);
        CHECK(hm_world_count(&in.world) == 0 && hm_world_validate(&in.world) == HM_OK);
        hm_world_fini(&in.world);
        test_file_end(&file);
    }
}

TEST(save_world, a_format_may_give_no_more_than_a_name)
{
    test_file file = {0};
    some from, in;
    begin(&from, usual, KINDS);
    fill(&from);
    const hm_component_format formats[] = {{from.components[SPEED], {.name = "v"}},
                                           {from.components[ENEMY], {.name = "foe"}},
                                           {from.components[TARGET], {.name = "aim"}}};
    const hm_world_save_desc desc = {.formats = formats, .format_count = 3};
    CHECK(hm_world_save(&from.world, &desc, test_sink(&file)) == HM_OK);
    hm_world_fini(&from.world);
    begin(&in, usual, KINDS);
    CHECK(hm_world_load(&in.world, NULL, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(strstr(hm_last_error(), "'v' is not in the world") != NULL);
    hm_component_format same[3];
    memcpy(same, formats, sizeof same);
    for (uint32_t i = 0; i < 3; i++)
        same[i].component = in.components[SPEED + i];
    const hm_world_save_desc again = {.formats = same, .format_count = 3};
    CHECK(hm_world_load(&in.world, &again, test_source(&file)) == HM_OK);
    for (uint32_t i = 0; i < KINDS; i++)
        check_component(&in, &usual[i], i, true, false);
    hm_world_fini(&in.world);
    test_file_end(&file);
}

/* What cannot be is a damage; only what is whole can be too much for the world. */
TEST(save_world, more_archetypes_than_there_may_be_are_refused_if_nothing_is_damaged)
{
    const hm_world_desc desc = {.type_id = 5, .name = "level", .max_archetypes = 4};
    test_file file = {0};
    hm_world world;
    save_usual(&file, NULL);
    CHECK(hm_world_init(&world, &desc) == HM_OK);
    for (uint32_t i = 0; i < KINDS; i++)
        CHECK(hm_world_component(&world, &usual[i]) != HM_INVALID_INDEX);
    CHECK(hm_world_load(&world, NULL, test_source(&file)) == HM_ERROR_FULL);
    file.bytes[file.size - 1] ^= 1;
    CHECK(hm_world_load(&world, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
    CHECK(hm_world_count(&world) == 0 && hm_world_validate(&world) == HM_OK);
    hm_world_fini(&world);
    test_file_end(&file);
}

/* A value that owns something: its number is counted in `owned`. */
static struct {
    uint32_t alive, left; /* values, and decodes until one is refused */
    uint64_t sum;         /* of those that are alive */
} owned;

static void encode(const void *item, void *bytes, void *context)
{
    (void)context;
    memcpy(bytes, item, 4);
}

static bool decode(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    (void)context;
    CHECK(version == 3 && size == 6);
    if (owned.left-- == 0)
        return false;
    owned.alive++;
    memcpy(item, bytes, 4);
    owned.sum += *(const uint32_t *)item;
    return true;
}

static void destroy(void *value, void *context)
{
    (void)context;
    owned.alive--;
    owned.sum -= *(const uint32_t *)value;
}

static hm_world_save_desc formatted(const some *in, hm_component_format formats[2])
{
    const hm_save_desc format = {
        .version = 3, .encoded_size = 6, .encode = encode, .decode = decode};
    formats[0] = (hm_component_format){in->components[SPEED], format};
    formats[1] = (hm_component_format){in->components[TARGET], format};
    return (hm_world_save_desc){.formats = formats, .format_count = 2};
}

/* As `decode`, of what nothing has to destroy. */
static bool decode_plain(uint32_t version, const void *bytes, size_t size, void *item,
                         void *context)
{
    (void)version, (void)size, (void)context;
    memcpy(item, bytes, 4);
    return true;
}

/* How the speed differs from a value that decode makes and a hook destroys. */
enum { SPEED_IS_OWNED, SPEED_IS_BYTES, SPEED_HAS_NO_HOOK, SPEEDS };

static hm_world_save_desc formatted_as(const some *in, hm_component_format formats[2], int speed)
{
    hm_world_save_desc desc = formatted(in, formats);
    if (speed == SPEED_IS_BYTES)
        formats[0].format = (hm_save_desc){.version = 3};
    if (speed == SPEED_HAS_NO_HOOK)
        formats[0].format.decode = decode_plain;
    return desc;
}

/* Refuses each k-th value that is counted. */
static void refuse_decode(test_file *file, const hm_component_desc components[KINDS], int speed)
{
    hm_component_format formats[2];
    bool is_done = false;
    for (uint32_t k = 0; !is_done; k++) {
        some in;
        owned.alive = 0;
        owned.left = k;
        begin(&in, components, KINDS);
        hm_world_save_desc desc = formatted_as(&in, formats, speed);
        is_done = hm_world_load(&in.world, &desc, test_source(file)) == HM_OK;
        CHECK(owned.alive == (is_done ? k : 0));
        CHECK(hm_world_validate(&in.world) == HM_OK);
        check_component(&in, &usual[SPEED], SPEED, is_done, false);
        check_component(&in, &usual[TARGET], TARGET, is_done, false);
        if (is_done && speed == SPEED_IS_BYTES)
            owned.alive += 50; /* From now on they are the world's. */
        hm_world_fini(&in.world);
        CHECK(owned.alive == 0);
    }
}

TEST(save_world, what_decode_has_made_is_destroyed_if_the_load_fails)
{
    for (int speed = 0; speed < SPEEDS; speed++) {
        hm_component_desc components[KINDS];
        hm_component_format formats[2];
        test_file file = {0};
        some in;
        memcpy(components, usual, sizeof usual);
        components[TARGET].destroy = destroy;
        components[SPEED].destroy = speed != SPEED_HAS_NO_HOOK ? destroy : NULL;
        begin(&in, usual, KINDS);
        fill(&in);
        hm_world_save_desc desc = formatted_as(&in, formats, speed);
        CHECK(hm_world_save(&in.world, &desc, test_sink(&file)) == HM_OK);
        hm_world_fini(&in.world);
        refuse_decode(&file, components, speed);
        test_file_end(&file);
    }
}

/* More rows than one chunk holds, behind which the file ends. */
TEST(save_world, what_decode_has_made_in_several_chunks_is_destroyed_once)
{
    enum { MANY = 20000 };
    hm_component_desc components[KINDS];
    hm_component_format formats[2];
    test_file file = {0};
    some in;
    memcpy(components, usual, sizeof usual);
    components[SPEED].destroy = destroy;
    begin(&in, usual, KINDS);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(!hm_handle_is_null(hm_world_create_with(&in.world, &in.components[SPEED], 1,
                                                      (const void *[]){&(uint32_t){i * i}})));
    hm_world_save_desc desc = formatted(&in, formats);
    CHECK(hm_world_save(&in.world, &desc, test_sink(&file)) == HM_OK);
    hm_world_fini(&in.world);
    file.size -= 1;
    owned.alive = 0;
    owned.left = UINT32_MAX;
    owned.sum = 0;
    begin(&in, components, KINDS);
    desc = formatted(&in, formats);
    CHECK(hm_world_load(&in.world, &desc, test_source(&file)) == HM_ERROR_CORRUPT);
    CHECK(owned.left == UINT32_MAX - MANY && owned.alive == 0 && owned.sum == 0);
    CHECK(hm_world_count(&in.world) == 0 && hm_world_validate(&in.world) == HM_OK);
    hm_world_fini(&in.world);
    test_file_end(&file);
}

/* What decode makes of small values is too large for a row together. */
TEST(save_world, an_archetype_whose_values_do_not_fit_in_a_row_is_refused)
{
    const hm_component_desc small[] = {{.size = 4, .name = "a"}, {.size = 4, .name = "b"}};
    const hm_component_desc large[] = {{.size = 9000, .name = "a"}, {.size = 9000, .name = "b"}};
    const hm_save_desc format = {.decode = decode_plain};
    test_file file = {0};
    some in;
    begin(&in, small, 2);
    CHECK(!hm_handle_is_null(hm_world_create(&in.world, in.components, 2)));
    CHECK(hm_world_save(&in.world, NULL, test_sink(&file)) == HM_OK);
    hm_world_fini(&in.world);
    begin(&in, large, 2);
    const hm_component_format formats[] = {{in.components[0], format}, {in.components[1], format}};
    const hm_world_save_desc desc = {.formats = formats, .format_count = 2};
    CHECK(hm_world_load(&in.world, &desc, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(hm_world_count(&in.world) == 0 && hm_world_validate(&in.world) == HM_OK);
    hm_world_fini(&in.world);
    test_file_end(&file);
}

TEST(save_world, a_component_with_another_layout_is_another_one)
{
    hm_component_format format = {.format = {.layout = "metres"}};
    const hm_world_save_desc desc = {.formats = &format, .format_count = 1};
    for (uint32_t i = SPEED; i <= ENEMY; i++) { /* A tag may have one, too. */
        test_file file = {0};
        some from, in;
        begin(&from, usual, KINDS);
        fill(&from);
        format.component = from.components[i];
        CHECK(hm_world_save(&from.world, &desc, test_sink(&file)) == HM_OK);
        hm_world_fini(&from.world);
        begin(&in, usual, KINDS);
        CHECK(hm_world_load(&in.world, NULL, test_source(&file)) == HM_ERROR_INVALID);
        CHECK(strstr(hm_last_error(), "is another one in the file") != NULL);
        format.component = in.components[i];
        format.format.decode = i == ENEMY ? decode_plain : NULL; /* which is not called */
        CHECK(hm_world_load(&in.world, &desc, test_source(&file)) == HM_OK);
        check_component(&in, &usual[i], i, true, false);
        hm_world_fini(&in.world);
        test_file_end(&file);
        format.format.decode = NULL;
    }
}

TEST(save_world, a_world_that_has_promised_an_entity_does_not_load)
{
    test_file file = {0};
    some in;
    hm_commands commands;
    save_usual(&file, NULL);
    begin(&in, usual, KINDS);
    CHECK(hm_world_reserve(&in.world, 1) == HM_OK);
    CHECK(hm_commands_init(&commands, &in.world, NULL) == HM_OK);
    hm_handle promised = hm_commands_create(&commands, NULL, 0);
    CHECK(!hm_handle_is_null(promised));
    CHECK(hm_world_load(&in.world, NULL, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(hm_commands_apply(&commands) == HM_OK && hm_world_contains(&in.world, promised));
    hm_commands_fini(&commands);
    hm_world_fini(&in.world);
    test_file_end(&file);
}

TEST(save_world, a_wrong_descriptor_or_component_is_refused)
{
    static const hm_component_desc nameless = {.size = 4};
    hm_component_format formats[2];
    test_file file = {0};
    some in;
    begin(&in, usual, KINDS);
    hm_world_save_desc desc = formatted(&in, formats);
    formats[1].component = formats[0].component;
    CHECK(hm_world_save(&in.world, &desc, test_sink(&file)) == HM_ERROR_INVALID);
    CHECK(hm_world_load(&in.world, &desc, test_source(&file)) == HM_ERROR_INVALID);
    formats[1].component = in.components[ENEMY];
    CHECK(hm_world_save(&in.world, &desc, test_sink(&file)) == HM_ERROR_INVALID);
    formats[1].component = 77;
    CHECK(hm_world_save(&in.world, &desc, test_sink(&file)) == HM_ERROR_INVALID);
    in.components[KINDS] = hm_world_component(&in.world, &nameless);
    CHECK(hm_world_save(&in.world, NULL, test_sink(&file)) == HM_ERROR_INVALID);
    desc = (hm_world_save_desc){.formats = formats, .format_count = 1};
    formats[0] = (hm_component_format){in.components[KINDS], {.name = "given"}};
    CHECK(hm_world_save(&in.world, &desc, test_sink(&file)) == HM_OK);
    formats[0].format.name = "speed";
    CHECK(hm_world_save(&in.world, &desc, test_sink(&file)) == HM_ERROR_INVALID);
    CHECK(hm_world_load(&in.world, &desc, test_source(&file)) == HM_ERROR_INVALID);
    static char long_name[257];
    memset(long_name, 'x', sizeof long_name - 1);
    formats[0].format.name = long_name;
    CHECK(hm_world_save(&in.world, &desc, test_sink(&file)) == HM_ERROR_INVALID);
    CHECK(hm_world_load(&in.world, &desc, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(strstr(hm_last_error(), "has more than 255 bytes") != NULL);
    desc = (hm_world_save_desc){.name = long_name};
    CHECK(hm_world_load(&in.world, &desc, test_source(&file)) == HM_ERROR_INVALID);
    hm_world_fini(&in.world);
    in.world = (hm_world){0};
    CHECK(hm_world_save(&in.world, NULL, test_sink(&file)) == HM_ERROR_FULL);
    CHECK(hm_world_load(&in.world, NULL, test_source(&file)) == HM_ERROR_FULL);
    test_file_end(&file);
}
