/* SPDX-License-Identifier: MIT */
/* detail/standard, in C++: the headers of the standard library that the classes need. */
#ifndef HANDLE_MAP_DETAIL_STANDARD_HPP
#define HANDLE_MAP_DETAIL_STANDARD_HPP

#if !(__cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L))
#error "handle_map.hpp needs C++17: compile with -std=c++17 or later"
#include <C++17> /* There is no such file: compilers stop here, and list no errors that follow. */
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#if defined(__has_include)
#if __has_include(<version>)
#include <version>
#endif
#endif
#if defined(__cpp_lib_span)
#include <span>
#endif
#if defined(__cpp_exceptions)
#include <stdexcept>
#endif

#endif
