/* See gowin_build.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/gowin_build.h"

#include <stdlib.h>
#include <string.h>

static const cJSON *connection(const struct gowin_cell *cell, const char *port, int bit)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(cell->connections, port), bit);
}

const char *gowin_bit(const struct gowin_cell *cell, const char *port, int bit, const char *missing,
                      char text[GOWIN_NET])
{
    const cJSON *item = connection(cell, port, bit);
    if (cJSON_IsNumber(item))
        snprintf(text, GOWIN_NET, "n%u", (unsigned)item->valueint);
    else if (cJSON_IsString(item) && (strcmp(item->valuestring, "0") == 0 || strcmp(item->valuestring, "1") == 0))
        snprintf(text, GOWIN_NET, "1'b%s", item->valuestring);
    else if (missing)
        snprintf(text, GOWIN_NET, "%s", missing);
    else {
        gowin_fail(cell, "nothing is connected to", port);
        strcpy(text, "1'b0");
    }
    return text;
}

const char *gowin_numbered(const struct gowin_cell *cell, const char *port, int number, const char *missing,
                           char text[GOWIN_NET])
{
    char name[24];
    snprintf(name, sizeof name, "%.16s%d", port, number);
    return gowin_bit(cell, name, 0, missing, text);
}

bool gowin_connected(const struct gowin_cell *cell, const char *port)
{
    return connection(cell, port, 0) != NULL;
}

const char *gowin_parameter(const struct gowin_cell *cell, const char *name, const char *missing)
{
    const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(cell->parameters, name));
    return value ? value : missing;
}

unsigned gowin_number(const struct gowin_cell *cell, const char *name, unsigned missing)
{
    const char *value = gowin_parameter(cell, name, NULL);
    if (!value)
        return missing;
    size_t length = strspn(value, "01");
    return (unsigned)strtoul(value + (length > 32 ? length - 32 : 0), NULL, 2);
}

bool gowin_fail(const struct gowin_cell *cell, const char *reason, const char *value)
{
    return fail(cell->build->failure, "%s: cell %.60s (%.20s): %s %.40s", cell->build->path, cell->name, cell->type,
                reason, value);
}
