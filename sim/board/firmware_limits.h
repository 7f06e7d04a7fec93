/* Checks that a firmware image has room for a mesh, by the symbols that firmware/platform/image_limits.h puts into it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BOARD_FIRMWARE_LIMITS_H
#define POSTROAD_BOARD_FIRMWARE_LIMITS_H

#include "board/firmware_image.h"
#include "mesh/mesh.h"

/* 0, or -1 with "PATH: reason, what to do". A limit whose symbol the image lacks is not checked. */
int firmware_limits_check(const struct firmware_image *image, const char *path, const struct mesh_config *mesh,
                          char *error, size_t error_size);

/* True if the operator of the image sends packets by relays on (rule O10). */
bool firmware_relays(const struct firmware_image *image);

#endif
