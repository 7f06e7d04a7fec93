/* The report as a picture (SVG), and as a page (HTML) that contains the picture and needs no other file. Written here
 * and not by gnuplot: the page is to look the same everywhere, and its numbers are to be found in it by a test.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/latency_report.h"

#include "support/output_file.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 960,
    LABELS = 300, /* of the chart of ranges: where its axis begins */
    ROW = 26,
    AXIS = 40,
    TITLE = 30,
    ROWS_MAX = 60,
    SMALL_WIDTH = 300, /* a histogram */
    SMALL_HEIGHT = 150,
    SMALL_COLUMNS = 3,
    HISTOGRAMS_MAX = 24,
    TICKS = 6
};

static const double microsecond = 1e-6;
static const char colour[] = "#0072b2", accent[] = "#d55e00";

/* An axis of time: seconds from `low` to `high` lie at pixels from `left` on. */
struct axis {
    double low, high, left, width;
};

static double place(const struct axis *axis, double seconds)
{
    double share = (seconds - axis->low) / (axis->high - axis->low);
    return axis->left + axis->width * fmin(fmax(share, 0), 1);
}

static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
}

static void put_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x='%.1f' y='%.1f' text-anchor='%s'>", x, y, anchor);
    put_escaped(out, text);
    fprintf(out, "</text>\n");
}

static void put_line(FILE *out, double x1, double y1, double x2, double y2, const char *stroke, double width)
{
    fprintf(out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='%.1f'/>\n", x1, y1, x2, y2,
            stroke, width);
}

/* 1, 2 or 5 times a power of ten, so that about TICKS fit. */
static double tick_of(double span)
{
    double power = pow(10, floor(log10(span / TICKS))), steps = span / TICKS / power;
    return power * (steps <= 1 ? 1 : steps <= 2 ? 2 : steps <= 5 ? 5 : 10);
}

static void put_axis(FILE *out, const struct axis *axis, double top, double bottom)
{
    double step = tick_of(axis->high - axis->low);
    for (double at = ceil(axis->low / step) * step; at <= axis->high; at += step) {
        char text[32];
        put_line(out, place(axis, at), top, place(axis, at), bottom, "#dddddd", 1);
        snprintf(text, sizeof text, "%.6g", at / microsecond);
        put_text(out, place(axis, at), bottom + 14, "middle", strcmp(text, "-0") == 0 ? "0" : text);
    }
}

/* ---- The chart of ranges: a row for each hop and way. */

static size_t rows_shown(const struct latency_list lists[LATENCY_LISTS])
{
    size_t rows = 0;
    for (int i = 0; i < LATENCY_LISTS; i++)
        rows += lists[i].count;
    return rows < ROWS_MAX ? rows : ROWS_MAX;
}

static double largest(const struct latency_list lists[LATENCY_LISTS])
{
    double most = microsecond;
    for (int i = 0; i < LATENCY_LISTS; i++)
        for (size_t k = 0; k < lists[i].count; k++)
            most = fmax(most, lists[i].rows[k].figures.max.high);
    return most;
}

static void put_range(FILE *out, const struct axis *axis, const struct latency_row *row, double y)
{
    const struct figures *figures = &row->figures;
    double low = place(axis, figures->median.low), high = place(axis, figures->median.high);
    put_line(out, place(axis, figures->min.value), y, place(axis, figures->max.value), y, colour, 2);
    fprintf(out, "<rect x='%.1f' y='%.1f' width='%.1f' height='12' fill='%s' fill-opacity='0.5'/>\n", low, y - 6,
            fmax(high - low, 1), accent);
    put_line(out, place(axis, figures->median.value), y - 8, place(axis, figures->median.value), y + 8, accent, 2);
    put_line(out, place(axis, figures->p99.value), y - 6, place(axis, figures->p99.value), y + 6, colour, 2);
}

static double put_ranges(FILE *out, const struct latency_report *report, const struct latency_list lists[LATENCY_LISTS],
                         double top)
{
    size_t rows = rows_shown(lists), shown = 0;
    struct axis axis = {0, largest(lists), LABELS, WIDTH - LABELS - 30};
    double bottom = top + TITLE + (double)rows * ROW;
    put_text(out, 10, top + 18, "start", "Latency: min to max, median with its interval of 99 %, p99 (us)");
    put_axis(out, &axis, top + TITLE, bottom);
    for (int i = 0; i < LATENCY_LISTS; i++)
        for (size_t k = 0; k < lists[i].count && shown < rows; k++, shown++) {
            double y = top + TITLE + ((double)shown + 0.5) * ROW;
            char text[LATENCY_TEXT];
            latency_row_name(report->analysis->wires, &lists[i].rows[k], text);
            put_text(out, LABELS - 10, y + 4, "end", text);
            put_range(out, &axis, &lists[i].rows[k], y);
        }
    return bottom + AXIS;
}

/* ---- Histograms, beside each other. */

static void put_histogram(FILE *out, const struct latency_report *report, const struct latency_row *row, double left,
                          double top)
{
    const struct figures *figures = &row->figures;
    double bottom = top + SMALL_HEIGHT - AXIS;
    struct axis axis = {figures->bar_from, figures->bar_from + figures->bar_count * figures->bar_width, left,
                        SMALL_WIDTH - 20};
    size_t most = 1;
    char text[LATENCY_TEXT];
    for (unsigned i = 0; i < figures->bar_count; i++)
        most = figures->bars[i] > most ? figures->bars[i] : most;
    latency_row_name(report->analysis->wires, row, text);
    put_text(out, left, top + 12, "start", text);
    put_axis(out, &axis, top + 20, bottom);
    for (unsigned i = 0; i < figures->bar_count; i++) {
        double height = (bottom - top - 20) * (double)figures->bars[i] / (double)most;
        double from = place(&axis, axis.low + i * figures->bar_width);
        fprintf(out, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='%s'/>\n", from, bottom - height,
                axis.width / figures->bar_count, height, colour);
    }
    put_line(out, left, bottom, left + axis.width, bottom, "#000000", 1);
}

static double put_histograms(FILE *out, const struct latency_report *report,
                             const struct latency_list lists[LATENCY_LISTS], double top)
{
    unsigned shown = 0;
    put_text(out, 10, top + 18, "start", "Histograms: packets by latency (us)");
    top += TITLE;
    for (int i = 0; i < LATENCY_LISTS; i++)
        for (size_t k = 0; k < lists[i].count && shown < HISTOGRAMS_MAX; k++, shown++)
            put_histogram(out, report, &lists[i].rows[k], 20 + shown % SMALL_COLUMNS * (double)(SMALL_WIDTH + 10),
                          top + shown / SMALL_COLUMNS * (double)SMALL_HEIGHT);
    return top + (shown + SMALL_COLUMNS - 1) / SMALL_COLUMNS * (double)SMALL_HEIGHT;
}

/* ---- Latency against hops. */

static double put_fit(FILE *out, const struct latency_report *report, double top)
{
    const struct analysis *analysis = report->analysis;
    const struct latency_fit *fit = &analysis->fit;
    enum { HEIGHT = 260 };
    double bottom = top + HEIGHT - AXIS, most = fit->most + 0.5;
    double highest = fmax(fit->intercept.value + most * fit->slope.value, microsecond);
    struct axis across = {0, most, 80, WIDTH - 120};
    if (!fit->valid)
        return top;
    for (size_t i = 0; i < analysis->way_count; i++)
        highest = fmax(highest, analysis->ways[i].figures.mean.value * 1.1);
    put_text(out, 10, top + 18, "start", "Mean latency from end to end against hops, and the fit (us)");
    struct axis up = {0, highest, 0, bottom - top - TITLE};
    double step = tick_of(highest);
    for (double at = 0; at <= highest; at += step) {
        char text[32];
        put_line(out, across.left, bottom - place(&up, at), across.left + across.width, bottom - place(&up, at),
                 "#dddddd", 1);
        snprintf(text, sizeof text, "%.6g", at / microsecond);
        put_text(out, across.left - 8, bottom - place(&up, at) + 4, "end", text);
    }
    for (unsigned hops = 0; hops <= fit->most; hops++) {
        char text[16];
        snprintf(text, sizeof text, "%u", hops);
        put_text(out, place(&across, hops), bottom + 14, "middle", text);
    }
    for (size_t i = 0; i < analysis->way_count; i++)
        fprintf(out, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>\n", place(&across, analysis->ways[i].pair->hops),
                bottom - place(&up, analysis->ways[i].figures.mean.value), colour);
    put_line(out, place(&across, 0), bottom - place(&up, fit->intercept.value), place(&across, most),
             bottom - place(&up, fit->intercept.value + most * fit->slope.value), accent, 2);
    return top + HEIGHT;
}

static void put_svg(FILE *out, const struct latency_report *report)
{
    struct latency_list lists[LATENCY_LISTS];
    latency_lists(report->analysis, lists);
    unsigned histograms = 0;
    for (int i = 0; i < LATENCY_LISTS; i++)
        histograms += (unsigned)lists[i].count;
    histograms = histograms < HISTOGRAMS_MAX ? histograms : HISTOGRAMS_MAX;
    double height = 2 * TITLE + AXIS + (double)rows_shown(lists) * ROW + 270 +
                    (histograms + SMALL_COLUMNS - 1) / SMALL_COLUMNS * (double)SMALL_HEIGHT;
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%.0f' viewBox='0 0 %d %.0f' "
            "font-family='sans-serif' font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
            WIDTH, height, WIDTH, height);
    double top = put_ranges(out, report, lists, 0);
    top = put_fit(out, report, top);
    put_histograms(out, report, lists, top);
    fprintf(out, "</svg>\n");
}

int latency_write_svg(const struct latency_report *report, const char *path, char *error, size_t error_size)
{
    struct output_file output;
    if (output_file_open(&output, path, error, error_size) != 0)
        return -1;
    put_svg(output.file, report);
    return output_file_close(&output, error, error_size);
}

/* ---- The page. */

static void put_cell(FILE *out, const char *text)
{
    fprintf(out, "<td>");
    put_escaped(out, text);
    fprintf(out, "</td>");
}

static void put_figure(FILE *out, const struct figure *figure)
{
    char text[LATENCY_TEXT];
    put_cell(out, latency_figure_text(figure, text));
}

static void put_list(FILE *out, const struct latency_report *report, const struct latency_list *list)
{
    char text[LATENCY_TEXT];
    if (list->count == 0)
        return;
    fprintf(out,
            "<h2>Latency %s</h2>\n<table id='%s'>\n<tr><th>from, to</th><th>hops</th><th>packets</th><th>min</th>"
            "<th>median</th><th>p99</th><th>max</th><th>mean</th>%s</tr>\n",
            list->title, list->key, report->other ? "<th>median less simulated</th>" : "");
    for (size_t i = 0; i < list->count; i++) {
        const struct latency_row *row = &list->rows[i];
        fprintf(out, "<tr>");
        latency_row_name(report->analysis->wires, row, text);
        put_cell(out, text);
        fprintf(out, "<td>%u</td><td>%zu</td>", row->pair->hops, row->figures.count);
        put_figure(out, &row->figures.min);
        put_figure(out, &row->figures.median);
        put_figure(out, &row->figures.p99);
        put_figure(out, &row->figures.max);
        put_figure(out, &row->figures.mean);
        if (report->other) {
            struct compared_row compared = compare_row(report->other, list->key, report->analysis->wires, row);
            put_cell(out, latency_compared_text(&compared.median, text));
        }
        fprintf(out, "</tr>\n");
    }
    fprintf(out, "</table>\n");
}

static void put_page_fit(FILE *out, const struct latency_fit *fit)
{
    if (!fit->valid)
        return;
    fprintf(out, "<h2>Latency against hops</h2>\n<table id='fit'>\n<tr><th>per hop</th><th>intercept</th></tr>\n<tr>");
    put_figure(out, &fit->slope);
    put_figure(out, &fit->intercept);
    fprintf(out, "</tr>\n</table>\n");
}

static void put_clocks(FILE *out, const struct analysis *analysis)
{
    fprintf(out, "<h2>Clocks</h2>\n<table id='clocks'>\n<tr><th>board</th><th>ppm from the analyser's clock</th>"
                 "<th>within</th></tr>\n");
    for (size_t i = 0; i < analysis->clock_count; i++) {
        fprintf(out, "<tr>");
        put_cell(out, analysis->wires->testbed->boards[analysis->clocks[i].board].name);
        fprintf(out, "<td>%+.2f</td><td>%.2f</td></tr>\n", analysis->clocks[i].offset.value,
                analysis->clocks[i].offset.error);
    }
    for (size_t i = 0; i < analysis->unmeasured_count; i++) {
        fprintf(out, "<tr>");
        put_cell(out, analysis->wires->testbed->boards[analysis->unmeasured[i]].name);
        fprintf(out, "<td>not measured</td><td></td></tr>\n");
    }
    fprintf(out,
            "</table>\n<p>The analyser's own clock lies between %+.0f and %+.0f ppm, if all are within %g ppm.</p>\n",
            analysis->slowest, analysis->fastest, analysis->tolerance);
}

static const char style[] = "body{font-family:sans-serif;max-width:1200px;margin:2em auto;padding:0 1em}"
                            "table{border-collapse:collapse;font-size:.8em}th,td{border:1px solid #ccc;padding:4px 8px;"
                            "text-align:right;white-space:nowrap}td:first-child,th:first-child{text-align:left}"
                            ".wide{overflow-x:auto}svg{max-width:100%;height:auto}";

static void put_page(FILE *out, const struct latency_report *report)
{
    const struct analysis *analysis = report->analysis;
    struct latency_list lists[LATENCY_LISTS];
    latency_lists(analysis, lists);
    fprintf(out,
            "<!DOCTYPE html>\n<html lang='en'>\n<head><meta charset='utf-8'><title>Latency</title><style>%s</style>"
            "</head>\n<body>\n<h1>Latency in ",
            style);
    put_escaped(out, report->capture);
    fprintf(out, "</h1>\n<p>%.3g s", analysis->seconds);
    if (!analysis->wires->exact_guessed)
        fprintf(out, " at %g MS/s", 1e-6 / analysis->resolution);
    fprintf(
        out,
        "; edges are exact to %.3g ns. Each figure is followed by how far the truth may lie above and below it, with "
        "99 %%; <i>open</i>: the packets in the capture cannot bound it.</p>\n",
        analysis->resolution * 1e9);
    if (analysis->notes.count)
        fprintf(out, "<h2>Notes</h2>\n<ul id='notes'>\n");
    for (size_t i = 0; i < analysis->notes.count; i++) {
        fprintf(out, "<li>");
        put_escaped(out, analysis->notes.texts[i]);
        fprintf(out, "</li>\n");
    }
    fprintf(out, "%s<div class='wide'>\n", analysis->notes.count ? "</ul>\n" : "");
    for (int i = 0; i < LATENCY_LISTS; i++)
        put_list(out, report, &lists[i]);
    put_page_fit(out, &analysis->fit);
    put_clocks(out, analysis);
    fprintf(out, "</div>\n");
    put_svg(out, report);
    fprintf(out, "</body>\n</html>\n");
}

int latency_write_page(const struct latency_report *report, const char *path, char *error, size_t error_size)
{
    struct output_file output;
    if (output_file_open(&output, path, error, error_size) != 0)
        return -1;
    put_page(output.file, report);
    return output_file_close(&output, error, error_size);
}
