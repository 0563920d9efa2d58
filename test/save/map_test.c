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

/* It may have raised the floors of slots that it could not drop. */
TEST(save_map, handles_to_come_are_the_same_after_a_trim_that_was_refused)
{
    hm_status status = HM_ERROR_MEMORY;
    for (uint32_t k = 1; status != HM_OK; k++) {
        test_memory memory;
        test_file file = {0};
        test_memory_init(&memory, test_page_size(4096));
        hm_map map = make_map((hm_map_desc){
            .capacity = 3, .type_id = TYPE, .name = "numbers", .memory = &memory.table});
        hm_map loaded = make_empty("numbers", 3);
        CHECK(hm_map_erase(&map, add(&map, 0)));
        test_memory_fail(&memory, k, false);
        status = hm_map_trim(&map);
        test_memory_fail(&memory, 0, false);
        CHECK(hm_map_save(&map, NULL, test_sink(&file)) == HM_OK);
        CHECK(hm_map_load(&loaded, NULL, test_source(&file)) == HM_OK);
        for (uint32_t i = 0; i < 3; i++)
            CHECK(add(&map, i).bits == add(&loaded, i).bits);
        hm_map_fini(&loaded);
        hm_map_fini(&map);
        test_file_end(&file);
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
