/* See traffic.h. Packets of a trace come from trace_player.h. Of synthetic traffic, every site has a random stream of
 * its own. A heap, ordered by the clock of each site's next packet, merges the streams. A packet therefore costs the
 * logarithm of the number of sites, and a clock without packets costs nothing.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/traffic.h"

#include "support/run_memory.h"
#include "wire/group_packet.h"
#include "workload/trace_player.h"
#include "workload/traffic_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct source {
    uint64_t clock;      /* of its next packet */
    uint64_t burst_left; /* packets still to come in this burst */
    uint32_t row;        /* its place among the sites that have an operator */
    double load, words;  /* words a clock, and of a packet on average */
    struct random random;
};

/* Of the list of members. */
struct memberships {
    uint8_t count;
    uint16_t members[TRAFFIC_GROUPS_OF_SITE];
};

/* A class of packets, or all. */
struct kind {
    struct traffic_options options; /* as it has them */
    double share, mean_words;
    unsigned longest;   /* data words that fit a packet with all its targets */
    uint32_t *partners; /* by site, traffic_pattern_partners */
};

struct traffic {
    struct mesh_config mesh;
    struct traffic_options options;
    struct trace_player *player; /* NULL: synthetic traffic, which has all that follows */
    double mean_words;
    struct kind kinds[TRAFFIC_CLASSES];
    unsigned kind_count;
    struct source *sources;
    uint32_t count;                  /* of the sites that have an operator: they alone are sources and targets */
    uint32_t *sites;                 /* which these are */
    uint32_t *heap;                  /* of them, the next one on top */
    uint32_t *shuffled;              /* a permutation of them, reshuffled from the front for each multicast */
    uint32_t *place;                 /* where a site stands in it */
    uint16_t *members;               /* see traffic_members; NULL: there are no groups */
    struct memberships *memberships; /* by site */
    uint32_t targets[TRAFFIC_MAX_TARGETS];
};

static const char *const pattern_names[] = {"uniform",    "transpose",   "bit-complement", "tornado",
                                            "neighbour",  "bit-reverse", "shuffle",        "permutation",
                                            "asymmetric", "hot-spot",    "matrix",         "trace"};
static const char *const process_names[] = {"bernoulli", "bursty"};
static const char no_shape[] = "multicast";

static int index_of(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

int traffic_pattern_by_name(const char *name)
{
    return index_of(name, pattern_names, sizeof pattern_names / sizeof pattern_names[0]);
}

const char *traffic_pattern_name(enum traffic_pattern pattern)
{
    return pattern_names[pattern];
}

const char *traffic_process_name(enum traffic_process process)
{
    return process_names[process];
}

int traffic_shape_by_name(const char *name)
{
    return strcmp(name, no_shape) == 0 ? TRAFFIC_NO_SHAPE : pr_group_shape_by_name(name);
}

const char *traffic_shape_name(unsigned shape)
{
    return shape == TRAFFIC_NO_SHAPE ? no_shape : pr_group_shape_name(shape);
}

unsigned traffic_packet_words(const struct traffic_packet *packet)
{
    unsigned targets = packet->member ? 1 : packet->target_count;
    return targets * (1u + packet->info_words) + TRAFFIC_HEADER_WORDS + packet->data_words + 1u;
}

/* The packets go to groups, and not as the operator's to their members. */
static bool has_shape(const struct traffic_options *options)
{
    return options->groups && options->shape != TRAFFIC_NO_SHAPE;
}

const uint16_t *traffic_members(const struct traffic *traffic, unsigned *count)
{
    *count = has_shape(&traffic->options) ? traffic->options.groups * traffic->options.members : 0;
    return traffic->members;
}

double traffic_mean_words(const struct traffic *traffic)
{
    return traffic->mean_words;
}

/* Targets that stand in one packet of the operator. */
static unsigned most_together(const struct mesh_config *mesh, const struct traffic_options *options)
{
    if (options->pattern == TRAFFIC_TRACE)
        return options->trace->most_targets;
    unsigned multicast = options->multicast > 0 ? options->targets : 1;
    if (options->groups && !has_shape(options) && options->members - 1 > multicast)
        multicast = options->members - 1;
    unsigned all = options->broadcast_every ? (unsigned)mesh_operators(mesh) - 1 : 1;
    return multicast > all ? multicast : all;
}

static unsigned most_targets(const struct mesh_config *mesh, const struct traffic_options *options)
{
    unsigned most = most_together(mesh, options);
    return options->groups && options->members > most ? options->members : most;
}

unsigned traffic_most_targets(const struct traffic *traffic)
{
    unsigned most = 1;
    for (unsigned i = 0; i < traffic->kind_count; i++) {
        unsigned of_kind = most_targets(&traffic->mesh, &traffic->kinds[i].options);
        most = of_kind > most ? of_kind : most;
    }
    return most;
}

uint64_t traffic_clock(const struct traffic *traffic)
{
    if (traffic->player)
        return trace_player_clock(traffic->player);
    return traffic->sources[traffic->heap[0]].clock;
}

/* Order of packets: by clock, then by site. */
static bool before(const struct traffic *traffic, uint32_t a, uint32_t b)
{
    uint64_t first = traffic->sources[a].clock, second = traffic->sources[b].clock;
    return first < second || (first == second && a < b);
}

static void sift_down(struct traffic *traffic, int at)
{
    uint32_t *heap = traffic->heap, moving = heap[at];
    int count = (int)traffic->count;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= count)
            break;
        if (child + 1 < count && before(traffic, heap[child + 1], heap[child]))
            child++;
        if (!before(traffic, heap[child], moving))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
}

/* Clocks of silence between bursts, chosen so that the mean falls from one word a clock to the load, if it is less. */
static uint64_t draw_silence(struct traffic *traffic, struct source *source)
{
    double burst_words = traffic->options.burst * source->words;
    double silence = source->load < 1 ? burst_words * (1 / source->load - 1) : 0;
    return random_geometric(&source->random, 1 / (silence + 1)) - 1;
}

static bool broadcasts(const struct traffic *traffic, uint32_t site)
{
    return traffic->options.broadcast_every && site == traffic->options.broadcast_site;
}

/* Advances the source's clock from the packet just drawn (of so many words) to its next packet. */
static void advance(struct traffic *traffic, struct source *source, unsigned words)
{
    if (broadcasts(traffic, (uint32_t)(source - traffic->sources))) {
        source->clock += traffic->options.broadcast_every;
        return;
    }
    if (traffic->options.process == TRAFFIC_BERNOULLI) {
        source->clock += random_geometric(&source->random, source->load / source->words);
        return;
    }
    source->clock += words;
    if (--source->burst_left == 0) {
        source->clock += draw_silence(traffic, source);
        source->burst_left = random_geometric(&source->random, 1 / traffic->options.burst);
    }
}

enum { NEIGHBOURS_MOST = 16 };

static int find_neighbours(const struct traffic *traffic, int site, int found[NEIGHBOURS_MOST])
{
    int count = 0;
    for (int link = 0; link < traffic->mesh.links; link++) {
        int next = mesh_far_end(&traffic->mesh, site, link).site;
        if (next >= 0)
            found[count++] = next;
    }
    return count;
}

static uint32_t draw_neighbour(struct traffic *traffic, int site, struct random *random)
{
    int found[NEIGHBOURS_MOST], count = find_neighbours(traffic, site, found);
    return (uint32_t)(count ? found[random_below(random, (uint32_t)count)] : site);
}

/* Of two sites that are half of all apart, the one or the other. */
static uint32_t draw_half(const struct traffic *traffic, const struct kind *kind, int site, struct random *random)
{
    return traffic->sites[kind->partners[site] + traffic->count / 2 * random_below(random, 2)];
}

/* The target of a unicast, or the first of a multicast. */
static uint32_t draw_target(struct traffic *traffic, const struct kind *kind, int site, struct random *random)
{
    const struct traffic_options *options = &kind->options;
    if (options->pattern == TRAFFIC_ASYMMETRIC)
        return draw_half(traffic, kind, site, random);
    if (kind->partners)
        return kind->partners[site];
    if (options->pattern == TRAFFIC_NEIGHBOUR)
        return draw_neighbour(traffic, site, random);
    if (options->pattern == TRAFFIC_MATRIX)
        return traffic->sites[traffic_matrix_draw(options->matrix, traffic->sources[site].row, random)];
    if (options->pattern == TRAFFIC_HOT_SPOT && random_unit(random) < options->hot_share)
        return options->hot_site;
    return traffic->sites[random_below(random, traffic->count)];
}

/* The same as shares of all packets. */
static void share_targets(const struct traffic *traffic, const struct kind *kind, uint32_t site, double *shares)
{
    const struct traffic_options *options = &kind->options;
    double hot_share = options->pattern == TRAFFIC_HOT_SPOT ? options->hot_share : 0;
    int found[NEIGHBOURS_MOST], count = find_neighbours(traffic, (int)site, found);
    if (options->pattern == TRAFFIC_ASYMMETRIC) {
        shares[traffic->sites[kind->partners[site]]] += 0.5;
        shares[traffic->sites[kind->partners[site] + traffic->count / 2]] += 0.5;
    } else if (kind->partners) {
        shares[kind->partners[site]] = 1;
    } else if (options->pattern == TRAFFIC_NEIGHBOUR) {
        for (int i = 0; i < count; i++)
            shares[found[i]] += 1.0 / count;
        shares[site] += count == 0;
    } else if (options->pattern == TRAFFIC_MATRIX) {
        for (uint32_t i = 0; i < traffic->count; i++)
            shares[traffic->sites[i]] = traffic_matrix_target_share(options->matrix, traffic->sources[site].row, i);
    } else {
        for (uint32_t i = 0; i < traffic->count; i++)
            shares[traffic->sites[i]] = (1 - hot_share) / traffic->count;
        shares[options->hot_site] += hot_share;
    }
}

unsigned traffic_kinds(const struct traffic *traffic)
{
    return traffic->kind_count;
}

/* Swaps `site` into position `at` of the permutation. */
static void put(struct traffic *traffic, uint32_t at, uint32_t site)
{
    uint32_t other = traffic->shuffled[at], from = traffic->place[site];
    traffic->shuffled[at] = site;
    traffic->shuffled[from] = other;
    traffic->place[site] = at;
    traffic->place[other] = from;
}

static unsigned draw_count(const struct traffic_options *options, struct random *random)
{
    if (!options->targets_least || options->targets_least == options->targets)
        return options->targets;
    return options->targets_least + random_below(random, options->targets - options->targets_least + 1);
}

/* Fills in all sites except the sender as targets. */
static void take_all_others(struct traffic *traffic, struct traffic_packet *packet)
{
    packet->target_count = 0;
    for (uint32_t i = 0; i < traffic->count; i++)
        if (traffic->sites[i] != packet->source)
            traffic->targets[packet->target_count++] = traffic->sites[i];
}

/* Fills in the members of one of the sender's groups. False: the packet is none for a group. A site that broadcasts
 * sends to groups alone if it is in one. */
static bool draw_group(struct traffic *traffic, struct traffic_packet *packet, struct random *random)
{
    const struct traffic_options *options = &traffic->options;
    const struct memberships *own = &traffic->memberships[packet->source];
    bool always = broadcasts(traffic, packet->source);
    if (own->count == 0 || (!always && random_unit(random) >= options->group_share))
        return false;
    unsigned member = own->members[random_below(random, own->count)];
    const uint16_t *sites = traffic->members + member / options->members * options->members;
    for (unsigned i = 0; i < options->members; i++)
        if (sites[i] != packet->source || (has_shape(options) && pr_group_shape_orders(options->shape)))
            traffic->targets[packet->target_count++] = sites[i];
    if (has_shape(options)) {
        packet->member = member + 1;
        packet->info_words = 0;
    }
    return true;
}

/* Packets of this kind that the source in a row sends, by all packets of a mean source. */
static double kind_weight(const struct kind *kind, uint32_t row)
{
    bool uneven = kind->options.pattern == TRAFFIC_MATRIX;
    return kind->share * (uneven ? traffic_matrix_share(kind->options.matrix, row) : 1);
}

static unsigned draw_kind(struct traffic *traffic, struct source *source)
{
    unsigned kind = 0;
    double weights = 0, sum = 0;
    if (traffic->kind_count == 1)
        return 0;
    for (unsigned i = 0; i < traffic->kind_count; i++)
        weights += kind_weight(&traffic->kinds[i], source->row);
    double drawn = random_unit(&source->random) * weights;
    for (unsigned i = 0; i < traffic->kind_count && sum <= drawn; i++) {
        double weight = kind_weight(&traffic->kinds[i], source->row);
        kind = weight > 0 ? i : kind;
        sum += weight;
    }
    return kind;
}

static void draw_targets(struct traffic *traffic, const struct kind *kind, struct traffic_packet *packet,
                         struct random *random)
{
    packet->target_count = 0;
    if (traffic->options.groups && draw_group(traffic, packet, random))
        return;
    if (broadcasts(traffic, packet->source)) {
        take_all_others(traffic, packet);
        return;
    }
    uint32_t first = draw_target(traffic, kind, (int)packet->source, random);
    bool multicast = kind->options.multicast > 0 && random_unit(random) < kind->options.multicast;
    packet->target_count = (uint16_t)(multicast ? draw_count(&traffic->options, random) : 1);
    traffic->targets[0] = first;
    if (!multicast)
        return;
    put(traffic, 0, first);
    for (unsigned i = 1; i < packet->target_count; i++) {
        uint32_t from = i + random_below(random, traffic->count - i);
        put(traffic, i, traffic->shuffled[from]);
        traffic->targets[i] = traffic->shuffled[i];
    }
}

static void take_from_trace(struct traffic *traffic, struct traffic_packet *packet)
{
    uint64_t clock;
    const struct trace_packet *next = trace_player_next(traffic->player, &clock);
    *packet = (struct traffic_packet){.clock = clock,
                                      .source = next->source,
                                      .data_words = next->data_words,
                                      .target_count = next->target_count,
                                      .targets = traffic->options.trace->targets + next->first_target};
}

void traffic_arrived(struct traffic *traffic, uint64_t taken, uint64_t clock)
{
    if (traffic->player)
        trace_player_arrived(traffic->player, taken, clock);
}

void traffic_next(struct traffic *traffic, struct traffic_packet *packet)
{
    if (traffic->player) {
        take_from_trace(traffic, packet);
        return;
    }
    uint32_t site = traffic->heap[0];
    struct source *source = &traffic->sources[site];
    packet->class_number = (uint16_t)draw_kind(traffic, source);
    const struct kind *kind = &traffic->kinds[packet->class_number];
    uint64_t length = kind->options.length;
    packet->clock = source->clock;
    packet->source = site;
    packet->member = 0;
    packet->targets = traffic->targets;
    packet->info_words = (uint16_t)traffic->options.info;
    draw_targets(traffic, kind, packet, &source->random);
    if (kind->options.geometric)
        length = random_geometric(&source->random, 1.0 / kind->options.length);
    packet->data_words = (uint16_t)(length < kind->longest ? length : kind->longest);
    advance(traffic, source, traffic_packet_words(packet));
    sift_down(traffic, 0);
}

static bool is_source(const struct mesh_config *mesh, uint32_t site)
{
    return site < (uint32_t)mesh->sites && !mesh_is_switch(mesh, (int)site);
}

static const char *objection_to_groups(const struct mesh_config *mesh, const struct traffic_options *options)
{
    unsigned sites = (unsigned)mesh_operators(mesh);
    if (mesh->sites > PR_GROUP_SITES_MAX)
        return "no groups here, expected at most 4096 sites";
    if (options->groups > TRAFFIC_MAX_GROUPS)
        return "number of groups out of range, expected at most 256";
    if (options->members < 2 || options->members > PR_GROUP_MEMBERS_MAX || options->members > sites)
        return "number of members out of range, expected 2 to 32, and not more than there are sites";
    if (options->groups * options->members > TRAFFIC_GROUPS_OF_SITE * sites)
        return "too many groups, expected at most 8 for each site";
    if (!(options->group_share > 0 && options->group_share <= 1))
        return "group share out of range, expected more than 0 and at most 1";
    if (options->joins && (!has_shape(options) || !mesh->reliable || options->joins >= options->members))
        return "too many joins, expected fewer than members, a shape, and the reliable service";
    return NULL;
}

/* NULL if the options are valid, else the reason. */
static const char *objection(const struct mesh_config *mesh, const struct traffic_options *options,
                             unsigned most_targets, int longest)
{
    const char *to_pattern = traffic_pattern_objection(mesh, options->pattern);
    int sites = mesh_operators(mesh);
    if (!(options->load > 0 && options->load <= 1) && !(options->load == 0 && options->broadcast_every))
        return "load out of range, expected more than 0 and at most 1 word per site and clock";
    if (!(options->multicast >= 0 && options->multicast <= 1))
        return "multicast share out of range, expected 0 to 1";
    if (options->multicast > 0 && (options->targets < 2 || options->targets > (unsigned)sites))
        return "number of targets out of range, expected 2 to the number of sites";
    if (options->targets > TRAFFIC_MAX_TARGETS)
        return "number of targets out of range, expected at most 256";
    if (options->targets_least && (options->targets_least < 2 || options->targets_least > options->targets))
        return "least number of targets out of range, expected 2 to the most";
    if (options->broadcast_every && !is_source(mesh, options->broadcast_site))
        return "unknown broadcasting site, expected the number of a site of this mesh";
    if (options->broadcast_every && (sites < 2 || sites - 1 > TRAFFIC_MAX_TARGETS))
        return "no broadcast here, expected a mesh of 2 to 257 sites";
    if (options->info && most_targets * (1 + options->info) > TRAFFIC_MAX_TARGETS)
        return "too many target words, expected at most 256 targets and target_info words in a packet";
    if (longest < 0 || options->length > (unsigned)longest)
        return "packet too long, expected targets + 3 + data words, and target_info, to be within max_packet of the .mesh file";
    if (options->geometric && options->length < 1)
        return "mean length out of range, expected at least 1 data word";
    if (options->process == TRAFFIC_BURSTY && !(options->burst >= 1 && options->burst <= 1e6))
        return "burst out of range, expected 1 to 1000000 packets";
    if (to_pattern)
        return to_pattern;
    if (options->pattern == TRAFFIC_HOT_SPOT && !is_source(mesh, options->hot_site))
        return "unknown hot site, expected the number of a site of this mesh";
    if (options->pattern == TRAFFIC_HOT_SPOT && !(options->hot_share >= 0 && options->hot_share <= 1))
        return "hot share out of range, expected 0 to 1";
    return options->groups ? objection_to_groups(mesh, options) : NULL;
}

/* Mean number of data words. For a geometric length, this is the mean after the cut at the longest that fits. */
static double mean_length(const struct kind *kind)
{
    double mean = kind->options.length;
    if (!kind->options.geometric || mean <= 1)
        return mean;
    return mean * (1 - pow(1 - 1 / mean, kind->longest));
}

static double mean_targets(const struct traffic_options *options)
{
    return options->targets_least ? (options->targets_least + options->targets) / 2.0 : options->targets;
}

static int by_number(const void *one, const void *other)
{
    return *(const uint16_t *)one - *(const uint16_t *)other;
}

/* The members of one group: those sites first that are in the fewest groups. */
static void draw_members(struct traffic *traffic, uint16_t *group, struct random *random)
{
    unsigned taken = 0, members = traffic->options.members;
    for (uint32_t i = 0; i < traffic->count; i++)
        put(traffic, i, traffic->shuffled[i + random_below(random, traffic->count - i)]);
    for (unsigned groups = 0; taken < members; groups++)
        for (uint32_t i = 0; i < traffic->count && taken < members; i++)
            if (traffic->memberships[traffic->shuffled[i]].count == groups)
                group[taken++] = (uint16_t)traffic->shuffled[i];
    qsort(group, members, sizeof *group, by_number);
    for (unsigned i = 0; i < members; i++) {
        struct memberships *own = &traffic->memberships[group[i]];
        own->members[own->count++] = (uint16_t)(group + i - traffic->members);
    }
}

/* From a random stream that is no site's. False: no memory. */
static bool draw_groups(struct traffic *traffic)
{
    const struct traffic_options *options = &traffic->options;
    struct random random;
    if (!options->groups)
        return true;
    traffic->members = run_memory_allocate(options->groups * options->members, sizeof *traffic->members);
    traffic->memberships = run_memory_allocate((size_t)traffic->mesh.sites, sizeof *traffic->memberships);
    if (!traffic->members || !traffic->memberships)
        return false;
    random_seed(&random, options->seed, UINT64_MAX);
    for (unsigned group = 0; group < options->groups; group++)
        draw_members(traffic, traffic->members + group * options->members, &random);
    return true;
}

/* False: no memory. */
static bool find_partners(const struct traffic *traffic, struct kind *kind)
{
    if (!traffic_pattern_is_fixed(kind->options.pattern) && kind->options.pattern != TRAFFIC_ASYMMETRIC)
        return true;
    kind->partners = run_memory_allocate((size_t)traffic->mesh.sites, sizeof *kind->partners);
    if (!kind->partners)
        return false;
    traffic_pattern_partners(&traffic->mesh, &kind->options, traffic->sites, traffic->count, kind->partners);
    return true;
}

static double mean_packet_words(const struct kind *kind)
{
    const struct traffic_options *options = &kind->options;
    double targets = (1 - options->multicast + options->multicast * mean_targets(options)) * (1 + options->info);
    if (options->groups) {
        double to_group = has_shape(options) ? 1 : (options->members - 1) * (1.0 + options->info);
        targets += options->group_share * (to_group - targets);
    }
    return TRAFFIC_HEADER_WORDS + 1 + mean_length(kind) + targets;
}

/* NULL, or the reason why there cannot be this kind of packets. */
static const char *make_kind(struct traffic *traffic, double share)
{
    struct kind *kind = &traffic->kinds[traffic->kind_count];
    struct traffic_options *options = &kind->options;
    *options = traffic->options;
    if (options->class_count) {
        const struct traffic_class *own = &options->classes[traffic->kind_count];
        options->pattern = own->pattern;
        options->length = own->length;
        options->geometric = own->geometric;
        options->multicast = own->multicast;
    }
    unsigned before = most_together(&traffic->mesh, options) * (1 + options->info);
    if (has_shape(options) && before < 1 + PR_GROUP_ORDERED_WORDS)
        before = 1 + PR_GROUP_ORDERED_WORDS;
    int longest = (int)traffic->mesh.max_packet - TRAFFIC_HEADER_WORDS - (int)before;
    const char *reason = objection(&traffic->mesh, options, most_targets(&traffic->mesh, options), longest);
    if (reason)
        return reason;
    kind->share = share;
    kind->longest = (unsigned)longest;
    kind->mean_words = mean_packet_words(kind);
    traffic->mean_words += share * kind->mean_words;
    traffic->kind_count++;
    return NULL;
}

static const char *make_kinds(struct traffic *traffic)
{
    const struct traffic_options *options = &traffic->options;
    const char *reason = options->class_count ? NULL : make_kind(traffic, 1);
    for (unsigned i = 0; i < options->class_count && !reason; i++)
        reason = make_kind(traffic, options->classes[i].share);
    return reason;
}

struct traffic_flow traffic_flow(const struct traffic *traffic, unsigned number, uint32_t site, double *shares)
{
    const struct kind *kind = &traffic->kinds[number];
    const struct traffic_options *options = &kind->options;
    double weight = kind_weight(kind, traffic->sources[site].row);
    memset(shares, 0, (size_t)traffic->mesh.sites * sizeof *shares);
    if (weight > 0)
        share_targets(traffic, kind, site, shares);
    return (struct traffic_flow){.packets = weight / traffic->mean_words,
                                 .words = kind->mean_words,
                                 .one_words = TRAFFIC_HEADER_WORDS + 2 + options->info + mean_length(kind),
                                 .others = options->multicast * (mean_targets(options) - 1)};
}

/* What a source sends on average, which may be of several kinds. */
static void set_load(const struct traffic *traffic, struct source *source)
{
    double weights = 0, words = 0;
    for (unsigned i = 0; i < traffic->kind_count; i++) {
        double weight = kind_weight(&traffic->kinds[i], source->row);
        weights += weight;
        words += weight * traffic->kinds[i].mean_words;
    }
    source->words = weights > 0 ? words / weights : traffic->mean_words;
    source->load = traffic->options.load * (words / traffic->mean_words);
}

static void start_sources(struct traffic *traffic)
{
    const struct traffic_options *options = &traffic->options;
    for (uint32_t i = 0; i < traffic->count; i++) {
        uint32_t site = traffic->sites[i];
        struct source *source = &traffic->sources[site];
        random_seed(&source->random, options->seed, site);
        source->row = i;
        set_load(traffic, source);
        if (broadcasts(traffic, site)) {
            source->clock = 0;
        } else if (source->load == 0 ||
                   (options->groups && options->group_share >= 1 && traffic->memberships[site].count == 0)) {
            source->clock = UINT64_MAX;
        } else if (options->process == TRAFFIC_BERNOULLI) {
            source->clock = random_geometric(&source->random, source->load / source->words) - 1;
        } else {
            source->clock = draw_silence(traffic, source);
            source->burst_left = random_geometric(&source->random, 1 / options->burst);
        }
        traffic->heap[i] = site;
    }
    for (int at = (int)traffic->count / 2; at >= 0; at--)
        sift_down(traffic, at);
}

static struct traffic *create_from_trace(const struct mesh_config *mesh, const struct traffic_options *options)
{
    struct traffic *traffic = run_memory_allocate(1, sizeof *traffic);
    if (!traffic)
        return NULL;
    traffic->mesh = *mesh;
    traffic->options = traffic->kinds[0].options = *options;
    traffic->kind_count = 1;
    traffic->mean_words = (double)options->trace->words / (double)options->trace->count;
    traffic->player = trace_player_create(options->trace);
    if (traffic->player)
        return traffic;
    traffic_free(traffic);
    return NULL;
}

static struct traffic *create_synthetic(const struct mesh_config *mesh, const struct traffic_options *options,
                                        char *error, size_t error_size)
{
    struct traffic *traffic = run_memory_allocate(1, sizeof *traffic);
    const char *reason = "out of memory";
    size_t sites = (size_t)mesh->sites;
    if (traffic) {
        traffic->mesh = *mesh;
        traffic->options = *options;
        reason = make_kinds(traffic);
    }
    if (reason) {
        snprintf(error, error_size, "%s", reason);
        run_memory_free(traffic);
        return NULL;
    }
    traffic->sources = run_memory_allocate(sites, sizeof *traffic->sources);
    traffic->sites = run_memory_allocate(sites, sizeof *traffic->sites);
    traffic->heap = run_memory_allocate(sites, sizeof *traffic->heap);
    traffic->shuffled = run_memory_allocate(sites, sizeof *traffic->shuffled);
    traffic->place = run_memory_allocate(sites, sizeof *traffic->place);
    if (!traffic->sources || !traffic->sites || !traffic->heap || !traffic->shuffled || !traffic->place) {
        snprintf(error, error_size, "out of memory");
        traffic_free(traffic);
        return NULL;
    }
    for (int site = 0; site < mesh->sites; site++)
        if (!mesh_is_switch(mesh, site)) {
            traffic->shuffled[traffic->count] = (uint32_t)site;
            traffic->place[site] = traffic->count;
            traffic->sites[traffic->count++] = (uint32_t)site;
        }
    bool good = draw_groups(traffic);
    for (unsigned i = 0; i < traffic->kind_count && good; i++)
        good = find_partners(traffic, &traffic->kinds[i]);
    if (!good) {
        snprintf(error, error_size, "out of memory");
        traffic_free(traffic);
        return NULL;
    }
    start_sources(traffic);
    return traffic;
}

struct traffic *traffic_create(const struct mesh_config *mesh, const struct traffic_options *options, char *error,
                               size_t error_size)
{
    if (options->pattern != TRAFFIC_TRACE)
        return create_synthetic(mesh, options, error, error_size);
    struct traffic *traffic = create_from_trace(mesh, options);
    if (!traffic)
        snprintf(error, error_size, "out of memory");
    return traffic;
}

void traffic_free(struct traffic *traffic)
{
    if (!traffic)
        return;
    trace_player_free(traffic->player);
    run_memory_free(traffic->sources);
    run_memory_free(traffic->sites);
    run_memory_free(traffic->heap);
    run_memory_free(traffic->shuffled);
    run_memory_free(traffic->place);
    for (unsigned i = 0; i < traffic->kind_count; i++)
        run_memory_free(traffic->kinds[i].partners);
    run_memory_free(traffic->members);
    run_memory_free(traffic->memberships);
    run_memory_free(traffic);
}
