/* The .mesh parser on garbage: random mutations of good files, built with the sanitizers. Whatever comes in,
 * it answers 0 or -1, an error names the file, and what it accepts obeys the rules that other code relies on.
 *
 * Environment: SEED, FUZZ_RUNS (default 200000).
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "mesh/mesh_own.h"
#include "mutate_text.h"

static const char *const seeds[] = {
    "[mesh]\nfabric=cutthrough\ntopology=grid\nsize=4x4\nword_width=16\n[routing]\nunicast=adaptive\neager=yes\n"
    "[thresholds]\ndivert=64\nabort=512\nretry_limit=8\nrelief=128\npatience=900\n[service]\nreliable=yes\n",
    "[mesh]\ntopology = torus\nsize = 8x8\nword_width = 32\n[routing]\nunicast = list\n[unicast]\n"
    "north_east = north east\nnorth_west = west\nsouth_east = south east\nsouth_west = west south\nany = x\n",
    "[mesh]\ntopology=hypercube\ndimensions=6\n[routing]\nunicast=list\n[unicast]\nany=lowest_first\n"
    "[thresholds]\ndivert=0\nabort=16\n[buffers]\nnet_input=16\ndownstream=16\nupstream=32\nmax_packet=100\n"
    "[site]\nram_bytes=8192\ncpu=serv\n",
};

enum { SEEDS = sizeof seeds / sizeof *seeds };

static bool power_of_two(unsigned value)
{
    return value && (value & (value - 1)) == 0;
}

/* Powers of two that the straps have room for, and no RELIEF_LIMIT below DIVERT_THRESHOLD. */
static bool sound_thresholds(const struct mesh_config *config)
{
    unsigned divert = config->divert_threshold, relief = config->relief_limit, abort = config->abort_threshold;
    bool never = divert == MESH_DIVERT_NEVER;
    bool relieved = relief == 0 || (power_of_two(relief) && (never || relief >= divert));
    return (never || divert == 0 || power_of_two(divert)) && relieved && relief <= 32768 && power_of_two(abort) &&
           abort >= 4 && abort <= 32768;
}

/* Those of the discipline that a mesh has if it names none. */
static bool sound_keys(const struct mesh_config *config)
{
    unsigned depth = mesh_own(config, "buffers.net_input");
    return config->discipline != discipline_default() ||
           ((mesh_own(config, "routing.unicast") || mesh_own_straps(config) == 0) && power_of_two(depth) &&
            depth <= 64 && depth != 2);
}

static int sound(const struct mesh_config *config)
{
    bool cube = config->topology == PR_TOPOLOGY_HYPERCUBE;
    return config->sites >= 1 && config->sites <= 65535 && config->links >= 1 && config->links <= 15 &&
           (cube ? config->sites == 1 << config->dimensions : config->sites == config->size_x * config->size_y) &&
           (config->word_width == 16 || config->word_width == 32) &&
           mesh_address(config, config->sites - 1) < 1 << 2 * mesh_coordinate_width(config) && sound_keys(config) &&
           config->receive_patience <= 65535 && config->reliable == (config->receive_patience > 0) &&
           sound_thresholds(config);
}

int main(void)
{
    const char *runs_text = getenv("FUZZ_RUNS");
    long runs = runs_text ? atol(runs_text) : 200000;
    uint64_t state = check_seed();
    unsigned long accepted = 0;
    for (long run = 0; run < runs; run++) {
        char text[1024], error[160];
        const char *start = seeds[check_below(&state, SEEDS)];
        size_t length = strlen(start);
        struct mesh_config config;
        memcpy(text, start, length);
        for (unsigned edits = 1 + check_below(&state, 8); edits > 0; edits--)
            length = mutate_text(&state, seeds, SEEDS, text, length, sizeof text);
        char *copy = malloc(length + 1); /* exact size, so that the address sanitizer sees an overrun */
        CHECK(copy != NULL);
        memcpy(copy, text, length);
        int result = mesh_config_parse("fuzz.mesh", copy, length, &config, error, sizeof error);
        bool good = result == 0 ? sound(&config) : result == -1 && strncmp(error, "fuzz.mesh:", 10) == 0;
        accepted += result == 0;
        if (!good) {
            printf("FAIL mesh_config_fuzz: run %ld, result %d, %s, text:\n%.*s\n", run, result, error, (int)length,
                   copy);
            return 1;
        }
        free(copy);
    }
    printf("PASS mesh_config_fuzz: %ld runs, %lu accepted\n", runs, accepted);
    return accepted == 0;
}
