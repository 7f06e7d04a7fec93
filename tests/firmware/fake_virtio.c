/* See fake_virtio.h. The sources under test are compiled in here, so that their registers are these functions.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdbool.h>
#include <stdint.h>

#define POSTROAD_DRIVERS_MMIO_H
static uint32_t pr_mmio_read(uintptr_t address);
static void pr_mmio_write(uintptr_t address, uint32_t value);
static uint8_t pr_mmio_read_byte(uintptr_t address);
static void pr_mmio_write_byte(uintptr_t address, uint8_t value);
static void pr_mmio_barrier(void);

#include "fake_virtio.h"

#include <string.h>

#include "check.h"
#include "platform/qemu/virt_machine.h"

#include "platform/qemu/ni_records.c"
#include "platform/qemu/virtio_console.c"

struct fake_virtio fake_virtio;

static struct {
    uint32_t status, features_word, driver_features_word, driver_features[2], select, interrupt;
    struct device_queue {
        uint32_t size, ready;
        uint64_t descriptors, available, used;
        uint16_t seen, used_index;
    } queues[2];
    uint16_t kept[PR_VIRTIO_QUEUE_SIZE];
    unsigned kept_count, kept_first;
} device;

void fake_virtio_reset(void)
{
    memset(&fake_virtio, 0, sizeof fake_virtio);
    memset(&device, 0, sizeof device);
    fake_virtio.slot = PR_VIRT_DEVICES - 1;
    fake_virtio.version = 2;
    fake_virtio.features = 1;
    fake_virtio.queue_size = 1024;
}

/* The next buffer that the driver has given; false if there is none. */
static bool next_given(struct device_queue *queue, uint16_t *id)
{
    const struct pr_virtio_queue *shared = (const struct pr_virtio_queue *)(queue->descriptors);
    CHECK((uint16_t)(shared->available.index - queue->seen) <= PR_VIRTIO_QUEUE_SIZE);
    if (queue->seen == shared->available.index)
        return false;
    *id = shared->available.ring[queue->seen++ % PR_VIRTIO_QUEUE_SIZE];
    CHECK(*id < PR_VIRTIO_QUEUE_SIZE);
    return true;
}

static void use(struct device_queue *queue, uint32_t id, uint32_t length)
{
    struct pr_virtio_queue *shared = (struct pr_virtio_queue *)(queue->descriptors);
    shared->used.ring[queue->used_index % PR_VIRTIO_QUEUE_SIZE].id = id;
    shared->used.ring[queue->used_index % PR_VIRTIO_QUEUE_SIZE].length = length;
    shared->used.index = ++queue->used_index;
    device.interrupt = 1;
}

/* Reads a buffer that was sent, and gives it back. */
static void take_buffer(uint16_t id)
{
    const struct pr_virtio_queue *shared = (const struct pr_virtio_queue *)(device.queues[1].descriptors);
    size_t length = shared->descriptors[id].length;
    CHECK(length > 0 && length <= PR_VIRTIO_SEND_BYTES && shared->descriptors[id].flags == 0);
    CHECK(fake_virtio.out_length + length <= sizeof fake_virtio.out);
    memcpy(fake_virtio.out + fake_virtio.out_length, (const uint8_t *)(shared->descriptors[id].address), length);
    fake_virtio.out_length += length;
    use(&device.queues[1], id, 0);
}

static void take_sent_bytes(void)
{
    uint16_t id;
    while (next_given(&device.queues[1], &id)) {
        if (fake_virtio.keep_sent)
            device.kept[(device.kept_first + device.kept_count++) % PR_VIRTIO_QUEUE_SIZE] = id;
        else
            take_buffer(id);
    }
}

void fake_virtio_release(void)
{
    if (device.kept_count == 0)
        return;
    device.kept_count--;
    take_buffer(device.kept[device.kept_first++ % PR_VIRTIO_QUEUE_SIZE]);
}

size_t fake_virtio_push(const uint8_t *bytes, size_t length)
{
    struct device_queue *queue = &device.queues[0];
    const struct pr_virtio_queue *shared = (const struct pr_virtio_queue *)(queue->descriptors);
    size_t done = 0;
    uint16_t id;
    while (done < length && next_given(queue, &id)) {
        size_t part = length - done < PR_VIRTIO_RECEIVE_BYTES ? length - done : PR_VIRTIO_RECEIVE_BYTES;
        CHECK(shared->descriptors[id].length == PR_VIRTIO_RECEIVE_BYTES && shared->descriptors[id].flags == 2);
        memcpy((uint8_t *)(shared->descriptors[id].address), bytes + done, part);
        use(queue, id, (uint32_t)part);
        done += part;
    }
    return done;
}

void fake_virtio_lie(uint32_t id, uint32_t length, unsigned step)
{
    struct device_queue *queue = &device.queues[0];
    struct pr_virtio_queue *shared = (struct pr_virtio_queue *)(queue->descriptors);
    use(queue, id, length);
    shared->used.index = queue->used_index = (uint16_t)(queue->used_index + step - 1);
}

unsigned fake_virtio_buffers(void)
{
    const struct pr_virtio_queue *shared = (const struct pr_virtio_queue *)(device.queues[0].descriptors);
    return (uint16_t)(shared->available.index - device.queues[0].seen);
}

static uint32_t read_register(uint32_t offset)
{
    switch (offset) {
    case DEVICE_MAGIC:
        return MAGIC;
    case DEVICE_VERSION:
        return fake_virtio.version;
    case DEVICE_ID:
        return ID_CONSOLE;
    case DEVICE_FEATURES:
        return device.features_word == 1 ? fake_virtio.features : 0xffffffff;
    case QUEUE_SIZE_MAX:
        return fake_virtio.queue_size;
    case QUEUE_READY:
        return device.queues[device.select].ready;
    case INTERRUPT_STATUS:
        return device.interrupt;
    case DEVICE_STATUS:
        return device.status;
    }
    CHECK(!"a register that can be read");
    return 0;
}

static uint32_t pr_mmio_read(uintptr_t address)
{
    unsigned slot = (unsigned)(address - PR_VIRT_DEVICE_BASE) / PR_VIRT_DEVICE_SIZE;
    uint32_t offset = (uint32_t)(address - PR_VIRT_DEVICE_BASE) % PR_VIRT_DEVICE_SIZE;
    CHECK(slot < PR_VIRT_DEVICES);
    if (slot != fake_virtio.slot)
        return offset == DEVICE_MAGIC ? MAGIC : offset == DEVICE_VERSION ? 2 : 0;
    return read_register(offset);
}

static void set_half(uint64_t *value, uint32_t offset, uint32_t half)
{
    *value = offset % 8 == 0 ? (*value & ~(uint64_t)0xffffffff) | half : (uint32_t)*value | (uint64_t)half << 32;
}

static void write_status(uint32_t value)
{
    CHECK(value == 0 || (value & device.status) == device.status);
    if (value & STATUS_FEATURES_OK && !(device.status & STATUS_FEATURES_OK))
        CHECK(device.driver_features[0] == 0 && device.driver_features[1] == 1);
    if (value & STATUS_DRIVER_OK)
        CHECK(device.queues[0].ready && device.queues[1].ready);
    device.status = fake_virtio.refuse_features ? value & ~(uint32_t)STATUS_FEATURES_OK : value;
}

static void notify(uint32_t number)
{
    CHECK(device.status & STATUS_DRIVER_OK);
    if (number == 1)
        take_sent_bytes();
}

static void pr_mmio_write(uintptr_t address, uint32_t value)
{
    uint32_t offset = (uint32_t)(address - PR_VIRT_DEVICE_BASE) % PR_VIRT_DEVICE_SIZE;
    struct device_queue *queue = &device.queues[device.select];
    CHECK((address - PR_VIRT_DEVICE_BASE) / PR_VIRT_DEVICE_SIZE == fake_virtio.slot);
    if (offset == DEVICE_FEATURES_WORD)
        device.features_word = value;
    else if (offset == DRIVER_FEATURES_WORD)
        device.driver_features_word = value;
    else if (offset == DRIVER_FEATURES)
        device.driver_features[device.driver_features_word] = value;
    else if (offset == QUEUE_SELECT)
        device.select = value;
    else if (offset == QUEUE_SIZE)
        queue->size = value;
    else if (offset == QUEUE_READY)
        queue->ready = value;
    else if (offset == QUEUE_NOTIFY)
        notify(value);
    else if (offset == INTERRUPT_ACKNOWLEDGE)
        device.interrupt &= ~value;
    else if (offset == DEVICE_STATUS)
        write_status(value);
    else if (offset / 8 == QUEUE_DESCRIPTORS / 8)
        set_half(&queue->descriptors, offset, value);
    else if (offset / 8 == QUEUE_AVAILABLE / 8)
        set_half(&queue->available, offset, value);
    else if (offset / 8 == QUEUE_USED / 8)
        set_half(&queue->used, offset, value);
    else
        CHECK(!"a register that can be written");
}

static uint8_t pr_mmio_read_byte(uintptr_t address)
{
    if (address == PR_UART_BASE + PR_UART_LSR)
        return (fake_virtio.uart_read < fake_virtio.uart_length ? PR_UART_LSR_DATA_READY : 0) |
               (fake_virtio.uart_full ? 0 : PR_UART_LSR_THR_EMPTY);
    CHECK(address == PR_UART_BASE + PR_UART_RBR && fake_virtio.uart_read < fake_virtio.uart_length);
    return fake_virtio.uart[fake_virtio.uart_read++];
}

/* For a node's rings: there are none under QEMU. */
static void pr_mmio_barrier(void)
{
    CHECK(!"a register of a node");
}

static void __attribute__((unused)) pr_mmio_write_byte(uintptr_t address, uint8_t value)
{
    (void)address;
    (void)value;
    CHECK(!"a byte that is written");
}

void pr_virt_machine_enable(unsigned interrupt)
{
    CHECK(interrupt == 1 + fake_virtio.slot);
}

void pr_virt_machine_start_uart(void)
{
    CHECK(fake_virtio.out_length == 0); /* before hello */
}

void pr_virt_machine_uart_interrupts(unsigned interrupts)
{
    fake_virtio.uart_waits += interrupts != 0;
}

void pr_virt_machine_wait(void)
{
    CHECK(++fake_virtio.waits < 1000000);
    CHECK(fake_virtio.wait != NULL);
    if (device.interrupt == 0)
        fake_virtio.wait();
}
