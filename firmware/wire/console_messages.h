/* The contents of console frames as C structs: requests to a site's console, their answers, and events. The layouts are
 * those of hw/protocol/console.ini. Nothing here allocates.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_CONSOLE_MESSAGES_H
#define POSTROAD_WIRE_CONSOLE_MESSAGES_H

#include "wire/console_frame.h"
#include "wire/route.h"
#include "wire/site_identity.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PR_MESSAGE_WORDS_MAX = 1024,       /* data or info words of one packet that the host tools handle */
    PR_MESSAGE_IDENTITY_WORDS_OLD = 19 /* of nodes older than the reliable service */
};

struct pr_message_ping {
    unsigned site;
    uint32_t round_trip, out, back; /* clocks */
};

struct pr_message_counters {
    unsigned site, first, count;
    uint32_t values[PR_CONSOLE_COUNTERS_MAX];
};

struct pr_message_info {
    const uint32_t *words;
    unsigned count;
};

struct pr_message_send {
    unsigned handler, targets, data_words;
    const uint16_t *sites;              /* targets of them */
    const struct pr_message_info *info; /* target_info of each; NULL: none has any */
    const uint32_t *data;
    bool halves; /* no data word has more than 16 bits: shorter by half */
};

struct pr_message_delivery {
    unsigned source, sequence, handler, info_words, data_words;
    uint32_t stamp_first, stamp_last, clock; /* clocks, low 32 bits */
    uint32_t info[PR_MESSAGE_WORDS_MAX], data[PR_MESSAGE_WORDS_MAX];
};

struct pr_message_event {
    unsigned what, source, sequence,
        remaining; /* what: PR_CONSOLE_KIND_*; settled: remaining are the targets that failed */
    uint32_t clock;
    unsigned site, failure; /* failed: the target, and PR_CONSOLE_REASON_*; else 0 */
};

/* Requests. The client fills in the id; a site may be PR_CONSOLE_THIS_SITE. False: the request does not fit a frame. */
bool pr_message_identify(struct pr_frame *frame, unsigned site);
/* The same in parts, since an answer that comes over the mesh has to fit a packet: pr_service_values_fit()
 * (console/remote_service.h) words at most. The two words behind the ID block are the build id; a node without one
 * refuses them, or answers with none. */
bool pr_message_identify_part(struct pr_frame *frame, unsigned site, unsigned first, unsigned count);
bool pr_message_ping(struct pr_frame *frame, unsigned site, unsigned data_words);
bool pr_message_listen(struct pr_frame *frame, unsigned mask); /* PR_CONSOLE_LISTEN_* */
bool pr_message_counters(struct pr_frame *frame, unsigned site, unsigned first, unsigned count);
bool pr_message_hold(struct pr_frame *frame, uint32_t clocks);
/* To so many sites, from the first one on. That of scouts (operator/scout.h) is behind those of the sites. */
bool pr_message_routes(struct pr_frame *frame, unsigned first, const struct pr_route *routes, unsigned count);
bool pr_message_shell(struct pr_frame *frame, const char *line);
bool pr_message_send(struct pr_frame *frame, const struct pr_message_send *send);

/* Log text of level 0, cut to what a frame holds. */
void pr_message_log(struct pr_frame *frame, const char *text, size_t length);

/* Answers start with a status; the rest is there only when that is 0. The readers give false for a frame that is
 * shorter or longer than it claims.
 */
int pr_message_status(const struct pr_frame *frame); /* -1: empty answer */
/* Identities and events of older nodes are shorter: what they leave out is 0 (not reliable, no site). */
bool pr_message_read_identity(const struct pr_frame *frame, unsigned *site, struct pr_site_identity *out);
/* Fills in the words that the answer has; the others stay as they are. */
bool pr_message_read_identity_part(const struct pr_frame *frame, unsigned *site, struct pr_site_identity *out);
bool pr_message_read_ping(const struct pr_frame *frame, struct pr_message_ping *out);
bool pr_message_read_send(const struct pr_frame *frame, unsigned *sequence, uint32_t *clock);
bool pr_message_read_counters(const struct pr_frame *frame, struct pr_message_counters *out);
bool pr_message_read_delivery(const struct pr_frame *frame, struct pr_message_delivery *out);
bool pr_message_read_event(const struct pr_frame *frame, struct pr_message_event *out);

/* The text of a frame that is log text (without its level) or raw text (type 0). It does not end with a zero. NULL: the
 * frame is something else, or empty. */
const char *pr_message_text(const struct pr_frame *frame, size_t *length);

const char *pr_message_status_text(int status);
const char *pr_message_event_text(unsigned what);
const char *pr_message_failure_text(unsigned failure);

#ifdef __cplusplus
}
#endif

#endif
