// Sixteen verilated boards, cabled as a 4x4 grid, for the clocks that a load takes. All have one clock.
// usage: bench mesh TTY PARTS FLASH... | bench serial SERIAL...
//        FLASH, SERIAL: sixteen files, by site; "-": there is no such board. PARTS: of the image in RAM that board.v
//        spoils
//
//   mesh     the boards start from their flash; TTY, a symbolic link to a pty, is the console of site 0. Each line of
//            standard input is answered by the clock; its end ends the bench. Whenever the firmware of a site starts or
//            ends, the clock and the number of sites whose firmware runs are printed
//   serial   the flash is empty, and each board takes its image by its own serial line, a record as soon as the one
//            before has been answered. Prints the clock at which the last one runs
//
// exit status: 0, or 1 with a reason on standard output
// SPDX-License-Identifier: ISC
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include "boards.h"

namespace
{

int open_pty(const char *name)
{
    struct termios settings;
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 || symlink(ptsname(master), name) != 0)
        fail(std::string(name) + ": " + strerror(errno));
    int slave = open(name, O_RDWR | O_NOCTTY); // stays open: else the master reads EIO until the host comes
    if (slave < 0 || tcgetattr(slave, &settings) != 0)
        fail(std::string(name) + ": " + strerror(errno));
    cfmakeraw(&settings);
    tcsetattr(slave, TCSANOW, &settings);
    return master;
}

// Bytes between the console of site 0 and the pty. A host sends no faster than the line.
void move_bytes(int master)
{
    auto &line = places[0].line;
    uint8_t buffer[POLL_CLOCKS];
    if (line.next == line.to_send.size()) {
        ssize_t got = read(master, buffer, sizeof buffer);
        line.to_send.assign(buffer, buffer + (got > 0 ? got : 0));
        line.next = 0;
    }
    if (!line.heard.empty()) {
        ssize_t put = write(master, line.heard.data(), line.heard.size());
        line.heard.erase(0, put > 0 ? (size_t)put : 0);
    }
}

// False at the end of standard input.
bool answer_commands()
{
    char text[64];
    ssize_t got = read(STDIN_FILENO, text, sizeof text);
    for (ssize_t k = 0; k < got; k++)
        if (text[k] == '\n')
            printf("clock %ld\n", now);
    return got != 0;
}

void serve(const char *name)
{
    unsigned alive = 0;
    int master = open_pty(name);
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    while (answer_commands()) {
        for (unsigned k = 0; k < POLL_CLOCKS; k++) {
            step();
            if (count_alive() != alive) {
                alive = count_alive();
                printf("alive: %u at clock %ld\n", alive, now);
            }
        }
        move_bytes(master);
        for (unsigned s = 1; s < SITES; s++)
            places[s].line.heard.clear();
    }
    unlink(name);
}

std::vector<bytes> read_frames(const char *path)
{
    std::vector<bytes> frames;
    const bytes stream = read_file(path);
    for (size_t at = 0, end; at < stream.size(); at = end + 1) {
        for (end = at + 1; end < stream.size() && stream[end] != 0; end++)
            ;
        if (end == stream.size())
            fail(std::string(path) + ": a record without an end");
        frames.emplace_back(stream.begin() + (long)at, stream.begin() + (long)end + 1);
    }
    return frames;
}

// The next record, if the board has answered the one before.
void send_next(place *to, const std::vector<bytes> &frames, size_t *sent)
{
    const char *answer = *sent == 0 ? "boot w\n" : "boot k\n";
    if (*sent == frames.size() || to->line.heard.find(answer) == std::string::npos)
        return;
    to->line.heard.clear();
    to->line.to_send = frames[(*sent)++];
    to->line.next = 0;
}

void load_by_serial_lines(char **paths)
{
    std::vector<bytes> frames[SITES];
    size_t sent[SITES] = {}, first = 0;
    unsigned boards = 0;
    long began = 0;
    for (unsigned s = 0; s < SITES; s++) {
        places[s].absent = strcmp(paths[s], "-") == 0;
        if (places[s].absent)
            continue;
        frames[s] = read_frames(paths[s]);
        boards++;
    }
    while (count_alive() < boards && now < PATIENCE) {
        for (unsigned s = 0; s < SITES; s++) {
            send_next(&places[s], frames[s], &sent[s]);
            first += sent[s] == 1;
        }
        began = first > 0 && began == 0 ? now : began;
        step();
    }
    if (count_alive() < boards)
        fail("not all boards run");
    printf("serial: boards %u, records %zu, clocks %ld\n", boards, frames[0].size(), now - began);
}

} // namespace

int main(int argc, char **argv)
{
    bool mesh = argc == 4 + SITES && strcmp(argv[1], "mesh") == 0;
    if (!mesh && (argc != 2 + SITES || strcmp(argv[1], "serial") != 0)) {
        fprintf(stderr, "usage: bench mesh TTY PARTS FLASH... | bench serial SERIAL... (%d files)\n", (int)SITES);
        return 1;
    }
    Verilated::commandArgs(argc, argv);
    setvbuf(stdout, nullptr, _IOLBF, 0);
    for (auto &one : places) {
        one.board->running = 1;
        one.board->uart_rx = 1;
        one.board->flash_in = 1;
    }
    if (!mesh) {
        load_by_serial_lines(argv + 2);
        return 0;
    }
    for (unsigned s = 0; s < SITES; s++) {
        places[s].board->parts = (uint8_t)atoi(argv[3]);
        places[s].absent = strcmp(argv[4 + s], "-") == 0;
        if (!places[s].absent)
            places[s].flash.content = read_file(argv[4 + s]);
    }
    serve(argv[2]);
    return 0;
}
