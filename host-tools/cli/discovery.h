/* A survey: every site asked who it is, and every link looked at from both ends.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_DISCOVERY_H
#define POSTROAD_CLI_DISCOVERY_H

#include "cli/gateway.h"

enum link_state {
    LINK_NONE,    /* leads over the edge */
    LINK_GOOD,    /* both ends say that it is connected */
    LINK_ONE_WAY, /* only one end does */
    LINK_MISSING, /* neither does */
    LINK_UNKNOWN, /* neither end answers, or the one that does says that it is connected */
};

struct survey {
    const struct mesh_config *mesh;
    unsigned part_words; /* of an identity in one answer */
    unsigned *parts;     /* that a site has answered */
    bool *present;       /* all of them */
    struct pr_site_identity *identities;
    /* Complaints about sites that answered; one line each. */
    size_t complaints;
    char (*complaint)[160];
};

/* Asks all sites. EXIT_OK even when some are silent; else the exit code to end with. Free it in any case. */
int survey_run(struct gateway *gateway, struct survey *survey);
void survey_free(struct survey *survey);

size_t survey_present(const struct survey *survey);
enum link_state survey_link(const struct survey *survey, int site, int link);
const char *survey_link_text(enum link_state state);

/* Draws grid, torus and small hypercubes with lines, large hypercubes as a list. */
void survey_draw(const struct survey *survey, int gateway_site);

#endif
