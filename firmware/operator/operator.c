/* The operator as a whole: what it starts from, and one round of what it does. */
#include "operator/operator.h"

#include <limits.h>
#include <string.h>

#include "operator/operator_private.h"
#include "operator/target_list.h"
#include "operator/pool.h"

enum {
    BUFFERS_MIN = OPERATOR_RECEIVE_RESERVE + 1,
    SENDING_MAX = 2,                /* packets given to the network_interface ahead: what is given cannot be overtaken */
    RELIEF_BUFFERS = 1,             /* so few left: ask the router for relief */
    ACKNOWLEDGE_CLOCKS = 16         /* an acknowledgement waits so long for each slot of a window */
};

unsigned set_next(const uint32_t *set, unsigned site, unsigned end)
{
    while (site < end && !set_has(set, site))
        site += site % 32 == 0 && set[site / 32] == 0 ? 32 : 1;
    return site < end ? site : end;
}

/* At the start of the whole mesh everybody is known; after a restart only this site itself. */
static void init_peers(struct operator *operator)
{
    uint32_t epoch = operator->identity->epoch;    /* all of it: the low 5 bits come round to 0 */

    memset(operator->peers, 0, operator->sites * sizeof *operator->peers);
    for (unsigned site = 0; site < operator->sites; site++) {
        struct peer *peer = &operator->peers[site];

        if (epoch != 0 && site != operator->identity->site)
            continue;
        peer_start(peer, 0);
        peer->epoch = own_epoch(operator);
        peer->flags |= PEER_EPOCH_SEEN;
    }
    if (epoch != 0)
        window_expect_silence(operator);
}

static void init_reliable(struct operator *operator, const struct operator_size *size)
{
    unsigned most = size->buffers - OPERATOR_RECEIVE_RESERVE;
    unsigned window = size->window < most ? size->window : most;
    uint32_t *memory = operator->memory + size->buffers * PACKET_BUFFER_WORDS(size->packet_words) +
                       SMALL_BUFFERS * PACKET_BUFFER_WORDS(SMALL_PACKET_WORDS);
    unsigned set_words = OPERATOR_SET_WORDS(operator->sites);

    operator->reserve = OPERATOR_RECEIVE_RESERVE;
    operator->sending_max = SENDING_MAX;
    operator->acknowledge_clocks = ACKNOWLEDGE_CLOCKS * window;
    operator->random = operator->identity->site * 2654435769u + operator->identity->epoch + 1;
    window_init(operator, window < WINDOW_MAX ? window : WINDOW_MAX, memory);
    memory += WINDOW_MAX * set_words;
    operator->due = memory;
    memset(operator->due, 0, set_words * sizeof *operator->due);
    operator->peers = (struct peer *)(memory + set_words);
    init_peers(operator);
}

int operator_init(struct operator *operator, struct network_interface *interface,
                  const struct node_identity *identity, uint32_t *memory, const struct operator_size *size)
{
    unsigned sites = node_identity_sites(identity);
    uint32_t begun;

    if (size->buffers < BUFFERS_MIN)
        return -OPERATOR_NO_BUFFER;
    if (identity->max_packet > size->packet_words)
        return -OPERATOR_TOO_LONG;
    if (identity->reliable && sites > size->sites)
        return -OPERATOR_TOO_MANY_SITES;
    memset(operator, 0, sizeof *operator);
    operator->interface = interface;
    operator->identity = identity;
    operator->memory = memory;
    operator->buffers = size->buffers;
    operator->packet_words = size->packet_words;
    operator->sites = sites;
    operator->strict_bit = node_identity_strict_bit(identity);
    operator->addresses = node_identity_addresses(identity);
    operator->wide_mask = identity->word_width == 32 ? 0 : 0xffff0000;
    if (identity->reliable) {
        init_reliable(operator, size);
    } else {
        operator->sending_max = UINT_MAX;
        operator->reserve = size->buffers * 3 / 4;  /* throttling its own evaluators makes storage last longest: README */
        if (operator->reserve < OPERATOR_RECEIVE_RESERVE)
            operator->reserve = OPERATOR_RECEIVE_RESERVE;
    }
    begun = network_interface_clock(interface);
    pool_init(operator);
    pool_post(operator);
    window_set_pace(operator, network_interface_clock(interface) - begun);
    return 0;
}

int operator_register(struct operator *operator, uint8_t handler, operator_handler *function, void *context)
{
    unsigned k = 0;

    if (handler == HANDLER_LOAD)
        return -OPERATOR_RESERVED;
    while (k < operator->handler_count && operator->handlers[k].handler != handler)
        k++;
    if (k == OPERATOR_HANDLERS)
        return -OPERATOR_FULL;
    if (k == operator->handler_count)
        operator->handler_count++;
    operator->handlers[k].handler = handler;
    operator->handlers[k].function = function;
    operator->handlers[k].context = context;
    return 0;
}

int operator_observe(struct operator *operator, operator_observer *function, void *context)
{
    if (operator->observer_count == OPERATOR_OBSERVERS)
        return -OPERATOR_FULL;
    operator->observers[operator->observer_count].function = function;
    operator->observers[operator->observer_count++].context = context;
    return 0;
}

void operator_report(struct operator *operator, const struct operator_event *event)
{
    for (unsigned k = 0; k < operator->observer_count; k++)
        operator->observers[k].function(operator->observers[k].context, event);
}

void operator_set_ordered(struct operator *operator, bool ordered)
{
    operator->window.ordered = ordered;
}

void operator_refuse(struct operator *operator, bool refusing)
{
    operator->refusing = refusing;
}

uint32_t operator_counter(const struct operator *operator, unsigned index)
{
    bool is_console = index == COUNTER_BAD_FRAMES || index == COUNTER_DROPPED_EVENTS || index == COUNTER_ANSWERS_LOST;

    if (index < COUNTER_DELIVERED || index - COUNTER_DELIVERED >= OPERATOR_COUNTERS || is_console)
        return 0;
    return operator->counters[index - COUNTER_DELIVERED];
}

/* The next unicast of a packet that goes as several: strict if the one before was. */
static bool peel_next(const struct operator *operator, struct packet *packet)
{
    uint32_t strict = packet->words[packet->first_target] & operator->strict_bit;

    if (!packet_peel_next(packet))
        return false;
    packet->words[packet->first_target] |= strict;
    return true;
}

/* A packet of the network_interface's is back: the next unicast is peeled off it, or its buffer is free. */
static void take_back(struct operator *operator, struct packet *packet)
{
    operator->sending--;
    if (packet->role >= ROLE_WINDOW)
        window_sent(operator, packet);
    else if (packet->role == ROLE_SMALL)
        pool_release_small(operator, packet);
    else if (peel_next(operator, packet))
        pool_queue(operator, packet);
    else
        pool_release(operator, packet);
}

static bool take_back_all(struct operator *operator)
{
    struct packet *packet;
    bool any = false;

    while (operator->sending > 0 && (packet = network_interface_sent(operator->interface)) != NULL) {
        take_back(operator, packet);
        any = true;
    }
    return any;
}

bool operator_transmit(struct operator *operator)
{
    bool any = false;

    if (operator->transmitting)     /* an observer sends that is told of a failure: its packet goes on below */
        return false;
    operator->transmitting = true;
    while (operator->sending < operator->sending_max) {
        if (operator->due_count > 0)
            acknowledge_send(operator);
        if (!pool_send(operator) && !window_send(operator) && !control_announce(operator))
            break;
        any = true;
    }
    operator->transmitting = false;
    return any;
}

/* Short of buffers, a site asks its router not to hand over what could pass. */
static void ask_for_relief(struct operator *operator)
{
    bool wanted = pool_unused(operator) <= RELIEF_BUFFERS;

    if (wanted != operator->relieved && is_reliable(operator))
        network_interface_relieve(operator->interface, wanted);
    operator->relieved = wanted;
}

bool operator_poll(struct operator *operator)
{
    bool done = take_back_all(operator);
    struct packet *packet;

    if (done)
        pool_post(operator);    /* before the handlers run: the network may go on meanwhile (O4) */
    packet = network_interface_received(operator->interface);
    if (is_reliable(operator))
        acknowledge_drop_old(operator);
    if (packet != NULL) {
        receive_packet(operator, packet);
        done = true;
    }
    done |= window_time_outs(operator);
    done |= operator_transmit(operator);
    pool_post(operator);
    ask_for_relief(operator);
    return done;
}

bool operator_next_wake(struct operator *operator, uint32_t *clock)
{
    uint32_t due;
    bool any = operator->window.waiting > 0;

    *clock = operator->window.deadline;
    if (acknowledge_next(operator, &due) && (!any || has_come(*clock, due))) {
        *clock = due;
        any = true;
    }
    return any;
}
