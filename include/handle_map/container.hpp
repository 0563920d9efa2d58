/* SPDX-License-Identifier: MIT */
/* container, in C++: what the classes of handle_map.hpp have in common. A program includes map.hpp
 * and the like; this header is their manual. Each class is put together from those that follow:
 *
 *     container     all: how it is made, what can be asked of it, clear, trim, reserve
 *     issuer        map, pool, table, lists, world: they issue handles
 *     destroyer     lists, world: destroy, destroy_n
 *     companion     secondary, index: values or keys for the handles of another container
 *     holder        map, pool, secondary: values of one type, found by their handles
 *     eraser        map, pool, table: erase_at, erase_n, promise, give_up
 *     inserter      map, pool: emplace, insert, erase
 *     orderly       map, table, secondary: arrange, touch
 *     packed        map, secondary: the values are one array, which can be put in order
 *
 * Batches take n handles as a pointer and n, or as a span, and so as a std::vector. */
#ifndef HANDLE_MAP_CONTAINER_HPP
#define HANDLE_MAP_CONTAINER_HPP

#include <handle_map/changes.h>
#include <handle_map/history.hpp>
#include <handle_map/order.hpp>
#include <handle_map/save.hpp>

namespace hm
{

/* Owns a container of C. It is movable; one that was moved from is empty, with capacity 0. Shape
 * says which container it is, of what: its C struct, handle, options, and what a descriptor gets.
 */
template <class Shape> class container
{
  protected:
    using shape = Shape;
    using call = detail::functions<typename Shape::c_type>;
    typename Shape::owner own_;

  public:
    using handle_type = typename Shape::handle;
    using options_type = typename Shape::options;
    using size_type = std::uint32_t;

    /* As with options{}: it has no limit and takes items at once, unless its memory was refused. */
    container() noexcept
    {
        (void)init(options_type());
    }
    /* As init; if that fails, the capacity is 0, and hm_last_error says why. */
    explicit container(std::uint32_t capacity) noexcept
    {
        options_type with;
        with.capacity = capacity;
        (void)init(with);
    }
    explicit container(const options_type &with) noexcept
    {
        (void)init(with);
    }

    /* Ends the container as it is, and makes it anew; fails as the init of C does. Without a name
     * in the options, messages have that of its type. */
    status init(const options_type &with) noexcept
    {
        return own_.init(desc_of(with));
    }
    /* Whether init has succeeded. */
    explicit operator bool() const noexcept
    {
        return capacity() != 0;
    }
    /* For the functions of the C library. */
    [[nodiscard]] auto *c() noexcept
    {
        return own_.get();
    }
    [[nodiscard]] const auto *c() const noexcept
    {
        return own_.get();
    }

    [[nodiscard]] std::uint32_t size() const noexcept
    {
        return call::count(c());
    }
    [[nodiscard]] bool empty() const noexcept
    {
        return size() == 0;
    }
    [[nodiscard]] std::uint32_t capacity() const noexcept
    {
        return call::capacity(c());
    }
    [[nodiscard]] bool contains(handle_type handle) const noexcept
    {
        return call::contains(c(), handle.id());
    }
    /* `alive` gets whether each handle resolves; returns how many do. */
    std::uint32_t contains_n(const handle_type *handles, std::uint32_t n,
                             bool *alive) const noexcept
    {
        return call::contains_n(c(), detail::ids(handles), n, alive);
    }
    std::uint32_t contains_n(span<const handle_type> handles, bool *alive) const noexcept
    {
        return contains_n(handles.data(), detail::count_of(handles.size()), alive);
    }
    void clear() noexcept
    {
        call::clear(c());
    }
    status trim() noexcept
    {
        return call::trim(c());
    }
    /* Makes room for n more. */
    status reserve(std::uint32_t n) noexcept
    {
        return call::reserve(c(), n);
    }

    [[nodiscard]] handle_state explain(handle_type handle) const noexcept
    {
        return call::explain(c(), handle.id());
    }
    std::size_t describe(handle_type handle, char *buffer, std::size_t length) const noexcept
    {
        return call::describe(c(), handle.id(), buffer, length);
    }
    [[nodiscard]] hm::stats stats() const noexcept
    {
        return call::get_stats(c());
    }
    [[nodiscard]] status validate() const noexcept
    {
        return call::validate(c());
    }

    /* Writes a section of a file; the sink is a bool(const void *, std::size_t), or an hm_sink.
     * Without a name in the descriptor, the section has that of the container. See save.hpp.
     * Example:
     *
     *     std::vector<char> file;
     *     sprites.save([&](const void *bytes, std::size_t size) {
     *         auto *from = static_cast<const char *>(bytes);
     *         file.insert(file.end(), from, from + size);
     *         return true;
     *     });
     */
    template <class Sink> status save(Sink &&sink, const hm_save_desc &with = {}) const noexcept
    {
        const hm_save_desc desc = detail::save_desc_of<typename Shape::saved_item>(with);
        return call::save(c(), &desc, detail::sink_of(sink));
    }
    /* Reads what save wrote into a container that has issued nothing; the source is a
     * bool(void *, std::size_t), or an hm_source. */
    template <class Source> status load(Source &&source, const hm_save_desc &with = {}) noexcept
    {
        const hm_save_desc desc = detail::save_desc_of<typename Shape::saved_item>(with);
        return call::load(c(), &desc, detail::source_of(source));
    }

    /* Writes lines of text, for a diff or a bug report; the print of the descriptor may be a lambda
     * without captures. See dump.h. */
    template <class Sink> status dump(Sink &&sink, const hm_dump_desc &with = {}) const noexcept
    {
        return call::dump(c(), &with, detail::sink_of(sink));
    }

    /* HM_OK if this container is part of the marks and rewinds of the history, as each is whose
     * memory is the history's; HM_ERROR_INVALID if its memory is another. Asserts that its values
     * are trivially copyable, since a rewind leaves what they own elsewhere; those of a world must
     * be, too. */
    status watch(hm_history &history) noexcept
    {
        using item = typename Shape::saved_item;
        static_assert(std::is_void_v<item> || std::is_trivially_copyable_v<item>,
                      "what this type owns elsewhere would not be rewound");
        return call::watch(c(), &history);
    }
    status watch(hm::history &history) noexcept
    {
        return watch(*history.c());
    }
    /* Makes a change of another container in this one. See changes.h. */
    status apply(const hm_change &change) noexcept
    {
        return call::apply(c(), &change);
    }
    /* Calls visit(const hm_change &) for each value that differs between two marks of a history.
     * From hm::mark() on, all that is there is inserted. See changes.h. Example:
     *
     *     sprites.changes(history, acknowledged, history.mark(), send);
     */
    template <class Visit>
    status changes(history_argument history, mark_argument from, mark_argument to,
                   Visit &&visit) const noexcept
    {
        return call::changes(c(), history, from, to, &show<Visit>, plain(visit));
    }
    /* The same for each value that there is now, as inserted; or for each of n handles. */
    template <class Visit> status visit(Visit &&visit) const noexcept
    {
        return call::visit(c(), nullptr, HM_ALL, &show<Visit>, plain(visit));
    }
    template <class Visit>
    status visit(span<const handle_type> handles, Visit &&visit) const noexcept
    {
        return call::visit(c(), detail::ids(handles.data()), detail::count_of(handles.size()),
                           &show<Visit>, plain(visit));
    }

    /* Writes what changed between two marks, or the values that these handles have now, and makes
     * such changes in this container; sink, source and descriptor as in save and load. See save.h.
     */
    template <class Sink>
    status save_changes(history_argument history, mark_argument from, mark_argument to, Sink &&sink,
                        const hm_save_desc &with = {}) const noexcept
    {
        const hm_save_desc desc = detail::save_desc_of<typename Shape::saved_item>(with);
        return call::save_changes(c(), history, &desc, from, to, detail::sink_of(sink));
    }
    template <class Sink>
    status save_values(span<const handle_type> handles, Sink &&sink,
                       const hm_save_desc &with = {}) const noexcept
    {
        const hm_save_desc desc = detail::save_desc_of<typename Shape::saved_item>(with);
        return call::save_values(c(), &desc, detail::ids(handles.data()),
                                 detail::count_of(handles.size()), detail::sink_of(sink));
    }
    template <class Source>
    status load_changes(Source &&source, const hm_save_desc &with = {}) noexcept
    {
        const hm_save_desc desc = detail::save_desc_of<typename Shape::saved_item>(with);
        return call::load_changes(c(), &desc, detail::source_of(source));
    }
    /* A hash of all values, or of those of these handles, whatever their order in memory. See
     * hm_map_hash. */
    [[nodiscard]] std::uint64_t hash(const hm_save_desc &with = {}) const noexcept
    {
        const hm_save_desc desc = detail::save_desc_of<typename Shape::saved_item>(with);
        return call::hash(c(), &desc, nullptr, HM_ALL);
    }
    [[nodiscard]] std::uint64_t hash(span<const handle_type> handles,
                                     const hm_save_desc &with = {}) const noexcept
    {
        const hm_save_desc desc = detail::save_desc_of<typename Shape::saved_item>(with);
        return call::hash(c(), &desc, detail::ids(handles.data()),
                          detail::count_of(handles.size()));
    }

  protected:
    template <class Visit> static void show(const hm_change *change, void *visit) noexcept
    {
        std::invoke(*static_cast<std::remove_reference_t<Visit> *>(visit), *change);
    }
    template <class Visit> static void *plain(Visit &visit) noexcept
    {
        return const_cast<void *>(static_cast<const void *>(&visit));
    }
    static auto desc_of(const options_type &with) noexcept
    {
        typename Shape::desc desc{};
        desc.capacity = with.capacity;
        desc.max_slots = with.max_slots;
        desc.type_id = with.type_id != 0 ? with.type_id : Shape::type_id();
        desc.memory = with.memory;
        desc.name = with.name != nullptr ? with.name : Shape::name();
        Shape::complete(desc, with);
        return desc;
    }
};

template <class Base> class issuer : public Base
{
  public:
    using Base::Base;
    using typename Base::handle_type;

    /* The handle at a position below size(), of a pool in a slot; null if there is none. */
    [[nodiscard]] handle_type handle_at(std::uint32_t index) const noexcept
    {
        return handle_type(Base::call::handle_at(this->c(), index));
    }
    /* How many more fit. See the available of C. */
    [[nodiscard]] std::uint32_t available() const noexcept
    {
        return Base::call::available(this->c());
    }
    /* The handle that the (k + 1)-th one made from now will have. See the upcoming of C. */
    [[nodiscard]] handle_type upcoming(std::uint32_t k) const noexcept
    {
        return handle_type(Base::call::upcoming(this->c(), k));
    }
    /* Reads what save wrote, and makes its items those of this container, under new handles, which
     * `remap` then has for the old ones: an empty secondary<T, handle<T>>. Over many frames:
     * hm_map_merge_begin(c(), &merge, ...) and so on, save.h. */
    template <class Source, class Remap, class = typename Remap::handle_type>
    status merge(Source &&source, Remap &remap, const hm_save_desc &with = {}) noexcept
    {
        return merge_into(source, detail::remap_of<handle_type>(remap), with);
    }
    /* The same, where nobody needs the new handles. */
    template <class Source> status merge(Source &&source, const hm_save_desc &with = {}) noexcept
    {
        return merge_into(source, nullptr, with);
    }
    /* The type id of the handles; with hm::unique, the number that init has found. */
    [[nodiscard]] std::uint16_t type_id() const noexcept
    {
        return as_owners().type_id;
    }
    /* For an hm_secondary or an hm_index of C. */
    [[nodiscard]] hm_owners as_owners() const noexcept
    {
        return Base::call::as_owners(this->c());
    }

  private:
    template <class Source>
    status merge_into(Source &source, hm_secondary *remap, const hm_save_desc &with) noexcept
    {
        using item = typename Base::shape::saved_item;
        if constexpr (!std::is_void<item>::value)
            static_assert(is_relocatable<item>::value, "a merge moves the items as bytes");
        const hm_save_desc desc = detail::save_desc_of<item>(with);
        return Base::call::merge(this->c(), &desc, detail::source_of(source), remap);
    }
};

template <class Base> class destroyer : public Base
{
  public:
    using Base::Base;
    using typename Base::handle_type;

    /* Makes an empty list, or an entity without components, under a handle that someone else has
     * issued: see the adopt of C. */
    status adopt(handle_type handle) noexcept
    {
        return Base::call::adopt(this->c(), handle.id());
    }
    /* Destroys the list or the entity with all that it has; false when the handle does not
     * resolve. */
    bool destroy(handle_type handle) noexcept
    {
        return Base::call::destroy(this->c(), handle.id());
    }
    std::uint32_t destroy_n(const handle_type *handles, std::uint32_t n) noexcept
    {
        return Base::call::destroy_n(this->c(), detail::ids(handles), n);
    }
    std::uint32_t destroy_n(span<const handle_type> handles) noexcept
    {
        return destroy_n(handles.data(), detail::count_of(handles.size()));
    }
};

template <class Base> class companion : public Base
{
  public:
    using Base::Base;
    using Base::init;
    using typename Base::handle_type;
    using typename Base::options_type;

    companion() noexcept = default;
    companion(std::uint32_t capacity, std::uint32_t max_slots) noexcept
    {
        options_type with;
        with.capacity = capacity;
        with.max_slots = max_slots;
        (void)init(with);
    }
    /* For the items of this container, which is read now and not kept: with its type id and
     * index space, and its capacity unless the options have one, as in glows(sprites, {1000}).
     * Fails if that container has not been initialised, or if the options have another type id or
     * index space. */
    template <class Owners, class = std::enable_if_t<detail::issues_handles<Owners>::value>>
    explicit companion(const Owners &owners, const options_type &with = {}) noexcept
    {
        (void)init(owners, with);
    }
    /* As the constructor with these arguments. */
    template <class Owners, class = std::enable_if_t<detail::issues_handles<Owners>::value>>
    status init(const Owners &owners, const options_type &with = {}) noexcept
    {
        static_assert(std::is_same<typename Owners::handle_type, handle_type>::value,
                      "the handles of this container are not those of the owners");
        auto desc = Base::desc_of(with);
        desc.owners = owners.as_owners();
        return this->own_.init(desc);
    }

    /* Returns how many owners had a value or a key. The handles must not be those that members of
     * this index returns: see remove_key. */
    std::uint32_t remove_n(const handle_type *owners, std::uint32_t n) noexcept
    {
        return Base::call::remove_n(this->c(), detail::ids(owners), n);
    }
    std::uint32_t remove_n(span<const handle_type> owners) noexcept
    {
        return remove_n(owners.data(), detail::count_of(owners.size()));
    }
};

template <class Base> class holder : public Base
{
    using T = typename Base::shape::value;

  public:
    using value_type = T;
    using typename Base::handle_type;
    using difference_type = std::ptrdiff_t;
    using reference = T &;
    using const_reference = const T &;
    using Base::Base;

    /* The value, or nullptr when the handle does not resolve, or has none. O(1). */
    [[nodiscard]] T *get(handle_type handle) noexcept
    {
        return static_cast<T *>(Base::call::get_sized(this->c(), handle.id(), sizeof(T)));
    }
    [[nodiscard]] const T *get(handle_type handle) const noexcept
    {
        return static_cast<const T *>(Base::call::get_sized(this->c(), handle.id(), sizeof(T)));
    }
    /* The addresses of the values of n handles, nullptr where there is none; returns how many
     * there are. */
    std::uint32_t get_n(const handle_type *handles, std::uint32_t n, T **values) noexcept
    {
        return Base::call::get_n(this->c(), detail::ids(handles), n,
                                 reinterpret_cast<void **>(values));
    }
    std::uint32_t get_n(span<const handle_type> handles, T **values) noexcept
    {
        return get_n(handles.data(), detail::count_of(handles.size()), values);
    }
    std::uint32_t get_n(span<const handle_type> handles, const T **values) const noexcept
    {
        return Base::call::get_n(this->c(), detail::ids(handles.data()),
                                 detail::count_of(handles.size()),
                                 reinterpret_cast<void **>(const_cast<T **>(values)));
    }
    /* The position, in a pool the slot, of a handle; HM_INVALID_INDEX when it does not resolve. */
    [[nodiscard]] std::uint32_t index_of(handle_type handle) const noexcept
    {
        return Base::call::index_of(this->c(), handle.id());
    }
    /* The handle of the value at this address; null if there is none. */
    [[nodiscard]] handle_type handle_of(const T *value) const noexcept
    {
        return handle_type(Base::call::handle_of(this->c(), value));
    }
    /* Pairs of handle and value. */
    [[nodiscard]] detail::pairs<typename Base::shape, T> entries() noexcept
    {
        return detail::pairs<typename Base::shape, T>(this->c());
    }
    [[nodiscard]] detail::pairs<typename Base::shape, const T> entries() const noexcept
    {
        return detail::pairs<typename Base::shape, const T>(this->c());
    }
};

template <class Base> class eraser : public Base
{
  public:
    using Base::Base;
    using typename Base::handle_type;

    /* Erases the item whose handle is handle_at(index); false if there is none. */
    bool erase_at(std::uint32_t index) noexcept
    {
        return Base::call::erase_at(this->c(), index);
    }
    std::uint32_t erase_n(const handle_type *handles, std::uint32_t n) noexcept
    {
        return Base::call::erase_n(this->c(), detail::ids(handles), n);
    }
    std::uint32_t erase_n(span<const handle_type> handles) noexcept
    {
        return erase_n(handles.data(), detail::count_of(handles.size()));
    }
    /* Items under handles that are known before: see hm_map_promise. insert_as brings them. */
    status reserve_promises(std::uint32_t n) noexcept
    {
        return Base::call::reserve_promises(this->c(), n);
    }
    [[nodiscard]] handle_type promise() noexcept
    {
        return handle_type(Base::call::promise(this->c()));
    }
    bool give_up(handle_type promised) noexcept
    {
        return Base::call::give_up(this->c(), promised.id());
    }
};

template <class Base> class inserter : public Base
{
    using T = typename Base::value_type;

  public:
    using Base::Base;
    using typename Base::handle_type;

    /* Makes an item, by T(args...) or T{args...}, and returns its handle; null when refused. The
     * arguments may be items of this container. Made in place, but in a map not if the constructor
     * may throw, nor where the map needs more memory first. O(1). */
    template <class... Args> handle_type emplace(Args &&...args)
    {
        constexpr bool may_throw = !detail::constructs_without_throwing<T, Args...>();
        if constexpr (Base::shape::constructs_in_place) {
            void *place;
            const hm_handle made = Base::call::emplace_sized(this->c(), &place, sizeof(T));
            if (place == nullptr)
                return handle_type();
            if constexpr (may_throw)
                construct_or_undo(made, place, std::forward<Args>(args)...);
            else
                detail::construct<T>(place, std::forward<Args>(args)...);
            return handle_type(made);
        } else if constexpr (may_throw) {
            return make_then_insert(std::forward<Args>(args)...);
        } else {
            hm_handle made;
            void *place = Base::shape::open(this->c(), &made);
            if (place == nullptr)
                return make_then_insert(std::forward<Args>(args)...);
            detail::construct<T>(place, std::forward<Args>(args)...);
            return handle_type(made);
        }
    }
    handle_type insert(const T &item)
    {
        return emplace(item);
    }
    handle_type insert(T &&item)
    {
        return emplace(std::move(item));
    }
    /* All or none. `items` nullptr: zeroed ones; `handles` nullptr: not reported. */
    status insert_n(const T *items, std::uint32_t n, handle_type *handles = nullptr) noexcept
    {
        detail::require_copyable<T>();
        return Base::call::insert_n(this->c(), items, n, detail::ids(handles));
    }
    status insert_n(span<const T> items, handle_type *handles = nullptr) noexcept
    {
        return insert_n(items.data(), detail::count_of(items.size()), handles);
    }
    /* As emplace, but under a handle that someone else has issued: see the adopt of C. Without
     * arguments the item is T(). */
    template <class... Args> status adopt(handle_type handle, Args &&...args)
    {
        return insert_under([](auto... all) { return Base::call::adopt(all...); }, handle,
                            std::forward<Args>(args)...);
    }
    /* The same under a handle that promise() has returned. If the constructor throws, that of a map
     * still waits, and that of a pool is refused from then on. */
    template <class... Args> status insert_as(handle_type promised, Args &&...args)
    {
        return insert_under([](auto... all) { return Base::call::insert_as(all...); }, promised,
                            std::forward<Args>(args)...);
    }
    /* Destroys the item; false when the handle does not resolve. O(1). */
    bool erase(handle_type handle) noexcept
    {
        return Base::call::erase_sized(this->c(), handle.id(), sizeof(T));
    }
    /* Erases the items for which the predicate, of (const T &), is true; returns their number. */
    template <class Predicate> std::uint32_t erase_if(Predicate doomed) noexcept
    {
        return Base::call::erase_if(this->c(), &detail::ask_item<T, Predicate>,
                                    static_cast<void *>(&doomed));
    }

  private:
    template <class Insert, class... Args>
    status insert_under(Insert insert, handle_type handle, Args &&...args)
    {
        if constexpr (Base::shape::constructs_in_place) {
            const status inserted = insert(this->c(), handle.id(), nullptr);
            if (inserted == HM_OK)
                construct_or_undo(handle.id(), this->get(handle), std::forward<Args>(args)...);
            return inserted;
        } else {
            detail::maker<T> item(std::forward<Args>(args)...);
            const status inserted = insert(this->c(), handle.id(), item.bytes());
            if (inserted == HM_OK)
                item.was_taken(this->get(handle));
            return inserted;
        }
    }
    /* The item is made before the container grows, since the arguments may be in it. */
    template <class... Args> handle_type make_then_insert(Args &&...args)
    {
        detail::maker<T> item(std::forward<Args>(args)...);
        const hm_handle made = Base::call::insert_sized(this->c(), item.bytes(), sizeof(T));
        if (!hm_handle_is_null(made))
            item.was_taken(this->get(handle_type(made)));
        return handle_type(made);
    }
    template <class... Args> void construct_or_undo(hm_handle made, void *place, Args &&...args)
    {
#if defined(__cpp_exceptions)
        try {
            detail::construct<T>(place, std::forward<Args>(args)...);
        } catch (...) {
            Base::shape::undo(this->c(), made);
            throw;
        }
#else
        (void)made;
        detail::construct<T>(place, std::forward<Args>(args)...);
#endif
    }
};

template <class Base> class orderly : public Base
{
  public:
    using Base::Base;
    using typename Base::handle_type;

    /* Brings what n handles name to the front, in this order. In all it takes fewer swaps than
     * there are items, but may take nearly as many for one handle. */
    progress arrange(const handle_type *handles, std::uint32_t n,
                     budget_argument within = {}) noexcept
    {
        return Base::call::arrange(this->c(), detail::ids(handles), n, within);
    }
    progress arrange(span<const handle_type> handles, budget_argument within = {}) noexcept
    {
        return arrange(handles.data(), detail::count_of(handles.size()), within);
    }
    /* Tells the order that an item, or each of them, was changed in place. */
    void touch(handle_type handle) noexcept
    {
        Base::call::touch(this->c(), handle.id());
    }
    void touch_all() noexcept
    {
        Base::call::touch_all(this->c());
    }
    /* The same, so that what was saved and what is loaded go on alike. */
    void forget_order() noexcept
    {
        Base::call::forget_order(this->c());
    }
};

template <class Base> class packed : public Base
{
    using T = typename Base::value_type;

  public:
    using typename Base::handle_type;
    using iterator = T *;
    using const_iterator = const T *;
    using Base::Base;

    /* The values are one array. Do not sort between begin and end: each handle would name another
     * value afterwards. Call defragment(less), or sort handles. To change values in place is fine;
     * then see touch. */
    [[nodiscard]] T *data() noexcept
    {
        return static_cast<T *>(Base::shape::values(this->c()));
    }
    [[nodiscard]] const T *data() const noexcept
    {
        return static_cast<const T *>(Base::shape::values(this->c()));
    }
    [[nodiscard]] span<T> values() noexcept
    {
        return {data(), this->size()};
    }
    [[nodiscard]] span<const T> values() const noexcept
    {
        return {data(), this->size()};
    }
    [[nodiscard]] T *begin() noexcept
    {
        return data();
    }
    [[nodiscard]] T *end() noexcept
    {
        return data() + this->size();
    }
    [[nodiscard]] const T *begin() const noexcept
    {
        return data();
    }
    [[nodiscard]] const T *end() const noexcept
    {
        return data() + this->size();
    }
    /* Brings the values nearer to the order, within the budget. See order.hpp. */
    template <class Less> progress defragment(Less less, budget_argument within = {}) noexcept
    {
        detail::by_less<T, Less> by(less);
        return Base::call::defragment(this->c(), &by.order, within);
    }
    /* Smaller keys come first. */
    template <class Key> progress defragment_by(Key key, budget_argument within = {}) noexcept
    {
        detail::by_key<T, Key> by(key);
        return Base::call::defragment(this->c(), &by.order, within);
    }
    /* The first value that does not come before the probe, where defragment has put all in the
     * order of a less of the same type; end() if there is none. nullptr when they are not in this
     * order, or busy: hm_last_error says which. */
    template <class Less>
    [[nodiscard]] const T *lower_bound(const T &probe, Less less) const noexcept
    {
        detail::by_less<T, Less> by(less);
        return found(Base::call::lower_bound(this->c(), &by.order, std::addressof(probe)));
    }
    /* The first value that comes after the probe; else as lower_bound. */
    template <class Less>
    [[nodiscard]] const T *upper_bound(const T &probe, Less less) const noexcept
    {
        detail::by_less<T, Less> by(less);
        return found(Base::call::upper_bound(this->c(), &by.order, std::addressof(probe)));
    }

  private:
    const T *found(std::uint32_t index) const noexcept
    {
        return index == HM_INVALID_INDEX ? nullptr : data() + index;
    }
};

} // namespace hm

#endif
