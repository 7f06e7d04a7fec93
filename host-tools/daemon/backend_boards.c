/* See backend_boards.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "daemon/backend_boards.h"

#include "daemon/backend.h"
#include "daemon/board_line.h"

#include "cli/gateway.h"
#include "cli/site_set.h"
#include "libpostroad/client.h"
#include "mesh/mesh.h"
#include "support/or_abort.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { LIST_SIZE = 256 };

/* Seconds without a byte after which a console counts as silent: a frame may come in pieces. */
static const double silence_time = 0.05;

struct boards {
    struct backend backend; /* first */
    struct mesh_config mesh;
    struct pr_site_identity model; /* what all nodes agree on is taken from this one */
    unsigned count;
    struct board_line *lines;
    struct board_line **of_site; /* NULL: none has been found yet, or the site has no console */
    bool has_testbed;
};

/* Complaints, one a line; the exit code is that of the first. */
struct complaints {
    char *text;
    size_t size, used;
    enum exit_code code;
};

static void complain(struct complaints *complaints, enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void complain(struct complaints *complaints, enum exit_code code, const char *format, ...)
{
    char line[BOARD_REASON_SIZE + 128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (complaints->code == EXIT_OK)
        complaints->code = code;
    int length = snprintf(complaints->text + complaints->used, complaints->size - complaints->used, "%s%s",
                          complaints->used ? "\n" : "", line);
    if ((size_t)length < complaints->size - complaints->used)
        complaints->used += (size_t)length;
    else
        complaints->text[complaints->used] = 0;
}

static struct boards *boards_of(struct backend *backend)
{
    return (struct boards *)backend;
}

/* NULL: the site has no console. */
static struct board_line *line_of(const struct backend *backend, unsigned site)
{
    return ((const struct boards *)backend)->of_site[site];
}

static size_t console_read(struct backend *backend, unsigned site, uint8_t *bytes, size_t length)
{
    struct board_line *line = line_of(backend, site);
    return line ? board_line_read(line, bytes, length) : 0;
}

/* Bytes for a lost board are dropped. Otherwise their requests would take effect when the board returns much later. */
static size_t console_write(struct backend *backend, unsigned site, const uint8_t *bytes, size_t length)
{
    struct board_line *line = line_of(backend, site);
    return line && line->state == BOARD_SERVES ? board_line_write(line, bytes, length) : length;
}

static size_t poll_room(const struct backend *backend)
{
    return ((const struct boards *)backend)->count;
}

static size_t poll_prepare(struct backend *backend, struct pollfd *polls)
{
    const struct boards *boards = boards_of(backend);
    for (unsigned i = 0; i < boards->count; i++)
        polls[i] = board_line_poll(&boards->lines[i]);
    return boards->count;
}

/* True if two identities belong to the same mesh. */
static bool same_mesh(const struct pr_site_identity *a, const struct pr_site_identity *b)
{
    return a->mesh_hash == b->mesh_hash && a->topology == b->topology && a->size_x == b->size_x &&
           a->size_y == b->size_y && a->word_width == b->word_width && a->reliable == b->reliable;
}

static bool is_node(const struct pr_site_identity *identity)
{
    struct mesh_config mesh;
    return gateway_mesh(identity, &mesh);
}

/* A lost line has received an identity again. */
static void readmit(struct boards *boards, struct board_line *line, unsigned site)
{
    char label[BOARD_LABEL_SIZE];
    const char *name = board_line_label(line, label);
    if (!is_node(&line->identity))
        board_line_drop(line, EXIT_TRANSPORT, "%s: answers, but not as a node of this kit (signature 0x%08x)", name,
                        (unsigned)line->identity.signature);
    else if (!same_mesh(&line->identity, &boards->model))
        board_line_drop(line, EXIT_MISMATCH, "%s has a node of another mesh now (.mesh hash 0x%08x, expected 0x%08x)",
                        name, (unsigned)line->identity.mesh_hash, (unsigned)boards->model.mesh_hash);
    else if (line->identity.site != site)
        board_line_drop(line, EXIT_MISMATCH, "%s has site %u now", name, (unsigned)line->identity.site);
    else {
        board_line_serve(line);
        boards->backend.reset_hook(boards->backend.reset_context, site, true);
    }
}

static void poll_handle(struct backend *backend, const struct pollfd *polls, size_t count)
{
    struct boards *boards = boards_of(backend);
    (void)polls;
    (void)count;
    for (struct board_line *line = boards->lines; line < boards->lines + boards->count; line++) {
        if (line->state != BOARD_SERVES)
            board_line_step(line);
        if (line->state == BOARD_ANSWERED)
            readmit(boards, line, line->console.site);
    }
}

/* Seconds until every console has been silent for long enough. */
static double noise_left(const struct boards *boards)
{
    double last = -INFINITY;
    for (unsigned i = 0; i < boards->count; i++)
        last = fmax(last, boards->lines[i].state == BOARD_SERVES ? boards->lines[i].read_last : -INFINITY);
    return fmax(last + silence_time - pr_client_now(), 0);
}

static bool idle(struct backend *backend)
{
    return noise_left(boards_of(backend)) <= 0;
}

static void run(struct backend *backend)
{
    (void)backend; /* boards run by themselves */
}

static int waits(struct backend *backend)
{
    return (int)ceil(1e3 * noise_left(boards_of(backend)));
}

static int milliseconds_to(double due)
{
    double left = due - pr_client_now();
    return isinf(due) ? -1 : left > 0 ? (int)(1e3 * left) + 1 : 0;
}

static double first_due(const struct boards *boards)
{
    double due = INFINITY;
    for (unsigned i = 0; i < boards->count; i++)
        due = fmin(due, board_line_due(&boards->lines[i]));
    return due;
}

static int idle_begin(struct backend *backend)
{
    return milliseconds_to(first_due(boards_of(backend)));
}

static void idle_end(struct backend *backend, double seconds)
{
    (void)backend;
    (void)seconds;
}

static uint64_t mesh_clock(const struct backend *backend)
{
    (void)backend;
    return 0;
}

static void describe_time(const struct backend *backend, char *out, size_t size)
{
    time_t now = time(NULL);
    struct tm local;
    (void)backend;
    if (!localtime_r(&now, &local) || !strftime(out, size, "at %Y-%m-%d %H:%M:%S", &local))
        *out = 0;
}

static void look(struct backend *backend, unsigned site, struct backend_site *out)
{
    const struct board_line *line = line_of(backend, site);
    bool serves = !line || line->state == BOARD_SERVES;
    *out = (struct backend_site){.board = line ? line->console.name : "",
                                 .lost = serves ? NULL : line->reason,
                                 .end_reason = "",
                                 .at_rest = serves,
                                 .slice_seconds = -1};
}

static bool has_console(const struct backend *backend, unsigned site)
{
    return line_of(backend, site) != NULL;
}

static bool debugged(const struct backend *backend, unsigned site, bool *mesh_waits)
{
    (void)backend;
    (void)site;
    return *mesh_waits = false;
}

static bool locate(const struct backend *backend, unsigned site, uint32_t *pc, uint32_t *return_address)
{
    (void)backend;
    (void)site;
    *pc = *return_address = 0;
    return false;
}

static const char *load_refusal(const struct backend *backend, unsigned site, bool *hex)
{
    (void)backend;
    (void)site;
    *hex = false;
    return "is a board: its firmware comes over the mesh (postroad load) or from its flash, and not from the daemon";
}

/* This function is never called, since load_refusal refuses every image. */
static int load(struct backend *backend, unsigned site, const char *elf, const char *hex, char *error,
                size_t error_size)
{
    bool takes_hex;
    (void)elf;
    (void)hex;
    snprintf(error, error_size, "site %u %s", site, load_refusal(backend, site, &takes_hex));
    return -1;
}

static int lend(struct backend *backend, unsigned site, int *descriptor, char *error, size_t error_size)
{
    struct board_line *line = line_of(backend, site);
    if (!line) {
        snprintf(error, error_size, "site %u has no console", site);
        return EXIT_USAGE;
    }
    bool lent = line->state == BOARD_LENT;
    *descriptor = lent ? -1 : board_line_lend(line);
    if (*descriptor >= 0)
        return EXIT_OK;
    snprintf(error, error_size, "%s", line->reason);
    return lent ? EXIT_TRANSPORT : EXIT_TIMEOUT;
}

static void take_back(struct backend *backend, unsigned site)
{
    board_line_take_back(line_of(backend, site));
}

static void destroy(struct backend *backend)
{
    struct boards *boards = boards_of(backend);
    for (unsigned i = 0; i < boards->count; i++)
        board_line_close(&boards->lines[i]);
    free(boards->lines);
    free(boards->of_site);
    free(boards);
}

static const struct backend_functions functions = {
    .console_read = console_read,
    .console_write = console_write,
    .poll_room = poll_room,
    .poll_prepare = poll_prepare,
    .poll_handle = poll_handle,
    .idle = idle,
    .run = run,
    .waits = waits,
    .idle_begin = idle_begin,
    .idle_end = idle_end,
    .clock = mesh_clock,
    .describe_time = describe_time,
    .look = look,
    .has_console = has_console,
    .debugged = debugged,
    .locate = locate,
    .load_refusal = load_refusal,
    .load = load,
    .lend = lend,
    .take_back = take_back,
    .destroy = destroy,
};

/* Finds two names of one device. The second line would be refused as in use, by this very process. */
static void check_devices(const struct boards *boards, struct complaints *complaints)
{
    for (unsigned i = 0; i < boards->count; i++)
        for (unsigned j = i + 1; j < boards->count; j++) {
            const char *one = boards->lines[i].console.place, *other = boards->lines[j].console.place;
            struct stat a, b;
            if (stat(one, &a) == 0 && stat(other, &b) == 0 && S_ISCHR(a.st_mode) && a.st_dev == b.st_dev &&
                a.st_ino == b.st_ino)
                complain(complaints, EXIT_USAGE, "%s and %s are the same serial line", one, other);
        }
}

static bool any_starting(const struct boards *boards)
{
    for (unsigned i = 0; i < boards->count; i++)
        if (board_line_is_starting(&boards->lines[i]))
            return true;
    return false;
}

/* Opens all lines, then requests all nodes' identities at once. */
static void ask_all(struct boards *boards, struct complaints *complaints)
{
    struct pollfd *polls = or_abort(calloc(boards->count, sizeof *polls));
    for (unsigned i = 0; i < boards->count; i++)
        board_line_step(&boards->lines[i]);
    while (any_starting(boards)) {
        poll(polls, (nfds_t)poll_prepare(&boards->backend, polls), milliseconds_to(first_due(boards)));
        for (unsigned i = 0; i < boards->count; i++)
            if (board_line_is_starting(&boards->lines[i]))
                board_line_step(&boards->lines[i]);
    }
    free(polls);
    for (unsigned i = 0; i < boards->count; i++) {
        const struct board_line *line = &boards->lines[i];
        char label[BOARD_LABEL_SIZE];
        if (line->state == BOARD_LOST)
            complain(complaints, line->failure, "%s", line->reason);
        else if (!is_node(&line->identity))
            complain(complaints, EXIT_TRANSPORT, "%s: answers, but not as a node of this kit (signature 0x%08x)",
                     board_line_label(line, label), (unsigned)line->identity.signature);
    }
}

/* Each node of a testbed is the site that the file has at its board, of the mesh that the file names. */
static void check_testbed(const struct boards *boards, unsigned mesh_hash, struct complaints *complaints)
{
    for (unsigned i = 0; i < boards->count; i++) {
        const struct board_line *line = &boards->lines[i];
        const struct pr_site_identity *one = &line->identity;
        char label[BOARD_LABEL_SIZE];
        board_line_label(line, label);
        if (one->mesh_hash != mesh_hash)
            complain(complaints, EXIT_MISMATCH,
                     "%s: its node has another mesh (.mesh hash 0x%08x, expected 0x%08x): postroad flash mends it",
                     label, (unsigned)one->mesh_hash, mesh_hash);
        else if (one->site != line->console.site)
            complain(complaints, EXIT_MISMATCH, "%s: its node is site %u, expected site %u: postroad flash mends it",
                     label, (unsigned)one->site, line->console.site);
    }
}

/* The number of nodes in the same mesh as the node of a line. */
static unsigned agreeing(const struct boards *boards, const struct board_line *line)
{
    unsigned count = 0;
    for (unsigned i = 0; i < boards->count; i++)
        count += same_mesh(&boards->lines[i].identity, &line->identity);
    return count;
}

/* The mesh is the one that most nodes belong to; of two equally frequent meshes, that of the first node. */
static void choose_mesh(struct boards *boards, struct complaints *complaints)
{
    const struct board_line *best = &boards->lines[0];
    for (unsigned i = 1; i < boards->count; i++)
        if (agreeing(boards, &boards->lines[i]) > agreeing(boards, best))
            best = &boards->lines[i];
    boards->model = best->identity;
    gateway_mesh(&boards->model, &boards->mesh);
    boards->mesh.clock_hz = boards->model.clock_hz;
    boards->mesh.ram_bytes = boards->model.ram_bytes;
    boards->mesh.max_packet = boards->model.max_packet;
    boards->mesh.reliable = boards->model.reliable;
    for (unsigned i = 0; i < boards->count; i++) {
        const struct pr_site_identity *one = &boards->lines[i].identity;
        if (!same_mesh(one, &boards->model))
            complain(complaints, EXIT_MISMATCH,
                     "%s: site %u of another mesh (.mesh hash 0x%08x), expected the mesh of %s (.mesh hash 0x%08x)",
                     boards->lines[i].console.place, (unsigned)one->site, (unsigned)one->mesh_hash, best->console.place,
                     (unsigned)boards->model.mesh_hash);
    }
}

static void check_missing(const struct boards *boards, struct complaints *complaints)
{
    struct site_set missing = {.sites = or_abort(calloc((size_t)boards->mesh.sites, sizeof *missing.sites))};
    char text[LIST_SIZE];
    for (int site = 0; site < boards->mesh.sites; site++)
        if (!boards->of_site[site])
            missing.sites[missing.count++] = (uint16_t)site;
    site_set_text(&missing, text, sizeof text);
    if (missing.count)
        complain(complaints, EXIT_MISMATCH, "no line leads to site%s %s, of %d sites of this mesh",
                 missing.count == 1 ? "" : "s", text, boards->mesh.sites);
    site_set_free(&missing);
}

/* Every node's number is below the number of sites: gateway_mesh has checked it. */
static void place_sites(struct boards *boards, struct complaints *complaints)
{
    boards->of_site = or_abort(calloc((size_t)boards->mesh.sites, sizeof(struct board_line *)));
    for (unsigned i = 0; i < boards->count; i++) {
        struct board_line *line = &boards->lines[i];
        if (!same_mesh(&line->identity, &boards->model))
            continue;
        struct board_line **place = &boards->of_site[line->identity.site];
        if (*place)
            complain(complaints, EXIT_MISMATCH, "site %u twice: %s and %s", (unsigned)line->identity.site,
                     (*place)->console.place, line->console.place);
        *place = line;
        line->console.site = line->identity.site;
    }
    if (!boards->has_testbed)
        check_missing(boards, complaints);
}

struct backend *backend_boards_create(const struct board_consoles *consoles, enum exit_code *code, char *error,
                                      size_t error_size)
{
    struct complaints complaints = {.text = error, .size = error_size, .code = EXIT_OK};
    struct boards *boards = or_abort(calloc(1, sizeof *boards));
    boards->lines = or_abort(calloc(consoles->count, sizeof *boards->lines));
    *error = 0;
    boards->count = consoles->count;
    boards->has_testbed = consoles->has_testbed;
    for (unsigned i = 0; i < consoles->count; i++)
        board_line_init(&boards->lines[i], &consoles->consoles[i], consoles->answer_time);
    check_devices(boards, &complaints);
    if (complaints.code == EXIT_OK)
        ask_all(boards, &complaints);
    if (complaints.code == EXIT_OK && consoles->has_testbed)
        check_testbed(boards, consoles->mesh_hash, &complaints);
    if (complaints.code == EXIT_OK) {
        choose_mesh(boards, &complaints);
        place_sites(boards, &complaints);
    }
    boards->backend = (struct backend){.functions = &functions, .mesh = &boards->mesh};
    *code = complaints.code;
    if (complaints.code != EXIT_OK) {
        destroy(&boards->backend);
        return NULL;
    }
    for (unsigned i = 0; i < boards->count; i++)
        board_line_serve(&boards->lines[i]);
    return &boards->backend;
}
