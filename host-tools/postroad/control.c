/* See control.h. */
#define _GNU_SOURCE
#include "control.h"

#include "monitor.h"

#include "common/firmware_image.h"
#include "common/mesh.h"
#include "library/client.h"
#include "library/exit_code.h"
#include "library/run_directory.h"
#include "rtl/simulation.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Seconds: how long the loaded sites may take to start, and to tell the others, who would refuse them, that they have. */
static const double start_limit = 20, rest_limit = 1;

static const char socket_name[] = "control";

struct control {
    struct control_subject subject;
    int listener, connection;   /* -1: none */
    bool *loading;              /* sites that have been loaded, of which is not known yet how they have started */
    bool *loaded;               /* sites of this request */
    bool waits;                 /* the answer is due when no site is loading any more */
    double since;
};

struct control *control_create(const struct control_subject *subject, char *error, size_t error_size)
{
    struct control *control = calloc(1, sizeof *control);
    size_t sites = (size_t)subject->mesh->sites;
    if (!control)
        abort();
    *control = (struct control){.subject = *subject, .connection = -1,
                                .listener = run_directory_listen(subject->directory, socket_name, SOCK_SEQPACKET, error,
                                                                 error_size),
                                .loading = calloc(sites, sizeof *control->loading),
                                .loaded = calloc(sites, sizeof *control->loaded)};
    if (!control->loading || !control->loaded)
        abort();
    if (control->listener >= 0)
        return control;
    control_destroy(control);
    return NULL;
}

static void hang_up(struct control *control)
{
    if (control->connection >= 0)
        close(control->connection);
    control->connection = -1;
    control->waits = false;
}

void control_destroy(struct control *control)
{
    if (!control)
        return;
    hang_up(control);
    if (control->listener >= 0)
        close(control->listener);
    free(control->loading);
    free(control->loaded);
    free(control);
}

static void answer(struct control *control, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void answer(struct control *control, int code, const char *format, ...)
{
    char text[CONTROL_MESSAGE_MAX];
    va_list arguments;
    size_t used = (size_t)snprintf(text, sizeof text, "%d\n", code);
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    send(control->connection, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
    hang_up(control);
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

static bool write_image(const struct control *control, const struct firmware_image *image, unsigned site, char *elf,
                        char *hex, char *error, size_t error_size)
{
    snprintf(elf, PATH_MAX, "%s/image-%u.elf", control->subject.directory, site);
    snprintf(hex, PATH_MAX, "%s/image-%u.hex", control->subject.directory, site);
    return firmware_image_write_elf(image, elf, error, error_size) == 0 &&
           (simulation_kind(control->subject.simulation, site) != NODE_CORE ||
            firmware_image_write_hex(image, hex, error, error_size) == 0);
}

static void load_sites(struct control *control, const struct firmware_image *image)
{
    char elf[PATH_MAX], hex[PATH_MAX], error[PATH_MAX + 256];
    for (unsigned site = 0; site < (unsigned)control->subject.mesh->sites; site++) {
        if (!control->loaded[site])
            continue;
        if (!write_image(control, image, site, elf, hex, error, sizeof error) ||
            simulation_load(control->subject.simulation, site, elf, hex, error, sizeof error) != 0) {
            answer(control, EXIT_PARTIAL, "site %u and those behind it are not loaded: %s", site, error);
            return;
        }
        control->loading[site] = true;
    }
    control->waits = true;
    control->since = client_now();
}

static bool check_kinds(struct control *control)
{
    for (unsigned site = 0; site < (unsigned)control->subject.mesh->sites; site++)
        if (control->loaded[site] && simulation_kind(control->subject.simulation, site) == NODE_NATIVE) {
            answer(control, EXIT_USAGE, "site %u runs natively, as a part of postroad: "
                   "expected sites that run firmware on a core or under QEMU", site);
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
    load_sites(control, &image);
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

static void accept_waiting(struct control *control)
{
    if (control->connection < 0)
        control->connection = accept4(control->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static void read_request(struct control *control)
{
    char text[CONTROL_MESSAGE_MAX + 1];
    ssize_t count = recv(control->connection, text, CONTROL_MESSAGE_MAX, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count <= 0 || control->waits) { /* gone, or talks out of turn */
        hang_up(control);
        return;
    }
    text[count] = 0;
    take_request(control, text);
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
        answer(control, EXIT_TIMEOUT, "the sites have the image, but not all have started within %g s: the mesh is slow, or "
               "stands still", start_limit);
    else
        answer(control, EXIT_OK, "%s", "");
}

void control_step(struct control *control)
{
    accept_waiting(control);
    if (control->connection >= 0)
        read_request(control);
    if (!control->waits)
        return;
    bool loading = any_loading(control);
    bool rests = !loading && simulation_idle(control->subject.simulation);
    if (rests || client_now() - control->since > (loading ? start_limit : rest_limit))
        answer_loaded(control, !loading);
}

size_t control_poll_prepare(const struct control *control, struct pollfd *polls)
{
    polls[0] = (struct pollfd){.fd = control->connection < 0 ? control->listener : control->connection, .events = POLLIN};
    return 1;
}

int control_milliseconds(struct control *control)
{
    bool loading = control->waits && any_loading(control);
    double left = (loading ? start_limit : rest_limit) - (client_now() - control->since);
    if (!control->waits)
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
    if (!run_directory_address(directory, socket_name, &address, text, size))
        return EXIT_USAGE;
    int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), code = EXIT_TRANSPORT;
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) != 0 ||
        send(connection, request, strlen(request), MSG_NOSIGNAL) < 0)
        snprintf(text, size, "%s: %s", address.sun_path, strerror(errno));
    else
        code = await_answer(connection, timeout, text, size);
    if (connection >= 0)
        close(connection);
    return code;
}
