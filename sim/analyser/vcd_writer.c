/* VCD as sigrok writes it: a bit a channel, the rate in a comment. A sample's time is rounded to the time scale, which
 * is so fine that the sample's number follows from it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "analyser/capture_writer.h"
#include "support/or_abort.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

enum { FIRST_CODE = '!', RATE_TEXT = 32 };

static const uint64_t per_nanosecond = 1000000000u, per_picosecond = 1000000000000u;

struct vcd_writer {
    FILE *file;
    uint64_t rate, scale; /* samples and units of time per second */
    unsigned channels;
    uint64_t levels;
    bool begun;
};

static uint64_t time_of(const struct vcd_writer *vcd, uint64_t sample)
{
    uint64_t seconds = sample / vcd->rate, rest = sample % vcd->rate;
    return seconds * vcd->scale + (uint64_t)((long double)rest * vcd->scale / vcd->rate + 0.5L);
}

static void *vcd_begin(FILE *file, const struct capture_header *header)
{
    struct vcd_writer *vcd = or_abort(malloc(sizeof *vcd));
    char rate[RATE_TEXT];
    *vcd = (struct vcd_writer){.file = file, .rate = header->rate_hz, .channels = header->channels};
    vcd->scale = header->rate_hz <= per_nanosecond / 2 ? per_nanosecond : per_picosecond;
    capture_rate_text(header->rate_hz, rate, sizeof rate);
    fprintf(file, "$version Postroad virtual analyser $end\n$comment\n  Acquisition with %u/%u channels at %s\n$end\n",
            header->channels, header->channels, rate);
    fprintf(file, "$timescale 1 %s $end\n$scope module postroad $end\n", vcd->scale == per_nanosecond ? "ns" : "ps");
    for (unsigned i = 0; i < header->channels; i++)
        fprintf(file, "$var wire 1 %c %s $end\n", FIRST_CODE + (int)i, header->names[i]);
    fputs("$upscope $end\n$enddefinitions $end\n", file);
    return vcd;
}

static void vcd_change(void *writer, uint64_t sample, uint64_t levels)
{
    struct vcd_writer *vcd = writer;
    fprintf(vcd->file, "#%" PRIu64, time_of(vcd, sample));
    for (unsigned i = 0; i < vcd->channels; i++)
        if (!vcd->begun || (levels ^ vcd->levels) >> i & 1)
            fprintf(vcd->file, " %d%c", (int)(levels >> i & 1), FIRST_CODE + (int)i);
    putc('\n', vcd->file);
    vcd->levels = levels;
    vcd->begun = true;
}

static void vcd_end(void *writer, uint64_t samples)
{
    struct vcd_writer *vcd = writer;
    fprintf(vcd->file, "#%" PRIu64 "\n", time_of(vcd, samples));
    free(vcd);
}

const struct capture_format capture_format_vcd = {".vcd", vcd_begin, vcd_change, vcd_end};
