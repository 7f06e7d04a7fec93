/* What the readers of the formats share.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CAPTURE_CAPTURE_PRIVATE_H
#define POSTROAD_CAPTURE_CAPTURE_PRIVATE_H

#include "capture/capture_grid.h"
#include "capture/capture_read.h"

enum { CAPTURE_ERROR = 1024, CAPTURE_LEFT_OUT = 200 };

/* A format. `open` allocates capture->reader, adds the channels, sets `rate`, and begins the grid where a unit is not a
 * sample; `advance` reads on until there are edges, calling capture_set and capture_end_sample, or the end. Both return
 * false after capture_fail. */
struct capture_kind {
    bool (*open)(struct capture *capture);
    bool (*advance)(struct capture *capture);
    void (*close)(struct capture *capture); /* also after an `open` that failed */
};

extern const struct capture_kind capture_kind_sr, capture_kind_vcd, capture_kind_csv;

struct capture_channel {
    char *name;
    bool first, level; /* before the first edge; of the sample that was finished last */
    bool next;         /* of the sample that is being read */
    bool touched;      /* it is in the list of capture_set */
    bool ignored;
};

struct capture {
    char *path;
    const struct capture_kind *kind;
    void *reader; /* of the format */
    double rate;
    uint64_t length;
    struct capture_grid grid;
    bool seeks_grid; /* the samples follow from the times */
    struct capture_sampling sampling;
    char left_out[CAPTURE_LEFT_OUT];

    unsigned channel_count, channel_room;
    struct capture_channel *channels;

    bool begun;        /* the first levels are there */
    unsigned *touched; /* channels that were set in the sample that is being read, in any order */
    unsigned touched_count;
    struct capture_edge *edges; /* not yet fetched; as many as there are channels at most */
    unsigned edge_first, edge_count;

    bool ended, failed;
    char error[CAPTURE_ERROR];
};

/* Keeps the first reason, with the name of the file in front of it; line 0: without a line. Returns false. */
bool capture_fail(struct capture *capture, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The length of the mark that a UTF-8 file may begin with; 0: there is none. */
size_t capture_mark(const char *bytes, size_t count);

/* Adds a channel with a copy of this name. False: there are too many. `open` only. */
bool capture_add_channel(struct capture *capture, uint64_t line, const char *name, size_t length);

/* The level of a channel in the sample that is being read; the last one counts. */
void capture_set(struct capture *capture, unsigned channel, bool level);

/* The sample is complete. Those of the first one are the first levels. Returns true if there are edges now. */
bool capture_end_sample(struct capture *capture, uint64_t sample);

#endif
