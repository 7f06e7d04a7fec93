/* The engine: clocks the active sites of a mesh and moves words between them.
 *
 * A clock t has two passes over the active sites, in the order of their numbers. First each site's operator is polled,
 * its local streams (of clock t) are moved, and it is given what its neighbours will show in clock t + 1 (see
 * fabric_top.v: links are exchanged one clock ahead). Then the sites are clocked. All that is read in the first pass is
 * written in the second.
 *
 * A site falls asleep when it is quiet, neither shows nor is shown a word, shows no `wait`, and its operator or core
 * has nothing to do. It wakes when a neighbour is about to show it a word, with a byte from its console, with a packet
 * to send, or at its wake time (a whole site one clock before).
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/engine.h"
#include "qemu/qemu_debugger.h"

#include <string.h>

#include "protocol.h"
#include "wire/console_messages.h"

const unsigned char engine_no_neighbour[8];

static uint64_t load_slot(const unsigned char *slot)
{
    uint64_t value;
    memcpy(&value, slot, sizeof value);
    return value;
}

static void store_slot(unsigned char *slot, uint64_t value)
{
    memcpy(slot, &value, sizeof value);
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void activate(uint64_t *set, const struct site *site)
{
    set[site->number / 64] |= (uint64_t)1 << site->number % 64;
}

static bool is_active(const struct simulation *simulation, const struct site *site)
{
    return simulation->active[site->number / 64] >> site->number % 64 & 1;
}

bool engine_is_quiet(const struct simulation *simulation)
{
    uint64_t sites = 0;
    for (unsigned i = 0; i < simulation->active_words; i++)
        sites |= simulation->active[i];
    return !sites;
}

/* Calls `function` for the active sites, in the order of their numbers. */
static inline void for_active(struct simulation *simulation, void (*function)(struct simulation *, struct site *))
{
    for (unsigned i = 0; i < simulation->active_words; i++)
        for (uint64_t sites = simulation->active[i]; sites; sites &= sites - 1)
            function(simulation, &simulation->sites[64 * i + (unsigned)__builtin_ctzll(sites)]);
}

void engine_activate(struct simulation *simulation, const struct site *site)
{
    activate(simulation->active, site);
}

void engine_set_link_down(const struct site *site, unsigned link, bool down)
{
    uint32_t *mask = site->ports.link_down;
    if (mask)
        *mask = down ? *mask | 1u << link : *mask & ~(1u << link);
}

void engine_notice_senders(struct simulation *simulation)
{
    if (!simulation->libraries[LEVEL_FABRIC].table)
        return;
    for (unsigned i = 0; i < simulation->site_count; i++) {
        struct site *site = &simulation->sites[i];
        if (site->interface && !is_active(simulation, site) && !site->in_reset && ni_model_active(site->interface))
            activate(simulation->active, site);
    }
}

uint64_t engine_clock_of(const struct simulation *simulation, uint32_t low)
{
    int32_t ahead = (int32_t)(low - (uint32_t)simulation->now);
    return simulation->now + (ahead > 0 ? (uint64_t)ahead : 0);
}

static void poll_operator(struct simulation *simulation, struct site *site)
{
    uint32_t wake;
    if (site->qemu) {
        guests_poll(simulation, site);
        return;
    }
    if (site->stopped)
        return;
    site->poll = true;
    if (simulation->stall && next_random(&site->random) % 100 < simulation->stall)
        return;
    site->poll = pr_node_poll(&site->native->node);
    site->wake = pr_node_next_wake(&site->native->node, &wake) ? engine_clock_of(simulation, wake) : UINT64_MAX;
}

static void count_events(struct site *site)
{
    for (uint64_t events = *site->ports.events; events; events &= events - 1)
        site->counters[__builtin_ctzll(events)]++;
}

void engine_exchange_links(const struct simulation *simulation, struct site *site)
{
    uint64_t shown = 0;
    for (unsigned l = 0; l < simulation->links; l++) {
        uint64_t value = load_slot(site->sources[l]);
        shown |= value;
        store_slot(site->link_in + 8 * l, value);
        site->words[l] = load_slot(site->link_out + 8 * l);
    }
    site->incoming = shown & LINK_SLOT_WORD;
}

/* Tag of a word of the local streams. */
static unsigned local_tag(const struct simulation *simulation, uint64_t slot)
{
    return (unsigned)((slot & LINK_SLOT_WORD) >> simulation->mesh.word_width);
}

/* One clock of the local streams; the operator is polled when a packet has ended in either direction. */
static void move_local_words(const struct simulation *simulation, struct site *site)
{
    struct ni_model *interface = site->interface;
    uint64_t sent = ni_model_offer(interface), received = load_slot(site->local_out);
    bool wait = ni_model_wait(interface);
    store_slot(site->local_in, sent | (wait ? LINK_SLOT_WAIT : 0) | (interface->relief ? LINK_SLOT_RELIEF : 0));
    ni_model_clock(interface, received & LINK_SLOT_WAIT, received & LINK_SLOT_WORD);
    bool sent_last = pr_packet_tag_ends(local_tag(simulation, sent)) && !(received & LINK_SLOT_WAIT);
    bool received_last = pr_packet_tag_ends(local_tag(simulation, received)) && !wait;
    if (site->native && !wait)
        site_native_note_word(site->native, local_tag(simulation, received));
    site->poll |= sent_last || received_last;
}

/* One clock of the UART: moves the bytes shown, then shows what comes next. */
static void move_console_bytes(struct site *site)
{
    uint32_t in = *site->ports.console_in, out = *site->ports.console_out;
    uint8_t byte;
    if ((in & CONSOLE_VALID) && (out & CONSOLE_READY))
        byte_ring_read(site->to_site, &byte, 1);
    byte = (uint8_t)out;
    if ((out & CONSOLE_VALID) && (in & CONSOLE_READY))
        byte_ring_write(site->from_site, &byte, 1);
    in = byte_ring_peek(site->to_site, &byte) ? CONSOLE_VALID | byte : 0;
    if (byte_ring_room(site->from_site))
        in |= CONSOLE_READY;
    *site->ports.console_in = in;
}

static void prepare_site(struct simulation *simulation, struct site *site)
{
    if (site->interface && (site->poll || site->wake <= simulation->now) && !site->in_reset)
        poll_operator(simulation, site);
    count_events(site);
    engine_exchange_links(simulation, site);
    if (!site->interface)
        *site->ports.now = simulation->now + 1;
    if (site->in_reset)
        return;
    if (site->interface)
        move_local_words(simulation, site);
    else
        move_console_bytes(site);
}

/* A whole site has to be clocked once before its wake time, to be told the time. A core that has ended wakes no more,
 * and reads no bytes. */
static bool core_goes_on(const struct simulation *simulation, struct site *site)
{
    uint64_t wake = *site->ports.wake_time;
    if (*site->ports.looked)
        site->looked = simulation->now;
    if (*site->ports.finished) {
        site->wake = UINT64_MAX;
        return false;
    }
    site->wake = wake == UINT64_MAX || wake == 0 ? wake : wake - 1;
    return site->wake <= simulation->now + 1 || !byte_ring_empty(site->to_site) ||
           (*site->ports.console_in & CONSOLE_VALID);
}

/* What keeps a site awake besides its fabric. */
static bool operator_goes_on(const struct simulation *simulation, struct site *site)
{
    if (site->in_reset)
        return simulation->now < site->reset_begin + ENGINE_RESET_CLOCKS;
    if (!site->interface)
        return core_goes_on(simulation, site);
    return load_slot(site->local_out) || (site->poll && (site->qemu || !site->stopped)) ||
           ni_model_active(site->interface);
}

/* Clocks a site; then the neighbours that are about to be shown a word are active in the next clock, and the site
 * itself if it goes on. */
static void clock_site(struct simulation *simulation, struct site *site)
{
    uint64_t shown = 0;
    site->table->clock(site->model);
    for (unsigned l = 0; l < simulation->links; l++) {
        uint64_t value = load_slot(site->link_out + 8 * l);
        simulation->links_show |= value != 0;
        shown |= site->in_reset ? 0 : value | site->words[l];
        if ((value & LINK_SLOT_WORD) && site->neighbours[l])
            activate(simulation->next, site->neighbours[l]);
    }
    bool fabric_goes_on = shown || site->incoming || (!*site->ports.quiet && !site->in_reset);
    bool stays = operator_goes_on(simulation, site) || fabric_goes_on || simulation->sleepless;
    if (stays)
        activate(simulation->next, site);
}

/* The next clock's sites become this clock's; those that fall asleep have their wake times noted. */
static void renew_active_sites(struct simulation *simulation)
{
    uint64_t *done = simulation->active;
    for (unsigned i = 0; i < simulation->active_words; i++) {
        for (uint64_t sites = done[i] & ~simulation->next[i]; sites; sites &= sites - 1) {
            const struct site *site = &simulation->sites[64 * i + (unsigned)__builtin_ctzll(sites)];
            if (site->wake < simulation->next_wake)
                simulation->next_wake = site->wake;
        }
        done[i] = 0;
    }
    simulation->active = simulation->next;
    simulation->next = done;
}

/* Activates every sleeping site whose wake time has come, and finds the next one. */
static void wake_sites(struct simulation *simulation)
{
    simulation->next_wake = UINT64_MAX;
    for (unsigned i = 0; i < simulation->site_count; i++) {
        struct site *site = &simulation->sites[i];
        if (is_active(simulation, site))
            continue;
        if (site->wake <= simulation->now)
            activate(simulation->active, site);
        else if (site->wake < simulation->next_wake)
            simulation->next_wake = site->wake;
    }
}

static void call_tick(struct simulation *simulation)
{
    if (simulation->next_tick <= simulation->now)
        simulation->next_tick = UINT64_MAX;
    if (!simulation->tick)
        return;
    simulation->tick(simulation->tick_context, simulation, simulation->now);
    engine_notice_senders(simulation);
}

static void run_clock(struct simulation *simulation)
{
    if (simulation->next_fault <= simulation->now)
        faults_change(simulation);
    if (simulation->next_wake <= simulation->now)
        wake_sites(simulation);
    call_tick(simulation);
    if (simulation->faults)
        faults_filter_links(simulation);
    simulation->links_show = false;
    for_active(simulation, prepare_site);
    for_active(simulation, clock_site);
    if (simulation->trace)
        simulation->sites->table->trace_dump(simulation->trace, simulation->now);
    renew_active_sites(simulation);
    simulation->now++;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t engine_next_event(const struct simulation *simulation)
{
    return earlier(earlier(simulation->next_wake, simulation->next_tick), simulation->next_fault);
}

static void run_stretch(struct simulation *simulation)
{
    while (simulation->now < simulation->stretch_end) {
        uint64_t wake = engine_next_event(simulation);
        if (engine_is_quiet(simulation) && wake > simulation->now)
            simulation->now = wake < simulation->stretch_end ? wake : simulation->stretch_end;
        if (simulation->now < simulation->stretch_end)
            run_clock(simulation);
    }
}

static bool run(struct simulation *simulation, uint64_t clocks, bool wait)
{
    uint64_t end = simulation->now + clocks;
    while (simulation->now < end) {
        simulation->stretch_end = guests_permit(simulation, end, wait);
        if (simulation->stretch_end == simulation->now)
            return false;
        run_stretch(simulation);
    }
    guests_tell(simulation);
    return true;
}

bool simulation_run(struct simulation *simulation, uint64_t clocks)
{
    return run(simulation, clocks, true);
}

bool simulation_try_run(struct simulation *simulation, uint64_t clocks)
{
    return run(simulation, clocks, false);
}

bool simulation_idle(struct simulation *simulation)
{
    engine_notice_senders(simulation);
    return engine_is_quiet(simulation) && earlier(simulation->next_wake, simulation->next_tick) > simulation->now &&
           guests_are_idle(simulation);
}

enum site_kind simulation_kind(const struct simulation *simulation, unsigned site)
{
    return simulation->sites[site].kind;
}

bool simulation_at_rest(const struct simulation *simulation, unsigned number)
{
    const struct site *site = &simulation->sites[number];
    if (site->in_reset)
        return false;
    return site->qemu ? !qemu_site_in_turn(site->qemu) : !is_active(simulation, site);
}

/* The site that next_wake was noted for may have been woken by something else, and have no timer any more. */
uint64_t simulation_next_wake(const struct simulation *simulation)
{
    uint64_t wake = simulation->next_tick;
    for (unsigned i = 0; i < simulation->site_count; i++)
        if (!is_active(simulation, &simulation->sites[i]))
            wake = earlier(wake, simulation->sites[i].wake);
    return wake;
}

uint64_t simulation_clock(const struct simulation *simulation)
{
    return simulation->now;
}

void simulation_set_tick(struct simulation *simulation, simulation_tick *tick, void *context)
{
    simulation->tick = tick;
    simulation->tick_context = context;
}

void simulation_request_tick(struct simulation *simulation, uint64_t clock)
{
    uint64_t earliest = clock < simulation->now ? simulation->now : clock;
    if (earliest < simulation->next_tick)
        simulation->next_tick = earliest;
}

struct pr_operator *simulation_operator(struct simulation *simulation, unsigned site)
{
    struct site_native *native = site < simulation->site_count ? simulation->sites[site].native : NULL;
    return native && !simulation->sites[site].in_reset ? &native->node.op : NULL;
}

struct simulation_arrival simulation_arrival(const struct simulation *simulation, unsigned site)
{
    return site_native_arrival(simulation->sites[site].native);
}

bool simulation_running(const struct simulation *simulation, unsigned site)
{
    return site < simulation->site_count && !simulation->sites[site].in_reset && !simulation->sites[site].stopped;
}

bool simulation_stopped(const struct simulation *simulation, unsigned site)
{
    return site < simulation->site_count && simulation->sites[site].stop_until == UINT64_MAX;
}

unsigned simulation_end_pauses(struct simulation *simulation)
{
    unsigned ended = 0;
    for (unsigned i = 0; i < simulation->site_count; i++) {
        struct site *site = &simulation->sites[i];
        if (!site->stopped || site->stop_until == UINT64_MAX)
            continue;
        site->stop_until = UINT64_MAX;
        ended++;
    }
    return ended;
}

size_t simulation_console_read(struct simulation *simulation, unsigned site, uint8_t *bytes, size_t length)
{
    if (site >= simulation->site_count)
        return 0;
    struct site *from = &simulation->sites[site];
    return from->native ? pr_node_console_read(&from->native->node, bytes, length)
                        : byte_ring_read(from->from_site, bytes, length);
}

size_t simulation_console_write(struct simulation *simulation, unsigned site, const uint8_t *bytes, size_t length)
{
    if (site >= simulation->site_count || length == 0)
        return 0;
    struct site *to = &simulation->sites[site];
    if (!to->qemu)
        activate(simulation->active, to);
    if (to->native) {
        to->poll = true;
        return pr_node_console_write(&to->native->node, bytes, length);
    }
    size_t written = byte_ring_write(to->to_site, bytes, length);
    if (to->hold_due)
        engine_hold_operator(simulation, to);
    return written;
}

/* Between frames or lines of text? */
static bool is_between_commands(const struct byte_ring *ring)
{
    uint8_t last = ring->bytes[(ring->written - 1) % BYTE_RING_SIZE];
    return ring->written == 0 || last == 0 || last == '\n' || last == '\r';
}

void engine_hold_operator(struct simulation *simulation, struct site *site)
{
    enum { HOLD_WIRE = PR_ENVELOPE_WIRE(PR_MESSAGE_FRAME_BYTES + PR_MESSAGE_HOLD_BYTES) };
    struct pr_frame request;
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    uint64_t clocks = site->stop_until > simulation->now ? site->stop_until - simulation->now : 0;
    site->hold_due = !is_between_commands(site->to_site) || byte_ring_room(site->to_site) < HOLD_WIRE;
    if (site->hold_due)
        return;
    pr_message_hold(&request, (uint32_t)(clocks < PR_CONSOLE_HOLD_MOST ? clocks : PR_CONSOLE_HOLD_MOST));
    byte_ring_write(site->to_site, wire, pr_frames_encode(&request, wire, sizeof wire));
    engine_activate(simulation, site);
}

uint32_t engine_fabric_counter(void *context, unsigned index)
{
    const struct site *site = context;
    return index < ENGINE_COUNTERS ? site->counters[index] : 0;
}

uint32_t simulation_counter(struct simulation *simulation, unsigned site, unsigned index)
{
    if (site >= simulation->site_count || index >= ENGINE_COUNTERS)
        return 0;
    struct site *from = &simulation->sites[site];
    return from->interface ? pr_network_interface_counter(&from->interface->interface, index)
                           : engine_fabric_counter(from, index);
}

uint64_t simulation_link_words(const struct simulation *simulation)
{
    uint64_t sum = simulation->words_before_resets;
    for (unsigned i = 0; i < simulation->site_count; i++)
        for (unsigned l = 0; l < simulation->links; l++)
            sum += simulation->sites[i].counters[PR_COUNTER_WORDS_OUT + 1 + l];
    return sum;
}

const uint64_t *simulation_words(const struct simulation *simulation)
{
    return simulation->words;
}

void simulation_local_words(const struct simulation *simulation, unsigned site, uint64_t *sent, uint64_t *received)
{
    const struct site *from = &simulation->sites[site];
    *sent = from->interface ? load_slot(from->local_in) : 0;
    *received = from->interface ? load_slot(from->local_out) : 0;
}

uint64_t simulation_observe(const struct simulation *simulation, unsigned site, unsigned port, uint64_t *outputs)
{
    const unsigned char *observed = simulation->sites[site].ports.observed;
    *outputs = load_slot(observed + 16 * port + 8);
    return load_slot(observed + 16 * port);
}

void simulation_abandon_operators(struct simulation *simulation)
{
    for (unsigned i = 0; i < simulation->site_count; i++) {
        struct site *site = &simulation->sites[i];
        site->stopped = true;
        site->wake = UINT64_MAX;
        site->interface->receive_patience = 1;
    }
}

void simulation_fault_counts(const struct simulation *simulation, struct fault_counts *out)
{
    *out = simulation->faults ? *faults_counts(simulation->faults) : (struct fault_counts){0};
}

void simulation_set_reset_hook(struct simulation *simulation, simulation_reset_hook *hook, void *context)
{
    if (simulation->faults)
        faults_set_hook(simulation->faults, hook, context);
}

int simulation_finished(const struct simulation *simulation, unsigned site, uint32_t *status)
{
    const struct site *from = site < simulation->site_count ? &simulation->sites[site] : NULL;
    if (from && from->qemu && from->qemu->state == QEMU_ENDED && !from->in_reset) {
        *status = (uint32_t)from->qemu->status;
        return 1;
    }
    if (!from || from->interface || !*from->ports.finished)
        return 0;
    *status = *from->ports.finish_status;
    return 1;
}

static bool core_runs(const struct site *site)
{
    return site->kind == SITE_CORE && !site->in_reset && !*site->ports.finished;
}

uint64_t simulation_clocks_since_io(const struct simulation *simulation, unsigned site)
{
    const struct site *from = site < simulation->site_count ? &simulation->sites[site] : NULL;
    bool asleep = !from || !core_runs(from) || *from->ports.quiet;
    return asleep || simulation->now < from->looked ? 0 : simulation->now - from->looked;
}

bool simulation_program_counter(const struct simulation *simulation, unsigned site, uint32_t *pc,
                                uint32_t *return_address)
{
    const struct site *from = site < simulation->site_count ? &simulation->sites[site] : NULL;
    if (from && from->qemu)
        return qemu_site_in_turn(from->qemu) && qemu_debugger_look(&from->qemu->process, pc, return_address);
    if (!from || !core_runs(from))
        return false;
    *pc = *from->ports.core_pc;
    *return_address = *from->ports.core_ra;
    return true;
}

const char *simulation_end_reason(const struct simulation *simulation, unsigned site)
{
    const struct site *from = site < simulation->site_count ? &simulation->sites[site] : NULL;
    return from && from->qemu ? from->qemu->reason : "";
}
