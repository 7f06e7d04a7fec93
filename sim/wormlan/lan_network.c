/* See lan_network.h. A *run* is a stretch of byte times in each of which a link carries a byte of one worm. A *feed* is
 * what an output takes bytes from: the buffer of an input, or what a host has to send. Bytes that have been put into a
 * feed and taken from it are counted; a run that goes on is counted from the byte time in which it began.
 *
 * Of a run, its begin and its end are events, at the feed that it is taken from and, a delay later, at that into which
 * it goes. The end is predicted: where the worm's last byte or the last byte that has come is taken. What comes between
 * (STOP, more bytes) makes the prediction void by its generation.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wormlan/lan_network.h"

#include <limits.h>

#include "support/or_abort.h"
#include "wormlan/lan_events.h"

#define TRY UINT64_MAX /* of LAN_SEND, in place of a generation */

struct feed {
    uint64_t put, put_since;     /* bytes before the run, and its first byte time, of what comes */
    uint64_t taken, taken_since; /* and of what goes */
    uint64_t not_before;         /* the worm that an output has leaves in this byte time at the earliest */
    uint64_t put_last;           /* the byte time in which the last byte of the run before came */
    bool arriving, draining;
    bool head_sent; /* of that worm */
    bool stopping;
    bool awake;       /* keeps its switch's clock going */
    int link, output; /* whose buffer, or LAN_NOWHERE; the link that takes from it, or LAN_NOWHERE */
    struct lan_worm *front, *back;
    unsigned hop;             /* of the front's path: the link that it leaves by */
    unsigned high, low, most; /* of a buffer, bytes */
    uint64_t level_generation;
    uint64_t stopped; /* when it said STOP */
};

struct output {
    struct feed *feed; /* NULL: free */
    bool stopped;
    uint32_t asking; /* inputs, a bit each */
    unsigned turn;   /* the input that had it last */
    uint64_t generation;
    uint64_t free_from; /* no grant before */
    uint64_t said;      /* in this byte time STOP or GO has the place of a byte */
};

/* The clock of a switch, to which STOP is repeated, runs while anything goes on in it. */
struct ticking {
    unsigned reasons;      /* that last */
    uint64_t since, until; /* byte times: from when without a pause; the last one of the reasons that have ended */
};

struct host {
    struct feed source;
    struct lan_worm *incoming;
    uint64_t got, since; /* bytes of it before the run that arrives, and where that began */
    bool arriving, header_told, chased, holds;
    unsigned input;      /* the link that leads to it */
    uint64_t generation; /* of the header */
    uint64_t bytes;      /* sent before the worm that it sends */
};

struct lan_network {
    const struct lan_graph *graph;
    const struct lan_timing *timing;
    unsigned header_bytes;
    const struct lan_listener *listener;
    void *context;
    struct feed *buffers; /* [link] */
    struct output *outputs;
    struct host *hosts;
    struct ticking *switches;
    struct lan_events events;
    uint64_t now, event_count;
    enum lan_event_kind kind; /* of the event that happens */
};

const struct lan_timing lan_timing_paper = {.store = 1, .leave = 1};

/* By the end of a byte time; a run does not end before. */
static uint64_t put_by(const struct feed *feed, uint64_t time)
{
    return feed->put + (feed->arriving ? time + 1 - feed->put_since : 0);
}

static uint64_t taken_by(const struct feed *feed, uint64_t time)
{
    return feed->taken + (feed->draining ? time + 1 - feed->taken_since : 0);
}

static void add(struct lan_network *network, uint64_t time, enum lan_event_kind kind, unsigned where, uint64_t about)
{
    lan_events_add(&network->events, time, kind, where, about);
}

static unsigned hop_of(const struct lan_worm *worm, unsigned link)
{
    unsigned hop = 0;
    while (worm->path->links[hop] != link)
        hop++;
    return hop;
}

/* ---- the clock of a switch ---- */

/* From the byte time before this one on: one later than it begins, so that all reasons come in their order. */
static void keep_awake(struct lan_network *network, int number)
{
    struct ticking *ticking = &network->switches[number];
    if (ticking->reasons++ == 0 && ticking->until + 1 < network->now - 1)
        ticking->since = network->now - 1;
}

static void wake(struct lan_network *network, struct feed *feed)
{
    if (feed->awake)
        return;
    feed->awake = true;
    keep_awake(network, network->graph->links[feed->link].to);
}

static void let_sleep(struct lan_network *network, int number, bool reason, uint64_t last)
{
    struct ticking *ticking = &network->switches[number];
    ticking->reasons -= reason;
    if (ticking->until < last)
        ticking->until = last;
}

/* The first tick in this byte time or later. */
static uint64_t tick_from(const struct lan_network *network, int number, uint64_t time)
{
    uint64_t since = network->switches[number].since, repeat = network->timing->repeat;
    return since + (time - since + repeat - 1) / repeat * repeat;
}

/* ---- thresholds ---- */

/* When does this buffer reach a threshold, if all goes on? To be asked again when something of it has changed. */
static void watch_level(struct lan_network *network, struct feed *feed)
{
    uint64_t now = network->now;
    if (feed->link == LAN_NOWHERE)
        return;
    unsigned count = (unsigned)(put_by(feed, now) - taken_by(feed, now)), wait = 0;
    feed->level_generation++;
    if (count > feed->most)
        feed->most = count;
    if (feed->stopping ? count > feed->low : count < feed->high) {
        if (feed->stopping ? feed->arriving || !feed->draining : !feed->arriving || feed->draining)
            return;
        wait = feed->stopping ? count - feed->low : feed->high - count;
    }
    add(network, now + wait, LAN_LEVEL, (unsigned)feed->link, feed->level_generation);
}

/* STOP and GO leave by the link the other way. */
static void say(struct lan_network *network, const struct lan_link *link, unsigned later)
{
    const struct lan_graph *graph = network->graph;
    int back = graph->outputs[(unsigned)link->to * graph->ports + link->input];
    add(network, network->now + later, LAN_SAY, (unsigned)back, 0);
    let_sleep(network, link->to, false, network->now + later + 1);
}

static void stop_or_go(struct lan_network *network, unsigned link, bool stop)
{
    const struct lan_timing *timing = network->timing;
    const struct lan_link *end = &network->graph->links[link];
    struct feed *feed = &network->buffers[link];
    uint64_t now = network->now;
    if (feed->stopping == stop)
        return;
    feed->stopping = stop;
    feed->stopped = now;
    add(network, now + timing->say + end->delay + timing->hear, LAN_CONTROL, link, stop);
    if (timing->say)
        say(network, end, timing->say);
    if (stop && timing->repeat)
        add(network, tick_from(network, end->to, now + timing->say - 1) - 1, LAN_REPEAT, link, now);
}

/* Before a tick. A GO that is due by now goes instead, a later one behind it. */
static void repeat_stop(struct lan_network *network, unsigned link, uint64_t stopped)
{
    struct feed *feed = &network->buffers[link];
    if (!feed->stopping || feed->stopped != stopped)
        return;
    say(network, &network->graph->links[link], network->timing->say - 1);
    add(network, network->now + network->timing->repeat, LAN_REPEAT, link, stopped);
}

static void reach_level(struct lan_network *network, unsigned link, uint64_t generation)
{
    struct feed *feed = &network->buffers[link];
    if (generation != feed->level_generation)
        return;
    stop_or_go(network, link, !feed->stopping);
    watch_level(network, feed);
}

/* ---- sending ---- */

/* When does the run that a link carries end? */
static void watch_end(struct lan_network *network, unsigned link)
{
    struct output *output = &network->outputs[link];
    const struct feed *feed = output->feed;
    uint64_t end = feed->front->stages[feed->hop].end;
    output->generation++;
    if (!feed->draining || (end == 0 && feed->arriving))
        return;
    if (end == 0)
        end = feed->put;
    add(network, feed->taken_since + (end - feed->taken) - 1, LAN_SEND, link, output->generation);
}

/* Bytes that have come and can be taken in this byte time, in which none has arrived yet. */
static uint64_t ready(const struct lan_network *network, const struct feed *feed)
{
    bool stored = network->timing->store > 1 && feed->link != LAN_NOWHERE;
    return put_by(feed, network->now - 1) - (stored && (feed->arriving || feed->put_last == network->now - 1));
}

static void try_to_send(struct lan_network *network, unsigned link)
{
    struct output *output = &network->outputs[link];
    struct feed *feed = output->feed;
    uint64_t now = network->now;
    if (!feed || feed->draining || output->stopped || output->said == now || now < feed->not_before ||
        ready(network, feed) == feed->taken)
        return;
    feed->draining = true;
    feed->taken_since = now;
    add(network, now + network->graph->links[link].delay, LAN_PUT_BEGIN, link,
        feed->head_sent ? 0 : (uint64_t)(uintptr_t)feed->front);
    feed->head_sent = true;
    watch_end(network, link);
    watch_level(network, feed);
}

/* The first route byte in a buffer is a head in this byte time. */
static void add_head(struct lan_network *network, const struct feed *feed, uint64_t time)
{
    add(network, time, network->timing->ask ? LAN_STRIP : LAN_ASK, (unsigned)feed->link, 0);
}

static void release(struct lan_network *network, unsigned link)
{
    struct output *output = &network->outputs[link];
    struct feed *feed = output->feed;
    struct lan_worm *worm = feed->front;
    output->feed = NULL;
    output->free_from = network->now + network->timing->release;
    feed->output = LAN_NOWHERE;
    feed->front = worm->stages[feed->hop].next;
    if (output->asking)
        add(network, output->free_from, LAN_GRANT, link, 0);
    if (feed->link == LAN_NOWHERE) {
        unsigned host = (unsigned)network->graph->links[link].host;
        network->hosts[host].bytes += feed->taken;
        feed->taken = feed->put = 0;
        network->listener->sent(network->context, host, worm);
        return;
    }
    /* The byte is a byte time on its way out, or two to the host. */
    feed->awake = feed->front != NULL;
    let_sleep(network, network->graph->links[link].from, !feed->awake,
              network->now + 1 + (network->graph->links[link].to == LAN_NOWHERE));
    if (feed->front) {
        feed->hop = hop_of(feed->front, (unsigned)feed->link) + 1;
        add_head(network, feed, network->now + network->timing->next);
    }
}

/* The run of a link has ended with the byte of `last`. */
static void end_run(struct lan_network *network, unsigned link, uint64_t last)
{
    struct feed *feed = network->outputs[link].feed;
    feed->taken = taken_by(feed, last);
    feed->draining = false;
    bool tail = feed->taken == feed->front->stages[feed->hop].end;
    add(network, last + network->graph->links[link].delay, tail ? LAN_PUT_TAIL : LAN_PUT_PAUSE, link, 0);
    if (tail)
        release(network, link);
    watch_level(network, feed);
}

static void send(struct lan_network *network, unsigned link, uint64_t generation)
{
    if (generation == TRY)
        try_to_send(network, link);
    else if (generation == network->outputs[link].generation)
        end_run(network, link, network->now);
}

static void interrupt(struct lan_network *network, unsigned link)
{
    struct output *output = &network->outputs[link];
    if (!output->feed || !output->feed->draining)
        return;
    output->generation++;
    end_run(network, link, network->now - 1);
}

static void control(struct lan_network *network, unsigned link, bool stop)
{
    int from = network->graph->links[link].from;
    network->outputs[link].stopped = stop;
    if (from != LAN_NOWHERE && stop)
        keep_awake(network, from);
    else if (from != LAN_NOWHERE)
        let_sleep(network, from, true, network->now - network->timing->hear);
    if (stop)
        interrupt(network, link);
    else
        try_to_send(network, link);
}

static void take_place(struct lan_network *network, unsigned link)
{
    network->outputs[link].said = network->now;
    interrupt(network, link);
    add(network, network->now + 1, LAN_SEND, link, TRY);
}

/* ---- heads ---- */

/* The switch is awake since the route byte came from another switch, but of a host's only since it is a head. */
static void strip(struct lan_network *network, unsigned link)
{
    struct feed *feed = &network->buffers[link];
    if (network->graph->links[link].from != LAN_NOWHERE)
        wake(network, feed);
    feed->taken++;
    watch_level(network, feed);
    add(network, network->now + network->timing->ask, LAN_ASK, link, 0);
}

static void ask(struct lan_network *network, unsigned link)
{
    struct feed *feed = &network->buffers[link];
    struct output *wanted = &network->outputs[feed->front->path->links[feed->hop]];
    wake(network, feed);
    wanted->asking |= UINT32_C(1) << network->graph->links[link].input;
    if (!wanted->feed)
        add(network, network->now > wanted->free_from ? network->now : wanted->free_from, LAN_GRANT,
            feed->front->path->links[feed->hop], 0);
}

static void grant(struct lan_network *network, unsigned link)
{
    struct output *output = &network->outputs[link];
    const struct lan_graph *graph = network->graph;
    if (output->feed || !output->asking || network->now < output->free_from)
        return;
    do
        output->turn = (output->turn + 1) % graph->ports;
    while (!(output->asking >> output->turn & 1));
    output->asking &= ~(UINT32_C(1) << output->turn);
    int input = graph->inputs[(unsigned)graph->links[link].from * graph->ports + output->turn];
    struct feed *feed = &network->buffers[input];
    output->feed = feed;
    feed->output = (int)link;
    feed->head_sent = false;
    feed->not_before = network->now + network->timing->leave;
    add(network, feed->not_before, LAN_SEND, link, TRY);
    if (network->timing->ask)
        return;
    feed->taken++; /* the route byte */
    watch_level(network, feed);
}

/* ---- arrivals ---- */

static void feed_begins(struct lan_network *network, struct feed *feed)
{
    feed->arriving = true;
    feed->put_since = network->now;
    if (feed->output == LAN_NOWHERE)
        return;
    if (feed->draining)
        watch_end(network, (unsigned)feed->output);
    else
        add(network, network->now + network->timing->store, LAN_SEND, (unsigned)feed->output, TRY);
}

static void feed_ends(struct lan_network *network, struct feed *feed)
{
    feed->put = put_by(feed, network->now);
    feed->put_last = network->now;
    feed->arriving = false;
    if (feed->output != LAN_NOWHERE && feed->draining)
        watch_end(network, (unsigned)feed->output);
}

static void enter(struct lan_network *network, struct feed *feed, struct lan_worm *worm)
{
    unsigned hop = hop_of(worm, (unsigned)feed->link) + 1;
    worm->stages[hop].next = NULL;
    worm->stages[hop].end = 0;
    if (feed->front) {
        feed->back->stages[hop_of(feed->back, (unsigned)feed->link) + 1].next = worm;
    } else {
        feed->front = worm;
        feed->hop = hop;
        add_head(network, feed, network->now + network->timing->store);
    }
    feed->back = worm;
}

static void tell_header(struct lan_network *network, unsigned number)
{
    struct host *host = &network->hosts[number];
    host->header_told = true;
    host->generation++;
    network->listener->header(network->context, number, host->incoming);
}

static void host_begins(struct lan_network *network, unsigned number, struct lan_worm *worm)
{
    struct host *host = &network->hosts[number];
    if (worm) {
        host->incoming = worm;
        host->got = 0;
        host->header_told = host->chased = false;
    }
    host->arriving = true;
    host->since = network->now;
    if (!host->header_told)
        add(network, network->now + network->header_bytes - host->got - 1, LAN_PUT_HEADER, number, host->generation);
    if (host->chased)
        feed_begins(network, &host->source);
}

static void host_ends(struct lan_network *network, unsigned number, bool tail)
{
    struct host *host = &network->hosts[number];
    struct lan_worm *worm = host->incoming;
    uint64_t got = host->got + network->now + 1 - host->since;
    if (!host->header_told && got >= network->header_bytes)
        tell_header(network, number);
    host->generation++;
    host->got = got;
    host->arriving = false;
    if (host->chased) {
        if (tail)
            host->source.front->stages[0].end = put_by(&host->source, network->now);
        feed_ends(network, &host->source);
    }
    if (tail) {
        host->incoming = NULL;
        host->chased = false;
        network->listener->received(network->context, number, worm);
    }
}

static void put_begins(struct lan_network *network, unsigned link, struct lan_worm *worm)
{
    const struct lan_link *end = &network->graph->links[link];
    struct feed *feed = &network->buffers[link];
    if (end->to == LAN_NOWHERE) {
        host_begins(network, (unsigned)end->host, worm);
        return;
    }
    if (worm)
        enter(network, feed, worm);
    feed_begins(network, feed);
    watch_level(network, feed);
}

static void put_ends(struct lan_network *network, unsigned link, bool tail)
{
    const struct lan_link *end = &network->graph->links[link];
    struct feed *feed = &network->buffers[link];
    if (end->to == LAN_NOWHERE) {
        host_ends(network, (unsigned)end->host, tail);
        return;
    }
    if (tail)
        feed->back->stages[hop_of(feed->back, link) + 1].end = put_by(feed, network->now);
    feed_ends(network, feed);
    watch_level(network, feed);
}

/* ---- hosts ---- */

void lan_network_start(struct lan_network *network, unsigned number, struct lan_worm *worm, bool behind)
{
    struct host *host = &network->hosts[number];
    struct feed *source = &host->source;
    unsigned link = worm->path->links[0], route = worm->path->count - 1;
    source->front = worm;
    source->put = behind ? route + host->got : route + worm->length;
    source->arriving = behind && host->arriving;
    source->put_since = host->since;
    source->taken = 0;
    source->draining = source->head_sent = false;
    source->output = (int)link;
    worm->stages[0].next = NULL;
    worm->stages[0].end = behind ? 0 : source->put;
    host->chased = behind;
    network->outputs[link].feed = source;
    source->not_before = network->now + (network->kind > LAN_ALARM);
    add(network, source->not_before, LAN_SEND, link, TRY);
}

bool lan_network_busy(const struct lan_network *network, unsigned host)
{
    return network->hosts[host].source.front != NULL;
}

void lan_network_cut(struct lan_network *network, unsigned number)
{
    struct host *host = &network->hosts[number];
    struct feed *source = &host->source;
    uint64_t *end = &source->front->stages[0].end, route = source->front->path->count - 1;
    uint64_t last = taken_by(source, network->now - 1) + 1;
    if (last <= route)
        last = route + 1;
    if (*end && *end <= last)
        return;
    *end = source->put = last;
    source->arriving = host->chased = false;
    watch_end(network, (unsigned)source->output);
    add(network, network->now, LAN_SEND, (unsigned)source->output, TRY);
}

/* Other events of this byte time may still change it. */
void lan_network_hold(struct lan_network *network, unsigned number, bool stop)
{
    network->hosts[number].holds = stop;
    add(network, network->now, LAN_HOLD, number, 0);
}

/* ---- the whole ---- */

static void set_thresholds(const struct lan_network *network, struct feed *feed, const struct lan_link *link)
{
    const struct lan_graph *graph = network->graph;
    unsigned longest = 1, slack = network->timing->slack;
    feed->high = lan_slack_high(link->delay);
    feed->low = lan_slack_low(link->delay);
    if (!slack || link->to == LAN_NOWHERE)
        return;
    for (unsigned port = 1; port < graph->ports; port++) {
        int there = graph->inputs[(unsigned)link->to * graph->ports + port];
        if (there != LAN_NOWHERE && graph->links[there].delay > longest)
            longest = graph->links[there].delay;
    }
    unsigned stop_level = slack - 2 * longest - network->timing->margin;
    feed->high = link->from == LAN_NOWHERE ? UINT_MAX : stop_level + 1;
    feed->low = stop_level / 2 + 1;
}

struct lan_network *lan_network_create(const struct lan_graph *graph, const struct lan_timing *timing,
                                       unsigned header_bytes, const struct lan_listener *listener, void *context)
{
    struct lan_network *network = or_abort(calloc(1, sizeof *network));
    network->graph = graph;
    network->timing = timing;
    network->header_bytes = header_bytes;
    network->listener = listener;
    network->context = context;
    network->buffers = or_abort(calloc(graph->link_count, sizeof *network->buffers));
    network->outputs = or_abort(calloc(graph->link_count, sizeof *network->outputs));
    network->hosts = or_abort(calloc(graph->hosts, sizeof *network->hosts));
    network->switches = or_abort(calloc(graph->switches, sizeof *network->switches));
    for (unsigned link = 0; link < graph->link_count; link++) {
        network->buffers[link] = (struct feed){.link = (int)link, .output = LAN_NOWHERE};
        set_thresholds(network, &network->buffers[link], &graph->links[link]);
        network->outputs[link].turn = timing->turn;
        network->outputs[link].said = UINT64_MAX;
    }
    for (unsigned host = 0; host < graph->hosts; host++)
        network->hosts[host].source = (struct feed){.link = LAN_NOWHERE, .output = LAN_NOWHERE};
    for (unsigned link = 0; link < graph->link_count; link++)
        if (graph->links[link].to == LAN_NOWHERE)
            network->hosts[graph->links[link].host].input = link;
    return network;
}

void lan_network_free(struct lan_network *network)
{
    lan_events_free(&network->events);
    free(network->buffers);
    free(network->outputs);
    free(network->hosts);
    free(network->switches);
    free(network);
}

void lan_network_alarm(struct lan_network *network, uint64_t time, unsigned host, uint64_t about)
{
    add(network, time, LAN_ALARM, host, about);
}

static void happen(struct lan_network *network, const struct lan_event *event)
{
    switch (network->kind) {
    case LAN_ALARM:
        network->listener->alarm(network->context, event->where, event->about);
        break;
    case LAN_SAY:
        take_place(network, event->where);
        break;
    case LAN_CONTROL:
        control(network, event->where, event->about != 0);
        break;
    case LAN_SEND:
        send(network, event->where, event->about);
        break;
    case LAN_STRIP:
        strip(network, event->where);
        break;
    case LAN_ASK:
        ask(network, event->where);
        break;
    case LAN_GRANT:
        grant(network, event->where);
        break;
    case LAN_PUT_BEGIN:
        put_begins(network, event->where, (struct lan_worm *)(uintptr_t)event->about);
        break;
    case LAN_PUT_PAUSE:
    case LAN_PUT_TAIL:
        put_ends(network, event->where, network->kind == LAN_PUT_TAIL);
        break;
    case LAN_PUT_HEADER:
        if (event->about == network->hosts[event->where].generation)
            tell_header(network, event->where);
        break;
    case LAN_REPEAT:
        repeat_stop(network, event->where, event->about);
        break;
    case LAN_LEVEL:
        reach_level(network, event->where, event->about);
        break;
    case LAN_HOLD:
        stop_or_go(network, network->hosts[event->where].input, network->hosts[event->where].holds);
        break;
    }
}

void lan_network_run(struct lan_network *network, uint64_t until)
{
    while (lan_events_have(&network->events, until)) {
        struct lan_event event = lan_events_take(&network->events);
        network->now = lan_event_time(&event);
        network->kind = lan_event_kind(&event);
        network->event_count++;
        happen(network, &event);
    }
    network->now = until;
    network->kind = LAN_ALARM;
}

uint64_t lan_network_now(const struct lan_network *network)
{
    return network->now;
}

bool lan_network_is_quiet(const struct lan_network *network)
{
    return network->events.count == 0;
}

uint64_t lan_network_bytes(const struct lan_network *network, unsigned number)
{
    const struct host *host = &network->hosts[number];
    return host->bytes + taken_by(&host->source, network->now - 1);
}

unsigned lan_network_slack_used(const struct lan_network *network, unsigned link)
{
    return network->buffers[link].most;
}

uint64_t lan_network_events(const struct lan_network *network)
{
    return network->event_count;
}
