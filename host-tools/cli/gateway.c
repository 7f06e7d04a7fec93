/* Finding and opening the gateway, and requests to it.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/gateway.h"

#include "cli/report.h"
#include "cli/signals.h"
#include "drivers/node_id.h"
#include "libpostroad/run_directory.h"
#include "mesh/discipline.h"
#include "support/or_abort.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 16, ERROR_SIZE = 1024 };

/* No mesh is live: prints the meshes that exist. */
static void no_mesh(const char *verb)
{
    char names[NAMES_MAX][PR_RUN_NAME_SIZE], error[ERROR_SIZE];
    if (pr_run_directory_list(names, NAMES_MAX, false, error, sizeof error) > 0)
        report_error(verb, "no gateway: the daemon of up:%s has died, and no other mesh is up", names[0]);
    else
        report_error(verb, "no gateway: no mesh is up (postroad up FILE.mesh), and neither --gateway nor "
                           "POSTROAD_GATEWAY is given");
}

static int only_mesh(struct gateway *gateway)
{
    char names[NAMES_MAX][PR_RUN_NAME_SIZE], list[NAMES_MAX * (PR_RUN_NAME_SIZE + 6)] = "", error[ERROR_SIZE];
    int count = pr_run_directory_list(names, NAMES_MAX, true, error, sizeof error);
    if (count == 1) {
        snprintf(gateway->text, sizeof gateway->text, "up:%s", names[0]);
        return EXIT_OK;
    }
    for (int i = 0; i < count; i++)
        strcat(strcat(list, i ? ", up:" : "up:"), names[i]);
    if (count > 0)
        report_error(gateway->options->verb, "which gateway? Several meshes are up: %s (use --gateway)", list);
    else if (count < 0)
        report_error(gateway->options->verb, "no gateway: %s", error);
    else
        no_mesh(gateway->options->verb);
    return count > 0 ? EXIT_USAGE : EXIT_TRANSPORT;
}

int gateway_find(struct gateway *gateway, const struct options *options)
{
    char error[256];
    const char *text = options->gateway ? options->gateway : getenv("POSTROAD_GATEWAY");
    memset(gateway, 0, sizeof *gateway);
    gateway->options = options;
    gateway->timeout = options->timeout < 0 ? OPTION_ANSWER_TIME : options->timeout;
    if (text && *text)
        snprintf(gateway->text, sizeof gateway->text, "%s", text);
    else {
        int status = only_mesh(gateway);
        if (status != EXIT_OK)
            return status;
    }
    if (pr_endpoint_parse(gateway->text, &gateway->endpoint, error, sizeof error) == 0)
        return EXIT_OK;
    return report_failure(EXIT_USAGE, options->verb, "%s", error);
}

int gateway_find_up(struct gateway *gateway, const struct options *options)
{
    int status = gateway_find(gateway, options);
    if (status != EXIT_OK || gateway->endpoint.kind == PR_ENDPOINT_UP)
        return status;
    return report_failure(EXIT_USAGE, options->verb, "%s: expected a mesh that is up, up:NAME", gateway->text);
}

/* The copy of the .mesh in the run directory. False: there is none. */
static bool load_copy(const struct gateway *gateway, struct mesh_config *out)
{
    char path[GATEWAY_TEXT_SIZE + 8], error[ERROR_SIZE];
    snprintf(path, sizeof path, "%s/mesh", gateway->endpoint.path);
    return mesh_config_load(path, out, error, sizeof error) == 0;
}

static bool is_switch(const struct gateway *gateway, int site)
{
    struct mesh_config mesh;
    return gateway->endpoint.kind == PR_ENDPOINT_UP && load_copy(gateway, &mesh) && mesh_is_switch(&mesh, site);
}

int gateway_connect(struct gateway *gateway, int site, struct pr_client **out)
{
    char error[ERROR_SIZE];
    int descriptor = pr_endpoint_open(&gateway->endpoint, site, error, sizeof error);
    if (descriptor < 0 && is_switch(gateway, site))
        return report_failure(EXIT_USAGE, gateway->options->verb,
                              "site %d is a switch, expected one that has an operator", site);
    if (descriptor < 0) {
        report_error(gateway->options->verb, "%s", error);
        return descriptor == PR_ENDPOINT_BAD ? EXIT_USAGE : EXIT_TRANSPORT;
    }
    signals_end_waits(); /* what has been asked for is seen to its end */
    *out = or_abort(pr_client_create(descriptor));
    return EXIT_OK;
}

/* The site that is asked if the user names none. */
static int first_site(const struct gateway *gateway)
{
    return gateway->endpoint.kind == PR_ENDPOINT_UP ? (int)pr_run_directory_first_console(gateway->endpoint.path) : 0;
}

int gateway_reach(struct gateway *gateway)
{
    int status = gateway_connect(gateway, first_site(gateway), &gateway->client);
    gateway_close(gateway);
    return status;
}

int gateway_failed(const struct gateway *gateway, int status)
{
    int code = exit_code_of_client(status);
    if (code == EXIT_INTERRUPTED)
        return code;
    report_error(gateway->options->verb, "lost the connection to %s: %s", gateway->text,
                 gateway->client && *pr_client_lost_reason(gateway->client) ? pr_client_lost_reason(gateway->client)
                                                                            : "it is gone");
    return code;
}

int gateway_wait_until(struct gateway *gateway, double end)
{
    int status = PR_CLIENT_OK;
    while (status == PR_CLIENT_OK && pr_client_now() < end)
        status = pr_client_poll(&gateway->client, 1, end - pr_client_now());
    return status == PR_CLIENT_OK ? EXIT_OK : gateway_failed(gateway, status);
}

int gateway_ask(struct gateway *gateway, const struct pr_frame *request, struct pr_frame *answer, const char *what)
{
    bool answered;
    int status = pr_client_ask(gateway->client, request, gateway->timeout, answer, &answered);
    if (status != PR_CLIENT_OK)
        return gateway_failed(gateway, status);
    if (!answered)
        return report_failure(EXIT_TIMEOUT, gateway->options->verb, "%s: no answer from %s within %g s", what,
                              gateway->text, gateway->timeout);
    status = pr_message_status(answer);
    if (status == PR_CONSOLE_OK)
        return EXIT_OK;
    report_error(gateway->options->verb, "%s: the node refuses: %s", what, pr_message_status_text(status));
    return exit_code_of_answer(status);
}

bool gateway_mesh(const struct pr_site_identity *identity, struct mesh_config *out)
{
    memset(out, 0, sizeof *out);
    if (identity->signature != PR_NODE_ID_SIGNATURE || !pr_shape_valid(&identity->shape) ||
        pr_shape_sites(&identity->shape) > PR_CONSOLE_SITES_MAX)
        return false;
    mesh_set_shape(out, &identity->shape);
    out->discipline = discipline_numbered(identity->discipline);
    if (out->discipline)
        snprintf(out->fabric, sizeof out->fabric, "%s", out->discipline->name);
    out->hash = identity->mesh_hash;
    return identity->site < (unsigned)out->sites;
}

void gateway_take_cables(struct gateway *gateway, const struct mesh_config *file)
{
    struct mesh_config like = *file;
    mesh_set_reliable(&like, gateway->identity.reliable != 0);
    if (like.hash != gateway->identity.mesh_hash)
        return;
    memcpy(gateway->mesh.cable_ends, like.cable_ends, sizeof like.cable_ends);
    memcpy(gateway->mesh.switches, like.switches, sizeof like.switches);
    memcpy(gateway->mesh.own, like.own, sizeof like.own); /* routes depend on it */
    gateway->mesh.cable_end_count = like.cable_end_count;
}

bool gateway_lacks_cables(const struct mesh_config *mesh)
{
    return mesh->topology == PR_TOPOLOGY_GRAPH && mesh->sites > 1 && mesh->cable_end_count == 0;
}

static void find_cables(struct gateway *gateway)
{
    struct mesh_config file;
    if (gateway_lacks_cables(&gateway->mesh) && gateway->endpoint.kind == PR_ENDPOINT_UP && load_copy(gateway, &file))
        gateway_take_cables(gateway, &file);
}

static int who_is_it(struct gateway *gateway)
{
    struct pr_frame request, answer;
    unsigned site;
    pr_message_identify(&request, PR_CONSOLE_THIS_SITE);
    int status = gateway_ask(gateway, &request, &answer, "identify");
    if (status != EXIT_OK)
        return status;
    if (pr_message_read_identity(&answer, &site, &gateway->identity) &&
        gateway_mesh(&gateway->identity, &gateway->mesh)) {
        find_cables(gateway);
        return EXIT_OK;
    }
    return report_failure(EXIT_TRANSPORT, gateway->options->verb,
                          "%s answers, but not as a node of this kit (signature 0x%08x)", gateway->text,
                          (unsigned)gateway->identity.signature);
}

int gateway_open(struct gateway *gateway, const struct options *options)
{
    long site = 0;
    int status = gateway_find(gateway, options);
    if (status != EXIT_OK)
        return status;
    if (options->from && !options_number(options->from, 0, PR_CONSOLE_SITES_MAX, &site))
        return report_failure(EXIT_USAGE, options->verb, "%s: expected the number of one site", options->from);
    if (!options->from)
        site = first_site(gateway);
    status = gateway_connect(gateway, (int)site, &gateway->client);
    if (status == EXIT_OK)
        status = who_is_it(gateway);
    if (status == EXIT_TIMEOUT && gateway->endpoint.kind == PR_ENDPOINT_UP)
        report_note(options,
                    "%s/log may show why site %ld does not answer; --from SITE sends the requests through another site",
                    gateway->endpoint.path, site);
    if (status != EXIT_OK)
        gateway_close(gateway);
    return status;
}

void gateway_close(struct gateway *gateway)
{
    pr_client_destroy(gateway->client);
    gateway->client = NULL;
}

/* Nobody answers for a switch. False: the user has named one. */
static bool leave_switches_out(const char *verb, const char *what, const struct mesh_config *mesh, const char *text,
                               struct site_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        bool is_switch = mesh_is_switch(mesh, set->sites[i]);
        if (is_switch && strcmp(text, "all") != 0) {
            report_error(verb, "%s: %u is a switch, expected sites that have an operator", what,
                         (unsigned)set->sites[i]);
            return false;
        }
        if (!is_switch)
            set->sites[count++] = set->sites[i];
    }
    set->count = count;
    return true;
}

static int read_sites(const char *verb, const char *what, const char *text, const struct mesh_config *mesh,
                      unsigned sites, struct site_set *set)
{
    if (!site_set_parse(verb, what, text, sites, set))
        return EXIT_USAGE;
    if (leave_switches_out(verb, what, mesh, text, set))
        return EXIT_OK;
    site_set_free(set);
    return EXIT_USAGE;
}

int gateway_read_sites(const struct gateway *gateway, const char *what, const char *text, struct site_set *set)
{
    return read_sites(gateway->options->verb, what, text, &gateway->mesh, (unsigned)gateway->mesh.sites, set);
}

static int choose(const struct options *options, const struct mesh_config *mesh, unsigned sites, struct site_set *set)
{
    const char *text = options->operand_count ? options->operands[0] : "all";
    return read_sites(options->verb, "SITES", text, mesh, sites, set);
}

int gateway_choose_up(const struct gateway *gateway, struct site_set *set)
{
    struct mesh_config mesh;
    if (!load_copy(gateway, &mesh))
        memset(&mesh, 0, sizeof mesh);
    return choose(gateway->options, &mesh, (unsigned)pr_run_directory_sites(gateway->endpoint.path), set);
}

int gateway_open_sites(struct gateway *gateway, const struct options *options, struct site_set *set)
{
    int status = gateway_open(gateway, options);
    if (status != EXIT_OK)
        return status;
    status = choose(options, &gateway->mesh, (unsigned)gateway->mesh.sites, set);
    if (status != EXIT_OK)
        gateway_close(gateway);
    return status;
}

void gateway_close_sites(struct gateway *gateway, struct site_set *set)
{
    site_set_free(set);
    gateway_close(gateway);
}
