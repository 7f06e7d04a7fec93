/* A ring of bytes: one direction of a simulated UART, between the engine and the program that serves the console.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SUPPORT_BYTE_RING_H
#define POSTROAD_SUPPORT_BYTE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BYTE_RING_SIZE = 16384 }; /* a power of two */

/* All zeroes is an empty ring. */
struct byte_ring {
    uint32_t written, read; /* free-running */
    uint8_t bytes[BYTE_RING_SIZE];
};

static inline bool byte_ring_empty(const struct byte_ring *ring)
{
    return ring->written == ring->read;
}

static inline size_t byte_ring_room(const struct byte_ring *ring)
{
    return BYTE_RING_SIZE - (ring->written - ring->read);
}

/* The byte that will be read next; false if there is none. */
static inline bool byte_ring_peek(const struct byte_ring *ring, uint8_t *byte)
{
    *byte = ring->bytes[ring->read % BYTE_RING_SIZE];
    return !byte_ring_empty(ring);
}

/* Both return how many bytes were moved. */
static inline size_t byte_ring_write(struct byte_ring *ring, const uint8_t *bytes, size_t length)
{
    size_t count = 0;
    while (count < length && byte_ring_room(ring))
        ring->bytes[ring->written++ % BYTE_RING_SIZE] = bytes[count++];
    return count;
}

static inline size_t byte_ring_read(struct byte_ring *ring, uint8_t *bytes, size_t length)
{
    size_t count = 0;
    while (count < length && !byte_ring_empty(ring))
        bytes[count++] = ring->bytes[ring->read++ % BYTE_RING_SIZE];
    return count;
}

#endif
