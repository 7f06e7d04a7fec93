/* Bit slices against a plain model of the same netlist: random tables, flops, and RAMs of both kinds, all lanes with
 * random inputs and edges of their own. And a ring of tables, a flop without a clock and a missing driver, which are
 * refused.
 *
 * environment: SEED
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bitstream/netlist.h"
#include "bitstream/slices.h"
#include "bitstream/slices_write.h"
#include "check.h"

enum {
    INPUTS = 6,
    FLOPS = 120,
    LUTS = 900,
    RAMS = 3,
    TWO_PORT_RAMS = 4,
    LANES = 64,
    STEPS = 300,
    CLOCK = 2,
    FIRST = 3
};
enum { FIRST_FLOP = FIRST + INPUTS, FIRST_DATA = FIRST_FLOP + FLOPS, FIRST_PORT_DATA = FIRST_DATA + 16 * RAMS };
enum { FIRST_LUT = FIRST_PORT_DATA + TWO_PORT_RAMS * 2 * NETLIST_PORT_DATA, TWO_PORT_NUMBER = 100, WORD_MASK = 0x1ff };
enum { SIGNALS = FIRST_LUT + LUTS };

static uint64_t random_state;

/* The values of one lane. */
struct model {
    bool values[SIGNALS];
    uint16_t words[RAMS][SLICES_WORDS];
    uint16_t two_port_words[TWO_PORT_RAMS][SLICES_TWO_PORT_WORDS];
};

static struct model models[LANES];

/* A signal that is known before table `before`, or any with LUTS. */
static unsigned any_signal(unsigned before)
{
    unsigned limit = FIRST_LUT + before - 1;
    unsigned signal = check_below(&random_state, limit);
    return signal >= CLOCK ? signal + 1 : signal;
}

static void fill_bus(unsigned *bus, int width)
{
    for (int bit = 0; bit < width; bit++)
        bus[bit] = any_signal(LUTS);
}

static void add_pin(struct netlist *netlist, const char *name, bool output, unsigned signal)
{
    struct netlist_pin *pin = netlist_add_pin(netlist);
    strcpy(pin->name, name);
    pin->output = output;
    pin->signal = signal;
    pin->enable = NETLIST_ONE;
}

static void add_ram(struct netlist *netlist, unsigned number, unsigned domain)
{
    struct netlist_block_ram *ram = netlist_add_block_ram(netlist);
    *ram = (struct netlist_block_ram){.number = number,
                                      .read_domain = domain,
                                      .write_domain = domain,
                                      .read_mode = check_below(&random_state, 4),
                                      .write_mode = check_below(&random_state, 4),
                                      .read_enable = any_signal(LUTS),
                                      .read_clock_enable = NETLIST_ONE,
                                      .write_enable = any_signal(LUTS),
                                      .write_clock_enable = NETLIST_ONE};
    fill_bus(ram->read_address, 11);
    fill_bus(ram->write_address, 11);
    fill_bus(ram->write_data, 16);
    fill_bus(ram->mask, 16);
    for (unsigned bit = 0; bit < 16; bit++)
        ram->read_data[bit] = FIRST_DATA + 16 * number + bit;
}

/* The value of a signal is an output pin of its own. */
static void show_signal(struct netlist *netlist, unsigned signal)
{
    char name[16];
    snprintf(name, sizeof name, "out%u", signal);
    add_pin(netlist, name, true, signal);
}

/* Ports of all widths and modes; the second one of the last RAM only reads, as a PDPW16KD's. */
static void add_two_port_ram(struct netlist *netlist, unsigned number, unsigned domain)
{
    static const unsigned widths[TWO_PORT_RAMS][2] = {{18, 9}, {4, 18}, {1, 2}, {36, 36}};
    struct netlist_two_port_ram *ram = netlist_add_two_port_ram(netlist);
    ram->number = TWO_PORT_NUMBER + number;
    for (unsigned i = 0; i < 2; i++) {
        struct netlist_ram_port *port = &ram->ports[i];
        *port = (struct netlist_ram_port){.domain = domain,
                                          .width = widths[number][i],
                                          .mode = (number + i) % 3,
                                          .enable = FIRST + i,
                                          .write = number == TWO_PORT_RAMS - 1 ? !i : FIRST + 2 + i,
                                          .reset = any_signal(LUTS)};
        /* Few words, so that one is read that has been written. Many a table is always 0, and inputs are not. */
        for (unsigned bit = 0; bit < NETLIST_PORT_ADDRESS; bit++)
            port->address[bit] = bit < 8 ? FIRST + (bit + number + i) % INPUTS : NETLIST_ZERO;
        fill_bus(port->write_data, NETLIST_PORT_DATA);
        for (unsigned bit = 0; bit < port->width; bit++) {
            port->read_data[bit] = FIRST_PORT_DATA + (2 * number + i) * NETLIST_PORT_DATA + bit;
            show_signal(netlist, port->read_data[bit]);
        }
    }
}

/* Data that no port shows is 0. */
static void tie_port_data(struct netlist *netlist)
{
    bool driven[SIGNALS] = {false};
    for (unsigned i = 0; i < 2 * TWO_PORT_RAMS; i++)
        for (unsigned bit = 0; bit < NETLIST_PORT_DATA; bit++)
            driven[netlist->two_port_rams[i / 2].ports[i % 2].read_data[bit]] = true;
    for (unsigned signal = FIRST_PORT_DATA; signal < FIRST_LUT; signal++)
        if (!driven[signal])
            *netlist_add_lut(netlist) = (struct netlist_lut){.table = 0, .out = signal};
}

/* Every flop is an output, and all data of two-port RAMs, so that nothing is left out. */
static struct netlist *make_netlist(void)
{
    struct netlist *netlist = calloc(1, sizeof *netlist);
    CHECK(netlist);
    netlist->signals = SIGNALS;
    add_pin(netlist, "clk", false, CLOCK);
    unsigned domain = netlist_domain(netlist, CLOCK, false);
    for (unsigned i = 0; i < INPUTS; i++) {
        char name[16];
        snprintf(name, sizeof name, "in%u", i);
        add_pin(netlist, name, false, FIRST + i);
    }
    for (unsigned i = 0; i < LUTS; i++)
        *netlist_add_lut(netlist) = (struct netlist_lut){
            .table = (uint16_t)check_random(&random_state),
            .in = {any_signal(i), any_signal(i), any_signal(i), any_signal(i)},
            .out = FIRST_LUT + i};
    for (unsigned i = 0; i < FLOPS; i++) {
        show_signal(netlist, FIRST_FLOP + i);
        *netlist_add_flop(netlist) = (struct netlist_flop){.domain = domain,
                                                           .d = any_signal(LUTS),
                                                           .enable = i % 3 ? NETLIST_ONE : any_signal(LUTS),
                                                           .reset = i % 4 ? NETLIST_ZERO : FIRST + i % INPUTS,
                                                           .value = i % 8 == 0,
                                                           .initial = i % 5 == 0,
                                                           .out = FIRST_FLOP + i};
    }
    for (unsigned i = 0; i < RAMS; i++)
        add_ram(netlist, i, domain);
    for (unsigned i = 0; i < TWO_PORT_RAMS; i++)
        add_two_port_ram(netlist, i, domain);
    tie_port_data(netlist);
    return netlist;
}

/* ---- the plain model ---- */

static void model_tables(struct model *model, const struct netlist *netlist)
{
    model->values[NETLIST_ONE] = true;
    for (unsigned i = 0; i < netlist->lut_count; i++) {
        const struct netlist_lut *lut = &netlist->luts[i];
        unsigned index = 0;
        for (int k = 0; k < 4; k++)
            index |= (unsigned)model->values[lut->in[k]] << k;
        model->values[lut->out] = lut->table >> index & 1;
    }
}

static unsigned bus_value(const struct model *model, const unsigned *bus, int width)
{
    unsigned value = 0;
    for (int bit = 0; bit < width; bit++)
        value |= (unsigned)model->values[bus[bit]] << bit;
    return value;
}

/* A port of 16 >> mode bits: the word is `address & 255`, the bits are those from (address >> 8) on in steps of 1 <<
 * mode, and the port's own bits begin at `mode`'s offset. */
static bool ram_bit(unsigned mode, unsigned address, unsigned bit, unsigned *port_bit)
{
    static const unsigned offsets[] = {0, 0, 1, 3};
    unsigned step = 1u << mode;
    *port_bit = (bit / step) * step + offsets[mode];
    return mode == 0 || bit % step == (address >> 8 & (step - 1));
}

static unsigned model_read(const struct model *model, const struct netlist_block_ram *ram, unsigned number)
{
    unsigned address = bus_value(model, ram->read_address, 11), word = model->words[number][address & 255], out = 0;
    for (unsigned bit = 0; bit < 16; bit++) {
        unsigned port_bit;
        if (ram_bit(ram->read_mode, address, bit, &port_bit))
            out |= (word >> bit & 1) << (ram->read_mode ? port_bit : bit);
    }
    return out;
}

static void model_write(struct model *model, const struct netlist_block_ram *ram, unsigned number)
{
    unsigned address = bus_value(model, ram->write_address, 11), data = bus_value(model, ram->write_data, 16);
    unsigned mask = bus_value(model, ram->mask, 16);
    uint16_t *word = &model->words[number][address & 255];
    for (unsigned bit = 0; bit < 16; bit++) {
        unsigned port_bit;
        if (!ram_bit(ram->write_mode, address, bit, &port_bit) || (ram->write_mode == 0 && (mask >> bit & 1)))
            continue;
        unsigned value = data >> (ram->write_mode ? port_bit : bit) & 1;
        *word = (uint16_t)((*word & ~(1u << bit)) | value << bit);
    }
}

/* A port as rows of bits: its data begins at the address less its low bits, eight bits of the nine of a word for narrow
 * ports. */
static uint16_t *port_bit(struct model *model, const struct netlist_ram_port *port, unsigned number, unsigned bit,
                          unsigned *mask, bool *enabled)
{
    unsigned address = bus_value(model, port->address, NETLIST_PORT_ADDRESS), word = address / 8;
    *enabled = true;
    if (port->width < 9) {
        *mask = 1u << (address % 8 / port->width * port->width + bit);
    } else {
        unsigned words = port->width / 9;
        *enabled = words == 1 || (address >> bit / 9 & 1);
        *mask = 1u << bit % 9;
        word = word / words * words + bit / 9;
    }
    return &model->two_port_words[number][word];
}

static uint64_t port_read(struct model *model, const struct netlist_ram_port *port, unsigned number)
{
    uint64_t value = 0;
    unsigned mask;
    bool enabled;
    for (unsigned bit = 0; bit < port->width; bit++)
        if (*port_bit(model, port, number, bit, &mask, &enabled) & mask)
            value |= (uint64_t)1 << bit;
    return value;
}

static void port_write(struct model *model, const struct netlist_ram_port *port, unsigned number)
{
    unsigned mask;
    bool enabled;
    for (unsigned bit = 0; bit < port->width; bit++) {
        uint16_t *word = port_bit(model, port, number, bit, &mask, &enabled);
        if (enabled)
            *word = (uint16_t)(model->values[port->write_data[bit]] ? *word | mask : *word & ~mask);
    }
}

/* What the ports show behind the clock, to be shown once all else has been read. */
static void model_two_port_ram(struct model *model, const struct netlist_two_port_ram *ram, unsigned number,
                               bool shown[2 * NETLIST_PORT_DATA])
{
    uint64_t out[2], old[2] = {port_read(model, &ram->ports[0], number), port_read(model, &ram->ports[1], number)};
    bool shows[2], writes[2];
    for (int i = 0; i < 2; i++) {
        const struct netlist_ram_port *port = &ram->ports[i];
        bool reset = model->values[port->reset], enabled = model->values[port->enable] && !reset;
        writes[i] = enabled && model->values[port->write];
        shows[i] = reset || (enabled && !(writes[i] && port->mode == NETLIST_WRITE_KEEPS));
        out[i] = reset ? 0 : old[i];
    }
    for (int i = 0; i < 2; i++)
        if (writes[i])
            port_write(model, &ram->ports[i], number);
    for (int i = 0; i < 2; i++) {
        const struct netlist_ram_port *port = &ram->ports[i];
        if (writes[i] && port->mode == NETLIST_WRITE_THROUGH)
            out[i] = port_read(model, port, number);
        for (unsigned bit = 0; bit < port->width; bit++)
            shown[i * NETLIST_PORT_DATA + (int)bit] = shows[i] ? out[i] >> bit & 1
                                                               : model->values[port->read_data[bit]];
    }
}

static void show_two_port_ram(struct model *model, const struct netlist_two_port_ram *ram,
                              const bool shown[2 * NETLIST_PORT_DATA])
{
    for (int i = 0; i < 2; i++)
        for (unsigned bit = 0; bit < ram->ports[i].width; bit++)
            model->values[ram->ports[i].read_data[bit]] = shown[i * NETLIST_PORT_DATA + (int)bit];
}

static void model_clock(struct model *model, const struct netlist *netlist)
{
    bool next[FLOPS], shown[TWO_PORT_RAMS][2 * NETLIST_PORT_DATA];
    unsigned read[RAMS];
    model_tables(model, netlist);
    for (unsigned i = 0; i < FLOPS; i++) {
        const struct netlist_flop *flop = &netlist->flops[i];
        const bool *values = model->values;
        next[i] = !values[flop->enable] ? values[flop->out] : values[flop->reset] ? flop->value : values[flop->d];
    }
    for (unsigned i = 0; i < RAMS; i++)
        read[i] = model_read(model, &netlist->block_rams[i], i);
    bool reads[RAMS];
    for (unsigned i = 0; i < RAMS; i++) {
        reads[i] = model->values[netlist->block_rams[i].read_enable];
        if (model->values[netlist->block_rams[i].write_enable])
            model_write(model, &netlist->block_rams[i], i);
    }
    for (unsigned i = 0; i < TWO_PORT_RAMS; i++)
        model_two_port_ram(model, &netlist->two_port_rams[i], i, shown[i]);
    for (unsigned i = 0; i < FLOPS; i++)
        model->values[FIRST_FLOP + i] = next[i];
    for (unsigned i = 0; i < TWO_PORT_RAMS; i++)
        show_two_port_ram(model, &netlist->two_port_rams[i], shown[i]);
    for (unsigned i = 0; i < RAMS; i++)
        for (unsigned bit = 0; reads[i] && bit < 16; bit++)
            model->values[FIRST_DATA + 16 * i + bit] = read[i] >> bit & 1;
}

/* ---- the comparison ---- */

static const struct slices_class *compile(const struct netlist *netlist, const char *folder)
{
    char path[128], command[512], error[256];
    snprintf(path, sizeof path, "%s/chip.c", folder);
    FILE *out = fopen(path, "w");
    CHECK(out && slices_write(out, netlist, error, sizeof error) == 0 && fclose(out) == 0);
    snprintf(command, sizeof command, "gcc -O1 -Wall -Werror -fPIC -shared -Isim -o %s/chip.so %s", folder, path);
    CHECK(system(command) == 0);
    snprintf(path, sizeof path, "%s/chip.so", folder);
    void *handle = dlopen(path, RTLD_NOW);
    CHECK(handle);
    return dlsym(handle, "slices_class");
}

static void start_lane(struct slices *slices, const struct netlist *netlist, unsigned lane)
{
    uint16_t words[SLICES_WORDS];
    for (unsigned i = 0; i < FLOPS; i++)
        models[lane].values[FIRST_FLOP + i] = netlist->flops[i].initial;
    slices_power_on(slices, lane);
    slices_rams_ready(slices, lane);
    for (int ram = 0; ram < RAMS; ram++) {
        for (int i = 0; i < SLICES_WORDS; i++)
            words[i] = (uint16_t)check_random(&random_state);
        memcpy(models[lane].words[ram], words, sizeof words);
        slices_fill(slices, lane, (unsigned)ram, words);
    }
    for (unsigned ram = 0; ram < TWO_PORT_RAMS; ram++) {
        for (int i = 0; i < SLICES_TWO_PORT_WORDS; i++)
            models[lane].two_port_words[ram][i] = check_random(&random_state) & WORD_MASK;
        slices_fill(slices, lane, TWO_PORT_NUMBER + ram, models[lane].two_port_words[ram]);
    }
}

static void step(struct slices *slices, const struct netlist *netlist, int number)
{
    uint64_t edges = (uint64_t)check_random(&random_state) << 32 | check_random(&random_state);
    for (unsigned i = 0; i < INPUTS; i++) {
        char name[16];
        uint64_t value = (uint64_t)check_random(&random_state) << 32 | check_random(&random_state);
        snprintf(name, sizeof name, "in%u", i);
        slices->slots[slices_pin(slices->class, name, false)] = value;
        for (unsigned lane = 0; lane < LANES; lane++)
            models[lane].values[FIRST + i] = value >> lane & 1;
    }
    slices_step(slices, &edges);
    for (unsigned lane = 0; lane < LANES; lane++)
        if (edges >> lane & 1)
            model_clock(&models[lane], netlist);
    for (uint32_t pin = 0; pin < slices->class->pin_count; pin++) {
        const struct slices_pin *shown = &slices->class->pins[pin];
        unsigned signal = shown->output ? (unsigned)atoi(shown->name + strlen("out")) : SIGNALS;
        for (unsigned lane = 0; shown->output && lane < LANES; lane++)
            if ((slices->slots[shown->slot] >> lane & 1) != models[lane].values[signal]) {
                check(false, "step %d, signal %u, lane %u: %d, expected %d", number, signal, lane,
                      (int)(slices->slots[shown->slot] >> lane & 1), models[lane].values[signal]);
                exit(verdict("test_slices"));
            }
    }
}

static void same_as_model(void)
{
    char folder[] = "/tmp/test_slices.XXXXXX", command[64];
    CHECK(mkdtemp(folder));
    struct netlist *netlist = make_netlist();
    const struct slices_class *class = compile(netlist, folder);
    struct slices *slices = slices_create(class, LANES, 1);
    for (unsigned lane = 0; lane < LANES; lane++)
        start_lane(slices, netlist, lane);
    slices_settle(slices);
    for (int i = 0; i < STEPS; i++)
        step(slices, netlist, i);
    check(class->block_ram_count == RAMS, "%u RAMs are left, expected %d", class->block_ram_count, RAMS);
    check(class->two_port_ram_count == TWO_PORT_RAMS, "%u two-port RAMs are left, expected %d",
          class->two_port_ram_count, TWO_PORT_RAMS);
    slices_destroy(slices);
    netlist_free(netlist);
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
}

static void expect_refusal(struct netlist *netlist, const char *reason)
{
    char error[256] = "";
    FILE *out = fopen("/dev/null", "w");
    CHECK(out);
    check(slices_write(out, netlist, error, sizeof error) != 0 && strstr(error, reason), "'%s': expected '%s'", error,
          reason);
    fclose(out);
    netlist_free(netlist);
}

static void refusals(void)
{
    struct netlist *netlist = make_netlist();
    netlist->luts[7].table = 0x6996;
    for (int i = 0; i < 4; i++)
        netlist->luts[7].in[i] = FIRST + (unsigned)i;
    netlist->luts[7].in[3] = netlist->luts[8].out;
    netlist->luts[8].table = 0xaaaa;
    netlist->luts[8].in[0] = netlist->luts[7].out;
    expect_refusal(netlist, "ring");
    netlist = make_netlist();
    netlist->domains[0].clock = NETLIST_ZERO;
    expect_refusal(netlist, "no clock");
    netlist = make_netlist();
    netlist->signals++;
    netlist->flops[5].d = SIGNALS;
    expect_refusal(netlist, "no driver");
}

int main(void)
{
    random_state = check_seed();
    RUN(same_as_model);
    RUN(refusals);
    return verdict("test_slices");
}
