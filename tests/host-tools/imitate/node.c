/* See node.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "node.h"

#include "console/remote_service.h"

#include <stdlib.h>
#include <unistd.h>

static void give_frame(int line, const struct pr_frame *frame)
{
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    give(line, wire, pr_frames_encode(frame, wire, sizeof wire));
}

static void answer(struct node *node, int line, const struct pr_frame *frame)
{
    if (node->slowness)
        usleep(1000 * node->slowness);
    for (unsigned i = 0; i < node->garbage; i++) {
        uint8_t byte = (uint8_t)rand();
        give(line, &byte, 1);
    }
    give_frame(line, frame);
    if (node->twice)
        give_frame(line, frame);
    if (--node->answers_left == 0)
        exit(0);
}

/* ---- what a site says ---- */

static void place(struct pr_site_identity *identity, const struct node_site *faults, unsigned site)
{
    unsigned x = site % identity->size_x, y = site / identity->size_x;
    uint32_t links = (x + 1 < identity->size_x) | (x > 0) << 1 | (y + 1 < identity->size_y) << 2 | (y > 0) << 3;
    identity->site = site;
    identity->address = (x | y << 7) ^ faults->misplaced;
    identity->links = links & ~faults->cut;
}

/* All of it, or the part that the request names. */
static void put_identity(const struct node *node, const struct pr_frame *request, struct pr_payload_writer *writer,
                         unsigned site)
{
    struct pr_site_identity identity = node->identity;
    const uint32_t *words = &identity.map_version;
    unsigned first = 0, end = node->old ? PR_MESSAGE_IDENTITY_WORDS_OLD : PR_SITE_IDENTITY_WORDS;
    if (!node->alone)
        place(&identity, &node->sites[site], site);
    if (request->type == PR_CONSOLE_IDENTIFY_PART) {
        first = request->payload[2];
        end = first + request->payload[3];
        pr_payload_append(writer, 1, first);
        pr_payload_append(writer, 1, end - first);
    }
    for (unsigned i = first; i < end && i < PR_SITE_IDENTITY_ALL_WORDS; i++)
        pr_payload_append(writer, 4, words[i]);
}

/* As hw/soc/strobe_probe.v. False: the row is not about a pin. */
static bool probe_row(struct node *node, unsigned site, unsigned row, uint32_t *value)
{
    struct node_site *at = &node->sites[site];
    unsigned pin = at->named;
    bool to_pin = row >= PR_PROBE_ROW_PIN && row < PR_PROBE_ROW_PIN + PR_PROBE_MOST_PINS;
    bool to_strobe = row >= PR_PROBE_ROW_STROBE && row <= PR_PROBE_ROW_STROBE + PR_STROBE_NONE && pin;
    if (to_pin)
        pin = row - PR_PROBE_ROW_PIN + 1;
    at->named = to_pin ? pin : 0;
    if (to_strobe && node->disturbed)
        node->disturbed--;
    else if (to_strobe && pin <= node->pins)
        at->strobes[pin - 1] = (uint8_t)(row - PR_PROBE_ROW_STROBE + 1);
    if (to_pin || to_strobe) {
        unsigned strobe = pin <= node->pins && at->strobes[pin - 1] ? at->strobes[pin - 1] - 1u : PR_STROBE_NONE;
        *value = PR_PROBE_MARK << 8 | node->pins << 4 | strobe;
    }
    return node->pins && (to_pin || to_strobe);
}

static uint32_t counter_of(struct node *node, unsigned site, unsigned counter)
{
    uint32_t value, row = counter - PR_COUNTER_LINKS;
    if (counter >= PR_COUNTER_LINKS && probe_row(node, site, row + (row & 0x40), &value))
        return 3 << 16 | value; /* and links that are up */
    return node->counted || node->pins ? node->counters[counter % NODE_COUNTERS_MAX] : 1000 * site + counter;
}

static void put_counters(struct node *node, struct pr_payload_writer *writer, unsigned site, unsigned first,
                         unsigned count)
{
    pr_payload_append(writer, 1, first);
    pr_payload_append(writer, 1, count);
    for (unsigned i = first; i < first + count; i++) {
        pr_payload_append(writer, 4, counter_of(node, site, i));
        if (site == 0)
            node->counters[i % NODE_COUNTERS_MAX] += node->growth[i % NODE_COUNTERS_MAX];
    }
}

static void put_values(struct node *node, const struct pr_frame *request, struct pr_payload_writer *writer,
                       unsigned site)
{
    if (request->type == PR_CONSOLE_IDENTIFY || request->type == PR_CONSOLE_IDENTIFY_PART)
        put_identity(node, request, writer, site);
    for (unsigned i = 0; request->type == PR_CONSOLE_PING && i < 3; i++)
        pr_payload_append(writer, 4, 100 * (i + 1) + site);
    if (request->type == PR_CONSOLE_COUNTERS)
        put_counters(node, writer, site, request->payload[2], request->payload[3]);
}

/* ---- packets ---- */

static void deliver(int line, unsigned sequence)
{
    struct pr_frame event;
    struct pr_payload_writer writer = pr_frames_begin(&event, PR_CONSOLE_DELIVERED, 0);
    pr_payload_append(&writer, 2, 0);
    pr_payload_append(&writer, 2, sequence);
    pr_payload_append(&writer, 4, 1);
    for (unsigned i = 0; i < 3; i++)
        pr_payload_append(&writer, 4, 7);
    pr_frames_end(&event, &writer);
    give_frame(line, &event);
}

static void operator_event(int line, unsigned what, unsigned sequence, unsigned remaining, unsigned site)
{
    struct pr_frame event;
    struct pr_payload_writer writer = pr_frames_begin(&event, PR_CONSOLE_EVENT, 0);
    pr_payload_append(&writer, 1, what);
    pr_payload_append(&writer, 2, 0);
    pr_payload_append(&writer, 2, sequence);
    pr_payload_append(&writer, 2, remaining);
    pr_payload_append(&writer, 4, 1042);
    pr_payload_append(&writer, 2, site);
    pr_payload_append(&writer, 1, what == PR_CONSOLE_KIND_FAILED ? PR_CONSOLE_REASON_TIME_OUT : 0);
    pr_frames_end(&event, &writer);
    give_frame(line, &event);
}

/* The targets of a SEND are acknowledged, or not. */
static void settle(const struct node *node, int line, const struct pr_frame *request)
{
    struct pr_payload_reader reader = pr_frames_payload(request);
    unsigned targets = pr_payload_get(&reader, PR_MESSAGE_SEND_TARGETS), failed = 0;
    pr_payload_get(&reader, PR_MESSAGE_SEND_DATA_WORDS);
    for (unsigned i = 0; i < targets; i++) {
        unsigned site = pr_payload_next(&reader, 2);
        reader.at += 4 * pr_payload_next(&reader, 2);
        if (site >= NODE_SITES_MAX || !node->sites[site].deaf)
            continue;
        operator_event(line, PR_CONSOLE_KIND_FAILED, node->sequence, 0, site);
        failed++;
    }
    operator_event(line, PR_CONSOLE_KIND_SETTLED, node->sequence, failed, 0);
}

static void do_send(struct node *node, int line, const struct pr_frame *request, struct pr_payload_writer *writer,
                    struct pr_frame *out)
{
    pr_payload_append(writer, 1, node->full ? PR_CONSOLE_WINDOW_FULL : PR_CONSOLE_OK);
    pr_payload_append(writer, 2, node->sequence);
    pr_payload_append(writer, 4, 42);
    pr_frames_end(out, writer);
    answer(node, line, out);
    if (node->full) {
        node->full--;
        return;
    }
    deliver(line, node->sequence);
    if (node->identity.reliable && !node->quiet && node->listen & PR_CONSOLE_LISTEN_OUTCOMES)
        settle(node, line, request);
    node->sequence++;
}

/* ---- requests ---- */

static unsigned status_of(struct node *node, const struct pr_frame *request, bool over_mesh)
{
    if (node->refused && request->type == node->refused)
        return node->refusal;
    if (!over_mesh || node->busy == 0)
        return PR_CONSOLE_OK;
    node->busy--;
    return PR_CONSOLE_NO_BUFFER;
}

/* A title, a colour, C1 as UTF-8 and as a byte, a letter of UTF-8, a zero, and lines that others would seem to have
 * written. */
static const char hostile_text[] = "\033]0;title\a\033[31mred\302\233 \233 \303\251 \177 x\0y\n"
                                   "site 3: \"delivered\"\r\nready \n";

static void say_hostile(struct node *node, int line)
{
    struct pr_frame out;
    pr_message_log(&out, hostile_text, sizeof hostile_text - 1);
    answer(node, line, &out);
}

void node_answer(struct node *node, int line, const struct pr_frame *request)
{
    struct pr_frame out;
    bool ranged = request->type == PR_CONSOLE_IDENTIFY_PART || request->type == PR_CONSOLE_COUNTERS;
    bool remote = ranged || request->type == PR_CONSOLE_IDENTIFY || request->type == PR_CONSOLE_PING;
    unsigned site = remote && request->length >= 2 ? request->payload[0] | request->payload[1] << 8 : 0;
    site = node->alone ? node->identity.site : site == PR_CONSOLE_THIS_SITE ? 0 : site;
    if (node->mute || site >= NODE_SITES_MAX || node->sites[site].silent)
        return;
    if (ranged && site && !node->alone && request->payload[3] > pr_service_values_fit(node->identity.max_packet))
        return; /* its answer would not fit a packet */
    struct pr_payload_writer writer = pr_frames_begin(&out, request->type | PR_CONSOLE_ANSWER, request->id);
    if (request->type == PR_CONSOLE_SEND) {
        do_send(node, line, request, &writer, &out);
        return;
    }
    if (request->type == PR_CONSOLE_LISTEN && request->length == 1)
        node->listen = request->payload[0];
    unsigned status = status_of(node, request, remote && site);
    pr_payload_append(&writer, 1, status);
    if (remote)
        pr_payload_append(&writer, 2, site);
    if (status == PR_CONSOLE_OK)
        put_values(node, request, &writer, site);
    for (size_t k = 0; node->hostile && request->type == PR_CONSOLE_SHELL && k < sizeof hostile_text - 1; k++)
        pr_payload_append(&writer, 1, (uint8_t)hostile_text[k]);
    pr_frames_end(&out, &writer);
    answer(node, line, &out);
    if (node->hostile)
        say_hostile(node, line);
}
