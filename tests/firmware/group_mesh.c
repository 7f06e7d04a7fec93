/* See group_mesh.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "group_mesh.h"

#include <string.h>

#include "check.h"

enum {
    MAX_PACKET = 63,
    WINDOW = 4,
    PATIENCE = 2000, /* clocks without a buffer before a packet is dropped */
    UNREAD_MOST = 3, /* deliveries that a console has room for */
    CONTENT_LOW = 0,
    CONTENT_HIGH,
    CONTENT_REST
};

struct group_flight {
    struct group_flight *next; /* in the order of their arrival */
    uint64_t arrives, gives_up;
    unsigned site;
    uint32_t kind;
    unsigned words;
    uint32_t target, data[MAX_PACKET];
};

static bool by_chance(struct group_mesh *mesh, unsigned out_of_1000)
{
    return out_of_1000 > 0 && check_below(&mesh->random, 1000) < out_of_1000;
}

struct group_settings group_settings(uint64_t seed, unsigned sites, unsigned shape)
{
    return (struct group_settings){
        .seed = seed,
        .sites = sites,
        .shape = shape,
        .delay_min = 10,
        .delay_random = 60,
        .link_clocks = 1,
        .buffers = 16,
        .slots = 8,
        .holds = 8,
    };
}

/* ---- scoreboard ---- */

static uint32_t content(unsigned message, unsigned index)
{
    uint64_t state = (uint64_t)message << 16 | index;
    if (index == CONTENT_LOW)
        return message & 0xffff;
    return index == CONTENT_HIGH ? message >> 16 : check_random(&state) & 0xffff;
}

static bool is_ordered(const struct group_mesh *mesh)
{
    return pr_group_shape_orders(mesh->settings.shape);
}

/* In a place all have the same packet, and each takes its places one after the other. */
static void check_place(struct group_site *site, unsigned number, uint16_t place)
{
    uint32_t *there = &site->mesh->places[place];
    if (*there == 0 || !is_ordered(site->mesh))
        *there = number + 1;
    CHECK_EQUAL(*there, number + 1);
    CHECK(!site->has_place || place == site->place);
    site->place = (uint16_t)(place + 1);
    site->has_place = true;
    site->mesh->places[(uint16_t)(place + 32768)] = 0; /* numbers wrap */
}

/* As a console, whose host does not take what a site delivers at once. */
static bool console_takes(const void *context)
{
    const struct group_site *site = context;
    return site->unread < UNREAD_MOST;
}

static void host_reads(struct group_mesh *mesh, struct group_site *site)
{
    if (mesh->clock < site->read_at)
        return;
    site->unread = 0;
    site->read_at = mesh->clock + mesh->settings.reading;
}

static void on_delivery(void *context, const struct pr_delivery *delivery)
{
    struct group_site *site = context;
    struct group_mesh *mesh = site->mesh;
    unsigned here = site->identity.site, number;
    struct group_message *message;
    CHECK(delivery->data_words >= CONTENT_REST);
    number = delivery->data[CONTENT_LOW] | delivery->data[CONTENT_HIGH] << 16;
    CHECK(number < mesh->message_count);
    message = &mesh->messages[number];
    CHECK_EQUAL(delivery->handler, GROUP_HANDLER);
    CHECK_EQUAL(delivery->source, message->source);
    CHECK_EQUAL(delivery->sequence, message->number);
    CHECK_EQUAL(delivery->epoch, message->since & PR_GROUP_SINCE_MASK);
    CHECK_EQUAL(delivery->data_words, message->words);
    CHECK_EQUAL(delivery->info_words, PR_GROUPS_INFO_WORDS);
    CHECK_EQUAL(delivery->info[0], GROUP_ID);
    CHECK(is_ordered(mesh) || (delivery->source != here && delivery->info[1] == delivery->sequence));
    for (unsigned k = 0; k < delivery->data_words; k++)
        CHECK_EQUAL(delivery->data[k], content(number, k));
    CHECK(!(message->delivered >> here & 1) || message->memberships[here] != site->membership); /* exactly once */
    message->delivered |= 1u << here;
    message->memberships[here] = (uint8_t)site->membership;
    mesh->delivered++;
    if (is_ordered(mesh))
        check_place(site, number, (uint16_t)delivery->info[1]);
    CHECK(console_takes(site));
    site->unread += mesh->settings.reading != 0;
}

static struct group_message *message_of(struct group_mesh *mesh, unsigned source, unsigned number)
{
    for (unsigned k = mesh->message_count; k-- > 0;)
        if (mesh->messages[k].source == source && mesh->messages[k].number == number)
            return &mesh->messages[k];
    CHECK(false);
    return NULL;
}

/* Whoever was a member from before the packet was sent, as its keeper sees it, has it. */
static void check_settled(struct group_site *keeper, struct group_message *message)
{
    const struct pr_group *group = pr_groups_find(&keeper->groups, GROUP_ID);
    struct group_mesh *mesh = keeper->mesh;
    if (is_ordered(mesh) && keeper->identity.site != mesh->settings.leader)
        return; /* the leader is gone: whether it had it settled, its source does not know */
    CHECK(!message->settled);
    message->settled = true;
    for (unsigned k = 0; group && k < group->count; k++) {
        unsigned site = group->members[k].site;
        bool later = (int8_t)(group->members[k].since - message->view) > 0;
        if (later || (site == message->source && !is_ordered(mesh)))
            continue;
        CHECK((message->delivered | message->failed) >> site & 1 || mesh->settings.reading); /* or is held there */
    }
}

static void on_event(void *context, const struct pr_groups_event *event)
{
    struct group_site *site = context;
    struct group_message *message;
    CHECK_EQUAL(event->group, GROUP_ID);
    if (event->kind == PR_GROUPS_VIEW)
        return;
    if (event->kind == PR_GROUPS_LOST) {
        site->lost++;
        return;
    }
    message = message_of(site->mesh, event->source, event->number);
    if (event->kind == PR_GROUPS_FAILED) {
        CHECK((is_ordered(site->mesh) && site->identity.site != site->mesh->settings.leader) ||
              !(message->failed >> event->site & 1));
        message->failed |= 1u << event->site;
        site->failed++;
    } else if (event->kind == PR_GROUPS_SETTLED) {
        check_settled(site, message);
        site->settled++;
    } else {
        CHECK_EQUAL(event->source, site->identity.site);
        site->ordered++;
    }
}

/* ---- sites ---- */

static void start_site(struct group_mesh *mesh, unsigned number, unsigned epoch)
{
    struct group_site *site = &mesh->sites[number];
    const struct group_settings *settings = &mesh->settings;
    const struct pr_operator_size size = {settings->buffers, MAX_PACKET, WINDOW, settings->sites};
    const struct pr_groups_size groups = {2, settings->slots, settings->holds, GROUP_WORDS_MOST};
    site->mesh = mesh;
    fake_init(&site->fake);
    site->fake.clock = mesh->clock;
    site->fake.interface.capabilities = (struct pr_capabilities){.multicast = settings->multicast};
    site->identity = fake_identity(number);
    site->identity.size_x = settings->sites > 16 ? 8 : 4;
    site->identity.size_y = (settings->sites + site->identity.size_x - 1) / site->identity.size_x;
    site->identity.max_packet = MAX_PACKET;
    site->identity.link_clocks = settings->link_clocks;
    site->identity.reliable = !settings->raw;
    site->identity.epoch = epoch;
    site->identity.address = pr_site_identity_address(&site->identity, number);
    site->memory = realloc(site->memory, 4 * PR_OPERATOR_MEMORY_WORDS(settings->buffers, MAX_PACKET, GROUP_SITES_MAX));
    site->groups_memory = realloc(site->groups_memory,
                                  4 * PR_GROUPS_MEMORY_WORDS(2, settings->slots, settings->holds, GROUP_WORDS_MOST));
    CHECK_EQUAL(
        pr_operator_init(&site->op, &site->fake.interface, &site->identity, site->memory,
                         &(struct pr_operator_size){size.buffers, size.packet_words, size.window, GROUP_SITES_MAX}),
        0);
    CHECK_EQUAL(pr_groups_init(&site->groups, &site->op, site->groups_memory, &groups), 0);
    CHECK_EQUAL(pr_operator_register(&site->op, GROUP_HANDLER, on_delivery, site), 0);
    pr_groups_ask(&site->groups, console_takes, site);
    pr_groups_observe(&site->groups, on_event, site);
    site->state = GROUP_SITE_RUNS;
    site->leaving = site->has_place = false;
    site->unread = 0;
    site->poll = true;
}

void group_mesh_start(struct group_mesh *mesh, const struct group_settings *settings, uint32_t members)
{
    uint16_t sites[GROUP_SITES_MAX];
    unsigned count = 0;
    memset(mesh, 0, sizeof *mesh);
    mesh->settings = *settings;
    mesh->random = settings->seed;
    mesh->clock = check_below(&mesh->random, 2) ? UINT32_MAX - 10000 : 0; /* 32 bits of it wrap round */
    for (unsigned k = 0; k < settings->sites; k++) {
        start_site(mesh, k, 0);
        if (members >> k & 1)
            sites[count++] = (uint16_t)k;
    }
    for (unsigned k = 0; k < count; k++) {
        mesh->sites[sites[k]].membership++;
        CHECK_EQUAL(
            pr_groups_form(&mesh->sites[sites[k]].groups, GROUP_ID, settings->shape, settings->leader, sites, count),
            0);
    }
}

void group_mesh_end(struct group_mesh *mesh)
{
    while (mesh->flights) {
        struct group_flight *flight = mesh->flights;
        mesh->flights = flight->next;
        free(flight);
    }
    for (unsigned k = 0; k < mesh->settings.sites; k++) {
        free(mesh->sites[k].memory);
        free(mesh->sites[k].groups_memory);
    }
    free(mesh->messages);
}

void group_mesh_join(struct group_mesh *mesh, unsigned site)
{
    struct group_site *joins = &mesh->sites[site];
    joins->fake.clock = mesh->clock;
    CHECK_EQUAL(pr_groups_join(&joins->groups, GROUP_ID, mesh->settings.leader), 0);
    joins->membership++;
    joins->has_place = false;
    joins->poll = true;
}

void group_mesh_kill(struct group_mesh *mesh, unsigned site)
{
    mesh->sites[site].state = GROUP_SITE_DEAD;
}

void group_mesh_stop(struct group_mesh *mesh, unsigned site, uint64_t clocks)
{
    mesh->sites[site].state = GROUP_SITE_STOPPED;
    mesh->sites[site].stopped_until = mesh->clock + clocks;
}

void group_mesh_restart(struct group_mesh *mesh, unsigned site)
{
    start_site(mesh, site, mesh->sites[site].identity.epoch + 1);
}

bool group_mesh_is_in(const struct group_mesh *mesh, unsigned site)
{
    const struct pr_group *group = pr_groups_find(&mesh->sites[site].groups, GROUP_ID);
    return group && group->state == PR_GROUP_IN;
}

int group_mesh_send(struct group_mesh *mesh, unsigned from)
{
    struct group_site *site = &mesh->sites[from];
    const struct pr_group *group = pr_groups_find(&site->groups, GROUP_ID);
    unsigned number = mesh->message_count, words = CONTENT_REST + check_below(&mesh->random, GROUP_WORDS_MOST - 1);
    uint32_t data[GROUP_WORDS_MOST + 1];
    struct group_message *message;
    int error;
    if (number == mesh->message_room) {
        mesh->message_room = 2 * number + 64;
        mesh->messages = realloc(mesh->messages, mesh->message_room * sizeof *mesh->messages);
    }
    message = &mesh->messages[number];
    *message = (struct group_message){.source = (uint16_t)from, .words = (uint16_t)words};
    if (group) {
        message->view = group->view;
        message->since = group->members[group->own].since;
        message->number = group->next;
    }
    for (unsigned k = 0; k < words; k++)
        data[k] = content(number, k);
    site->fake.clock = mesh->clock;
    mesh->message_count++; /* it may be settled before the call ends */
    error = pr_groups_send(&site->groups, GROUP_ID, GROUP_HANDLER, data, words, &message->number);
    mesh->message_count -= error != 0;
    site->poll = true;
    return error;
}

/* ---- packets on their way ---- */

static void fly(struct group_mesh *mesh, const struct pr_packet *packet, unsigned target, uint32_t kind)
{
    struct group_flight *flight = calloc(1, sizeof *flight), **place = &mesh->flights;
    unsigned targets = pr_packet_target_words(packet);
    if (by_chance(mesh, mesh->settings.lose)) {
        mesh->lost++;
        free(flight);
        return;
    }
    flight->arrives = mesh->clock + mesh->settings.delay_min +
                      check_below(&mesh->random, mesh->settings.delay_random + 1);
    flight->gives_up = flight->arrives + PATIENCE;
    flight->target = packet->words[target] & ~(1u << PR_SITE_MARK_BIT_16);
    flight->site = pr_site_identity_site(&mesh->sites[0].identity, flight->target);
    flight->kind = kind;
    flight->words = pr_packet_data_words(packet);
    memcpy(flight->data, packet->words + targets, flight->words * sizeof *flight->data);
    while (*place && (*place)->arrives <= flight->arrives)
        place = &(*place)->next;
    flight->next = *place;
    *place = flight;
}

static void leave(struct group_mesh *mesh, struct group_site *site)
{
    const struct pr_packet *packet = fake_leaving(&site->fake);
    uint32_t kind = packet->kind & PR_KIND_MULTICAST ? PR_KIND_MULTICAST | PR_TAG_LOCAL_END_OF_PACKET
                                                     : PR_TAG_END_OF_PACKET;
    mesh->transmitted++;
    CHECK(pr_packet_target_words(packet) == 1 || mesh->settings.multicast);
    for (unsigned k = 0; k < pr_packet_target_words(packet); k++) {
        fly(mesh, packet, k, kind);
        if (by_chance(mesh, mesh->settings.duplicate))
            fly(mesh, packet, k, kind);
    }
    fake_sent(&site->fake);
    site->leaving = false;
    site->poll = true;
}

/* False: no buffer is posted there, and it tries again. */
static bool arrive(struct group_mesh *mesh, const struct group_flight *flight)
{
    struct group_site *site = &mesh->sites[flight->site];
    struct pr_packet *packet = fake_receiving(&site->fake);
    if (!packet)
        return mesh->clock >= flight->gives_up;
    packet->kind = flight->kind;
    pr_packet_set_counts(packet, 1, flight->words);
    packet->stamp_first = packet->stamp_last = (uint32_t)mesh->clock;
    memset(packet->info, 0, sizeof packet->info);
    packet->words[0] = flight->target;
    memcpy(packet->words + 1, flight->data, flight->words * sizeof *flight->data);
    fake_received(&site->fake);
    site->poll = true;
    return true;
}

static void deliver_flights(struct group_mesh *mesh)
{
    struct group_flight **place = &mesh->flights;
    while (*place && (*place)->arrives <= mesh->clock) {
        struct group_flight *flight = *place;
        if (arrive(mesh, flight)) {
            *place = flight->next;
            free(flight);
        } else {
            place = &flight->next;
        }
    }
}

/* ---- time ---- */

static bool sooner(uint64_t *next, uint64_t at)
{
    if (at >= *next)
        return false;
    *next = at;
    return true;
}

static void by_wake(const struct group_mesh *mesh, bool timed, uint32_t wake, uint64_t *next)
{
    int32_t in = (int32_t)(wake - (uint32_t)mesh->clock);
    if (timed)
        sooner(next, in > 0 ? mesh->clock + (uint64_t)in : mesh->clock + 1);
}

/* When this site next does something by itself. */
static void look_ahead(struct group_mesh *mesh, struct group_site *site, uint64_t *next)
{
    uint32_t wake;
    bool timed;
    if (!site->leaving && fake_sending(&site->fake)) {
        site->leaving = true;
        site->leaves_at = mesh->clock + 1 + pr_packet_data_words(fake_sending(&site->fake));
    }
    if (site->leaving)
        sooner(next, site->leaves_at);
    if (site->state == GROUP_SITE_DEAD)
        return;
    if (site->state == GROUP_SITE_STOPPED) {
        sooner(next, site->stopped_until);
        return;
    }
    if (site->poll)
        sooner(next, mesh->clock + 1);
    if (site->unread > 0)
        sooner(next, site->read_at);
    timed = pr_operator_next_wake(&site->op, &wake);
    by_wake(mesh, timed, wake, next);
    timed = pr_groups_next_wake(&site->groups, &wake);
    by_wake(mesh, timed, wake, next);
}

static void run_site(struct group_mesh *mesh, struct group_site *site)
{
    if (site->leaving && site->leaves_at <= mesh->clock)
        leave(mesh, site);
    if (site->state == GROUP_SITE_STOPPED && site->stopped_until <= mesh->clock)
        site->state = GROUP_SITE_RUNS;
    if (site->state != GROUP_SITE_RUNS)
        return;
    site->fake.clock = mesh->clock;
    host_reads(mesh, site);
    pr_operator_refuse(&site->op, !console_takes(site));
    site->poll = pr_operator_poll(&site->op);
    site->poll |= pr_groups_poll(&site->groups);
}

static bool step(struct group_mesh *mesh, uint64_t end)
{
    uint64_t next = UINT64_MAX;
    if (mesh->flights)
        next = mesh->flights->arrives > mesh->clock ? mesh->flights->arrives : mesh->clock + 1;
    for (unsigned k = 0; k < mesh->settings.sites; k++)
        look_ahead(mesh, &mesh->sites[k], &next);
    if (next > end)
        return false;
    mesh->clock = next;
    deliver_flights(mesh);
    for (unsigned k = 0; k < mesh->settings.sites; k++)
        run_site(mesh, &mesh->sites[k]);
    return true;
}

void group_mesh_run(struct group_mesh *mesh, uint64_t clocks)
{
    uint64_t end = mesh->clock + clocks;
    while (step(mesh, end))
        ;
    mesh->clock = end;
}

void group_mesh_forge(struct group_mesh *mesh, unsigned packets)
{
    uint64_t *random = &mesh->random;
    for (unsigned k = 0; k < mesh->settings.sites; k++)
        pr_groups_observe(&mesh->sites[k].groups, NULL, NULL);
    while (packets-- > 0) {
        struct group_site *from = &mesh->sites[check_below(random, mesh->settings.sites)];
        struct pr_target target = {.site = check_below(random, mesh->settings.sites)};
        uint32_t data[30];
        for (unsigned k = 0; k < 30; k++)
            data[k] = check_below(random, 3) ? check_below(random, 5) : check_random(random) & 0xffff;
        data[PR_GROUP_KIND] = (1 + check_below(random, 14)) << PR_GROUP_KIND_SHIFT | check_below(random, 16) << 8 |
                              GROUP_ID;
        data[PR_GROUP_VIEW] &= 0x300; /* handler 0, which nobody has */
        from->fake.clock = mesh->clock;
        pr_operator_send(&from->op, &target, 1, check_below(random, 2) ? PR_HANDLER_GROUP : PR_HANDLER_MEMBERS, data,
                         check_below(random, 30), NULL);
        from->poll = true;
        group_mesh_run(mesh, check_below(random, 300));
    }
}

void group_mesh_rest(struct group_mesh *mesh, uint64_t clocks)
{
    uint64_t end = mesh->clock + clocks;
    while (step(mesh, UINT64_MAX - 1))
        CHECK(mesh->clock <= end); /* nobody goes on for ever */
    for (unsigned k = 0; k < mesh->settings.sites; k++) {
        const struct group_site *site = &mesh->sites[k];
        if (site->state == GROUP_SITE_DEAD)
            continue;
        CHECK(pr_groups_at_rest(&site->groups));
        CHECK_EQUAL(pr_operator_counter(&site->op, PR_COUNTER_FREE_BUFFERS), mesh->settings.buffers);
    }
}

void group_mesh_check_all(const struct group_mesh *mesh, uint32_t gone)
{
    for (unsigned k = 0; k < mesh->message_count; k++) {
        const struct group_message *message = &mesh->messages[k];
        const struct pr_group *group = pr_groups_find(&mesh->sites[message->source].groups, GROUP_ID);
        if (gone >> message->source & 1 || !group)
            continue;
        CHECK_EQUAL(message->settled, !mesh->settings.raw || pr_group_shape_returns(mesh->settings.shape));
        for (unsigned m = 0; m < group->count; m++) {
            unsigned site = group->members[m].site;
            bool later = (int8_t)(group->members[m].since - message->view) > 0;
            if (later || gone >> site & 1 || (site == message->source && !is_ordered(mesh)))
                continue;
            CHECK(message->delivered >> site & 1);
            CHECK(!(message->failed >> site & 1));
        }
    }
}

unsigned long group_mesh_counter(const struct group_mesh *mesh, unsigned counter)
{
    unsigned long sum = 0;
    for (unsigned k = 0; k < mesh->settings.sites; k++)
        sum += mesh->sites[k].groups.counters[counter];
    return sum;
}
