/* SPDX-License-Identifier: MIT */
/* scene_transform: affine transforms of three dimensions, as matrices. */
#ifndef SCENE_TRANSFORM_H
#define SCENE_TRANSFORM_H

#include <stddef.h>

/* The upper three rows of an affine 4x4 matrix, row by row: a point p goes to
 * (m[0]p.x + m[1]p.y + m[2]p.z + m[3], m[4]p.x + ..., m[8]p.x + ...). */
struct scene_transform {
    float m[12];
};

static inline struct scene_transform scene_transform_translation(float x, float y, float z)
{
    struct scene_transform made = {{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}};
    return made;
}

static inline struct scene_transform scene_transform_identity(void)
{
    return scene_transform_translation(0, 0, 0);
}

/* First `inner`, then `outer`. */
static inline struct scene_transform scene_transform_multiply(const struct scene_transform *outer,
                                                              const struct scene_transform *inner)
{
    struct scene_transform product;
    for (size_t row = 0; row < 3; row++) {
        const float *o = &outer->m[4 * row];
        for (size_t column = 0; column < 4; column++)
            product.m[4 * row + column] =
                o[0] * inner->m[column] + o[1] * inner->m[4 + column] + o[2] * inner->m[8 + column];
        product.m[4 * row + 3] += o[3];
    }
    return product;
}

/* First scales along the axes, then rotates by a quaternion (x, y, z, w), then translates. The
 * quaternion may have any length; the zero one does not rotate. */
static inline struct scene_transform
scene_transform_compose(const float translation[3], const float rotation[4], const float scale[3])
{
    float x = rotation[0], y = rotation[1], z = rotation[2], w = rotation[3];
    float square = x * x + y * y + z * z + w * w;
    float s = square > 0 ? 2 / square : 0;
    const float turn[3][3] = {{1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
                              {s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
                              {s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}};
    struct scene_transform made;
    for (size_t row = 0; row < 3; row++) {
        for (size_t column = 0; column < 3; column++)
            made.m[4 * row + column] = turn[row][column] * scale[column];
        made.m[4 * row + 3] = translation[row];
    }
    return made;
}

#endif
