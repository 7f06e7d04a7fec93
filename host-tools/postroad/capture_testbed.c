/* postroad capture: a logic analyser records the lines of a testbed.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/report.h"
#include "cli/signals.h"
#include "cli/table.h"
#include "postroad/verbs.h"
#include "sigrok/sigrok_capture.h"
#include "sigrok/sigrok_device.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_SIZE = 1024, SHOWN_SIZE = 2 * TESTBED_NAME + 16 };

#define DEFAULT_TIME     1 /* seconds */
#define PATIENCE         60
#define TRIGGER_PATIENCE 600

struct capture_options {
    struct options common;
    const char *file, *trigger;
    double time;
    uint64_t samples;
};

/* A capture, and what is printed of it. */
struct shown {
    const struct capture_options *options;
    struct sigrok_device device;
    struct sigrok_capture capture;
    struct progress progress;
    double seconds;
};

/* The part of the file that says what to capture. */
static bool check_testbed(const struct testbed *testbed, char *reason)
{
    const char *missing = !*testbed->analyser_driver ? "driver, as in driver = fx2lafw"
                          : !testbed->analyser_rate  ? "rate, as in rate = 24m"
                          : !testbed->channel_count  ? "channel, as in D0 = a.east"
                                                     : NULL;
    if (missing)
        snprintf(reason, SIGROK_REASON, "%.300s: no %s in [analyser]", testbed->path, missing);
    return !missing;
}

static const struct testbed_channel *channel_of(const struct testbed *testbed, const char *name, size_t length)
{
    for (unsigned k = 0; k < testbed->channel_count; k++)
        if (strlen(testbed->channels[k].name) == length && memcmp(testbed->channels[k].name, name, length) == 0)
            return &testbed->channels[k];
    return NULL;
}

/* CHANNEL=CONDITION, and more behind commas. */
static bool check_trigger(const struct shown *shown, char *reason)
{
    static const char conditions[] = "01rfe";
    const char *triggers = *shown->device.triggers ? shown->device.triggers : conditions;
    for (const char *at = shown->options->trigger; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t name = strcspn(at, "=,");
        bool shaped = at[name] == '=' && at[name + 1] && strchr(conditions, at[name + 1]) && strchr(",", at[name + 2]);
        if (!shaped || !channel_of(shown->capture.testbed, at, name)) {
            snprintf(reason, SIGROK_REASON,
                     "--trigger=%.100s: expected CHANNEL=CONDITION, a channel of the testbed, and 0, 1, r (rises), f "
                     "(falls) or e (either)",
                     at);
            return false;
        }
        if (!strchr(triggers, at[name + 1])) {
            snprintf(reason, SIGROK_REASON, "--trigger=%.100s: the analyser has no such condition, expected one of %s",
                     at, triggers);
            return false;
        }
    }
    return true;
}

static bool check_device(const struct shown *shown, char *reason)
{
    const struct testbed *testbed = shown->capture.testbed;
    const struct sigrok_device *device = &shown->device;
    for (unsigned k = 0; k < testbed->channel_count; k++)
        if (!sigrok_device_has_channel(device, testbed->channels[k].name)) {
            snprintf(reason, SIGROK_REASON, "%.200s:%d: the analyser has no channel %s, expected one of%.300s",
                     testbed->path, testbed->channels[k].line, testbed->channels[k].name, device->channels);
            return false;
        }
    if (!sigrok_device_samples_at(device, testbed->analyser_rate)) {
        snprintf(reason, SIGROK_REASON,
                 "%.200s: the analyser does not sample at %" PRIu64
                 " Hz; `sigrok-cli --driver %s --show` lists its rates",
                 testbed->path, testbed->analyser_rate, testbed->analyser_driver);
        return false;
    }
    if (device->samples_max && shown->capture.samples > device->samples_max) {
        snprintf(reason, SIGROK_REASON, "%" PRIu64 " samples, expected %" PRIu64 " at most: the analyser holds no more",
                 shown->capture.samples, device->samples_max);
        return false;
    }
    return check_trigger(shown, reason);
}

static void tick(void *context, double elapsed)
{
    struct shown *shown = context;
    progress_show(&shown->progress, (size_t)elapsed, (size_t)ceil(shown->seconds));
}

/* "left.east", "left.probe0 east.head". */
static const char *what_is_seen(const struct testbed *testbed, const struct testbed_channel *channel, char *out)
{
    const char *board = testbed->boards[channel->board].name, *port = testbed_link_name(channel->link);
    if (channel->strobe == TESTBED_LINE)
        snprintf(out, SHOWN_SIZE, "%s.%s", board, port);
    else
        snprintf(out, SHOWN_SIZE, "%s.probe%d %s.%s", board, channel->probe, port,
                 testbed_strobe_name(channel->strobe));
    return out;
}

static void print_json(const struct shown *shown)
{
    const struct sigrok_capture *capture = &shown->capture;
    const struct testbed *testbed = capture->testbed;
    char seen[SHOWN_SIZE];
    cJSON *object = report_object("capture");
    cJSON_AddStringToObject(object, "file", capture->file);
    cJSON_AddStringToObject(object, "analyser", shown->device.name);
    cJSON_AddNumberToObject(object, "rate_hz", (double)testbed->analyser_rate);
    cJSON_AddNumberToObject(object, "samples", (double)capture->came);
    cJSON *channels = cJSON_AddArrayToObject(object, "channels");
    for (unsigned k = 0; k < testbed->channel_count; k++) {
        cJSON *channel = cJSON_CreateObject();
        cJSON_AddStringToObject(channel, "name", testbed->channels[k].name);
        cJSON_AddStringToObject(channel, "shows", what_is_seen(testbed, &testbed->channels[k], seen));
        cJSON_AddNumberToObject(channel, "edges", (double)capture->edges[k]);
        cJSON_AddItemToArray(channels, channel);
    }
    report_print(object, false);
}

static void print_text(const struct shown *shown)
{
    static const struct table_column columns[] = {
        {"channel", 0, false, true}, {"shows", 0, false, true}, {"edges", 0, false, false}};
    const struct sigrok_capture *capture = &shown->capture;
    const struct testbed *testbed = capture->testbed;
    char seen[SHOWN_SIZE];
    struct table table;
    printf("captured: %s, %" PRIu64 " samples, %g s at %g MHz\n", capture->file, capture->came,
           (double)capture->came / (double)testbed->analyser_rate, (double)testbed->analyser_rate / 1e6);
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (unsigned k = 0; k < testbed->channel_count; k++) {
        table_row(&table, STYLE_PLAIN);
        table_cell(&table, 0, "%s", testbed->channels[k].name);
        table_cell(&table, 1, "%s", what_is_seen(testbed, &testbed->channels[k], seen));
        table_cell(&table, 2, "%" PRIu64, capture->edges[k]);
    }
    table_print(&table, stdout, table.row_count, 0);
    table_end(&table);
    printf("latencies: postroad latency %s --testbed %s\n", capture->file, testbed->path);
}

/* False: none has ever changed, so the file shows nothing. */
static bool note_silent_channels(const struct shown *shown)
{
    unsigned silent = 0;
    const struct testbed *testbed = shown->capture.testbed;
    char seen[SHOWN_SIZE];
    for (unsigned k = 0; k < testbed->channel_count; k++)
        if (!shown->capture.edges[k]) {
            report_note(&shown->options->common, "channel %s (%s) has never changed: is it connected?",
                        testbed->channels[k].name, what_is_seen(testbed, &testbed->channels[k], seen));
            silent++;
        }
    if (silent == testbed->channel_count)
        report_error("capture", "no channel has changed: there is nothing in %s", shown->capture.file);
    return silent < testbed->channel_count;
}

static enum exit_code record(struct shown *shown, char *reason)
{
    const struct options *common = &shown->options->common;
    report_note(common, "%s: %g s at %g MHz%s%s", shown->device.name, shown->seconds,
                (double)shown->capture.testbed->analyser_rate / 1e6, shown->options->trigger ? ", from " : "",
                shown->options->trigger ? shown->options->trigger : "");
    progress_begin(&shown->progress, common, "seconds", 0);
    enum exit_code code = sigrok_capture(&shown->capture, reason);
    progress_end(&shown->progress);
    return code;
}

static int capture_testbed(const struct capture_options *options, const struct testbed *testbed)
{
    struct shown shown = {.options = options};
    char reason[SIGROK_REASON];
    double rate = (double)testbed->analyser_rate;
    double patience = options->common.timeout >= 0 ? options->common.timeout
                      : options->trigger           ? TRIGGER_PATIENCE
                                                   : PATIENCE;
    if (!check_testbed(testbed, reason) || !sigrok_capture_may_write(options->file, reason))
        return report_failure(EXIT_USAGE, "capture", "%s", reason);
    shown.capture = (struct sigrok_capture){.testbed = testbed,
                                            .file = options->file,
                                            .trigger = options->trigger,
                                            .samples = options->samples ? options->samples
                                                                        : (uint64_t)ceil(options->time * rate),
                                            .tick = tick,
                                            .context = &shown};
    shown.seconds = (double)shown.capture.samples / rate;
    shown.capture.limit = shown.seconds + patience;
    snprintf(shown.device.driver, sizeof shown.device.driver, "%s", testbed->analyser_driver);
    enum exit_code code = sigrok_device_find(&shown.device, reason);
    if (!code && !check_device(&shown, reason))
        code = EXIT_USAGE;
    if (!code)
        code = record(&shown, reason);
    if (code)
        return report_failure(code, "capture", "%s", reason);
    bool any = note_silent_channels(&shown);
    if (options->common.json)
        print_json(&shown);
    else if (!options->common.quiet)
        print_text(&shown);
    return any ? EXIT_OK : EXIT_PARTIAL;
}

static int run(const struct options *common)
{
    const struct capture_options *options = (const void *)common;
    struct testbed testbed;
    char error[ERROR_SIZE];
    if (!options->file || !*options->file)
        return report_failure(EXIT_USAGE, "capture", "expected --output FILE.sr");
    if (options->samples && options->time > 0)
        return report_failure(EXIT_USAGE, "capture", "--time and --samples, expected one of them");
    if (testbed_load(common->operands[0], &testbed, error, sizeof error) != 0)
        return report_failure(EXIT_USAGE, "capture", "%s", error);
    struct capture_options complete = *options;
    if (!complete.samples && complete.time <= 0)
        complete.time = DEFAULT_TIME;
    signals_block();
    int code = capture_testbed(&complete, &testbed);
    testbed_free(&testbed);
    return code;
}

static const struct option_row rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct capture_options, file),
     .expected = "a file",
     .file = FILE_WRITTEN,
     .words = "@file",
     .help = "the file to write, FILE.sr"},
    {.name = "time",
     .kind = OPTION_SECONDS,
     .argument = "SECONDS",
     OPTION_FIELD(struct capture_options, time),
     .minimum = 1,
     .otherwise = OPTION_CONSTANT(DEFAULT_TIME),
     .help = "capture for so long"},
    {.name = "samples",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct capture_options, samples),
     .minimum = 1,
     .maximum = 1000000000000,
     .help = "capture so many samples"},
    {.name = "trigger",
     .kind = OPTION_TEXT,
     .argument = "CHANNEL=CONDITION",
     OPTION_FIELD(struct capture_options, trigger),
     .expected = "a channel and 0, 1, r, f or e",
     .otherwise = "at once",
     .help = "begin when the channel is 0 or 1, rises (r), falls (f), either (e)",
     .manual =
         "Begins when the channel is 0 or 1, rises (`r`), falls (`f`) or does either (`e`); several behind "
         "commas: when all hold. Some drivers count the samples before the trigger, so that fewer come: three quarters "
         "have to."},
    {OPTION_TIMEOUT, .otherwise = OPTION_CONSTANT(PATIENCE) ", with --trigger " OPTION_CONSTANT(TRIGGER_PATIENCE),
     .help = "give up when nothing has come for the time of the capture and so long"},
    {.name = NULL},
};

static const char manual[] =
    "Records what the section [analyser] of <TESTBED> names: its logic analyser (`driver`, as sigrok-cli takes it) "
    "samples the channels at `rate`. sigrok-cli does it, of Debian's package `sigrok-cli`; analysers with an FX2 chip "
    "need `sigrok-firmware-fx2lafw`, too.\n"
    "The analyser is looked for, and its rates and channels are compared with the testbed, before anything is "
    "recorded. What came is read as a whole: rate, channels, number of samples. Only then the file is there. Its "
    "channels have the names of the testbed's keys (`D0`). A channel that never changes is reported; if none changes the "
    "exit status is 4.";

static const struct json_key keys[] = {
    {"file", "text", "the capture"},
    {"analyser", "text", "as its driver names it"},
    {"rate_hz", "hertz", "samples per second"},
    {"samples", "number", "samples of each channel"},
    {"channels[].name", "text", "of the analyser"},
    {"channels[].shows", "text", "line, or probe pin and strobe"},
    {"channels[].edges", "number", "changes of its level"},
    {NULL, NULL, NULL},
};

const struct verb verb_capture = {
    .name = "capture",
    .operands = "TESTBED",
    .summary = "Records the lines of a testbed with a logic analyser.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = 1,
    .operand_words = {"@file"},
    .common = COMMON_JSON | COMMON_QUIET,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct capture_options),
    .run = run,
};
