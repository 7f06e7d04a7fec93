/* The channels of a testbed's logic analyser.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "board/testbed_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 200 };

static bool is_channel_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./";
    return *name && strlen(name) < TESTBED_NAME && !name[strspn(name, letters)];
}

/* "left.probe3": a board and one of its probe pins. */
static bool read_probe(const struct testbed *testbed, const char *text, struct testbed_channel *channel)
{
    static const char probe[] = ".probe";
    char board[TESTBED_NAME];
    const char *at = strstr(text, probe), *digit = at + strlen(probe);
    if (!at || (size_t)(at - text) >= sizeof board || *digit < '0' || *digit >= '0' + TESTBED_PROBES || digit[1])
        return false;
    snprintf(board, sizeof board, "%.*s", (int)(at - text), text);
    int number = testbed_board(testbed, board);
    channel->board = (unsigned)number;
    channel->probe = *digit - '0';
    return number >= 0;
}

/* What a line says about a channel; false: it is neither of the two forms. */
static bool read_value(const struct testbed *testbed, const char *value, struct testbed_channel *channel)
{
    char text[TEXT_SIZE], *rest;
    struct testbed_end end;
    snprintf(text, sizeof text, "%s", value);
    const char *what = strtok_r(text, " \t", &rest), *strobe = strtok_r(NULL, " \t", &rest);
    if (!what || strtok_r(NULL, " \t", &rest))
        return false;
    if (strobe)
        return read_probe(testbed, what, channel) && testbed_strobe(strobe, &channel->link, &channel->strobe);
    if (!testbed_end(testbed, what, &end))
        return false;
    channel->board = end.board;
    channel->link = end.link;
    return true;
}

/* A channel with the same name, or on the same line or pin. */
static const struct testbed_channel *same(const struct testbed *testbed, const struct testbed_channel *channel)
{
    for (unsigned i = 0; i < testbed->channel_count; i++) {
        const struct testbed_channel *other = &testbed->channels[i];
        if (strcmp(other->name, channel->name) == 0 ||
            (other->board == channel->board && other->probe == channel->probe &&
             (channel->probe >= 0 || other->link == channel->link)))
            return other;
    }
    return NULL;
}

void testbed_read_channel(struct testbed_reader *reader, const char *name, const char *value)
{
    struct testbed *testbed = reader->testbed;
    struct testbed_channel channel = {.probe = -1, .strobe = TESTBED_LINE, .line = reader->line};
    if (!is_channel_name(name)) {
        testbed_fail(reader, reader->line,
                     "'%s': expected driver, rate or a channel's name of 1 to %d letters, digits and _-+./", name,
                     TESTBED_NAME - 1);
        return;
    }
    strcpy(channel.name, name);
    if (!read_value(testbed, value, &channel)) {
        testbed_fail(reader, reader->line,
                     "%s = %s: expected BOARD.CONNECTOR, or BOARD.probe0 to .probe%d with a strobe such as east.head "
                     "(PORT.head, .terminator or .stall), boards of sections above",
                     name, value, TESTBED_PROBES - 1);
        return;
    }
    const struct testbed_channel *other = same(testbed, &channel);
    if (other)
        testbed_fail(reader, reader->line, "%s = %s: line %d has this channel, line or pin already, expected each once",
                     name, value, other->line);
    else if (testbed->channel_count == TESTBED_CHANNELS)
        testbed_fail(reader, reader->line, "%s = %s: expected at most %d channels", name, value, TESTBED_CHANNELS);
    else
        testbed->channels[testbed->channel_count++] = channel;
}
