/* What the programmers share: arguments, and faults in what a program prints. See programmer.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/programmer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void programmer_add(struct programmer_command *command, const char *format, ...)
{
    va_list arguments;
    size_t room = sizeof command->text - command->used;
    char *place = command->text + command->used;
    va_start(arguments, format);
    size_t length = (size_t)vsnprintf(place, room, format, arguments) + 1;
    va_end(arguments);
    if (length > room || command->count == PROGRAMMER_ARGUMENTS)
        abort();
    command->argv[command->count++] = place;
    command->argv[command->count] = NULL;
    command->used += length;
}

void programmer_add_words(struct programmer_command *command, const char *words)
{
    while (*(words += strspn(words, " "))) {
        size_t length = strcspn(words, " ");
        programmer_add(command, "%.*s", (int)length, words);
        words += length;
    }
}

bool programmer_take_fault(struct programmer_reading *reading, const struct programmer_fault *faults, const char *line)
{
    for (; faults->text; faults++)
        if (strstr(line, faults->text)) {
            if (!reading->failure) {
                reading->failure = faults->failure;
                snprintf(reading->fault, sizeof reading->fault, "%s", faults->meaning ? faults->meaning : line);
            }
            return true;
        }
    return false;
}
