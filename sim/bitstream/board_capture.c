/* See board_capture.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/board_capture.h"

#include "analyser/capture_options.h"
#include "analyser/virtual_analyser.h"
#include "bitstream/board_simulation.h"
#include "board/testbed.h"
#include "support/or_abort.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_SIZE = 2 * TESTBED_NAME, PIN_SIZE = 32 };

static const double default_rate_hz = 24e6;

struct channel {
    unsigned board;
    char name[NAME_SIZE], pin[PIN_SIZE];
};

struct board_capture {
    struct board_simulation *simulation;
    struct virtual_analyser *analyser;
    uint64_t start; /* time of the simulation */
    unsigned count;
    struct channel channels[ANALYSER_CHANNELS];
};

/* ---- which channels ---- */

static void name_line(const struct testbed *testbed, struct testbed_end end, struct channel *channel)
{
    channel->board = end.board;
    snprintf(channel->name, sizeof channel->name, "%s.%s", testbed->boards[end.board].name,
             testbed_link_name(end.link));
    snprintf(channel->pin, sizeof channel->pin, "line_out[%u]", end.link);
}

static int choose_all_lines(struct board_capture *capture, const struct testbed *testbed, char *error,
                            size_t error_size)
{
    for (unsigned i = 0; i < testbed->cable_count; i++)
        for (int k = 0; k < 2; k++) {
            if (capture->count == ANALYSER_CHANNELS) {
                snprintf(error, error_size, "%s: %u lines, expected at most %d: name those to capture in [analyser]",
                         testbed->path, 2 * testbed->cable_count, ANALYSER_CHANNELS);
                return -1;
            }
            name_line(testbed, testbed->cables[i].ends[k], &capture->channels[capture->count++]);
        }
    return 0;
}

static void choose_channels(struct board_capture *capture, const struct testbed *testbed)
{
    for (unsigned i = 0; i < testbed->channel_count; i++) {
        const struct testbed_channel *from = &testbed->channels[i];
        struct channel *channel = &capture->channels[capture->count++];
        name_line(testbed, (struct testbed_end){from->board, from->link % TESTBED_LINKS}, channel);
        if (from->probe >= 0)
            snprintf(channel->pin, sizeof channel->pin, "probe[%d]", from->probe);
        snprintf(channel->name, sizeof channel->name, "%s", from->name);
    }
}

/* ---- what they show ---- */

static void take_change(void *context, uint64_t time, unsigned number, bool level)
{
    struct board_capture *capture = context;
    analyser_change(capture->analyser, time - capture->start, number, level);
}

static int watch(struct board_capture *capture, const struct testbed *testbed, char *error, size_t error_size)
{
    for (unsigned i = 0; i < capture->count; i++) {
        const struct channel *channel = &capture->channels[i];
        if (board_simulation_watch(capture->simulation, channel->board, channel->pin) < 0) {
            const struct testbed_board *board = &testbed->boards[channel->board];
            snprintf(error, error_size, "%s: board %s has no pin %s, expected one in its bitstream %s", channel->name,
                     board->name, channel->pin, board->bitstream);
            return -1;
        }
    }
    return 0;
}

static int open_analyser(struct board_capture *capture, const struct testbed *testbed,
                         const struct capture_options *options, uint64_t seed, char *error, size_t error_size)
{
    const char *names[ANALYSER_CHANNELS];
    for (unsigned i = 0; i < capture->count; i++)
        names[i] = capture->channels[i].name;
    struct analyser_settings settings = {.rate_hz = options->rate_hz         ? (double)options->rate_hz
                                                    : testbed->analyser_rate ? (double)testbed->analyser_rate
                                                                             : default_rate_hz,
                                         .ppm = options->ppm,
                                         .jitter_ps = options->jitter_ps,
                                         .seed = seed,
                                         .channels = capture->count,
                                         .names = names,
                                         .disorder_fs = board_simulation_step(capture->simulation)};
    capture->analyser = analyser_create(options->path, &settings, error, error_size);
    return capture->analyser ? 0 : -1;
}

static int begin(struct board_capture *capture, const struct testbed *testbed, const char *text, uint64_t seed,
                 char *error, size_t error_size)
{
    struct capture_options options;
    if (capture_options_parse(text, CAPTURE_OF_BOARDS, &options, error, error_size) != 0)
        return -1;
    if (testbed->channel_count)
        choose_channels(capture, testbed);
    else if (choose_all_lines(capture, testbed, error, error_size) != 0)
        return -1;
    if (!capture->count) {
        snprintf(error, error_size, "%s: no cables and no channels, expected channels in [analyser]", testbed->path);
        return -1;
    }
    if (watch(capture, testbed, error, error_size) != 0)
        return -1;
    return open_analyser(capture, testbed, &options, seed, error, error_size);
}

struct board_capture *board_capture_begin(struct board_simulation *simulation, const struct testbed *testbed,
                                          const char *text, uint64_t seed, char *error, size_t error_size)
{
    struct board_capture *capture = or_abort(calloc(1, sizeof *capture));
    capture->simulation = simulation;
    capture->start = board_simulation_now(simulation);
    if (begin(capture, testbed, text, seed, error, error_size) != 0) {
        board_simulation_unwatch(simulation);
        free(capture);
        return NULL;
    }
    for (unsigned i = 0; i < capture->count; i++)
        analyser_change(capture->analyser, 0, i,
                        board_simulation_pin(simulation, capture->channels[i].board, capture->channels[i].pin) > 0);
    board_simulation_on_change(simulation, take_change, capture);
    return capture;
}

int board_capture_end(struct board_capture *capture, char *error, size_t error_size)
{
    board_simulation_unwatch(capture->simulation);
    uint64_t time = board_simulation_now(capture->simulation) - capture->start;
    int result = analyser_close(capture->analyser, time, error, error_size);
    free(capture);
    return result;
}
