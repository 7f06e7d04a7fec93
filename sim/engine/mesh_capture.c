/* See mesh_capture.h.
 *
 *   clock          0       1       2       3       4
 *   word           -      head    head  terminator -
 *   status         open   wait    open    open
 *   .head          ________________________/-------------    at the edge behind the clock in which the word left
 *   .terminator    ________________________________/-----
 *
 * A line and the wires of a link are shown as they are in each clock.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/mesh_capture.h"

#include "analyser/mesh_ports.h"
#include "protocol.h"
#include "simulation/link_slot.h"
#include "simulation/simulation.h"
#include "support/or_abort.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_SIZE = 48 };

static const long double femtoseconds = 1e15L;
static const double default_rate_hz = 24e6;

struct mesh_capture {
    struct mesh_ports ports;
    struct virtual_analyser *analyser;
    unsigned links, word_width;
    double clock_hz;
    bool open[ANALYSER_CHANNELS];   /* of each port: a packet has begun to leave */
    bool levels[ANALYSER_CHANNELS]; /* of each channel */
};

static uint64_t time_of(const struct mesh_capture *capture, uint64_t clock)
{
    return (uint64_t)((long double)clock * femtoseconds / capture->clock_hz);
}

static void show(struct mesh_capture *capture, uint64_t clock, unsigned port, unsigned which, bool level)
{
    unsigned channel = port * capture->ports.channels_each + which;
    if (level == capture->levels[channel])
        return;
    capture->levels[channel] = level;
    analyser_change(capture->analyser, time_of(capture, clock), channel, level);
}

/* An event of the clock before `clock`. */
static void strobe(struct mesh_capture *capture, uint64_t clock, unsigned port, unsigned which)
{
    show(capture, clock, port, which, !capture->levels[port * capture->ports.channels_each + which]);
}

static void look_at_wires(struct mesh_capture *capture, const uint64_t *words, unsigned port, uint64_t now)
{
    const struct mesh_port *at = &capture->ports.list[port];
    uint64_t wires = words[at->site * capture->links + at->link];
    for (unsigned wire = 0; wire < capture->ports.channels_each; wire++)
        show(capture, now, port, wire, wires >> wire & 1);
}

static void look_at_words(struct mesh_capture *capture, const uint64_t *words, unsigned port, uint64_t now)
{
    const struct mesh_port *at = &capture->ports.list[port];
    uint64_t word = words[at->site * capture->links + at->link] & LINK_SLOT_WORD;
    uint64_t tag = word >> capture->word_width;
    if (tag == PR_TAG_NULL_TRANSMISSION || words[at->neighbour * capture->links + at->facing] & LINK_SLOT_WAIT)
        return;
    bool ends = tag == PR_TAG_END_OF_PACKET || tag == PR_TAG_ABORT_PACKET;
    if (ends)
        strobe(capture, now + 1, port, MESH_PORT_TERMINATOR);
    else if (!capture->open[port])
        strobe(capture, now + 1, port, MESH_PORT_HEAD);
    capture->open[port] = !ends;
}

void mesh_capture_clock(struct mesh_capture *capture, const uint64_t *words, uint64_t now)
{
    bool strobes = capture->ports.kind == MESH_PORT_STROBES;
    for (unsigned port = 0; port < capture->ports.count; port++)
        (strobes ? look_at_words : look_at_wires)(capture, words, port, now);
}

static int open_analyser(struct mesh_capture *capture, uint64_t seed, char *error, size_t error_size)
{
    const struct capture_options *options = &capture->ports.options;
    unsigned channels = capture->ports.count * capture->ports.channels_each;
    char names[ANALYSER_CHANNELS][NAME_SIZE];
    const char *list[ANALYSER_CHANNELS];
    for (unsigned i = 0; i < channels; i++) {
        mesh_ports_name(&capture->ports, i, names[i], NAME_SIZE);
        list[i] = names[i];
    }
    struct analyser_settings settings = {.rate_hz = options->rate_hz ? (double)options->rate_hz : default_rate_hz,
                                         .ppm = options->ppm,
                                         .jitter_ps = options->jitter_ps,
                                         .seed = seed,
                                         .channels = channels,
                                         .names = list,
                                         .disorder_fs = time_of(capture, 1) + 1};
    capture->analyser = analyser_create(options->path, &settings, error, error_size);
    return capture->analyser ? 0 : -1;
}

struct mesh_capture *mesh_capture_begin(const struct mesh_config *mesh, const struct simulation_options *options,
                                        char *error, size_t error_size)
{
    struct mesh_capture *capture = or_abort(calloc(1, sizeof *capture));
    capture->links = (unsigned)mesh->links;
    capture->word_width = (unsigned)mesh->word_width;
    capture->clock_hz = mesh->clock_hz;
    if (mesh_ports_choose(mesh, options->testbed, options->capture, &capture->ports, error, error_size) == 0 &&
        open_analyser(capture, options->seed, error, error_size) == 0)
        return capture;
    free(capture);
    return NULL;
}

int mesh_capture_end(struct mesh_capture *capture, uint64_t now, char *error, size_t error_size)
{
    int result = analyser_close(capture->analyser, time_of(capture, now), error, error_size);
    free(capture);
    return result;
}

void mesh_capture_abandon(struct mesh_capture *capture)
{
    if (!capture)
        return;
    analyser_abandon(capture->analyser);
    free(capture);
}
