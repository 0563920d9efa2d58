/* SPDX-License-Identifier: MIT */
/* handle_map: containers whose items are named by handles instead of pointers. This header includes
 * all others; each also compiles alone.
 *
 *     map.h         packed items; an erase moves the last item into the hole
 *     pool.h        items that never move; an erase leaves a hole
 *     table.h       rows over parallel columns
 *     secondary.h   values for the items of another container
 *     lists.h       many small arrays, each named by a handle
 *     index.h       which handles have which key
 *     world.h       entities with any set of components; query.h visits them, commands.h records
 *                   changes for later
 *
 *     history.h     puts all containers of a memory table back to an earlier moment
 *     changes.h     what differs between two moments
 *     order.h       how to sort: an order and a budget; most containers are sorted in steps
 *     save.h        files that bring every handle back
 *     sink.h        where files go to and come from; hash.h has a checksum
 *     directory.h   finds the container of any handle
 *     report.h      which containers are alive, and what they take
 *     transpose.h   runs a kernel for columns over an array of structs
 *     memory.h      where memory comes from
 *
 *     handle.h, base.h, bits.h, array.h, id_table.h   what these are made of
 *
 * The rest of this comment holds for every container, that is for map, pool, table, secondary,
 * lists, index and world. Their headers tell only what is particular to each.
 *
 * Handles. A handle is 64 bits (handle.h). It resolves until its item is erased, and is refused
 * ever after: handles never alias from init to fini, but for those that a rewind takes back
 * (history.h). Any 64 bits may be passed as a handle to any function. After fini and another init
 * all slots start afresh, and earlier handles may name new items: to restart a level, clear the
 * container instead.
 *
 * Type ids. There are 32,768. Handles are told apart by them alone: containers that share one, as
 * two maps of one HM_MAP_DEFINE or two worlds of the default 0 do, take each other's handles for
 * their own. Give each its own in its descriptor, or HM_TYPE_ID_UNIQUE (handle.h), also as the
 * number of the macro.
 *
 * Index space. The index of a handle is a *slot*. A slot can be used 65,535 times (or fewer:
 * `generation_bits`), less those uses that trim costs; then it is *retired*, never wrapped. Live,
 * free, retired and promised slots together are at most the descriptor's `max_slots`, up to
 * UINT32_MAX. It is a limit, for which nothing is reserved: a slot takes 8 bytes of memory once it
 * is used. When the index space is used up, inserts fail; the statistics show it in advance. At
 * 60,000 inserts a second the default of 2^20 slots lasts 13 days. Programs that run longer set
 * more: 2^24 slots last 212 days, the maximum 148 years. `max_slots` equal to the capacity gives
 * each slot 65,535 uses. (In a pool trim costs no uses, slots take other sizes, and in one range
 * they are reserved: pool.h. A secondary and an index issue no handles, and have the slots of their
 * owners.)
 *
 * Growing. A container with a capacity reserves its addresses at init; growing commits memory
 * there, and moves nothing that a program can have a pointer to. Only what is kept by slot may
 * move: it has space for twice as many slots as the capacity at first, and when retired slots have
 * used that up, an insert or a reserve moves it to a range of its own, twice as large. One whose
 * capacity is 0 has no limit but the index space. It begins with one page, or 1 KiB where pages are
 * smaller, and moves to a range of twice the size whenever it is full; from its first page at once
 * to 16, where addresses are not scarce (memory.h). So it uses at most about twice the memory that
 * it needs, and three times while it moves. Where the memory table can, pages are moved and not
 * copied. A move invalidates pointers to items, as each header says, but no handle, no position and
 * no order, and calls no hook. Trim moves to a smaller range if half of this one is not in use. If
 * the system refuses, nothing has moved.
 *
 * The same everywhere. Equal calls give equal handles, orders, items and statuses on every machine,
 * whatever the size of a page, the memory table, the size of a pointer and the order of bytes; but
 * for HM_ERROR_MEMORY, and for those limits that a descriptor leaves out which are lower where
 * addresses are scarce, as the headers of lists, pools in one range, worlds and commands say.
 *
 * Failing. There are five situations, and each has its answer:
 *
 *     a broken contract (a NULL container)    HM_ERROR_INVALID from init; elsewhere the panic hook,
 *                                             and abort if that returns
 *     the system refuses memory               HM_ERROR_MEMORY, NULL or the null handle
 *     a container is full                     HM_ERROR_FULL, NULL or the null handle
 *     a change from inside a callback, or of  HM_ERROR_BUSY, NULL, the null handle, false or 0;
 *     a world while a query runs              the panic hook where nothing can be returned
 *     a null, stale, foreign or damaged       NULL, false, HM_INVALID_INDEX or HM_ERROR_STALE,
 *     handle                                  never an assertion
 *
 * Init returns HM_ERROR_INVALID for a NULL container or world, a field of the descriptor against
 * the limits beside it, max_slots below the capacity, sizes that overflow, and a memory table that
 * breaks its contract (memory.h); HM_ERROR_MEMORY if the system refuses; HM_ERROR_FULL if no number
 * is left for HM_TYPE_ID_UNIQUE.
 *
 * A call that makes one thing returns it: a handle or a pointer, null when refused. One that
 * changes what is there, or makes n, returns a status; one that erases returns how many there were.
 *
 * hm_last_error says why. A call that fails changes nothing that can be observed, except that the
 * committed and reserved size may have grown, and that slots with no uses left count as retired if
 * they caused HM_ERROR_FULL. Contracts are checked in every build: NDEBUG changes nothing.
 *
 * Invalidating. A function says which pointers, views and positions it invalidates, and no others.
 *
 * Batches, whose names end in _n, take n things in arrays, which are NULL only if n is 0, or where
 * the header says so. Those that make or change do it for all or for none; the array for the new
 * handles may be NULL, and is not written when the call fails. Those that erase skip handles that
 * do not resolve, and count one that occurs twice once. Those that ask cannot fail; the array for
 * the answers must not overlap the handles.
 *
 * Arguments. Items, values and cells that a call inserts or sets may lie in the map, pool, table,
 * secondary or lists that it changes. What else a call that changes a container is given by a
 * pointer, as values of a world, keys and handles, must not lie in that container, which may move
 * or replace it meanwhile: copy it first. A hook must not change it. Every reserve(n) is for n more
 * than there are, and reserve_promises(n) for n that are ready.
 *
 * Structs. A program holds a container's struct by value; the fields are private. A zeroed
 * container, and one whose init failed, is a valid empty container of capacity 0 for every
 * function. Fini zeroes the struct, invalidates everything, and may be called twice. Init, typed or
 * not, keeps no pointer to its descriptor; NULL stands for one whose fields are all 0, here and in
 * every other function that takes a descriptor. The struct may be uninitialised, so finish a live
 * one first: what it has would leak, and its handles may name items of the new one; the report
 * tells of it, if it lists the container. All this holds for arrays, ID tables, arenas,
 * directories, queries and commands, too.
 *
 * Moving. A container may be moved: assign the struct, and use only the copy from then on. Do not
 * move it while something keeps its address: from inside one of its callbacks, while a directory or
 * the report holds it, while its own `context` points to it, or, if it is a world, while it has
 * queries or commands. If it is in a history, call hm_map_moved and the like (history.h).
 *
 * Callbacks are the hooks of a descriptor, predicates, and the functions of an order. They see a
 * consistent container: validate may be called in each, and no item is in a temporary. A call that
 * would change the container from inside one is refused: it returns HM_ERROR_BUSY, null, NULL,
 * false, 0, or a progress that is not done, and hm_last_error names the container; clear, fini and
 * touch, which return nothing, call the panic hook. Searches cannot refuse a change
 * (hm_map_lower_bound). A callback must return: no longjmp, no exception.
 *
 * Threads. There are no locks inside. Const calls may run together while no thread writes.
 *
 * Typed forms. HM_MAP_DEFINE(texture, struct texture, 3), without a semicolon, defines
 *
 *     texture_handle   a distinct type, a struct with one member, hm_handle id: passing a mesh's
 *                      handle to a texture map does not compile (handle.h)
 *     texture_map      a struct with one member, hm_map map
 *     texture_TYPE_ID  the number, as a constant; HM_MAP_DEFINE_FOR only defines
 *                      texture_map_TYPE_ID
 *
 * and for each function hm_map_X an inline function texture_map_X that does the same. The item size
 * is a constant there; texture_handle and struct texture * replace handles and items, also in
 * arrays, as probes, in views and in predicates; hooks and orders stay untyped.
 * texture_map_init(map, capacity) uses the defaults. texture_map_init_desc takes a descriptor: its
 * size and alignment are ignored, and its type id, unless it is 0, replaces the number here, so
 * that two maps of one type can tell their handles apart. A map without a name is called "texture".
 * Pass &textures.map to untyped functions. HM_MAP_DEFINE_FOR does the same for a texture_handle
 * that HM_HANDLE_DEFINE has defined already, so that an item can hold handles of its own kind. A
 * map and a pool may share one handle type in one file: give them two type ids. The macros of the
 * other containers do the same for theirs.
 *
 * HM_MAP_DECLARE(texture) defines the struct texture_map alone, for a header that does not know
 * struct texture; a struct that contains a texture_map needs no more. HM_HANDLE_DEFINE(texture)
 * needs no item either. A source that has the item follows with HM_MAP_DEFINE_DECLARED, which takes
 * what HM_MAP_DEFINE does, and defines the functions. The other containers have the same two.
 *
 * AddressSanitizer. Memory without an item is poisoned: the bytes after the last item of a map,
 * with its meta, of a secondary, of a table's columns or last group, and of each list; the holes of
 * a pool, and the free blocks of lists. Using a pointer into it is reported, until another item
 * takes the place.
 *
 * Compilers. The headers need C11, C99 with the GNU extensions (gcc and clang as -std=gnu99), or
 * C++11; the classes need C++17. They include <stdbool.h>: a program that defines its own `bool`,
 * `true` or `false` must include its own headers first.
 *
 * HM_FREESTANDING, defined for the library and for all that include its headers, makes a library
 * for kernels, consoles and firmware: no stdio, no abort, no malloc, no operating system, no
 * thread-local variable; it calls memcpy, memmove and memset, and on 32-bit processors what the
 * compiler brings for divisions of 64-bit numbers (libgcc or compiler-rt). Then all threads share
 * one hm_last_error, the panic hook must be set (base.h), each container needs a memory table
 * (memory.h), and there is no report.h. */
#ifndef HANDLE_MAP_HANDLE_MAP_H
#define HANDLE_MAP_HANDLE_MAP_H

#include <handle_map/array.h>
#include <handle_map/base.h>
#include <handle_map/bits.h>
#include <handle_map/changes.h>
#include <handle_map/commands.h>
#include <handle_map/directory.h>
#include <handle_map/dump.h>
#include <handle_map/handle.h>
#include <handle_map/hash.h>
#include <handle_map/history.h>
#include <handle_map/id32.h>
#include <handle_map/id_table.h>
#include <handle_map/index.h>
#include <handle_map/lists.h>
#include <handle_map/map.h>
#include <handle_map/memory.h>
#include <handle_map/order.h>
#include <handle_map/pool.h>
#include <handle_map/query.h>
#include <handle_map/save.h>
#include <handle_map/secondary.h>
#include <handle_map/sink.h>
#include <handle_map/table.h>
#include <handle_map/transpose.h>
#include <handle_map/world.h>
#ifndef HM_FREESTANDING /* It prints, and must come last: nothing that it includes is left out. */
#include <handle_map/report.h>
#endif

#endif
