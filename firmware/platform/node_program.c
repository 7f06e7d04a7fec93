/* See node_program.h. */
#include "platform/node_program.h"

#include "platform/image_limits.h"
#include "platform/platform.h"

static struct platform platform;
static PLATFORM_NOT_CLEARED struct node node;
static PLATFORM_NOT_CLEARED uint32_t memory[OPERATOR_MEMORY_WORDS(POOL_SIZE, PACKET_WORDS, SITES_MAX)];
IMAGE_LIMITS_OF_OPERATOR(PACKET_WORDS, SITES_MAX);

/* Bytes on their way between the UART and the console; a few at a time, so that the network never waits
 * for long. */
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
        while (input.end < CHUNK && platform_console_read(&platform, &input.bytes[input.end]))
            input.end++;
    }
    if (input.next == input.end)
        return false;
    input.next += node_console_write(&node, input.bytes + input.next, input.end - input.next);
    return true;
}

/* True while something waits: there is no waking for a UART that has room again. */
static bool move_output(void)
{
    if (output.next == output.end) {
        output.next = 0;
        output.end = node_console_read(&node, output.bytes, CHUNK);
    }
    while (output.next < output.end && platform_console_write(&platform, output.bytes[output.next]))
        output.next++;
    return output.end > 0;
}

struct node *node_start(void)
{
    static const struct operator_size size = { POOL_SIZE, PACKET_WORDS, WINDOW, SITES_MAX };

    platform_start(&platform, PACKET_WORDS);
    if (node_init(&node, platform.interface, &platform.identity, memory, &size) != 0)
        platform_end(PLATFORM_TOO_SMALL, "this mesh has longer packets or more sites than the firmware has room for");
    return &node;
}

void node_run(struct node *running)
{
    uint32_t wake = 0;

    for (;;) {
        bool busy = node_poll(running), timed;

        busy |= move_input();
        busy |= move_output();
        timed = node_next_wake(running, &wake);
        if (!busy)
            platform_sleep(&platform, timed, wake);
    }
}
