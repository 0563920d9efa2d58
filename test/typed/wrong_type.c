/* SPDX-License-Identifier: MIT */
/* A mesh handle given to a container of textures must not compile. checks/types.sh compiles this
 * file as it is, which must fail, and with HM_TEST_RIGHT_TYPE, which must not: only one line
 * differs. The container is a map, with HM_TEST_POOL a pool, with HM_TEST_SECONDARY a secondary of
 * textures, with HM_TEST_LISTS lists of textures, with HM_TEST_INDEX an index of them, or with
 * HM_TEST_TABLE a table. With HM_TEST_COLUMN it is a column of textures that is taken for one of
 * ages, with HM_TEST_COMPONENT a component of meshes for one of textures. */
#include <handle_map/index.h>
#include <handle_map/lists.h>
#include <handle_map/map.h>
#include <handle_map/pool.h>
#include <handle_map/secondary.h>
#include <handle_map/table.h>
#include <handle_map/world.h>

struct texture {
    int width;
};
struct mesh {
    int vertices;
};

#if defined(HM_TEST_TABLE) || defined(HM_TEST_COLUMN)
#define COLUMNS(COLUMN) COLUMN(struct texture, size) COLUMN(int, age)
HM_TABLE_DEFINE(texture, 1, COLUMNS)
HM_TABLE_DEFINE(mesh, 2, COLUMNS)
typedef texture_table texture_container;
#define GET texture_size_get
#elif defined(HM_TEST_COMPONENT)
HM_COMPONENT_DEFINE(texture, struct texture)
HM_COMPONENT_DEFINE(mesh, struct mesh)
#elif defined(HM_TEST_POOL)
HM_POOL_DEFINE(texture, struct texture, 1)
HM_POOL_DEFINE(mesh, struct mesh, 2)
typedef texture_pool texture_container;
#define GET texture_pool_get
#elif defined(HM_TEST_LISTS)
HM_LISTS_DEFINE(texture, struct texture, 1)
HM_LISTS_DEFINE(mesh, struct mesh, 2)
typedef texture_lists texture_container;
#define GET(textures, texture) texture_lists_items(textures, texture, NULL)
#elif defined(HM_TEST_INDEX)
HM_HANDLE_DEFINE(texture)
HM_HANDLE_DEFINE(mesh)
HM_INDEX_DEFINE(texture, texture)
typedef texture_index texture_container;
extern struct texture *found;
#define GET(textures, texture) (texture_index_contains(textures, texture) ? found : NULL)
#elif defined(HM_TEST_SECONDARY)
HM_HANDLE_DEFINE(texture)
HM_HANDLE_DEFINE(mesh)
HM_SECONDARY_DEFINE(texture, texture, struct texture)
typedef texture_secondary texture_container;
#define GET texture_secondary_get
#else
HM_MAP_DEFINE(texture, struct texture, 1)
HM_MAP_DEFINE(mesh, struct mesh, 2)
typedef texture_map texture_container;
#define GET texture_map_get
#endif

#if defined(HM_TEST_COLUMN)
int *find(const texture_container *textures)
{
#ifdef HM_TEST_RIGHT_TYPE
    return texture_age(textures);
#else
    return texture_size(textures);
#endif
}
#elif defined(HM_TEST_COMPONENT)
struct texture *find(const hm_world *world, texture_component textures, mesh_component meshes)
{
    (void)textures;
    (void)meshes;
#ifdef HM_TEST_RIGHT_TYPE
    return texture_get(world, HM_NULL_HANDLE, textures);
#else
    return texture_get(world, HM_NULL_HANDLE, meshes);
#endif
}
#else
struct texture *find(const texture_container *textures, texture_handle texture, mesh_handle mesh)
{
    (void)texture;
    (void)mesh;
#ifdef HM_TEST_RIGHT_TYPE
    return GET(textures, texture);
#else
    return GET(textures, mesh);
#endif
}
#endif
