/* Sends packets through a mesh of sites with the image small-traffic, and checks that each arrives exactly once, or is
 * reported as failed. The packets follow from the seed: the same through a mesh of bitstreams and one of RTL.
 *
 * usage: traffic MESH PACKETS SEED [FAULTS [ERRORS [EPOCHS]]]
 *   MESH     a testbed (.ini) or a .mesh file
 *   FAULTS   of each kind: cables that are unplugged for a while, cores that are restarted, boards that lose their
 * power ERRORS   share of bits that cables invert EPOCHS   a folder with SITE-EPOCH.bin of some sites and epochs:
 * boards without a flash that lose their power come back with them. Without them they keep their power. Boards with a
 * flash count their starts there. It prints `SOURCE TARGET WORDS TAG SUM` of each packet that arrived, in the order of
 * tags, and on stderr what happened. exit: 0 exactly once, 1 usage, 3 not so
 *
 *   orders --- site --- mesh --- site --- DELIVERED ---> packets[tag]
 *                ^-- SETTLED or FAILED ----------------> packets[tag]
 *
 * What a site may lose: a packet that it sends (`gone`) when it is restarted, and the report of a delivery.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bitstream/board_simulation.h"
#include "bitstream/traffic/mesh.h"
#include "firmware/small_traffic/small_traffic.h"
#include "support/or_abort.h"
#include "support/random.h"

enum {
    PACKETS_MAX = 1 << 16,
    SITES_MAX = 16,
    NONE = -1,
    REPORT_MAX = 16,
    PATH_SIZE = 1024,
    ERROR_SIZE = 1024,
    EPOCHS_MAX = 127,
    SILENCE_CLOCKS = 24000000, /* without any report: the mesh stands still */
    UNPLUGGED_CLOCKS = 30000
};

enum fate { WAITS, UNDERWAY, SETTLED, FAILED, REFUSED, GONE, FATES };

struct packet {
    uint8_t source, target, words, fate, deliveries;
    bool target_restarted; /* since it was ordered */
};

struct site {
    bool ready;
    int underway;   /* tag, or NONE */
    int cut;        /* tag of the packet that a loss of power has ended, or NONE: its report may have left before */
    unsigned epoch; /* from its report */
    uint8_t report[REPORT_MAX];
    unsigned length;
};

struct fault {
    unsigned at; /* packets that have been ordered when it happens */
    enum { UNPLUG, RESTART, POWER, FAULT_KINDS } kind;
    unsigned number; /* cable or site */
};

static struct mesh mesh;
static struct site sites[SITES_MAX];
static struct packet packets[PACKETS_MAX];
static unsigned packet_count, ordered, done, wrong, happened[FAULT_KINDS];
static struct fault *faults;
static unsigned fault_count, next_fault;
static uint64_t last_report;
static int unplugged = NONE;
static uint64_t unplugged_until;
static const char *epochs; /* the folder, or NULL */

static void complain(const char *what, unsigned site, unsigned tag)
{
    fprintf(stderr, "traffic: site %u, packet %u: %s\n", site, tag, what);
    wrong++;
}

/* ---- packets ---- */

static void draw_packets(uint64_t seed)
{
    struct random random;
    random_seed(&random, seed, 1);
    for (unsigned tag = 0; tag < packet_count; tag++) {
        unsigned source = (unsigned)(random_bits(&random) % mesh.sites);
        unsigned step = 1 + (unsigned)(random_bits(&random) % (mesh.sites - 1));
        packets[tag] = (struct packet){.source = (uint8_t)source,
                                       .target = (uint8_t)((source + step) % mesh.sites),
                                       .words = (uint8_t)(random_bits(&random) % (TRAFFIC_WORDS_MAX + 1))};
    }
}

static uint32_t sum_of(unsigned tag)
{
    uint32_t sum = 0;
    for (unsigned k = 0; k <= packets[tag].words; k++)
        sum = traffic_add(sum, traffic_word(tag, k));
    return sum;
}

static void settle(unsigned tag, enum fate fate)
{
    packets[tag].fate = (uint8_t)fate;
    done++;
}

/* ---- reports ---- */

static unsigned value_at(const uint8_t *bytes)
{
    return (bytes[0] | (unsigned)bytes[1] << 7 | (unsigned)bytes[2] << 14) & 0xffff;
}

/* Of a report that begins with this byte; 0: it begins none. */
static unsigned length_of(uint8_t first)
{
    static const uint8_t lengths[] = {2, 1 + TRAFFIC_VALUE_BYTES, 1 + TRAFFIC_VALUE_BYTES, 1 + TRAFFIC_VALUE_BYTES,
                                      3 + 2 * TRAFFIC_VALUE_BYTES};
    return first >= TRAFFIC_READY && first <= TRAFFIC_DELIVERED ? lengths[first - TRAFFIC_READY] : 0;
}

static void take_delivery(unsigned site, const uint8_t *report)
{
    unsigned tag = value_at(report + 3), sum = value_at(report + 3 + TRAFFIC_VALUE_BYTES);
    struct packet *packet = &packets[tag];
    if (tag >= packet_count || packet->fate == WAITS)
        complain("it was never sent", site, tag);
    else if (packet->target != site)
        complain("it arrived at another site than its target", site, tag);
    else if (packet->source != report[1] || packet->words != report[2] || sum_of(tag) != sum)
        complain("its contents are others", site, tag);
    else if (++packet->deliveries > 1)
        complain("it arrived twice", site, tag);
}

/* The site has lost what it had: its packet, and reports. */
static void restarted(unsigned number)
{
    struct site *site = &sites[number];
    if (site->underway != NONE)
        settle((unsigned)site->underway, GONE);
    site->underway = NONE;
    for (unsigned tag = 0; tag < packet_count; tag++)
        packets[tag].target_restarted |= packets[tag].target == number && packets[tag].fate != WAITS;
}

static void take_report(unsigned number)
{
    struct site *site = &sites[number];
    unsigned tag = value_at(site->report + 1);
    if (site->report[0] == TRAFFIC_READY) {
        restarted(number);
        site->ready = true;
        site->epoch = site->report[1];
    } else if (site->report[0] == TRAFFIC_DELIVERED) {
        take_delivery(number, site->report);
    } else if (!site->ready && site->cut == (int)tag) {
        site->cut = NONE;
    } else if (site->underway != (int)tag) {
        complain("it was reported, but is not underway", number, tag);
    } else {
        site->underway = NONE;
        settle(tag, site->report[0] == TRAFFIC_SETTLED  ? SETTLED
                    : site->report[0] == TRAFFIC_FAILED ? FAILED
                                                        : REFUSED);
    }
}

/* A report that a restart has cut short is forgotten: the first byte of the next one has its upper bit set. */
static void read_reports(unsigned number)
{
    struct site *site = &sites[number];
    uint8_t byte;
    while (mesh_read(&mesh, number, &byte, 1) == 1) {
        if (byte >= TRAFFIC_READY)
            site->length = 0;
        if (site->length < REPORT_MAX)
            site->report[site->length++] = byte;
        if (site->length != length_of(site->report[0]))
            continue;
        last_report = mesh_clock(&mesh);
        take_report(number);
    }
}

/* ---- orders ---- */

/* The packets of each site leave in the order of their tags. */
static void order_next(unsigned number)
{
    static unsigned next[SITES_MAX];
    struct site *site = &sites[number];
    unsigned tag = next[number];
    while (tag < packet_count && packets[tag].source != number)
        tag++;
    next[number] = tag;
    if (tag == packet_count)
        return;
    next[number]++;
    site->underway = (int)tag;
    packets[tag].fate = UNDERWAY;
    ordered++;
    const uint8_t bytes[TRAFFIC_ORDER_BYTES] = {(uint8_t)(TRAFFIC_SEND | packets[tag].target), packets[tag].words,
                                                tag & 0x7f, tag >> 7 & 0x7f, (uint8_t)(tag >> 14)};
    mesh_write(&mesh, number, bytes, sizeof bytes);
}

/* ---- faults ---- */

static int by_time(const void *a, const void *b)
{
    const struct fault *one = a, *other = b;
    return (one->at > other->at) - (one->at < other->at);
}

/* `count` of each kind, spread over the packets. */
static void draw_faults(unsigned count, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed, 2);
    faults = or_abort(calloc((size_t)FAULT_KINDS * count + 1, sizeof *faults));
    for (unsigned k = 0; k < FAULT_KINDS * count; k++) {
        unsigned kind = k % FAULT_KINDS, of = kind == UNPLUG ? mesh.testbed.cable_count : mesh.sites;
        faults[fault_count++] = (struct fault){.at = (unsigned)(random_bits(&random) % packet_count),
                                               .kind = kind,
                                               .number = (unsigned)(random_bits(&random) % of)};
    }
    qsort(faults, fault_count, sizeof *faults, by_time);
}

static bool has_flash(unsigned number)
{
    return *mesh.testbed.boards[number].flash;
}

static void switch_off_and_on(unsigned number)
{
    board_simulation_power(mesh.boards, number, true);
    sites[number].cut = sites[number].underway;
    restarted(number);
    sites[number].ready = false;
    happened[POWER]++;
}

/* Power goes and comes; without a flash with the next epoch that there is a bitstream of. */
static void lose_power(unsigned number)
{
    char path[PATH_SIZE], error[ERROR_SIZE];
    if (has_flash(number)) {
        switch_off_and_on(number);
        return;
    }
    for (unsigned epoch = sites[number].epoch + 1; epochs && epoch <= EPOCHS_MAX; epoch++) {
        snprintf(path, sizeof path, "%s/%u-%u.bin", epochs, number, epoch);
        if (access(path, R_OK) != 0)
            continue;
        if (board_simulation_program(mesh.boards, number, path, error, sizeof error) != 0) {
            complain(error, number, 0);
            return;
        }
        switch_off_and_on(number);
        return;
    }
}

/* A board with a boot ROM would await another image behind RESTART. */
static void happen(const struct fault *fault)
{
    const uint8_t restart = TRAFFIC_RESTART;
    if (fault->kind == POWER) {
        lose_power(fault->number);
    } else if (fault->kind == RESTART) {
        if (has_flash(fault->number))
            return;
        sites[fault->number].ready = false;
        mesh_write(&mesh, fault->number, &restart, 1);
        happened[RESTART]++;
    } else {
        board_simulation_unplug(mesh.boards, fault->number);
        unplugged = (int)fault->number;
        unplugged_until = mesh_clock(&mesh) + UNPLUGGED_CLOCKS;
        happened[UNPLUG]++;
    }
}

/* One cable at a time is without its plug; a site that starts is left alone. */
static void look_at_faults(void)
{
    if (unplugged != NONE && mesh_clock(&mesh) >= unplugged_until) {
        board_simulation_plug(mesh.boards, (unsigned)unplugged);
        unplugged = NONE;
    }
    if (next_fault == fault_count || faults[next_fault].at > ordered)
        return;
    const struct fault *fault = &faults[next_fault];
    if (fault->kind == UNPLUG ? unplugged != NONE : !sites[fault->number].ready)
        return;
    next_fault++;
    happen(fault);
}

/* ---- the run ---- */

static bool all_ready(void)
{
    for (unsigned i = 0; i < mesh.sites; i++)
        if (!sites[i].ready)
            return false;
    return true;
}

/* Until every packet is settled, and the deliveries of the last ones have been reported. False: it stands still. */
static bool run(void)
{
    enum { LAST_CLOCKS = 100000 };
    bool begun = false;
    uint64_t end = UINT64_MAX;
    while (mesh_clock(&mesh) < end) {
        mesh_run(&mesh);
        for (unsigned i = 0; i < mesh.sites; i++)
            read_reports(i);
        begun |= all_ready();
        look_at_faults();
        for (unsigned i = 0; i < mesh.sites && begun; i++)
            if (sites[i].ready && sites[i].underway == NONE)
                order_next(i);
        if (done == packet_count && end == UINT64_MAX)
            end = mesh_clock(&mesh) + LAST_CLOCKS;
        if (mesh_clock(&mesh) - last_report > SILENCE_CLOCKS)
            return false;
    }
    return true;
}

static void check(unsigned tag)
{
    const struct packet *packet = &packets[tag];
    if (packet->fate == SETTLED && packet->deliveries == 0 && !packet->target_restarted)
        complain("it was acknowledged, and has not arrived", packet->source, tag);
    if (packet->fate == REFUSED)
        complain("it was refused", packet->source, tag);
    if (packet->fate == FAILED && next_fault == 0)
        complain("it failed, without a fault", packet->source, tag);
    if (packet->deliveries)
        printf("%u %u %u %u %u\n", packet->source, packet->target, packet->words + 1u, tag, (unsigned)sum_of(tag));
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void report(bool stands_still)
{
    unsigned fates[FATES] = {0}, delivered = 0;
    for (unsigned tag = 0; tag < packet_count; tag++) {
        check(tag);
        fates[packets[tag].fate]++;
        delivered += packets[tag].deliveries;
    }
    fprintf(stderr,
            "%u sites: %u packets, %u delivered, %u acknowledged, %u failed, %u gone with a sender that was restarted\n"
            "%u cables unplugged, %u cores restarted, %u boards without power; %llu clocks, %.1f s of CPU time\n",
            mesh.sites, packet_count, delivered, fates[SETTLED], fates[FAILED], fates[GONE], happened[UNPLUG],
            happened[RESTART], happened[POWER], (unsigned long long)mesh_clock(&mesh), seconds());
    if (stands_still)
        complain("nothing has been reported for two seconds", 0, done);
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 7 || atoi(argv[2]) < 1 || atoi(argv[2]) > PACKETS_MAX) {
        fputs("usage: traffic MESH PACKETS SEED [FAULTS [ERRORS [EPOCHS]]]\n", stderr);
        return 1;
    }
    uint64_t seed = strtoull(argv[3], NULL, 10);
    packet_count = (unsigned)atoi(argv[2]);
    mesh_start(&mesh, argv[1], seed);
    for (unsigned i = 0; i < mesh.sites && i < SITES_MAX; i++)
        sites[i].underway = sites[i].cut = NONE;
    draw_packets(seed);
    epochs = argc > 6 ? argv[6] : NULL;
    if (argc > 4 && mesh.boards)
        draw_faults((unsigned)atoi(argv[4]), seed);
    for (unsigned cable = 0; argc > 5 && mesh.boards && cable < mesh.testbed.cable_count; cable++)
        board_simulation_errors(mesh.boards, cable, atof(argv[5]));
    report(!run());
    mesh_end(&mesh);
    free(faults);
    return wrong ? 3 : 0;
}
