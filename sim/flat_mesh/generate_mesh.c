/*
 * generate_mesh: writes the flat Verilog top of a mesh.
 * SPDX-License-Identifier: ISC
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/verilated_site.h"
#include "flat_mesh/mesh_keys_table.h"
#include "flat_mesh/mesh_top.h"

enum { EXIT_USAGE = 1, EXIT_TRANSPORT = 2 };

static const char usage[] =
    "usage: generate_mesh FILE.mesh -o OUT.v [--level fabric|site] [--module NAME]\n"
    "       generate_mesh --keys\n"
    "       generate_mesh --sets FILE.mesh...\n"
    "  writes the flat top of a mesh: its sites, wired\n"
    "  -o OUT.v     the file\n"
    "  --level      site (default): whole sites, ports are consoles; fabric: ports are the operators' streams\n"
    "  --module     the module's name (default: the file's)\n"
    "  --keys       prints the table of the keys of .mesh files (make doc)\n"
    "  --sets       prints the simulated sites that meshes take: a fabric and a whole site of each (sim/rules.mk)\n"
    "exit status: 0 ok, 1 usage or .mesh file, 2 a file cannot be written\n";

static int usage_error(const char *reason, const char *argument)
{
    fprintf(stderr, "generate_mesh: %s: '%s'\n%s", reason, argument, usage);
    return EXIT_USAGE;
}

struct mesh_arguments {
    const char *in, *out, *level, *module;
};

static int parse_mesh_arguments(int argc, char **argv, struct mesh_arguments *arguments)
{
    const struct {
        const char *name;
        const char **place;
    } options[] = {
        {"-o", &arguments->out},
        {"--level", &arguments->level},
        {"--module", &arguments->module},
    };
    for (int i = 1; i < argc; i++) {
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

static int print_sets(char **files)
{
    static struct mesh_config mesh;
    char error[1200], set[VERILATED_SITE_SET];
    for (; *files; files++) {
        if (mesh_config_load(*files, &mesh, error, sizeof error)) {
            fprintf(stderr, "%s\n", error);
            return EXIT_USAGE;
        }
        for (int whole_site = 0; whole_site < 2; whole_site++) {
            verilated_site_set(set, &mesh, whole_site, SITE_PLAIN);
            puts(set);
        }
    }
    return fflush(stdout) ? EXIT_TRANSPORT : 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return 0;
    }
    if (argc == 2 && !strcmp(argv[1], "--keys")) {
        mesh_keys_table_write(stdout);
        return fflush(stdout) ? EXIT_TRANSPORT : 0;
    }
    if (argc > 1 && !strcmp(argv[1], "--sets"))
        return argc > 2 ? print_sets(argv + 2) : usage_error("expected FILE.mesh behind", argv[1]);
    struct mesh_arguments arguments = {.level = "site"};
    static struct mesh_config mesh;
    char error[1200], name[64];
    if (parse_mesh_arguments(argc, argv, &arguments))
        return EXIT_USAGE;
    if (mesh_config_load(arguments.in, &mesh, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return EXIT_USAGE;
    }
    if (mesh.board_links) {
        fprintf(stderr, "%s: board links, expected board = no in [links]: the sites of a flat mesh are wired\n",
                arguments.in);
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
