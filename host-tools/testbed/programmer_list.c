/* See programmer_list.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "testbed/programmer_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/or_abort.h"
#include "testbed/tool_output.h"

enum { LIST_SIZE = 1 << 20, PATIENCE_S = 10 };

static char program[] = "openFPGALoader";

static void ask(struct programmer_list *list)
{
    char *argv[] = {program, "--list-boards", NULL};
    list->asked = true;
    list->text = or_abort(malloc(LIST_SIZE));
    if (tool_output(argv, true, PATIENCE_S, list->text, LIST_SIZE) >= 0)
        return;
    list->reason = errno == ETIMEDOUT ? "has not ended within 10 s" : "was ended by a signal";
    free(list->text);
    list->text = NULL;
}

void programmer_board_name(const struct board_conf *conf, char out[PROGRAMMER_BOARD])
{
    const char *at = strstr(conf->programmer_options, "-b ");
    snprintf(out, PROGRAMMER_BOARD, "%.*s", at ? (int)strcspn(at + 3, " ") : 0, at ? at + 3 : "");
}

enum programmer_knows programmer_knows_board(struct programmer_list *list, const struct board_conf *conf)
{
    char name[PROGRAMMER_BOARD];
    programmer_board_name(conf, name);
    if (!*name || strcmp(conf->programmer, program) != 0)
        return PROGRAMMER_KNOWS;
    if (!list->asked)
        ask(list);
    if (!list->text)
        return PROGRAMMER_GIVES_NO_LIST;
    size_t length = strlen(name);
    for (const char *line = list->text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, name, length) == 0 && isspace((unsigned char)line[length]))
            return PROGRAMMER_KNOWS;
    return PROGRAMMER_KNOWS_NOT;
}

void programmer_list_free(struct programmer_list *list)
{
    free(list->text);
    *list = (struct programmer_list){.asked = false};
}
