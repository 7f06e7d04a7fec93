/* sigrok's session file, version 2: a zip archive with the members `version`, `metadata` and `logic-1-1`, `logic-1-2`,
 * ..., whose bytes are the samples: bit n of a sample, little-endian, is channel n.
 *
 * SPDX-License-Identifier: ISC
 */
#include "analyser/capture_writer.h"
#include "analyser/zip_writer.h"
#include "support/or_abort.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 4 << 20, TEXT_SIZE = 8192, BITS_PER_BYTE = 8, NAME_SIZE = 32, RATE_TEXT = 32 };

struct sr_writer {
    struct zip_writer *zip;
    unsigned unit;            /* bytes of a sample */
    uint64_t levels, written; /* since the last change; samples before it */
    size_t used;              /* bytes of the chunk */
    unsigned chunks;
    uint8_t chunk[CHUNK_BYTES];
};

static void append(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, TEXT_SIZE - used, format, arguments);
    va_end(arguments);
}

static void write_metadata(struct sr_writer *sr, const struct capture_header *header)
{
    static const char version[] = "2";
    char text[TEXT_SIZE] = "", rate[RATE_TEXT];
    capture_rate_text(header->rate_hz, rate, sizeof rate);
    append(text, "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes=%u\nsamplerate=%s\n",
           header->channels, rate);
    append(text, "total analog=0\n");
    for (unsigned i = 0; i < header->channels; i++)
        append(text, "probe%u=%s\n", i + 1, header->names[i]);
    append(text, "unitsize=%u\n", sr->unit);
    zip_writer_add(sr->zip, "version", version, (unsigned)strlen(version));
    zip_writer_add(sr->zip, "metadata", text, (unsigned)strlen(text));
}

static void *sr_begin(FILE *file, const struct capture_header *header)
{
    struct sr_writer *sr = or_abort(calloc(1, sizeof *sr));
    sr->zip = zip_writer_create(file);
    sr->unit = (header->channels + BITS_PER_BYTE - 1) / BITS_PER_BYTE;
    write_metadata(sr, header);
    return sr;
}

static void write_chunk(struct sr_writer *sr)
{
    char name[NAME_SIZE];
    if (!sr->used)
        return;
    snprintf(name, sizeof name, "logic-1-%u", ++sr->chunks);
    zip_writer_add(sr->zip, name, sr->chunk, (unsigned)sr->used);
    sr->used = 0;
}

/* Puts samples of the present levels into the chunk, in which there is room for them. */
static void fill(struct sr_writer *sr, size_t samples)
{
    uint8_t *at = sr->chunk + sr->used;
    sr->used += samples * sr->unit;
    if (sr->unit == 1) {
        memset(at, (int)(sr->levels & UINT8_MAX), samples);
        return;
    }
    for (; samples; samples--)
        for (unsigned byte = 0; byte < sr->unit; byte++)
            *at++ = (uint8_t)(sr->levels >> BITS_PER_BYTE * byte);
}

static void write_until(struct sr_writer *sr, uint64_t end)
{
    const size_t most = CHUNK_BYTES / sr->unit;
    while (sr->written < end) {
        size_t room = most - sr->used / sr->unit;
        size_t count = end - sr->written < room ? (size_t)(end - sr->written) : room;
        fill(sr, count);
        sr->written += count;
        if (count == room)
            write_chunk(sr);
    }
}

static void sr_change(void *writer, uint64_t sample, uint64_t levels)
{
    struct sr_writer *sr = writer;
    write_until(sr, sample);
    sr->levels = levels;
}

static void sr_end(void *writer, uint64_t samples)
{
    struct sr_writer *sr = writer;
    write_until(sr, samples);
    write_chunk(sr);
    zip_writer_finish(sr->zip);
    free(sr);
}

const struct capture_format capture_format_sr = {".sr", sr_begin, sr_change, sr_end};
