// run=states: each fault of a cable or an end in each state of a link, and the link is back within UP_LIMIT bit times.
// Traffic, slow receivers, bit errors and an earlier fault drive links into their states; what happens there is drawn
// until each state has had each fault. SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_RTL_BOARD_LINK_STATES_H
#define POSTROAD_TESTS_RTL_BOARD_LINK_STATES_H

#include "bench.h"

namespace
{

constexpr int UP_LIMIT = 800; // bit times behind the last fault: see hw/board_link/README.md, "Training"

// What is distinguished, of one end of a link. Training and the packet that arrives: alive, proof, down, open. The
// packet that leaves: down, lost, stopped, begun, discards, and what the line carries. Words in the queue.
constexpr int TRAINING = 32, SENDING = 128, LEVELS = 16, STATES = TRAINING + SENDING + LEVELS;
constexpr double NEVER = 1e300;
enum Line { IDLE, STATUS, WORD };

struct State {
    bool alive, down, open, lost, stopped, begun, discards;
    int proof, line, level;

    explicit State(uint32_t s)
        : alive(s >> 11 & 1), down(s >> 16 & 1), open(s >> 8 & 1), lost(s >> 17 & 1), stopped(s >> 13 & 1),
          begun(s >> 21 & 1), discards(s >> 22 & 1), proof(s >> 9 & 3),
          line(s >> 20 & 1 ? s >> 19 & 1 ? WORD : STATUS : IDLE), level((s - (s >> 4)) & 15)
    {
    }

    std::array<int, 3> numbers() const
    {
        return {alive << 4 | down << 3 | open << 2 | proof,
                TRAINING + (down << 6 | lost << 5 | stopped << 4 | begun << 3 | discards << 2 | line),
                TRAINING + SENDING + level};
    }
};

// States in which a link stays for a bit time or more, and which each run must see.
bool expected(int number)
{
    if (number < TRAINING) {
        bool alive = number >> 4 & 1, down = number >> 3 & 1, open = number >> 2 & 1, trusted = number >> 1 & 1;
        return alive ? !open || trusted : down && !open;
    }
    number -= TRAINING;
    if (number < SENDING) {
        bool down = number >> 6 & 1, lost = number >> 5 & 1, stopped = number >> 4 & 1, begun = number >> 3 & 1,
             discards = number >> 2 & 1;
        int line = number & 3;
        bool possible = line <= WORD && !(discards && !begun) && !(lost && !stopped) && !(discards && line == WORD);
        bool brief = (down && stopped && (line == WORD || (lost && begun && !discards))) ||
                     (!down && !lost && stopped && discards);
        return possible && !brief;
    }
    return number - SENDING <= 7;
}

std::string name(int number)
{
    char text[96];
    if (number < TRAINING)
        std::snprintf(text, sizeof text, "alive %d proof %d down %d, packet open %d", number >> 4 & 1, number & 3,
                      number >> 3 & 1, number >> 2 & 1);
    else if (number < TRAINING + SENDING) {
        const char *lines[] = {"idle line", "status frame", "word", "?"};
        number -= TRAINING;
        std::snprintf(text, sizeof text, "down %d lost %d stopped %d, packet begun %d discarded %d, %s",
                      number >> 6 & 1, number >> 5 & 1, number >> 4 & 1, number >> 3 & 1, number >> 2 & 1,
                      lines[number & 3]);
    } else
        std::snprintf(text, sizeof text, "%d words queued", number - TRAINING - SENDING);
    return text;
}

enum Event { PULL, PULL_IN, PULL_OUT, PUT_BACK, RESET_HERE, RESET_THERE, FABRIC_HERE, FABRIC_THERE, EVENTS };
const char *const EVENT_NAMES[EVENTS] = {
    "cable pulled", "wire in cut",          "wire out cut", "put back",
    "reset",        "reset of the far end", "fabric reset", "fabric reset of the far end"};

struct Coverage {
    bool drawn[EVENTS] = {};
    int driven[STATES][EVENTS] = {};
};

class Episode
{
  public:
    Episode(Bench &bench, Coverage &coverage, Event event) : b(bench), coverage(coverage), event(event) {}

    void run()
    {
        settings.traffic = true;
        settings.take = below(2) ? 1000 : 2 * RATIO;
        settings.send = below(3) ? 900 : 40;
        settings.ber = below(2) ? 0 : below(2) ? 1e-3 : 1e-2;
        b.run(300 + below(500));
        for (double &from : armed_from)
            from = b.now + (below(2) ? below(40) : below(1500)) * 4 * CLOCK;
        b.watch = [this](int e) { look(e); };
        first_fault();
        b.run(100 + below(1500));
        settings.ber = 0;
        settings.take = 1000;
        settings.send = 900;
        again = false;
        b.watch = [this](int e) { put_back(e); };
        b.run(below(2) ? below(40) : 100 + below(1500));
        b.watch = nullptr;
        b.cables(CONNECTED);
        while (b.in_reset())
            b.run(9);
    }

  private:
    Bench &b;
    Coverage &coverage;
    Event event;
    double armed_from[2 * LINKS] = {}; // the fault comes in the first state that needs it from here on, once
    double ends[2 * LINKS] = {};       // when the wire from end e, link l, is whole again
    bool again = false;                // it is cut once more while the link trains

    void cut(int e, int l, double bits)
    {
        b.end[e].out[l].cable = PULLED;
        ends[e * LINKS + l] = b.now + bits * 4 * CLOCK;
    }

    static double duration()
    {
        return below(2) ? below(80) : below(2500);
    }

    void first_fault()
    {
        int kind = event == PUT_BACK ? below(2) : below(4);
        again = below(2);
        for (int l = 0; l < LINKS; l++) {
            double bits = duration();
            if (kind == 0)
                cut(0, l, bits), cut(1, l ^ 1, bits);
            if (kind == 1)
                cut(l & 1, l, bits);
        }
        if (kind == 2) {
            End &end = b.end[below(2)];
            end.reset_for = end.fabric_reset_for = 20;
        }
    }

    void put_back(int e)
    {
        for (int l = 0; l < LINKS; l++) {
            Direction &wire = b.end[e].out[l];
            if (wire.cable == PULLED && b.now > ends[e * LINKS + l])
                wire.cable = CONNECTED;
            if (again && wire.cable == CONNECTED && b.end[e].top.link_down >> l & 1 && chance(0.0002))
                cut(e, l, duration());
        }
    }

    State state(int e, int l) const
    {
        return State(b.end[e].top.state[l]);
    }

    void look(int e)
    {
        put_back(e);
        for (int l = 0; l < LINKS; l++) {
            State now = state(e, l);
            check(now.alive || (now.down && !now.open), "a link that hears nothing is down, and has no packet open");
            bool wanted = false;
            for (int number : now.numbers())
                wanted |= expected(number) && coverage.driven[number][event] == 0;
            if (wanted && b.now >= armed_from[e * LINKS + l])
                drive(e, l);
        }
    }

    void mark(int e, int l, Event what)
    {
        for (int number : state(e, l).numbers())
            coverage.driven[number][what]++;
    }

    void drive(int e, int l)
    {
        Direction &in = b.end[!e].out[l ^ 1], &out = b.end[e].out[l];
        bool resets = event >= RESET_HERE, far = event == RESET_THERE || event == FABRIC_THERE;
        if (event == PUT_BACK && in.cable != PULLED && out.cable != PULLED)
            return;
        armed_from[e * LINKS + l] = armed_from[!e * LINKS + (l ^ 1)] = NEVER;
        if (resets) {
            End &end = b.end[e ^ far];
            end.fabric_reset_for = 1 + below(below(2) ? 10 : 4000);
            if (event < FABRIC_HERE)
                end.reset_for = end.fabric_reset_for;
            for (int k = 0; k < LINKS; k++) {
                mark(e ^ far, k, event < FABRIC_HERE ? RESET_HERE : FABRIC_HERE);
                mark(!(e ^ far), k, event < FABRIC_HERE ? RESET_THERE : FABRIC_THERE);
                armed_from[k] = armed_from[LINKS + k] = NEVER;
            }
            return;
        }
        mark(e, l, event);
        mark(!e, l ^ 1, event == PULL_IN ? PULL_OUT : event == PULL_OUT ? PULL_IN : event);
        double bits = duration();
        if (event == PUT_BACK)
            in.cable = out.cable = CONNECTED;
        if (event == PULL || event == PULL_OUT)
            cut(e, l, bits);
        if (event == PULL || event == PULL_IN)
            cut(!e, l ^ 1, bits);
    }
};

// Bit times behind now until no link is down any more; they are watched for longer than a period.
int last_down(Bench &b)
{
    int last = 0;
    for (int bits = 9; bits <= 1000; bits += 9) {
        b.run(9);
        if (b.down() != 0)
            last = bits;
    }
    return last;
}

// Of a fault, or of all: states that have not had it.
int missing(const Coverage &coverage, int event)
{
    int count = 0;
    for (int number = 0; number < STATES; number++)
        for (int e = 0; e < EVENTS; e++)
            count += (event == EVENTS || e == event) && coverage.drawn[e] && expected(number) &&
                     coverage.driven[number][e] == 0;
    return count;
}

void one_episode(Bench &b, Coverage &coverage, Event event, int &slowest)
{
    Bench::Totals before = b.totals();
    Episode(b, coverage, event).run();
    int up = last_down(b);
    slowest = up > slowest ? up : slowest;
    b.drain();
    Bench::Totals after = b.totals();
    check(up <= UP_LIMIT, "%s: up after %d bit times only, down %02x", EVENT_NAMES[event], up, b.down());
    check(after.open == 0, "%s: %d packets without an end", EVENT_NAMES[event], after.open);
    check(after.corrupt == before.corrupt, "%s: damaged packets delivered as good", EVENT_NAMES[event]);
    check(after.stray == before.stray, "%s: a terminator without a packet", EVENT_NAMES[event]);
    b.clean(EVENT_NAMES[event], 36 * 30);
}

void draw_faults(Coverage &coverage, int faults)
{
    while (faults > 0) {
        bool &drawn = coverage.drawn[below(EVENTS)];
        faults -= !drawn;
        drawn = true;
    }
}

// Every state has each of so many faults, which are drawn.
void every_state(Bench &b, int faults)
{
    b.run(160);
    check(b.wait_up(20000) > 0, "the links come up");
    Coverage coverage;
    draw_faults(coverage, faults);
    int slowest = 0, episodes = 0;
    for (; missing(coverage, EVENTS) > 0 && episodes < 3000 && failures == 0; episodes++) {
        int event = episodes % EVENTS;
        while (missing(coverage, event) == 0)
            event = (event + 1) % EVENTS;
        one_episode(b, coverage, static_cast<Event>(event), slowest);
    }
    int states = 0, pairs = 0;
    for (int number = 0; number < STATES; number++) {
        states += expected(number);
        for (int e = 0; e < EVENTS; e++) {
            check(!expected(number) || !coverage.drawn[e] || coverage.driven[number][e] > 0, "%s: not reached for: %s",
                  name(number).c_str(), EVENT_NAMES[e]);
            pairs += coverage.driven[number][e] > 0;
        }
    }
    std::printf(
        "%d states that must be reached, %d pairs of a state and a fault in %d episodes; links up %d bit times behind a "
        "fault at the latest\n",
        states, pairs, episodes, slowest);
}

} // namespace

#endif
