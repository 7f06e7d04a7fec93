/* Bit slices against a plain model of the same netlist: random tables, flops and block RAMs, all lanes with random
 * inputs and edges of their own. And a ring of tables, a flop without a clock and a missing driver, which are refused.
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

enum { INPUTS = 6, FLOPS = 120, LUTS = 900, RAMS = 3, LANES = 64, STEPS = 300, CLOCK = 2, FIRST = 3 };
enum { FIRST_FLOP = FIRST + INPUTS, FIRST_DATA = FIRST_FLOP + FLOPS, FIRST_LUT = FIRST_DATA + 16 * RAMS };
enum { SIGNALS = FIRST_LUT + LUTS };

static uint64_t random_state;

/* The values of one lane. */
struct model {
    bool values[SIGNALS];
    uint16_t words[RAMS][SLICES_WORDS];
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
    *ram = (struct netlist_block_ram){.x = 8,
                                      .y = (int)number,
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

/* Every flop is an output, so that nothing is left out. */
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
        char name[16];
        snprintf(name, sizeof name, "out%u", i);
        add_pin(netlist, name, true, FIRST_FLOP + i);
        *netlist_add_flop(netlist) = (struct netlist_flop){.domain = domain,
                                                           .d = any_signal(LUTS),
                                                           .enable = i % 3 ? NETLIST_ONE : any_signal(LUTS),
                                                           .reset = i % 4 ? NETLIST_ZERO : FIRST + i % INPUTS,
                                                           .value = i % 8 == 0,
                                                           .out = FIRST_FLOP + i};
    }
    for (unsigned i = 0; i < RAMS; i++)
        add_ram(netlist, i, domain);
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

static void model_clock(struct model *model, const struct netlist *netlist)
{
    bool next[FLOPS];
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
    for (unsigned i = 0; i < FLOPS; i++)
        model->values[FIRST_FLOP + i] = next[i];
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

static void start_lane(struct slices *slices, unsigned lane)
{
    uint16_t words[SLICES_WORDS];
    slices_power_on(slices, lane);
    slices_rams_ready(slices, lane);
    for (int ram = 0; ram < RAMS; ram++) {
        for (int i = 0; i < SLICES_WORDS; i++)
            words[i] = (uint16_t)check_random(&random_state);
        memcpy(models[lane].words[ram], words, sizeof words);
        slices_fill(slices, lane, 8, ram, words);
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
    for (unsigned i = 0; i < FLOPS; i++) {
        char name[16];
        snprintf(name, sizeof name, "out%u", i);
        uint64_t shown = slices->slots[slices_pin(slices->class, name, true)];
        for (unsigned lane = 0; lane < LANES; lane++)
            if ((shown >> lane & 1) != models[lane].values[FIRST_FLOP + i]) {
                check(false, "step %d, flop %u, lane %u: %d, expected %d", number, i, lane, (int)(shown >> lane & 1),
                      models[lane].values[FIRST_FLOP + i]);
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
        start_lane(slices, lane);
    slices_settle(slices);
    for (int i = 0; i < STEPS; i++)
        step(slices, netlist, i);
    check(class->block_ram_count == RAMS, "%u RAMs are left, expected %d", class->block_ram_count, RAMS);
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
