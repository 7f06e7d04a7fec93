/* See load_relay.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "loader/load_relay.h"

#include "cli/exit_code.h"
#include "libpostroad/client.h"

#include <math.h>
#include <string.h>

enum {
    TRIES = 8,         /* of a relay record */
    GROUP = 16,        /* targets of a packet of the boot program */
    USUAL_PACKET = 127 /* words, the default of max_packet */
};

/* Two records on the line at once: a line that holds a zero code for 254 bytes has one byte more, and two zeros. */
enum { ROOM = (LOAD_RELAY_BYTES / 2 - 3) / 4 - PR_LOAD_EXTRA };

/* Parts of the time-out: silence behind which nothing is under way any more; the same while RAM may be checked, for
 * which a SERV takes a quarter of a second; and the rest of a line then. */
static const double patience = 1.0 / 25, check_patience = 1.0 / 8, rest = 1.0 / 50;

static void take_own(struct load_relay *relay, char letter)
{
    if (letter == PR_LOAD_WAITS || letter == PR_LOAD_UNCOUNTED || relay->under_way == 0)
        return;
    struct load_relay_frame frame = relay->frames[0];
    relay->letter = letter;
    memmove(relay->frames, relay->frames + 1, --relay->under_way * sizeof *relay->frames);
    if (frame.own)
        relay->carrier.answered(relay->carrier.context, relay->port->site, letter, frame.tag);
}

static int poll_line(struct load_carrier *carrier, double seconds)
{
    struct load_relay *relay = (struct load_relay *)carrier;
    struct load_port_answer answer;
    char text[LOAD_PORT_CHUNK];
    size_t count;
    int status = load_port_read(relay->port, seconds, text, &count);
    for (size_t k = 0; k < count; k++) {
        if (!load_port_push(relay->port, text[k], &answer))
            continue;
        if (answer.relayed && carrier->answered)
            carrier->answered(carrier->context, answer.site, answer.letter, answer.tag);
        else
            take_own(relay, answer.letter);
    }
    return status;
}

static size_t count_bytes(const struct load_relay *relay)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < relay->under_way; k++)
        bytes += relay->frames[k].bytes;
    return bytes;
}

/* Waits until no more than so many frames and bytes are under way. What has no answer in time is lost. */
static int await_room(struct load_relay *relay, unsigned frames, size_t bytes)
{
    double heard = pr_client_now(), silence = relay->port->timeout * (relay->checks ? check_patience : patience);
    int status = EXIT_OK;
    while (status == EXIT_OK && (relay->under_way > frames || count_bytes(relay) > bytes)) {
        unsigned before = relay->under_way;
        status = poll_line(&relay->carrier, fmax(heard + silence - pr_client_now(), 0));
        if (relay->under_way < before)
            heard = pr_client_now();
        else if (status == EXIT_OK && pr_client_now() >= heard + silence) {
            relay->under_way = 0;
            relay->letter = 0;
            status = load_port_let_rest(relay->port, relay->port->timeout * rest, silence);
        }
    }
    return status;
}

static int put(struct load_relay *relay, const struct load_record *record, bool own, uint32_t tag)
{
    uint8_t wire[LOAD_RECORD_WIRE];
    size_t bytes = load_record_wire(record, wire);
    int status = await_room(relay, LOAD_RELAY_FRAMES - 1, LOAD_RELAY_BYTES - bytes);
    if (status != EXIT_OK)
        return status;
    relay->frames[relay->under_way++] = (struct load_relay_frame){bytes, own, tag};
    relay->checks = load_record_checks(record);
    return load_port_write(relay->port, wire, bytes);
}

static int finish(struct load_carrier *carrier)
{
    return await_room((struct load_relay *)carrier, 0, 0);
}

/* Sends the relay record until the site has answered: PR_LOAD_DONE in relay->letter. One that does not is lost. */
static int put_relay(struct load_relay *relay, bool own, const uint32_t *site_words, unsigned count)
{
    struct load_record record;
    load_record_relay(&record, relay->tag, own, site_words, count);
    int status = finish(&relay->carrier);
    for (unsigned k = 0; k < TRIES && status == EXIT_OK; k++) {
        relay->letter = 0;
        status = put(relay, &record, false, 0);
        if (status == EXIT_OK)
            status = finish(&relay->carrier);
        if (relay->letter == PR_LOAD_DONE || relay->letter == PR_LOAD_BAD_KIND)
            return status;
    }
    relay->lost = true;
    return status;
}

static bool has_own(const struct load_relay *relay, const uint16_t *sites, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (sites[k] == relay->port->site)
            return true;
    return false;
}

static bool is_current(const struct load_relay *relay, const uint16_t *sites, unsigned count, uint32_t tag)
{
    return relay->tag == tag && relay->count == count && memcmp(relay->sites, sites, count * sizeof *sites) == 0;
}

/* The records behind this go to these sites. Those for the site of the line alone need no tag. */
static int relay_to(struct load_relay *relay, const uint16_t *sites, unsigned count, uint32_t tag)
{
    uint32_t words[LOAD_RELAY_SITES];
    unsigned others = 0;
    int status = EXIT_OK;
    for (unsigned k = 0; k < count; k++)
        if (sites[k] != relay->port->site)
            words[others++] = pr_site_identity_address(relay->identity, sites[k]);
    relay->tag = tag;
    if (others > 0 || relay->others > 0)
        status = put_relay(relay, others < count, words, others);
    relay->others = others;
    relay->count = count;
    memcpy(relay->sites, sites, count * sizeof *sites);
    return status;
}

static int send_record(struct load_carrier *carrier, const uint16_t *sites, unsigned count,
                       const struct load_record *record, uint32_t tag)
{
    struct load_relay *relay = (struct load_relay *)carrier;
    int status = EXIT_OK;
    if (!relay->lost && !is_current(relay, sites, count, tag))
        status = relay_to(relay, sites, count, tag);
    return status != EXIT_OK || relay->lost ? status : put(relay, record, has_own(relay, sites, count), tag);
}

/* A packet may be diverted to a site whose firmware has room for those of the mesh alone. Where all sites are loaded
 * none runs, and boot programs have room for every record; but a mesh of shorter packets than usual has sites with
 * little memory. A site that has not told of its mesh loads nobody but itself. */
static unsigned room_of(const struct pr_site_identity *identity, size_t count)
{
    bool all = identity->max_packet >= USUAL_PACKET && count == pr_site_identity_sites(identity);
    if (identity->max_packet == 0 || all)
        return ROOM;
    unsigned fits = load_packet_room(identity->max_packet, GROUP);
    return fits < 1 ? 1 : fits < ROOM ? fits : ROOM;
}

int load_relay_open(struct load_relay *relay, struct load_port *port, const struct pr_site_identity *identity,
                    size_t count, bool *relays)
{
    *relay = (struct load_relay){.carrier = {.group = LOAD_RELAY_SITES,
                                             .room = room_of(identity, count),
                                             .send = send_record,
                                             .finish = finish,
                                             .poll = poll_line},
                                 .port = port,
                                 .identity = identity};
    int status = put_relay(relay, false, NULL, 0);
    *relays = relay->letter == PR_LOAD_DONE;
    return status;
}
