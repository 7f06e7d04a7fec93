// bench: a hypercube of nodes of hw/csr beside the slot model of sim/csr. In each slot are compared:
//   entries   those that are acknowledged, with those that the model accepts
//   ways      in slot i of its flight a packet crosses the dimension that is i below that of its entry: over the
//             link or inside the node, as its tag says. A link shows that packet, and no other; a speculative one
//             also what has just left an entry that is refused, and expresses
//   arrivals  each exit: what was accepted D - 1 slots before, each word of it, and nothing else
// No two packets meet in a buffer, and no reserved slot is without its packet.
// usage: bench KIND P0 SLOTS [SEED [ACCEPT]]
//   KIND    dimensions, and s for the serial schedule, m for multicasts among the packets, x for expresses between
//           them, which may change nothing (C13): 4, 4s, 4m, 4x
//   P0      probability that an entry buffer sends a flit, in a thousand
//   ACCEPT  probability that an exit accepts a flit that has arrived, in a thousand (1000)
// It prints `slots`, `accepted` and `throughput`, in packets a node and slot. exit: 0, 1 with `error:` what differs, 2
//
// Nodes are clocked together: link_out comes from flops and is copied behind each edge. Coins are those of rules.md
// (C4), made here.
//
// SPDX-License-Identifier: ISC
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "verilated.h"

extern "C" {
#include "csr/csr_model.h"
}

namespace
{

enum { kHold = 1 }; // the symbol of an express, above its route
enum { kWordBits = 16, kLinkBits = kWordBits + 1, kSlotWords = 16, kResetClocks = 3 };

struct Random {
    uint64_t state;
    uint32_t below(uint32_t limit)
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<uint32_t>((state >> 33) * limit >> 31);
    }
};

// Bits of a port, whichever type Verilator gives it.
template <class Port> uint32_t get_bits(const Port &port, unsigned low, unsigned width)
{
    const auto *bytes = reinterpret_cast<const unsigned char *>(&port);
    uint64_t value = 0;
    for (unsigned i = 0; i < 5 && low / 8 + i < sizeof port; i++)
        value |= static_cast<uint64_t>(bytes[low / 8 + i]) << 8 * i;
    return static_cast<uint32_t>(value >> low % 8 & ((1u << width) - 1));
}

template <class Port> void set_bits(Port &port, unsigned low, unsigned width, uint32_t value)
{
    auto *bytes = reinterpret_cast<unsigned char *>(&port);
    for (unsigned i = 0; i < width; i++) {
        unsigned bit = low + i;
        bytes[bit / 8] = static_cast<unsigned char>((bytes[bit / 8] & ~(1u << bit % 8)) | (value >> i & 1) << bit % 8);
    }
}

// The coins of a node (C4).
uint32_t coins_step(uint32_t coins)
{
    return (coins << 1 | ((coins >> 16 ^ coins >> 2) & 1)) & 0x1ffff;
}

uint32_t word_of(uint32_t id, unsigned word)
{
    return word == 1 ? id : (id * 40503u + word * 25717u) & 0xffff;
}

// A packet that waits in an entry buffer.
struct Entry {
    bool valid;
    uint32_t tag, forks, id;
};

// What the source of a node shows: a header, words and symbols, until it ends; and what the exit has accepted.
struct Express {
    bool active, head, mark;
    uint32_t word, up;
};

// What a link or an exit has in a slot.
struct Place {
    bool due;
    uint32_t id;
};

template <class Node> class Cube
{
  public:
    Cube(unsigned dimensions, bool serial_schedule, bool multicast, bool express, uint32_t seed, uint32_t accept)
        : d(dimensions), serial(serial_schedule), forks_chance(multicast ? 250 : 0), express_chance(express ? 100 : 0),
          ends(2 * dimensions), count(1u << dimensions),
          slot_clocks(kSlotWords + (serial_schedule ? 2 * dimensions + 2 : dimensions)), random{seed},
          accept_chance(accept), entries(count * ends), may_accept(count), arrived_exits(count), taken(count * ends),
          read_words(count), coin_states(count), flights(dimensions * count * ends),
          crossings(dimensions * count * dimensions), shown(count * dimensions), coins(dimensions * count),
          ids(count * ends), expresses(count)
    {
        csr_options options{};
        options.dimensions = d;
        options.forks = multicast;
        options.coin = [](void *cube, unsigned node, unsigned step) {
            return static_cast<Cube *>(cube)->coins[step * static_cast<Cube *>(cube)->count + node] &
                   ((1u << static_cast<Cube *>(cube)->ends) - 1);
        };
        options.exits = [](void *cube, unsigned node, uint32_t arrived) {
            return static_cast<Cube *>(cube)->may_accept[node] & arrived;
        };
        options.context = this;
        model = csr_model_create(&options);
        for (unsigned n = 0; n < count; n++) {
            nodes.push_back(std::make_unique<Node>());
            nodes[n]->address = static_cast<unsigned char>(n);
            nodes[n]->reset = 1;
        }
        for (unsigned i = 0; i < kResetClocks; i++)
            clock();
        for (auto &node : nodes)
            node->reset = 0;
    }
    ~Cube()
    {
        csr_model_free(model);
    }

    // One slot, with random entries. Behind it the model has run the same one.
    bool slot(uint32_t p0)
    {
        while (now % slot_clocks != 0)
            clock();
        draw_entries(p0);
        settle();
        std::fill(taken.begin(), taken.end(), false);
        for (unsigned c = 0; c < slot_clocks; c++) {
            for (unsigned n = 0; c < d && n < count; n++)
                coins[c * count + n] = coin_states[n];
            arrivals();
            answer();
            look(c);
            clock();
        }
        csr_model_slot(model);
        same_accepted();
        same_ways();
        slots++;
        return !failed;
    }

    unsigned nodes_count() const
    {
        return count;
    }
    uint64_t accepted = 0, due = 0; // packets, and their copies
    uint64_t arrived = 0, slots = 0;
    uint64_t through = 0; // headers of expresses that were accepted
    bool failed = false;

  private:
    void fail(const char *what, unsigned node, unsigned end)
    {
        if (!failed)
            std::printf("error: slot %llu, node %u, link %u: %s\n", static_cast<unsigned long long>(slots), node, end,
                        what);
        failed = true;
    }

    void clock()
    {
        for (unsigned n = 0; n < count; n++) {
            coin_states[n] = nodes[n]->reset ? 0x1e377 ^ n : coins_step(coin_states[n]);
            read_words[n] = nodes[n]->read_word;
            nodes[n]->now = now;
            nodes[n]->clk = 1;
            nodes[n]->eval();
        }
        now++;
        for (unsigned n = 0; n < count; n++)
            step_express(n);
        settle();
    }

    // A node without packets in this slot sends expresses of any words.
    void step_express(unsigned n)
    {
        Express &express = expresses[n];
        if (express_chance == 0)
            return;
        bool goes_on = express.active && random.below(1000) >= 30;
        bool begins = !express.active && random.below(1000) < express_chance;
        express.active = (goes_on || begins) && get_bits(nodes[n]->entry_valid, 0, ends) == 0 && !nodes[n]->reset;
        express.head = begins;
        express.mark = begins || random.below(4) > 0;
        express.word = begins ? 1u << (d - 1) | random.below(count / 2) : random.below(0x10000);
        if (!express.mark)
            express.word = kHold << d;
    }

    // Exits of expresses, and what they accept.
    void show_express(unsigned n)
    {
        Node &node = *nodes[n];
        Express &express = expresses[n];
        node.source_mark = express.active && express.mark;
        node.source_head = express.active && express.head;
        node.source_alive = express.active;
        node.source_symbol = express.active && !express.mark;
        node.source_goes = 1u << (express.word & 1);
        for (unsigned o = 0; express.active && o < 2; o++)
            set_bits(node.entry_word, (ends - 2 + o) * kWordBits, kWordBits, express.word);
    }

    // What follows from flops within a clock.
    void settle()
    {
        for (unsigned n = 0; n < count; n++) {
            Node &node = *nodes[n];
            for (unsigned l = 0; l < d; l++)
                set_bits(node.link_in, l * kLinkBits, kLinkBits,
                         get_bits(nodes[n ^ 1u << l]->link_out, l * kLinkBits, kLinkBits));
            for (unsigned e = 0; e < ends; e++)
                if (entries[n * ends + e].valid)
                    set_bits(node.entry_word, e * kWordBits, kWordBits, entry_word(n, e));
            show_express(n);
            node.clk = 0;
            node.eval();
        }
    }

    // What the entry buffer shows in this clock: the header, or the word that was read in the clock before.
    uint32_t entry_word(unsigned n, unsigned e) const
    {
        const Entry &entry = entries[n * ends + e];
        if (!nodes[n]->entry_first)
            return word_of(entry.id, read_words[n]);
        uint32_t route = 1u << (d - 1);
        for (unsigned i = 1; i < d; i++)
            route |= (entry.tag >> (e / 2 + d - i) % d & 1) << (i - 1);
        return route | entry.forks << (2 * d + 2);
    }

    void draw_entries(uint32_t p0)
    {
        csr_model_offer_none(model);
        for (unsigned n = 0; n < count; n++) {
            uint32_t valid = 0;
            may_accept[n] = 0;
            for (unsigned e = 0; e < ends; e++) {
                Entry &entry = entries[n * ends + e];
                unsigned module = e / 2;
                entry.valid = random.below(1000) < p0;
                entry.tag = (random.below(count) & ~(1u << module)) | (e & 1) << module;
                entry.forks = random.below(1000) < forks_chance ? random.below(count) & ~(1u << module) : 0;
                entry.id = ++last_id & 0xffff;
                valid |= static_cast<uint32_t>(entry.valid) << e;
                may_accept[n] |= static_cast<uint32_t>(random.below(1000) < accept_chance) << e;
                if (entry.valid)
                    csr_model_offer(model, n, module, entry.tag, entry.forks);
            }
            set_bits(nodes[n]->entry_valid, 0, ends, valid);
            if (valid)
                expresses[n].active = false;
        }
    }

    // Exits, and which entries learn that they were acknowledged.
    void answer()
    {
        for (unsigned n = 0; n < count; n++) {
            Node &node = *nodes[n];
            if (node.finish)
                arrived_exits[n] = arrived_flits(node);
            set_bits(node.accept, 0, ends, arrived_exits[n] & may_accept[n]);
            uint32_t heads = express_chance ? node.express_head & random.below(4) : 0;
            expresses[n].up = (expresses[n].up | heads) & node.express_alive;
            through += heads != 0;
            node.express_up = static_cast<unsigned char>(expresses[n].up);
            for (unsigned e = 0; e < ends; e++)
                if (get_bits(node.taken, e, 1))
                    taken[n * ends + e] = true;
        }
    }

    uint32_t arrived_flits(const Node &node) const
    {
        uint32_t exits = 0;
        for (unsigned e = 0; e < ends; e++)
            exits |= static_cast<uint32_t>(get_bits(node.exit_word, e * kWordBits, d) == 1 &&
                                           !get_bits(node.exit_mark, e, 1))
                     << e;
        return exits;
    }

    // Packets that reach their last exit in this slot began D - 1 slots before.
    void arrivals()
    {
        for (unsigned n = 0; n < count; n++) {
            Node &node = *nodes[n];
            if (node.clash)
                fail("two packets for one buffer", n, node.clash);
            if (node.stale)
                fail("a reservation without a packet", n, node.stale);
            if (!node.arrives)
                continue;
            for (unsigned e = 0; e < ends; e++)
                arrive(node, n, e);
        }
    }

    void arrive(Node &node, unsigned n, unsigned e)
    {
        // The last word is on the link in the first clock of the next slot.
        uint64_t of_slot = node.arrives_word == kSlotWords - 1 ? slots - 1 : slots;
        Place &flight = flights[(of_slot % d * count + n) * ends + e];
        uint32_t word = get_bits(node.exit_word, e * kWordBits, kWordBits);
        if (node.arrives_first) {
            bool came = get_bits(node.exit_head, e, 1);
            if (came != flight.due)
                fail(came ? "a packet that is not due" : "a packet is missing", n, e);
            arrived += came;
            ids[n * ends + e] = flight.id;
        } else if (flight.due && word != word_of(flight.id, node.arrives_word)) {
            fail("a wrong word", n, e);
        }
        if (node.arrives_word == kSlotWords - 1)
            flight.due = false;
    }

    // What links show: the header, and behind it the packet's identity.
    void look(unsigned clock_of_slot)
    {
        const unsigned header = slot_clocks - kSlotWords + 1;
        if (clock_of_slot != header && clock_of_slot != header + 1)
            return;
        for (unsigned n = 0; n < count; n++)
            for (unsigned l = 0; l < d; l++) {
                uint32_t word = get_bits(nodes[n]->link_out, l * kLinkBits, kWordBits);
                if (clock_of_slot == header)
                    shown[n * d + l].due = word != 0;
                else
                    shown[n * d + l].id = word;
            }
    }

    void same_ways()
    {
        for (unsigned n = 0; n < count; n++)
            for (unsigned l = 0; l < d; l++) {
                Place &crossing = crossings[(slots % d * count + n) * d + l];
                const Place &word = shown[n * d + l];
                const Entry &entry = entries[n * ends + 2 * l + 1];
                if (crossing.due && !word.due)
                    fail("a packet is not on its way", n, 2 * l + 1);
                else if (crossing.due && word.id != crossing.id)
                    fail("another packet is on this way", n, 2 * l + 1);
                else if (!crossing.due && word.due && !express_chance &&
                         (serial || !entry.valid || word.id != entry.id))
                    fail("a packet that has no way here", n, 2 * l + 1);
                crossing.due = false;
            }
    }

    void same_accepted()
    {
        for (unsigned e = 0; e < ends; e++) {
            const uint64_t *set = csr_model_accepted(model, e);
            for (unsigned n = 0; n < count; n++) {
                bool expected = set[n / 64] >> n % 64 & 1;
                if (taken[n * ends + e] != expected)
                    fail(expected ? "no acknowledgement" : "an acknowledgement, though the model has none", n, e);
                if (!expected)
                    continue;
                expect_copies(n, e / 2, entries[n * ends + e]);
                accepted++;
            }
        }
    }

    void expect_copies(unsigned n, unsigned module, const Entry &entry)
    {
        uint32_t some = 0;
        do {
            uint32_t tag = (entry.tag & ~entry.forks) | some;
            unsigned exit = csr_exit(d, module, tag);
            flights[((slots + d - 1) % d * count + (n ^ tag)) * ends + exit] = {true, entry.id};
            expect_way(n, module, tag, entry.id);
            due++;
            some = (some - entry.forks) & entry.forks;
        } while (some);
    }

    void expect_way(unsigned node, unsigned module, uint32_t tag, uint32_t id)
    {
        for (unsigned i = 0; i < d; i++) {
            unsigned dimension = (module + d - i) % d;
            if (!(tag >> dimension & 1))
                continue;
            crossings[((slots + i) % d * count + node) * d + dimension] = {true, id};
            node ^= 1u << dimension;
        }
    }

    const unsigned d;
    const bool serial;
    const uint32_t forks_chance;   // of an entry, in a thousand
    const uint32_t express_chance; // in a clock, in a thousand
    const unsigned ends, count, slot_clocks;
    Random random;
    const uint32_t accept_chance;
    csr_model *model;
    std::vector<std::unique_ptr<Node>> nodes;
    std::vector<Entry> entries;
    std::vector<uint32_t> may_accept, arrived_exits;
    std::vector<bool> taken;
    std::vector<uint32_t> read_words, coin_states;
    std::vector<Place> flights, crossings; // by slot, node, and exit or dimension
    std::vector<Place> shown;              // what links have shown in this slot, by node and dimension
    std::vector<uint32_t> coins, ids;
    std::vector<Express> expresses;
    uint64_t now = 0;
    uint32_t last_id = 0;
};

template <class Node>
int run(unsigned dimensions, bool serial, bool multicast, bool express, uint32_t p0, uint64_t slots, uint32_t seed,
        uint32_t accept)
{
    Cube<Node> cube(dimensions, serial, multicast, express, seed, accept);
    while (cube.slots < slots && cube.slot(p0)) {
    }
    for (unsigned i = 0; i < dimensions && !cube.failed; i++)
        cube.slot(0);
    if (!cube.failed && cube.arrived != cube.due) {
        std::printf("error: %llu copies accepted, %llu arrived\n", static_cast<unsigned long long>(cube.due),
                    static_cast<unsigned long long>(cube.arrived));
        return 1;
    }
    if (express && p0 < 100 && cube.through == 0) {
        std::printf("error: no express got through\n");
        return 1;
    }
    std::printf("slots %llu accepted %llu throughput %.4f expresses %llu\n", static_cast<unsigned long long>(slots),
                static_cast<unsigned long long>(cube.accepted),
                static_cast<double>(cube.accepted) / static_cast<double>(slots * cube.nodes_count()),
                static_cast<unsigned long long>(cube.through));
    return cube.failed;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 4) {
        std::fprintf(stderr, "usage: bench KIND P0 SLOTS [SEED [ACCEPT]]\n");
        return 2;
    }
    unsigned dimensions = static_cast<unsigned>(std::atoi(argv[1]));
    bool serial = std::strchr(argv[1], 's') != nullptr;
    bool multicast = std::strchr(argv[1], 'm') != nullptr;
    bool express = std::strchr(argv[1], 'x') != nullptr;
    uint32_t p0 = static_cast<uint32_t>(std::atoi(argv[2]));
    uint64_t slots = std::strtoull(argv[3], nullptr, 10);
    uint32_t seed = argc > 4 ? static_cast<uint32_t>(std::atoi(argv[4])) : 1;
    uint32_t accept = argc > 5 ? static_cast<uint32_t>(std::atoi(argv[5])) : 1000;
#define RUN(KIND)                     \
    if (!std::strcmp(argv[1], #KIND)) \
        return run<Vcsr_##KIND>(dimensions, serial, multicast, express, p0, slots, seed, accept);
    CSR_KINDS(RUN)
    std::fprintf(stderr, "bench: no kind %s\n", argv[1]);
    return 2;
}
