/* See hello.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "testbed/hello.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/console_text.h"
#include "libpostroad/tty_rate.h"
#include "support/or_abort.h"
#include "wire/console_messages.h"

/* Seconds until it is asked again: twice as long each time, because a simulated board may be that slow. */
static const double first_answer_time = 0.5, longest_answer_time = 16;

enum { SILENCES_MOST = 3 };

void hello_begin(struct hello *hello)
{
    *hello = (struct hello){.answer_time = first_answer_time};
    snprintf(hello->reason, sizeof hello->reason, "the board has no serial line for its console");
}

void hello_end(struct hello *hello)
{
    if (hello->client)
        pr_client_destroy(hello->client);
    hello->client = NULL;
    hello->asked = false;
}

static void take_text(void *context, const struct pr_frame *event)
{
    struct hello *hello = context;
    char line[CONSOLE_TEXT_LINE] = "";
    if (event->type != 0 || hello->identified)
        return;
    console_text_line(event, line);
    if (*line)
        snprintf(hello->reason, sizeof hello->reason, "no node answers on the console, which shows: %s", line);
}

void hello_take(struct hello *hello, int descriptor)
{
    hello->client = or_abort(pr_client_create(descriptor));
    pr_client_on_event(hello->client, take_text, hello);
    hello->baud = pr_tty_rate(descriptor);
    hello->descriptor = descriptor;
    hello->questions = 0;
    snprintf(hello->reason, sizeof hello->reason, "no node answers on the console");
}

static void take_answer(void *context, const struct pr_frame *answer)
{
    struct hello *hello = context;
    unsigned site;
    hello->asked = false;
    if (!answer) {
        if (hello->answer_time < longest_answer_time)
            hello->answer_time *= 2;
        return;
    }
    hello->identified = pr_message_status(answer) == PR_CONSOLE_OK &&
                        pr_message_read_identity(answer, &site, &hello->identity);
    if (!hello->identified)
        snprintf(hello->reason, sizeof hello->reason,
                 "something answers on the console, but not as a node of this kit");
}

static void take_build_id(void *context, const struct pr_frame *answer)
{
    struct hello *hello = context;
    unsigned site;
    hello->asked = false;
    if (answer && pr_message_status(answer) == PR_CONSOLE_OK)
        pr_message_read_identity_part(answer, &site, &hello->identity);
    hello->answered = answer || ++hello->silences == SILENCES_MOST;
}

/* The identity first, the build id of the firmware behind it. */
static void ask(struct hello *hello)
{
    struct pr_frame question;
    if (hello->baud && !hello->identified) {
        /* The first question may come too early, so the second one has the same rate. */
        unsigned asked = hello->questions ? hello->questions - 1 : 0;
        pr_tty_set_rate(hello->descriptor, pr_tty_next_rate(hello->baud, asked));
        hello->questions++;
    }
    bool good = hello->identified ? pr_message_identify_part(&question, PR_CONSOLE_THIS_SITE, PR_SITE_IDENTITY_WORDS,
                                                             PR_BUILD_ID_WORDS)
                                  : pr_message_identify(&question, PR_CONSOLE_THIS_SITE);
    hello->asked = good && pr_client_request(hello->client, &question, hello->answer_time,
                                             hello->identified ? take_build_id : take_answer, hello) == PR_CLIENT_OK;
}

static void open_console(struct hello *hello, const struct pr_endpoint *console)
{
    int descriptor = pr_endpoint_open(console, 0, hello->reason, sizeof hello->reason);
    if (descriptor >= 0)
        hello_take(hello, descriptor);
}

bool hello_step(struct hello *hello, const struct pr_endpoint *console)
{
    if (!hello->client && console)
        open_console(hello, console);
    if (!hello->client)
        return false;
    if (!hello->asked)
        ask(hello);
    if (pr_client_poll(&hello->client, 1, 0) == PR_CLIENT_LOST && !hello->answered) {
        snprintf(hello->reason, sizeof hello->reason, "the console was lost: %s", pr_client_lost_reason(hello->client));
        hello_end(hello);
    }
    return hello->answered;
}
