/* See slices_write.h.
 *
 *   simplify   each look-up table without its constant and unused inputs; what is then a wire or a constant is one
 *   mark       what reaches an output pin is live; the rest is left out
 *   place      slots: constants, inputs, flops and what they load (in groups), data of RAMs, then what `evaluate` keeps
 *   write      for each clock the tables that its flops and RAMs hang on, in order, in functions of some hundred
 * tables: a compiler needs more than linear time for a longer function
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "bitstream/slices_write.h"

#include "bitstream/lut_expression.h"
#include "bitstream/netlist.h"
#include "bitstream/slices.h"
#include "support/or_abort.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 200, NOT_PLACED = 0, NAME_ROOM = 24 };

enum driver_kind {
    DRIVER_NONE,
    DRIVER_SOURCE,
    DRIVER_LUT,
    DRIVER_FLOP,
    DRIVER_BLOCK_RAM,
    DRIVER_SPRAM,
    DRIVER_TWO_PORT_RAM
};

enum visit { VISIT_NEW, VISIT_OPEN, VISIT_DONE };

struct writer {
    FILE *out;
    const struct netlist *netlist;
    struct netlist_lut *luts; /* simplified; inputs that are not used are NETLIST_ZERO */
    uint8_t *kind;            /* of each signal: enum driver_kind */
    unsigned *index;          /* in its list */
    unsigned *alias;          /* the signal that has the same value */
    uint8_t *visit;           /* of each table */
    bool *live;               /* of each signal */
    uint32_t *slot;           /* of each signal, NOT_PLACED: none */
    unsigned *stack, depth;
    uint32_t slots;
    struct slices_flops *groups;
    unsigned *order;          /* flops, group by group */
    uint32_t *load;           /* of each flop: the slot of what it loads */
    uint32_t *enable, *reset; /* of each group */
    unsigned group_count, order_count;
    unsigned *chunk_of, chunk, chunks; /* of each table in the cone at hand */
    unsigned *cone, cone_count;
    char *error;
    size_t error_size;
    bool failed;
};

static void fail(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!writer->failed)
        vsnprintf(writer->error, writer->error_size, format, arguments);
    va_end(arguments);
    writer->failed = true;
}

static void *allocate(size_t count, size_t size)
{
    return or_abort(calloc(count ? count : 1, size));
}

/* ---- drivers ---- */

static void set_driver(struct writer *writer, unsigned signal, enum driver_kind kind, unsigned index)
{
    writer->kind[signal] = (uint8_t)kind;
    writer->index[signal] = index;
}

static void find_drivers(struct writer *writer)
{
    const struct netlist *netlist = writer->netlist;
    for (unsigned i = 0; i < netlist->signals; i++)
        writer->alias[i] = i;
    for (unsigned i = 0; i < netlist->lut_count; i++)
        set_driver(writer, netlist->luts[i].out, DRIVER_LUT, i);
    for (unsigned i = 0; i < netlist->flop_count; i++)
        set_driver(writer, netlist->flops[i].out, DRIVER_FLOP, i);
    for (unsigned i = 0; i < netlist->block_ram_count; i++)
        for (int bit = 0; bit < 16; bit++)
            set_driver(writer, netlist->block_rams[i].read_data[bit], DRIVER_BLOCK_RAM, i);
    for (unsigned i = 0; i < netlist->spram_count; i++)
        for (int bit = 0; bit < 16; bit++)
            set_driver(writer, netlist->sprams[i].read_data[bit], DRIVER_SPRAM, i);
    for (unsigned i = 0; i < netlist->two_port_ram_count; i++)
        for (int bit = 0; bit < 2 * NETLIST_PORT_DATA; bit++)
            set_driver(writer,
                       netlist->two_port_rams[i].ports[bit / NETLIST_PORT_DATA].read_data[bit % NETLIST_PORT_DATA],
                       DRIVER_TWO_PORT_RAM, i);
    for (unsigned i = 0; i < netlist->pin_count; i++)
        if (!netlist->pins[i].output)
            set_driver(writer, netlist->pins[i].signal, DRIVER_SOURCE, i);
    for (unsigned i = 0; i < netlist->clock_count; i++) {
        set_driver(writer, netlist->clocks[i].signal, DRIVER_SOURCE, i);
        if (netlist->clocks[i].lock)
            set_driver(writer, netlist->clocks[i].lock, DRIVER_SOURCE, i);
    }
    writer->kind[NETLIST_ZERO] = writer->kind[NETLIST_ONE] = DRIVER_SOURCE;
}

/* ---- simplify ---- */

/* The table with input `input` held at `value`, or, with `as`, equal to another input. */
static uint16_t hold(uint16_t table, int input, int as, unsigned value)
{
    unsigned out = 0;
    for (unsigned i = 0; i < 16; i++) {
        unsigned bit = as < 0 ? value : i >> as & 1;
        out |= (table >> ((i & ~(1u << input)) | bit << input) & 1u) << i;
    }
    return (uint16_t)out;
}

static bool depends(uint16_t table, int input)
{
    return hold(table, input, -1, 0) != hold(table, input, -1, 1);
}

static void drop_inputs(struct netlist_lut *lut)
{
    for (int i = 0; i < 4; i++) {
        if (lut->in[i] <= NETLIST_ONE)
            lut->table = hold(lut->table, i, -1, lut->in[i]);
        for (int k = 0; k < i; k++)
            if (lut->in[i] == lut->in[k])
                lut->table = hold(lut->table, i, k, 0);
    }
    for (int i = 0; i < 4; i++)
        if (!depends(lut->table, i))
            lut->in[i] = NETLIST_ZERO;
}

/* A table that is a constant or a wire gets an alias. */
static void find_alias(struct writer *writer, const struct netlist_lut *lut)
{
    static const uint16_t wires[] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};
    if (lut->table == 0 || lut->table == 0xffff)
        writer->alias[lut->out] = lut->table ? NETLIST_ONE : NETLIST_ZERO;
    for (int i = 0; i < 4; i++)
        if (lut->table == wires[i])
            writer->alias[lut->out] = lut->in[i];
}

static void simplify(struct writer *writer, unsigned index)
{
    struct netlist_lut *lut = &writer->luts[index];
    if (writer->visit[index] == VISIT_DONE)
        return;
    if (writer->visit[index] == VISIT_OPEN) {
        fail(writer, "look-up tables form a ring: signal %u hangs on itself", lut->out);
        return;
    }
    writer->visit[index] = VISIT_OPEN;
    for (int i = 0; i < 4; i++) {
        unsigned in = lut->in[i];
        if (writer->kind[in] == DRIVER_LUT && depends(lut->table, i))
            simplify(writer, writer->index[in]);
        lut->in[i] = writer->alias[in];
    }
    writer->visit[index] = VISIT_DONE;
    drop_inputs(lut);
    find_alias(writer, lut);
}

static unsigned of(const struct writer *writer, unsigned signal)
{
    return writer->alias[signal];
}

/* ---- mark ---- */

static void mark(struct writer *writer, unsigned signal)
{
    signal = of(writer, signal);
    if (!writer->live[signal]) {
        writer->live[signal] = true;
        writer->stack[writer->depth++] = signal;
    }
}

static void mark_all(struct writer *writer, const unsigned *signals, int count)
{
    for (int i = 0; i < count; i++)
        mark(writer, signals[i]);
}

static void mark_clock(struct writer *writer, unsigned domain)
{
    unsigned clock = of(writer, writer->netlist->domains[domain].clock);
    mark(writer, clock);
    for (unsigned i = 0; i < writer->netlist->clock_count; i++)
        if (writer->netlist->clocks[i].signal == clock)
            mark(writer, writer->netlist->clocks[i].reference);
}

static void mark_block_ram(struct writer *writer, const struct netlist_block_ram *ram)
{
    mark_clock(writer, ram->read_domain);
    mark_clock(writer, ram->write_domain);
    mark(writer, ram->read_enable);
    mark(writer, ram->read_clock_enable);
    mark(writer, ram->write_enable);
    mark(writer, ram->write_clock_enable);
    mark_all(writer, ram->read_address, 11);
    mark_all(writer, ram->write_address, 11);
    mark_all(writer, ram->write_data, 16);
    mark_all(writer, ram->mask, 16);
}

static void mark_spram(struct writer *writer, const struct netlist_spram *ram)
{
    mark_clock(writer, ram->domain);
    mark(writer, ram->write);
    mark(writer, ram->select);
    mark(writer, ram->standby);
    mark(writer, ram->sleep);
    mark(writer, ram->power);
    mark_all(writer, ram->address, 14);
    mark_all(writer, ram->write_data, 16);
    mark_all(writer, ram->mask, 4);
}

static void mark_two_port_ram(struct writer *writer, const struct netlist_two_port_ram *ram)
{
    for (int i = 0; i < 2; i++) {
        const struct netlist_ram_port *port = &ram->ports[i];
        mark_clock(writer, port->domain);
        mark_all(writer, (const unsigned[]){port->enable, port->write, port->reset}, 3);
        mark_all(writer, port->address, NETLIST_PORT_ADDRESS);
        mark_all(writer, port->write_data, NETLIST_PORT_DATA);
    }
}

static void mark_inputs(struct writer *writer, unsigned signal)
{
    const struct netlist *netlist = writer->netlist;
    unsigned index = writer->index[signal];
    const struct netlist_flop *flop;
    switch ((enum driver_kind)writer->kind[signal]) {
    case DRIVER_LUT:
        mark_all(writer, writer->luts[index].in, 4);
        break;
    case DRIVER_FLOP:
        flop = &netlist->flops[index];
        mark_clock(writer, flop->domain);
        mark_all(writer, (const unsigned[]){flop->d, flop->enable, flop->reset}, 3);
        break;
    case DRIVER_BLOCK_RAM:
        mark_block_ram(writer, &netlist->block_rams[index]);
        break;
    case DRIVER_SPRAM:
        mark_spram(writer, &netlist->sprams[index]);
        break;
    case DRIVER_TWO_PORT_RAM:
        mark_two_port_ram(writer, &netlist->two_port_rams[index]);
        break;
    case DRIVER_SOURCE:
        break;
    case DRIVER_NONE:
        fail(writer, "signal %u has no driver", signal);
    }
}

static void mark_live(struct writer *writer)
{
    const struct netlist *netlist = writer->netlist;
    for (unsigned i = 0; i < netlist->pin_count; i++) {
        mark(writer, netlist->pins[i].signal);
        if (netlist->pins[i].output)
            mark(writer, netlist->pins[i].enable);
    }
    for (unsigned i = 0; i < netlist->clock_count; i++)
        if (netlist->clocks[i].lock)
            mark(writer, netlist->clocks[i].lock);
    while (writer->depth && !writer->failed)
        mark_inputs(writer, writer->stack[--writer->depth]);
}

static bool any_live(const struct writer *writer, const unsigned *signals, int count)
{
    for (int i = 0; i < count; i++)
        if (signals[i] > NETLIST_ONE && writer->live[signals[i]])
            return true;
    return false;
}

static bool block_ram_is_live(const struct writer *writer, const struct netlist_block_ram *ram)
{
    return any_live(writer, ram->read_data, 16);
}

static bool spram_is_live(const struct writer *writer, const struct netlist_spram *ram)
{
    return any_live(writer, ram->read_data, 16);
}

static bool two_port_ram_is_live(const struct writer *writer, const struct netlist_two_port_ram *ram)
{
    return any_live(writer, ram->ports[0].read_data, NETLIST_PORT_DATA) ||
           any_live(writer, ram->ports[1].read_data, NETLIST_PORT_DATA);
}

/* ---- place ---- */

static void place(struct writer *writer, unsigned signal)
{
    if (writer->slot[signal] == NOT_PLACED)
        writer->slot[signal] = writer->slots++;
}

static bool same_group(const struct writer *writer, const struct netlist_flop *a, const struct netlist_flop *b)
{
    return a->domain == b->domain && of(writer, a->enable) == of(writer, b->enable) &&
           of(writer, a->reset) == of(writer, b->reset) && a->value == b->value && a->asynchronous == b->asynchronous &&
           a->initial == b->initial;
}

/* What a flop loads is computed into this place, unless it has another one already. */
static void place_load(struct writer *writer, unsigned flop)
{
    unsigned d = of(writer, writer->netlist->flops[flop].d);
    writer->load[flop] = writer->slots++;
    if (writer->kind[d] == DRIVER_LUT && d > NETLIST_ONE && writer->slot[d] == NOT_PLACED)
        writer->slot[d] = writer->load[flop];
}

/* The rows of a RAM in tables load the same, each with an enable of its own. */
static bool loads_the_same(const struct writer *writer, const struct slices_flops *group, unsigned start)
{
    const struct netlist_flop *flops = writer->netlist->flops;
    const struct slices_flops *before = group - 1;
    if (group == writer->groups || before->count != group->count || before->domain != group->domain)
        return false;
    for (unsigned i = start; i < writer->order_count; i++)
        if (of(writer, flops[writer->order[i]].d) != of(writer, flops[writer->order[i - group->count]].d))
            return false;
    return true;
}

static void place_group(struct writer *writer, unsigned first)
{
    const struct netlist_flop *flops = writer->netlist->flops, *model = &flops[first];
    struct slices_flops *group = &writer->groups[writer->group_count++];
    unsigned start = writer->order_count;
    *group = (struct slices_flops){.domain = model->domain,
                                   .value = model->value,
                                   .asynchronous = model->asynchronous,
                                   .initial = model->initial,
                                   .out = writer->slots};
    for (unsigned i = first; i < writer->netlist->flop_count; i++)
        if (writer->live[flops[i].out] && writer->slot[flops[i].out] == NOT_PLACED &&
            same_group(writer, model, &flops[i])) {
            place(writer, flops[i].out);
            writer->order[writer->order_count++] = i;
        }
    group->count = writer->order_count - start;
    bool shared = loads_the_same(writer, group, start);
    group->in = shared ? group[-1].in : writer->slots;
    for (unsigned i = start; i < writer->order_count; i++)
        if (shared)
            writer->load[writer->order[i]] = writer->load[writer->order[i - group->count]];
        else
            place_load(writer, writer->order[i]);
    group->enable = of(writer, model->enable) <= NETLIST_ONE ? of(writer, model->enable) : writer->slots++;
    group->reset = of(writer, model->reset) <= NETLIST_ONE ? of(writer, model->reset) : writer->slots++;
}

static void place_all(struct writer *writer)
{
    const struct netlist *netlist = writer->netlist;
    writer->slots = SLICES_ONE + 1;
    writer->slot[NETLIST_ONE] = SLICES_ONE;
    for (unsigned i = NETLIST_ONE + 1; i < netlist->signals; i++)
        if (writer->live[i] && writer->kind[i] != DRIVER_LUT && writer->kind[i] != DRIVER_FLOP)
            place(writer, i);
    for (unsigned i = 0; i < netlist->flop_count; i++)
        if (writer->live[netlist->flops[i].out] && writer->slot[netlist->flops[i].out] == NOT_PLACED)
            place_group(writer, i);
}

/* ---- write: tables in order ---- */

/* Adds the tables that a signal hangs on, inputs first. A table that a later chunk reads, too, gets a slot. */
static void add_cone(struct writer *writer, unsigned signal)
{
    signal = of(writer, signal);
    if (writer->kind[signal] != DRIVER_LUT || signal <= NETLIST_ONE)
        return;
    unsigned index = writer->index[signal];
    if (writer->visit[index] == VISIT_DONE)
        return;
    writer->visit[index] = VISIT_DONE;
    for (int i = 0; i < 4; i++)
        add_cone(writer, writer->luts[index].in[i]);
    writer->chunk_of[index] = writer->cone_count / CHUNK;
    writer->cone[writer->cone_count++] = index;
    for (int i = 0; i < 4; i++) {
        unsigned in = of(writer, writer->luts[index].in[i]);
        if (writer->kind[in] == DRIVER_LUT && in > NETLIST_ONE &&
            writer->chunk_of[writer->index[in]] != writer->chunk_of[index])
            place(writer, in);
    }
}

/* A signal that is read from its slot behind the last table. */
static void add_root(struct writer *writer, unsigned signal)
{
    signal = of(writer, signal);
    add_cone(writer, signal);
    if (writer->kind[signal] == DRIVER_LUT && signal > NETLIST_ONE)
        place(writer, signal);
}

static void begin_cone(struct writer *writer)
{
    writer->cone_count = 0;
    memset(writer->visit, VISIT_NEW, writer->netlist->lut_count);
}

static uint32_t slot(const struct writer *writer, unsigned signal)
{
    return writer->slot[of(writer, signal)];
}

static void name_signal(const struct writer *writer, unsigned signal, char out[NAME_ROOM])
{
    if (slot(writer, signal) != NOT_PLACED)
        snprintf(out, NAME_ROOM, "s[%u]", slot(writer, signal));
    else
        snprintf(out, NAME_ROOM, "v%u", of(writer, signal));
}

static void write_table(struct writer *writer, const struct netlist_lut *lut)
{
    char names[4][NAME_ROOM], expression[LUT_EXPRESSION_SIZE];
    const char *inputs[4];
    for (int i = 0; i < 4; i++) {
        name_signal(writer, lut->in[i], names[i]);
        inputs[i] = names[i];
    }
    lut_expression(expression, lut->table, inputs, 4);
    if (writer->slot[lut->out] != NOT_PLACED)
        fprintf(writer->out, "s[%u] = %s;\n", writer->slot[lut->out], expression);
    else
        fprintf(writer->out, "const L v%u = %s;\n", lut->out, expression);
}

/* Writes the tables of a cone as functions NAME_0, NAME_1 ... */
static void write_cone(struct writer *writer, const char *name)
{
    for (unsigned i = 0; i < writer->cone_count; i++) {
        if (i % CHUNK == 0)
            fprintf(writer->out, "%sstatic void %s_%u(L *s)\n{\n", i ? "}\n" : "", name, i / CHUNK);
        write_table(writer, &writer->luts[writer->cone[i]]);
    }
    if (writer->cone_count)
        fprintf(writer->out, "}\n");
}

static void write_calls(struct writer *writer, const char *name)
{
    for (unsigned i = 0; i * CHUNK < writer->cone_count; i++)
        fprintf(writer->out, "%s_%u(s);\n", name, i);
}

static void write_copy(struct writer *writer, uint32_t to, unsigned signal)
{
    if (to > SLICES_ONE && to != slot(writer, signal))
        fprintf(writer->out, "s[%u] = s[%u];\n", to, slot(writer, signal));
}

/* ---- write: one clock ---- */

static void add_roots(struct writer *writer, const unsigned *signals, int count)
{
    for (int i = 0; i < count; i++)
        add_root(writer, signals[i]);
}

static void add_block_ram_roots(struct writer *writer, const struct netlist_block_ram *ram, unsigned domain)
{
    if (ram->read_domain == domain) {
        add_root(writer, ram->read_enable);
        add_root(writer, ram->read_clock_enable);
        add_roots(writer, ram->read_address, 11);
    }
    if (ram->write_domain == domain) {
        add_root(writer, ram->write_enable);
        add_root(writer, ram->write_clock_enable);
        add_roots(writer, ram->write_address, 11);
        add_roots(writer, ram->write_data, 16);
        add_roots(writer, ram->mask, 16);
    }
}

static void add_spram_roots(struct writer *writer, const struct netlist_spram *ram, unsigned domain)
{
    if (ram->domain != domain)
        return;
    add_roots(writer, (const unsigned[]){ram->write, ram->select, ram->standby, ram->sleep, ram->power}, 5);
    add_roots(writer, ram->address, 14);
    add_roots(writer, ram->write_data, 16);
    add_roots(writer, ram->mask, 4);
}

static void add_port_roots(struct writer *writer, const struct netlist_ram_port *port, unsigned domain)
{
    if (port->domain != domain)
        return;
    add_roots(writer, (const unsigned[]){port->enable, port->write, port->reset}, 3);
    add_roots(writer, port->address, NETLIST_PORT_ADDRESS);
    add_roots(writer, port->write_data, NETLIST_PORT_DATA);
}

static void add_ram_roots(struct writer *writer, unsigned domain)
{
    const struct netlist *netlist = writer->netlist;
    for (unsigned i = 0; i < netlist->block_ram_count; i++)
        if (block_ram_is_live(writer, &netlist->block_rams[i]))
            add_block_ram_roots(writer, &netlist->block_rams[i], domain);
    for (unsigned i = 0; i < netlist->spram_count; i++)
        if (spram_is_live(writer, &netlist->sprams[i]))
            add_spram_roots(writer, &netlist->sprams[i], domain);
    for (unsigned i = 0; i < netlist->two_port_ram_count; i++)
        for (int port = 0; two_port_ram_is_live(writer, &netlist->two_port_rams[i]) && port < 2; port++)
            add_port_roots(writer, &netlist->two_port_rams[i].ports[port], domain);
}

static void write_evaluate(struct writer *writer, unsigned domain)
{
    const struct netlist_flop *flops = writer->netlist->flops;
    char name[32];
    snprintf(name, sizeof name, "evaluate_%u", domain);
    begin_cone(writer);
    for (unsigned i = 0; i < writer->order_count; i++) {
        const struct netlist_flop *flop = &flops[writer->order[i]];
        if (flop->domain == domain) {
            add_root(writer, flop->d);
            add_root(writer, flop->enable);
            add_root(writer, flop->reset);
        }
    }
    add_ram_roots(writer, domain);
    write_cone(writer, name);
    fprintf(writer->out, "static void %s(L *s)\n{\n", name);
    write_calls(writer, name);
    for (unsigned group = 0, at = 0; group < writer->group_count; at += writer->groups[group++].count) {
        const struct slices_flops *row = &writer->groups[group];
        if (row->domain != domain)
            continue;
        bool shared = group > 0 && row->in == row[-1].in;
        for (unsigned i = at; i < at + row->count && !shared; i++)
            write_copy(writer, writer->load[writer->order[i]], flops[writer->order[i]].d);
        write_copy(writer, row->enable, flops[writer->order[at]].enable);
        write_copy(writer, row->reset, flops[writer->order[at]].reset);
    }
    fprintf(writer->out, "}\n");
}

static bool is_oscillator(const struct writer *writer, unsigned clock)
{
    return writer->kind[clock] == DRIVER_SOURCE && clock > NETLIST_ONE;
}

static void write_outputs(struct writer *writer)
{
    const struct netlist *netlist = writer->netlist;
    begin_cone(writer);
    for (unsigned i = 0; i < netlist->pin_count; i++)
        if (netlist->pins[i].output) {
            add_root(writer, netlist->pins[i].signal);
            add_root(writer, netlist->pins[i].enable);
        }
    for (unsigned i = 0; i < netlist->domain_count; i++)
        if (writer->live[of(writer, netlist->domains[i].clock)])
            add_root(writer, netlist->domains[i].clock);
    for (unsigned i = 0; i < writer->order_count; i++)
        if (netlist->flops[writer->order[i]].asynchronous)
            add_root(writer, netlist->flops[writer->order[i]].reset);
    write_cone(writer, "outputs");
    fprintf(writer->out, "static void outputs(L *s)\n{\n");
    write_calls(writer, "outputs");
    for (unsigned group = 0, at = 0; group < writer->group_count; at += writer->groups[group++].count)
        if (writer->groups[group].asynchronous)
            write_copy(writer, writer->groups[group].reset, netlist->flops[writer->order[at]].reset);
    fprintf(writer->out, "(void)s;\n}\n");
}

/* ---- write: tables of the class ---- */

static void write_list(struct writer *writer, const char *name, const unsigned *signals, int count)
{
    fprintf(writer->out, ".%s = {", name);
    for (int i = 0; i < count; i++)
        fprintf(writer->out, "%u,", writer->live[of(writer, signals[i])] ? slot(writer, signals[i]) : SLICES_ZERO);
    fprintf(writer->out, "},\n");
}

/* A RAM's port without a clock has the number behind the last domain, which never has edges. */
static unsigned ram_domain(const struct writer *writer, unsigned domain)
{
    return of(writer, writer->netlist->domains[domain].clock) <= NETLIST_ONE ? SLICES_DOMAINS : domain;
}

static unsigned write_block_rams(struct writer *writer)
{
    unsigned count = 0;
    fprintf(writer->out, "static const struct slices_block_ram block_rams[] = {\n");
    for (unsigned i = 0; i < writer->netlist->block_ram_count; i++) {
        const struct netlist_block_ram *ram = &writer->netlist->block_rams[i];
        if (!block_ram_is_live(writer, ram))
            continue;
        count++;
        fprintf(writer->out,
                "{.number = %u, .read_domain = %u, .write_domain = %u, .read_mode = %u, .write_mode = %u,\n",
                ram->number, ram_domain(writer, ram->read_domain), ram_domain(writer, ram->write_domain),
                ram->read_mode, ram->write_mode);
        write_list(writer, "read_enable", (const unsigned[]){ram->read_enable, ram->read_clock_enable}, 2);
        write_list(writer, "write_enable", (const unsigned[]){ram->write_enable, ram->write_clock_enable}, 2);
        write_list(writer, "read_address", ram->read_address, 11);
        write_list(writer, "write_address", ram->write_address, 11);
        write_list(writer, "write_data", ram->write_data, 16);
        write_list(writer, "mask", ram->mask, 16);
        write_list(writer, "read_data", ram->read_data, 16);
        fprintf(writer->out, "},\n");
    }
    fprintf(writer->out, "{.number = 0}};\n");
    return count;
}

static unsigned write_sprams(struct writer *writer)
{
    unsigned count = 0;
    fprintf(writer->out, "static const struct slices_spram sprams[] = {\n");
    for (unsigned i = 0; i < writer->netlist->spram_count; i++) {
        const struct netlist_spram *ram = &writer->netlist->sprams[i];
        if (!spram_is_live(writer, ram))
            continue;
        count++;
        fprintf(writer->out, "{.domain = %u, .write = %u, .select = %u, .standby = %u, .sleep = %u, .power = %u,\n",
                ram_domain(writer, ram->domain), slot(writer, ram->write), slot(writer, ram->select),
                slot(writer, ram->standby), slot(writer, ram->sleep), slot(writer, ram->power));
        write_list(writer, "address", ram->address, 14);
        write_list(writer, "write_data", ram->write_data, 16);
        write_list(writer, "mask", ram->mask, 4);
        write_list(writer, "read_data", ram->read_data, 16);
        fprintf(writer->out, "},\n");
    }
    fprintf(writer->out, "{.domain = 0}};\n");
    return count;
}

static void write_port(struct writer *writer, const struct netlist_ram_port *port)
{
    fprintf(writer->out, "{.domain = %u, .width = %u, .mode = %d, .enable = %u, .write = %u, .reset = %u,\n",
            ram_domain(writer, port->domain), port->width, port->mode, slot(writer, port->enable),
            slot(writer, port->write), slot(writer, port->reset));
    write_list(writer, "address", port->address, NETLIST_PORT_ADDRESS);
    write_list(writer, "write_data", port->write_data, NETLIST_PORT_DATA);
    write_list(writer, "read_data", port->read_data, NETLIST_PORT_DATA);
    fprintf(writer->out, "},\n");
}

static unsigned write_two_port_rams(struct writer *writer)
{
    unsigned count = 0;
    fprintf(writer->out, "static const struct slices_two_port_ram two_port_rams[] = {\n");
    for (unsigned i = 0; i < writer->netlist->two_port_ram_count; i++) {
        const struct netlist_two_port_ram *ram = &writer->netlist->two_port_rams[i];
        if (!two_port_ram_is_live(writer, ram))
            continue;
        count++;
        fprintf(writer->out, "{.number = %u, .ports = {", ram->number);
        write_port(writer, &ram->ports[0]);
        write_port(writer, &ram->ports[1]);
        fprintf(writer->out, "}},\n");
    }
    fprintf(writer->out, "{.number = 0}};\n");
    return count;
}

static void write_pins(struct writer *writer)
{
    fprintf(writer->out, "static const struct slices_pin pins[] = {\n");
    for (unsigned i = 0; i < writer->netlist->pin_count; i++) {
        const struct netlist_pin *pin = &writer->netlist->pins[i];
        fprintf(writer->out, "{\"%s\", %d, %d, %u, %u},\n", pin->name, pin->output, pin->pull_up,
                slot(writer, pin->signal), pin->output ? slot(writer, pin->enable) : SLICES_ZERO);
    }
    fprintf(writer->out, "};\n");
}

static int pin_of(const struct writer *writer, unsigned signal)
{
    for (unsigned i = 0; i < writer->netlist->pin_count; i++)
        if (!writer->netlist->pins[i].output && writer->netlist->pins[i].signal == signal)
            return (int)i;
    return -1;
}

static const struct netlist_clock *clock_of(const struct writer *writer, unsigned signal)
{
    for (unsigned i = 0; i < writer->netlist->clock_count; i++)
        if (writer->netlist->clocks[i].signal == signal)
            return &writer->netlist->clocks[i];
    return NULL;
}

static void write_domain(struct writer *writer, const struct netlist_domain *domain)
{
    unsigned signal = of(writer, domain->clock);
    const struct netlist_clock *clock = clock_of(writer, signal);
    int pin = pin_of(writer, clock ? of(writer, clock->reference) : signal);
    unsigned long long multiply = clock ? clock->multiply : 1, divide = clock ? clock->divide : 1;
    if (!is_oscillator(writer, signal))
        multiply = divide = 0;
    if (clock && clock->reference && pin < 0)
        fail(writer, "a PLL has a reference that is no pin");
    fprintf(writer->out, "{%d, %d, %llu, %llu, %u, %u},\n", domain->falling, pin, multiply, divide,
            clock && clock->lock ? slot(writer, clock->lock) : SLICES_ZERO, slot(writer, signal));
}

static void write_class(struct writer *writer)
{
    const struct netlist *netlist = writer->netlist;
    unsigned block_rams = write_block_rams(writer), sprams = write_sprams(writer);
    unsigned two_port_rams = write_two_port_rams(writer);
    write_pins(writer);
    fprintf(writer->out, "static const struct slices_domain domains[] = {\n");
    for (unsigned i = 0; i < netlist->domain_count; i++)
        write_domain(writer, &netlist->domains[i]);
    fprintf(writer->out, "};\nstatic const struct slices_flops flops[] = {\n");
    for (unsigned i = 0; i < writer->group_count; i++) {
        const struct slices_flops *group = &writer->groups[i];
        fprintf(writer->out, "{%u, %u, %u, %u, %u, %u, %d, %d, %d},\n", group->domain, group->out, group->in,
                group->count, group->enable, group->reset, group->value, group->asynchronous, group->initial);
    }
    fprintf(writer->out, "};\nstatic void (*const evaluate[])(L *) = {");
    for (unsigned i = 0; i < netlist->domain_count; i++)
        fprintf(writer->out, "evaluate_%u,", i);
    fprintf(writer->out,
            "};\nconst struct slices_class slices_class = {SLICES_VERSION, %u, %u, %u, %u, %u, %u, %u, pins, domains, "
            "flops, block_rams, sprams, two_port_rams, evaluate, outputs};\n",
            writer->slots, netlist->pin_count, netlist->domain_count, writer->group_count, block_rams, sprams,
            two_port_rams);
}

static void check_clocks(struct writer *writer)
{
    const struct netlist *netlist = writer->netlist;
    if (netlist->domain_count > SLICES_DOMAINS)
        fail(writer, "%u clocks or edges, expected at most %d", netlist->domain_count, SLICES_DOMAINS);
    for (unsigned i = 0; i < netlist->flop_count; i++)
        if (writer->live[netlist->flops[i].out] &&
            of(writer, netlist->domains[netlist->flops[i].domain].clock) <= NETLIST_ONE)
            fail(writer, "the flop of signal %u has no clock", netlist->flops[i].out);
}

static void write_all(struct writer *writer)
{
    for (unsigned i = 0; i < writer->netlist->lut_count; i++)
        simplify(writer, i);
    mark_live(writer);
    check_clocks(writer);
    if (writer->failed)
        return;
    place_all(writer);
    fprintf(writer->out, "#include \"bitstream/slices.h\"\ntypedef uint64_t L;\n"
                         "#define ZERO ((L)0)\n#define ONES (~ZERO)\n");
    for (unsigned i = 0; i < writer->netlist->domain_count; i++)
        write_evaluate(writer, i);
    write_outputs(writer);
    write_class(writer);
}

int slices_write(FILE *out, const struct netlist *netlist, char *error, size_t error_size)
{
    size_t signals = netlist->signals, luts = netlist->lut_count, flops = netlist->flop_count;
    struct writer writer = {
        .out = out,
        .netlist = netlist,
        .luts = allocate(luts, sizeof *writer.luts),
        .kind = allocate(signals, sizeof *writer.kind),
        .index = allocate(signals, sizeof *writer.index),
        .alias = allocate(signals, sizeof *writer.alias),
        .visit = allocate(luts, sizeof *writer.visit),
        .live = allocate(signals, sizeof *writer.live),
        .slot = allocate(signals, sizeof *writer.slot),
        .stack = allocate(signals, sizeof *writer.stack),
        .groups = allocate(flops, sizeof *writer.groups),
        .order = allocate(flops, sizeof *writer.order),
        .load = allocate(flops, sizeof *writer.load),
        .chunk_of = allocate(luts, sizeof *writer.chunk_of),
        .cone = allocate(luts, sizeof *writer.cone),
        .error = error,
        .error_size = error_size,
    };
    memcpy(writer.luts, netlist->luts, luts * sizeof *writer.luts);
    find_drivers(&writer);
    write_all(&writer);
    void *const rooms[] = {writer.luts, writer.kind,     writer.index, writer.alias,  writer.visit,
                           writer.live, writer.slot,     writer.stack, writer.groups, writer.order,
                           writer.load, writer.chunk_of, writer.cone};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        free(rooms[i]);
    return writer.failed ? -1 : 0;
}
