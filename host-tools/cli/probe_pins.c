/* See probe_pins.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/probe_pins.h"

#include "cli/counter_requests.h"
#include "cli/link_counts.h"
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

/* A choice is two requests, and is lost if another program reads the links' memory between them. */
enum { TRIES = 8, SITE_LINKS = 4, MARK_SHIFT = 8, COUNT_SHIFT = 4, NIBBLE = 0xf, BYTE = 0xff };

static const unsigned events[] = {
    [STROBE_HEAD] = PR_STROBE_HEAD, [STROBE_TERMINATOR] = PR_STROBE_TERMINATOR, [STROBE_STALL] = PR_STROBE_STALL};

bool probe_pins_strobe_of(const struct testbed_channel *channel, unsigned *strobe)
{
    bool local = channel->link == TESTBED_LOCAL;
    if (channel->strobe == TESTBED_LINE || (!local && channel->link >= SITE_LINKS))
        return false;
    *strobe = events[channel->strobe] + (local ? PR_PORT_LOCAL : PR_PORT_EAST + channel->link);
    return true;
}

bool probe_pins_strobe(const char *text, unsigned *strobe)
{
    struct testbed_channel channel;
    *strobe = PR_STROBE_NONE;
    return strcmp(text, "none") == 0 ||
           (testbed_strobe(text, &channel.link, &channel.strobe) && probe_pins_strobe_of(&channel, strobe));
}

const char *probe_pins_text(unsigned strobe, char out[PROBE_PINS_TEXT])
{
    static const unsigned ports = PR_STROBE_TERMINATOR - PR_STROBE_HEAD;
    unsigned port = strobe % ports;
    if (strobe >= PR_STROBE_NONE)
        return "none";
    snprintf(out, PROBE_PINS_TEXT, "%s.%s",
             testbed_link_name(port == PR_PORT_LOCAL ? TESTBED_LOCAL : port - PR_PORT_EAST),
             testbed_strobe_name((enum testbed_strobe)(strobe / ports)));
    return out;
}

static void take_pins(void *context, const struct pr_message_counters *counters)
{
    struct probe_pins *pins = (struct probe_pins *)context + counters->site;
    unsigned first = counters->first - PR_COUNTER_LINKS - PR_PROBE_ROW_PIN;
    pins->answered = true;
    for (unsigned i = 0; i < counters->count; i++) {
        uint32_t value = counters->values[i];
        if ((value >> MARK_SHIFT & BYTE) != PR_PROBE_MARK)
            continue;
        pins->count = value >> COUNT_SHIFT & NIBBLE;
        pins->strobes[first + i] = value & NIBBLE;
    }
}

int probe_pins_read(struct gateway *gateway, const struct site_set *set, struct probe_pins *pins)
{
    struct counter_requests requests = {.label = "probe", .context = pins, .take = take_pins};
    struct pipelined_requests run;
    memset(pins, 0, (size_t)gateway->mesh.sites * sizeof *pins);
    counter_requests_add(&requests, gateway, PR_COUNTER_LINKS + LINK_COUNTS_ROW(PR_PROBE_ROW_PIN), PR_PROBE_MOST_PINS);
    int status = counter_requests_run(&requests, gateway, set, 0, requests.chunk_count, &run);
    for (size_t i = 0; i < set->count; i++)
        if (pins[set->sites[i]].count > PR_PROBE_MOST_PINS)
            pins[set->sites[i]].count = PR_PROBE_MOST_PINS;
    return status == EXIT_OK ? pipelined_requests_exit_code(&run) : status;
}

/* What the second request of a choice has brought: how many sites show the strobe now. */
struct choice {
    unsigned strobe;
    size_t kept;
};

static void take_named(void *context, const struct pr_message_counters *counters)
{
    (void)context, (void)counters;
}

static void take_chosen(void *context, const struct pr_message_counters *counters)
{
    struct choice *choice = context;
    uint32_t value = counters->values[0];
    choice->kept += (value >> MARK_SHIFT & BYTE) == PR_PROBE_MARK && (value & NIBBLE) == choice->strobe;
}

/* Reads one counter of each site, which writes its row. */
static int write_row(struct gateway *gateway, const struct site_set *set, unsigned row, struct choice *choice,
                     void (*take)(void *context, const struct pr_message_counters *counters))
{
    struct counter_requests requests = {.label = "probe", .context = choice, .take = take};
    struct pipelined_requests run;
    counter_requests_add(&requests, gateway, PR_COUNTER_LINKS + LINK_COUNTS_ROW(row), 1);
    int status = counter_requests_run(&requests, gateway, set, 0, 1, &run);
    return status == EXIT_OK ? pipelined_requests_exit_code(&run) : status;
}

int probe_pins_set(struct gateway *gateway, const struct site_set *set, unsigned pin, unsigned strobe)
{
    char text[PROBE_PINS_TEXT];
    for (int tries = 0; tries < TRIES; tries++) {
        struct choice choice = {.strobe = strobe};
        int status = write_row(gateway, set, PR_PROBE_ROW_PIN + pin, &choice, take_named);
        if (status == EXIT_OK)
            status = write_row(gateway, set, PR_PROBE_ROW_STROBE + strobe, &choice, take_chosen);
        if (status != EXIT_OK || choice.kept == set->count)
            return status;
    }
    return report_failure(EXIT_MISMATCH, "probe",
                          "pin %u does not keep %s, expected no other program that reads the links of the same sites",
                          pin, probe_pins_text(strobe, text));
}
