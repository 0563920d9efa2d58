/* SPDX-License-Identifier: MIT */
/* What is particular to the save and load of maps, and to sections. */
#include "saves.h"
#include "support/map.h"

enum { TYPE = 9, SLOTS = 1000 };

static hm_map make_empty(const char *name, uint32_t capacity)
{
    return make_map((hm_map_desc){.capacity = capacity, .type_id = TYPE, .name = name});
}

/* A map of n numbers, the even ones of which are erased. */
static hm_map make_odd(const char *name, uint32_t n)
{
    hm_map map = make_empty(name, 0);
    for (uint32_t i = 0; i < n; i++)
        (void)add(&map, i);
    for (uint32_t i = n; i-- > 0;)
        if (value_of(&map, hm_map_handle_at(&map, i)) % 2 == 0)
            CHECK(hm_map_erase_at(&map, i));
    return map;
}

static bool says(const char *words)
{
    return strstr(hm_last_error(), words) != NULL;
}

/* layouts: a number as 8 bytes, the most significant first, and its square behind it */

static void encode(const void *item, void *bytes, void *context)
{
    const uint32_t *value = item;
    uint64_t square = (uint64_t)*value * *value;
    for (int i = 0; i < 8; i++) {
        CHECK(((unsigned char *)bytes)[i] == 0);
        ((unsigned char *)bytes)[i] = (unsigned char)(square >> (56 - 8 * i));
    }
    if (context != NULL)
        ++*(uint32_t *)context;
}

static bool decode_any(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    (void)version, (void)size, (void)context;
    memcpy(item, bytes, sizeof(uint32_t));
    return true;
}

static bool decode(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    uint64_t square = 0;
    for (size_t i = 0; i < size; i++)
        square = square << 8 | ((const unsigned char *)bytes)[i];
    uint32_t *value = item, root = 0;
    CHECK(version == 3 && size == 8 && *value == 0);
    while ((uint64_t)root * root < square)
        root++;
    *value = root;
    return context == NULL || ++*(uint32_t *)context != 5;
}

TEST(save_map, a_file_without_the_section_is_told_with_those_that_it_has)
{
    static unsigned char file[10000];
    hm_map map;
    hm_pool pool;
    CHECK(hm_map_init(&map, &(hm_map_desc){.item_size = 4, .name = "meshes"}) == HM_OK);
    CHECK(hm_pool_init(&pool, &(hm_pool_desc){.item_size = 4, .name = "bullets"}) == HM_OK);
    hm_memory_stream stream = {.bytes = file, .size = sizeof file};
    CHECK(hm_map_save(&map, NULL, hm_sink_memory(&stream)) == HM_OK);
    CHECK(hm_pool_save(&pool, NULL, hm_sink_memory(&stream)) == HM_OK);
    stream.size = stream.position;
    stream.position = 0;
    hm_map other;
    CHECK(hm_map_init(&other, &(hm_map_desc){.item_size = 4, .name = "textures"}) == HM_OK);
    CHECK(hm_map_load(&other, NULL, hm_source_memory(&stream)) == HM_ERROR_CORRUPT);
    CHECK(strcmp(hm_last_error(),
                 "the source has no map 'textures', but map 'meshes', pool 'bullets'") == 0);
    hm_map_fini(&other);
    hm_map_fini(&map);
    hm_pool_fini(&pool);
}

TEST(save_map, items_go_through_encode_and_decode)
{
    hm_map map = make_odd("numbers", 3000), loaded = make_empty("numbers", 0);
    uint32_t encoded = 0;
    hm_save_desc desc = {.version = 3, .encoded_size = 8, .encode = encode, .context = &encoded};
    test_file file = {0};
    CHECK(hm_map_save(&map, &desc, test_sink(&file)) == HM_OK && encoded == 1500);
    CHECK(hm_map_load(&loaded, NULL, test_source(&file)) == HM_ERROR_INVALID && says("no decode"));
    hm_save_desc reads = {.decode = decode};
    CHECK(hm_map_load(&loaded, &reads, test_source(&file)) == HM_OK);
    CHECK(hm_map_count(&loaded) == 1500);
    CHECK(memcmp(hm_map_items(&map), hm_map_items(&loaded), 1500 * sizeof(uint32_t)) == 0);
    hm_map_fini(&map);
    hm_map_fini(&loaded);
    test_file_end(&file);
}

static uint32_t destroyed;

static void destroy(void *item, void *context)
{
    hm_map *map = context;
    CHECK(*(uint32_t *)item == 7 - 2 * destroyed); /* Items 3, 2, 1 and 0, which are odd. */
    CHECK(hm_map_count(map) == 0);
    destroyed++;
}

TEST(save_map, a_refused_load_destroys_what_decode_has_made)
{
    hm_map map = make_empty("numbers", 0), loaded;
    for (uint32_t i = 0; i < 10; i++)
        (void)add(&map, 2 * i + 1);
    hm_save_desc desc = {.version = 3, .encoded_size = 8, .encode = encode};
    test_file file = {0};
    uint32_t decoded = 0;
    CHECK(hm_map_save(&map, &desc, test_sink(&file)) == HM_OK);
    hm_map_desc makes = {.item_size = 4, .type_id = TYPE, .name = "numbers", .destroy = destroy};
    makes.context = &loaded;
    CHECK(hm_map_init(&loaded, &makes) == HM_OK);
    hm_save_desc reads = {.decode = decode, .context = &decoded};
    CHECK(hm_map_load(&loaded, &reads, test_source(&file)) == HM_ERROR_CORRUPT);
    CHECK(says("decode refused") && decoded == 5 && destroyed == 4);
    /* What it left behind is zero again for decode. */
    loaded.extras->destroy = NULL;
    CHECK(hm_map_load(&loaded, &reads, test_source(&file)) == HM_OK && decoded == 15);
    hm_map_fini(&loaded);
    /* Bytes are no items that anyone owns. */
    file.size = 0;
    CHECK(hm_map_save(&map, NULL, test_sink(&file)) == HM_OK);
    file.size--;
    CHECK(hm_map_init(&loaded, &makes) == HM_OK);
    CHECK(hm_map_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT && destroyed == 4);
    hm_map_fini(&loaded);
    hm_map_fini(&map);
    test_file_end(&file);
}

TEST(save_map, sections_follow_one_another_and_others_are_skipped)
{
    hm_map maps[3] = {make_odd("first", 40000), make_odd("second", 10), make_odd("third", 0)};
    hm_map loaded = make_empty("third", 0), found = make_empty("second", 10);
    test_file file = {0};
    for (int i = 0; i < 3; i++)
        CHECK(hm_map_save(&maps[i], NULL, test_sink(&file)) == HM_OK);
    hm_source source = test_source(&file);
    CHECK(hm_map_load(&found, NULL, source) == HM_OK && hm_map_count(&found) == 5);
    CHECK(hm_map_load(&loaded, NULL, source) == HM_OK && hm_map_count(&loaded) == 0);
    CHECK(file.position == file.size);
    hm_map_fini(&loaded);
    loaded = make_empty("other", 0);
    hm_save_desc first = {.name = "first"};
    CHECK(hm_map_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT && says("'other'"));
    CHECK(hm_map_load(&loaded, &first, test_source(&file)) == HM_OK);
    CHECK(hm_map_count(&loaded) == 20000);
    for (int i = 0; i < 3; i++)
        hm_map_fini(&maps[i]);
    hm_map_fini(&loaded);
    hm_map_fini(&found);
    test_file_end(&file);
}

/* Loads into a map of this description, which must be refused so. */
static void check_refused(test_file *file, hm_map_desc desc, const hm_save_desc *save,
                          hm_status status, const char *words)
{
    hm_map map = make_map(desc);
    CHECK(hm_map_load(&map, save, test_source(file)) == status && says(words));
    CHECK(hm_map_count(&map) == 0 && hm_map_validate(&map) == HM_OK);
    hm_map_fini(&map);
}

TEST(save_map, a_map_that_does_not_fit_is_refused)
{
    hm_map map = make_odd("numbers", SLOTS);
    hm_save_desc desc = {.layout = "number", .version = 2};
    test_file file = {0};
    CHECK(hm_map_save(&map, &desc, test_sink(&file)) == HM_OK);
    hm_map_desc fits = {.type_id = TYPE, .name = "numbers"}, other = fits;
    other.type_id = TYPE + 1;
    check_refused(&file, other, &desc, HM_ERROR_INVALID, "type id is 9, not 10");
    other = fits;
    other.item_size = 8;
    check_refused(&file, other, &desc, HM_ERROR_INVALID, "4 bytes, not 8");
    other = fits;
    other.meta_size = 2;
    check_refused(&file, other, &desc, HM_ERROR_INVALID, "meta has 0 bytes, not 2");
    check_refused(&file, fits, NULL, HM_ERROR_INVALID, "layout is 'number', not ''");
    hm_save_desc newer = {.layout = "number", .version = 3};
    check_refused(&file, fits, &newer, HM_ERROR_INVALID, "version 2");
    other.meta_size = 0;
    other.capacity = SLOTS / 2 - 1;
    check_refused(&file, other, &desc, HM_ERROR_FULL, "500 items do not fit");
    hm_save_desc few = {.layout = "number", .version = 2, .max_count = SLOTS / 2 - 1};
    check_refused(&file, fits, &few, HM_ERROR_CORRUPT, "500 items are above the limit 499");
    few = (hm_save_desc){.layout = "number", .version = 2, .max_slots = SLOTS - 1};
    check_refused(&file, fits, &few, HM_ERROR_CORRUPT, "1000 slots are above the limit 999");
    hm_map_fini(&map);
    test_file_end(&file);
}

TEST(save_map, a_map_that_has_issued_a_handle_or_was_not_initialised_is_refused)
{
    hm_map map = make_odd("numbers", 10), zeroed = {0};
    hm_memory_stream stream = {0};
    CHECK(hm_map_load(&map, NULL, hm_source_memory(&stream)) == HM_ERROR_INVALID);
    CHECK(says("has issued handles since its init: load into a new map"));
    hm_map_clear(&map);
    CHECK(hm_map_trim(&map) == HM_OK && hm_map_get_stats(&map).slots == 0);
    CHECK(hm_map_load(&map, NULL, hm_source_memory(&stream)) == HM_ERROR_INVALID);
    CHECK(hm_map_load(&zeroed, NULL, hm_source_memory(&stream)) == HM_ERROR_FULL);
    CHECK(hm_map_save(&zeroed, NULL, hm_sink_memory(&stream)) == HM_ERROR_FULL);
    hm_map_fini(&map);
}

TEST(save_map, a_descriptor_that_is_wrong_is_refused)
{
    char name[300];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const hm_save_desc wrong[] = {{.name = name},
                                  {.layout = name},
                                  {.encode = encode},
                                  {.encoded_size = 8},
                                  {.encode = encode, .encoded_size = HM_SAVE_MAX_ENCODED + 1}};
    hm_map map = make_odd("numbers", 10);
    hm_memory_stream stream = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(hm_map_save(&map, &wrong[i], hm_sink_memory(&stream)) == HM_ERROR_INVALID);
    CHECK(stream.position == 0);
    hm_map_fini(&map);
}

/* A source from inside which the map is looked at, and changes are refused. */
typedef struct curious {
    hm_map *map;
    test_file *file;
} curious;

static bool look_and_read(void *context, void *bytes, size_t size)
{
    curious *from = context;
    hm_memory_stream stream = {0};
    CHECK(hm_map_count(from->map) == 0 && hm_map_get_stats(from->map).slots == 0);
    CHECK(hm_map_validate(from->map) == HM_OK);
    CHECK(hm_handle_is_null(hm_map_insert(from->map, NULL)) && says("busy"));
    CHECK(hm_map_reserve(from->map, 1) == HM_ERROR_BUSY);
    CHECK(hm_map_load(from->map, NULL, hm_source_memory(&stream)) == HM_ERROR_BUSY);
    return test_file_read(from->file, bytes, size);
}

TEST(save_map, the_map_is_busy_and_looks_empty_while_it_is_loaded)
{
    for (uint32_t capacity = 0; capacity <= 50000; capacity += 50000) {
        hm_map map = make_odd("numbers", 50000), loaded = make_empty("numbers", capacity);
        test_file file = {0};
        CHECK(hm_map_save(&map, NULL, test_sink(&file)) == HM_OK);
        (void)test_source(&file);
        curious from = {&loaded, &file};
        CHECK(hm_map_load(&loaded, NULL, (hm_source){look_and_read, &from}) == HM_OK);
        CHECK(hm_map_count(&loaded) == 25000 && hm_map_validate(&loaded) == HM_OK);
        (void)add(&loaded, 1);
        hm_map_fini(&map);
        hm_map_fini(&loaded);
        test_file_end(&file);
    }
}

TEST(save_map, a_file_in_the_order_of_its_slots_has_few_bytes_beside_the_items)
{
    enum { N = 100000, SIZE = 40 };
    hm_map_desc desc = {.item_size = SIZE};
    hm_map map = make_map(desc);
    hm_memory_stream stream = {0};
    CHECK(hm_map_insert_n(&map, NULL, N, NULL) == HM_OK);
    CHECK(hm_map_save(&map, NULL, hm_sink_memory(&stream)) == HM_OK);
    CHECK(stream.position * 100 <= (size_t)N * (SIZE + 2) * 105);
    size_t ordered = stream.position;
    for (uint32_t i = 0; i < N / 4; i++)
        CHECK(hm_map_erase_at(&map, i));
    stream.position = 0;
    CHECK(hm_map_save(&map, NULL, hm_sink_memory(&stream)) == HM_OK);
    /* A free slot gives its item back, and costs 6 bytes; 2 are its generation's. */
    size_t most = ordered - (size_t)N / 4 * SIZE + (size_t)N * 4;
    CHECK(stream.position <= most && stream.position > most - 1000);
    hm_map_fini(&map);
}

/* A source that watches how much memory is committed. */
typedef struct watched {
    test_file *file;
    test_memory memory;
    size_t most; /* bytes */
} watched;

static bool watch_and_read(void *context, void *bytes, size_t size)
{
    watched *from = context;
    if (from->most < from->memory.committed_size)
        from->most = from->memory.committed_size;
    return test_file_read(from->file, bytes, size);
}

TEST(save_map, a_lie_about_the_size_takes_less_than_a_megabyte)
{
    hm_map map = make_odd("n", 0);
    test_file file = {0};
    CHECK(hm_map_save(&map, NULL, test_sink(&file)) == HM_OK);
    memset(file.bytes + 32, 0xFF, 4);            /* items */
    memset(file.bytes + 48 + 4, 0xFF, 4);        /* slots */
    uint64_t payload = UINT64_C(0xFFFFFFFF) * 6; /* ascending: an item and a generation each */
    file.bytes[32] = file.bytes[52] = 0xFE;
    payload -= 6;
    for (int i = 0; i < 8; i++)
        file.bytes[40 + i] = (unsigned char)(payload >> 8 * i);
    while (file.size < 200)
        CHECK(test_file_write(&file, "x", 1));
    test_file_seal(&file);
    for (uint32_t capacity = 0;; capacity = UINT32_MAX - 1) {
        watched from = {.file = &file};
        test_memory_init(&from.memory, test_page_size(4096));
        if (capacity != 0 && !test_has_addresses((uint64_t)1 << 37, "a map of 2^32 items"))
            break;
        hm_map_desc desc = {.item_size = 4, .capacity = capacity, .type_id = TYPE, .name = "n"};
        desc.max_slots = UINT32_MAX;
        desc.memory = &from.memory.table;
        CHECK(hm_map_init(&map, &desc) == HM_OK);
        size_t before = from.memory.committed_size;
        (void)test_source(&file);
        CHECK(hm_map_load(&map, NULL, (hm_source){watch_and_read, &from}) == HM_ERROR_CORRUPT);
        CHECK(says("the source ends") && from.most < 1 << 20);
        CHECK(from.memory.committed_size == before);
        hm_map_fini(&map);
        if (capacity != 0)
            break;
    }
    test_file_end(&file);
}

#ifndef __wasm__ /* WASI has no tmpfile. */
TEST(save_map, files_hold_what_memory_does)
{
    hm_map map = make_odd("numbers", 100), loaded = make_empty("numbers", 0);
    FILE *file = tmpfile();
    CHECK(file != NULL);
    CHECK(hm_map_save(&map, NULL, hm_sink_file(file)) == HM_OK);
    rewind(file);
    CHECK(hm_map_load(&loaded, NULL, hm_source_file(file)) == HM_OK);
    CHECK(hm_map_count(&loaded) == 50);
    hm_map_fini(&loaded);
    loaded = make_empty("numbers", 0);
    CHECK(hm_map_load(&loaded, NULL, hm_source_file(file)) == HM_ERROR_CORRUPT);
    CHECK(fclose(file) == 0);
    hm_map_fini(&map);
    hm_map_fini(&loaded);
}
#endif

TEST(save_map, memory_that_is_too_small_is_refused)
{
    hm_map map = make_odd("numbers", 100);
    hm_memory_stream stream = {0};
    CHECK(hm_map_save(&map, NULL, hm_sink_memory(&stream)) == HM_OK);
    size_t size = stream.position;
    stream = (hm_memory_stream){malloc(size), size - 1, 0};
    CHECK(hm_map_save(&map, NULL, hm_sink_memory(&stream)) == HM_ERROR_IO && says("refused"));
    stream.size = size;
    stream.position = 0;
    CHECK(hm_map_save(&map, NULL, hm_sink_memory(&stream)) == HM_OK && stream.position == size);
    hm_map loaded = make_empty("numbers", 0);
    stream.size = size - 1;
    stream.position = 0;
    CHECK(hm_map_load(&loaded, NULL, hm_source_memory(&stream)) == HM_ERROR_CORRUPT);
    stream.position = size; /* behind the end */
    CHECK(hm_map_load(&loaded, NULL, hm_source_memory(&stream)) == HM_ERROR_CORRUPT);
    CHECK(hm_map_save(&map, NULL, hm_sink_memory(&stream)) == HM_ERROR_IO);
    unsigned char *bytes = stream.bytes;
    stream = (hm_memory_stream){NULL, size, 0};
    CHECK(hm_map_load(&loaded, NULL, hm_source_memory(&stream)) == HM_ERROR_CORRUPT);
    free(bytes);
    hm_map_fini(&loaded);
    hm_map_fini(&map);
}

TEST(save_map, a_failed_load_gives_back_what_was_reserved)
{
    for (uint32_t capacity = 0; capacity <= 100000; capacity += 100000) {
        hm_map map = make_odd("numbers", 90000), loaded = make_empty("numbers", capacity);
        test_file file = {0};
        CHECK(hm_map_save(&map, NULL, test_sink(&file)) == HM_OK);
        file.size -= 1;
        CHECK(hm_map_reserve(&loaded, 5000) == HM_OK);
        hm_stats before = hm_map_get_stats(&loaded);
        CHECK(hm_map_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
        hm_stats after = hm_map_get_stats(&loaded);
        CHECK(after.committed_size < before.committed_size && hm_map_validate(&loaded) == HM_OK);
        hm_map_fini(&map);
        hm_map_fini(&loaded);
        test_file_end(&file);
    }
}

/* Makes a map of one item, a free slot and n retired ones. */
static hm_map make_retired(uint32_t n)
{
    hm_map map = make_map((hm_map_desc){.capacity = 10, .type_id = TYPE, .name = "numbers"});
    hm_handle handle = add(&map, 7);
    for (uint32_t i = 0; i < n; i++) {
        CHECK(hm_map_erase(&map, handle));
        map.ids.entries[i].bits |= (uint64_t)HM_HANDLE_MAX_GENERATION << HM_HANDLE_GENERATION_SHIFT;
        handle = add(&map, 7);
    }
    (void)add(&map, 8);
    CHECK(hm_map_erase(&map, handle) && hm_map_get_stats(&map).retired_slots == n);
    return map;
}

TEST(save_map, a_failed_load_is_repeated_when_the_entries_had_to_move)
{
    hm_map map = make_retired(3000), loaded = make_empty("numbers", 10);
    test_file file = {0};
    CHECK(hm_map_save(&map, NULL, test_sink(&file)) == HM_OK);
    size_t whole = file.size;
    for (file.size = whole - 1; file.size > 97; file.size -= 97) {
        CHECK(hm_map_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
        CHECK(hm_map_validate(&loaded) == HM_OK && hm_map_get_stats(&loaded).slots == 0);
    }
    file.size = whole;
    CHECK(hm_map_load(&loaded, NULL, test_source(&file)) == HM_OK);
    for (uint32_t i = 0; i < 9; i++)
        CHECK(add(&loaded, i).bits == add(&map, i).bits);
    hm_map_fini(&map);
    hm_map_fini(&loaded);
    test_file_end(&file);
}

/* More than go through encode and decode at a time. */
TEST(save_map, each_refused_write_and_read_of_encoded_items_changes_nothing)
{
    hm_map map = make_odd("numbers", 5000), loaded = make_empty("numbers", 0);
    const hm_save_desc desc = {
        .version = 3, .encoded_size = 8, .encode = encode, .decode = decode_any};
    test_file file = {0};
    hm_status status = HM_ERROR_IO;
    for (file.fail_at = 1; status != HM_OK; file.fail_at++) {
        file.size = file.calls = 0;
        status = hm_map_save(&map, &desc, test_sink(&file));
        CHECK(status == (file.calls < file.fail_at ? HM_OK : HM_ERROR_IO));
    }
    status = HM_ERROR_CORRUPT;
    for (file.fail_at = 1; status != HM_OK; file.fail_at++) {
        status = hm_map_load(&loaded, &desc, test_source(&file));
        CHECK(status == (file.calls < file.fail_at ? HM_OK : HM_ERROR_CORRUPT));
        CHECK(hm_map_count(&loaded) == (status == HM_OK ? 2500 : 0));
        CHECK(hm_map_validate(&loaded) == HM_OK);
    }
    hm_map_fini(&map);
    hm_map_fini(&loaded);
    test_file_end(&file);
}

/* So many slots that their floors are read in pieces. */
TEST(save_map, slots_that_were_dropped_come_back_so_or_the_file_is_refused)
{
    enum { MANY = 512 * 4200 };
    hm_map map = make_map((hm_map_desc){.item_size = 1, .name = "bytes"});
    test_file file = {0};
    CHECK(hm_map_insert_n(&map, NULL, MANY, NULL) == HM_OK);
    hm_map_clear(&map);
    CHECK(hm_map_trim(&map) == HM_OK && hm_map_get_stats(&map).slots == 0);
    CHECK(hm_map_save(&map, NULL, test_sink(&file)) == HM_OK);
    hm_status status = HM_ERROR_MEMORY;
    for (uint32_t k = 1; status != HM_OK; k++) {
        test_memory memory;
        hm_map loaded;
        test_memory_init(&memory, test_page_size(4096));
        const hm_map_desc desc = {.item_size = 1, .name = "bytes", .memory = &memory.table};
        CHECK(hm_map_init(&loaded, &desc) == HM_OK);
        test_memory_fail(&memory, k, false);
        status = hm_map_load(&loaded, NULL, test_source(&file));
        CHECK(status == (test_memory_refused(&memory) ? HM_ERROR_MEMORY : HM_OK));
        test_memory_fail(&memory, 0, false);
        CHECK(hm_map_validate(&loaded) == HM_OK);
        if (status == HM_OK)
            CHECK(hm_map_insert(&loaded, NULL).bits == hm_map_insert(&map, NULL).bits);
        hm_map_fini(&loaded);
        test_memory_check_released(&memory);
    }
    hm_map_fini(&map);
    test_file_end(&file);
}

/* A load that fails gives back what was reserved, unless memory is refused then, too. */
static bool load_without_memory(const hm_map *map, uint32_t capacity, uint32_t reserved, uint32_t k)
{
    test_memory memory;
    test_file file = {0};
    hm_map loaded;
    CHECK(hm_map_save(map, NULL, test_sink(&file)) == HM_OK);
    file.size -= 1;
    test_memory_init(&memory, test_page_size(4096));
    const hm_map_desc desc = {.item_size = 4,
                              .capacity = capacity,
                              .type_id = TYPE,
                              .name = "numbers",
                              .memory = &memory.table};
    CHECK(hm_map_init(&loaded, &desc) == HM_OK && hm_map_reserve(&loaded, reserved) == HM_OK);
    test_memory_fail(&memory, k, true);
    CHECK(hm_map_load(&loaded, NULL, test_source(&file)) != HM_OK);
    bool was_refused = test_memory_refused(&memory);
    test_memory_fail(&memory, 0, false);
    CHECK(hm_map_validate(&loaded) == HM_OK && hm_map_count(&loaded) == 0);
    for (uint32_t i = 0; i < 10; i++)
        CHECK(!hm_handle_is_null(add(&loaded, i)));
    hm_map_fini(&loaded);
    test_memory_check_released(&memory);
    test_file_end(&file);
    return was_refused;
}

TEST(save_map, a_failed_load_without_memory_leaves_a_map_that_works)
{
    /* The entries of 3000 retired slots need another range than those of 10 items. */
    static const struct {
        uint32_t retired, capacity, reserved;
    } rows[] = {{0, 0, 50}, {0, 10000, 50}, {3000, 10, 10}, {3000, 10, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hm_map map = rows[i].retired == 0 ? make_odd("numbers", 9000) : make_retired(3000);
        for (uint32_t k = 1; load_without_memory(&map, rows[i].capacity, rows[i].reserved, k);
             k = test_next_call(k))
            CHECK(k < 1000);
        hm_map_fini(&map);
    }
}

/* A slot behind the last generation would begin with none. */
TEST(save_map, a_floor_that_is_the_last_generation_is_refused)
{
    hm_map map = make_odd("numbers", SLOTS), loaded = make_empty("numbers", 0);
    test_file file = {0};
    hm_map_clear(&map);
    CHECK(hm_map_trim(&map) == HM_OK && hm_map_save(&map, NULL, test_sink(&file)) == HM_OK);
    memset(file.bytes + file.size - 8 - 2, 0xFF, 2); /* the last floor, before the checksum */
    test_file_seal(&file);
    CHECK(hm_map_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
    CHECK(says("a floor is the last generation") && hm_map_validate(&loaded) == HM_OK);
    hm_map_fini(&map);
    hm_map_fini(&loaded);
    test_file_end(&file);
}

TEST(save_map, items_that_are_larger_than_a_block_come_back)
{
    enum { SIZE = 100000 };
    hm_map map = make_map((hm_map_desc){.item_size = SIZE, .name = "large"});
    hm_map loaded = make_map((hm_map_desc){.item_size = SIZE, .name = "large"});
    test_file file = {0};
    for (int i = 1; i <= 3; i++) {
        hm_handle handle = hm_map_insert(&map, NULL);
        memset(hm_map_get(&map, handle), i, SIZE);
    }
    CHECK(hm_map_save(&map, NULL, test_sink(&file)) == HM_OK);
    CHECK(hm_map_load(&loaded, NULL, test_source(&file)) == HM_OK);
    CHECK(hm_map_count(&loaded) == 3 && hm_map_validate(&loaded) == HM_OK);
    CHECK(memcmp(hm_map_items(&map), hm_map_items(&loaded), (size_t)3 * SIZE) == 0);
    hm_map_fini(&map);
    hm_map_fini(&loaded);
    test_file_end(&file);
}

TEST(save_map, items_that_are_too_large_for_decode_are_refused)
{
    hm_map map = make_map((hm_map_desc){.item_size = HM_SAVE_MAX_ENCODED + 1, .name = "large"});
    hm_map loaded = make_map((hm_map_desc){.item_size = 4, .name = "large"});
    const hm_save_desc desc = {.encoded_size = 8, .decode = decode};
    test_file file = {0};
    CHECK(!hm_handle_is_null(hm_map_insert(&map, NULL)));
    CHECK(hm_map_save(&map, NULL, test_sink(&file)) == HM_OK);
    CHECK(hm_map_load(&loaded, &desc, test_source(&file)) == HM_ERROR_INVALID);
    CHECK(says("too many for decode") && hm_map_count(&loaded) == 0);
    hm_map_fini(&map);
    hm_map_fini(&loaded);
    test_file_end(&file);
}
