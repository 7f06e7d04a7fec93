/* See pcapng.h. A block:
 *
 *   type  length  body .... padding  length        32-bit numbers; a block's length has all of it
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* strnlen */

#include "pcap/pcapng.h"

#include <string.h>

#include "wire/payload.h"

enum {
    BLOCK_SECTION = 0x0a0d0d0a,
    BLOCK_INTERFACE = 1,
    BLOCK_PACKET = 6,
    BYTE_ORDER_MAGIC = 0x1a2b3c4d,
    OPTION_END = 0,
    OPTION_SECTION_PROGRAM = 4,
    OPTION_INTERFACE_NAME = 2,
    OPTION_INTERFACE_DESCRIPTION = 3,
    OPTION_INTERFACE_RESOLUTION = 9,
    NANOSECONDS = 9, /* resolution: a power of ten */
    BLOCK_OVERHEAD = 64 + 2 * PCAPNG_TEXT_MAX,
    BYTES_A_WORD = 4
};

struct block {
    uint8_t bytes[PCAPNG_PACKET_MAX + BLOCK_OVERHEAD];
    struct pr_payload_writer writer;
};

static void put(struct block *block, unsigned bytes, uint32_t value)
{
    pr_payload_append(&block->writer, bytes, value);
}

static void put_bytes(struct block *block, const void *bytes, size_t length)
{
    memcpy(block->bytes + block->writer.length, bytes, length);
    block->writer.length += length;
    while (block->writer.length % BYTES_A_WORD)
        put(block, 1, 0);
}

static void put_option(struct block *block, unsigned code, const void *bytes, size_t length)
{
    put(block, 2, code);
    put(block, 2, (uint32_t)length);
    put_bytes(block, bytes, length);
}

static void put_text(struct block *block, unsigned code, const char *text)
{
    put_option(block, code, text, strnlen(text, PCAPNG_TEXT_MAX));
}

static void begin(struct block *block, uint32_t type)
{
    block->writer = (struct pr_payload_writer){.bytes = block->bytes, .limit = sizeof block->bytes};
    put(block, 4, type);
    put(block, 4, 0); /* the length, in the end */
}

static void end(struct block *block, FILE *out)
{
    struct pr_payload_writer place = {.bytes = block->bytes, .limit = sizeof block->bytes, .length = BYTES_A_WORD};
    uint32_t length = (uint32_t)block->writer.length + BYTES_A_WORD;
    pr_payload_append(&place, BYTES_A_WORD, length);
    put(block, 4, length);
    fwrite(block->bytes, 1, length, out);
}

void pcapng_begin(FILE *out, const char *program)
{
    static struct block block; /* large */
    begin(&block, BLOCK_SECTION);
    put(&block, 4, BYTE_ORDER_MAGIC);
    put(&block, 2, 1); /* version 1.0 */
    put(&block, 2, 0);
    put(&block, 4, UINT32_MAX); /* the section's length, 64 bits: not known */
    put(&block, 4, UINT32_MAX);
    put_text(&block, OPTION_SECTION_PROGRAM, program);
    put(&block, 4, OPTION_END);
    end(&block, out);
}

void pcapng_interface(FILE *out, uint16_t link_type, const char *name, const char *description)
{
    static struct block block;
    const uint8_t resolution = NANOSECONDS;
    begin(&block, BLOCK_INTERFACE);
    put(&block, 2, link_type);
    put(&block, 2, 0);
    put(&block, 4, PCAPNG_PACKET_MAX);
    put_text(&block, OPTION_INTERFACE_NAME, name);
    put_text(&block, OPTION_INTERFACE_DESCRIPTION, description);
    put_option(&block, OPTION_INTERFACE_RESOLUTION, &resolution, sizeof resolution);
    put(&block, 4, OPTION_END);
    end(&block, out);
}

void pcapng_packet(FILE *out, uint32_t interface, uint64_t nanoseconds, const uint8_t *bytes, size_t length)
{
    static struct block block;
    size_t held = length < PCAPNG_PACKET_MAX ? length : PCAPNG_PACKET_MAX;
    begin(&block, BLOCK_PACKET);
    put(&block, 4, interface);
    put(&block, 4, (uint32_t)(nanoseconds >> 32));
    put(&block, 4, (uint32_t)nanoseconds);
    put(&block, 4, (uint32_t)held);
    put(&block, 4, (uint32_t)length);
    put_bytes(&block, bytes, held);
    end(&block, out);
}
