/* postroad latency: latencies between boards from a logic analyser's capture.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/report.h"
#include "cli/terminal.h"
#include "latency/capture_lines.h"
#include "latency/latency_report.h"
#include "postroad/verbs.h"

#include <cjson/cJSON.h>
#include <unistd.h>

enum { ERROR_SIZE = 1024, TOLERANCE = 100, TOLERANCE_MAX = 1000 };

struct latency_options {
    struct options common;
    const char *testbed, *simulated, *svg, *html;
    long tolerance;
};

static void print_notes(const struct options *options, const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->notes.count; i++)
        report_note(options, "%s", analysis->notes.texts[i]);
}

/* EXIT_MISMATCH: no line can be read, or figures have wrong names. EXIT_PARTIAL: some cannot, or no packet passes two
 * of them or a probe pin. */
static int verdict(const struct latency_options *options, const struct analysis *analysis)
{
    if (analysis->notes.lines && analysis->notes.mute == analysis->notes.lines)
        return report_failure(EXIT_MISMATCH, "latency", "%s: no line shows frames of a board link",
                              options->common.operands[0]);
    if (analysis->notes.contradictory)
        return report_failure(EXIT_MISMATCH, "latency",
                              "%s: its channels contradict each other, so that there are no figures",
                              options->common.operands[0]);
    if (analysis->notes.misplaced)
        return report_failure(EXIT_MISMATCH, "latency",
                              "%s: figures of channels that show another line than %s says have wrong names",
                              options->common.operands[0], options->testbed);
    bool found = analysis->hop_count || analysis->strobe_count;
    if (!found)
        report_note(&options->common, "no packet was seen on one line and then on the next, or at a probe pin");
    return analysis->notes.mute || !found || analysis->traffic->hops.short_hops.count ? EXIT_PARTIAL : EXIT_OK;
}

static int write_files(const struct latency_options *options, const struct latency_report *report)
{
    char error[ERROR_SIZE];
    if ((options->svg && latency_write_svg(report, options->svg, error, sizeof error) != 0) ||
        (options->html && latency_write_page(report, options->html, error, sizeof error) != 0))
        return report_failure(EXIT_TRANSPORT, "latency", "%s", error);
    return EXIT_OK;
}

/* Figures of links of another kind are no prediction. */
static bool is_comparable(const struct latency_options *options, const struct wire_traffic *traffic, const cJSON *other)
{
    int line = comparison_other_links(other, &traffic->wires);
    if (line < 0)
        return true;
    enum line_links links = line_counts_links(&traffic->wires.wires[line].line->counts);
    report_error("latency",
                 "%s: %s has links of the other kind there, here they are %s: nothing is compared, expected "
                 "a simulation of the same testbed",
                 options->simulated, traffic->wires.wires[line].name, line_links_name(links));
    return false;
}

static int show(const struct latency_options *options, const struct wire_traffic *traffic, const cJSON *other)
{
    struct analysis analysis;
    bool comparable = is_comparable(options, traffic, other);
    analyse(&analysis, traffic, (double)options->tolerance);
    struct latency_report report = {options->common.operands[0], &analysis, comparable ? other : NULL};
    int code = verdict(options, &analysis), written = write_files(options, &report);
    if (!comparable)
        code = EXIT_MISMATCH;
    print_notes(&options->common, &analysis);
    if (options->common.json)
        latency_print_json(&report);
    else
        latency_print_text(&report, terminal_width(STDOUT_FILENO));
    analysis_free(&analysis);
    return written == EXIT_OK ? code : written;
}

static int look_at_capture(const struct latency_options *options, const struct testbed *testbed)
{
    static struct wire_traffic traffic;
    char error[ERROR_SIZE];
    cJSON *other = NULL;
    int code = EXIT_USAGE;
    if (options->simulated && !(other = comparison_read(options->simulated, error, sizeof error)))
        return report_failure(EXIT_USAGE, "latency", "%s", error);
    if (capture_lines_read(options->common.operands[0], testbed, NULL, &traffic, error, sizeof error) != 0) {
        report_error("latency", "%s", error);
    } else {
        code = show(options, &traffic, other);
        wire_traffic_free(&traffic);
    }
    cJSON_Delete(other);
    return code;
}

static int run(const struct options *common)
{
    const struct latency_options *options = (const struct latency_options *)(const void *)common;
    struct testbed testbed;
    char error[ERROR_SIZE];
    if (!options->testbed)
        return report_failure(EXIT_USAGE, "latency",
                              "no --testbed: expected the file that names the boards and the analyser's channels");
    if (testbed_load(options->testbed, &testbed, error, sizeof error) != 0)
        return report_failure(EXIT_USAGE, "latency", "%s", error);
    int code = look_at_capture(options, &testbed);
    testbed_free(&testbed);
    return code;
}

static const struct option_row rows[] = {
    {.name = "testbed",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct latency_options, testbed),
     .expected = "a testbed file",
     .file = FILE_READ,
     .words = "@file",
     .help = "boards, cables and the analyser's channels",
     .manual = "The testbed file: boards, cables, and in its section `[analyser]` which line or probe pin each channel "
               "shows. Without that section the capture's channels are called as the lines are, `left.east`."},
    {.name = "simulated",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct latency_options, simulated),
     .expected = "a file",
     .file = FILE_READ,
     .words = "@file",
     .help = "compares with what --json has printed of a simulation's capture",
     .manual = "Compares with what `--json` has printed of another capture, for instance of the same boards in "
               "simulation (`postroad sim --testbed`): the differences, and whether they lie inside of both "
               "uncertainties. Boards there must have links of the same kind: with eager links a hop takes a tenth."},
    {.name = "svg",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct latency_options, svg),
     .expected = "a file name",
     .file = FILE_WRITTEN,
     .words = "@file",
     .help = "writes ranges, histograms and the fit as a picture"},
    {.name = "html",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct latency_options, html),
     .expected = "a file name",
     .file = FILE_WRITTEN,
     .words = "@file",
     .help = "writes the report as one page, picture and all"},
    {.name = "tolerance",
     .kind = OPTION_NUMBER,
     .argument = "PPM",
     OPTION_FIELD(struct latency_options, tolerance),
     .minimum = 1,
     .maximum = TOLERANCE_MAX,
     .initial = "100",
     .help = "how far oscillators may be off",
     .manual = "How far the oscillators of boards and analyser may be off their nominal frequency, in ppm. It "
               "bounds what a nanosecond of the analyser is. A clock that is farther from the others is reported."},
    {.name = NULL},
};

static const char manual[] =
    "Reads a logic analyser's capture (.sr of sigrok, VCD, CSV of sigrok, DSView or Saleae), decodes the lines between boards, "
    "finds each packet on the lines that it passes, and prints how long it took from start bit to start bit: per hop, "
    "and from the first line to the last. Each figure has an interval that contains the truth with 99 %: it follows from "
    "the sample period, the clocks of analyser and boards, which are measured on the frames themselves, visible jitter, "
    "and the number of packets. An end that so few packets cannot bound is called open. The exit code is 3 "
    "if no line can be read, a channel shows another line than the testbed says, the channels cannot be of one "
    "recording, or `--simulated` is of links of another kind, and 4 if a line cannot be read, or no packet passes two "
    "lines or a probe pin.";

static const struct json_key keys[] = {
    {"capture", "text", "file"},
    {"samples_per_second", "samples/s", "rate of the analyser; null: the file does not say it"},
    {"seconds", "seconds", "length of the capture"},
    {"resolution_ns", "ns", "how exact an edge is: a sample, where its length is known"},
    {"hops[].from", "text", "line on which the packets were first; `ends[]` and `strobes[]` have the same keys"},
    {"hops[].to", "text", "line on which they were next; `ends[]`: last"},
    {"hops[].hops", "number", "boards passed between the two"},
    {"hops[].count", "packets", "readings"},
    {"hops[].min.value_ns", "ns", "of the packets in the capture; so is max"},
    {"hops[].median.value_ns", "ns", "of the traffic; so are p99 and mean"},
    {"hops[].median.low_ns", "ns", "lower end of the interval of 99 %; null: open. All figures have it"},
    {"hops[].median.high_ns", "ns", "upper end"},
    {"hops[].resolution_limited", "true or false", "most of the median's interval is the sample period"},
    {"hops[].histogram.from_ns", "ns", "where the first bar begins"},
    {"hops[].histogram.width_ns", "ns", "of a bar"},
    {"hops[].histogram.counts[]", "packets", "in each bar"},
    {"hops[].median_less_simulated.difference_ns", "ns", "`--simulated`: difference; mean_less_simulated too"},
    {"hops[].median_less_simulated.inside", "true or false", "`--simulated`: the intervals overlap"},
    {"ends[].count", "packets", "from the first line of their way to the last"},
    {"strobes[].count", "packets", "from a line or a probe pin to a probe pin"},
    {"fit.per_hop.value_ns", "ns", "slope of end-to-end latency against hops, with low_ns and high_ns"},
    {"fit.intercept.value_ns", "ns", "its intercept, with low_ns and high_ns"},
    {"fit.per_hop_less_simulated.difference_ns", "ns", "`--simulated`: difference of the slopes, with inside"},
    {"clocks[].board", "text", "board"},
    {"clocks[].ppm", "ppm", "its clock against the analyser's; null: it could not be measured"},
    {"clocks[].ppm_error", "ppm", "how far the truth may be from that"},
    {"clocks[].locked", "true or false", "no difference can be seen"},
    {"clocks[].jitter_ns", "ns", "by how much edges are moved, as far as it can be seen"},
    {"analyser_ppm.low", "ppm", "bounds of the analyser's clock against true time, with high"},
    {"lines[].channel", "text", "channel of the capture"},
    {"lines[].line", "text", "line that it shows"},
    {"lines[].links", "text", "`shared` or `eager`, as the board says; null: it has not said it"},
    {"lines[].frames", "frames", "that were found; damaged_frames of them are damaged"},
    {"lines[].packets", "packets", "that were whole; aborted_packets of them were aborted"},
    {"lines[].glitches", "pulses", "too short for a bit"},
    {"probes[].channel", "text", "channel of the capture that shows a probe pin"},
    {"probes[].strobe", "text", "board, port and event"},
    {"probes[].events", "events", "that were seen"},
    {"probes[].matched", "events", "that are of one packet on the captured lines"},
    {"probes[].ambiguous", "events", "that may be of several"},
    {"probes[].strays", "events", "that are of none"},
    {"probes[].missing", "packets", "that came to the board and have no event"},
    {"probes[].unpaired", "events", "of terminators that do not take turns with the heads of their port"},
    {"probes[].disorder", "events", "of heads that do not take turns with those of the next board"},
    {"notes[]", "text", "what is wrong with the capture"},
    {NULL, NULL, NULL},
};

static const struct latency_options defaults = {.tolerance = TOLERANCE};

const struct verb verb_latency = {
    .name = "latency",
    .operands = "CAPTURE",
    .summary = "Latencies between boards from a logic analyser's capture.",
    .manual = manual,
    .operands_min = 1,
    .operands_max = 1,
    .operand_words = {"@file"},
    .common = COMMON_JSON | COMMON_QUIET,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct latency_options),
    .defaults = &defaults,
    .run = run,
};
