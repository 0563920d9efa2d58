/* SPDX-License-Identifier: MIT */
/* table: rows named by handles, over parallel columns, which lie in memory as `lanes` says:
 *
 *     lanes 0: whole columns     x x x x x x x x x x ...      one array for each column
 *                                y y y y y y y y y y ...
 *     lanes 8: groups            xxxxxxxx yyyyyyyy | xxxxxxxx yyyyyyyy | ...
 *                                '--- group 0 ---'   '--- group 1 ---'
 *     lanes 1: rows as structs   xy xy xy xy xy ...           as in a map
 *
 * Owns: the cells. What they point to belongs to the program, which may free it in `destroy`.
 * Moves: erase moves the last row into the hole (swap-and-pop), erase_if moves the survivors down,
 * defragment and arrange move rows into order. All cells of a row move together. With a capacity
 * growing moves nothing: addresses of cells never change from init to fini, and insert invalidates
 * nothing. Without one insert, reserve and trim may move all cells to another range (handle_map.h):
 * pointers, bases of columns and groups hold until the next of them, and row numbers stay. A
 * pointer to a cell, and a row number, are valid until the next call that may move the row. Limits:
 * UINT32_MAX - 1 rows, 256 columns. What all containers share: handle_map.h. */
#ifndef HANDLE_MAP_TABLE_H
#define HANDLE_MAP_TABLE_H

#include <handle_map/detail/table.h>
#include <handle_map/detail/typed.h>
#include <handle_map/id_table.h>
#ifndef HM_WITHOUT_ORDER
#include <handle_map/order.h>
#endif

HM_BEGIN_C

enum {
    HM_TABLE_MAX_COLUMNS = 256,
    HM_TABLE_MAX_GROUP_SIZE = 16384 /* bytes */
};

typedef struct hm_column {
    size_t size;      /* bytes of a cell, at least 1; a multiple of align; a cell of a whole column
                         may straddle pages */
    size_t align;     /* bytes, a power of two up to 4096; 0: the largest one that divides the size,
                         at most 16 */
    const char *name; /* in messages of init; NULL: none */
} hm_column;

/* A zero field means the default. Only the columns have no default.
 *
 * A map keeps each item's fields together. A loop that reads one field of all items then loads all
 * the others too. A table keeps the cells of a column together, so that such a loop loads nothing
 * else, and compilers vectorise it. The descriptor's `lanes` chooses how. Whole columns (a struct
 * of arrays, SoA) are best for loops over few columns. Groups (an array of structs of arrays,
 * AoSoA) are best for loops over many columns, and when rows are also visited one by one: a row's
 * cells are on few cache lines and one page. A SIMD kernel takes one group at a time: choose the
 * width of a vector register, or twice that. In all layouts the cell of a row is at
 *
 *     base + row / lanes * stride + row % lanes * size
 *
 * where whole columns have their own base and a stride of one cell. */
typedef struct hm_table_desc {
    const hm_column *columns; /* read by init only */
    uint32_t column_count;    /* 1 to HM_TABLE_MAX_COLUMNS; 64 with HM_TABLE_DEFINE */
    uint32_t lanes;           /* 0: whole columns; 1: rows as structs; 2, 4, 8, ...: groups, of at
                                 most HM_TABLE_MAX_GROUP_SIZE bytes */
    uint32_t capacity;        /* rows, at most UINT32_MAX - 1; 0: no limit, the cells move as they
                                 grow */
    uint32_t max_slots;       /* index space in slots, at least the capacity; 0: as for a map */
    uint16_t type_id;         /* at most 0x7FFF, or HM_TYPE_ID_UNIQUE */
    uint16_t generation_bits; /* 2 to 16: a slot is retired after 2^bits - 1 rows; 0: 16 */
    /* On erase, clear and fini, once for each row, while the row is whole and its handle, which
     * hm_table_handle_at returns, still resolves. What the cells point to belongs to the program,
     * which may free it here. */
    void (*destroy)(const hm_table *table, uint32_t row, void *context);
    void *context;           /* passed to destroy */
    const hm_memory *memory; /* NULL: hm_memory_os(); must outlive the table */
    const char *name;        /* in messages; must outlive the table; NULL: "table" */
} hm_table_desc;

typedef hm_stats hm_table_stats;

/* Reserves address space for the capacity, and commits the memory that describes the columns;
 * without a capacity commits a small range. Fails as every init does (handle_map.h);
 * HM_ERROR_INVALID also for no column or too many. O(columns), one reservation.
 *
 * With lanes 1, rows are laid out as a C struct with these members in this order. Example:
 *
 *     const hm_column columns[] = {{sizeof(float), 0, "x"}, {sizeof(float), 0, "y"}};
 *     const hm_table_desc desc = {.columns = columns, .column_count = 2, .lanes = 8};
 *     hm_table points;
 *     if (hm_table_init(&points, &desc) != HM_OK)
 *         fprintf(stderr, "%s\n", hm_last_error());
 */
HM_API hm_status hm_table_init(hm_table *table, const hm_table_desc *desc);

/* Destroys all rows, releases all memory, zeroes the table. O(columns); with a destroy hook also
 * the cost of hm_table_clear. */
HM_API void hm_table_fini(hm_table *table);

/* Adds a row, copies a cell from each of the `values`, one for each column, and returns the row's
 * handle. A NULL value is zero; `values` NULL: all are. Returns null when the table is full, busy
 * or refused memory: hm_last_error says which, and so does hm_table_reserve(table, 1). The row is
 * the last one. The values may lie in the table itself. Without a capacity invalidates all pointers
 * to cells. O(columns) but for system calls, and amortised where rows move. Example:
 *
 *     float x = 1, y = 2;
 *     const void *values[] = {&x, &y};
 *     hm_handle point = hm_table_insert(&points, values);
 */
HM_API hm_handle hm_table_insert(hm_table *table, const void *const *values);

/* As hm_table_insert, but sets *row and clears nothing: the caller writes all cells at once. When
 * it returns null, *row is HM_INVALID_INDEX. O(columns) but for system calls. */
HM_API hm_handle hm_table_emplace(hm_table *table, uint32_t *row);

/* The same, but the row is zeroed. */
HM_API hm_handle hm_table_emplace_zeroed(hm_table *table, uint32_t *row);

/* Adds n rows and reports their handles: all of them, or none. columns[c] is an array of n cells
 * for column c, or NULL for zeros; `columns` NULL: all are zero. HM_ERROR_FULL, HM_ERROR_MEMORY or
 * HM_ERROR_BUSY. The rows are the last ones, in the order of the arrays, which may lie in the table
 * itself. Without a capacity invalidates all pointers to cells. O(n x columns). */
HM_API hm_status hm_table_insert_n(hm_table *table, const void *const *columns, uint32_t n,
                                   hm_handle *handles);

/* Erases the row: destroy runs, then the last row moves into the hole. False when the handle does
 * not resolve, or when busy. Invalidates the row numbers of the erased row and the last one, and
 * pointers to their cells. O(columns). */
HM_API bool hm_table_erase(hm_table *table, hm_handle handle);

/* Erases the rows of n handles; returns how many it erased. Faster than single calls in a table of
 * a million rows, since cache misses overlap, and in any table if stale handles are mixed with
 * others. Invalidates what hm_table_erase does. O(n x columns). */
HM_API uint32_t hm_table_erase_n(hm_table *table, const hm_handle *handles, uint32_t n);

/* Erases all rows for which `doomed` returns true, and returns their number. `doomed` is called
 * once for each row, in order. The survivors keep their order; an unfinished defragment first
 * places the rows that it is moving. The rows are erased after the last call. Invalidates all row
 * numbers and pointers to cells. O(count x columns). */
HM_API uint32_t hm_table_erase_if(hm_table *table,
                                  bool (*doomed)(const hm_table *table, uint32_t row,
                                                 void *context),
                                  void *context);

/* Looks up n handles: rows[i] becomes the row of handles[i], or HM_INVALID_INDEX. Returns how many
 * resolve. About as fast as single calls. O(n). */
HM_API uint32_t hm_table_row_n(const hm_table *table, const hm_handle *handles, uint32_t n,
                               uint32_t *rows);

/* Looks up n handles: cells[i] becomes the cell of handles[i] in this column, or NULL if that does
 * not resolve. Returns how many resolve; for a column out of range all are NULL, and it returns 0.
 * The pointers are valid until rows move. For the speed see hm_map_get_n. O(n). */
HM_API uint32_t hm_table_get_n(const hm_table *table, const hm_handle *handles, uint32_t n,
                               uint32_t column, void **cells);

/* Sets alive[i] to whether handles[i] resolves, for n handles. Returns how many do. O(n). */
HM_API uint32_t hm_table_contains_n(const hm_table *table, const hm_handle *handles, uint32_t n,
                                    bool *alive);

/* As hm_map_adopt; `values` as in hm_table_insert. Invalidates what that does. */
HM_API hm_status hm_table_adopt(hm_table *table, hm_handle handle, const void *const *values);

/* Makes the next n inserts succeed while nothing is erased in between; without a capacity they then
 * move nothing, and this invalidates all pointers to cells. Fails as hm_map_reserve does. O(n). */
HM_API hm_status hm_table_reserve(hm_table *table, uint32_t n);

/* Returns how many more rows fit, as hm_map_available. */
HM_API uint32_t hm_table_available(const hm_table *table);

/* After hm_table_reserve(table, n), returns for each k below n the handle that the (k + 1)-th row
 * from now will get; the conditions are those of hm_map_upcoming. O(1). */
HM_API hm_handle hm_table_upcoming(const hm_table *table, uint32_t k);

/* Promises of rows, as those of items: hm_map_reserve_promises and the functions after it. `values`
 * as in hm_table_insert. O(n), O(1), O(columns + promises that are ready) and O(promises that are
 * ready). */
HM_API hm_status hm_table_reserve_promises(hm_table *table, uint32_t n);
HM_API hm_handle hm_table_promise(hm_table *table);
HM_API hm_status hm_table_insert_as(hm_table *table, hm_handle promised, const void *const *values);
HM_API bool hm_table_give_up(hm_table *table, hm_handle promised);

/* Erases all rows, the last first; all handles are refused from then on. Invalidates all row
 * numbers and pointers to cells. O(1), or O(rows x columns) with a destroy hook. Memory stays
 * committed; see hm_table_trim. */
HM_API void hm_table_clear(hm_table *table);

/* Gives back whole pages: those after the last row in each column, and those of the sparse table
 * after the last live slot. Without a capacity moves to a smaller range if half of this one is not
 * in use, which invalidates all pointers to cells. Earlier handles stay refused; slots lose uses as
 * in hm_map_trim.
 * HM_ERROR_MEMORY: the system refuses; some pages may have been given back already. HM_ERROR_BUSY.
 * O(slots + columns). */
HM_API hm_status hm_table_trim(hm_table *table);

/* Checks that all parts are consistent: HM_OK or HM_ERROR_CORRUPT. O(slots + columns). */
HM_API hm_status hm_table_validate(const hm_table *table);

/* Returns the handle of the row whose cell in this column contains the address, even in its middle;
 * null when no live row's does, and for a column out of range. Any address may be given; nothing is
 * read there. O(1). */
HM_API hm_handle hm_table_handle_of(const hm_table *table, const void *cell, uint32_t column);

/* Returns why a handle does not resolve, or HM_HANDLE_LIVE. O(1), or O(promises that are ready). */
HM_API hm_handle_state hm_table_explain(const hm_table *table, hm_handle handle);

/* Says the same in a sentence, with the numbers, as hm_map_describe does. O(length). */
HM_API size_t hm_table_describe(const hm_table *table, hm_handle handle, char *buffer, size_t size);

/* As hm_map_as_owners. O(1). */
HM_API hm_owners hm_table_as_owners(const hm_table *table);

/* Returns the current statistics. O(columns). */
HM_API hm_table_stats hm_table_get_stats(const hm_table *table);

#ifndef HM_WITHOUT_ORDER

/* Sorts the rows by one column's cells, as far as the budget allows: compare and key are shown
 * cells of that column. All columns move along; a swap is an exchange of two rows. All else is as
 * in hm_map_defragment. Another column is another order, which starts over. To see a row's other
 * cells in a compare, pass the table as context: hm_table_handle_of names the row. A column out of
 * range is a broken contract. Invalidates all row numbers and pointers to cells. Example:
 *
 *     static uint64_t key_of(const void *cell, void *context)
 *     {
 *         const float *x = cell;
 *         const float *left = context;
 *         return *x > *left ? (uint64_t)(*x - *left) : 0;
 *     }
 *
 *     float left = 0;
 *     const hm_order by_x = {.key = key_of, .context = &left};
 *     hm_table_defragment(&points, 0, &by_x, &budget);
 */
HM_API hm_progress hm_table_defragment(hm_table *table, uint32_t column, const hm_order *order,
                                       hm_frame_budget *budget);

/* As hm_map_arrange: brings the rows of n handles to the front, in this order. In all it takes
 * fewer swaps than the table has rows, and may take nearly as many for a single handle. Invalidates
 * what hm_table_defragment does. */
HM_API hm_progress hm_table_arrange(hm_table *table, const hm_handle *handles, uint32_t n,
                                    hm_frame_budget *budget);

/* Tell the order that this row's position in it may have changed (a handle that does not resolve is
 * ignored), or that any row may have: then the next call starts over. So it does after
 * hm_table_forget_order, as hm_map_forget_order, which says how all of them fail. O(1). */
HM_API void hm_table_touch(hm_table *table, hm_handle handle);
HM_API void hm_table_touch_all(hm_table *table);
HM_API void hm_table_forget_order(hm_table *table);

/* As hm_map_lower_bound and hm_map_upper_bound: return the first row whose cell of this column does
 * not come before the probe, or comes after it, in a table that hm_table_defragment has put in this
 * order by this column. HM_INVALID_INDEX, and hm_last_error says why, when it is not in this order
 * and when busy. The probe is a cell. A column out of range is a broken contract. Compare and key
 * must not change the table: as in hm_map_lower_bound, a change is not refused, but ends the search
 * with HM_INVALID_INDEX, or makes its row meaningless. O(log n). */
HM_API uint32_t hm_table_lower_bound(const hm_table *table, uint32_t column, const hm_order *order,
                                     const void *probe);
HM_API uint32_t hm_table_upper_bound(const hm_table *table, uint32_t column, const hm_order *order,
                                     const void *probe);

#endif

/* Returns the row of a handle, or HM_INVALID_INDEX when it does not resolve. Valid until rows move.
 * O(1): one entry is read. */
static inline uint32_t hm_table_row(const hm_table *table, hm_handle handle)
{
    HM_CONTRACT(table != NULL, "hm_table_row: table is NULL");
    return hm_id_table_find(&table->ids, handle);
}

/* Whether the handle resolves. O(1). */
static inline bool hm_table_contains(const hm_table *table, hm_handle handle)
{
    HM_CONTRACT(table != NULL, "hm_table_contains: table is NULL");
    return hm_id_table_contains(&table->ids, handle);
}

/* Returns the number of rows. O(1). */
static inline uint32_t hm_table_count(const hm_table *table)
{
    HM_CONTRACT(table != NULL, "hm_table_count: table is NULL");
    return table->ids.count;
}

/* Returns how many rows the table can hold at most; 0 for a zeroed one. O(1). */
static inline uint32_t hm_table_capacity(const hm_table *table)
{
    HM_CONTRACT(table != NULL, "hm_table_capacity: table is NULL");
    return table->ids.capacity;
}

/* Returns the handle of a row; null out of range. O(1). */
static inline hm_handle hm_table_handle_at(const hm_table *table, uint32_t row)
{
    HM_CONTRACT(table != NULL, "hm_table_handle_at: table is NULL");
    return hm_id_table_handle_at(&table->ids, row);
}

/* Erases a row, as hm_table_erase does. False out of range, and when busy. O(columns). */
static inline bool hm_table_erase_at(hm_table *table, uint32_t row)
{
    HM_CONTRACT(table != NULL, "hm_table_erase_at: table is NULL");
    return hm_table_erase(table, hm_table_handle_at(table, row));
}

/* Returns the address of a cell; NULL when the column or the row is out of range. O(1). */
static inline void *hm_table_cell(const hm_table *table, uint32_t row, uint32_t column)
{
    HM_CONTRACT(table != NULL, "hm_table_cell: table is NULL");
    if (column >= table->column_count || row >= table->ids.count)
        return NULL;
    return hm_table_address(table, &table->columns[column], row);
}

/* Returns a handle's cell in a column; NULL when the handle does not resolve, or the column is out
 * of range. O(1). */
static inline void *hm_table_get(const hm_table *table, hm_handle handle, uint32_t column)
{
    HM_CONTRACT(table != NULL, "hm_table_get: table is NULL");
    return hm_table_cell(table, hm_id_table_find(&table->ids, handle), column);
}

/* Returns a whole column, hm_table_count cells. With a capacity its address never changes. NULL
 * when the column is out of range, or the table does not have lanes 0. O(1). */
static inline void *hm_table_column(const hm_table *table, uint32_t column)
{
    HM_CONTRACT(table != NULL, "hm_table_column: table is NULL");
    if (column >= table->column_count || table->lanes != 0)
        return NULL;
    return table->columns[column].base;
}

/* Returns the number of groups, the last of which may be partly filled; 0 with lanes 0. O(1). */
static inline uint32_t hm_table_group_count(const hm_table *table)
{
    HM_CONTRACT(table != NULL, "hm_table_group_count: table is NULL");
    if (table->lanes == 0 || table->ids.count == 0)
        return 0;
    return ((table->ids.count - 1) >> table->lane_shift) + 1;
}

/* Returns the `lanes` cells of a column in a group; NULL when one of them is out of range, or the
 * table has lanes 0. They are aligned to the largest power of two that divides their total size, at
 * most 64 bytes, unless lanes is 1.
 *
 * In the last group the lanes past the last row hold zero, so that a SIMD kernel needs no loop for
 * the rest: it may read and write all lanes. A kernel that turns zeros into zeros keeps them zero.
 * Anything else that a kernel writes there is seen by no row, and stays until a row takes the lane
 * or leaves it. O(1). Example:
 *
 *     for (uint32_t g = 0; g < hm_table_group_count(&points); g++) {
 *         float *x = hm_table_group(&points, g, 0);
 *         for (int lane = 0; lane < 8; lane++) // one vector, also in the last group
 *             x[lane] *= 2;
 *     }
 */
static inline void *hm_table_group(const hm_table *table, uint32_t group, uint32_t column)
{
    HM_CONTRACT(table != NULL, "hm_table_group: table is NULL");
    if (column >= table->column_count || group >= hm_table_group_count(table))
        return NULL;
    return table->columns[column].base + table->columns[column].stride * group;
}

HM_END_C

/* A loop over the cells of a column from the last row to the first, as HM_MAP_EACH. A loop that
 * neither inserts nor erases is faster over hm_table_column or hm_table_group. Example:
 *
 *     HM_TABLE_EACH(float, y, row, &points, 1)
 *         if (*y < 0)
 *             hm_table_erase_at(&points, row);
 */
#define HM_TABLE_EACH(type, cell, row, table, column)                                              \
    HM_EACH_BACKWARD(type, cell, row, hm_table_before(table, &row, column, sizeof(type)))

#define HM_TABLE_DEFINE_DECLARED(prefix, number, COLUMNS)                                          \
    HM_TYPED_DEFINE_NUMBER(prefix##_table, number)                                                 \
    typedef struct prefix##_row {                                                                  \
        COLUMNS(HM_TABLE_MEMBER)                                                                   \
    } prefix##_row;                                                                                \
    typedef struct prefix##_cells {                                                                \
        COLUMNS(HM_TABLE_ARRAY)                                                                    \
    } prefix##_cells;                                                                              \
    /* One byte for each column: offsets in it are the columns' numbers. */                        \
    typedef struct prefix##_table_columns {                                                        \
        COLUMNS(HM_TABLE_BYTE)                                                                     \
    } prefix##_table_columns;                                                                      \
    HM_STATIC_ASSERT(sizeof(prefix##_table_columns) <= 64, "HM_TABLE_DEFINE takes 64 columns");    \
    HM_TABLE_DEFINE_INIT(prefix, number, COLUMNS)                                                  \
    HM_TYPED_DEFINE_LIFETIME(prefix, table)                                                        \
    HM_TABLE_DEFINE_INSERT(prefix, COLUMNS)                                                        \
    HM_TYPED_DEFINE_UPCOMING(prefix, table)                                                        \
    HM_TYPED_DEFINE_PROMISES(prefix, table)                                                        \
    HM_TYPED_DEFINE_ALIVE(prefix, table)                                                           \
    HM_TABLE_DEFINE_ROWS(prefix)                                                                   \
    HM_TABLE_DEFINE_ERASE(prefix)                                                                  \
    HM_TABLE_DEFINE_ORDER(prefix)                                                                  \
    HM_TYPED_DEFINE_QUESTIONS(prefix, table)                                                       \
    HM_TYPED_DEFINE_EXPLAIN(prefix, table)                                                         \
    HM_EACH(HM_TABLE_DEFINE_COLUMN, prefix COLUMNS(HM_TABLE_ELEMENT), HM_EACH_END, HM_EACH_END)

/* HM_TABLE_DEFINE(particles, 7, PARTICLE_COLUMNS), where PARTICLE_COLUMNS is a macro that calls its
 * argument with the type and the name of each column, defines particles_handle, particles_table,
 *
 *     particles_row      a struct with a member for each column: what insert takes
 *     particles_cells    a struct with a pointer for each column: the arrays that insert_n takes
 *
 * and for each column, here x,
 *
 *     particles_x(table)                a float *, as hm_table_column
 *     particles_x_group(table, group)   a float *, as hm_table_group
 *     particles_x_cell(table, row)      a float *, as hm_table_cell
 *     particles_x_get(table, handle)    a float *, as hm_table_get
 *     particles_x_get_n(table, handles, n, cells)  as hm_table_get_n, with an array of float *
 *     particles_x_of(table, cell)       a particles_handle, as hm_table_handle_of
 *     particles_x_lower_bound(table, order, probe)  and upper_bound, with a float * as the probe
 *     particles_x_column                a constant, the number of the column
 *
 * and a typed form of each other function, HM_TABLE_DEFINE_FOR all but the handle: handle_map.h
 * says how, and that two tables of one type id take each other's handles for their own. The columns
 * of a descriptor are ignored. At most 64 columns, none of them called handle, table, row or cells.
 * Example:
 *
 *     #define PARTICLE_COLUMNS(COLUMN) COLUMN(float, x) COLUMN(float, y) COLUMN(uint32_t, color)
 *     HM_TABLE_DEFINE(particles, 7, PARTICLE_COLUMNS)
 *
 *     particles_table particles;
 *     if (particles_table_init(&particles, 1000) == HM_OK) {
 *         particles_row spark = {.x = 1, .y = 2, .color = 0xFFFFFF};
 *         particles_handle made = particles_table_insert(&particles, &spark);
 *         float *x = particles_x(&particles);
 *         for (uint32_t i = 0; i < particles_table_count(&particles); i++)
 *             x[i] += 1;
 *         uint32_t *color = particles_color_get(&particles, made); // or NULL
 *     }
 */
#define HM_TABLE_DEFINE(prefix, number, COLUMNS)                                                   \
    HM_TYPED_DEFINE_HANDLE(prefix, number)                                                         \
    HM_TABLE_DEFINE_FOR(prefix, number, COLUMNS)

#define HM_TABLE_DEFINE_FOR(prefix, number, COLUMNS)                                               \
    HM_TABLE_DECLARE(prefix)                                                                       \
    HM_TABLE_DEFINE_DECLARED(prefix, number, COLUMNS)

/* What COLUMNS is called with. */
#define HM_TABLE_MEMBER(type, name) type name;
#define HM_TABLE_ARRAY(type, name) type const *name;
#define HM_TABLE_BYTE(type, name) char name;
#define HM_TABLE_ELEMENT(type, name) , (type, name)
#define HM_TABLE_COLUMN(type, name) {sizeof(type), HM_ALIGNOF(type), #name},
#define HM_TABLE_VALUE(type, name) hm_values != NULL ? &hm_values->name : NULL,
#define HM_TABLE_CELLS(type, name) hm_values->name,

#define HM_TABLE_DEFINE_INIT(prefix, number, COLUMNS)                                              \
    static const hm_column prefix##_table_described[] = {COLUMNS(HM_TABLE_COLUMN)};                \
    HM_TYPED_DEFINE_INIT_OF(prefix, table, number, hm_full.columns = prefix##_table_described,     \
                            hm_full.column_count =                                                 \
                                sizeof prefix##_table_described / sizeof(hm_column))

/* A function that inserts a row under a handle. */
#define HM_TABLE_FORM_UNDER(prefix, name, COLUMNS)                                                 \
    HM_UNUSED static inline hm_status prefix##_table_##name(                                       \
        prefix##_table *hm_self, prefix##_handle hm_named, const prefix##_row *hm_values)          \
    {                                                                                              \
        const void *const hm_places[] = {COLUMNS(HM_TABLE_VALUE)};                                 \
        HM_TYPED_CONTRACT(table, prefix##_table_##name);                                           \
        return hm_table_##name(&hm_self->table, hm_named.id, hm_places);                           \
    }

#define HM_TABLE_DEFINE_INSERT(prefix, COLUMNS)                                                    \
    HM_UNUSED static inline prefix##_handle prefix##_table_insert(prefix##_table *hm_self,         \
                                                                  const prefix##_row *hm_values)   \
    {                                                                                              \
        const void *const hm_places[] = {COLUMNS(HM_TABLE_VALUE)};                                 \
        prefix##_handle hm_named;                                                                  \
        HM_TYPED_CONTRACT(table, prefix##_table_insert);                                           \
        hm_named.id = hm_table_insert(&hm_self->table, hm_places);                                 \
        return hm_named;                                                                           \
    }                                                                                              \
    HM_TABLE_FORM_UNDER(prefix, adopt, COLUMNS)                                                    \
    HM_TABLE_FORM_UNDER(prefix, insert_as, COLUMNS)                                                \
    HM_TYPED_FORM_WITH(table, prefix##_handle, prefix##_table_emplace,                             \
                       (prefix##_table * hm_self, uint32_t * hm_row),                              \
                       HM_CONTRACT(hm_row != NULL, #prefix "_table_emplace: row is NULL"),         \
                       HM_TYPED_NAMED(prefix##_handle, hm_table_emplace(&hm_self->table, hm_row))) \
    HM_TYPED_FORM_WITH(                                                                            \
        table, prefix##_handle, prefix##_table_emplace_zeroed,                                     \
        (prefix##_table * hm_self, uint32_t * hm_row),                                             \
        HM_CONTRACT(hm_row != NULL, #prefix "_table_emplace_zeroed: row is NULL"),                 \
        HM_TYPED_NAMED(prefix##_handle, hm_table_emplace_zeroed(&hm_self->table, hm_row)))         \
    HM_UNUSED static inline hm_status prefix##_table_insert_n(                                     \
        prefix##_table *hm_self, const prefix##_cells *hm_given, uint32_t hm_n,                    \
        prefix##_handle *hm_handles)                                                               \
    {                                                                                              \
        prefix##_cells hm_none;                                                                    \
        const prefix##_cells *hm_values = hm_given != NULL ? hm_given : &hm_none;                  \
        HM_TYPED_CONTRACT(table, prefix##_table_insert_n);                                         \
        memset(&hm_none, 0, sizeof hm_none);                                                       \
        {                                                                                          \
            const void *const hm_columns[] = {COLUMNS(HM_TABLE_CELLS)};                            \
            return hm_table_insert_n(&hm_self->table, hm_columns, hm_n, HM_TYPED_IDS(hm_handles)); \
        }                                                                                          \
    }

#define HM_TABLE_DEFINE_ROWS(prefix)                                                               \
    HM_TYPED_DEFINE_PLACES(prefix, table, row, erase_at, prefix##_handle)                          \
    HM_TYPED_FORM_ARRAYS(table, uint32_t, prefix##_table_row_n,                                    \
                         (const prefix##_table *hm_self, const prefix##_handle *hm_handles,        \
                          uint32_t hm_n, uint32_t *hm_rows),                                       \
                         hm_handles, "handles", hm_rows, "rows",                                   \
                         hm_table_row_n(&hm_self->table, HM_TYPED_IDS(hm_handles), hm_n, hm_rows)) \
    HM_TYPED_FORM_ASK(prefix, table, uint32_t, group_count)

#define HM_TABLE_DEFINE_ERASE(prefix)                                                              \
    HM_TYPED_FORM_OF(prefix, table, , bool, erase, prefix##_handle)                                \
    HM_TYPED_DEFINE_END_N(prefix, table, erase_n, prefix##_handle, "handles")                      \
    HM_TYPED_FORM_IF(                                                                              \
        table, prefix##_table_erase_if,                                                            \
        (const prefix##_table *hm_table_, uint32_t hm_row, void *hm_context),                      \
        (const hm_table *hm_untyped, uint32_t hm_row, void *hm_context),                           \
        (HM_POINTER_CAST(const prefix##_table *, hm_untyped), hm_row, hm_call->context),           \
        hm_table_erase_if(&hm_self->table, prefix##_table_erase_if_ask, &hm_call),                 \
        prefix##_table *hm_self)

#ifndef HM_WITHOUT_ORDER
#define HM_TABLE_DEFINE_ORDER(prefix)                                                              \
    HM_TYPED_FORM_WITH(table, hm_progress, prefix##_table_defragment,                              \
                       (prefix##_table * hm_self, uint32_t hm_number, const hm_order *hm_by,       \
                        hm_frame_budget *hm_within),                                               \
                       (HM_TYPED_CONTRACT_ORDER(prefix##_table_defragment),                        \
                        HM_CONTRACT(hm_number < sizeof(prefix##_table_columns),                    \
                                    #prefix "_table_defragment: the column is out of range")),     \
                       hm_table_defragment(&hm_self->table, hm_number, hm_by, hm_within))          \
    HM_TYPED_DEFINE_ARRANGE(prefix, table, prefix##_handle)
#else
#define HM_TABLE_DEFINE_ORDER(prefix)
#endif

#define HM_TABLE_DEFINE_COLUMN(prefix, type, name)                                                 \
    HM_TYPED_ASSERT(type)                                                                          \
    enum { prefix##_##name##_column = offsetof(prefix##_table_columns, name) };                    \
    HM_TYPED_FORM(table, type *, prefix##_##name, (const prefix##_table *hm_self),                 \
                  HM_CAST(type *, hm_table_column(&hm_self->table, prefix##_##name##_column)))     \
    HM_TYPED_FORM(                                                                                 \
        table, type *, prefix##_##name##_group,                                                    \
        (const prefix##_table *hm_self, uint32_t hm_number),                                       \
        HM_CAST(type *, hm_table_group(&hm_self->table, hm_number, prefix##_##name##_column)))     \
    HM_TYPED_FORM(                                                                                 \
        table, type *, prefix##_##name##_cell, (const prefix##_table *hm_self, uint32_t hm_row),   \
        HM_CAST(type *, hm_table_cell(&hm_self->table, hm_row, prefix##_##name##_column)))         \
    HM_TYPED_FORM(                                                                                 \
        table, type *, prefix##_##name##_get,                                                      \
        (const prefix##_table *hm_self, prefix##_handle hm_named),                                 \
        HM_CAST(type *, hm_table_get(&hm_self->table, hm_named.id, prefix##_##name##_column)))     \
    HM_TYPED_FORM_ARRAYS(table, uint32_t, prefix##_##name##_get_n,                                 \
                         (const prefix##_table *hm_self, const prefix##_handle *hm_handles,        \
                          uint32_t hm_n, type **hm_places),                                        \
                         hm_handles, "handles", hm_places, "cells",                                \
                         hm_table_get_n(&hm_self->table, HM_TYPED_IDS(hm_handles), hm_n,           \
                                        prefix##_##name##_column,                                  \
                                        HM_POINTER_CAST(void **, hm_places)))                      \
    HM_TYPED_FORM_HANDLE(table, prefix##_handle, prefix##_##name##_of,                             \
                         (const prefix##_table *hm_self, const void *hm_cell),                     \
                         hm_table_handle_of(&hm_self->table, hm_cell, prefix##_##name##_column))   \
    HM_TYPED_FORM_BOUND(                                                                           \
        table, prefix##_##name##_lower_bound,                                                      \
        (const prefix##_table *hm_self, const hm_order *hm_by, type const *hm_probe),              \
        hm_table_lower_bound(&hm_self->table, prefix##_##name##_column, hm_by, hm_probe))          \
    HM_TYPED_FORM_BOUND(                                                                           \
        table, prefix##_##name##_upper_bound,                                                      \
        (const prefix##_table *hm_self, const hm_order *hm_by, type const *hm_probe),              \
        hm_table_upper_bound(&hm_self->table, prefix##_##name##_column, hm_by, hm_probe))

#endif
