/* The formats of capture files: sigrok's (.sr) and VCD. A writer gets the samples at which levels change, in order.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ANALYSER_CAPTURE_WRITER_H
#define POSTROAD_ANALYSER_CAPTURE_WRITER_H

#include <stdint.h>
#include <stdio.h>

struct capture_header {
    uint64_t rate_hz;
    unsigned channels; /* at most 64 */
    const char *const *names;
};

struct capture_format {
    const char *ending;

    /* Writes what stands before the samples. `names` live until `end`. A failed write is left to ferror. */
    void *(*begin)(FILE *file, const struct capture_header *header);

    /* From this sample on the levels are these, bit n being channel n. The first call is for sample 0. */
    void (*change)(void *writer, uint64_t sample, uint64_t levels);

    /* The capture has so many samples. Frees the writer. */
    void (*end)(void *writer, uint64_t samples);
};

extern const struct capture_format capture_format_sr, capture_format_vcd;

/* A rate as sigrok writes it, in the largest unit in which it is whole: "24 MHz", "12500 kHz". */
void capture_rate_text(uint64_t rate_hz, char *out, size_t size);

#endif
