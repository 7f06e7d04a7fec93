/* The virtual analyser against a plain model of sampling; jitter; the order of changes; failures; options. Read back
 * with the readers of captures; test_capture_sigrok.sh has sigrok's.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analyser/capture_options.h"
#include "analyser/virtual_analyser.h"
#include "capture/capture_read.h"
#include "check.h"
#include "made_captures.h"

enum { CHANNELS = 64, CHANGES = 400, ERROR_SIZE = 1200, NAME_SIZE = 16 };

static const uint64_t nanosecond = 1000000;
static uint64_t state;

struct change {
    uint64_t time;
    unsigned channel;
    bool level;
};

static const char *const *names(void)
{
    static char text[CHANNELS][NAME_SIZE];
    static const char *list[CHANNELS];
    for (unsigned i = 0; i < CHANNELS; i++) {
        snprintf(text[i], NAME_SIZE, "b%u.east", i);
        list[i] = text[i];
    }
    return list;
}

/* Changes 0 to 60 ns apart, now and then a long time; each channel toggles. */
static void draw_changes(struct change *changes, unsigned channels)
{
    bool level[CHANNELS] = {false};
    uint64_t time = 1000;
    for (unsigned i = 0; i < CHANGES; i++) {
        unsigned channel = check_below(&state, channels);
        time += check_below(&state, 60000) * (nanosecond / 1000) + check_below(&state, 1000) +
                (check_below(&state, 100) == 0 ? 400 * 1000 * nanosecond : 0);
        level[channel] = !level[channel];
        changes[i] = (struct change){time, channel, level[channel]};
    }
}

static void write_changes(const char *path, const struct analyser_settings *settings, const struct change *changes,
                          uint64_t end)
{
    char error[ERROR_SIZE] = "";
    struct virtual_analyser *analyser = analyser_create(path, settings, error, sizeof error);
    check(analyser != NULL, "%s", error);
    if (!analyser)
        exit(1);
    for (unsigned i = 0; i < CHANGES; i++)
        analyser_change(analyser, changes[i].time, changes[i].channel, changes[i].level);
    check(access(path, F_OK) != 0, "%s: nothing is there before the end", path);
    check(analyser_close(analyser, end, error, sizeof error) == 0, "%s", error);
}

/* ---- the model: what a sample shows, sample by sample ---- */

struct model {
    long double period; /* femtoseconds */
    const struct change *changes;
    unsigned next;
    uint64_t levels;
};

static uint64_t model_sample(struct model *model, uint64_t sample)
{
    for (; model->next < CHANGES && model->changes[model->next].time <= (long double)sample * model->period;
         model->next++) {
        const struct change *change = &model->changes[model->next];
        uint64_t bit = (uint64_t)1 << change->channel;
        model->levels = change->level ? model->levels | bit : model->levels & ~bit;
    }
    return model->levels;
}

/* Only samples that may be the first behind a change need be looked at. */
static void compare(const char *path, const struct analyser_settings *settings, const struct change *changes, bool vcd)
{
    char error[ERROR_SIZE] = "";
    struct model model = {1e15L / (settings->rate_hz * (1 + settings->ppm * 1e-6L)), changes, 0, 0};
    struct capture *capture = capture_open(path, error, sizeof error);
    check(capture != NULL, "%s", error);
    if (!capture)
        exit(1);
    long double units = vcd ? capture_rate(capture) / settings->rate_hz : 1;
    uint64_t before = model_sample(&model, 0), edges = 0, wrong = 0;
    struct capture_edge edge;
    while (model.next < CHANGES) {
        uint64_t sample = (uint64_t)floorl((long double)changes[model.next].time / model.period);
        uint64_t levels = model_sample(&model, sample);
        if (levels == before)
            levels = model_sample(&model, ++sample);
        for (uint64_t changed = levels ^ before; changed; changed &= changed - 1, edges++) {
            unsigned channel = (unsigned)__builtin_ctzll(changed);
            wrong += capture_next(capture, &edge) != 1 || edge.channel != channel ||
                     edge.level != (levels >> channel & 1) ||
                     edge.sample != (uint64_t)((long double)sample * units + 0.5L);
        }
        before = levels;
    }
    check(!wrong && capture_next(capture, &edge) == 0, "%s: %llu of %llu edges differ from the model %s", path,
          (unsigned long long)wrong, (unsigned long long)edges, capture_error(capture));
    double step = capture_sampling(capture).step;
    check(fabs(step * settings->rate_hz - 1) < 1e-9, "%s: step %g", path, step);
    check(capture_channels(capture) == settings->channels, "%s: %u channels", path, capture_channels(capture));
    check(strcmp(capture_channel_name(capture, settings->channels - 1), settings->names[settings->channels - 1]) == 0,
          "%s: name of the last channel", path);
    capture_close(capture);
    unlink(path);
}

static void samples(void)
{
    static const double rates[] = {24e6, 100e6, 400e6, 500e6, 12.5e6, 1e9}, ppm[] = {0, 37, -1000};
    static const unsigned channels[] = {1, 3, 9, 64};
    struct change changes[CHANGES];
    for (unsigned r = 0; r < sizeof rates / sizeof *rates; r++)
        for (unsigned p = 0; p < sizeof ppm / sizeof *ppm; p++)
            for (unsigned c = 0; c < sizeof channels / sizeof *channels; c++)
                for (int vcd = 0; vcd < 2; vcd++) {
                    struct analyser_settings settings = {
                        .rate_hz = rates[r], .ppm = ppm[p], .channels = channels[c], .names = names()};
                    char about[128];
                    snprintf(about, sizeof about, "%g samples per second, %g ppm, %u channels", rates[r], ppm[p],
                             channels[c]);
                    check_about(about);
                    draw_changes(changes, channels[c]);
                    const char *path = test_path(vcd ? "model.vcd" : "model.sr");
                    write_changes(path, &settings, changes, changes[CHANGES - 1].time + 100 * nanosecond);
                    compare(path, &settings, changes, vcd);
                }
    check_about(NULL);
}

/* Changes that come late by less than the disorder. */
static void disorder(void)
{
    struct change changes[CHANGES], swapped[CHANGES];
    struct analyser_settings settings = {
        .rate_hz = 500e6, .channels = 9, .names = names(), .disorder_fs = 200 * nanosecond};
    draw_changes(changes, settings.channels);
    memcpy(swapped, changes, sizeof swapped);
    for (unsigned i = 0; i + 2 < CHANGES; i += 3)
        if (changes[i].channel != changes[i + 1].channel && changes[i].channel != changes[i + 2].channel &&
            changes[i + 2].time - changes[i].time < settings.disorder_fs) {
            swapped[i] = changes[i + 1];
            swapped[i + 1] = changes[i + 2];
            swapped[i + 2] = changes[i];
        }
    const char *path = test_path("disorder.sr");
    write_changes(path, &settings, swapped, changes[CHANGES - 1].time + 100 * nanosecond);
    compare(path, &settings, changes, false);
}

/* Edges 100 ns apart at 100 GS/s: their distances from where they were have the standard deviation that was asked for.
 */
static void jitter(void)
{
    const double asked = 500;
    const uint64_t apart = 100 * nanosecond;
    struct analyser_settings settings = {
        .rate_hz = 100e9, .jitter_ps = asked, .seed = check_random(&state), .channels = 1, .names = names()};
    char error[ERROR_SIZE] = "";
    const char *path = test_path("jitter.sr");
    enum { EDGES = 2000 };
    struct virtual_analyser *analyser = analyser_create(path, &settings, error, sizeof error);
    CHECK(analyser != NULL);
    for (unsigned i = 1; i <= EDGES; i++)
        analyser_change(analyser, i * apart, 0, i & 1);
    CHECK_EQUAL(analyser_close(analyser, (EDGES + 1) * apart, error, sizeof error), 0);
    struct capture *capture = capture_open(path, error, sizeof error);
    CHECK(capture != NULL);
    struct capture_edge edge;
    double sum = 0, squares = 0;
    unsigned count = 0;
    for (; capture_next(capture, &edge) == 1; count++) {
        double away = (double)edge.sample * 10 - (double)(count + 1) * (double)apart / 1e3;
        sum += away;
        squares += away * away;
    }
    capture_close(capture);
    unlink(path);
    double mean = sum / count, deviation = sqrt(squares / count - mean * mean);
    check(count == EDGES && fabs(mean - 5) < asked * 0.12 && fabs(deviation / asked - 1) < 0.08,
          "%u edges, mean %.1f ps, deviation %.1f ps, expected %.0f", count, mean, deviation, asked);
}

/* Levels at the start are no edges, glitches between samples are not seen. */
static void first_levels_with(uint64_t seed)
{
    char error[ERROR_SIZE] = "", text[400];
    struct analyser_settings settings = {
        .rate_hz = 1e6, .jitter_ps = 1000, .seed = seed, .channels = 2, .names = names()};
    const char *path = test_path("first.sr");
    struct virtual_analyser *analyser = analyser_create(path, &settings, error, sizeof error);
    CHECK(analyser != NULL);
    analyser_change(analyser, 0, 1, true);
    analyser_change(analyser, 2300 * nanosecond, 0, true);
    analyser_change(analyser, 2600 * nanosecond, 0, false);
    analyser_change(analyser, 7500 * nanosecond, 1, false);
    CHECK_EQUAL(analyser_close(analyser, 9100 * nanosecond, error, sizeof error), 0);
    read_as_text(path, text, sizeof text);
    check(strcmp(text, "1000000 b0.east=0 b1.east=1 | 8:b1.east=0 | 10 step 1e-06") == 0, "%s", text);
    unlink(path);
}

static void first_levels(void)
{
    for (uint64_t seed = 0; seed < 8; seed++)
        first_levels_with(seed);
}

/* ---- failures ---- */

static void refusals(void)
{
    static const char *const bad[][2] = {{"x.txt", "ending .sr or .vcd"},
                                         {".sr", "ending .sr or .vcd"},
                                         {"none/x.sr", "No such file or directory"},
                                         {"none/x.vcd", "No such file or directory"}};
    struct analyser_settings settings = {.rate_hz = 1e6, .channels = 1, .names = names()};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char error[ERROR_SIZE] = "";
        check(!analyser_create(i == 1 ? ".sr" : test_path(bad[i][0]), &settings, error, sizeof error) &&
                  strstr(error, bad[i][1]),
              "%s: %s", bad[i][0], error);
    }
}

/* A disk that is full leaves no file, nor what was begun beside it. */
static void full_disk(void)
{
    static const char *const files[] = {"full.sr", "full.vcd"};
    struct rlimit before, small = {.rlim_cur = 512};
    struct change changes[CHANGES];
    char pattern[4096 + 64];
    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    for (unsigned k = 0; k < 2; k++) {
        char error[ERROR_SIZE] = "", path[4096];
        struct analyser_settings settings = {.rate_hz = 1e9, .channels = 64, .names = names()};
        snprintf(path, sizeof path, "%s", test_path(files[k]));
        draw_changes(changes, 64);
        struct virtual_analyser *analyser = analyser_create(path, &settings, error, sizeof error);
        CHECK(analyser != NULL);
        CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &small), 0);
        for (unsigned i = 0; i < CHANGES; i++)
            analyser_change(analyser, changes[i].time, changes[i].channel, changes[i].level);
        int result = analyser_close(analyser, changes[CHANGES - 1].time, error, sizeof error);
        CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &before), 0);
        snprintf(pattern, sizeof pattern, "%s.%ld.new", path, (long)getpid());
        check(result == -1 && strncmp(error, path, strlen(path)) == 0, "%s: %d, %s", files[k], result, error);
        check(access(path, F_OK) != 0 && access(pattern, F_OK) != 0, "%s: nothing is left", files[k]);
    }
}

static void abandoned(void)
{
    struct analyser_settings settings = {.rate_hz = 1e6, .channels = 1, .names = names()};
    char error[ERROR_SIZE] = "";
    const char *path = write_bytes("kept.sr", "before", 6);
    struct virtual_analyser *analyser = analyser_create(path, &settings, error, sizeof error);
    CHECK(analyser != NULL);
    analyser_change(analyser, 5 * nanosecond, 0, true);
    analyser_abandon(analyser);
    FILE *file = fopen(path, "r");
    char text[16] = "";
    CHECK(file != NULL);
    check(fread(text, 1, sizeof text, file) == 6 && strcmp(text, "before") == 0, "the file of before is still there");
    fclose(file);
    unlink(path);
}

static void options(void)
{
    static const char *const bad[][2] = {
        {"", "expected FILE.sr or FILE.vcd"},
        {",rate=1m", "expected FILE.sr or FILE.vcd"},
        {"x.csv", "x.csv: expected a file with the ending .sr or .vcd"},
        {"x.sr,rate=24 m", "rate=24 m: expected samples per second"},
        {"x.sr,rate", "'rate': expected FILE.sr"},
        {"x.sr,ppm=1e6", "ppm=1e6: expected a number from -100000 to 100000"},
        {"x.sr,ppm=nan", "expected a number from -100000"},
        {"x.sr,jitter=1", "jitter=1: expected 0p to 1000n"},
        {"x.sr,jitter=-1p", "expected 0p to 1000n"},
        {"x.sr,jitter=1001n", "expected 0p to 1000n"},
        {"x.sr,colour=red", "'colour': expected FILE.sr"},
        {"x.sr,sites=0-3", "sites=0-3: expected a simulated mesh"},
    };
    struct capture_options parsed;
    char error[ERROR_SIZE] = "";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check(capture_options_parse(bad[i][0], CAPTURE_OF_BOARDS, &parsed, error, sizeof error) == -1 &&
                  strstr(error, bad[i][1]),
              "%s: %s", bad[i][0], error);
    check(capture_options_parse("a b/x.vcd,jitter=1.5n,rate=2.4g,ppm=-7", CAPTURE_OF_BOARDS, &parsed, error,
                                sizeof error) == 0 &&
              strcmp(parsed.path, "a b/x.vcd") == 0 && parsed.rate_hz == 2400000000 && parsed.ppm == -7 &&
              parsed.jitter_ps == 1500,
          "all settings: %s", error);
    check(capture_options_parse("x.sr,sites=0-3+8", CAPTURE_OF_MESH, &parsed, error, sizeof error) == 0 &&
              strcmp(parsed.sites, "0-3+8") == 0 && parsed.rate_hz == 0,
          "sites: %s", error);
}

int main(void)
{
    state = check_seed();
    RUN(samples);
    RUN(disorder);
    RUN(jitter);
    RUN(first_levels);
    RUN(refusals);
    RUN(full_disk);
    RUN(abandoned);
    RUN(options);
    return verdict("test_capture_write");
}
