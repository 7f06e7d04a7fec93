/* Pictures, drawn by gnuplot from a script with its data in it. A picture goes to a temporary name first and
 * is renamed when gnuplot has ended well and the file is complete.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* popen */

#include "batch/sim_plot.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 1024, HISTOGRAM_BARS = 60 };

struct plot {
    FILE *gnuplot;
    char path[PATH_SIZE], temporary[PATH_SIZE + 16];
};

int sim_plot_check(char *error, size_t error_size)
{
    if (system("gnuplot --version >/dev/null 2>&1") == 0)
        return 0;
    snprintf(error, error_size, "--plot needs gnuplot, which cannot be run");
    return -1;
}

/* gnuplot's single quotes: a quote is doubled. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static int plot_open(struct plot *plot, const char *prefix, const char *ending, const char *title, int width,
                     int height, char *error, size_t error_size)
{
    int length = snprintf(plot->path, sizeof plot->path, "%s-%s.svg", prefix, ending);
    if (length < 0 || length >= PATH_SIZE) {
        snprintf(error, error_size, "%s: name too long", prefix);
        return -1;
    }
    snprintf(plot->temporary, sizeof plot->temporary, "%s.new", plot->path);
    plot->gnuplot = popen("gnuplot 2>/dev/null", "w");
    if (!plot->gnuplot) {
        snprintf(error, error_size, "gnuplot: %s", strerror(errno));
        return -1;
    }
    fprintf(plot->gnuplot,
            "set terminal svg size %d,%d enhanced background rgb 'white' font 'sans,12'\nset output ",
            width, height);
    put_quoted(plot->gnuplot, plot->temporary);
    fprintf(plot->gnuplot, "\nset title ");
    put_quoted(plot->gnuplot, title);
    fprintf(plot->gnuplot, " noenhanced\nset border 3\nset tics nomirror\n");
    return 0;
}

/* An SVG file that was cut short has no end tag. */
static bool complete(const char *path)
{
    char tail[32] = "";
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    if (fseek(file, -16, SEEK_END) == 0)
        tail[fread(tail, 1, sizeof tail - 1, file)] = 0;
    fclose(file);
    return strstr(tail, "</svg>") != NULL;
}

static int plot_close(struct plot *plot, char *error, size_t error_size)
{
    fprintf(plot->gnuplot, "set output\n");
    int status = pclose(plot->gnuplot);
    if (status == 0 && complete(plot->temporary) && rename(plot->temporary, plot->path) == 0)
        return 0;
    snprintf(error, error_size, "%s: gnuplot could not write it", plot->path);
    unlink(plot->temporary);
    return -1;
}

int sim_plot_latency(const char *prefix, const struct plot_sample *samples, int count, const char *title,
                     char *error,
                     size_t error_size)
{
    struct plot plot;
    if (plot_open(&plot, prefix, "latency", title, 760, 520, error, error_size) != 0)
        return -1;
    fprintf(plot.gnuplot, "$samples << end\n");
    for (int i = 0; i < count; i++)
        if (samples[i].measured)
            fprintf(plot.gnuplot, "%g %g %g %g %g\n", samples[i].load, samples[i].accepted, samples[i].median,
                    samples[i].mean, samples[i].p99);
    fprintf(plot.gnuplot, "end\n"
            "set xlabel 'offered load (words per site and clock)'\nset ylabel 'latency (clocks)'\n"
            "set y2label 'accepted load'\nset y2tics\nset y2range [0:*]\nset border 11\n"
            "set logscale y\nset grid\nset key top left\n"
            "plot $samples using 1:3 with linespoints lw 2 pt 7 ps 0.5 title 'median', "
            "'' using 1:4 with linespoints lw 2 pt 5 ps 0.5 title 'mean', "
            "'' using 1:5 with linespoints lw 2 pt 9 ps 0.5 title '99 %%', "
            "'' using 1:2 axes x1y2 with lines dt 2 lc 'gray40' title 'accepted load'\n");
    return plot_close(&plot, error, error_size);
}

static void describe(const struct sim_point *point, char *text, size_t size)
{
    snprintf(text, size, "%s, %s, load %.4g", point->mesh->path,
             traffic_pattern_name(point->options->traffic.pattern), point->options->traffic.load);
}

/* Edges of the bars: equally wide, or in equal ratios if the range is too wide for that. Returns how many
 * bars. */
static int choose_bars(uint64_t lowest, uint64_t highest, uint64_t edges[HISTOGRAM_BARS + 1], bool *ratios)
{
    uint64_t width = (highest - lowest) / HISTOGRAM_BARS + 1;
    double ratio = pow((double)(highest + 1) / (double)(lowest ? lowest : 1), 1.0 / HISTOGRAM_BARS);
    int bars = 0;
    *ratios = highest > 30 * (lowest + 1);
    edges[0] = lowest;
    while (bars < HISTOGRAM_BARS && edges[bars] <= highest) {
        uint64_t next = edges[bars] + (*ratios ? (uint64_t)((double)edges[bars] * (ratio - 1)) : width);
        edges[bars + 1] = next > edges[bars] ? next : edges[bars] + 1;
        bars++;
    }
    return bars;
}

static void put_histogram(FILE *out, const char *name, const struct statistics *statistics,
                          const uint64_t *edges,
                          int bars)
{
    fprintf(out, "$%s << end\n", name);
    for (int bar = 0; bar < bars; bar++) {
        double inside = (double)statistics_between(statistics, edges[bar], edges[bar + 1]);
        fprintf(out, "%" PRIu64 " %" PRIu64 " %g\n", edges[bar], edges[bar + 1],
                100 * inside / (double)statistics->count);
    }
    fprintf(out, "end\n");
}

int sim_plot_histogram(const char *prefix, const struct sim_point *point, char *error, size_t error_size)
{
    const struct statistics *latency = &point->result->latency, *network = &point->result->network_latency;
    struct plot plot;
    uint64_t edges[HISTOGRAM_BARS + 1];
    bool ratios;
    char title[PATH_SIZE + 80];
    if (latency->count == 0 || network->count == 0)
        return 0;
    describe(point, title, sizeof title);
    if (plot_open(&plot, prefix, "histogram", title, 760, 420, error, error_size) != 0)
        return -1;
    uint64_t lowest = network->min < latency->min ? network->min : latency->min;
    int bars = choose_bars(lowest, statistics_quantile(latency, 0.995), edges, &ratios);
    put_histogram(plot.gnuplot, "latency", latency, edges, bars);
    put_histogram(plot.gnuplot, "network", network, edges, bars);
    fprintf(plot.gnuplot, "set xlabel 'latency (clocks; the slowest 0.5 %% are not shown)'\n"
            "set ylabel '%% of the deliveries'\nset yrange [0:*]\nset xrange [%g:%" PRIu64 "]\nset grid y\n"
            "set style fill transparent solid 0.5 noborder\n%s"
            "plot $latency using 1:3:1:2:(0):3 with boxxyerror title 'from generation', "
            "$network using 1:3:1:2:(0):3 with boxxyerror title 'in the network'\n",
            ratios && lowest == 0 ? 0.5 : (double)lowest, edges[bars], ratios ? "set logscale x\n" : "");
    return plot_close(&plot, error, error_size);
}

/* Words a clock over one link. */
static double use_of(const struct sim_point *point, int site, int link)
{
    const struct experiment_result *result = point->result;
    double clocks = result->clocks ? (double)result->clocks : 1;
    return result->link_use[site * point->mesh->links + link] / clocks;
}

/* Grid and torus: a line from site to site for each direction, side by side; links round a torus are stubs.
 * */
static void put_links(FILE *out, const struct sim_point *point)
{
    static const int step_x[] = {1, -1, 0, 0}, step_y[] = {0, 0, 1, -1};
    const struct mesh_config *mesh = point->mesh;
    for (int site = 0; site < mesh->sites; site++) {
        int x = site % mesh->size_x, y = site / mesh->size_x;
        for (int link = 0; link < 4; link++) {
            int next = mesh_neighbour(mesh, site, link), dx = step_x[link], dy = step_y[link];
            if (next < 0)
                continue;
            bool beside = next % mesh->size_x == x + dx && next / mesh->size_x == y + dy;
            double length = beside ? 0.64 : 0.3, aside = 0.07;
            fprintf(out, "%g %g %g %g %g\n", x + 0.18 * dx + aside * dy, y + 0.18 * dy - aside * dx,
                    length * dx,
                    length * dy, use_of(point, site, link));
        }
    }
}

static void plot_grid_links(FILE *out, const struct sim_point *point)
{
    const struct mesh_config *mesh = point->mesh;
    double thick = mesh->size_x > 16 || mesh->size_y > 16 ? 1 : 3;
    fprintf(out, "$links << end\n");
    put_links(out, point);
    fprintf(out, "end\n$sites << end\n");
    for (int site = 0; site < mesh->sites; site++)
        fprintf(out, "%d %d %d\n", site % mesh->size_x, site / mesh->size_x, site);
    fprintf(out,
            "end\nset size ratio -1\nset xrange [-0.6:%g]\nset yrange [-0.6:%g]\nunset border\nunset xtics\n"
            "unset ytics\nset key off\n"
            "plot $links using 1:2:3:4:5 with vectors head filled size 0.1,15 lw %g lc palette, "
            "$sites using 1:2 with points pt 7 ps 3 lc rgb '#d0d0d0', "
            "$sites using 1:2:3 with labels font ',9'\n",
            mesh->size_x - 0.4, mesh->size_y - 0.4, thick);
}

/* Hypercube: a field of sites by dimensions. */
static void plot_cube_links(FILE *out, const struct sim_point *point)
{
    const struct mesh_config *mesh = point->mesh;
    fprintf(out, "$links << end\n");
    for (int site = 0; site < mesh->sites; site++)
        for (int link = 0; link < mesh->links; link++)
            fprintf(out, "%d %d %g\n", site, link, use_of(point, site, link));
    fprintf(out, "end\nset xlabel 'site'\nset ylabel 'dimension'\nset key off\nset xrange [-0.5:%g]\n"
            "set yrange [-0.5:%g]\nset ytics 1\nplot $links using 1:2:3 with image\n", mesh->sites - 0.5,
            mesh->links - 0.5);
}

int sim_plot_links(const char *prefix, const struct sim_point *point, char *error, size_t error_size)
{
    const struct mesh_config *mesh = point->mesh;
    bool cube = mesh->topology == MESH_HYPERCUBE;
    struct plot plot;
    char title[PATH_SIZE + 80];
    describe(point, title, sizeof title);
    if (plot_open(&plot, prefix, "links", title, 760, cube ? 320 : 700, error, error_size) != 0)
        return -1;
    fprintf(plot.gnuplot, "set cblabel 'words per clock over a link'\nset cbrange [0:*]\n"
            "set palette defined (0 '#d0d0d0', 1 '#fdae61', 2 '#d73027', 3 '#67001f')\n");
    if (cube)
        plot_cube_links(plot.gnuplot, point);
    else
        plot_grid_links(plot.gnuplot, point);
    return plot_close(&plot, error, error_size);
}
