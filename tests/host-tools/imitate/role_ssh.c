/* ssh, as far as it matters here: it joins its arguments with blanks for a shell, at another host that is this one.
 *
 * usage: ssh OPTION... -- HOST WORD...
 * environment: FAKE_SSH, a folder:
 *   host       what the other host does; missing: it runs the command. `away` (as one whose name has that in it),
 *              `silent`, `greets` (prints a line first), `old` (has no postroad), `strange` (prints what is no list)
 *   hosts      its name is added
 *   processes  so is the number of this process
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "imitate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AWAY = 255, NOT_FOUND = 127 };

static void note(const char *folder, const char *host)
{
    FILE *hosts = open_file(folder, "hosts", "ae"), *processes = open_file(folder, "processes", "ae");
    fprintf(hosts, "%s\n", host);
    fprintf(processes, "%d\n", getpid());
    fclose(hosts);
    fclose(processes);
}

_Noreturn static void stay(void)
{
    for (;;)
        pause();
}

/* What the other host does instead of the command, or before it. */
static void behave(const struct words *does, const char *host)
{
    if (is_word(does, 0, "away") || strstr(host, "away")) {
        fprintf(stderr, "ssh: connect to host %s port 22: No route to host\n", host);
        exit(AWAY);
    }
    if (is_word(does, 0, "old")) {
        fprintf(stderr, "sh: 1: postroad: not found\n");
        exit(NOT_FOUND);
    }
    if (is_word(does, 0, "strange")) {
        printf("no list\npostroad: end of the devices\n");
        fflush(stdout);
    }
    if (is_word(does, 0, "strange") || is_word(does, 0, "silent"))
        stay();
    if (is_word(does, 0, "greets"))
        fprintf(stderr, "welcome {to} this host\n");
}

int ssh_role(int argc, char **argv)
{
    char *command;
    size_t size;
    const char *folder = getenv("FAKE_SSH");
    int at = 1;
    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    if (at + 2 >= argc || !folder)
        usage("ssh OPTION... -- HOST WORD... (with FAKE_SSH)");
    note(folder, argv[at + 1]);
    struct words does = read_words(folder, "host");
    behave(&does, argv[at + 1]);
    FILE *words = open_memstream(&command, &size);
    for (int k = at + 2; words && k < argc; k++)
        fprintf(words, "%s%s", argv[k], k + 1 < argc ? " " : "");
    if (!words || fclose(words) != 0)
        fail("ssh");
    execlp("sh", "sh", "-c", command, NULL);
    fail("sh");
}
