/* Pings every site of a mesh and prints a line each: what a program of one's own does with Postroad's library.
 * usage: ping_all ENDPOINT      ENDPOINT: up:NAME, unix:PATH, tty:PATH[@BAUD] or tcp:HOST:PORT
 * exit status: 0 every site has answered, 1 usage, 2 the endpoint cannot be opened or was lost, 5 a site has not
 * answered
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>

#include "libpostroad/client.h"
#include "libpostroad/endpoint.h"
#include "wire/console_messages.h"

enum { GATEWAY = 0, EXIT_USAGE = 1, EXIT_TRANSPORT = 2, EXIT_TIME_OUT = 5 };

static const double timeout = 5; /* seconds for an answer */

/* One request and its answer. False: no answer, or one that refuses; the reason is printed. */
static bool ask(struct pr_client *client, const struct pr_frame *request, struct pr_frame *answer)
{
    bool answered;
    if (pr_client_ask(client, request, timeout, answer, &answered) != PR_CLIENT_OK)
        fprintf(stderr, "ping_all: %s\n", pr_client_lost_reason(client));
    else if (!answered)
        fprintf(stderr, "ping_all: no answer\n");
    else if (pr_message_status(answer) != PR_CONSOLE_OK)
        fprintf(stderr, "ping_all: refused: %s\n", pr_message_status_text(pr_message_status(answer)));
    else
        return true;
    return false;
}

/* The whole identity of the gateway: the mesh is in it. */
static bool identify(struct pr_client *client, struct pr_site_identity *identity)
{
    struct pr_frame request, answer;
    unsigned site;
    return pr_message_identify(&request, PR_CONSOLE_THIS_SITE) && ask(client, &request, &answer) &&
           pr_message_read_identity(&answer, &site, identity);
}

/* Another site's number and address, two words that fit any answer; then a ping. */
static bool ping(struct pr_client *client, unsigned site)
{
    struct pr_frame request, answer;
    struct pr_site_identity identity = {0};
    struct pr_message_ping clocks;
    unsigned answers;
    if (!pr_message_identify_part(&request, site, 1, 2) || !ask(client, &request, &answer) ||
        !pr_message_read_identity_part(&answer, &answers, &identity))
        return false;
    if (!pr_message_ping(&request, site, 0) || !ask(client, &request, &answer) ||
        !pr_message_read_ping(&answer, &clocks))
        return false;
    printf("site %u: address %#x, round trip %u clocks\n", (unsigned)identity.site, (unsigned)identity.address,
           (unsigned)clocks.round_trip);
    return true;
}

int main(int argc, char **argv)
{
    struct pr_endpoint endpoint;
    struct pr_site_identity mesh;
    char error[256];
    unsigned silent = 0;
    if (argc != 2 || pr_endpoint_parse(argv[1], &endpoint, error, sizeof error) != 0) {
        fprintf(stderr, "ping_all: %s\n", argc == 2 ? error : "usage: ping_all ENDPOINT");
        return EXIT_USAGE;
    }
    int descriptor = pr_endpoint_open(&endpoint, GATEWAY, error, sizeof error);
    struct pr_client *client = descriptor < 0 ? NULL : pr_client_create(descriptor);
    if (!client || !identify(client, &mesh)) {
        fprintf(stderr, "ping_all: %s: %s\n", argv[1], descriptor < 0 ? error : "no identity");
        pr_client_destroy(client);
        return EXIT_TRANSPORT;
    }
    for (unsigned site = 0; site < pr_site_identity_sites(&mesh); site++)
        silent += !ping(client, site);
    pr_client_destroy(client);
    return silent ? EXIT_TIME_OUT : 0;
}
