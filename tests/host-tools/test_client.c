/* The client against a node that this test plays on the other end of a socket pair.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "check.h"
#include "libpostroad/client.h"
#include "wire/console_messages.h"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct play {
    struct pr_client *client;
    int node;
};

struct result {
    unsigned calls, answers, order;
    struct pr_frame last;
};

static unsigned order;

static struct play begin(void)
{
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    struct play play = {pr_client_create(ends[0]), ends[1]};
    CHECK(play.client);
    return play;
}

static void finish(struct play *play)
{
    pr_client_destroy(play->client);
    if (play->node >= 0)
        close(play->node);
}

static void note(void *context, const struct pr_frame *frame)
{
    struct result *result = context;
    result->calls++;
    result->order = ++order;
    if (frame) {
        result->answers++;
        result->last = *frame;
    }
}

/* Reads the requests that have arrived at the node's end. */
static unsigned take_requests(struct play *play, struct pr_frame *out, unsigned room)
{
    static struct pr_frames_reader reader;
    uint8_t bytes[4096];
    unsigned taken = 0;
    ssize_t count;
    pr_frames_reader_init(&reader);
    while ((count = read(play->node, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < count && taken < room; i++)
            taken += pr_frames_push(&reader, bytes[i], &out[taken]) == PR_FRAMES_READY;
    return taken;
}

static void give(struct play *play, uint8_t type, uint8_t id, uint8_t status)
{
    static struct pr_frame frame;
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    frame.type = type;
    frame.id = id;
    frame.length = 1;
    frame.payload[0] = status;
    size_t length = pr_frames_encode(&frame, wire, sizeof wire);
    CHECK(write(play->node, wire, length) == (ssize_t)length);
}

static void ask(struct play *play, double timeout, struct result *result)
{
    static struct pr_frame request;
    pr_message_identify(&request, 3);
    CHECK(pr_client_request(play->client, &request, timeout, note, result) == PR_CLIENT_OK);
}

static void test_out_of_order(void)
{
    static struct result results[4];
    static struct pr_frame requests[4];
    struct play play = begin();
    for (unsigned i = 0; i < 4; i++)
        ask(&play, 5, &results[i]);
    CHECK(pr_client_outstanding(play.client) == 4 && take_requests(&play, requests, 4) == 4);
    for (unsigned i = 4; i-- > 0;)
        give(&play, 0x81, requests[i].id, (uint8_t)i);
    while (pr_client_outstanding(play.client))
        CHECK(pr_client_poll(&play.client, 1, 5) == PR_CLIENT_OK);
    for (unsigned i = 0; i < 4; i++)
        CHECK(results[i].calls == 1 && results[i].answers == 1 && results[i].last.payload[0] == i);
    CHECK(results[3].order < results[0].order);
    finish(&play);
}

/* An answer of the wrong type, with an unknown id, twice, or too late, is nobody's. */
static void test_strays(void)
{
    static struct result result, late;
    static struct pr_frame request;
    struct play play = begin();
    ask(&play, 5, &result);
    CHECK(take_requests(&play, &request, 1) == 1);
    give(&play, 0x82, request.id, 0);
    give(&play, 0x81, (uint8_t)(request.id + 1), 0);
    pr_client_poll(&play.client, 1, 0.1);
    CHECK(result.calls == 0);
    give(&play, 0x81, request.id, 0);
    give(&play, 0x81, request.id, 0);
    pr_client_poll(&play.client, 1, 0.1);
    pr_client_poll(&play.client, 1, 0.01);
    CHECK(result.calls == 1);
    ask(&play, 0.05, &late);
    CHECK(take_requests(&play, &request, 1) == 1);
    double started = pr_client_now();
    CHECK(pr_client_poll(&play.client, 1, -1) == PR_CLIENT_OK);
    CHECK(late.calls == 1 && late.answers == 0 && pr_client_now() - started < 1);
    give(&play, 0x81, request.id, 0);
    pr_client_poll(&play.client, 1, 0.05);
    CHECK(late.calls == 1);
    finish(&play);
}

static void test_lost(void)
{
    static struct result results[2];
    static struct pr_frame request, answer;
    bool answered;
    struct play play = begin();
    ask(&play, 60, &results[0]);
    ask(&play, 60, &results[1]);
    close(play.node);
    play.node = -1;
    CHECK(pr_client_poll(&play.client, 1, 5) == PR_CLIENT_LOST);
    CHECK(results[0].calls == 1 && results[0].answers == 0 && results[1].calls == 1);
    CHECK(*pr_client_lost_reason(play.client));
    pr_message_identify(&request, 1);
    CHECK(pr_client_ask(play.client, &request, 60, &answer, &answered) == PR_CLIENT_LOST && !answered);
    finish(&play);
}

/* All ids in use: the next request is refused, not mixed up with another. */
static void test_full(void)
{
    static struct result results[256];
    static struct pr_frame request;
    struct play play = begin();
    unsigned used = 0;
    pr_message_identify(&request, 0);
    while (used < 256 && pr_client_request(play.client, &request, 60, note, &results[used]) == PR_CLIENT_OK)
        used++;
    CHECK(used == 255);
    give(&play, 0x81, 17, 0);
    pr_client_poll(&play.client, 1, 1);
    CHECK(pr_client_outstanding(play.client) == 254);
    CHECK(pr_client_request(play.client, &request, 60, note, &results[255]) == PR_CLIENT_OK && request.id == 17);
    finish(&play);
}

static void test_events(void)
{
    static struct result events, result;
    static struct pr_frame request;
    struct play play = begin();
    pr_client_on_event(play.client, note, &events);
    ask(&play, 5, &result);
    CHECK(take_requests(&play, &request, 1) == 1);
    give(&play, 0xc0, 0, 1);
    CHECK(write(play.node, "boot\n", 5) == 5);
    give(&play, 0x81, request.id, 0);
    while (!result.calls)
        CHECK(pr_client_poll(&play.client, 1, 5) == PR_CLIENT_OK);
    CHECK(events.calls == 2 && events.last.type == 0 && memcmp(events.last.payload, "boot\n", 5) == 0);
    finish(&play);
}

/* The client's process is stopped for longer than the time that an answer may take, and so is its node. */
static void test_stopped(void)
{
    static struct result result;
    static struct pr_frame request;
    const struct timespec soon = {.tv_nsec = 200 * 1000 * 1000}, stop = {.tv_sec = 3};
    struct play play = begin();
    ask(&play, 2, &result);
    CHECK(take_requests(&play, &request, 1) == 1);
    pid_t other = fork();
    if (other == 0) {
        nanosleep(&soon, NULL);
        kill(getppid(), SIGSTOP);
        nanosleep(&stop, NULL);
        give(&play, 0xc0, 0, 1); /* an event, which ends the wait */
        kill(getppid(), SIGCONT);
        nanosleep(&soon, NULL);
        give(&play, 0x81, request.id, 0);
        _exit(0);
    }
    while (!result.calls && pr_client_poll(&play.client, 1, 5) == PR_CLIENT_OK)
        ;
    CHECK(result.answers == 1);
    CHECK(waitpid(other, NULL, 0) == other);
    finish(&play);
}

int main(void)
{
    test_out_of_order();
    test_strays();
    test_lost();
    test_full();
    test_events();
    test_stopped();
    return 0;
}
