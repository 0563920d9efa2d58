/* SPDX-License-Identifier: MIT */
/* ids32: a library whose public ids have 32 bits, over a typed pool.
 *
 *     ids32
 *
 * A graphics library with a C interface hands out ids such as gfx_buffer, a struct of one uint32_t,
 * for many languages and for memory that its users zero. Inside it looks things up by handles. This
 * program has both sides in one file: first the interface, then the library, then a user, who makes
 * buffers, uses one that has been destroyed, and goes on until no id is left.
 *
 * 16 bits of an id are the slot of the buffer and 16 its generation: there are 65,536 slots, and
 * each has 65,535 buffers before it is retired. The second half of the program has ids with
 * 4 bits for generations, so that they are soon used up.
 *
 * The exit code is 1 if something is not as it should be. */
#include <handle_map/id32.h>
#include <handle_map/pool.h>

#include <inttypes.h>
#include <stdio.h>

/* The interface: nothing in it needs a header of this toolkit. */

typedef struct gfx_buffer {
    uint32_t id; /* 0: none */
} gfx_buffer;

typedef enum gfx_state { GFX_LIVE, GFX_NONE, GFX_DESTROYED, GFX_INVALID } gfx_state;

static bool gfx_begin(void);
static void gfx_end(void);
static gfx_buffer gfx_make_buffer(uint32_t size); /* none: too many, or no id or memory is left */
static bool gfx_destroy_buffer(gfx_buffer buffer);
static gfx_state gfx_ask(gfx_buffer buffer);
static uint32_t gfx_size(gfx_buffer buffer); /* 0 of a buffer that is not alive */

/* The library. */

struct buffer {
    uint32_t size; /* bytes */
};

HM_POOL_DEFINE(buffer, struct buffer, 1)
HM_ID32_DEFINE(buffer, HM_ID32_INDEX_BITS, buffer_TYPE_ID)

static buffer_pool buffers;

static buffer_handle handle_of(gfx_buffer buffer)
{
    return buffer_id32_unpack((buffer_id32){buffer.id});
}

static bool gfx_begin(void)
{
    const hm_pool_desc desc = {.capacity = 128, .max_slots = 1 << HM_ID32_INDEX_BITS};
    return buffer_pool_init_desc(&buffers, &desc) == HM_OK;
}

static void gfx_end(void)
{
    buffer_pool_fini(&buffers);
}

static gfx_buffer gfx_make_buffer(uint32_t size)
{
    buffer_handle made = buffer_pool_insert(&buffers, &(struct buffer){size});
    return (gfx_buffer){buffer_id32_pack(made).bits}; /* none, if the handle is null */
}

static bool gfx_destroy_buffer(gfx_buffer buffer)
{
    return buffer_pool_erase(&buffers, handle_of(buffer));
}

static gfx_state gfx_ask(gfx_buffer buffer)
{
    switch (buffer_pool_explain(&buffers, handle_of(buffer))) {
    case HM_HANDLE_LIVE:
        return GFX_LIVE;
    case HM_HANDLE_NULL:
        return GFX_NONE;
    case HM_HANDLE_STALE:
    case HM_HANDLE_RETIRED:
        return GFX_DESTROYED;
    default:
        return GFX_INVALID;
    }
}

static uint32_t gfx_size(gfx_buffer buffer)
{
    const struct buffer *found = buffer_pool_get(&buffers, handle_of(buffer));
    return found != NULL ? found->size : 0;
}

/* A user. */

static bool expect(const char *what, bool holds)
{
    if (!holds)
        printf("not as it should be: %s\n", what);
    return holds;
}

static bool use_buffers(void)
{
    gfx_buffer vertices = gfx_make_buffer(512), none = {0}, invented = {UINT32_C(0xFFFFFFFF)};
    printf("vertices: id 0x%08" PRIx32 ", %" PRIu32 " bytes\n", vertices.id, gfx_size(vertices));
    bool holds = expect("a buffer lives", gfx_ask(vertices) == GFX_LIVE);
    holds &= expect("it has its size", gfx_size(vertices) == 512);
    holds &= expect("it ends once", gfx_destroy_buffer(vertices) && !gfx_destroy_buffer(vertices));
    gfx_buffer indices = gfx_make_buffer(64);
    printf("indices, in its place: id 0x%08" PRIx32 ", %" PRIu32 " bytes; vertices: %" PRIu32 "\n",
           indices.id, gfx_size(indices), gfx_size(vertices));
    holds &=
        expect("the place is used again", indices.id != vertices.id && gfx_size(indices) == 64);
    holds &= expect("the old id is refused",
                    gfx_ask(vertices) == GFX_DESTROYED && gfx_size(vertices) == 0);
    holds &= expect("no id is none", gfx_ask(none) == GFX_NONE);
    return holds & expect("an invented one is refused", gfx_ask(invented) == GFX_INVALID);
}

/* Ids of 2 bits for the slot and 4 for generations: each of 4 slots has 15 items. */
static bool use_ids_up(void)
{
    enum {
        SLOT_BITS = 2,
        GENERATION_BITS = 4,
        IDS = (1 << SLOT_BITS) * ((1 << GENERATION_BITS) - 1)
    };
    buffer_pool few;
    const hm_pool_desc desc = {.capacity = 1 << SLOT_BITS,
                               .max_slots = 1 << SLOT_BITS,
                               .generation_bits = GENERATION_BITS};
    bool seen[1 << (SLOT_BITS + GENERATION_BITS)] = {false}, holds = true;
    if (buffer_pool_init_desc(&few, &desc) != HM_OK)
        return false;
    uint32_t count = 0;
    for (;; count++) {
        buffer_handle made = buffer_pool_insert(&few, &(struct buffer){1});
        if (buffer_handle_is_null(made))
            break;
        uint32_t id = hm_id32_pack(made.id, SLOT_BITS).bits;
        holds &= expect("an id is new", id != 0 && id < sizeof seen && !seen[id]);
        seen[id % sizeof seen] = true;
        buffer_pool_erase(&few, made);
    }
    printf("%" PRIu32 " ids of 6 bits, none twice; then: %s\n", count, hm_last_error());
    buffer_pool_fini(&few);
    return holds & expect("all were used", count == IDS);
}

int main(void)
{
    if (!gfx_begin())
        return 1;
    bool holds = use_buffers();
    gfx_end();
    holds &= use_ids_up();
    return holds ? 0 : 1;
}
