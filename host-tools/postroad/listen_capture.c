/* See listen_capture.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "postroad/listen_capture.h"

#include "cli/gateway.h"
#include "cli/report.h"
#include "cli/screen.h"
#include "cli/signals.h"
#include "daemon/daemon_requests.h"
#include "pcap/pcapng.h"
#include "pcap/stamp_time.h"
#include "support/or_abort.h"
#include "support/output_file.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const uint64_t second = 1000000000, fresh = 1000000000; /* nanoseconds */

struct captured_site {
    unsigned site;
    struct stamp_time time;
};

struct listen_capture {
    struct output_file output; /* of a path */
    FILE *out;
    size_t count;
    struct captured_site *sites;
    const char *directory; /* of a daemon that drives the mesh's clock, else NULL */
    uint64_t clock, seen;  /* that clock, when it was asked for last, and when that was */
    int failure;           /* errno of the first write that failed; EPIPE: the reader has gone */
};

static uint64_t host_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * second + (uint64_t)now.tv_nsec;
}

static struct listen_capture *refuse(struct listen_capture *capture, const char *reason)
{
    report_error("listen", "%s", reason);
    free(capture->sites);
    free(capture);
    return NULL;
}

struct listen_capture *listen_capture_open(const char *path, size_t sites)
{
    struct listen_capture *capture = or_abort(calloc(1, sizeof *capture));
    char error[512];
    capture->sites = or_abort(calloc(sites, sizeof *capture->sites));
    bool stream = strcmp(path, "-") == 0;
    signals_end_process(); /* a FIFO is opened when its reader has come */
    int opened = stream ? 0 : output_file_open(&capture->output, path, error, sizeof error);
    signals_end_waits();
    if (stream) {
        if (isatty(STDOUT_FILENO))
            return refuse(capture, "--pcap -: standard output is a terminal, expected a file or a pipe");
        capture->out = screen_raw();
    } else if (opened != 0) {
        return refuse(capture, error);
    } else {
        capture->out = capture->output.file;
    }
    signal(SIGPIPE, SIG_IGN); /* a reader that has gone is seen as a write that fails */
    return capture;
}

void listen_capture_site(struct listen_capture *capture, unsigned site, uint32_t clock_hz)
{
    capture->sites[capture->count++] = (struct captured_site){.site = site, .time.clock_hz = clock_hz};
}

/* Flushes, so that the reader of a pipe has every record at once. */
static bool goes_on(struct listen_capture *capture)
{
    errno = 0;
    if (!capture->failure && (fflush(capture->out) != 0 || ferror(capture->out)))
        capture->failure = errno ? errno : EIO;
    return !capture->failure;
}

static void describe(const struct listen_capture *capture, const struct captured_site *site, char *out, size_t size)
{
    unsigned long hz = (unsigned long)site->time.clock_hz;
    if (!hz)
        snprintf(out, size, "site %u, times: arrival at the host", site->site);
    else if (capture->directory)
        snprintf(out, size, "site %u, times: clock of the simulated mesh, %lu Hz", site->site, hz);
    else
        snprintf(out, size, "site %u, times: the site's own clock, %lu Hz, set by the host's at the first record",
                 site->site, hz);
}

bool listen_capture_begin(struct listen_capture *capture, const struct gateway *gateway)
{
    char program[64], name[32], text[PCAPNG_TEXT_MAX];
    uint64_t now = host_time();
    if (gateway->endpoint.kind == PR_ENDPOINT_UP && daemon_requests_clock(gateway->endpoint.path, &capture->clock)) {
        capture->directory = gateway->endpoint.path;
        capture->seen = now;
    }
    snprintf(program, sizeof program, "postroad %s", report_version_number);
    pcapng_begin(capture->out, program);
    for (size_t i = 0; i < capture->count; i++) {
        struct captured_site *site = &capture->sites[i];
        if (capture->directory)
            stamp_time_anchor(&site->time, capture->clock, now);
        snprintf(name, sizeof name, "site-%u", site->site);
        describe(capture, site, text, sizeof text);
        pcapng_interface(capture->out, PR_CONSOLE_CAPTURE_LINK_TYPE, name, text);
    }
    return goes_on(capture);
}

/* The stamp of a frame. False: it has none. */
static bool read_stamp(const struct pr_frame *frame, uint32_t *stamp)
{
    struct pr_payload_reader reader = pr_frames_payload(frame);
    if (frame->type == PR_CONSOLE_DELIVERED)
        *stamp = pr_payload_get(&reader, PR_MESSAGE_DELIVERED_STAMP_LAST);
    else if (frame->type == PR_CONSOLE_EVENT)
        *stamp = pr_payload_get(&reader, PR_MESSAGE_EVENT_CLOCK);
    else
        return false;
    return !reader.overrun;
}

/* The daemon is asked anew where the mesh may have gone far since. */
static uint64_t time_of_frame(struct listen_capture *capture, struct captured_site *site, const struct pr_frame *frame)
{
    uint64_t now = host_time(), clock;
    uint32_t stamp;
    if (!site->time.clock_hz || !read_stamp(frame, &stamp))
        return now;
    if (!capture->directory)
        return stamp_time_own(&site->time, stamp, now);
    if (now - capture->seen > fresh && daemon_requests_clock(capture->directory, &clock)) {
        capture->clock = clock;
        capture->seen = now;
    }
    return stamp_time_of(&site->time, stamp_time_unwrap(stamp, capture->clock));
}

bool listen_capture_add(struct listen_capture *capture, size_t index, const struct pr_frame *frame)
{
    uint8_t bytes[PR_MESSAGE_CAPTURE_BYTES + PR_FRAMES_PAYLOAD_MAX];
    struct pr_payload_writer writer = {.bytes = bytes, .limit = sizeof bytes};
    struct captured_site *site = &capture->sites[index];
    pr_payload_put(&writer, PR_MESSAGE_CAPTURE_VERSION, PR_CONSOLE_CAPTURE_VERSION);
    pr_payload_put(&writer, PR_MESSAGE_CAPTURE_TYPE, frame->type);
    pr_payload_put(&writer, PR_MESSAGE_CAPTURE_REPORTER, site->site);
    memcpy(bytes + writer.length, frame->payload, frame->length);
    pcapng_packet(capture->out, (uint32_t)index, time_of_frame(capture, site, frame), bytes,
                  writer.length + frame->length);
    return goes_on(capture);
}

bool listen_capture_reader_gone(const struct listen_capture *capture)
{
    struct pollfd reader = {.fd = STDOUT_FILENO};
    return capture->failure == EPIPE || (!capture->output.file && poll(&reader, 1, 0) > 0 && reader.revents & POLLERR);
}

static int close_file(struct listen_capture *capture, int status)
{
    char error[512];
    if (capture->failure)
        output_file_abandon(&capture->output);
    else if (output_file_close(&capture->output, error, sizeof error) != 0)
        return report_failure(EXIT_TRANSPORT, "listen", "%s", error);
    return status;
}

int listen_capture_close(struct listen_capture *capture, int status)
{
    int failure = goes_on(capture) ? 0 : capture->failure;
    bool stream = !capture->output.file;
    if (failure && failure != EPIPE && failure != EINTR)
        report_error("listen", "%s: %s", stream ? "standard output" : capture->output.path, strerror(failure));
    if (!stream)
        status = close_file(capture, status);
    else if (failure) { /* reported here: nothing is left for main() to find */
        __fpurge(capture->out);
        clearerr(capture->out);
    }
    free(capture->sites);
    free(capture);
    if (failure)
        return failure == EPIPE ? EXIT_OK : failure == EINTR ? EXIT_INTERRUPTED : EXIT_TRANSPORT;
    return status;
}
