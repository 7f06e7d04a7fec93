/* The links of a mesh of boards, as the boards at their ends receive them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_LINK_LIST_H
#define POSTROAD_CLI_LINK_LIST_H

#include <cjson/cJSON.h>

#include "cli/link_counts.h"

enum { LINK_STATE_TEXT = 48 };

struct one_link {
    unsigned site, link;       /* the receiver */
    int neighbour;             /* what the mesh has at the other end; -1: nothing, and a wrong cable is there */
    bool answered, once;       /* now, and at any reading */
    struct link_counts counts; /* of the last reading that was answered */

    /* Since the first answer: damaged frames, and how often it came up again. The boards count modulo 65536, so
     * readings must be less than so many frames apart. */
    unsigned long damaged, trained;
};

struct link_list {
    struct gateway *gateway;
    struct site_set set;
    struct link_rows *rows;
    struct one_link *links;
    size_t count;
};

/* Opens the gateway, finds the links of the sites in the verb's operand, and reads them for the first time. On EXIT_OK
 * and EXIT_PARTIAL (some sites do not answer) it is to be closed; otherwise the reason has been printed: EXIT_USAGE if
 * no link is one that counts frames. */
int link_list_open(struct link_list *list, struct gateway *gateway, const struct options *options);
void link_list_close(struct link_list *list);

/* Reads all links again. The exit code. */
int link_list_read(struct link_list *list);

/* Trained in both directions; and with the neighbour that the mesh has there. */
bool link_is_up(const struct one_link *one);
bool link_is_good(const struct one_link *one);

/* In words; `text` is room for it. */
const char *link_state(const struct link_list *list, const struct one_link *one, char text[LINK_STATE_TEXT]);

/* The worst first: down or to a wrong board, then by damaged frames. `since_power_on`: all that the boards have
 * counted, modulo 65536, else those since the first reading. */
void link_list_sort(struct link_list *list, bool since_power_on);

/* Bits a second on a link, whatever they are for. */
double link_list_bit_rate(const struct link_list *list);

/* EXIT_MISMATCH in place of EXIT_OK: a link is down, or leads to a wrong board. */
int link_list_verdict(const struct link_list *list, int status);

/* An object for a link, with the keys that LINK_LIST_KEYS describes. */
cJSON *link_list_json(const struct link_list *list, const struct one_link *one);

/* clang-format off */
#define LINK_LIST_KEYS \
    {"bits_per_second", "bits/s", "rate of the links' bits"}, \
    {"links[].site", "site", "the board that receives"}, \
    {"links[].link", "text", "its link"}, \
    {"links[].to", "site", "the neighbour in the mesh; null: the mesh has none, and the cable is wrong"}, \
    {"links[].up", "true or false", "trained in both directions"}, \
    {"links[].state", "text", "in words"}
/* clang-format on */

#endif
