/* Captures of logic analysers, read as edges: the samples at which a channel's level changes. A file is read as a
 * stream, in less than 64 MiB of memory, whatever its size.
 *
 *   format                             unit of `sample`            channels
 *   .sr (sigrok, PulseView)            the analyser's sample       of its first device, without analogue ones
 *   VCD (sigrok, simulators, ours)     the file's unit of time     variables of one bit; others are left out
 *   CSV of sigrok-cli, and of DSView   the analyser's sample       its columns
 *   CSV of Saleae Logic (digital.csv)  a picosecond                its columns
 *
 * The format is found by what is in the file. x and z of a VCD are read as 0.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CAPTURE_CAPTURE_READ_H
#define POSTROAD_CAPTURE_CAPTURE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CAPTURE_CHANNELS = 1024 };

struct capture;

/* In order of sample, edges of one sample in order of channel. */
struct capture_edge {
    uint64_t sample;
    unsigned channel;
    bool level; /* from this sample on */
};

/* NULL with "FILE: reason" or "FILE:LINE: reason". The caller frees it with capture_close. */
struct capture *capture_open(const char *path, char *error, size_t error_size);
void capture_close(struct capture *capture);

/* Units of `sample` per second. */
double capture_rate(const struct capture *capture);

/* What is known of the analyser's samples. A level that was seen to change in a sample had changed up to `exact`
 * seconds before. */
struct capture_sampling {
    double step;  /* seconds between two samples, or one unit */
    double phase; /* units: a time that is a sample, 0 to a step */
    double exact; /* seconds: a step, and more where `guessed` */
    bool sought;  /* the file does not say it: it follows from the times of edges */
    bool guessed; /* these do not say it either: `exact` is the shortest time between two */
};

/* A file in units of time may not say what its samples are: then they are sought in the times of edges, which is done
 * when the last one has been read (capture_grid.h). */
struct capture_sampling capture_sampling(const struct capture *capture);

/* Units from the first sample to the end, once all edges have been read. */
uint64_t capture_length(const struct capture *capture);

unsigned capture_channels(const struct capture *capture);
const char *capture_channel_name(const struct capture *capture, unsigned channel);

/* The number of the channel of this name, -1: there is none. */
int capture_channel(const struct capture *capture, const char *name);

/* Why there are not more channels: "", or what was left out of the file and why. */
const char *capture_left_out(const struct capture *capture);

/* No edges of this channel are wanted: it may be another clock's. */
void capture_ignore(struct capture *capture, unsigned channel);

/* The level before the channel's first edge. */
bool capture_level(const struct capture *capture, unsigned channel);

/* 1: an edge, 0: the end, -1: an error, and from then on. */
int capture_next(struct capture *capture, struct capture_edge *out);

/* "FILE:LINE: reason, expected ..." or "FILE: member: ..."; "" if there was none. */
const char *capture_error(const struct capture *capture);

/* A rate as sigrok writes it: "24 MHz", "12500 kHz", "1.5 GHz", "24000000". False: it is none. */
bool capture_parse_rate(const char *text, size_t length, double *rate);

#endif
