/* A programmer, imitated: iceprog or openFPGALoader 0.10, by the name that it is called by. It prints what
 * these print, on the streams and with the exit codes that they have, and takes a board's flash from a file.
 *
 * environment: FAKE_BOARDS, a folder with a folder BUS-DEVICE for each board:
 *   flash     its content; missing: erased
 *   fault     missing: none. Else ACTION KIND [once]; ACTION is write, bitstream (its write at 0), read, load or any,
 *               KIND:
 *     verify      a byte is written wrong; openFPGALoader reports it and ends with 0, iceprog with 3
 *     wrong       a byte is written or read wrong, and nothing is reported
 *     done_low    the FPGA does not start, exit code 0
 *     hang        it stops in the middle; hang_noisy: and goes on to print
 *     signal      it dies in the middle
 *     lost        the USB connection is lost in the middle
 *     garbage     it prints bytes of any kind, and does nothing else, exit code 0
 *     half        it ends in the middle of a line, exit code 0
 *     busy        another program has the board
 *     no_file     a read makes no file, exit code 0
 *     mute        the flash chip does not answer
 *     small       the flash has 1 MB, and ignores the higher bits of addresses
 *     slow        it takes a second
 *   guard     if it is there, a line is added for each moment at which a cut would leave a bitstream without a lock
 *   calls     a line is added for each call: time in milliseconds at the start and at the end, action, offset
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "imitate.h"
#include "testbed/golden_slot.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    FLASH_BYTES = 16 << 20,
    SMALL_BYTES = 1 << 20,
    SECTOR_BYTES = 4096,
    BLOCK_BYTES = 64 << 10,
    STEPS = 20,
    START_BYTES = 256
};

static struct job {
    bool ice, load, read, verbose;
    unsigned bus, device;
    unsigned long offset, size;
    const char *file;
    char folder[PATH_SIZE], fault[WORD_SIZE];
    uint8_t *bytes;
} job;

/* With text and status as the imitated program has them. */
_Noreturn static void end(int status, const char *text)
{
    fflush(stdout);
    fputs(text, stderr);
    if (job.ice)
        fputs("ABORT.\n", stderr);
    exit(status);
}

static bool is_fault(const char *kind)
{
    return strcmp(job.fault, kind) == 0;
}

static long milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const char *action(void)
{
    return job.load ? "load" : job.read ? "read" : "write";
}

static void find_fault(void)
{
    struct words fault = read_words(job.folder, "fault");
    bool bitstream = !job.read && job.offset == 0 && job.size > START_BYTES; /* it is cleared by fewer */
    if (!is_word(&fault, 0, action()) && !is_word(&fault, 0, "any") && !(bitstream && is_word(&fault, 0, "bitstream")))
        return;
    strcpy(job.fault, fault.word[1]);
    if (is_fault("small"))
        job.offset %= SMALL_BYTES;
    if (is_word(&fault, 2, "once"))
        unlink(path_in(job.folder, "fault"));
}

static void note_call(long start)
{
    FILE *file = open_file(job.folder, "calls", "ae");
    fprintf(file, "%ld %ld %s %#lx\n", start, milliseconds(), action(), job.offset);
    fclose(file);
}

/* --- What they print. --- */

static void bar(const char *name, double percent)
{
    if (job.ice) {
        fprintf(stderr, "                      \raddr 0x%06lX %3d%%\r",
                job.offset + (unsigned long)(job.size * percent / 100), (int)percent);
        return;
    }
    printf("\r%s: [", name);
    for (int k = 0; k < 50; k++)
        putchar(k < percent / 2 ? '=' : ' ');
    printf("] %3.2f%%", percent);
    fflush(stdout);
}

static void end_bar(const char *name)
{
    if (job.ice)
        fprintf(stderr, "                      \r");
    else {
        bar(name, 100);
        printf("\nDone\n");
    }
}

static void lose(void)
{
    end(job.ice ? 2 : 1, job.ice    ? "Write error (chunk, rc=-4, expected 256).\n"
                         : job.load ? "\nError: Failed to program FPGA: std::exception\n"
                                    : "usb bulk write failed\n");
}

/* In the middle of the work. */
static void strike(void)
{
    while (is_fault("hang"))
        pause();
    for (; is_fault("hang_noisy"); usleep(50000))
        fprintf(stderr, "still here\r");
    if (is_fault("signal"))
        raise(SIGKILL);
    if (is_fault("lost"))
        lose();
    if (is_fault("half")) {
        printf("Writi");
        exit(0);
    }
    if (is_fault("slow"))
        sleep(1);
}

/* --- The flash. --- */

/* Does the flash have anything there from which an FPGA starts? Erased bytes are nothing, nor is text. */
static bool is_empty(const uint8_t *bytes)
{
    for (unsigned k = 0; k < START_BYTES; k++)
        if (bytes[k] > 'z' && bytes[k] != 0xff)
            return false;
    return true;
}

static void guard_place(int flash, unsigned long at, uint8_t bytes[START_BYTES])
{
    memset(bytes, 0, START_BYTES);
    if (pread(flash, bytes, START_BYTES, (off_t)at) < 0)
        fail("guard");
    invert(bytes, START_BYTES);
}

/* The bitstream is at 0, or behind a golden image in its slot. */
static void guard(int flash)
{
    uint8_t start[START_BYTES], slot[START_BYTES], lock[START_BYTES];
    if (access(path_in(job.folder, "guard"), F_OK) != 0)
        return;
    guard_place(flash, 0, start);
    guard_place(flash, PR_GOLDEN_SLOT, slot);
    guard_place(flash, PR_LOAD_LOCK, lock);
    if (is_empty(golden_image_is_known(start, START_BYTES) ? slot : start) || !is_empty(lock))
        return;
    FILE *file = open_file(job.folder, "guard", "ae");
    fprintf(file, "a bitstream without a lock, at a write at %#lx\n", job.offset);
    fclose(file);
}

/* From the begin of a block on. */
static void erase(int flash, unsigned long start, unsigned long end)
{
    static const uint8_t none[SECTOR_BYTES];
    for (start -= start % BLOCK_BYTES; start < end; start += SECTOR_BYTES) {
        if (pwrite(flash, none, SECTOR_BYTES, (off_t)start) < 0)
            fail("erase");
        guard(flash);
    }
}

static void write_flash(void)
{
    int flash = open_flash(job.folder);
    unsigned long step = job.size / STEPS + 1;
    const char *name = job.load ? "Loading" : "Writing";
    unsigned long least = job.offset, size = job.size;
    erase(flash, least, least + size);
    if (!job.ice && !job.load) {
        bar("Erasing", 30);
        end_bar("Erasing");
    }
    if (is_fault("verify") || is_fault("wrong"))
        job.bytes[size / 2] ^= 1;
    invert(job.bytes, size);
    for (unsigned long at = 0; at < size; at += step) {
        bar(name, 100.0 * (double)at / (double)size);
        if (at / step == STEPS / 2 || size < STEPS)
            strike();
        if (pwrite(flash, job.bytes + at, size - at < step ? size - at : step, (off_t)(least + at)) < 0)
            fail("write");
        guard(flash);
    }
    end_bar(name);
    close(flash);
}

static void read_flash(void)
{
    int flash = open_flash(job.folder);
    FILE *out = is_fault("no_file") ? NULL : fopen(job.file, "wb");
    job.bytes = calloc(1, job.size);
    if (pread(flash, job.bytes, job.size, (off_t)job.offset) < 0)
        fail("read");
    close(flash);
    invert(job.bytes, job.size);
    if (is_fault("wrong"))
        job.bytes[job.size / 3] ^= 0x80;
    if (is_fault("mute"))
        memset(job.bytes, 0xff, job.size);
    bar("Read flash ", 0);
    strike();
    if (out) {
        fwrite(job.bytes, 1, job.size, out);
        fclose(out);
    }
    end_bar("Read flash ");
}

static void take_file(void)
{
    FILE *in = fopen(job.file, "rb");
    if (!in) {
        fprintf(stderr, "can't open '%s' for reading: %s\n", job.file, strerror(errno));
        exit(1);
    }
    job.bytes = malloc(FLASH_BYTES);
    job.size = fread(job.bytes, 1, FLASH_BYTES, in);
    fclose(in);
}

/* --- The programs. --- */

static void garbage(void)
{
    for (unsigned k = 0; k < 20000; k++)
        putchar((int)(k * 7919 >> 3) & 0xff);
    exit(0);
}

static int iceprog(void)
{
    fprintf(stderr, "init..\n");
    if (is_fault("busy"))
        end(2, "Can't find iCE FTDI USB device (device string d:001/008).\n");
    if (is_fault("garbage"))
        garbage();
    fprintf(stderr, "cdone: high\nreset..\ncdone: low\nflash ID: %s\n",
            is_fault("mute") ? "0xFF 0xFF 0xFF 0xFF" : "0xEF 0x40 0x18 0x00");
    if (job.read) {
        fprintf(stderr, "reading..\n");
        read_flash();
        fprintf(stderr, "done.\n");
    } else {
        fprintf(stderr, "file size: %lu\nprogramming..\n", job.size);
        write_flash();
        fprintf(stderr, "done.\nreading..\n");
        if (is_fault("verify"))
            end(3, "Found difference between flash and file!\n");
        fprintf(stderr, "VERIFY OK\n");
    }
    fprintf(stderr, "cdone: %s\nBye.\n", is_fault("done_low") ? "low" : "high");
    return 0;
}

/* The status register of an ECP5. `flash`: it was last started from its flash. */
static void read_register(bool flash)
{
    bool done = !is_fault("done_low");
    printf("displayReadReg\n\tConfig Target Selection : 0\n\tJTAG Active\n");
    printf(done ? "\tDone Flag\n" : "\tFail Flag\n");
    printf("\tStd PreAmble\n%s\tNo err\n", done || !flash ? "" : "\tSPIm Fail1\n");
}

/* What -v adds. */
static void read_headers(void)
{
    printf("bitstream header infos\nPart: LFE5U-25F-6CABGA381\nidcode: 41111043\n\nIDCode : 41111043\n");
    read_register(true);
}

static void load_ram(void)
{
    printf("Open file: DONE\nParse file: DONE\n");
    if (job.verbose)
        read_headers();
    printf("Enable configuration: DONE\nSRAM erase: DONE\n");
    write_flash();
    printf(job.verbose ? "userCode: 00000000\n" : "");
    printf("Disable configuration: DONE\n");
    if (job.verbose)
        read_register(false);
}

/* The FPGA is to start from its flash. */
static int refresh(void)
{
    printf("Refresh: ");
    if (!is_fault("done_low")) {
        printf("DONE\n");
        return 0;
    }
    fflush(stdout);
    fputs("FAIL\n", stderr);
    read_register(true);
    if (job.read)
        return 0;
    fputs("Error: Failed to program FPGA: std::exception\n", stderr);
    return 1;
}

static void write_over_jtag(void)
{
    printf("Open file DONE\nParse file DONE\nEnable configuration: DONE\nSRAM erase: DONE\n"
           "Detected: Winbond W25Q128 256 sectors size: 128Mb\n%08lx 00000000 00000000 00\n",
           job.offset);
    write_flash();
    if (is_fault("verify")) {
        fflush(stdout);
        fprintf(stderr, "Verification failed at %lu\n", job.offset + job.size / 2);
    }
}

static void read_over_jtag(void)
{
    printf("Enable configuration: DONE\nSRAM erase: DONE\nDetected: Winbond W25Q128 256 sectors size: 128Mb\n"
           "dump flash (May take time)\nOpen dump file DONE\n");
    read_flash();
}

static int openfpgaloader(void)
{
    printf(job.load ? "write to ram\n" : job.read ? "" : "write to flash\n");
    printf("Jtag probe limited to 3MHz\nJtag frequency : requested 6.00MHz   -> real 3.00MHz  \n");
    if (is_fault("busy"))
        end(1,
            "unable to open ftdi device: -5 (unable to claim usb device. Make sure the default FTDI driver is not in use)\n"
            "JTAG init failed with: unable to open ftdi device\n");
    if (is_fault("garbage"))
        garbage();
    if (job.verbose)
        printf("found 1 devices\nindex 0:\n\tidcode 0x1111043\n\tmanufacturer lattice\n\tfamily ECP5\n"
               "\tmodel  LFE5UM-25\n\tirlength 8\nFile type : bit\n");
    if (job.load) {
        load_ram();
        return 0;
    }
    if (job.read)
        read_over_jtag();
    else
        write_over_jtag();
    return refresh();
}

_Noreturn static void list_boards(void)
{
    printf("board name               cable_name\ncolorlight-i5            cmsisdap\nice40_generic            ft2232\n"
           "ulx3s                    ft231X\n");
    exit(0);
}

/* As libftdi 0.20 compares it: with names below /dev/bus/usb. */
static void take_name(const char *text)
{
    char name[WORD_SIZE];
    if (sscanf(text, "d:%u/%u", &job.bus, &job.device) != 2)
        return;
    snprintf(name, sizeof name, "d:%03u/%03u", job.bus, job.device);
    if (strcmp(name, text) != 0)
        job.device = 0;
}

static void take_option(int option)
{
    job.read |= option == 'D' || (option == 'R' && job.ice);
    job.load |= option == 'm';
    job.verbose |= option == 'v';
    if (option == 'd')
        take_name(optarg);
    if (option == 'B') { /* as openFPGALoader 0.10 reads it: 010 is eight */
        job.bus = (unsigned)strtoul(optarg, &optarg, 0);
        job.device = *optarg == ':' ? (unsigned)strtoul(optarg + 1, NULL, 0) : 0;
    }
    if (option == 'o')
        job.offset = strtoul(optarg, NULL, 0);
    if (option == 'R' || option == 'Z')
        job.size = strtoul(optarg, NULL, 0);
    if (option == 'L')
        list_boards();
    if (option == '?')
        exit(1);
}

int programmer_role(int argc, char **argv)
{
    static const struct option names[] = {{"busdev-num", 1, NULL, 'B'},
                                          {"dump-flash", 0, NULL, 'D'},
                                          {"file-size", 1, NULL, 'Z'},
                                          {"list-boards", 0, NULL, 'L'},
                                          {NULL, 0, NULL, 0}};
    const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0], *folder = getenv("FAKE_BOARDS");
    long start = milliseconds();
    int option;
    job.ice = strcmp(name, "iceprog") == 0;
    while ((option = getopt_long(argc, argv, job.ice ? "d:I:o:R:i:" : "b:fo:mv", names, NULL)) != -1)
        take_option(option);
    if (optind + 1 != argc || !folder)
        usage("iceprog|openFPGALoader OPTION... FILE (with FAKE_BOARDS)");
    job.file = argv[optind];
    snprintf(job.folder, sizeof job.folder, "%.900s/%u-%u", folder, job.bus, job.device);
    if (access(job.folder, F_OK) != 0)
        end(job.ice ? 2 : 1, job.ice ? "Can't find iCE FTDI USB device (device string ...).\n"
                                     : "unable to open ftdi device: -3 (device not found)\n");
    if (!job.read)
        take_file();
    find_fault();
    int status = job.ice ? iceprog() : openfpgaloader();
    fflush(stdout);
    note_call(start);
    return status;
}
