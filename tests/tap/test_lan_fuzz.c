/* The network that the tap is, on garbage, with the sanitizers: frames that hosts would send are edited before they
 * come from a namespace, and packets before they come from the mesh; some are lost, doubled or come late. Whatever
 * comes in: every frame and packet is counted once, a namespace gets only frames that some site has sent to it (unless
 * packets were edited), and the members of groups are those that the addresses say.
 *
 * Environment: SEED, FUZZ_RUNS (default 400).
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "made_lan.h"
#include "mutate_text.h"
#include "tap/fragments.h"
#include "tap/membership.h"

#include <string.h>

enum { STEPS = 150, ADDRESSES = 6, EDITS = 4 };

static const char *const addresses[ADDRESSES] = {"239.1.2.3", "239.7.7.3", "239.1.2.255",
                                                 "ff05::3",   "ff08::103", "ff05::ff"};
static const char *const targets[] = {"10.1.0.0",  "10.1.0.5",  "10.1.0.15", "fd00::1:12c",
                                      "10.1.0.77", "broadcast", "224.0.0.9", "ff02::9"};

static struct made_lan made;

static unsigned long sum_of(size_t place, const enum tap_counter *counters, size_t count)
{
    unsigned long sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += tap_lan_counter(made.lan, place, counters[i]);
    return sum;
}

static void draw_report(uint64_t *state, struct made_frame *frame, unsigned site)
{
    const char *address = addresses[check_below(state, ADDRESSES)];
    unsigned kind = check_below(state, 3);
    bool ipv6 = strchr(address, ':') != NULL;
    if (kind == 0)
        made_record(frame, site, 1 + check_below(state, 6), check_below(state, 3), address);
    else if (ipv6)
        made_mld(frame, site, kind, check_below(state, 3) > 0, address);
    else
        made_igmp(frame, site, 1 + check_below(state, 3), check_below(state, 3) > 0, address);
}

static void draw_frame(uint64_t *state, struct made_frame *frame, unsigned site)
{
    size_t bytes = check_below(state, 4) ? check_below(state, 200) : check_below(state, 1600);
    if (check_below(state, 3) == 0)
        draw_report(state, frame, site);
    else if (check_below(state, 2))
        made_data(frame, site, addresses[check_below(state, ADDRESSES)], bytes, (uint8_t)bytes);
    else
        made_data(frame, site, targets[check_below(state, 8)], bytes, (uint8_t)bytes);
}

/* Edits of any bytes, of which many leave the checksums of a report right. */
static void spoil(uint64_t *state, struct made_frame *frame)
{
    const char *other = (const char *)frame->bytes;
    for (unsigned edits = 1 + check_below(state, EDITS); edits > 0; edits--) {
        if (check_below(state, 2) && frame->length) {
            size_t head = frame->length < 80 ? frame->length : 80;
            frame->bytes[check_below(state, (unsigned)head)] = (uint8_t)check_random(state);
        } else {
            char text[MADE_FRAME_ROOM + 1] = "";
            memcpy(text, frame->bytes, frame->length);
            frame->length = mutate_text(state, &other, 1, text, frame->length, MADE_FRAME_ROOM);
            memcpy(frame->bytes, text, frame->length);
        }
    }
    bool long_enough = frame->length > 80 && check_below(state, 2);
    if (long_enough)
        made_seal(frame);
}

/* What a namespace has got was sent by another one, byte by byte, in this round or before; frames that are the same
 * twice are not told apart. */
struct sent {
    size_t count;
    struct made_frame frames[STEPS];
};

static bool is_sent(const struct sent *sent, const struct made_frame *frame)
{
    for (size_t i = 0; i < sent->count; i++)
        if (sent->frames[i].length == frame->length && memcmp(sent->frames[i].bytes, frame->bytes, frame->length) == 0)
            return true;
    return false;
}

static void check_taken(const struct sent *sent)
{
    for (size_t place = 0; place < MADE_SITES; place++)
        for (size_t i = 0; i < made.taken_count[place] && i < MADE_TAKEN; i++)
            check(is_sent(sent, &made.taken[place][i]), "place %zu has got a frame that nobody has sent", place);
    made_lan_forget(&made);
}

/* Frames that leave a namespace: sent once for each counter but one. */
static void check_counters(const unsigned long *sent_on)
{
    static const enum tap_counter dropped[] = {TAP_COUNTER_unheard, TAP_COUNTER_nowhere, TAP_COUNTER_bad_frames,
                                               TAP_COUNTER_oversize, TAP_COUNTER_queue_full};
    for (size_t place = 0; place < MADE_SITES; place++) {
        unsigned long from = tap_lan_counter(made.lan, place, TAP_COUNTER_from_namespace);
        unsigned long rest = from - sum_of(place, dropped, 5) - sent_on[place];
        check(rest <= from, "place %zu: more frames are counted than have come", place);
        check(tap_lan_counter(made.lan, place, TAP_COUNTER_bad_reports) <= rest,
              "place %zu: more bad reports than reports", place);
    }
}

static void spoil_packet(uint64_t *state, struct made_packet *packet)
{
    unsigned kind = check_below(state, 4);
    if (kind == 0)
        packet->count = check_below(state, (unsigned)packet->count + 4);
    else if (kind == 1)
        packet->from = made_sites[check_below(state, MADE_SITES)];
    else
        packet->bytes[check_below(state, 8)] = (uint8_t)check_random(state);
}

static void step_mesh(uint64_t *state, double now, bool wild)
{
    while (made.packet_count && check_below(state, 6)) {
        size_t index = check_below(state, (unsigned)made.packet_count);
        unsigned fate = check_below(state, 40);
        if (wild && check_below(state, 4) == 0)
            spoil_packet(state, made.packets[index]);
        if (fate == 0)
            made_lan_lose(&made, index);
        else
            made_lan_deliver(&made, index, now);
    }
}

static void run(uint64_t *state, bool wild)
{
    static struct sent sent;
    unsigned long sent_on[MADE_SITES] = {0};
    double now = 0;
    sent.count = 0;
    made_lan_create(&made, check_below(state, 2) ? 16 : 32, 13 + check_below(state, 100));
    for (unsigned step = 0; step < STEPS; step++) {
        size_t place = check_below(state, MADE_SITES);
        struct made_frame *frame = &sent.frames[sent.count++];
        draw_frame(state, frame, made_sites[place]);
        if (check_below(state, 2))
            spoil(state, frame);
        now += check_below(state, 20) ? 0.1 : 40;
        uint16_t before = made.identification[place];
        made_lan_send(&made, place, frame, now);
        sent_on[place] += before != made.identification[place];
        step_mesh(state, now, wild);
        if (made.packet_count > MADE_PACKETS / 2)
            made_lan_deliver_all(&made, now);
        if (!wild)
            check_taken(&sent);
        made_lan_forget(&made);
        tap_lan_tick(made.lan, now);
        made_lan_forget(&made); /* queries */
    }
    check_counters(sent_on);
    made_lan_destroy(&made);
}

int main(void)
{
    uint64_t state = check_seed();
    const char *text = getenv("FUZZ_RUNS");
    unsigned long runs = text ? strtoul(text, NULL, 10) : check_rounds(400);
    for (unsigned long i = 0; i < runs; i++)
        run(&state, i % 2);
    return verdict("tap: garbage");
}
