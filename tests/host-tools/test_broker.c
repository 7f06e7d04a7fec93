/* The broker: this test plays the node on one side and several clients on the other, in one thread.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "check.h"
#include "libpostroad/broker.h"
#include "wire/console_messages.h"

#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLIENTS = 3, HELD = 128, OTHER_USER = 65534 };

#define LIFETIME 0.3 /* seconds */

struct party { /* one end of a stream of frames */
    int descriptor;
    struct pr_frames_reader reader;
    struct pr_frame frames[HELD];
    unsigned count;
};

static struct {
    struct pr_broker *broker;
    int listener;
    char path[108];
    struct party clients[CLIENTS], node;
} play;

static int make_listener(void)
{
    const char *directory = getenv("TMPDIR");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(play.path, sizeof play.path, "%.80s/broker-%d", directory ? directory : "/tmp", (int)getpid());
    strcpy(address.sun_path, play.path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    CHECK(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 8) == 0);
    return listener;
}

static void collect(struct party *party, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pr_frames_push(&party->reader, bytes[i], &party->frames[party->count]) == PR_FRAMES_READY)
            CHECK(++party->count < HELD);
}

/* Lets everything flow that can: several rounds of poll, all outgoing bytes to the node, all answers to the clients. */
static void settle(void)
{
    struct pollfd polls[1 + PR_BROKER_CLIENTS_MAX];
    const uint8_t *bytes;
    uint8_t buffer[4096];
    for (int round = 0; round < 20; round++) {
        size_t count = pr_broker_poll_prepare(play.broker, polls);
        poll(polls, (nfds_t)count, 0);
        pr_broker_poll_handle(play.broker, polls, count);
        size_t outgoing = pr_broker_outgoing(play.broker, &bytes);
        collect(&play.node, bytes, outgoing);
        if (outgoing)
            pr_broker_outgoing_taken(play.broker, outgoing);
        for (unsigned i = 0; i < CLIENTS; i++) {
            ssize_t got = play.clients[i].descriptor < 0
                              ? 0
                              : recv(play.clients[i].descriptor, buffer, sizeof buffer, MSG_DONTWAIT);
            if (got > 0)
                collect(&play.clients[i], buffer, (size_t)got);
        }
    }
}

static void attach(unsigned client)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, play.path);
    struct party *party = &play.clients[client];
    party->descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(connect(party->descriptor, (struct sockaddr *)&address, sizeof address) == 0);
    pr_frames_reader_init(&party->reader);
    party->count = 0;
    settle();
}

static void begin(void)
{
    play.listener = make_listener();
    play.broker = pr_broker_create(play.listener, LIFETIME);
    pr_frames_reader_init(&play.node.reader);
    play.node.count = 0;
    for (unsigned i = 0; i < CLIENTS; i++)
        attach(i);
    CHECK(pr_broker_clients(play.broker) == CLIENTS);
}

static void finish(void)
{
    pr_broker_destroy(play.broker);
    for (unsigned i = 0; i < CLIENTS; i++)
        if (play.clients[i].descriptor >= 0)
            close(play.clients[i].descriptor);
    close(play.listener);
    unlink(play.path);
}

static void from_client(unsigned client, struct pr_frame *frame, uint8_t id)
{
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    frame->id = id;
    size_t length = pr_frames_encode(frame, wire, sizeof wire);
    CHECK(write(play.clients[client].descriptor, wire, length) == (ssize_t)length);
}

static void from_node(uint8_t type, uint8_t id, uint8_t byte, uint16_t length)
{
    static struct pr_frame frame;
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    frame.type = type;
    frame.id = id;
    frame.length = length;
    memset(frame.payload, byte, length);
    pr_broker_incoming(play.broker, wire, pr_frames_encode(&frame, wire, sizeof wire));
}

/* Three clients use the same id; the node answers in another order; each gets its own answer with its own id. */
static void test_ids(void)
{
    static struct pr_frame request;
    begin();
    for (unsigned i = 0; i < CLIENTS; i++) {
        pr_message_identify(&request, i);
        from_client(i, &request, 9);
    }
    settle();
    CHECK(play.node.count == CLIENTS);
    for (unsigned i = CLIENTS; i-- > 0;)
        from_node(0x81, play.node.frames[i].id, play.node.frames[i].payload[0], 1);
    from_node(0x81, 200, 0, 1); /* to nobody */
    settle();
    for (unsigned i = 0; i < CLIENTS; i++)
        CHECK(play.clients[i].count == 1 && play.clients[i].frames[0].id == 9 &&
              play.clients[i].frames[0].payload[0] == i);
    finish();
}

static void set_listen(unsigned client, unsigned mask)
{
    static struct pr_frame request;
    pr_message_listen(&request, mask);
    from_client(client, &request, 1);
    settle();
    play.node.count = play.clients[client].count = 0;
}

/* Deliveries go to who listens to them, log text to all; when the last listener leaves, the node is told. */
static void test_events(void)
{
    begin();
    set_listen(0, PR_CONSOLE_LISTEN_DELIVERED);
    set_listen(1, PR_CONSOLE_LISTEN_DELIVERED | PR_CONSOLE_LISTEN_EVENTS);
    from_node(0xc0, 0, 0, 20);
    from_node(0xc2, 0, 0, 10);
    from_node(0xc1, 0, 'x', 5);
    settle();
    CHECK(play.clients[0].count == 2 && play.clients[1].count == 3 && play.clients[2].count == 1);
    close(play.clients[1].descriptor);
    play.clients[1].descriptor = -1;
    settle();
    CHECK(play.node.count == 1 && play.node.frames[0].type == PR_CONSOLE_LISTEN &&
          play.node.frames[0].payload[0] == PR_CONSOLE_LISTEN_DELIVERED);
    close(play.clients[0].descriptor);
    play.clients[0].descriptor = -1;
    settle();
    CHECK(play.node.count == 2 && play.node.frames[1].payload[0] == 0);
    CHECK(pr_broker_clients(play.broker) == 1);
    finish();
}

/* What became of packets goes to who listens to outcomes or to all events, all other events to the latter only. */
static void test_outcomes(void)
{
    begin();
    set_listen(0, PR_CONSOLE_LISTEN_OUTCOMES);
    set_listen(1, PR_CONSOLE_LISTEN_EVENTS);
    set_listen(2, PR_CONSOLE_LISTEN_DELIVERED);
    for (unsigned what = PR_CONSOLE_KIND_RESENT; what <= PR_CONSOLE_KIND_SETTLED; what++)
        from_node(0xc2, 0, (uint8_t)what, 14);
    from_node(0xc2, 0, 0, 0);
    settle();
    CHECK(play.clients[0].count == 2 && play.clients[1].count == 7 && play.clients[2].count == 0);
    CHECK(play.clients[0].frames[0].payload[0] == PR_CONSOLE_KIND_FAILED &&
          play.clients[0].frames[1].payload[0] == PR_CONSOLE_KIND_SETTLED);
    close(play.clients[1].descriptor);
    play.clients[1].descriptor = -1;
    settle();
    CHECK(play.node.count == 1 &&
          play.node.frames[0].payload[0] == (PR_CONSOLE_LISTEN_DELIVERED | PR_CONSOLE_LISTEN_OUTCOMES));
    finish();
}

/* A client leaves before its answer comes, another takes its place: the answer is not for that one. */
static void test_left(void)
{
    static struct pr_frame request;
    begin();
    pr_message_identify(&request, 0);
    from_client(0, &request, 5);
    settle();
    close(play.clients[0].descriptor);
    settle();
    attach(0);
    from_node(0x81, play.node.frames[0].id, 0, 1);
    settle();
    CHECK(play.clients[0].count == 0);
    finish();
}

/* A client that listens and never reads loses events, is told how many, and the other one gets them all. */
static void test_slow(void)
{
    begin();
    set_listen(0, 1);
    set_listen(1, 1);
    int slow = play.clients[0].descriptor;
    unsigned heard = 0, lost = 0;
    play.clients[0].descriptor = -1; /* settle() does not read it */
    for (unsigned i = 0; i < 400; i++) {
        from_node(0xc0, 0, 0, 4000);
        settle();
        heard += play.clients[1].count;
        play.clients[1].count = 0;
    }
    CHECK(heard == 400);
    play.clients[0].descriptor = slow;
    for (unsigned i = 0; i < 2000; i++) {
        settle();
        for (unsigned k = 0; k < play.clients[0].count; k++)
            if (play.clients[0].frames[k].type == PR_CONSOLE_LOG)
                lost += (unsigned)strtoul((char *)play.clients[0].frames[k].payload + 1, NULL, 10);
            else
                heard++;
        play.clients[0].count = 0;
    }
    CHECK(lost > 0 && heard == 800 - lost);
    finish();
}

/* Garbage from a client goes nowhere, and its next request works. */
static void test_garbage(void)
{
    static struct pr_frame request;
    uint8_t noise[3000];
    begin();
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)(rand() | 0x80);
    CHECK(write(play.clients[0].descriptor, noise, sizeof noise) == (ssize_t)sizeof noise);
    settle();
    pr_message_identify(&request, 1);
    from_client(0, &request, 2);
    settle();
    CHECK(play.node.count == 1 && play.node.frames[0].type == PR_CONSOLE_IDENTIFY);
    finish();
}

/* More requests than ids, and a node that takes nothing for a while: none is lost, none comes twice. */
static void test_flood(void)
{
    static struct pr_frame request;
    unsigned answered = 0;
    begin();
    for (unsigned i = 0; i < 300; i++) {
        pr_message_identify(&request, i);
        from_client(i % CLIENTS, &request, (uint8_t)(1 + i / CLIENTS));
    }
    for (unsigned round = 0; round < 200; round++) {
        struct pollfd polls[1 + PR_BROKER_CLIENTS_MAX];
        size_t count = pr_broker_poll_prepare(play.broker, polls);
        const uint8_t *bytes;
        poll(polls, (nfds_t)count, 0);
        pr_broker_poll_handle(play.broker, polls, count);
        size_t outgoing = pr_broker_outgoing(play.broker, &bytes), some = outgoing < 100 ? outgoing : 100;
        collect(&play.node, bytes, some);
        if (some)
            pr_broker_outgoing_taken(play.broker, some);
        for (unsigned i = 0; i < play.node.count; i++)
            from_node(0x81, play.node.frames[i].id, 0, 1);
        answered += play.node.count;
        play.node.count = 0;
    }
    CHECK(answered == 300);
    finish();
}

/* A client whose requests are never answered has so many outstanding and no more; the others do not notice; and after
 * a while its further requests are passed on. One answer lets one more through, though no byte flows to the node.
 */
static void test_unanswered(void)
{
    static struct pr_frame request;
    begin();
    pr_message_identify(&request, 5);
    for (unsigned i = 0; i < 100; i++)
        from_client(0, &request, (uint8_t)(1 + i));
    settle();
    unsigned passed = play.node.count;
    CHECK(passed > 0 && passed < 100 && pr_broker_blocked(play.broker));
    from_client(1, &request, 1);
    settle();
    CHECK(play.node.count == passed + 1);
    from_node(0x81, play.node.frames[0].id, 0, 1);
    CHECK(pr_broker_outgoing(play.broker, &(const uint8_t *){NULL}) > 0);
    settle();
    CHECK(play.node.count == passed + 2 && play.clients[0].count == 1);
    usleep((useconds_t)(LIFETIME * 1.5e6));
    settle();
    CHECK(play.node.count == 101 && !pr_broker_blocked(play.broker));
    finish();
}

/* A node that starts afresh is told again what is listened to, and is asked again by who has had no answer. */
static void test_restart(void)
{
    static struct pr_frame request;
    begin();
    set_listen(0, PR_CONSOLE_LISTEN_DELIVERED);
    from_node(PR_CONSOLE_LISTEN | PR_CONSOLE_ANSWER, 1, 0, 1);
    pr_message_listen(&request, PR_CONSOLE_LISTEN_EVENTS);
    from_client(1, &request, 7);
    settle();
    play.node.count = 0;
    pr_broker_restarted(play.broker);
    settle();
    CHECK(play.node.count == 1 && play.node.frames[0].type == PR_CONSOLE_LISTEN &&
          play.node.frames[0].payload[0] == (PR_CONSOLE_LISTEN_DELIVERED | PR_CONSOLE_LISTEN_EVENTS));
    from_node(PR_CONSOLE_LISTEN | PR_CONSOLE_ANSWER, play.node.frames[0].id, 0, 1);
    settle();
    CHECK(play.clients[1].count == 1 && play.clients[1].frames[0].id == 7);
    play.node.count = 0;
    pr_broker_restarted(play.broker);
    settle();
    CHECK(play.node.count == 1 &&
          play.node.frames[0].payload[0] == (PR_CONSOLE_LISTEN_DELIVERED | PR_CONSOLE_LISTEN_EVENTS));
    finish();
}

static void wait_at_other_end(const struct sockaddr_un *address, socklen_t length)
{
    char byte;
    CHECK(setresuid(OTHER_USER, OTHER_USER, OTHER_USER) == 0);
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(connect(connection, (const struct sockaddr *)address, length) == 0);
    _exit(read(connection, &byte, 1) == 0 ? 0 : 1);
}

/* A process of another user is hung up on. On a socket without a file, which everybody can connect to. */
static void test_other_user(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "postroad-broker-%d", (int)getpid()),
        status = -1;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (geteuid() != 0) {
        puts("test_other_user is skipped: only root can be two users");
        return;
    }
    play.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    CHECK(bind(play.listener, (struct sockaddr *)&address, size) == 0 && listen(play.listener, 1) == 0);
    play.broker = pr_broker_create(play.listener, LIFETIME);
    pid_t child = fork();
    if (child == 0)
        wait_at_other_end(&address, size);
    for (int tries = 0; tries < 500 && waitpid(child, &status, WNOHANG) == 0; tries++, usleep(10000))
        settle();
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0 && pr_broker_clients(play.broker) == 0);
    pr_broker_destroy(play.broker);
    close(play.listener);
}

static bool wants_poll(void)
{
    struct pollfd polls[1 + PR_BROKER_CLIENTS_MAX];
    size_t count = pr_broker_poll_prepare(play.broker, polls);
    return poll(polls, (nfds_t)count, 0) > 0;
}

/* Where no descriptor is left, a client waits in the queue, poll() does not find it again and again, and it is served
 * later. */
static void test_no_descriptors(void)
{
    struct rlimit limit, none;
    begin();
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    int late = socket(AF_UNIX, SOCK_STREAM, 0);
    none = (struct rlimit){(rlim_t)late + 1, limit.rlim_max};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, play.path);
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    CHECK(connect(late, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(wants_poll());
    settle();
    CHECK(!wants_poll() && pr_broker_blocked(play.broker) && pr_broker_clients(play.broker) == CLIENTS);
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    for (int tries = 0; tries < 500 && pr_broker_blocked(play.broker); tries++)
        usleep(10000);
    settle();
    CHECK(pr_broker_clients(play.broker) == CLIENTS + 1);
    close(late);
    finish();
}

int main(void)
{
    srand((unsigned)check_seed());
    test_other_user();
    if (!getenv("UNDER_VALGRIND")) /* which accepts and closes a connection that would have no descriptor */
        test_no_descriptors();
    test_ids();
    test_events();
    test_outcomes();
    test_left();
    test_slow();
    test_garbage();
    test_flood();
    test_unanswered();
    test_restart();
    return 0;
}
