/* See picture.h. The grid itself is a pattern. Above it lies an element for each line, `busy` and node that changes:
 * what it is in a clock is its class, which SMIL animates, so that a still frame and the animation draw with the same
 * style. Kinds differ in their shapes and not in colour alone; the colours are those of Okabe and Ito.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/picture/picture.h"

#include <string.h>

#include "postman/picture/line.h"

enum {
    PITCH = 60, /* from node to node */
    NODE = 28,
    BIT = 12,
    BUSY = 5, /* the width of its bar */
    MARGIN = 24,
    AXIS = 52,
    LEGEND_ROW = 22,
    LEGEND_WIDTH = 400,
    TICKS_MOST = 10
};

static const double clock_seconds = 0.2;

static const char *const line_classes[LINE_STATES] = {"i", "i", "p0", "p1", "d0", "d1", "o0", "o1"};
static const char *const busy_classes[] = {"i", "b"};
static const char *const node_classes[] = {"i", "r"};

static const char style[] = "<style>text{font:12px sans-serif}.i{visibility:hidden}.b{fill:#000}"
                            ".r{fill:#009e73}"
                            ".p0,.p1{stroke:#0072b2;stroke-width:2;rx:6px}.p0{fill:#fff}.p1{fill:#0072b2}"
                            ".d0,.d1{stroke:#d55e00;stroke-width:2;rx:0}.d0{fill:#fff}.d1{fill:#d55e00}"
                            ".o0,.o1{stroke:#888;stroke-width:2;rx:3px}.o0{fill:#fff}.o1{fill:#888}</style>\n";

struct picture {
    FILE *out;
    const struct trace *trace;
    int frame;
};

/* A rectangle whose class follows a state, one a clock. */
struct track {
    int x, y, width, height;
    const char *const *classes;
    uint8_t states[TRACE_MOST_CLOCKS];
};

static bool changes(const struct track *track, unsigned clock)
{
    return clock == 0 || track->states[clock] != track->states[clock - 1];
}

static void put_animation(const struct picture *picture, const struct track *track)
{
    const struct trace *trace = picture->trace;
    const char *separator = "";
    fprintf(picture->out,
            "<animate attributeName='class' calcMode='discrete' repeatCount='indefinite' dur='%gs' values='",
            trace->clocks * clock_seconds);
    for (unsigned clock = 0; clock < trace->clocks; clock++)
        if (changes(track, clock)) {
            fprintf(picture->out, "%s%s", separator, track->classes[track->states[clock]]);
            separator = ";";
        }
    fprintf(picture->out, "' keyTimes='");
    separator = "";
    for (unsigned clock = 0; clock < trace->clocks; clock++)
        if (changes(track, clock)) {
            fprintf(picture->out, "%s%.6g", separator, (double)clock / trace->clocks);
            separator = ";";
        }
    fprintf(picture->out, "'/>");
}

static void put_rectangle(const struct picture *picture, const struct track *track, unsigned state)
{
    fprintf(picture->out, "<rect class='%s' x='%d' y='%d' width='%d' height='%d'", track->classes[state], track->x,
            track->y, track->width, track->height);
}

/* What is never to be seen is left out. */
static void put_track(const struct picture *picture, const struct track *track)
{
    static const uint8_t never[TRACE_MOST_CLOCKS];
    unsigned clock = picture->frame == PICTURE_ANIMATED ? 0 : (unsigned)picture->frame;
    if (picture->frame != PICTURE_ANIMATED && track->states[clock]) {
        put_rectangle(picture, track, track->states[clock]);
        fprintf(picture->out, "/>\n");
    } else if (picture->frame == PICTURE_ANIMATED && memcmp(track->states, never, picture->trace->clocks) != 0) {
        put_rectangle(picture, track, track->states[clock]);
        fprintf(picture->out, ">");
        put_animation(picture, track);
        fprintf(picture->out, "</rect>\n");
    }
}

/* ---- The mesh. The machine of a dimension has its input, with `busy`, at the side from which its line comes. */

static void put_node(const struct picture *picture, unsigned node)
{
    const struct trace *trace = picture->trace;
    int x = MARGIN + (int)(node % trace->size_x) * PITCH, y = MARGIN + (int)(node / trace->size_x) * PITCH;
    struct track track = {.x = x, .y = y, .width = NODE, .height = NODE, .classes = node_classes};
    line_receives(trace, node, track.states);
    put_track(picture, &track);
    for (enum postman_dimension line = POSTMAN_X; line <= POSTMAN_Y; line++) {
        track = (struct track){.x = x, .y = y, .classes = busy_classes};
        track.width = line == POSTMAN_X ? BUSY : NODE;
        track.height = line == POSTMAN_X ? NODE : BUSY;
        for (unsigned clock = 0; clock < trace->clocks; clock++)
            track.states[clock] = trace_busy(trace, clock, node, line);
        put_track(picture, &track);
        int along = (NODE + PITCH - BIT) / 2, beside = (NODE - BIT) / 2;
        track = (struct track){.width = BIT, .height = BIT, .classes = line_classes};
        track.x = x + (line == POSTMAN_X ? along : beside);
        track.y = y + (line == POSTMAN_X ? beside : along);
        line_states(trace, node, line, track.states);
        put_track(picture, &track);
    }
}

static void put_number(FILE *out, int x, int y, unsigned number)
{
    fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>%u</text>\n", x, y, number);
}

static void put_mesh(const struct picture *picture)
{
    unsigned size_x = picture->trace->size_x, size_y = picture->trace->size_y;
    fprintf(picture->out,
            "<pattern id='node' x='%d' y='%d' width='%d' height='%d' patternUnits='userSpaceOnUse'>"
            "<path d='M%d %dH%dl-5 -3m5 3l-5 3M%d %dV%dl-3 -5m3 5l3 -5' fill='none' stroke='#999'/>"
            "<rect x='.5' y='.5' width='%d' height='%d' fill='#eee' stroke='#666'/></pattern>\n"
            "<rect x='%d' y='%d' width='%u' height='%u' fill='url(#node)'/>\n",
            MARGIN, MARGIN, PITCH, PITCH, NODE, NODE / 2, PITCH, NODE / 2, NODE, PITCH, NODE - 1, NODE - 1, MARGIN,
            MARGIN, size_x * PITCH, size_y * PITCH);
    for (unsigned x = 0; x < size_x; x++)
        put_number(picture->out, MARGIN + (int)x * PITCH + NODE / 2, MARGIN - 8, x);
    for (unsigned y = 0; y < size_y; y++)
        put_number(picture->out, MARGIN / 2, MARGIN + (int)y * PITCH + NODE / 2 + 4, y);
    for (unsigned node = 0; node < size_x * size_y; node++)
        put_node(picture, node);
}

/* ---- Time: in a still frame the clock's number, in the animation an axis with a bar that grows. */

static unsigned tick_of(unsigned clocks)
{
    static const unsigned ticks[] = {1, 2, 5, 10, 20, 50, 100};
    for (unsigned i = 0; i < sizeof ticks / sizeof *ticks; i++)
        if (clocks / ticks[i] <= TICKS_MOST)
            return ticks[i];
    return TRACE_MOST_CLOCKS / TICKS_MOST;
}

static void put_time(const struct picture *picture, int top, int width)
{
    unsigned clocks = picture->trace->clocks, tick = tick_of(clocks);
    if (picture->frame != PICTURE_ANIMATED) {
        fprintf(picture->out, "<text x='%d' y='%d'>clock %d</text>\n", MARGIN, top + AXIS / 3, picture->frame);
        return;
    }
    fprintf(picture->out,
            "<rect x='%d' y='%d' width='0' height='6' fill='#666'><animate attributeName='width' from='0' to='%d' "
            "dur='%gs' repeatCount='indefinite'/></rect>\n<text x='%d' y='%d'>clock</text>\n",
            MARGIN, top, width, clocks * clock_seconds, MARGIN, top + 36);
    for (unsigned clock = 0; clock < clocks; clock += tick)
        put_number(picture->out, MARGIN + (int)((unsigned)width * clock / clocks), top + 20, clock);
}

/* ---- The legend. */

static const struct entry {
    const char *const *classes;
    unsigned states[2]; /* the second one 0: there is one */
    const char *text;
} legend[] = {
    {line_classes, {LINE_PACKET + 1, LINE_PACKET}, "bits 1 and 0 of a packet on its way"},
    {line_classes, {LINE_DEAD + 1, LINE_DEAD}, "bits 1 and 0 of a dead address flit: a flit alone"},
    {line_classes, {LINE_OPEN + 1, LINE_OPEN}, "bits of a flit that the end of the trace cuts"},
    {busy_classes, {1}, "busy: this input takes no packet; one waits or arrives here"},
    {node_classes, {1}, "the node receives the data flits of a packet"},
};

enum { LEGEND = sizeof legend / sizeof *legend };

static void put_legend(const struct picture *picture, int top)
{
    struct track sample = {.x = MARGIN, .y = top, .height = BIT};
    fprintf(picture->out, "<g id='legend'>\n");
    for (const struct entry *entry = legend; entry < legend + LEGEND; entry++, sample.y += LEGEND_ROW) {
        sample.classes = entry->classes;
        for (unsigned i = 0; i < 2 && entry->states[i]; i++) {
            sample.x = MARGIN + (int)i * LEGEND_ROW;
            sample.width = entry->classes == busy_classes ? BUSY : BIT;
            put_rectangle(picture, &sample, entry->states[i]);
            fprintf(picture->out, "/>");
        }
        fprintf(picture->out, "<text x='%d' y='%d'>%s</text>\n", MARGIN + 2 * LEGEND_ROW, sample.y + BIT - 2,
                entry->text);
    }
    fprintf(picture->out, "</g>\n");
}

void picture_write(FILE *out, const struct trace *trace, int frame)
{
    struct picture picture = {out, trace, frame};
    int mesh_width = (int)trace->size_x * PITCH, axis_top = 2 * MARGIN + (int)trace->size_y * PITCH;
    int width = 2 * MARGIN + (mesh_width > LEGEND_WIDTH ? mesh_width : LEGEND_WIDTH);
    int height = axis_top + AXIS + LEGEND * LEGEND_ROW;
    fprintf(out, "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d'>\n", width, height,
            width, height);
    fputs(style, out);
    fprintf(out, "<rect width='100%%' height='100%%' fill='#fff'/>\n");
    put_mesh(&picture);
    put_time(&picture, axis_top, width - 2 * MARGIN);
    put_legend(&picture, axis_top + AXIS);
    fprintf(out, "</svg>\n");
}
