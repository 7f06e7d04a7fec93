/* See discipline.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/discipline.h"

#include <stdio.h>
#include <string.h>

const struct discipline *discipline_numbered(uint32_t number)
{
    for (unsigned i = 0; i < discipline_count; i++)
        if (disciplines[i].number == number)
            return &disciplines[i];
    return NULL;
}

const struct discipline *discipline_default(void)
{
    const struct discipline *row = discipline_numbered(0);
    return row ? row : disciplines;
}

const struct discipline *discipline_find(const char *name)
{
    for (unsigned i = 0; i < discipline_count; i++)
        if (strcmp(disciplines[i].name, name) == 0)
            return &disciplines[i];
    return NULL;
}

void discipline_names(char *out, size_t size)
{
    size_t used = 0;
    *out = 0;
    for (unsigned i = 0; i < discipline_count && used < size; i++) {
        const char *between = i == 0 ? "" : i + 1 == discipline_count ? " or " : ", ";
        used += (size_t)snprintf(out + used, size - used, "%s%s", between, disciplines[i].name);
    }
}

unsigned discipline_word_clocks(const struct discipline *discipline, unsigned word_width)
{
    return discipline->byte_clocks ? word_width / 8 * discipline->byte_clocks : 1;
}

const struct own_key *discipline_own_key(const struct discipline *discipline, const char *section, const char *key)
{
    for (unsigned i = 0; i < discipline->own_count; i++)
        if (strcmp(discipline->own[i].key.section, section) == 0 && strcmp(discipline->own[i].key.name, key) == 0)
            return &discipline->own[i];
    return NULL;
}

bool discipline_has_key(const struct discipline *discipline, const char *section, const char *key)
{
    size_t length = strlen(section);
    for (const char *const *name = discipline->keys; *name; name++)
        if (strncmp(*name, section, length) == 0 && (*name)[length] == '.' && strcmp(*name + length + 1, key) == 0)
            return true;
    return discipline_own_key(discipline, section, key) != NULL;
}
