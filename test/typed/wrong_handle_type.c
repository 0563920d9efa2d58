/* SPDX-License-Identifier: MIT */
/* A mesh handle given to a container of textures must not compile. checks/types.sh compiles this
 * file as it is, which must fail, and with HM_TEST_RIGHT_HANDLE, which must not: only one line
 * differs. The container is a map, with HM_TEST_POOL a pool, or with HM_TEST_SECONDARY a secondary
 * of textures. */
#include <handle_map/map.h>
#include <handle_map/pool.h>
#include <handle_map/secondary.h>

struct texture {
    int width;
};
struct mesh {
    int vertices;
};

#ifdef HM_TEST_POOL
HM_POOL_DEFINE(texture, struct texture, 1)
HM_POOL_DEFINE(mesh, struct mesh, 2)
typedef texture_pool texture_container;
#define GET texture_pool_get
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

struct texture *find(const texture_container *textures, texture_handle texture, mesh_handle mesh)
{
    (void)texture;
    (void)mesh;
#ifdef HM_TEST_RIGHT_HANDLE
    return GET(textures, texture);
#else
    return GET(textures, mesh);
#endif
}
