/* Port 0 of a virtio console on virtio-mmio: a byte stream. Modern devices only (version 2 of the registers).
 *
 * The driver keeps the receive queue full, and the caller reads received bytes in place. The driver trusts nothing that
 * the device writes: an entry that does not fit the queue is counted in `faults` and dropped.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_PLATFORM_QEMU_VIRTIO_CONSOLE_H
#define POSTROAD_PLATFORM_QEMU_VIRTIO_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PR_VIRTIO_QUEUE_SIZE = 8, PR_VIRTIO_RECEIVE_BYTES = 512, PR_VIRTIO_SEND_BYTES = 8192 };

/* The three parts of a queue, as the device reads and writes them. */
struct pr_virtio_queue {
    struct {
        uint64_t address;
        uint32_t length;
        uint16_t flags, next;
    } descriptors[PR_VIRTIO_QUEUE_SIZE];
    struct {
        uint16_t flags, index, ring[PR_VIRTIO_QUEUE_SIZE], used_event;
    } available;
    struct {
        uint16_t flags, index;
        struct {
            uint32_t id, length;
        } ring[PR_VIRTIO_QUEUE_SIZE];
        uint16_t available_event;
    } used;
    uint16_t seen;       /* of used.ring */
    uint16_t device_has; /* bit k: buffer k is the device's */
} __attribute__((aligned(16)));

struct pr_virtio_console {
    struct pr_virtio_queue receive, send;
    uintptr_t device;
    uint32_t faults;
    bool taken; /* a receive buffer is out: number and length */
    uint32_t taken_id, taken_length;
    uint8_t received[PR_VIRTIO_QUEUE_SIZE][PR_VIRTIO_RECEIVE_BYTES];
    uint8_t sent[PR_VIRTIO_QUEUE_SIZE][PR_VIRTIO_SEND_BYTES];
};

/* Finds the device and starts it. False: there is no device, or it refuses this driver. */
bool pr_virtio_console_start(struct pr_virtio_console *console);

/* The next received bytes; NULL if there are none. They stay valid until pr_virtio_console_done returns the buffer to
 * the device. */
const uint8_t *pr_virtio_console_received(struct pr_virtio_console *console, size_t *length);
void pr_virtio_console_done(struct pr_virtio_console *console);

/* A buffer of PR_VIRTIO_SEND_BYTES that is free; NULL if there is none. The same one until it is sent, 1 byte or more.
 */
uint8_t *pr_virtio_console_space(struct pr_virtio_console *console);
void pr_virtio_console_send(struct pr_virtio_console *console, size_t length);

/* Sleeps until the device has signalled. The signal need not bring bytes or free a buffer. */
void pr_virtio_console_wait(struct pr_virtio_console *console);

#ifdef __cplusplus
}
#endif

#endif
