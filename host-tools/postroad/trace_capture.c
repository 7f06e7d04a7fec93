/* postroad trace in a capture. See trace.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/trace.h"

#include "cli/report.h"
#include "cli/table.h"
#include "latency/capture_lines.h"
#include "latency/latency_report.h"
#include "latency/packet_ways.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <unistd.h>

enum { ERROR_SIZE = 1024, TOLERANCE = 100 /* ppm, of oscillators */ };

static const double microsecond = 1e-6;

struct capture_trace {
    const struct options *options;
    const char *capture;
    unsigned from, to; /* sites */
    struct testbed testbed;
    struct wire_traffic traffic;
    struct analysis analysis;
    struct packet_ways ways;
};

/* ---- Times. */

static struct figure start_of(const struct capture_trace *trace, const struct passage *passage)
{
    double value = passage->began.value, error = passage->began.error;
    return analysis_in_seconds(&trace->analysis,
                               (struct figure){.value = value, .low = value - error, .high = value + error});
}

/* Is the time between two passages known? Not if samples are lost between. */
static bool is_known(const struct capture_trace *trace, const struct passage *before, const struct passage *passage)
{
    return before && !wire_pairs_jump_between(&trace->traffic.wires.pairs, before->began.value, passage->began.value);
}

static struct figure time_between(const struct capture_trace *trace, const struct passage *before,
                                  const struct passage *passage)
{
    double value = passage->began.value - before->began.value, error = passage->began.error + before->began.error;
    return analysis_in_seconds(&trace->analysis,
                               (struct figure){.value = value, .low = value - error, .high = value + error});
}

/* ---- Text. */

static const struct table_column columns[] = {
    {.title = "packet"},
    {.title = "try", .rank = 2},
    {.title = "line", .left = true},
    {.title = "to", .left = true, .rank = 3},
    {.title = "start us"},
    {.title = "+-", .rank = 1},
    {.title = "after", .left = true},
    {.title = "words", .rank = 4},
    {.title = "", .left = true},
};
enum {
    TRACE_PACKET,
    TRACE_TRY,
    TRACE_LINE,
    TRACE_TO,
    TRACE_START,
    TRACE_ERROR,
    TRACE_AFTER,
    TRACE_WORDS,
    TRACE_REMARK
};

static void add_times(struct table *table, const struct capture_trace *trace, const struct passage *passage,
                      const struct passage *before)
{
    char text[LATENCY_TEXT];
    struct figure start = start_of(trace, passage);
    table_cell(table, TRACE_START, "%.3f", start.value / microsecond);
    table_cell(table, TRACE_ERROR, "%.3f", (start.high - start.value) / microsecond);
    table_cell(table, TRACE_WORDS, "%u", passage->words);
    table_cell(table, TRACE_REMARK, "%s", passage->aborted ? "aborted" : "");
    if (!is_known(trace, before, passage))
        return;
    struct figure after = time_between(trace, before, passage);
    table_cell(table, TRACE_AFTER, "%s", latency_figure_text(&after, text));
}

/* before: the passage before on this way; NULL: none. */
static void add_row(struct table *table, const struct capture_trace *trace, const struct packet_way *way,
                    const struct way_leg *leg, const struct passage *before)
{
    bool whole = leg->passage && !leg->passage->aborted && way->attempt == 1;
    table_row(table, whole ? STYLE_PLAIN : STYLE_DOUBTFUL);
    if (way->control)
        table_cell(table, TRACE_PACKET, "control");
    else
        table_cell(table, TRACE_PACKET, "%u", way->sequence);
    table_cell(table, TRACE_TRY, "%u", way->attempt);
    table_cell(table, TRACE_LINE, "%s.%s", trace->testbed.boards[leg->board].name, testbed_link_name(leg->link));
    table_cell(table, TRACE_TO, "%s", leg->reader < 0 ? "" : trace->testbed.boards[leg->reader].name);
    if (leg->passage)
        add_times(table, trace, leg->passage, before);
    else
        table_cell(table, TRACE_REMARK, "%s", leg->wire ? "not seen" : "no channel");
}

static void add_rows(struct table *table, const struct capture_trace *trace, const struct packet_way *way)
{
    const struct passage *before = NULL;
    struct way_leg *legs;
    size_t count = packet_ways_legs(&trace->ways, way, &legs);
    for (size_t i = 0; i < count; i++) {
        add_row(table, trace, way, &legs[i], before);
        before = legs[i].passage ? legs[i].passage : before;
    }
    free(legs);
}

static void print_text(const struct capture_trace *trace)
{
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < trace->ways.way_count; i++)
        add_rows(&table, trace, &trace->ways.ways[i]);
    printf("Packets of site %u to site %u in %s, since the capture began; intervals of 99 %%:\n", trace->from,
           trace->to, trace->capture);
    table_print(&table, stdout, table.row_count, terminal_width(STDOUT_FILENO));
    table_end(&table);
}

/* ---- JSON. */

static void add_line(cJSON *list, const struct capture_trace *trace, const struct way_leg *leg,
                     const struct passage *before)
{
    char name[WIRE_NAME];
    cJSON *line = cJSON_CreateObject();
    cJSON_AddItemToArray(list, line);
    snprintf(name, sizeof name, "%s.%s", trace->testbed.boards[leg->board].name, testbed_link_name(leg->link));
    cJSON_AddStringToObject(line, "line", name);
    cJSON_AddItemToObject(line, "channel", leg->wire ? cJSON_CreateString(leg->wire->channel) : cJSON_CreateNull());
    cJSON_AddItemToObject(
        line, "to", leg->reader < 0 ? cJSON_CreateNull() : cJSON_CreateString(trace->testbed.boards[leg->reader].name));
    cJSON_AddBoolToObject(line, "seen", leg->passage != NULL);
    if (!leg->passage)
        return;
    struct figure start = start_of(trace, leg->passage);
    latency_add_figure(line, "start", &start);
    if (is_known(trace, before, leg->passage)) {
        struct figure after = time_between(trace, before, leg->passage);
        latency_add_figure(line, "after", &after);
    }
    cJSON_AddNumberToObject(line, "data_words", leg->passage->words);
    cJSON_AddBoolToObject(line, "broken_off", leg->passage->aborted);
}

static void add_packet(cJSON *packets, const struct capture_trace *trace, const struct packet_way *way)
{
    const struct passage *before = NULL;
    struct way_leg *legs;
    size_t seen = 0, count = packet_ways_legs(&trace->ways, way, &legs);
    cJSON *packet = cJSON_CreateObject(), *lines = cJSON_CreateArray();
    cJSON_AddItemToArray(packets, packet);
    for (size_t i = 0; i < count; i++) {
        add_line(lines, trace, &legs[i], before);
        before = legs[i].passage ? legs[i].passage : before;
        seen += legs[i].passage != NULL;
    }
    cJSON_AddItemToObject(packet, "sequence", way->control ? cJSON_CreateNull() : cJSON_CreateNumber(way->sequence));
    cJSON_AddNumberToObject(packet, "attempt", way->attempt);
    cJSON_AddBoolToObject(packet, "complete", seen == count);
    cJSON_AddItemToObject(packet, "lines", lines);
    free(legs);
}

static void print_json(const struct capture_trace *trace)
{
    cJSON *object = report_object("trace");
    cJSON_AddNumberToObject(object, "from", trace->from);
    cJSON_AddNumberToObject(object, "to", trace->to);
    cJSON_AddStringToObject(object, "capture", trace->capture);
    cJSON *packets = cJSON_AddArrayToObject(object, "packets");
    for (size_t i = 0; i < trace->ways.way_count; i++)
        add_packet(packets, trace, &trace->ways.ways[i]);
    cJSON_AddNumberToObject(object, "left_out", (double)trace->ways.left_out);
    cJSON *notes = cJSON_AddArrayToObject(object, "notes");
    for (size_t i = 0; i < trace->analysis.notes.count; i++)
        cJSON_AddItemToArray(notes, cJSON_CreateString(trace->analysis.notes.texts[i]));
    report_print(object, false);
}

/* ---- What is said beside it. */

/* A packet that was not seen: on which lines it could have been. */
static void note_absence(const struct capture_trace *trace)
{
    struct way_leg *legs;
    size_t count = packet_ways_legs(&trace->ways, NULL, &legs), shown = 0;
    for (size_t i = 0; i < count; i++)
        shown += legs[i].wire != NULL;
    report_error("trace",
                 "%s: no packet of site %u to site %u was seen; the capture shows %zu of the %zu lines between",
                 trace->capture, trace->from, trace->to, shown, count);
    free(legs);
}

static int verdict(const struct capture_trace *trace)
{
    const struct analysis *analysis = &trace->analysis;
    for (size_t i = 0; i < analysis->notes.count; i++)
        report_note(trace->options, "%s", analysis->notes.texts[i]);
    if (trace->ways.left_out)
        report_note(trace->options, "%zu more times a packet was on a line: only the first %d are shown",
                    trace->ways.left_out, PASSAGES_MAX);
    if (analysis->notes.mute == analysis->notes.lines || analysis->notes.misplaced || analysis->notes.contradictory)
        return report_failure(EXIT_MISMATCH, "trace", "%s: %s", trace->capture,
                              analysis->notes.misplaced       ? "a channel shows another line than the testbed says"
                              : analysis->notes.contradictory ? "its channels contradict each other"
                                                              : "no line shows frames of a board link");
    if (trace->ways.way_count)
        return EXIT_OK;
    note_absence(trace);
    return EXIT_PARTIAL;
}

/* ---- The verb. */

static int read_capture(struct capture_trace *trace)
{
    char error[ERROR_SIZE];
    struct wires_watch watch = packet_ways_watch(&trace->ways);
    if (capture_lines_read(trace->capture, &trace->testbed, &watch, &trace->traffic, error, sizeof error) != 0)
        return report_failure(EXIT_USAGE, "trace", "%s", error);
    packet_ways_end(&trace->ways);
    analyse(&trace->analysis, &trace->traffic, TOLERANCE);
    int code = verdict(trace);
    if (trace->options->json)
        print_json(trace);
    else if (trace->ways.way_count)
        print_text(trace);
    analysis_free(&trace->analysis);
    wire_traffic_free(&trace->traffic);
    return code;
}

static bool parse_site(const struct capture_trace *trace, const char *what, const char *text, unsigned *site)
{
    long number, last = trace->testbed.has_mesh ? trace->testbed.mesh.sites - 1 : UINT16_MAX;
    if (!options_number(text, 0, last, &number)) {
        report_error("trace", "%s %s: expected a site, 0 to %ld", what, text, last);
        return false;
    }
    *site = (unsigned)number;
    return true;
}

static int trace_sites(struct capture_trace *trace)
{
    char error[ERROR_SIZE];
    if (!parse_site(trace, "SITE", trace->options->operands[0], &trace->from) ||
        !parse_site(trace, "TARGET", trace->options->operands[1], &trace->to))
        return EXIT_USAGE;
    if (packet_ways_begin(&trace->ways, &trace->testbed, trace->from, trace->to, error, sizeof error) != 0)
        return report_failure(EXIT_USAGE, "trace", "%s", error);
    int code = read_capture(trace);
    packet_ways_free(&trace->ways);
    return code;
}

int trace_capture(const struct trace_options *options)
{
    static struct capture_trace trace; /* large */
    char error[ERROR_SIZE];
    trace = (struct capture_trace){.options = &options->common, .capture = options->capture};
    if (testbed_load(options->testbed, &trace.testbed, error, sizeof error) != 0)
        return report_failure(EXIT_USAGE, "trace", "%s", error);
    int code = trace_sites(&trace);
    testbed_free(&trace.testbed);
    return code;
}
