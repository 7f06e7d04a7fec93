/* postroad console: the command line of a node. Lines are sent to the node as SHELL requests; answers go to stdout, log
 * text to stderr. On a terminal lines can be edited. Input from a pipe is executed line by line up to its end.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "cli/console_follow.h"
#include "cli/console_text.h"
#include "cli/gateway.h"
#include "cli/line_editor.h"
#include "cli/report.h"
#include "cli/screen.h"
#include "postroad/verbs.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_SIZE = 400, PROMPT_SIZE = 32 };

struct console_options {
    struct options common;
    struct follow_options follow;
};

struct session {
    struct gateway gateway;
    bool interactive;
    struct line_editor *editor; /* NULL: no terminal to edit on */
    bool editing;               /* a line is being typed in the editor */
    int status;                 /* exit code so far: of the last line that failed */
    size_t used;
    char line[LINE_SIZE];
};

static void prompt(const struct session *session)
{
    if (!session->interactive)
        return;
    printf("site %u> ", (unsigned)session->gateway.identity.site);
    fflush(stdout);
}

static void show_line(void *context, const char *line)
{
    const struct session *session = context;
    if (session->interactive)
        screen_control(stderr, "\r");
    fprintf(stderr, "%s\n", line);
}

static void show_text(void *context, const struct pr_frame *frame)
{
    struct session *session = context;
    if (session->editor && session->editing)
        line_editor_hide(session->editor);
    console_text_frame(frame, show_line, session);
    if (session->editor && session->editing)
        line_editor_show(session->editor);
}

static void print_answer(const struct pr_frame *answer)
{
    for (unsigned i = 1; i < answer->length; i++)
        if (answer->payload[i] != '\r')
            putchar(answer->payload[i]);
    if (answer->length < 2 || answer->payload[answer->length - 1] != '\n')
        putchar('\n');
    fflush(stdout);
}

/* False: the session is over. */
static bool do_line(struct session *session)
{
    struct pr_frame request, answer;
    bool answered;
    session->line[strcspn(session->line, "\r\n")] = 0;
    if (!*session->line)
        return true;
    pr_message_shell(&request, session->line);
    int status = pr_client_ask(session->gateway.client, &request, session->gateway.timeout, &answer, &answered);
    if (status != PR_CLIENT_OK) {
        session->status = gateway_failed(&session->gateway, status);
        return false;
    }
    if (!answered) {
        report_error("console", "%s: no answer within %g s", session->line, session->gateway.timeout);
        session->status = EXIT_TIMEOUT;
        return session->interactive;
    }
    print_answer(&answer);
    if (pr_message_status(&answer) != PR_CONSOLE_OK && !session->interactive)
        session->status = EXIT_USAGE;
    return true;
}

/* Takes whole lines out of the input; the rest stays until more arrives. */
static bool do_lines(struct session *session, bool end)
{
    char buffer[LINE_SIZE], *start = buffer, *newline;
    memcpy(buffer, session->line, session->used);
    buffer[session->used] = 0;
    while ((newline = strchr(start, '\n')) || (end && *start)) {
        char *next = newline ? newline + 1 : start + strlen(start);
        memcpy(session->line, start, (size_t)(next - start));
        session->line[next - start] = 0;
        start = next;
        if (!do_line(session))
            return false;
        prompt(session);
    }
    session->used = strlen(start);
    memcpy(session->line, start, session->used);
    return true;
}

/* False: the session is over. */
static bool read_lines(struct session *session)
{
    if (session->used == LINE_SIZE - 1) {
        report_error("console", "line longer than %d letters", LINE_SIZE - 2);
        session->status = EXIT_USAGE;
        return false;
    }
    ssize_t count = read(STDIN_FILENO, session->line + session->used, LINE_SIZE - 1 - session->used);
    if (count < 0)
        return errno == EINTR || errno == EAGAIN;
    session->used += (size_t)count;
    return do_lines(session, count == 0) && count > 0;
}

/* Waits for input, or for bytes from the node, which are handled. False: the session is over. */
static bool wait_once(struct session *session, bool *input)
{
    struct pr_client *client = session->gateway.client;
    struct pollfd polls[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = pr_client_descriptor(client), .events = POLLIN}};
    sigset_t none;
    sigemptyset(&none);
    if (ppoll(polls, 2, NULL, &none) < 0) {
        session->status = EXIT_INTERRUPTED;
        return false;
    }
    int status = polls[1].revents ? pr_client_poll(&client, 1, 0) : PR_CLIENT_OK;
    *input = polls[0].revents;
    if (status == PR_CLIENT_OK)
        return true;
    session->status = gateway_failed(&session->gateway, status);
    return false;
}

static bool wait_for_input(void *context)
{
    bool input = false, goes_on;
    do
        goes_on = wait_once(context, &input);
    while (goes_on && !input);
    return goes_on;
}

static bool edit_line(struct session *session)
{
    session->editing = true;
    const char *line = line_editor_read(session->editor);
    session->editing = false;
    if (!line)
        return false;
    if (strlen(line) >= LINE_SIZE - 1) {
        report_error("console", "line longer than %d letters", LINE_SIZE - 2);
        return true;
    }
    strcpy(session->line, line);
    return do_line(session);
}

static void run(struct session *session)
{
    char text[PROMPT_SIZE];
    snprintf(text, sizeof text, "site %u> ", (unsigned)session->gateway.identity.site);
    session->editor = line_editor_create(text, wait_for_input, session);
    if (session->editor) {
        while (edit_line(session))
            continue;
    } else {
        prompt(session);
        while (wait_for_input(session) && read_lines(session))
            continue;
    }
    line_editor_destroy(session->editor);
    if (session->interactive)
        putchar('\n');
}

static int run_verb(const struct options *options)
{
    const struct follow_options *follow = &((const struct console_options *)(const void *)options)->follow;
    struct session session = {.interactive = isatty(STDIN_FILENO)};
    struct options chosen = *options;
    if (console_follow_wanted(options, follow))
        return console_follow(options, follow);
    if (options->operand_count)
        chosen.from = options->operands[0];
    int status = gateway_open(&session.gateway, &chosen);
    if (status != EXIT_OK)
        return status;
    pr_client_on_event(session.gateway.client, show_text, &session);
    if (session.interactive)
        report_note(&chosen, "site %u at %s; `help` lists commands, control-D ends",
                    (unsigned)session.gateway.identity.site, session.gateway.text);
    run(&session);
    gateway_close(&session.gateway);
    return session.status;
}

static const struct option_row rows[] = {
    {.name = "filter",
     .kind = OPTION_TEXT,
     .argument = "REGEX",
     OPTION_FIELD(struct console_options, follow.filter),
     .help = "show the lines of sites that match this extended regular expression"},
    {.name = "log",
     .kind = OPTION_TEXT,
     .argument = "DIR",
     OPTION_FIELD(struct console_options, follow.log),
     .words = "@file",
     .help = "show the lines of sites, and append all of them to the files DIR/site-N.log"},
    {OPTION_TIMEOUT, .otherwise = "never; one site: " OPTION_CONSTANT(OPTION_ANSWER_TIME),
     .help = "end after so long; one site: give up when no answer has come for so long"},
    {.name = NULL},
};

static const char manual[] =
    "Sends lines to the shell of one node (site 0 by default) and shows its log text. The command `help` of the "
    "shell lists its commands; `hold` <CLOCKS> stops the operator of the node for a time, for tests. From a pipe "
    "the verb sends line after line, and the exit status reports whether all of them succeeded. On a terminal "
    "lines can be edited, and the up key brings back earlier lines.\n"
    "With a set of sites, `1,4-6` or `all`, or with `--filter` or `--log` (for all sites by default), the verb "
    "sends nothing. It shows what the sites of a mesh that is up print, each line with time and site: log text, "
    "raw text, and what the daemon reports of them (crashed, hangs, ended). It ends when it is interrupted, "
    "after `--timeout`, or with exit status 2 when the mesh is gone.";

static const struct json_key keys[] = {
    {"site", "site", "the site; one object a line, and only with several sites"},
    {"time", "time (ISO 8601)", "when the line came"},
    {"text", "text", "the line"},
    {NULL, NULL, NULL},
};

const struct verb verb_console = {
    .name = "console",
    .operands = "[SITES]",
    .summary = "The command line of a node, or the console output of several.",
    .manual = manual,
    .operands_max = 1,
    .operand_words = {"all"},
    .common = COMMON_TALK & ~COMMON_TIMEOUT,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct console_options),
    .run = run_verb,
};
