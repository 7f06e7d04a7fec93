/* Services over the mesh: ping, identify and counters of any site, requested through any other.
 *
 * A request is a packet to PR_HANDLER_SERVICE; the answer is a packet back to its source. The requesting site keeps no
 * state: the packet carries type and id of the console's request. Without a free buffer and a place in the window, a
 * request is refused, and an answer is lost and counted. A number of 32 bits travels as two words of 16 bits, low half
 * first, at any word width.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CONSOLE_REMOTE_SERVICE_H
#define POSTROAD_CONSOLE_REMOTE_SERVICE_H

#include "operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum pr_service_request { PR_SERVICE_IDENTIFY, PR_SERVICE_PING, PR_SERVICE_COUNTERS };

struct pr_service_answer {
    enum pr_service_request request;
    uint8_t type, id;       /* as given with the request */
    uint16_t site;          /* that answers */
    unsigned first;         /* identify, counters: index of the first value */
    unsigned count;         /* values in the answer */
    const uint32_t *halves; /* two words a value: pr_service_value() */
    bool data_ok;           /* ping: the data came back as they were sent */
    uint32_t clock;         /* at which the answer was complete here */
};

enum { PR_SERVICE_PING_SENT, PR_SERVICE_PING_ARRIVED, PR_SERVICE_PING_ANSWERED, PR_SERVICE_PING_VALUES };
enum {
    PR_SERVICE_VALUES_WORDS = 5,     /* of data before the values: request, type, id, first, count */
    PR_SERVICE_MAX_PACKET_LEAST = 13 /* of a mesh: holds the answer to a ping, which cannot come in parts */
};

static inline uint32_t pr_service_value(const struct pr_service_answer *answer, unsigned index)
{
    return answer->halves[2 * index] | answer->halves[2 * index + 1] << 16;
}

/* Values in one answer, of identify or counters, on a mesh of this max_packet, PR_SERVICE_MAX_PACKET_LEAST or more. */
static inline unsigned pr_service_values_fit(unsigned max_packet)
{
    return (max_packet - 1 - PR_HEADER_WORDS - PR_SERVICE_VALUES_WORDS) / 2;
}

struct pr_service {
    struct pr_operator *op;
    uint32_t (*counter)(void *context, unsigned index);
    void (*answered)(void *context, const struct pr_service_answer *answer);
    void *context;
    uint32_t answers_lost;
};

/* A word of this site's identity, as it is now. */
uint32_t pr_service_identity(const struct pr_operator *op, unsigned index);

/* Registers the service handler. The caller has set op, counter, answered and context before. */
int pr_service_init(struct pr_service *service);

/* Both send a request to `site`: 0 or a negated PR_OPERATOR_* error. type and id come back in the answer. */
int pr_service_ping(struct pr_service *service, unsigned site, uint8_t type, uint8_t id, unsigned data_words);

/* PR_SERVICE_IDENTIFY or PR_SERVICE_COUNTERS: so many words of struct pr_site_identity, or counters, from the first on.
 * -PR_OPERATOR_TOO_LONG if no packet of this mesh holds the answer. */
int pr_service_values(struct pr_service *service, enum pr_service_request request, unsigned site, uint8_t type,
                      uint8_t id, unsigned first, unsigned count);

#ifdef __cplusplus
}
#endif

#endif
