/* SPDX-License-Identifier: MIT */
/* What the examples in the public headers take for granted: examples.sh puts this before each. It
 * is compiled, never linked, so that a declaration is enough. */
#include <handle_map/handle_map.h>

#include <stdio.h>
#include <stdlib.h>

struct sprite {
    float x, y, depth;
    hm_handle parent;
};

struct bullet {
    float x, y, speed;
};

struct texture {
    uint32_t width, height;
};

struct glow {
    uint32_t radius;
};

struct contact {
    float depth;
};

struct particle {
    float x, y, age;
};

struct settings {
    int volume;
};

struct vector {
    float x, y;
};

enum { SPRITE_TYPE = 1 };
enum { ROWS = 64, COLUMNS = 64, RED = 0, BLUE };

extern hm_map map, other_map, sprites, maps[10000];
extern hm_pool pool;
extern hm_secondary glows; /* of the sprites in `map` */
extern hm_lists contacts;
extern hm_index cells, teams; /* of the sprites */
extern struct contact pairs[256];
extern hm_table points; /* two columns of float */
extern hm_array array;  /* of float */
extern hm_id_table ids;
extern float speeds[10000]; /* a column of `ids`, or of the pool */
extern hm_directory directory;
extern hm_world world;
extern hm_component position, velocity, frozen; /* of `world`: two of struct vector, and a tag */
extern hm_handle mover;                         /* an entity of it */
extern hm_query movers;
extern hm_commands commands;
extern hm_handle handle, handles[256];
extern const hm_order order;
extern hm_frame_budget budget; /* of this frame */
extern bool tree_has_changed;
extern hm_history history;
extern uint64_t acknowledged; /* a mark of it */
extern void *socket;
extern FILE *file;
extern hm_sink packet, sink;
extern hm_source source;
extern uint32_t n;

extern void *engine_heap;
void *heap_take(void *heap, size_t size, size_t align);
void heap_give(void *heap, void *address, size_t size);
void send_change(const hm_change *change, void *socket);
void kernel(void *const *columns, size_t count, void *context);
void upload(const void *values, uint32_t count);
void draw(const struct sprite *sprite);
void move(struct bullet *bullet);
void push(void *position, const void *velocity);
void resolve(struct contact *contact);
void resolve_all(struct contact *found, uint32_t count);
uint64_t cell_of(int row, int column);
void collide(const hm_handle *members, uint32_t count);
void load_level(hm_map *into);
uint32_t list_tree(hm_handle *handles_of_tree, uint32_t limit);
void log_panic(const char *file, int line, const char *message);
