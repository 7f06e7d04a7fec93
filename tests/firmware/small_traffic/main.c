/* An application of the small operator that sends packets by order of its serial line, and reports there what arrives
 * and what becomes of its own packets. A byte with its upper bit set begins an order or a report; the others have seven
 * bits each, the low ones of a value first.
 *
 *   order    SEND + target, words, tag (3)    the data are the tag and `words` words that follow from it
 *            RESTART                          the core alone is reset, as its watchdog would
 *   report   READY, epoch                     it has started
 *            SETTLED, FAILED or REFUSED, tag  of its own packet; SETTLED: acknowledged
 *            DELIVERED, source, words, tag, sum (3)    sum: over all words
 *
 * The host gives an order when it has the report about the one before.
 *
 * SPDX-License-Identifier: ISC
 */
#include "drivers/board.h"
#include "small/small.h"
#include "small_traffic.h"

enum { OUTPUT_BYTES = 128, HANDLER = 7 };

static uint8_t output[OUTPUT_BYTES];
static uint8_t output_begin, output_used; /* the ring of reports */
static uint8_t order[TRAFFIC_ORDER_BYTES], order_length;
static bool has_started, is_underway;
static uint32_t tag_underway, failed_before;

static void move_output(void)
{
    if (output_used == 0 || !port_has_room())
        return;
    port_put_byte(output[output_begin]);
    output_begin = (output_begin + 1) % OUTPUT_BYTES;
    output_used--;
}

/* Waits for the UART if there is no room: no report may be lost. */
static void put(unsigned byte)
{
    while (output_used == OUTPUT_BYTES)
        move_output();
    output[(output_begin + output_used) % OUTPUT_BYTES] = (uint8_t)byte;
    output_used++;
}

static void put_value(uint32_t value)
{
    for (unsigned k = 0; k < TRAFFIC_VALUE_BYTES; k++, value >>= 7)
        put(value & 0x7f);
}

static uint32_t sum_of(const uint32_t *words, unsigned count)
{
    uint32_t sum = 0;
    for (; count > 0; count--)
        sum = traffic_add(sum, *words++);
    return sum;
}

void pr_small_delivered(const struct pr_small_delivery *delivery)
{
    put(TRAFFIC_DELIVERED);
    put(delivery->source);
    put(delivery->data_words - 1);
    put_value(delivery->data[0]);
    put_value(sum_of(delivery->data, delivery->data_words));
}

static void report(unsigned what)
{
    put(what);
    put_value(tag_underway);
    is_underway = false;
}

/* A whole order is in `order`. */
static void obey(void)
{
    static uint32_t data[1 + TRAFFIC_WORDS_MAX];
    unsigned words = order[1] % (TRAFFIC_WORDS_MAX + 1);
    order_length = 0;
    is_underway = true;
    tag_underway = order[2] | (uint32_t)order[3] << 7 | (uint32_t)order[4] << 14;
    for (unsigned k = 0; k <= words; k++)
        data[k] = traffic_word(tag_underway, k);
    failed_before = counter(PR_COUNTER_TARGETS_FAILED);
    if (!pr_small_send(order[0] & TRAFFIC_TARGET_MASK, HANDLER, data, words + 1))
        report(TRAFFIC_REFUSED);
}

static void take_byte(uint8_t byte)
{
    if (byte == TRAFFIC_RESTART)
        pr_mmio_write(PR_BOARD_BASE + PR_BOARD_CONTROL, PR_BOARD_CONTROL_RESTART);
    if (byte >= TRAFFIC_SEND)
        order_length = 0;
    if (order_length < TRAFFIC_ORDER_BYTES)
        order[order_length++] = byte;
}

bool pr_small_poll(void)
{
    if (!has_started) {
        has_started = true;
        put(TRAFFIC_READY);
        put(here.epoch & 0x7f);
    }
    move_output();
    if (order_length < TRAFFIC_ORDER_BYTES && port_has_byte())
        take_byte(port_get_byte());
    if (is_underway && pr_small_can_send())
        report(counter(PR_COUNTER_TARGETS_FAILED) == failed_before ? TRAFFIC_SETTLED : TRAFFIC_FAILED);
    if (!is_underway && order_length == TRAFFIC_ORDER_BYTES && pr_small_can_send())
        obey();
    return output_used > 0;
}
