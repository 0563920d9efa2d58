/* SPDX-License-Identifier: MIT */
/* Changes that go through codecs; bytes of the program's own beside containers; files of several
 * containers. */
#include "follow.h"

/* codecs */

/* An item is a number on the heap; in a file it is the number, in two bytes. */
static uint32_t alive;

static void encode(const void *item, void *bytes, void *context)
{
    uint16_t *number;
    (void)context;
    memcpy(&number, item, sizeof number);
    ((unsigned char *)bytes)[0] = (unsigned char)*number;
    ((unsigned char *)bytes)[1] = (unsigned char)(*number >> 8);
}

static bool decode(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    const unsigned char *from = bytes;
    uint16_t *number;
    (void)context;
    CHECK(version == 2);
    if (size != 2 || from[0] == 255)
        return false;
    number = malloc(sizeof *number);
    CHECK(number != NULL);
    *number = (uint16_t)(from[0] | from[1] << 8);
    memcpy(item, &number, sizeof number);
    alive++;
    return true;
}

static void destroy(void *item, void *context)
{
    void *number;
    (void)context;
    memcpy(&number, item, sizeof number);
    free(number);
    alive--;
}

static void make(void *item, uint16_t number)
{
    unsigned char bytes[2] = {(unsigned char)number, (unsigned char)(number >> 8)};
    CHECK(decode(2, bytes, 2, item, NULL));
}

static const hm_save_desc coded = {
    .version = 2, .encoded_size = 2, .encode = encode, .decode = decode};

/* A copy that takes an edit, after which `made` has `more` items, has the new values, and nothing
 * is left of the old ones. */
#define EDIT_BY_CODE(kind, desc, make_it, edit_it, more, ...)                                      \
    do {                                                                                           \
        hm_history history;                                                                        \
        static hm_##kind made, copy;                                                               \
        test_file file = {0};                                                                      \
        CHECK(hm_history_init(&history, &(hm_history_desc){.marks = 4}) == HM_OK);                 \
        const hm_##kind##_desc both = {.type_id = TYPE, .destroy = destroy, __VA_ARGS__};          \
        hm_##kind##_desc inside = both;                                                            \
        inside.memory = &history.table;                                                            \
        CHECK(hm_##kind##_init(&made, &inside) == HM_OK);                                          \
        CHECK(hm_##kind##_init(&copy, &both) == HM_OK);                                            \
        make_it;                                                                                   \
        uint64_t first = hm_history_mark(&history);                                                \
        CHECK(hm_##kind##_save_changes(&made, &history, desc, 0, first, test_sink(&file)) ==       \
              HM_OK);                                                                              \
        CHECK(hm_##kind##_load_changes(&copy, desc, test_source(&file)) == HM_OK);                 \
        CHECK(hm_##kind##_hash(&copy, desc, NULL, HM_ALL) ==                                       \
              hm_##kind##_hash(&made, desc, NULL, HM_ALL));                                        \
        uint32_t before = alive;                                                                   \
        edit_it;                                                                                   \
        CHECK(alive == before + (uint32_t)(more));                                                 \
        uint64_t second = hm_history_mark(&history);                                               \
        file.size = 0;                                                                             \
        CHECK(hm_##kind##_save_changes(&made, &history, desc, first, second, test_sink(&file)) ==  \
              HM_OK);                                                                              \
        CHECK(hm_##kind##_load_changes(&copy, desc, test_source(&file)) == HM_OK);                 \
        CHECK(alive == before + 2 * (uint32_t)(more));                                             \
        CHECK(hm_##kind##_hash(&copy, desc, NULL, HM_ALL) ==                                       \
              hm_##kind##_hash(&made, desc, NULL, HM_ALL));                                        \
        CHECK(hm_##kind##_hash(&copy, desc, NULL, HM_ALL) !=                                       \
              hm_##kind##_hash(&copy, NULL, NULL, HM_ALL));                                        \
        hm_##kind##_fini(&copy);                                                                   \
        hm_##kind##_fini(&made);                                                                   \
        hm_history_fini(&history);                                                                 \
        test_file_end(&file);                                                                      \
        CHECK(alive == 0);                                                                         \
    } while (0)

/* Replaces a value where it is. */
static void replace(void *item, uint16_t number)
{
    void *old;
    memcpy(&old, item, sizeof old);
    make(item, number); /* at another address: else the bytes of the item would be the same */
    destroy(&old, NULL);
}

TEST(save_follow, an_edit_by_decode_destroys_the_value_that_was_there)
{
    hm_handle h;
    void *value;
    alive = 0;
    EDIT_BY_CODE(map, &coded, (make(&value, 1), h = hm_map_insert(&made, &value)),
                 replace(hm_map_get(&made, h), 2), 0, .item_size = sizeof value);
    EDIT_BY_CODE(pool, &coded, (make(&value, 1), h = hm_pool_insert(&made, &value)),
                 replace(hm_pool_get(&made, h), 2), 0, .item_size = sizeof value);
    EDIT_BY_CODE(
        secondary, &coded,
        (h = hm_handle_pack(0, 1, TYPE), make(&value, 1), (void)hm_secondary_set(&made, h, &value)),
        replace(hm_secondary_get(&made, h), 2), 0, .value_size = sizeof value);
}

static hm_handle push_three(hm_lists *lists)
{
    hm_handle list = hm_lists_create(lists);
    for (uint16_t i = 0; i < 3; i++) {
        void *value;
        make(&value, i);
        CHECK(hm_lists_push(lists, list, &value) != NULL);
    }
    return list;
}

/* The same number of items, fewer, and more. */
TEST(save_follow, an_edit_of_a_list_by_decode_destroys_all_items_that_were_there)
{
    hm_handle h;
    uint32_t count;
    void *value;
    alive = 0;
    EDIT_BY_CODE(lists, &coded, h = push_three(&made), replace(hm_lists_items(&made, h, &count), 9),
                 0, .item_size = sizeof value);
    EDIT_BY_CODE(lists, &coded, h = push_three(&made), CHECK(hm_lists_resize(&made, h, 1) == HM_OK),
                 -2, .item_size = sizeof value);
    EDIT_BY_CODE(lists, &coded, h = push_three(&made),
                 (make(&value, 7), (void)hm_lists_push(&made, h, &value)), 1,
                 .item_size = sizeof value);
}

TEST(save_follow, an_edit_of_a_component_by_decode_destroys_the_value_that_was_there)
{
    hm_history history;
    static hm_world made, copy;
    hm_component_format formats[2];
    test_file file = {0};
    void *value;
    alive = 0;
    CHECK(hm_history_init(&history, &(hm_history_desc){.marks = 4}) == HM_OK);
    hm_world *worlds[] = {&made, &copy};
    for (uint32_t w = 0; w < 2; w++) {
        const hm_world_desc desc = {.type_id = TYPE, .memory = w == 0 ? &history.table : NULL};
        CHECK(hm_world_init(worlds[w], &desc) == HM_OK);
        formats[w].component = hm_world_component(
            worlds[w], &(hm_component_desc){.size = sizeof value, .destroy = destroy});
        formats[w].format = coded;
    }
    hm_world_save_desc out = {.formats = &formats[0], .format_count = 1};
    hm_world_save_desc in = {.formats = &formats[1], .format_count = 1};
    make(&value, 1);
    hm_handle entity = hm_world_create(&made, NULL, 0);
    CHECK(hm_world_add(&made, entity, formats[0].component, &value) == HM_OK);
    uint64_t first = hm_history_mark(&history);
    CHECK(hm_world_save_changes(&made, &history, &out, 0, first, test_sink(&file)) == HM_OK);
    CHECK(hm_world_load_changes(&copy, &in, test_source(&file)) == HM_OK && alive == 2);
    replace(hm_world_get(&made, entity, formats[0].component), 2);
    uint64_t second = hm_history_mark(&history);
    file.size = 0;
    CHECK(hm_world_save_changes(&made, &history, &out, first, second, test_sink(&file)) == HM_OK);
    CHECK(hm_world_load_changes(&copy, &in, test_source(&file)) == HM_OK && alive == 2);
    CHECK(hm_world_hash(&copy, &in, NULL, HM_ALL) == hm_world_hash(&made, &out, NULL, HM_ALL));
    /* The format of a component of another world. */
    CHECK(hm_world_load_changes(&copy, &out, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(hm_world_hash(&copy, &out, NULL, HM_ALL) == 0 && mentions("is for no component"));
    hm_world_fini(&copy);
    hm_world_fini(&made);
    hm_history_fini(&history);
    test_file_end(&file);
    CHECK(alive == 0);
}

/* A tag has nothing to encode; and a size that the buffers have not is refused before a byte. */
TEST(save_follow, changes_of_a_tag_need_no_codec_and_a_codec_needs_a_size)
{
    hm_world made, copy;
    hm_component_format formats[2];
    hm_handle entity = HM_NULL_HANDLE;
    test_file file = {0};
    hm_world *worlds[] = {&made, &copy};
    for (uint32_t w = 0; w < 2; w++) {
        CHECK(hm_world_init(worlds[w], &(hm_world_desc){.type_id = TYPE}) == HM_OK);
        formats[w].component = hm_world_component(worlds[w], &(hm_component_desc){.size = 0});
        formats[w].format = coded;
    }
    hm_world_save_desc out = {.formats = &formats[0], .format_count = 1};
    hm_world_save_desc in = {.formats = &formats[1], .format_count = 1};
    entity = hm_world_create(&made, &formats[0].component, 1);
    CHECK(hm_world_save_values(&made, &out, &entity, 1, test_sink(&file)) == HM_OK);
    CHECK(hm_world_load_changes(&copy, &in, test_source(&file)) == HM_OK);
    CHECK(hm_world_has(&copy, entity, formats[1].component));
    const size_t sizes[] = {0, HM_SAVE_MAX_ENCODED + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        formats[0].format.encoded_size = sizes[i];
        file.size = 0;
        CHECK(hm_world_save_values(&made, &out, &entity, 1, test_sink(&file)) == HM_ERROR_INVALID);
        CHECK(file.size == 0 && mentions("encode needs an encoded_size"));
        CHECK(hm_world_hash(&made, &out, NULL, HM_ALL) == 0);
    }
    hm_world_fini(&copy);
    hm_world_fini(&made);
    test_file_end(&file);
}

TEST(save_follow, what_decode_refuses_changes_nothing_and_leaves_nothing)
{
    hm_history history;
    static hm_map made;
    hm_map copy;
    test_file file = {0};
    const hm_map_desc desc = {.item_size = sizeof(void *), .type_id = TYPE, .destroy = destroy};
    hm_map_desc inside = desc;
    alive = 0;
    CHECK(hm_history_init(&history, &(hm_history_desc){.marks = 4}) == HM_OK);
    inside.memory = &history.table;
    CHECK(hm_map_init(&made, &inside) == HM_OK && hm_map_init(&copy, &desc) == HM_OK);
    for (uint16_t i = 250; i < 256; i++) {
        void *value;
        make(&value, 1);
        *(uint16_t *)value = i;
        (void)hm_map_insert(&made, &value);
    }
    uint32_t before = alive;
    uint64_t mark = hm_history_mark(&history);
    CHECK(hm_map_save_changes(&made, &history, &coded, 0, mark, test_sink(&file)) == HM_OK);
    CHECK(hm_map_load_changes(&copy, &coded, test_source(&file)) == HM_ERROR_CORRUPT);
    CHECK(mentions("decode refused a value"));
    CHECK(hm_map_count(&copy) == 0 && alive == before);
    hm_save_desc other = coded;
    other.encode = NULL;
    other.encoded_size = 0;
    other.layout = "other";
    CHECK(hm_map_load_changes(&copy, &other, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(hm_map_load_changes(&copy, NULL, test_source(&file)) == HM_ERROR_INVALID);
    hm_map_fini(&copy);
    hm_map_fini(&made);
    hm_history_fini(&history);
    test_file_end(&file);
    CHECK(alive == 0);
}

TEST(save_follow, changes_of_rows_and_keys_take_no_codec)
{
    const saved_kind *const kinds[] = {&saved_table, &saved_index};
    for (size_t i = 0; i < 2; i++) {
        scene in;
        begin(&in, kinds[i]);
        uint64_t mark = go_on(&in);
        CHECK(save(&in, &coded, 0, mark) == HM_ERROR_INVALID && in.file.size == 0);
        CHECK(mentions("saved as bytes"));
        CHECK(save(&in, NULL, 0, mark) == HM_OK);
        CHECK(in.kind->load_changes(&in.copy, &coded, test_source(&in.file)) == HM_ERROR_INVALID);
        end(&in);
    }
}

/* sections of the program's own */

TEST(save_bytes, stand_between_containers_and_come_back)
{
    scene in;
    unsigned char bytes[9];
    uint32_t version = 0;
    size_t size = sizeof bytes;
    begin(&in, &saved_map);
    (void)go_on(&in);
    CHECK(hm_save_bytes("settings", 4, "abcdefghi", 9, test_sink(&in.file)) == HM_OK);
    CHECK(in.kind->save(&in.made, NULL, test_sink(&in.file)) == HM_OK);
    CHECK(hm_save_bytes(NULL, 0, NULL, 0, test_sink(&in.file)) == HM_OK);
    hm_source source = test_source(&in.file);
    CHECK(hm_load_bytes("settings", &version, bytes, &size, source) == HM_OK);
    CHECK(version == 4 && size == 9 && memcmp(bytes, "abcdefghi", 9) == 0);
    CHECK(in.kind->load(&in.copy, NULL, source) == HM_OK);
    CHECK(hm_load_bytes(NULL, NULL, NULL, &(size_t){0}, source) == HM_OK);
    CHECK(in.file.position == in.file.size);
    CHECK(in.kind->hash(&in.copy, NULL, HM_ALL) == in.kind->hash(&in.made, NULL, HM_ALL));
    /* Each finds its own, whatever comes before. */
    CHECK(hm_load_bytes("", NULL, NULL, &(size_t){0}, test_source(&in.file)) == HM_OK);
    CHECK(hm_load_bytes("things", NULL, bytes, &size, test_source(&in.file)) == HM_ERROR_CORRUPT);
    CHECK(mentions("but bytes 'settings', map 'things'"));
    end(&in);
}

TEST(save_bytes, that_do_not_fit_say_how_many_they_are_and_those_that_are_damaged_are_zero)
{
    test_file file = {0};
    static unsigned char bytes[100000], all[100000];
    char name[258];
    size_t size = 99999;
    memset(name, 'n', sizeof name);
    name[256] = '\0';
    memset(all, 7, sizeof all);
    CHECK(hm_save_bytes(name, 0, all, 1, test_sink(&file)) == HM_ERROR_INVALID && file.size == 0);
    file.fail_at = 2;
    CHECK(hm_save_bytes("n", 0, all, sizeof all, test_sink(&file)) == HM_ERROR_IO);
    test_file_end(&file);
    file = (test_file){0};
    CHECK(hm_save_bytes("n", 0, all, sizeof all, test_sink(&file)) == HM_OK);
    CHECK(hm_load_bytes("n", NULL, bytes, &size, test_source(&file)) == HM_ERROR_FULL);
    CHECK(size == sizeof all && bytes[0] == 0);
    for (size_t i = 0; i < file.size; i += i < 100 || i > file.size - 20 ? 1 : 997) {
        file.bytes[i] ^= 4;
        size = sizeof bytes;
        bytes[0] = bytes[sizeof bytes - 1] = 1;
        CHECK(hm_load_bytes("n", NULL, bytes, &size, test_source(&file)) == HM_ERROR_CORRUPT);
        CHECK(size == sizeof bytes && bytes[0] == 0 && bytes[sizeof bytes - 1] == 0);
        file.bytes[i] ^= 4;
    }
    CHECK(hm_load_bytes("n", NULL, bytes, &size, test_source(&file)) == HM_OK);
    CHECK(memcmp(bytes, all, sizeof all) == 0);
    test_file_end(&file);
}

TEST(save_section, what_comes_next_can_be_asked)
{
    test_file file = {0};
    hm_section section;
    scene in;
    begin(&in, &saved_pool);
    uint64_t first = go_on(&in), second = go_on(&in);
    CHECK(hm_save_bytes("settings", 4, "abc", 3, test_sink(&file)) == HM_OK);
    CHECK(hm_section_read(&section, test_source(&file)) == HM_OK);
    CHECK(strcmp(section.name, "settings") == 0 && strcmp(section.kind, "bytes") == 0);
    CHECK(section.version == 4 && section.count == 3 && section.size == file.size);
    CHECK(!section.has_changes && section.position.mark == 0 && section.from.mark == 0);
    CHECK(save(&in, NULL, first, second) == HM_OK);
    CHECK(hm_section_read(&section, test_source(&in.file)) == HM_OK);
    CHECK(strcmp(section.name, "things") == 0 && strcmp(section.kind, "pool") == 0);
    CHECK(section.has_changes && section.size == in.file.size);
    CHECK(section.from.epoch == EPOCH && section.from.mark == first);
    CHECK(section.position.epoch == EPOCH && section.position.mark == second);
    CHECK(section.type_id == hm_pool_as_owners(&in.made.pool).type_id);
    for (size_t i = 0; i < 48; i++) {
        in.file.bytes[i] ^= 4;
        CHECK(hm_section_read(&section, test_source(&in.file)) == HM_ERROR_CORRUPT);
        CHECK(section.name[0] == '\0' && section.kind == NULL);
        in.file.bytes[i] ^= 4;
    }
    in.file.size = 0;
    CHECK(hm_section_read(&section, test_source(&in.file)) == HM_ERROR_CORRUPT);
    test_file_end(&file);
    end(&in);
}

/* several containers */

enum { ALL = SAVED_KINDS + 1 };

/* A container of each kind, and bytes before them. */
typedef struct group {
    saved made[SAVED_KINDS];
    char text[20];
    hm_saved_bytes bytes;
    hm_savable all[ALL];
} group;

static void begin_group(group *in, uint32_t shape, const hm_memory *memory)
{
    memset(in, 0, sizeof *in);
    in->bytes = (hm_saved_bytes){
        .name = "text", .bytes = in->text, .size = sizeof in->text, .capacity = sizeof in->text};
    in->all[0] = hm_bytes_as_savable(&in->bytes);
    for (size_t k = 0; k < SAVED_KINDS; k++) {
        saved_kinds[k]->init(&in->made[k], shape % saved_kinds[k]->shapes, memory);
        in->all[k + 1] = saved_kinds[k]->as_savable(&in->made[k]);
    }
}

static void end_group(group *in)
{
    for (size_t k = 0; k < SAVED_KINDS; k++)
        saved_kinds[k]->fini(&in->made[k]);
}

/* What loads into one that went through a load that failed is what loads into a new one. */
TEST(save_all, a_file_loads_whole_or_leaves_all_as_if_nothing_had_been_tried)
{
    static group from, into, fresh;
    for (uint32_t shape = 0; shape < 12; shape++) {
        uint64_t random = shape + 1;
        test_file file = {0}, first = {0}, second = {0};
        begin_group(&from, shape, NULL);
        memcpy(from.text, "some words", 11);
        for (uint32_t i = 0; i < SAVED_KINDS * STEPS; i++)
            saved_kinds[i % SAVED_KINDS]->run(&from.made[i % SAVED_KINDS], &random);
        CHECK(hm_save_all(from.all, ALL, test_sink(&file)) == HM_OK);
        begin_group(&into, shape, NULL);
        for (uint32_t calls = 1;; calls += 1 + calls / 8) {
            hm_source source = test_source(&file);
            file.fail_at = calls;
            hm_status status = hm_load_all(into.all, ALL, source);
            if (status == HM_OK)
                break;
            CHECK(status == HM_ERROR_CORRUPT && mentions("source"));
            CHECK(into.text[0] == '\0' && into.bytes.size == 0);
            for (size_t k = 0; k < SAVED_KINDS; k++) {
                CHECK(saved_kinds[k]->get_stats(&into.made[k]).count == 0);
                CHECK(saved_kinds[k]->hash(&into.made[k], NULL, HM_ALL) == 0);
                CHECK(saved_kinds[k]->validate(&into.made[k]) == HM_OK);
            }
        }
        begin_group(&fresh, shape, NULL);
        CHECK(hm_load_all(fresh.all, ALL, test_source(&file)) == HM_OK);
        CHECK(strcmp(into.text, "some words") == 0 && into.bytes.size == sizeof into.text);
        for (size_t k = 0; k < SAVED_KINDS; k++) {
            uint64_t same = random;
            CHECK(saved_kinds[k]->validate(&into.made[k]) == HM_OK);
            saved_kinds[k]->compare(&into.made[k], &fresh.made[k]);
            for (uint32_t i = 0; i < STEPS; i++) {
                saved_kinds[k]->run(&into.made[k], &random);
                saved_kinds[k]->run(&fresh.made[k], &same);
            }
            saved_kinds[k]->compare(&into.made[k], &fresh.made[k]);
        }
        end_group(&from);
        end_group(&into);
        end_group(&fresh);
        test_file_end(&file);
        test_file_end(&first);
        test_file_end(&second);
    }
}

/* A container that was emptied issues the handles that a new one does. */
TEST(save_all, what_was_emptied_begins_anew)
{
    static group from, into, fresh;
    for (uint32_t shape = 0; shape < 12; shape++) {
        uint64_t random = shape + 1;
        test_file file = {0};
        begin_group(&from, shape, NULL);
        for (uint32_t i = 0; i < SAVED_KINDS * STEPS; i++)
            saved_kinds[i % SAVED_KINDS]->run(&from.made[i % SAVED_KINDS], &random);
        CHECK(hm_save_all(from.all, ALL, test_sink(&file)) == HM_OK);
        CHECK(hm_save_bytes("other", 0, NULL, 0, test_sink(&file)) == HM_OK);
        begin_group(&into, shape, NULL);
        begin_group(&fresh, shape, NULL);
        hm_savable all[ALL + 1];
        hm_saved_bytes missing = {.name = "missing"};
        memcpy(all, into.all, sizeof into.all);
        all[ALL] = hm_bytes_as_savable(&missing);
        CHECK(hm_load_all(all, ALL + 1, test_source(&file)) == HM_ERROR_CORRUPT);
        CHECK(mentions("but bytes 'other'"));
        for (size_t k = 0; k < SAVED_KINDS; k++)
            for (uint32_t i = 0; i < 200; i++)
                (void)saved_kinds[k]->go_on(&into.made[k], &fresh.made[k], &random);
        for (size_t k = 0; k < SAVED_KINDS; k++)
            saved_kinds[k]->compare(&into.made[k], &fresh.made[k]);
        end_group(&from);
        end_group(&into);
        end_group(&fresh);
        test_file_end(&file);
    }
}

/* What decode made is destroyed by the hook, and what was read as bytes by nobody. */
TEST(save_all, only_what_decode_made_is_destroyed)
{
    hm_map maps[2];
    test_file file = {0};
    alive = 0;
    const hm_map_desc of = {.item_size = sizeof(void *), .type_id = TYPE, .destroy = destroy};
    for (uint32_t i = 0; i < 2; i++)
        CHECK(hm_map_init(&maps[i], &of) == HM_OK);
    for (uint16_t i = 0; i < 5; i++) {
        void *value;
        make(&value, i);
        (void)hm_map_insert(&maps[0], &value);
    }
    CHECK(hm_map_save(&maps[0], &coded, test_sink(&file)) == HM_OK);
    hm_saved_bytes missing = {.name = "missing"};
    const hm_savable decoded[] = {hm_map_as_savable(&maps[1], &coded),
                                  hm_bytes_as_savable(&missing)};
    CHECK(hm_load_all(decoded, 2, test_source(&file)) == HM_ERROR_CORRUPT && alive == 5);
    file.size = 0;
    CHECK(hm_map_save(&maps[0], NULL, test_sink(&file)) == HM_OK);
    const hm_savable bytes[] = {hm_map_as_savable(&maps[1], NULL), hm_bytes_as_savable(&missing)};
    CHECK(hm_load_all(bytes, 2, test_source(&file)) == HM_ERROR_CORRUPT && alive == 5);
    /* Nor does it stand anywhere. */
    hm_position here = {EPOCH, 3, 0, 0}, at = {EPOCH, 2, 0, 0};
    const hm_save_desc to = {.position = &here}, from = {.position = &at};
    file.size = 0;
    CHECK(hm_map_save(&maps[0], &to, test_sink(&file)) == HM_OK);
    const hm_savable placed[] = {hm_map_as_savable(&maps[1], &from), hm_bytes_as_savable(&missing)};
    CHECK(hm_load_all(placed, 2, test_source(&file)) == HM_ERROR_CORRUPT && at.mark == 0);
    hm_map_fini(&maps[1]);
    hm_map_fini(&maps[0]);
    CHECK(alive == 0);
    test_file_end(&file);
}
