/* See lossy_mesh.h. What the scoreboard holds every operator to:
 *   a packet is delivered at most once to a site, across restarts of the source and of the site, to its targets only,
 *     with its content and its target_info;
 *   what the window counts as acknowledged has been delivered;
 *   every packet is settled exactly once, when each target is delivered or reported as failed, and within a bound; no
 *     event comes after that; a source that restarts owes nothing any more;
 *   no sequence number is sent that is `window` or more ahead of the oldest unsettled one;
 *   ordered: each pair of sites sees its packets in order, but for those reported as failed there;
 *   a packet is not touched while the network_interface has it, nor is a posted buffer;
 *   polling only when something came, something left or the operator asked to be woken never loses progress, and an
 *     operator that asks has something to do;
 *   at rest every buffer is back.
 *
 * SPDX-License-Identifier: ISC
 */
#include "lossy_mesh.h"

#include <string.h>

#include "check.h"
#include "console_protocol.h"
#include "operator/site_set.h"
#include "operator/target_list.h"
#include "wire/envelope.h"

enum {
    INFO_MAX = 16,
    POISON_WORDS = 8,
    POISON = 0x5a5a5a5a,
    IDLE_WAKES_MAX = 3,
    FIRST_ROOM = 256,
    DEFERRAL_CLOCKS = 30000,
    LEAVING_WORDS = 4096,
    BUFFERS_OF_ROUTES = 5, /* whose place the routes take, at most */
    CONSOLE_ROOM = 990     /* chance out of 1000 that a console takes a byte */
};

struct lossy_record {
    uint64_t sent;
    uint32_t targets, delivered, failed; /* sets of sites */
    uint32_t epoch;                      /* of the source, all of it */
    uint16_t source, sequence, words;
    uint8_t info_words;
    bool settled, orphaned; /* orphaned: its source has restarted */
};

/* A copy of a packet on its way. */
struct lossy_flight {
    uint64_t arrives, gives_up;
    unsigned site;
    uint32_t kind, counts, info[PR_PACKET_INFO_WORDS];
    uint32_t words[];
};

unsigned lossy_below(struct lossy_mesh *mesh, unsigned limit)
{
    return check_below(&mesh->random, limit);
}

static bool by_chance(struct lossy_mesh *mesh, unsigned out_of_1000)
{
    return out_of_1000 > 0 && lossy_below(mesh, 1000) < out_of_1000;
}

struct lossy_settings lossy_settings(uint64_t seed, unsigned size_x, unsigned size_y)
{
    return (struct lossy_settings){
        .seed = seed,
        .size_x = size_x,
        .size_y = size_y,
        .word_width = 16,
        .buffers = 12,
        .max_packet = 40,
        .window = 8,
        .capabilities = {.multicast = true, .diverts = true},
        .delay_min = 10,
        .delay_random = 30,
        .stall_random = 10,
        .poll_random = 20,
        .patience = 500,
    };
}

/* ---- content ---- */

static uint32_t content(const struct lossy_mesh *mesh, unsigned record, unsigned index)
{
    uint64_t state = (uint64_t)record << 16 | index;
    uint32_t word = check_random(&state);
    return mesh->settings.word_width == 32 ? word : word & 0xffff;
}

enum { CONTENT_NUMBER_LOW, CONTENT_NUMBER_HIGH, CONTENT_REST, CONTENT_INFO = 0x1000 };

static uint32_t data_word(const struct lossy_mesh *mesh, unsigned record, unsigned index)
{
    if (index == CONTENT_NUMBER_LOW)
        return record & 0xffff;
    return index == CONTENT_NUMBER_HIGH ? record >> 16 : content(mesh, record, index);
}

static uint32_t info_word(const struct lossy_mesh *mesh, unsigned record, unsigned site, unsigned index)
{
    return content(mesh, record, CONTENT_INFO + site * INFO_MAX + index);
}

/* ---- scoreboard ---- */

static struct lossy_record *record_of(struct lossy_mesh *mesh, unsigned source, unsigned sequence)
{
    struct lossy_site *site = &mesh->sites[source];
    for (unsigned k = mesh->record_count; k-- > mesh->records_settled_below;) {
        struct lossy_record *record = &mesh->records[k];
        if (record->source == source && record->sequence == sequence && record->epoch == site->node.identity.epoch)
            return record->settled ? NULL : record;
    }
    return NULL;
}

static void advance_edges(struct lossy_mesh *mesh, struct lossy_site *site)
{
    while (site->first_unsettled != site->next_sequence &&
           record_of(mesh, site->node.identity.site, site->first_unsettled) == NULL)
        site->first_unsettled++;
    while (mesh->records_settled_below < mesh->record_count && mesh->records[mesh->records_settled_below].settled)
        mesh->records_settled_below++;
}

/* Sequence numbers are compared by their place in the records: they wrap round. */
static void check_order(const struct lossy_mesh *mesh, unsigned number, unsigned site)
{
    const struct lossy_record *record = &mesh->records[number];
    if (pr_site_set_has(&record->failed, site))
        return;
    for (unsigned k = number + 1; k < mesh->record_count; k++) {
        const struct lossy_record *later = &mesh->records[k];
        CHECK(later->source != record->source || later->epoch != record->epoch ||
              !pr_site_set_has(&later->delivered, site));
    }
}

static void check_delivery(struct lossy_mesh *mesh, unsigned here, const struct pr_delivery *delivery)
{
    unsigned number = delivery->data[CONTENT_NUMBER_LOW] | delivery->data[CONTENT_NUMBER_HIGH] << 16;
    struct lossy_record *record = &mesh->records[number];
    CHECK(delivery->data_words >= CONTENT_REST && number < mesh->record_count);
    CHECK_EQUAL(delivery->handler, LOSSY_HANDLER);
    CHECK_EQUAL(delivery->source, record->source);
    CHECK_EQUAL(delivery->sequence, record->sequence);
    CHECK(!mesh->sites[here].node.kind->explains || delivery->epoch == (record->epoch & PR_EPOCH_MASK));
    CHECK_EQUAL(delivery->data_words, record->words);
    CHECK(pr_site_set_has(&record->targets, here));
    CHECK(mesh->sites[here].node.kind->image || !mesh->sites[here].node.full.op.refusing);
    CHECK(!pr_site_set_has(&record->delivered, here)); /* exactly once */
    for (unsigned k = 0; k < delivery->data_words; k++)
        CHECK_EQUAL(delivery->data[k], data_word(mesh, number, k));
    CHECK_EQUAL(delivery->info_words, record->info_words);
    for (unsigned k = 0; k < delivery->info_words; k++)
        CHECK_EQUAL(delivery->info[k], info_word(mesh, number, here, k));
    pr_site_set_add(&record->delivered, here);
    mesh->delivered++;
    if (mesh->settings.ordered)
        check_order(mesh, number, here);
}

static void check_settled(struct lossy_mesh *mesh, struct lossy_site *site, struct lossy_record *record,
                          unsigned remaining)
{
    uint64_t took = mesh->clock - record->sent;
    CHECK_EQUAL(remaining, __builtin_popcount(record->failed));
    CHECK_EQUAL(record->targets & ~(record->delivered | record->failed), 0);
    CHECK(mesh->settings.settled_within == 0 || took <= mesh->settings.settled_within);
    if (took > mesh->longest)
        mesh->longest = took;
    record->settled = true;
    mesh->settled++;
    advance_edges(mesh, site);
}

static void check_failed(struct lossy_mesh *mesh, struct lossy_record *record, const struct pr_operator_event *event)
{
    CHECK(event->site < mesh->site_count && pr_site_set_has(&record->targets, event->site));
    CHECK(!pr_site_set_has(&record->failed, event->site));
    pr_site_set_add(&record->failed, event->site);
    if (event->failure == PR_OPERATOR_FAILED_RESTARTED) {
        CHECK(mesh->sites[event->site].node.identity.epoch > 0);
        mesh->failed_restarted++;
    } else {
        CHECK(event->failure == PR_OPERATOR_FAILED_TIME_OUT || !mesh->sites[record->source].node.kind->explains);
        mesh->failed_time_out++;
    }
}

/* The mesh is found by the site, whose place in it is its number. */
struct seen_from {
    struct lossy_mesh *mesh;
    unsigned site;
};

static struct seen_from observers[LOSSY_SITES_MAX];

static void on_event(void *context, const struct pr_operator_event *event)
{
    const struct seen_from *from = context;
    struct lossy_mesh *mesh = from->mesh;
    struct lossy_record *record;
    CHECK((event->kind == PR_OPERATOR_EVENT_DELIVERED) == (event->delivery != NULL));
    if (event->kind == PR_OPERATOR_EVENT_DELIVERED) {
        check_delivery(mesh, from->site, event->delivery);
        return;
    }
    if (event->kind < PR_OPERATOR_EVENT_TIMED_OUT)
        return;
    CHECK_EQUAL(event->source, from->site);
    record = record_of(mesh, from->site, event->sequence);
    CHECK(record != NULL); /* accepted, and not settled before */
    if (event->kind == PR_OPERATOR_EVENT_TIMED_OUT)
        mesh->timed_out++;
    else if (event->kind == PR_OPERATOR_EVENT_FAILED)
        check_failed(mesh, record, event);
    else
        check_settled(mesh, &mesh->sites[from->site], record, event->remaining);
    if (event->kind != PR_OPERATOR_EVENT_TIMED_OUT && by_chance(mesh, mesh->settings.answer))
        lossy_send_any(mesh, from->site, 3);
}

static void on_delivery(void *context, const struct pr_delivery *delivery)
{
    const struct seen_from *from = context;
    unsigned back = delivery->source;
    if (by_chance(from->mesh, from->mesh->settings.answer))
        lossy_send(from->mesh, from->site, &back, 1, CONTENT_REST, 0);
}

/* What the window no longer misses, and has not given up, has been delivered. */
static void check_acknowledged(struct lossy_mesh *mesh, struct lossy_site *site)
{
    const struct pr_send_window *window = &site->node.full.op.window;
    for (uint16_t sequence = site->first_unsettled; sequence != site->next_sequence; sequence++) {
        const struct lossy_record *record = record_of(mesh, site->node.identity.site, sequence);
        const uint32_t *missing = window->slots[sequence % PR_WINDOW_MAX].sites;
        if (record)
            CHECK_EQUAL(record->targets & ~(record->delivered | record->failed | *missing), 0);
    }
}

/* ---- a site and its network_interface ---- */

static uint32_t hash_of(const struct pr_packet *packet)
{
    unsigned words = pr_packet_target_words(packet) + pr_packet_data_words(packet);
    uint32_t hash = packet->counts * 31 + packet->kind;
    for (unsigned k = 0; k < PR_PACKET_INFO_WORDS; k++)
        hash = hash * 0x01000193 ^ packet->info[k];
    for (unsigned k = 0; k < words; k++)
        hash = hash * 0x01000193 ^ packet->words[k];
    return hash;
}

/* What the operator has given to the network_interface since the last look is from now on not to be touched. */
static void seal(const struct lossy_mesh *mesh, struct lossy_site *site)
{
    struct ni_model_ring *send = &site->node.fake.native.send, *receive = &site->node.fake.native.receive;
    for (; site->hashed != send->produced; site->hashed++) {
        const struct pr_packet *packet = send->slots[site->hashed % NATIVE_INTERFACE_RING];
        CHECK(pr_packet_target_words(packet) > 0 && pr_packet_target_words(packet) <= PR_PACKET_TARGET_WORDS_MAX);
        CHECK(pr_packet_sent_targets(packet) + pr_packet_data_words(packet) <=
              mesh->settings.max_packet + (mesh->settings.capabilities.source_routed ? PR_ROUTE_PORTS_MAX : 0));
        CHECK(packet->kind_bits == 0 || packet->kind_bits == PR_KIND_MULTICAST);
        for (uint32_t k = send->moved; k != site->hashed; k++)
            CHECK(send->slots[k % NATIVE_INTERFACE_RING] != packet);
        site->hashes[site->hashed % NATIVE_INTERFACE_RING] = hash_of(packet);
    }
    for (; site->poisoned != receive->produced; site->poisoned++) {
        for (unsigned k = 0; k < POISON_WORDS; k++)
            receive->slots[site->poisoned % NATIVE_INTERFACE_RING]->words[k] = POISON;
    }
}

static void wake(struct lossy_mesh *mesh, struct lossy_site *site)
{
    uint64_t poll_at = mesh->clock + 1 + lossy_below(mesh, mesh->settings.poll_random + 1);
    if (!site->must_poll || poll_at < site->poll_at)
        site->poll_at = poll_at;
    site->must_poll = true;
}

/* The console of a small operator that has one: its host listens, and reads slowly. */

static bool console_has_byte(void *context)
{
    const struct lossy_site *site = context;
    return site->console_read < site->mesh->listen_length;
}

static uint8_t console_get(void *context)
{
    struct lossy_site *site = context;
    return site->mesh->listen[site->console_read++];
}

static bool console_has_room(void *context)
{
    return by_chance(((struct lossy_site *)context)->mesh, CONSOLE_ROOM);
}

static void console_put(void *context, uint8_t byte)
{
    (void)context;
    (void)byte;
}

static void write_listen_frame(struct lossy_mesh *mesh)
{
    uint8_t contents[PR_MESSAGE_FRAME_BYTES + PR_MESSAGE_LISTEN_BYTES + PR_ENVELOPE_CHECK] = {
        PR_CONSOLE_LISTEN, 0, PR_CONSOLE_LISTEN_DELIVERED};
    mesh->listen_length = pr_envelope_encode(contents, sizeof contents - PR_ENVELOPE_CHECK, mesh->listen);
    CHECK(mesh->listen_length <= sizeof mesh->listen);
}

/* Any route will do that tells the targets apart; their lengths differ. */
static struct pr_route route_to(unsigned from, unsigned to)
{
    struct pr_route route = {.count = (uint8_t)(1 + (from + to) % PR_ROUTE_PORTS_MAX)};
    for (unsigned k = 0; k < route.count; k++)
        route.ports[k] = (uint8_t)((from + to * (k + 1)) % 16);
    return route;
}

static void learn_routes(const struct lossy_mesh *mesh, struct lossy_site *site)
{
    for (unsigned to = 0; to < mesh->site_count; to++) {
        struct pr_route route = route_to(site->node.identity.site, to);
        CHECK(pr_ways_learn(&site->node.full.op.common.here.ways, to, route.ports, route.count));
    }
}

static void start_operator(struct lossy_mesh *mesh, struct lossy_site *site, const struct node_kind *kind)
{
    const struct lossy_settings *settings = &mesh->settings;
    struct node_under_test *node = &site->node;
    node->sites = mesh->site_count;
    node->handler = LOSSY_HANDLER;
    node->deliver = on_delivery;
    node->observe = on_event;
    node->context = &observers[node->identity.site];
    site->mesh = mesh;
    site->console = (struct port_console){console_has_byte, console_get, console_has_room, console_put, site};
    site->console_read = kind == &small_receiver ? 0 : mesh->listen_length;
    node->console = &site->console;
    if (!kind->image) {
        node->buffers = settings->buffers;
        node->packet_words = settings->max_packet;
        node->window = settings->window;
    }
    if (settings->capabilities.source_routed) {
        node->buffers += BUFFERS_OF_ROUTES;
        node->packet_words += PR_ROUTE_PORTS_MAX;
    }
    CHECK(node_start(node));
    if (!kind->image)
        pr_operator_set_ordered(&node->full.op, settings->ordered);
    if (settings->capabilities.source_routed)
        learn_routes(mesh, site);
}

static void start_site(struct lossy_mesh *mesh, unsigned number, uint32_t epoch)
{
    const struct lossy_settings *settings = &mesh->settings;
    const struct node_kind *kind = settings->small >> number & 1 ? settings->small_kind : &full_reliable;
    struct lossy_site *site = &mesh->sites[number];
    node_init(&site->node, kind);
    site->node.fake.clock = mesh->clock;
    site->node.fake.interface.capabilities = settings->capabilities;
    site->node.identity = (struct pr_site_identity){
        .map_version = PR_ID_MAP_VERSION_VALUE,
        .site = number,
        .topology = PR_TOPOLOGY_GRID,
        .size_x = settings->size_x,
        .size_y = settings->size_y,
        .word_width = settings->word_width,
        .max_packet = settings->max_packet,
        .retry_limit = 3,
        .epoch = epoch,
        .reliable = 1,
    };
    site->node.identity.address = pr_site_identity_address(&site->node.identity, number);
    observers[number] = (struct seen_from){mesh, number};
    start_operator(mesh, site, kind);
    site->next_sequence = site->first_unsettled = 0;
    site->leaving = false;
    site->hashed = site->poisoned = 0;
    site->state = LOSSY_RUNNING;
    seal(mesh, site);
    wake(mesh, site);
}

void lossy_start(struct lossy_mesh *mesh, const struct lossy_settings *settings)
{
    memset(mesh, 0, sizeof *mesh);
    mesh->settings = *settings;
    mesh->random = settings->seed;
    mesh->site_count = settings->size_x * settings->size_y;
    CHECK(mesh->site_count <= LOSSY_SITES_MAX);
    mesh->clock = check_random(&mesh->random); /* 32 bits of it wrap round early in every other run */
    if (lossy_below(mesh, 2))
        mesh->clock = UINT32_MAX - lossy_below(mesh, 10000);
    write_listen_frame(mesh);
    mesh->sites = calloc(mesh->site_count, sizeof *mesh->sites);
    for (unsigned k = 0; k < mesh->site_count; k++)
        start_site(mesh, k, 0);
}

void lossy_end(struct lossy_mesh *mesh)
{
    for (unsigned k = 0; k < mesh->site_count; k++)
        node_end(&mesh->sites[k].node);
    for (unsigned k = 0; k < mesh->flight_count; k++)
        free(mesh->flights[k]);
    free(mesh->flights);
    free(mesh->records);
    free(mesh->sites);
}

void lossy_stop(struct lossy_mesh *mesh, unsigned site, uint64_t clocks)
{
    mesh->sites[site].state = LOSSY_STOPPED;
    mesh->sites[site].stopped_until = mesh->clock + clocks;
}

void lossy_kill(struct lossy_mesh *mesh, unsigned site)
{
    mesh->sites[site].state = LOSSY_DEAD;
}

void lossy_restart(struct lossy_mesh *mesh, unsigned site)
{
    for (unsigned k = mesh->records_settled_below; k < mesh->record_count; k++) {
        struct lossy_record *record = &mesh->records[k];
        if (record->source == site && !record->settled)
            record->settled = record->orphaned = true;
    }
    start_site(mesh, site, mesh->sites[site].node.identity.epoch + 1);
}

void lossy_refuse(struct lossy_mesh *mesh, unsigned site, bool refuse)
{
    if (!mesh->sites[site].node.kind->image) /* a small one takes whatever comes */
        pr_operator_refuse(&mesh->sites[site].node.full.op, refuse);
}

/* ---- packets on their way ---- */

static void push_flight(struct lossy_mesh *mesh, struct lossy_flight *flight)
{
    unsigned at = mesh->flight_count++;
    if (at == mesh->flight_room) {
        mesh->flight_room = at == 0 ? FIRST_ROOM : 2 * at;
        mesh->flights = realloc(mesh->flights, mesh->flight_room * sizeof(struct lossy_flight *));
    }
    for (; at > 0 && mesh->flights[(at - 1) / 2]->arrives > flight->arrives; at = (at - 1) / 2)
        mesh->flights[at] = mesh->flights[(at - 1) / 2];
    mesh->flights[at] = flight;
}

static struct lossy_flight *pop_flight(struct lossy_mesh *mesh)
{
    struct lossy_flight *first = mesh->flights[0], *last = mesh->flights[--mesh->flight_count];
    unsigned at = 0, child;
    while ((child = 2 * at + 1) < mesh->flight_count) {
        if (child + 1 < mesh->flight_count && mesh->flights[child + 1]->arrives < mesh->flights[child]->arrives)
            child++;
        if (mesh->flights[child]->arrives >= last->arrives)
            break;
        mesh->flights[at] = mesh->flights[child];
        at = child;
    }
    mesh->flights[at] = last;
    return first;
}

static void fly(struct lossy_mesh *mesh, const struct pr_packet *packet, unsigned to, uint32_t terminator)
{
    unsigned words = pr_packet_target_words(packet) + pr_packet_data_words(packet);
    struct lossy_flight *flight = malloc(sizeof *flight + words * sizeof(uint32_t));
    flight->arrives = mesh->clock + mesh->settings.delay_min + lossy_below(mesh, mesh->settings.delay_random + 1);
    flight->gives_up = flight->arrives + mesh->settings.patience;
    flight->site = to;
    flight->kind = (packet->kind & PR_KIND_MULTICAST) | terminator;
    flight->counts = packet->counts;
    memcpy(flight->info, packet->info, sizeof flight->info);
    memcpy(flight->words, packet->words, words * sizeof(uint32_t));
    push_flight(mesh, flight);
}

/* A copy for one site: lost, or there, and perhaps there once more. */
static void fly_by_chance(struct lossy_mesh *mesh, unsigned from, const struct pr_packet *packet, unsigned to,
                          uint32_t terminator)
{
    enum lossy_fate fate = mesh->fate != NULL ? mesh->fate(mesh->fate_context, from, to, packet) : LOSSY_BY_CHANCE;
    if (fate == LOSSY_LOST || (fate == LOSSY_BY_CHANCE && by_chance(mesh, mesh->settings.lose))) {
        mesh->lost++;
        return;
    }
    fly(mesh, packet, to, terminator);
    if (fate == LOSSY_BY_CHANCE && by_chance(mesh, mesh->settings.duplicate)) {
        mesh->duplicated++;
        fly(mesh, packet, to, terminator);
    }
}

static unsigned site_of(const struct lossy_mesh *mesh, uint32_t site_word)
{
    unsigned width = mesh->settings.word_width == 32 ? PR_SITE_COORD_WIDTH_32 : PR_SITE_COORD_WIDTH_16;
    unsigned mask = (1u << width) - 1;
    unsigned site = (site_word >> width & mask) * mesh->settings.size_x + (site_word & mask);
    CHECK(site < mesh->site_count);
    return site;
}

/* A site in relief is spared what is not for it, but for a head that has tried long enough. */
static unsigned third_site(struct lossy_mesh *mesh)
{
    unsigned site = lossy_below(mesh, mesh->site_count);
    return mesh->sites[site].node.fake.native.relief && lossy_below(mesh, 4) != 0 ? LOSSY_NEVER : site;
}

static uint32_t mark_of(const struct lossy_mesh *mesh)
{
    return mesh->settings.word_width == 32 ? 1u << PR_SITE_MARK_BIT_32 : 1u << PR_SITE_MARK_BIT_16;
}

/* A path is marked in every site word, and its targets lie on the way to each other; a tree has no mark (M10). */
static void check_marks(struct lossy_mesh *mesh, unsigned from, const struct pr_packet *packet)
{
    const struct pr_dimension_order *order = &mesh->sites[from].node.full.op.common.here.ways.order;
    uint32_t last = packet->words[0], path = last & mark_of(mesh);
    for (unsigned k = 1; k < pr_packet_target_words(packet); k++) {
        uint32_t word = packet->words[k];
        if (pr_packet_is_info(packet, k))
            continue;
        CHECK_EQUAL(word & mark_of(mesh), path);
        CHECK(pr_dimension_order_precedes(order, last, word) &&
              (!path || pr_dimension_order_leads_straight(order, last, word)));
        last = word;
    }
    mesh->paths += path != 0;
    mesh->trees += path == 0;
}

/* The copy that a split packet leaves at a site: the site words have no marks but for those of deferred targets. */
static const struct pr_packet *local_copy(struct lossy_mesh *mesh, const struct pr_packet *packet, bool defers)
{
    static uint32_t buffer[PR_PACKET_BUFFER_WORDS(PR_PACKET_TARGET_WORDS_MAX)];
    struct pr_packet *copy = (struct pr_packet *)buffer;
    unsigned target_words = pr_packet_target_words(packet), words = target_words + pr_packet_data_words(packet);
    memcpy(copy, packet, sizeof *copy + words * sizeof(uint32_t));
    for (unsigned k = 0; k < target_words; k++) {
        if (pr_packet_is_info(packet, k))
            continue;
        copy->words[k] &= ~mark_of(mesh);
        if (defers && lossy_below(mesh, 2))
            copy->words[k] |= mark_of(mesh);
    }
    return copy;
}

/* The fabric serves those targets that `left` does not owe: all, if `left` is NULL. */
static void serve(struct lossy_mesh *mesh, unsigned from, const struct pr_packet *packet, const struct pr_packet *left)
{
    const struct pr_packet *copy = local_copy(mesh, packet, false);
    for (unsigned k = 0; k < pr_packet_target_words(packet); k++) {
        if (!pr_packet_is_info(packet, k) && !(left && left->words[k] & mark_of(mesh)))
            fly_by_chance(mesh, from, copy, site_of(mesh, packet->words[k]), PR_TAG_LOCAL_END_OF_PACKET);
    }
}

/* A site that splits the packet defers some targets, and the fabric serves the others (M11). */
static void route_deferring(struct lossy_mesh *mesh, unsigned from, const struct pr_packet *packet, unsigned split)
{
    static uint32_t buffer[PR_PACKET_BUFFER_WORDS(PR_PACKET_TARGET_WORDS_MAX)];
    struct pr_packet *left = (struct pr_packet *)buffer;
    memcpy(left, local_copy(mesh, packet, true), sizeof buffer);
    mesh->deferred++;
    fly_by_chance(mesh, from, left, split, PR_TAG_LOCAL_END_OF_PACKET);
    serve(mesh, from, packet, left);
}

/* Some targets get theirs, and one site all of the packet (M7). */
static void route_aborting(struct lossy_mesh *mesh, unsigned from, const struct pr_packet *packet, unsigned split)
{
    const struct pr_packet *copy = local_copy(mesh, packet, false);
    for (unsigned k = 0; k < pr_packet_target_words(packet); k++) {
        if (!pr_packet_is_info(packet, k) && lossy_below(mesh, 2))
            fly_by_chance(mesh, from, copy, site_of(mesh, packet->words[k]), PR_TAG_LOCAL_END_OF_PACKET);
    }
    mesh->aborted++;
    fly_by_chance(mesh, from, copy, split, PR_TAG_END_OF_PACKET);
}

static void route_multicast(struct lossy_mesh *mesh, unsigned from, const struct pr_packet *packet)
{
    unsigned third = third_site(mesh);
    CHECK(mesh->sites[from].node.kind->groups);
    check_marks(mesh, from, packet);
    if (third != LOSSY_NEVER && by_chance(mesh, mesh->settings.abort)) {
        route_aborting(mesh, from, packet, third);
    } else if (third != LOSSY_NEVER && by_chance(mesh, mesh->settings.defer)) {
        route_deferring(mesh, from, packet, third);
    } else if (third != LOSSY_NEVER && mesh->settings.capabilities.diverts && by_chance(mesh, mesh->settings.divert)) {
        mesh->diverted++;
        fly_by_chance(mesh, from, packet, third, PR_TAG_END_OF_PACKET); /* whole, with its marks (M10) */
    } else {
        serve(mesh, from, packet, NULL);
    }
}

/* Packets with a relay list, and acknowledgements for a subtree. */
static void count_relays(struct lossy_mesh *mesh, const struct pr_packet *packet)
{
    unsigned target_words = pr_packet_target_words(packet);
    struct pr_header header;
    pr_header_decode(&header, packet->words + target_words, pr_packet_data_words(packet),
                     pr_header_kind_bit(mesh->settings.word_width));
    mesh->subtrees += header.kind == PR_HEADER_KIND_RELAY_ACKNOWLEDGEMENT;
    mesh->relays += header.kind == PR_HEADER_KIND_DATA && target_words > 1 &&
                    packet->words[target_words + PR_HEADER_HANDLER] >> PR_HEADER_RELAY_BIT & 1;
}

static void route(struct lossy_mesh *mesh, unsigned from, const struct pr_packet *packet)
{
    const struct pr_capabilities *can = &mesh->settings.capabilities;
    unsigned third = LOSSY_NEVER;
    if (packet->kind & PR_KIND_MULTICAST) {
        CHECK(can->multicast);
        route_multicast(mesh, from, packet);
        return;
    }
    CHECK(!(packet->words[0] & mark_of(mesh)));
    count_relays(mesh, packet);
    for (unsigned k = 1; k < pr_packet_target_words(packet); k++)
        CHECK(pr_packet_is_info(packet, k));
    if (can->diverts && by_chance(mesh, mesh->settings.divert))
        third = third_site(mesh);
    mesh->diverted += third != LOSSY_NEVER;
    fly_by_chance(mesh, from, packet, third != LOSSY_NEVER ? third : site_of(mesh, packet->words[0]),
                  PR_TAG_END_OF_PACKET);
}

static void check_window(const struct lossy_site *site, const struct pr_packet *packet)
{
    struct pr_header header;
    int16_t ahead;
    CHECK(pr_header_decode(&header, packet->words + pr_packet_target_words(packet), pr_packet_data_words(packet),
                           pr_header_kind_bit(site->node.identity.word_width)) != PR_HEADER_KIND_BAD);
    if (header.kind != PR_HEADER_KIND_DATA || header.source != site->node.identity.site ||
        header.epoch != (site->node.identity.epoch & PR_EPOCH_MASK))
        return;
    ahead = (int16_t)(header.sequence - site->first_unsettled);
    CHECK(ahead < (int)site->node.window);
    CHECK((int16_t)(header.sequence - site->next_sequence) < 0);
}

/* The switches take the route off, word by word. It is that to the packet's target. */
static const struct pr_packet *strip_route(struct lossy_mesh *mesh, unsigned from, const struct pr_packet *packet)
{
    static uint32_t buffer[PR_PACKET_BUFFER_WORDS(LEAVING_WORDS)];
    struct pr_packet *stripped = (struct pr_packet *)buffer;
    unsigned words = 0, targets = pr_packet_target_words(packet), data_words = pr_packet_data_words(packet);
    struct pr_route route;
    while (pr_packet_is_info(packet, words))
        words++;
    route = route_to(from, site_of(mesh, packet->words[words]));
    CHECK_EQUAL(words, route.count);
    *stripped = (struct pr_packet){.kind = packet->kind};
    pr_packet_set_counts(stripped, targets - words, data_words);
    for (unsigned k = 0; k < words; k++)
        CHECK_EQUAL(packet->words[k], route.ports[k]);
    for (unsigned k = words; k < targets; k++)
        pr_packet_set_info(stripped, k - words, pr_packet_is_info(packet, k));
    memcpy(stripped->words, packet->words + words, (targets - words + data_words) * sizeof *packet->words);
    return stripped;
}

/* The packet that is at the head of the queue has left. */
static void leave(struct lossy_mesh *mesh, struct lossy_site *site)
{
    const struct pr_packet *packet = fake_leaving(&site->node.fake);
    uint32_t slot = site->node.fake.native.send.moved % NATIVE_INTERFACE_RING;
    CHECK_EQUAL(hash_of(fake_sending(&site->node.fake)), site->hashes[slot]); /* the same as when it was given away */
    if (mesh->settings.capabilities.source_routed) {
        packet = strip_route(mesh, site->node.identity.site, packet);
        mesh->routed++;
    }
    check_window(site, packet);
    mesh->transmitted++;
    route(mesh, site->node.identity.site, packet);
    fake_sent(&site->node.fake);
    site->leaving = false;
    wake(mesh, site);
}

static void arrive(struct lossy_mesh *mesh, struct lossy_flight *flight)
{
    struct lossy_site *site = &mesh->sites[flight->site];
    struct pr_packet *packet = fake_receiving(&site->node.fake);
    unsigned words = (flight->counts >> PR_PACKET_COUNTS_TARGET_SHIFT) + (flight->counts & 0xffff);
    if (!packet && mesh->clock < flight->gives_up) {
        flight->arrives = mesh->clock + 1 + lossy_below(mesh, mesh->settings.patience);
        push_flight(mesh, flight);
        return;
    }
    if (!packet) {
        mesh->dropped++;
    } else {
        for (unsigned k = 0; k < POISON_WORDS; k++)
            CHECK_EQUAL(packet->words[k], POISON);
        packet->kind = flight->kind;
        packet->counts = flight->counts;
        packet->stamp_first = (uint32_t)mesh->clock - words;
        packet->stamp_last = (uint32_t)mesh->clock;
        memcpy(packet->info, flight->info, sizeof packet->info);
        memcpy(packet->words, flight->words, words * sizeof(uint32_t));
        fake_received(&site->node.fake);
        wake(mesh, site);
    }
    free(flight);
}

/* ---- sending ---- */

/* A target was deferred at every other site, as the operators see it: trees leave, and paths. */
static void set_time(const struct lossy_mesh *mesh, struct lossy_site *site)
{
    site->node.fake.clock = mesh->clock;
    site->node.fake.deferrals = site->node.identity.site % 2 ? (uint32_t)(mesh->clock / DEFERRAL_CLOCKS) : 0;
}

static void new_record(struct lossy_mesh *mesh, unsigned source, uint32_t targets, unsigned words, unsigned info_words)
{
    if (mesh->record_count == mesh->record_room) {
        mesh->record_room = mesh->record_room == 0 ? FIRST_ROOM : 2 * mesh->record_room;
        mesh->records = realloc(mesh->records, mesh->record_room * sizeof *mesh->records);
    }
    mesh->records[mesh->record_count++] = (struct lossy_record){
        .sent = mesh->clock,
        .targets = targets,
        .epoch = mesh->sites[source].node.identity.epoch,
        .source = (uint16_t)source,
        .sequence = mesh->sites[source].next_sequence,
        .words = (uint16_t)words,
        .info_words = (uint8_t)info_words,
    };
}

int lossy_send(struct lossy_mesh *mesh, unsigned source, const unsigned *sites, unsigned count, unsigned words,
               unsigned info_words)
{
    static uint32_t info[LOSSY_SITES_MAX][INFO_MAX], data[1024];
    struct lossy_site *site = &mesh->sites[source];
    struct pr_target targets[LOSSY_SITES_MAX];
    unsigned number = mesh->record_count;
    uint32_t set = 0;
    uint16_t sequence;
    int status;
    for (unsigned k = 0; k < count; k++) {
        for (unsigned i = 0; i < info_words; i++)
            info[k][i] = info_word(mesh, number, sites[k], i);
        targets[k] = (struct pr_target){(uint16_t)sites[k], (uint16_t)info_words, info[k]};
        pr_site_set_add(&set, sites[k]);
    }
    for (unsigned k = 0; k < words; k++)
        data[k] = data_word(mesh, number, k);
    set_time(mesh, site);
    status = node_send(&site->node, targets, count, data, words, &sequence);
    if (status != 0) {
        mesh->refused++;
        return status;
    }
    CHECK_EQUAL(sequence, site->next_sequence);
    new_record(mesh, source, set, words, info_words);
    site->next_sequence++;
    CHECK((uint16_t)(site->next_sequence - site->first_unsettled) <= site->node.window);
    mesh->accepted++;
    seal(mesh, site);
    wake(mesh, site);
    return 0;
}

int lossy_send_any(struct lossy_mesh *mesh, unsigned source, unsigned targets_max)
{
    unsigned sites[LOSSY_SITES_MAX], count = 1 + lossy_below(mesh, targets_max), info_words = lossy_below(mesh, 3);
    unsigned room = mesh->settings.max_packet - count * (1 + info_words) - PR_HEADER_WORDS;
    unsigned words = CONTENT_REST + lossy_below(mesh, lossy_below(mesh, 4) ? 6 : 1000);
    for (unsigned k = 0; k < count; k++)
        sites[k] = lossy_below(mesh, mesh->site_count);
    return lossy_send(mesh, source, sites, count, words < room ? words : room, info_words);
}

/* ---- time ---- */

static void poll(struct lossy_mesh *mesh, struct lossy_site *site)
{
    uint32_t clock;
    bool more, was_asked = site->must_poll;
    set_time(mesh, site);
    more = node_poll(&site->node);
    mesh->polls++;
    site->must_poll = false;
    seal(mesh, site);
    if (!site->node.kind->image)
        check_acknowledged(mesh, site);
    if (more)
        wake(mesh, site);
    site->idle_wakes = was_asked || more ? 0 : site->idle_wakes + 1;
    if (!more && node_next_wake(&site->node, &clock) && pr_has_come((uint32_t)mesh->clock, clock)) {
        CHECK(site->idle_wakes <= IDLE_WAKES_MAX); /* it asks to be polled now, and does nothing */
        wake(mesh, site);
        site->idle_wakes++;
    }
}

/* When this site next does something by itself, or UINT64_MAX. */
static uint64_t next_of_site(struct lossy_mesh *mesh, struct lossy_site *site)
{
    uint64_t next = UINT64_MAX, wake_at;
    uint32_t clock;
    if (!site->leaving && fake_sending(&site->node.fake) != NULL) {
        const struct pr_packet *packet = fake_sending(&site->node.fake);
        site->leaving = true;
        site->leaves_at = mesh->clock + pr_packet_sent_targets(packet) + pr_packet_data_words(packet) + 1 +
                          lossy_below(mesh, mesh->settings.stall_random + 1);
    }
    if (site->leaving)
        next = site->leaves_at;
    if (site->state == LOSSY_DEAD)
        return next;
    if (site->state == LOSSY_STOPPED)
        return site->stopped_until < next ? site->stopped_until : next;
    if (site->must_poll && site->poll_at < next)
        next = site->poll_at;
    if (node_next_wake(&site->node, &clock)) {
        int32_t in = (int32_t)(clock - (uint32_t)mesh->clock);
        wake_at = in <= 0 ? mesh->clock + 1 : mesh->clock + (uint32_t)in;
        if (wake_at < next && !site->must_poll)
            next = wake_at;
    }
    return next;
}

static void run_site(struct lossy_mesh *mesh, struct lossy_site *site)
{
    uint32_t clock;
    if (site->leaving && site->leaves_at <= mesh->clock)
        leave(mesh, site);
    if (site->state == LOSSY_STOPPED && site->stopped_until <= mesh->clock) {
        site->state = LOSSY_RUNNING;
        wake(mesh, site);
    }
    if (site->state != LOSSY_RUNNING)
        return;
    if ((site->must_poll && site->poll_at <= mesh->clock) ||
        (!site->must_poll && node_next_wake(&site->node, &clock) && pr_has_come((uint32_t)mesh->clock, clock)) ||
        (mesh->settings.polls_unasked && lossy_below(mesh, 8) == 0))
        poll(mesh, site);
}

/* The next thing that happens, if it does before `end`. False: nothing does. */
static bool step(struct lossy_mesh *mesh, uint64_t end)
{
    uint64_t next = mesh->flight_count > 0 ? mesh->flights[0]->arrives : UINT64_MAX;
    for (unsigned k = 0; k < mesh->site_count; k++) {
        uint64_t of_site = next_of_site(mesh, &mesh->sites[k]);
        if (of_site < next)
            next = of_site;
    }
    if (next > end || next == UINT64_MAX)
        return false;
    if (next > mesh->clock)
        mesh->clock = next;
    while (mesh->flight_count > 0 && mesh->flights[0]->arrives <= mesh->clock)
        arrive(mesh, pop_flight(mesh));
    for (unsigned k = 0; k < mesh->site_count; k++)
        run_site(mesh, &mesh->sites[k]);
    return true;
}

void lossy_run(struct lossy_mesh *mesh, uint64_t clocks)
{
    uint64_t end = mesh->clock + clocks;
    while (step(mesh, end))
        ;
    mesh->clock = end;
}

static void check_at_rest(struct lossy_mesh *mesh)
{
    CHECK_EQUAL(mesh->flight_count, 0);
    for (unsigned k = 0; k < mesh->record_count; k++)
        CHECK(mesh->records[k].settled || mesh->sites[mesh->records[k].source].state == LOSSY_DEAD);
    for (unsigned k = 0; k < mesh->site_count; k++) {
        struct lossy_site *site = &mesh->sites[k];
        if (site->state == LOSSY_DEAD)
            continue;
        CHECK(!site->must_poll && fake_sending(&site->node.fake) == NULL);
        CHECK(!site->node.fake.native.relief);
        CHECK(node_is_at_rest(&site->node));
        site->node.fake.clock = mesh->clock;
        CHECK(!node_poll(&site->node));
    }
}

void lossy_run_to_rest(struct lossy_mesh *mesh, uint64_t clocks)
{
    uint64_t end = mesh->clock + clocks;
    while (step(mesh, UINT64_MAX))
        CHECK(mesh->clock <= end); /* nobody goes on for ever */
    check_at_rest(mesh);
}
