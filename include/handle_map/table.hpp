/* SPDX-License-Identifier: MIT */
/* table, in C++: hm::table<Columns...>, an owner of an hm_table with a column for each type. What
 * table.h says holds here too, and what handle_map.hpp and container.hpp say of all classes.
 *
 * The types must be trivially copyable, or a std::pair or std::tuple of such types. A column is
 * named by its number. hm::lanes as the first type chooses the layout. Example:
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
 * The options set the type id of a table. */
#ifndef HANDLE_MAP_TABLE_HPP
#define HANDLE_MAP_TABLE_HPP

#include <handle_map/container.hpp>

namespace hm
{

/* As the first column of a table: groups of so many lanes, 8, 16 or another power of two; 1: rows
 * as structs. */
template <std::uint32_t Count> struct lanes {
};

template <class... Columns> class table;

namespace detail
{

template <class Table, std::uint32_t Lanes, class... Columns>
struct table_shape : shape_of<hm_table, hm_table_desc, hm::options, hm::handle<Table>, Table> {
    using saved_item = void; /* the cells, which are plain */
    static void complete(hm_table_desc &desc, const hm::options &with) noexcept
    {
        static constexpr hm_column columns[] = {{sizeof(Columns), alignof(Columns), nullptr}...};
        (require_plain<Columns>(), ...);
        desc.columns = columns;
        desc.column_count = sizeof...(Columns);
        desc.lanes = Lanes;
        desc.generation_bits = with.generation_bits;
    }
};

template <class Shape> using table_base = orderly<eraser<issuer<container<Shape>>>>;

/* What tables of every layout have of their own; the rest is in container.hpp. Lanes 0: whole
 * columns. */
template <class Table, std::uint32_t Lanes, class... Columns>
class rows : public table_base<table_shape<Table, Lanes, Columns...>>
{
    static_assert(sizeof...(Columns) > 0, "a table has a column");

    template <std::size_t I> using cell_type = std::tuple_element_t<I, std::tuple<Columns...>>;

  public:
    using handle_type = hm::handle<Table>;
    using table_base<table_shape<Table, Lanes, Columns...>>::table_base;

    /* Adds a row with these cells and returns its handle; null when refused. O(columns). */
    handle_type insert(const Columns &...cells) noexcept
    {
        const void *values[] = {std::addressof(cells)...};
        return handle_type(hm_table_insert(this->c(), values));
    }
    /* The same under a handle that someone else has issued: see hm_table_adopt. */
    status adopt(handle_type handle, const Columns &...cells) noexcept
    {
        const void *values[] = {std::addressof(cells)...};
        return hm_table_adopt(this->c(), handle.id(), values);
    }
    /* The same under a handle that promise() has returned. */
    status insert_as(handle_type promised, const Columns &...cells) noexcept
    {
        const void *values[] = {std::addressof(cells)...};
        return hm_table_insert_as(this->c(), promised.id(), values);
    }
    /* Adds n rows, from an array for each column; nullptr: zeros. As hm_table_insert_n. */
    status insert_n(std::uint32_t n, const Columns *...arrays,
                    handle_type *handles = nullptr) noexcept
    {
        const void *values[] = {arrays...};
        return hm_table_insert_n(this->c(), values, n, ids(handles));
    }

    /* The cell of a row, by its handle: nullptr when that does not resolve. O(1). */
    template <std::size_t I> [[nodiscard]] cell_type<I> *get(handle_type handle) noexcept
    {
        return static_cast<cell_type<I> *>(hm_table_get(this->c(), handle.id(), I));
    }
    template <std::size_t I>
    [[nodiscard]] const cell_type<I> *get(handle_type handle) const noexcept
    {
        return static_cast<const cell_type<I> *>(hm_table_get(this->c(), handle.id(), I));
    }
    /* The cell of a row, by its number: nullptr out of range. O(1). */
    template <std::size_t I> [[nodiscard]] cell_type<I> *cell(std::uint32_t row) noexcept
    {
        return static_cast<cell_type<I> *>(hm_table_cell(this->c(), row, I));
    }
    template <std::size_t I>
    [[nodiscard]] const cell_type<I> *cell(std::uint32_t row) const noexcept
    {
        return static_cast<const cell_type<I> *>(hm_table_cell(this->c(), row, I));
    }
    /* A whole column, one cell a row. O(1). */
    template <std::size_t I> [[nodiscard]] span<cell_type<I>> column() noexcept
    {
        return {whole<I>(), this->size()};
    }
    template <std::size_t I> [[nodiscard]] span<const cell_type<I>> column() const noexcept
    {
        return {whole<I>(), this->size()};
    }
    /* The number of groups, the last of which may be partly filled. O(1). */
    [[nodiscard]] std::uint32_t group_count() const noexcept
    {
        require_groups();
        return hm_table_group_count(this->c());
    }
    /* The cells of a column in a group, one for each lane; empty out of range. What table.h says of
     * lanes past the last row holds. O(1). */
    template <std::size_t I> [[nodiscard]] span<cell_type<I>> group(std::uint32_t number) noexcept
    {
        cell_type<I> *cells = lanes_of<I>(number);
        return {cells, cells != nullptr ? Lanes : 0};
    }
    template <std::size_t I>
    [[nodiscard]] span<const cell_type<I>> group(std::uint32_t number) const noexcept
    {
        const cell_type<I> *cells = lanes_of<I>(number);
        return {cells, cells != nullptr ? Lanes : 0};
    }

    /* The row of a handle, or HM_INVALID_INDEX. */
    [[nodiscard]] std::uint32_t row(handle_type handle) const noexcept
    {
        return hm_table_row(this->c(), handle.id());
    }
    /* As hm_table_row_n. */
    std::uint32_t row_n(const handle_type *handles, std::uint32_t n,
                        std::uint32_t *numbers) const noexcept
    {
        return hm_table_row_n(this->c(), ids(handles), n, numbers);
    }
    std::uint32_t row_n(span<const handle_type> handles, std::uint32_t *numbers) const noexcept
    {
        return row_n(handles.data(), count_of(handles.size()), numbers);
    }
    /* As hm_table_get_n, for column I. */
    template <std::size_t I>
    std::uint32_t get_n(const handle_type *handles, std::uint32_t n, cell_type<I> **cells) noexcept
    {
        return hm_table_get_n(this->c(), ids(handles), n, I, reinterpret_cast<void **>(cells));
    }
    template <std::size_t I>
    std::uint32_t get_n(span<const handle_type> handles, cell_type<I> **cells) noexcept
    {
        return get_n<I>(handles.data(), count_of(handles.size()), cells);
    }
    template <std::size_t I>
    std::uint32_t get_n(span<const handle_type> handles, const cell_type<I> **cells) const noexcept
    {
        return hm_table_get_n(this->c(), ids(handles.data()), count_of(handles.size()), I,
                              reinterpret_cast<void **>(const_cast<cell_type<I> **>(cells)));
    }
    /* The handle of the row whose cell of column I has this address; null if there is none. */
    template <std::size_t I>
    [[nodiscard]] handle_type handle_of(const cell_type<I> *cell) const noexcept
    {
        return handle_type(hm_table_handle_of(this->c(), cell, I));
    }

    bool erase(handle_type handle) noexcept
    {
        return hm_table_erase(this->c(), handle.id());
    }
    /* Erases the rows for which the predicate, of (const Columns &...), is true; returns their
     * number. */
    template <class Predicate> std::uint32_t erase_if(Predicate doomed) noexcept
    {
        return hm_table_erase_if(
            this->c(),
            [](const hm_table *in, std::uint32_t row, void *context) noexcept {
                return ask_cells<Predicate>(in, row, context,
                                            std::index_sequence_for<Columns...>());
            },
            &doomed);
    }
    /* Brings the rows nearer to the order of column I, within the budget. See order.hpp. */
    template <std::size_t I, class Less>
    progress defragment(Less less, budget_argument within = {}) noexcept
    {
        by_less<cell_type<I>, Less> by(less);
        return hm_table_defragment(this->c(), I, &by.order, within);
    }
    template <std::size_t I, class Key>
    progress defragment_by(Key key, budget_argument within = {}) noexcept
    {
        by_key<cell_type<I>, Key> by(key);
        return hm_table_defragment(this->c(), I, &by.order, within);
    }
    /* The first row whose cell does not come before the probe, in a table that defragment has put
     * in the order of column I by a less of the same type; size() if there is none.
     * HM_INVALID_INDEX when the table is not in this order, or busy: hm_last_error says which. */
    template <std::size_t I, class Less>
    [[nodiscard]] std::uint32_t lower_bound(const cell_type<I> &probe, Less less) const noexcept
    {
        by_less<cell_type<I>, Less> by(less);
        return hm_table_lower_bound(this->c(), I, &by.order, std::addressof(probe));
    }
    /* The first row whose cell comes after the probe; else as lower_bound. */
    template <std::size_t I, class Less>
    [[nodiscard]] std::uint32_t upper_bound(const cell_type<I> &probe, Less less) const noexcept
    {
        by_less<cell_type<I>, Less> by(less);
        return hm_table_upper_bound(this->c(), I, &by.order, std::addressof(probe));
    }

  private:
    static constexpr void require_groups() noexcept
    {
        static_assert(Lanes != 0, "a table of whole columns has no groups: call column, or make it "
                                  "an hm::table<hm::lanes<8>, ...>");
    }
    template <std::size_t I> cell_type<I> *whole() const noexcept
    {
        static_assert(Lanes == 0, "a table of groups has no whole columns: call group for each "
                                  "number below group_count");
        return static_cast<cell_type<I> *>(hm_table_column(this->c(), I));
    }
    template <std::size_t I> cell_type<I> *lanes_of(std::uint32_t number) const noexcept
    {
        require_groups();
        return static_cast<cell_type<I> *>(hm_table_group(this->c(), number, I));
    }
    template <class Predicate, std::size_t... I>
    static bool ask_cells(const hm_table *in, std::uint32_t row, void *context,
                          std::index_sequence<I...>) noexcept
    {
        return ask<Predicate>(context, *static_cast<const Columns *>(hm_table_cell(in, row, I))...);
    }
};

} // namespace detail

template <class... Columns> class table : public detail::rows<table<Columns...>, 0, Columns...>
{
  public:
    using relocatable = table;
    using detail::rows<table, 0, Columns...>::rows;
};

/* hm::table<hm::lanes<8>, float, float> has groups of 8 lanes, hm::lanes<1> rows as structs. These
 * have no whole columns, but groups. Example:
 *
 *     hm::table<hm::lanes<8>, float, float> points(100000);
 *     for (std::uint32_t n = 0; n < points.group_count(); n++)
 *         for (float &x : points.group<X>(n)) // 8 of them, also in the last group
 *             x *= 2;
 */
template <std::uint32_t Count, class... Columns>
class table<lanes<Count>, Columns...>
    : public detail::rows<table<lanes<Count>, Columns...>, Count, Columns...>
{
    static_assert(Count != 0 && (Count & (Count - 1)) == 0, "lanes are a power of two");

  public:
    using relocatable = table;
    using detail::rows<table, Count, Columns...>::rows;
};

} // namespace hm

#endif
