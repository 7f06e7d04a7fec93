/* See ecp5_build.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/ecp5_build.h"

#include <string.h>

bool ecp5_first_time(struct ecp5_build *build, int x, int y, int number)
{
    uint64_t key = (uint64_t)(uint16_t)x << 32 | (uint64_t)(uint16_t)y << 16 | (uint16_t)number;
    uint32_t *place = key_map_place(&build->printed, key);
    bool first = *place == NO_ENTRY;
    *place = 1;
    return first;
}

const char *ecp5_output(const struct ecp5_build *build, uint32_t wire, char *text)
{
    const struct trellis_wire place = build->chip->trellis->wires[wire];
    snprintf(text, ECP5_NET, "R%dC%d_%s", place.y, place.x, trellis_wire_name(build->chip->trellis, wire));
    return text;
}

/* An input pin, which needs no net of its own. */
static const char *pin_net(struct ecp5_build *build, uint32_t wire, char *text)
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
        return strcpy(text, "1'b0");
    }
    pin->input = true;
    snprintf(text, ECP5_NET, "%s", pin_text(pin));
    return text;
}

static void want(struct ecp5_build *build, uint32_t wire)
{
    uint32_t *place = key_map_place(&build->wanted, wire);
    if (*place == NO_ENTRY)
        *(uint32_t *)list_add(&build->queue, &build->queue_count, sizeof(uint32_t)) = wire;
    *place = 1;
}

const char *ecp5_net(struct ecp5_build *build, uint32_t wire, const char *undriven, char *text)
{
    struct ecp5_chip *chip = build->chip;
    struct ecp5_source source = ecp5_source(chip, wire);
    if (source.kind == ECP5_UNDRIVEN && !undriven && wire != TRELLIS_NO_WIRE)
        fail(chip->failure, "%s: nothing drives %s of row %d, column %d", chip->config->file.path,
             trellis_wire_name(chip->trellis, wire), chip->trellis->wires[wire].y, chip->trellis->wires[wire].x);
    if (source.kind == ECP5_UNDRIVEN)
        return strcpy(text, undriven ? undriven : "1'b0");
    if (source.kind != ECP5_CELL)
        return strcpy(text, source.kind == ECP5_ONE ? "1'b1" : "1'b0");
    const char *name = trellis_wire_name(chip->trellis, source.wire);
    if (strcmp(name + strlen(name) - 4, "_PIO") == 0)
        return pin_net(build, source.wire, text);
    want(build, source.wire);
    return ecp5_output(build, source.wire, text);
}

const char *ecp5_net_at(struct ecp5_build *build, int x, int y, const char *name, const char *undriven, char *text)
{
    return ecp5_net(build, trellis_wire(build->chip->trellis, x, y, name), undriven, text);
}
