/* The real image in the real QEMU, with this test at the other end of its port: bytes that are no records, before the
 * guest has spoken and between its turns, are dropped and counted, and change nothing else; a port that is not read for
 * a while loses nothing. Prints how long a turn takes.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE

#include "engine_test.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "mesh/mesh_identity.h"
#include "protocol.h"
#include "qemu/qemu_process.h"
#include "support/install_paths.h"
#include "wire/record.h"

enum { PATIENCE = 20000, ROUNDS = 300, TURNS = 5000 };

static struct qemu_process process;
static struct pr_record_reader reader;
static uint32_t posts, sends, turns; /* records of the guest so far */
static uint32_t record_clock, console;
static char said[20000];
static size_t said_length;
static uint64_t random_state;

static void give_up(const char *why)
{
    fprintf(stderr, "FAIL %s\n", why);
    qemu_process_kill(&process);
    exit(1);
}

static void send_bytes(const uint8_t *bytes, size_t length)
{
    while (length > 0) {
        ssize_t count = send(process.port.connection, bytes, length, MSG_NOSIGNAL);
        if (count < 0)
            poll(&(struct pollfd){.fd = process.port.connection, .events = POLLOUT}, 1, PATIENCE);
        bytes += count > 0 ? count : 0;
        length -= count > 0 ? (size_t)count : 0;
    }
}

static void send_record(uint32_t *words, unsigned count)
{
    uint8_t bytes[PR_RECORD_WIRE(PR_RECORD_WORDS_MAX)];
    send_bytes(bytes, pr_record_encode(words, count, bytes));
}

/* Bytes, records of every type that do not fit, and records cut off. */
static void send_rubbish(void)
{
    uint8_t bytes[3000];
    uint32_t words[40];
    size_t length = pick(&random_state, sizeof bytes);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)pick(&random_state, 256);
    send_bytes(bytes, length);
    for (uint32_t type = 0; type < 30; type++) {
        unsigned count = 5 + pick(&random_state, 18); /* an identity has 24 */
        for (unsigned i = 0; i < count; i++)
            words[i] = pick(&random_state, 0x10000) << 16 | pick(&random_state, 300);
        words[0] = type;
        send_bytes(bytes, pr_record_encode(words, count, bytes) - pick(&random_state, 2) * 3);
    }
}

static void take_record(const uint32_t *words)
{
    posts += words[0] == PR_RECORD_POST ? words[PR_RECORD_POST_COUNT] : 0;
    sends += words[0] == PR_RECORD_SEND;
    turns += words[0] == PR_RECORD_TURN;
    if (words[0] == PR_RECORD_ASK)
        send_record((uint32_t[PR_RECORD_COUNTERS_WORDS + 1]){PR_RECORD_COUNTERS}, PR_RECORD_COUNTERS_WORDS);
}

/* Waits for what the guest says next, on its port or its UART, and takes it. */
static void listen_to_it(void)
{
    uint8_t bytes[4096];
    struct pollfd polls[] = {{.fd = process.port.connection, .events = POLLIN},
                             {.fd = process.serial.connection, .events = POLLIN}};
    if (poll(polls, 2, PATIENCE) <= 0)
        give_up("the guest says nothing");
    ssize_t count = polls[0].revents ? recv(polls[0].fd, bytes, sizeof bytes, MSG_DONTWAIT) : -1;
    if (count == 0)
        give_up("the guest has ended");
    for (ssize_t i = 0; i < count; i++)
        if (pr_record_push(&reader, bytes[i]) > 0)
            take_record(reader.words);
    count = polls[1].revents ? recv(polls[1].fd, said + said_length, sizeof said - 1 - said_length, MSG_DONTWAIT) : -1;
    said_length += count > 0 ? (size_t)count : 0;
}

static void begin_turn(void)
{
    uint32_t words[PR_RECORD_GO_WORDS + 1] = {PR_RECORD_GO, record_clock += 100, console};
    send_record(words, PR_RECORD_GO_WORDS);
}

static void one_turn(void)
{
    uint32_t before = turns;
    begin_turn();
    while (turns == before)
        listen_to_it();
}

static void introduce(const struct mesh_config *mesh)
{
    uint32_t words[PR_RECORD_IDENTITY_BLOCK + PR_SITE_IDENTITY_WORDS + 1] = {PR_RECORD_IDENTITY, record_clock, 1};
    struct pr_site_identity identity;
    mesh_identify_site(&identity, mesh, 0, 0);
    memcpy(words + PR_RECORD_IDENTITY_BLOCK, &identity, 4 * PR_SITE_IDENTITY_WORDS);
    send_record(words, PR_RECORD_IDENTITY_BLOCK + PR_SITE_IDENTITY_WORDS);
    while (turns == 0)
        listen_to_it();
    check(posts == PR_RECORD_POSTS_MAX, "%u receive buffers, expected %d", posts, PR_RECORD_POSTS_MAX);
}

/* Types a line and waits for what is to be in the answer. */
static const char *ask(const char *line, const char *expected)
{
    const char *found;
    said_length = 0;
    memset(said, 0, sizeof said);
    check(send(process.serial.connection, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line), "typing fails");
    console += (uint32_t)strlen(line);
    one_turn();
    found = strstr(said, expected);
    check(found != NULL, "\"%s\" is answered with \"%s\"", line, said);
    return found ? found + strlen(expected) : "";
}

static void connect_to_it(const char *directory)
{
    char top[4000], elf[4100], error[300];
    install_paths_top(top, sizeof top);
    snprintf(elf, sizeof elf, "%s/build/firmware/node.elf", top);
    if (qemu_process_start(&process, directory, 0, elf, error, sizeof error) != 0)
        give_up(error);
    while (process.port.connection < 0 || process.serial.connection < 0) {
        struct pollfd polls[] = {{.fd = process.port.listener, .events = POLLIN},
                                 {.fd = process.serial.listener, .events = POLLIN}};
        if (poll(polls, 2, PATIENCE) <= 0)
            give_up("QEMU does not connect");
        if (polls[0].revents)
            qemu_socket_accept(&process.port);
        if (polls[1].revents)
            qemu_socket_accept(&process.serial);
    }
}

/* Four packets are asked for at once, and nobody reads the port meanwhile: what the operator sends before it hears of
 * site 1 is there afterwards. */
static void unread_for_a_while(void)
{
    static const char line[] = "send 1 hello\n";
    uint32_t before = sends;
    for (unsigned i = 0; i < 4; i++)
        check(send(process.serial.connection, line, sizeof line - 1, 0) == sizeof line - 1, "typing fails");
    console += 4 * (sizeof line - 1);
    begin_turn();
    usleep(300000);
    for (uint32_t turn = turns; turns == turn;)
        listen_to_it();
    check(sends - before >= 2, "%u packets were sent, expected 2 or more; the guest says \"%s\"", sends - before, said);
}

int main(void)
{
    const char *temporary = getenv("TMPDIR");
    char directory[200];
    struct mesh_config mesh;
    random_state = check_seed();
    snprintf(directory, sizeof directory, "%s/port-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(directory))
        return 1;
    load_mesh("grid-4x4", &mesh);
    connect_to_it(directory);
    send_rubbish();
    introduce(&mesh);
    unsigned long first = strtoul(ask("counters\n", "bad_records"), NULL, 10);
    check(first > 30, "%lu bad records before the first turn", first);
    for (unsigned i = 0; i < ROUNDS; i++) {
        send_rubbish();
        one_turn();
    }
    unsigned long then = strtoul(ask("counters\n", "bad_records"), NULL, 10);
    check(then > first + 30 * ROUNDS, "%lu bad records after %d times 30 and more", then, ROUNDS);
    unread_for_a_while();
    double began = seconds_now();
    for (unsigned i = 0; i < TURNS; i++)
        one_turn();
    printf("%lu bad records; %.1f us a turn\n", then, 1e6 * (seconds_now() - began) / TURNS);
    check(reader.bad == 0, "%u bad records from the guest", reader.bad);
    qemu_process_kill(&process);
    rmdir(directory);
    return verdict("test_qemu_port");
}
