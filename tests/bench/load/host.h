// The host of a load by the serial line of site 0: that of `postroad load` (host-tools/loader). Its clock is that of
// the boards, and it takes no time itself. SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_BENCH_LOAD_HOST_H
#define POSTROAD_TESTS_BENCH_LOAD_HOST_H

#include <algorithm>
#include <cstdarg>
#include <deque>

#include "boards.h"

extern "C" {
#include "cli/report.h"
#include "loader/load_serial.h"
}

namespace
{

constexpr double CLOCK_HZ = 12e6;
constexpr double TIMEOUT = 10; // seconds: that of the verb
enum { START_CLOCKS = 30000000, QUIET_CLOCKS = 100000, PROGRESS_CLOCKS = 1000000 };

struct said {
    char byte;
    long due; // clock in which the host may read it
};
std::deque<said> on_the_way;
long latency;                // clocks
std::string consoles[SITES]; // what each has said

unsigned count_boards()
{
    return (unsigned)std::count_if(places, places + SITES, [](const place &one) { return !one.absent; });
}

std::string silent_boards()
{
    std::string sites;
    for (unsigned site = 0; site < SITES; site++)
        if (!places[site].absent && !places[site].board->alive)
            sites += " " + std::to_string(site);
    return sites;
}

void step_all()
{
    std::string &heard = places[0].line.heard;
    step();
    if (now % PROGRESS_CLOCKS == 0)
        fprintf(stderr, "clock %ld million, %u of %u boards run\n", now / 1000000, count_alive(), count_boards());
    for (char byte : heard)
        on_the_way.push_back({byte, now + latency});
    for (unsigned site = 0; site < SITES; site++) {
        consoles[site] += places[site].line.heard;
        places[site].line.heard.clear();
    }
}

// `names`: SITE=FLASH. `parts`: of the image in RAM that board.v spoils.
void place_boards(char **names, unsigned parts)
{
    for (auto &one : places) {
        one.board->running = 1;
        one.board->uart_rx = 1;
        one.board->flash_in = 1;
        one.board->parts = (uint8_t)parts;
        one.absent = true;
    }
    for (; *names; names++) {
        char *path;
        unsigned site = (unsigned)strtoul(*names, &path, 10);
        if (site >= SITES || *path != '=')
            fail(std::string(*names) + ": expected SITE=FLASH");
        places[site].flash.content = read_file(path + 1);
        places[site].absent = false;
    }
    if (places[0].absent)
        fail("site 0 has the line, and is not there");
}

void await_all(const char *what)
{
    for (long k = 0; k < START_CLOCKS && count_alive() < count_boards(); k++)
        step_all();
    if (count_alive() < count_boards())
        fail(std::to_string(count_alive()) + " of " + std::to_string(count_boards()) + " boards run " + what + ", not" +
             silent_boards());
}

bool has_moved()
{
    return std::any_of(places, places + SITES, [](const place &one) { return !one.absent && one.board->moved; });
}

// Operators that start exchange epochs with all others: a mesh that is loaded has done so long ago.
void await_quiet()
{
    long moved = now;
    for (long k = 0; k < START_CLOCKS && now - moved < QUIET_CLOCKS; k++) {
        step_all();
        moved = has_moved() ? now : moved;
    }
    if (now - moved < QUIET_CLOCKS)
        fail("words still move between the boards");
}

void describe(pr_site_identity *identity)
{
    memset(identity, 0, sizeof *identity);
    identity->shape.topology = PR_TOPOLOGY_GRID;
    identity->shape.size_x = SIZE_X;
    identity->shape.size_y = SIZE_Y;
    identity->shape.word_width = 16;
    identity->max_packet = 127; // of a .mesh file without the key
}

// `own`: the target whose line it is, which may be one of those that are loaded.
int load(const firmware_image *image, struct load_serial *serial, load_target *own, load_target *targets, size_t count)
{
    static pr_site_identity identity;
    static load_port port;
    describe(&identity);
    port.timeout = TIMEOUT;
    serial->port = &port;
    serial->identity = &identity;
    serial->image = image;
    return load_serial(serial, own, targets, count);
}

} // namespace

// What load_port.h, libpostroad and cli have for `postroad`.
extern "C" {

double pr_client_now(void)
{
    return (double)now / CLOCK_HZ;
}

int load_port_write(load_port *, const uint8_t *sent, size_t length)
{
    auto &line = places[0].line;
    line.to_send.erase(line.to_send.begin(), line.to_send.begin() + (long)line.next);
    line.next = 0;
    line.to_send.insert(line.to_send.end(), sent, sent + length);
    return 0;
}

int load_port_read(load_port *, double seconds, char *text, size_t *count)
{
    const long end = now + std::max(1l, (long)(seconds * CLOCK_HZ));
    while (now < end && (on_the_way.empty() || on_the_way.front().due > now))
        step_all();
    for (*count = 0; *count < LOAD_PORT_CHUNK && !on_the_way.empty() && on_the_way.front().due <= now; ++*count) {
        text[*count] = on_the_way.front().byte;
        on_the_way.pop_front();
    }
    return 0;
}

void report_error(const char *, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

void progress_begin(progress *, const options *, const char *, size_t) {}
void progress_show(progress *, size_t, size_t) {}
void progress_end(progress *) {}
}

#endif
