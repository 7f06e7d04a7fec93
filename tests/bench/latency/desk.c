/* desk: boards that are simulated from their bitstreams, a logic analyser at their cables, and packets from one board
 * to another. The run follows from the testbed and the seed alone.
 *
 *   usage: desk TESTBED CAPTURE PACKETS SEED FROM TO...
 *
 * The boards run the image small-traffic. A packet is ordered when the one before has been acknowledged, and then so
 * much later that all phases of the links' time slices are met. exit: 0 all packets were acknowledged, 1 usage or
 * testbed, 3 a packet was not
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>

#include "bitstream/board_capture.h"
#include "bitstream/board_simulation.h"
#include "bitstream/line.h"
#include "board/testbed.h"
#include "firmware/small_traffic/small_traffic.h"
#include "support/random.h"

enum { FIRST_TO = 6, ERROR_SIZE = 1024, STEP_US = 25, READY_US = 1000000, PACKET_US = 200000 };

/* The cables train for a millisecond; a packet's acknowledgement is on its way for less. */
enum { TRAINING_US = 5000, PAUSE_US_MOST = 400, WORDS = 4 };

static struct testbed testbed;
static struct board_simulation *boards;

static _Noreturn void end_with(int status, const char *reason)
{
    fprintf(stderr, "desk: %s\n", reason);
    exit(status);
}

static void pass_us(unsigned us)
{
    board_simulation_run(boards, board_simulation_now(boards) + us * (uint64_t)FS_MICROSECOND);
}

static void start(const char *path, uint64_t seed)
{
    char error[ERROR_SIZE];
    if (testbed_load(path, &testbed, error, sizeof error) != 0)
        end_with(1, error);
    boards = board_simulation_create(&testbed, seed, error, sizeof error);
    if (!boards)
        end_with(1, error);
    for (unsigned i = 0; i < testbed.board_count; i++)
        board_simulation_power(boards, i, true);
}

/* True if the board has begun a report of this kind. The bytes of its fields have no upper bit. */
static bool reports(unsigned board, uint8_t kind)
{
    bool found = false;
    uint8_t byte;
    while (board_simulation_read(boards, board, &byte, 1) == 1)
        found |= byte == kind;
    return found;
}

static void await_report(unsigned board, uint8_t kind, unsigned us_most, const char *reason)
{
    for (unsigned us = 0; !reports(board, kind); us += STEP_US) {
        if (us > us_most)
            end_with(3, reason);
        pass_us(STEP_US);
    }
}

static void send_packet(unsigned from, unsigned to, unsigned tag)
{
    const uint8_t order[TRAFFIC_ORDER_BYTES] = {(uint8_t)(TRAFFIC_SEND | to), WORDS, tag & 0x7f, tag >> 7 & 0x7f,
                                                (uint8_t)(tag >> 14)};
    if (board_simulation_write(boards, from, order, sizeof order) != sizeof order)
        end_with(3, "the serial line has no room for an order");
    await_report(from, TRAFFIC_SETTLED, PACKET_US, "a packet was not acknowledged");
}

static unsigned number(const char *text)
{
    return (unsigned)strtoul(text, NULL, 10);
}

static void send_packets(unsigned packets, uint64_t seed, unsigned from, char **to, unsigned to_count)
{
    struct random random;
    random_seed(&random, seed, 0);
    for (unsigned tag = 0; tag < packets; tag++) {
        send_packet(from, number(to[tag % to_count]), tag);
        pass_us((unsigned)(random_bits(&random) % PAUSE_US_MOST));
    }
}

int main(int argc, char **argv)
{
    char error[ERROR_SIZE];
    if (argc <= FIRST_TO) {
        fputs("usage: desk TESTBED CAPTURE PACKETS SEED FROM TO...\n", stderr);
        return 1;
    }
    uint64_t seed = strtoull(argv[4], NULL, 10);
    start(argv[1], seed);
    for (unsigned i = 0; i < testbed.board_count; i++)
        await_report(i, TRAFFIC_READY, READY_US, "a board did not start");
    pass_us(TRAINING_US);
    struct board_capture *capture = board_capture_begin(boards, &testbed, argv[2], seed, error, sizeof error);
    if (!capture)
        end_with(1, error);
    send_packets(number(argv[3]), seed, number(argv[5]), argv + FIRST_TO, (unsigned)(argc - FIRST_TO));
    if (board_capture_end(capture, error, sizeof error) != 0)
        end_with(1, error);
    board_simulation_destroy(boards);
    testbed_free(&testbed);
    return 0;
}
