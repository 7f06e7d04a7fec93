/* Services over the mesh: ping, identify and counters of any site, asked through any other.
 *
 * A request is a packet for HANDLER_SERVICE, its answer one back to its source. The site that asks keeps
 * nothing: the console's type and id ride in the packet. A request for which there is no buffer or no place
 * in the window is refused, an answer is lost and counted. Numbers of 32 bits travel as two words of 16 bits,
 * low half first, at any word width.
 */
#ifndef OPERATOR_SERVICE_H
#define OPERATOR_SERVICE_H

#include "operator/operator.h"

enum service_request {
    SERVICE_IDENTIFY,
    SERVICE_PING,
    SERVICE_COUNTERS
};

struct service_answer {
    enum service_request request;
    uint8_t type, id;             /* as given with the request */
    uint16_t site;                /* that answers */
    unsigned first;               /* identify, counters: index of the first value */
    unsigned count;               /* values in the answer */
    const uint32_t *halves;       /* two words a value: service_value() */
    bool data_ok;                 /* ping: the data came back as they were sent */
    uint32_t clock;               /* at which the answer was complete here */
};

enum { SERVICE_PING_SENT, SERVICE_PING_ARRIVED, SERVICE_PING_ANSWERED, SERVICE_PING_VALUES };
enum {
    SERVICE_VALUES_WORDS = 5,        /* of data before the values: request, type, id, first, count */
    SERVICE_MAX_PACKET_LEAST = 13    /* of a mesh: holds the answer to a ping, which cannot come in parts */
};

static inline uint32_t service_value(const struct service_answer *answer, unsigned index)
{
    return answer->halves[2 * index] | answer->halves[2 * index + 1] << 16;
}

/* Values in one answer, of identify or counters, on a mesh of this max_packet, SERVICE_MAX_PACKET_LEAST or more. */
static inline unsigned service_values_fit(unsigned max_packet)
{
    return (max_packet - 1 - HEADER_WORDS - SERVICE_VALUES_WORDS) / 2;
}

struct service {
    struct operator *operator;
    uint32_t (*counter)(void *context, unsigned index);
    void (*answered)(void *context, const struct service_answer *answer);
    void *context;
    uint32_t answers_lost;
};

/* Registers the service handler; operator, counter and answered are set by the caller before. */
int service_init(struct service *service);

/* Each asks `site`; 0 or a negated OPERATOR_* error. type and id come back in the answer. */
int service_ping(struct service *service, unsigned site, uint8_t type, uint8_t id, unsigned data_words);

/* SERVICE_IDENTIFY or SERVICE_COUNTERS: so many words of the ID block, or counters, from the first on. -OPERATOR_TOO_LONG if
 * no packet of this mesh holds the answer. */
int service_values(struct service *service, enum service_request request, unsigned site, uint8_t type, uint8_t id,
                   unsigned first, unsigned count);

#endif
