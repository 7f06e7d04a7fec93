/* The engine: a mesh of verilated sites, clock by clock, at one of two levels.
 *
 *   fabric level: the fabric is RTL, the operator on each site is the firmware's sources built natively;
 *   site level:   whole sites run the ELF on their RISC-V core.
 *
 * Or each site its own way (`nodes`): the ELF under QEMU too, beside a fabric in RTL. Such a guest runs in turns, in
 * which its clock stands still (firmware/platform/qemu). In a *quantum* simulation clocks run in blocks of so many, and
 * no block begins before every guest's turn is over: words repeat as without guests, whatever the machine does.
 * Otherwise it is *free*: the fabric goes on while guests are in a turn. Where nothing moves, or it has gone on for
 * long, it waits for them, but not for ever. Deliveries are right then, clocks mean little.
 *
 * Sites that are quiet are not clocked, and where all are quiet time jumps. A run is a function of its options and of
 * the calls made: the same calls at the same clocks give the same run. Not thread-safe; several simulations may live in
 * one process.
 *
 * Faults (model/fault.h) act at both levels; they follow from the seed too. A link with a fault does what a board link
 * does with damage: the packet ends as abort_packet downstream, or vanishes if none of it had got through. At site
 * level `stop` is a request to the console (PR_CONSOLE_HOLD, answered with id 0): it begins when the core has read it,
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

#include "model/fault.h"
#include "model/mesh.h"
#include "model/site_kind.h"

struct pr_operator;
struct pollfd;
struct simulation;

enum simulation_level { LEVEL_FABRIC, LEVEL_SITE };

struct simulation_options {
    const struct mesh_config *mesh; /* copied */
    enum site_kind kind;            /* what runs every site, where `nodes` is NULL */
    const enum site_kind *nodes;    /* what runs each site, copied; NULL: `kind` for all */
    const char *firmware_hex;       /* site level: readmemh image; NULL: build/firmware/node.hex */
    unsigned pool;                  /* fabric level: buffers of an operator; 0: 32. At least 3 */
    unsigned window;   /* fabric level: packets an operator has unsettled at most; 0: 4. Reliable service only */
    uint64_t seed;     /* of the stalls and the faults */
    unsigned stall;    /* fabric level: percent of its polls that an operator misses, 0 to 99 */
    const char *waves; /* FST file to write, or NULL */
    const struct fault *faults; /* copied; of this mesh */
    unsigned fault_count;
    bool observed;            /* fabric level, without waves: simulation_observe may be called; slower, the same run */
    const char *directory;    /* SITE_QEMU: for sockets; NULL: one of its own */
    const char *firmware_elf; /* SITE_QEMU: image; NULL: build/firmware/node.elf */
    unsigned quantum;         /* SITE_QEMU: clocks of a quantum; 0: free */
    bool restartable;         /* simulation_load may be called; the words are the same */
    const volatile sig_atomic_t *stop; /* SITE_QEMU: simulation_run waits for no guest once this is not 0; or NULL */
    bool sleepless;                    /* clock every site in every clock: slower, the same run; for tests */
};

/* NULL with a reason in `error`. Builds the verilated site first if this parameter set has not been built yet (needs
 * make, verilator and a C++ compiler then). The caller destroys what it gets. */
struct simulation *simulation_create(const struct simulation_options *options, char *error, size_t error_size);
void simulation_destroy(struct simulation *simulation);

/* Ends the FST file, if there is one, with the clock that ran last. 0, or the errno of the first write to it that
 * failed: what is there is of no use then. */
int simulation_end_waves(struct simulation *simulation);

/* Clocks since reset: the number of the clock that will run next. */
uint64_t simulation_clock(const struct simulation *simulation);

/* Runs so many clocks. Stretches in which everything is quiet cost nothing. False: a wait for a guest under QEMU was
 * given up before that, because of options->stop, or, in quanta, of a turn that has lasted ten seconds and not in a
 * debugger. */
bool simulation_run(struct simulation *simulation, uint64_t clocks);

/* The same, but returns false where it would wait. */
bool simulation_try_run(struct simulation *simulation, uint64_t clocks);

/* Guests under QEMU. How long, in milliseconds, the simulation waits for one of them before it can go on; 0: it does
 * not, -1: for ever. Descriptors to wait for then, at most SIMULATION_POLLS(sites); and what to call when one of them
 * is ready. */
#define SIMULATION_POLLS(sites) (3 * (size_t)(sites))
int simulation_wait_ms(struct simulation *simulation);
size_t simulation_poll_prepare(const struct simulation *simulation, struct pollfd *polls);
void simulation_poll_handle(struct simulation *simulation);

/* Seconds for which a guest has been at its turn, those in a debugger left out; negative if it is asleep or has ended.
 * Long means that its firmware hangs. */
double simulation_slice_seconds(struct simulation *simulation, unsigned site);

/* True if a debugger (`postroad gdb`) is attached to a guest; *mesh_waits: all others stand still while that one does.
 */
bool simulation_debugged(const struct simulation *simulation, unsigned site, bool *mesh_waits);

/* Clocks for which a core has reached for nothing but its memory; 0 if it has ended. */
uint64_t simulation_clocks_since_io(const struct simulation *simulation, unsigned site);

/* Where a guest at its turn is, or a core, and what its register ra has, 0 if that is not known. False: neither is
 * there, or QEMU does not say. */
bool simulation_program_counter(const struct simulation *simulation, unsigned site, uint32_t *pc,
                                uint32_t *return_address);

/* True if nothing moves: no clock would change anything before simulation_next_wake(). */
bool simulation_idle(struct simulation *simulation);

/* The first clock at which a timer of a site or the tick is due; UINT64_MAX if none is. Faults that have not begun yet
 * are no timers. */
uint64_t simulation_next_wake(const struct simulation *simulation);

/* Fabric level: a site's operator, NULL at site level and while the site is in reset. It stays at its address as long
 * as the simulation lives; call pr_operator_send between runs, from the tick, or from a handler of the same site. */
struct pr_operator *simulation_operator(struct simulation *simulation, unsigned site);

/* Fabric level, from a handler of a site's operator: the clocks in which the first word and the terminator of the
 * packet in hand moved into the site's network_interface, by the engine's own book. */
struct simulation_arrival {
    uint64_t first, last;
};
struct simulation_arrival simulation_arrival(const struct simulation *simulation, unsigned site);

/* False while a site is in reset or stopped: its evaluator does nothing either. */
bool simulation_running(const struct simulation *simulation, unsigned site);

/* True once a site has stopped for good: no pause that ends, and no reset makes its operator go on. */
bool simulation_stopped(const struct simulation *simulation, unsigned site);

/* Between runs: every site that is in a pause stops for good. How many they are. */
unsigned simulation_end_pauses(struct simulation *simulation);

/* The bytes of a site's UART. Both return how many bytes were moved, which may be fewer than asked for. */
size_t simulation_console_read(struct simulation *simulation, unsigned site, uint8_t *bytes, size_t length);
size_t simulation_console_write(struct simulation *simulation, unsigned site, const uint8_t *bytes, size_t length);

/* Counter COUNTER_* of a site (hw/protocol/registers.md), 0 for an index that does not exist. They begin again when the
 * site is reset. */
uint32_t simulation_counter(struct simulation *simulation, unsigned site, unsigned index);

/* Words that have moved over links, all links together. A site's reset does not take them away. */
uint64_t simulation_link_words(const struct simulation *simulation);

/* What every site shows in the clock that will run next: [site * links + link] is the word that site sends on that
 * link ({tag, word}, 0 = none), and in bit 63 the status (1 = wait) of that site for words arriving on it. The
 * array lives as long as the simulation. */
const uint64_t *simulation_words(const struct simulation *simulation);

/* The same for the local streams of a site at the fabric level: what the operator showed in the clock that ran last
 * (bit 63: its status, bit 62: relief), and what the fabric shows it in the clock that will run next (bit 63: status of
 * its downstream fifo_buffer). */
void simulation_local_words(const struct simulation *simulation, unsigned site, uint64_t *sent, uint64_t *received);

/* With `observed`: what net_input `port` of a site shows in the clock that will run next, {tag, word}, 0 = none, with
 * bit 63 if it will not move then; and into `outputs` the net_outputs it is connected to or waits for, a bit each. Port
 * 0 is local. */
uint64_t simulation_observe(const struct simulation *simulation, unsigned site, unsigned port, uint64_t *outputs);

/* Fabric level, without faults: operators do nothing any more, and their network_interfaces throw away what comes when
 * no buffer is left. Whatever still waits in the fabric after a while waits for itself. */
void simulation_abandon_operators(struct simulation *simulation);

/* Tick: called at the start of every clock that is run, before operators are polled. Clocks that are jumped over have
 * no tick, unless one was requested: the tick is called at `clock` then, and only the earliest request is kept. */
typedef void simulation_tick(void *context, struct simulation *simulation, uint64_t clock);
void simulation_set_tick(struct simulation *simulation, simulation_tick *tick, void *context);
void simulation_request_tick(struct simulation *simulation, uint64_t clock);

/* What faults have done so far. A word that is damaged counts once; so does what is hit again before it has ended. */
struct fault_counts {
    uint64_t corrupted_words, links_down, resets, stops;
};
void simulation_fault_counts(const struct simulation *simulation, struct fault_counts *out);

/* Called with running = false just before a site goes into reset: its operator and counters can be read for the last
 * time, and what it had outstanding will never be settled. Called with running = true when it has started afresh:
 * handlers and observers have to be registered again, packets may be sent. Between the two simulation_operator() gives
 * NULL. Not called without faults. */
typedef void simulation_reset_hook(void *context, struct simulation *simulation, unsigned site, bool running);
void simulation_set_reset_hook(struct simulation *simulation, simulation_reset_hook *hook, void *context);

/* SITE_CORE and SITE_QEMU, with `restartable`, between runs: the site is reset, as by a fault, and starts with another
 * image. `elf` and `hex` are one image, checked by the caller, in files that stay as long as the simulation: a core
 * takes the second, QEMU the first, now and after later resets. 0, or -1 with a reason, and nothing has changed. */
int simulation_load(struct simulation *simulation, unsigned site, const char *elf, const char *hex, char *error,
                    size_t error_size);

/* What runs a site's firmware. */
enum site_kind simulation_kind(const struct simulation *simulation, unsigned site);

/* True if a site is out of reset and its firmware has come to rest or ended, at this moment. */
bool simulation_at_rest(const struct simulation *simulation, unsigned site);

/* SITE_CORE and SITE_QEMU: 1 and the status written if the site's test finisher has been written, else 0. QEMU may end
 * for other reasons: the status is its own then, or 128 and the number of the signal; or this side ended it, for a
 * reason that the second function gives ("" otherwise). */
int simulation_finished(const struct simulation *simulation, unsigned site, uint32_t *status);
const char *simulation_end_reason(const struct simulation *simulation, unsigned site);

#endif
