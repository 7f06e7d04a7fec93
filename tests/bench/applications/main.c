/* An application on the cores of a mesh, as a host uses it, in clocks that are the same in every run: site 0 sends one
 * order after the other, each when the mesh has come to rest. Prints as JSON the words that answer the last one. Only
 * then does the console of site 0 listen: it takes longer for a packet than the application.
 *
 * usage: applications FILE.mesh IMAGE.hex SITES:HANDLER:WORDS...      all:16:1,4000  2,3:17:
 * exit: 0, 1 usage, or no answer
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rtl_engine.h"
#include "mesh/mesh.h"
#include "simulation/simulation.h"
#include "wire/console_frame.h"
#include "wire/console_messages.h"

enum { SITES_MOST = 64, WORDS_MOST = 8, ANSWER = 1, ARGUMENTS = 3, STEP = 1000, LIMIT = 100000000 };

static struct mesh_config mesh;
static struct simulation *simulation;
static struct pr_frames_reader reader;

static _Noreturn void die(const char *text)
{
    fprintf(stderr, "applications: %s\n", text);
    exit(1);
}

/* The numbers of a text that is separated by commas, up to its end or a colon. */
static unsigned read_numbers(const char **text, uint32_t *numbers, unsigned most)
{
    unsigned count = 0;
    char *end;
    for (; **text && **text != ':'; *text = end + (*end == ',')) {
        if (count == most)
            die("an order has too many numbers");
        numbers[count++] = (uint32_t)strtoul(*text, &end, 0);
        if (end == *text || (*end && !strchr(",:", *end)))
            die("expected SITES:HANDLER:WORDS, numbers separated by commas");
    }
    *text += **text == ':';
    return count;
}

static bool show_answer(const struct pr_frame *frame)
{
    static struct pr_message_delivery delivery;
    if (!pr_message_read_delivery(frame, &delivery) || delivery.handler != ANSWER)
        return false;
    printf("{\"source\":%u", delivery.source);
    for (unsigned k = 0; k < delivery.data_words; k++)
        printf(",\"word%u\":%u", k + 1, delivery.data[k]);
    puts("}");
    return true;
}

/* Runs until nothing is under way, or, if `asked`, an answer has come. True: one has. */
static bool run(bool asked)
{
    static struct pr_frame frame;
    uint8_t byte;
    while (!simulation_idle(simulation) || simulation_next_wake(simulation) != UINT64_MAX) {
        if (simulation_clock(simulation) > LIMIT)
            die("the mesh does not come to rest");
        simulation_run(simulation, asked ? 1 : STEP);
        while (simulation_console_read(simulation, 0, &byte, 1))
            if (pr_frames_push(&reader, byte, &frame) == PR_FRAMES_READY && asked &&
                frame.type == PR_CONSOLE_DELIVERED && show_answer(&frame))
                return true;
    }
    return false;
}

static bool request(const struct pr_frame *frame, bool asked)
{
    static uint8_t bytes[PR_FRAMES_WIRE_MAX];
    size_t length = pr_frames_encode(frame, bytes, sizeof bytes);
    if (simulation_console_write(simulation, 0, bytes, length) < length)
        die("the console of site 0 takes no request");
    return run(asked);
}

static bool give_order(const char *text, bool last)
{
    static struct pr_frame frame;
    uint32_t numbers[SITES_MOST], words[WORDS_MOST], handler;
    uint16_t sites[SITES_MOST];
    bool all = strncmp(text, "all:", 4) == 0;
    text += all ? 4 : 0;
    unsigned count = all ? (unsigned)mesh.sites : read_numbers(&text, numbers, SITES_MOST);
    for (unsigned k = 0; k < count; k++)
        sites[k] = (uint16_t)(all ? k : numbers[k]);
    if (read_numbers(&text, &handler, 1) != 1)
        die("expected SITES:HANDLER:WORDS");
    struct pr_message_send send = {.handler = handler, .targets = count, .sites = sites, .data = words};
    send.data_words = read_numbers(&text, words, WORDS_MOST);
    pr_message_send(&frame, &send);
    return request(&frame, last);
}

int main(int argc, char **argv)
{
    static struct pr_frame listen;
    char error[512];
    bool answered = false;
    if (argc <= ARGUMENTS)
        die("expected FILE.mesh, IMAGE.hex and orders");
    if (mesh_config_load(argv[1], &mesh, error, sizeof error) != 0)
        die(error);
    if (mesh.sites > SITES_MOST)
        die("expected at most 64 sites");
    simulation = rtl_engine.create(
        &(struct simulation_options){.mesh = &mesh, .kind = SITE_CORE, .firmware_hex = argv[2], .seed = 1}, error,
        sizeof error);
    if (!simulation)
        die(error);
    pr_frames_reader_init(&reader);
    run(false);
    for (int k = ARGUMENTS; k < argc; k++) {
        if (k == argc - 1 && pr_message_listen(&listen, PR_CONSOLE_LISTEN_DELIVERED))
            request(&listen, false);
        answered = give_order(argv[k], k == argc - 1);
    }
    simulation_destroy(simulation);
    if (!answered)
        die("no answer to the last order");
    return 0;
}
