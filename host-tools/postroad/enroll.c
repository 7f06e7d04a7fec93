/* postroad enroll: writes a testbed file from the boards that are plugged in, all at once or one after the other.
 *
 * Devices are listed again a few times a second, which needs no running udevd, whose events a container does not have.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/report.h"
#include "cli/signals.h"
#include "postroad/held_boards.h"
#include "postroad/verbs.h"
#include "support/or_abort.h"
#include "support/output_file.h"
#include "testbed/board_match.h"
#include "testbed/console_rates.h"
#include "testbed/enrolment.h"

#include "libpostroad/client.h"
#include "libpostroad/clock.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ERROR_SIZE = 2048, TYPES_SIZE = 256, LINE_SIZE = 64, LOOK_MS = 250 };

struct enroll_options {
    struct options common;
    const char *output, *type, *ports;
    bool scan, force;
};

struct session {
    const struct enroll_options *options;
    struct mesh_config mesh;
    struct board_confs confs;
    struct enrolment enrolment;
    struct usb_list list; /* what is plugged in now */
    bool asks;            /* there is a person at a terminal */
};

static int look(struct session *session)
{
    char error[ERROR_SIZE];
    usb_list_free(&session->list);
    if (usb_scan(&session->list, error, sizeof error) == 0)
        return EXIT_OK;
    return report_failure(EXIT_TRANSPORT, "enroll", "%s", error);
}

/* ---- questions ---- */

/* Reads an answer into `line`, "" for just the return key. EXIT_INTERRUPTED on a signal or at the end of the input. */
static int read_answer(char *line)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    sigset_t none;
    sigemptyset(&none);
    fflush(stderr);
    if (ppoll(&input, 1, NULL, &none) < 0 || !fgets(line, LINE_SIZE, stdin))
        return EXIT_INTERRUPTED;
    line[strcspn(line, "\n")] = 0;
    return EXIT_OK;
}

static int type_number(const struct session *session, const char *name)
{
    for (unsigned i = 0; i < session->confs.count; i++)
        if (strcmp(session->confs.names[i], name) == 0)
            return (int)i;
    return -1;
}

static bool type_fits(const struct session *session, const struct usb_device *device, const char *name)
{
    int type = type_number(session, name);
    return type >= 0 && board_match_fits(device, &session->confs.confs[type]);
}

/* The type of the device: the only one that fits, that of --type, or the answer to a question. */
static int choose_type(const struct session *session, const struct usb_device *device, int *out)
{
    char types[TYPES_SIZE], answer[LINE_SIZE] = "";
    unsigned count = board_confs_fitting(&session->confs, device, types, sizeof types);
    const char *asked = session->options->type;
    if (count == 1 && !asked)
        asked = types;
    while (!asked && session->asks && !type_fits(session, device, answer)) {
        fprintf(stderr, "Which type is the board at port %s (%s)? %s: ", device->path, device->product_name, types);
        int status = read_answer(answer);
        if (status != EXIT_OK)
            return status;
    }
    *out = type_number(session, asked ? asked : answer);
    if (*out >= 0 && board_match_fits(device, &session->confs.confs[*out]))
        return EXIT_OK;
    if (asked)
        report_error("enroll", "the device at port %s is %04x:%04x, which is no %s, expected --type=%s", device->path,
                     device->vendor, device->product, asked, types);
    else
        report_error("enroll", "the device at port %s may be %s: expected --type", device->path, types);
    return EXIT_USAGE;
}

static int choose_site(const struct session *session, const struct usb_device *device, unsigned side, long *out)
{
    const struct enrolment *enrolment = &session->enrolment;
    char answer[LINE_SIZE];
    *out = enrolment_next_site(enrolment, side);
    if (*out < 0)
        return report_failure(EXIT_USAGE, "enroll",
                              "no site is left for the board at port %s, expected boards for %d sites", device->path,
                              session->mesh.sites);
    while (session->asks) {
        fprintf(stderr, "Board at port %s, %s%s. Which site is it? [%ld] ", device->path,
                *device->serial ? "serial " : "no serial", device->serial, *out);
        int status = read_answer(answer);
        if (status != EXIT_OK || !*answer)
            return status;
        if (options_number(answer, 0, session->mesh.sites - 1, out) && enrolment_is_free(enrolment, *out, side))
            return EXIT_OK;
        *out = enrolment_next_site(enrolment, side);
        fprintf(stderr, "That is no free site of 0 to %d.\n", session->mesh.sites - 1);
    }
    return EXIT_OK;
}

static int take(struct session *session, const struct usb_device *device)
{
    int type = 0;
    long site = 0;
    int status = choose_type(session, device, &type);
    if (status != EXIT_OK)
        return status;
    unsigned side = session->confs.confs[type].side;
    status = choose_site(session, device, side, &site);
    if (status != EXIT_OK)
        return status;
    enrolment_add(&session->enrolment, device, session->confs.names[type], (unsigned)site, side);
    report_note(&session->options->common, "site %ld: %s at port %s, %s%s", site, session->confs.names[type],
                device->path, *device->serial ? "serial " : "no serial", device->serial);
    return EXIT_OK;
}

static bool is_complete(const struct session *session)
{
    return session->enrolment.bound == (unsigned)session->mesh.sites;
}

/* ---- which devices ---- */

static bool may_be_board(const struct session *session, const struct usb_device *device)
{
    char types[TYPES_SIZE];
    if (session->options->type)
        return type_fits(session, device, session->options->type);
    return board_confs_fitting(&session->confs, device, types, sizeof types) > 0;
}

/* --ports: exactly these, in this order. */
static int take_ports(struct session *session)
{
    char ports[PATH_MAX], *rest;
    snprintf(ports, sizeof ports, "%s", session->options->ports);
    for (char *port = strtok_r(ports, ",", &rest); port; port = strtok_r(NULL, ",", &rest)) {
        const struct usb_device *device = usb_list_at(&session->list, port);
        if (!device || !may_be_board(session, device))
            return report_failure(EXIT_TRANSPORT, "enroll",
                                  "--ports: %s at port %s, expected a board: see postroad boards",
                                  device ? "another device" : "nothing", port);
        for (unsigned i = 0; i < session->enrolment.count; i++)
            if (strcmp(session->enrolment.boards[i].device.path, port) == 0)
                return report_failure(EXIT_USAGE, "enroll", "--ports: %s is there twice, expected each port once",
                                      port);
        int status = take(session, device);
        if (status != EXIT_OK)
            return status;
    }
    return EXIT_OK;
}

/* --scan: all, in the order of their ports. */
static int take_all(struct session *session)
{
    for (size_t i = 0; i < session->list.count; i++) {
        int status = may_be_board(session, &session->list.devices[i]) ? take(session, &session->list.devices[i])
                                                                      : EXIT_OK;
        if (status != EXIT_OK)
            return status;
    }
    return EXIT_OK;
}

/* A device of the list that was not in the one before; NULL: none. */
static const struct usb_device *newcomer(const struct session *session, const struct usb_list *before)
{
    for (size_t i = 0; i < session->list.count; i++) {
        const struct usb_device *device = &session->list.devices[i], *old = usb_list_at(before, device->path);
        if ((!old || old->device != device->device) && may_be_board(session, device))
            return device;
    }
    return NULL;
}

/* Looks again in a moment. EXIT_INTERRUPTED on a signal. */
static int look_again(struct session *session)
{
    return pr_clock_wait(NULL, 0, LOOK_MS) < 0 ? EXIT_INTERRUPTED : look(session);
}

/* Waits for the next board, and once more, because udev makes a device's nodes a moment after the device. */
static int await_board(struct session *session, const struct usb_device **out)
{
    const struct options *options = &session->options->common;
    double limit = options->timeout, started = pr_client_now();
    struct usb_list before = session->list;
    int status = EXIT_OK;
    session->list = (struct usb_list){0};
    report_note(options, "%u of %d sites have a board: plug in the next one ...", session->enrolment.bound,
                session->mesh.sites);
    for (*out = NULL; status == EXIT_OK && !*out;) {
        status = look_again(session);
        if (status == EXIT_OK && newcomer(session, &before))
            status = look_again(session);
        *out = newcomer(session, &before);
        if (status == EXIT_OK && !*out && pr_client_now() - started > limit) {
            report_error("enroll", "no new board within %g s, nothing is written", limit);
            status = EXIT_TIMEOUT;
        }
    }
    usb_list_free(&before);
    return status;
}

/* The board that was enrolled before and has been plugged in again, -1: it is a new one. A sibling with the same serial
 * is new as long as the first one stays where it was. */
static int enrolled_before(const struct session *session, const struct usb_device *device)
{
    for (unsigned i = 0; i < session->enrolment.count; i++) {
        const struct usb_device *old = &session->enrolment.boards[i].device;
        const struct usb_device *there = usb_list_at(&session->list, old->path);
        bool stays = there && there != device && strcmp(there->serial, old->serial) == 0;
        if (*device->serial && strcmp(device->serial, old->serial) == 0 && !stays)
            return (int)session->enrolment.boards[i].site;
    }
    return -1;
}

static int take_one_by_one(struct session *session)
{
    int status = EXIT_OK;
    for (size_t i = 0; i < session->list.count; i++)
        if (may_be_board(session, &session->list.devices[i]))
            report_note(&session->options->common,
                        "the device at port %s is plugged in already and does not count; --scan takes all",
                        session->list.devices[i].path);
    while (status == EXIT_OK && !is_complete(session)) {
        const struct usb_device *device;
        status = await_board(session, &device);
        int before = status == EXIT_OK ? enrolled_before(session, device) : -1;
        if (before >= 0)
            report_note(&session->options->common, "the board at port %s is that of site %d again", device->path,
                        before);
        else if (status == EXIT_OK)
            status = take(session, device);
    }
    return status;
}

/* ---- the file ---- */

/* The name of the .mesh file as the testbed has it: beside it, or from the root. */
static bool name_mesh(const struct session *session, char out[PATH_MAX])
{
    const char *mesh = session->options->common.operands[0], *file = session->options->output;
    const char *mesh_slash = strrchr(mesh, '/'), *file_slash = strrchr(file, '/');
    size_t mesh_folder = mesh_slash ? (size_t)(mesh_slash + 1 - mesh) : 0;
    size_t file_folder = file_slash ? (size_t)(file_slash + 1 - file) : 0;
    if (mesh_folder == file_folder && strncmp(mesh, file, mesh_folder) == 0)
        return snprintf(out, PATH_MAX, "%s", mesh + mesh_folder) < PATH_MAX;
    return realpath(mesh, out) != NULL;
}

static void tell_rate(void *context, const char *board, int baud, int expected)
{
    const struct session *session = context;
    report_note(
        &session->options->common,
        "board %s answers at %d baud, not at %d: write `baud = %d` into [board %s] of the file, or flash the board",
        board, baud, expected, baud, board);
}

static int save(const struct session *session, const char *text, size_t length)
{
    char error[ERROR_SIZE];
    struct output_file output;
    if (output_file_open(&output, session->options->output, error, sizeof error) == 0) {
        fwrite(text, 1, length, output.file);
        if (output_file_close(&output, error, sizeof error) == 0)
            return EXIT_OK;
    }
    return report_failure(EXIT_TRANSPORT, "enroll", "%s", error);
}

/* Writes the text, if it reads as a testbed. Boards that have been written before answer, perhaps at another rate. */
static int write_text(struct session *session, const char *text, size_t length)
{
    char error[ERROR_SIZE];
    struct testbed testbed;
    if (testbed_parse(session->options->output, text, length, &testbed, error, sizeof error) != 0)
        return report_failure(EXIT_USAGE, "enroll", "these boards make no testbed, nothing is written: %s", error);
    int status = save(session, text, length);
    if (status == EXIT_OK)
        console_rates_look(&testbed, tell_rate, session);
    testbed_free(&testbed);
    return status;
}

static int write_file(struct session *session)
{
    char mesh[PATH_MAX], error[ERROR_SIZE], *text = NULL;
    size_t length = 0;
    if (enrolment_settle(&session->enrolment, &session->list, error, sizeof error) != 0)
        return report_failure(EXIT_TRANSPORT, "enroll", "%s", error);
    FILE *memory = or_abort(open_memstream(&text, &length));
    if (!name_mesh(session, mesh))
        abort();
    enrolment_write(&session->enrolment, mesh, memory);
    fclose(memory);
    int status = write_text(session, text, length);
    free(text);
    return status;
}

static void print_result(const struct session *session)
{
    const struct enroll_options *options = session->options;
    cJSON *object = options->common.json ? report_object("enroll") : NULL;
    cJSON *boards = object ? cJSON_AddArrayToObject(object, "boards") : NULL;
    for (unsigned i = 0; i < session->enrolment.count; i++) {
        const struct enrolled_board *board = &session->enrolment.boards[i];
        const char *serial = board->serial_counts ? board->device.serial : "";
        const char *path = board->path_counts ? board->device.path : "";
        if (!boards) {
            printf("n%u: site %u, %s, serial %s, port %s\n", board->site, board->site, board->type,
                   *serial ? serial : "-", *path ? path : "-");
            continue;
        }
        cJSON *one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "site", board->site);
        cJSON_AddStringToObject(one, "type", board->type);
        cJSON_AddStringToObject(one, "serial", serial);
        cJSON_AddStringToObject(one, "path", path);
        cJSON_AddItemToArray(boards, one);
    }
    if (object) {
        cJSON_AddStringToObject(object, "file", options->output);
        report_print(object, false);
    }
}

/* ---- the verb ---- */

static int begin(struct session *session)
{
    const struct enroll_options *options = session->options;
    char error[ERROR_SIZE] = "";
    if (!options->output)
        report_error("enroll", "expected --output=TESTBED, the file to write");
    else if (access(options->output, F_OK) == 0 && !options->force)
        report_error("enroll", "%s is there already, expected a new name, or --force", options->output);
    else if (mesh_config_load(options->common.operands[0], &session->mesh, error, sizeof error) != 0 ||
             board_confs_load(&session->confs, error, sizeof error) != 0)
        report_error("enroll", "%s", error);
    else if (session->mesh.sites > TESTBED_BOARDS || !session->mesh.board_links)
        report_error("enroll", "%s: expected a mesh of boards, [links] board = yes, of at most %d sites",
                     session->mesh.path, TESTBED_BOARDS);
    else if (options->type && type_number(session, options->type) < 0)
        report_error("enroll", "--type %s: expected a folder of boards/", options->type);
    else {
        held_boards_find(&options->common);
        return look(session);
    }
    return EXIT_USAGE;
}

static int enroll(struct session *session)
{
    int status = begin(session);
    signals_end_waits();
    if (status == EXIT_OK && session->options->ports)
        status = take_ports(session);
    else if (status == EXIT_OK && session->options->scan)
        status = take_all(session);
    else if (status == EXIT_OK)
        status = take_one_by_one(session);
    if (status == EXIT_OK && !is_complete(session)) {
        report_error("enroll", "%u of %d sites have a board, nothing is written", session->enrolment.bound,
                     session->mesh.sites);
        status = EXIT_TRANSPORT;
    }
    if (status == EXIT_OK)
        status = write_file(session);
    if (status == EXIT_OK)
        print_result(session);
    return status;
}

static int run(const struct options *common)
{
    struct session *session = or_abort(calloc(1, sizeof *session));
    session->options = (const struct enroll_options *)common;
    session->asks = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    session->enrolment.mesh = &session->mesh;
    int status = enroll(session);
    usb_list_free(&session->list);
    free(session);
    return status;
}

static const struct option_row rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .argument = "TESTBED",
     OPTION_FIELD(struct enroll_options, output),
     .expected = "the name of a file",
     .file = FILE_WRITTEN,
     .words = "@file",
     .help = "the file to write, which has to be named"},
    {.name = "scan",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct enroll_options, scan),
     .help = "take the boards that are plugged in, in the order of their ports"},
    {.name = "ports",
     .kind = OPTION_TEXT,
     .argument = "PORT,...",
     OPTION_FIELD(struct enroll_options, ports),
     .expected = "ports as postroad boards prints them",
     .help = "take the boards at these ports, in this order"},
    {.name = "type",
     .kind = OPTION_TEXT,
     .argument = "TYPE",
     OPTION_FIELD(struct enroll_options, type),
     .expected = "a folder of boards/",
     .help = "the type of all boards, where USB ids fit several types"},
    {.name = "force", .kind = OPTION_FLAG, OPTION_FIELD(struct enroll_options, force), .help = "replace the file"},
    {OPTION_TIMEOUT, .initial = "120", .help = "give up when no further board is plugged in for so long"},
    {.name = NULL},
};

static const char manual[] =
    "Writes a testbed file: which board is which site of the mesh. Plug in the boards one after the other: each new one "
    "gets the next site, or at a terminal the one that you answer. `--scan` takes all that are plugged in, and `--ports` "
    "those at some ports. Without a terminal nothing is asked, and sites are given in turn.\n"
    "The file has the port of each board, and its serial number if no other device has the same one. It appears whole "
    "or not at all, after it was read back, and replaces no file without `--force`. Boards that answer at another rate "
    "than the file says are named.";

static const struct json_key keys[] = {
    {"boards[].site", "site", "its site, of several the one in the south-west"},
    {"boards[].type", "text", "its type"},
    {"boards[].serial", "text", "serial number; empty: none of its own"},
    {"boards[].path", "text", "the port; empty: several boards were plugged in there"},
    {"file", "text", "the file that was written"},
    {NULL, NULL, NULL},
};

const struct verb verb_enroll = {
    .name = "enroll",
    .operands = "FILE.mesh",
    .summary = "Writes a testbed file from the boards that you plug in.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = 1,
    .operand_words = {"@mesh-file"},
    .common = COMMON_JSON | COMMON_QUIET,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct enroll_options),
    .run = run,
};
