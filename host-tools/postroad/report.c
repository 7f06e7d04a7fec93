/* The verb `postroad report`: a run folder of `sim --out` as one page that needs no other file. The page's script
 * (report_page.html) shows the files, which are in the page as they are.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "cli/exit_code.h"
#include "cli/report.h"
#include "postroad/sim_folder.h"
#include "postroad/verbs.h"
#include "support/output_file.h"

enum { ERROR_SIZE = 2 * SIM_PATH };

struct report_options {
    struct options common;
    const char *output; /* or NULL */
};

/* The first three have to be there. */
static const char *const files[] = {"run.json",         "run.mesh",           "table.json",    "replay.json",
                                    "plot-latency.svg", "plot-histogram.svg", "plot-links.svg"};
enum { FILES = sizeof files / sizeof *files, NEEDED = 3 };

/* report_page.html, with a zero behind it. */
extern const char report_page[];
__asm__(".pushsection .rodata\nreport_page:\n.incbin \"host-tools/postroad/report_page.html\"\n"
        ".byte 0\n.popsection");

static void put_file(FILE *out, const char *name, const char *text)
{
    fprintf(out, "<pre hidden id=\"%s\">", name);
    for (; text && *text; text++)
        if (*text == '<' || *text == '&')
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
    fprintf(out, "</pre>\n");
}

/* The files come in front of the script. */
static int write_page(const char *path, char *const texts[FILES], char *error)
{
    const char *script = strstr(report_page, "<script>");
    struct output_file output;
    if (output_file_open(&output, path, error, ERROR_SIZE) != 0)
        return EXIT_TRANSPORT;
    fwrite(report_page, 1, (size_t)(script - report_page), output.file);
    for (int i = 0; i < FILES; i++)
        put_file(output.file, files[i], texts[i]);
    fputs(script, output.file);
    return output_file_close(&output, error, ERROR_SIZE) == 0 ? EXIT_OK : EXIT_TRANSPORT;
}

static int report(const struct options *common)
{
    const struct report_options *options = (const void *)common;
    const struct sim_folder folder = {.path = common->operands[0]};
    char path[SIM_PATH], error[ERROR_SIZE], *texts[FILES];
    int there = 0, code = EXIT_USAGE;
    for (int i = 0; i < FILES; i++)
        texts[i] = sim_folder_read(&folder, files[i]);
    while (there < NEEDED && texts[there])
        there++;
    snprintf(error, sizeof error, "%s: expected a run folder, of postroad sim --out", folder.path);
    if (there == NEEDED) {
        code = write_page(options->output ? options->output : sim_folder_file(&folder, "report.html", path), texts,
                          error);
    } else if (there == NEEDED - 1) {
        code = EXIT_PARTIAL;
        snprintf(error, sizeof error, "%s has no table yet: postroad sim --resume %s makes it", folder.path,
                 folder.path);
    }
    if (code != EXIT_OK)
        report_error("report", "%s", error);
    for (int i = 0; i < FILES; i++)
        free(texts[i]);
    return code;
}

static const struct option_row rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct report_options, output),
     .expected = "a file name",
     .file = FILE_WRITTEN,
     .words = "@file",
     .otherwise = "FOLDER/report.html",
     .help = "the page"},
    {.name = NULL},
};

const struct verb verb_report = {
    .name = "report",
    .operands = "FOLDER",
    .summary = "Shows a run folder of sim as one page: settings, table, pictures, links over time.",
    .manual =
        "Writes what is in a run folder of `sim --out` as one HTML file that needs no other file and no network: what "
        "was run, the table with intervals, the pictures, and a replay of the words on links. The replay is of the first "
        "seed of each point, of meshes with up to 4096 links; draw over its time line to choose a window.",
    .operands_min = 1,
    .operands_max = 1,
    .operand_words = {"@file"},
    .rows = rows,
    .size = sizeof(struct report_options),
    .run = report,
};
