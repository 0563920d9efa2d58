/* SPDX-License-Identifier: MIT */
/* HM_TABLE_DEFINE: what a program does with it, for every layout. typed/typed_test.c calls every
 * function; checks/types.sh shows that a handle of another type does not compile. */
#include "support/table.h"

typedef struct vector {
    float x, y, z;
} vector;

#define PARTICLE_COLUMNS(COLUMN)                                                                   \
    COLUMN(float, age) COLUMN(vector, position) COLUMN(uint32_t, color) COLUMN(char, kind)
HM_TABLE_DEFINE(particles, 7, PARTICLE_COLUMNS)

#define ONE_COLUMN(COLUMN) COLUMN(double, weight)
HM_TABLE_DEFINE(weights, 0x7FFF, ONE_COLUMN)

/* Defined and never used: must not cause a warning. */
#define IDLE_COLUMNS(COLUMN) COLUMN(long, first) COLUMN(const void *, second)
HM_TABLE_DEFINE(idle, 9, IDLE_COLUMNS)

#define EIGHT(COLUMN, p)                                                                           \
    COLUMN(char, p##0)                                                                             \
    COLUMN(short, p##1)                                                                            \
    COLUMN(int, p##2)                                                                              \
    COLUMN(float, p##3)                                                                            \
    COLUMN(double, p##4) COLUMN(char, p##5) COLUMN(short, p##6) COLUMN(int, p##7)
#define WIDE_COLUMNS(COLUMN)                                                                       \
    EIGHT(COLUMN, a)                                                                               \
    EIGHT(COLUMN, b)                                                                               \
    EIGHT(COLUMN, c)                                                                               \
    EIGHT(COLUMN, d) EIGHT(COLUMN, e) EIGHT(COLUMN, f) EIGHT(COLUMN, g) EIGHT(COLUMN, h)
HM_TABLE_DEFINE(wide, 1, WIDE_COLUMNS)

enum { PARTICLES = 100 };

static particles_table make_particles(uint32_t lanes)
{
    particles_table table;
    hm_table_desc desc = {.lanes = lanes, .capacity = PARTICLES, .max_slots = 4 * PARTICLES};
    CHECK(particles_table_init_desc(&table, &desc) == HM_OK);
    return table;
}

static particles_handle add_particle(particles_table *table, uint32_t number)
{
    particles_row row = {.age = 1, .position = {2, 3, 4}, .color = number, .kind = 'p'};
    return particles_table_insert(table, &row);
}

static bool holds(const particles_table *table, uint32_t row, uint32_t number)
{
    const vector *position = particles_position_cell(table, row);
    const vector expected = {2, 3, 4};
    return *particles_color_cell(table, row) == number && *particles_kind_cell(table, row) == 'p' &&
           memcmp(position, &expected, sizeof expected) == 0;
}

TABLE_TEST(table_typed, each_cell_has_its_type)
{
    particles_table table = make_particles(lanes);
    particles_handle handles[PARTICLES];
    for (uint32_t i = 0; i < PARTICLES; i++)
        handles[i] = add_particle(&table, i);
    CHECK(hm_handle_type_id(handles[0].id) == 7);
    CHECK(particles_handle_is_null(add_particle(&table, 0)));
    for (uint32_t i = 0; i < PARTICLES; i++) {
        CHECK(holds(&table, i, i) && particles_table_row(&table, handles[i]) == i);
        uint32_t *color = particles_color_get(&table, handles[i]);
        CHECK(color == particles_color_cell(&table, i));
        CHECK(particles_handle_equal(particles_color_of(&table, color), handles[i]));
        float *height = &particles_position_get(&table, handles[i])->y;
        CHECK(particles_handle_equal(particles_position_of(&table, height), handles[i]));
        CHECK(particles_handle_is_null(particles_age_of(&table, color)));
        if (lanes == 0)
            CHECK(&particles_color(&table)[i] == color);
        else
            CHECK(&particles_color_group(&table, i / lanes)[i % lanes] == color);
    }
    CHECK((particles_age(&table) != NULL) == (lanes == 0));
    CHECK(particles_table_group_count(&table) == hm_table_group_count(&table.table));
    CHECK(particles_age_column == 0 && particles_kind_column == 3);
    CHECK(hm_table_validate(&table.table) == HM_OK);
    particles_table_fini(&table);
}

TABLE_TEST(table_typed, insert_n_takes_an_array_for_each_column)
{
    particles_table table = make_particles(lanes);
    particles_handle handles[50];
    uint32_t colors[50];
    char kinds[50];
    vector positions[50];
    for (uint32_t i = 0; i < 50; i++) {
        colors[i] = i;
        kinds[i] = 'p';
        positions[i] = (vector){2, 3, 4};
    }
    const particles_cells cells = {.position = positions, .color = colors, .kind = kinds};
    CHECK(particles_table_insert_n(&table, &cells, 50, handles) == HM_OK);
    CHECK(particles_table_insert_n(&table, NULL, 50, NULL) == HM_OK);
    CHECK(particles_table_insert_n(&table, NULL, 1, NULL) == HM_ERROR_FULL);
    for (uint32_t i = 0; i < 50; i++) {
        CHECK(holds(&table, i, i) && test_bytes_are(particles_age_cell(&table, i), 4, 0));
        CHECK(test_bytes_are(particles_position_cell(&table, 50 + i), sizeof(vector), 0));
    }
    CHECK(particles_table_erase_n(&table, handles, 50) == 50);
    particles_table_fini(&table);
}

TEST(table_typed, sixty_four_columns_are_numbered_in_order)
{
    for (uint32_t layout = 0; layout < TABLE_LAYOUTS; layout++) {
        wide_table table;
        hm_table_desc desc = {.lanes = table_lanes(layout), .capacity = 10};
        CHECK(wide_a0_column == 0 && wide_b0_column == 8 && wide_h7_column == 63);
        CHECK(wide_table_init_desc(&table, &desc) == HM_OK);
        wide_row row = {.a0 = 1, .d4 = 2.5, .h7 = 63};
        wide_handle handle = wide_table_insert(&table, &row);
        CHECK(*wide_a0_get(&table, handle) == 1 && *wide_h7_get(&table, handle) == 63);
        CHECK(*wide_d4_get(&table, handle) > 2 && *wide_h6_get(&table, handle) == 0);
        CHECK((uintptr_t)wide_g4_get(&table, handle) % _Alignof(double) == 0);
        wide_table_fini(&table);
    }
}

TEST(table_typed, init_takes_only_a_capacity)
{
    weights_table table;
    uint32_t row = 7;
    CHECK(weights_table_init(&table, 2) == HM_OK && weights_table_capacity(&table) == 2);
    CHECK(strcmp(table.table.name, "weights") == 0);
    weights_handle handle = weights_table_emplace(&table, &row);
    CHECK(row == 0 && hm_handle_type_id(handle.id) == 0x7FFF);
    weights_weight(&table)[row] = 1.5;
    CHECK(weights_weight_get(&table, handle) == weights_weight(&table));
    CHECK(!weights_handle_is_null(weights_table_insert(&table, NULL)));
    CHECK(weights_table_emplace(&table, &row).id.bits == 0 && row == HM_INVALID_INDEX);
    weights_table_clear(&table);
    weights_table_fini(&table);
    weights_table_fini(&table);
    CHECK(weights_table_init(&table, UINT32_MAX) == HM_ERROR_INVALID);
    CHECK(weights_table_count(&table) == 0);
}

typedef struct limit {
    const particles_table *table;
    uint32_t color;
} limit;

static bool is_below(const particles_table *table, uint32_t row, void *context)
{
    const limit *below = context;
    CHECK(table == below->table);
    return *particles_color_cell(table, row) < below->color;
}

TABLE_TEST(table_typed, a_predicate_is_given_the_typed_table)
{
    particles_table table = make_particles(lanes);
    limit below = {&table, 30};
    for (uint32_t i = 0; i < PARTICLES; i++)
        add_particle(&table, i);
    CHECK(particles_table_erase_if(&table, is_below, &below) == 30);
    for (uint32_t row = 0; row < PARTICLES - 30; row++)
        CHECK(holds(&table, row, row + 30));
    particles_table_fini(&table);
}
