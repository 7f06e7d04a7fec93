// A load of boards by the serial line of site 0, in clocks, the same in every run. The host's part is that of `postroad
// load` (host-tools/loader): its clock is that of the boards, and it takes no time itself. usage: one_line IMAGE
// LATENCY SITE=FLASH...
//        IMAGE: words of RAM. LATENCY: microseconds until what boards say is read, as by a USB adapter. FLASH: what the
//        flash of a site holds; sites that are not named are no boards of the mesh
//
// The boards run what is in their flash; board.v spoils it in every part that a load compares. Prints the clocks from
// the first order to the start of the last image. exit status: 0; 1 with a reason: not all boards have started the
// image SPDX-License-Identifier: ISC
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
enum { SPOILED_PARTS = 36, START_CLOCKS = 30000000 };

struct said {
    char byte;
    long due; // clock in which the host may read it
};
std::deque<said> on_the_way;
long latency; // clocks

void step_all()
{
    std::string &heard = places[0].line.heard;
    step();
    for (char byte : heard)
        on_the_way.push_back({byte, now + latency});
    for (auto &one : places)
        one.line.heard.clear();
}

unsigned count_boards()
{
    return (unsigned)std::count_if(places, places + SITES, [](const place &one) { return !one.absent; });
}

void await_all(const char *what)
{
    for (long k = 0; k < START_CLOCKS && count_alive() < count_boards(); k++)
        step_all();
    if (count_alive() < count_boards())
        fail(std::to_string(count_alive()) + " of " + std::to_string(count_boards()) + " boards run " + what);
}

firmware_image read_image(const char *path)
{
    const bytes content = read_file(path);
    uint32_t *words = (uint32_t *)calloc(content.size() / 4 + 1, 4);
    memcpy(words, content.data(), content.size());
    firmware_image image = {};
    image.words = words;
    image.count = (unsigned)(content.size() + 3) / 4;
    return image;
}

void describe(pr_site_identity *identity)
{
    memset(identity, 0, sizeof *identity);
    identity->shape.topology = PR_TOPOLOGY_GRID;
    identity->shape.size_x = identity->shape.size_y = SIDE;
    identity->shape.word_width = 16;
    identity->max_packet = 127; // of a .mesh file without the key
}

void place_boards(char **names)
{
    for (auto &one : places) {
        one.board->running = 1;
        one.board->uart_rx = 1;
        one.board->flash_in = 1;
        one.board->parts = SPOILED_PARTS;
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

int load(const firmware_image *image, struct load_serial *serial)
{
    static load_target targets[SITES];
    static pr_site_identity identity;
    static load_port port;
    size_t count = 0;
    for (unsigned site = 0; site < SITES; site++)
        if (!places[site].absent)
            targets[count++].site = site;
    describe(&identity);
    port.timeout = TIMEOUT;
    serial->port = &port;
    serial->identity = &identity;
    serial->image = image;
    int status = load_serial(serial, targets, targets, count);
    for (size_t k = 0; k < count; k++)
        if (targets[k].lost || targets[k].answer != PR_LOAD_DONE)
            printf("site %u: %s, answer %c\n", targets[k].site, targets[k].lost ? "lost" : "there",
                   targets[k].answer ? targets[k].answer : '-');
    return status;
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

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: one_line IMAGE LATENCY SITE=FLASH...\n");
        return 1;
    }
    Verilated::commandArgs(argc, argv);
    const firmware_image image = read_image(argv[1]);
    struct load_serial serial = {};
    latency = atol(argv[2]) * (long)(CLOCK_HZ / 1e6);
    place_boards(argv + 3);
    await_all("the image of their flash");
    const long began = now;
    int status = load(&image, &serial);
    if (status != 0 || !serial.relays)
        fail("the load has ended with " + std::to_string(status));
    const long told = now;
    await_all("the image");
    printf("sites %u, clocks %ld, told %ld, words %lu, records %lu, repeats %lu\n", count_boards(), now - began,
           told - began, serial.words, serial.sent, serial.repeats);
    return 0;
}
