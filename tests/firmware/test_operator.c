/* The full operator by itself: rules O1 to O9 with both services, and what it refuses.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "suite.h"

static void no_handler(void *context, const struct pr_delivery *delivery)
{
    (void)context;
    (void)delivery;
}

static void no_observer(void *context, const struct pr_operator_event *event)
{
    (void)context;
    (void)event;
}

/* The node registers the handler of load records before an application can: nobody takes it over. */
static void load_records_stay_with_the_node(void)
{
    start();
    CHECK_EQUAL(pr_operator_register(op, PR_HANDLER_LOAD, node.deliver, &node), 0);
    CHECK_EQUAL(pr_operator_register(op, PR_HANDLER_LOAD, no_handler, NULL), -PR_OPERATOR_RESERVED);
}

static int init(unsigned buffers, unsigned packet_words)
{
    const struct pr_operator_size size = {.buffers = buffers, .packet_words = packet_words};
    return pr_operator_init(op, &fake->interface, identity, node.memory, &size);
}

static void refuses_what_cannot_work(void)
{
    start();
    CHECK_EQUAL(init(2, node.packet_words), -PR_OPERATOR_NO_BUFFER);
    CHECK_EQUAL(init(node.buffers, node.packet_words - 1), -PR_OPERATOR_TOO_LONG);
    start();
    for (unsigned k = 1; k < PR_OPERATOR_HANDLERS; k++)
        CHECK_EQUAL(pr_operator_register(op, (uint8_t)(100 + k), no_handler, NULL), 0);
    CHECK_EQUAL(pr_operator_register(op, 200, no_handler, NULL), -PR_OPERATOR_FULL);
    CHECK_EQUAL(pr_operator_register(op, HANDLER, no_handler, NULL), 0);
    CHECK_EQUAL(pr_operator_observe(op, no_observer, NULL), 0);
    CHECK_EQUAL(pr_operator_observe(op, no_observer, NULL), -PR_OPERATOR_FULL);
}

/* The words for an application's own use lie behind the header and what was added before. */
static void room_comes_behind_what_was_added(void)
{
    struct pr_composition composition;
    const uint32_t *data;
    uint32_t *room;
    uint16_t sequence;
    start();
    pr_operator_begin(op, &composition, HANDLER);
    pr_operator_add_target(&composition, 1);
    pr_operator_add_data(&composition, 0x1234);
    room = pr_operator_add_room(&composition, 2);
    CHECK(room != NULL);
    room[0] = 5;
    room[1] = 6;
    CHECK_EQUAL(pr_operator_commit(&composition, &sequence), 0);
    CHECK(leave());
    CHECK_EQUAL(out.data_words, out.header.words + 3);
    data = out.words + out.target_words + out.header.words;
    CHECK_EQUAL(data[0], 0x1234);
    CHECK_EQUAL(data[1], 5);
    CHECK_EQUAL(data[2], 6);
    pr_operator_begin(op, &composition, HANDLER);
    pr_operator_add_target(&composition, 1);
    CHECK(pr_operator_add_room(&composition, identity->max_packet) == NULL);
    CHECK_EQUAL(pr_operator_commit(&composition, &sequence), -PR_OPERATOR_TOO_LONG);
}

int main(void)
{
    operator_rules(&full_reliable);
    operator_rules(&full_raw);
    RUN(load_records_stay_with_the_node);
    RUN(refuses_what_cannot_work);
    RUN(room_comes_behind_what_was_added);
    node_end(&node);
    return 0;
}
