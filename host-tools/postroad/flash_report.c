/* See flash_report.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "postroad/flash_report.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "libpostroad/client.h"
#include "support/or_abort.h"

enum { BAR_WIDTH = 24 };

static const double redraw_time = 0.1; /* seconds */

/* --- JSON --- */

static const char *result_word(const struct flash_result *result)
{
    if (result->code == EXIT_OK)
        return result->skipped ? "was right" : "written";
    switch (result->code) {
    case EXIT_MISMATCH:
        return "wrong";
    case EXIT_TIMEOUT:
        return "timed out";
    case EXIT_INTERRUPTED:
        return "interrupted";
    default:
        return result->started ? "failed" : "not started";
    }
}

/* What a board that is not well holds, as far as that is known. */
static const char *flash_state(const struct flash_result *result)
{
    if (result->holds == FLASH_HALF_WRITTEN)
        return ", half-written";
    return result->code && result->holds == FLASH_HOLDS_ALL ? ", holds all" : "";
}

static void print_result(cJSON *object, const struct flash_board *board, const struct flash_result *result)
{
    char hex[FLASH_HEX];
    cJSON_AddStringToObject(object, "result", result_word(result));
    cJSON_AddNumberToObject(object, "code", result->code);
    cJSON_AddStringToObject(object, "reason", result->reason);
    cJSON_AddBoolToObject(object, "half_written", result->holds == FLASH_HALF_WRITTEN);
    cJSON_AddBoolToObject(object, "holds_all", result->holds == FLASH_HOLDS_ALL);
    cJSON_AddNumberToObject(object, "attempts", result->attempts);
    cJSON_AddNumberToObject(object, "time_s", result->seconds);
    cJSON_AddStringToObject(object, "build_id", flash_label_hex(board->image->label.build_id, FLASH_BUILD_ID, hex));
    cJSON_AddStringToObject(object, "bitstream_sha256",
                            flash_label_hex(board->image->label.bitstream_hash, FLASH_HASH, hex));
    if (result->answered) {
        cJSON *node = cJSON_AddObjectToObject(object, "node");
        cJSON_AddNumberToObject(node, "site", result->identity.site);
        cJSON_AddNumberToObject(node, "mesh_hash", result->identity.mesh_hash);
        cJSON_AddNumberToObject(node, "links", result->identity.links);
    } else
        cJSON_AddNullToObject(object, "node");
}

static void print_json(const struct flash_report *report, const struct flash_event *event)
{
    static const char *const kinds[] = {"step", "progress", "note", "ended"};
    const struct flash_board *board = &report->boards[event->board];
    cJSON *object = report_object("flash");
    cJSON_AddStringToObject(object, "event", kinds[event->kind]);
    cJSON_AddStringToObject(object, "board", board->name);
    cJSON_AddStringToObject(object, "path", board->device.path);
    cJSON_AddStringToObject(object, "probe", board->probe);
    cJSON_AddStringToObject(object, "text", event->text);
    cJSON_AddNumberToObject(object, "percent", event->percent);
    if (event->kind == FLASH_ENDED)
        print_result(object, board, &report->results[event->board]);
    report_print(object, true);
}

/* --- Bars --- */

static void erase_bars(struct flash_report *report)
{
    char back[32];
    snprintf(back, sizeof back, "\033[%uA\r\033[J", report->count);
    if (report->drawn)
        screen_control(stderr, back);
    report->drawn = false;
}

static void draw_bars(struct flash_report *report)
{
    int width = terminal_width(STDERR_FILENO) - 1;
    erase_bars(report);
    for (unsigned k = 0; k < report->count; k++) {
        const struct flash_report_row *row = &report->rows[k];
        char bar[BAR_WIDTH + 1], line[TABLE_CELL + BAR_WIDTH + FLASH_REPORT_TEXT + 32];
        int filled = row->percent * BAR_WIDTH / 100;
        memset(bar, ' ', BAR_WIDTH);
        memset(bar, '=', (size_t)filled);
        bar[BAR_WIDTH] = 0;
        snprintf(line, sizeof line, "%-12.24s [%s] %3d %% %s", report->boards[k].name, bar, row->percent, row->text);
        fprintf(stderr, "%.*s\n", width, line);
    }
    report->drawn = true;
    report->drawn_last = pr_client_now();
}

static void show_bars(struct flash_report *report, const struct flash_event *event)
{
    struct flash_report_row *row = &report->rows[event->board];
    row->percent = event->percent < 0 ? 0 : event->percent > 100 ? 100 : event->percent;
    row->ended = event->kind == FLASH_ENDED;
    snprintf(row->text, sizeof row->text, "%.*s", FLASH_REPORT_TEXT - 1, event->text);
    if (event->kind != FLASH_PROGRESS || pr_client_now() - report->drawn_last >= redraw_time)
        draw_bars(report);
}

/* --- All --- */

void flash_report_begin(struct flash_report *report, const struct options *options, const struct flash_board *boards,
                        const struct flash_result *results, unsigned count)
{
    *report = (struct flash_report){.options = options, .boards = boards, .results = results, .count = count};
    int height = terminal_height(STDERR_FILENO);
    if (options->json || options->quiet || !terminal_can_draw(STDERR_FILENO) || (height && (int)count >= height))
        return;
    report->rows = or_abort(calloc(count, sizeof *report->rows));
    for (unsigned k = 0; k < count; k++)
        snprintf(report->rows[k].text, sizeof report->rows[k].text, "waits");
}

void flash_report_event(void *context, const struct flash_event *event)
{
    struct flash_report *report = context;
    if (report->options->json)
        print_json(report, event);
    else if (report->rows)
        show_bars(report, event);
    else if (event->kind != FLASH_PROGRESS)
        report_note(report->options, "%s: %s", report->boards[event->board].name, event->text);
}

static const struct table_column columns[] = {
    {"board", 0, false, true},  {"site", 1, false, false},  {"port", 3, false, true},
    {"result", 0, false, true}, {"build", 4, false, true},  {"mesh", 5, false, true},
    {"links", 6, false, false}, {"tries", 7, false, false}, {"s", 2, false, false},
};

enum { CELL_BOARD, CELL_SITE, CELL_PORT, CELL_RESULT, CELL_BUILD, CELL_MESH, CELL_LINKS, CELL_TRIES, CELL_SECONDS };

static void print_table(const struct flash_report *report)
{
    struct table table;
    char hex[FLASH_HEX];
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (unsigned k = 0; k < report->count; k++) {
        const struct flash_board *board = &report->boards[k];
        const struct flash_result *result = &report->results[k];
        table_row(&table, result->code ? STYLE_BAD : STYLE_PLAIN);
        table_cell(&table, CELL_BOARD, "%s", board->name);
        table_cell(&table, CELL_SITE, "%u", (unsigned)board->image->label.site);
        table_cell(&table, CELL_PORT, "%s", *board->probe ? board->probe : board->device.path);
        table_cell(&table, CELL_RESULT, "%s%s", result_word(result), flash_state(result));
        table_cell(&table, CELL_BUILD, "%s", flash_label_hex(board->image->label.build_id, FLASH_BUILD_ID, hex));
        table_cell(&table, CELL_TRIES, "%u", result->attempts);
        table_cell(&table, CELL_SECONDS, "%.1f", result->seconds);
        if (result->answered) {
            table_cell(&table, CELL_MESH, "0x%08x", (unsigned)result->identity.mesh_hash);
            table_cell(&table, CELL_LINKS, "%d", __builtin_popcount(result->identity.links));
        }
    }
    table_print(&table, stdout, report->count, terminal_width(STDOUT_FILENO));
    table_end(&table);
}

static void print_summary(const struct flash_report *report, enum exit_code code)
{
    cJSON *object = report_object("flash"), *half;
    unsigned well = 0;
    for (unsigned k = 0; k < report->count; k++)
        well += report->results[k].code == EXIT_OK;
    cJSON_AddStringToObject(object, "event", "summary");
    cJSON_AddNumberToObject(object, "boards", report->count);
    cJSON_AddNumberToObject(object, "well", well);
    cJSON_AddNumberToObject(object, "code", code);
    half = cJSON_AddArrayToObject(object, "half_written");
    for (unsigned k = 0; k < report->count; k++)
        if (report->results[k].holds == FLASH_HALF_WRITTEN)
            cJSON_AddItemToArray(half, cJSON_CreateString(report->boards[k].name));
    report_print(object, true);
}

void flash_report_end(struct flash_report *report, enum exit_code code)
{
    bool told = !report->rows && !report->options->json && !report->options->quiet; /* line by line */
    erase_bars(report);
    free(report->rows);
    if (report->options->json)
        print_summary(report, code);
    else
        print_table(report);
    for (unsigned k = 0; k < report->count; k++)
        if (report->results[k].code && !told)
            report_error("flash", "%s: %s", report->boards[k].name, report->results[k].reason);
    for (unsigned k = 0; k < report->count; k++)
        if (report->results[k].holds == FLASH_HALF_WRITTEN)
            report_error("flash", "%s is half-written: the next run writes all of it", report->boards[k].name);
}
