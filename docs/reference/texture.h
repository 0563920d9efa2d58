/* SPDX-License-Identifier: MIT */
/* An example of typed functions: what HM_MAP_DEFINE defines for struct texture. Include
 * handle_map.h and write the same for a struct of your own. The macros of the other containers do
 * it in the same way: HM_POOL_DEFINE defines a bullet_pool_X for each hm_pool_X, and so on. */
#ifndef TEXTURE_H
#define TEXTURE_H

#include <handle_map/handle_map.h>

/* The items of this example. */
struct texture {
    int width, height; /* in pixels */
};

HM_MAP_DEFINE(texture, struct texture, 3)

#endif
