/* Names in testbed files, and messages about them. See testbed.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "board/testbed_private.h"

#include "support/file_error.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const link_names[TESTBED_LOCAL + 1] = {"east",  "west",   "north",  "south", "east2",
                                                          "west2", "north2", "south2", "local"};
static const char *const strobe_names[] = {
    [STROBE_HEAD] = "head", [STROBE_TERMINATOR] = "terminator", [STROBE_STALL] = "stall"};

void testbed_fail(struct testbed_reader *reader, int line, const char *format, ...)
{
    if (reader->failed)
        return;
    reader->failed = true;
    va_list arguments;
    va_start(arguments, format);
    file_error(reader->error, reader->error_size, reader->testbed->path, line, format, arguments);
    va_end(arguments);
}

const char *testbed_link_name(unsigned link)
{
    return link_names[link];
}

const char *testbed_strobe_name(enum testbed_strobe strobe)
{
    return strobe_names[strobe];
}

bool testbed_strobe(const char *text, unsigned *port, enum testbed_strobe *out)
{
    size_t length = strcspn(text, ".");
    for (unsigned link = 0; text[length] && link <= TESTBED_LOCAL; link++)
        for (unsigned event = 0; event < sizeof strobe_names / sizeof *strobe_names; event++)
            if (strlen(link_names[link]) == length && memcmp(text, link_names[link], length) == 0 &&
                strcmp(text + length + 1, strobe_names[event]) == 0) {
                *port = link;
                *out = (enum testbed_strobe)event;
                return true;
            }
    return false;
}

bool testbed_rate(const char *text, uint64_t *out)
{
    enum { THOUSAND = 1000 };
    static const char units[] = "kmg";
    static const double most = 100e9;
    char *end;
    double rate = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
    if (rate == 0)
        return false;
    const char *unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
    for (const char *at = unit; at && at >= units; at--)
        rate *= THOUSAND;
    if (unit)
        end++;
    if (*end || rate < 1 || rate > most || rate != floor(rate))
        return false;
    *out = (uint64_t)rate;
    return true;
}

int testbed_board(const struct testbed *testbed, const char *name)
{
    for (unsigned i = 0; i < testbed->board_count; i++)
        if (strcmp(testbed->boards[i].name, name) == 0)
            return (int)i;
    return -1;
}

bool testbed_end(const struct testbed *testbed, const char *text, struct testbed_end *out)
{
    char name[TESTBED_NAME];
    const char *dot = strrchr(text, '.');
    if (!dot || (size_t)(dot - text) >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(dot - text), text);
    int board = testbed_board(testbed, name);
    for (unsigned link = 0; board >= 0 && link < TESTBED_LINKS; link++)
        if (strcmp(dot + 1, link_names[link]) == 0) {
            *out = (struct testbed_end){(unsigned)board, link};
            return true;
        }
    return false;
}

bool testbed_is_port(const char *text)
{
    if (!isdigit((unsigned char)*text))
        return false;
    text += strspn(text, "0123456789");
    for (char before = '-'; *text == before; before = '.') {
        if (!isdigit((unsigned char)*++text))
            return false;
        text += strspn(text, "0123456789");
        if (!*text)
            return true;
    }
    return false;
}

bool testbed_is_probe(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-";
    static const char kind[] = "xvc:";
    if (strncmp(text, kind, strlen(kind)) != 0)
        return false;
    const char *host = text + strlen(kind), *end = host + strspn(host, letters), *port = end + 1;
    if (end == host || *host == '-' || *end != ':' || !*port || port[strspn(port, "0123456789")] || strlen(port) > 5)
        return false;
    return atoi(port) >= 1 && atoi(port) <= 65535;
}
