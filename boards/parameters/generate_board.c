/* generate_board: settings of a board, and the Verilog parameters of its bitstream for a mesh.
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* glob */

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "board/board_conf.h"
#include "parameters/board_parameters.h"
#include "support/output_file.h"

enum { EXIT_USAGE = 1, EXIT_TOOL = 2, PATH_SIZE = 256, ERROR_SIZE = 1200 };

static const char usage[] =
    "usage: generate_board BOARD FILE.mesh [--image FILE] [--boot-image FILE] -o OUT.vh\n"
    "       generate_board BOARD --list\n"
    "  BOARD         a folder of boards/ with a board.conf; start in the project's tree\n"
    "  -o            writes the parameters of the board's bitstream\n"
    "  --image       $readmemh file of the RAM, for a board whose firmware is in the bitstream\n"
    "  --boot-image  $readmemh file of the boot ROM, for a board that boots from flash\n"
    "  --list        writes the settings of the board to standard output, SECTION.KEY=VALUE\n"
    "exit status: 0 ok, 1 usage, board.conf or .mesh file, or a mesh that the board cannot carry,\n"
    "             2 a file cannot be written\n";

struct arguments {
    const char *board, *mesh, *image, *boot_image, *out;
    bool list;
};

static int usage_error(const char *reason, const char *argument)
{
    fprintf(stderr, "generate_board: %s: '%s'\n%s", reason, argument, usage);
    return EXIT_USAGE;
}

static int parse(int argc, char **argv, struct arguments *arguments)
{
    const struct {
        const char *name;
        const char **place;
    } options[] = {{"-o", &arguments->out}, {"--image", &arguments->image}, {"--boot-image", &arguments->boot_image}};
    for (int i = 1; i < argc; i++) {
        const char **place = NULL;
        if (strcmp(argv[i], "--list") == 0) {
            arguments->list = true;
            continue;
        }
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            if (strcmp(argv[i], options[k].name) == 0)
                place = options[k].place;
        if (place && i + 1 == argc)
            return usage_error("expected a value behind", argv[i]);
        if (place)
            *place = argv[++i];
        else if (argv[i][0] == '-' || arguments->mesh)
            return usage_error("unexpected argument", argv[i]);
        else
            *(arguments->board ? &arguments->mesh : &arguments->board) = argv[i];
    }
    if (!arguments->board)
        return usage_error("expected", "BOARD");
    if (arguments->list ? arguments->mesh || arguments->out : !arguments->mesh || !arguments->out)
        return usage_error("expected", arguments->list ? "BOARD --list" : "BOARD FILE.mesh -o OUT.vh");
    return 0;
}

/* The boards that there are, for the message about one that there is not. */
static int unknown_board(const char *name)
{
    glob_t found;
    fprintf(stderr, "generate_board: there is no board '%s', expected one of:", name);
    if (glob("boards/*/board.conf", 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *folder = found.gl_pathv[i] + strlen("boards/");
            fprintf(stderr, " %.*s", (int)strcspn(folder, "/"), folder);
        }
        globfree(&found);
    }
    fprintf(stderr, "\n");
    return EXIT_USAGE;
}

static int load_board(const char *name, struct board_conf *board)
{
    char path[PATH_SIZE], error[ERROR_SIZE];
    bool plain = *name && strcspn(name, "/.") == strlen(name);
    FILE *file = NULL;
    if (plain && snprintf(path, sizeof path, "boards/%s/board.conf", name) < (int)sizeof path)
        file = fopen(path, "r");
    if (!file)
        return unknown_board(name);
    fclose(file);
    if (board_conf_load(path, board, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return EXIT_USAGE;
    }
    return 0;
}

static int write_parameters(const struct arguments *arguments, const struct board_conf *board,
                            const struct mesh_config *mesh)
{
    struct output_file output;
    char error[ERROR_SIZE];
    int status = output_file_open(&output, arguments->out, error, sizeof error);
    if (status == 0) {
        board_parameters_emit(board, mesh, arguments->image, arguments->boot_image, output.file);
        status = output_file_close(&output, error, sizeof error);
    }
    if (status != 0)
        fprintf(stderr, "%s\n", error);
    return status == 0 ? 0 : EXIT_TOOL;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    struct arguments arguments = {.image = "", .boot_image = ""};
    struct board_conf board;
    static struct mesh_config mesh;
    char error[ERROR_SIZE];
    if (parse(argc, argv, &arguments) || load_board(arguments.board, &board))
        return EXIT_USAGE;
    if (arguments.list) {
        board_conf_list(&board, stdout);
        return fflush(stdout) ? EXIT_TOOL : 0;
    }
    if (mesh_config_load(arguments.mesh, &mesh, error, sizeof error) ||
        board_parameters_check(&board, &mesh, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return EXIT_USAGE;
    }
    return write_parameters(&arguments, &board, &mesh);
}
