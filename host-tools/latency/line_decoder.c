/* See line_decoder.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/line_decoder.h"
#include "support/or_abort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DATA_BITS = 32,
    IDLE_BIT = DATA_BITS + 1, /* of a frame: it has to be 0 */
    HEADER_FIRST = 0x10,
    TAG_SHIFT = 5,
    PORT_MASK = 3,
    SITE_MASK = 0x7fff, /* of a status frame; above it is the mark of eager links */
    CRC_START = 0xffff,
    CRC_POLYNOMIAL = 0x0389,
    GAP_BITS = 1024,     /* without a frame: the number of bits is not counted on */
    PLACE_BITS = 36,     /* from the beginning of a frame to that of the next */
    SURE_BITS = 4096,    /* a block this long measures the bit */
    HANDLER_MASK = 0xff, /* of the header's third word; the bits above may change when a packet is sent again */
    PLACES_MIN = 16      /* frames that have kept their places before one that leaves them says something */
};

static const double frame_end = 33.75; /* bits behind the start in which the next frame may start */
static const double place_error = 0.5; /* bits by which a frame may miss its place */
static const double off_grid = 0.2;    /* bits by which a frame may miss the grid, beside a sample and a half */
static const double known_bit = 0.001, learnt_bit = 0.02; /* by which the bit may be off: as given, as learnt */
static const double edge_spread = 0.41;                   /* samples, standard deviation of a distance of edges */
static const double no_bit = 0.4;                         /* a pulse shorter than this many bits is none */

static const uint64_t hash_start = 0xcbf29ce484222325u, hash_prime = 0x100000001b3u; /* FNV-1a */

void line_decoder_begin(struct line_decoder *decoder, double samples_a_bit, bool level,
                        void (*emit)(void *context, const struct line_packet *packet), void *context)
{
    *decoder = (struct line_decoder){
        .bit = samples_a_bit, .nominal = samples_a_bit, .exact = 1, .level = level, .emit = emit, .context = context};
    line_clock_begin(&decoder->clock, samples_a_bit, decoder->exact);
}

void line_decoder_free(struct line_decoder *decoder)
{
    free(decoder->done);
    decoder->done = NULL;
}

static uint16_t crc_after(uint16_t crc, unsigned byte)
{
    crc ^= (uint16_t)(byte << 8);
    for (int i = 0; i < 8; i++)
        crc = (uint16_t)(crc << 1 ^ (crc & 0x8000 ? CRC_POLYNOMIAL : 0));
    return crc;
}

/* ---- A block of edges. */

static void resolve(struct line_incoming *incoming, const struct line_clock_fit *fit)
{
    if (!incoming->pending)
        return;
    incoming->packet.origin = fit->origin;
    incoming->packet.began = line_clock_time(fit, incoming->bits, (double)incoming->start - (double)fit->origin);
    incoming->pending = false;
}

static void measure_rate(struct line_decoder *decoder, const struct line_clock_fit *fit)
{
    decoder->rate.jitter = fmax(decoder->rate.jitter, fit->jitter);
    if (decoder->frame_bits < SURE_BITS)
        return;
    decoder->rate.blocks++;
    decoder->rate.value += fit->bit.value;
    decoder->rate.error += fit->bit.error;
    decoder->bit = fit->bit.value;
}

static void use_fit(struct line_decoder *decoder, const struct line_clock_fit *fit)
{
    measure_rate(decoder, fit);
    for (size_t i = 0; i < decoder->done_count; i++)
        resolve(&decoder->done[i], fit);
    resolve(&decoder->incoming, fit);
}

static void close_block(struct line_decoder *decoder)
{
    struct line_clock_fit fit;
    if (decoder->clock.count > 0) {
        line_clock_fit(&decoder->clock, &fit);
        use_fit(decoder, &fit);
    }
    line_clock_begin(&decoder->clock, decoder->bit, decoder->exact);
}

/* The block was read with a wrong length of the bit. If its edges do not lie on a line, their bits were miscounted:
 * what it has of times is worth nothing. */
static void close_doubtful_block(struct line_decoder *decoder)
{
    struct line_clock_fit fit = {.jitter = 0};
    double bit = decoder->bit;
    if (decoder->clock.count > 0)
        line_clock_fit(&decoder->clock, &fit);
    if (decoder->clock.count > 0 && fit.jitter <= decoder->exact) {
        use_fit(decoder, &fit);
    } else {
        decoder->done_count = 0;
        decoder->incoming.open = decoder->incoming.pending = false;
    }
    decoder->bit = bit;
    line_clock_begin(&decoder->clock, decoder->bit, decoder->exact);
}

static void keep_packet(struct line_decoder *decoder)
{
    if (decoder->done_count == decoder->done_room) {
        decoder->done_room = decoder->done_room ? 2 * decoder->done_room : 64;
        decoder->done = or_abort(realloc(decoder->done, decoder->done_room * sizeof *decoder->done));
    }
    decoder->done[decoder->done_count++] = decoder->incoming;
}

static bool is_on_grid(const struct line_decoder *decoder, double bits)
{
    return fabs(bits - round(bits)) <= off_grid + 1.5 * decoder->exact / decoder->bit;
}

/* Places a good frame on the grid of bits: its number of bits since the first frame of the block. A frame that does not
 * fit the grid of those before begins a new block. Eager links begin a frame at any of the four clocks of a bit, which
 * so few samples need not tell apart: each is a block of its own. */
static void place_frame(struct line_decoder *decoder)
{
    uint64_t start = decoder->edges[0];
    double bits = decoder->clock.count > 0 ? (double)(start - decoder->frame_start) / decoder->bit : 0;
    bool eager = line_counts_links(&decoder->counts) == LINE_LINKS_EAGER;
    if (eager || bits > GAP_BITS || !is_on_grid(decoder, bits) || decoder->clock.count == LINE_CLOCK_EDGES)
        close_block(decoder);
    decoder->frame_bits = decoder->clock.count > 0 ? decoder->frame_bits + (unsigned)lround(bits) : 0;
    decoder->frame_start = start;
    for (unsigned i = 0; i < decoder->edge_count; i += 2) {
        bits = (double)(decoder->edges[i] - start) / decoder->bit;
        if (is_on_grid(decoder, bits))
            line_clock_add(&decoder->clock, decoder->frame_bits + (unsigned)lround(bits), decoder->edges[i]);
    }
}

/* The length of the bit from the distances of edges within frames, once it is clear that the given one is wrong: with
 * that, frames would not be found on their grid. True: it has just become clear. */
static bool learn_bit(struct line_decoder *decoder)
{
    struct line_learning *learning = &decoder->learning;
    unsigned last = (decoder->edge_count - 1) & ~1u;
    double samples = (double)(decoder->edges[last] - decoder->edges[0]), sigmas = 5;
    if (decoder->rate.blocks > 0)
        return false;
    learning->samples += samples;
    learning->bits += round(samples / decoder->bit);
    learning->frames++;
    double bit = learning->samples / fmax(learning->bits, 1), off = fabs(bit / decoder->nominal - 1);
    double chance = edge_spread * decoder->exact * sqrt(learning->frames) / fmax(learning->bits * decoder->nominal, 1);
    bool known = decoder->bit == decoder->nominal;
    if ((known && off < known_bit + sigmas * chance) || off > learnt_bit)
        return false;
    decoder->bit = bit;
    return known;
}

/* Frames begin in places that are PLACE_BITS apart, on a line that is idle between two of them, too. By how many bits
 * does one that began at `to` miss those of one at `from`? */
static double off_place(const struct line_decoder *decoder, uint64_t from, uint64_t to)
{
    double places = (double)(to - from) / decoder->bit / PLACE_BITS;
    return fabs(places - round(places)) * PLACE_BITS;
}

/* Is this frame off the places of those before it, and was such a frame seldom so far? */
static void look_at_place(struct line_decoder *decoder, bool head)
{
    struct line_places *places = &decoder->places;
    uint64_t start = decoder->edges[0], before = places->last;
    double bits = (double)(start - before) / decoder->bit;
    double unsure = decoder->rate.blocks > 0 ? 0 : 2 * known_bit * bits;
    places->last = start;
    if (before == 0 || bits > GAP_BITS || line_counts_links(&decoder->counts) == LINE_LINKS_EAGER)
        return;
    uint64_t *kept = head ? &places->heads.kept : &places->others.kept,
             *left = head ? &places->heads.left : &places->others.left, often = head ? 16 : 3;
    if (off_place(decoder, before, start) <= off_grid + 1.5 * decoder->exact / decoder->bit + unsure) {
        ++*kept;
        return;
    }
    if (*kept >= PLACES_MIN && *left * often <= *kept && decoder->jump)
        decoder->jump(decoder->context, before, start);
    ++*left;
}

/* ---- Packets. */

static bool is_target(unsigned tag)
{
    return tag >= PR_TAG_NULL_TARGET;
}

static void begin_packet(struct line_decoder *decoder, unsigned tag, unsigned word)
{
    struct line_incoming *incoming = &decoder->incoming;
    *incoming = (struct line_incoming){
        .open = true, .pending = true, .bits = decoder->frame_bits, .start = decoder->frame_start};
    incoming->packet.identity = hash_start;
    incoming->packet.target = word;
    incoming->packet.multicast = tag != PR_TAG_UNICAST_SITE;
}

static void add_data(struct line_packet *packet, unsigned word)
{
    unsigned lasting = packet->words == PR_HEADER_HANDLER ? word & HANDLER_MASK : word;
    packet->identity = (packet->identity ^ (lasting & 0xff)) * hash_prime;
    packet->identity = (packet->identity ^ lasting >> 8) * hash_prime;
    if (packet->words < PR_HEADER_WORDS)
        packet->header[packet->words] = (uint16_t)word;
    packet->words++;
}

static void take_word(struct line_decoder *decoder, unsigned tag, bool first, unsigned word)
{
    struct line_incoming *incoming = &decoder->incoming;
    decoder->counts.words++;
    if (first && is_target(tag))
        begin_packet(decoder, tag, word);
    else if (first)
        incoming->open = false;
    if (!incoming->open || is_target(tag))
        return;
    if (tag == PR_TAG_DATA) {
        add_data(&incoming->packet, word);
        return;
    }
    incoming->packet.aborted = tag == PR_TAG_ABORT_PACKET;
    decoder->counts.packets++;
    decoder->counts.aborted += incoming->packet.aborted;
    keep_packet(decoder);
    incoming->open = false;
}

/* ---- Frames. */

struct frame {
    unsigned header, tag, word, check;
    bool first, status, ends, rests; /* rests: the line is 0 behind it */
};

/* Takes the levels in the middles of the bits. An edge seen in sample n was half a sample earlier on average. */
static struct frame read_frame(const struct line_decoder *decoder)
{
    uint64_t bits = 0;
    unsigned passed = 1; /* bit 0 is the start bit, which the first edge begins */
    for (unsigned bit = 1; bit <= IDLE_BIT; bit++) {
        double middle = (bit + 0.5) * decoder->bit;
        while (passed < decoder->edge_count && (double)(decoder->edges[passed] - decoder->edges[0]) <= middle)
            passed++;
        bits = bits << 1 | (passed & 1);
    }
    uint32_t data = (uint32_t)(bits >> 1);
    struct frame frame = {.header = data >> 24, .word = data >> 8 & 0xffff, .check = data & 0xff, .rests = !(bits & 1)};
    frame.tag = frame.header >> TAG_SHIFT;
    frame.first = frame.header & HEADER_FIRST;
    frame.status = frame.tag == PR_TAG_NULL_TRANSMISSION;
    frame.ends = frame.tag == PR_TAG_END_OF_PACKET || frame.tag == PR_TAG_ABORT_PACKET;
    return frame;
}

/* The majority of all votes, if there is one, whatever their order. */
static void vote(struct line_counts *counts, unsigned site)
{
    if (counts->site_votes == 0)
        counts->site = site;
    counts->site_votes += counts->site == site ? 1 : (uint64_t)-1;
}

static bool in_a_place(const struct line_decoder *decoder, uint64_t from, uint64_t to)
{
    return off_place(decoder, from, to) < place_error;
}

/* A word that nothing has checked. Before the first good frame it may be none: a capture that begins within a frame
 * reads on from one of its bits. Such words count if they lie in the places of each other up to a terminator, or in
 * those of the first good frame. */
static void take_unchecked(struct line_decoder *decoder, const struct frame *frame)
{
    uint64_t start = decoder->edges[0];
    bool goes_on = decoder->early && in_a_place(decoder, decoder->early_start, start);
    decoder->early = goes_on ? decoder->early + 1 : 1;
    decoder->early_start = start;
    if (!decoder->found && !(goes_on && frame->ends))
        return;
    decoder->counts.unchecked += decoder->found ? 1 : decoder->early;
    decoder->early = 0;
}

static void begin_good_frames(struct line_decoder *decoder)
{
    if (decoder->early && in_a_place(decoder, decoder->early_start, decoder->edges[0]))
        decoder->counts.unchecked += decoder->early;
    decoder->found = true;
}

static void take_good_frame(struct line_decoder *decoder, const struct frame *frame, uint16_t crc)
{
    if (!decoder->found)
        begin_good_frames(decoder);
    decoder->counts.ports[frame->header & PORT_MASK]++;
    if (learn_bit(decoder))
        close_doubtful_block(decoder);
    look_at_place(decoder, frame->first && is_target(frame->tag));
    place_frame(decoder);
    if (frame->status) {
        decoder->counts.statuses++;
        decoder->counts.eager += frame->word > SITE_MASK;
        vote(&decoder->counts, frame->word & SITE_MASK);
        decoder->incoming.open &= !frame->first;
        return;
    }
    decoder->crc = crc;
    decoder->crc_known = true;
    take_word(decoder, frame->tag, frame->first, frame->word);
}

static void end_frame(struct line_decoder *decoder)
{
    struct frame frame = read_frame(decoder);
    decoder->in_frame = false;
    decoder->counts.frames++;
    if (!frame.status && !frame.first && !decoder->crc_known) {
        take_unchecked(decoder, &frame);
        return;
    }
    uint16_t crc = frame.status || frame.first ? CRC_START : decoder->crc;
    crc = crc_after(crc_after(crc_after(crc, frame.header), frame.word >> 8), frame.word & 0xff);
    if (!frame.status && !frame.ends && frame.check == (crc >> 8 ^ PR_LINK_DEAD_MARK)) {
        decoder->counts.dead++;
        return;
    }
    if (frame.check == crc >> 8 && !(frame.ends && (crc & 0xff)) && frame.rests) {
        take_good_frame(decoder, &frame, crc);
        return;
    }
    decoder->counts.damaged += decoder->found;
    decoder->crc_known = false;
    decoder->incoming.open = false;
}

static bool frame_is_over(const struct line_decoder *decoder, uint64_t sample)
{
    return decoder->in_frame && (double)(sample - decoder->edges[0]) >= frame_end * decoder->bit;
}

static void count_pulse(struct line_decoder *decoder, uint64_t length)
{
    decoder->counts.pulses[length < LINE_PULSES - 1 ? length : LINE_PULSES - 1]++;
    decoder->counts.glitches += (double)length + decoder->exact < no_bit * decoder->bit;
}

void line_decoder_edge(struct line_decoder *decoder, uint64_t sample, bool level)
{
    if (level == decoder->level)
        return;
    decoder->level = level;
    decoder->counts.edges++;
    if (frame_is_over(decoder, sample))
        end_frame(decoder);
    if (level)
        decoder->rise = sample;
    else if (decoder->rose) /* the first pulse may have begun before the capture */
        count_pulse(decoder, sample - decoder->rise);
    decoder->rose |= level;
    if (!decoder->in_frame && level) {
        decoder->in_frame = true;
        decoder->edge_count = 0;
    }
    if (decoder->in_frame && decoder->edge_count < LINE_FRAME_EDGES)
        decoder->edges[decoder->edge_count++] = sample;
}

bool line_decoder_is_full(const struct line_decoder *decoder)
{
    return decoder->clock.count + LINE_FRAME_EDGES > LINE_CLOCK_EDGES;
}

void line_decoder_close(struct line_decoder *decoder, uint64_t sample)
{
    if (frame_is_over(decoder, sample))
        end_frame(decoder);
    close_block(decoder);
    for (size_t i = 0; i < decoder->done_count; i++)
        decoder->emit(decoder->context, &decoder->done[i].packet);
    decoder->done_count = 0;
}
