/* A logic analyser that is not there: it samples simulated lines at its own rate, and writes a file as a real one does.
 *
 *   line      ______/^^^^^^^^^\____/\____/^^^^^      an edge is seen early or late by the threshold's jitter
 *   samples   |     |     |     |     |     |        n / (rate (1 + ppm 1e-6)) seconds after the start
 *   file      0     1     1     0     0     1        what lies between two samples is not seen
 *
 * The lines are those at the pins of the boards that drive them: delays and bit errors of cables come behind.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ANALYSER_VIRTUAL_ANALYSER_H
#define POSTROAD_ANALYSER_VIRTUAL_ANALYSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ANALYSER_CHANNELS = 64, ANALYSER_JITTER_PS = 1000000 };

struct analyser_settings {
    double rate_hz;           /* samples per second, as the file says: a whole number from 1 to 100e9 */
    double ppm;               /* by which its clock is faster */
    double jitter_ps;         /* standard deviation of the time at which an edge is seen; 0 to ANALYSER_JITTER_PS */
    uint64_t seed;            /* of the jitter */
    unsigned channels;        /* 1 to ANALYSER_CHANNELS */
    const char *const *names; /* of the channels: printable, without blanks; only read by analyser_create */
    uint64_t disorder_fs;     /* see analyser_change */
};

struct virtual_analyser;

/* Does the ending of a name say in which format the file is to be? */
bool analyser_has_format(const char *path);

/* The ending of `path` says which format it has: .sr (sigrok's) or .vcd. NULL with "PATH: reason": another ending, or a
 * file that cannot be written. Errors of later writing are kept for analyser_close. */
struct virtual_analyser *analyser_create(const char *path, const struct analyser_settings *settings, char *error,
                                         size_t error_size);

/* The level of a channel changes, femtoseconds after the start. Changes at time 0 are the first levels; without one a
 * channel is 0. Times of one channel never go back, and those of different channels by less than disorder_fs. */
void analyser_change(struct virtual_analyser *analyser, uint64_t femtoseconds, unsigned channel, bool level);

/* Ends the capture at this time, and frees the analyser. 0, or -1 with "PATH: reason": then there is no file. */
int analyser_close(struct virtual_analyser *analyser, uint64_t femtoseconds, char *error, size_t error_size);

/* Frees the analyser and leaves no file. */
void analyser_abandon(struct virtual_analyser *analyser);

#endif
