/* A replicated log: the members of a group append entries, and all of them have the same entries in the same order. The
 * group's shape has to order (multicast/shapes.h), and all its packets are entries: the place of one in that order is
 * its index in the log. What is too long for an entry is cut.
 *
 *   host, or any site        a member                       all members
 *     PROPOSE words   ---->  pr_groups_send          ---->  append; the check of all entries so far
 *     <---- status
 *     READ            ---->
 *     <---- length, check
 *
 * A site that joins, or comes back from a reset, gets the entries from then on, but not the check of those before. It
 * asks the leader for the check in front of its next entry, and holds those behind it:
 *
 *   joins --> first entry --> ASK p, the next index --> TELL p, length, check --> the check of each entry from p on
 *
 * No timers: it asks again with each entry, until it knows. The leader's death ends the group, and the log with it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_APPS_REPLICATED_LOG_REPLICATED_LOG_H
#define POSTROAD_APPS_REPLICATED_LOG_REPLICATED_LOG_H

#include "multicast/groups.h"

enum {
    REPLICATED_LOG_ENTRIES = 64, /* the latest ones are held */
    REPLICATED_LOG_WORDS = 8     /* of an entry, at most */
};

/* Handlers of a member's operator: entries in the group; requests, from site to site; their answers. */
enum { REPLICATED_LOG_ANSWER = 1, REPLICATED_LOG_APPEND = 16, REPLICATED_LOG_REQUEST };

/* First words of requests. Numbers have their low 16 bits first. */
enum {
    REPLICATED_LOG_PROPOSE, /* words of an entry; the answer: 0, or the number of a PR_GROUPS_* error */
    REPLICATED_LOG_READ,    /* the answer: length and check; nothing, if this site does not know them yet */
    REPLICATED_LOG_ASK,     /* low 16 bits of an index */
    REPLICATED_LOG_TELL     /* the same; entries before it, and their check; the index alone: too old */
};

struct replicated_log_entry {
    uint16_t source, number; /* who appended it, and its number there */
    uint16_t words;
    uint32_t data[REPLICATED_LOG_WORDS];
    uint32_t check; /* of this entry and all before it, if the log's is known */
};

struct replicated_log {
    struct pr_operator *op;
    struct pr_groups *groups;
    uint8_t group;
    bool begun;      /* `next` and `held` are true */
    bool known;      /* and so are `length` and all checks */
    bool asks;       /* it has to ask the leader, and has found no buffer */
    uint16_t next;   /* index of the next entry, modulo 65536 */
    unsigned held;   /* entries before it that are held */
    uint32_t length; /* entries */
    uint32_t check;  /* of all of them */
    struct replicated_log_entry entries[REPLICATED_LOG_ENTRIES];
};

/* Registers the handlers. The group is formed or joined by the caller, before or after. `founds`: this site is a member
 * since the group was formed. 0 or -PR_OPERATOR_FULL. */
int replicated_log_init(struct replicated_log *log, struct pr_operator *op, struct pr_groups *groups, uint8_t group,
                        bool founds);

/* As pr_groups_send; the log has the entry when it is delivered here. -PR_GROUPS_TOO_LONG: more words than an entry
 * has. */
int replicated_log_append(struct replicated_log *log, const uint32_t *data, unsigned words);

/* After each pr_groups_poll. */
void replicated_log_poll(struct replicated_log *log);

/* The entry of this index, 0 being the first; NULL: it is not held, or indices are not known yet. */
const struct replicated_log_entry *replicated_log_entry(const struct replicated_log *log, uint32_t index);

#endif
