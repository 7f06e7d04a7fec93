/* The text that the board of a testbed prints, and the clock at which it begins; then the level of each output pin that
 * is named, -1: there is none of this name.
 *
 * usage: board_text TESTBED MILLISECONDS [PIN...]
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>

#include "bitstream/board_simulation.h"
#include "bitstream/line.h"
#include "board/testbed.h"

int main(int argc, char **argv)
{
    struct testbed testbed;
    char error[1024];
    uint8_t bytes[4096];
    if (argc < 3 || testbed_load(argv[1], &testbed, error, sizeof error) != 0) {
        fprintf(stderr, "board_text: %s\n", argc < 3 ? "expected TESTBED MILLISECONDS [PIN...]" : error);
        return 1;
    }
    struct board_simulation *boards = board_simulation_create(&testbed, 1, error, sizeof error);
    if (!boards) {
        fprintf(stderr, "board_text: %s\n", error);
        return 1;
    }
    board_simulation_power(boards, 0, true);
    board_simulation_run(boards, (uint64_t)(atof(argv[2]) * 1e3) * FS_MICROSECOND);
    printf("first byte at clock %llu\n", (unsigned long long)board_simulation_first_byte(boards, 0));
    fwrite(bytes, 1, board_simulation_read(boards, 0, bytes, sizeof bytes), stdout);
    for (int k = 3; k < argc; k++)
        printf("%s: %d\n", argv[k], board_simulation_pin(boards, 0, argv[k]));
    board_simulation_destroy(boards);
    testbed_free(&testbed);
    return 0;
}
