/* postroad gdb: becomes gdb, attached to a site's QEMU, with the symbols of the site's firmware and the commands of
 * postroad.gdb. A lock shows the daemon that a debugger is attached, for as long as gdb lives
 * (sim/qemu/qemu_debugger.h).
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/gateway.h"
#include "cli/report.h"
#include "cli/signals.h"
#include "daemon/daemon_requests.h"
#include "postroad/verbs.h"

#include "libpostroad/run_directory.h"
#include "qemu/qemu_debugger.h"
#include "support/install_paths.h"
#include "support/or_abort.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { OWN_ARGUMENTS = 10 };

struct gdb_options {
    struct options common;
    bool halt_mesh;
};

static const char program[] = "gdb-multiarch", commands[] = "/postroad.gdb";
static const double answer_time = 1; /* seconds */

/* True if the site's QEMU exists: its gdb server has a socket. */
static int find_qemu(struct gateway *gateway, int site, char *out, size_t size)
{
    struct pr_client *client;
    int status = gateway_connect(gateway, site, &client);
    if (status != EXIT_OK)
        return status;
    pr_client_destroy(client);
    snprintf(out, size, "%s/qemu-%d.gdb", gateway->endpoint.path, site);
    if (access(out, F_OK) == 0)
        return EXIT_OK;
    return report_failure(
        EXIT_USAGE, "gdb",
        "site %d has no QEMU to attach to: expected one started with `postroad up --nodes qemu` that has not "
        "ended (%s/log)",
        site, gateway->endpoint.path);
}

/* gdb inherits the lock, which is released when gdb ends. */
static int lock_debugger(const struct options *options, const struct gateway *gateway, int site)
{
    char path[PR_RUN_DIRECTORY_SIZE + 32];
    const struct gdb_options *chosen = (const void *)options;
    const char *text = chosen->halt_mesh ? QEMU_DEBUGGER_HALTS : "";
    snprintf(path, sizeof path, "%s/qemu-%d.debugger", gateway->endpoint.path, site);
    int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0)
        return report_failure(EXIT_TRANSPORT, "gdb", "%s: %s", path, strerror(errno));
    if (flock(file, LOCK_EX | LOCK_NB) != 0)
        return report_failure(EXIT_TRANSPORT, "gdb", "site %d: a debugger is attached already", site);
    if (ftruncate(file, 0) == 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text))
        return EXIT_OK;
    return report_failure(EXIT_TRANSPORT, "gdb", "%s: %s", path, strerror(errno));
}

/* Reports the debugger to the daemon, which logs it. Whether the daemon answers in time does not matter. */
static void notify_daemon(const struct gateway *gateway, int site)
{
    char request[32], said[DAEMON_REQUESTS_MESSAGE_MAX];
    snprintf(request, sizeof request, "debugger\n%d", site);
    daemon_requests_ask(gateway->endpoint.path, request, answer_time, said, sizeof said);
}

/* The file of gdb commands: installed, or in the project's tree; "" if there is none. */
static void find_commands(char *out, size_t size)
{
    static const char folder[] = "/host-tools";
    if (install_paths_built(out, size - sizeof commands) == 0 && access(strcat(out, commands), R_OK) == 0)
        return;
    if (install_paths_top(out, size - sizeof folder - sizeof commands) == 0)
        strcat(strcat(out, folder), commands);
}

/* Returns only if there is no gdb. */
static int become_gdb(const struct options *options, char *image, const char *socket)
{
    char target[PR_RUN_DIRECTORY_SIZE + 64], helpers[PATH_MAX] = "", top[PATH_MAX];
    char **arguments = or_abort(calloc((size_t)options->operand_count + OWN_ARGUMENTS, sizeof *arguments));
    int used = 0;
    snprintf(target, sizeof target, "target remote %s", socket);
    /* -se: with POSIXLY_CORRECT no option counts behind the name of a file. */
    char *own[] = {(char *)program, "-q", "-se", image, "-d", top, "-ex", target, "-x", helpers};
    find_commands(helpers, sizeof helpers);
    if (install_paths_top(top, sizeof top) != 0) /* images name their sources from there on */
        strcpy(top, ".");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        arguments[used++] = own[i];
    for (int i = 1; i < options->operand_count; i++)
        arguments[used++] = options->operands[i];
    signals_end_process();
    execvp(program, arguments);
    report_error("gdb", "%s: %s (Debian: apt-get install %s)", program, strerror(errno), program);
    free(arguments);
    return EXIT_USAGE;
}

static int run(const struct options *options)
{
    struct gateway gateway;
    char socket[PR_RUN_DIRECTORY_SIZE + 32], image[PR_RUN_DIRECTORY_SIZE + 32];
    long site;
    int status = gateway_find_up(&gateway, options);
    if (status != EXIT_OK)
        return status;
    if (!options_number(options->operands[0], 0, USHRT_MAX, &site))
        return report_failure(EXIT_USAGE, "gdb", "%s: expected a site number", options->operands[0]);
    status = find_qemu(&gateway, (int)site, socket, sizeof socket);
    if (status == EXIT_OK)
        status = lock_debugger(options, &gateway, (int)site);
    pr_run_directory_image(gateway.endpoint.path, (unsigned)site, image, sizeof image);
    if (status != EXIT_OK)
        return status;
    notify_daemon(&gateway, (int)site);
    return become_gdb(options, image, socket);
}

static const struct option_row rows[] = {
    {.name = "halt-mesh",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct gdb_options, halt_mesh),
     .help = "the mesh waits while the site stands still, as it does anyway in quantum time"},
    {.name = NULL},
};

static const char manual[] =
    "Becomes `gdb-multiarch`, attached to a site that runs under QEMU, with the symbols of the image that the "
    "site runs. Arguments after `--` go to gdb. The site is stopped until `continue`, and it runs on when gdb "
    "ends.\n"
    "`postroad-packet` <ADDRESS> shows a packet buffer, `postroad-pool` the buffers of the operator, and "
    "`postroad-queues` what the operator has to send. `postroad-operator` <ADDRESS> sets for these commands where "
    "the operator is, in an image other than the node's.\n"
    "While the site is stopped, the rest of the mesh goes on without it and gives it up after a while: its "
    "senders report packets to it as failed. With `--halt-mesh`, or in quantum time, the mesh waits as soon as "
    "there is work for the site, and nothing is given up.\n"
    "The exit status is 1 if there is no such site, if it does not run under QEMU, or if there is no gdb. It is "
    "2 if no mesh is up or a debugger is attached already. Otherwise it is that of gdb.";

const struct verb verb_gdb = {
    .name = "gdb",
    .operands = "SITE",
    .summary = "The debugger, attached to a site under QEMU; what follows -- is for gdb.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = INT_MAX,
    .common = COMMON_GATEWAY,
    .rows = rows,
    .size = sizeof(struct gdb_options),
    .run = run,
};
