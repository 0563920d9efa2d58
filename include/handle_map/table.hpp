/* SPDX-License-Identifier: MIT */
/* table, in C++: hm::table<Columns...>, an owner of an hm_table with a column for each type. What
 * table.h says holds here too, and what handle_map.hpp says of all classes.
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

#include <handle_map/order.hpp>

namespace hm
{

/* As the first column of a table: groups of so many lanes, 8, 16 or another power of two; 1: rows
 * as structs. */
template <std::uint32_t Count> struct lanes {
};

template <class... Columns> class table;

namespace detail
{

/* All that tables of every layout have. Lanes 0: whole columns. */
template <class Table, std::uint32_t Lanes, class... Columns> class rows
{
    static_assert(sizeof...(Columns) > 0, "a table has a column");
    owned<hm_table, hm_table_fini> own_;

    template <std::size_t I> using cell_type = std::tuple_element_t<I, std::tuple<Columns...>>;

  public:
    using handle_type = hm::handle<Table>;
    using size_type = std::uint32_t;

    /* An empty table of capacity 0. */
    rows() noexcept = default;
    /* As init; if that fails, the capacity is 0, and hm_last_error says why. */
    explicit rows(std::uint32_t capacity) noexcept
    {
        options with;
        with.capacity = capacity;
        (void)init(with);
    }
    explicit rows(const options &with) noexcept
    {
        (void)init(with);
    }

    /* Ends the table as it is, and makes it anew; fails as hm_table_init does. */
    status init(const options &with) noexcept
    {
        (require_plain<Columns>(), ...);
        hm_table_fini(&own_.c);
        const hm_column columns[] = {{sizeof(Columns), alignof(Columns), nullptr}...};
        hm_table_desc desc{};
        desc.columns = columns;
        desc.column_count = sizeof...(Columns);
        desc.lanes = Lanes;
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
        const void *values[] = {std::addressof(cells)...};
        return handle_type(hm_table_insert(&own_.c, values));
    }
    /* Adds n rows, from an array for each column; nullptr: zeros. As hm_table_insert_n. */
    status insert_n(std::uint32_t n, const Columns *...arrays,
                    handle_type *handles = nullptr) noexcept
    {
        const void *values[] = {arrays...};
        return hm_table_insert_n(&own_.c, values, n, ids(handles));
    }

    /* The cell of a row, by its handle: nullptr when that does not resolve. O(1). */
    template <std::size_t I> [[nodiscard]] cell_type<I> *get(handle_type handle) noexcept
    {
        return static_cast<cell_type<I> *>(hm_table_get(&own_.c, handle.id(), I));
    }
    template <std::size_t I>
    [[nodiscard]] const cell_type<I> *get(handle_type handle) const noexcept
    {
        return static_cast<const cell_type<I> *>(hm_table_get(&own_.c, handle.id(), I));
    }
    /* The cell of a row, by its number: nullptr out of range. O(1). */
    template <std::size_t I> [[nodiscard]] cell_type<I> *cell(std::uint32_t row) noexcept
    {
        return static_cast<cell_type<I> *>(hm_table_cell(&own_.c, row, I));
    }
    template <std::size_t I>
    [[nodiscard]] const cell_type<I> *cell(std::uint32_t row) const noexcept
    {
        return static_cast<const cell_type<I> *>(hm_table_cell(&own_.c, row, I));
    }
    /* A whole column, one cell a row. O(1). */
    template <std::size_t I> [[nodiscard]] span<cell_type<I>> column() noexcept
    {
        return {whole<I>(), size()};
    }
    template <std::size_t I> [[nodiscard]] span<const cell_type<I>> column() const noexcept
    {
        return {whole<I>(), size()};
    }
    /* The number of groups, the last of which may be partly filled. O(1). */
    [[nodiscard]] std::uint32_t group_count() const noexcept
    {
        require_groups();
        return hm_table_group_count(&own_.c);
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

    [[nodiscard]] bool contains(handle_type handle) const noexcept
    {
        return hm_table_contains(&own_.c, handle.id());
    }
    std::uint32_t contains_n(const handle_type *handles, std::uint32_t n,
                             bool *alive) const noexcept
    {
        return hm_table_contains_n(&own_.c, ids(handles), n, alive);
    }
    std::uint32_t contains_n(span<const handle_type> handles, bool *alive) const noexcept
    {
        return contains_n(handles.data(), count_of(handles.size()), alive);
    }
    /* The row of a handle, or HM_INVALID_INDEX. */
    [[nodiscard]] std::uint32_t row(handle_type handle) const noexcept
    {
        return hm_table_row(&own_.c, handle.id());
    }
    /* As hm_table_row_n. */
    std::uint32_t row_n(const handle_type *handles, std::uint32_t n,
                        std::uint32_t *numbers) const noexcept
    {
        return hm_table_row_n(&own_.c, ids(handles), n, numbers);
    }
    std::uint32_t row_n(span<const handle_type> handles, std::uint32_t *numbers) const noexcept
    {
        return row_n(handles.data(), count_of(handles.size()), numbers);
    }
    /* As hm_table_get_n, for column I. */
    template <std::size_t I>
    std::uint32_t get_n(const handle_type *handles, std::uint32_t n, cell_type<I> **cells) noexcept
    {
        return hm_table_get_n(&own_.c, ids(handles), n, I, reinterpret_cast<void **>(cells));
    }
    template <std::size_t I>
    std::uint32_t get_n(span<const handle_type> handles, cell_type<I> **cells) noexcept
    {
        return get_n<I>(handles.data(), count_of(handles.size()), cells);
    }
    [[nodiscard]] handle_type handle_at(std::uint32_t row) const noexcept
    {
        return handle_type(hm_table_handle_at(&own_.c, row));
    }
    /* The handle of the row whose cell of column I has this address; null if there is none. */
    template <std::size_t I>
    [[nodiscard]] handle_type handle_of(const cell_type<I> *cell) const noexcept
    {
        return handle_type(hm_table_handle_of(&own_.c, cell, I));
    }

    bool erase(handle_type handle) noexcept
    {
        return hm_table_erase(&own_.c, handle.id());
    }
    bool erase_at(std::uint32_t row) noexcept
    {
        return hm_table_erase_at(&own_.c, row);
    }
    std::uint32_t erase_n(const handle_type *handles, std::uint32_t n) noexcept
    {
        return hm_table_erase_n(&own_.c, ids(handles), n);
    }
    std::uint32_t erase_n(span<const handle_type> handles) noexcept
    {
        return erase_n(handles.data(), count_of(handles.size()));
    }
    /* Erases the rows for which the predicate, of (const Columns &...), is true; returns their
     * number. */
    template <class Predicate> std::uint32_t erase_if(Predicate doomed) noexcept
    {
        return hm_table_erase_if(
            &own_.c,
            [](const hm_table *in, std::uint32_t row, void *context) noexcept -> bool {
                return ask(in, row, *static_cast<Predicate *>(context),
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
    /* The handle that the (k + 1)-th insert from now will return. See hm_table_upcoming. */
    [[nodiscard]] handle_type upcoming(std::uint32_t k) const noexcept
    {
        return handle_type(hm_table_upcoming(&own_.c, k));
    }
    [[nodiscard]] std::uint32_t size() const noexcept
    {
        return hm_table_count(&own_.c);
    }
    [[nodiscard]] bool empty() const noexcept
    {
        return size() == 0;
    }
    [[nodiscard]] std::uint32_t capacity() const noexcept
    {
        return hm_table_capacity(&own_.c);
    }

    /* Brings the rows nearer to the order of column I, within the budget. See order.hpp. */
    template <std::size_t I, class Less>
    progress defragment(Less less, hm::budget within = {}) noexcept
    {
        by_less<cell_type<I>, Less> by(less);
        return hm_table_defragment(&own_.c, I, &by.order, within);
    }
    template <std::size_t I, class Key>
    progress defragment_by(Key key, hm::budget within = {}) noexcept
    {
        by_key<cell_type<I>, Key> by(key);
        return hm_table_defragment(&own_.c, I, &by.order, within);
    }
    /* Brings the rows of n handles to the front, in this order. In all it takes fewer swaps than
     * there are rows, but may take nearly as many for one handle. */
    progress arrange(const handle_type *handles, std::uint32_t n, hm::budget within = {}) noexcept
    {
        return hm_table_arrange(&own_.c, ids(handles), n, within);
    }
    progress arrange(span<const handle_type> handles, hm::budget within = {}) noexcept
    {
        return arrange(handles.data(), count_of(handles.size()), within);
    }
    void touch(handle_type handle) noexcept
    {
        hm_table_touch(&own_.c, handle.id());
    }
    void touch_all() noexcept
    {
        hm_table_touch_all(&own_.c);
    }

    /* The first row whose cell does not come before the probe, in a table that defragment has put
     * in the order of column I by a less of the same type; size() if there is none.
     * HM_INVALID_INDEX when the table is not in this order, or busy: hm_last_error says which. */
    template <std::size_t I, class Less>
    [[nodiscard]] std::uint32_t lower_bound(const cell_type<I> &probe, Less less) const noexcept
    {
        by_less<cell_type<I>, Less> by(less);
        return hm_table_lower_bound(&own_.c, I, &by.order, std::addressof(probe));
    }
    /* The first row whose cell comes after the probe; else as lower_bound. */
    template <std::size_t I, class Less>
    [[nodiscard]] std::uint32_t upper_bound(const cell_type<I> &probe, Less less) const noexcept
    {
        by_less<cell_type<I>, Less> by(less);
        return hm_table_upper_bound(&own_.c, I, &by.order, std::addressof(probe));
    }

    [[nodiscard]] handle_state explain(handle_type handle) const noexcept
    {
        return hm_table_explain(&own_.c, handle.id());
    }
    std::size_t describe(handle_type handle, char *buffer, std::size_t length) const noexcept
    {
        return hm_table_describe(&own_.c, handle.id(), buffer, length);
    }
    /* The type id of the table's handles. */
    [[nodiscard]] std::uint16_t type_id() const noexcept
    {
        return static_cast<std::uint16_t>(own_.c.ids.type_id);
    }
    /* For an hm_secondary or an hm_index of C. */
    [[nodiscard]] hm_owners as_owners() const noexcept
    {
        return hm_table_as_owners(&own_.c);
    }
    [[nodiscard]] hm::stats stats() const noexcept
    {
        return hm_table_get_stats(&own_.c);
    }
    [[nodiscard]] status validate() const noexcept
    {
        return hm_table_validate(&own_.c);
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
        return static_cast<cell_type<I> *>(hm_table_column(&own_.c, I));
    }
    template <std::size_t I> cell_type<I> *lanes_of(std::uint32_t number) const noexcept
    {
        require_groups();
        return static_cast<cell_type<I> *>(hm_table_group(&own_.c, number, I));
    }
    template <class Predicate, std::size_t... I>
    static bool ask(const hm_table *in, std::uint32_t row, Predicate &doomed,
                    std::index_sequence<I...>)
    {
        return doomed(*static_cast<const Columns *>(hm_table_cell(in, row, I))...);
    }
};

} // namespace detail

template <class... Columns> class table : public detail::rows<table<Columns...>, 0, Columns...>
{
  public:
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
    using detail::rows<table, Count, Columns...>::rows;
};

template <class... Columns> struct is_relocatable<table<Columns...>> : std::true_type {
};

} // namespace hm

#endif
