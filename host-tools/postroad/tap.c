/* postroad tap: network namespaces whose packets go through a mesh that is up.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/gateway.h"
#include "cli/report.h"
#include "cli/site_set.h"
#include "cli/table.h"
#include "libpostroad/clock.h"
#include "multicast/groups.h"
#include "postroad/verbs.h"
#include "support/or_abort.h"
#include "tap/carrier.h"
#include "tap/interface.h"
#include "tap/membership.h"
#include "tap/namespaces.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TICK_MS = 1000,
    READS = 16,        /* frames of one namespace before it is the next one's turn */
    FRAME_ROOM = 65536 /* an interface can be given any MTU */
};

struct tap_options {
    struct options common;
    const char *prefix;
    long group; /* of the operators, or TAP_NO_GROUP */
};

struct tap {
    const struct tap_options *options;
    struct gateway *gateway;
    const struct site_set *set;
    struct tap_namespaces namespaces;
    struct tap_carrier *carrier;
    struct tap_groups *groups;
    struct tap_lan *lan;
    bool *gone; /* the interface, place by place */
};

static bool send_frame(void *context, size_t place, struct tap_way way, const uint8_t *frame, size_t length)
{
    const struct tap *tap = context;
    return tap_carrier_send(tap->carrier, place, way, frame, length);
}

static bool take_frame(void *context, size_t place, const uint8_t *frame, size_t length)
{
    const struct tap *tap = context;
    return write(tap->namespaces.all[place].tap, frame, length) == (ssize_t)length;
}

static void note_change(void *context, size_t place, const struct tap_address *address, bool joined)
{
    const struct tap *tap = context;
    char text[TAP_ADDRESS_TEXT];
    if (!tap->options->common.verbose)
        return;
    tap_address_text(address, text);
    report_note(&tap->options->common, "%s %s %s, group %u", tap->namespaces.all[place].name,
                joined ? "joins" : "leaves", text, (unsigned)tap_group_of(address));
}

static void interface_is_gone(struct tap *tap, size_t place)
{
    tap->gone[place] = true;
    report_error("tap", "namespace %s: the interface " TAP_INTERFACE " is gone: %s", tap->namespaces.all[place].name,
                 strerror(errno));
}

static void read_namespace(struct tap *tap, size_t place)
{
    static uint8_t frame[FRAME_ROOM];
    for (int reads = 0; reads < READS; reads++) {
        ssize_t length = read(tap->namespaces.all[place].tap, frame, sizeof frame);
        if (length < 0 && errno != EAGAIN && errno != EINTR)
            interface_is_gone(tap, place);
        if (length < 0)
            return;
        tap_lan_send(tap->lan, place, frame, (size_t)length, pr_client_now());
    }
}

static void prepare(const struct tap *tap, struct pollfd *polls)
{
    tap_carrier_prepare(tap->carrier, polls);
    for (size_t i = 0; i < tap->set->count; i++)
        polls[tap->set->count + i] = (struct pollfd){.fd = tap->gone[i] ? -1 : tap->namespaces.all[i].tap,
                                                     .events = POLLIN};
}

/* Seconds of --timeout, and between two looks at what has waited too long. */
static int carry(struct tap *tap, struct pollfd *polls)
{
    double timeout = tap->options->common.timeout, now = pr_client_now(), tick = now;
    double end = timeout < 0 ? INFINITY : now + timeout;
    int status = EXIT_OK;
    for (; status == EXIT_OK && now < end; now = pr_client_now()) {
        if (now >= tick) {
            tap_lan_tick(tap->lan, now);
            tick = now + TICK_MS / 1e3;
        }
        prepare(tap, polls);
        int wait = tap_carrier_wait(tap->carrier, (int)ceil(fmin(tick - now, end - now) * 1e3));
        if (pr_clock_wait(polls, 2 * tap->set->count, wait) < 0)
            return EXIT_INTERRUPTED;
        for (size_t i = 0; i < tap->set->count; i++)
            if (polls[tap->set->count + i].revents)
                read_namespace(tap, i);
        status = tap_carrier_handle(tap->carrier);
    }
    return status;
}

static cJSON *object_of_kind(const char *kind)
{
    cJSON *object = report_object("tap");
    cJSON_AddStringToObject(object, "kind", kind);
    return object;
}

/* The addresses of a site, for users. */
struct site_texts {
    char ipv4[TAP_ADDRESS_TEXT], ipv6[TAP_ADDRESS_TEXT];
};

static struct site_texts texts_of(unsigned site)
{
    struct site_texts texts;
    struct tap_address ipv4 = tap_interface_ipv4(site), ipv6 = tap_interface_ipv6(site);
    tap_address_text(&ipv4, texts.ipv4);
    tap_address_text(&ipv6, texts.ipv6);
    return texts;
}

static void show_ready_json(const struct tap *tap)
{
    cJSON *object = object_of_kind("ready"), *list = cJSON_AddArrayToObject(object, "sites");
    for (size_t i = 0; i < tap->set->count; i++) {
        struct site_texts texts = texts_of(tap->set->sites[i]);
        cJSON *one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "site", tap->set->sites[i]);
        cJSON_AddStringToObject(one, "namespace", tap->namespaces.all[i].name);
        cJSON_AddStringToObject(one, "ipv4", texts.ipv4);
        cJSON_AddStringToObject(one, "ipv6", texts.ipv6);
        cJSON_AddItemToArray(list, one);
    }
    report_print(object, true);
}

static void show_ready(const struct tap *tap)
{
    static const struct table_column columns[] = {{.title = "site"},
                                                  {.title = "namespace", .left = true},
                                                  {.title = "IPv4", .left = true},
                                                  {.title = "IPv6", .left = true}};
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < tap->set->count; i++) {
        struct site_texts texts = texts_of(tap->set->sites[i]);
        table_row(&table, STYLE_PLAIN);
        table_cell(&table, 0, "%u", tap->set->sites[i]);
        table_cell(&table, 1, "%s", tap->namespaces.all[i].name);
        table_cell(&table, 2, "%s", texts.ipv4);
        table_cell(&table, 3, "%s", texts.ipv6);
    }
    table_print(&table, stdout, tap->set->count, 0);
    table_end(&table);
    fflush(stdout);
    report_note(&tap->options->common, "ready: ip netns exec %s COMMAND; control-C takes the namespaces away",
                tap->namespaces.all[0].name);
}

static const struct {
    const char *name, *unit, *meaning;
    bool is_loss;
} counters[TAP_COUNTERS] = {
#define COUNTER(name, unit, meaning, is_loss) {#name, unit, meaning, is_loss},
#include "tap/counters.def"
#undef COUNTER
};

static void show_end_json(const struct tap *tap)
{
    cJSON *object = object_of_kind("end"), *list = cJSON_AddArrayToObject(object, "sites");
    for (size_t i = 0; i < tap->set->count; i++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddNumberToObject(one, "site", tap->set->sites[i]);
        for (int k = 0; k < TAP_COUNTERS; k++)
            cJSON_AddNumberToObject(one, counters[k].name, (double)tap_lan_counter(tap->lan, i, (enum tap_counter)k));
        cJSON_AddItemToArray(list, one);
    }
    report_print(object, true);
}

/* The traffic of each site, and whatever else was counted. */
static void show_end(const struct tap *tap)
{
    for (size_t i = 0; i < tap->set->count; i++) {
        printf("site %u: %lu frames from %s, %lu to it\n", tap->set->sites[i],
               tap_lan_counter(tap->lan, i, TAP_COUNTER_from_namespace), tap->namespaces.all[i].name,
               tap_lan_counter(tap->lan, i, TAP_COUNTER_to_namespace));
        for (int k = 0; k < TAP_COUNTERS; k++) {
            unsigned long count = tap_lan_counter(tap->lan, i, (enum tap_counter)k);
            if (counters[k].is_loss && count)
                printf("site %u: %lu %s %s\n", tap->set->sites[i], count, counters[k].unit, counters[k].meaning);
        }
    }
}

static int serve(struct tap *tap)
{
    const struct tap_lan_ways ways = {tap, send_frame, take_frame, note_change};
    struct pollfd polls[2 * tap->set->count];
    tap->groups = tap_groups_create(&tap->gateway->identity, tap->set->sites, tap->set->count);
    tap->lan = tap->groups ? tap_lan_create(tap->set->sites, tap->set->count, tap->groups, &ways) : NULL;
    tap->gone = or_abort(calloc(tap->set->count, sizeof *tap->gone));
    if (!tap->lan)
        abort();
    tap_carrier_join(tap->carrier, tap->groups, tap->lan);
    if (tap->options->common.json)
        show_ready_json(tap);
    else
        show_ready(tap);
    int status = carry(tap, polls);
    if (tap->options->common.json)
        show_end_json(tap);
    else if (!tap->options->common.quiet)
        show_end(tap);
    return status;
}

/* False: a reason has been printed. */
static bool make_namespaces(struct tap *tap)
{
    char error[TAP_ERROR_SIZE];
    bool good = tap_namespaces_begin(&tap->namespaces, tap->set->count, error);
    for (size_t i = 0; i < tap->set->count && good; i++) {
        char name[2 * TAP_NAME_SIZE];
        snprintf(name, sizeof name, "%s-%u", tap->options->prefix, tap->set->sites[i]);
        good = tap_namespaces_add(&tap->namespaces, name, tap->set->sites[i], tap->gateway->endpoint.path, error);
    }
    if (!good)
        report_error("tap", "%s", error);
    tap_namespaces_ready(&tap->namespaces);
    return good;
}

static int tap_at(struct gateway *gateway, const struct site_set *set)
{
    struct tap tap = {.options = (const void *)gateway->options,
                      .gateway = gateway,
                      .set = set,
                      .namespaces = {.home = -1, .records = -1, .lock = -1}};
    int status = tap_carrier_open(gateway, set, &tap.carrier);
    if (status == EXIT_OK && tap.options->group != TAP_NO_GROUP)
        status = tap_carrier_use_group(tap.carrier, (unsigned)tap.options->group);
    if (status == EXIT_OK && !make_namespaces(&tap))
        status = EXIT_TRANSPORT;
    if (status == EXIT_OK)
        status = serve(&tap);
    tap_namespaces_end(&tap.namespaces);
    tap_carrier_close(tap.carrier);
    tap_lan_destroy(tap.lan);
    tap_groups_destroy(tap.groups);
    free(tap.gone);
    return status;
}

/* --timeout is for all of it, and not for an answer. */
static int run(const struct options *options)
{
    struct gateway gateway;
    struct site_set set;
    struct options first = *options;
    first.timeout = -1;
    int status = gateway_find_up(&gateway, &first);
    if (status == EXIT_OK)
        status = gateway_reach(&gateway);
    if (status == EXIT_OK)
        status = gateway_choose_up(&gateway, &set);
    if (status != EXIT_OK)
        return status;
    gateway.options = options;
    status = tap_at(&gateway, &set);
    site_set_free(&set);
    return status;
}

/* With room for the number of a site. */
static bool read_prefix(const char *text, void *options)
{
    ((struct tap_options *)options)->prefix = text;
    return tap_name_is_good(text) && strlen(text) < TAP_NAME_SIZE - sizeof "-65535";
}

static const struct option_row rows[] = {
    {.name = "namespace",
     .kind = OPTION_READ,
     .argument = "PREFIX",
     .read = read_prefix,
     .expected = "letters, digits and -_. with a letter or digit first, at most 56",
     .initial = "site",
     .help = "the namespace of site 3 is PREFIX-3"},
    {.name = "group",
     .kind = OPTION_NUMBER,
     .argument = "GROUP",
     .maximum = PR_GROUPS_NUMBERS - 1,
     OPTION_FIELD(struct tap_options, group),
     .otherwise = "none",
     .help = "multicasts go through this group of the operators"},
    {OPTION_TIMEOUT, .otherwise = "never", .help = "end after so long"},
    {.name = NULL},
};

static const struct tap_options defaults = {.group = TAP_NO_GROUP};

static const char manual[] =
    "Makes a network namespace for each of <SITES>, joined by the mesh: whatever a program in one sends to another goes "
    "through the simulator, or the boards, as packets of the mesh. Programs need not know: `ip netns exec` `site-3` "
    "`ping` `10.1.0.5` works as on a switched Ethernet, with IPv4, IPv6 and multicast. In each namespace the interface "
    "is " TAP_INTERFACE ", with the MTU 1500 and addresses that end in the number of the site. The namespaces have no "
    "way to the host's network.\n"
    "A namespace gets a multicast only if it has joined its address (host-tools/tap/README.md says what goes where). With "
    "`--group` multicasts go through a group of the operators, of which all <SITES> are members (`postroad` `group`): of "
    "an ordered shape, all namespaces get them in one order. With `--verbose` who joins and leaves is printed. What is "
    "dropped is counted, and printed at the end.\n"
    "The verb runs until control-C, or until the mesh is down, and takes the namespaces away. If it is killed, the next "
    "`postroad tap` takes them away. It needs root, and so does `up` then. The exit status is 130 after control-C, 0 after "
    "`--timeout`, and 2 if the mesh is lost, without root or TAP devices, if a namespace has that name, or if "
    "a site has a tap already.";

static const struct json_key keys[] = {
    {"kind", "text", "`ready`: programs can start; or `end`; one object a line"},
    {"sites[].site", "site", "the site"},
    {"sites[].namespace", "text", "ready: its namespace"},
    {"sites[].ipv4", "text", "ready: its IPv4 address"},
    {"sites[].ipv6", "text", "ready: its IPv6 address"},
#define COUNTER(name, unit, meaning, is_loss) {"sites[]." #name, unit, "end: " meaning},
#include "tap/counters.def"
#undef COUNTER
    {NULL, NULL, NULL},
};

const struct verb verb_tap = {
    .name = "tap",
    .operands = "SITES",
    .summary = "Network namespaces whose packets go through a mesh that is up.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = 1,
    .operand_words = {"all"},
    .common = COMMON_GATEWAY | COMMON_OUTPUT | COMMON_VERBOSE,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct tap_options),
    .defaults = &defaults,
    .run = run,
};
