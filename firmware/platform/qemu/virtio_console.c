/* See virtio_console.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/qemu/virtio_console.h"

#include <string.h>

#include "drivers/mmio.h"
#include "platform/qemu/virt_machine.h"

/* Registers of a virtio-mmio device. */
enum {
    DEVICE_MAGIC = 0x000,
    DEVICE_VERSION = 0x004,
    DEVICE_ID = 0x008,
    DEVICE_FEATURES = 0x010,
    DEVICE_FEATURES_WORD = 0x014,
    DRIVER_FEATURES = 0x020,
    DRIVER_FEATURES_WORD = 0x024,
    QUEUE_SELECT = 0x030,
    QUEUE_SIZE_MAX = 0x034,
    QUEUE_SIZE = 0x038,
    QUEUE_READY = 0x044,
    QUEUE_NOTIFY = 0x050,
    INTERRUPT_STATUS = 0x060,
    INTERRUPT_ACKNOWLEDGE = 0x064,
    DEVICE_STATUS = 0x070,
    QUEUE_DESCRIPTORS = 0x080, /* 64 bits each, low half first */
    QUEUE_AVAILABLE = 0x090,
    QUEUE_USED = 0x0a0
};

enum {
    MAGIC = 0x74726976,
    VERSION = 2,
    ID_CONSOLE = 3,
    STATUS_ACKNOWLEDGE = 1,
    STATUS_DRIVER = 2,
    STATUS_DRIVER_OK = 4,
    STATUS_FEATURES_OK = 8,
    FEATURE_VERSION_1 = 1, /* bit 32, in the second word; the only one wanted */
    DESCRIPTOR_WRITE = 2,  /* the device writes this buffer */
    NO_INTERRUPT = 1,
    QUEUE_RECEIVE = 0,
    QUEUE_SEND = 1
};

/* Driver and device run at the same time, so accesses to shared memory need a barrier. */
static void fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static uint32_t get(const struct pr_virtio_console *console, uintptr_t offset)
{
    return pr_mmio_read(console->device + offset);
}

static void set(const struct pr_virtio_console *console, uintptr_t offset, uint32_t value)
{
    pr_mmio_write(console->device + offset, value);
}

/* The number of the console's slot, PR_VIRT_DEVICES if there is no console. */
static unsigned find(struct pr_virtio_console *console)
{
    for (unsigned slot = 0; slot < PR_VIRT_DEVICES; slot++) {
        console->device = PR_VIRT_DEVICE_BASE + (uintptr_t)PR_VIRT_DEVICE_SIZE * slot;
        if (get(console, DEVICE_MAGIC) == MAGIC && get(console, DEVICE_VERSION) == VERSION &&
            get(console, DEVICE_ID) == ID_CONSOLE)
            return slot;
    }
    return PR_VIRT_DEVICES;
}

static bool negotiate(const struct pr_virtio_console *console)
{
    set(console, DEVICE_STATUS, 0);
    set(console, DEVICE_STATUS, STATUS_ACKNOWLEDGE);
    set(console, DEVICE_STATUS, STATUS_ACKNOWLEDGE | STATUS_DRIVER);
    set(console, DEVICE_FEATURES_WORD, 1);
    if (!(get(console, DEVICE_FEATURES) & FEATURE_VERSION_1))
        return false;
    set(console, DRIVER_FEATURES_WORD, 0);
    set(console, DRIVER_FEATURES, 0);
    set(console, DRIVER_FEATURES_WORD, 1);
    set(console, DRIVER_FEATURES, FEATURE_VERSION_1);
    set(console, DEVICE_STATUS, STATUS_ACKNOWLEDGE | STATUS_DRIVER | STATUS_FEATURES_OK);
    return get(console, DEVICE_STATUS) & STATUS_FEATURES_OK;
}

static void set_address(const struct pr_virtio_console *console, uintptr_t offset, const volatile void *pointer)
{
    uint64_t address = (uintptr_t)pointer;
    set(console, offset, (uint32_t)address);
    set(console, offset + 4, (uint32_t)(address >> 32));
}

static bool start_queue(const struct pr_virtio_console *console, unsigned number, struct pr_virtio_queue *queue)
{
    set(console, QUEUE_SELECT, number);
    if (get(console, QUEUE_READY) != 0 || get(console, QUEUE_SIZE_MAX) < PR_VIRTIO_QUEUE_SIZE)
        return false;
    set(console, QUEUE_SIZE, PR_VIRTIO_QUEUE_SIZE);
    set_address(console, QUEUE_DESCRIPTORS, queue->descriptors);
    set_address(console, QUEUE_AVAILABLE, &queue->available);
    set_address(console, QUEUE_USED, &queue->used);
    set(console, QUEUE_READY, 1);
    return true;
}

static void give(const struct pr_virtio_console *console, unsigned number, struct pr_virtio_queue *queue, uint32_t id)
{
    queue->device_has |= (uint16_t)(1u << id);
    queue->available.ring[queue->available.index % PR_VIRTIO_QUEUE_SIZE] = (uint16_t)id;
    fence();
    *(volatile uint16_t *)&queue->available.index = (uint16_t)(queue->available.index + 1);
    fence();
    set(console, QUEUE_NOTIFY, number);
}

static void fill(struct pr_virtio_console *console)
{
    for (uint32_t id = 0; id < PR_VIRTIO_QUEUE_SIZE; id++) {
        console->receive.descriptors[id].address = (uintptr_t)console->received[id];
        console->receive.descriptors[id].length = PR_VIRTIO_RECEIVE_BYTES;
        console->receive.descriptors[id].flags = DESCRIPTOR_WRITE;
        console->send.descriptors[id].address = (uintptr_t)console->sent[id];
        give(console, QUEUE_RECEIVE, &console->receive, id);
    }
}

bool pr_virtio_console_start(struct pr_virtio_console *console)
{
    unsigned slot;
    memset(console, 0, sizeof *console);
    slot = find(console);
    if (slot == PR_VIRT_DEVICES || !negotiate(console) || !start_queue(console, QUEUE_RECEIVE, &console->receive) ||
        !start_queue(console, QUEUE_SEND, &console->send))
        return false;
    console->send.available.flags = NO_INTERRUPT;
    set(console, DEVICE_STATUS, STATUS_ACKNOWLEDGE | STATUS_DRIVER | STATUS_FEATURES_OK | STATUS_DRIVER_OK);
    fill(console);
    pr_virt_machine_enable(1 + slot);
    return true;
}

/* Takes the next buffer that the device is done with; false if there is none. */
static bool take_back(struct pr_virtio_console *console, struct pr_virtio_queue *queue, uint32_t *id, uint32_t *length)
{
    uint16_t index = *(volatile uint16_t *)&queue->used.index;
    fence();
    if ((uint16_t)(index - queue->seen) > PR_VIRTIO_QUEUE_SIZE) {
        console->faults++;
        queue->seen = index;
    }
    while (queue->seen != index) {
        *id = queue->used.ring[queue->seen % PR_VIRTIO_QUEUE_SIZE].id;
        *length = queue->used.ring[queue->seen % PR_VIRTIO_QUEUE_SIZE].length;
        queue->seen++;
        if (*id < PR_VIRTIO_QUEUE_SIZE) {
            queue->device_has &= (uint16_t) ~(1u << *id);
            return true;
        }
        console->faults++;
    }
    return false;
}

const uint8_t *pr_virtio_console_received(struct pr_virtio_console *console, size_t *length)
{
    while (!console->taken) {
        if (!take_back(console, &console->receive, &console->taken_id, &console->taken_length))
            return NULL;
        console->taken = console->taken_length > 0 && console->taken_length <= PR_VIRTIO_RECEIVE_BYTES;
        if (!console->taken) {
            console->faults++;
            give(console, QUEUE_RECEIVE, &console->receive, console->taken_id);
        }
    }
    *length = console->taken_length;
    return console->received[console->taken_id];
}

void pr_virtio_console_done(struct pr_virtio_console *console)
{
    console->taken = false;
    give(console, QUEUE_RECEIVE, &console->receive, console->taken_id);
}

/* The lowest buffer that the device does not have; PR_VIRTIO_QUEUE_SIZE if it has all. */
static unsigned free_buffer(const struct pr_virtio_console *console)
{
    unsigned id = 0;
    while (id < PR_VIRTIO_QUEUE_SIZE && console->send.device_has >> id & 1)
        id++;
    return id;
}

uint8_t *pr_virtio_console_space(struct pr_virtio_console *console)
{
    uint32_t id, length;
    while (take_back(console, &console->send, &id, &length))
        continue;
    return free_buffer(console) < PR_VIRTIO_QUEUE_SIZE ? console->sent[free_buffer(console)] : NULL;
}

void pr_virtio_console_send(struct pr_virtio_console *console, size_t length)
{
    unsigned id = free_buffer(console);
    console->send.descriptors[id].length = (uint32_t)length;
    give(console, QUEUE_SEND, &console->send, id);
}

void pr_virtio_console_wait(struct pr_virtio_console *console)
{
    bool full = free_buffer(console) == PR_VIRTIO_QUEUE_SIZE;
    *(volatile uint16_t *)&console->send.available.flags = full ? 0 : NO_INTERRUPT;
    fence();
    if (!full || *(volatile uint16_t *)&console->send.used.index == console->send.seen)
        pr_virt_machine_wait();
    set(console, INTERRUPT_ACKNOWLEDGE, get(console, INTERRUPT_STATUS));
}
