/* A key-value store. Each key has a home, site key mod sites, which holds its value. Any site may be asked for any key;
 * it keeps a copy of what it has asked the home for, and answers from it until the home invalidates it.
 *
 *     client            site asked                home                       sites with a copy
 *       | GET key           |                      |                                 |
 *       |------------------>| no copy: GET ------->| notes who has a copy            |
 *       |<-- key,value,HOME-|<------- VALUE -------|                                 |
 *       |                   |                      |                                 |
 *       | PUT key,value,... |                      |                                 |
 *       |------------------>| PUT ---------------->| INVALIDATE, a multicast ------->| drops it
 *       |<-- key,value,copies,clocks --------------|<-- acknowledgements (operator) -|
 *
 * The new value is valid, and the client has its answer, when all copies are gone: the event SETTLED says so. Until
 * then the home answers with the old value, of which nobody keeps a copy. So nobody reads the old value once somebody
 * has read the new one. Values have versions, by which a copy is known that arrives behind its own invalidation. A home
 * that works on a write refuses further ones: it answers with the key alone.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/node_program.h"
#include "platform/platform.h"

enum { ANSWER = 1, GET = 16, PUT, VALUE, INVALIDATE };
enum { HOME = 0, COPY = 1 }; /* where the value of an answer comes from */
enum { BUFFERS = 17, KEYS = 32, TARGETS_MOST = 16, MESSAGES = 16, WORDS = 6 };

static PR_PLATFORM_NOT_CLEARED uint32_t memory[PR_NODE_MEMORY_WORDS(BUFFERS)];
static struct pr_node *node;
static unsigned sites, here;
static uint8_t homes[KEYS]; /* a division takes a core long */

static uint16_t values[KEYS], versions[KEYS];   /* the home's; elsewhere the copy's, or the lowest that may be kept */
static bool copied[KEYS];                       /* elsewhere: there is a copy */
static uint8_t holders[KEYS][PR_SITES_MAX / 8]; /* at the home: bits of the sites that may have a copy */

static struct {
    bool busy;
    unsigned key, value, at_once, client, copies;
    uint16_t unsettled[PR_WINDOW]; /* sequence numbers of its invalidations */
    unsigned unsettled_count;
    uint32_t began;
} write; /* that the home works on */

static struct {
    uint16_t site, words[WORDS];
    uint8_t handler, count;
} messages[MESSAGES]; /* wait for room in the send window */
static unsigned first_message, message_count;

static void say(unsigned site, uint8_t handler, const uint32_t *words, unsigned count)
{
    unsigned place = (first_message + message_count) % MESSAGES;
    if (message_count == MESSAGES) {
        pr_console_log(&node->console, 0, "keyvalue: one request too many is dropped");
        return;
    }
    messages[place].site = (uint16_t)site;
    messages[place].handler = handler;
    messages[place].count = (uint8_t)count;
    for (unsigned k = 0; k < count; k++)
        messages[place].words[k] = (uint16_t)words[k];
    message_count++;
}

static bool send_message(void)
{
    struct pr_composition packet;
    if (message_count == 0)
        return false;
    pr_operator_begin(&node->op, &packet, messages[first_message].handler);
    pr_operator_add_target(&packet, messages[first_message].site);
    for (unsigned k = 0; k < messages[first_message].count; k++)
        pr_operator_add_data(&packet, messages[first_message].words[k]);
    if (pr_operator_commit(&packet, NULL) != 0)
        return false;
    first_message = (first_message + 1) % MESSAGES;
    message_count--;
    return true;
}

/* From a client: the key; from the site that it has asked: the key and the client. An answer is the first three words.
 */
static void take_get(void *context, const struct pr_delivery *delivery)
{
    unsigned key = delivery->data[0] % KEYS, client = delivery->data_words == 2 ? delivery->data[1] : delivery->source;
    bool keep = !write.busy || write.key != key;
    const uint32_t words[] = {key, values[key], copied[key] ? COPY : HOME, versions[key], client, keep};
    const uint32_t request[] = {key, client};
    (void)context;
    if (delivery->data_words == 2) {
        holders[key][delivery->source / 8] |= (uint8_t)(keep << delivery->source % 8);
        say(delivery->source, VALUE, words, 6);
    } else if (copied[key] || homes[key] == here) {
        say(client, ANSWER, words, 3);
    } else {
        say(homes[key], GET, request, 2);
    }
}

static void take_value(void *context, const struct pr_delivery *delivery)
{
    const uint32_t *data = delivery->data, key = data[0], version = data[3], keep = data[5];
    (void)context;
    if (keep && (int16_t)(version - versions[key]) >= 0) {
        values[key] = (uint16_t)data[1];
        versions[key] = (uint16_t)version;
        copied[key] = true;
    }
    say(data[4], ANSWER, data, 3);
}

static void take_invalidate(void *context, const struct pr_delivery *delivery)
{
    unsigned key = delivery->data[0], version = delivery->data[1];
    (void)context;
    if ((int16_t)(version - versions[key]) < 0)
        return;
    versions[key] = (uint16_t)(version + 1);
    copied[key] = false;
}

/* From a client: the key, the value, and perhaps how many copies a packet invalidates; from the site that it has asked:
 * and the client. */
static void take_put(void *context, const struct pr_delivery *delivery)
{
    const uint32_t *data = delivery->data;
    unsigned key = data[0] % KEYS, count = delivery->data_words;
    const uint32_t words[] = {key, data[1], count > 2 && data[2] ? data[2] : TARGETS_MOST,
                              count > 3 ? data[3] : delivery->source};
    (void)context;
    if (homes[key] != here) {
        say(homes[key], PUT, words, 4);
    } else if (write.busy) {
        say(words[3], ANSWER, words, 1);
    } else {
        write.busy = true;
        write.key = key;
        write.value = words[1];
        write.at_once = words[2];
        write.client = words[3];
        write.copies = 0;
        write.began = pr_clock_of(&node->op.common.here);
    }
}

static void observe(void *context, const struct pr_operator_event *event)
{
    (void)context;
    for (unsigned k = 0; event->kind == PR_OPERATOR_EVENT_SETTLED && k < write.unsettled_count; k++)
        if (write.unsettled[k] == event->sequence)
            write.unsettled[k] = write.unsettled[--write.unsettled_count];
}

static bool end_write(void)
{
    uint32_t clocks = pr_clock_of(&node->op.common.here) - write.began;
    const uint32_t words[] = {write.key, write.value, write.copies, clocks & UINT16_MAX, clocks >> 16};
    values[write.key] = (uint16_t)write.value;
    versions[write.key]++;
    write.busy = false;
    say(write.client, ANSWER, words, 5);
    return true;
}

/* At most at_once copies with each packet. */
static bool work_on_write(void)
{
    struct pr_target targets[TARGETS_MOST];
    const uint32_t words[] = {write.key, versions[write.key]};
    uint8_t *holds = holders[write.key];
    unsigned count = 0;
    for (unsigned site = 0; site < sites && count < TARGETS_MOST && count < write.at_once; site++)
        if (holds[site / 8] & 1u << site % 8)
            targets[count++] = (struct pr_target){.site = site};
    if (count == 0)
        return write.unsettled_count == 0 && end_write();
    uint16_t *sequence = &write.unsettled[write.unsettled_count];
    if (pr_operator_send(&node->op, targets, count, INVALIDATE, words, 2, sequence) != 0)
        return false;
    write.unsettled_count++;
    write.copies += count;
    while (count-- > 0)
        holds[targets[count].site / 8] &= (uint8_t) ~(1u << targets[count].site % 8);
    return true;
}

static bool poll(void *context)
{
    (void)context;
    return send_message() || (write.busy && work_on_write());
}

int main(void)
{
    static const struct pr_node_part part = {.poll = poll};
    node = pr_node_start_with(memory, BUFFERS);
    here = node->op.common.here.identity->site;
    sites = node->op.common.here.sites;
    for (unsigned key = 0; key < KEYS; key++)
        homes[key] = (uint8_t)(key % sites);
    pr_operator_register(&node->op, GET, take_get, NULL);
    pr_operator_register(&node->op, PUT, take_put, NULL);
    pr_operator_register(&node->op, VALUE, take_value, NULL);
    pr_operator_register(&node->op, INVALIDATE, take_invalidate, NULL);
    pr_operator_observe(&node->op, observe, NULL);
    pr_node_run_with(node, &part);
}
