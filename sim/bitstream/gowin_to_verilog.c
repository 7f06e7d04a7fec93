/*
 * gowin_to_verilog: turns what nextpnr has placed and routed for a Gowin FPGA into Verilog.
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bitstream/failure.h"
#include "bitstream/gowin_verilog.h"
#include "bitstream/text_file.h"
#include "support/or_abort.h"

enum { EXIT_USAGE = 1, EXIT_TOOL = 2 };

static const char usage[] =
    "usage: gowin_to_verilog NETLIST.json OUT.v MODULE RAMS\n"
    "  NETLIST.json  what nextpnr has written (--write)\n"
    "  OUT.v         the file; it needs gowin_block_ram.v and gowin_wide_ram.v beside it\n"
    "  MODULE        the module's name\n"
    "  RAMS          a folder for the contents of the block RAMs, NUMBER.hex each, for readmemh\n"
    "exit status: 0 ok, 1 usage or netlist, 2 a file cannot be written\n";

static int write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "we");
    if (out && fputs(text, out) >= 0 && fclose(out) == 0)
        return 0;
    fprintf(stderr, "gowin_to_verilog: %s: %s\n", path, strerror(errno));
    return EXIT_TOOL;
}

int main(int argc, char **argv)
{
    struct failure failure = {0};
    struct text_file file = {0};
    char *text = NULL;
    size_t length;
    if (argc != 5) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    if (mkdir(argv[4], 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "gowin_to_verilog: %s: %s\n", argv[4], strerror(errno));
        return EXIT_TOOL;
    }
    FILE *memory = or_abort(open_memstream(&text, &length));
    bool good = text_file_read(&file, argv[1], &failure) &&
                gowin_verilog(argv[1], file.text, argv[3], argv[4], memory, &failure);
    fclose(memory);
    text_file_free(&file);
    if (!good)
        fprintf(stderr, "gowin_to_verilog: %s\n", failure.text);
    int status = good ? write_file(argv[2], text) : EXIT_USAGE;
    free(text);
    return status;
}
