/* See board_simulation.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "bitstream/board_simulation.h"

#include "bitstream/cable.h"
#include "bitstream/chip_object.h"
#include "bitstream/serial_port.h"
#include "bitstream/slices.h"
#include "bitstream/spi_flash.h"
#include "board/testbed.h"
#include "support/or_abort.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONFIGURATION_US = 100, /* a real chip takes some 70 ms: nothing happens in them */
    RAMS_READY_US = 3,
    LOCK_US = 30,
    TICKS_MOST = 64, /* ticks of a period of the reference clock */
    FLASH_SIZE = 16 << 20,
};

/* Pins of a chip, as slots; -1: it has none. */
struct pins {
    int line_in[TESTBED_LINKS], line_out[TESTBED_LINKS], uart_rx, uart_tx;
    int line_drives[TESTBED_LINKS]; /* the enable of line_out */
    int line_pin[TESTBED_LINKS];    /* the input half of its pad */
    int select_n, flash_clock, flash_out, flash_in, button_n;
};

struct board;

/* Boards of one bitstream: their chips are the lanes of one `slices`. */
struct group {
    const struct slices_class *class;
    struct slices *slices;
    struct pins pins;
    struct board *boards[SLICES_LANES];
    unsigned count;
    uint64_t runs; /* lanes of boards that run */
    uint64_t edges[SLICES_DOMAINS + 1], shown[TESTBED_LINKS], shown_drives[TESTBED_LINKS], shown_tx, shown_flash[3];
    uint32_t period[SLICES_DOMAINS]; /* of each domain, in ticks; 0: it follows from another */
    uint32_t ticks;                  /* of a period of the reference clock */
    double reference_hz;             /* 0: that of the board's oscillator */
    bool falls[SLICES_DOMAINS];
};

struct board {
    const struct testbed_board *settings;
    struct chip_object object;
    struct group *group;
    unsigned lane;
    bool powered, runs;
    uint64_t start;          /* when it runs after the configuration */
    uint64_t edge, ideal;    /* time of the next tick, with and without jitter */
    uint64_t period, jitter; /* of a tick */
    uint64_t tick;
    uint64_t rams_ready, lock; /* when these are; LINE_NEVER: they are */
    uint64_t due;              /* the next change of an input, or of the two above */
    struct socket sockets[TESTBED_LINKS];
    struct serial_port port;
    struct byte_ring to_send;
    struct spi_flash flash;
    struct random random;
};

struct watch {
    const struct board *board;
    int slot;
    bool level;
};

struct board_simulation {
    const struct testbed *testbed;
    uint64_t now, step;
    struct board *boards;
    unsigned board_count;
    struct group *groups;
    unsigned group_count;
    struct watch *watches;
    unsigned watch_count;
    board_simulation_changed *changed;
    void *context; /* of `changed` */
};

static uint64_t bit_of(unsigned lane)
{
    return (uint64_t)1 << lane;
}

static void set_input(struct board *board, int slot, bool level)
{
    uint64_t bit = bit_of(board->lane), *word = &board->group->slices->slots[slot];
    if (slot >= 0)
        *word = level ? *word | bit : *word & ~bit;
}

/* ---- sockets and cables ---- */

/* The socket whose input hears this one's output. */
static struct socket *listener_of(struct board_simulation *simulation, struct socket *socket)
{
    for (unsigned board = 0; board < simulation->board_count; board++)
        for (unsigned link = 0; link < TESTBED_LINKS; link++)
            if (simulation->boards[board].sockets[link].peer == socket)
                return &simulation->boards[board].sockets[link];
    return NULL;
}

static struct socket *socket_at(struct board_simulation *simulation, struct testbed_end end)
{
    return &simulation->boards[end.board].sockets[end.link];
}

/* The pad of an output sees the level of its wire, whatever drives it. */
static void see_output(struct board *board, unsigned link)
{
    set_input(board, board->group->pins.line_pin[link], socket_output(&board->sockets[link]));
}

/* ... and that of the output that it meets. */
static void see_rival(struct board_simulation *simulation, const struct socket *rival)
{
    for (unsigned i = 0; rival && i < simulation->board_count; i++)
        for (unsigned link = 0; link < TESTBED_LINKS; link++)
            if (rival == &simulation->boards[i].sockets[link])
                see_output(&simulation->boards[i], link);
}

static void attach(struct board_simulation *simulation, struct testbed_end at, struct socket *peer, double delay_ns,
                   double errors)
{
    uint64_t delay = (uint64_t)(delay_ns * 1e6);
    struct board *board = &simulation->boards[at.board];
    socket_plug(socket_at(simulation, at), simulation->now, peer, delay > simulation->step ? delay : simulation->step,
                errors);
    see_output(board, at.link);
    board->due = 0;
}

static void set_cable(struct board_simulation *simulation, unsigned number, bool plugged)
{
    const struct testbed_cable *cable = &simulation->testbed->cables[number];
    for (int i = 0; i < 2; i++)
        attach(simulation, cable->ends[i], plugged ? socket_at(simulation, cable->ends[!i]) : NULL,
               cable->delay_ns + (i ? 0 : cable->skew_ns), cable->errors);
}

void board_simulation_plug(struct board_simulation *simulation, unsigned cable)
{
    set_cable(simulation, cable, true);
}

void board_simulation_unplug(struct board_simulation *simulation, unsigned cable)
{
    set_cable(simulation, cable, false);
}

static void meet(struct board_simulation *simulation, struct testbed_end a, struct testbed_end b)
{
    socket_meet(socket_at(simulation, a), socket_at(simulation, b));
    see_output(&simulation->boards[a.board], a.link);
    see_output(&simulation->boards[b.board], b.link);
}

/* Crossed, neither input is driven. */
void board_simulation_cross(struct board_simulation *simulation, unsigned cable)
{
    const struct testbed_cable *crossed = &simulation->testbed->cables[cable];
    set_cable(simulation, cable, false);
    meet(simulation, crossed->ends[0], crossed->ends[1]);
}

void board_simulation_loop(struct board_simulation *simulation, struct testbed_end end)
{
    attach(simulation, end, socket_at(simulation, end), 0, 0);
}

/* Takes out what is plugged in here, at both of its ends. */
static void detach(struct board_simulation *simulation, struct testbed_end end)
{
    struct socket *socket = socket_at(simulation, end);
    for (unsigned board = 0; board < simulation->board_count; board++)
        for (unsigned link = 0; link < TESTBED_LINKS; link++)
            if (simulation->boards[board].sockets[link].peer == socket)
                attach(simulation, (struct testbed_end){.board = board, .link = link}, NULL, 0, 0);
    attach(simulation, end, NULL, 0, 0);
}

void board_simulation_join(struct board_simulation *simulation, struct testbed_end a, struct testbed_end b)
{
    detach(simulation, a);
    detach(simulation, b);
    if (a.link % 2 == b.link % 2) {
        meet(simulation, a, b);
        return;
    }
    attach(simulation, a, socket_at(simulation, b), 0, 0);
    attach(simulation, b, socket_at(simulation, a), 0, 0);
}

void board_simulation_errors(struct board_simulation *simulation, unsigned number, double errors)
{
    const struct testbed_cable *cable = &simulation->testbed->cables[number];
    for (int i = 0; i < 2; i++) {
        struct socket *socket = socket_at(simulation, cable->ends[i]);
        attach(simulation, cable->ends[i], socket->peer, (double)socket->delay * 1e-6, errors);
    }
}

/* ---- watched pins ---- */

static bool pin_level(const struct board *board, int slot)
{
    return board->runs && (board->group->slices->slots[slot] >> board->lane & 1);
}

/* The pins of a group's boards, each at the time of its board; those of boards that had no edge are as they were. */
static void show_watches(struct board_simulation *simulation, const struct group *group, const uint64_t *times)
{
    for (unsigned i = 0; i < simulation->watch_count; i++) {
        struct watch *watch = &simulation->watches[i];
        if (watch->board->group != group || pin_level(watch->board, watch->slot) == watch->level)
            continue;
        watch->level = !watch->level;
        simulation->changed(simulation->context, times[watch->board->lane], i, watch->level);
    }
}

static void show_watches_now(struct board_simulation *simulation, const struct group *group)
{
    uint64_t times[SLICES_LANES];
    for (unsigned lane = 0; lane < SLICES_LANES; lane++)
        times[lane] = simulation->now;
    show_watches(simulation, group, times);
}

int board_simulation_watch(struct board_simulation *simulation, unsigned number, const char *pin)
{
    const struct board *board = &simulation->boards[number];
    int slot = slices_pin(board->group->class, pin, true);
    if (slot < 0)
        return -1;
    simulation->watches = or_abort(
        realloc(simulation->watches, (simulation->watch_count + 1) * sizeof *simulation->watches));
    simulation->watches[simulation->watch_count] = (struct watch){board, slot, pin_level(board, slot)};
    return (int)simulation->watch_count++;
}

void board_simulation_on_change(struct board_simulation *simulation, board_simulation_changed *changed, void *context)
{
    simulation->changed = changed;
    simulation->context = context;
}

void board_simulation_unwatch(struct board_simulation *simulation)
{
    free(simulation->watches);
    simulation->watches = NULL;
    simulation->watch_count = 0;
}

uint64_t board_simulation_step(const struct board_simulation *simulation)
{
    return simulation->step;
}

/* ---- power ---- */

static void power_sockets(struct board_simulation *simulation, struct board *board, bool on)
{
    for (unsigned link = 0; link < TESTBED_LINKS; link++) {
        struct socket *socket = &board->sockets[link];
        socket->out = socket->drives = false;
        board->group->shown[link] &= ~bit_of(board->lane);
        board->group->shown_drives[link] &= ~bit_of(board->lane);
        socket_power(socket, simulation->now, on, listener_of(simulation, socket));
        see_output(board, link);
        see_rival(simulation, socket->rival);
    }
    for (unsigned i = 0; i < simulation->board_count; i++)
        simulation->boards[i].due = 0;
}

void board_simulation_power(struct board_simulation *simulation, unsigned number, bool on)
{
    struct board *board = &simulation->boards[number];
    board->powered = on;
    board->runs = false;
    board->group->runs &= ~bit_of(board->lane);
    board->start = simulation->now + CONFIGURATION_US * (uint64_t)FS_MICROSECOND;
    power_sockets(simulation, board, false);
    /* The adapter of the console pulls its line up. */
    serial_port_hear(&board->port, simulation->now, true);
    board->group->shown_tx |= bit_of(board->lane);
    show_watches_now(simulation, board->group);
}

static void configure(struct board_simulation *simulation, struct board *board)
{
    struct slices *slices = board->group->slices;
    slices_power_on(slices, board->lane);
    for (uint32_t i = 0; i < board->object.rams.count; i++)
        slices_fill(slices, board->lane, board->object.rams.list[i].number, board->object.rams.list[i].words);
    for (uint32_t pin = 0; pin < slices->class->pin_count; pin++)
        if (!slices->class->pins[pin].output)
            set_input(board, (int)slices->class->pins[pin].slot, slices->class->pins[pin].pull_up);
    spi_flash_power_on(&board->flash);
    board->runs = true;
    board->group->runs |= bit_of(board->lane);
    board->tick = 0;
    board->port.first_byte = 0;
    board->ideal = board->edge = board->start;
    board->rams_ready = board->start + RAMS_READY_US * (uint64_t)FS_MICROSECOND;
    board->lock = board->start + LOCK_US * (uint64_t)FS_MICROSECOND;
    board->due = 0;
    power_sockets(simulation, board, true);
}

static void start_boards(struct board_simulation *simulation)
{
    for (unsigned i = 0; i < simulation->board_count; i++) {
        struct board *board = &simulation->boards[i];
        if (board->powered && !board->runs && board->start < simulation->now + simulation->step)
            configure(simulation, board);
    }
}

int board_simulation_program(struct board_simulation *simulation, unsigned number, const char *bitstream, char *error,
                             size_t error_size)
{
    struct board *board = &simulation->boards[number];
    struct chip_object object;
    if (chip_object_load(bitstream, board->settings->type, &object, error, error_size) != 0)
        return -1;
    if (object.class != board->object.class) {
        snprintf(error, error_size, "%s: expected the logic of %s", bitstream, board->settings->bitstream);
        chip_object_free(&object);
        return -1;
    }
    chip_object_free(&board->object);
    board->object = object;
    return 0;
}

bool board_simulation_press(struct board_simulation *simulation, unsigned number, bool pressed)
{
    struct board *board = &simulation->boards[number];
    set_input(board, board->group->pins.button_n, !pressed);
    return board->group->pins.button_n >= 0;
}

/* ---- inputs ---- */

static void feed_console(struct board *board, uint64_t now)
{
    uint8_t byte;
    while (byte_ring_peek(&board->to_send, &byte) && serial_port_send(&board->port, now, byte))
        byte_ring_read(&board->to_send, &byte, 1);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* All inputs as they are at `time`, and when the next one changes. */
static void take_inputs(struct board *board, uint64_t time)
{
    const struct group *group = board->group;
    uint64_t due = earlier(board->rams_ready, board->lock);
    feed_console(board, time);
    set_input(board, group->pins.uart_rx, line_read(&board->port.to_board, time));
    due = earlier(due, line_next(&board->port.to_board));
    for (unsigned link = 0; link < TESTBED_LINKS; link++) {
        set_input(board, group->pins.line_in[link], socket_read(&board->sockets[link], time));
        due = earlier(due, socket_next(&board->sockets[link]));
    }
    if (board->rams_ready <= time) {
        slices_rams_ready(group->slices, board->lane);
        board->rams_ready = LINE_NEVER;
    }
    if (board->lock <= time) {
        for (uint32_t i = 0; i < group->class->domain_count; i++)
            if (group->class->domains[i].lock != SLICES_ZERO)
                set_input(board, (int)group->class->domains[i].lock, true);
        board->lock = LINE_NEVER;
    }
    board->due = due;
}

/* ---- outputs ---- */

/* The levels of an output pin in all lanes; boards that do not run stay as they were. */
static uint64_t levels(const struct group *group, int slot, uint64_t before)
{
    return slot < 0 ? before : (group->slices->slots[slot] & group->runs) | (before & ~group->runs);
}

static void show_line(struct board_simulation *simulation, struct group *group, unsigned link, const uint64_t *times)
{
    uint64_t now = levels(group, group->pins.line_out[link], group->shown[link]);
    uint64_t drives = levels(group, group->pins.line_drives[link], group->shown_drives[link]);
    uint64_t changed = (now ^ group->shown[link]) | (drives ^ group->shown_drives[link]);
    for (uint64_t left = changed; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        struct socket *socket = &group->boards[lane]->sockets[link], *listener = listener_of(simulation, socket);
        socket_drive(socket, times[lane], drives >> lane & 1, now >> lane & 1, listener);
        see_output(group->boards[lane], link);
        see_rival(simulation, socket->rival);
        for (unsigned i = 0; listener && i < simulation->board_count; i++)
            if (listener >= simulation->boards[i].sockets && listener < simulation->boards[i].sockets + TESTBED_LINKS)
                simulation->boards[i].due = earlier(simulation->boards[i].due, line_next(&listener->line));
    }
    group->shown[link] = now;
    group->shown_drives[link] = drives;
}

static void show_console(struct group *group, const uint64_t *times)
{
    uint64_t now = levels(group, group->pins.uart_tx, group->shown_tx);
    for (uint64_t left = now ^ group->shown_tx; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        serial_port_hear(&group->boards[lane]->port, times[lane], now >> lane & 1);
    }
    group->shown_tx = now;
}

static void show_flash(struct group *group, const uint64_t *times)
{
    const int slots[] = {group->pins.select_n, group->pins.flash_clock, group->pins.flash_out};
    uint64_t now[3], changed = 0;
    for (int i = 0; i < 3; i++) {
        now[i] = levels(group, slots[i], group->shown_flash[i]);
        changed |= now[i] ^ group->shown_flash[i];
        group->shown_flash[i] = now[i];
    }
    for (uint64_t left = changed; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        struct board *board = group->boards[lane];
        spi_flash_pins(&board->flash, times[lane], now[0] >> lane & 1, now[1] >> lane & 1, now[2] >> lane & 1);
        set_input(board, group->pins.flash_in, board->flash.data_out);
    }
}

/* ---- time ---- */

/* The domains of a board that have an edge at its tick. */
static void add_edges(struct group *group, const struct board *board)
{
    for (uint32_t i = 0; i < group->class->domain_count; i++) {
        uint32_t period = group->period[i];
        if (period && board->tick % period == (group->falls[i] ? period / 2 : 0))
            group->edges[i] |= bit_of(board->lane);
    }
}

static void next_tick(struct board *board)
{
    board->tick++;
    board->ideal += board->period;
    board->edge = board->ideal + (board->jitter ? random_bits(&board->random) % board->jitter : 0);
}

/* Clocks each chip with an edge before `end` once. False: there is none. */
static bool clock_group(struct board_simulation *simulation, struct group *group, uint64_t end)
{
    uint64_t times[SLICES_LANES];
    bool any = false;
    memset(group->edges, 0, sizeof group->edges);
    for (unsigned lane = 0; lane < group->count; lane++) {
        struct board *board = group->boards[lane];
        if (!board->runs || board->edge >= end) {
            times[lane] = simulation->now;
            continue;
        }
        times[lane] = board->edge;
        if (board->due <= board->edge)
            take_inputs(board, board->edge);
        add_edges(group, board);
        next_tick(board);
        any = true;
    }
    if (!any)
        return false;
    slices_step(group->slices, group->edges);
    for (unsigned link = 0; link < TESTBED_LINKS; link++)
        show_line(simulation, group, link, times);
    show_console(group, times);
    show_flash(group, times);
    show_watches(simulation, group, times);
    return true;
}

void board_simulation_run(struct board_simulation *simulation, uint64_t time)
{
    for (unsigned i = 0; i < simulation->board_count; i++)
        if (!byte_ring_empty(&simulation->boards[i].to_send))
            simulation->boards[i].due = 0;
    while (simulation->now < time) {
        uint64_t end = simulation->now + simulation->step;
        start_boards(simulation);
        for (unsigned i = 0; i < simulation->group_count; i++)
            while (clock_group(simulation, &simulation->groups[i], end))
                continue;
        simulation->now = end;
    }
    for (unsigned i = 0; i < simulation->board_count; i++)
        serial_port_look(&simulation->boards[i].port, simulation->now);
}

uint64_t board_simulation_now(const struct board_simulation *simulation)
{
    return simulation->now;
}

/* ---- consoles and pins ---- */

size_t board_simulation_read(struct board_simulation *simulation, unsigned board, uint8_t *bytes, size_t length)
{
    return byte_ring_read(&simulation->boards[board].port.received, bytes, length);
}

size_t board_simulation_write(struct board_simulation *simulation, unsigned board, const uint8_t *bytes, size_t length)
{
    return byte_ring_write(&simulation->boards[board].to_send, bytes, length);
}

int board_simulation_pin(const struct board_simulation *simulation, unsigned number, const char *name)
{
    const struct board *board = &simulation->boards[number];
    int slot = slices_pin(board->group->class, name, true);
    return slot < 0 ? -1 : pin_level(board, slot);
}

uint64_t board_simulation_first_byte(const struct board_simulation *simulation, unsigned number)
{
    const struct board *board = &simulation->boards[number];
    uint64_t clock = board->period * board->group->ticks;
    return board->port.first_byte ? (board->port.first_byte - board->start + clock / 2) / clock : 0;
}

/* ---- creation ---- */

static void find_pins(struct group *group)
{
    const struct slices_class *class = group->class;
    struct pins *pins = &group->pins;
    for (unsigned link = 0; link < TESTBED_LINKS; link++) {
        char name[32];
        snprintf(name, sizeof name, "line_in[%u]", link);
        pins->line_in[link] = slices_pin(class, name, false);
        snprintf(name, sizeof name, "line_out[%u]", link);
        pins->line_out[link] = slices_pin(class, name, true);
        pins->line_drives[link] = slices_enable(class, name);
        pins->line_pin[link] = slices_pin(class, name, false);
    }
    pins->uart_rx = slices_pin(class, "uart_rx", false);
    pins->uart_tx = slices_pin(class, "uart_tx", true);
    pins->select_n = slices_pin(class, "flash_select_n", true);
    pins->flash_clock = slices_pin(class, "flash_clock", true);
    pins->flash_out = slices_pin(class, "flash_out", true);
    pins->flash_in = slices_pin(class, "flash_in", false);
    pins->button_n = slices_pin(class, "button_n", false);
}

/* The fewest ticks of the reference's period in which every clock has a whole number of them, of half periods where
 * flops load at falling edges. False: there is no such number. */
static bool find_ticks(struct group *group)
{
    const struct slices_class *class = group->class;
    for (group->ticks = 1; group->ticks <= TICKS_MOST; group->ticks++) {
        bool fits = true;
        for (uint32_t i = 0; i < class->domain_count; i++) {
            const struct slices_domain *domain = &class->domains[i];
            if (!domain->divide)
                continue;
            uint64_t multiply = domain->pin >= 0 ? domain->multiply : 1, divide = domain->pin >= 0 ? domain->divide : 1;
            uint64_t ticks = group->ticks * divide;
            group->period[i] = (uint32_t)(ticks / multiply);
            group->falls[i] = domain->falling;
            fits = fits && ticks % multiply == 0 && (!domain->falling || group->period[i] % 2 == 0);
            if (domain->pin < 0)
                group->reference_hz = (double)domain->multiply / (double)domain->divide;
        }
        if (fits)
            return true;
    }
    return false;
}

static struct group *find_group(struct board_simulation *simulation, const struct slices_class *class)
{
    for (unsigned i = 0; i < simulation->group_count; i++)
        if (simulation->groups[i].class == class && simulation->groups[i].count < SLICES_LANES)
            return &simulation->groups[i];
    struct group *group = &simulation->groups[simulation->group_count++];
    *group = (struct group){.class = class};
    find_pins(group);
    return group;
}

static int read_flash(struct board *board, char *error, size_t error_size)
{
    const struct testbed_board *settings = board->settings;
    if (!*settings->flash)
        return 0;
    FILE *file = fopen(settings->flash, "re");
    if (!file) {
        snprintf(error, error_size, "%s: %s, expected the contents of the flash of %s", settings->flash,
                 strerror(errno), settings->name);
        return -1;
    }
    board->flash.bytes = or_abort(malloc(FLASH_SIZE));
    memset(board->flash.bytes, 0xff, FLASH_SIZE);
    size_t room = FLASH_SIZE - settings->flash_offset;
    board->flash.size = settings->flash_offset + fread(board->flash.bytes + settings->flash_offset, 1, room, file);
    fclose(file);
    return 0;
}

static int make_board(struct board_simulation *simulation, unsigned number, uint64_t seed, char *error,
                      size_t error_size)
{
    const struct testbed_board *settings = &simulation->testbed->boards[number];
    struct board *board = &simulation->boards[number];
    board->settings = settings;
    if (chip_object_load(settings->bitstream, settings->type, &board->object, error, error_size) != 0)
        return -1;
    simulation->board_count = number + 1;
    struct group *group = find_group(simulation, board->object.class);
    board->group = group;
    board->lane = group->count;
    group->boards[group->count++] = board;
    if (!find_ticks(group)) {
        snprintf(error, error_size, "%s: clocks without a common multiple below %d times the oscillator",
                 settings->bitstream, TICKS_MOST);
        return -1;
    }
    double hz = (group->reference_hz > 0 ? group->reference_hz : settings->clock_hz) * group->ticks;
    board->period = (uint64_t)(FEMTOSECONDS / (hz * (1 + settings->ppm * 1e-6)));
    board->jitter = (uint64_t)(settings->jitter_ps * 1e3);
    board->due = 0;
    random_seed(&board->random, seed, number);
    serial_port_init(&board->port, settings->baud);
    uint64_t nominal = (uint64_t)(FEMTOSECONDS / hz);
    simulation->step = earlier(simulation->step, nominal);
    return read_flash(board, error, error_size);
}

static void make_sockets(struct board_simulation *simulation, uint64_t seed)
{
    enum { SOCKET_STREAMS = 1000 };
    uint64_t bit = (uint64_t)(simulation->testbed->bit_ns * 1e6);
    for (unsigned i = 0; i < simulation->board_count; i++)
        for (unsigned link = 0; link < TESTBED_LINKS; link++) {
            struct board *board = &simulation->boards[i];
            bool pull_up = false, out_pulled_up = false;
            for (uint32_t pin = 0; pin < board->group->class->pin_count; pin++)
                if ((int)board->group->class->pins[pin].slot == board->group->pins.line_in[link])
                    pull_up = board->group->class->pins[pin].pull_up;
                else if ((int)board->group->class->pins[pin].slot == board->group->pins.line_pin[link])
                    out_pulled_up = board->group->class->pins[pin].pull_up;
            socket_init(&board->sockets[link], pull_up, bit, seed, SOCKET_STREAMS + i * TESTBED_LINKS + link);
            board->sockets[link].out_pulled_up = out_pulled_up;
        }
    for (unsigned i = 0; i < simulation->testbed->cable_count; i++)
        set_cable(simulation, i, true);
}

struct board_simulation *board_simulation_create(const struct testbed *testbed, uint64_t seed, char *error,
                                                 size_t error_size)
{
    struct board_simulation *simulation = or_abort(calloc(1, sizeof *simulation));
    simulation->boards = or_abort(calloc(testbed->board_count, sizeof *simulation->boards));
    simulation->groups = or_abort(calloc(testbed->board_count, sizeof *simulation->groups));
    simulation->testbed = testbed;
    simulation->step = LINE_NEVER;
    for (unsigned i = 0; i < testbed->board_count; i++)
        if (make_board(simulation, i, seed, error, error_size) != 0) {
            board_simulation_destroy(simulation);
            return NULL;
        }
    for (unsigned i = 0; i < simulation->group_count; i++) {
        struct group *group = &simulation->groups[i];
        group->slices = slices_create(group->class, group->count, seed);
    }
    make_sockets(simulation, seed);
    return simulation;
}

void board_simulation_destroy(struct board_simulation *simulation)
{
    for (unsigned i = 0; i < simulation->group_count; i++)
        if (simulation->groups[i].slices)
            slices_destroy(simulation->groups[i].slices);
    for (unsigned i = 0; i < simulation->board_count; i++) {
        chip_object_free(&simulation->boards[i].object);
        free(simulation->boards[i].flash.bytes);
    }
    board_simulation_unwatch(simulation);
    free(simulation->boards);
    free(simulation->groups);
    free(simulation);
}
