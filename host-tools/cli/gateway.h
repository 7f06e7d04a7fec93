/* The gateway: the node through whose console a verb reaches the mesh, and what its identity contains of the mesh.
 *
 * All functions return EXIT_OK or the exit code to end with, after printing why.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_GATEWAY_H
#define POSTROAD_CLI_GATEWAY_H

#include "cli/options.h"
#include "libpostroad/client.h"
#include "model/mesh.h"
#include "wire/console_messages.h"

enum { GATEWAY_TEXT_SIZE = 512 };

struct gateway {
    const struct options *options;
    char text[GATEWAY_TEXT_SIZE]; /* the endpoint */
    struct pr_endpoint endpoint;
    struct pr_client *client;
    double timeout;
    struct pr_site_identity identity; /* of the gateway's node */
    struct mesh_config mesh;          /* only what follows from identity: topology, size, sites, links, word width */
};

/* Chooses the endpoint: --gateway, else POSTROAD_GATEWAY, else the only mesh that is up. Does not open it. */
int gateway_find(struct gateway *gateway, const struct options *options);

/* The same, for what needs a mesh that `postroad up` has started: endpoint.path is its run directory. */
int gateway_find_up(struct gateway *gateway, const struct options *options);

/* How many sites a mesh that is up has, whether they are well or not; prints why if it is not up. */
int gateway_count_sites(struct gateway *gateway, unsigned *sites);

/* Opens the console of one site. */
int gateway_connect(struct gateway *gateway, int site, struct pr_client **out);

/* gateway_find; then connects to the site of --from, and reads the identity of its node. */
int gateway_open(struct gateway *gateway, const struct options *options);
void gateway_close(struct gateway *gateway);

/* One request to the gateway's own console; prints why if there is no answer with status 0. */
int gateway_ask(struct gateway *gateway, const struct pr_frame *request, struct pr_frame *answer, const char *what);

/* The exit code for a client_status that is not PR_CLIENT_OK, after saying what happened. */
int gateway_failed(const struct gateway *gateway, int status);

/* Mesh geometry from an identity. False: it makes no sense. */
bool gateway_mesh(const struct pr_site_identity *identity, struct mesh_config *out);

#endif
