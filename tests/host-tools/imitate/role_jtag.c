/* A board that is not there, as an XVC server shows it: an ECP5 and its serial flash behind a JTAG chain.
 *
 * usage: jtag FOLDER
 *
 * It listens on 127.0.0.1, writes its port to FOLDER/port, and ends with its standard input. In FOLDER:
 *   flash    what the flash holds, each bit inverted (so that a file with holes is erased); missing: erased
 *   fault    missing: none. Else KIND [NUMBER], read again for each client; beside those of the flash (imitate.h):
 *     done_low          the FPGA does not start, whatever the bitstream
 *     idcode NUMBER     it is another part
 *     busy              the FPGA stays busy
 *     drop NUMBER       the connection is closed after this number of shifts
 *   shifts   a line is added for each client: how many shifts it sent
 *   console  for the role `consoles`: `silent` while the FPGA has no configuration
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "imitate.h"
#include "jtag.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FLASH_BYTES = 4 << 20 };

static struct ecp5 ecp5;
static uint8_t contents[FLASH_BYTES];
static const char *folder;

static void break_board(const struct words *fault, struct spi_flash_faults *faults)
{
    break_flash(fault, &ecp5.flash, faults);
    ecp5.done_low = is_word(fault, 0, "done_low");
    ecp5.busy = is_word(fault, 0, "busy");
    ecp5.idcode = is_word(fault, 0, "idcode") ? (uint32_t)strtoul(fault->word[1], NULL, 0) : ECP5_LFE5U_25;
}

static void write_line(const char *name, const char *mode, const char *format, unsigned number)
{
    FILE *file = open_file(folder, name, mode);
    if (fprintf(file, format, number) < 0 || fclose(file) != 0)
        fail(name);
}

/* Between clients the board's power is off: but what runs then, runs on. */
static void serve(int client)
{
    struct spi_flash_faults faults;
    struct words fault = read_words(folder, "fault");
    load_flash(folder, contents, sizeof contents);
    ecp5 = (struct ecp5){.flash = {.bytes = contents, .size = sizeof contents}};
    break_board(&fault, &faults);
    ecp5_start(&ecp5);
    struct jtag_tap tap = {.chip = &ecp5};
    ecp5_reset(&ecp5);
    unsigned most = is_word(&fault, 0, "drop") ? (unsigned)strtoul(fault.word[1], NULL, 0) : 0;
    unsigned shifts = xvc_serve(client, &tap, most);
    store_flash(folder, contents, sizeof contents);
    if (ecp5.done)
        unlink(path_in(folder, "console"));
    else
        write_line("console", "we", "silent\n", 0);
    write_line("shifts", "ae", "%u\n", shifts);
}

int jtag_role(int argc, char **argv)
{
    char port_path[PATH_SIZE];
    unsigned port;
    if (argc != 2)
        usage("jtag FOLDER");
    folder = argv[1];
    struct pollfd polls[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = listen_tcp(&port), .events = POLLIN}};
    write_line("port.new", "we", "%u\n", port);
    snprintf(port_path, sizeof port_path, "%s", path_in(folder, "port"));
    if (rename(path_in(folder, "port.new"), port_path) != 0)
        fail(port_path);
    for (;;) {
        poll(polls, 2, -1);
        if (polls[0].revents)
            return 0;
        int client = accept4(polls[1].fd, NULL, NULL, SOCK_CLOEXEC);
        if (client < 0)
            fail("accept");
        serve(client);
        close(client);
    }
}
