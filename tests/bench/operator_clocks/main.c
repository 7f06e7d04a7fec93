/* Round trips of pings on a 3x3 grid with the raw service, as the node's firmware measures them: between cores, or
 * between native sites whose operators take the clocks that are given. A site that is asked composes its answer in a
 * handler, so that it is an operator and an evaluator. Prints JSON: the mean and the longest round trip, in clocks.
 *
 *   one    site 0 asks site 4, the middle
 *   all    the other eight ask site 4 in the same clock, which answers one after the other
 *   ring   each site asks the next one in the same clock, and has to answer meanwhile
 *
 * usage: operator_clocks core|rtl|functional one|all|ring DATA_WORDS [RECEIVE SEND HANDLER]
 * exit: 0, 1 usage, or no answer
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rtl_engine.h"
#include "functional/functional_engine.h"
#include "mesh/mesh.h"
#include "simulation/simulation.h"
#include "wire/console_frame.h"
#include "wire/console_messages.h"

enum { SITES = 9, MIDDLE = 4, START = 200000, LIMIT = 4000000 };

static const char text[] = "[mesh]\ntopology = grid\nsize = 3x3\n[service]\nreliable = no\n";

struct asker {
    unsigned asked;
    bool asks;
    struct pr_frames_reader reader;
    struct pr_frame answer;
};

static void die(const char *reason)
{
    fprintf(stderr, "operator_clocks: %s\n", reason);
    exit(1);
}

static struct simulation *start(const char *sites, const struct operator_clocks *clocks)
{
    static struct mesh_config mesh;
    char error[512];
    bool core = strcmp(sites, "core") == 0, functional = strcmp(sites, "functional") == 0;
    const struct simulation_engine *engine = functional ? &functional_engine : &rtl_engine;
    const struct simulation_options options = {
        .mesh = &mesh, .kind = core ? SITE_CORE : SITE_NATIVE, .clocks = *clocks, .seed = 1};
    if (mesh_config_parse("operator_clocks", text, strlen(text), &mesh, error, sizeof error) != 0)
        die(error);
    struct simulation *simulation = engine->create(&options, error, sizeof error);
    if (!simulation)
        die(error);
    simulation_run(simulation, START);
    return simulation;
}

static void ask(struct simulation *simulation, unsigned from, struct asker *asker, unsigned words)
{
    static struct pr_frame request;
    static uint8_t bytes[PR_FRAMES_WIRE_MAX];
    if (!pr_message_ping(&request, asker->asked, words))
        die("expected fewer data words");
    size_t length = pr_frames_encode(&request, bytes, sizeof bytes);
    if (simulation_console_write(simulation, from, bytes, length) < length)
        die("a console takes no request");
    pr_frames_reader_init(&asker->reader);
}

/* True once the answer has come. */
static bool is_answered(struct simulation *simulation, unsigned from, struct asker *asker)
{
    uint8_t byte;
    while (asker->answer.type != (PR_CONSOLE_PING | PR_CONSOLE_ANSWER)) {
        if (!simulation_console_read(simulation, from, &byte, 1))
            return false;
        pr_frames_push(&asker->reader, byte, &asker->answer);
    }
    return true;
}

static bool are_answered(struct simulation *simulation, struct asker *askers)
{
    for (unsigned site = 0; site < SITES; site++)
        if (askers[site].asks && !is_answered(simulation, site, &askers[site]))
            return false;
    return true;
}

static void print(const struct asker *askers)
{
    uint64_t sum = 0, longest = 0, count = 0;
    for (unsigned site = 0; site < SITES; site++) {
        struct pr_message_ping ping;
        if (!askers[site].asks)
            continue;
        if (!pr_message_read_ping(&askers[site].answer, &ping))
            die("a site does not answer");
        sum += ping.round_trip;
        longest = ping.round_trip > longest ? ping.round_trip : longest;
        count++;
    }
    printf("{\"mean\":%.1f,\"longest\":%llu}\n", (double)sum / (double)count, (unsigned long long)longest);
}

int main(int argc, char **argv)
{
    static struct asker askers[SITES];
    if (argc != 4 && argc != 7)
        die("expected core, rtl or functional; one, all or ring; data words; and three numbers of clocks, or none");
    unsigned words = (unsigned)atoi(argv[3]);
    struct operator_clocks clocks = {0};
    if (argc == 7)
        clocks = (struct operator_clocks){(uint32_t)atoi(argv[4]), (uint32_t)atoi(argv[5]), (uint32_t)atoi(argv[6])};
    struct simulation *simulation = start(argv[1], &clocks);
    bool ring = strcmp(argv[2], "ring") == 0, one = strcmp(argv[2], "one") == 0;
    for (unsigned site = 0; site < SITES; site++) {
        askers[site].asks = one ? site == 0 : ring || site != MIDDLE;
        askers[site].asked = ring ? (site + 1) % SITES : MIDDLE;
        if (askers[site].asks)
            ask(simulation, site, &askers[site], words);
    }
    for (unsigned clock = 0; clock < LIMIT && !are_answered(simulation, askers); clock++)
        simulation_run(simulation, 1);
    print(askers);
    simulation_destroy(simulation);
    return 0;
}
