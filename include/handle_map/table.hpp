/* SPDX-License-Identifier: MIT */
/* table, in C++: hm::table<Columns...>, an owner of an hm_table with a column for each type. What
 * table.h says holds here too.
 *
 * The types must be trivially copyable. A column is named by its number. Example:
 *
 *     enum { X, Y, HEALTH };
 *     using bodies = hm::table<float, float, std::uint32_t>;
 *     bodies table(100000);
 *     hm::handle<bodies> body = table.insert(1.5f, 2, 100u);
 *     for (float &x : table.column<X>())
 *         x += 1;
 *     if (std::uint32_t *health = table.get<HEALTH>(body))
 *         --*health;
 *
 * A predicate and a less must not change the table that calls them. */
#ifndef HANDLE_MAP_TABLE_HPP
#define HANDLE_MAP_TABLE_HPP

#include <handle_map/order.hpp>

#include <tuple>

namespace hm
{

/* As hm::options, and the layout. */
struct table_options {
    std::uint32_t capacity = 0; /* rows, at most */
    std::uint32_t lanes = 0;    /* 0: whole columns; 1: rows as structs; 8, 16, ...: groups */
    std::uint32_t max_slots = 0;
    std::uint16_t type_id = 0;
    const hm_memory *memory = nullptr;
    const char *name = nullptr;
};

template <class... Columns> class table
{
    static_assert(sizeof...(Columns) > 0, "a table has a column");
    static_assert((std::is_trivially_copyable<Columns>::value && ...),
                  "cells are moved as bytes, and no destructor runs");
    detail::owned<hm_table, hm_table_fini> own_;

    template <std::size_t I> using cell_type = std::tuple_element_t<I, std::tuple<Columns...>>;

  public:
    using handle_type = hm::handle<table>;
    using size_type = std::uint32_t;

    /* An empty table of capacity 0. */
    table() noexcept = default;
    /* As init; if that fails, the capacity is 0, and hm_last_error says why. */
    explicit table(std::uint32_t capacity, std::uint32_t lanes = 0) noexcept
    {
        table_options with;
        with.capacity = capacity;
        with.lanes = lanes;
        (void)init(with);
    }
    explicit table(const table_options &with) noexcept
    {
        (void)init(with);
    }

    /* Ends the table as it is, and makes it anew; fails as hm_table_init does. */
    status init(const table_options &with) noexcept
    {
        hm_table_fini(&own_.c);
        const hm_column columns[] = {{sizeof(Columns), alignof(Columns), nullptr}...};
        hm_table_desc desc{};
        desc.columns = columns;
        desc.column_count = sizeof...(Columns);
        desc.lanes = with.lanes;
        desc.capacity = with.capacity;
        desc.max_slots = with.max_slots;
        desc.type_id = with.type_id;
        desc.memory = with.memory;
        desc.name = with.name;
        return hm_table_init(&own_.c, &desc);
    }
    /* Whether init has succeeded. */
    explicit operator bool() const noexcept
    {
        return hm_table_capacity(&own_.c) != 0;
    }
    /* For the functions of the C library. */
    hm_table *c_table() noexcept
    {
        return &own_.c;
    }
    const hm_table *c_table() const noexcept
    {
        return &own_.c;
    }

    /* Adds a row with these cells and returns its handle; null when refused. O(columns). */
    handle_type insert(const Columns &...cells) noexcept
    {
        const void *values[] = {&cells...};
        return handle_type(hm_table_insert(&own_.c, values));
    }
    /* Adds n rows, from an array for each column; nullptr: zeros. As hm_table_insert_n. */
    status insert_n(std::uint32_t n, const Columns *...arrays,
                    handle_type *handles = nullptr) noexcept
    {
        const void *values[] = {arrays...};
        return hm_table_insert_n(&own_.c, values, n, detail::ids(handles));
    }

    /* The cell of a row, by its handle: nullptr when that does not resolve. O(1). */
    template <std::size_t I> cell_type<I> *get(handle_type handle) noexcept
    {
        return static_cast<cell_type<I> *>(hm_table_get(&own_.c, handle.id(), I));
    }
    template <std::size_t I> const cell_type<I> *get(handle_type handle) const noexcept
    {
        return static_cast<const cell_type<I> *>(hm_table_get(&own_.c, handle.id(), I));
    }
    /* The cell of a row, by its number: nullptr out of range. O(1). */
    template <std::size_t I> cell_type<I> *cell(std::uint32_t row) noexcept
    {
        return static_cast<cell_type<I> *>(hm_table_cell(&own_.c, I, row));
    }
    template <std::size_t I> const cell_type<I> *cell(std::uint32_t row) const noexcept
    {
        return static_cast<const cell_type<I> *>(hm_table_cell(&own_.c, I, row));
    }
    /* A whole column, one cell a row; empty in a table of groups. O(1). */
    template <std::size_t I> span<cell_type<I>> column() noexcept
    {
        auto *cells = static_cast<cell_type<I> *>(hm_table_column(&own_.c, I));
        return {cells, cells != nullptr ? size() : 0};
    }
    template <std::size_t I> span<const cell_type<I>> column() const noexcept
    {
        auto *cells = static_cast<const cell_type<I> *>(hm_table_column(&own_.c, I));
        return {cells, cells != nullptr ? size() : 0};
    }

    bool contains(handle_type handle) const noexcept
    {
        return hm_table_contains(&own_.c, handle.id());
    }
    /* The row of a handle, or HM_INVALID_INDEX. */
    std::uint32_t row(handle_type handle) const noexcept
    {
        return hm_table_row(&own_.c, handle.id());
    }
    handle_type handle_at(std::uint32_t row) const noexcept
    {
        return handle_type(hm_table_handle_at(&own_.c, row));
    }

    bool erase(handle_type handle) noexcept
    {
        return hm_table_erase(&own_.c, handle.id());
    }
    std::uint32_t erase_n(const handle_type *handles, std::uint32_t n) noexcept
    {
        return hm_table_erase_n(&own_.c, detail::ids(handles), n);
    }
    /* Erases the rows for which the predicate, of (const Columns &...), is true; returns their
     * number. */
    template <class Predicate> std::uint32_t erase_if(Predicate doomed) noexcept
    {
        return hm_table_erase_if(
            &own_.c,
            [](const hm_table *rows, std::uint32_t row, void *context) noexcept -> bool {
                return ask(rows, row, *static_cast<Predicate *>(context),
                           std::index_sequence_for<Columns...>());
            },
            &doomed);
    }
    void clear() noexcept
    {
        hm_table_clear(&own_.c);
    }
    status trim() noexcept
    {
        return hm_table_trim(&own_.c);
    }
    status reserve(std::uint32_t n) noexcept
    {
        return hm_table_reserve(&own_.c, n);
    }
    std::uint32_t size() const noexcept
    {
        return hm_table_count(&own_.c);
    }
    bool empty() const noexcept
    {
        return size() == 0;
    }
    std::uint32_t capacity() const noexcept
    {
        return hm_table_capacity(&own_.c);
    }

    /* Brings the rows nearer to the order of column I, within the budget. See order.hpp. */
    template <std::size_t I, class Less>
    progress defragment(Less less, hm::budget within = {}) noexcept
    {
        detail::by_less<cell_type<I>, Less> by(less);
        return hm_table_defragment(&own_.c, I, &by.order, within);
    }
    template <std::size_t I, class Key>
    progress defragment_by(Key key, hm::budget within = {}) noexcept
    {
        detail::by_key<cell_type<I>, Key> by(key);
        return hm_table_defragment(&own_.c, I, &by.order, within);
    }
    progress arrange(const handle_type *handles, std::uint32_t n, hm::budget within = {}) noexcept
    {
        return hm_table_arrange(&own_.c, detail::ids(handles), n, within);
    }
    void touch(handle_type handle) noexcept
    {
        hm_table_touch(&own_.c, handle.id());
    }
    void touch_all() noexcept
    {
        hm_table_touch_all(&own_.c);
    }

    handle_state explain(handle_type handle) const noexcept
    {
        return hm_table_explain(&own_.c, handle.id());
    }
    std::size_t describe(handle_type handle, char *buffer, std::size_t length) const noexcept
    {
        return hm_table_describe(&own_.c, handle.id(), buffer, length);
    }
    hm::stats stats() const noexcept
    {
        return hm_table_get_stats(&own_.c);
    }
    status validate() const noexcept
    {
        return hm_table_validate(&own_.c);
    }

  private:
    template <class Predicate, std::size_t... I>
    static bool ask(const hm_table *rows, std::uint32_t row, Predicate &doomed,
                    std::index_sequence<I...>)
    {
        return doomed(*static_cast<const Columns *>(hm_table_cell(rows, I, row))...);
    }
};

} // namespace hm

#endif
