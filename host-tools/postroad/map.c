/* postroad map: shows which sites answer and which links exist, and checks them against the mesh of a .mesh file. Where
 * packets carry their routes it can give all sites new ones, and keep them up to date.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/discovery.h"
#include "cli/gateway.h"
#include "cli/report.h"
#include "cli/reroute.h"
#include "cli/terminal.h"
#include "mesh/topology_view.h"
#include "postroad/verbs.h"

#include <cjson/cJSON.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { HEADING_SIZE = 200, LINK_NAME_SIZE = 32 };

struct map_options {
    struct options common;
    const char *mesh; /* the .mesh file to compare with, or NULL */
    bool routes;      /* all sites get new routes */
    double again;     /* seconds between two looks whether the mesh is as before; below 0: none */
};

/* One map of the mesh. */
struct mapping {
    struct gateway *gateway;
    const struct map_options *options;
    const struct mesh_config *file; /* NULL: none */
    struct cable_map cables;
    struct mesh_config found; /* the mesh with the cables that scouts have found */
    int rerouted;             /* EXIT_OK: all sites have new routes */
};

/* Calls the function once for every link, from the end that the link leads away from (east, north, or the lower
 * address); and for each end of a cable where the mesh has none. */
typedef void each_link(void *context, const struct discovery *discovery, int site, int link, enum link_state state);

static void for_each_link(const struct discovery *discovery, each_link *function, void *context)
{
    const struct mesh_config *mesh = discovery->mesh;
    for (int site = 0; site < mesh->sites; site++)
        for (int link = 0; link < mesh->links; link++) {
            enum link_state state = discovery_link(discovery, site, link);
            if (state != LINK_NONE &&
                (mesh_far_end(mesh, site, link).site < 0 || topology_view(mesh)->leads_away(mesh, site, link)))
                function(context, discovery, site, link, state);
        }
}

static void count_link(void *context, const struct discovery *discovery, int site, int link, enum link_state state)
{
    size_t *counts = context;
    (void)discovery, (void)site, (void)link;
    counts[state]++;
}

static void print_wrong_cable(const struct discovery *discovery, int site, int link)
{
    struct cable_map_end wrong = site >= 0 ? discovery_wrong_end(discovery, site, link)
                                           : (struct cable_map_end){.site = MAPPER_NOTHING};
    if (wrong.site < 0)
        return;
    printf("  the cable at %d %s leads to %d", site, mesh_link_name(discovery->mesh, link), wrong.site);
    printf(wrong.link >= 0 ? " %s\n" : "\n", mesh_link_name(discovery->mesh, wrong.link));
}

static void print_bad_link(void *context, const struct discovery *discovery, int site, int link, enum link_state state)
{
    (void)context;
    struct pr_far_end far = mesh_far_end(discovery->mesh, site, link);
    if (state == LINK_GOOD || state == LINK_UNASKED)
        return;
    printf("link %d %s to ", site, mesh_link_name(discovery->mesh, link));
    printf(far.site < 0 ? "none: %s\n" : "%2$d: %1$s\n", discovery_link_text(state), far.site);
    print_wrong_cable(discovery, site, link);
    print_wrong_cable(discovery, far.site, (int)far.link);
}

/* Boards count their starts in their flash, so that none has epoch 0, and an epoch is no news. */
static bool some_site_never_restarted(const struct discovery *discovery)
{
    for (int site = 0; site < discovery->mesh->sites; site++)
        if (discovery->present[site] && discovery->identities[site].epoch == 0)
            return true;
    return false;
}

static void print_notes_on_sites(const struct discovery *discovery)
{
    bool news = some_site_never_restarted(discovery);
    for (unsigned i = 0; i < discovery->asked_count; i++)
        if (!discovery->present[discovery->asked[i]])
            printf("site %u: silent\n", discovery->asked[i]);
    for (size_t i = 0; i < discovery->complaints; i++)
        terminal_print(stdout, discovery->complaint[i], CONTINUED_INDENT);
    for (int site = 0; site < discovery->mesh->sites; site++)
        if (news && discovery->present[site] && discovery->identities[site].epoch)
            printf("site %d: restarted, epoch %u\n", site, (unsigned)discovery->identities[site].epoch);
}

static void print_switches(const struct discovery *discovery, const size_t *counts)
{
    unsigned switches = (unsigned)discovery->mesh->sites - discovery->asked_count;
    const struct cable_map *cables = discovery->cables;
    if (cables)
        printf("%u switch%s without an operator; %lu scouts have looked for cables\n", switches,
               switches == 1 ? "" : "es", cables->scouts);
    else if (gateway_lacks_cables(discovery->mesh))
        printf("the cables are not known, expected --mesh with the file of this mesh\n");
    if (cables && cables->unsure)
        printf("%u links lead to switches that scouts cannot tell from others\n", cables->unsure);
    if (cables && cables->surplus)
        printf("%u switches more than the mesh has\n", cables->surplus);
    if (cables && cables->too_far)
        printf("what is more than %d switches away was not looked at\n", (PR_ROUTE_PORTS_MAX - 1) / 2);
    if (switches && !cables)
        printf("%u switch%s, which nobody answers for, %zu link%s between them\n", switches, switches == 1 ? "" : "es",
               counts[LINK_UNASKED], counts[LINK_UNASKED] == 1 ? "" : "s");
}

static void print_picture(const struct gateway *gateway, const struct discovery *discovery, const size_t *counts)
{
    const struct pr_site_identity *identity = &gateway->identity;
    size_t links = counts[LINK_GOOD] + counts[LINK_ONE_WAY] + counts[LINK_MISSING] + counts[LINK_WRONG] +
                   counts[LINK_UNKNOWN];
    char heading[HEADING_SIZE], shape[TOPOLOGY_TEXT];
    topology_describe(&gateway->mesh, shape);
    snprintf(heading, sizeof heading, "%s, %d-bit words, %s, .mesh hash %08x, seen from site %u", shape,
             gateway->mesh.word_width, identity->reliable ? "reliable" : "raw service", (unsigned)identity->mesh_hash,
             (unsigned)identity->site);
    terminal_print(stdout, heading, CONTINUED_INDENT);
    printf("\n");
    discovery_draw(discovery, (int)identity->site);
    snprintf(heading, sizeof heading, "%zu of %u sites answer, %zu of %zu links are good", discovery_present(discovery),
             discovery->asked_count, counts[LINK_GOOD], links);
    printf("\n");
    terminal_print(stdout, heading, CONTINUED_INDENT);
    print_switches(discovery, counts);
    if (links != counts[LINK_GOOD])
        terminal_print(stdout,
                       "(xx: silent, -?-: connected at one end only, -!-: wrong cable, ...: unknown, nothing: missing)",
                       CONTINUED_INDENT);
    print_notes_on_sites(discovery);
    for_each_link(discovery, print_bad_link, NULL);
}

static void add_link(void *context, const struct discovery *discovery, int site, int link, enum link_state state)
{
    struct pr_far_end far = mesh_far_end(discovery->mesh, site, link);
    cJSON *one = cJSON_CreateObject();
    cJSON_AddNumberToObject(one, "site", site);
    cJSON_AddStringToObject(one, "link", mesh_link_name(discovery->mesh, link));
    cJSON_AddItemToObject(one, "to", far.site < 0 ? cJSON_CreateNull() : cJSON_CreateNumber(far.site));
    if (topology_view(discovery->mesh)->cabled && far.site >= 0)
        cJSON_AddStringToObject(one, "to_link", mesh_link_name(discovery->mesh, (int)far.link));
    cJSON_AddStringToObject(one, "state", discovery_link_text(state));
    struct cable_map_end wrong = discovery_wrong_end(discovery, site, link);
    if (wrong.site >= 0)
        cJSON_AddNumberToObject(one, "leads_to", wrong.site);
    if (wrong.site >= 0 && wrong.link >= 0)
        cJSON_AddStringToObject(one, "leads_to_link", mesh_link_name(discovery->mesh, wrong.link));
    cJSON_AddItemToArray(context, one);
}

static void add_build_id(cJSON *object, const struct pr_site_identity *identity)
{
    static const uint32_t unknown[PR_BUILD_ID_WORDS];
    char hex[2 * sizeof unknown + 1];
    if (memcmp(identity->build_id, unknown, sizeof unknown) == 0)
        return;
    sodium_bin2hex(hex, sizeof hex, (const unsigned char *)identity->build_id, sizeof unknown);
    cJSON_AddStringToObject(object, "build_id", hex);
}

static void add_sites(cJSON *object, const struct discovery *discovery)
{
    cJSON *list = cJSON_AddArrayToObject(object, "sites"), *complaints;
    char hash[16];
    for (int site = 0; site < discovery->mesh->sites; site++) {
        const struct pr_site_identity *identity = &discovery->identities[site];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "site", site);
        cJSON_AddBoolToObject(one, "answers", discovery->present[site]);
        if (mesh_is_switch(discovery->mesh, site))
            cJSON_AddBoolToObject(one, "switch", true);
        if (discovery->present[site]) {
            snprintf(hash, sizeof hash, "%08x", (unsigned)identity->mesh_hash);
            cJSON_AddNumberToObject(one, "address", identity->address);
            cJSON_AddNumberToObject(one, "links", identity->links);
            cJSON_AddNumberToObject(one, "clock_hz", identity->clock_hz);
            cJSON_AddNumberToObject(one, "ram_bytes", identity->ram_bytes);
            cJSON_AddStringToObject(one, "mesh_hash", hash);
            cJSON_AddNumberToObject(one, "epoch", identity->epoch);
            add_build_id(one, identity);
        }
        cJSON_AddItemToArray(list, one);
    }
    complaints = cJSON_AddArrayToObject(object, "complaints");
    for (size_t i = 0; i < discovery->complaints; i++)
        cJSON_AddItemToArray(complaints, cJSON_CreateString(discovery->complaint[i]));
}

static void print_json(const struct mapping *mapping, const struct discovery *discovery, const size_t *counts)
{
    const struct gateway *gateway = mapping->gateway;
    const struct mesh_config *file = mapping->file;
    cJSON *object = report_object("map");
    char hash[16];
    snprintf(hash, sizeof hash, "%08x", (unsigned)gateway->identity.mesh_hash);
    cJSON_AddStringToObject(object, "topology", mesh_topology_name(gateway->mesh.topology));
    cJSON_AddNumberToObject(object, "size_x", gateway->mesh.size_x);
    cJSON_AddNumberToObject(object, "size_y", gateway->mesh.size_y);
    cJSON_AddNumberToObject(object, "word_width", gateway->mesh.word_width);
    cJSON_AddStringToObject(object, "mesh_hash", hash);
    cJSON_AddBoolToObject(object, "reliable", gateway->identity.reliable != 0);
    if (file)
        cJSON_AddBoolToObject(object, "is_mesh_file", file->hash == gateway->identity.mesh_hash);
    cJSON_AddNumberToObject(object, "gateway_site", gateway->identity.site);
    cJSON_AddNumberToObject(object, "sites_answering", (double)discovery_present(discovery));
    cJSON_AddNumberToObject(object, "links_good", (double)counts[LINK_GOOD]);
    if (discovery->cables) {
        cJSON_AddNumberToObject(object, "scouts", (double)discovery->cables->scouts);
        cJSON_AddNumberToObject(object, "ends_unsure", discovery->cables->unsure);
        cJSON_AddBoolToObject(object, "too_far", discovery->cables->too_far);
    }
    if (mapping->options->routes)
        cJSON_AddBoolToObject(object, "rerouted", mapping->rerouted == EXIT_OK);
    add_sites(object, discovery);
    for_each_link(discovery, add_link, cJSON_AddArrayToObject(object, "links"));
    report_print(object, false);
}

/* Compares the settings of the mesh with those of the file. */
static bool check_file(const struct gateway *gateway, const struct mesh_config *file)
{
    char is[TOPOLOGY_TEXT], wanted[TOPOLOGY_TEXT];
    if (file->hash == gateway->identity.mesh_hash)
        return true;
    if (file->reliable != (gateway->identity.reliable != 0))
        report_error("map", "warning: the mesh is %s, but %s asks for %s",
                     gateway->identity.reliable ? "reliable" : "raw", file->path, file->reliable ? "reliable" : "raw");
    if (file->topology != gateway->mesh.topology || file->size_x != gateway->mesh.size_x ||
        file->size_y != gateway->mesh.size_y)
        report_error("map", "warning: the mesh is a %s, but %s describes a %s", topology_describe(&gateway->mesh, is),
                     file->path, topology_describe(file, wanted));
    report_error("map",
                 "warning: the nodes' .mesh hash is %08x, that of %s is %08x: they were set up from other settings",
                 (unsigned)gateway->identity.mesh_hash, file->path, (unsigned)file->hash);
    return false;
}

static int verdict(const struct discovery *discovery, const size_t *counts, bool is_file)
{
    if (!is_file || discovery->complaints)
        return EXIT_MISMATCH;
    if (discovery_present(discovery) < discovery->asked_count || counts[LINK_ONE_WAY] || counts[LINK_MISSING] ||
        counts[LINK_WRONG] || (discovery->cables && (discovery->cables->surplus || discovery->cables->too_far)))
        return EXIT_PARTIAL;
    return EXIT_OK;
}

static bool same_shape(const struct mesh_config *file, const struct mesh_config *mesh)
{
    return file->topology == mesh->topology && file->size_x == mesh->size_x && file->size_y == mesh->size_y;
}

/* The cables of the mesh are those of the file, if there is one, and those that scouts find are compared with them.
 * Else they are those that scouts find: what the daemon knows of them is not asked. */
static int find_cables(struct mapping *mapping)
{
    struct mesh_config *mesh = &mapping->gateway->mesh;
    const struct mesh_config *file = mapping->file;
    bool compares = file && same_shape(file, mesh);
    int status = cable_map_find(mapping->gateway, compares ? file : NULL, &mapping->cables);
    if (status != EXIT_OK)
        return status;
    mapping->found = *mesh;
    cable_map_put(&mapping->cables, &mapping->found);
    if (!compares)
        *mesh = mapping->found;
    else {
        memcpy(mesh->cable_ends, file->cable_ends, sizeof mesh->cable_ends);
        memcpy(mesh->switches, file->switches, sizeof mesh->switches);
        mesh->cable_end_count = file->cable_end_count;
    }
    return EXIT_OK;
}

static void show(const struct mapping *mapping, const struct discovery *discovery, const size_t *counts)
{
    if (mapping->options->common.json) {
        print_json(mapping, discovery, counts);
    } else {
        print_picture(mapping->gateway, discovery, counts);
        if (mapping->options->routes && mapping->rerouted == EXIT_OK)
            printf("all sites have new routes\n");
    }
    fflush(stdout);
}

static int map(struct mapping *mapping)
{
    struct gateway *gateway = mapping->gateway;
    struct discovery discovery = {0};
    size_t counts[LINK_UNASKED + 1] = {0};
    bool scouts = scouts_exist(gateway);
    int status = scouts ? find_cables(mapping) : EXIT_OK;
    if (!scouts && mapping->file && gateway_lacks_cables(&gateway->mesh))
        gateway_take_cables(gateway, mapping->file);
    if (status == EXIT_OK && mapping->options->routes)
        mapping->rerouted = reroute_sites(gateway, &mapping->found);
    if (mapping->rerouted == EXIT_INTERRUPTED)
        status = EXIT_INTERRUPTED;
    if (status == EXIT_OK)
        status = discovery_run(gateway, scouts ? &mapping->cables : NULL, &discovery);
    if (status == EXIT_OK) {
        for_each_link(&discovery, count_link, counts);
        show(mapping, &discovery, counts);
        status = verdict(&discovery, counts, !mapping->file || check_file(gateway, mapping->file));
    }
    discovery_free(&discovery);
    cable_map_free(&mapping->cables);
    return status == EXIT_OK ? mapping->rerouted : status;
}

/* Maps again when a cable has changed. Routes go out each time: a site that was reset has those of the .mesh. */
static int look_again(struct mapping *mapping, const struct mesh_config *wanted)
{
    struct gateway *gateway = mapping->gateway;
    struct pr_cable changed;
    char link[LINK_NAME_SIZE];
    int status = reroute_check(gateway, &mapping->found, wanted, &changed);
    if (status != EXIT_OK)
        return status;
    if (changed.site == changed.far_site)
        return reroute_sites(gateway, &mapping->found);
    snprintf(link, sizeof link, "%s", mesh_link_name(&gateway->mesh, changed.link));
    report_error("map", "the cable from %u %s to %u %s has changed: mapping again", changed.site, link,
                 changed.far_site, mesh_link_name(&gateway->mesh, changed.far_link));
    return map(mapping);
}

/* Until a signal, a lost connection, or a gateway that does not answer. */
static int keep(struct mapping *mapping)
{
    const struct mesh_config wanted = mapping->gateway->mesh; /* cables of the file, or of the first map */
    int status;
    do {
        status = gateway_wait_until(mapping->gateway, pr_client_now() + mapping->options->again);
        if (status == EXIT_OK)
            status = look_again(mapping, &wanted);
    } while (status == EXIT_OK || status == EXIT_PARTIAL || status == EXIT_MISMATCH);
    return status;
}

static int map_once_or_more(struct mapping *mapping)
{
    int status;
    if (mapping->options->routes && !scouts_exist(mapping->gateway))
        return report_failure(EXIT_USAGE, "map",
                              "this fabric finds its ways itself, expected a graph whose packets carry their routes");
    status = map(mapping);
    if (mapping->options->again >= 0 && (status == EXIT_OK || status == EXIT_PARTIAL || status == EXIT_MISMATCH))
        status = keep(mapping);
    return status;
}

static int run(const struct options *options)
{
    struct map_options chosen = *(const struct map_options *)(const void *)options;
    struct mapping mapping = {.options = &chosen};
    struct gateway gateway;
    struct mesh_config file;
    char error[1024];
    if (chosen.mesh && mesh_config_load(chosen.mesh, &file, error, sizeof error) != 0)
        return report_failure(EXIT_USAGE, "map", "%s", error);
    chosen.routes |= chosen.again >= 0;
    int status = gateway_open(&gateway, options);
    if (status != EXIT_OK)
        return status;
    mapping.gateway = &gateway;
    mapping.file = chosen.mesh ? &file : NULL;
    status = map_once_or_more(&mapping);
    gateway_close(&gateway);
    return status;
}

static const struct option_row rows[] = {
    {.name = "mesh",
     .letter = 'm',
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct map_options, mesh),
     .file = FILE_READ,
     .words = "@file",
     .help = "check the sites against this .mesh file"},
    {.name = "routes",
     .letter = 'r',
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct map_options, routes),
     .help = "give all sites new routes, over the cables that were found",
     .manual =
         "Gives all sites new routes, over the cables that were found: up a tree and down again, so that no packets "
         "wait for each other in a circle. Only on a graph whose packets carry their routes."},
    {.name = "watch",
     .letter = 'w',
     .kind = OPTION_SECONDS_OPTIONAL,
     .argument = "SECONDS",
     OPTION_FIELD(struct map_options, again),
     .otherwise = "10",
     .help = "look again every so many seconds, and give new routes where a cable has changed",
     .manual =
         "As `--routes`, and then every so many seconds a scout goes over each cable and back. If one does not come "
         "home, or if one comes home over a cable of `--mesh` that was missing, the mesh is mapped again and gets "
         "new routes, until the verb is interrupted."},
    {.name = NULL},
};

static const struct map_options defaults = {.again = -1};

static const char manual[] =
    "Asks every site for its identity, checks that both ends of every link report it as connected, and draws the "
    "mesh. Of links between boards it checks that each cable leads to the right board. On a graph whose packets carry "
    "their routes it sends scouts, which find the switches and the cables between them, and with `--mesh` compares these "
    "with the file; a switch has no number of its own, so that without `--mesh` the last numbers go to switches, in the "
    "order of their lowest operators. The verb prints which service "
    "the mesh has, and which sites have restarted since all sites were reset together. With `--mesh` it warns if "
    "the nodes were set up from other settings than those of the file.";

static const struct json_key keys[] = {
    {"topology", "text", "`grid`, `torus`, `hypercube` or `graph`"},
    {"size_x", "sites", "width; hypercube: dimensions; graph: sites"},
    {"size_y", "sites", "height; hypercube: 1; graph: links of a site"},
    {"word_width", "bits", "width of a word"},
    {"mesh_hash", "hex digits", "hash of the settings of the gateway node"},
    {"reliable", "true or false", "the mesh has the reliable service"},
    {"is_mesh_file", "true or false", "the mesh was set up from the file of `--mesh`; only with that option"},
    {"gateway_site", "site", "the site that was asked"},
    {"sites_answering", "sites", "number of sites that answered"},
    {"links_good", "links", "number of links that both ends report, or scouts have found"},
    {"scouts", "number",
     "scouts that have looked for cables; only where operators put routes in front of packets, as the next two"},
    {"ends_unsure", "links", "links that lead to a switch which scouts cannot tell from others"},
    {"too_far", "true or false", "a part of the mesh was not looked at: scouts have too short routes"},
    {"rerouted", "true or false", "all sites have new routes; only with `--routes` or `--watch`"},
    {"sites[].site", "site", "the site"},
    {"sites[].answers", "true or false", "the site answered; the keys below are there only then"},
    {"sites[].switch", "true", "nobody answers for it: it is a switch; not there for other sites"},
    {"sites[].address", "number", "its address in the fabric"},
    {"sites[].links", "bit mask", "its connected links; on boards those that are up"},
    {"sites[].clock_hz", "Hz", "its clock rate"},
    {"sites[].ram_bytes", "bytes", "its RAM"},
    {"sites[].mesh_hash", "hex digits", "hash of its settings"},
    {"sites[].epoch", "number", "its restarts since all sites were reset together"},
    {"sites[].build_id", "hex digits",
     "first bytes of the build id of its firmware; not there if the site reports none"},
    {"complaints[]", "text", "what is wrong with the identities"},
    {"links[].site", "site", "one end"},
    {"links[].link", "text", "its direction"},
    {"links[].to", "site", "the other end; null: the mesh has none, but a cable is there"},
    {"links[].to_link", "text", "its link there; graphs only"},
    {"links[].state", "text", "`good`, `one way`, `missing`, `wrong`, `unknown` or `not asked`, between two switches"},
    {"links[].leads_to", "site",
     "where the cable at `site` ends, if that is not `to`; boards, and where there are scouts"},
    {"links[].leads_to_link", "text", "its link there; where there are scouts"},
    {NULL, NULL, NULL},
};

const struct verb verb_map = {
    .name = "map",
    .operands = "",
    .summary = "Asks every site for its identity, and draws sites and links.",
    .manual = manual,
    .common = COMMON_ASK,
    .rows = rows,
    .defaults = &defaults,
    .keys = keys,
    .size = sizeof(struct map_options),
    .run = run,
};
