/* See control.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "daemon/daemon_requests.h"

#include "daemon/site_health.h"

#include "cli/exit_code.h"
#include "libpostroad/client.h"
#include "libpostroad/peer.h"
#include "libpostroad/run_directory.h"
#include "model/firmware_image.h"
#include "model/firmware_limits.h"
#include "model/mesh.h"
#include "simulation/simulation.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Seconds: how long the loaded sites may take to start, and to tell the others, who would refuse them, that they have;
 * how long a client may say nothing; and how long none is accepted when descriptors are short. */
static const double start_limit = 20, rest_limit = 1, silence_limit = 5, deaf_time = 0.5;

static const char socket_name[] = "control", kept[] = ".kept";

struct control_client {
    int descriptor; /* -1: none */
    double since;
};

struct control {
    struct control_subject subject;
    int listener;
    struct control_client clients[CONTROL_CLIENTS];
    struct control_client *served; /* whose request is being done; the others wait */
    double deaf_until;             /* no client can be accepted before */
    bool *loading;                 /* sites that have been loaded, of which is not known yet how they have started */
    bool *loaded;                  /* sites of this request */
    bool waits;                    /* the answer is due when no site is loading any more */
    double since;
};

struct control *control_create(const struct control_subject *subject, char *error, size_t error_size)
{
    struct control *control = calloc(1, sizeof *control);
    size_t sites = (size_t)subject->mesh->sites;
    if (!control)
        abort();
    *control = (struct control){
        .subject = *subject,
        .listener = pr_run_directory_listen(subject->directory, socket_name, SOCK_SEQPACKET, error, error_size),
        .loading = calloc(sites, sizeof *control->loading),
        .loaded = calloc(sites, sizeof *control->loaded)};
    if (!control->loading || !control->loaded)
        abort();
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
        control->clients[i].descriptor = -1;
    if (control->listener >= 0)
        return control;
    control_destroy(control);
    return NULL;
}

static void hang_up(struct control *control, struct control_client *client)
{
    close(client->descriptor);
    client->descriptor = -1;
    if (client != control->served)
        return;
    control->served = NULL;
    control->waits = false;
}

void control_destroy(struct control *control)
{
    if (!control)
        return;
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
        if (control->clients[i].descriptor >= 0)
            hang_up(control, &control->clients[i]);
    if (control->listener >= 0)
        close(control->listener);
    free(control->loading);
    free(control->loaded);
    free(control);
}

/* To the client that is served. */
static void answer(struct control *control, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void answer(struct control *control, int code, const char *format, ...)
{
    char text[CONTROL_MESSAGE_MAX];
    va_list arguments;
    size_t used = (size_t)snprintf(text, sizeof text, "%d\n", code);
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    send(control->served->descriptor, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
    hang_up(control, control->served);
}

/* Sets `loaded` from a list of sites; false if it is none of this mesh. */
static bool take_sites(struct control *control, const char *list)
{
    const unsigned long sites = (unsigned long)control->subject.mesh->sites;
    memset(control->loaded, 0, sites * sizeof *control->loaded);
    do {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        if (end == list || last >= sites || first > last || (*end && *end != ','))
            return false;
        for (unsigned long site = first; site <= last; site++)
            control->loaded[site] = true;
        list = *end ? end + 1 : end;
    } while (*list);
    return true;
}

/* Where the image of a site is, and, with `ending`, where it is kept until all have one. */
static void image_path(const struct control *control, unsigned site, const char *kind, const char *ending, char *out)
{
    snprintf(out, PATH_MAX, "%s/image-%u.%s%s", control->subject.directory, site, kind, ending);
}

static bool write_image(const struct control *control, const struct firmware_image *image, unsigned site, char *error,
                        size_t error_size)
{
    char elf[PATH_MAX], hex[PATH_MAX];
    image_path(control, site, "elf", kept, elf);
    image_path(control, site, "hex", kept, hex);
    return firmware_image_write_elf(image, elf, error, error_size) == 0 &&
           (simulation_kind(control->subject.simulation, site) != SITE_CORE ||
            firmware_image_write_hex(image, hex, error, error_size) == 0);
}

static void drop_images(const struct control *control)
{
    char path[PATH_MAX];
    for (unsigned site = 0; site < (unsigned)control->subject.mesh->sites; site++) {
        if (!control->loaded[site])
            continue;
        image_path(control, site, "elf", kept, path);
        unlink(path);
        image_path(control, site, "hex", kept, path);
        unlink(path);
    }
}

/* False, with nothing changed: there is no room for them. */
static bool write_images(struct control *control, const struct firmware_image *image)
{
    char error[PATH_MAX + 256];
    for (unsigned site = 0; site < (unsigned)control->subject.mesh->sites; site++)
        if (control->loaded[site] && !write_image(control, image, site, error, sizeof error)) {
            drop_images(control);
            answer(control, EXIT_TRANSPORT, "no site is loaded: %s", error);
            return false;
        }
    return true;
}

static void use_image(const struct control *control, unsigned site, const char *kind, char *path)
{
    char from[PATH_MAX];
    image_path(control, site, kind, kept, from);
    image_path(control, site, kind, "", path);
    rename(from, path);
}

static void load_sites(struct control *control)
{
    char elf[PATH_MAX], hex[PATH_MAX], error[PATH_MAX + 256];
    for (unsigned site = 0; site < (unsigned)control->subject.mesh->sites; site++) {
        if (!control->loaded[site])
            continue;
        use_image(control, site, "elf", elf);
        use_image(control, site, "hex", hex);
        if (simulation_load(control->subject.simulation, site, elf, hex, error, sizeof error) != 0) {
            drop_images(control);
            answer(control, EXIT_PARTIAL, "site %u and those behind it are not loaded: %s", site, error);
            return;
        }
        control->loading[site] = true;
    }
    control->waits = true;
    control->since = pr_client_now();
}

static bool check_kinds(struct control *control)
{
    for (unsigned site = 0; site < (unsigned)control->subject.mesh->sites; site++)
        if (control->loaded[site] && simulation_kind(control->subject.simulation, site) == SITE_NATIVE) {
            answer(control, EXIT_USAGE,
                   "site %u runs natively, as a part of postroad: "
                   "expected sites that run firmware on a core or under QEMU",
                   site);
            return false;
        }
    return true;
}

/* All is checked before anything is changed. */
static void take_load(struct control *control, const char *sites, const char *path)
{
    struct firmware_image image;
    char error[PATH_MAX + 256];
    if (!take_sites(control, sites)) {
        answer(control, EXIT_USAGE, "%s: expected sites of this mesh", sites);
        return;
    }
    if (!check_kinds(control))
        return;
    if (firmware_image_read(&image, path, control->subject.mesh->ram_bytes, error, sizeof error) != 0) {
        answer(control, EXIT_USAGE, "%s", error);
        return;
    }
    if (firmware_limits_check(&image, path, control->subject.mesh, error, sizeof error) != 0)
        answer(control, EXIT_USAGE, "%s", error);
    else if (write_images(control, &image))
        load_sites(control);
    firmware_image_free(&image);
}

/* What it says is in the log. */
static void take_debugger(struct control *control, const char *sites)
{
    if (!take_sites(control, sites)) {
        answer(control, EXIT_USAGE, "%s: expected a site of this mesh", sites);
        return;
    }
    for (unsigned site = 0; site < (unsigned)control->subject.mesh->sites; site++)
        if (control->loaded[site])
            monitor_debugger(control->subject.monitor, site);
    answer(control, EXIT_OK, "%s", "");
}

static void take_request(struct control *control, char *text)
{
    char *rest = text, *name = strsep(&rest, "\n"), *sites = strsep(&rest, "\n");
    if (strcmp(name, "load") == 0 && sites && rest)
        take_load(control, sites, rest);
    else if (strcmp(name, "debugger") == 0 && sites)
        take_debugger(control, sites);
    else
        answer(control, EXIT_USAGE, "the daemon does not know this request; it may be of another version");
}

static struct control_client *free_place(struct control *control)
{
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
        if (control->clients[i].descriptor < 0)
            return &control->clients[i];
    return NULL;
}

/* Those of other users are turned away. */
static void accept_waiting(struct control *control)
{
    struct control_client *place = free_place(control);
    if (!place || control->deaf_until > pr_client_now())
        return;
    int descriptor = accept4(control->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0 && errno != EAGAIN && errno != ECONNABORTED)
        control->deaf_until = pr_client_now() + deaf_time;
    else if (descriptor >= 0 && pr_peer_is_own(descriptor))
        *place = (struct control_client){descriptor, pr_client_now()};
    else if (descriptor >= 0)
        close(descriptor);
}

static void read_request(struct control *control, struct control_client *client)
{
    char text[CONTROL_MESSAGE_MAX + 1];
    ssize_t count = recv(client->descriptor, text, CONTROL_MESSAGE_MAX, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        if (!control->served && pr_client_now() - client->since > silence_limit)
            hang_up(control, client);
        return;
    }
    if (count <= 0 || client == control->served) { /* gone, or talks out of turn */
        hang_up(control, client);
        return;
    }
    text[count] = 0;
    control->served = client;
    take_request(control, text);
}

/* Of the one that is served it is of interest whether it has gone; the others are silent, or wait. */
static bool is_read(const struct control *control, const struct control_client *client)
{
    return client->descriptor >= 0 && (!control->served || client == control->served);
}

static bool any_loading(struct control *control)
{
    bool any = false;
    for (unsigned site = 0; site < (unsigned)control->subject.mesh->sites; site++) {
        control->loading[site] &= !monitor_settled(control->subject.monitor, site);
        any |= control->loading[site];
    }
    return any;
}

static void answer_loaded(struct control *control, bool started)
{
    char text[CONTROL_MESSAGE_MAX / 2];
    if (monitor_troubles(control->subject.monitor, control->loaded, text, sizeof text) > 0)
        answer(control, EXIT_MISMATCH, "%s", text);
    else if (!started)
        answer(control, EXIT_TIMEOUT,
               "the sites have the image, but not all have started within %g s: the mesh is slow, or "
               "stands still",
               start_limit);
    else
        answer(control, EXIT_OK, "%s", "");
}

void control_step(struct control *control)
{
    accept_waiting(control);
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
        if (is_read(control, &control->clients[i]))
            read_request(control, &control->clients[i]);
    if (!control->waits)
        return;
    bool loading = any_loading(control);
    bool rests = !loading && simulation_idle(control->subject.simulation);
    if (rests || pr_client_now() - control->since > (loading ? start_limit : rest_limit))
        answer_loaded(control, !loading);
}

size_t control_poll_prepare(struct control *control, struct pollfd *polls)
{
    bool accepts = free_place(control) && control->deaf_until <= pr_client_now();
    size_t count = 0;
    polls[count++] = (struct pollfd){.fd = accepts ? control->listener : -1, .events = POLLIN};
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
        if (is_read(control, &control->clients[i]))
            polls[count++] = (struct pollfd){.fd = control->clients[i].descriptor, .events = POLLIN};
    return count;
}

/* When a silent client has had its time, or clients can be accepted again. */
static double next_deadline(const struct control *control)
{
    double deadline = control->deaf_until > pr_client_now() ? control->deaf_until : INFINITY;
    for (unsigned i = 0; i < CONTROL_CLIENTS; i++)
        if (control->clients[i].descriptor >= 0)
            deadline = fmin(deadline, control->clients[i].since + silence_limit);
    return deadline;
}

int control_milliseconds(struct control *control)
{
    double deadline = next_deadline(control);
    if (control->waits)
        deadline = control->since + (any_loading(control) ? start_limit : rest_limit);
    double left = deadline - pr_client_now();
    if (isinf(left))
        return -1;
    return left > 0 ? (int)(left * 1e3) + 1 : 0;
}

/* The answer, or why there is none. */
static int await_answer(int connection, double timeout, char *text, size_t size)
{
    struct pollfd poll_end = {.fd = connection, .events = POLLIN};
    struct timespec time = {(time_t)timeout, (long)((timeout - (double)(time_t)timeout) * 1e9)};
    sigset_t none;
    sigemptyset(&none);
    int found = ppoll(&poll_end, 1, &time, &none), code;
    if (found < 0)
        return EXIT_INTERRUPTED;
    if (found == 0) {
        snprintf(text, size, "no answer within %g s", timeout);
        return EXIT_TIMEOUT;
    }
    ssize_t count = recv(connection, text, size - 1, 0);
    text[count > 0 ? count : 0] = 0;
    char *line = strchr(text, '\n');
    if (!line || sscanf(text, "%d", &code) != 1) {
        snprintf(text, size, "the daemon has ended");
        return EXIT_TRANSPORT;
    }
    memmove(text, line + 1, strlen(line + 1) + 1);
    return code;
}

int control_ask(const char *directory, const char *request, double timeout, char *text, size_t size)
{
    struct sockaddr_un address;
    int code = EXIT_TRANSPORT;
    if (!pr_run_directory_address(directory, socket_name, &address, text, size))
        return EXIT_USAGE;
    int connection = pr_peer_connect(&address, SOCK_SEQPACKET, text, size);
    if (connection < 0)
        return code;
    if (send(connection, request, strlen(request), MSG_NOSIGNAL) < 0)
        snprintf(text, size, "%s: %s", address.sun_path, strerror(errno));
    else
        code = await_answer(connection, timeout, text, size);
    close(connection);
    return code;
}
