/* The gateway: the node through whose console a verb reaches the mesh, and the shape of the mesh in that node's
 * identity.
 *
 * All functions return EXIT_OK or the exit code to end with, after printing why.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_GATEWAY_H
#define POSTROAD_CLI_GATEWAY_H

#include "cli/options.h"
#include "cli/site_set.h"
#include "libpostroad/client.h"
#include "mesh/mesh.h"
#include "wire/console_messages.h"

enum { GATEWAY_TEXT_SIZE = 512 };

struct gateway {
    const struct options *options;
    char text[GATEWAY_TEXT_SIZE]; /* the endpoint */
    struct pr_endpoint endpoint;
    struct pr_client *client;
    double timeout;
    struct pr_site_identity identity; /* of the gateway's node */
    /* Only what follows from identity: topology, size, sites, links, word width, discipline (NULL: an unknown one); and
     * the cables of a graph, if they are known: gateway_take_cables. */
    struct mesh_config mesh;
};

/* Chooses the endpoint: --gateway, else POSTROAD_GATEWAY, else the only mesh that is up. Does not open it. */
int gateway_find(struct gateway *gateway, const struct options *options);

/* The same, for verbs that need a mesh started by `postroad up`: endpoint.path is its run directory. */
int gateway_find_up(struct gateway *gateway, const struct options *options);

/* Is a console of the mesh there? Prints the reason if the mesh is not up. */
int gateway_reach(struct gateway *gateway);

/* Reads the verb's first operand, SITES, for a mesh that is up, whose sites may be in trouble; without it, or with
 * `all`, `set` has all sites that have an operator. */
int gateway_choose_up(const struct gateway *gateway, struct site_set *set);

/* Opens the console of one site. */
int gateway_connect(struct gateway *gateway, int site, struct pr_client **out);

/* Calls gateway_find, connects to the site of --from, and reads the identity of its node. */
int gateway_open(struct gateway *gateway, const struct options *options);
void gateway_close(struct gateway *gateway);

/* No node knows the cables of a graph. If `file` has the hash that the nodes have, they were set up from it, and its
 * cables and switches are those of the mesh. gateway_open does so with the copy of the file in the run directory of a
 * mesh that is up. */
void gateway_take_cables(struct gateway *gateway, const struct mesh_config *file);

/* Is the mesh a graph whose cables are not known? */
bool gateway_lacks_cables(const struct mesh_config *mesh);

/* Calls gateway_open, then reads SITES in the same way. Both are closed by gateway_close_sites, after EXIT_OK only. */
int gateway_open_sites(struct gateway *gateway, const struct options *options, struct site_set *set);
void gateway_close_sites(struct gateway *gateway, struct site_set *set);

/* Reads sites of the open gateway's mesh; `what` begins the message about others. The caller frees the set. */
int gateway_read_sites(const struct gateway *gateway, const char *what, const char *text, struct site_set *set);

/* Sends one request to the gateway's own console; prints the reason if there is no answer with status 0. */
int gateway_ask(struct gateway *gateway, const struct pr_frame *request, struct pr_frame *answer, const char *what);

/* Handles what comes until this time of pr_client_now. */
int gateway_wait_until(struct gateway *gateway, double end);

/* The exit code for a client_status other than PR_CLIENT_OK, after printing what happened. */
int gateway_failed(const struct gateway *gateway, int status);

/* Derives the shape of the mesh from an identity. False: the identity is inconsistent. */
bool gateway_mesh(const struct pr_site_identity *identity, struct mesh_config *out);

#endif
