/* SPDX-License-Identifier: ISC */
#include "deadlock_picture.h"

#include <stdlib.h>
#include <string.h>

#include "engine/site_model.h"
#include "mesh/topology_view.h"
#include "protocol.h"
#include "simulation/simulation.h"

enum { PORTS_MAX = 5, WORDS_MAX = 160, NODES = CASE_SITES * PORTS_MAX, EDGES_MAX = 16, TEXT = 200 };

/* Words of the packet at hand that have entered the router through this net_input. */
struct record {
    uint64_t words[WORDS_MAX];
    unsigned count;
};

enum reason { LINK_WAITS, HELD_BY, COMES_FROM };

struct edge {
    unsigned to, output;
    enum reason reason;
};

/* A net_input as it stands. */
struct pr_node {
    uint64_t word;    /* shown, 0 for none */
    uint64_t outputs; /* connected to or waited for, a bit each */
    bool waits;       /* the word does not move */
    struct edge edges[EDGES_MAX];
    unsigned edge_count;
    unsigned state; /* of the search for a ring */
    bool on_ring;
};

struct deadlock_picture {
    const struct deadlock_case *drawn;
    unsigned ports, links;
    struct record records[NODES];
    struct pr_node nodes[NODES];
    unsigned ring[NODES], ring_count;
};

static unsigned node_number(const struct deadlock_picture *picture, unsigned site, unsigned port)
{
    return site * picture->ports + port;
}

static unsigned tag_of(const struct deadlock_picture *picture, uint64_t word)
{
    return (unsigned)((word & LINK_SLOT_WORD) >> picture->drawn->mesh.word_width);
}

static bool is_site(unsigned tag)
{
    return tag == PR_TAG_UNICAST_SITE || tag == PR_TAG_MULTICAST_SITE;
}

static uint32_t value_of(const struct deadlock_picture *picture, uint64_t word)
{
    return (uint32_t)(word & (((uint64_t)1 << picture->drawn->mesh.word_width) - 1));
}

struct deadlock_picture *deadlock_picture_create(const struct deadlock_case *drawn)
{
    struct deadlock_picture *picture = calloc(1, sizeof *picture);
    if (picture)
        *picture = (struct deadlock_picture){
            .drawn = drawn, .links = (unsigned)drawn->mesh.links, .ports = (unsigned)drawn->mesh.links + 1};
    return picture;
}

void deadlock_picture_free(struct deadlock_picture *picture)
{
    free(picture);
}

void deadlock_picture_follow(struct deadlock_picture *picture, const struct simulation *simulation)
{
    for (unsigned site = 0; site < (unsigned)picture->drawn->mesh.sites; site++)
        for (unsigned port = 0; port < picture->ports; port++) {
            uint64_t outputs, word = simulation_observe(simulation, site, port, &outputs);
            struct record *record = &picture->records[node_number(picture, site, port)];
            unsigned tag = tag_of(picture, word);
            if (!tag || (word & LINK_SLOT_WAIT))
                continue;
            if (tag == PR_TAG_END_OF_PACKET || tag == PR_TAG_ABORT_PACKET)
                record->count = 0;
            else if (record->count < WORDS_MAX)
                record->words[record->count++] = word & LINK_SLOT_WORD;
        }
}

static void add_edge(struct pr_node *node, unsigned to, unsigned output, enum reason reason)
{
    if (node->edge_count < EDGES_MAX)
        node->edges[node->edge_count++] = (struct edge){to, output, reason};
}

/* Does the neighbour hold up the word that this site shows on its link? */
static bool link_waits(const struct deadlock_picture *picture, const struct simulation *simulation, unsigned site,
                       unsigned link)
{
    const struct mesh_config *mesh = &picture->drawn->mesh;
    const uint64_t *words = simulation_words(simulation);
    struct pr_far_end far = mesh_far_end(mesh, (int)site, (int)link);
    return far.site >= 0 && (words[site * picture->links + link] & LINK_SLOT_WORD) &&
           (words[(unsigned)far.site * picture->links + far.link] & LINK_SLOT_WAIT);
}

/* Is net_input `port` connected to this output? It is if its packet has begun. The head of a multicast may hold the
 * local output before it has moved, if nobody else holds that. */
static bool holds(const struct deadlock_picture *picture, unsigned site, unsigned port, unsigned output)
{
    unsigned number = node_number(picture, site, port), first = node_number(picture, site, 0);
    bool begun_elsewhere = false;
    if (!(picture->nodes[number].outputs >> output & 1))
        return false;
    if (picture->records[number].count)
        return true;
    for (unsigned other = first; other < first + picture->ports; other++)
        begun_elsewhere |= (picture->nodes[other].outputs & 1) && picture->records[other].count;
    return output == 0 && !begun_elsewhere && tag_of(picture, picture->nodes[number].word) == PR_TAG_MULTICAST_SITE;
}

static void find_edges_of_output(struct deadlock_picture *picture, const struct simulation *simulation, unsigned site,
                                 unsigned port, unsigned output)
{
    struct pr_node *node = &picture->nodes[node_number(picture, site, port)];
    const struct mesh_config *mesh = &picture->drawn->mesh;
    for (unsigned other = 0; other < picture->ports; other++)
        if (other != port && holds(picture, site, other, output) && !holds(picture, site, port, output))
            add_edge(node, node_number(picture, site, other), output, HELD_BY);
    if (output > 0 && link_waits(picture, simulation, site, output - 1)) {
        struct pr_far_end far = mesh_far_end(mesh, (int)site, (int)output - 1);
        add_edge(node, node_number(picture, (unsigned)far.site, far.link + 1), output, LINK_WAITS);
    }
}

/* A connection whose next word has not come waits for the site that sends it. */
static void find_feeder(struct deadlock_picture *picture, unsigned site, unsigned port)
{
    struct pr_node *node = &picture->nodes[node_number(picture, site, port)];
    const struct mesh_config *mesh = &picture->drawn->mesh;
    struct pr_far_end far = mesh_far_end(mesh, (int)site, (int)port - 1);
    for (unsigned other = 0; far.site >= 0 && other < picture->ports; other++)
        if (holds(picture, (unsigned)far.site, other, far.link + 1))
            add_edge(node, node_number(picture, (unsigned)far.site, other), far.link + 1, COMES_FROM);
}

static void look(struct deadlock_picture *picture, const struct simulation *simulation)
{
    unsigned sites = (unsigned)picture->drawn->mesh.sites;
    for (unsigned number = 0; number < sites * picture->ports; number++) {
        struct pr_node *node = &picture->nodes[number];
        *node = (struct pr_node){0};
        node->word = simulation_observe(simulation, number / picture->ports, number % picture->ports, &node->outputs);
        node->waits = node->word & LINK_SLOT_WAIT;
        node->word &= LINK_SLOT_WORD;
    }
    for (unsigned number = 0; number < sites * picture->ports; number++) {
        unsigned site = number / picture->ports, port = number % picture->ports;
        for (unsigned output = 0; output < picture->ports; output++)
            if (picture->nodes[number].outputs >> output & 1)
                find_edges_of_output(picture, simulation, site, port, output);
        if (!picture->nodes[number].word && picture->nodes[number].outputs)
            find_feeder(picture, site, port);
    }
}

/* Depth first: true when a ring has been found, which is then in picture->ring. */
static bool find_ring_from(struct deadlock_picture *picture, unsigned number)
{
    struct pr_node *node = &picture->nodes[number];
    if (node->state == 2)
        return false;
    picture->ring[picture->ring_count++] = number;
    if (node->state == 1)
        return true;
    node->state = 1;
    for (unsigned i = 0; i < node->edge_count; i++)
        if (find_ring_from(picture, node->edges[i].to))
            return true;
    node->state = 2;
    picture->ring_count--;
    return false;
}

static bool find_ring(struct deadlock_picture *picture)
{
    unsigned nodes = (unsigned)picture->drawn->mesh.sites * picture->ports, first = 0;
    bool found = false;
    picture->ring_count = 0;
    for (unsigned number = 0; number < nodes && !found; number++)
        found = find_ring_from(picture, number);
    if (!found)
        return false;
    while (picture->ring[first] != picture->ring[picture->ring_count - 1])
        first++;
    picture->ring_count -= first + 1;
    memmove(picture->ring, picture->ring + first, picture->ring_count * sizeof *picture->ring);
    for (unsigned i = 0; i < picture->ring_count; i++)
        picture->nodes[picture->ring[i]].on_ring = true;
    return true;
}

static const char *port_name(const struct deadlock_picture *picture, unsigned port)
{
    return port ? mesh_link_name(&picture->drawn->mesh, (int)port - 1) : "local";
}

static void node_name(const struct deadlock_picture *picture, unsigned number, char *text)
{
    snprintf(text, TEXT, "site %u, net_input %s", number / picture->ports, port_name(picture, number % picture->ports));
}

/* The net_input of the neighbour that sends to this one; NODES if there is none. */
static unsigned feeder(const struct deadlock_picture *picture, unsigned number)
{
    const struct mesh_config *mesh = &picture->drawn->mesh;
    unsigned site = number / picture->ports, port = number % picture->ports;
    struct pr_far_end far = mesh_far_end(mesh, (int)site, (int)port - 1);
    for (unsigned other = 0; far.site >= 0 && other < picture->ports; other++)
        if (holds(picture, (unsigned)far.site, other, far.link + 1))
            return node_number(picture, (unsigned)far.site, other);
    return NODES;
}

/* Source and sequence number of the packet at a net_input: its first two data words. A head knows neither, but the
 * sites behind it may. Returns the packet's number, -1 if that is not to be seen. */
static int packet_at(const struct deadlock_picture *picture, const struct simulation *simulation, unsigned number)
{
    uint32_t data[2];
    for (unsigned hops = 0; hops < NODES && number != NODES; hops++, number = feeder(picture, number)) {
        const struct record *record = &picture->records[number];
        unsigned count = 0;
        for (unsigned i = 0; i < record->count && count < 2; i++)
            if (tag_of(picture, record->words[i]) == PR_TAG_DATA)
                data[count++] = value_of(picture, record->words[i]);
        if (count < 2 && tag_of(picture, picture->nodes[number].word) == PR_TAG_DATA)
            data[count++] = value_of(picture, picture->nodes[number].word);
        if (count == 2)
            return deadlock_packet(simulation, data[0], data[1]);
    }
    return -1;
}

static void append(char *text, const char *format, unsigned value)
{
    size_t used = strlen(text);
    snprintf(text + used, TEXT - used, format, value);
}

static void describe_target(const struct deadlock_picture *picture, uint64_t word, char *text)
{
    uint32_t value = value_of(picture, word), mark = 1u << (picture->drawn->mesh.word_width - 1);
    append(text, " %u", (unsigned)mesh_site(&picture->drawn->mesh, (int)(value & (mark - 1))));
    if (tag_of(picture, word) == PR_TAG_MULTICAST_SITE && value & mark)
        strcat(text, " (path)");
}

/* "multicast to 3 4, packet 17 of site 2, 5 words in": what can be told of a packet from where it stands. */
static void describe_packet(const struct deadlock_picture *picture, const struct simulation *simulation,
                            unsigned number, char *text)
{
    const struct record *record = &picture->records[number];
    uint64_t first = record->count ? record->words[0] : picture->nodes[number].word;
    int packet = packet_at(picture, simulation, number);
    strcpy(text, tag_of(picture, first) == PR_TAG_MULTICAST_SITE ? "multicast to" : "unicast to");
    for (unsigned i = 0; i < record->count && strlen(text) < TEXT / 2; i++)
        if (is_site(tag_of(picture, record->words[i])))
            describe_target(picture, record->words[i], text);
    if (is_site(tag_of(picture, picture->nodes[number].word)))
        describe_target(picture, picture->nodes[number].word, text);
    if (packet >= 0) {
        append(text, ", packet %u", (unsigned)packet);
        append(text, " of site %u", picture->drawn->packets[packet].source);
    }
    if (record->count)
        append(text, ", %u words in", record->count);
    else
        strcat(text, ", its head");
}

/* True for what belongs into the picture. */
static bool stands_still(const struct pr_node *node)
{
    return node->waits || (node->outputs && !node->word);
}

static void print_edge(const struct deadlock_picture *picture, const struct edge *edge, FILE *out)
{
    static const char *const reasons[] = {[LINK_WAITS] = "whose end says wait:",
                                          [HELD_BY] = "which is held by",
                                          [COMES_FROM] = "from which the next word has to come:"};
    char name[TEXT];
    node_name(picture, edge->to, name);
    fprintf(out, "        %s, %s %s\n", port_name(picture, edge->output), reasons[edge->reason], name);
}

static void print_local(const struct simulation *simulation, unsigned site, FILE *out)
{
    uint64_t sent, received;
    simulation_local_words(simulation, site, &sent, &received);
    if ((received & LINK_SLOT_WORD) && (sent & LINK_SLOT_WAIT))
        fprintf(out, "        local, where a word waits for a buffer of the operator\n");
}

static void print_node(struct deadlock_picture *picture, const struct simulation *simulation, unsigned number,
                       FILE *out)
{
    const struct pr_node *node = &picture->nodes[number];
    char name[TEXT], packet[TEXT];
    node_name(picture, number, name);
    describe_packet(picture, simulation, number, packet);
    fprintf(out, "  %s%s: %s; %s", node->on_ring ? "* " : "  ", name, packet,
            node->word ? "waits for" : "is connected to");
    for (unsigned output = 0; output < picture->ports; output++)
        if (node->outputs >> output & 1)
            fprintf(out, " %s", port_name(picture, output));
    fprintf(out, "\n");
    for (unsigned i = 0; i < node->edge_count; i++)
        print_edge(picture, &node->edges[i], out);
    if (node->outputs & 1)
        print_local(simulation, number / picture->ports, out);
}

void deadlock_picture_print(struct deadlock_picture *picture, const struct simulation *simulation, FILE *out)
{
    unsigned nodes = (unsigned)picture->drawn->mesh.sites * picture->ports;
    char name[TEXT];
    look(picture, simulation);
    bool ring = find_ring(picture);
    fprintf(out, "what stands still in clock %llu:\n", (unsigned long long)simulation_clock(simulation));
    for (unsigned number = 0; number < nodes; number++)
        if (stands_still(&picture->nodes[number]))
            print_node(picture, simulation, number, out);
    if (!ring) {
        fprintf(out, "no ring\n");
        return;
    }
    fprintf(out, "ring:");
    for (unsigned i = 0; i < picture->ring_count; i++) {
        node_name(picture, picture->ring[i], name);
        fprintf(out, " %s ->", name);
    }
    node_name(picture, picture->ring[0], name);
    fprintf(out, " %s\n", name);
}

void deadlock_picture_draw(struct deadlock_picture *picture, const struct simulation *simulation, FILE *out)
{
    unsigned nodes = (unsigned)picture->drawn->mesh.sites * picture->ports;
    char text[TEXT];
    look(picture, simulation);
    find_ring(picture);
    fprintf(out, "digraph waits {\n    node [shape=box];\n");
    for (unsigned number = 0; number < nodes; number++) {
        const struct pr_node *node = &picture->nodes[number];
        if (!stands_still(node))
            continue;
        node_name(picture, number, text);
        fprintf(out, "    n%u [label=\"%s\\n", number, text);
        describe_packet(picture, simulation, number, text);
        fprintf(out, "%s\"%s];\n", text, node->on_ring ? ", color=red" : "");
        for (unsigned i = 0; i < node->edge_count; i++)
            fprintf(out, "    n%u -> n%u [label=\"%s\"];\n", number, node->edges[i].to,
                    port_name(picture, node->edges[i].output));
    }
    fprintf(out, "}\n");
}
