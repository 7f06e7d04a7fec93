/* The figures, one by one (CSV) and as tables (Markdown, JSON): a line a case, a column a figure.
 *
 * SPDX-License-Identifier: ISC
 */
#define _DEFAULT_SOURCE /* strsep */

#include "figures.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "support/install_paths.h"

enum { FIGURES_MOST = 1024 };

struct figure {
    struct figure_case subject;
    char name[FIGURE_TEXT], value[32];
};

static struct figure figures[FIGURES_MOST];
static int count;

void figure_add(const struct figure_case *subject, const char *name, double value, int decimals)
{
    struct figure *figure = &figures[count++];
    if (count == FIGURES_MOST)
        figures_die("more than %d figures", FIGURES_MOST);
    figure->subject = *subject;
    snprintf(figure->name, sizeof figure->name, "%s", name);
    snprintf(figure->value, sizeof figure->value, "%.*f", decimals, value);
}

static bool same_case(const struct figure_case *a, const struct figure_case *b)
{
    return strcmp(a->part, b->part) == 0 && strcmp(a->mesh, b->mesh) == 0 && strcmp(a->service, b->service) == 0 &&
           strcmp(a->what, b->what) == 0;
}

void figures_write_csv(FILE *out)
{
    fprintf(out, "part,mesh,service,case,figure,value\n");
    for (int i = 0; i < count; i++)
        fprintf(out, "%s,%s,%s,\"%s\",\"%s\",%s\n", figures[i].subject.part, figures[i].subject.mesh,
                figures[i].subject.service, figures[i].subject.what, figures[i].name, figures[i].value);
}

/* The first figure of each case starts a line. */
static bool starts_line(int index)
{
    return index == 0 || !same_case(&figures[index].subject, &figures[index - 1].subject);
}

void figures_write_json(FILE *out)
{
    cJSON *array = cJSON_CreateArray(), *line = NULL;
    for (int i = 0; i < count; i++) {
        if (starts_line(i)) {
            line = cJSON_CreateObject();
            cJSON_AddItemToArray(array, line);
            cJSON_AddStringToObject(line, "part", figures[i].subject.part);
            cJSON_AddStringToObject(line, "mesh", figures[i].subject.mesh);
            cJSON_AddStringToObject(line, "service", figures[i].subject.service);
            cJSON_AddStringToObject(line, "case", figures[i].subject.what);
        }
        cJSON_AddRawToObject(line, figures[i].name, figures[i].value);
    }
    char *text = cJSON_Print(array);
    if (text)
        fprintf(out, "%s\n", text);
    free(text);
    cJSON_Delete(array);
}

/* MHz of the fabric that a mesh with default settings needs, on an HX8K, as hw/utilisation/report.csv has it; 0 if it
 * has none. */
static double fabric_mhz(void)
{
    char path[4200], line[512];
    double mhz = 0;
    if (install_paths_top(path, 4096) != 0)
        return 0;
    strcat(path, "/hw/utilisation/report.csv");
    FILE *report = fopen(path, "r");
    while (report && mhz == 0 && fgets(line, sizeof line, report)) {
        char *fields[16], *rest = line;
        int used = 0;
        while (used < 16 && rest)
            fields[used++] = strsep(&rest, ",\n");
        if (used >= 10 && strcmp(fields[0], "fabric") == 0 && strcmp(fields[1], "default") == 0 &&
            strcmp(fields[2], "hx8k") == 0 && strcmp(fields[3], "5") == 0 && strcmp(fields[4], "16") == 0)
            mhz = strtod(fields[9], NULL);
    }
    if (report)
        fclose(report);
    return mhz;
}

/* A column of clocks that the fabric's clock rate makes nanoseconds of: what operators on cores take has another one.
 */
static bool has_nanoseconds(const struct figure *figure, double mhz)
{
    bool of_fabric = strcmp(figure->subject.part, "corner") == 0 ||
                     strcmp(figure->name, "multicast complete clocks") == 0;
    return mhz > 0 && of_fabric;
}

static void write_heading(FILE *out, int index, double mhz)
{
    int columns = 0;
    fprintf(out, "| mesh | service | case |");
    for (int i = index; i == index || (i < count && !starts_line(i)); i++) {
        fprintf(out, " %s |", figures[i].name);
        columns++;
        if (has_nanoseconds(&figures[i], mhz)) {
            fprintf(out, " ns at %.0f MHz |", mhz);
            columns++;
        }
    }
    fprintf(out, "\n|---|---|---|");
    while (columns-- > 0)
        fprintf(out, "---:|");
    fprintf(out, "\n");
}

/* Every case of a part has the same columns. */
void figures_write_tables(FILE *out)
{
    double mhz = fabric_mhz();
    fprintf(out, "# Figures\n\nExact: the same in every run. tests/bench/README.md says how each is meant.\n"
                 "`make figures` writes tests/bench/results/figures.md and figures.csv.\n\n");
    for (int i = 0; i < count; i++) {
        bool new_part = i == 0 || strcmp(figures[i].subject.part, figures[i - 1].subject.part) != 0;
        if (new_part) {
            fprintf(out, "%s## %s\n\n", i ? "\n" : "", figures[i].subject.part);
            write_heading(out, i, mhz);
        }
        if (starts_line(i))
            fprintf(out, "| %s | %s | %s |", figures[i].subject.mesh, figures[i].subject.service,
                    figures[i].subject.what);
        fprintf(out, " %s |", figures[i].value);
        if (has_nanoseconds(&figures[i], mhz))
            fprintf(out, " %.0f |", strtod(figures[i].value, NULL) * 1000 / mhz);
        if (i + 1 == count || starts_line(i + 1))
            fprintf(out, "\n");
    }
}
