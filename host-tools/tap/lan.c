/* See lan.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap/lan.h"

#include "tap/fragments.h"
#include "tap/membership.h"
#include "tap/reports.h"

#include <stdlib.h>
#include <string.h>

enum { SITE_NUMBERS = 65536, NO_PLACE = 0xffff };

struct port {
    uint16_t site;
    struct tap_membership members;
    struct tap_joining *joining;
    unsigned long counters[TAP_COUNTERS];
};

struct tap_lan {
    size_t count;
    struct port *ports;
    struct tap_groups *groups;
    struct tap_lan_ways ways;
    double query_at;
    uint16_t places[SITE_NUMBERS]; /* of sites */
};

static bool create_ports(struct tap_lan *lan, const uint16_t *sites)
{
    bool good = true;
    memset(lan->places, 0xff, sizeof lan->places);
    for (size_t place = 0; place < lan->count; place++) {
        lan->ports[place].site = sites[place];
        lan->ports[place].joining = tap_joining_create();
        lan->places[sites[place]] = (uint16_t)place;
        tap_groups_join(lan->groups, place, TAP_GROUP_ALL);
        good = good && lan->ports[place].joining;
    }
    return good;
}

struct tap_lan *tap_lan_create(const uint16_t *sites, size_t count, struct tap_groups *groups,
                               const struct tap_lan_ways *ways)
{
    struct tap_lan *lan = calloc(1, sizeof *lan);
    if (!lan)
        return NULL;
    lan->ports = calloc(count, sizeof *lan->ports);
    lan->count = lan->ports ? count : 0;
    lan->groups = groups;
    lan->ways = *ways;
    if (lan->ports && create_ports(lan, sites))
        return lan;
    tap_lan_destroy(lan);
    return NULL;
}

void tap_lan_destroy(struct tap_lan *lan)
{
    if (!lan)
        return;
    for (size_t place = 0; place < lan->count; place++)
        tap_joining_destroy(lan->ports[place].joining);
    free(lan->ports);
    free(lan);
}

void tap_lan_count(struct tap_lan *lan, size_t place, enum tap_counter counter)
{
    lan->ports[place].counters[counter]++;
}

unsigned long tap_lan_counter(const struct tap_lan *lan, size_t place, enum tap_counter counter)
{
    return lan->ports[place].counters[counter];
}

/* One namespace's reports, while they are read. */
struct reporting {
    struct tap_lan *lan;
    size_t place;
    double now;
    bool full;
};

/* The group of all has every site, whatever is reported. */
static void change_membership(void *context, const struct tap_address *address, bool joined, bool changes_group)
{
    const struct reporting *reporting = context;
    struct tap_lan *lan = reporting->lan;
    uint8_t group = tap_group_of(address);
    lan->ways.change(lan->ways.context, reporting->place, address, joined);
    if (!changes_group || group == TAP_GROUP_ALL)
        return;
    if (joined)
        tap_groups_join(lan->groups, reporting->place, group);
    else
        tap_groups_leave(lan->groups, reporting->place, group);
}

static void change_address(void *context, const struct tap_address *address, bool wanted)
{
    struct reporting *reporting = context;
    struct port *port = &reporting->lan->ports[reporting->place];
    if (!tap_membership_set(&port->members, address, wanted, reporting->now, change_membership, reporting))
        reporting->full = true;
}

static void take_report(struct tap_lan *lan, size_t place, const uint8_t *frame, size_t length, double now)
{
    struct reporting reporting = {.lan = lan, .place = place, .now = now};
    if (!tap_reports_read(frame, length, change_address, &reporting) || reporting.full)
        tap_lan_count(lan, place, TAP_COUNTER_bad_reports);
}

static void send_to(struct tap_lan *lan, size_t place, struct tap_way way, const uint8_t *frame, size_t length)
{
    if (way.to_group && tap_groups_room(lan->groups, place, (uint8_t)way.number) == 0)
        tap_lan_count(lan, place, TAP_COUNTER_unheard);
    else if (!lan->ways.send(lan->ways.context, place, way, frame, length))
        tap_lan_count(lan, place, TAP_COUNTER_queue_full);
}

static void send_to_site(struct tap_lan *lan, size_t place, unsigned site, const uint8_t *frame, size_t length)
{
    if (lan->places[site] == NO_PLACE || lan->places[site] == place)
        tap_lan_count(lan, place, TAP_COUNTER_nowhere);
    else
        send_to(lan, place, (struct tap_way){.number = (uint16_t)site}, frame, length);
}

static void send_to_group(struct tap_lan *lan, size_t place, uint8_t group, const uint8_t *frame, size_t length)
{
    send_to(lan, place, (struct tap_way){.to_group = true, .number = group}, frame, length);
}

void tap_lan_send(struct tap_lan *lan, size_t place, const uint8_t *frame, size_t length, double now)
{
    tap_lan_count(lan, place, TAP_COUNTER_from_namespace);
    if (length > TAP_FRAME_MOST) {
        tap_lan_count(lan, place, TAP_COUNTER_oversize);
        return;
    }
    struct tap_frame read = tap_frame_read(frame, length);
    if (read.kind != TAP_FRAME_BAD && !tap_frame_is_from(frame, lan->ports[place].site))
        read.kind = TAP_FRAME_BAD;
    switch (read.kind) {
    case TAP_FRAME_BAD:
        tap_lan_count(lan, place, TAP_COUNTER_bad_frames);
        break;
    case TAP_FRAME_UNICAST:
        send_to_site(lan, place, read.site, frame, length);
        break;
    case TAP_FRAME_FLOOD:
        send_to_group(lan, place, TAP_GROUP_ALL, frame, length);
        break;
    case TAP_FRAME_GROUP:
        send_to_group(lan, place, tap_group_of(&read.address), frame, length);
        break;
    case TAP_FRAME_REPORT:
        take_report(lan, place, frame, length, now);
        break;
    case TAP_FRAME_NOWHERE:
        tap_lan_count(lan, place, TAP_COUNTER_nowhere);
        break;
    }
}

static void take(struct tap_lan *lan, size_t place, const uint8_t *frame, size_t length)
{
    bool taken = lan->ways.take(lan->ways.context, place, frame, length);
    tap_lan_count(lan, place, taken ? TAP_COUNTER_to_namespace : TAP_COUNTER_not_taken);
}

/* Anyone can send packets in the mesh: a frame is as its source's tap would have sent it, or is none of this tap. */
static void receive_frame(struct tap_lan *lan, size_t place, unsigned source, const uint8_t *frame, size_t length)
{
    const struct port *port = &lan->ports[place];
    struct tap_frame read = tap_frame_read(frame, length);
    bool known = read.kind == TAP_FRAME_FLOOD || read.kind == TAP_FRAME_GROUP ||
                 (read.kind == TAP_FRAME_UNICAST && read.site == port->site);
    if (!known || !tap_frame_is_from(frame, source))
        tap_lan_count(lan, place, TAP_COUNTER_bad_packets);
    else if (read.kind == TAP_FRAME_GROUP && !tap_membership_has(&port->members, &read.address))
        tap_lan_count(lan, place, TAP_COUNTER_unwanted);
    else
        take(lan, place, frame, length);
}

void tap_lan_receive(struct tap_lan *lan, size_t place, unsigned source, const uint8_t *bytes, size_t count, double now)
{
    struct tap_joining *joining = lan->ports[place].joining;
    enum tap_joining_result result = TAP_JOINING_BAD;
    tap_lan_count(lan, place, TAP_COUNTER_packets_received);
    if (source < SITE_NUMBERS && lan->places[source] != NO_PLACE && lan->places[source] != place)
        result = tap_joining_add(joining, source, bytes, count, now);
    if (result == TAP_JOINING_BAD) {
        tap_lan_count(lan, place, TAP_COUNTER_bad_packets);
    } else if (result == TAP_JOINING_WHOLE) {
        size_t length;
        const uint8_t *frame = tap_joining_frame(joining, &length);
        receive_frame(lan, place, source, frame, length);
    }
}

static void ask(const struct tap_lan *lan, size_t place)
{
    uint8_t query[TAP_QUERY_BYTES];
    lan->ways.take(lan->ways.context, place, query, tap_query_igmp(query));
    lan->ways.take(lan->ways.context, place, query, tap_query_mld(query));
}

void tap_lan_tick(struct tap_lan *lan, double now)
{
    bool query = now >= lan->query_at;
    if (query)
        lan->query_at = now + TAP_QUERY_SECONDS;
    for (size_t place = 0; place < lan->count; place++) {
        struct port *port = &lan->ports[place];
        struct reporting reporting = {.lan = lan, .place = place, .now = now};
        port->counters[TAP_COUNTER_incomplete] += tap_joining_lost(port->joining, now);
        tap_membership_expire(&port->members, now, change_membership, &reporting);
        if (query)
            ask(lan, place);
    }
}
