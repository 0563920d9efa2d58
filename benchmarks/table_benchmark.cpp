/* SPDX-License-Identifier: MIT */
/* table_benchmark: what the layout of a table changes. The kernels of the particles example over
 * each layout, out of the caches and within; a column compared with a plain array; insert and erase
 * of a row of 10 columns compared with a map's item of the same bytes; what staggering the columns
 * brings. The options are those of groups.h. */
#include "groups.h"
#include "owned.h"
#include "particles_layouts.h"

namespace
{

/* Kernels */

std::vector<particles_row> make_particles(uint32_t count)
{
    std::mt19937 random(1);
    std::uniform_real_distribution<float> place(-1, 1);
    std::vector<particles_row> rows(count);
    for (particles_row &row : rows) {
        row = particles_row();
        row.lifetime = 1 + place(random);
        row.x = place(random);
        row.y = place(random);
        row.z = place(random);
    }
    return rows;
}

/* The bounds of the kernels, out of the caches; 0: none. */
double asked_of(const particle_kernels *kernels, int kernel, int layout)
{
    if (kernel == PARTICLE_TICK && layout == PARTICLE_WHOLE_COLUMNS)
        return 8;
    if (kernel == PARTICLE_TICK && layout == PARTICLE_GROUPS_16)
        return 4;
    if (kernel != PARTICLE_PULL || kernels == &particle_kernels_baseline)
        return 0;
    return layout == PARTICLE_GROUPS_8 ? 4 : layout == PARTICLE_TRANSPOSED ? 2 : 0;
}

void measure_kernel(particle_layouts &layouts, const particle_kernels *kernels, int kernel)
{
    particle_step step;
    particle_step_init(&step, 1e-4f);
    group g = {std::string(particle_kernel_names[kernel]) + ", " + kernels->name,
               layouts.count,
               SPEEDUP,
               {}};
    g.title = with_count(g.title, layouts.count);
    for (int layout = 0; layout < PARTICLE_LAYOUTS; layout++)
        g.rows.push_back({particle_layout_names[layout],
                          layouts.count == item_count ? asked_of(kernels, kernel, layout) : 0,
                          [&layouts, &step, layout, kernels, kernel] {
                              return time_of(layouts.count, [&] {
                                  particle_layouts_run(&layouts, layout, kernels, kernel, &step);
                              });
                          }});
    measure(g);
}

void measure_kernels(uint32_t count)
{
    particle_layouts layouts;
    const char *reason = particle_layouts_init(&layouts, make_particles(count).data(), count);
    require(reason == nullptr, reason);
    const particle_kernels *sets[] = {&particle_kernels_baseline, particle_kernels_best()};
    for (int set = sets[0] == sets[1]; set < 2; set++)
        for (int kernel = 0; kernel < PARTICLE_KERNELS; kernel++)
            measure_kernel(layouts, sets[set], kernel);
    particle_layouts_fini(&layouts);
}

/* Rows of 10 columns */

#define TEN_COLUMNS(COLUMN)                                                                        \
    COLUMN(float, a)                                                                               \
    COLUMN(float, b)                                                                               \
    COLUMN(float, c)                                                                               \
    COLUMN(float, d)                                                                               \
    COLUMN(float, e)                                                                               \
    COLUMN(float, f)                                                                               \
    COLUMN(float, g)                                                                               \
    COLUMN(float, h)                                                                               \
    COLUMN(float, i)                                                                               \
    COLUMN(uint32_t, number)
HM_TABLE_DEFINE(tens, 8, TEN_COLUMNS)
HM_MAP_DEFINE(ten_items, tens_row, 9)

enum { TEN = 10 };

tens_row numbered(uint32_t number)
{
    tens_row values = {1, 2, 3, 4, 5, 6, 7, 8, 9, number};
    return values;
}

template <bool Typed> struct map_of_tens {
    owned<ten_items_map, ten_items_map_fini> items;

    explicit map_of_tens(uint32_t capacity)
    {
        require(ten_items_map_init(&items, capacity) == HM_OK, "no map");
    }
    hm_handle insert(uint32_t number)
    {
        tens_row values = numbered(number);
        return Typed ? ten_items_map_insert(&items, &values).id
                     : hm_map_insert(&items.map, &values);
    }
    bool erase(hm_handle handle)
    {
        ten_items_handle typed = {handle};
        return Typed ? ten_items_map_erase(&items, typed) : hm_map_erase(&items.map, handle);
    }
    void clear()
    {
        ten_items_map_clear(&items);
    }
};

template <uint32_t Lanes, bool Typed> struct table_of_tens {
    owned<tens_table, tens_table_fini> rows;

    explicit table_of_tens(uint32_t capacity)
    {
        hm_table_desc desc = {};
        desc.lanes = Lanes;
        desc.capacity = capacity;
        require(tens_table_init_desc(&rows, &desc) == HM_OK, "no table");
    }
    hm_handle insert(uint32_t number)
    {
        tens_row values = numbered(number);
        if (Typed)
            return tens_table_insert(&rows, &values).id;
        const void *const cells[TEN] = {&values.a, &values.b, &values.c, &values.d, &values.e,
                                        &values.f, &values.g, &values.h, &values.i, &values.number};
        return hm_table_insert(&rows.table, cells);
    }
    bool erase(hm_handle handle)
    {
        tens_handle typed = {handle};
        return Typed ? tens_table_erase(&rows, typed) : hm_table_erase(&rows.table, handle);
    }
    void clear()
    {
        tens_table_clear(&rows);
    }
};

enum change { INSERT_FRESH, INSERT_WARM, ERASE_IN_ORDER, ERASE_RANDOM, CHANGES };

template <class Container> double insert_all(Container &items, std::vector<hm_handle> &handles)
{
    double start = cpu_seconds();
    for (uint32_t i = 0; i < handles.size(); i++)
        handles[i] = items.insert(i);
    return cpu_seconds() - start;
}

template <class Container> double erase_all(Container &items, const std::vector<hm_handle> &handles)
{
    uint32_t erased = 0;
    double start = cpu_seconds();
    for (hm_handle handle : handles)
        erased += items.erase(handle);
    double seconds = cpu_seconds() - start;
    require(erased == handles.size(), "an erase missed");
    return seconds;
}

/* Whatever is not timed comes before. */
template <class Container> double run_change(change what, uint32_t count)
{
    Container items(count);
    std::vector<hm_handle> handles(count);
    double seconds = insert_all(items, handles);
    if (what == INSERT_FRESH)
        return seconds;
    if (what == INSERT_WARM) {
        items.clear();
        return insert_all(items, handles);
    }
    if (what == ERASE_RANDOM)
        std::shuffle(handles.begin(), handles.end(), std::mt19937_64(1));
    return erase_all(items, handles);
}

template <class Container>
row change_row(const char *name, change what, uint32_t count, double asked)
{
    return {name, asked, [what, count] { return run_change<Container>(what, count); }};
}

void measure_change(change what, uint32_t count)
{
    static const char *const titles[CHANGES] = {"insert, fresh memory", "insert, warm",
                                                "erase, in order", "erase, random"};
    group g = {with_count(titles[what], count), count, COST, {}};
    g.rows.push_back(change_row<map_of_tens<true>>("hm_map", what, count, 0));
    g.rows.push_back(change_row<map_of_tens<false>>("hm_map untyped", what, count, 0));
    g.rows.push_back(change_row<table_of_tens<0, true>>("whole columns", what, count, 4));
    g.rows.push_back(change_row<table_of_tens<0, false>>("whole columns untyped", what, count, 0));
    g.rows.push_back(change_row<table_of_tens<1, true>>("rows as structs", what, count, 4));
    g.rows.push_back(
        change_row<table_of_tens<1, false>>("rows as structs untyped", what, count, 0));
    g.rows.push_back(change_row<table_of_tens<8, true>>("groups of 8", what, count, 4));
    g.rows.push_back(change_row<table_of_tens<8, false>>("groups of 8 untyped", what, count, 0));
    g.rows.push_back(change_row<table_of_tens<16, true>>("groups of 16", what, count, 4));
    g.rows.push_back(change_row<table_of_tens<16, false>>("groups of 16 untyped", what, count, 0));
    measure(g);
}

/* One column */

uint64_t sum_of(const uint32_t *numbers, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

void measure_iteration(uint32_t count)
{
    table_of_tens<0, true> table(count);
    std::vector<uint32_t> array(count);
    for (uint32_t i = 0; i < count; i++) {
        table.insert(i);
        array[i] = i;
    }
    const uint32_t *column = tens_number(&table.rows);
    require(sum_of(column, count) == sum_of(array.data(), count), "a row is missing");
    group g = {with_count("sum of one column", count), count, COST, {}};
    g.rows.push_back(
        {"plain array", 0, [&] {
             return time_of(count, [&] { benchmark::DoNotOptimize(sum_of(array.data(), count)); });
         }});
    g.rows.push_back(
        {"column", 1.10,
         [&] { return time_of(count, [&] { benchmark::DoNotOptimize(sum_of(column, count)); }); }});
    measure(g);
}

/* Staggered columns */

enum { TILE = 8 };

/* Changes all columns together, as a loop over whole particles does: each is a stream of reads and
 * one of writes. */
void change_all(float *const *columns, uint32_t column_count, uint32_t rows)
{
    for (uint32_t first = 0; first + TILE <= rows; first += TILE)
        for (uint32_t c = 0; c < column_count; c++) {
            float *cells = columns[c] + first;
            for (int lane = 0; lane < TILE; lane++)
                cells[lane] = cells[lane] * 0.999f + 0.001f;
        }
}

/* The arrays, in the same memory, so that they begin `lines` cache lines further into a page than
 * the one before: where pages are in memory changes more than that. */
std::vector<float *> view_arrays(const std::vector<float *> &arrays, size_t lines)
{
    std::vector<float *> view;
    for (size_t c = 0; c < arrays.size(); c++)
        view.push_back(arrays[c] + c * lines % 64 * 16);
    return view;
}

void measure_stagger(uint32_t column_count, uint32_t rows)
{
    std::vector<hm_column> columns(column_count, hm_column{sizeof(float), 0, nullptr});
    hm_table_desc desc = {};
    desc.columns = columns.data();
    desc.column_count = column_count;
    desc.capacity = rows;
    hm_table table;
    require(hm_table_init(&table, &desc) == HM_OK &&
                hm_table_insert_n(&table, nullptr, rows, nullptr) == HM_OK,
            "no table");
    std::vector<std::unique_ptr<float, decltype(&std::free)>> owners;
    std::vector<float *> in_step, of_table;
    size_t bytes = (rows * sizeof(float) + 8191) / 4096 * 4096;
    for (uint32_t c = 0; c < column_count; c++) {
        owners.emplace_back(static_cast<float *>(std::aligned_alloc(4096, bytes)), &std::free);
        require(owners.back() != nullptr, "out of memory");
        std::memset(owners.back().get(), 0, bytes);
        in_step.push_back(owners.back().get());
        of_table.push_back(static_cast<float *>(hm_table_column(&table, c)));
    }
    std::vector<float *> by_line = view_arrays(in_step, 1), by_many = view_arrays(in_step, 27);
    group g = {
        with_count(std::to_string(column_count) + " columns together", rows), rows, COST, {}};
    auto change = [&](const std::vector<float *> &of) {
        return [&of, column_count, rows] {
            return time_of(rows, [&] { change_all(of.data(), column_count, rows); });
        };
    };
    g.rows.push_back({"arrays, each from the start of a page", 0, change(in_step)});
    g.rows.push_back({"arrays, each a line further", 0, change(by_line)});
    g.rows.push_back({"arrays, each 27 lines further", 0, change(by_many)});
    g.rows.push_back({"columns of a table", 0, change(of_table)});
    measure(g);
    hm_table_fini(&table);
}

} // namespace

int main(int argc, char **argv)
{
    begin(argc, argv, 8000000, 3000);
    uint32_t few = std::min(item_count, 100000u), many = std::min(item_count, 1000000u);
    for (uint32_t count : {item_count, few}) {
        measure_kernels(count);
        measure_iteration(count);
    }
    for (int what = 0; what < CHANGES; what++)
        measure_change(static_cast<change>(what), many);
    for (uint32_t columns : {10u, 16u})
        for (uint32_t rows : {std::min(item_count, 800u), few, item_count})
            measure_stagger(columns, rows);
    return 0;
}
