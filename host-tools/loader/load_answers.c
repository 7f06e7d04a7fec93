/* Answers of boot programs in what comes by a serial line: see load_port.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cli/exit_code.h"
#include "libpostroad/client.h"
#include "loader/load_port.h"

#include <math.h>
#include <string.h>

static const char announcement[] = "boot ";

int load_port_let_rest(struct load_port *port, double rest, double longest)
{
    char text[LOAD_PORT_CHUNK];
    double end = pr_client_now() + longest;
    size_t count;
    int status;
    port->used = 0;
    do
        status = load_port_read(port, fmin(rest, end - pr_client_now()), text, &count);
    while (status == EXIT_OK && count > 0 && pr_client_now() < end);
    return status;
}

/* A space, and four hexadecimal digits. */
static bool read_number(const char *text, uint32_t *number)
{
    static const char digits[] = "0123456789abcdef";
    *number = 0;
    for (unsigned k = 1; k <= 4; k++) {
        const char *digit = text[k] ? strchr(digits, text[k]) : NULL;
        if (!digit)
            return false;
        *number = *number << 4 | (uint32_t)(digit - digits);
    }
    return text[0] == ' ';
}

/* What follows the announcement, without the end of the line. */
static bool read_answer(const char *text, struct load_port_answer *answer)
{
    const size_t number = strlen(" 0000"), length = strlen(text);
    uint32_t site;
    *answer = (struct load_port_answer){.letter = text[0]};
    if (length == 1)
        return true;
    answer->relayed = length == 1 + 2 * number && read_number(text + 1, &site) &&
                      read_number(text + 1 + number, &answer->tag);
    if (answer->relayed)
        answer->site = site;
    return answer->relayed;
}

/* The last announcement in a line counts: before it, firmware may have written anything. */
bool load_port_push(struct load_port *port, char byte, struct load_port_answer *answer)
{
    const char *found = NULL;
    if (byte != '\n') {
        if (port->used == LOAD_PORT_TEXT - 1)
            memmove(port->text, port->text + 1, --port->used);
        port->text[port->used++] = byte != 0 ? byte : '?';
        return false;
    }
    port->text[port->used] = 0;
    port->used = 0;
    for (const char *next = port->text; (next = strstr(next, announcement)) != NULL;)
        found = next += strlen(announcement);
    return found && read_answer(found, answer);
}
