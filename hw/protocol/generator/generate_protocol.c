/*
 * generate_protocol: writes the constants of links, packets and registers from their data files, as Verilog, C,
 * Python, Lua and a manual. SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator/console_emit.h"
#include "generator/disciplines.h"
#include "generator/protocol_emit.h"

enum { EXIT_USAGE = 1, EXIT_TRANSPORT = 2, EXIT_STALE = 3 };

static const char usage[] =
    "usage: generate_protocol [--check] [--data DIR] [--walk FILE]\n"
    "       generate_protocol --print registers|console|python|lua\n"
    "       generate_protocol --disciplines OUT ROW...\n"
    "       generate_protocol --check-rows ROW...\n"
    "       generate_protocol --parameters WORD_WIDTH ROW [torus] [SECTION.KEY=VALUE]...\n"
    "  writes DIR/protocol.vh, protocol.h, straps.vh, node_id_straps.vh, straps.h and console_protocol.h from DIR/*.ini\n"
    "  --check      write nothing: exit status 3 if one of them is not what would be written\n"
    "  --data DIR   where the data files are (default hw/protocol)\n"
    "  --walk FILE  also write the table for the register walk\n"
    "  --print      the manual's tables of links, packets and registers, or of console frames; the constants of links and\n"
    "               packets for the decoders of sigrok, or those of console frames for Wireshark's dissector\n"
    "  --disciplines OUT ROW...  write the C table of these rows (discipline.ini), and NAME.vh beside each\n"
    "  --check-rows ROW...  exit status 3 if one of the files NAME.vh is not what would be written\n"
    "  --parameters WORD_WIDTH ROW [torus] [SECTION.KEY=VALUE]...  print the parameters of a site with this discipline,\n"
    "               NAME=VALUE; the keys decide OWN, or own=OWN in their place\n"
    "exit status: 0 ok, 1 usage or data, 2 a file cannot be written, 3 a generated file is stale\n";

typedef void protocol_emitter(const struct protocol_model *model, FILE *out);

static int usage_error(const char *reason, const char *argument)
{
    fprintf(stderr, "generate_protocol: %s: '%s'\n%s", reason, argument, usage);
    return EXIT_USAGE;
}

static char *emit_to_memory(protocol_emitter *emit, const struct protocol_model *model, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    emit(model, out);
    return fclose(out) ? NULL : text;
}

static int same_as_file(const char *path, const char *text, size_t size)
{
    FILE *in = fopen(path, "rb");
    int same = in != NULL;
    for (size_t i = 0; same && i < size; i++)
        same = fgetc(in) == (unsigned char)text[i];
    same = same && fgetc(in) == EOF;
    if (in)
        fclose(in);
    return same;
}

static int write_file(const char *path, const char *text, size_t size)
{
    FILE *out = fopen(path, "wb");
    if (out && fwrite(text, 1, size, out) == size && fclose(out) == 0)
        return 0;
    perror(path);
    return EXIT_TRANSPORT;
}

/* Writes `path`, or compares with it. A file that would not change keeps its time stamp. */
static int place(const char *path, const char *text, size_t size, int check)
{
    if (!text) {
        fprintf(stderr, "generate_protocol: out of memory for %s\n", path);
        return EXIT_TRANSPORT;
    }
    if (same_as_file(path, text, size))
        return 0;
    if (check)
        fprintf(stderr, "%s: stale: run build/generate_protocol\n", path);
    return check ? EXIT_STALE : write_file(path, text, size);
}

static int produce(const char *path, protocol_emitter *emit, const struct protocol_model *model, int check)
{
    size_t size;
    char *text = emit_to_memory(emit, model, &size);
    int status = place(path, text, size, check);
    free(text);
    return status;
}

static int load(const char *data, struct protocol_model *model, struct protocol_model *console)
{
    char error[1200];
    if (!protocol_model_load(data, model, error, sizeof error) && !console_load(data, console, error, sizeof error))
        return 0;
    fprintf(stderr, "%s\n", error);
    return EXIT_USAGE;
}

struct output {
    const char *name;
    protocol_emitter *emit;
    const struct protocol_model *model;
};

static int print(const char *name)
{
    static struct protocol_model model, console;
    static const struct output outputs[] = {
        {"registers", protocol_emit_manual, &model},
        {"console", console_emit_manual, &console},
        {"python", protocol_emit_python, &model},
        {"lua", console_emit_lua, &console},
    };
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        if (strcmp(outputs[i].name, name))
            continue;
        if (load("hw/protocol", &model, &console))
            return EXIT_USAGE;
        outputs[i].emit(outputs[i].model, stdout);
        return fflush(stdout) ? EXIT_TRANSPORT : 0;
    }
    return usage_error("expected registers, console, python or lua", name);
}

static int protocol(const char *data, const char *walk, int check)
{
    static struct protocol_model model, console;
    static const struct output outputs[] = {
        {"protocol.vh", protocol_emit_verilog, &model},
        {"protocol.h", protocol_emit_c, &model},
        {"straps.vh", protocol_emit_straps_verilog, &model},
        {"node_id_straps.vh", protocol_emit_straps_registers, &model},
        {"straps.h", protocol_emit_straps_c, &model},
        {"console_protocol.h", console_emit_c, &console},
    };
    int status = 0;
    if (load(data, &model, &console))
        return EXIT_USAGE;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", data, outputs[i].name);
        int result = produce(path, outputs[i].emit, outputs[i].model, check);
        status = result ? result : status;
    }
    if (walk && !status)
        status = produce(walk, protocol_emit_walk, &model, 0);
    return status;
}

enum { ROWS_MAX = 32 };

static int load_rows(int count, char **files, struct discipline_row *rows)
{
    static struct protocol_model model;
    char error[1200];
    int bad = count < 1 || count > ROWS_MAX;
    snprintf(error, sizeof error, "%d rows of disciplines, expected 1 to %d", count, ROWS_MAX);
    bad = bad || protocol_model_load("hw/protocol", &model, error, sizeof error);
    for (int i = 0; i < count && !bad; i++)
        bad = discipline_row_load(files[i], &model, &rows[i], error, sizeof error);
    if (bad)
        fprintf(stderr, "%s\n", error);
    return bad;
}

/* The Verilog include beside a row, named like the discipline. */
static int produce_verilog(const char *row_path, const struct discipline_row *row, int check)
{
    char path[1000], *text = NULL;
    size_t size;
    const char *slash = strrchr(row_path, '/');
    snprintf(path, sizeof path, "%.*s%s.vh", slash ? (int)(slash + 1 - row_path) : 0, row_path, row->name);
    FILE *out = open_memstream(&text, &size);
    if (out) {
        discipline_row_emit_verilog(row, out);
        fclose(out);
    }
    int status = place(path, text, size, check);
    free(text);
    return status;
}

static int verilog_of_rows(const struct discipline_row *rows, int count, char **files, int check)
{
    int status = 0;
    for (int i = 0; i < count; i++) {
        int result = produce_verilog(files[i], &rows[i], check);
        status = result ? result : status;
    }
    return status;
}

static int check_rows(int count, char **files)
{
    static struct discipline_row rows[ROWS_MAX];
    return load_rows(count, files, rows) ? EXIT_USAGE : verilog_of_rows(rows, count, files, 1);
}

static int disciplines(const char *path, int count, char **files)
{
    static struct discipline_row rows[ROWS_MAX];
    if (load_rows(count, files, rows))
        return EXIT_USAGE;
    if (verilog_of_rows(rows, count, files, 0))
        return EXIT_TRANSPORT;
    FILE *out = fopen(path, "w");
    if (out) {
        discipline_rows_emit(rows, (size_t)count, out);
        if (!fclose(out))
            return 0;
    }
    perror(path);
    return EXIT_TRANSPORT;
}

/* `settings`: torus, if it is one, and keys with their values. */
static int parameters(const char *word_width, char **file, int count, char **settings)
{
    static struct discipline_row row;
    bool torus = count && !strcmp(*settings, "torus");
    const char *bad;
    uint32_t own;
    if (load_rows(1, file, &row))
        return EXIT_USAGE;
    if (!own_rows_build(&row.own, (size_t)(count - torus), settings + torus, &own, &bad))
        return usage_error("expected KEY=VALUE of a key with `build` in the row", bad);
    uint32_t link_width = discipline_row_link_width(&row, (uint32_t)strtoul(word_width, NULL, 10), torus);
    printf("LINK_WIDTH=%lu OWN=%lu DISCIPLINE=%lu CAPABILITIES=%lu\n", (unsigned long)link_width, (unsigned long)own,
           (unsigned long)row.number, (unsigned long)(row.capabilities ^ own_rows_changed(&row.own, own)));
    return 0;
}

int main(int argc, char **argv)
{
    const char *data = "hw/protocol", *walk = NULL;
    int check = 0;
    if (argc > 3 && !strcmp(argv[1], "--disciplines"))
        return disciplines(argv[2], argc - 3, argv + 3);
    if (argc > 2 && !strcmp(argv[1], "--check-rows"))
        return check_rows(argc - 2, argv + 2);
    if (argc > 3 && !strcmp(argv[1], "--parameters"))
        return parameters(argv[2], argv + 3, argc - 4, argv + 4);
    if (argc == 3 && !strcmp(argv[1], "--print"))
        return print(argv[2]);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) {
            fputs(usage, stdout);
            return 0;
        } else if (!strcmp(argv[i], "--check")) {
            check = 1;
        } else if (!strcmp(argv[i], "--data") && i + 1 < argc) {
            data = argv[++i];
        } else if (!strcmp(argv[i], "--walk") && i + 1 < argc) {
            walk = argv[++i];
        } else {
            return usage_error("unexpected argument", argv[i]);
        }
    }
    return protocol(data, walk, check);
}
