/* postroad probe: which strobes the probe pins of boards show, for a logic analyser.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/probe_pins.h"
#include "cli/report.h"
#include "cli/table.h"
#include "postroad/verbs.h"
#include "support/or_abort.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <unistd.h>

enum { OPERAND_SITES, OPERAND_PIN, OPERAND_STROBE, OPERANDS_TO_SET, ERROR_SIZE = 1024 };

static const char wanted_mesh[] = "expected boards whose .mesh file has [links] probe = yes";

struct probe_options {
    struct options common;
    const char *testbed; /* NULL: none */
};

struct probe {
    struct gateway gateway;
    struct site_set set;     /* that are shown */
    struct probe_pins *pins; /* by site */
};

static void print_json(const struct probe *probe)
{
    char text[PROBE_PINS_TEXT];
    cJSON *object = report_object("probe"), *sites = cJSON_AddArrayToObject(object, "sites");
    for (size_t i = 0; i < probe->set.count; i++) {
        const struct probe_pins *pins = &probe->pins[probe->set.sites[i]];
        cJSON *site = cJSON_CreateObject();
        cJSON_AddItemToArray(sites, site);
        cJSON_AddNumberToObject(site, "site", probe->set.sites[i]);
        cJSON_AddBoolToObject(site, "answered", pins->answered);
        cJSON *list = cJSON_AddArrayToObject(site, "pins");
        for (unsigned pin = 0; pin < pins->count; pin++)
            cJSON_AddItemToArray(list, cJSON_CreateString(probe_pins_text(pins->strobes[pin], text)));
    }
    report_print(object, false);
}

static void print_table(const struct probe *probe)
{
    enum { SITE, PIN, STROBE };
    static const struct table_column columns[] = {
        {.title = "site"}, {.title = "pin"}, {.title = "strobe", .left = true}};
    char text[PROBE_PINS_TEXT];
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < probe->set.count; i++) {
        const struct probe_pins *pins = &probe->pins[probe->set.sites[i]];
        for (unsigned pin = 0; pin < pins->count; pin++) {
            table_row(&table, STYLE_PLAIN);
            table_cell(&table, SITE, "%u", (unsigned)probe->set.sites[i]);
            table_cell(&table, PIN, "%u", pin);
            table_cell(&table, STROBE, "%s", probe_pins_text(pins->strobes[pin], text));
        }
        if (pins->count)
            continue;
        table_row(&table, pins->answered ? STYLE_DOUBTFUL : STYLE_BAD);
        table_cell(&table, SITE, "%u", (unsigned)probe->set.sites[i]);
        table_cell(&table, STROBE, "%s", pins->answered ? "no probe pins" : "no answer");
    }
    table_print(&table, stdout, table.row_count, terminal_width(STDOUT_FILENO));
    table_end(&table);
}

/* The pins of the set, or an error if no site that answers has any. */
static int show(struct probe *probe, bool json)
{
    bool any = false, answered = false;
    int status = probe_pins_read(&probe->gateway, &probe->set, probe->pins);
    if (status != EXIT_OK && status != EXIT_PARTIAL)
        return status;
    for (size_t i = 0; i < probe->set.count; i++) {
        any |= probe->pins[probe->set.sites[i]].count > 0;
        answered |= probe->pins[probe->set.sites[i]].answered;
    }
    if (answered && !any)
        return report_failure(EXIT_USAGE, "probe", "no site has probe pins, %s", wanted_mesh);
    if (json)
        print_json(probe);
    else
        print_table(probe);
    return status;
}

/* Each site of the set has the pin, as was read before. `where` is put before the message. */
static int check_pin(const struct probe *probe, const struct site_set *set, unsigned pin, const char *where)
{
    for (size_t i = 0; i < set->count; i++) {
        unsigned site = set->sites[i], count = probe->pins[site].count;
        if (!count)
            report_error("probe", "%ssite %u has no probe pins, %s", where, site, wanted_mesh);
        else if (pin >= count)
            report_error("probe", "%spin %u of site %u, expected a pin from 0 to %u", where, pin, site, count - 1);
        if (pin >= count)
            return EXIT_USAGE;
    }
    return EXIT_OK;
}

static int set_operands(struct probe *probe, const struct options *options)
{
    unsigned strobe;
    long pin;
    if (!options_number(options->operands[OPERAND_PIN], 0, PR_PROBE_MOST_PINS - 1, &pin))
        return report_failure(EXIT_USAGE, "probe", "PIN is '%s', expected a number from 0 to %d",
                              options->operands[OPERAND_PIN], PR_PROBE_MOST_PINS - 1);
    if (!probe_pins_strobe(options->operands[OPERAND_STROBE], &strobe))
        return report_failure(
            EXIT_USAGE, "probe",
            "STROBE is '%s', expected none or PORT.EVENT: east, west, north, south or local, and head, terminator "
            "or stall",
            options->operands[OPERAND_STROBE]);
    int status = probe_pins_read(&probe->gateway, &probe->set, probe->pins);
    if (status == EXIT_OK)
        status = check_pin(probe, &probe->set, (unsigned)pin, "");
    return status == EXIT_OK ? probe_pins_set(&probe->gateway, &probe->set, (unsigned)pin, strobe) : status;
}

/* --- What a testbed names. --- */

static int set_channel(struct probe *probe, const struct testbed *testbed, const struct testbed_channel *channel)
{
    char where[ERROR_SIZE + TESTBED_PATH];
    unsigned strobe = PR_STROBE_NONE;
    uint16_t site = (uint16_t)testbed->boards[channel->board].sites[0];
    struct site_set one = {.count = 1, .sites = &site};
    snprintf(where, sizeof where, "%s:%d: ", testbed->path, channel->line);
    if (site >= probe->gateway.mesh.sites || !probe_pins_strobe_of(channel, &strobe))
        return report_failure(EXIT_USAGE, "probe",
                              "%s%s is site %u, expected a site of the mesh that is up, with four links", where,
                              testbed->boards[channel->board].name, (unsigned)site);
    int status = probe_pins_read(&probe->gateway, &one, probe->pins);
    if (status == EXIT_OK)
        status = check_pin(probe, &one, (unsigned)channel->probe, where);
    return status == EXIT_OK ? probe_pins_set(&probe->gateway, &one, (unsigned)channel->probe, strobe) : status;
}

static int set_channels(struct probe *probe, const struct testbed *testbed)
{
    int status = EXIT_OK;
    for (unsigned i = 0; i < testbed->channel_count && status == EXIT_OK; i++)
        if (testbed->channels[i].probe >= 0)
            status = set_channel(probe, testbed, &testbed->channels[i]);
    return status;
}

static bool has_probes(const struct testbed *testbed)
{
    for (unsigned i = 0; i < testbed->channel_count; i++)
        if (testbed->channels[i].probe >= 0)
            return true;
    return false;
}

/* Reads a testbed that names at least one probe pin. */
static int load_testbed(const char *path, struct testbed *testbed)
{
    char error[ERROR_SIZE];
    if (testbed_load(path, testbed, error, sizeof error) != 0)
        return report_failure(EXIT_USAGE, "probe", "%s", error);
    if (testbed->has_mesh && has_probes(testbed))
        return EXIT_OK;
    report_error("probe", "%s: %s", path,
                 testbed->has_mesh
                     ? "no channel at a probe pin, expected lines as D2 = left.probe0 east.head in [analyser]"
                     : "no mesh, expected mesh in [testbed]");
    testbed_free(testbed);
    return EXIT_USAGE;
}

static int open_and_run(const struct options *options, const struct testbed *testbed)
{
    struct probe probe = {.pins = NULL};
    int status = gateway_open_sites(&probe.gateway, options, &probe.set);
    if (status != EXIT_OK)
        return status;
    probe.pins = or_abort(calloc((size_t)probe.gateway.mesh.sites, sizeof *probe.pins));
    if (testbed)
        status = set_channels(&probe, testbed);
    else if (options->operand_count == OPERANDS_TO_SET)
        status = set_operands(&probe, options);
    if (status == EXIT_OK)
        status = show(&probe, options->json);
    free(probe.pins);
    gateway_close_sites(&probe.gateway, &probe.set);
    return status;
}

static int run(const struct options *options)
{
    const struct probe_options *probe = (const struct probe_options *)(const void *)options;
    struct testbed testbed;
    if (options->operand_count == OPERAND_STROBE || (probe->testbed && options->operand_count))
        return report_failure(EXIT_USAGE, "probe",
                              "%d operands%s, expected SITES, or SITES PIN STROBE, or --testbed=FILE",
                              options->operand_count, probe->testbed ? " and --testbed" : "");
    int status = probe->testbed ? load_testbed(probe->testbed, &testbed) : EXIT_OK;
    if (status != EXIT_OK)
        return status;
    status = open_and_run(options, probe->testbed ? &testbed : NULL);
    if (probe->testbed)
        testbed_free(&testbed);
    return status;
}

static const struct option_row rows[] = {
    {.name = "testbed",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct probe_options, testbed),
     .expected = "the name of a testbed file",
     .file = FILE_READ,
     .words = "@file",
     .help = "sets every pin that the section [analyser] of this testbed names",
     .manual = "Sets every probe pin that the section `[analyser]` of this testbed file names: a line "
               "`D2 = left.probe0 east.head` gives pin 0 of board `left` the strobe `east.head`."},
    {.name = NULL},
};

static const char manual[] =
    "Prints which strobe each probe pin of boards shows, or gives pin PIN of SITES another strobe. A board has probe pins if "
    "the .mesh file of its bitstream has `[links] probe = yes`. STROBE is PORT.EVENT or `none`. PORT is `east`, `west`, "
    "`north` or `south`, for words that leave the site by this link, or `local`, for words that are handed to its operator. "
    "EVENT is `head`, a packet begins to leave; `terminator`, it ends; or `stall`, its word begins or ceases to wait. The "
    "level of the pin changes at each event. A choice lasts until the board is reset.";

static const struct json_key keys[] = {
    {"sites[].site", "site", "one of SITES"},
    {"sites[].answered", "true or false", "it has answered"},
    {"sites[].pins[]", "text", "the strobe of each probe pin, from pin 0 on: PORT.EVENT or none"},
    {NULL, NULL, NULL},
};

const struct verb verb_probe = {
    .name = "probe",
    .operands = "[SITES [PIN STROBE]]",
    .summary = "What the probe pins of boards show to a logic analyser.",
    .manual = manual,
    .operands_max = OPERANDS_TO_SET,
    .operand_words = {"all", "none local.head local.terminator east.head west.head north.head south.head"},
    .common = COMMON_ASK,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct probe_options),
    .run = run,
};
