/* See wires.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/wires.h"
#include "support/or_abort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The end of the cable at the far side of a board's connector, NULL: there is none. */
static const struct testbed_end *far_end(const struct testbed *testbed, unsigned board, unsigned link)
{
    for (unsigned i = 0; i < testbed->cable_count; i++)
        for (int k = 0; k < 2; k++) {
            const struct testbed_end *end = &testbed->cables[i].ends[k];
            if (end->board == board && end->link == link)
                return &testbed->cables[i].ends[!k];
        }
    return NULL;
}

static void add_wire(struct wires *wires, const char *channel, unsigned board, unsigned link,
                     enum testbed_strobe strobe)
{
    struct wire *wire = &wires->wires[wires->count++];
    const char *name = wires->testbed->boards[board].name;
    const struct testbed_end *far = far_end(wires->testbed, board, link);
    *wire = (struct wire){.board = board, .link = link, .far_board = far ? (int)far->board : -1};
    wire->far_link = far ? far->link : 0;
    if (strobe == TESTBED_LINE) {
        wire->line = or_abort(calloc(1, sizeof *wire->line));
        snprintf(wire->name, sizeof wire->name, "%s.%s", name, testbed_link_name(link));
    } else {
        wire->strobe = or_abort(calloc(1, sizeof *wire->strobe));
        wire->strobe->event = strobe;
        snprintf(wire->name, sizeof wire->name, "%s %s.%s", name, testbed_link_name(link), testbed_strobe_name(strobe));
    }
    snprintf(wire->channel, sizeof wire->channel, "%s", channel ? channel : wire->name);
}

static int add_wires(struct wires *wires, char *error, size_t error_size)
{
    const struct testbed *testbed = wires->testbed;
    for (unsigned i = 0; i < testbed->channel_count; i++) {
        const struct testbed_channel *channel = &testbed->channels[i];
        add_wire(wires, channel->name, channel->board, channel->link, channel->strobe);
    }
    if (testbed->channel_count)
        return 0;
    if (2 * testbed->cable_count > WIRES_MAX || testbed->cable_count == 0) {
        snprintf(error, error_size, "%s: %u lines between boards, expected 1 to %d, or those to look at in [analyser]",
                 testbed->path, 2 * testbed->cable_count, WIRES_MAX);
        return -1;
    }
    for (unsigned i = 0; i < testbed->cable_count; i++)
        for (int k = 0; k < 2; k++)
            add_wire(wires, NULL, testbed->cables[i].ends[k].board, testbed->cables[i].ends[k].link, TESTBED_LINE);
    return 0;
}

static int check_rate(const struct wires *wires, char *error, size_t error_size)
{
    for (unsigned i = 0; i < wires->count; i++) {
        const struct wire *wire = &wires->wires[i];
        double bit_rate = (double)wires->testbed->boards[wire->board].link_hz / WIRES_CLOCKS_A_BIT;
        if (wire->line && wires->rate < LINE_SAMPLES_A_BIT * bit_rate) {
            snprintf(error, error_size,
                     "%g MS/s are too slow for %s: its bits come at %g MHz, expected %d samples a bit at least",
                     wires->rate / 1e6, wire->name, bit_rate / 1e6, LINE_SAMPLES_A_BIT);
            return -1;
        }
    }
    return 0;
}

int wires_begin(struct wires *wires, const struct testbed *testbed, double rate, char *error, size_t error_size)
{
    *wires = (struct wires){.testbed = testbed, .rate = rate, .exact = 1};
    wires->wires = or_abort(calloc(WIRES_MAX, sizeof *wires->wires));
    wire_pairs_begin(&wires->pairs);
    if (add_wires(wires, error, error_size) == 0 && check_rate(wires, error, error_size) == 0)
        return 0;
    wires_free(wires);
    return -1;
}

void wires_exact(struct wires *wires, double exact, bool guessed)
{
    wires->exact = exact;
    wires->exact_guessed = guessed;
    for (unsigned i = 0; i < wires->count; i++)
        if (wires->wires[i].line)
            wires->wires[i].line->exact = wires->wires[i].line->clock.exact = exact;
}

void wires_free(struct wires *wires)
{
    for (unsigned i = 0; i < wires->count; i++) {
        if (wires->wires[i].line)
            line_decoder_free(wires->wires[i].line);
        free(wires->wires[i].line);
        free(wires->wires[i].strobe);
    }
    wire_pairs_free(&wires->pairs);
    free(wires->wires);
    *wires = (struct wires){0};
}

int wires_find(const struct wires *wires, const char *channel)
{
    channel += *channel == '\\'; /* Icarus writes Verilog's escaped names so */
    for (unsigned i = 0; i < wires->count; i++)
        if (strcmp(wires->wires[i].channel, channel) == 0 || strcmp(wires->wires[i].name, channel) == 0)
            return (int)i;
    return -1;
}

void wires_level(struct wires *wires, unsigned index, bool level)
{
    struct wire *wire = &wires->wires[index];
    wire->seen = true;
    wire->level = level;
    if (wire->line)
        wire->line->level = level;
}

double wires_bit(const struct wires *wires, unsigned board)
{
    return wires->rate * WIRES_CLOCKS_A_BIT / (double)wires->testbed->boards[board].link_hz;
}

struct uncertain wires_time(const struct wires *wires, uint64_t sample)
{
    return (struct uncertain){(double)sample - 0.5 * wires->exact, (0.5 + LINE_CLOCK_HIDDEN_JITTER) * wires->exact};
}

bool wire_is_line(const struct wire *wire)
{
    return wire->line && wire->seen;
}

bool wire_is_strobe(const struct wire *wire, enum testbed_strobe event)
{
    return wire->strobe && wire->strobe->event == event && wire->seen;
}

bool wires_have_line(const struct wires *wires, unsigned board, unsigned link)
{
    for (unsigned i = 0; i < wires->count; i++)
        if (wire_is_line(&wires->wires[i]) && wires->wires[i].board == board && wires->wires[i].link == link)
            return true;
    return false;
}
