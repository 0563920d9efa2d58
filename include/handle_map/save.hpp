/* SPDX-License-Identifier: MIT */
/* save, in C++: save and load, which every class has. What save.h says holds here too. Sinks and
 * sources are lambdas and must not throw: that ends the program. Items that are trivially copyable
 * are saved as their bytes, unless hm::saved<T> says otherwise; all others need it. */
#ifndef HANDLE_MAP_SAVE_HPP
#define HANDLE_MAP_SAVE_HPP

#include <handle_map/dump.h>
#include <handle_map/handle.hpp>
#include <handle_map/save.h>

#include <optional>

namespace hm
{

/* How a T is saved, for T whose bytes must not be: specialise it with these members. `version` may
 * be missing, and is 0 then. decode gets the version and the size that the file has; the bytes may
 * come from a stranger. Nothing may throw. Example:
 *
 *     template <> struct hm::saved<player> {
 *         static constexpr std::size_t size = 32; // bytes, up to 8,192
 *         static constexpr std::uint32_t version = 2;
 *         static void encode(const player &from, unsigned char *bytes); // zero before
 *         static std::optional<player> decode(std::uint32_t of, const unsigned char *bytes,
 *                                             std::size_t length);
 *     };
 */
template <class T> struct saved;

namespace detail
{

template <class T, class = void> inline constexpr bool is_saved_by_code = false;
template <class T>
inline constexpr bool is_saved_by_code<T, std::void_t<decltype(saved<T>::size)>> = true;

template <class T, class = void> inline constexpr std::uint32_t saved_version = 0;
template <class T>
inline constexpr std::uint32_t saved_version<T, std::void_t<decltype(saved<T>::version)>> =
    saved<T>::version;

template <class T> void encode(const void *item, void *bytes, void *) noexcept
{
    saved<T>::encode(*static_cast<const T *>(item), static_cast<unsigned char *>(bytes));
}

template <class T>
bool decode(std::uint32_t version, const void *bytes, std::size_t size, void *item, void *) noexcept
{
    std::optional<T> made =
        saved<T>::decode(version, static_cast<const unsigned char *>(bytes), size);
    if (!made)
        return false;
    ::new (item) T(std::move(*made));
    return true;
}

/* The descriptor with the code for a T; void: a container without such items. The parameter is a
 * reference, since gcc 12 with -O1 would take for unchanged what a call writes through a pointer in
 * a copy of a parameter. */
template <class T> hm_save_desc save_desc_of(const hm_save_desc &from) noexcept
{
    hm_save_desc with = from;
    if constexpr (!std::is_void<T>::value) {
        static_assert(is_saved_by_code<T> || std::is_trivially_copyable<T>::value,
                      "items of this type are no plain bytes: specialise hm::saved for it");
        if constexpr (is_saved_by_code<T>) {
            with.version = saved_version<T>;
            with.encoded_size = saved<T>::size;
            with.encode = &encode<T>;
            with.decode = &decode<T>;
        }
    }
    return with;
}

/* A lambda, or an hm_sink, as the sink of C; it must outlive that. */
template <class Sink> hm_sink sink_of(Sink &sink) noexcept
{
    if constexpr (std::is_same<std::remove_const_t<Sink>, hm_sink>::value)
        return sink;
    else
        return {[](void *context, const void *bytes, std::size_t size) noexcept -> bool {
                    return (*static_cast<Sink *>(context))(bytes, size);
                },
                const_cast<void *>(static_cast<const void *>(std::addressof(sink)))};
}

template <class Source> hm_source source_of(Source &source) noexcept
{
    if constexpr (std::is_same<std::remove_const_t<Source>, hm_source>::value)
        return source;
    else
        return {[](void *context, void *bytes, std::size_t size) noexcept -> bool {
                    return (*static_cast<Source *>(context))(bytes, size);
                },
                const_cast<void *>(static_cast<const void *>(std::addressof(source)))};
}

/* The C struct of a secondary from old handles to new ones. */
template <class Handle, class Remap> hm_secondary *remap_of(Remap &remap) noexcept
{
    static_assert(std::is_same<typename Remap::handle_type, Handle>::value &&
                      std::is_same<typename Remap::value_type, Handle>::value,
                  "a remap is a secondary whose owners and values are handles of the container");
    return remap.c();
}

} // namespace detail
} // namespace hm

#endif
