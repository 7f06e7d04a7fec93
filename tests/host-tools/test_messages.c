/* Messages: what is asked is laid out as the console has it, and no answer, however damaged, is misread.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "wire/console_messages.h"

#include <string.h>

enum { ROUNDS = 200000 };

static void test_requests(void)
{
    static struct pr_frame frame;
    static const uint16_t sites[] = {3, 0x102};
    static const uint32_t seven[] = {7}, more[] = {8, 9}, data[] = {0x11223344};
    static const struct pr_message_info info[] = {{seven, 1}, {more, 2}};
    static const uint8_t expected[] = {9, 0, 2, 0, 1, 0, 3, 0, 1, 0, 7, 0,    0,    0,    2,
                                       1, 2, 0, 8, 0, 0, 0, 9, 0, 0, 0, 0x44, 0x33, 0x22, 0x11};
    struct pr_message_send send = {
        .handler = 9, .targets = 2, .sites = sites, .info = info, .data_words = 1, .data = data};
    CHECK(pr_message_send(&frame, &send) && frame.type == PR_CONSOLE_SEND && frame.length == sizeof expected);
    CHECK(memcmp(frame.payload, expected, sizeof expected) == 0);
    CHECK(pr_message_ping(&frame, 0x1234, 5) && frame.length == 4 && frame.payload[1] == 0x12 && frame.payload[2] == 5);
    CHECK(pr_message_counters(&frame, 1, 16, 5) && frame.length == 4 && frame.payload[2] == 16);
    CHECK(pr_message_shell(&frame, "help") && frame.length == 4 && memcmp(frame.payload, "help", 4) == 0);
    send.data_words = PR_FRAMES_PAYLOAD_MAX / 4;
    static uint32_t many[PR_FRAMES_PAYLOAD_MAX / 4];
    send.data = many;
    CHECK(!pr_message_send(&frame, &send));
}

static void test_lengths(void)
{
    static struct pr_frame frame;
    struct pr_message_ping ping;
    frame.length = 15;
    frame.payload[3] = 200;
    CHECK(pr_message_read_ping(&frame, &ping) && ping.round_trip == 200);
    frame.length = 14;
    CHECK(!pr_message_read_ping(&frame, &ping));
    frame.length = 16;
    CHECK(!pr_message_read_ping(&frame, &ping));
    frame.length = 0;
    CHECK(pr_message_status(&frame) == -1);
    CHECK(strcmp(pr_message_status_text(-1), pr_message_status_text(200)) == 0);
    CHECK(strcmp(pr_message_event_text(99), "unknown") == 0);
}

/* Identities and events of nodes that know nothing of the reliable service are shorter. */
static void test_old_nodes(void)
{
    static struct pr_frame frame;
    struct pr_site_identity identity;
    struct pr_message_event event;
    unsigned site;
    memset(frame.payload, 1, sizeof frame.payload);
    for (unsigned words = 0; words <= PR_SITE_IDENTITY_WORDS + 1; words++)
        for (unsigned extra = 0; extra < 4; extra++) {
            bool is_old = words == PR_MESSAGE_IDENTITY_WORDS_OLD, is_new = words == PR_SITE_IDENTITY_WORDS;
            frame.length = (uint16_t)(3 + 4 * words + extra);
            CHECK(pr_message_read_identity(&frame, &site, &identity) == ((is_old || is_new) && !extra));
            if (is_old && !extra)
                CHECK(identity.retry_limit == 0x01010101 && !identity.epoch && !identity.reliable);
        }
    for (frame.length = 0; frame.length < 20; frame.length++)
        CHECK(pr_message_read_event(&frame, &event) == (frame.length == 11 || frame.length == 14));
    frame.length = 14;
    frame.payload[0] = PR_CONSOLE_KIND_FAILED;
    CHECK(pr_message_read_event(&frame, &event) && event.site == 0x101 && event.failure == 1);
    CHECK(strcmp(pr_message_failure_text(event.failure), "no acknowledgement") == 0);
    CHECK(strcmp(pr_message_failure_text(99), pr_message_failure_text(0)) == 0);
}

/* An identity in parts: each fills in its own words. */
static void test_parts(void)
{
    static struct pr_frame frame;
    struct pr_site_identity identity = {.site = 5, .reliable = 7};
    unsigned site;
    CHECK(pr_message_identify_part(&frame, 0x102, 18, 3) && frame.type == PR_CONSOLE_IDENTIFY_PART &&
          frame.length == 4);
    CHECK(frame.payload[1] == 1 && frame.payload[2] == 18 && frame.payload[3] == 3);
    frame = (struct pr_frame){.length = 5 + 8, .payload = {0, 2, 1, 18, 2, 1, 0, 0, 0, 2}};
    CHECK(pr_message_read_identity_part(&frame, &site, &identity) && site == 0x102);
    CHECK(identity.retry_limit == 1 && identity.epoch == 2 && identity.site == 5 && identity.reliable == 7);
    frame.payload[4] = 3;
    CHECK(!pr_message_read_identity_part(&frame, &site, &identity));
    frame.payload[3] = PR_SITE_IDENTITY_ALL_WORDS - 1;
    frame.payload[4] = 2;
    CHECK(!pr_message_read_identity_part(&frame, &site, &identity));
    frame.payload[3] = PR_SITE_IDENTITY_WORDS;
    CHECK(pr_message_read_identity_part(&frame, &site, &identity) && identity.build_id[0] == 1);
    CHECK(identity.build_id[1] == 2 && identity.site == 5);
    frame.length = 5; /* a node without a build id */
    frame.payload[4] = 0;
    CHECK(pr_message_read_identity_part(&frame, &site, &identity) && identity.build_id[0] == 1);
    frame.payload[4] = 1;
    CHECK(!pr_message_read_identity_part(&frame, &site, &identity));
}

/* A reader that accepts a frame has counted every byte of it: the counts inside agree with its length. */
static void test_noise(void)
{
    static struct pr_frame frame;
    static struct pr_message_delivery delivery;
    struct pr_message_counters counters;
    struct pr_site_identity identity;
    struct pr_message_event event;
    unsigned number, accepted = 0;
    uint32_t clock;
    for (int i = 0; i < ROUNDS; i++) {
        frame.length = (uint16_t)(rand() % (i % 50 ? 120 : PR_FRAMES_PAYLOAD_MAX + 1));
        for (unsigned k = 0; k < 24; k++)
            frame.payload[k] = (uint8_t)(rand() % 3 ? rand() % 4 : rand());
        if (pr_message_read_delivery(&frame, &delivery)) {
            CHECK(frame.length == 20 + 4 * (delivery.info_words + delivery.data_words));
            accepted++;
        }
        if (pr_message_read_counters(&frame, &counters))
            CHECK(counters.count <= PR_CONSOLE_COUNTERS_MAX && frame.length == 5 + 4 * counters.count);
        if (pr_message_read_identity(&frame, &number, &identity))
            CHECK(frame.length == 3 + 4 * PR_SITE_IDENTITY_WORDS ||
                  (frame.length == 3 + 4 * PR_MESSAGE_IDENTITY_WORDS_OLD && !identity.reliable && !identity.epoch));
        if (pr_message_read_event(&frame, &event))
            CHECK(frame.length == 14 || (frame.length == 11 && !event.failure));
        if (pr_message_read_send(&frame, &number, &clock))
            CHECK(frame.length == 7);
    }
    CHECK(accepted > 0);
}

int main(void)
{
    srand((unsigned)check_seed());
    test_requests();
    test_lengths();
    test_old_nodes();
    test_parts();
    test_noise();
    return 0;
}
