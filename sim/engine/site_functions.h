/* What runs a site: one table for each kind in mesh/site_kind.h, in a file of its own. A new kind is a new file and a
 * row in SITE_KINDS. Private to sim/engine.
 *
 *   site_native.c  the firmware's sources built into this process, beside a fabric in RTL
 *   site_core.c    a whole site in RTL: the ELF runs on its RISC-V core
 *   site_qemu.c    the ELF under QEMU, beside a fabric in RTL
 *   site_switch.c  nothing, beside a fabric in RTL
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_SITE_FUNCTIONS_H
#define POSTROAD_ENGINE_SITE_FUNCTIONS_H

#include "engine/engine.h"

struct site_functions {
    enum engine_part part; /* what is verilated of it */

    /* Once for a mesh that has sites of this kind, before any of them is attached, and after the last is freed. open
     * returns 0, or -1 with a reason; close is called after a failed open too. Both may be NULL. */
    int (*open)(struct engine *engine, const struct simulation_options *options, char *error, size_t error_size);
    void (*close)(struct engine *engine);

    /* Makes site->state, and sets site->interface if its operator is outside the RTL. 0, or -1 with a reason. free
     * copes with a state that is missing or half made. */
    int (*attach)(struct engine *engine, struct site *site, const struct simulation_options *options, char *error,
                  size_t error_size);
    void (*free)(struct site *site);

    /* The kind's part of engine_enter_reset and engine_leave_reset. */
    void (*enter_reset)(struct engine *engine, struct site *site);
    void (*leave_reset)(struct engine *engine, struct site *site);

    /* In every clock in which the site is active, in this order. poll: only out of reset, if site->poll is set or the
     * wake time has come. clock_local: the local streams, or the UART. goes_on, after the clock, out of reset: what
     * keeps a site awake besides its fabric. */
    void (*poll)(struct engine *engine, struct site *site);
    void (*clock_local)(struct engine *engine, struct site *site);
    bool (*goes_on)(struct engine *engine, struct site *site);

    /* A `stop` begins or is prolonged, until site->hits->stop_until; and site->stopped has changed. Both may be NULL.
     */
    void (*stop_begins)(struct engine *engine, struct site *site);
    void (*stop_changed)(struct engine *engine, struct site *site);

    /* As the functions of struct simulation_functions and struct simulation_image_functions. */
    bool (*at_rest)(const struct engine *engine, const struct site *site);
    uint32_t (*counter)(struct site *site, unsigned index);
    size_t (*console_read)(struct site *site, uint8_t *bytes, size_t length);
    size_t (*console_write)(struct engine *engine, struct site *site, const uint8_t *bytes, size_t length);

    /* The same; each may be NULL: there is no such thing. `load` changes the image of the next start, and the caller
     * resets the site. */
    struct pr_operator *(*operator_of)(struct site *site);
    struct pr_groups *(*groups_of)(struct site *site);
    struct simulation_arrival (*arrival)(const struct site *site);
    int (*load)(struct engine *engine, struct site *site, const char *elf, const char *hex, char *error,
                size_t error_size);
    int (*finished)(const struct site *site, uint32_t *status);
    const char *(*end_reason)(const struct site *site);
    bool (*program_counter)(const struct site *site, uint32_t *pc, uint32_t *return_address);
    uint64_t (*clocks_since_io)(const struct engine *engine, const struct site *site);
    double (*slice_seconds)(struct site *site);
    bool (*debugged)(const struct engine *engine, const struct site *site, bool *mesh_waits);
};

/* The tables, named after their kinds: site_native, site_core, ... */
#define SITE_TABLE(constant, name) extern const struct site_functions site_##name;
SITE_KINDS(SITE_TABLE)
#undef SITE_TABLE

#endif
