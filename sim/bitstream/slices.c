/* See slices.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/slices.h"
#include "support/or_abort.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 16, READ_WORDS = WORD_BITS + 1, ADDRESS_BITS = 11, SPRAM_ADDRESS_BITS = 14 };
enum { NINE_BITS = 9, PORT_READ_WORDS = SLICES_PORT_DATA + 1 };
enum { WRITE_KEEPS = 0, WRITE_THROUGH = 1 }; /* of a port: see netlist_write_mode */

static void *allocate(size_t count, size_t size)
{
    return or_abort(calloc(count ? count : 1, size));
}

struct slices *slices_create(const struct slices_class *class, unsigned lanes, uint64_t seed)
{
    struct slices *slices = allocate(1, sizeof *slices);
    *slices = (struct slices){
        .class = class,
        .lanes = lanes,
        .slots = allocate(class->slots, sizeof(uint64_t)),
        .block_rams = allocate((size_t) class->block_ram_count * lanes * SLICES_WORDS, sizeof(uint16_t)),
        .sprams = allocate((size_t) class->spram_count * lanes * SLICES_SPRAM_WORDS, sizeof(uint16_t)),
        .two_port_rams = allocate((size_t) class->two_port_ram_count * lanes * SLICES_TWO_PORT_WORDS, sizeof(uint16_t)),
        .port_read = allocate((size_t) class->two_port_ram_count * 2 * PORT_READ_WORDS, sizeof(uint64_t)),
        .read = allocate((size_t)(class->block_ram_count + class->spram_count) * READ_WORDS, sizeof(uint64_t)),
        .noise = seed * 2 + 1,
    };
    slices->slots[SLICES_ONE] = ~(uint64_t)0;
    return slices;
}

void slices_destroy(struct slices *slices)
{
    free(slices->slots);
    free(slices->block_rams);
    free(slices->sprams);
    free(slices->two_port_rams);
    free(slices->read);
    free(slices->port_read);
    free(slices);
}

static uint16_t *block_ram(const struct slices *slices, uint32_t ram, unsigned lane)
{
    return slices->block_rams + ((size_t)ram * slices->lanes + lane) * SLICES_WORDS;
}

static uint16_t *spram(const struct slices *slices, uint32_t ram, unsigned lane)
{
    return slices->sprams + ((size_t)ram * slices->lanes + lane) * SLICES_SPRAM_WORDS;
}

static uint16_t *two_port_ram(const struct slices *slices, uint32_t ram, unsigned lane)
{
    return slices->two_port_rams + ((size_t)ram * slices->lanes + lane) * SLICES_TWO_PORT_WORDS;
}

/* xorshift64*, Vigna 2016. */
static uint16_t noise(struct slices *slices)
{
    slices->noise ^= slices->noise >> 12;
    slices->noise ^= slices->noise << 25;
    slices->noise ^= slices->noise >> 27;
    return (uint16_t)(slices->noise * 0x2545f4914f6cdd1du >> 48);
}

void slices_power_on(struct slices *slices, unsigned lane)
{
    const struct slices_class *class = slices->class;
    uint64_t bit = (uint64_t)1 << lane;
    for (uint32_t slot = SLICES_ONE + 1; slot < class->slots; slot++)
        slices->slots[slot] &= ~bit;
    for (uint32_t i = 0; i < class->flops_count; i++)
        for (uint32_t k = 0; class->flops[i].initial && k < class->flops[i].count; k++)
            slices->slots[class->flops[i].out + k] |= bit;
    for (uint32_t ram = 0; ram < class->block_ram_count; ram++)
        memset(block_ram(slices, ram, lane), 0, SLICES_WORDS * sizeof(uint16_t));
    for (uint32_t ram = 0; ram < class->spram_count; ram++)
        for (int i = 0; i < SLICES_SPRAM_WORDS; i++)
            spram(slices, ram, lane)[i] = noise(slices);
    for (uint32_t ram = 0; ram < class->two_port_ram_count; ram++)
        memset(two_port_ram(slices, ram, lane), 0, SLICES_TWO_PORT_WORDS * sizeof(uint16_t));
    for (uint32_t domain = 0; domain < SLICES_DOMAINS; domain++)
        slices->clocks[domain] &= ~bit;
    slices->rams_ready &= ~bit;
}

bool slices_fill(struct slices *slices, unsigned lane, unsigned number, const uint16_t *words)
{
    const struct slices_class *class = slices->class;
    for (uint32_t ram = 0; ram < class->block_ram_count; ram++)
        if (class->block_rams[ram].number == number) {
            memcpy(block_ram(slices, ram, lane), words, SLICES_WORDS * sizeof *words);
            return true;
        }
    for (uint32_t ram = 0; ram < class->two_port_ram_count; ram++)
        if (class->two_port_rams[ram].number == number) {
            memcpy(two_port_ram(slices, ram, lane), words, SLICES_TWO_PORT_WORDS * sizeof *words);
            return true;
        }
    return false;
}

void slices_rams_ready(struct slices *slices, unsigned lane)
{
    slices->rams_ready |= (uint64_t)1 << lane;
}

int slices_pin(const struct slices_class *class, const char *name, bool output)
{
    for (uint32_t pin = 0; pin < class->pin_count; pin++)
        if (class->pins[pin].output == output && strcmp(class->pins[pin].name, name) == 0)
            return (int)class->pins[pin].slot;
    return -1;
}

int slices_enable(const struct slices_class *class, const char *name)
{
    for (uint32_t pin = 0; pin < class->pin_count; pin++)
        if (class->pins[pin].output && strcmp(class->pins[pin].name, name) == 0)
            return (int)class->pins[pin].enable;
    return -1;
}

/* ---- RAMs ---- */

static unsigned gather(const uint64_t *slots, const uint32_t *list, int count, unsigned lane)
{
    unsigned value = 0;
    for (int bit = 0; bit < count; bit++)
        value |= (unsigned)(slots[list[bit]] >> lane & 1) << bit;
    return value;
}

static void scatter(uint64_t *words, unsigned value, unsigned lane)
{
    for (int bit = 0; bit < WORD_BITS; bit++)
        words[bit] |= (uint64_t)(value >> bit & 1) << lane;
}

/* Narrow words lie in every second, fourth or eighth bit of a word, and the upper address bits choose which. The port
 * has its data in bits 0, 2, 4 ... (8 bits), 1, 5, 9, 13 (4 bits), 3, 11 (2 bits). */
static unsigned narrow_read(unsigned word, unsigned mode, unsigned address)
{
    switch (mode) {
    case 1:
        return word >> (address >> 8 & 1) & 0x5555;
    case 2:
        return (word >> (address >> 8 & 3) & 0x1111) << 1;
    case 3:
        return (word >> (address >> 8 & 7) & 0x0101) << 3;
    default:
        return word;
    }
}

static unsigned narrow_write(unsigned data, unsigned mode, unsigned address, unsigned *keep)
{
    switch (mode) {
    case 1:
        *keep = 0xffffu & ~(0x5555u << (address >> 8 & 1));
        return (data & 0x5555) * 3;
    case 2:
        *keep = 0xffffu & ~(0x1111u << (address >> 8 & 3));
        return (data >> 1 & 0x1111) * 15;
    case 3:
        *keep = 0xffffu & ~(0x0101u << (address >> 8 & 7));
        return (data >> 3 & 0x0101) * 255;
    default:
        return data;
    }
}

/* A read beside a write of the same word gets the old value. */
static void access_block_ram(struct slices *slices, uint32_t index, const uint64_t *edges)
{
    const struct slices_block_ram *ram = &slices->class->block_rams[index];
    const uint64_t *slots = slices->slots;
    uint64_t *read = slices->read + (size_t)index * READ_WORDS;
    uint64_t reads = edges[ram->read_domain] & slots[ram->read_enable[0]] & slots[ram->read_enable[1]];
    uint64_t writes = edges[ram->write_domain] & slots[ram->write_enable[0]] & slots[ram->write_enable[1]];
    memset(read, 0, WORD_BITS * sizeof *read);
    read[WORD_BITS] = reads;
    for (uint64_t left = reads & slices->rams_ready; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left), address = gather(slots, ram->read_address, ADDRESS_BITS, lane);
        scatter(read, narrow_read(block_ram(slices, index, lane)[address & 255], ram->read_mode, address), lane);
    }
    for (uint64_t left = writes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left),
                 address = gather(slots, ram->write_address, ADDRESS_BITS, lane);
        unsigned keep = gather(slots, ram->mask, WORD_BITS, lane);
        unsigned data = narrow_write(gather(slots, ram->write_data, WORD_BITS, lane), ram->write_mode, address, &keep);
        uint16_t *word = &block_ram(slices, index, lane)[address & 255];
        *word = (uint16_t)((*word & keep) | (data & ~keep));
    }
}

/* What the data sheet leaves open is noise: contents at power-on, and data out after a write. */
static void access_spram(struct slices *slices, uint32_t index, const uint64_t *edges)
{
    const struct slices_spram *ram = &slices->class->sprams[index];
    const uint64_t *slots = slices->slots;
    uint64_t *read = slices->read + (size_t)(slices->class->block_ram_count + index) * READ_WORDS;
    uint64_t selected = edges[ram->domain] & slots[ram->select] & slots[ram->power] & ~slots[ram->standby] &
                        ~slots[ram->sleep];
    memset(read, 0, WORD_BITS * sizeof *read);
    read[WORD_BITS] = selected;
    for (uint64_t left = selected; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint16_t *word = &spram(slices, index, lane)[gather(slots, ram->address, SPRAM_ADDRESS_BITS, lane)];
        if (slots[ram->write] >> lane & 1) {
            unsigned change = gather(slots, ram->mask, 4, lane); /* a mask bit for each four bits */
            change = ((change & 1) | (change & 2) << 3 | (change & 4) << 6 | (change & 8) << 9) * 15;
            *word = (uint16_t)((*word & ~change) | (gather(slots, ram->write_data, WORD_BITS, lane) & change));
            scatter(read, noise(slices), lane);
        } else {
            scatter(read, *word, lane);
        }
    }
}

/* The words of nine bits of a port of 9, 18 or 36. */
static unsigned port_words(const struct slices_ram_port *port)
{
    return port->width / NINE_BITS;
}

static unsigned port_row(const struct slices_ram_port *port, unsigned address)
{
    return port_words(port) > 1 ? address >> 3 & ~(port_words(port) - 1) : address >> 3;
}

/* Reads of these lanes, which see what RAM holds now. */
static void read_port(const struct slices *slices, uint32_t index, const struct slices_ram_port *port, uint64_t lanes,
                      uint64_t *read)
{
    for (uint64_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left),
                 address = gather(slices->slots, port->address, SLICES_PORT_ADDRESS, lane);
        const uint16_t *words = two_port_ram(slices, index, lane) + port_row(port, address);
        if (port->width < NINE_BITS) {
            unsigned value = *words >> (address & 7 & ~(port->width - 1));
            for (unsigned bit = 0; bit < port->width; bit++)
                read[bit] |= (uint64_t)(value >> bit & 1) << lane;
        }
        for (unsigned bit = 0; port->width >= NINE_BITS && bit < port->width; bit++)
            read[bit] |= (uint64_t)(words[bit / NINE_BITS] >> bit % NINE_BITS & 1) << lane;
    }
}

static void write_port(struct slices *slices, uint32_t index, const struct slices_ram_port *port, uint64_t lanes)
{
    for (uint64_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left),
                 address = gather(slices->slots, port->address, SLICES_PORT_ADDRESS, lane);
        uint16_t *words = two_port_ram(slices, index, lane) + port_row(port, address);
        for (unsigned i = 0; i < port_words(port); i++)
            if (port_words(port) == 1 || (address >> i & 1))
                words[i] = (uint16_t)gather(slices->slots, port->write_data + NINE_BITS * i, NINE_BITS, lane);
        if (port->width < NINE_BITS) {
            unsigned shift = address & 7 & ~(port->width - 1), mask = ((1u << port->width) - 1) << shift;
            unsigned data = gather(slices->slots, port->write_data, (int)port->width, lane) << shift;
            *words = (uint16_t)((*words & ~mask) | data);
        }
    }
}

/* A port that reads what the other one writes in the same clock gets the old value. The chip does not promise that. */
static void access_two_port_ram(struct slices *slices, uint32_t index, const uint64_t *edges)
{
    const struct slices_two_port_ram *ram = &slices->class->two_port_rams[index];
    const uint64_t *slots = slices->slots;
    uint64_t writes[2], through[2], *read = slices->port_read + (size_t)index * 2 * PORT_READ_WORDS;
    for (int i = 0; i < 2; i++) {
        const struct slices_ram_port *port = &ram->ports[i];
        uint64_t edge = edges[port->domain], reset = edge & slots[port->reset];
        uint64_t enabled = edge & slots[port->enable] & ~reset;
        writes[i] = enabled & slots[port->write];
        through[i] = port->mode == WRITE_THROUGH ? writes[i] : 0;
        uint64_t reads = port->mode == WRITE_KEEPS ? enabled & ~writes[i] : enabled;
        uint64_t *own = read + i * PORT_READ_WORDS;
        if (reads | reset)
            memset(own, 0, PORT_READ_WORDS * sizeof *own);
        own[SLICES_PORT_DATA] = reads | reset;
        read_port(slices, index, port, reads & ~through[i], own);
    }
    for (int i = 0; i < 2; i++)
        write_port(slices, index, &ram->ports[i], writes[i]);
    for (int i = 0; i < 2; i++)
        read_port(slices, index, &ram->ports[i], through[i], read + i * PORT_READ_WORDS);
}

static void show_read(struct slices *slices, const uint64_t *read, const uint32_t *data, int bits)
{
    uint64_t lanes = read[bits];
    for (int bit = 0; lanes && bit < bits; bit++)
        if (data[bit] != SLICES_ZERO)
            slices->slots[data[bit]] = (slices->slots[data[bit]] & ~lanes) | (read[bit] & lanes);
}

static void access_rams(struct slices *slices, const uint64_t *edges)
{
    for (uint32_t ram = 0; ram < slices->class->block_ram_count; ram++)
        access_block_ram(slices, ram, edges);
    for (uint32_t ram = 0; ram < slices->class->spram_count; ram++)
        access_spram(slices, ram, edges);
    for (uint32_t ram = 0; ram < slices->class->two_port_ram_count; ram++)
        access_two_port_ram(slices, ram, edges);
}

static void show_rams(struct slices *slices)
{
    const struct slices_class *class = slices->class;
    const uint64_t *read = slices->read;
    for (uint32_t ram = 0; ram < class->block_ram_count; ram++, read += READ_WORDS)
        show_read(slices, read, class->block_rams[ram].read_data, WORD_BITS);
    for (uint32_t ram = 0; ram < class->spram_count; ram++, read += READ_WORDS)
        show_read(slices, read, class->sprams[ram].read_data, WORD_BITS);
    read = slices->port_read;
    for (uint32_t port = 0; port < 2 * class->two_port_ram_count; port++, read += PORT_READ_WORDS)
        show_read(slices, read, class->two_port_rams[port / 2].ports[port % 2].read_data, SLICES_PORT_DATA);
}

/* ---- flops and clocks ---- */

static void load_flops(struct slices *slices, const struct slices_flops *flops, uint64_t edges)
{
    uint64_t *restrict out = slices->slots + flops->out;
    const uint64_t *restrict in = slices->slots + flops->in;
    uint64_t reset = slices->slots[flops->reset], value = flops->value ? reset : 0;
    uint64_t load = edges & (flops->asynchronous ? slices->slots[flops->enable] | reset : slices->slots[flops->enable]);
    if (load)
        for (uint32_t i = 0; i < flops->count; i++)
            out[i] ^= load & (((in[i] & ~reset) | value) ^ out[i]);
}

/* Asynchronous resets act without an edge. True: some flop has changed. */
static bool reset_flops(struct slices *slices)
{
    uint64_t changed = 0;
    for (uint32_t i = 0; i < slices->class->flops_count; i++) {
        const struct slices_flops *flops = &slices->class->flops[i];
        uint64_t reset = flops->asynchronous ? slices->slots[flops->reset] : 0;
        uint64_t value = flops->value ? reset : 0;
        for (uint32_t k = 0; reset && k < flops->count; k++) {
            uint64_t *out = &slices->slots[flops->out + k], old = *out;
            *out = (old & ~reset) | value;
            changed |= old ^ *out;
        }
    }
    return changed != 0;
}

void slices_settle(struct slices *slices)
{
    slices->class->outputs(slices->slots);
    if (reset_flops(slices))
        slices->class->outputs(slices->slots);
}

static bool step_once(struct slices *slices, const uint64_t *edges)
{
    const struct slices_class *class = slices->class;
    bool any = false;
    for (uint32_t domain = 0; domain < class->domain_count; domain++)
        if (edges[domain]) {
            class->evaluate[domain](slices->slots);
            any = true;
        }
    if (!any)
        return false;
    access_rams(slices, edges);
    for (uint32_t i = 0; i < class->flops_count; i++)
        if (edges[class->flops[i].domain])
            load_flops(slices, &class->flops[i], edges[class->flops[i].domain]);
    show_rams(slices);
    slices_settle(slices);
    return true;
}

/* Clocks that logic makes: their edges follow from a step, and are a step of their own. */
static void internal_edges(struct slices *slices, uint64_t *edges)
{
    memset(edges, 0, (SLICES_DOMAINS + 1) * sizeof *edges);
    for (uint32_t domain = 0; domain < slices->class->domain_count; domain++) {
        const struct slices_domain *clock = &slices->class->domains[domain];
        if (clock->divide)
            continue;
        uint64_t now = slices->slots[clock->slot], before = slices->clocks[domain];
        edges[domain] = clock->falling ? before & ~now : now & ~before;
        slices->clocks[domain] = now;
    }
}

void slices_step(struct slices *slices, const uint64_t *edges)
{
    enum { RIPPLES_MOST = 8 };
    uint64_t more[SLICES_DOMAINS + 1] = {0};
    memcpy(more, edges, slices->class->domain_count * sizeof *edges);
    for (int i = 0; i < RIPPLES_MOST && step_once(slices, more); i++)
        internal_edges(slices, more);
}
