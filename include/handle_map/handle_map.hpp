/* SPDX-License-Identifier: MIT */
/* All of handle_map for C++17: classes over the C library, which own their containers, construct
 * items in place and take lambdas. They are inline, and cost what the C functions cost. Each X.hpp
 * also compiles alone, and what X.h says holds there too, as does all of handle_map.h.
 *
 * The rest of this comment holds for every class.
 *
 * Names are those of C, but for the standard library's: size() is hm_map_count, stats()
 * hm_map_get_stats, begin() and data() the items.
 *
 * Failing. No exception is thrown: a call that fails returns what the C function returns, and
 * hm_last_error says why. value_or_throw is for programs that prefer an exception. All headers
 * compile with -fno-exceptions -fno-rtti; then value_or_throw does not exist.
 *
 * Exceptions. One reaches the caller if an item's constructor throws it, or the function passed to
 * each, each_view, destroy_if or for_each_run. If a constructor throws, the container is as before,
 * but for the generation of a pool's slot. Thrown by a predicate of erase_if or remove_if, a less,
 * a key or a destructor, an exception ends the program, since C code calls these.
 *
 * Type ids. The compiler tells handles apart by T alone. Two containers of the same T and the same
 * type id take each other's handles, and each begins with index 0, generation 1: so a handle of the
 * one names an item of the other. hm::map<sprite, hm::unique> gives each map a type id of its own;
 * then the handles of the one are foreign to the other, which refuses them. So do type ids that the
 * program chooses, as hm::map<sprite, 7> or in the options. Or make the two types different, as by
 * struct enemy : sprite {}, and the compiler refuses.
 *
 * Types. T may be incomplete where a class has a map, a pool, a secondary or lists of it as a
 * member: struct node { hm::map<node> children; }. It must be complete where the container is made.
 *
 * Callbacks. A destructor, a predicate, a less and a key must not change the container that calls
 * them.
 *
 * Moving. Containers are movable and not copyable. Moving leaves an empty container of capacity 0,
 * and handles stay valid in the other one. An hm::history is neither.
 *
 * Threads: as in C. */
#ifndef HANDLE_MAP_HANDLE_MAP_HPP
#define HANDLE_MAP_HANDLE_MAP_HPP

#include <handle_map/commands.hpp>
#include <handle_map/container.hpp>
#include <handle_map/handle.hpp>
#include <handle_map/history.hpp>
#include <handle_map/index.hpp>
#include <handle_map/lists.hpp>
#include <handle_map/map.hpp>
#include <handle_map/order.hpp>
#include <handle_map/pool.hpp>
#include <handle_map/query.hpp>
#include <handle_map/save.hpp>
#include <handle_map/secondary.hpp>
#include <handle_map/table.hpp>
#include <handle_map/world.hpp>

#endif
