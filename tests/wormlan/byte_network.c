/* See byte_network.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "byte_network.h"

#include "check.h"

enum { BUFFER_ROOM = 8192, WORD_STOP = 1, WORD_GO = 2 };

struct byte {
    struct lan_worm *worm; /* NULL: none */
    bool tail;
};

struct wire {
    struct byte *bytes; /* [time % (delay + 1)]: arrives then */
    uint8_t *words;     /* the same, for STOP and GO the other way */
    bool stopped;
    int input; /* switch output: the link whose buffer it takes from, or LAN_NOWHERE */
    uint32_t asking;
    unsigned turn;

    struct byte buffer[BUFFER_ROOM]; /* at its end */
    unsigned first, count, most;
    bool bound, asks, stopping;
};

struct byte_host {
    struct lan_worm *worm, *incoming;
    uint64_t sent, end, not_before; /* bytes; 0: `end` is not known yet */
    uint64_t got, incoming_got;     /* of the worm that it sends on as it comes; of the one that comes */
    bool behind, holds;
};

struct byte_network {
    const struct lan_graph *graph;
    unsigned header_bytes;
    const struct lan_listener *listener;
    void *context;
    struct wire *wires;
    struct byte_host *hosts;
    uint64_t now;
    bool in_alarm;
};

static unsigned delay_of(const struct byte_network *network, unsigned link)
{
    return network->graph->links[link].delay;
}

static size_t slot(const struct byte_network *network, unsigned link, uint64_t time)
{
    return time % (delay_of(network, link) + 1);
}

struct byte_network *byte_network_create(const struct lan_graph *graph, unsigned header_bytes,
                                         const struct lan_listener *listener, void *context)
{
    struct byte_network *network = calloc(1, sizeof *network);
    CHECK(network);
    *network = (struct byte_network){
        .graph = graph, .header_bytes = header_bytes, .listener = listener, .context = context};
    network->wires = calloc(graph->link_count, sizeof *network->wires);
    network->hosts = calloc(graph->hosts, sizeof *network->hosts);
    CHECK(network->wires && network->hosts);
    for (unsigned link = 0; link < graph->link_count; link++) {
        network->wires[link].bytes = calloc(delay_of(network, link) + 1, sizeof(struct byte));
        network->wires[link].words = calloc(delay_of(network, link) + 1, 1);
        network->wires[link].input = LAN_NOWHERE;
        CHECK(network->wires[link].bytes && network->wires[link].words);
    }
    return network;
}

void byte_network_free(struct byte_network *network)
{
    for (unsigned link = 0; link < network->graph->link_count; link++) {
        free(network->wires[link].bytes);
        free(network->wires[link].words);
    }
    free(network->wires);
    free(network->hosts);
    free(network);
}

void byte_network_begin(struct byte_network *network, uint64_t now)
{
    network->now = now;
    network->in_alarm = true;
}

static uint64_t route_of(const struct lan_worm *worm)
{
    return worm->path->count - 1;
}

void byte_network_start(struct byte_network *network, unsigned number, struct lan_worm *worm, bool behind)
{
    struct byte_host *host = &network->hosts[number];
    host->worm = worm;
    host->sent = 0;
    host->behind = behind;
    host->got = host->incoming_got;
    host->end = behind ? 0 : route_of(worm) + worm->length;
    host->not_before = network->now + !network->in_alarm;
}

bool byte_network_busy(const struct byte_network *network, unsigned host)
{
    return network->hosts[host].worm != NULL;
}

void byte_network_cut(struct byte_network *network, unsigned number)
{
    struct byte_host *host = &network->hosts[number];
    uint64_t least = route_of(host->worm) + 1, last = host->sent + 1 > least ? host->sent + 1 : least;
    if (host->end && host->end <= last)
        return;
    host->end = last;
    host->behind = false;
}

void byte_network_hold(struct byte_network *network, unsigned host, bool stop)
{
    network->hosts[host].holds = stop;
}

static void put(struct byte_network *network, unsigned link, struct byte byte)
{
    network->wires[link].bytes[slot(network, link, network->now + delay_of(network, link))] = byte;
}

static struct byte pop(struct wire *wire)
{
    struct byte byte = wire->buffer[wire->first];
    wire->first = (wire->first + 1) % BUFFER_ROOM;
    wire->count--;
    return byte;
}

static void obey(struct byte_network *network, unsigned link)
{
    struct wire *wire = &network->wires[link];
    uint8_t *word = &wire->words[slot(network, link, network->now)];
    if (*word)
        wire->stopped = *word == WORD_STOP;
    *word = 0;
}

static void send_from_host(struct byte_network *network, unsigned number)
{
    struct byte_host *host = &network->hosts[number];
    unsigned link = network->graph->host_outputs[number];
    struct lan_worm *worm = host->worm;
    if (!worm || network->now < host->not_before || network->wires[link].stopped ||
        (host->behind && host->sent == route_of(worm) + host->got))
        return;
    bool tail = ++host->sent == host->end;
    put(network, link, (struct byte){worm, tail});
    if (!tail)
        return;
    host->worm = NULL;
    network->listener->sent(network->context, number, worm);
}

static void send_from_switch(struct byte_network *network, unsigned link)
{
    struct wire *wire = &network->wires[link];
    if (wire->input == LAN_NOWHERE || wire->stopped || network->wires[wire->input].count == 0)
        return;
    struct byte byte = pop(&network->wires[wire->input]);
    put(network, link, byte);
    if (!byte.tail)
        return;
    network->wires[wire->input].bound = false;
    wire->input = LAN_NOWHERE;
}

static unsigned wanted(const struct lan_worm *worm, unsigned link)
{
    unsigned hop = 0;
    while (worm->path->links[hop] != link)
        hop++;
    return worm->path->links[hop + 1];
}

static void ask(struct byte_network *network, unsigned link)
{
    struct wire *wire = &network->wires[link];
    if (wire->bound || wire->asks || wire->count == 0)
        return;
    wire->asks = true;
    network->wires[wanted(wire->buffer[wire->first].worm, link)].asking |= 1u << network->graph->links[link].input;
}

static void grant(struct byte_network *network, unsigned link)
{
    struct wire *wire = &network->wires[link];
    const struct lan_graph *graph = network->graph;
    if (wire->input != LAN_NOWHERE || !wire->asking)
        return;
    do
        wire->turn = (wire->turn + 1) % graph->ports;
    while (!(wire->asking >> wire->turn & 1));
    wire->asking &= ~(1u << wire->turn);
    wire->input = graph->inputs[(unsigned)graph->links[link].from * graph->ports + wire->turn];
    network->wires[wire->input].asks = false;
    network->wires[wire->input].bound = true;
    pop(&network->wires[wire->input]);
}

static void arrive_at_host(struct byte_network *network, unsigned number, struct byte byte)
{
    struct byte_host *host = &network->hosts[number];
    if (host->incoming != byte.worm) {
        host->incoming = byte.worm;
        host->incoming_got = 0;
    }
    host->incoming_got++;
    if (host->incoming_got == network->header_bytes)
        network->listener->header(network->context, number, byte.worm);
    if (host->worm && host->behind)
        host->got = host->incoming_got;
    if (!byte.tail)
        return;
    host->incoming = NULL;
    if (host->worm && host->behind) {
        host->end = route_of(host->worm) + host->got;
        host->behind = false;
    }
    network->listener->received(network->context, number, byte.worm);
}

static void arrive(struct byte_network *network, unsigned link)
{
    struct wire *wire = &network->wires[link];
    struct byte *byte = &wire->bytes[slot(network, link, network->now)], arrived = *byte;
    byte->worm = NULL;
    if (!arrived.worm)
        return;
    if (network->graph->links[link].to == LAN_NOWHERE) {
        arrive_at_host(network, (unsigned)network->graph->links[link].host, arrived);
        return;
    }
    CHECK(wire->count < BUFFER_ROOM);
    wire->buffer[(wire->first + wire->count++) % BUFFER_ROOM] = arrived;
}

static void watch(struct byte_network *network, unsigned link)
{
    struct wire *wire = &network->wires[link];
    unsigned delay = delay_of(network, link);
    const struct lan_link *end = &network->graph->links[link];
    bool holds = end->to == LAN_NOWHERE && network->hosts[end->host].holds;
    bool stop = !wire->stopping && (end->to == LAN_NOWHERE ? holds : wire->count >= lan_slack_high(delay));
    bool go = wire->stopping && !holds && wire->count <= lan_slack_low(delay);
    wire->most = wire->count > wire->most ? wire->count : wire->most;
    if (!stop && !go)
        return;
    wire->stopping = stop;
    wire->words[slot(network, link, network->now + delay)] = stop ? WORD_STOP : WORD_GO;
}

void byte_network_step(struct byte_network *network)
{
    const struct lan_graph *graph = network->graph;
    network->in_alarm = false;
    for (unsigned link = 0; link < graph->link_count; link++)
        obey(network, link);
    for (unsigned host = 0; host < graph->hosts; host++)
        send_from_host(network, host);
    for (unsigned link = 0; link < graph->link_count; link++)
        if (graph->links[link].from != LAN_NOWHERE)
            send_from_switch(network, link);
    for (unsigned link = 0; link < graph->link_count; link++)
        ask(network, link);
    for (unsigned link = 0; link < graph->link_count; link++)
        if (graph->links[link].from != LAN_NOWHERE)
            grant(network, link);
    for (unsigned link = 0; link < graph->link_count; link++)
        arrive(network, link);
    for (unsigned link = 0; link < graph->link_count; link++)
        watch(network, link);
}

unsigned byte_network_slack_used(const struct byte_network *network, unsigned link)
{
    return network->wires[link].most;
}
