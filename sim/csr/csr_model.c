/* See csr_model.h. The flits that begin in one module, a *wave*, are all in the modules of one dimension in any step,
 * and two waves never want the same link for the same interval. So waves run one after the other: d steps forward, and,
 * when all waves have arrived, d steps back with the ACKs and d forward again with what has become of the entry
 * buffers.
 *
 *   source 0: flits from internal links     request[source][o] -> won[source][o] -> link o
 *   source 1: flits from forward links
 *
 * SPDX-License-Identifier: ISC
 */
#include "csr/csr_model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "csr/csr_plane.h"
#include "support/or_abort.h"

/* What the flits at the modules of a dimension wanted, and what they got. */
struct step {
    uint64_t *request[2][2], *won[2][2]; /* [source][link] */
};

/* The flits that are at the modules of a dimension. */
struct flits {
    uint64_t *present[2], *favoured[2]; /* [source] */
    uint64_t *tags[2][CSR_MOST_DIMENSIONS], *forks[2][CSR_MOST_DIMENSIONS];
};

struct csr_model {
    struct csr_options options;
    unsigned words, links;
    uint64_t now;
    struct random random;
    uint64_t *memory; /* all planes */
    uint64_t *attempts[CSR_MOST_LINKS], *accepted[CSR_MOST_LINKS], *favoured[CSR_MOST_LINKS];
    uint64_t *tags[CSR_MOST_LINKS][CSR_MOST_DIMENSIONS], *forks[CSR_MOST_LINKS][CSR_MOST_DIMENSIONS];
    uint64_t *coins[CSR_MOST_DIMENSIONS][CSR_MOST_LINKS];        /* [step][link]; none if the model draws them */
    uint64_t *lists[CSR_MOST_DIMENSIONS][CSR_MOST_LINKS];        /* [transmission interval mod d][link] */
    struct step steps[CSR_MOST_DIMENSIONS][CSR_MOST_DIMENSIONS]; /* [wave][step] */
    struct flits flits[2];                                       /* of this step, and of the next one */
    uint64_t *acks[2][2];                                        /* [this step, the next one][link] */
};

/* Hands out the planes, or counts them while there is no memory. */
struct planes {
    uint64_t *memory;
    size_t words, count;
};

static uint64_t *plane_of(struct planes *planes)
{
    size_t place = planes->count++ * planes->words;
    return planes->memory ? planes->memory + place : NULL;
}

static void place_entries(struct csr_model *model, struct planes *planes)
{
    unsigned d = model->options.dimensions;
    for (unsigned link = 0; link < model->links; link++) {
        model->attempts[link] = plane_of(planes);
        model->accepted[link] = plane_of(planes);
        model->favoured[link] = model->options.favours ? plane_of(planes) : NULL;
        for (unsigned k = 0; k < d; k++) {
            model->tags[link][k] = plane_of(planes);
            model->forks[link][k] = model->options.forks ? plane_of(planes) : NULL;
            model->lists[k][link] = plane_of(planes);
            model->coins[k][link] = model->options.coin ? plane_of(planes) : NULL;
        }
    }
}

static void place_steps(struct csr_model *model, struct planes *planes)
{
    unsigned d = model->options.dimensions;
    for (unsigned source = 0; source < 2; source++)
        for (unsigned k = 0; k < 2; k++) {
            for (unsigned step = 0; step < d * d; step++) {
                model->steps[step / d][step % d].request[source][k] = plane_of(planes);
                model->steps[step / d][step % d].won[source][k] = plane_of(planes);
            }
            model->acks[source][k] = plane_of(planes);
            model->flits[k].present[source] = plane_of(planes);
            model->flits[k].favoured[source] = model->options.favours ? plane_of(planes) : NULL;
            for (unsigned dimension = 0; dimension < d; dimension++) {
                model->flits[k].tags[source][dimension] = plane_of(planes);
                model->flits[k].forks[source][dimension] = model->options.forks ? plane_of(planes) : NULL;
            }
        }
}

static void place_planes(struct csr_model *model)
{
    struct planes planes = {.words = model->words};
    place_entries(model, &planes);
    place_steps(model, &planes);
    model->memory = or_abort(calloc(planes.count * planes.words, sizeof *model->memory));
    planes = (struct planes){.words = model->words, .memory = model->memory};
    place_entries(model, &planes);
    place_steps(model, &planes);
}

struct csr_model *csr_model_create(const struct csr_options *options)
{
    if (options->dimensions < CSR_LEAST_DIMENSIONS || options->dimensions > CSR_MOST_DIMENSIONS)
        return NULL;
    struct csr_model *model = or_abort(calloc(1, sizeof *model));
    model->options = *options;
    model->words = csr_plane_words(options->dimensions);
    model->links = 2 * options->dimensions;
    random_seed(&model->random, options->seed, 0);
    place_planes(model);
    return model;
}

void csr_model_free(struct csr_model *model)
{
    free(model->memory);
    free(model);
}

uint64_t *csr_model_attempts(struct csr_model *model, unsigned link)
{
    return model->attempts[link];
}

uint64_t *csr_model_tags(struct csr_model *model, unsigned link, unsigned dimension)
{
    return model->tags[link][dimension];
}

uint64_t *csr_model_forks(struct csr_model *model, unsigned link, unsigned dimension)
{
    return model->forks[link][dimension];
}

uint64_t *csr_model_favoured(struct csr_model *model, unsigned link)
{
    return model->favoured[link];
}

void csr_model_offer(struct csr_model *model, unsigned node, unsigned module, uint32_t tag, uint32_t forks)
{
    unsigned link = 2 * module + (tag >> module & 1);
    csr_plane_set_bit(model->attempts[link], node, true);
    for (unsigned k = 0; k < model->options.dimensions; k++) {
        csr_plane_set_bit(model->tags[link][k], node, tag >> k & 1);
        if (model->options.forks)
            csr_plane_set_bit(model->forks[link][k], node, forks >> k & 1);
    }
    if (model->options.favours)
        csr_plane_set_bit(model->favoured[link], node, false);
    assert(model->options.forks || !forks);
}

void csr_model_offer_none(struct csr_model *model)
{
    for (unsigned link = 0; link < model->links; link++)
        memset(model->attempts[link], 0, model->words * sizeof(uint64_t));
}

static void ask_for_coins(struct csr_model *model)
{
    for (unsigned step = 0; step < model->options.dimensions; step++)
        for (unsigned node = 0; node < 1u << model->options.dimensions; node++) {
            uint32_t bits = model->options.coin(model->options.context, node, step);
            for (unsigned link = 0; link < model->links; link++)
                csr_plane_set_bit(model->coins[step][link], node, bits >> link & 1);
        }
}

/* The list's row of the interval `interval` slots behind that of this slot. */
static uint64_t **row_of(struct csr_model *model, unsigned interval)
{
    return model->lists[(model->now + interval) % model->options.dimensions];
}

static unsigned dimension_of(const struct csr_model *model, unsigned wave, unsigned step)
{
    return (wave + model->options.dimensions - step) % model->options.dimensions;
}

/* The flits of a wave, in their entry buffers: that of an internal link counts as one that came over an internal link.
 */
static struct flits entries_of(const struct csr_model *model, unsigned wave)
{
    struct flits flits;
    for (unsigned source = 0; source < 2; source++) {
        unsigned link = 2 * wave + source;
        flits.present[source] = model->attempts[link];
        flits.favoured[source] = model->favoured[link];
        memcpy(flits.tags[source], model->tags[link], sizeof flits.tags[source]);
        memcpy(flits.forks[source], model->forks[link], sizeof flits.forks[source]);
    }
    return flits;
}

/* Which flits want which link of dimension k. The tag bit of an entry buffer's own dimension is that of its link. */
static void request(const struct csr_model *model, const struct flits *flits, struct step *step, unsigned k, bool entry)
{
    uint64_t nodes = csr_plane_nodes(model->options.dimensions);
    for (unsigned source = 0; source < 2; source++) {
        const uint64_t *present = flits->present[source], *tag = flits->tags[source][k],
                       *fork = flits->forks[source][k];
        for (unsigned word = 0; word < model->words; word++) {
            uint64_t flit = present[word] & nodes, forward = entry ? -(uint64_t)source : tag[word];
            uint64_t both = fork ? fork[word] : 0;
            step->request[source][0][word] = flit & (~forward | both);
            step->request[source][1][word] = flit & (forward | both);
        }
    }
}

/* Which of two flits that want a link wins: the forward one where a bit is set. */
static uint64_t forward_wins(struct csr_model *model, const struct flits *flits, const uint64_t *coins, unsigned word)
{
    uint64_t coin = coins ? coins[word] : random_bits(&model->random);
    if (!model->options.favours)
        return coin;
    uint64_t internal = flits->favoured[0][word], forward = flits->favoured[1][word];
    return (forward & ~internal) | (coin & ~(forward ^ internal));
}

/* Grants link o of dimension k: to one flit, unless the list has it reserved. */
static void grant(struct csr_model *model, const struct flits *flits, struct step *step, unsigned i, unsigned k,
                  unsigned o)
{
    const uint64_t *reserved = row_of(model, i)[2 * k + o], *coins = model->coins[i][2 * k + o];
    for (unsigned word = 0; word < model->words; word++) {
        uint64_t internal = step->request[0][o][word] & ~reserved[word];
        uint64_t forward = step->request[1][o][word] & ~reserved[word], both = internal & forward;
        if (both) {
            uint64_t wins = forward_wins(model, flits, coins, word);
            internal &= ~(both & wins);
            forward &= ~(both & ~wins);
        }
        step->won[0][o][word] = internal;
        step->won[1][o][word] = forward;
    }
}

/* Moves a word of a plane over the links o of dimension k: internal ones stay at their node. */
static inline void move_word(uint64_t *to, unsigned word, uint64_t bits, unsigned k, unsigned o)
{
    if (o)
        to[csr_plane_crossed_word(word, k)] = csr_plane_crossed(bits, k);
    else
        to[word] = bits;
}

/* Moves a bit of the flits that have won the links o of dimension k: those of source 1 are `forward`. */
static void move_bit(const struct csr_model *model, uint64_t *to, uint64_t *const from[2], const uint64_t *forward,
                     unsigned k, unsigned o)
{
    for (unsigned word = 0; word < model->words; word++)
        move_word(to, word, (from[0][word] & ~forward[word]) | (from[1][word] & forward[word]), k, o);
}

/* The flits that have won links of dimension k go on to the modules of the next dimensions: `left` are still to come.
 */
static void go_on(const struct csr_model *model, const struct step *step, const struct flits *from, struct flits *to,
                  unsigned k, unsigned left)
{
    unsigned d = model->options.dimensions;
    for (unsigned o = 0; o < 2; o++) {
        uint64_t *won[2] = {step->won[0][o], step->won[1][o]};
        for (unsigned word = 0; word < model->words; word++)
            move_word(to->present[o], word, won[0][word] | won[1][word], k, o);
        if (model->options.favours)
            move_bit(model, to->favoured[o], from->favoured, won[1], k, o);
        for (unsigned ahead = 1; ahead <= left; ahead++) {
            unsigned dimension = (k + d - ahead) % d;
            uint64_t *tags[2] = {from->tags[0][dimension], from->tags[1][dimension]};
            move_bit(model, to->tags[o][dimension], tags, won[1], k, o);
            if (model->options.forks) {
                uint64_t *forks[2] = {from->forks[0][dimension], from->forks[1][dimension]};
                move_bit(model, to->forks[o][dimension], forks, won[1], k, o);
            }
        }
    }
}

static void forward_phase(struct csr_model *model, unsigned wave)
{
    unsigned d = model->options.dimensions;
    struct flits entries = entries_of(model, wave);
    const struct flits *flits = &entries;
    for (unsigned i = 0; i < d; i++) {
        struct step *step = &model->steps[wave][i];
        unsigned k = dimension_of(model, wave, i);
        request(model, flits, step, k, i == 0);
        for (unsigned o = 0; o < 2; o++)
            grant(model, flits, step, i, k, o);
        go_on(model, step, flits, &model->flits[i % 2], k, d - 1 - i);
        flits = &model->flits[i % 2];
    }
}

/* The plane of a wave's flits that have won the links o in the last step, at the nodes that these links leave. */
static uint64_t won_last(const struct csr_model *model, unsigned wave, unsigned o, unsigned word)
{
    const struct step *last = &model->steps[wave][model->options.dimensions - 1];
    return last->won[0][o][word] | last->won[1][o][word];
}

/* Takes back the last link of the flits that their exits do not accept. Exit 2 l + o of a node is at the far end of
 * link o in which the wave l has its last step. */
static void ask_exits(struct csr_model *model)
{
    unsigned d = model->options.dimensions;
    for (unsigned node = 0; node < 1u << d; node++) {
        uint32_t arrived = 0;
        for (unsigned x = 0; x < model->links; x++) {
            unsigned from = node ^ (x % 2 ? 1u << dimension_of(model, x / 2, d - 1) : 0);
            if (won_last(model, x / 2, x % 2, from / CSR_WORD_BITS) >> from % CSR_WORD_BITS & 1)
                arrived |= UINT32_C(1) << x;
        }
        uint32_t refused = arrived ? arrived & ~model->options.exits(model->options.context, node, arrived) : 0;
        for (; refused; refused &= refused - 1) {
            unsigned x = (unsigned)__builtin_ctz(refused);
            unsigned from = node ^ (x % 2 ? 1u << dimension_of(model, x / 2, d - 1) : 0);
            for (unsigned source = 0; source < 2; source++)
                csr_plane_set_bit(model->steps[x / 2][d - 1].won[source][x % 2], from, false);
        }
    }
}

unsigned csr_model_origin(const struct csr_model *model, unsigned node, unsigned exit, unsigned *link)
{
    unsigned wave = exit / 2, o = exit % 2;
    for (unsigned i = model->options.dimensions; i-- > 0;) {
        node ^= o << dimension_of(model, wave, i);
        o = csr_plane_bit(model->steps[wave][i].won[1][o], node);
    }
    *link = 2 * wave + o;
    return node;
}

/* The ACKs of the flits at the modules of a step, from those of the links that they have won: of all that they wanted.
 */
static void acknowledge(const struct csr_model *model, const struct step *step, uint64_t *const links[2],
                        uint64_t *flits[2])
{
    for (unsigned source = 0; source < 2; source++)
        for (unsigned word = 0; word < model->words; word++) {
            uint64_t internal = step->request[source][0][word], forward = step->request[source][1][word];
            uint64_t ack_internal = links[0] ? step->won[source][0][word] & links[0][word] : step->won[source][0][word];
            uint64_t ack_forward = links[1] ? step->won[source][1][word] & links[1][word] : step->won[source][1][word];
            flits[source][word] = (internal | forward) & (~internal | ack_internal) & (~forward | ack_forward);
        }
}

/* From the ends of a wave back to its entry buffers. */
static void backward_phase(struct csr_model *model, unsigned wave)
{
    unsigned d = model->options.dimensions;
    uint64_t *ends[2] = {NULL, NULL};
    uint64_t *const *links = ends;
    for (unsigned i = d; i-- > 0;) {
        uint64_t **flits = i == 0 ? &model->accepted[2 * wave] : model->acks[0];
        acknowledge(model, &model->steps[wave][i], links, flits);
        if (i == 0)
            break;
        for (unsigned word = 0; word < model->words; word++)
            for (unsigned source = 0; source < 2; source++)
                move_word(model->acks[1][source], word, flits[source][word], dimension_of(model, wave, i - 1), source);
        links = model->acks[1];
    }
}

/* Writes what accepted flits have won into the lists. */
static void confirm(struct csr_model *model, unsigned wave)
{
    uint64_t **flits = &model->accepted[2 * wave];
    for (unsigned i = 0; i < model->options.dimensions; i++) {
        const struct step *step = &model->steps[wave][i];
        unsigned k = dimension_of(model, wave, i);
        for (unsigned o = 0; o < 2; o++) {
            uint64_t *row = row_of(model, i)[2 * k + o];
            uint64_t *confirmed = model->acks[i % 2][o];
            for (unsigned word = 0; word < model->words; word++) {
                uint64_t won = (step->won[0][o][word] & flits[0][word]) | (step->won[1][o][word] & flits[1][word]);
                row[word] |= won;
                move_word(confirmed, word, won, k, o);
            }
        }
        flits = model->acks[i % 2];
    }
}

void csr_model_slot(struct csr_model *model)
{
    unsigned d = model->options.dimensions;
    if (model->options.coin)
        ask_for_coins(model);
    for (unsigned wave = 0; wave < d; wave++)
        forward_phase(model, wave);
    if (model->options.exits)
        ask_exits(model);
    for (unsigned wave = 0; wave < d; wave++) {
        backward_phase(model, wave);
        confirm(model, wave);
    }
    for (unsigned link = 0; link < model->links; link++)
        memset(row_of(model, 0)[link], 0, model->words * sizeof(uint64_t));
    model->now++;
}

uint64_t csr_model_now(const struct csr_model *model)
{
    return model->now;
}

const uint64_t *csr_model_accepted(const struct csr_model *model, unsigned link)
{
    return model->accepted[link];
}

const uint64_t *csr_model_reserved(const struct csr_model *model, unsigned link, unsigned interval)
{
    return row_of((struct csr_model *)model, interval)[link];
}
