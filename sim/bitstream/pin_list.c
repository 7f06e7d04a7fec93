/* See pin_list.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/pin_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/name_map.h"
#include "bitstream/text_file.h"

/* "\"name\";" without quotes and what follows them. */
static const char *unquote(char *word)
{
    if (*word == '"')
        word++;
    word[strcspn(word, "\";")] = 0;
    return word;
}

/* NAME or NAME[3]. */
static bool good_name(const char *name)
{
    size_t length = strcspn(name, "[");
    int index, used = 0;
    if (length == 0 || strlen(name) >= PIN_NAME || isdigit((unsigned char)*name))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return false;
    return !name[length] ||
           (sscanf(name + length, "[%2d]%n", &index, &used) == 1 && used && !name[length + (size_t)used]);
}

static bool take_locate(struct pin_list *list, struct text_file *file)
{
    struct pin new = {0};
    if (file->count != 5 || strcmp(file->words[1], "COMP") != 0 || strcmp(file->words[3], "SITE") != 0)
        return text_file_fail(file, "expected LOCATE COMP \"NAME\" SITE \"PIN\";");
    const char *name = unquote(file->words[2]), *site = unquote(file->words[4]);
    if (strlen(site) == 0 || strlen(site) >= PIN_SITE)
        return text_file_fail(file, "pin %.20s, expected one like G2", site);
    if (!good_name(name))
        return text_file_fail(file, "%.70s, expected NAME or NAME[0] to NAME[99] of letters, digits and _", name);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct pin *other = &list->pins[i];
        if (strcmp(other->site, site) == 0)
            return text_file_fail(file, "pin %s is given twice, expected once", site);
        if (strcmp(other->name, name) == 0)
            return text_file_fail(file, "%s is given twice, expected once", name);
    }
    strcpy(new.name, name);
    strcpy(new.site, site);
    *(struct pin *)list_add(&list->pins, &list->count, sizeof new) = new;
    return true;
}

bool pin_list_read(struct pin_list *list, const char *path, struct failure *failure)
{
    struct text_file file;
    *list = (struct pin_list){0};
    bool good = text_file_read(&file, path, failure);
    while (good && text_file_line(&file))
        if (strcmp(file.words[0], "LOCATE") == 0)
            good = take_locate(list, &file);
    if (good && !list->count && !failure->failed)
        fail(failure, "%s: no LOCATE COMP, expected the places of pins", path);
    text_file_free(&file);
    return !failure->failed;
}

void pin_list_free(struct pin_list *list)
{
    free(list->pins);
    *list = (struct pin_list){0};
}

struct pin *pin_list_at(const struct pin_list *list, const char *site)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->pins[i].site, site) == 0)
            return &list->pins[i];
    return NULL;
}
