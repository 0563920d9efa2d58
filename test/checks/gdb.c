/* SPDX-License-Identifier: MIT */
/* What gdb.py shows: handles and containers, typed ones, zeroed ones and damaged ones. */
#include <handle_map/handle_map.h>

struct texture {
    uint32_t width, height;
};

struct spark {
    uint32_t heat;
};

typedef struct shot {
    uint16_t speed;
    uint16_t angle;
} bullet_data;

#define POINT_COLUMNS(COLUMN) COLUMN(uint8_t, red) COLUMN(uint32_t, depth)
HM_MAP_DEFINE(texture, struct texture, 3)
HM_POOL_DEFINE(bullet, bullet_data, 4)
HM_LISTS_DEFINE(contact, struct spark, 6)
HM_SECONDARY_DEFINE(glow, texture, struct spark)
HM_INDEX_DEFINE(cell, texture)
HM_TABLE_DEFINE(point, 5, POINT_COLUMNS)
HM_COMPONENT_DEFINE(spot, struct texture)

struct named {
    hm_handle id;
};

enum { DAMAGED = 6 };

/* Not static, so that an optimiser keeps them. */
hm_handle null_handle, free_handle, plain_handle;
texture_handle wood;
struct named wrapped;
texture_map textures, empty_map;
hm_map plain;
bullet_pool bullets;
hm_pool fixed, growing, sparse, empty_pool;
hm_secondary empty_secondary;
hm_table empty_table;
hm_world empty_world;
hm_lists empty_lists;
glow_secondary glows;
point_table points;
hm_table groups;
hm_world level, battle;
hm_directory owners, empty_directory, damaged_directories[2];
hm_memory_arena arena, empty_arena;
hm_history history, empty_history;
contact_lists contacts;
hm_lists names;
cell_index keyed;
hm_index empty_index, damaged_index;
hm_map damaged_maps[DAMAGED];
hm_pool damaged_pools[DAMAGED];
hm_secondary damaged_secondary;
hm_table damaged_tables[2];
hm_world damaged_worlds[3];
hm_lists damaged_lists[3];
hm_map garbage_map;

/* Copies with one wrong word each. */
hm_map scrambled_maps[sizeof(hm_map) / 4];
hm_pool scrambled_pools[sizeof(hm_pool) / 4], scrambled_blocks[sizeof(hm_pool) / 4];
hm_secondary scrambled_secondaries[sizeof(hm_secondary) / 4];
hm_table scrambled_tables[sizeof(hm_table) / 4];
hm_world scrambled_worlds[sizeof(hm_world) / 4];
hm_lists scrambled_lists[sizeof(hm_lists) / 4];
hm_index scrambled_indices[sizeof(hm_index) / 4];

static void fill_maps(void)
{
    struct texture made = {64, 32};
    hm_map_desc desc = {.item_size = 6, .capacity = 10, .name = "plain"};
    texture_map_init(&textures, 1000);
    wood = texture_map_insert(&textures, &made);
    texture_map_erase(&textures, wood);
    wood = texture_map_insert(&textures, &made);
    made.width = 7;
    texture_map_insert(&textures, &made);
    hm_map_init(&plain, &desc);
    plain_handle = hm_map_insert(&plain, "abcde");
    free_handle = hm_handle_from_bits(plain_handle.bits | HM_HANDLE_FREE_BIT);
    wrapped.id = wood.id;
}

static void fill_pool(hm_pool *pool, hm_storage storage, uint32_t n)
{
    hm_pool_desc desc = {.item_size = 4, .capacity = 1000000, .storage = storage, .name = "pool"};
    hm_pool_init(pool, &desc);
    for (uint32_t i = 0; i < n; i++)
        hm_pool_insert(pool, &i);
    for (uint32_t i = 1; i < n - 1; i++)
        hm_pool_erase(pool, hm_pool_handle_at(pool, i));
}

static void fill_pools(void)
{
    bullet_data made = {300, 45};
    bullet_pool_init(&bullets, 100);
    bullet_handle gone = bullet_pool_insert(&bullets, &made);
    bullet_pool_insert(&bullets, &made);
    bullet_pool_erase(&bullets, gone);
    fill_pool(&fixed, HM_STORAGE_FIXED_BLOCKS, 20000);
    fill_pool(&growing, HM_STORAGE_GROWING_BLOCKS, 20000);
    fill_pool(&sparse, HM_STORAGE_VIRTUAL, 20000);
}

static void fill_columns(void)
{
    const hm_column columns[] = {{2, 2, "a"}, {1, 1, "b"}};
    hm_table_desc desc = {.columns = columns, .column_count = 2, .lanes = 8, .capacity = 10};
    const struct spark spark = {5};
    point_row row = {.red = 200, .depth = 70000};
    uint16_t a = 0x0102;
    uint8_t b = 3;
    const void *values[] = {&a, &b};
    glow_secondary_init_desc(&glows, &(hm_secondary_desc){.capacity = 100, .type_id = 3});
    glow_secondary_set(&glows, wood, &spark);
    point_table_init(&points, 50);
    point_table_insert(&points, &row);
    row.red = 1;
    point_table_insert(&points, &row);
    hm_table_init(&groups, &desc);
    for (uint8_t i = 0; i < 10; i++, b++)
        hm_table_insert(&groups, values);
}

static void fill_world(void)
{
    const hm_world_desc desc = {.capacity = 1000, .type_id = 9, .name = "level"};
    const hm_component_desc four = {.size = 4};
    hm_world_init(&level, &desc);
    hm_component set[] = {hm_world_component(&level, &four), hm_world_component(&level, &four)};
    hm_world_create(&level, NULL, 0);
    hm_world_create(&level, set, 2);
    hm_world_create(&level, set + 1, 1);
}

/* A component whose type the program names, a tag, and a sparse one without a name. */
static void fill_battle(void)
{
    const hm_world_desc desc = {.capacity = 1000, .type_id = 10, .name = "battle"};
    const hm_component_desc enemy = {.name = "enemy"};
    const hm_component_desc sparse_one = {.size = 2, .storage = HM_COMPONENT_SPARSE};
    const struct texture size = {3, 4};
    hm_world_init(&battle, &desc);
    spot_component spot = spot_component_init(&battle);
    hm_component set[] = {spot.id, hm_world_component(&battle, &enemy),
                          hm_world_component(&battle, &sparse_one)};
    for (uint32_t n = 0; n <= 3; n++)
        hm_world_create(&battle, set, n);
    hm_world_destroy(&battle, hm_world_handle_at(&battle, 0));
    hm_handle last = hm_world_create(&battle, NULL, 0);
    hm_world_add(&battle, last, set[2], "\1\2");
    spot_add(&battle, last, spot, &size);
}

static void fill_memory(void)
{
    const hm_memory_arena_desc arena_desc = {.size = 1 << 20};
    const hm_history_desc history_desc = {
        .marks = 8, .size = 1 << 20, .method = HM_HISTORY_COMPARE};
    static hm_map in_arena, in_history;
    hm_memory_arena_init(&arena, &arena_desc);
    hm_history_init(&history, &history_desc);
    hm_map_init(&in_arena, &(hm_map_desc){.item_size = 4, .capacity = 10, .memory = &arena.table});
    hm_map_init(&in_history,
                &(hm_map_desc){.item_size = 4, .capacity = 10, .memory = &history.table});
    hm_history_watch(&history, &in_history, sizeof in_history);
    hm_history_mark(&history);
    hm_map_insert(&in_history, "one");
    hm_history_mark(&history);
    hm_directory_init(&owners, NULL);
    hm_directory_add_map(&owners, &textures.map);
    hm_directory_add_pool(&owners, &bullets.pool);
    hm_directory_add_world(&owners, &battle);
}

static void fill_lists(void)
{
    const hm_lists_desc desc = {.item_size = 3, .capacity = 10, .name = "names"};
    const struct spark sparks[] = {{5}, {6}, {7}};
    contact_lists_init(&contacts, 100);
    contact_lists_push_n(&contacts, contact_lists_create(&contacts), sparks, 3);
    contact_lists_create(&contacts);
    contact_lists_push(&contacts, contact_lists_create(&contacts), &sparks[2]);
    contact_lists_defragment(&contacts, NULL);
    contact_handle emptied = contact_lists_create(&contacts); /* It keeps its block. */
    contact_lists_push(&contacts, emptied, &sparks[0]);
    contact_lists_erase_at(&contacts, emptied, 0);
    hm_lists_init(&names, &desc);
    hm_lists_push_n(&names, hm_lists_create(&names), "abcxyz", 2);
}

static void fill_index(void)
{
    texture_handle owner = {hm_handle_pack(1, 1, 3)};
    cell_index_init_desc(&keyed, &(hm_index_desc){.capacity = 10, .type_id = 3});
    cell_index_set(&keyed, owner, 7);
    owner.id = hm_handle_pack(2, 1, 3);
    cell_index_set(&keyed, owner, 7);
}

/* Copies whose fields are wrong, each in another way. */
static void damage(void)
{
    for (int i = 0; i < DAMAGED; i++) {
        damaged_maps[i] = plain;
        damaged_pools[i] = sparse;
    }
    static hm_handle entries[10] = {{5}};
    static uint32_t slots[10] = {77};
    static hm_cells cells[10];
    damaged_maps[0].ids.count = UINT32_MAX;
    damaged_maps[1].name = (const char *)16;
    damaged_maps[2].items = (unsigned char *)16;
    damaged_maps[3].ids.slots = slots;
    damaged_maps[4].ids.entries = entries;
    damaged_maps[5].ids.entries = NULL;
    damaged_pools[0].words = (hm_pool_word *)16;
    damaged_pools[1].entries = NULL;
    damaged_pools[2].places.items = (unsigned char *)16;
    damaged_pools[3].count = 1000;
    damaged_pools[4].places.storage = 7;
    damaged_pools[5].slot_count = damaged_pools[5].count = UINT32_MAX;
    damaged_secondary = glows.secondary;
    damaged_secondary.owners = NULL;
    cells[0].size = SIZE_MAX;
    damaged_tables[0] = damaged_tables[1] = points.table;
    damaged_tables[0].columns = NULL;
    damaged_tables[1].columns = cells;
    damaged_worlds[0] = level;
    damaged_worlds[1] = damaged_worlds[2] = battle;
    damaged_worlds[0].places = NULL;
    damaged_worlds[1].component_array.data = (unsigned char *)16;
    damaged_worlds[2].store.bases = (unsigned char **)16;
    damaged_directories[0] = damaged_directories[1] = owners;
    damaged_directories[0].places.data = (unsigned char *)16;
    damaged_directories[1].places.data = (unsigned char *)&textures;
    damaged_index = keyed.index;
    damaged_index.buckets = (hm_index_bucket *)16;
    damaged_lists[0] = damaged_lists[1] = damaged_lists[2] = names;
    damaged_lists[0].blocks.records = NULL;
    damaged_lists[1].blocks.base = (unsigned char *)16;
    damaged_lists[2].blocks.item_size = SIZE_MAX;
    memset(&garbage_map, 0xA5, sizeof garbage_map);
}

static void scramble(void *copies, const void *container, size_t size)
{
    unsigned char *copy = copies;
    for (size_t word = 0; word < size / 4; word++, copy += size) {
        memcpy(copy, container, size);
        memset(copy + 4 * word, 0xFF, 4);
    }
}

static void scramble_all(void)
{
    scramble(scrambled_maps, &plain, sizeof plain);
    scramble(scrambled_pools, &sparse, sizeof sparse);
    scramble(scrambled_blocks, &growing, sizeof growing);
    scramble(scrambled_secondaries, &glows.secondary, sizeof glows.secondary);
    scramble(scrambled_tables, &groups, sizeof groups);
    scramble(scrambled_worlds, &level, sizeof level);
    scramble(scrambled_lists, &names, sizeof names);
    scramble(scrambled_indices, &keyed.index, sizeof keyed.index);
}

/* Prints what gdb is compared with. */
#define DUMP(kind, expression)                                                                     \
    (puts("<" #expression ">"), (void)hm_##kind##_dump(&(expression), NULL, hm_sink_file(stdout)))

static void dump_all(void)
{
    DUMP(map, textures.map);
    DUMP(map, plain);
    DUMP(pool, fixed);
    DUMP(pool, growing);
    DUMP(pool, sparse);
    DUMP(table, groups);
    DUMP(secondary, glows.secondary);
    DUMP(lists, names);
    DUMP(world, level);
}

int main(void)
{
    fill_maps();
    fill_pools();
    fill_columns();
    fill_world();
    fill_battle();
    fill_memory();
    fill_lists();
    fill_index();
    dump_all();
    damage();
    scramble_all();
    hm_set_panic_hook(NULL); /* gdb stops there. */
    return texture_map_get(&textures, wood) == NULL || bullet_pool_count(&bullets) != 1;
}
