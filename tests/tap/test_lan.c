/* The network that the tap is: which frames go where, who gets a multicast, how frames are cut and joined, and that
 * everything that is dropped is counted. Frames are made by other code (made_frames), and compared byte by byte.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "made_lan.h"
#include "tap/fragments.h"
#include "tap/membership.h"
#include "tap/reports.h"

#include <string.h>

static struct made_lan made;
static struct made_frame frame;

static unsigned long counted(size_t place, enum tap_counter counter)
{
    return tap_lan_counter(made.lan, place, counter);
}

/* Bit k: place k has got the frame, once and unchanged; all else is forgotten. */
static unsigned who_has(const struct made_frame *expected)
{
    unsigned places = 0;
    for (size_t place = 0; place < MADE_SITES; place++) {
        CHECK(made.taken_count[place] <= 1);
        if (!made.taken_count[place])
            continue;
        CHECK_EQUAL(made.taken[place][0].length, expected->length);
        CHECK(memcmp(made.taken[place][0].bytes, expected->bytes, expected->length) == 0);
        places |= 1u << place;
    }
    made_lan_forget(&made);
    return places;
}

/* Sends the frame from a place, delivers everything. */
static unsigned goes_to(size_t place, double now)
{
    made_lan_send(&made, place, &frame, now);
    made_lan_deliver_all(&made, now);
    return who_has(&frame);
}

static unsigned data_goes_to(size_t place, const char *to, size_t bytes)
{
    made_data(&frame, made_sites[place], to, bytes, (uint8_t)bytes);
    return goes_to(place, 0);
}

static void report(size_t place, bool joined, const char *addresses)
{
    if (strchr(addresses, ':'))
        made_mld(&frame, made_sites[place], 2, joined, addresses);
    else
        made_igmp(&frame, made_sites[place], 3, joined, addresses);
    CHECK_EQUAL(goes_to(place, 0), 0);
}

static void test_unicast(void)
{
    made_lan_create(&made, 16, 63);
    CHECK_EQUAL(data_goes_to(0, "10.1.0.5", 20), 1u << 1);
    CHECK_EQUAL(data_goes_to(1, "10.1.1.44", 20), 1u << 3);
    CHECK_EQUAL(data_goes_to(3, "fd00::1:f", 1000), 1u << 2);
    CHECK_EQUAL(counted(0, TAP_COUNTER_from_namespace), 1);
    CHECK_EQUAL(counted(1, TAP_COUNTER_to_namespace), 1);
    CHECK_EQUAL(data_goes_to(0, "10.1.0.6", 20), 0);
    CHECK_EQUAL(data_goes_to(0, "10.1.0.0", 20), 0);
    CHECK_EQUAL(counted(0, TAP_COUNTER_nowhere), 2);
    made_data(&frame, 15, "10.1.0.5", 20, 0);
    CHECK_EQUAL(goes_to(0, 0), 0); /* in the name of another one */
    made_data(&frame, 0, "10.1.0.5", 20, 0);
    frame.length = 13;
    CHECK_EQUAL(goes_to(0, 0), 0);
    CHECK_EQUAL(counted(0, TAP_COUNTER_bad_frames), 2);
    made_lan_destroy(&made);
}

static void test_flood(void)
{
    made_lan_create(&made, 16, 63);
    CHECK_EQUAL(data_goes_to(0, "broadcast", 30), 0xe);
    CHECK_EQUAL(data_goes_to(2, "224.0.0.251", 30), 0xb);
    CHECK_EQUAL(data_goes_to(1, "ff02::1:ff00:5", 30), 0xd);
    CHECK_EQUAL(data_goes_to(1, "ff01::1", 30), 0);
    CHECK_EQUAL(counted(1, TAP_COUNTER_nowhere), 1);
    CHECK_EQUAL(data_goes_to(0, "224.0.1.251", 30), 0);
    CHECK_EQUAL(counted(0, TAP_COUNTER_unheard), 1);
    made_data(&frame, 0, "239.1.2.3", 30, 0);
    frame.bytes[5]++; /* the MAC address does not match */
    CHECK_EQUAL(goes_to(0, 0), 0);
    made_data(&frame, 0, "ff05::3", 30, 0);
    frame.bytes[2]++;
    CHECK_EQUAL(goes_to(0, 0), 0);
    made_data(&frame, 0, "239.1.2.3", 30, 0);
    frame.length--; /* shorter than it says */
    CHECK_EQUAL(goes_to(0, 0), 0);
    made_data(&frame, 0, "ff05::3", 30, 0);
    frame.length--;
    CHECK_EQUAL(goes_to(0, 0), 0);
    CHECK_EQUAL(counted(0, TAP_COUNTER_bad_frames), 4);
    made_lan_destroy(&made);
}

static void check_members(const char *address, const char *alias, const char *other)
{
    made_lan_create(&made, 16, 63);
    CHECK_EQUAL(data_goes_to(0, address, 100), 0);
    report(1, true, address);
    CHECK_EQUAL(data_goes_to(0, address, 100), 2);
    report(2, true, address);
    report(0, true, address);
    CHECK_EQUAL(data_goes_to(0, address, 100), 6);
    CHECK_EQUAL(data_goes_to(3, address, 1400), 7); /* who sends need not be a member */
    /* The same low eight bits: it comes to the sites, and not to the namespaces. */
    unsigned long unwanted = counted(1, TAP_COUNTER_unwanted);
    CHECK_EQUAL(data_goes_to(3, alias, 100), 0);
    CHECK_EQUAL(counted(1, TAP_COUNTER_unwanted), unwanted + 1);
    report(1, true, alias);
    report(1, true, other);
    report(1, false, address);
    CHECK_EQUAL(data_goes_to(3, address, 100), 5);
    CHECK_EQUAL(data_goes_to(3, alias, 100), 2);
    CHECK_EQUAL(data_goes_to(3, other, 100), 2);
    report(1, false, alias);
    unwanted = counted(1, TAP_COUNTER_unwanted);
    CHECK_EQUAL(data_goes_to(3, address, 100), 5); /* the site has left the group */
    CHECK_EQUAL(counted(1, TAP_COUNTER_unwanted), unwanted);
    report(1, false, address); /* twice */
    CHECK_EQUAL(made.joined[0], 1);
    CHECK_EQUAL(made.joined[1], 1);
    CHECK_EQUAL(data_goes_to(0, other, 100), 2);
    made_lan_destroy(&made);
}

static void test_members(void)
{
    check_members("239.1.2.3", "239.9.9.3", "239.1.2.4");
    check_members("ff05::1:3", "ff08::203", "ff05::1:4");
}

/* The group of all: leaving its addresses leaves broadcast alone. */
static void test_group_255(void)
{
    made_lan_create(&made, 16, 63);
    report(1, true, "239.1.2.255");
    CHECK_EQUAL(data_goes_to(0, "239.1.2.255", 50), 2);
    report(1, false, "239.1.2.255");
    CHECK_EQUAL(data_goes_to(0, "239.1.2.255", 50), 0);
    CHECK_EQUAL(data_goes_to(0, "broadcast", 50), 0xe);
    made_lan_destroy(&made);
}

/* All versions, and records as hosts change their sources. */
static void test_versions(void)
{
    static const struct {
        unsigned type, sources;
        bool joined;
    } records[] = {{1, 2, true}, {1, 0, false}, {2, 0, true},  {2, 3, true},  {3, 1, true}, {3, 0, false},
                   {4, 0, true}, {5, 1, true},  {3, 0, false}, {6, 1, false}, {4, 2, true}, {6, 2, true}};
    made_lan_create(&made, 16, 63);
    for (unsigned version = 1; version <= 3; version++) {
        made_igmp(&frame, 5, version, true, "239.1.2.3");
        goes_to(1, 0);
        CHECK_EQUAL(data_goes_to(0, "239.1.2.3", 10), 2);
        made_igmp(&frame, 5, version < 3 ? 2 : 3, false, "239.1.2.3");
        goes_to(1, 0);
        CHECK_EQUAL(data_goes_to(0, "239.1.2.3", 10), 0);
    }
    for (unsigned version = 1; version <= 2; version++) {
        made_mld(&frame, 5, version, true, "ff05::3");
        goes_to(1, 0);
        CHECK_EQUAL(data_goes_to(0, "ff05::3", 10), 2);
        made_mld(&frame, 5, version, false, "ff05::3");
        goes_to(1, 0);
        CHECK_EQUAL(data_goes_to(0, "ff05::3", 10), 0);
    }
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        for (int ipv6 = 0; ipv6 < 2; ipv6++) {
            const char *address = ipv6 ? "ff05::3" : "239.1.2.3";
            made_record(&frame, 5, records[i].type, records[i].sources, address);
            goes_to(1, 0);
            CHECK_EQUAL(data_goes_to(0, address, 10), 2u * records[i].joined);
        }
    report(1, true, "239.1.2.4 239.1.2.5 239.1.2.6");
    CHECK_EQUAL(data_goes_to(0, "239.1.2.6", 10), 2);
    CHECK_EQUAL(counted(1, TAP_COUNTER_bad_reports), 0);
    made_lan_destroy(&made);
}

/* Every single byte of a report that is wrong is noticed, or changes nothing but Ethernet's and IP's own fields. */
static void test_bad_reports(void)
{
    made_lan_create(&made, 16, 63);
    for (int ipv6 = 0; ipv6 < 2; ipv6++) {
        unsigned long bad = counted(1, TAP_COUNTER_bad_reports);
        const char *address = ipv6 ? "ff05::3" : "239.1.2.3";
        size_t message = ipv6 ? 62 : 38;
        made_record(&frame, 5, 4, 0, address);
        struct made_frame good = frame;
        for (size_t at = message; at < good.length; at++) {
            frame = good;
            frame.bytes[at] ^= 0x10;
            /* Other types of ICMPv6 are for hosts. */
            unsigned expected = ipv6 && at == message ? 0xd : 0;
            CHECK_EQUAL(goes_to(1, 0), expected);
            bad += !expected;
            CHECK_EQUAL(counted(1, TAP_COUNTER_bad_reports), bad);
        }
        CHECK_EQUAL(data_goes_to(0, address, 10), 0);
        /* More records, sources and data than there are; a record of no type; cut off. */
        static const size_t counts[] = {7, 11, 9};
        for (int k = 0; k < 5; k++) {
            frame = good;
            if (k < 3)
                frame.bytes[message + counts[k]]++;
            else if (k == 3)
                frame.bytes[message + 8] = 7;
            else
                frame.length--;
            made_seal(&frame);
            CHECK_EQUAL(goes_to(1, 0), 0);
            CHECK_EQUAL(counted(1, TAP_COUNTER_bad_reports), ++bad);
        }
        /* MLD from afar; a part of an IGMP message. */
        frame = good;
        frame.bytes[ipv6 ? 14 + 7 : 14 + 6] = 0x20;
        made_seal(&frame);
        goes_to(1, 0);
        CHECK_EQUAL(counted(1, TAP_COUNTER_bad_reports), ++bad);
        CHECK_EQUAL(data_goes_to(0, address, 10), 0);
    }
    made_mld(&frame, 5, 2, true, "ff05::3");
    memset(frame.bytes + 14 + 8, 0, 16); /* from nobody: not refused (RFC 4541, 3) */
    made_seal(&frame);
    goes_to(1, 0);
    CHECK_EQUAL(data_goes_to(0, "ff05::3", 10), 2);
    made_mld(&frame, 5, 2, true, "ff05::4");
    memset(frame.bytes + 14 + 8, 0x20, 16);
    made_seal(&frame);
    goes_to(1, 0);
    CHECK_EQUAL(data_goes_to(0, "ff05::4", 10), 0);
    made_lan_destroy(&made);
}

/* What is not reported any more is left; a table that is full says so, and has room again. */
static void test_expiry(void)
{
    char address[16];
    made_lan_create(&made, 16, 63);
    report(1, true, "239.1.2.3");
    tap_lan_tick(made.lan, TAP_MEMBER_SECONDS - 1);
    made_lan_forget(&made);
    CHECK_EQUAL(data_goes_to(0, "239.1.2.3", 10), 2);
    tap_lan_tick(made.lan, TAP_MEMBER_SECONDS);
    made_lan_forget(&made);
    CHECK_EQUAL(data_goes_to(0, "239.1.2.3", 10), 0);
    for (unsigned i = 0; i < TAP_ADDRESSES_MOST + 2; i++) {
        snprintf(address, sizeof address, "239.1.%u.%u", i / 200, i % 200);
        report(1, true, address);
    }
    CHECK_EQUAL(counted(1, TAP_COUNTER_bad_reports), 2);
    CHECK_EQUAL(data_goes_to(0, "239.1.1.55", 10), 2);
    CHECK_EQUAL(data_goes_to(0, "239.1.1.56", 10), 0);
    report(1, false, "239.1.0.9");
    report(1, true, "239.1.1.56");
    CHECK_EQUAL(data_goes_to(0, "239.1.1.56", 10), 2);
    CHECK_EQUAL(data_goes_to(0, "239.1.0.9", 10), 0);
    made_lan_destroy(&made);
}

/* Both are asked at the start, and then every TAP_QUERY_SECONDS; the queries are what reports are: whole, and right. */
static void test_queries(void)
{
    made_lan_create(&made, 16, 63);
    for (unsigned second = 0; second <= TAP_QUERY_SECONDS; second++)
        tap_lan_tick(made.lan, second);
    for (size_t place = 0; place < MADE_SITES; place++) {
        CHECK_EQUAL(made.taken_count[place], 4);
        for (size_t i = 0; i < 4; i++) {
            struct made_frame *query = &made.taken[place][i], again = *query;
            CHECK_EQUAL(tap_frame_read(query->bytes, query->length).kind, TAP_FRAME_REPORT);
            CHECK(tap_reports_read(query->bytes, query->length, NULL, NULL));
            made_seal(&again);
            CHECK(memcmp(&again, query, sizeof again.length + again.length) == 0);
        }
    }
    made_lan_destroy(&made);
}

/* Every length, in words of both widths and packets from the shortest on, to one site and to many. */
static void test_lengths(void)
{
    static const struct {
        unsigned width, most;
    } meshes[] = {{16, 13}, {32, 13}, {16, 63}, {32, 1000}, {16, 4096}};
    for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) {
        made_lan_create(&made, meshes[m].width, meshes[m].most);
        for (size_t bytes = 0; bytes <= 1480; bytes += bytes < 70 ? 1 : 47) {
            CHECK_EQUAL(data_goes_to(0, "10.1.0.5", bytes), 2);
            CHECK_EQUAL(data_goes_to(3, "broadcast", bytes), 7);
        }
        CHECK_EQUAL(data_goes_to(0, "10.1.0.5", 1480), 2);
        CHECK_EQUAL(counted(0, TAP_COUNTER_oversize), 0);
        CHECK_EQUAL(data_goes_to(0, "10.1.0.5", 1481), 0);
        CHECK_EQUAL(counted(0, TAP_COUNTER_oversize), 1);
        made_lan_destroy(&made);
    }
}

static void test_refusals(void)
{
    made_lan_create(&made, 16, 63);
    made.full = true;
    CHECK_EQUAL(data_goes_to(0, "10.1.0.5", 100), 0);
    CHECK_EQUAL(counted(0, TAP_COUNTER_queue_full), 1);
    made.full = false;
    made.deaf = true;
    CHECK_EQUAL(data_goes_to(0, "10.1.0.5", 100), 0);
    CHECK_EQUAL(counted(1, TAP_COUNTER_not_taken), 1);
    CHECK_EQUAL(counted(1, TAP_COUNTER_to_namespace), 0);
    made_lan_destroy(&made);
}

/* Packets of others, or of one's own in the name of others. */
static void test_foreign_packets(void)
{
    made_lan_create(&made, 16, 63);
    made_data(&frame, 0, "10.1.0.5", 1200, 0);
    made_lan_send(&made, 0, &frame, 0);
    static const unsigned strangers[] = {1, 5, 70000};
    for (size_t i = 0; i < 3; i++) {
        tap_lan_receive(made.lan, 1, strangers[i], made.packets[0]->bytes, made.packets[0]->count, 0);
        CHECK_EQUAL(counted(1, TAP_COUNTER_bad_packets), i + 1);
    }
    while (made.packet_count)
        made_lan_lose(&made, 0);
    made_data(&frame, 0, "10.1.0.5", 20, 0);
    made_lan_send(&made, 0, &frame, 0);
    struct made_packet packet = *made.packets[0];
    tap_lan_receive(made.lan, 1, 15, packet.bytes, packet.count, 0); /* in the name of site 0 */
    CHECK_EQUAL(counted(1, TAP_COUNTER_bad_packets), 4);
    tap_lan_receive(made.lan, 2, 0, packet.bytes, packet.count, 0); /* to another site */
    CHECK_EQUAL(counted(2, TAP_COUNTER_bad_packets), 1);
    made_igmp(&frame, 0, 3, true, "239.1.2.3"); /* never sent */
    struct tap_cut cut = {frame.bytes, (uint16_t)frame.length, 7};
    packet.count = tap_fragment_write(&cut, 0, sizeof packet.bytes, packet.bytes);
    tap_lan_receive(made.lan, 2, 0, packet.bytes, packet.count, 0);
    CHECK_EQUAL(counted(2, TAP_COUNTER_bad_packets), 2);
    CHECK_EQUAL(who_has(&frame), 0);
    made_lan_destroy(&made);
}

/* Packets that come late, in any order, twice or not at all. */
static void test_joining(void)
{
    made_lan_create(&made, 16, 63);
    made_data(&frame, 0, "10.1.0.5", 1200, 3);
    made_lan_send(&made, 0, &frame, 0);
    CHECK(made.packet_count > 5);
    struct made_packet twice = *made.packets[2];
    made_lan_deliver(&made, 2, 0);
    tap_lan_receive(made.lan, 1, 0, twice.bytes, twice.count, 0);
    CHECK_EQUAL(counted(1, TAP_COUNTER_bad_packets), 1);
    while (made.packet_count)
        made_lan_deliver(&made, made.packet_count - 1, TAP_FRAME_SECONDS - 1);
    CHECK_EQUAL(who_has(&frame), 2);
    /* One is lost. */
    made_lan_send(&made, 0, &frame, 100);
    made_lan_lose(&made, 0);
    made_lan_deliver_all(&made, 100);
    tap_lan_tick(made.lan, 100 + TAP_FRAME_SECONDS - 1);
    CHECK_EQUAL(counted(1, TAP_COUNTER_incomplete), 0);
    tap_lan_tick(made.lan, 100 + TAP_FRAME_SECONDS);
    CHECK_EQUAL(counted(1, TAP_COUNTER_incomplete), 1);
    made_lan_forget(&made);
    /* The number comes again with another length. */
    made_lan_send(&made, 0, &frame, 200);
    while (made.packet_count)
        made_lan_lose(&made, 0);
    made.identification[0] = 9;
    made_lan_send(&made, 0, &frame, 200);
    made_lan_lose(&made, 0);
    made_lan_deliver_all(&made, 200);
    made.identification[0] = 9;
    made_data(&frame, 0, "10.1.0.5", 600, 3);
    CHECK_EQUAL(goes_to(0, 200), 2);
    tap_lan_tick(made.lan, 201);
    CHECK_EQUAL(counted(1, TAP_COUNTER_incomplete), 2);
    made_lan_destroy(&made);
}

/* Frames that never become whole push out no frames of others, and not more than their share of places. */
static void test_bounded_joining(void)
{
    made_lan_create(&made, 16, 63);
    made_data(&frame, 5, "10.1.1.44", 200, 1);
    made_lan_send(&made, 1, &frame, 0);
    struct made_packet last = *made.packets[made.packet_count - 1];
    made_lan_lose(&made, made.packet_count - 1);
    made_lan_deliver_all(&made, 0);
    for (unsigned i = 0; i < 100; i++) {
        struct made_frame other;
        made_data(&other, i % 2 ? 0 : 15, "10.1.1.44", 200, 2);
        made_lan_send(&made, i % 2 ? 0 : 2, &other, 1);
        made_lan_lose(&made, made.packet_count - 1);
        made_lan_deliver_all(&made, 1);
    }
    tap_lan_tick(made.lan, 1);
    CHECK_EQUAL(counted(3, TAP_COUNTER_incomplete), 100 - 2 * TAP_FRAMES_OPEN_OF_SOURCE);
    made_lan_forget(&made);
    tap_lan_receive(made.lan, 3, 5, last.bytes, last.count, 1);
    CHECK_EQUAL(who_has(&frame), 8);
    made_lan_destroy(&made);
}

int main(void)
{
    RUN(test_unicast);
    RUN(test_flood);
    RUN(test_members);
    RUN(test_group_255);
    RUN(test_versions);
    RUN(test_bad_reports);
    RUN(test_expiry);
    RUN(test_queries);
    RUN(test_lengths);
    RUN(test_refusals);
    RUN(test_foreign_packets);
    RUN(test_joining);
    RUN(test_bounded_joining);
    return verdict("tap: lan");
}
