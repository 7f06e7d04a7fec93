/* See daemon_requests.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "daemon/daemon_requests.h"

#include "daemon/backend.h"
#include "daemon/site_health.h"

#include "board/firmware_image.h"
#include "board/firmware_limits.h"
#include "cli/exit_code.h"
#include "libpostroad/client.h"
#include "libpostroad/clock.h"
#include "libpostroad/peer.h"
#include "libpostroad/run_directory.h"
#include "mesh/mesh.h"
#include "mesh/site_range.h"
#include "simulation/packet_tap.h"
#include "support/or_abort.h"

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

/* Seconds: how long the loaded sites may take to start; how long they may then take to announce their restart to the
 * other sites, which refuse their packets before that; how long a client may be silent; and how long no client is
 * accepted when descriptors are short. */
static const double start_limit = 20, rest_limit = 1, silence_limit = 5, deaf_time = 0.5;

static const struct timespec borrow_pause = {
    .tv_nsec = 100000000}; /* between two requests for a line that is not open */

static const double tap_time = 60; /* seconds for which a tap stays after the last request */

static const char socket_name[] = "control", kept[] = ".kept";

struct request_client {
    int descriptor; /* -1: none */
    double since;
    int lent; /* the site whose serial line it has; -1: none */
};

struct daemon_requests {
    struct backend *backend;
    struct site_health *health;
    const char *directory;
    int listener;
    struct request_client clients[DAEMON_REQUESTS_CLIENTS];
    struct request_client *served; /* its request is being done; the others wait */
    double tap_until;              /* 0: there is no tap */
    double deaf_until;             /* no client is accepted before */
    bool *loading;                 /* sites that have been loaded and have neither started nor failed yet */
    bool *loaded;                  /* sites of this request */
    bool waits;                    /* the answer is due when no site is loading any more */
    double since;
};

struct daemon_requests *daemon_requests_create(struct backend *backend, struct site_health *health,
                                               const char *directory, char *error, size_t error_size)
{
    struct daemon_requests *requests = or_abort(calloc(1, sizeof *requests));
    size_t sites = (size_t)backend->mesh->sites;
    *requests = (struct daemon_requests){
        .backend = backend,
        .health = health,
        .directory = directory,
        .listener = pr_run_directory_listen(directory, socket_name, SOCK_SEQPACKET, error, error_size),
        .loading = or_abort(calloc(sites, sizeof *requests->loading)),
        .loaded = or_abort(calloc(sites, sizeof *requests->loaded))};
    for (unsigned i = 0; i < DAEMON_REQUESTS_CLIENTS; i++)
        requests->clients[i] = (struct request_client){.descriptor = -1, .lent = -1};
    if (requests->listener >= 0)
        return requests;
    daemon_requests_destroy(requests);
    return NULL;
}

static void hang_up(struct daemon_requests *requests, struct request_client *client)
{
    close(client->descriptor);
    client->descriptor = -1;
    if (client->lent >= 0)
        requests->backend->functions->take_back(requests->backend, (unsigned)client->lent);
    client->lent = -1;
    if (client != requests->served)
        return;
    requests->served = NULL;
    requests->waits = false;
}

void daemon_requests_destroy(struct daemon_requests *requests)
{
    if (!requests)
        return;
    for (unsigned i = 0; i < DAEMON_REQUESTS_CLIENTS; i++)
        if (requests->clients[i].descriptor >= 0)
            hang_up(requests, &requests->clients[i]);
    if (requests->listener >= 0)
        close(requests->listener);
    free(requests->loading);
    free(requests->loaded);
    free(requests);
}

/* Sends to the client that is served. */
static void answer(struct daemon_requests *requests, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void answer(struct daemon_requests *requests, int code, const char *format, ...)
{
    char text[DAEMON_REQUESTS_MESSAGE_MAX];
    va_list arguments;
    size_t used = (size_t)snprintf(text, sizeof text, "%d\n", code);
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    send(requests->served->descriptor, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
    hang_up(requests, requests->served);
}

/* Sets `loaded` from a list of sites. False: it is no list of sites of this mesh. */
static bool parse_sites(struct daemon_requests *requests, const char *list)
{
    const unsigned sites = (unsigned)requests->backend->mesh->sites;
    struct site_range range;
    bool good;
    memset(requests->loaded, 0, sites * sizeof *requests->loaded);
    do
        good = site_range_parse(&list, sites, requests->loaded, &range) == SITE_RANGE_GOOD;
    while (good && *list == ',' && list++);
    return good && !*list;
}

/* The file that contains the image of a site. With the ending `kept`: the file that keeps the new image until the
 * images of all sites are written. */
static void image_path(const struct daemon_requests *requests, unsigned site, const char *kind, const char *ending,
                       char *out)
{
    snprintf(out, PATH_MAX, "%s/image-%u.%s%s", requests->directory, site, kind, ending);
}

static bool write_image(const struct daemon_requests *requests, const struct firmware_image *image, unsigned site,
                        char *error, size_t error_size)
{
    char elf[PATH_MAX], hex[PATH_MAX];
    bool takes_hex;
    requests->backend->functions->load_refusal(requests->backend, site, &takes_hex);
    image_path(requests, site, "elf", kept, elf);
    image_path(requests, site, "hex", kept, hex);
    return firmware_image_write_elf(image, elf, error, error_size) == 0 &&
           (!takes_hex || firmware_image_write_hex(image, hex, error, error_size) == 0);
}

static void drop_images(const struct daemon_requests *requests)
{
    char path[PATH_MAX];
    for (unsigned site = 0; site < (unsigned)requests->backend->mesh->sites; site++) {
        if (!requests->loaded[site])
            continue;
        image_path(requests, site, "elf", kept, path);
        unlink(path);
        image_path(requests, site, "hex", kept, path);
        unlink(path);
    }
}

/* False, with nothing changed: the images could not be written. */
static bool write_images(struct daemon_requests *requests, const struct firmware_image *image)
{
    char error[PATH_MAX + 256];
    for (unsigned site = 0; site < (unsigned)requests->backend->mesh->sites; site++)
        if (requests->loaded[site] && !write_image(requests, image, site, error, sizeof error)) {
            drop_images(requests);
            answer(requests, EXIT_TRANSPORT, "no site is loaded: %s", error);
            return false;
        }
    return true;
}

static void use_image(const struct daemon_requests *requests, unsigned site, const char *kind, char *path)
{
    char from[PATH_MAX];
    image_path(requests, site, kind, kept, from);
    image_path(requests, site, kind, "", path);
    rename(from, path);
}

static void load_sites(struct daemon_requests *requests)
{
    struct backend *backend = requests->backend;
    char elf[PATH_MAX], hex[PATH_MAX], error[PATH_MAX + 256];
    for (unsigned site = 0; site < (unsigned)requests->backend->mesh->sites; site++) {
        if (!requests->loaded[site])
            continue;
        use_image(requests, site, "elf", elf);
        use_image(requests, site, "hex", hex);
        if (backend->functions->load(backend, site, elf, hex, error, sizeof error) != 0) {
            drop_images(requests);
            answer(requests, EXIT_PARTIAL, "site %u and those behind it are not loaded: %s", site, error);
            return;
        }
        requests->loading[site] = true;
    }
    requests->waits = true;
    requests->since = pr_client_now();
}

/* False: a site accepts no image. The answer has been sent. */
static bool check_sites(struct daemon_requests *requests)
{
    const struct backend *backend = requests->backend;
    for (unsigned site = 0; site < (unsigned)backend->mesh->sites; site++) {
        bool takes_hex;
        const char *refusal = backend->functions->load_refusal(backend, site, &takes_hex);
        if (requests->loaded[site] && refusal) {
            answer(requests, EXIT_USAGE, "site %u %s", site, refusal);
            return false;
        }
    }
    return true;
}

/* False: there is no image, or the mesh has no room for it. The answer has been sent. */
static bool read_image(struct daemon_requests *requests, const char *path, struct firmware_image *image)
{
    const struct mesh_config *mesh = requests->backend->mesh;
    char error[PATH_MAX + 256];
    if (firmware_image_read(image, path, mesh->ram_bytes, error, sizeof error) != 0) {
        answer(requests, EXIT_USAGE, "%s", error);
        return false;
    }
    if (firmware_limits_check(image, path, mesh, error, sizeof error) == 0)
        return true;
    answer(requests, EXIT_USAGE, "%s", error);
    firmware_image_free(image);
    return false;
}

/* Every check precedes the first change. */
static void take_load(struct daemon_requests *requests, const char *sites, const char *path)
{
    struct firmware_image image;
    if (!parse_sites(requests, sites)) {
        answer(requests, EXIT_USAGE, "%s: expected sites of this mesh", sites);
        return;
    }
    if (!check_sites(requests) || !read_image(requests, path, &image))
        return;
    if (write_images(requests, &image))
        load_sites(requests);
    firmware_image_free(&image);
}

/* The outcome is in the log. */
static void take_debugger(struct daemon_requests *requests, const char *sites)
{
    if (!parse_sites(requests, sites)) {
        answer(requests, EXIT_USAGE, "%s: expected a site of this mesh", sites);
        return;
    }
    for (unsigned site = 0; site < (unsigned)requests->backend->mesh->sites; site++)
        if (requests->loaded[site])
            site_health_debugger(requests->health, site);
    answer(requests, EXIT_OK, "%s", "");
}

static void take_clock(struct daemon_requests *requests)
{
    const struct backend *backend = requests->backend;
    answer(requests, EXIT_OK, "%llu", (unsigned long long)backend->functions->clock(backend));
}

/* How many sites are in trouble. */
static void take_troubles(struct daemon_requests *requests)
{
    char lines[1];
    answer(requests, EXIT_OK, "%u", site_health_troubles(requests->health, NULL, lines, sizeof lines));
}

/* The one site of a request. False: it names no site of this mesh; the answer has been sent. */
static bool parse_site(struct daemon_requests *requests, const char *text, unsigned *site)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (end == text || *end || number >= (unsigned long)requests->backend->mesh->sites) {
        answer(requests, EXIT_USAGE, "%s: expected a site of this mesh", text);
        return false;
    }
    *site = (unsigned)number;
    return true;
}

/* The client stays connected, as the holder of the line. */
static void lend_line(struct daemon_requests *requests, unsigned site)
{
    static const char good[] = "0\n"; /* EXIT_OK */
    struct backend *backend = requests->backend;
    struct request_client *client = requests->served;
    char error[DAEMON_REQUESTS_MESSAGE_MAX / 2];
    int descriptor, code = backend->functions->lend(backend, site, &descriptor, error, sizeof error);
    if (code != EXIT_OK) {
        answer(requests, code, "%s", error);
        return;
    }
    client->lent = (int)site;
    if (pr_peer_send_descriptor(client->descriptor, good, strlen(good), descriptor) < 0)
        hang_up(requests, client);
    requests->served = NULL;
}

static void take_line(struct daemon_requests *requests, const char *text, const char *path)
{
    struct firmware_image image;
    unsigned site;
    if (!parse_site(requests, text, &site))
        return;
    if (!requests->backend->functions->lend) {
        answer(requests, EXIT_USAGE, "site %u is simulated, and has no serial line", site);
        return;
    }
    if (!read_image(requests, path, &image))
        return;
    firmware_image_free(&image);
    lend_line(requests, site);
}

static void take_tap(struct daemon_requests *requests, const char *text)
{
    struct backend *backend = requests->backend;
    unsigned site;
    if (!parse_site(requests, text, &site))
        return;
    if (!backend->functions->tap_watch || !backend->functions->tap_watch(backend, site)) {
        answer(
            requests, EXIT_USAGE,
            "the words on the links cannot be seen: expected a simulated mesh without board links, of a fabric whose links "
            "can be read");
        return;
    }
    requests->tap_until = pr_client_now() + tap_time;
    answer(requests, EXIT_OK, "%s", "");
}

static int by_head(const void *a, const void *b)
{
    const struct packet_passage *one = a, *other = b;
    return (one->head > other->head) - (one->head < other->head);
}

/* Writes the lines of a packet's passages; what does not fit is left out. */
static void write_passages(struct packet_passage *list, size_t count, char *out, size_t size)
{
    size_t used = 0;
    *out = 0;
    qsort(list, count, sizeof *list, by_head);
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%u %u %llu %llu %u %lu %u\n", list[i].site, list[i].link,
                                 (unsigned long long)list[i].head, (unsigned long long)list[i].terminator, list[i].tag,
                                 (unsigned long)list[i].words, list[i].epoch);
}

/* `group`: NULL, or of the packet, whose number it is then. */
static bool is_passage_of(const struct packet_passage *passage, unsigned site, unsigned long number, const char *group)
{
    if (!group)
        return !passage->of_group && passage->source == site && passage->sequence == number;
    return passage->of_group && passage->group == strtoul(group, NULL, 10) && passage->origin == site &&
           passage->number == number;
}

/* number_text: a number, or a number and the group on the next line. */
static void take_passages(struct daemon_requests *requests, const char *site_text, char *number_text)
{
    static struct packet_passage list[DAEMON_REQUESTS_PASSAGES];
    const struct backend *backend = requests->backend;
    char *group = number_text;
    unsigned long number = strtoul(strsep(&group, "\n"), NULL, 10);
    char text[DAEMON_REQUESTS_MESSAGE_MAX / 2];
    unsigned site;
    size_t count = 0, found = 0;
    if (!parse_site(requests, site_text, &site))
        return;
    const struct packet_passage *all = backend->functions->tap_passages
                                           ? backend->functions->tap_passages(backend, &count)
                                           : NULL;
    for (size_t i = 0; i < count && found < DAEMON_REQUESTS_PASSAGES; i++)
        if (is_passage_of(&all[i], site, number, group))
            list[found++] = all[i];
    write_passages(list, found, text, sizeof text);
    answer(requests, EXIT_OK, "%s", text);
}

static void end_idle_tap(struct daemon_requests *requests)
{
    if (requests->tap_until == 0 || requests->tap_until > pr_client_now())
        return;
    requests->tap_until = 0;
    requests->backend->functions->tap_end(requests->backend);
}

static void take_request(struct daemon_requests *requests, char *text)
{
    char *rest = text, *name = strsep(&rest, "\n"), *sites = strsep(&rest, "\n");
    if (strcmp(name, "load") == 0 && sites && rest)
        take_load(requests, sites, rest);
    else if (strcmp(name, "debugger") == 0 && sites)
        take_debugger(requests, sites);
    else if (strcmp(name, "clock") == 0)
        take_clock(requests);
    else if (strcmp(name, "troubles") == 0)
        take_troubles(requests);
    else if (strcmp(name, "line") == 0 && sites && rest)
        take_line(requests, sites, rest);
    else if (strcmp(name, "tap") == 0 && sites)
        take_tap(requests, sites);
    else if (strcmp(name, "passages") == 0 && sites && rest)
        take_passages(requests, sites, rest);
    else
        answer(requests, EXIT_USAGE, "the daemon does not know this request; it may be of another version");
}

static struct request_client *free_place(struct daemon_requests *requests)
{
    for (unsigned i = 0; i < DAEMON_REQUESTS_CLIENTS; i++)
        if (requests->clients[i].descriptor < 0)
            return &requests->clients[i];
    return NULL;
}

/* Clients of other users are turned away. */
static void accept_waiting(struct daemon_requests *requests)
{
    struct request_client *place = free_place(requests);
    if (!place || requests->deaf_until > pr_client_now())
        return;
    int descriptor = accept4(requests->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0 && errno != EAGAIN && errno != ECONNABORTED)
        requests->deaf_until = pr_client_now() + deaf_time;
    else if (descriptor >= 0 && pr_peer_is_own(descriptor))
        *place = (struct request_client){.descriptor = descriptor, .since = pr_client_now(), .lent = -1};
    else if (descriptor >= 0)
        close(descriptor);
}

static void read_request(struct daemon_requests *requests, struct request_client *client)
{
    char text[DAEMON_REQUESTS_MESSAGE_MAX + 1];
    ssize_t count = recv(client->descriptor, text, DAEMON_REQUESTS_MESSAGE_MAX, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        if (!requests->served && client->lent < 0 && pr_client_now() - client->since > silence_limit)
            hang_up(requests, client);
        return;
    }
    if (count <= 0 || client == requests->served || client->lent >= 0) { /* gone, or talks out of turn */
        hang_up(requests, client);
        return;
    }
    text[count] = 0;
    requests->served = client;
    take_request(requests, text);
}

/* The served client's socket is read in order to detect its end, as are those of clients that have a line. Meanwhile
 * the requests of the other clients wait. */
static bool is_read(const struct daemon_requests *requests, const struct request_client *client)
{
    return client->descriptor >= 0 && (!requests->served || client == requests->served || client->lent >= 0);
}

static bool any_loading(struct daemon_requests *requests)
{
    bool any = false;
    for (unsigned site = 0; site < (unsigned)requests->backend->mesh->sites; site++) {
        requests->loading[site] &= !site_health_settled(requests->health, site);
        any |= requests->loading[site];
    }
    return any;
}

static void answer_loaded(struct daemon_requests *requests, bool started)
{
    char text[DAEMON_REQUESTS_MESSAGE_MAX / 2];
    if (site_health_troubles(requests->health, requests->loaded, text, sizeof text) > 0)
        answer(requests, EXIT_MISMATCH, "%s", text);
    else if (!started)
        answer(requests, EXIT_TIMEOUT,
               "the sites have the image, but not all have started within %g s: the mesh is slow, or "
               "stands still",
               start_limit);
    else
        answer(requests, EXIT_OK, "%s", "");
}

void daemon_requests_step(struct daemon_requests *requests)
{
    accept_waiting(requests);
    end_idle_tap(requests);
    for (unsigned i = 0; i < DAEMON_REQUESTS_CLIENTS; i++)
        if (is_read(requests, &requests->clients[i]))
            read_request(requests, &requests->clients[i]);
    if (!requests->waits)
        return;
    bool loading = any_loading(requests);
    bool rests = !loading && requests->backend->functions->idle(requests->backend);
    if (rests || pr_client_now() - requests->since > (loading ? start_limit : rest_limit))
        answer_loaded(requests, !loading);
}

size_t daemon_requests_poll_prepare(struct daemon_requests *requests, struct pollfd *polls)
{
    bool accepts = free_place(requests) && requests->deaf_until <= pr_client_now();
    size_t count = 0;
    polls[count++] = (struct pollfd){.fd = accepts ? requests->listener : -1, .events = POLLIN};
    for (unsigned i = 0; i < DAEMON_REQUESTS_CLIENTS; i++)
        if (is_read(requests, &requests->clients[i]))
            polls[count++] = (struct pollfd){.fd = requests->clients[i].descriptor, .events = POLLIN};
    return count;
}

/* The time at which a silent client's time is over, or clients can be accepted again. */
static double next_deadline(const struct daemon_requests *requests)
{
    double deadline = requests->deaf_until > pr_client_now() ? requests->deaf_until : INFINITY;
    for (unsigned i = 0; i < DAEMON_REQUESTS_CLIENTS; i++)
        if (requests->clients[i].descriptor >= 0 && requests->clients[i].lent < 0)
            deadline = fmin(deadline, requests->clients[i].since + silence_limit);
    return deadline;
}

int daemon_requests_milliseconds(struct daemon_requests *requests)
{
    double deadline = next_deadline(requests);
    if (requests->waits)
        deadline = requests->since + (any_loading(requests) ? start_limit : rest_limit);
    double left = deadline - pr_client_now();
    if (isinf(left))
        return -1;
    return left > 0 ? (int)(left * 1e3) + 1 : 0;
}

/* Writes the answer to `text`, or the reason why there is none; its descriptor to *descriptor, -1: it has none. */
static int await_answer(int connection, double timeout, char *text, size_t size, int *descriptor)
{
    struct pollfd poll_end = {.fd = connection, .events = POLLIN};
    int found = pr_clock_wait(&poll_end, 1, (int)(timeout * 1e3)), code;
    if (found < 0)
        return EXIT_INTERRUPTED;
    if (found == 0) {
        snprintf(text, size, "no answer within %g s", timeout);
        return EXIT_TIMEOUT;
    }
    ssize_t count = pr_peer_receive_descriptor(connection, text, size - 1, descriptor);
    text[count > 0 ? count : 0] = 0;
    char *line = strchr(text, '\n');
    if (!line || sscanf(text, "%d", &code) != 1) {
        snprintf(text, size, "the daemon has ended");
        return EXIT_TRANSPORT;
    }
    memmove(text, line + 1, strlen(line + 1) + 1);
    return code;
}

/* One request and its answer. The connection stays open if a descriptor has come. */
static int ask(const char *directory, const char *request, double timeout, char *text, size_t size,
               struct daemon_requests_line *line)
{
    struct sockaddr_un address;
    int code = EXIT_TRANSPORT;
    line->descriptor = -1;
    if (!pr_run_directory_address(directory, socket_name, &address, text, size))
        return EXIT_USAGE;
    line->connection = pr_peer_connect(&address, SOCK_SEQPACKET, text, size);
    if (line->connection < 0)
        return code;
    if (send(line->connection, request, strlen(request), MSG_NOSIGNAL) < 0)
        snprintf(text, size, "%s: %s", address.sun_path, strerror(errno));
    else
        code = await_answer(line->connection, timeout, text, size, &line->descriptor);
    if (line->descriptor < 0)
        close(line->connection);
    return code;
}

int daemon_requests_ask(const char *directory, const char *request, double timeout, char *text, size_t size)
{
    struct daemon_requests_line line;
    int code = ask(directory, request, timeout, text, size, &line);
    if (line.descriptor >= 0)
        daemon_requests_return(&line);
    return code;
}

int daemon_requests_borrow(const char *directory, unsigned site, const char *elf, double timeout,
                           struct daemon_requests_line *out, char *text, size_t size)
{
    char request[PATH_MAX + 32];
    double end = pr_client_now() + timeout;
    sigset_t none;
    int code;
    sigemptyset(&none);
    snprintf(request, sizeof request, "line\n%u\n%s", site, elf);
    while ((code = ask(directory, request, timeout, text, size, out)) == EXIT_TIMEOUT && pr_client_now() < end)
        if (ppoll(NULL, 0, &borrow_pause, &none) < 0)
            return EXIT_INTERRUPTED;
    return code;
}

void daemon_requests_return(struct daemon_requests_line *line)
{
    close(line->descriptor);
    close(line->connection);
}

bool daemon_requests_clock(const char *directory, uint64_t *clock)
{
    char text[DAEMON_REQUESTS_MESSAGE_MAX];
    if (daemon_requests_ask(directory, "clock", silence_limit, text, sizeof text) != EXIT_OK)
        return false;
    *clock = strtoull(text, NULL, 10);
    return *clock != 0;
}
