/* See discovery.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/discovery.h"

#include "cli/link_counts.h"
#include "cli/pipelined_requests.h"
#include "console/remote_service.h"
#include "support/or_abort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPLAINTS_PER_SITE = 4 };

/* An answer has to fit a packet of the mesh. If packets are short, an identity takes several answers. */
static unsigned words_in_part(const struct gateway *gateway)
{
    unsigned fit = pr_service_values_fit(gateway->identity.max_packet);
    return fit < PR_SITE_IDENTITY_WORDS ? fit : PR_SITE_IDENTITY_WORDS;
}

/* Requests the first parts of all sites, then the second parts of all sites. */
static void request(void *context, size_t index, struct pr_frame *out)
{
    const struct discovery *discovery = context;
    unsigned sites = discovery->asked_count, first = (unsigned)index / sites * discovery->part_words;
    unsigned left = PR_SITE_IDENTITY_WORDS - first;
    pr_message_identify_part(out, discovery->asked[index % sites], first,
                             left < discovery->part_words ? left : discovery->part_words);
}

static bool answer(void *context, size_t index, const struct pr_frame *frame)
{
    struct discovery *discovery = context;
    size_t expected = discovery->asked[index % discovery->asked_count];
    unsigned site;
    if (!pr_message_read_identity_part(frame, &site, &discovery->identities[expected]) || site != expected)
        return false;
    discovery->parts[site]++;
    return true;
}

static void complain(struct discovery *discovery, int site, const char *what, uint32_t found, uint32_t expected)
{
    snprintf(discovery->complaint[discovery->complaints++], sizeof *discovery->complaint,
             "site %d has %s 0x%08x, expected 0x%08x", site, what, (unsigned)found, (unsigned)expected);
}

/* The identities of one mesh's sites agree in everything except the site's place in the mesh. */
static void check_site(struct discovery *discovery, int site, const struct pr_site_identity *model)
{
    const struct pr_site_identity *one = &discovery->identities[site];
    uint32_t address = pr_site_identity_address(model, (unsigned)site);
    if (one->site != (unsigned)site)
        complain(discovery, site, "the site number", one->site, (uint32_t)site);
    if (one->address != address)
        complain(discovery, site, "the address", one->address, address);
    if (one->mesh_hash != model->mesh_hash)
        complain(discovery, site, "the .mesh hash", one->mesh_hash, model->mesh_hash);
    if (one->reliable != model->reliable)
        complain(discovery, site, "the service", one->reliable, model->reliable);
}

/* Words take one clock on links within an FPGA or a simulation. */
static bool has_cables(const struct gateway *gateway)
{
    return gateway->identity.link_clocks > 1;
}

static int read_far_sites(struct gateway *gateway, struct discovery *discovery)
{
    struct site_set set;
    if (!has_cables(gateway))
        return EXIT_OK;
    site_set_parse("map", "SITES", "all", (unsigned)gateway->mesh.sites, &set);
    int status = link_rows_read(gateway, &set, LINK_ROWS_FAR_SITE, discovery->rows);
    site_set_free(&set);
    return status == EXIT_PARTIAL || status == EXIT_TIMEOUT ? EXIT_OK : status;
}

static int read_identities(struct gateway *gateway, struct discovery *discovery)
{
    unsigned parts = (PR_SITE_IDENTITY_WORDS + discovery->part_words - 1) / discovery->part_words;
    struct pipelined_requests requests = {.label = "identify",
                                          .count = (size_t)parts * discovery->asked_count,
                                          .window = PIPELINED_REQUESTS_WINDOW,
                                          .context = discovery,
                                          .request = request,
                                          .answer = answer};
    int status = pipelined_requests_run(gateway, &requests);
    for (unsigned i = 0; i < discovery->asked_count && status == EXIT_OK; i++) {
        unsigned site = discovery->asked[i];
        if ((discovery->present[site] = discovery->parts[site] == parts))
            check_site(discovery, (int)site, &gateway->identity);
    }
    return status;
}

/* Of the sites that have an identity. */
static unsigned present_site(const struct discovery *discovery, size_t index)
{
    unsigned site = 0;
    for (; !discovery->present[site] || index > 0; site++)
        index -= discovery->present[site];
    return site;
}

static void request_build_id(void *context, size_t index, struct pr_frame *out)
{
    pr_message_identify_part(out, present_site(context, index), PR_SITE_IDENTITY_WORDS, PR_BUILD_ID_WORDS);
}

static bool answer_build_id(void *context, size_t index, const struct pr_frame *frame)
{
    struct discovery *discovery = context;
    unsigned site, expected = present_site(discovery, index);
    return pr_message_read_identity_part(frame, &site, &discovery->identities[expected]) && site == expected;
}

/* After the identities, because a node may have no build id: older or small firmware refuses. */
static int read_build_ids(struct gateway *gateway, struct discovery *discovery)
{
    struct pipelined_requests requests = {.label = "build ids",
                                          .count = discovery_present(discovery),
                                          .window = PIPELINED_REQUESTS_WINDOW,
                                          .context = discovery,
                                          .request = request_build_id,
                                          .answer = answer_build_id};
    return pipelined_requests_run(gateway, &requests);
}

int discovery_run(struct gateway *gateway, const struct cable_map *cables, struct discovery *discovery)
{
    size_t sites = (size_t)gateway->mesh.sites;
    *discovery = (struct discovery){
        .mesh = &gateway->mesh,
        .cables = cables,
        .part_words = words_in_part(gateway),
        .present = or_abort(calloc(sites, sizeof *discovery->present)),
        .asked = or_abort(calloc(sites, sizeof *discovery->asked)),
        .parts = or_abort(calloc(sites, sizeof *discovery->parts)),
        .identities = or_abort(calloc(sites, sizeof *discovery->identities)),
        .rows = or_abort(calloc(sites, sizeof *discovery->rows)),
        .complaint = or_abort(calloc(COMPLAINTS_PER_SITE * sites, sizeof *discovery->complaint))};
    for (unsigned site = 0; site < sites; site++)
        if (!mesh_is_switch(&gateway->mesh, (int)site))
            discovery->asked[discovery->asked_count++] = site;
    int status = read_identities(gateway, discovery);
    if (status == EXIT_OK && gateway->options->json)
        status = read_build_ids(gateway, discovery);
    return status == EXIT_OK ? read_far_sites(gateway, discovery) : status;
}

void discovery_free(struct discovery *discovery)
{
    free(discovery->present);
    free(discovery->asked);
    free(discovery->parts);
    free(discovery->identities);
    free(discovery->rows);
    free(discovery->complaint);
}

size_t discovery_present(const struct discovery *discovery)
{
    size_t count = 0;
    for (int site = 0; site < discovery->mesh->sites; site++)
        count += discovery->present[site];
    return count;
}

static bool says_connected(const struct discovery *discovery, int site, int link)
{
    return discovery->identities[site].links >> link & 1;
}

static const struct cable_map_end nowhere = {MAPPER_NOTHING, MAPPER_NOTHING};

/* By what scouts have found. */
static struct cable_map_end wrong_cable(const struct discovery *discovery, int site, int link)
{
    struct cable_map_end found = cable_map_end(discovery->cables, site, link);
    struct pr_far_end far_end = mesh_far_end(discovery->mesh, site, link);
    bool right = found.site == far_end.site && (found.link < 0 || found.link == (int)far_end.link);
    return found.site < 0 || right ? nowhere : found;
}

struct cable_map_end discovery_wrong_end(const struct discovery *discovery, int site, int link)
{
    struct link_counts counts;
    if (discovery->cables)
        return wrong_cable(discovery, site, link);
    if (link >= LINK_COUNTS_LINKS || !discovery->rows[site].answered)
        return nowhere;
    link_counts_of(&discovery->rows[site], (unsigned)link, &counts);
    if (!counts.up || (int)counts.far_site == mesh_far_end(discovery->mesh, site, link).site)
        return nowhere;
    return (struct cable_map_end){(int)counts.far_site, MAPPER_NOTHING};
}

/* Of a link that is not wrong. */
static enum link_state found_cable(const struct discovery *discovery, int site, int link, struct pr_far_end far_end)
{
    struct cable_map_end here = cable_map_end(discovery->cables, site, link),
                         there = cable_map_end(discovery->cables, far_end.site, (int)far_end.link);
    if (here.site == MAPPER_NOTHING && there.site == MAPPER_NOTHING)
        return LINK_MISSING;
    return here.site >= 0 && here.link >= 0 && there.site >= 0 ? LINK_GOOD : LINK_UNKNOWN;
}

enum link_state discovery_link(const struct discovery *discovery, int site, int link)
{
    struct pr_far_end far_end = mesh_far_end(discovery->mesh, site, link);
    int other = far_end.site, back = (int)far_end.link;
    if (other < 0)
        return discovery->cables && discovery_wrong_end(discovery, site, link).site >= 0 ? LINK_WRONG : LINK_NONE;
    if (discovery_wrong_end(discovery, site, link).site >= 0 || discovery_wrong_end(discovery, other, back).site >= 0)
        return LINK_WRONG;
    if (discovery->cables)
        return found_cable(discovery, site, link, far_end);
    bool switch_here = mesh_is_switch(discovery->mesh, site), switch_there = mesh_is_switch(discovery->mesh, other);
    if (switch_here && switch_there)
        return LINK_UNASKED;
    bool here = discovery->present[site], there = discovery->present[other];
    bool near = here && says_connected(discovery, site, link), far = there && says_connected(discovery, other, back);
    if ((here && switch_there) || (there && switch_here))
        return near || far ? LINK_GOOD : LINK_MISSING;
    if (here && there)
        return near && far ? LINK_GOOD : near || far ? LINK_ONE_WAY : LINK_MISSING;
    return (here && !near) || (there && !far) ? LINK_MISSING : LINK_UNKNOWN;
}

const char *discovery_link_text(enum link_state state)
{
    static const char *const texts[] = {"none", "good", "one way", "missing", "wrong", "unknown", "not asked"};
    return texts[state];
}
