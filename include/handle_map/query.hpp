/* SPDX-License-Identifier: MIT */
/* query, in C++: hm::query<Types...>, an owner of an hm_query, which visits all entities of a world
 * that have these components. What query.h says holds here too. What a loop gets for each type:
 *
 *     position                   position &            it may write
 *     const position             const position &      it only reads
 *     hm::optional<position>     position *            nullptr if the entity has none
 *     frozen, an empty type      nothing               it only says which entities are visited
 *
 * Filters say more about which are visited: hm::without<...> leaves out those that have one of its
 * components, hm::any_of<...> those that have none of them; several hm::any_of all do. Example:
 *
 *     hm::query<position, const velocity> movers(world, hm::without<frozen>());
 *     movers.each([](position &p, const velocity &v) { p.x += v.x; });
 *     for (auto [which, p, v] : movers.each())
 *         if (p.x > 100)
 *             commands.destroy(which);
 */
#ifndef HANDLE_MAP_QUERY_HPP
#define HANDLE_MAP_QUERY_HPP

#include <handle_map/world.hpp>

#include <tuple>

namespace hm
{

/* A query visits only entities that have at least one of these; with several, of each. */
template <class... Types> struct any_of {
};

/* In a query's types: entities are visited whether they have it or not. */
template <class T> struct optional {
};

namespace detail
{

/* A type of a query. `in_view` is what a view has for it, `in_loop` what a loop gets. */
template <class T> struct term {
    using type = T;
    static constexpr bool is_optional = false;
    static constexpr bool has_column = !is_tag<std::remove_const_t<T>>;

    struct column {
        T *values;

        T &operator[](std::uint32_t i) const noexcept
        {
            return values[i];
        }
    };
    using in_loop = std::conditional_t<has_column, std::tuple<T &>, std::tuple<>>;
};
template <class T> struct term<optional<T>> {
    using type = T;
    static constexpr bool is_optional = true;
    static constexpr bool has_column = true;

    struct column {
        T *values;

        T *operator[](std::uint32_t i) const noexcept
        {
            return values != nullptr ? values + i : nullptr;
        }
    };
    using in_loop = std::tuple<T *>;
};

/* False, but known only when a template is made: for a static_assert in what must not be called. */
template <class> constexpr bool never = false;

template <class T> using component_of = std::remove_const_t<typename term<T>::type>;

template <class... Types>
using loop_values = decltype(std::tuple_cat(std::declval<typename term<Types>::in_loop>()...));

template <class Filter> constexpr bool is_filter = false;
template <class... Types> constexpr bool is_filter<without<Types...>> = true;
template <class... Types> constexpr bool is_filter<any_of<Types...>> = true;

template <class Filter> constexpr std::size_t filter_size = 0;
template <class... Types> constexpr std::size_t filter_size<without<Types...>> = sizeof...(Types);
template <class... Types> constexpr std::size_t filter_size<any_of<Types...>> = sizeof...(Types);

/* A row of a range whose query has tags. It is a tuple; its name tells whoever gives a name to a
 * tag in a structured binding why there are fewer values than types. */
template <class... Values> struct row_where_tags_have_no_value : std::tuple<Values...> {
    using std::tuple<Values...>::tuple;
};

template <bool has_tags, class Tuple> struct row_of {
    using type = Tuple;
};
template <class... Values> struct row_of<true, std::tuple<Values...>> {
    using type = row_where_tags_have_no_value<Values...>;
};

/* Whether F can be called with these arguments. */
template <class F, class Arguments> constexpr bool takes = false;
template <class F, class... Arguments>
constexpr bool takes<F, std::tuple<Arguments...>> = std::is_invocable<F &, Arguments...>::value;
template <class F, class Arguments> constexpr bool takes_entity_and = false;
template <class F, class... Arguments>
constexpr bool takes_entity_and<F, std::tuple<Arguments...>> =
    std::is_invocable<F &, entity, Arguments...>::value;

/* A list of components for a descriptor. */
struct term_list {
    hm_component components[HM_QUERY_MAX_TERMS];
    std::uint32_t count = 0;
};

/* Finds or makes the components of a query, until one is refused. */
class term_reader
{
    world_core &core_;

  public:
    term_list all, optional, none, any;
    std::uint32_t groups[HM_QUERY_MAX_TERMS], group_count = 0; /* of any */
    status returned = HM_OK;

    explicit term_reader(world_core &core) noexcept : core_(core)
    {
    }
    template <class T> void read(term_list &list) noexcept
    {
        if (returned == HM_OK)
            returned = core_.require<component_of<T>>(&list.components[list.count++]);
    }
    template <class Filter> void filter(Filter) noexcept
    {
    }
    template <class... Types> void filter(without<Types...>) noexcept
    {
        (read<Types>(none), ...);
    }
    template <class... Types> void filter(any_of<Types...>) noexcept
    {
        (read<Types>(any), ...);
        if constexpr (sizeof...(Types) != 0)
            groups[group_count++] = sizeof...(Types);
    }
    hm_query_desc desc() const noexcept
    {
        hm_query_desc made{};
        made.all = all.components;
        made.all_count = all.count;
        made.optional = optional.components;
        made.optional_count = optional.count;
        made.none = none.components;
        made.none_count = none.count;
        made.any = any.components;
        made.any_count = any.count;
        made.any_groups = groups;
        made.any_group_count = group_count;
        return made;
    }
};

/* A loop, which ends with the object, also when what it calls throws. */
class running
{
    hm_query_loop c_;

  public:
    explicit running(hm_query *query) noexcept
    {
        hm_query_begin(query, &c_);
    }
    running(running &&other) noexcept : c_(std::exchange(other.c_, hm_query_loop{}))
    {
    }
    running &operator=(running &&other) noexcept
    {
        std::swap(c_, other.c_);
        return *this;
    }
    ~running()
    {
        hm_query_end(&c_);
    }
    hm_query_loop *c() noexcept
    {
        return &c_;
    }
};

/* Entities that will be destroyed when a loop has ended. */
class entity_list
{
    hm_array array_{};

  public:
    entity_list() noexcept = default;
    entity_list(const entity_list &) = delete;
    entity_list &operator=(const entity_list &) = delete;
    ~entity_list()
    {
        hm_array_fini(&array_);
    }
    bool reserve(std::uint32_t n, const hm_memory *memory) noexcept
    {
        hm_array_desc desc{};
        desc.item_size = sizeof(hm_handle);
        desc.capacity = n;
        desc.memory = memory;
        return hm_array_init(&array_, &desc) == HM_OK && hm_array_reserve(&array_, n) == HM_OK;
    }
    void add(hm_handle which) noexcept
    {
        *static_cast<hm_handle *>(hm_array_push(&array_)) = which;
    }
    std::uint32_t destroy(hm_world *world) const noexcept
    {
        return hm_world_destroy_n(world, static_cast<hm_handle *>(hm_array_data(&array_)),
                                  static_cast<std::uint32_t>(hm_array_count(&array_)));
    }
};

} // namespace detail

/* Keep a query for as long as the program runs its loop; do not make a new one each time. While a
 * loop runs, no entity moves: calls that would change the world are refused, so record changes in
 * commands. A loop ends with its scope, also by a break, a return or an exception. Loops over one
 * query may run inside each other.
 *
 * A query is movable while it does not run. It stays valid when its world is moved; when that ends,
 * it becomes an empty one, which matches nothing. */
template <class... Types>
class [[nodiscard]] query : public detail::following<hm_query, hm_query_fini>
{
    static_assert(detail::all_differ<detail::component_of<Types>...>,
                  "a component is given twice in a query");
    static_assert(
        !((detail::term<Types>::is_optional && detail::is_tag<detail::component_of<Types>>) || ...),
        "an optional tag changes nothing: ask the world by has<T>");
    using indices = std::index_sequence_for<Types...>;
    using values = detail::loop_values<Types...>;
    template <std::size_t I>
    using term_at = detail::term<std::tuple_element_t<I, std::tuple<Types...>>>;

  public:
    /* An empty query, which matches nothing. */
    query() noexcept = default;
    /* As init; if that fails, the query matches nothing, and hm_last_error says why. */
    template <class... Filters> explicit query(world &in, Filters... filters) noexcept
    {
        (void)init(in, filters...);
    }
    /* Ends the query as it is, and makes it anew, with filters hm::without<...>() and
     * hm::any_of<...>(). Types that the world has not met become components. Fails as
     * hm_query_init and world::component do. */
    template <class... Filters> status init(world &in, Filters... filters) noexcept
    {
        static_assert((detail::is_filter<Filters> && ...),
                      "the filters of a query are hm::without<...>() and hm::any_of<...>()");
        static_assert((sizeof...(Types) + ... + detail::filter_size<Filters>) <= HM_QUERY_MAX_TERMS,
                      "a query has at most HM_QUERY_MAX_TERMS components");
        end();
        detail::world_core &of = detail::world_access::core_of(in);
        if (!of.is_live())
            return of.refuse();
        detail::term_reader terms(of);
        (terms.template read<Types>(detail::term<Types>::is_optional ? terms.optional : terms.all),
         ...);
        (terms.filter(filters), ...);
        if (terms.returned != HM_OK)
            return terms.returned;
        const hm_query_desc desc = terms.desc();
        status returned = hm_query_init(c(), &of.c, &desc);
        if (returned == HM_OK)
            follow(of, of.queries);
        return returned;
    }
    /* Calls f(values...) or f(entity, values...) for each entity. */
    template <class F> void each(F &&f)
    {
        constexpr bool takes_entity = detail::takes_entity_and<F, values>;
        constexpr bool is_right = takes_entity || detail::takes<F, values>;
        static_assert(
            is_right,
            "each calls f(values...) or f(entity, values...), where a value is T & for T, "
            "const T & for const T, T * for hm::optional<T>, and left out for a tag");
        if constexpr (is_right)
            visit_views([&](const hm_view &of) { visit<takes_entity>(f, of); });
    }
    /* The same as a range, of tuples of entity and values: for (auto [which, p, v] : q.each()). It
     * has input iterators, for standard algorithms, and may be read once: the loop goes on where
     * the last iterator has stopped. Iterators are valid until the range is moved. Not of a
     * temporary query, which would end before the loop begins: that does not compile. */
    class rows;
    [[nodiscard]] rows each() &noexcept
    {
        return rows(c());
    }
    template <class Query = query> rows each() &&noexcept
    {
        static_assert(detail::never<Query>,
                      "this query ends before the loop over it begins: keep it in a variable, "
                      "hm::query<...> found(world), for (auto [...] : found.each())");
        return rows(this->c());
    }
    /* The entities of a view, a span that also tells of the view's values. Example:
     *
     *     movers.each_view([&](decltype(movers)::view view, position *p, const velocity *) {
     *         if (view.changed<position>() > last_run)
     *             upload(p, view.size());
     *     });
     */
    class view : public span<const entity>
    {
        hm_query_loop *loop_;

      public:
        view(const hm_view &of, hm_query_loop *loop) noexcept
            : span<const entity>(reinterpret_cast<const entity *>(of.entities), of.count),
              loop_(loop)
        {
        }
        /* When the values of this type in the view last changed, by the world's clock. As
         * hm_query_changed. */
        template <class T> [[nodiscard]] std::uint64_t changed() const noexcept
        {
            return hm_query_changed(loop_, column_of<index_of<T>()>());
        }
        /* Says that these values were written, as hm_query_touch. */
        template <class T> void touch() const noexcept
        {
            hm_query_touch(loop_, column_of<index_of<T>()>());
        }
    };
    /* Calls f(view, columns...) for each view: a span of entities, and for each type except tags
     * the address of their values, or nullptr if these entities lack an optional one. What f takes
     * as its first argument may be an hm::span<const hm::entity>. */
    template <class F> void each_view(F &&f)
    {
        detail::running loop(c());
        visit_views_of(loop.c(), f);
    }
    /* Part of a loop, for one of several threads. It ends with the object, or when all is visited.
     */
    class part;
    /* Begins the parts, which together visit what one loop would: as hm_query_begin_parts. Those
     * that run are ended first. Example:
     *
     *     std::vector<decltype(movers)::part> parts(8);
     *     movers.begin_parts(parts);
     *     // then on each of 8 threads, with its own i:
     *     parts[i].each([](position &p, const velocity &v) { p.x += v.x; });
     */
    void begin_parts(span<part> parts) noexcept;
    /* The number of entities that a loop would visit. O(archetypes): see hm_query_count. */
    [[nodiscard]] std::uint32_t count() noexcept
    {
        return hm_query_count(c());
    }

    /* Adds components, whose values are zero, to all entities that match, and takes others away, as
     * hm_query_change; `changed` gets their number. Example:
     *
     *     movers.change<frozen>(hm::without<velocity>());
     */
    template <class... Added, class... Removed>
    status change(without<Removed...> = {}, std::uint32_t *changed = nullptr) noexcept
    {
        static_assert((std::is_trivially_default_constructible<Added>::value && ...),
                      "the values are zero, but the default of this type is another one");
        hm_component added[sizeof...(Added) + 1];
        if (changed != nullptr)
            *changed = 0;
        detail::world_core *of = core();
        if (of == nullptr)
            return hm_query_change(c(), nullptr, 0, nullptr, 0, changed);
        status returned = of->require_all<Added...>(added);
        if (returned != HM_OK)
            return returned;
        const detail::known_set<Removed...> gone(*of);
        return hm_query_change(c(), detail::set_of(added), sizeof...(Added), gone.set, gone.count,
                               changed);
    }

    /* Destroys all entities that match, and returns their number: as hm_query_destroy. */
    std::uint32_t destroy_all() noexcept
    {
        return hm_query_destroy(c());
    }
    /* Destroys those for which f(values...) or f(entity, values...) is true, and returns their
     * number. Needs 8 bytes of memory for each, and for each that is promised to commands. If that
     * is refused, and while a query runs, destroys none and returns 0: hm_last_error says which. */
    template <class F> std::uint32_t destroy_if(F &&f)
    {
        constexpr bool takes_entity = detail::takes_entity_and<F, values>;
        constexpr bool is_right = takes_entity || detail::takes<F, values>;
        static_assert(is_right, "destroy_if calls f as each does");
        detail::world_core *of = core();
        if (!is_right || of == nullptr)
            return 0;
        const std::uint32_t n = count() + of->c.promised;
        detail::entity_list doomed;
        if (n != 0 && !doomed.reserve(n, of->memory))
            return 0;
        /* While a query runs, this one perhaps, the world says so. Otherwise promised entities come
         * to life now that nothing else can fail. */
        if (hm_world_create_n(&of->c, nullptr, 0, 0, nullptr, nullptr) != HM_OK)
            return 0;
        visit_views([&](const hm_view &seen) {
            const hm_handle *which = seen.entities;
            auto test = [&](auto &&...arguments) {
                if (std::invoke(f, std::forward<decltype(arguments)>(arguments)...))
                    doomed.add(*which);
                which++;
            };
            if constexpr (is_right)
                visit<takes_entity>(test, seen);
        });
        return doomed.destroy(&of->c);
    }

  private:
    template <class F> void visit_views(F &&f)
    {
        detail::running loop(c());
        for (hm_view each; hm_query_next(loop.c(), &each);)
            f(each);
    }
    template <class F> static void visit_views_of(hm_query_loop *loop, F &f)
    {
        for (hm_view each; hm_query_next(loop, &each);)
            std::apply(
                [&](auto... columns) { (void)std::invoke(f, view(each, loop), columns.values...); },
                columns_of(each, indices()));
    }

    /* The columns of a view are those of the components that are asked for, then the optional ones:
     * that of type I. */
    template <std::size_t I> static constexpr std::uint32_t column_of() noexcept
    {
        constexpr bool is_optional[] = {detail::term<Types>::is_optional..., false};
        std::uint32_t column = 0;
        for (std::size_t i = 0; i < sizeof...(Types); i++)
            if (is_optional[I] ? !is_optional[i] || i < I : !is_optional[i] && i < I)
                column++;
        return column;
    }
    template <class T> static constexpr std::size_t index_of() noexcept
    {
        constexpr bool found[] = {
            std::is_same<std::remove_const_t<T>, detail::component_of<Types>>::value..., true};
        std::size_t i = 0;
        while (!found[i])
            i++;
        static_assert(
            (std::is_same<std::remove_const_t<T>, detail::component_of<Types>>::value || ...),
            "the query has no such type");
        return i;
    }
    template <std::size_t I> static auto column(const hm_view &view) noexcept
    {
        if constexpr (term_at<I>::has_column) {
            using type = typename term_at<I>::type;
            return std::make_tuple(
                typename term_at<I>::column{static_cast<type *>(view.columns[column_of<I>()])});
        } else {
            (void)view;
            return std::tuple<>();
        }
    }
    template <std::size_t... I>
    static auto columns_of(const hm_view &view, std::index_sequence<I...>) noexcept
    {
        (void)view;
        return std::tuple_cat(column<I>(view)...);
    }

    template <bool takes_entity, class F> static void visit(F &f, const hm_view &view)
    {
        std::apply(
            [&f, entities = view.entities, count = view.count](auto... columns) {
                for (std::uint32_t i = 0; i < count; i++) {
                    if constexpr (takes_entity)
                        (void)std::invoke(f, entity(entities[i]), columns[i]...);
                    else
                        (void)std::invoke(f, columns[i]...);
                }
                (void)entities;
            },
            columns_of(view, indices()));
    }
};

template <class... Types> class query<Types...>::part
{
    friend class query;
    hm_query_loop c_{};

  public:
    part() noexcept = default;
    part(const part &) = delete;
    part &operator=(const part &) = delete;
    ~part()
    {
        hm_query_end(&c_);
    }
    /* As the functions of the query. Call one of them once. */
    template <class F> void each(F &&f)
    {
        constexpr bool takes_entity = detail::takes_entity_and<F, values>;
        static_assert(takes_entity || detail::takes<F, values>, "each calls f as that of a query");
        for (hm_view of; hm_query_next(&c_, &of);)
            visit<takes_entity>(f, of);
    }
    template <class F> void each_view(F &&f)
    {
        visit_views_of(&c_, f);
    }
};

template <class... Types> void query<Types...>::begin_parts(span<part> parts) noexcept
{
    static_assert(sizeof(part) == sizeof(hm_query_loop), "they are loops side by side");
    for (part &each : parts)
        hm_query_end(&each.c_);
    hm_query_begin_parts(c(), parts.empty() ? nullptr : &parts.data()->c_,
                         static_cast<std::uint32_t>(parts.size()));
}

/* A loop over a query, which begins here and ends with the object. */
template <class... Types> class [[nodiscard]] query<Types...>::rows
{
    using row =
        typename detail::row_of<(!detail::term<Types>::has_column || ...),
                                decltype(std::tuple_cat(std::declval<std::tuple<entity>>(), //
                                                        std::declval<values>()))>::type;
    using columns = decltype(columns_of(std::declval<const hm_view &>(), indices()));
    detail::running loop_;

  public:
    class iterator : public detail::making<iterator, row>
    {
        hm_query_loop *c_ = nullptr;
        const hm_handle *entities_ = nullptr;
        std::uint32_t at_ = 0, count_ = 0; /* count_ 0: the end */
        columns columns_{};

        void read_view() noexcept
        {
            hm_view view;
            (void)hm_query_next(c_, &view);
            entities_ = view.entities;
            count_ = view.count;
            at_ = 0;
            if (count_ != 0)
                columns_ = columns_of(view, indices());
        }

      public:
        using detail::making<iterator, row>::operator++;

        iterator() noexcept = default;
        explicit iterator(hm_query_loop *c) noexcept : c_(c)
        {
            read_view();
        }
        row operator*() const noexcept
        {
            return std::apply(
                [&](auto... each) { return row(entity(entities_[at_]), each[at_]...); }, columns_);
        }
        iterator &operator++() noexcept
        {
            if (++at_ == count_)
                read_view();
            return *this;
        }
        /* Two iterators are equal if both have come to the end, or neither. */
        friend bool operator==(const iterator &a, const iterator &b) noexcept
        {
            return (a.count_ == 0) == (b.count_ == 0);
        }
    };

    explicit rows(hm_query *c) noexcept : loop_(c)
    {
    }
    [[nodiscard]] iterator begin() noexcept
    {
        return iterator(loop_.c());
    }
    [[nodiscard]] iterator end() const noexcept
    {
        return {};
    }
};

template <class... Types> auto world::each() noexcept
{
    static_assert(detail::never<std::tuple<Types...>>,
                  "a world has no range of its own: keep a query in a variable, "
                  "hm::query<...> found(world), for (auto [...] : found.each())");
    return typename hm::query<Types...>::rows(nullptr); /* so that the loop has no error too */
}

template <class... Types, class F, class... Filters> status world::each(F &&f, Filters... filters)
{
    hm::query<Types...> made;
    status returned = made.init(*this, filters...);
    if (returned == HM_OK)
        made.each(f);
    return returned;
}

} // namespace hm

template <class... Values>
struct std::tuple_size<hm::detail::row_where_tags_have_no_value<Values...>>
    : std::tuple_size<std::tuple<Values...>> {
};
template <std::size_t I, class... Values>
struct std::tuple_element<I, hm::detail::row_where_tags_have_no_value<Values...>>
    : std::tuple_element<I, std::tuple<Values...>> {
};

#endif
