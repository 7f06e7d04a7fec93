/* postroad: one program for everything a host does with a mesh. The verbs are listed in verbs.def.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/guess.h"
#include "cli/report.h"
#include "cli/screen.h"
#include "cli/signals.h"
#include "postroad/engines.h"
#include "postroad/verbs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { VERB_COLUMN = 12 };

static void print_exit_codes(FILE *out)
{
    char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "Exit codes:");
    for (int i = 0; i < EXIT_CODES; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %d %s%s", exit_codes[i].code, exit_codes[i].meaning,
                                 i < EXIT_CODES - 1 ? "," : ".");
    options_print_text(out, text, 0);
}

static int usage(FILE *out)
{
    fprintf(out, "Usage: postroad VERB [OPTION...]\n       postroad --help | --version\n\nVerbs:\n");
    for (size_t i = 0; verbs[i]; i++)
        options_print_row(out, verbs[i]->name, VERB_COLUMN, verbs[i]->summary);
    fprintf(out, "\n");
    options_print_text(out, "`postroad VERB --help` lists a verb's options; postroad(1) is the manual page.", 0);
    print_exit_codes(out);
    return out == stdout ? EXIT_OK : EXIT_USAGE;
}

/* A file or socket that took the number of a closed standard descriptor would be read as the keyboard, or printed to.
 * In its place stands one that refuses, so that a lost result is an error. */
static void fill_standard_descriptors(void)
{
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
        if (fcntl(number, F_GETFD) == -1)
            open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* A large mesh has a socket for every site. */
static void raise_file_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int run_verb(const struct verb *verb, int argc, char **argv)
{
    signals_end_process();
    raise_file_limit();
    return options_run(verb, argc, argv);
}

/* What other programs call it. */
static const struct {
    const char *name, *ours;
} elsewhere[] = {
    {"reset", "load SITES"},
    {"restart", "load SITES"},
    {"start", "up"},
    {"stop", "down"},
};

static const char *meant(const char *name)
{
    struct guess guess;
    guess_begin(&guess, name);
    for (size_t i = 0; verbs[i]; i++)
        guess_try(&guess, verbs[i]->name);
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(name, elsewhere[i].name) == 0)
            return elsewhere[i].ours;
    return guess.nearest;
}

static int refuse(const char *name)
{
    fprintf(stderr, "postroad: '%s' is not a verb", name);
    const char *ours = meant(name);
    if (ours)
        fprintf(stderr, "; did you mean %s?\n", ours);
    else
        fprintf(stderr, " (postroad --help lists them)\n");
    return EXIT_USAGE;
}

static int dispatch(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return usage(stdout);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return report_version(), EXIT_OK;
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(name, verbs[i]->name) == 0)
            return run_verb(verbs[i], argc - 1, argv + 1);
    return *name ? refuse(name) : usage(stderr);
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    screen_begin();
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error to report, not a signal to die of */
    engines_register();
    int status = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (signals_pending())
            return EXIT_INTERRUPTED; /* nobody reads any more */
        perror("postroad: standard output");
        return status == EXIT_OK ? EXIT_TRANSPORT : status;
    }
    return status;
}
