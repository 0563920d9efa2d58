/* SPDX-License-Identifier: MIT */
/* history, in C++: hm::history, an owner of an hm_history, and hm::mark, a moment in it. What
 * history.h says holds here too; containers say what changed between two marks (container.hpp).
 * Example:
 *
 *     int frame = 0;
 *     hm::history history({60}); // .marks = 60 under C++20
 *     hm::map<ship> ships({0, 0, 0, history.memory()});
 *     history.watch(frame);
 *     const hm::mark before = history.mark();
 *     ships.clear();
 *     frame = 1;
 *     history.rewind(before); // all ships are there again, and frame is 0
 */
#ifndef HANDLE_MAP_HISTORY_HPP
#define HANDLE_MAP_HISTORY_HPP

#include <handle_map/handle.hpp>
#include <handle_map/history.h>

namespace hm
{

using history_stats = hm_history_stats;

/* A moment that a history has taken: its number, above 0, with a type. Of two marks of one history
 * the later one is greater. That it was taken does not say that it is still kept. */
class mark
{
    std::uint64_t number_ = 0;

  public:
    /* None: a moment at which there was nothing. No rewind goes there. */
    constexpr mark() noexcept = default;
    /* For numbers that were stored or sent, those of history_stats and of the C library. */
    constexpr explicit mark(std::uint64_t number) noexcept : number_(number)
    {
    }
    [[nodiscard]] constexpr std::uint64_t number() const noexcept
    {
        return number_;
    }
    /* Whether it was taken. */
    constexpr explicit operator bool() const noexcept
    {
        return number_ != 0;
    }
    friend constexpr bool operator==(mark a, mark b) noexcept
    {
        return a.number_ == b.number_;
    }
    friend constexpr bool operator!=(mark a, mark b) noexcept
    {
        return a.number_ != b.number_;
    }
    friend constexpr bool operator<(mark a, mark b) noexcept
    {
        return a.number_ < b.number_;
    }
    friend constexpr bool operator>(mark a, mark b) noexcept
    {
        return a.number_ > b.number_;
    }
    friend constexpr bool operator<=(mark a, mark b) noexcept
    {
        return a.number_ <= b.number_;
    }
    friend constexpr bool operator>=(mark a, mark b) noexcept
    {
        return a.number_ >= b.number_;
    }
};

/* As hm_history_desc; what is left out has its defaults. */
struct history_options {
    std::uint32_t marks = 0; /* kept at most; each further one replaces the oldest */
    hm_history_method method = HM_HISTORY_AUTO;
    std::size_t size = 0;              /* bytes of address space for all containers together */
    const hm_memory *memory = nullptr; /* the parent; must outlive the history */
    std::uint64_t epoch = 0;           /* goes with each mark to whoever follows the history */
};

/* Neither copied nor moved, since containers keep its address; so a class that has one as a member
 * is not, either. It must outlive its containers, so declare it before them: if it ends while one
 * uses its memory, that is a broken contract. */
class [[nodiscard]] history
{
    hm_history c_{};

    template <class T> static constexpr void require_plain() noexcept
    {
        static_assert(std::is_trivially_copyable<T>::value && !std::is_const<T>::value,
                      "a history watches plain bytes, which it can write again: containers with "
                      "its memory() are rewound without a watch, and what a value owns elsewhere "
                      "would not come back");
    }

  public:
    /* As with options{}. */
    history() noexcept
    {
        (void)init(history_options());
    }
    /* As init; if that fails, the history is false, containers refuse its memory, and hm_last_error
     * says why. */
    explicit history(const history_options &with) noexcept
    {
        (void)init(with);
    }
    history(const history &) = delete;
    history &operator=(const history &) = delete;
    /* As hm_history_fini. */
    ~history()
    {
        hm_history_fini(&c_);
    }
    /* Ends the history as it is, and so all its marks, and makes it anew; fails as hm_history_init
     * does. Its containers must have ended. */
    status init(const history_options &with) noexcept
    {
        hm_history_fini(&c_);
        hm_history_desc desc{};
        desc.marks = with.marks;
        desc.method = with.method;
        desc.size = with.size;
        desc.memory = with.memory;
        desc.epoch = with.epoch;
        return hm_history_init(&c_, &desc);
    }
    /* Whether init has succeeded. */
    explicit operator bool() const noexcept
    {
        return c_.base != nullptr;
    }
    /* For the functions of the C library. */
    [[nodiscard]] hm_history *c() noexcept
    {
        return &c_;
    }
    [[nodiscard]] const hm_history *c() const noexcept
    {
        return &c_;
    }
    /* For the options of what is to be rewound: containers, and commands by their world. */
    [[nodiscard]] const hm_memory *memory() noexcept
    {
        return &c_.table;
    }

    /* Takes this moment; false if it was refused, and hm_last_error says why: as hm_history_mark.
     */
    hm::mark mark() noexcept
    {
        return hm::mark(hm_history_mark(&c_));
    }
    /* Puts everything back as it was at the mark: as hm_history_rewind. */
    status rewind(hm::mark to) noexcept
    {
        return hm_history_rewind(&c_, to.number());
    }
    /* From the next mark on, this object is marked and rewound too, where it is now: plain state of
     * the program. It must stay there until unwatch. As hm_history_watch, which takes any bytes. */
    template <class T> status watch(T &object) noexcept
    {
        require_plain<T>();
        const void *const bytes = std::addressof(object);
        return hm_history_watch(&c_, const_cast<void *>(bytes), sizeof(T));
    }
    /* Ends that, in all marks; false if the object was not watched. As hm_history_unwatch. */
    template <class T> bool unwatch(T &object) noexcept
    {
        require_plain<T>();
        return hm_history_unwatch(&c_, std::addressof(object));
    }

    /* The epoch and the current mark, for the descriptors of saves. */
    [[nodiscard]] hm_position position() const noexcept
    {
        return hm_history_position(&c_);
    }
    [[nodiscard]] history_stats stats() const noexcept
    {
        return hm_history_get_stats(&c_);
    }
    [[nodiscard]] status validate() const noexcept
    {
        return hm_history_validate(&c_);
    }
};

/* What containers take where a history is asked for: this one, or that of C. */
class history_argument
{
    const hm_history *c_;

  public:
    history_argument(const history &of) noexcept : c_(of.c())
    {
    }
    history_argument(const hm_history &of) noexcept : c_(&of)
    {
    }
    operator const hm_history *() const noexcept
    {
        return c_;
    }
};

/* And for a mark: this, or its number. */
class mark_argument
{
    std::uint64_t number_ = 0;

  public:
    constexpr mark_argument() noexcept = default;
    constexpr mark_argument(mark of) noexcept : number_(of.number())
    {
    }
    constexpr mark_argument(std::uint64_t number) noexcept : number_(number)
    {
    }
    constexpr operator std::uint64_t() const noexcept
    {
        return number_;
    }
};

#if defined(__cpp_exceptions)

/* Returns the mark, or throws what hm_last_error says if it was refused. */
inline mark value_or_throw(mark taken)
{
    if (!taken)
        throw error(hm_last_error());
    return taken;
}

#endif

} // namespace hm

#endif
