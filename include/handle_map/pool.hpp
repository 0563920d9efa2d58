/* SPDX-License-Identifier: MIT */
/* pool, in C++: hm::pool<T, TypeId = 0, Storage = HM_STORAGE_VIRTUAL>, an owner of an hm_pool. What
 * pool.h says holds here too, and what handle_map.hpp says of all classes.
 *
 * Items never move, not even when the pool is moved. So T may be any type: std::string,
 * std::unique_ptr, a type that holds pointers into itself or is pointed to. Example:
 *
 *     hm::pool<std::string> names(1000);
 *     hm::handle<std::string> hero = names.emplace("hero");
 *     const std::string *address = names.get(hero); // stays there until it is erased
 *     for (std::string &name : names)
 *         name += "!";
 *
 * A loop over a pool may insert and erase: an item that is erased is not visited afterwards, one
 * that is inserted may be. A constructor of T may use the pool. */
#ifndef HANDLE_MAP_POOL_HPP
#define HANDLE_MAP_POOL_HPP

#include <handle_map/detail/container.hpp>

namespace hm
{

/* As hm::options, and how the pool's memory comes. */
struct pool_options {
    std::uint32_t capacity = 0;
    std::uint32_t max_slots = 0;
    std::uint16_t type_id = 0;               /* 0: that of the class */
    hm_storage storage = HM_STORAGE_VIRTUAL; /* VIRTUAL: that of the class */
    std::size_t block_size = 0;              /* bytes */
    const hm_memory *memory = nullptr;
    const char *name = nullptr;
};

template <class T, std::uint16_t TypeId = 0, hm_storage Storage = HM_STORAGE_VIRTUAL> class pool
{
    detail::owned<hm_pool, hm_pool_fini> own_;

    static T *item(const hm_pool *pool, std::uint32_t index) noexcept
    {
        return static_cast<T *>(hm_pool_item_as(pool, index, sizeof(T)));
    }

    struct positions {
        using container = hm_pool;
        using handle = hm::handle<T>;

        static std::uint32_t first(const hm_pool *pool) noexcept
        {
            return hm_pool_next_run(pool, 0, nullptr);
        }
        static std::uint32_t next(const hm_pool *pool, std::uint32_t i) noexcept
        {
            return hm_pool_next_run(pool, i + 1, nullptr);
        }
        static std::uint32_t end(const hm_pool *) noexcept
        {
            return HM_INVALID_INDEX;
        }
        static std::uint32_t count(const hm_pool *pool) noexcept
        {
            return hm_pool_count(pool);
        }
        static hm_handle handle_at(const hm_pool *pool, std::uint32_t i) noexcept
        {
            return hm_pool_handle_at(pool, i);
        }
        static T *at(const hm_pool *pool, std::uint32_t i) noexcept
        {
            return item(pool, i);
        }
    };

    template <class Value> class cursor
    {
        const hm_pool *pool_ = nullptr;
        std::uint32_t at_ = HM_INVALID_INDEX;

      public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = std::remove_const_t<Value>;
        using difference_type = std::ptrdiff_t;
        using reference = Value &;
        using pointer = Value *;

        cursor() noexcept = default;
        /* From the iterator of a pool that is not const. */
        operator cursor<const Value>() const noexcept
        {
            return {pool_, at_};
        }
        cursor(const hm_pool *pool, std::uint32_t at) noexcept : pool_(pool), at_(at)
        {
        }
        Value &operator*() const noexcept
        {
            return *item(pool_, at_);
        }
        Value *operator->() const noexcept
        {
            return item(pool_, at_);
        }
        cursor &operator++() noexcept
        {
            at_ = hm_pool_next_run(pool_, at_ + 1, nullptr);
            return *this;
        }
        cursor operator++(int) noexcept
        {
            cursor before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const cursor &a, const cursor &b) noexcept
        {
            return a.at_ == b.at_;
        }
        friend bool operator!=(const cursor &a, const cursor &b) noexcept
        {
            return a.at_ != b.at_;
        }
    };

  public:
    using value_type = T;
    using handle_type = hm::handle<T>;
    using size_type = std::uint32_t;
    using difference_type = std::ptrdiff_t;
    using reference = T &;
    using const_reference = const T &;
    using iterator = cursor<T>;
    using const_iterator = cursor<const T>;

    /* An empty pool of capacity 0. */
    pool() noexcept = default;
    /* As init; if that fails, the pool has capacity 0, and hm_last_error says why. */
    explicit pool(std::uint32_t capacity) noexcept
    {
        pool_options with;
        with.capacity = capacity;
        (void)init(with);
    }
    explicit pool(const pool_options &with) noexcept
    {
        (void)init(with);
    }

    /* Ends the pool as it is, and makes it anew; fails as hm_pool_init does. */
    status init(const pool_options &with) noexcept
    {
        detail::require_item<T>();
        hm_pool_fini(&own_.c);
        hm_pool_desc desc{};
        desc.item_size = sizeof(T);
        desc.item_align = alignof(T);
        desc.capacity = with.capacity;
        desc.max_slots = with.max_slots;
        desc.type_id = detail::type_id_or<TypeId>(with.type_id);
        desc.storage = with.storage != HM_STORAGE_VIRTUAL ? with.storage : Storage;
        desc.block_size = with.block_size;
        desc.memory = with.memory;
        desc.name = with.name;
        desc.destroy = detail::destroy_hook<T>();
        return hm_pool_init(&own_.c, &desc);
    }
    /* Whether init has succeeded. */
    explicit operator bool() const noexcept
    {
        return hm_pool_capacity(&own_.c) != 0;
    }
    /* For the functions of the C library. */
    hm_pool *c_pool() noexcept
    {
        return &own_.c;
    }
    const hm_pool *c_pool() const noexcept
    {
        return &own_.c;
    }

    /* Makes an item in place, by T(args...) or T{args...}, and returns its handle; null when
     * refused. O(1). */
    template <class... Args> handle_type emplace(Args &&...args)
    {
        void *place;
        hm_handle made = hm_pool_emplace_as(&own_.c, &place, sizeof(T));
        if (place == nullptr)
            return handle_type();
#if defined(__cpp_exceptions)
        if constexpr (!detail::constructs_without_throwing<T, Args...>()) {
            try {
                detail::construct<T>(place, std::forward<Args>(args)...);
            } catch (...) {
                undo(made);
                throw;
            }
            return handle_type(made);
        }
#endif
        detail::construct<T>(place, std::forward<Args>(args)...);
        return handle_type(made);
    }
    handle_type insert(const T &item)
    {
        return emplace(item);
    }
    handle_type insert(T &&item)
    {
        return emplace(std::move(item));
    }
    /* As hm_pool_insert_n. `items` nullptr: zeroed ones; `handles` nullptr: not reported. Here, and
     * in get_n, contains_n and erase_n, n items or handles may also be given as a span, and so as a
     * std::vector. */
    status insert_n(const T *items, std::uint32_t n, handle_type *handles = nullptr) noexcept
    {
        detail::require_copyable<T>();
        return hm_pool_insert_n(&own_.c, items, n, detail::ids(handles));
    }
    status insert_n(span<const T> items, handle_type *handles = nullptr) noexcept
    {
        return insert_n(items.data(), detail::count_of(items.size()), handles);
    }

    /* The item, or nullptr when the handle does not resolve. O(1). */
    [[nodiscard]] T *get(handle_type handle) noexcept
    {
        return static_cast<T *>(hm_pool_get_as(&own_.c, handle.id(), sizeof(T)));
    }
    [[nodiscard]] const T *get(handle_type handle) const noexcept
    {
        return static_cast<const T *>(hm_pool_get_as(&own_.c, handle.id(), sizeof(T)));
    }
    /* As hm_pool_get_n. */
    std::uint32_t get_n(const handle_type *handles, std::uint32_t n, T **items) noexcept
    {
        return hm_pool_get_n(&own_.c, detail::ids(handles), n, reinterpret_cast<void **>(items));
    }
    std::uint32_t get_n(span<const handle_type> handles, T **items) noexcept
    {
        return get_n(handles.data(), detail::count_of(handles.size()), items);
    }
    [[nodiscard]] bool contains(handle_type handle) const noexcept
    {
        return hm_pool_contains(&own_.c, handle.id());
    }
    std::uint32_t contains_n(const handle_type *handles, std::uint32_t n,
                             bool *alive) const noexcept
    {
        return hm_pool_contains_n(&own_.c, detail::ids(handles), n, alive);
    }
    std::uint32_t contains_n(span<const handle_type> handles, bool *alive) const noexcept
    {
        return contains_n(handles.data(), detail::count_of(handles.size()), alive);
    }

    /* Destroys the item; false when the handle does not resolve. O(1). */
    bool erase(handle_type handle) noexcept
    {
        return hm_pool_erase_as(&own_.c, handle.id(), sizeof(T));
    }
    std::uint32_t erase_n(const handle_type *handles, std::uint32_t n) noexcept
    {
        return hm_pool_erase_n(&own_.c, detail::ids(handles), n);
    }
    std::uint32_t erase_n(span<const handle_type> handles) noexcept
    {
        return erase_n(handles.data(), detail::count_of(handles.size()));
    }
    /* Erases the items for which the predicate, of (const T &), is true; returns their number. */
    template <class Predicate> std::uint32_t erase_if(Predicate doomed) noexcept
    {
        return hm_pool_erase_if(&own_.c, &detail::ask<T, Predicate>, &doomed);
    }
    void clear() noexcept
    {
        hm_pool_clear(&own_.c);
    }
    status trim() noexcept
    {
        return hm_pool_trim(&own_.c);
    }
    /* Makes the next n inserts succeed; n is additional. */
    status reserve(std::uint32_t n) noexcept
    {
        return hm_pool_reserve(&own_.c, n);
    }

    [[nodiscard]] std::uint32_t size() const noexcept
    {
        return hm_pool_count(&own_.c);
    }
    [[nodiscard]] bool empty() const noexcept
    {
        return size() == 0;
    }
    [[nodiscard]] std::uint32_t capacity() const noexcept
    {
        return hm_pool_capacity(&own_.c);
    }
    [[nodiscard]] iterator begin() noexcept
    {
        return {&own_.c, hm_pool_next_run(&own_.c, 0, nullptr)};
    }
    [[nodiscard]] iterator end() noexcept
    {
        return {&own_.c, HM_INVALID_INDEX};
    }
    [[nodiscard]] const_iterator begin() const noexcept
    {
        return {&own_.c, hm_pool_next_run(&own_.c, 0, nullptr)};
    }
    [[nodiscard]] const_iterator end() const noexcept
    {
        return {&own_.c, HM_INVALID_INDEX};
    }
    /* Pairs of handle and value. */
    [[nodiscard]] detail::pairs<positions, T> entries() noexcept
    {
        return detail::pairs<positions, T>(&own_.c);
    }
    [[nodiscard]] detail::pairs<positions, const T> entries() const noexcept
    {
        return detail::pairs<positions, const T>(&own_.c);
    }
    /* Calls f(span) for each run of adjacent items: the fastest loop where holes are few. f must
     * not change the pool. */
    template <class F> void for_each_run(F f)
    {
        visit_runs<T>(&own_.c, f);
    }
    template <class F> void for_each_run(F f) const
    {
        visit_runs<const T>(&own_.c, f);
    }
    /* The item at an index, which is that of its handle; nullptr for a hole and past the end. An
     * item keeps its index. */
    [[nodiscard]] T *at_index(std::uint32_t index) noexcept
    {
        return item(&own_.c, index);
    }
    [[nodiscard]] const T *at_index(std::uint32_t index) const noexcept
    {
        return item(&own_.c, index);
    }
    [[nodiscard]] std::uint32_t index_of(handle_type handle) const noexcept
    {
        return hm_pool_index_of(&own_.c, handle.id());
    }
    bool erase_at(std::uint32_t index) noexcept
    {
        return hm_pool_erase_at(&own_.c, index);
    }
    /* The handle that the (k + 1)-th insert from now will return. See hm_pool_upcoming. */
    [[nodiscard]] handle_type upcoming(std::uint32_t k) const noexcept
    {
        return handle_type(hm_pool_upcoming(&own_.c, k));
    }
    [[nodiscard]] handle_type handle_at(std::uint32_t index) const noexcept
    {
        return handle_type(hm_pool_handle_at(&own_.c, index));
    }
    [[nodiscard]] handle_type handle_of(const T *address) const noexcept
    {
        return handle_type(hm_pool_handle_of(&own_.c, address));
    }

    [[nodiscard]] handle_state explain(handle_type handle) const noexcept
    {
        return hm_pool_explain(&own_.c, handle.id());
    }
    std::size_t describe(handle_type handle, char *buffer, std::size_t size) const noexcept
    {
        return hm_pool_describe(&own_.c, handle.id(), buffer, size);
    }
    /* The type id of the pool's handles. */
    [[nodiscard]] std::uint16_t type_id() const noexcept
    {
        return static_cast<std::uint16_t>(own_.c.fresh_entry >> 16);
    }
    /* For an hm_secondary or an hm_index of C. */
    [[nodiscard]] hm_owners as_owners() const noexcept
    {
        return hm_pool_as_owners(&own_.c);
    }
    [[nodiscard]] hm::stats stats() const noexcept
    {
        return hm_pool_get_stats(&own_.c);
    }
    [[nodiscard]] status validate() const noexcept
    {
        return hm_pool_validate(&own_.c);
    }

  private:
    template <class Value, class F> static void visit_runs(const hm_pool *pool, F &f)
    {
        std::uint32_t length;
        for (std::uint32_t i = hm_pool_next_run(pool, 0, &length); i != HM_INVALID_INDEX;
             i = hm_pool_next_run(pool, i + length, &length))
            f(span<Value>(item(pool, i), length));
    }
    /* Gives back the slot of an item whose constructor has thrown: there is nothing to destroy. */
    void undo(hm_handle made) noexcept
    {
        auto hook = std::exchange(own_.c.destroy, nullptr);
        (void)hm_pool_erase(&own_.c, made);
        own_.c.destroy = hook;
    }
};

template <class T, std::uint16_t TypeId, hm_storage Storage>
struct is_relocatable<pool<T, TypeId, Storage>> : std::true_type {
};

} // namespace hm

#endif
