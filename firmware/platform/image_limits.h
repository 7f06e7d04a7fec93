/* The limits of an image, in its ELF file: absolute symbols, which take no byte of the image. A host reads them before
 * it starts a mesh (sim/board/firmware_limits.h) and refuses an image that does not suit, in one line. An image without
 * these symbols is not checked; its sites end with PR_PLATFORM_TOO_SMALL.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_PLATFORM_IMAGE_LIMITS_H
#define POSTROAD_PLATFORM_IMAGE_LIMITS_H

#ifdef __cplusplus
extern "C" {
#endif

#define PR_IMAGE_LIMIT_TEXT(value)  #value
#define PR_IMAGE_LIMIT(name, value) __asm__(".global " #name "\n\t.set " #name ", " PR_IMAGE_LIMIT_TEXT(value))

/* For an operator's sources: defined once in an image, beside the memory that has these sizes. */
#define PR_IMAGE_LIMITS_OF_OPERATOR(packet_words, sites) \
    PR_IMAGE_LIMIT(pr_image_packet_words, packet_words); \
    PR_IMAGE_LIMIT(pr_image_sites_max, sites)

#ifdef __cplusplus
}
#endif

#endif
