/* SPDX-License-Identifier: MIT */
/* pool, in C++: hm::pool<T, TypeId = 0, Storage = HM_STORAGE_VIRTUAL>, an owner of an hm_pool. What
 * pool.h says holds here too, and what handle_map.hpp and container.hpp say of all classes.
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

#include <handle_map/container.hpp>

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
    std::uint16_t generation_bits = 0; /* 2 to 16; 0: 16 */
};

namespace detail
{

template <class T, std::uint16_t TypeId, hm_storage Storage>
struct pool_shape : shape_of<hm_pool, hm_pool_desc, pool_options, hm::handle<T>, T, TypeId> {
    using value = T;
    static constexpr bool constructs_in_place = true; /* an item may be pointed to by itself */
    static void complete(hm_pool_desc &desc, const pool_options &with) noexcept
    {
        require_item<T>();
        desc.item_size = sizeof(T);
        desc.item_align = alignof(T);
        desc.storage = with.storage != HM_STORAGE_VIRTUAL ? with.storage : Storage;
        desc.block_size = with.block_size;
        desc.generation_bits = with.generation_bits;
        desc.destroy = destroy_hook<T>();
    }
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
    static hm_handle handle_at(const hm_pool *pool, std::uint32_t i) noexcept
    {
        return hm_pool_handle_at(pool, i);
    }
    static T *at(const hm_pool *pool, std::uint32_t i) noexcept
    {
        return static_cast<T *>(hm_pool_item_at_sized(pool, i, sizeof(T)));
    }
    /* Gives back the slot of an item whose constructor has thrown: there is nothing to destroy. */
    static void undo(hm_pool *pool, hm_handle made) noexcept
    {
        auto hook = std::exchange(pool->destroy, nullptr);
        (void)hm_pool_erase(pool, made);
        pool->destroy = hook;
    }
};

template <class Shape> using pool_base = inserter<eraser<holder<issuer<container<Shape>>>>>;

/* The iterator of a pool: next_run finds the next item. */
template <class Value>
class cursor
    : public stepping<cursor<Value>, std::forward_iterator_tag, std::remove_const_t<Value>, Value &>
{
    const hm_pool *pool_ = nullptr;
    std::uint32_t at_ = HM_INVALID_INDEX;

    Value *item() const noexcept
    {
        return static_cast<Value *>(hm_pool_live_at_sized(pool_, at_, sizeof(Value)));
    }

  public:
    using pointer = Value *;
    using stepping<cursor, std::forward_iterator_tag, std::remove_const_t<Value>,
                   Value &>::operator++;

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
        return *item();
    }
    Value *operator->() const noexcept
    {
        return item();
    }
    cursor &operator++() noexcept
    {
        at_ = hm_pool_next_run(pool_, at_ + 1, nullptr);
        return *this;
    }
    friend bool operator==(const cursor &a, const cursor &b) noexcept
    {
        return a.at_ == b.at_;
    }
};

} // namespace detail

/* The rest of what it has is told in container.hpp. */
template <class T, std::uint16_t TypeId = 0, hm_storage Storage = HM_STORAGE_VIRTUAL>
class pool : public detail::pool_base<detail::pool_shape<T, TypeId, Storage>>
{
    using shape = detail::pool_shape<T, TypeId, Storage>;

  public:
    using relocatable = pool;
    using iterator = detail::cursor<T>;
    using const_iterator = detail::cursor<const T>;
    using detail::pool_base<shape>::pool_base;

    [[nodiscard]] iterator begin() noexcept
    {
        return {this->c(), shape::first(this->c())};
    }
    [[nodiscard]] iterator end() noexcept
    {
        return {};
    }
    [[nodiscard]] const_iterator begin() const noexcept
    {
        return {this->c(), shape::first(this->c())};
    }
    [[nodiscard]] const_iterator end() const noexcept
    {
        return {};
    }
    /* Calls f(span) for each run of adjacent items: the fastest loop where holes are few. f must
     * not change the pool. */
    template <class F> void for_each_run(F f)
    {
        visit_runs<T>(this->c(), f);
    }
    template <class F> void for_each_run(F f) const
    {
        visit_runs<const T>(this->c(), f);
    }
    /* The item at an index, which is that of its handle; nullptr for a hole and past the end. An
     * item keeps its index. */
    [[nodiscard]] T *at_index(std::uint32_t index) noexcept
    {
        return shape::at(this->c(), index);
    }
    [[nodiscard]] const T *at_index(std::uint32_t index) const noexcept
    {
        return shape::at(this->c(), index);
    }

  private:
    template <class Value, class F> static void visit_runs(const hm_pool *pool, F &f)
    {
        std::uint32_t length;
        for (std::uint32_t i = hm_pool_next_run(pool, 0, &length); i != HM_INVALID_INDEX;
             i = hm_pool_next_run(pool, i + length, &length))
            f(span<Value>(static_cast<T *>(hm_pool_live_at_sized(pool, i, sizeof(T))), length));
    }
};

} // namespace hm

#endif
