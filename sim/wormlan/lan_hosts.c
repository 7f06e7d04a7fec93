/* See lan_hosts.h. A *copy* is a worm on one way, a *buffer* what a host keeps of a multicast that it sends on, until
 * all to whom it sends have taken it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "wormlan/lan_hosts.h"

#include "support/or_abort.h"
#include "wormlan/lan_credits.h"

enum { CLASSES = 2 };

/* What an alarm is about: 0 the caller's; else in its lowest bits one of these, and the address of a copy, of a message
 * that asks for credit or has got it, or of nothing. */
enum about { ACK = 1, NACK, AGAIN, ASKS, GRANTED, TOKEN, ABOUT = 7 };

enum fate { UNDECIDED, TAKEN, REFUSED, HELD };

struct buffer {
    struct lan_message *message;
    unsigned host, class, open; /* copies that have not been taken, or are being sent */
    bool complete;
};

struct copy {
    struct lan_worm worm; /* first: the network knows no more */
    struct lan_message *message;
    struct copy *next;
    struct buffer *buffer; /* of its sender; NULL: it is the origin, or all is unbounded */
    uint16_t from, to;
    uint8_t class, parts; /* of the buffer that it needs; who may still ask for it: sender, receiver, answer */
    enum fate fate;       /* at its receiver */
    bool sent, taken, arrived;
};

struct host {
    struct copy *current, *first, *last; /* what it sends, and its queue */
    struct copy *held;     /* what waits for a buffer, linked: one that comes, and before it shorter ones */
    struct buffer *buffer; /* of the multicast that comes in */
    bool passing;          /* it sends the first copy of that on */
    unsigned waiting, free[CLASSES];
};

struct lan_hosts {
    const struct lan_groups *groups;
    struct lan_hosts_options options;
    const struct lan_hosts_listener *listener;
    void *context;
    struct lan_network *network;
    struct lan_credits *credits; /* NULL: none are needed */
    struct host *hosts;
    struct lan_hosts_counts counts;
    uint64_t waiting;
    unsigned taken;
};

/* ---- copies ---- */

static void forget_message(struct lan_message *message)
{
    if (--message->references == 0)
        free(message);
}

static void forget_part(struct copy *copy)
{
    if (--copy->parts > 0)
        return;
    forget_message(copy->message);
    free(copy);
}

static bool is_multicast(const struct copy *copy)
{
    return copy->message->group != LAN_NOWHERE;
}

static bool is_bounded(const struct lan_hosts *hosts, const struct copy *copy)
{
    return hosts->options.buffers > 0 && is_multicast(copy);
}

static struct copy *new_copy(const struct lan_hosts *hosts, struct lan_message *message, unsigned from, unsigned to,
                             struct buffer *buffer)
{
    struct copy *copy = or_abort(calloc(1, sizeof *copy));
    *copy = (struct copy){.worm = {.path = lan_path(hosts->groups->graph, from, to), .length = message->length},
                          .message = message,
                          .buffer = buffer,
                          .from = (uint16_t)from,
                          .to = (uint16_t)to};
    copy->taken = !is_bounded(hosts, copy) || hosts->options.full != LAN_REFUSE; /* nobody answers */
    copy->parts = copy->taken ? 2 : 3;
    if (!lan_full_has_classes(hosts->options.full))
        copy->class = 0;
    else if (hosts->options.scheme->shape == PR_GROUP_SHAPE_TREE)
        copy->class = to > from;
    else if (buffer)
        copy->class = (uint8_t)(buffer->class + (to < from));
    message->references++;
    return copy;
}

static const struct lan_branch *branch_of(const struct lan_hosts *hosts, const struct lan_message *message,
                                          unsigned member)
{
    return lan_branch(hosts->groups, (unsigned)message->group, message->origin, member);
}

static bool goes_on(const struct lan_hosts *hosts, const struct copy *copy)
{
    return is_multicast(copy) && branch_of(hosts, copy->message, copy->to)->count > 0;
}

/* ---- sending ---- */

static void start(struct lan_hosts *hosts, struct copy *copy, bool behind)
{
    hosts->hosts[copy->from].current = copy;
    hosts->counts.copies++;
    hosts->counts.multicast_copies += is_multicast(copy);
    hosts->counts.switches += copy->worm.path->count - 1;
    lan_network_start(hosts->network, copy->from, &copy->worm, behind);
}

/* A host that sends nothing has nothing in its queue. */
static void queue(struct lan_hosts *hosts, struct copy *copy)
{
    struct host *host = &hosts->hosts[copy->from];
    if (!lan_network_busy(hosts->network, copy->from)) {
        start(hosts, copy, false);
        return;
    }
    if (host->first)
        host->last->next = copy;
    else
        host->first = copy;
    host->last = copy;
    hosts->waiting++;
    if (++host->waiting > hosts->counts.longest_queue)
        hosts->counts.longest_queue = host->waiting;
}

static struct copy *copy_to_child(const struct lan_hosts *hosts, struct lan_message *message, unsigned host,
                                  struct buffer *buffer, unsigned child)
{
    unsigned place = branch_of(hosts, message, host)->children[child];
    if (buffer)
        buffer->open++;
    return new_copy(hosts, message, host, lan_member(hosts->groups, (unsigned)message->group, place), buffer);
}

static void send_on(struct lan_hosts *hosts, struct lan_message *message, unsigned host, struct buffer *buffer,
                    unsigned first)
{
    for (unsigned child = first; child < branch_of(hosts, message, host)->count; child++)
        queue(hosts, copy_to_child(hosts, message, host, buffer, child));
}

/* ---- buffers ---- */

static struct buffer *reserve(struct lan_hosts *hosts, struct copy *copy)
{
    struct buffer *buffer = or_abort(calloc(1, sizeof *buffer));
    *buffer = (struct buffer){.message = copy->message, .host = copy->to, .class = copy->class};
    copy->message->references++;
    copy->fate = TAKEN;
    hosts->hosts[copy->to].free[copy->class]--;
    hosts->taken++;
    hosts->counts.taken++;
    return buffer;
}

static void hold(struct lan_hosts *hosts, struct copy *copy)
{
    struct copy **last = &hosts->hosts[copy->to].held;
    while (*last)
        last = &(*last)->next;
    *last = copy;
    copy->next = NULL;
    copy->fate = HELD;
    lan_network_hold(hosts->network, copy->to, true);
}

static void store(struct lan_hosts *hosts, struct copy *copy, struct buffer *buffer);

/* There is a buffer again. */
static void let_in(struct lan_hosts *hosts, unsigned number)
{
    struct host *host = &hosts->hosts[number];
    while (host->held && host->free[host->held->class] > 0) {
        struct copy *copy = host->held;
        struct buffer *buffer = reserve(hosts, copy);
        host->held = copy->next;
        if (copy->arrived)
            store(hosts, copy, buffer);
        else
            host->buffer = buffer;
    }
    lan_network_hold(hosts->network, number, host->held != NULL);
}

static void release(struct lan_hosts *hosts, struct buffer *buffer)
{
    unsigned host = buffer->host;
    if (buffer->open > 0 || !buffer->complete)
        return;
    hosts->hosts[host].free[buffer->class]++;
    hosts->taken--;
    forget_message(buffer->message);
    free(buffer);
    if (hosts->credits)
        lan_credits_freed(hosts->credits, host);
    if (hosts->hosts[host].held)
        let_in(hosts, host);
}

static void note_taken(struct lan_hosts *hosts, const struct copy *copy)
{
    if (!copy->sent || !copy->taken)
        return;
    if (copy->buffer) {
        copy->buffer->open--;
        release(hosts, copy->buffer);
    } else if (copy->from == copy->message->origin && hosts->listener->left) {
        hosts->listener->left(hosts->context, copy->from);
    }
}

static void say(struct lan_hosts *hosts, unsigned from, unsigned to, const void *object, enum about about)
{
    const struct lan_path *path = lan_path(hosts->groups->graph, from, to);
    uint64_t time = lan_network_now(hosts->network) + 2 * (path->count - 1u);
    for (unsigned k = 0; k < path->count; k++)
        time += hosts->groups->graph->links[path->links[k]].delay;
    lan_network_alarm(hosts->network, time, to, (uint64_t)(uintptr_t)object | about);
}

/* Does the host that receives the copy take it? Asked when it knows what is coming. */
static bool take(struct lan_hosts *hosts, struct copy *copy)
{
    struct host *host = &hosts->hosts[copy->to];
    if (copy->fate != UNDECIDED || !is_bounded(hosts, copy))
        return copy->fate < REFUSED;
    if (!goes_on(hosts, copy)) {
        copy->fate = TAKEN;
    } else if (!host->held && host->free[copy->class] > 0) {
        host->buffer = reserve(hosts, copy);
    } else {
        hosts->counts.refused++;
        copy->fate = REFUSED;
        if (hosts->options.full == LAN_HOLD)
            hold(hosts, copy);
    }
    if (hosts->options.full == LAN_REFUSE)
        say(hosts, copy->to, copy->from, copy, copy->fate == REFUSED ? NACK : ACK);
    return copy->fate == TAKEN;
}

/* ---- what the network tells ---- */

/* The first copy follows what comes. The others wait behind it from now on: if they joined the queue later, multicasts
 * that begin here meanwhile would overtake them, and there would be no total order. */
static void header(void *context, unsigned number, struct lan_worm *worm)
{
    struct lan_hosts *hosts = context;
    struct host *host = &hosts->hosts[number];
    struct copy *copy = (struct copy *)worm;
    if (!take(hosts, copy) || !hosts->options.scheme->cuts_through || !goes_on(hosts, copy) ||
        worm->length <= hosts->options.header_bytes || lan_network_busy(hosts->network, number))
        return;
    host->passing = true;
    start(hosts, copy_to_child(hosts, copy->message, number, host->buffer, 0), true);
    send_on(hosts, copy->message, number, host->buffer, 1);
}

static void deliver(struct lan_hosts *hosts, unsigned number, struct lan_message *message)
{
    if (number == message->origin)
        return;
    message->pending--;
    hosts->listener->delivered(hosts->context, number, message);
}

static void store(struct lan_hosts *hosts, struct copy *copy, struct buffer *buffer)
{
    bool passing = hosts->hosts[copy->to].passing;
    deliver(hosts, copy->to, copy->message);
    if (goes_on(hosts, copy)) {
        *(passing ? &hosts->counts.cut_through : &hosts->counts.stored) += 1;
        if (!passing)
            send_on(hosts, copy->message, copy->to, buffer, 0);
    }
    if (buffer)
        buffer->complete = true;
    forget_part(copy);
}

static void received(void *context, unsigned number, struct lan_worm *worm)
{
    struct lan_hosts *hosts = context;
    struct host *host = &hosts->hosts[number];
    struct copy *copy = (struct copy *)worm;
    copy->arrived = true;
    if (take(hosts, copy))
        store(hosts, copy, host->buffer);
    else if (copy->fate == REFUSED)
        forget_part(copy);
    host->passing = false;
    host->buffer = NULL;
}

static void sent(void *context, unsigned number, struct lan_worm *worm)
{
    struct lan_hosts *hosts = context;
    struct host *host = &hosts->hosts[number];
    struct copy *copy = (struct copy *)worm, *next = host->first;
    copy->sent = true;
    note_taken(hosts, copy);
    forget_part(copy);
    host->current = next;
    if (!next)
        return;
    host->first = next->next;
    host->waiting--;
    hosts->waiting--;
    start(hosts, next, next->buffer && !next->buffer->complete);
}

static void send_again(struct lan_hosts *hosts, struct copy *copy)
{
    uint64_t time = lan_network_now(hosts->network) + hosts->options.time_out;
    if (hosts->hosts[copy->from].current == copy)
        lan_network_cut(hosts->network, copy->from);
    lan_network_alarm(hosts->network, time, copy->from,
                      (uint64_t)(uintptr_t)new_copy(hosts, copy->message, copy->from, copy->to, copy->buffer) | AGAIN);
    forget_part(copy);
}

/* A copy that was sent on as it came starts again only when all of it is there. */
static void try_again(struct lan_hosts *hosts, unsigned number, struct copy *copy, uint64_t about)
{
    if (copy->buffer && !copy->buffer->complete)
        lan_network_alarm(hosts->network, lan_network_now(hosts->network) + hosts->options.time_out, number, about);
    else
        queue(hosts, copy);
}

/* ---- credits ---- */

static void begin(struct lan_hosts *hosts, struct lan_message *message)
{
    unsigned leader = lan_member(hosts->groups, (unsigned)message->group, 0);
    if (hosts->groups->orders && message->origin != leader)
        queue(hosts, new_copy(hosts, message, message->origin, leader, NULL));
    else
        send_on(hosts, message, message->origin, NULL, 0);
}

static void grant(struct lan_hosts *hosts)
{
    struct lan_message *message;
    while ((message = lan_credits_grant(hosts->credits)) != NULL)
        say(hosts, LAN_CREDITS_MANAGER, message->origin, message, GRANTED);
    if (lan_credits_sends_token(hosts->credits))
        say(hosts, LAN_CREDITS_MANAGER, LAN_CREDITS_MANAGER + 1, NULL, TOKEN);
}

static void pass_token(struct lan_hosts *hosts, unsigned host)
{
    lan_credits_collect(hosts->credits, host);
    if (host == LAN_CREDITS_MANAGER)
        grant(hosts);
    else
        say(hosts, host, (host + 1) % hosts->groups->graph->hosts, NULL, TOKEN);
}

static void alarm(void *context, unsigned number, uint64_t about)
{
    struct lan_hosts *hosts = context;
    void *object = (void *)(uintptr_t)(about & ~(uint64_t)ABOUT);
    struct copy *copy = object;
    switch (about & ABOUT) {
    case ACK:
        copy->taken = true;
        note_taken(hosts, copy);
        forget_part(copy);
        break;
    case NACK:
        send_again(hosts, copy);
        break;
    case AGAIN:
        try_again(hosts, number, copy, about);
        break;
    case ASKS:
        lan_credits_ask(hosts->credits, object);
        grant(hosts);
        break;
    case GRANTED:
        begin(hosts, object);
        break;
    case TOKEN:
        pass_token(hosts, number);
        break;
    default:
        hosts->listener->due(hosts->context, number);
    }
}

/* ---- the caller ---- */

struct lan_hosts *lan_hosts_create(const struct lan_groups *groups, const struct lan_hosts_options *options,
                                   const struct lan_hosts_listener *listener, void *context)
{
    static const struct lan_listener own = {header, received, sent, alarm};
    struct lan_hosts *hosts = or_abort(calloc(1, sizeof *hosts));
    *hosts = (struct lan_hosts){.groups = groups, .options = *options, .listener = listener, .context = context};
    hosts->network = lan_network_create(groups->graph, &lan_timing_paper, options->header_bytes, &own, hosts);
    hosts->hosts = or_abort(calloc(groups->graph->hosts, sizeof *hosts->hosts));
    for (unsigned host = 0; host < groups->graph->hosts; host++)
        for (unsigned class = 0; class < CLASSES; class ++)
            hosts->hosts[host].free[class] = options->buffers;
    if (options->full == LAN_CREDIT)
        hosts->credits = lan_credits_create(groups, options->buffers);
    return hosts;
}

/* What is still on its way when a run ends stays in the memory of the process. */
void lan_hosts_free(struct lan_hosts *hosts)
{
    lan_network_free(hosts->network);
    lan_credits_free(hosts->credits);
    free(hosts->hosts);
    free(hosts);
}

static struct lan_message *keep(const struct lan_message *message, unsigned pending)
{
    struct lan_message *kept = or_abort(calloc(1, sizeof *kept));
    *kept = *message;
    kept->pending = pending;
    kept->references = 0;
    return kept;
}

void lan_hosts_unicast(struct lan_hosts *hosts, const struct lan_message *message, unsigned to)
{
    queue(hosts, new_copy(hosts, keep(message, 1), message->origin, to, NULL));
}

void lan_hosts_multicast(struct lan_hosts *hosts, const struct lan_message *message)
{
    struct lan_message *kept = keep(message, hosts->groups->size - 1);
    if (hosts->credits)
        say(hosts, message->origin, LAN_CREDITS_MANAGER, kept, ASKS);
    else
        begin(hosts, kept);
}

void lan_hosts_alarm(struct lan_hosts *hosts, uint64_t time, unsigned host)
{
    lan_network_alarm(hosts->network, time, host, 0);
}

struct lan_network *lan_hosts_network(struct lan_hosts *hosts)
{
    return hosts->network;
}

const struct lan_hosts_counts *lan_hosts_counts(const struct lan_hosts *hosts)
{
    return &hosts->counts;
}

uint64_t lan_hosts_waiting(const struct lan_hosts *hosts)
{
    return hosts->waiting;
}

unsigned lan_hosts_buffers_taken(const struct lan_hosts *hosts)
{
    return hosts->taken;
}
