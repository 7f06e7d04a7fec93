/* State of the engine, and the operations on single sites and links that all its parts share. Private to sim/engine.
 *
 *   rtl_engine.c       the engine as a struct simulation: its table of functions
 *   engine_setup.c     builds and tears down a mesh
 *   run_loop.c         clocks the active sites, jumps over quiet stretches
 *   site_native.c  site_core.c  site_qemu.c      what runs a site: one table each (site_functions.h)
 *   qemu_scheduler.c   time slices of sites under QEMU
 *   fault_injection.c  when faults begin and end; link_fault_model.c what a faulty link does
 *   cables.c           cables of a graph, and what is on them
 *   oscillators.c      boards' clocks that begin at different times and drift
 *   verilated_model.c  one site's verilated model: made, wired to its ports, straps set
 *   engine.c           this header
 *
 * Each file calls only those below it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_ENGINE_H
#define POSTROAD_ENGINE_ENGINE_H

#include <string.h>

#include "engine/verilated_site.h"
#include "network_interface/ni_model.h"
#include "protocol.h"
#include "simulation/fault_schedule.h"
#include "simulation/simulation.h"

enum { ENGINE_MAX_LINKS = PR_GRAPH_LINKS_MAX, ENGINE_COUNTERS = 64, ENGINE_RESET_CLOCKS = 8 };

/* Board links are trained while all sites are in reset together, as they are on boards before firmware starts. Eager
 * links send a status frame each 1024 clocks, and need four. */
enum { ENGINE_TRAINING_CLOCKS = 4096, ENGINE_EAGER_TRAINING_CLOCKS = 8192 };

/* Board links, which never rest, are empty when every site has had nothing to do for so long. */
enum { ENGINE_LINKS_EMPTY_CLOCKS = 16384 };

/* Counts of events. Most events are words out and stalls: those of the first eight ports are counted in bytes, port p
 * in byte p, without a look at which they are. They are added to `counts` before a byte could overflow. */
enum { EVENT_PORTS = 8, EVENT_CLOCKS = 255 };
struct event_counts {
    uint32_t counts[ENGINE_COUNTERS];
    uint64_t words_out, stalls; /* not in `counts` yet */
    unsigned clocks;            /* that these are of */
};

/* The verilated parts a site may be made of: the fabric alone, or a whole site with core and memory. */
enum engine_part { PART_FABRIC, PART_SITE, ENGINE_PARTS };

struct cables;
struct engine;
struct faults;
struct mesh_capture;
struct site_functions;

struct site {
    const struct site_functions *functions; /* of its kind */
    void *state;                            /* the kind's own */
    enum site_kind kind;
    const struct site_model_table *table;
    void *model;
    unsigned char *link_in, *link_out, *local_in, *local_out; /* local: both &engine_no_slot of a whole site */
    const unsigned char *sources[ENGINE_MAX_LINKS]; /* the slot that is copied to link_in's slot l: a neighbour's or a
                                                       fault's */
    struct site *neighbours[ENGINE_MAX_LINKS];      /* NULL over the edge */
    unsigned wakes[ENGINE_MAX_LINKS];               /* the number of the neighbour; over the edge: that of no site */
    unsigned number;
    bool poll;               /* its operator is polled in the next clock it is active in */
    bool in_reset, stopped;  /* by a fault: held in reset; its operator is not polled */
    uint64_t reset_begin;    /* clock */
    struct fault_hits *hits; /* until when they last; NULL without faults */
    uint32_t epoch;          /* resets since the start of the mesh */
    uint64_t wake;           /* clock at which it is active again; UINT64_MAX: never */
    uint64_t asleep_since; /* the first clock that it was not clocked in; UINT64_MAX: it counts none, or is caught up */
    bool incoming;         /* is shown a word in the next clock */
    struct event_counts events;
    struct ni_model *interface; /* the network_interface of an operator that is not in the RTL, else NULL */
    struct site_ports ports;
    uint64_t *words;                 /* this site's part of engine->words */
    unsigned later, clocks_left_out; /* oscillators.h: clocks that it starts later; from one left out to the next */
    uint64_t left_out;               /* the next clock that it is not clocked in */
};

/* Sites under QEMU: see qemu_scheduler.h. */
struct qemu_scheduler {
    struct scheduled_site *sites;
    unsigned count;
    unsigned quantum; /* clocks; 0: free */
    bool restartable;
    uint64_t stretch_end; /* the run loop returns to the scheduler in this clock */
    struct pollfd *polls;
    const volatile sig_atomic_t *stop; /* not NULL: no wait goes on once this is not 0 */
    char *directory, *elf;             /* of site_qemu.c: folder of the sockets, image */
    bool owns_directory;
};

struct engine {
    struct simulation simulation; /* the first member: engine_of() */
    struct mesh_config mesh;
    struct {
        struct verilated_site library;
        void *context;     /* what the models share */
    } parts[ENGINE_PARTS]; /* those that are needed are open */
    struct site *sites;
    struct site **operators; /* the sites that have an `interface` */
    uint64_t *active, *next; /* sites of this clock, and of the next: bit i % 64 of word i / 64 is site i; one word more
                                is for what is over the edge */
    unsigned site_count, operator_count, active_words;
    unsigned kinds[SITE_KIND_COUNT]; /* how many sites are of each */
    unsigned links, stall;
    struct operator_clocks clocks;
    bool sleepless;
    uint64_t now;
    uint64_t last_busy;           /* when a site was woken last, or had a reason not to sleep but for its board links */
    uint64_t next_wake;           /* no sleeping site wakes earlier */
    uint64_t words_before_resets; /* link words of sites that have been reset since */
    struct faults *faults;        /* NULL: none */
    unsigned long on_cables;      /* words and statuses that are on cables of a graph */
    struct cables *cables;        /* of a graph, else NULL */
    bool links_show;              /* a word or `wait` is shown on a link in the next clock, or may be */
    uint64_t next_left_out;       /* no board's oscillator leaves a clock out before */
    uint64_t next_fault;          /* clock in which one begins or ends; UINT64_MAX: never */
    bool reset_requested;         /* and it is a reset that was asked for here: engine_request_reset */
    unsigned pool, window;        /* of native operators */
    bool repeated_unicasts;       /* of native operators */
    uint32_t *relaying;           /* set of sites that are relays, where native operators use them; else NULL */
    uint64_t *words;              /* what simulation_words returns: [site * links + link] */
    void *trace;
    struct mesh_capture *capture; /* NULL: none */
    struct qemu_scheduler scheduler;
};

/* A slot that shows no word, and a status of open: what is over the edge of a grid. */
extern unsigned char engine_no_slot[8];

static inline struct engine *engine_of(struct simulation *simulation)
{
    return (struct engine *)simulation;
}

static inline const struct engine *engine_of_const(const struct simulation *simulation)
{
    return (const struct engine *)simulation;
}

static inline uint64_t engine_load_slot(const unsigned char *slot)
{
    uint64_t value;
    memcpy(&value, slot, sizeof value);
    return value;
}

static inline void engine_store_slot(unsigned char *slot, uint64_t value)
{
    memcpy(slot, &value, sizeof value);
}

/* The same of a slot that a model has only just written, in two halves: a load of both would have to wait for them. */
static inline uint64_t engine_load_fresh_slot(const unsigned char *slot)
{
    uint32_t halves[2];
    memcpy(&halves[0], slot, sizeof halves[0]);
    memcpy(&halves[1], slot + sizeof halves[0], sizeof halves[1]);
    return halves[0] | (uint64_t)halves[1] << 32;
}

static inline uint64_t engine_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* If `is`, the site of this number is a member of the set: engine->active or ->next. */
static inline void engine_add_if(uint64_t *set, unsigned number, bool is)
{
    set[number / 64] |= (uint64_t)is << number % 64;
}

static inline bool engine_is_active(const struct engine *engine, const struct site *site)
{
    return engine->active[site->number / 64] >> site->number % 64 & 1;
}

/* Hands the site what its neighbours show in the next clock, and notes what it shows itself then. */
static inline void engine_exchange_links(const struct engine *engine, struct site *site)
{
    uint64_t shown = 0;
    for (unsigned l = 0; l < engine->links; l++) {
        uint64_t value = engine_load_slot(site->sources[l]);
        shown |= value;
        engine_store_slot(site->link_in + 8 * l, value);
        site->words[l] = engine_load_slot(site->link_out + 8 * l);
    }
    site->incoming = shown & LINK_SLOT_WORD;
}

/* The site is clocked in the next clock that runs. */
void engine_activate(struct engine *engine, const struct site *site);

/* Counts the events of a clock, bit i for counter i. */
void engine_count_events(struct event_counts *counts, uint64_t events);

/* Words that have left by a link; 0 if it has no counter. */
uint32_t engine_words_out(const struct engine *engine, const struct site *site, unsigned link);

/* Counter of the fabric of the site in `context`, as a network_interface outside the RTL asks for it. */
uint32_t engine_fabric_counter(void *context, unsigned index);

/* Operators may have been given packets between two clocks: sleeping sites that have some to send are active from now
 * on. Does any site, asleep or not, have some? */
bool engine_notice_senders(struct engine *engine);

/* Sites have a part that goes on without a packet and counts clocks, so that none may sleep. */
bool engine_never_rests(const struct engine *engine);

/* No site is clocked in the next clock, and where a jump ends then. */
bool engine_is_quiet(const struct engine *engine);
uint64_t engine_next_event(const struct engine *engine);

/* The clock nearest to now that has these low 32 bits; now if it has passed. */
uint64_t engine_clock_of(const struct engine *engine, uint32_t low);

/* A site that counts clocks is clocked, where it has slept, for what is left of the last mesh.rest_clocks of them. To
 * be called before what it is shown changes. */
void engine_catch_up(struct engine *engine, struct site *site);

/* One site alone goes into reset, and starts afresh after it: its state is lost, its epoch one more. */
void engine_enter_reset(struct engine *engine, struct site *site);
void engine_leave_reset(struct engine *engine, struct site *site);

/* The site goes into reset, for ENGINE_RESET_CLOCKS at least, when faults are looked at next: in the next clock that
 * runs, or in faults_change. Only where there are faults (simulation_options.restartable sees to that). */
void engine_request_reset(struct engine *engine, struct site *site);

/* One of a site's links leads nowhere now, or leads somewhere again. */
void engine_set_link_down(const struct site *site, unsigned link, bool down);

#endif
