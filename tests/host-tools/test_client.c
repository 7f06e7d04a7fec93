/* The client against a node that this test plays on the other end of a socket pair. */
#define _GNU_SOURCE
#include "check.h"
#include "libpostroad/client.h"
#include "wire/console_messages.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct play {
    struct client *client;
    int node;
};

struct result {
    unsigned calls, answers, order;
    struct frame last;
};

static unsigned order;

static struct play begin(void)
{
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    struct play play = {client_create(ends[0]), ends[1]};
    CHECK(play.client);
    return play;
}

static void finish(struct play *play)
{
    client_destroy(play->client);
    if (play->node >= 0)
        close(play->node);
}

static void note(void *context, const struct frame *frame)
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
static unsigned take_requests(struct play *play, struct frame *out, unsigned room)
{
    static struct frames_reader reader;
    uint8_t bytes[4096];
    unsigned taken = 0;
    ssize_t count;
    frames_reader_init(&reader);
    while ((count = read(play->node, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < count && taken < room; i++)
            taken += frames_push(&reader, bytes[i], &out[taken]) == FRAMES_READY;
    return taken;
}

static void give(struct play *play, uint8_t type, uint8_t id, uint8_t status)
{
    static struct frame frame;
    uint8_t wire[FRAMES_WIRE_MAX];
    frame.type = type;
    frame.id = id;
    frame.length = 1;
    frame.payload[0] = status;
    size_t length = frames_encode(&frame, wire, sizeof wire);
    CHECK(write(play->node, wire, length) == (ssize_t)length);
}

static void ask(struct play *play, double timeout, struct result *result)
{
    static struct frame request;
    message_identify(&request, 3);
    CHECK(client_request(play->client, &request, timeout, note, result) == CLIENT_OK);
}

static void test_out_of_order(void)
{
    static struct result results[4];
    static struct frame requests[4];
    struct play play = begin();
    for (unsigned i = 0; i < 4; i++)
        ask(&play, 5, &results[i]);
    CHECK(client_outstanding(play.client) == 4 && take_requests(&play, requests, 4) == 4);
    for (unsigned i = 4; i-- > 0;)
        give(&play, 0x81, requests[i].id, (uint8_t)i);
    while (client_outstanding(play.client))
        CHECK(client_poll(&play.client, 1, 5) == CLIENT_OK);
    for (unsigned i = 0; i < 4; i++)
        CHECK(results[i].calls == 1 && results[i].answers == 1 && results[i].last.payload[0] == i);
    CHECK(results[3].order < results[0].order);
    finish(&play);
}

/* An answer of the wrong type, with an unknown id, twice, or too late, is nobody's. */
static void test_strays(void)
{
    static struct result result, late;
    static struct frame request;
    struct play play = begin();
    ask(&play, 5, &result);
    CHECK(take_requests(&play, &request, 1) == 1);
    give(&play, 0x82, request.id, 0);
    give(&play, 0x81, (uint8_t)(request.id + 1), 0);
    client_poll(&play.client, 1, 0.1);
    CHECK(result.calls == 0);
    give(&play, 0x81, request.id, 0);
    give(&play, 0x81, request.id, 0);
    client_poll(&play.client, 1, 0.1);
    client_poll(&play.client, 1, 0.01);
    CHECK(result.calls == 1);
    ask(&play, 0.05, &late);
    CHECK(take_requests(&play, &request, 1) == 1);
    double started = client_now();
    CHECK(client_poll(&play.client, 1, -1) == CLIENT_OK);
    CHECK(late.calls == 1 && late.answers == 0 && client_now() - started < 1);
    give(&play, 0x81, request.id, 0);
    client_poll(&play.client, 1, 0.05);
    CHECK(late.calls == 1);
    finish(&play);
}

static void test_lost(void)
{
    static struct result results[2];
    static struct frame request, answer;
    bool answered;
    struct play play = begin();
    ask(&play, 60, &results[0]);
    ask(&play, 60, &results[1]);
    close(play.node);
    play.node = -1;
    CHECK(client_poll(&play.client, 1, 5) == CLIENT_LOST);
    CHECK(results[0].calls == 1 && results[0].answers == 0 && results[1].calls == 1);
    CHECK(*client_lost_reason(play.client));
    message_identify(&request, 1);
    CHECK(client_ask(play.client, &request, 60, &answer, &answered) == CLIENT_LOST && !answered);
    finish(&play);
}

/* All ids in use: the next request is refused, not mixed up with another. */
static void test_full(void)
{
    static struct result results[256];
    static struct frame request;
    struct play play = begin();
    unsigned used = 0;
    message_identify(&request, 0);
    while (used < 256 && client_request(play.client, &request, 60, note, &results[used]) == CLIENT_OK)
        used++;
    CHECK(used == 255);
    give(&play, 0x81, 17, 0);
    client_poll(&play.client, 1, 1);
    CHECK(client_outstanding(play.client) == 254);
    CHECK(client_request(play.client, &request, 60, note, &results[255]) == CLIENT_OK && request.id == 17);
    finish(&play);
}

static void test_events(void)
{
    static struct result events, result;
    static struct frame request;
    struct play play = begin();
    client_on_event(play.client, note, &events);
    ask(&play, 5, &result);
    CHECK(take_requests(&play, &request, 1) == 1);
    give(&play, 0xc0, 0, 1);
    CHECK(write(play.node, "boot\n", 5) == 5);
    give(&play, 0x81, request.id, 0);
    while (!result.calls)
        CHECK(client_poll(&play.client, 1, 5) == CLIENT_OK);
    CHECK(events.calls == 2 && events.last.type == 0 && memcmp(events.last.payload, "boot\n", 5) == 0);
    finish(&play);
}

int main(void)
{
    test_out_of_order();
    test_strays();
    test_lost();
    test_full();
    test_events();
    return 0;
}
