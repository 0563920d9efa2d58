/* A mesh handle given to a texture map must not compile. check_types.sh compiles this file as it
 * is, which must fail, and with HM_TEST_RIGHT_HANDLE, which must not: the one line differs. */
#include <handle_map/map.h>

struct texture {
    int width;
};
struct mesh {
    int vertices;
};

HM_MAP_DEFINE(texture, struct texture, 1)
HM_MAP_DEFINE(mesh, struct mesh, 2)

struct texture *find(const texture_map *textures, texture_handle texture, mesh_handle mesh)
{
    (void)texture;
    (void)mesh;
#ifdef HM_TEST_RIGHT_HANDLE
    return texture_map_get(textures, texture);
#else
    return texture_map_get(textures, mesh);
#endif
}
