/* SPDX-License-Identifier: MIT */
/* handle_map: containers whose items are named by handles instead of pointers. This header includes
 * all others; each also compiles alone. docs/design.md says which of them uses which. */
#ifndef HANDLE_MAP_HANDLE_MAP_H
#define HANDLE_MAP_HANDLE_MAP_H

#include <handle_map/array.h>
#include <handle_map/base.h>
#include <handle_map/bits.h>
#include <handle_map/commands.h>
#include <handle_map/directory.h>
#include <handle_map/handle.h>
#include <handle_map/id_table.h>
#include <handle_map/index.h>
#include <handle_map/lists.h>
#include <handle_map/map.h>
#include <handle_map/memory.h>
#include <handle_map/order.h>
#include <handle_map/pool.h>
#include <handle_map/query.h>
#include <handle_map/secondary.h>
#include <handle_map/table.h>
#include <handle_map/transpose.h>
#include <handle_map/world.h>
#ifndef HM_FREESTANDING /* It prints, and must come last: nothing that it includes is left out. */
#include <handle_map/report.h>
#endif

#endif
