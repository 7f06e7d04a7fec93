/* The verilated site as a C table: what site_model.cpp exports and the engine drives.
 *
 * One shared object per parameter set (see README.md). A port is a pointer into the verilated object's own storage;
 * ports that a level does not have are NULL. Write inputs, call clock(), read outputs. Links and local streams are
 * 64-bit slots (simulation/link_slot.h): copy them with memcpy, the storage is aligned to 4 bytes only.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_SITE_MODEL_H
#define POSTROAD_ENGINE_SITE_MODEL_H

#include <stdint.h>

#include "simulation/link_slot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* console_in and console_out: bits 7:0 byte, then: */
#define CONSOLE_VALID ((uint32_t)1 << 8) /* a byte is shown */
#define CONSOLE_READY ((uint32_t)1 << 9) /* the byte shown the other way is taken in this clock */

struct site_ports {
    uint8_t *reset;
    uint32_t *straps; /* PR_STRAP_WORDS words (straps.h), written before the reset ends; not in a flat mesh */
    /* A flat mesh has the slots of all its sites, and its links are of this clock. Else:
     * Link l at slot l, of the next clock. in: the word its neighbour will show, and the neighbour's status.
     * out: the reverse. */
    void *link_in, *link_out;
    uint32_t *link_down;                /* bit l: link l leads nowhere in the next clock */
    void *local_in, *local_out;         /* fabric, of this clock: send and receive_wait; receive and send_wait */
    uint64_t *events;                   /* bit i: counter i goes up by one in this clock */
    void *observed;                     /* fabric: see fabric_top.v, of this clock */
    uint64_t *now, *wake_time;          /* now: of the next clock; wake_time: whole sites */
    uint32_t *console_in, *console_out; /* whole sites; in: of the next clock, out: of this clock */
    uint8_t *quiet, *finished;          /* finished: whole sites */
    uint8_t *looked;             /* whole sites: the core reached for something else than its memory in this clock */
    uint32_t *core_pc, *core_ra; /* whole sites: where it is; core_ra is 0 where the core does not show it */
    uint32_t *finish_status;     /* whole sites */
    uint32_t *counter_select;    /* flat meshes; settle() afterwards */
    void *counter_values;        /* flat meshes: 32 bits a site */
};

struct site_model_table {
    /* What the object was built for; the engine refuses an object that is not what it asked for. */
    const char *parameters;
    /* What the models of one simulation share. `firmware`: the readmemh file of whole sites, or NULL. NULL when storage
     * is exhausted. The caller owns it, and destroys it after its models. */
    void *(*context_create)(const char *firmware);
    void (*context_destroy)(void *context);
    /* A site. `name` is its scope in a wave file. NULL when storage is exhausted. The caller owns it. */
    void *(*create)(void *context, const char *name);
    void (*destroy)(void *model);
    void (*ports)(void *model, struct site_ports *out);
    void (*clock)(void *model);  /* one rising and one falling edge */
    void (*settle)(void *model); /* combinational paths only, no edge */
    /* One file for all models, opened after all have been created; NULL if this object was built without waves, or if
     * the file cannot be written. dump() takes the time of the clock just done. close() returns 0, or the errno of the
     * first write that failed: the file is of no use then. */
    void *(*trace_open)(const char *file, void **models, unsigned count);
    void (*trace_dump)(void *trace, uint64_t clock);
    int (*trace_close)(void *trace);
};

/* The one exported symbol of a parameter set's shared object. */
extern const struct site_model_table site_model;

#ifdef __cplusplus
}
#endif

#endif
