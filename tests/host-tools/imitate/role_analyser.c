/* sigrok-cli with an analyser on USB, which fails as FAULT says. What it captures comes from the demo device of the
 * real program, $SIGROK_CLI. It ends with 0 where the real one does.
 *
 * environment: FAULT, one of those below; the first three and `silent` when it looks for the analyser (--show)
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "imitate.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RATE = 24000000, WRONG_RATE = 16000000, GARBAGE_BYTES = 5000, TRUNCATED_BYTES = 900 };

static struct {
    const char *file;
    char channels[PATH_SIZE];
    unsigned samples;
} job = {.file = ""};

static const char *const refusals[][2] = {
    {"absent", "No devices found."},
    {"firmware", "sr: resource: Failed to locate 'fx2lafw-saleae-logic.fw'.\nNo devices found."},
    {"many", "2 devices found. Use --scan to show them, and select one to show."},
};

static bool is_fault(const char *kind)
{
    const char *fault = getenv("FAULT");
    return fault && strcmp(fault, kind) == 0;
}

/* With a process of its own, which has to end as well. */
_Noreturn static void hang(void)
{
    if (fork() < 0)
        fail("fork");
    for (;;)
        pause();
}

static int show(void)
{
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++)
        if (is_fault(refusals[k][0])) {
            fprintf(stderr, "%s\n", refusals[k][1]);
            return 1;
        }
    if (is_fault("silent"))
        return 0;
    if (is_fault("hangs_at_once"))
        hang();
    puts("Driver functions:\n    Logic analyzer\nScan options:\n    conn\n"
         "fx2lafw:conn=1.7 - Saleae Logic with 8 channels: D0 D1 D2 D3 D4 D5 D6 D7\nSupported configuration options:\n"
         "    continuous: on, off\n    limit_samples: 0 (current)\n    samplerate - supported samplerates:\n"
         "      20 kHz\n      16 MHz\n      24 MHz (current)\n    Maximum number of samples: 500000\n"
         "    Supported triggers: 0 1 r ");
    return 0;
}

/* As the demo device captures it. */
static void demo(unsigned samples, unsigned rate)
{
    char command[2 * PATH_SIZE];
    snprintf(command, sizeof command, "\"$SIGROK_CLI\" -d demo -c samplerate=%u -C '%s' --samples %u -O srzip -o '%s'",
             rate, job.channels, samples, job.file);
    if (system(command) != 0)
        exit(1);
}

/* A half of the file, under the name that it has until it is whole. */
static void begin_file(void)
{
    char name[PATH_SIZE];
    snprintf(name, sizeof name, "%s.AbCdEf", job.file);
    FILE *file = fopen(name, "we");
    if (!file || fputs("half\n", file) < 0 || fclose(file) != 0)
        fail(name);
}

static void give_garbage(void)
{
    uint8_t bytes[GARBAGE_BYTES];
    FILE *from = fopen(getenv("SIGROK_CLI"), "rbe"), *to = fopen(job.file, "we");
    if (!from || !to || fread(bytes, 1, sizeof bytes, from) != sizeof bytes || !fwrite(bytes, sizeof bytes, 1, to))
        fail(job.file);
    fclose(from);
    fclose(to);
}

static int capture(void)
{
    if (is_fault("hangs") || is_fault("dies"))
        begin_file();
    if (is_fault("hangs"))
        hang();
    if (is_fault("dies"))
        raise(SIGKILL);
    if (is_fault("full"))
        fputs("sr: output/srzip: Error saving zipfile: No space left on device\n", stderr);
    else if (is_fault("refuses"))
        fputs("sr: fx2lafw: Failed to start acquisition.\n", stderr);
    else if (is_fault("garbage"))
        give_garbage();
    else {
        if (is_fault("channel"))
            *strrchr(job.channels, ',') = 0;
        demo(is_fault("short") ? job.samples / 2 : job.samples, is_fault("rate") ? WRONG_RATE : RATE);
    }
    if (is_fault("short"))
        fprintf(stderr, "Device only sent %u samples.\n", job.samples / 2);
    if (is_fault("truncated") && truncate(job.file, TRUNCATED_BYTES) != 0)
        fail(job.file);
    return is_fault("refuses");
}

int analyser_role(int argc, char **argv)
{
    bool shows = false;
    for (int k = 1; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--show") == 0)
            shows = true;
        else if (strcmp(argv[k], "--output-file") == 0)
            job.file = value;
        else if (strcmp(argv[k], "--samples") == 0)
            job.samples = (unsigned)strtoul(value, NULL, 10);
        else if (strcmp(argv[k], "--channels") == 0)
            snprintf(job.channels, sizeof job.channels, "%s", value);
    }
    return shows ? show() : capture();
}
