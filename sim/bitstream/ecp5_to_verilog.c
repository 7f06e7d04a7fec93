/*
 * ecp5_to_verilog: turns an ECP5 bitstream, as ecpunpack prints it, back into Verilog.
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bitstream/ecp5_config.h"
#include "bitstream/ecp5_verilog.h"
#include "bitstream/pin_list.h"
#include "bitstream/trellis.h"

enum { EXIT_USAGE = 1, EXIT_TOOL = 2 };

static const char usage[] =
    "usage: ecp5_to_verilog CONFIG --database FOLDER --package NAME --pins FILE.lpf -o OUT.v [--module NAME] [--rams FOLDER]\n"
    "  CONFIG       what ecpunpack has made of the bitstream\n"
    "  --database   Project Trellis' database, the folder that holds ECP5\n"
    "  --package    of the chip: CABGA381\n"
    "  --pins       the pin list that the bitstream was made with\n"
    "  -o OUT.v     the file; it needs ecp5_block_ram.v and ecp5_wide_ram.v beside it\n"
    "  --module     the module's name (default: chip)\n"
    "  --rams       a folder for the contents of the block RAMs, NUMBER.hex each, for readmemh\n"
    "exit status: 0 ok, 1 usage, bitstream or pin list, 2 a file cannot be written\n";

struct arguments {
    const char *config, *database, *package, *pins, *out, *module, *rams;
};

static int usage_error(const char *reason, const char *argument)
{
    fprintf(stderr, "ecp5_to_verilog: %s: '%s'\n%s", reason, argument, usage);
    return EXIT_USAGE;
}

static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
    const struct {
        const char *name;
        const char **place;
    } options[] = {{"--database", &arguments->database}, {"--package", &arguments->package},
                   {"--pins", &arguments->pins},         {"-o", &arguments->out},
                   {"--module", &arguments->module},     {"--rams", &arguments->rams}};
    for (int i = 1; i < argc; i++) {
        const char **place = argv[i][0] == '-' ? NULL : &arguments->config;
        for (size_t k = 0; k < sizeof options / sizeof options[0]; k++)
            if (strcmp(argv[i], options[k].name) == 0)
                place = options[k].place;
        if (!place)
            return usage_error("unknown option", argv[i]);
        if (*place && place != &arguments->module)
            return usage_error("given twice", argv[i]);
        if (place != &arguments->config && ++i == argc)
            return usage_error("expected a value behind it", argv[i - 1]);
        *place = argv[i];
    }
    if (!arguments->config || !arguments->database || !arguments->package || !arguments->pins || !arguments->out)
        return usage_error("expected CONFIG and all options up to", "-o");
    return 0;
}

static bool write_ram(const struct ecp5_config *config, int number, const char *folder, struct failure *failure)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.hex", folder, number);
    FILE *out = fopen(path, "we");
    for (int i = 0; out && i < ECP5_RAM_WORDS; i++)
        fprintf(out, "%03x\n", config->block_rams[number][i]);
    return (out && fclose(out) == 0) || fail(failure, "%s: %s", path, strerror(errno));
}

static bool write_rams(const struct ecp5_config *config, const char *folder, struct failure *failure)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fail(failure, "%s: %s", folder, strerror(errno));
    for (int number = 0; number < ECP5_RAM_NUMBERS; number++)
        if (config->block_rams[number] && !write_ram(config, number, folder, failure))
            return false;
    return true;
}

static bool convert(const struct arguments *arguments, struct ecp5_config *config, struct trellis *trellis,
                    struct pin_list *pins, FILE *out, struct failure *failure)
{
    struct ecp5_counts counts;
    if (!pin_list_read(pins, arguments->pins, failure) || !ecp5_config_read(config, arguments->config, failure) ||
        !trellis_read(trellis, arguments->database, config->device, arguments->package, failure) ||
        !ecp5_verilog(config, trellis, pins, arguments->module, out, &counts, failure))
        return false;
    printf("%s: %u look-up tables, %u flops, %u block RAMs\n", arguments->out, counts.luts, counts.flops,
           counts.block_rams);
    return true;
}

static int complain(const struct failure *failure, int status)
{
    fprintf(stderr, "ecp5_to_verilog: %s\n", failure->text);
    return status;
}

static int write_all(const struct arguments *arguments, struct ecp5_config *config, struct trellis *trellis,
                     struct pin_list *pins)
{
    struct failure failure = {0};
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        abort();
    bool good = convert(arguments, config, trellis, pins, memory, &failure);
    fclose(memory);
    int status = good ? 0 : complain(&failure, EXIT_USAGE);
    FILE *out = good ? fopen(arguments->out, "we") : NULL;
    if (good && (!out || fputs(text, out) < 0 || fclose(out) != 0)) {
        fail(&failure, "%s: %s", arguments->out, strerror(errno));
        status = complain(&failure, EXIT_TOOL);
    }
    if (status == 0 && arguments->rams && !write_rams(config, arguments->rams, &failure))
        status = complain(&failure, EXIT_TOOL);
    free(text);
    return status;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.module = "chip"};
    struct ecp5_config config = {0};
    struct trellis trellis = {0};
    struct pin_list pins = {0};
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    int status = parse_arguments(argc, argv, &arguments);
    if (status == 0)
        status = write_all(&arguments, &config, &trellis, &pins);
    pin_list_free(&pins);
    trellis_free(&trellis);
    ecp5_config_free(&config);
    return status;
}
