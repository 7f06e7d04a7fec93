/* State of the engine, shared by simulation.c (runs it) and simulation_setup.c (builds it). Nobody else includes this.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_ENGINE_H
#define POSTROAD_ENGINE_ENGINE_H

#include "engine/fault_injection.h"
#include "engine/qemu_scheduler.h"
#include "engine/site_native.h"
#include "engine/verilated_site.h"
#include "model/byte_ring.h"
#include "model/install_paths.h"
#include "qemu/qemu_site.h"
#include "simulation/simulation.h"

enum { ENGINE_MAX_LINKS = 15, ENGINE_COUNTERS = 64, ENGINE_RESET_CLOCKS = 8 };

struct site {
    enum site_kind kind;
    const struct site_model_table *table;
    void *model;
    void *context; /* of a site that was loaded with an image of its own, else NULL */
    char *elf;     /* the same, SITE_QEMU */
    unsigned char *link_in, *link_out, *local_in, *local_out;
    const unsigned char *sources[ENGINE_MAX_LINKS]; /* the slot that is copied to link_in's slot l: a neighbour's or a
                                                       fault's */
    struct site *neighbours[ENGINE_MAX_LINKS];      /* NULL over the edge */
    unsigned number;
    bool poll;                                     /* its operator is polled in the next clock it is active in */
    bool in_reset, stopped;                        /* by a fault: held in reset; its operator is not polled */
    uint64_t reset_begin, reset_until, stop_until; /* clocks; UINT64_MAX: for good */
    bool hold_due;                                 /* site level: the console is yet to be told of a stop */
    uint32_t epoch;                                /* resets since the start of the mesh */
    uint64_t random;                               /* state of the stalls */
    uint64_t wake;                                 /* clock at which it is active again; UINT64_MAX: never */
    uint64_t looked;                       /* SITE_CORE: last clock in which it reached for more than its memory */
    bool incoming;                         /* is shown a word in the next clock */
    uint32_t counters[ENGINE_COUNTERS];    /* of the events */
    struct ni_model *interface;            /* of SITE_NATIVE and SITE_QEMU, else NULL */
    struct site_native *native;            /* of SITE_NATIVE, else NULL */
    struct qemu_site *qemu;                /* of SITE_QEMU, else NULL */
    struct byte_ring *to_site, *from_site; /* the UART's bytes; SITE_NATIVE has none */
    struct site_ports ports;
    uint64_t *words; /* this site's part of simulation->words */
};

struct simulation {
    struct mesh_config mesh;
    struct verilated_site libraries[2]; /* of fabrics, of whole sites; those that are needed are open */
    void *contexts[2];
    struct site *sites;
    uint64_t *active, *next; /* sites of this clock, and of the next: bit i % 64 of word i / 64 is site i */
    unsigned site_count, active_words;
    unsigned links, stall;
    bool sleepless;
    uint64_t now;
    uint64_t next_wake; /* no sleeping site wakes earlier */
    uint64_t next_tick;
    uint64_t words_before_resets; /* link words of sites that have been reset since */
    struct faults *faults;        /* NULL: none */
    bool links_show;              /* a word or `wait` is shown on a link in the next clock, or may be */
    uint64_t next_fault;          /* clock in which one begins or ends; UINT64_MAX: never */
    unsigned pool, window;        /* of native operators */
    uint64_t *words;              /* what simulation_words returns: [site * links + link] */
    simulation_tick *tick;
    void *tick_context;
    void *trace;
    struct guests guests;
    uint64_t stretch_end; /* where simulation_run looks at the guests again */
};

/* A slot that shows no word, and a status of open: what is over the edge of a grid. */
extern const unsigned char engine_no_neighbour[8];

/* Counter of the fabric of the site in `context`, as a native network_interface asks for it. */
uint32_t engine_fabric_counter(void *context, unsigned index);

/* Hands the site what its neighbours show in the next clock, and notes what it shows itself then. */
void engine_exchange_links(const struct simulation *simulation, struct site *site);

/* Operators may have been given packets from outside: sleeping sites that have some to send are active. */
void engine_notice_senders(struct simulation *simulation);

/* No site is clocked in the next clock, and where a jump ends then. */
bool engine_is_quiet(const struct simulation *simulation);
uint64_t engine_next_event(const struct simulation *simulation);

/* The clock nearest to now that has these low 32 bits; now if it has passed. */
uint64_t engine_clock_of(const struct simulation *simulation, uint32_t low);

/* The site is clocked in the next clock that runs. */
void engine_activate(struct simulation *simulation, const struct site *site);

/* One site alone goes into reset, and starts afresh after it: its state is lost, its epoch one more. */
void engine_enter_reset(struct simulation *simulation, struct site *site);
void engine_leave_reset(struct simulation *simulation, struct site *site);

/* Site level: writes a request to hold the operator until site->stop_until to the console, as soon as that would not
 * fall into what is being written there. */
void engine_hold_operator(struct simulation *simulation, struct site *site);

/* Tells a site that one of its links leads nowhere now, or does again. */
void engine_set_link_down(const struct site *site, unsigned link, bool down);

#endif
