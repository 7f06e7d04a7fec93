/* What `sigrok-cli --show` prints of an analyser, as it is for real drivers, and mutated: no text does harm. With the
 * sanitizers.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE /* uv.h */
#include "sigrok/sigrok_device.h"

#include <string.h>

#include "check.h"
#include "mutate_text.h"

enum { MUTATIONS = 20000, ROOM = 4096 };

static const char listed[] = "Driver functions:\n    Logic analyzer\nScan options:\n    conn\n"
                             "fx2lafw:conn=1.7 - Saleae Logic with 8 channels: D0 D1 D2 D3 D4 D5 D6 D7\n"
                             "Channel groups:\n    Logic: channels D0 D1\n"
                             "Supported configuration options across all channel groups:\n    continuous: on, off\n"
                             "    limit_samples: 0 (current)\n    samplerate - supported samplerates:\n      20 kHz\n"
                             "      16 MHz\n      24 MHz (current)\n    Supported triggers: 0 1 r f e \n"
                             "    captureratio: 0 (current)\n      48 MHz\n";
static const char stepped[] = "demo - Demo device with 1 channel: D0\n"
                              "    samplerate (10 Hz - 1 MHz in steps of 5 Hz)\n    Maximum number of samples: 16384\n";
static const char failed[] = "sr: fx2lafw: Failed to open device: LIBUSB_ERROR_ACCESS.\nNo devices found.\n";

static struct sigrok_device read_text(const char *driver, const char *text, size_t length)
{
    struct sigrok_device device = {.rate_count = 0};
    char line[FLASH_PROCESS_LINE];
    snprintf(device.driver, sizeof device.driver, "%s", driver);
    for (size_t at = 0; at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t size = end ? (size_t)(end - text) - at : length - at;
        snprintf(line, sizeof line, "%.*s", (int)size, text + at);
        sigrok_device_line(&device, line);
        at += size + 1;
    }
    return device;
}

static void rates_in_a_list(void)
{
    struct sigrok_device device = read_text("fx2lafw:conn=1.7", listed, strlen(listed));
    CHECK(strcmp(device.name, "Saleae Logic") == 0);
    CHECK(sigrok_device_has_channel(&device, "D0") && sigrok_device_has_channel(&device, "D7"));
    CHECK(!sigrok_device_has_channel(&device, "D") && !sigrok_device_has_channel(&device, "D8"));
    CHECK(sigrok_device_samples_at(&device, 20000) && sigrok_device_samples_at(&device, 24000000));
    CHECK(!sigrok_device_samples_at(&device, 48000000)); /* of another property */
    CHECK(strcmp(device.triggers, "01rfe") == 0);
    CHECK_EQUAL(device.samples_max, 0);
}

static void rates_in_steps(void)
{
    struct sigrok_device device = read_text("demo", stepped, strlen(stepped));
    CHECK(strcmp(device.name, "Demo device") == 0 && sigrok_device_has_channel(&device, "D0"));
    CHECK(sigrok_device_samples_at(&device, 10) && sigrok_device_samples_at(&device, 1000000));
    CHECK(!sigrok_device_samples_at(&device, 12) && !sigrok_device_samples_at(&device, 5));
    CHECK(!sigrok_device_samples_at(&device, 1000005));
    CHECK_EQUAL(device.samples_max, 16384);
}

static void more_than_fits(void)
{
    static char text[ROOM];
    size_t used = (size_t)snprintf(text, sizeof text, "    samplerate - supported samplerates:\n");
    for (unsigned k = 1; k <= 2 * SIGROK_RATES; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "      %u Hz\n", k);
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "    Supported triggers: 0 1 r f e o u a b c d g h i j k l m\n");
    struct sigrok_device device = read_text("demo", text, used);
    CHECK_EQUAL(device.rate_count, SIGROK_RATES);
    CHECK_EQUAL(strlen(device.triggers), SIGROK_TRIGGERS - 1);
}

static void another_driver(void)
{
    struct sigrok_device device = read_text("fx2", listed, strlen(listed));
    CHECK(!*device.name);
}

static void reasons(void)
{
    struct sigrok_device device = read_text("fx2lafw", failed, strlen(failed));
    CHECK(!*device.name && strcmp(device.problem, "fx2lafw: Failed to open device: LIBUSB_ERROR_ACCESS.") == 0);
}

static void any_text(void)
{
    static const char *const texts[] = {listed, stepped, failed};
    static char text[ROOM];
    uint64_t state = check_seed();
    for (unsigned k = 0; k < MUTATIONS; k++) {
        const char *from = texts[k % 3];
        size_t length = strlen(from);
        memcpy(text, from, length);
        length = mutate_text(&state, texts, 3, text, length, sizeof text);
        struct sigrok_device device = read_text(k % 2 ? "demo" : "fx2lafw", text, length);
        sigrok_device_samples_at(&device, 24000000);
        sigrok_device_has_channel(&device, "D0");
        CHECK(device.rate_count <= SIGROK_RATES && strlen(device.triggers) < SIGROK_TRIGGERS);
    }
}

int main(void)
{
    RUN(rates_in_a_list);
    RUN(rates_in_steps);
    RUN(more_than_fits);
    RUN(another_driver);
    RUN(reasons);
    RUN(any_text);
    return 0;
}
