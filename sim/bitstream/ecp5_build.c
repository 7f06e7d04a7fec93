/* See ecp5_build.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/ecp5_build.h"

#include <stdio.h>
#include <string.h>

unsigned ecp5_new_signals(struct ecp5_build *build, unsigned count)
{
    unsigned first = build->netlist->signals;
    build->netlist->signals += count;
    return first;
}

bool ecp5_first_time(struct ecp5_build *build, int x, int y, int number, unsigned count, unsigned *first)
{
    uint64_t key = (uint64_t)(uint16_t)x << 32 | (uint64_t)(uint16_t)y << 16 | (uint16_t)number;
    uint32_t *place = key_map_place(&build->cells, key);
    bool new = *place == NO_ENTRY;
    if (new)
        *place = ecp5_new_signals(build, count);
    *first = *place;
    return new;
}

void ecp5_table_to(struct ecp5_build *build, uint16_t table, const unsigned in[4], unsigned out)
{
    *netlist_add_lut(build->netlist) = (struct netlist_lut){
        .table = table, .in = {in[0], in[1], in[2], in[3]}, .out = out};
}

unsigned ecp5_table(struct ecp5_build *build, uint16_t table, unsigned a, unsigned b, unsigned c)
{
    unsigned out = ecp5_new_signals(build, 1);
    ecp5_table_to(build, table, (const unsigned[]){a, b, c, NETLIST_ZERO}, out);
    return out;
}

void ecp5_buffer(struct ecp5_build *build, unsigned in, unsigned out)
{
    ecp5_table_to(build, NETLIST_BUFFER, (const unsigned[]){in, NETLIST_ZERO, NETLIST_ZERO, NETLIST_ZERO}, out);
}

unsigned ecp5_inverted(struct ecp5_build *build, unsigned signal, bool inverted)
{
    if (inverted && signal <= NETLIST_ONE)
        return signal == NETLIST_ONE ? NETLIST_ZERO : NETLIST_ONE;
    return inverted ? ecp5_table(build, ECP5_NOT, signal, NETLIST_ZERO, NETLIST_ZERO) : signal;
}

/* The settings of the pads at one place lie in two tiles in a row, or in three in a column. */
static bool pulls_up(const struct ecp5_build *build, const struct trellis_pad *pad)
{
    char name[16];
    snprintf(name, sizeof name, "PIO%c.PULLMODE", pad->letter);
    for (int x = pad->x; x < pad->x + 2; x++)
        for (int y = pad->y; y < pad->y + 3; y++) {
            const char *mode = ecp5_shown(build->chip, x, y, "PI", name);
            if (mode)
                return strcmp(mode, "UP") == 0;
        }
    return false;
}

static unsigned pin_signal(struct ecp5_build *build, uint32_t wire)
{
    struct ecp5_chip *chip = build->chip;
    const struct trellis_wire place = chip->trellis->wires[wire];
    const char *name = trellis_wire_name(chip->trellis, wire);
    const struct trellis_pad *pad = strncmp(name, "JPADDI", 6) == 0
                                        ? trellis_pad_at(chip->trellis, place.x, place.y, name[6])
                                        : NULL;
    struct pin *pin = pad ? pin_list_at(build->pins, pad->pin) : NULL;
    if (!pin) {
        fail(chip->failure,
             "%s: the design reads pad %s of row %d, column %d (pin %s), which the pin list does not name",
             chip->config->file.path, name, place.y, place.x, pad ? pad->pin : "none of this package");
        return NETLIST_ZERO;
    }
    if (!pin->signal) {
        struct netlist_pin *input = netlist_add_pin(build->netlist);
        pin->signal = input->signal = ecp5_new_signals(build, 1);
        input->pull_up = pulls_up(build, pad);
        snprintf(input->name, sizeof input->name, "%s", pin->name);
    }
    return pin->signal;
}

static unsigned cell_signal(struct ecp5_build *build, uint32_t wire)
{
    uint32_t *place = key_map_place(&build->signal_of, wire);
    if (*place == NO_ENTRY) {
        *place = ecp5_new_signals(build, 1);
        *(uint32_t *)list_add(&build->queue, &build->queue_count, sizeof(uint32_t)) = wire;
    }
    return *place;
}

unsigned ecp5_signal(struct ecp5_build *build, uint32_t wire, unsigned undriven)
{
    struct ecp5_chip *chip = build->chip;
    struct ecp5_source source = ecp5_source(chip, wire);
    if (source.kind == ECP5_UNDRIVEN && undriven == ECP5_REQUIRED) {
        if (wire != TRELLIS_NO_WIRE)
            fail(chip->failure, "%s: nothing drives %s of row %d, column %d", chip->config->file.path,
                 trellis_wire_name(chip->trellis, wire), chip->trellis->wires[wire].y, chip->trellis->wires[wire].x);
        return NETLIST_ZERO;
    }
    if (source.kind == ECP5_UNDRIVEN)
        return undriven;
    if (source.kind != ECP5_CELL)
        return source.kind == ECP5_ONE ? NETLIST_ONE : NETLIST_ZERO;
    const char *name = trellis_wire_name(chip->trellis, source.wire);
    if (strcmp(name + strlen(name) - 4, "_PIO") == 0)
        return pin_signal(build, source.wire);
    return cell_signal(build, source.wire);
}

unsigned ecp5_signal_at(struct ecp5_build *build, int x, int y, const char *name, unsigned undriven)
{
    return ecp5_signal(build, trellis_wire(build->chip->trellis, x, y, name), undriven);
}
