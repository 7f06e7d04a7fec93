/* One simulated mesh, whichever simulator runs it: a table of functions that each simulator fills, as back ends of the
 * network_interface fill theirs.
 *
 *   experiments, traffic, daemon, tests
 *             |  simulation_run(), simulation_operator(), ...
 *      struct simulation_functions        every simulator
 *      struct simulation_image_functions  simulators whose sites run a firmware image, on cores or under QEMU
 *      struct simulation_signal_functions simulators of the fabric's RTL, whose words on links can be looked at
 *             |
 *      sim/engine (`rtl`), ...            registered by the program, chosen by name
 *
 * The second and the third table may be missing. The functions below then behave as for a mesh without such sites;
 * those of the third table must not be called.
 *
 * A run is a function of its options and of the calls made: the same calls at the same clocks give the same run, except
 * where a site runs under QEMU in free time. Not thread-safe; several simulations may live in one process.
 *
 * Kinds of sites (mesh/site_kind.h): "native" below is a site whose operator is the firmware's sources built into this
 * process; all others run an image and are reached through their consoles.
 *
 * Faults (mesh/fault.h) follow from the seed too. A link with a fault does what a board link does with damage: the
 * packet ends as abort_packet downstream, or vanishes if none of it had got through. On a site that is not native,
 * `stop` is a request to the console (PR_CONSOLE_HOLD, answered with id 0): it begins when the firmware has read it,
 * ends after PR_CONSOLE_HOLD_MOST clocks at the latest, and the console goes on meanwhile.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SIMULATION_SIMULATION_H
#define POSTROAD_SIMULATION_SIMULATION_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mesh/fault.h"
#include "mesh/mesh.h"
#include "mesh/site_kind.h"
#include "network_interface/operator_clocks.h"
#include "protocol.h"
#include "simulation/link_slot.h"

/* Of native operators, where nothing else is asked for. */
#define SIMULATION_DEFAULT_POOL   32
#define SIMULATION_DEFAULT_WINDOW 4

/* Native sites of a reliable mesh: each operator keeps a record of every site, which takes 340 MB then, and 16 times
 * that for 4 times as many. */
enum { SIMULATION_RELIABLE_SITES = 4096 };

struct pr_operator;
struct pr_groups;
struct testbed; /* board/testbed.h */
struct pollfd;
struct simulation;

struct simulation_options {
    const char *engine;             /* name of a registered simulator; NULL: the one registered first */
    const struct mesh_config *mesh; /* copied */
    const char *model;              /* settings of this simulator alone, "key=value,..."; NULL: none */
    enum site_kind kind;            /* what runs every site, where `nodes` is NULL */
    const enum site_kind *nodes;    /* what runs each site, copied; NULL: `kind` for all */
    const char *firmware_hex;       /* cores: readmemh image; NULL: build/firmware/node.hex */
    unsigned pool;                  /* native: buffers of an operator; 0: the default. At least 3 */
    unsigned window;                /* native: packets an operator has unsettled at most; 0: 4. Reliable service only */
    uint64_t seed;                  /* of the stalls and the faults */
    unsigned stall;                 /* native: percent of its polls that an operator misses, 0 to 99 */
    struct operator_clocks clocks;  /* native: that an operator takes */
    bool repeated_unicasts;         /* native: operators take the fabric for one without multicast */
    bool relays;                    /* native: multicasts travel by relays, whose targets all know them */
    bool image_relays;              /* cores, QEMU: the image knows them */
    bool groups;                    /* native: operators have groups (firmware/multicast) though console_free is set */
    bool console_free;              /* native: nobody uses the consoles: a simulator may leave them out */
    const char *waves;              /* FST file to write, or NULL */
    const char *capture;            /* what a logic analyser sees of the links (analyser/capture_options.h), or NULL */
    const struct testbed *testbed;  /* whose boards the sites are: the capture has its channels; or NULL */
    const struct fault *faults;     /* copied; of this mesh */
    unsigned fault_count;
    bool observed;            /* native, without waves: simulation_observe may be called; slower, the same run */
    const char *directory;    /* QEMU: folder of the sockets; NULL: one that the simulation makes and removes */
    const char *firmware_elf; /* QEMU: image; NULL: build/firmware/node.elf */
    unsigned quantum;         /* QEMU: clocks of a quantum; 0: free (engine/qemu_scheduler.h) */
    bool restartable;         /* simulation_load may be called; the words are the same */
    const volatile sig_atomic_t *stop; /* QEMU: simulation_run stops waiting once this is not 0; or NULL */
    bool sleepless;                    /* clock every site in every clock: slower, the same run; for tests */
};

/* The clocks in which the first word and the terminator of a packet moved into a site's network_interface. */
struct simulation_arrival {
    uint64_t first, last;
};

/* The counter of the words that leave by a link. The sixteenth link of a switch has that of the operator, which it
 * lacks; another site has no such link, and there is no counter (-1). */
static inline int simulation_words_counter(const struct mesh_config *mesh, unsigned site, unsigned link)
{
    if (link + 1 == PR_GRAPH_LINKS_MAX)
        return mesh_is_switch(mesh, (int)site) ? PR_COUNTER_WORDS_OUT : -1;
    return PR_COUNTER_WORDS_OUT + 1 + (int)link;
}

/* What faults have done so far. A word that is damaged counts once; so does a site or link that is hit again before the
 * earlier fault has ended. */
struct fault_counts {
    uint64_t corrupted_words, links_down, resets, stops;
};

/* Called at the start of every clock that is run, before operators are polled. Clocks that are jumped over have no
 * tick, unless one was requested. */
typedef void simulation_tick(void *context, struct simulation *simulation, uint64_t clock);

/* Called with running = false just before a site goes into reset: its operator and counters can be read for the last
 * time, and what it had outstanding will never be settled. Called with running = true when it has started afresh:
 * handlers and observers have to be registered again, packets may be sent. Between the two simulation_operator()
 * returns NULL. Not called without faults. */
typedef void simulation_reset_hook(void *context, struct simulation *simulation, unsigned site, bool running);

/* Every simulator has these, but fault_counts and set_reset_hook may be NULL: then it has no faults; and
 * groups_of: then operators have no groups; and abandon_operators, which must not be called then. Their contracts stand
 * at the functions of the same names below. A site's number is below the mesh's number of sites, unless stated
 * otherwise. */
struct simulation_functions {
    void (*destroy)(struct simulation *simulation);
    uint64_t (*clock)(const struct simulation *simulation);
    bool (*run)(struct simulation *simulation, uint64_t clocks, bool wait);
    bool (*idle)(struct simulation *simulation);
    uint64_t (*next_wake)(const struct simulation *simulation);
    struct pr_operator *(*operator_of)(struct simulation *simulation, unsigned site);
    struct pr_groups *(*groups_of)(struct simulation *simulation, unsigned site);
    struct simulation_arrival (*arrival)(const struct simulation *simulation, unsigned site);
    enum site_kind (*kind)(const struct simulation *simulation, unsigned site);
    bool (*at_rest)(const struct simulation *simulation, unsigned site);
    bool (*running)(const struct simulation *simulation, unsigned site);
    bool (*stopped)(const struct simulation *simulation, unsigned site);
    unsigned (*end_pauses)(struct simulation *simulation);
    size_t (*console_read)(struct simulation *simulation, unsigned site, uint8_t *bytes, size_t length);
    size_t (*console_write)(struct simulation *simulation, unsigned site, const uint8_t *bytes, size_t length);
    uint32_t (*counter)(struct simulation *simulation, unsigned site, unsigned index);
    uint64_t (*link_words)(const struct simulation *simulation);
    void (*fault_counts)(const struct simulation *simulation, struct fault_counts *out);
    void (*set_reset_hook)(struct simulation *simulation, simulation_reset_hook *hook, void *context);
    void (*abandon_operators)(struct simulation *simulation);
};

/* Of simulators whose sites may run an image. */
struct simulation_image_functions {
    int (*wait_ms)(struct simulation *simulation);
    size_t (*poll_prepare)(const struct simulation *simulation, struct pollfd *polls);
    void (*poll_handle)(struct simulation *simulation);
    double (*slice_seconds)(struct simulation *simulation, unsigned site);
    bool (*debugged)(const struct simulation *simulation, unsigned site, bool *mesh_waits);
    uint64_t (*clocks_since_io)(const struct simulation *simulation, unsigned site);
    bool (*program_counter)(const struct simulation *simulation, unsigned site, uint32_t *pc, uint32_t *return_address);
    int (*load)(struct simulation *simulation, unsigned site, const char *elf, const char *hex, char *error,
                size_t error_size);
    int (*finished)(const struct simulation *simulation, unsigned site, uint32_t *status);
    const char *(*end_reason)(const struct simulation *simulation, unsigned site);
};

/* Of simulators of the fabric's RTL. */
struct simulation_signal_functions {
    int (*end_waves)(struct simulation *simulation);
    int (*end_capture)(struct simulation *simulation, char *error, size_t error_size);
    const uint64_t *(*words)(const struct simulation *simulation);
    void (*local_words)(const struct simulation *simulation, unsigned site, uint64_t *sent, uint64_t *received);
    uint64_t (*observe)(const struct simulation *simulation, unsigned site, unsigned port, uint64_t *outputs);
};

/* The first member of each simulator's own state. */
struct simulation {
    const struct simulation_functions *functions;
    const struct simulation_image_functions *image;   /* or NULL */
    const struct simulation_signal_functions *signal; /* or NULL */
    simulation_tick *tick;                            /* or NULL */
    void *tick_context;
    uint64_t next_tick; /* clock in which the tick is called even if nothing moves; UINT64_MAX: none is requested */
};

/* A simulator that can be chosen by name. `create` returns NULL with a reason in `error`. */
struct simulation_engine {
    const char *name, *summary;
    struct simulation *(*create)(const struct simulation_options *options, char *error, size_t error_size);
    bool takes_model; /* it has settings of its own; the others are not created with any */
    bool restorable; /* all state of its meshes is run memory (support/run_memory.h): they can go on from checkpoints */
};

/* Makes a simulator known, for the life of the process: once for each, before the first simulation. The first one is
 * the default. */
enum { SIMULATION_ENGINES_MOST = 8 };
void simulation_register(const struct simulation_engine *engine);

/* The simulator of this name, the default one for NULL; NULL if no simulator has this name. */
const struct simulation_engine *simulation_find_engine(const char *name);

/* The names of all simulators: "rtl", or "rtl or ideal". */
void simulation_engine_names(char *out, size_t size);

/* Makes a mesh with the simulator options->engine. NULL with a reason in `error`. The caller destroys what it gets. */
struct simulation *simulation_create(const struct simulation_options *options, char *error, size_t error_size);

static inline void simulation_destroy(struct simulation *simulation)
{
    if (simulation)
        simulation->functions->destroy(simulation);
}

/* Clocks since reset: the number of the clock that will run next. */
static inline uint64_t simulation_clock(const struct simulation *simulation)
{
    return simulation->functions->clock(simulation);
}

/* Runs so many clocks. Stretches in which everything is quiet cost nothing. False: a wait for a site under QEMU was
 * given up before that, because of options->stop, or, in quanta, because a time slice has lasted ten seconds and not in
 * a debugger. */
static inline bool simulation_run(struct simulation *simulation, uint64_t clocks)
{
    return simulation->functions->run(simulation, clocks, true);
}

/* The same, but returns false where it would wait. */
static inline bool simulation_try_run(struct simulation *simulation, uint64_t clocks)
{
    return simulation->functions->run(simulation, clocks, false);
}

/* True if nothing moves: no clock would change anything before simulation_next_wake(). */
static inline bool simulation_idle(struct simulation *simulation)
{
    return simulation->functions->idle(simulation);
}

/* The first clock at which a timer of a site or the tick is due; UINT64_MAX if none is. Faults that have not begun yet
 * are no timers. */
static inline uint64_t simulation_next_wake(const struct simulation *simulation)
{
    return simulation->functions->next_wake(simulation);
}

/* The operator of a native site; NULL for other kinds, for numbers beyond the mesh, and while the site is in reset. It
 * stays at its address as long as the simulation lives. Call pr_operator_send between runs, from the tick, or from a
 * handler of the same site. */
static inline struct pr_operator *simulation_operator(struct simulation *simulation, unsigned site)
{
    return simulation->functions->operator_of(simulation, site);
}

/* The groups of a native site; NULL as above, and in a mesh that is not one for groups. The site is polled in the clock
 * that runs next: call this before each change. */
static inline struct pr_groups *simulation_groups(struct simulation *simulation, unsigned site)
{
    return simulation->functions->groups_of ? simulation->functions->groups_of(simulation, site) : NULL;
}

/* From a handler of a native site's operator: when the packet in hand arrived, by the simulator's own book. */
static inline struct simulation_arrival simulation_arrival(const struct simulation *simulation, unsigned site)
{
    return simulation->functions->arrival(simulation, site);
}

/* What runs a site's firmware. */
static inline enum site_kind simulation_kind(const struct simulation *simulation, unsigned site)
{
    return simulation->functions->kind(simulation, site);
}

/* True if a site is out of reset and its firmware has come to rest or ended, at this moment. */
static inline bool simulation_at_rest(const struct simulation *simulation, unsigned site)
{
    return simulation->functions->at_rest(simulation, site);
}

/* False while a site is in reset or stopped: its evaluator does nothing either. */
static inline bool simulation_running(const struct simulation *simulation, unsigned site)
{
    return simulation->functions->running(simulation, site);
}

/* True once a site has stopped for good: no pause that ends, and no reset makes its operator go on. */
static inline bool simulation_stopped(const struct simulation *simulation, unsigned site)
{
    return simulation->functions->stopped(simulation, site);
}

/* Between runs: every site that is in a pause stops for good. Returns how many there are. */
static inline unsigned simulation_end_pauses(struct simulation *simulation)
{
    return simulation->functions->end_pauses(simulation);
}

/* The bytes of a site's UART. Both return how many bytes were moved, which may be fewer than asked for; 0 for numbers
 * beyond the mesh. */
static inline size_t simulation_console_read(struct simulation *simulation, unsigned site, uint8_t *bytes,
                                             size_t length)
{
    return simulation->functions->console_read(simulation, site, bytes, length);
}

static inline size_t simulation_console_write(struct simulation *simulation, unsigned site, const uint8_t *bytes,
                                              size_t length)
{
    return simulation->functions->console_write(simulation, site, bytes, length);
}

/* Counter PR_COUNTER_* of a site (hw/protocol/registers.ini), 0 for an index that does not exist. They begin again when
 * the site is reset. */
static inline uint32_t simulation_counter(struct simulation *simulation, unsigned site, unsigned index)
{
    return simulation->functions->counter(simulation, site, index);
}

/* Words that have moved over links, all links together. A site's reset does not take them away. */
static inline uint64_t simulation_link_words(const struct simulation *simulation)
{
    return simulation->functions->link_words(simulation);
}

static inline void simulation_fault_counts(const struct simulation *simulation, struct fault_counts *out)
{
    *out = (struct fault_counts){0};
    if (simulation->functions->fault_counts)
        simulation->functions->fault_counts(simulation, out);
}

static inline void simulation_set_tick(struct simulation *simulation, simulation_tick *tick, void *context)
{
    simulation->tick = tick;
    simulation->tick_context = context;
}

/* The tick is called at `clock` even if nothing moves then, and in the clock that runs next if that is later. Only the
 * earliest request is kept. */
static inline void simulation_request_tick(struct simulation *simulation, uint64_t clock)
{
    uint64_t now = simulation_clock(simulation);
    if (clock < simulation->next_tick)
        simulation->next_tick = clock > now ? clock : now;
}

/* Simulators call this at the start of every clock that they run. */
static inline void simulation_call_tick(struct simulation *simulation, uint64_t clock)
{
    if (simulation->next_tick <= clock)
        simulation->next_tick = UINT64_MAX;
    if (simulation->tick)
        simulation->tick(simulation->tick_context, simulation, clock);
}

static inline void simulation_set_reset_hook(struct simulation *simulation, simulation_reset_hook *hook, void *context)
{
    if (simulation->functions->set_reset_hook)
        simulation->functions->set_reset_hook(simulation, hook, context);
}

/* How long, in milliseconds, the simulation waits for a site under QEMU before it can go on; 0: it does not wait, -1:
 * without limit. */
static inline int simulation_wait_ms(struct simulation *simulation)
{
    return simulation->image ? simulation->image->wait_ms(simulation) : 0;
}

/* The descriptors to wait for meanwhile, at most SIMULATION_POLLS(sites); returns how many. Call
 * simulation_poll_handle when one of them is ready. */
#define SIMULATION_POLLS(sites) (3 * (size_t)(sites))
static inline size_t simulation_poll_prepare(const struct simulation *simulation, struct pollfd *polls)
{
    return simulation->image ? simulation->image->poll_prepare(simulation, polls) : 0;
}

static inline void simulation_poll_handle(struct simulation *simulation)
{
    if (simulation->image)
        simulation->image->poll_handle(simulation);
}

/* Seconds for which a site under QEMU has been in its time slice, those in a debugger left out; negative if it is
 * asleep or has ended, and for other kinds. Many seconds mean that its firmware hangs. */
static inline double simulation_slice_seconds(struct simulation *simulation, unsigned site)
{
    return simulation->image ? simulation->image->slice_seconds(simulation, site) : -1;
}

/* True if a debugger (`postroad gdb`) is attached to a site; *mesh_waits: all others stand still while this one does.
 */
static inline bool simulation_debugged(const struct simulation *simulation, unsigned site, bool *mesh_waits)
{
    *mesh_waits = false;
    return simulation->image && simulation->image->debugged(simulation, site, mesh_waits);
}

/* Clocks for which a core has accessed nothing but its memory; 0 if it has ended, and for other kinds. */
static inline uint64_t simulation_clocks_since_io(const struct simulation *simulation, unsigned site)
{
    return simulation->image ? simulation->image->clocks_since_io(simulation, site) : 0;
}

/* Program counter and return address (register ra, 0 if it is not known) of a core, or of a site under QEMU in its time
 * slice. False: the site is neither, or QEMU does not answer. */
static inline bool simulation_program_counter(const struct simulation *simulation, unsigned site, uint32_t *pc,
                                              uint32_t *return_address)
{
    return simulation->image && simulation->image->program_counter(simulation, site, pc, return_address);
}

/* With options->restartable, between runs: the site is reset, as by a fault, and starts with another image. `elf` and
 * `hex` are one image, checked by the caller, in files that stay as long as the simulation: QEMU takes the first, a
 * core the second, now and after later resets. 0, or -1 with a reason, and nothing has changed. Only for simulators
 * with the table `image`. */
static inline int simulation_load(struct simulation *simulation, unsigned site, const char *elf, const char *hex,
                                  char *error, size_t error_size)
{
    return simulation->image->load(simulation, site, elf, hex, error, error_size);
}

/* 1 and the status written if the site's image has written the test finisher, else 0. QEMU may end for other reasons:
 * the status is then its own exit status, or 128 and the number of the signal. */
static inline int simulation_finished(const struct simulation *simulation, unsigned site, uint32_t *status)
{
    return simulation->image ? simulation->image->finished(simulation, site, status) : 0;
}

/* Why this side ended a site, "" if it did not. */
static inline const char *simulation_end_reason(const struct simulation *simulation, unsigned site)
{
    return simulation->image ? simulation->image->end_reason(simulation, site) : "";
}

/* Ends the FST file, if there is one, with the clock that ran last. 0, or the errno of the first write to it that
 * failed: the file is of no use then. */
static inline int simulation_end_waves(struct simulation *simulation)
{
    return simulation->signal ? simulation->signal->end_waves(simulation) : 0;
}

/* Completes the file of the capture, if there is one, up to this clock; without this call it is abandoned. 0, or -1
 * with "FILE: reason". */
static inline int simulation_end_capture(struct simulation *simulation, char *error, size_t error_size)
{
    return simulation->signal ? simulation->signal->end_capture(simulation, error, error_size) : 0;
}

/* What every site shows in the clock that will run next: [site * links + link] is the word that the site sends on that
 * link ({tag, word}, 0 = none), and in LINK_SLOT_WAIT the status of that site for words arriving on it. The array lives
 * as long as the simulation. */
static inline const uint64_t *simulation_words(const struct simulation *simulation)
{
    return simulation->signal->words(simulation);
}

/* The same for the local streams of a native site: what the operator showed in the clock that ran last (with its status
 * and LINK_SLOT_RELIEF), and what the fabric shows it in the clock that will run next (with the status of its
 * downstream fifo_buffer). */
static inline void simulation_local_words(const struct simulation *simulation, unsigned site, uint64_t *sent,
                                          uint64_t *received)
{
    simulation->signal->local_words(simulation, site, sent, received);
}

/* With `observed`: what net_input `port` of a site shows in the clock that will run next, {tag, word}, 0 = none, with
 * LINK_SLOT_WAIT if it will not move then; and into `outputs` the net_outputs it is connected to or waits for, a bit
 * each. Port 0 is local. */
static inline uint64_t simulation_observe(const struct simulation *simulation, unsigned site, unsigned port,
                                          uint64_t *outputs)
{
    return simulation->signal->observe(simulation, site, port, outputs);
}

/* All sites native, without faults: operators stop, and their network_interfaces discard what arrives when no buffer is
 * left. Whatever still waits in the fabric after a while waits for itself: a deadlock. */
static inline void simulation_abandon_operators(struct simulation *simulation)
{
    simulation->functions->abandon_operators(simulation);
}

#endif
