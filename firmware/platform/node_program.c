/* See node_program.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/node_program.h"

#include "platform/image_limits.h"
#include "platform/platform.h"

static struct pr_platform platform;
static PR_PLATFORM_NOT_CLEARED struct pr_node node;
static PR_PLATFORM_NOT_CLEARED uint32_t memory[PR_NODE_MEMORY_WORDS(PR_POOL_SIZE)];
PR_IMAGE_LIMITS_OF_OPERATOR(PR_PACKET_WORDS, PR_SITES_MAX);
PR_IMAGE_LIMIT(pr_image_routes, 1);
PR_IMAGE_LIMIT(pr_image_relays, 1);

/* Moves bytes between the UART and the console. Each call moves a few bytes, so that the network never waits for
 * long. */
enum { CHUNK = 16 };

struct chunk {
    uint8_t bytes[CHUNK];
    unsigned next, end;
};

static struct chunk input, output;

static bool move_input(void)
{
    if (input.next == input.end) {
        input.next = input.end = 0;
        while (input.end < CHUNK && pr_platform_console_read(&platform, &input.bytes[input.end]))
            input.end++;
    }
    if (input.next == input.end)
        return false;
    input.next += pr_node_console_write(&node, input.bytes + input.next, input.end - input.next);
    return true;
}

/* True while output waits for the UART: no interrupt announces that the UART has room again. */
static bool move_output(void)
{
    if (output.next == output.end) {
        output.next = 0;
        output.end = pr_node_console_read(&node, output.bytes, CHUNK);
    }
    while (output.next < output.end && pr_platform_console_write(&platform, output.bytes[output.next]))
        output.next++;
    return output.end > 0;
}

static void take_load(void *context, const struct pr_delivery *delivery)
{
    pr_platform_take_load(context, delivery->data, delivery->data_words);
}

struct pr_node *pr_node_start_with(uint32_t *own_memory, unsigned buffers)
{
    const struct pr_operator_size size = {buffers, PR_PACKET_WORDS, PR_WINDOW, PR_SITES_MAX};
    pr_platform_start(&platform, PR_PACKET_WORDS);
    if (pr_node_init(&node, platform.interface, &platform.identity, own_memory, &size) != 0)
        pr_platform_end(PR_PLATFORM_TOO_SMALL,
                        "this mesh has longer packets or more sites than the firmware has room for");
    pr_operator_register(&node.op, PR_HANDLER_LOAD, take_load, &platform);
    return &node;
}

struct pr_node *pr_node_start(void)
{
    return pr_node_start_with(memory, PR_POOL_SIZE);
}

/* The part is polled behind the operator, in whose handlers it gets its work. True if there is a clock to wake at. */
static bool next_wake(struct pr_node *running, const struct pr_node_part *part, uint32_t *wake)
{
    uint32_t own;
    bool timed = pr_node_next_wake(running, wake);
    if (!part || !part->next_wake || !part->next_wake(part->context, &own) || (timed && !pr_has_come(*wake, own)))
        return timed;
    *wake = own;
    return true;
}

__attribute__((always_inline)) static inline _Noreturn void run(struct pr_node *running,
                                                                const struct pr_node_part *part)
{
    uint32_t wake = 0;
    for (;;) {
        bool busy = pr_node_poll(running), timed;
        busy |= part && part->poll(part->context);
        busy |= move_input();
        busy |= move_output();
        timed = next_wake(running, part, &wake);
        if (!busy)
            pr_platform_sleep(&platform, timed, wake);
    }
}

void pr_node_run(struct pr_node *running)
{
    run(running, NULL);
}

void pr_node_run_with(struct pr_node *running, const struct pr_node_part *part)
{
    run(running, part);
}
