/* The parser of testbed files on garbage: random mutations of good files, built with the sanitizers. Whatever comes in,
 * it answers 0 or -1, an error names the file, and what it accepts obeys the rules that other code relies on.
 *
 * Environment: SEED, FUZZ_RUNS (default 40000).
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/testbed.h"
#include "check.h"
#include "mutate_text.h"

static const char *const seeds[] = {
    "[testbed]\nmesh=grid-2x2.mesh\nfirmware=a.elf\n[board a]\ntype=icebreaker\nserial=ib1\nbaud=115200\n"
    "[board b]\ntype=icebreaker\nserial=ib2\npath=1-2.3\nhost=me@x\n[board c]\ntype=icebreaker\n[board d]\n"
    "type=icebreaker\n[cables]\na.east=b.west\nc.east=d.west delay=3\na.north=c.south\nd.south=b.north errors=0\n"
    "[analyser]\ndriver=demo\nrate=1.5m\nD0=a.east\nD1=d.probe0 local.head\n",
    "[testbed]\nmesh = ../../boards/testbeds/grid-4x4.mesh\n[board a]\ntype=ulx3s_85f\nsite=8\n[board b]\ntype=ulx3s_85f\n"
    "[board c]\ntype=ulx3s_85f\n[board d]\ntype=ulx3s_85f\nsite=0\n[analyser]\nrate=24m\n"
    "D0=a.east2\nD1=b.probe7 east2.stall\n",
    "[board a]\ntype=ulx3s_25f\nbitstream=x\nflash=y\nflash_offset=4096\nclock_hz=25e6\nclock_ppm=-3\njitter_ps=9\n"
    "[board b]\ntype=colorlight_i5\nbitstream=x\n[cables]\na.east=b.south delay=1 skew=2 errors=0.5\n",
};

enum { SEEDS = sizeof seeds / sizeof *seeds };

/* Each site on one board, each connector with one cable at most. */
static bool sound(const struct testbed *testbed)
{
    unsigned sites = 0, links[TESTBED_BOARDS] = {0};
    bool good = testbed->board_count > 0 && *testbed->firmware;
    for (unsigned i = 0; i < testbed->board_count; i++) {
        const struct testbed_board *board = &testbed->boards[i];
        good = good && *board->name && *board->type && *board->bitstream && board->link_hz &&
               (board->side == 1 || board->side == 2) && *board->host != '-' &&
               (!*board->path || testbed_is_port(board->path));
        for (unsigned k = 0; k < board->site_count; k++)
            good = good && board->sites[k] < (unsigned)testbed->mesh.sites;
        sites += board->site_count;
    }
    for (unsigned i = 0; good && i < testbed->cable_count; i++)
        for (int k = 0; k < 2; k++) {
            struct testbed_end end = testbed->cables[i].ends[k];
            good = good && end.board < testbed->board_count && end.link < 4 * testbed->boards[end.board].side &&
                   !(links[end.board] >> end.link & 1);
            links[end.board] |= 1u << end.link;
        }
    for (unsigned i = 0; good && i < testbed->channel_count; i++) {
        const struct testbed_channel *channel = &testbed->channels[i];
        good = *channel->name && channel->board < testbed->board_count && channel->probe < TESTBED_PROBES &&
               (channel->probe < 0) == (channel->strobe == TESTBED_LINE) && channel->strobe <= STROBE_STALL &&
               (channel->link < 4 * testbed->boards[channel->board].side ||
                (channel->link == TESTBED_LOCAL && channel->probe >= 0));
    }
    return good && (!testbed->has_mesh || sites == (unsigned)testbed->mesh.sites);
}

int main(void)
{
    const char *runs_text = getenv("FUZZ_RUNS");
    long runs = runs_text ? atol(runs_text) : check_long() ? 40000 : 20000;
    uint64_t state = check_seed();
    unsigned long accepted = 0;
    for (long run = 0; run < runs; run++) {
        char text[2048], error[300];
        const char *start = seeds[check_below(&state, SEEDS)];
        size_t length = strlen(start);
        struct testbed testbed;
        memcpy(text, start, length);
        for (unsigned edits = 1 + check_below(&state, 4); edits > 0; edits--)
            length = mutate_text(&state, seeds, SEEDS, text, length, sizeof text);
        char *copy = malloc(length + 1); /* exact size, so that the address sanitizer sees an overrun */
        CHECK(copy != NULL);
        memcpy(copy, text, length);
        int result = testbed_parse("hw/mesh/fuzz.ini", copy, length, &testbed, error, sizeof error);
        bool good = result == 0 ? sound(&testbed) : result == -1 && strncmp(error, "hw/mesh/fuzz.ini:", 17) == 0;
        accepted += result == 0;
        if (!good) {
            printf("FAIL testbed_fuzz: run %ld, result %d, %s, text:\n%.*s\n", run, result, error, (int)length, copy);
            return 1;
        }
        if (result == 0)
            testbed_free(&testbed);
        free(copy);
    }
    printf("PASS testbed_fuzz: %ld runs, %lu accepted\n", runs, accepted);
    return accepted == 0;
}
