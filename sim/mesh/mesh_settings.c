/* See mesh_settings.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "mesh/mesh_settings.h"
#include "support/or_abort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 40 };

struct setting {
    char section[NAME_SIZE], key[NAME_SIZE];
    const char *value;
};

static bool read_name(const char *from, size_t length, char name[NAME_SIZE])
{
    if (length == 0 || length >= NAME_SIZE)
        return false;
    memcpy(name, from, length);
    name[length] = 0;
    return true;
}

static bool read_setting(const char *item, struct setting *setting)
{
    size_t section = strcspn(item, ".="), key = strcspn(item, "=");
    setting->value = item + key + 1;
    return item[section] == '.' && item[key] == '=' && !strpbrk(item, "\r\n[]") &&
           read_name(item, section, setting->section) && read_name(item + section + 1, key - section - 1, setting->key);
}

/* In a line "key = value", the key. */
static bool is_key(const char *line, const char *key)
{
    size_t length = strlen(key);
    line += strspn(line, " \t");
    return strncmp(line, key, length) == 0 && line[length] != 0 && strchr(" \t=", line[length]);
}

/* The section that begins in this line, or the one that the line is in. */
static void follow_section(const char *line, char section[NAME_SIZE])
{
    line += strspn(line, " \t");
    if (*line == '[' && !read_name(line + 1, strcspn(line + 1, "]\n"), section))
        section[0] = 0;
}

static size_t line_length(const char *line)
{
    size_t length = strcspn(line, "\n");
    return line[length] ? length + 1 : length;
}

bool mesh_settings_has(const char *text, const char *section, const char *key)
{
    char in[NAME_SIZE] = "";
    for (; *text; text += line_length(text)) {
        follow_section(text, in);
        if (strcmp(in, section) == 0 && is_key(text, key))
            return true;
    }
    return false;
}

static bool is_set(const struct setting *settings, size_t count, const char *section, const char *line)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(settings[k].section, section) == 0 && is_key(line, settings[k].key))
            return true;
    return false;
}

static void write_text(FILE *out, const char *text, const struct setting *settings, size_t count)
{
    char in[NAME_SIZE] = "";
    for (size_t length; *text; text += length) {
        length = line_length(text);
        follow_section(text, in);
        if (is_set(settings, count, in, text))
            fputs("; ", out);
        fwrite(text, 1, length, out);
        if (text[length - 1] != '\n')
            fputc('\n', out);
    }
    for (size_t k = 0; k < count; k++)
        if (*settings[k].value)
            fprintf(out, "[%s]\n%s = %s\n", settings[k].section, settings[k].key, settings[k].value);
        else
            fprintf(out, "; [%s]\n; %s: its default\n", settings[k].section, settings[k].key);
}

char *mesh_settings_apply(const char *text, const struct mesh_settings *settings, char *error, size_t error_size)
{
    struct setting *read = or_abort(calloc(settings->count + 1, sizeof *read));
    char *applied = NULL;
    size_t length;
    for (size_t k = 0; k < settings->count; k++)
        if (!read_setting(settings->items[k], &read[k])) {
            snprintf(error, error_size, "%s: expected SECTION.KEY=VALUE, as in buffers.max_packet=64",
                     settings->items[k]);
            free(read);
            return NULL;
        }
    FILE *out = or_abort(open_memstream(&applied, &length));
    write_text(out, text, read, settings->count);
    if (fclose(out) != 0)
        abort();
    free(read);
    return applied;
}
