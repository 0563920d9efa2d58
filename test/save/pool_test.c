/* SPDX-License-Identifier: MIT */
/* What is particular to the save and load of pools. */
#include "saves.h"

enum { N = 3000 };

static const hm_storage storages[] = {HM_STORAGE_VIRTUAL, HM_STORAGE_FIXED_BLOCKS,
                                      HM_STORAGE_GROWING_BLOCKS};

static hm_pool make_pool(hm_storage storage)
{
    hm_pool pool;
    hm_pool_desc desc = {.item_size = sizeof(uint32_t), .capacity = N, .name = "numbers"};
    desc.storage = storage;
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    return pool;
}

/* A pool of numbers in which all but every 500th slot is a hole. */
static hm_pool make_sparse(hm_storage storage)
{
    hm_pool pool = make_pool(storage);
    for (uint32_t i = 0; i < N; i++)
        CHECK(!hm_handle_is_null(hm_pool_insert(&pool, &i)));
    for (uint32_t i = 0; i < N; i++)
        if (i % 500 != 7)
            CHECK(hm_pool_erase(&pool, hm_pool_handle_at(&pool, i)));
    return pool;
}

TEST(save_pool, another_storage_gives_the_same_items_and_handles)
{
    for (int from = 0; from < 3; from++)
        for (int to = 0; to < 3; to++) {
            hm_pool pool = make_sparse(storages[from]);
            hm_pool loaded = make_pool(storages[to]);
            test_file file = {0};
            CHECK(hm_pool_save(&pool, NULL, test_sink(&file)) == HM_OK);
            CHECK(hm_pool_load(&loaded, NULL, test_source(&file)) == HM_OK);
            CHECK(hm_pool_count(&loaded) == N / 500);
            for (uint32_t i = 7; i < N; i += 500)
                CHECK(*(uint32_t *)hm_pool_get(&loaded, hm_pool_handle_at(&pool, i)) == i);
            for (uint32_t i = 0; i < N - N / 500; i++)
                CHECK(hm_pool_insert(&loaded, NULL).bits == hm_pool_insert(&pool, NULL).bits);
            CHECK(hm_pool_validate(&loaded) == HM_OK);
            hm_pool_fini(&pool);
            hm_pool_fini(&loaded);
            test_file_end(&file);
        }
}

static void put(unsigned char *bytes, size_t size, uint64_t value)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
}

/* In a file of 0.3 a pool with HM_REUSE_LAST has told all of its holes, the latest first. */
TEST(save_pool, a_file_of_holes_in_the_order_of_0_3_has_every_handle)
{
    enum { MANY = 2 * HM_POOL_RECENT, HEADER = 48 + 3 * 4 + 7 + 8, TOLD = HEADER + 2 * (MANY + 1) };
    hm_pool pool = make_pool(HM_STORAGE_VIRTUAL), loaded = make_pool(HM_STORAGE_VIRTUAL);
    unsigned char bytes[TOLD + 4 * MANY + 4 + 8];
    test_file file = {0}, old = {.bytes = bytes, .size = sizeof bytes};
    for (uint32_t i = 0; i <= MANY; i++)
        CHECK(!hm_handle_is_null(hm_pool_insert(&pool, &i)));
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(hm_pool_erase(&pool, hm_pool_handle_at(&pool, i)));
    CHECK(hm_pool_save(&pool, NULL, test_sink(&file)) == HM_OK && file.size > TOLD);
    memcpy(bytes, file.bytes, TOLD);
    put(bytes + 12, 4, 4);
    put(bytes + 40, 8, 2 * (MANY + 1) + 4 * MANY + 4);
    put(bytes + 56, 4, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        put(bytes + TOLD + 4 * (size_t)i, 4, MANY - 1 - i);
    memcpy(bytes + TOLD + 4 * MANY, &(uint32_t){MANY}, 4); /* items are in native order */
    test_file_seal(&old);
    CHECK(hm_pool_load(&loaded, NULL, test_source(&old)) == HM_OK);
    CHECK(hm_pool_validate(&loaded) == HM_OK && hm_pool_count(&loaded) == 1);
    CHECK(*(uint32_t *)hm_pool_get(&loaded, hm_pool_handle_at(&pool, MANY)) == MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t slot = i < HM_POOL_RECENT ? MANY - 1 - i : i - HM_POOL_RECENT;
        CHECK(hm_pool_insert(&loaded, NULL).bits == hm_handle_pack(slot, 2, 0).bits);
    }
    hm_pool_fini(&pool);
    hm_pool_fini(&loaded);
    test_file_end(&file);
}

static void encode(const void *item, void *bytes, void *context)
{
    (void)context;
    memcpy(bytes, item, sizeof(uint32_t));
}

static uint32_t decoded, destroyed;

static bool decode(uint32_t version, const void *bytes, size_t size, void *item, void *context)
{
    CHECK(version == 0 && size == sizeof(uint32_t) && hm_pool_count(context) == 0);
    CHECK(hm_handle_is_null(hm_pool_insert(context, NULL)));
    memcpy(item, bytes, size);
    return ++decoded != 4;
}

static void destroy(void *item, void *context)
{
    (void)context;
    CHECK(*(uint32_t *)item == 1007 - 500 * destroyed); /* last first */
    destroyed++;
}

TEST(save_pool, a_refused_load_destroys_what_decode_has_made)
{
    hm_pool pool = make_sparse(HM_STORAGE_VIRTUAL), loaded;
    hm_pool_desc desc = {.item_size = sizeof(uint32_t), .destroy = destroy, .name = "numbers"};
    hm_save_desc save = {.encoded_size = 4, .encode = encode, .decode = decode};
    test_file file = {0};
    save.context = &loaded;
    CHECK(hm_pool_save(&pool, &save, test_sink(&file)) == HM_OK);
    CHECK(hm_pool_init(&loaded, &desc) == HM_OK);
    CHECK(hm_pool_load(&loaded, &save, test_source(&file)) == HM_ERROR_CORRUPT);
    CHECK(decoded == 4 && destroyed == 3 && hm_pool_validate(&loaded) == HM_OK);
    hm_pool_fini(&pool);
    hm_pool_fini(&loaded);
    test_file_end(&file);
}

TEST(save_pool, a_failed_load_gives_back_what_was_reserved)
{
    for (int i = 0; i < 3; i++) {
        hm_pool pool = make_sparse(storages[i]);
        hm_pool loaded = make_pool(storages[i]);
        test_file file = {0};
        CHECK(hm_pool_save(&pool, NULL, test_sink(&file)) == HM_OK);
        file.size -= 1;
        CHECK(hm_pool_reserve(&loaded, 1000) == HM_OK);
        hm_stats before = hm_pool_get_stats(&loaded);
        CHECK(hm_pool_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
        hm_stats after = hm_pool_get_stats(&loaded);
        CHECK(after.committed_size < before.committed_size && hm_pool_validate(&loaded) == HM_OK);
        for (uint32_t k = 0; k < 1000; k++)
            CHECK(hm_pool_insert(&loaded, &k).bits == (UINT64_C(1) << 32 | k));
        hm_pool_fini(&pool);
        hm_pool_fini(&loaded);
        test_file_end(&file);
    }
}

TEST(save_pool, a_pool_that_has_issued_a_handle_or_was_not_initialised_is_refused)
{
    hm_pool pool = make_sparse(HM_STORAGE_VIRTUAL), zeroed = {0};
    hm_memory_stream stream = {0};
    hm_pool_clear(&pool);
    CHECK(hm_pool_load(&pool, NULL, hm_source_memory(&stream)) == HM_ERROR_INVALID);
    CHECK(hm_pool_load(&zeroed, NULL, hm_source_memory(&stream)) == HM_ERROR_FULL);
    CHECK(hm_pool_save(&zeroed, NULL, hm_sink_memory(&stream)) == HM_ERROR_FULL);
    hm_pool_fini(&pool);
}

/* A pool of one item and n retired slots. */
static hm_pool make_retired(uint32_t n)
{
    hm_pool pool;
    hm_pool_desc desc = {.item_size = sizeof(uint32_t), .capacity = 10, .name = "numbers"};
    desc.storage = HM_STORAGE_FIXED_BLOCKS;
    desc.block_size = 1; /* a page */
    CHECK(hm_pool_init(&pool, &desc) == HM_OK);
    for (uint32_t i = 0; n > 0 && i <= n; i++) {
        hm_handle handle = hm_pool_insert(&pool, &i);
        uint64_t lives = HM_HANDLE_MAX_GENERATION - 1;
        if (i == n)
            break;
        pool.entries[i] += (uint32_t)lives;
        CHECK(hm_pool_erase(&pool, hm_handle_from_bits(handle.bits + (lives << 32))));
    }
    CHECK(hm_pool_get_stats(&pool).retired_slots == n);
    return pool;
}

TEST(save_pool, a_failed_load_is_repeated_when_the_columns_had_to_move)
{
    hm_pool pool = make_retired(3000), loaded = make_retired(0);
    test_file file = {0};
    CHECK(hm_pool_save(&pool, NULL, test_sink(&file)) == HM_OK);
    size_t whole = file.size;
    for (file.size = whole - 1; file.size > 97; file.size -= 97) {
        CHECK(hm_pool_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
        CHECK(hm_pool_validate(&loaded) == HM_OK && hm_pool_get_stats(&loaded).slots == 0);
    }
    file.size = whole;
    CHECK(hm_pool_load(&loaded, NULL, test_source(&file)) == HM_OK);
    for (uint32_t i = 0; i < 9; i++)
        CHECK(hm_pool_insert(&loaded, &i).bits == hm_pool_insert(&pool, &i).bits);
    hm_pool_fini(&pool);
    hm_pool_fini(&loaded);
    test_file_end(&file);
}

/* A load that fails gives back what was reserved, unless memory is refused then, too. */
static bool load_without_memory(test_file *file, hm_pool_desc desc, uint32_t k)
{
    test_memory memory;
    hm_pool loaded;
    test_memory_init_with_holes(&memory, test_page_size(4096));
    desc.name = "numbers";
    desc.memory = &memory.table;
    CHECK(hm_pool_init(&loaded, &desc) == HM_OK && hm_pool_reserve(&loaded, 10) == HM_OK);
    test_memory_fail(&memory, k, true);
    CHECK(hm_pool_load(&loaded, NULL, test_source(file)) != HM_OK);
    bool was_refused = test_memory_refused(&memory);
    test_memory_fail(&memory, 0, false);
    CHECK(hm_pool_validate(&loaded) == HM_OK && hm_pool_count(&loaded) == 0);
    for (uint32_t i = 0; i < 10; i++)
        CHECK(hm_pool_insert(&loaded, NULL).bits == (UINT64_C(1) << 32 | i));
    hm_pool_fini(&loaded);
    test_memory_check_released(&memory);
    return was_refused;
}

/* The file lacks its end. */
static void refuse_memory(const hm_pool *pool, hm_pool_desc desc)
{
    test_file file = {0};
    CHECK(hm_pool_save(pool, NULL, test_sink(&file)) == HM_OK);
    file.size -= 1;
    desc.item_size = pool->item_size;
    for (uint32_t k = 1; load_without_memory(&file, desc, k); k++)
        CHECK(k < 1000);
    test_file_end(&file);
}

TEST(save_pool, a_failed_load_without_memory_leaves_a_pool_that_works)
{
    static const hm_pool_desc descs[] = {
        {.capacity = N},
        {.storage = HM_STORAGE_FIXED_BLOCKS, .capacity = N},
        {.storage = HM_STORAGE_GROWING_BLOCKS},
    };
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++) {
        hm_pool pool = make_sparse(HM_STORAGE_VIRTUAL);
        refuse_memory(&pool, descs[i]);
        hm_pool_fini(&pool);
    }
}

TEST(save_pool, a_failed_load_without_memory_keeps_columns_that_have_moved)
{
    static const hm_pool_desc descs[] = {
        {.storage = HM_STORAGE_FIXED_BLOCKS, .block_size = 1, .capacity = 10},
        {.storage = HM_STORAGE_GROWING_BLOCKS, .capacity = 10},
    };
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++) {
        hm_pool pool = make_retired(3000);
        refuse_memory(&pool, descs[i]);
        hm_pool_fini(&pool);
    }
}

/* Blocks of a page each, or as many pages. */
static const hm_pool_desc desc_of_pages[] = {
    {.capacity = 100},
    {.storage = HM_STORAGE_FIXED_BLOCKS, .block_size = 1, .capacity = 100},
};

TEST(save_pool, a_failed_load_without_memory_keeps_pages_that_it_has_made)
{
    for (size_t i = 0; i < 2; i++) {
        hm_pool pool;
        hm_pool_desc desc = desc_of_pages[i];
        desc.item_size = test_page_size(4096);
        desc.name = "numbers";
        CHECK(hm_pool_init(&pool, &desc) == HM_OK);
        CHECK(hm_pool_insert_n(&pool, NULL, 100, NULL) == HM_OK);
        refuse_memory(&pool, desc);
        hm_pool_fini(&pool);
    }
}

/* The table of their addresses grows within its page. */
TEST(save_pool, a_failed_load_gives_back_the_blocks_that_it_has_made)
{
    enum { BLOCKS = 100 };
    hm_pool_desc desc = desc_of_pages[1];
    hm_pool pool, loaded;
    test_file file = {0};
    desc.item_size = test_page_size(4096);
    CHECK(hm_pool_init(&pool, &desc) == HM_OK && hm_pool_init(&loaded, &desc) == HM_OK);
    CHECK(hm_pool_insert_n(&pool, NULL, BLOCKS, NULL) == HM_OK);
    CHECK(hm_pool_save(&pool, NULL, test_sink(&file)) == HM_OK);
    for (uint32_t reserved = 0; reserved <= 10; reserved += 10) {
        CHECK(hm_pool_reserve(&loaded, reserved) == HM_OK);
        file.size -= 1;
        CHECK(hm_pool_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
        hm_stats after = hm_pool_get_stats(&loaded);
        CHECK(after.slots == 0 && hm_pool_validate(&loaded) == HM_OK);
        file.size += 1;
    }
    CHECK(hm_pool_load(&loaded, NULL, test_source(&file)) == HM_OK);
    CHECK(hm_pool_count(&loaded) == BLOCKS && hm_pool_validate(&loaded) == HM_OK);
    hm_pool_fini(&pool);
    hm_pool_fini(&loaded);
    test_file_end(&file);
}

TEST(save_pool, more_items_or_slots_than_the_program_allows_are_refused)
{
    const hm_save_desc few[] = {{.max_count = N / 500 - 1}, {.max_slots = N - 1}};
    hm_pool pool = make_sparse(HM_STORAGE_VIRTUAL);
    hm_pool loaded = make_pool(HM_STORAGE_VIRTUAL);
    test_file file = {0};
    CHECK(hm_pool_save(&pool, NULL, test_sink(&file)) == HM_OK);
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        CHECK(hm_pool_load(&loaded, &few[i], test_source(&file)) == HM_ERROR_CORRUPT);
        CHECK(strstr(hm_last_error(), "above the limit") != NULL && hm_pool_count(&loaded) == 0);
    }
    const hm_save_desc enough = {.max_count = N / 500, .max_slots = N};
    CHECK(hm_pool_load(&loaded, &enough, test_source(&file)) == HM_OK);
    hm_pool_fini(&pool);
    hm_pool_fini(&loaded);
    test_file_end(&file);
}

/* Files of N slots, in which a number is changed. */
enum { POOL_HEADER = 48 + 3 * 4 + 7 + 8 /* bytes; the name has 7 */ };
enum { POOL_BITS = POOL_HEADER + 2 * N + 4 * 256 };

static const struct {
    size_t at, size; /* bytes */
    uint32_t value;
    const char *why;
} forgeries[] = {
    {40, 4, 1, "its size and its counts disagree"},          /* bytes */
    {48, 4, UINT32_MAX, "its size and its counts disagree"}, /* holes */
    {48, 4, 255, "its size and its counts disagree"},
    {56, 4, N, "its size and its counts disagree"}, /* listed holes */
    {56, 4, 257, "its size and its counts disagree"},
    {12, 4, 4, "its size and its counts disagree"}, /* with HM_REUSE_LAST all holes are told */
    {POOL_HEADER, 2, 0, "1 slots have generation 0"},
    {POOL_HEADER + 2 * N, 4, N, "cannot be a hole"},
    {POOL_HEADER + 2 * N, 4, 255, "named twice"},
    {POOL_HEADER, 2, 65535, "slot 0 cannot be a hole"},
    /* Slot 0 is told, slot 2998 is not, and slot 7 is live. */
    {POOL_HEADER + 2 * (N - 2), 2, 65535, "slot 2998 cannot be a hole"},
    {POOL_BITS, 1, 129, "a bit of the slots from 0 on is wrong"},
    {POOL_BITS + N / 8, 1, 1, "a bit of the slots from 2944 on is wrong"},
    {POOL_BITS, 1, 0, "5 slots are live, not 6"},
};

TEST(save_pool, a_pool_that_cannot_be_is_refused)
{
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        hm_pool pool = make_sparse(HM_STORAGE_VIRTUAL);
        hm_pool loaded = make_pool(HM_STORAGE_VIRTUAL);
        test_file file = {0};
        CHECK(hm_pool_save(&pool, NULL, test_sink(&file)) == HM_OK);
        put(file.bytes + forgeries[i].at, forgeries[i].size, forgeries[i].value);
        test_file_seal(&file);
        CHECK(hm_pool_load(&loaded, NULL, test_source(&file)) == HM_ERROR_CORRUPT);
        CHECK(strstr(hm_last_error(), forgeries[i].why) != NULL);
        hm_stats after = hm_pool_get_stats(&loaded);
        CHECK(after.slots == 0 && hm_pool_validate(&loaded) == HM_OK);
        hm_pool_fini(&pool);
        hm_pool_fini(&loaded);
        test_file_end(&file);
    }
}

/* The bits of so many slots are written in two pieces. */
TEST(save_pool, more_slots_than_a_piece_has_bits_for_come_back)
{
    enum { MANY = 1024 * 64 + 1 };
    const hm_pool_desc desc = {.item_size = 1, .name = "bytes"};
    hm_pool pool, loaded;
    test_file file = {0};
    CHECK(hm_pool_init(&pool, &desc) == HM_OK && hm_pool_init(&loaded, &desc) == HM_OK);
    CHECK(hm_pool_insert_n(&pool, NULL, MANY, NULL) == HM_OK);
    for (uint32_t i = 0; i < MANY; i += 100)
        CHECK(hm_pool_erase(&pool, hm_pool_handle_at(&pool, i)));
    CHECK(hm_pool_save(&pool, NULL, test_sink(&file)) == HM_OK);
    CHECK(hm_pool_load(&loaded, NULL, test_source(&file)) == HM_OK);
    CHECK(hm_pool_validate(&loaded) == HM_OK);
    for (uint32_t i = 0; i < MANY; i++)
        CHECK(hm_pool_handle_at(&loaded, i).bits == hm_pool_handle_at(&pool, i).bits);
    hm_pool_fini(&pool);
    hm_pool_fini(&loaded);
    test_file_end(&file);
}

/* A sink that erases an item of its pool as soon as the header has been written. */
typedef struct eraser {
    hm_pool *pool;
    test_file file;
} eraser;

static bool write_and_erase(void *context, const void *bytes, size_t size)
{
    eraser *to = context;
    if (to->file.size == 0)
        CHECK(hm_pool_erase(to->pool, hm_pool_handle_at(to->pool, 7)));
    return test_file_write(&to->file, bytes, size);
}

TEST(save_pool, a_save_fails_if_the_pool_does_not_stay_as_its_header_says)
{
    hm_pool pool = make_sparse(HM_STORAGE_VIRTUAL);
    eraser to = {.pool = &pool};
    CHECK(hm_pool_save(&pool, NULL, (hm_sink){write_and_erase, &to}) == HM_ERROR_BUSY);
    CHECK(strstr(hm_last_error(), "'numbers' was changed while it was saved") != NULL);
    hm_pool_fini(&pool);
    test_file_end(&to.file);
}
