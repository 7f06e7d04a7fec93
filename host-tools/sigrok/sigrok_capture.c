/* See sigrok_capture.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "sigrok/sigrok_capture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture_read.h"
#include "cli/signals.h"

enum { PATH_ROOM = PATH_MAX + 300, NUMBER = 32, SIGNAL_INTERVAL = 1 << 16 /* edges between looks at signals */ };

/* Where the capture under way is written, and how much of it there was at the last look. */
struct place {
    struct sigrok_capture *capture;
    char folder[PATH_ROOM], file[PATH_ROOM];
    off_t size;
};

bool sigrok_capture_may_write(const char *file, char *reason)
{
    struct stat status;
    const char *ending = strrchr(file, '.');
    if (!ending || strcmp(ending, ".sr") != 0 || strlen(file) >= PATH_MAX)
        snprintf(reason, SIGROK_REASON, "%.300s: expected a name that ends with .sr", file);
    else if (lstat(file, &status) == 0 && !S_ISREG(status.st_mode))
        snprintf(reason, SIGROK_REASON, "%.300s: is there and no file, expected a file or nothing", file);
    else
        return true;
    return false;
}

/* A folder that no other user can write to. */
static bool make_place(struct place *place, const char *file, char *reason)
{
    snprintf(place->folder, sizeof place->folder, "%s.XXXXXX", file);
    if (!mkdtemp(place->folder)) {
        snprintf(reason, SIGROK_REASON, "%.300s: %s", file, strerror(errno));
        return false;
    }
    snprintf(place->file, sizeof place->file, "%.*s/capture.sr", PATH_MAX + 16, place->folder);
    return true;
}

/* sigrok-cli may have left files of its own, if it was ended. */
static void remove_place(const struct place *place)
{
    DIR *folder = opendir(place->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(place->folder);
}

static bool look_for_growth(void *context, double elapsed)
{
    struct place *place = context;
    struct stat status;
    off_t before = place->size;
    if (stat(place->file, &status) == 0)
        place->size = status.st_size;
    place->capture->tick(place->capture->context, elapsed);
    return place->size != before;
}

static enum exit_code acquire(struct sigrok_capture *capture, struct place *place, char *said, char *reason)
{
    const struct testbed *testbed = capture->testbed;
    char rate[NUMBER + 16], samples[NUMBER], channels[TESTBED_CHANNELS * (TESTBED_NAME + 1) + 1] = "";
    size_t used = 0;
    snprintf(rate, sizeof rate, "samplerate=%" PRIu64, testbed->analyser_rate);
    snprintf(samples, sizeof samples, "%" PRIu64, capture->samples);
    for (unsigned k = 0; k < testbed->channel_count; k++)
        used += (size_t)snprintf(channels + used, sizeof channels - used, "%s%s", k ? "," : "",
                                 testbed->channels[k].name);
    struct sigrok_run run = {.argv = {(char *)sigrok_program, "--driver", (char *)testbed->analyser_driver, "--config",
                                      rate, "--channels", channels, "--samples", samples, "--output-format", "srzip",
                                      "--output-file", (char *)place->file, capture->trigger ? "--wait-trigger" : NULL,
                                      "--triggers", (char *)capture->trigger},
                             .limit = capture->limit,
                             .tick = look_for_growth,
                             .context = place};
    enum exit_code code = sigrok_run(&run, reason);
    snprintf(said, FLASH_PROCESS_LINE, "%s", run.said);
    return code;
}

/* The number of the capture's channel of each of the testbed's. */
static bool map_channels(const struct sigrok_capture *capture, const struct capture *file, int *channel_of,
                         char *reason)
{
    for (unsigned i = 0; i < capture_channels(file); i++)
        channel_of[i] = -1;
    for (unsigned k = 0; k < capture->testbed->channel_count; k++) {
        int found = capture_channel(file, capture->testbed->channels[k].name);
        if (found < 0) {
            snprintf(reason, SIGROK_REASON, "what came has no channel %s", capture->testbed->channels[k].name);
            return false;
        }
        channel_of[found] = (int)k;
    }
    return true;
}

static enum exit_code count_edges(struct sigrok_capture *capture, struct capture *file, char *reason)
{
    int channel_of[CAPTURE_CHANNELS], status;
    struct capture_edge edge;
    if (!map_channels(capture, file, channel_of, reason))
        return EXIT_MISMATCH;
    for (uint64_t count = 0; (status = capture_next(file, &edge)) > 0; count++) {
        if (channel_of[edge.channel] >= 0)
            capture->edges[channel_of[edge.channel]]++;
        if (count % SIGNAL_INTERVAL == 0 && signals_pending()) {
            snprintf(reason, SIGROK_REASON, "interrupted");
            return EXIT_INTERRUPTED;
        }
    }
    if (status < 0)
        snprintf(reason, SIGROK_REASON, "what came cannot be read: %.500s", capture_error(file));
    capture->came = capture_length(file);
    return status < 0 ? EXIT_MISMATCH : EXIT_OK;
}

/* Behind a trigger some drivers count the samples before it, too: up to a fifth of all. */
static enum exit_code look_at(struct sigrok_capture *capture, struct capture *file, char *reason)
{
    double rate = (double)capture->testbed->analyser_rate;
    enum exit_code code = count_edges(capture, file, reason);
    if (code)
        return code;
    if (capture_rate(file) != rate)
        snprintf(reason, SIGROK_REASON, "the analyser has sampled at %.0f Hz, expected %.0f Hz", capture_rate(file),
                 rate);
    else if (capture->came < (capture->trigger ? capture->samples / 4 * 3 : capture->samples))
        snprintf(reason, SIGROK_REASON, "%" PRIu64 " samples came, expected %" PRIu64, capture->came, capture->samples);
    else
        return EXIT_OK;
    return EXIT_MISMATCH;
}

static enum exit_code check(struct sigrok_capture *capture, const struct place *place, const char *said, char *reason)
{
    char error[SIGROK_REASON], found[SIGROK_REASON];
    struct stat status;
    if (stat(place->file, &status) != 0) {
        snprintf(reason, SIGROK_REASON, "%s has made no file: %s", sigrok_program,
                 *said ? said : "it has said nothing");
        return EXIT_TRANSPORT;
    }
    struct capture *file = capture_open(place->file, error, sizeof error);
    enum exit_code code = EXIT_MISMATCH;
    if (!file)
        snprintf(found, sizeof found, "what came cannot be read: %.400s", error);
    else
        code = look_at(capture, file, found);
    if (file)
        capture_close(file);
    if (code)
        snprintf(reason, SIGROK_REASON, "%.420s%s%.150s", found, *said ? "; sigrok-cli: " : "", said);
    return code;
}

/* The bytes are on the disk before the name is there. */
static enum exit_code move(const struct place *place, const char *file, char *reason)
{
    int descriptor = open(place->file, O_RDONLY | O_CLOEXEC);
    bool good = descriptor >= 0 && fsync(descriptor) == 0 && rename(place->file, file) == 0;
    if (!good)
        snprintf(reason, SIGROK_REASON, "%.300s: %s", file, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    return good ? EXIT_OK : EXIT_TRANSPORT;
}

enum exit_code sigrok_capture(struct sigrok_capture *capture, char *reason)
{
    struct place place = {.capture = capture};
    char said[FLASH_PROCESS_LINE];
    if (!make_place(&place, capture->file, reason))
        return EXIT_TRANSPORT;
    enum exit_code code = acquire(capture, &place, said, reason);
    if (!code)
        code = check(capture, &place, said, reason);
    if (!code)
        code = move(&place, capture->file, reason);
    remove_place(&place);
    return code;
}
