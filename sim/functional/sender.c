/* The paper's fifo_buffer gives its router the packet, and the terminator when the packet's words have had the time to
 * follow. Its states (Figure 7) are no variable here, but follow from a connection's offset and limit:
 *
 *          head shown              no word stands             terminator shown
 *   FREE ------------> BUSY ------------------------> DONE ------------------> FREE
 *                       |  ^                           ^
 *         a limit below |  | the limit is lifted,      |
 *        the terminator |  | offset grows (`delay`)    | clock offset + index of the terminator
 *                       v  |                           |
 *                      WAIT ---------------------------'
 *
 * FREE: no packet in it. BUSY: limit is NO_LIMIT. WAIT: limit of the net_input's connection is one of its words;
 * the paper's last-wait is the clock offset + limit, in which the first word had to stand. `delay`, the sum of all
 * waits, is what offset has grown by. DONE is the clock in which offset + index is reached.
 *
 * A packet also enters the fifo_buffer word by word. Its end enters when there is room, which may be after its head has
 * crossed the router, and a packet behind it may enter meanwhile.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/sender.h"

#include "functional/link.h"
#include "functional/router_model.h"

/* The first clock in which a word may enter that needs so many words of the packets before it, from the first one on,
 * to have crossed; UINT64_MAX: it is not known yet. */
static uint64_t crossing_clock(const struct functional_site *site, int needed)
{
    const struct input *input = &site->inputs[PR_PORT_LOCAL];
    if (needed <= 0)
        return 0;
    if (!input->crossed || input->flight != site->sender.front)
        return UINT64_MAX;
    uint16_t limit;
    int64_t offset;
    connection_bound(site, input, &limit, &offset);
    if (needed > limit || needed > input->flight->end)
        return UINT64_MAX;
    return (uint64_t)(offset + needed - 1) + CLOCKS_BUFFER_ROOM;
}

/* The same where the net_input stores words of the packet that seeks or crosses: the fifo_buffer then has its output
 * beside its memory, and no word that is shown, so it needs one word more to have left. Words leave it one a clock, and
 * those that do not fit the storage when others have crossed. */
static uint64_t room_clock(const struct functional *functional, const struct functional_site *site, int needed)
{
    const struct input *input = &site->inputs[PR_PORT_LOCAL];
    int stored = (int)functional->router->input_words - 1;
    if (stored == 0 || needed < 0)
        return crossing_clock(site, needed);
    if (!input->flight || input->flight != site->sender.front || needed > input->flight->end)
        return UINT64_MAX;
    uint64_t shown = input->shown + (unsigned)needed + 1, crossed = crossing_clock(site, needed - stored);
    return shown > crossed ? shown : crossed;
}

/* Packets whose heads have not crossed, and terminators that have entered. */
static unsigned places_taken(const struct functional_site *site)
{
    const struct sender *sender = &site->sender;
    const struct input *input = &site->inputs[PR_PORT_LOCAL];
    unsigned places = 0;
    for (const struct flight *flight = sender->front; flight; flight = flight->next)
        places += 2;
    return places - sender->entering - (sender->front && input->flight == sender->front && input->crossed);
}

/* The first clock in which there is room for the word behind so many that are in the fifo_buffer or on their way. */
static uint64_t next_room(const struct functional *functional, const struct functional_site *site, unsigned words)
{
    unsigned places = functional->options.places;
    if (places == PLACES_OF_WORDS)
        return room_clock(functional, site, (int)words - (int)functional->mesh.downstream_depth - WORDS_BUFFER);
    return places == PLACES_UNBOUNDED || places_taken(site) < places ? 0 : UINT64_MAX;
}

static void begin_packet(struct functional *functional, struct functional_site *site, const struct pr_packet *packet)
{
    struct sender *sender = &site->sender;
    struct flight *flight = packet_pool_launch(&functional->packets, packet);
    flight->first = functional->now;
    if (sender->front)
        sender->back->next = flight;
    else
        sender->front = flight;
    sender->back = flight;
    sender->words += flight->end + 1u;
    sender->entering = true;
}

/* True if the terminator of the packet that enters has done so in this clock. */
static bool end_packet(struct functional *functional, struct functional_site *site, struct ni_model *interface)
{
    struct sender *sender = &site->sender;
    uint64_t room = next_room(functional, site, sender->words);
    uint64_t streamed = sender->back->first + sender->back->end;
    uint64_t clock = room > streamed ? room : streamed;
    sender->waits = room > 0;
    if (clock > functional->now) {
        site_due(site, clock);
        return false;
    }
    sender->entering = sender->waits = false;
    sender->back->last = functional->now;
    sender->free_from = functional->now + 1;
    site_due(site, sender->free_from);
    ni_model_packet_left(interface, sender->back->first);
    return true;
}

/* The next word of the first packet that the router has to see, from `index` on. */
static unsigned next_mark(const struct functional *functional, const struct flight *flight, unsigned index)
{
    if (functional->router->whole_list)
        return flight->end;
    while (index < flight->end && !flight_is_site_word(flight, index))
        index++;
    return index;
}

/* A marked word of the first packet is in the fifo_buffer, and has not been shown. */
static bool has_mark(const struct sender *sender)
{
    const struct flight *flight = sender->front;
    if (!flight || sender->next_mark > flight->end)
        return false;
    return sender->next_mark < flight->end || !sender->entering || flight != sender->back;
}

static void show_mark(struct functional *functional, struct functional_site *site)
{
    struct sender *sender = &site->sender;
    struct input *input = &site->inputs[PR_PORT_LOCAL];
    struct flight *flight = sender->front;
    if (input->count || !has_mark(sender))
        return;
    struct mark mark = {.flight = flight, .index = sender->next_mark, .kind = MARK_TARGET};
    mark.clock = flight->first + mark.index + CLOCKS_ENTER;
    if (mark.index == flight->end) {
        mark.kind = MARK_END;
        mark.tag = PR_TAG_END_OF_PACKET;
        mark.clock = flight->last + CLOCKS_ENTER;
    } else if (mark.index == 0) {
        mark.kind = MARK_HEAD;
    }
    sender->next_mark = mark.index == flight->end ? flight->end + 1
                                                  : (uint16_t)next_mark(functional, flight, mark.index + 1u);
    link_queue(site, PR_PORT_LOCAL, &mark);
    if (mark.clock <= functional->now)
        site_due(site, functional->now + 1);
}

bool sender_clock(struct functional *functional, struct functional_site *site, struct ni_model *interface)
{
    struct sender *sender = &site->sender;
    const struct pr_packet *packet;
    bool left = false;
    sender->waits = false;
    if (sender->free_from > functional->now)
        site_due(site, sender->free_from); /* out of reset */
    if (!sender->entering && sender->free_from <= functional->now &&
        (packet = ni_model_next_packet(interface)) != NULL) {
        uint64_t room = next_room(functional, site, sender->words + 1);
        sender->waits = room > functional->now;
        if (sender->waits)
            site_due(site, room);
        else
            begin_packet(functional, site, packet);
    }
    if (sender->entering)
        left = end_packet(functional, site, interface);
    show_mark(functional, site);
    return left;
}

void sender_forget(struct functional *functional, struct functional_site *site)
{
    struct sender *sender = &site->sender;
    const struct input *input = &site->inputs[PR_PORT_LOCAL];
    while (sender->front) {
        struct flight *flight = sender->front;
        sender->front = flight->next;
        if (input->flight != flight || !input->crossed)
            packet_pool_land(&functional->packets, flight);
    }
}

bool sender_follows(const struct functional_site *site)
{
    return site->sender.waits || has_mark(&site->sender);
}

void sender_front_crossed(struct functional_site *site)
{
    struct sender *sender = &site->sender;
    struct flight *front = sender->front;
    sender->words -= front->end + 1u;
    sender->front = front->next;
    front->next = NULL;
    sender->next_mark = 0;
}
