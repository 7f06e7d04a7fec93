/* What the chip of an ECP5 bitstream does with the inputs of a recording, compared with the outputs of it: through
 * netlist and bit slices, as the simulation of boards does. Several chips run the recording, each some lines behind the
 * one before, so that each has edges of its own.
 *
 * usage: replay CONFIG DATABASE PACKAGE PINS RECORDING
 * CONFIG.c and CONFIG.so are made beside the configuration. RECORDING: see record_bench.v.
 * exit: 0 equal, 1 refused or not equal
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/ecp5_config.h"
#include "bitstream/ecp5_netlist.h"
#include "bitstream/netlist.h"
#include "bitstream/pin_list.h"
#include "bitstream/slices.h"
#include "bitstream/slices_write.h"
#include "bitstream/trellis.h"
#include "support/or_abort.h"

enum { LANES = 3, BEHIND = 7, PINS = 64, LINE = 1024 };

struct recording {
    char names[LINE], *pins[PINS];
    int pin_count;
    char (*lines)[PINS + 1];
    unsigned count;
};

static void give_up(const char *what, const char *reason)
{
    printf("FAIL replay: %s: %s\n", what, reason);
    exit(1);
}

static void read_recording(const char *path, struct recording *recording)
{
    FILE *in = fopen(path, "re");
    char line[LINE], *rest;
    if (!in || !fgets(recording->names, sizeof recording->names, in))
        give_up(path, "not a recording");
    for (char *name = strtok_r(recording->names, " \n", &rest); name && recording->pin_count < PINS;
         name = strtok_r(NULL, " \n", &rest))
        recording->pins[recording->pin_count++] = name;
    while (fgets(line, sizeof line, in) && strspn(line, "01") == (size_t)recording->pin_count) {
        recording->lines = or_abort(realloc(recording->lines, (recording->count + 1) * sizeof *recording->lines));
        memcpy(recording->lines[recording->count++], line, PINS);
    }
    fclose(in);
    if (!recording->count)
        give_up(path, "no line of levels");
}

static const struct slices_class *compile(const char *config, const struct netlist *netlist)
{
    char path[512], command[2048], error[512];
    snprintf(path, sizeof path, "%s.c", config);
    FILE *out = fopen(path, "we");
    if (!out)
        give_up(path, "cannot be written");
    if (slices_write(out, netlist, error, sizeof error) != 0)
        give_up(config, error);
    fclose(out);
    snprintf(command, sizeof command, "gcc -O1 -w -fPIC -shared -Isim -o %s.so %s", config, path);
    if (system(command) != 0)
        give_up(path, "cannot be compiled");
    snprintf(path, sizeof path, "%s%s.so", *config == '/' ? "" : "./", config);
    void *handle = dlopen(path, RTLD_NOW);
    const struct slices_class *class = handle ? dlsym(handle, "slices_class") : NULL;
    if (!class)
        give_up(path, "cannot be loaded");
    return class;
}

static struct slices *start(const struct slices_class *class, const struct ecp5_config *config)
{
    struct slices *slices = slices_create(class, LANES, 1);
    for (unsigned lane = 0; lane < LANES; lane++) {
        slices_power_on(slices, lane);
        for (unsigned number = 0; number < ECP5_RAM_NUMBERS; number++)
            if (config->block_rams[number])
                slices_fill(slices, lane, number, config->block_rams[number]);
    }
    slices_settle(slices);
    return slices;
}

/* One line for one chip: its inputs, and its edge, if the clock has changed. */
static void apply(struct slices *slices, const struct recording *recording, unsigned line, unsigned lane,
                  uint64_t *edges)
{
    const struct slices_class *class = slices->class;
    uint64_t bit = (uint64_t)1 << lane;
    for (int pin = 0; pin < recording->pin_count; pin++) {
        int slot = slices_pin(class, recording->pins[pin], false);
        if (slot >= 0)
            slices->slots[slot] = (slices->slots[slot] & ~bit) | (recording->lines[line][pin] == '1' ? bit : 0);
    }
    bool now = recording->lines[line][0] == '1', before = line > 0 && recording->lines[line - 1][0] == '1';
    for (uint32_t domain = 0; domain < class->domain_count && now != before; domain++)
        if (class->domains[domain].falling == before)
            edges[domain] |= bit;
}

static unsigned differences(const struct slices *slices, const struct recording *recording, unsigned line,
                            unsigned lane)
{
    unsigned count = 0;
    for (int pin = 0; pin < recording->pin_count; pin++) {
        int slot = slices_pin(slices->class, recording->pins[pin], true);
        if (slot >= 0 && (slices->slots[slot] >> lane & 1) != (recording->lines[line][pin] == '1'))
            count++;
    }
    return count;
}

static bool replay(struct slices *slices, const struct recording *recording)
{
    for (unsigned i = 0; i < recording->count + (LANES - 1) * BEHIND; i++) {
        uint64_t edges[SLICES_DOMAINS + 1] = {0};
        for (unsigned lane = 0; lane < LANES; lane++)
            if (i >= lane * BEHIND && i - lane * BEHIND < recording->count)
                apply(slices, recording, i - lane * BEHIND, lane, edges);
        slices_step(slices, edges);
        slices_settle(slices);
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned line = i - lane * BEHIND;
            if (i < lane * BEHIND || line >= recording->count || !differences(slices, recording, line, lane))
                continue;
            printf("FAIL replay: chip %u differs from the recording in %u pins at line %u\n", lane,
                   differences(slices, recording, line, lane), line + 2);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct ecp5_config config;
    struct trellis trellis = {0};
    struct pin_list pins = {0};
    struct failure failure = {0};
    if (argc != 6)
        give_up("usage", "replay CONFIG DATABASE PACKAGE PINS RECORDING");
    struct netlist *netlist = NULL;
    if (ecp5_config_read(&config, argv[1], &failure) &&
        trellis_read(&trellis, argv[2], config.device, argv[3], &failure) && pin_list_read(&pins, argv[4], &failure))
        netlist = ecp5_netlist(&config, &trellis, &pins, &failure);
    if (!netlist)
        give_up("refused", failure.text);
    struct recording recording = {.count = 0};
    read_recording(argv[5], &recording);
    bool good = replay(start(compile(argv[1], netlist), &config), &recording);
    if (good)
        printf("PASS replay: %u look-up tables, %u flops, %u block RAMs, %u lines\n", netlist->lut_count,
               netlist->flop_count, netlist->two_port_ram_count, recording.count);
    return !good;
}
