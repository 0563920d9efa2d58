/* SPDX-License-Identifier: MIT */
/* All of handle_map for C++17: classes over the C library, which own their containers, construct
 * items in place and take lambdas. They are inline, and cost what the C functions cost. */
#ifndef HANDLE_MAP_HANDLE_MAP_HPP
#define HANDLE_MAP_HANDLE_MAP_HPP

#include <handle_map/commands.hpp>
#include <handle_map/handle.hpp>
#include <handle_map/index.hpp>
#include <handle_map/lists.hpp>
#include <handle_map/map.hpp>
#include <handle_map/order.hpp>
#include <handle_map/pool.hpp>
#include <handle_map/query.hpp>
#include <handle_map/secondary.hpp>
#include <handle_map/table.hpp>
#include <handle_map/world.hpp>

#endif
