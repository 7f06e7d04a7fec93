/* The virtio console of a QEMU that there is not: the driver's registers end here, and the test is the device. The
 * driver and the back end above it are compiled with it (fake_virtio.c).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_FIRMWARE_FAKE_VIRTIO_H
#define POSTROAD_TESTS_FIRMWARE_FAKE_VIRTIO_H

#include "platform/qemu/ni_records.h"

/* What the device is like. */
struct fake_virtio {
    unsigned slot; /* PR_VIRT_DEVICES: there is none */
    uint32_t version, features, queue_size;
    bool refuse_features;
    bool keep_sent;     /* what is sent stays there unread until fake_virtio_release */
    void (*wait)(void); /* called when the driver sleeps: it must make something happen */
    uint8_t uart[64];   /* bytes that have come to the UART */
    unsigned uart_length, uart_read;
    bool uart_full; /* it takes no byte */
    /* What it sees: */
    uint8_t out[1 << 16]; /* bytes that were sent */
    size_t out_length;
    unsigned waits, uart_waits;
};

extern struct fake_virtio fake_virtio;

/* A device as QEMU has it, and nothing started. */
void fake_virtio_reset(void);

/* Bytes to the driver; returns how many fit the buffers that it has given. */
size_t fake_virtio_push(const uint8_t *bytes, size_t length);

/* Whatever a device could write there: an entry in the used ring, and how far its index goes on. */
void fake_virtio_lie(uint32_t id, uint32_t length, unsigned step);

/* Receive buffers that the driver has given and that were not used yet. */
unsigned fake_virtio_buffers(void);

/* Reads the oldest sent buffer that was kept, and gives it back. */
void fake_virtio_release(void);

#endif
