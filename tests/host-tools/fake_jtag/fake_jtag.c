/* A board that is not there, as an XVC server shows it: an ECP5 and its serial flash behind a JTAG chain.
 *
 * usage: fake_jtag FOLDER
 *
 * It listens on 127.0.0.1, writes its port to FOLDER/port, and ends with its standard input. In FOLDER:
 *   flash    what the flash holds, each bit inverted (so that a file with holes is erased); missing: erased
 *   fault    missing: none. Else KIND [NUMBER], read again for each client:
 *     done_low          the FPGA does not start, whatever the bitstream
 *     idcode NUMBER     it is another part
 *     weak ADDRESS      a bit of this byte of the flash cannot be programmed
 *     worn ADDRESS      the sector with this address is not erased
 *     protect STATUS    the flash's status protects blocks, and stays so
 *     flash_busy        the flash stays busy after the first program or erase
 *     busy              the FPGA stays busy
 *     drop NUMBER       the connection is closed after this number of shifts
 *   shifts   a line is added for each client: how many shifts it sent
 *   console  for fake_consoles: `silent` while the FPGA has no configuration
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ecp5.h"
#include "xvc_server.h"

enum { PATH_SIZE = 512, FLASH_BYTES = 4 << 20 };

struct fault {
    char kind[16];
    unsigned number;
};

static struct ecp5 ecp5;
static uint8_t contents[FLASH_BYTES], file_bytes[FLASH_BYTES];
static const char *folder;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static const char *path_of(const char *name)
{
    static char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void read_flash(void)
{
    int file = open(path_of("flash"), O_RDONLY | O_CLOEXEC);
    memset(file_bytes, 0, sizeof file_bytes);
    if (file >= 0 && read(file, file_bytes, sizeof file_bytes) < 0)
        fail("flash");
    if (file >= 0)
        close(file);
    for (size_t k = 0; k < sizeof contents; k++)
        contents[k] = (uint8_t)~file_bytes[k];
}

static void write_flash(void)
{
    int file = open(path_of("flash"), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    for (size_t k = 0; k < sizeof contents; k++)
        file_bytes[k] = (uint8_t)~contents[k];
    if (file < 0 || write(file, file_bytes, sizeof file_bytes) != (ssize_t)sizeof file_bytes)
        fail("flash");
    close(file);
}

static struct fault read_fault(void)
{
    struct fault fault = {.number = 0};
    FILE *file = fopen(path_of("fault"), "re");
    if (file && fscanf(file, "%15s %i", fault.kind, (int *)&fault.number) < 1)
        *fault.kind = 0;
    if (file)
        fclose(file);
    return fault;
}

static void break_board(const struct fault *fault, struct spi_flash_faults *faults)
{
    *faults = (struct spi_flash_faults){
        .weak = strcmp(fault->kind, "weak") == 0,
        .worn = strcmp(fault->kind, "worn") == 0,
        .busy = strcmp(fault->kind, "flash_busy") == 0,
        .weak_byte = fault->number,
        .worn_sector = fault->number,
    };
    ecp5.flash.faults = faults;
    ecp5.flash.protection = strcmp(fault->kind, "protect") == 0 ? (uint8_t)fault->number : 0;
    ecp5.done_low = strcmp(fault->kind, "done_low") == 0;
    ecp5.busy = strcmp(fault->kind, "busy") == 0;
    ecp5.idcode = strcmp(fault->kind, "idcode") == 0 ? fault->number : ECP5_LFE5U_25;
}

static void set_console(bool running)
{
    FILE *file = running ? NULL : fopen(path_of("console"), "we");
    if (running)
        unlink(path_of("console"));
    else if (!file || fputs("silent\n", file) < 0 || fclose(file) != 0)
        fail("console");
}

/* Between clients the board's power is off: but what runs then, runs on. */
static void serve(int client)
{
    struct spi_flash_faults faults;
    struct fault fault = read_fault();
    read_flash();
    ecp5 = (struct ecp5){.flash = {.bytes = contents, .size = sizeof contents}};
    break_board(&fault, &faults);
    ecp5_start(&ecp5);
    struct jtag_tap tap = {.chip = &ecp5_chip, .context = &ecp5};
    ecp5_chip.reset(&ecp5);
    unsigned shifts = xvc_serve(client, &tap, strcmp(fault.kind, "drop") == 0 ? fault.number : 0);
    write_flash();
    set_console(ecp5.done);
    FILE *log = fopen(path_of("shifts"), "ae");
    if (!log)
        fail("shifts");
    fprintf(log, "%u\n", shifts);
    fclose(log);
}

static void write_port(unsigned port)
{
    char path[PATH_SIZE + 8], made[PATH_SIZE];
    snprintf(made, sizeof made, "%s", path_of("port"));
    snprintf(path, sizeof path, "%s.new", made);
    FILE *file = fopen(path, "we");
    if (!file || fprintf(file, "%u\n", port) < 0 || fclose(file) != 0 || rename(path, made) != 0)
        fail("port");
}

int main(int argc, char **argv)
{
    unsigned port;
    if (argc != 2) {
        fprintf(stderr, "usage: fake_jtag FOLDER\n");
        return 1;
    }
    folder = argv[1];
    struct pollfd polls[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = xvc_listen(&port), .events = POLLIN}};
    write_port(port);
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
