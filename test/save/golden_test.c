/* SPDX-License-Identifier: MIT */
/* Files of each version of the format, one of each kind, as a test on x86-64 wrote them. Every
 * machine writes the same bytes after the same calls, and every later version reads them. */
#include "saves.h"

#include <stdio.h>

enum { GOLDEN_STEPS = 30, GOLDEN_SIZE = 4000, FORMAT = 2 /* that is written */ };

static const struct {
    const saved_kind *kind;
    uint64_t seed;      /* of the calls; one that makes a small file */
    uint32_t format;    /* its version */
    const char *digits; /* hexadecimal */
} files[] = {
#include "golden.h"
};

static size_t read_digits(const char *digits, unsigned char *bytes)
{
    size_t size = strlen(digits) / 2;
    CHECK(size <= GOLDEN_SIZE);
    for (size_t i = 0; i < size; i++) {
        const char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return size;
}

static bool is_same_file(const test_file *a, const test_file *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Prints a file as golden.h has it. */
static void print_digits(const test_file *file)
{
    for (size_t i = 0; i < file->size; i++)
        fprintf(stderr, "%s%02x%s", i % 44 == 0 ? "    \"" : "", (unsigned)file->bytes[i],
                i % 44 == 43 || i + 1 == file->size ? "\"\n" : "");
}

TEST(save_golden, files_of_all_versions_are_written_and_read_on_every_machine)
{
    bool is_same = true;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        static unsigned char bytes[GOLDEN_SIZE];
        const saved_kind *kind = files[i].kind;
        uint64_t random = files[i].seed;
        saved made, loaded;
        test_file written = {0}, again = {0};
        test_file golden = {.bytes = bytes, .size = read_digits(files[i].digits, bytes)};
        kind->init(&made, 1, NULL);
        for (int k = 0; k < GOLDEN_STEPS; k++)
            kind->run(&made, &random);
        CHECK(kind->save(&made, NULL, test_sink(&written)) == HM_OK);
        if (files[i].format == FORMAT && !is_same_file(&written, &golden)) {
            print_digits(&written);
            is_same = false;
            continue;
        }
        kind->init(&loaded, 1, NULL);
        CHECK(kind->load(&loaded, NULL, test_source(&golden)) == HM_OK);
        CHECK(kind->validate(&loaded) == HM_OK);
        kind->compare(&made, &loaded);
        CHECK(kind->save(&loaded, NULL, test_sink(&again)) == HM_OK);
        CHECK(files[i].format != FORMAT || is_same_file(&again, &golden));
        kind->fini(&made);
        kind->fini(&loaded);
        test_file_end(&written);
        test_file_end(&again);
    }
    CHECK(is_same);
}

/* Bytes, a map at a mark, its values, and what changed in a world of two entities. */
static void save_all_sections(test_file *file)
{
    static hm_world world;
    hm_map map;
    hm_history history;
    hm_position here = {UINT64_C(0x1122334455667788), 5, 0, 0}, at = {0};
    const hm_save_desc desc = {.position = &here, .layout = "l"};
    const hm_world_save_desc changes = {.position = &at, .max_size = 40};
    const hm_map_desc of = {.item_size = 3, .type_id = 7, .name = "m"};
    CHECK(hm_save_bytes("b", 9, "xyz", 3, test_sink(file)) == HM_OK);
    CHECK(hm_map_init(&map, &of) == HM_OK);
    (void)hm_map_insert(&map, "abc");
    hm_handle second = hm_map_insert(&map, "def");
    CHECK(hm_map_save(&map, &desc, test_sink(file)) == HM_OK);
    CHECK(hm_map_save_values(&map, &desc, &second, 1, test_sink(file)) == HM_OK);
    hm_map_fini(&map);
    CHECK(hm_history_init(&history, &(hm_history_desc){.epoch = 258, .marks = 2}) == HM_OK);
    const hm_world_desc inside = {.type_id = 7, .name = "w", .memory = &history.table};
    CHECK(hm_world_init(&world, &inside) == HM_OK);
    hm_component pair = hm_world_component(&world, &(hm_component_desc){.size = 2, .name = "p"});
    hm_component tag = hm_world_component(&world, &(hm_component_desc){.size = 0, .name = "t"});
    hm_handle entity = hm_world_create(&world, NULL, 0);
    CHECK(hm_world_add(&world, entity, pair, "gh") == HM_OK);
    CHECK(hm_world_add(&world, entity, tag, NULL) == HM_OK);
    uint64_t mark = hm_history_mark(&history);
    while (at.mark != mark)
        CHECK(hm_world_save_changes(&world, &history, &changes, 0, mark, test_sink(file)) == HM_OK);
    hm_world_fini(&world);
    hm_history_fini(&history);
}

TEST(save_golden, positions_changes_and_bytes_are_written_alike_on_every_machine)
{
    static const char digits[] =
#include "golden_sections.h"
        ;
    static unsigned char bytes[GOLDEN_SIZE];
    test_file written = {0}, golden = {.bytes = bytes, .size = read_digits(digits, bytes)};
    hm_index index;
    save_all_sections(&written);
    bool is_same = is_same_file(&written, &golden);
    if (!is_same)
        print_digits(&written);
    CHECK(is_same);
    test_file_end(&written);
    /* A key is hashed as in a file. */
    CHECK(hm_index_init(&index, &(hm_index_desc){.type_id = 7, .key_limit = 300}) == HM_OK);
    CHECK(hm_index_set(&index, hm_handle_pack(2, 1, 7), 259) == HM_OK);
    CHECK(hm_index_hash(&index, NULL, NULL, HM_ALL) == UINT64_C(0xbad74c69dc15609c));
    hm_index_fini(&index);
}
