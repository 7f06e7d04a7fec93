/*
 * generate: writes what is derived from data files: the protocol's constants, and flat mesh tops.
 * SPDX-License-Identifier: ISC
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator/mesh_top.h"
#include "generator/protocol_emit.h"

enum { EXIT_USAGE = 1, EXIT_TRANSPORT = 2, EXIT_STALE = 3 };

static const char usage[] =
    "usage: generate protocol [--check] [--data DIR] [--walk FILE]\n"
    "       generate mesh FILE.mesh -o OUT.v [--level fabric|site] [--module NAME]\n"
    "  protocol       write DIR/protocol.vh, protocol.h and registers.md from DIR/*.ini\n"
    "    --check      write nothing: exit status 3 if one of them is not what would be written\n"
    "    --data DIR   where the data files are (default hw/protocol)\n"
    "    --walk FILE  also write the table for the register walk\n"
    "  mesh           write the flat top of a mesh: its sites, wired\n"
    "    -o OUT.v     the file\n"
    "    --level      site (default): whole sites, ports are consoles; fabric: ports are the operators' streams\n"
    "    --module     the module's name (default: the file's)\n"
    "exit status: 0 ok, 1 usage, data or .mesh file, 2 a file cannot be written, 3 a generated file is stale\n";

typedef void protocol_emitter(const struct protocol_model *model, FILE *out);

static int usage_error(const char *reason, const char *argument)
{
    fprintf(stderr, "generate: %s: '%s'\n%s", reason, argument, usage);
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
static int produce(const char *path, protocol_emitter *emit, const struct protocol_model *model, int check)
{
    size_t size;
    char *text = emit_to_memory(emit, model, &size);
    int status = 0;
    if (!text) {
        fprintf(stderr, "generate: out of memory for %s\n", path);
        return EXIT_TRANSPORT;
    }
    if (!same_as_file(path, text, size)) {
        if (check)
            fprintf(stderr, "%s: stale: run build/generate protocol\n", path);
        status = check ? EXIT_STALE : write_file(path, text, size);
    }
    free(text);
    return status;
}

static int protocol(const char *data, const char *walk, int check)
{
    static const struct { const char *name; protocol_emitter *emit; } outputs[] = {
        {"protocol.vh", protocol_emit_verilog}, {"protocol.h", protocol_emit_c}, {"registers.md", protocol_emit_manual},
    };
    static struct protocol_model model;
    char error[1200];
    int status = 0;
    if (protocol_model_load(data, &model, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", data, outputs[i].name);
        int result = produce(path, outputs[i].emit, &model, check);
        status = result ? result : status;
    }
    if (walk && !status)
        status = produce(walk, protocol_emit_walk, &model, 0);
    return status;
}

static int protocol_verb(int argc, char **argv)
{
    const char *data = "hw/protocol", *walk = NULL;
    int check = 0;
    for (int i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--check"))
            check = 1;
        else if (!strcmp(argv[i], "--data") && i + 1 < argc)
            data = argv[++i];
        else if (!strcmp(argv[i], "--walk") && i + 1 < argc)
            walk = argv[++i];
        else
            return usage_error("unexpected argument", argv[i]);
    }
    return protocol(data, walk, check);
}

struct mesh_arguments {
    const char *in, *out, *level, *module;
};

static int parse_mesh_arguments(int argc, char **argv, struct mesh_arguments *arguments)
{
    const struct { const char *name; const char **place; } options[] = {
        {"-o", &arguments->out}, {"--level", &arguments->level}, {"--module", &arguments->module},
    };
    for (int i = 0; i < argc; i++) {
        const char **place = NULL;
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            if (!strcmp(argv[i], options[k].name))
                place = options[k].place;
        if (place && i + 1 == argc)
            return usage_error("expected a value behind", argv[i]);
        if (!place && (argv[i][0] == '-' || arguments->in))
            return usage_error("unexpected argument", argv[i]);
        *(place ? place : &arguments->in) = place ? argv[++i] : argv[i];
    }
    if (!arguments->in || !arguments->out)
        return usage_error("expected", arguments->in ? "-o OUT.v" : "FILE.mesh");
    if (strcmp(arguments->level, "site") && strcmp(arguments->level, "fabric"))
        return usage_error("expected the level site or fabric", arguments->level);
    return 0;
}

/* The file's name without folder and suffix, as a Verilog identifier. */
static void module_name(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : path);
    out[strcspn(out, ".")] = 0;
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    if (!isalpha((unsigned char)out[0]))
        out[0] = 'm';
}

static int mesh_verb(int argc, char **argv)
{
    struct mesh_arguments arguments = {.level = "site"};
    static struct mesh_config mesh;
    char error[1200], name[64];
    if (parse_mesh_arguments(argc, argv, &arguments))
        return EXIT_USAGE;
    if (mesh_config_load(arguments.in, &mesh, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return EXIT_USAGE;
    }
    module_name(arguments.module ? arguments.module : arguments.out, name, sizeof name);
    FILE *out = fopen(arguments.out, "w");
    if (out) {
        mesh_top_emit(&mesh, name, !strcmp(arguments.level, "site"), out);
        bool bad = ferror(out);
        if (!fclose(out) && !bad)
            return 0;
    }
    perror(arguments.out);
    return EXIT_TRANSPORT;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "protocol"))
        return protocol_verb(argc - 2, argv + 2);
    if (argc > 1 && !strcmp(argv[1], "mesh"))
        return mesh_verb(argc - 2, argv + 2);
    return usage_error("expected protocol or mesh", argc > 1 ? argv[1] : "");
}
