/* postroad links: the state of each cable, the worst first.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/link_list.h"
#include "cli/report.h"
#include "cli/table.h"
#include "mesh/topology_view.h"
#include "postroad/verbs.h"

#include <unistd.h>

static void print_table(const struct link_list *list)
{
    enum { SITE, LINK, TO, STATE, DAMAGED, TRAINED };
    static const struct table_column columns[] = {
        {.title = "site"},    {.title = "link", .left = true}, {.title = "to"}, {.title = "state", .left = true},
        {.title = "damaged"}, {.title = "trained", .rank = 1},
    };
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < list->count; i++) {
        const struct one_link *one = &list->links[i];
        char text[LINK_STATE_TEXT];
        table_row(&table, !link_is_good(one) ? STYLE_BAD : one->counts.damaged ? STYLE_DOUBTFUL : STYLE_PLAIN);
        table_cell(&table, SITE, "%u", one->site);
        table_cell(&table, LINK, "%s", mesh_link_name(&list->gateway->mesh, (int)one->link));
        if (one->neighbour >= 0)
            table_cell(&table, TO, "%d", one->neighbour);
        table_cell(&table, STATE, "%s", link_state(list, one, text));
        if (!one->answered)
            continue;
        table_cell(&table, DAMAGED, "%u", one->counts.damaged);
        table_cell(&table, TRAINED, "%u", one->counts.trained);
    }
    table_print(&table, stdout, list->count, terminal_width(STDOUT_FILENO));
    table_end(&table);
}

static void print_json(const struct link_list *list)
{
    cJSON *object = report_object("links"), *links = cJSON_AddArrayToObject(object, "links");
    cJSON_AddNumberToObject(object, "bits_per_second", link_list_bit_rate(list));
    for (size_t i = 0; i < list->count; i++) {
        const struct one_link *one = &list->links[i];
        cJSON *entry = link_list_json(list, one);
        cJSON_AddItemToArray(links, entry);
        if (!one->answered)
            continue;
        cJSON_AddNumberToObject(entry, "damaged_frames", one->counts.damaged);
        cJSON_AddNumberToObject(entry, "trained", one->counts.trained);
        cJSON_AddNumberToObject(entry, "words_out_modulo_65536", one->counts.words_out);
    }
    report_print(object, false);
}

static int run(const struct options *options)
{
    struct gateway gateway;
    struct link_list list;
    int status = link_list_open(&list, &gateway, options);
    if (status != EXIT_OK && status != EXIT_PARTIAL)
        return status;
    link_list_sort(&list, true);
    if (options->json)
        print_json(&list);
    else
        print_table(&list);
    status = link_list_verdict(&list, status);
    link_list_close(&list);
    return status;
}

static const char manual[] =
    "Prints the links between boards, as the boards at their ends receive them, those that are down and those with "
    "the most damaged frames first. A damaged frame is detected by its check byte, ends its packet, and is counted "
    "since power-on, modulo 65536. `trained` is how often the link has come up. The exit code is 3 if a link of the "
    "mesh is down, or leads to a board that is not its neighbour in the mesh. `wrong cable: pull it now`: the cable "
    "joins the pin that sends with another such pin (east with east, north with east); the link does not drive it. "
    "Links inside of an FPGA and those of a simulated mesh have no frames; if no link has, the exit code is 1. How "
    "many bits are wrong now is measured by `postroad soak`.";

static const struct json_key keys[] = {
    LINK_LIST_KEYS,
    {"links[].damaged_frames", "number", "since power-on, modulo 65536"},
    {"links[].trained", "number", "how often the link came up"},
    {"links[].words_out_modulo_65536", "words", "sent"},
    {NULL, NULL, NULL},
};

const struct verb verb_links = {
    .name = "links",
    .operands = "[SITES]",
    .summary = "Links between boards, the worst first.",
    .manual = manual,
    .operands_max = 1,
    .operand_words = {"all"},
    .common = COMMON_ASK,
    .keys = keys,
    .size = sizeof(struct options),
    .run = run,
};
