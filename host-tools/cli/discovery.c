/* Asking every site who it is, and what follows for the links.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/discovery.h"

#include "cli/pipelined_requests.h"
#include "console/remote_service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPLAINTS_PER_SITE = 4 };

/* An answer has to fit a packet of the mesh: short ones need several. */
static unsigned words_in_part(const struct gateway *gateway)
{
    unsigned fit = pr_service_values_fit(gateway->identity.max_packet);
    return fit < PR_SITE_IDENTITY_WORDS ? fit : PR_SITE_IDENTITY_WORDS;
}

/* All sites' first parts, then all sites' second ones. */
static void request(void *context, size_t index, struct pr_frame *out)
{
    const struct survey *survey = context;
    unsigned sites = (unsigned)survey->mesh->sites, first = (unsigned)index / sites * survey->part_words;
    unsigned left = PR_SITE_IDENTITY_WORDS - first;
    pr_message_identify_part(out, (unsigned)index % sites, first,
                             left < survey->part_words ? left : survey->part_words);
}

static bool answer(void *context, size_t index, const struct pr_frame *frame)
{
    struct survey *survey = context;
    size_t expected = index % (size_t)survey->mesh->sites;
    unsigned site;
    if (!pr_message_read_identity_part(frame, &site, &survey->identities[expected]) || site != expected)
        return false;
    survey->parts[site]++;
    return true;
}

static void complain(struct survey *survey, int site, const char *what, uint32_t found, uint32_t expected)
{
    snprintf(survey->complaint[survey->complaints++], sizeof *survey->complaint,
             "site %d has %s 0x%08x, expected 0x%08x", site, what, (unsigned)found, (unsigned)expected);
}

/* Sites of one mesh agree on everything but their own place in it. */
static void check_site(struct survey *survey, int site, const struct pr_site_identity *model)
{
    const struct pr_site_identity *one = &survey->identities[site];
    uint32_t address = pr_site_identity_address(model, (unsigned)site);
    if (one->site != (unsigned)site)
        complain(survey, site, "the site number", one->site, (uint32_t)site);
    if (one->address != address)
        complain(survey, site, "the address", one->address, address);
    if (one->mesh_hash != model->mesh_hash)
        complain(survey, site, "the .mesh hash", one->mesh_hash, model->mesh_hash);
    if (one->reliable != model->reliable)
        complain(survey, site, "the service", one->reliable, model->reliable);
}

int survey_run(struct gateway *gateway, struct survey *survey)
{
    size_t sites = (size_t)gateway->mesh.sites;
    *survey = (struct survey){.mesh = &gateway->mesh,
                              .part_words = words_in_part(gateway),
                              .present = calloc(sites, sizeof *survey->present),
                              .parts = calloc(sites, sizeof *survey->parts),
                              .identities = calloc(sites, sizeof *survey->identities),
                              .complaint = calloc(COMPLAINTS_PER_SITE * sites, sizeof *survey->complaint)};
    if (!survey->present || !survey->parts || !survey->identities || !survey->complaint)
        abort();
    unsigned parts = (PR_SITE_IDENTITY_WORDS + survey->part_words - 1) / survey->part_words;
    struct sweep sweep = {.label = "identify",
                          .count = parts * sites,
                          .window = SWEEP_WINDOW,
                          .context = survey,
                          .request = request,
                          .answer = answer};
    int status = sweep_run(gateway, &sweep);
    for (size_t site = 0; site < sites && status == EXIT_OK; site++)
        if ((survey->present[site] = survey->parts[site] == parts))
            check_site(survey, (int)site, &gateway->identity);
    return status;
}

void survey_free(struct survey *survey)
{
    free(survey->present);
    free(survey->parts);
    free(survey->identities);
    free(survey->complaint);
}

size_t survey_present(const struct survey *survey)
{
    size_t count = 0;
    for (int site = 0; site < survey->mesh->sites; site++)
        count += survey->present[site];
    return count;
}

static bool says_connected(const struct survey *survey, int site, int link)
{
    return survey->identities[site].links >> link & 1;
}

enum link_state survey_link(const struct survey *survey, int site, int link)
{
    int other = mesh_neighbour(survey->mesh, site, link), back = mesh_facing_link(survey->mesh, link);
    if (other < 0)
        return LINK_NONE;
    bool here = survey->present[site], there = survey->present[other];
    bool near = here && says_connected(survey, site, link), far = there && says_connected(survey, other, back);
    if (here && there)
        return near && far ? LINK_GOOD : near || far ? LINK_ONE_WAY : LINK_MISSING;
    return (here && !near) || (there && !far) ? LINK_MISSING : LINK_UNKNOWN;
}

const char *survey_link_text(enum link_state state)
{
    static const char *const texts[] = {"none", "good", "one way", "missing", "unknown"};
    return texts[state];
}
