/* The shell: a few commands in text, as SHELL frames or as typed lines.
 *
 * SPDX-License-Identifier: ISC
 */
#include "console/console_private.h"

#include <string.h>

enum {
    TEXT_BYTES = PR_CONSOLE_FRAME_BYTES - 8,
    SHELL_HANDLER = 1,  /* packets of the shell's send */
    BYTES_PER_WORD = 2, /* its text, low byte first: fits words of 16 bits */
    SITE_MOST = 0xffff
};

/* What is left of the line. */
struct words {
    const uint8_t *at, *end;
};

static void skip_spaces(struct words *words)
{
    while (words->at < words->end && *words->at == ' ')
        words->at++;
}

/* Takes the word if it is the next one. */
static bool take_word(struct words *words, const char *word)
{
    size_t length = strlen(word);
    size_t left;
    skip_spaces(words);
    left = (size_t)(words->end - words->at);
    if (left < length || memcmp(words->at, word, length) != 0 || (left > length && words->at[length] != ' '))
        return false;
    words->at += length;
    return true;
}

/* Takes a number that is a whole word, `most` at most. */
static bool take_number(struct words *words, uint32_t most, uint32_t *number)
{
    const uint8_t *at;
    uint32_t value = 0;
    skip_spaces(words);
    at = words->at;
    while (at < words->end && *at >= '0' && *at <= '9' && value <= most)
        value = 10 * value + (*at++ - '0');
    if (at == words->at || value > most || (at < words->end && *at != ' '))
        return false;
    words->at = at;
    *number = value;
    return true;
}

static bool begin_text(struct pr_frame_writer *writer, struct pr_console *console, enum pr_frame_priority priority,
                       uint8_t type, uint8_t id, uint8_t status)
{
    if (type == PR_CONSOLE_TEXT)
        return pr_frame_begin_plain(writer, &console->output, TEXT_BYTES);
    if (!pr_frame_begin(writer, &console->output, priority, PR_CONSOLE_SHELL | PR_CONSOLE_ANSWER, id, TEXT_BYTES))
        return false;
    pr_payload_put(&writer->payload, PR_MESSAGE_SHELL_ANSWER_STATUS, status);
    return true;
}

static void end_text(struct pr_frame_writer *writer)
{
    if (writer->plain)
        pr_frame_put_text(writer, "\r\n");
    pr_frame_end(writer);
}

static void say(struct pr_console *console, uint8_t type, uint8_t id, uint8_t status, const char *text)
{
    struct pr_frame_writer writer;
    if (!begin_text(&writer, console, PR_FRAME_ANSWER, type, id, status))
        return;
    pr_frame_put_text(&writer, text);
    end_text(&writer);
}

static void put_named(struct pr_frame_writer *writer, const char *name, uint32_t value)
{
    pr_frame_put_text(writer, name);
    pr_payload_append(&writer->payload, 1, ' ');
    pr_frame_put_number(writer, value);
}

static void shell_id(struct pr_console *console, uint8_t type, uint8_t id)
{
    const struct pr_site_identity *identity = console->op->common.here.identity;
    const char *topology = pr_topology_name(identity->topology);
    struct pr_frame_writer writer;
    if (!begin_text(&writer, console, PR_FRAME_ANSWER, type, id, PR_CONSOLE_OK))
        return;
    put_named(&writer, "site", identity->site);
    put_named(&writer, " of", console->op->common.here.sites);
    pr_frame_put_text(&writer, ", ");
    pr_frame_put_text(&writer, topology ? topology : "?");
    put_named(&writer, "", identity->size_x);
    put_named(&writer, " x", identity->size_y);
    put_named(&writer, ", word width", identity->word_width);
    put_named(&writer, ", longest packet", identity->max_packet);
    end_text(&writer);
}

static void shell_ping(struct pr_console *console, uint8_t type, uint8_t id, struct words *words)
{
    uint32_t site;
    int error = -PR_OPERATOR_UNKNOWN_SITE;
    if (take_number(words, SITE_MOST, &site))
        error = pr_service_ping(&console->service, site, type, id, 0);
    if (error != 0)
        say(console, type, id, pr_console_status(error), "ping: no such site, or no buffer free");
}

void pr_console_shell_ping(struct pr_console *console, const struct pr_service_answer *answer)
{
    struct pr_console_ping clocks = pr_console_ping_clocks(answer);
    struct pr_frame_writer writer;
    if (!begin_text(&writer, console, PR_FRAME_REMOTE_ANSWER, answer->type, answer->id, PR_CONSOLE_OK))
        return;
    put_named(&writer, "site", answer->site);
    put_named(&writer, ": round trip", clocks.round_trip);
    put_named(&writer, " clocks, out", clocks.out);
    put_named(&writer, ", back", clocks.back);
    end_text(&writer);
}

static void shell_send(struct pr_console *console, uint8_t type, uint8_t id, struct words *words)
{
    struct pr_composition composition;
    struct pr_frame_writer writer;
    uint16_t sequence;
    uint32_t site;
    int error;
    pr_operator_begin(console->op, &composition, SHELL_HANDLER);
    while (take_number(words, SITE_MOST, &site))
        pr_operator_add_target(&composition, site);
    skip_spaces(words);
    for (; words->at < words->end; words->at += BYTES_PER_WORD) {
        unsigned high = words->end - words->at > 1 ? words->at[1] : 0u;
        pr_operator_add_data(&composition, words->at[0] | high << 8);
        if (words->end - words->at == 1)
            break;
    }
    error = pr_operator_commit(&composition, &sequence);
    if (!begin_text(&writer, console, PR_FRAME_ANSWER, type, id, pr_console_status(error)))
        return;
    put_named(&writer, error == 0 ? "sequence" : "send: refused, status",
              error == 0 ? sequence : pr_console_status(error));
    end_text(&writer);
}

/* Counters of one value that are not zero and whose names begin like this: all together may not fit the text. */
static void shell_counters(struct pr_console *console, uint8_t type, uint8_t id, struct words *words)
{
    static const struct {
        uint8_t index, count;
        const char *name;
    } counters[] = {
#define COUNTER_ROW(index, count, name) {index, count, name},
        PR_COUNTER_LIST(COUNTER_ROW)
#undef COUNTER_ROW
    };
    struct pr_frame_writer writer;

    skip_spaces(words);
    if (!begin_text(&writer, console, PR_FRAME_ANSWER, type, id, PR_CONSOLE_OK))
        return;
    for (unsigned k = 0; k < sizeof counters / sizeof counters[0]; k++) {
        uint32_t value = counters[k].count == 1 ? pr_console_counter(console, counters[k].index) : 0;
        if (value != 0 && strncmp(counters[k].name, (const char *)words->at, (size_t)(words->end - words->at)) == 0) {
            put_named(&writer, counters[k].name, value);
            pr_frame_put_text(&writer, "\r\n");
        }
    }
    end_text(&writer);
}

static void shell_hold(struct pr_console *console, uint8_t type, uint8_t id, struct words *words)
{
    uint32_t clocks;
    bool good = take_number(words, PR_CONSOLE_HOLD_MOST, &clocks);
    if (good)
        pr_console_hold(console, clocks);
    say(console, type, id, good ? PR_CONSOLE_OK : PR_CONSOLE_BAD_REQUEST, good ? "held" : "hold: how many clocks?");
}

static void shell_echo(struct pr_console *console, uint8_t type, uint8_t id, struct words *words)
{
    struct pr_frame_writer writer;
    skip_spaces(words);
    if (!begin_text(&writer, console, PR_FRAME_ANSWER, type, id, PR_CONSOLE_OK))
        return;
    while (words->at < words->end)
        pr_payload_append(&writer.payload, 1, *words->at++);
    end_text(&writer);
}

void pr_console_shell(struct pr_console *console, uint8_t type, uint8_t id, const uint8_t *line, size_t length)
{
    struct words words = {line, line + length};
    if (take_word(&words, "help"))
        say(console, type, id, PR_CONSOLE_OK,
            "help | id | ping SITE | send SITE... TEXT | counters [NAME] | hold CLOCKS | echo TEXT");
    else if (take_word(&words, "id"))
        shell_id(console, type, id);
    else if (take_word(&words, "ping"))
        shell_ping(console, type, id, &words);
    else if (take_word(&words, "send"))
        shell_send(console, type, id, &words);
    else if (take_word(&words, "counters"))
        shell_counters(console, type, id, &words);
    else if (take_word(&words, "hold"))
        shell_hold(console, type, id, &words);
    else if (take_word(&words, "echo"))
        shell_echo(console, type, id, &words);
    else
        say(console, type, id, PR_CONSOLE_BAD_REQUEST, "unknown command; try help");
}
