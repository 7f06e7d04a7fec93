/* The exact figures of the kit: clocks and words, the same in every run. The head of each part says how its figures are
 * meant.
 *
 * usage: figures [--quick] [PART...]
 *
 * SPDX-License-Identifier: ISC
 */
#include "figures.h"

#include <string.h>

#include "cli/exit_code.h"
#include "engine/rtl_engine.h"

static const struct part {
    const char *name;
    void (*measure)(bool quick);
} parts[] = {
    {"turn-round", measure_turn_round}, {"console", measure_console},       {"traffic", measure_traffic},
    {"multicast", measure_multicast},   {"saturation", measure_saturation}, {"corner", measure_corner},
};

enum { PARTS = sizeof parts / sizeof *parts };

struct options {
    bool quick, wanted[PARTS];
};

static void help(void)
{
    printf("usage: figures [--quick] [PART...]\n\n"
           "Measures clocks and words that are the same in every run, and prints a line of CSV for each.\n\n"
           "  --quick  only what takes few seconds: the same lines as in a full run, but not all\n"
           "parts:");
    for (int i = 0; i < PARTS; i++)
        printf(" %s", parts[i].name);
    printf(
        "; default all\nexit: 0, 1 usage, 2 nothing can be written, 3 something was lost, or could not be measured\n");
}

static bool choose(struct options *options, const char *name)
{
    for (int i = 0; i < PARTS; i++)
        if (strcmp(parts[i].name, name) == 0)
            return options->wanted[i] = true;
    return false;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            options->quick = true;
        else if (!choose(options, argv[i])) {
            fprintf(stderr, "figures: unknown argument %s, expected one that --help lists\n", argv[i]);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    bool all = true;
    simulation_register(&rtl_engine);
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        help();
        return EXIT_OK;
    }
    if (!read_options(argc, argv, &options))
        return EXIT_USAGE;
    printf("part,mesh,service,case,figure,value\n");
    for (int i = 0; i < PARTS; i++)
        all = all && !options.wanted[i];
    for (int i = 0; i < PARTS; i++)
        if (all || options.wanted[i])
            parts[i].measure(options.quick);
    return fflush(stdout) == 0 ? EXIT_OK : EXIT_TRANSPORT;
}
