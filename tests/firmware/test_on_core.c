/* The images on verilated sites, with both cores: the example application, the node under console garbage, a trap, a
 * sleep, a mesh the image is too small for, and the clocks of plans for relays. time limit: 600 s
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "console/node.h"
#include "on_core.h"
#include "wire/cobs.h"
#include "wire/crc16.h"

enum { SITES = 16, STEP = 1000, TEXT = 8192 };

static uint64_t random_state;

static char text[SITES][TEXT];
static size_t text_length[SITES];

static struct simulation *start(const char *core, unsigned max_packet, const char *image)
{
    char mesh[256];
    snprintf(mesh, sizeof mesh,
             "[mesh]\nfabric=cutthrough\ntopology=grid\nsize=4x4\nword_width=16\n[site]\ncpu=%s\n"
             "[buffers]\nmax_packet=%u\n",
             core, max_packet);
    memset(text_length, 0, sizeof text_length);
    return start_on_core("test_on_core", mesh, image);
}

static void read_text(struct simulation *simulation)
{
    for (unsigned site = 0; site < SITES; site++) {
        size_t *length = &text_length[site];
        *length += simulation_console_read(simulation, site, (uint8_t *)text[site] + *length, TEXT - *length);
        CHECK(*length < TEXT);
    }
}

/* Until nothing moves any more and no timer runs: what was refused is sent again much later. */
static void run(struct simulation *simulation)
{
    uint64_t clocks = STEP;
    for (unsigned steps = 0; steps < 3 || clocks != 0; steps++) {
        uint64_t wake = simulation_next_wake(simulation), now = simulation_clock(simulation);
        clocks = STEP;
        if (simulation_idle(simulation))
            clocks = wake == UINT64_MAX ? 0 : wake + STEP - now;
        simulation_run(simulation, clocks);
        read_text(simulation);
        CHECK(steps < 100000);
    }
}

static void check_text(unsigned site, const char *expected)
{
    CHECK_EQUAL(text_length[site], strlen(expected));
    CHECK(memcmp(text[site], expected, text_length[site]) == 0);
}

static void hello_greets_all_others(const char *core)
{
    struct simulation *simulation = start(core, 64, "build/firmware/hello.hex");
    uint32_t status;
    run(simulation);
    check_text(0, "");
    for (unsigned site = 1; site < SITES; site++) {
        check_text(site, "!");
        CHECK(!simulation_finished(simulation, (int)site, &status));
    }
    simulation_destroy(simulation);
}

/* Until the program of site 0 has ended. Returns its status. */
static uint32_t run_to_the_end(struct simulation *simulation)
{
    uint32_t status = 0;
    for (unsigned steps = 0; !simulation_finished(simulation, 0, &status); steps++) {
        simulation_run(simulation, STEP);
        CHECK(steps < 20000);
    }
    read_text(simulation);
    return status;
}

static void a_trap_is_reported(const char *core)
{
    struct simulation *simulation = start(core, 64, "build/firmware/trap.hex");
    CHECK_EQUAL(run_to_the_end(simulation), 1);
    CHECK(memcmp(text[0], "\0\r\ntrap: mcause 0000000b mepc 8000", 34) == 0);
    simulation_destroy(simulation);
}

static void a_sleep_ends_at_its_clock(const char *core)
{
    struct simulation *simulation = start(core, 64, "build/firmware/sleep.hex");
    CHECK_EQUAL(run_to_the_end(simulation), 0);
    check_text(0, "\r\nslept\r\n");
    simulation_destroy(simulation);
}

static void relays_are_planned_in_time(const char *core)
{
    struct simulation *simulation = start(core, 64, "build/firmware/relay_plan.hex");
    uint32_t status = run_to_the_end(simulation);
    printf("targets of a plan, its clocks, again:\n%.*s", (int)text_length[0], text[0]);
    CHECK_EQUAL(status, 0);
    simulation_destroy(simulation);
}

static void packets_too_long_for_the_image(const char *core)
{
    struct simulation *simulation = start(core, PR_PACKET_WORDS + 1, "build/firmware/node.hex");
    CHECK_EQUAL(run_to_the_end(simulation), 3);
    check_text(0, "\r\nthis mesh has longer packets or more sites than the firmware has room for\r\n");
    simulation_destroy(simulation);
}

static void write_all(struct simulation *simulation, const uint8_t *bytes, size_t length)
{
    size_t taken;
    for (unsigned steps = 0; length > 0; steps++, bytes += taken, length -= taken) {
        taken = simulation_console_write(simulation, 0, bytes, length);
        simulation_run(simulation, STEP);
        read_text(simulation);
        text_length[0] = 0;
        CHECK(steps < 20000);
    }
}

static size_t make_frame(uint8_t type, uint8_t id, const uint8_t *payload, size_t length, uint8_t *out)
{
    uint8_t raw[256];
    uint16_t crc;
    size_t end;
    raw[0] = type;
    raw[1] = id;
    memcpy(raw + 2, payload, length);
    crc = pr_crc16(raw, length + 2);
    raw[length + 2] = (uint8_t)crc;
    raw[length + 3] = (uint8_t)(crc >> 8);
    out[0] = 0;
    end = 1 + pr_cobs_encode(raw, length + 4, out + 1);
    out[end++] = 0;
    return end;
}

/* Decodes the one frame on site 0's console that is no event: garbage may have made it listen. Returns its length. */
static size_t find_answer(uint8_t *answer)
{
    size_t length, answer_length = 0;
    unsigned answers = 0;
    uint8_t frame[256];
    for (size_t at = 0, begin = 0; at < text_length[0]; at++) {
        if (text[0][at] != 0)
            continue;
        if (at > begin) {
            CHECK(at - begin <= sizeof frame);
            length = pr_cobs_decode((const uint8_t *)text[0] + begin, at - begin, frame);
            CHECK(length != PR_COBS_BAD);
            if (frame[0] < PR_CONSOLE_DELIVERED) {
                answers++;
                answer_length = length;
                memcpy(answer, frame, length);
            }
        }
        begin = at + 1;
    }
    CHECK_EQUAL(answers, 1);
    return answer_length;
}

static void garbage_and_then_a_ping(const char *core, unsigned rounds)
{
    struct simulation *simulation = start(core, 64, "build/firmware/node.hex");
    uint8_t bytes[256], answer[256];
    size_t length;
    uint32_t status;
    for (; rounds > 0; rounds--) {
        length = check_below(&random_state, 40);
        for (size_t k = 0; k < length; k++)
            bytes[k] = (uint8_t)check_random(&random_state);
        if (rounds % 2)
            length = make_frame((uint8_t)check_below(&random_state, PR_CONSOLE_HOLD), 1, bytes, length, bytes + 64);
        write_all(simulation, bytes + (rounds % 2 ? 64 : 0), length);
    }
    run(simulation);
    write_all(simulation, (const uint8_t *)"\0", 1);
    run(simulation);
    text_length[0] = 0;
    write_all(simulation, bytes, make_frame(PR_CONSOLE_PING, 77, (const uint8_t[]){15, 0, 3, 0}, 4, bytes));
    run(simulation);
    CHECK_EQUAL(find_answer(answer), 2 + 15 + 2);
    CHECK_EQUAL(answer[0], PR_CONSOLE_PING | PR_CONSOLE_ANSWER);
    CHECK_EQUAL(answer[1], 77);
    CHECK_EQUAL(answer[2], PR_CONSOLE_OK);
    CHECK_EQUAL(answer[3], 15);
    for (unsigned site = 0; site < SITES; site++)
        CHECK(!simulation_finished(simulation, (int)site, &status));
    simulation_destroy(simulation);
}

/* Every site sends to one at the same time: the UART takes all its events, so none is dropped. */
static void no_event_is_lost_in_a_burst(const char *core)
{
    enum { LISTENER = 5, WORDS = 50, PACKETS = 1, SEND_HEADER = 10, DELIVERED_BYTES = 20 + 4 * WORDS };
    struct simulation *simulation = start(core, 64, "build/firmware/node.hex");
    uint8_t payload[SEND_HEADER + 4 * WORDS] = {7, 0, 1, 0, WORDS, 0, LISTENER}, frame[256];
    size_t length = make_frame(PR_CONSOLE_LISTEN, 1, (const uint8_t[]){1}, 1, frame);
    unsigned events = 0;
    CHECK_EQUAL(simulation_console_write(simulation, LISTENER, frame, length), length);
    run(simulation);
    memset(text_length, 0, sizeof text_length);
    length = make_frame(PR_CONSOLE_SEND, 2, payload, sizeof payload, frame);
    for (unsigned k = 0; k < PACKETS * SITES; k++)
        CHECK_EQUAL(simulation_console_write(simulation, k % SITES, frame, length), length);
    run(simulation);
    for (size_t at = 0, begin = 0; at < text_length[LISTENER]; at++) {
        if (text[LISTENER][at] == 0) {
            events += at - begin >= DELIVERED_BYTES;
            begin = at + 1;
        }
    }
    CHECK_EQUAL(events, PACKETS * SITES);
    simulation_destroy(simulation);
}

int main(void)
{
    static const char *const cores[] = {"vexriscv", "serv"};
    random_state = check_seed();
    for (unsigned k = 0; k < 2; k++) {
        printf("%s\n", cores[k]);
        fflush(stdout);
        hello_greets_all_others(cores[k]);
        a_trap_is_reported(cores[k]);
        a_sleep_ends_at_its_clock(cores[k]);
        packets_too_long_for_the_image(cores[k]);
        garbage_and_then_a_ping(cores[k], k == 0 ? 60 : 6);
    }
    no_event_is_lost_in_a_burst(cores[0]);
    relays_are_planned_in_time(cores[0]);
    return 0;
}
