/* See pin_list.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/pin_list.h"

#include <ctype.h>
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

static bool good_name(const char *name, size_t length)
{
    if (length == 0 || length >= PIN_NAME || isdigit((unsigned char)*name))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return false;
    return true;
}

static bool take_name(struct text_file *file, const char *name, struct pin *pin)
{
    size_t length = strcspn(name, "[");
    int index = -1, used = 0;
    if (name[length] && (sscanf(name + length, "[%2d]%n", &index, &used) != 1 || name[length + (size_t)used] ||
                         index < 0 || index >= PIN_BITS || !used))
        return text_file_fail(file, "%.70s, expected NAME or NAME[0] to NAME[%d]", name, PIN_BITS - 1);
    if (!good_name(name, length))
        return text_file_fail(file, "%.70s, expected a name of letters, digits and _", name);
    snprintf(pin->name, sizeof pin->name, "%.*s", (int)length, name);
    pin->index = index;
    return true;
}

static bool take_locate(struct pin_list *list, struct text_file *file)
{
    struct pin new = {0};
    if (file->count != 5 || strcmp(file->words[1], "COMP") != 0 || strcmp(file->words[3], "SITE") != 0)
        return text_file_fail(file, "expected LOCATE COMP \"NAME\" SITE \"PIN\";");
    const char *name = unquote(file->words[2]), *site = unquote(file->words[4]);
    if (strlen(site) == 0 || strlen(site) >= PIN_SITE)
        return text_file_fail(file, "pin %.20s, expected one like G2", site);
    if (!take_name(file, name, &new))
        return false;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct pin *other = &list->pins[i];
        if (strcmp(other->site, site) == 0)
            return text_file_fail(file, "pin %s is given twice, expected once", site);
        if (strcmp(other->name, new.name) == 0 && (other->index == new.index || other->index < 0 || new.index < 0))
            return text_file_fail(file, "%s is given twice, expected once", new.name);
    }
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

const char *pin_text(const struct pin *pin)
{
    static char text[PIN_NAME + 16];
    if (pin->index < 0)
        return pin->name;
    snprintf(text, sizeof text, "%s[%d]", pin->name, pin->index);
    return text;
}

/* A port: the pins of one name. */
struct port {
    const struct pin *first;
    int high; /* index of its last bit; -1: no vector */
    bool input, output;
    uint64_t driven;
};

/* The port that begins with this pin; false: another pin has the same name and stands before it, or none is used. */
static bool take_port(const struct pin_list *list, uint32_t number, struct port *port)
{
    *port = (struct port){.first = &list->pins[number], .high = -1};
    for (uint32_t i = 0; i < list->count; i++) {
        const struct pin *pin = &list->pins[i];
        if (strcmp(pin->name, port->first->name) != 0)
            continue;
        if (i < number)
            return false;
        port->high = pin->index > port->high ? pin->index : port->high;
        port->input |= pin->input;
        port->output |= pin->output;
        if (pin->output && pin->index >= 0)
            port->driven |= (uint64_t)1 << pin->index;
    }
    return port->input || port->output;
}

bool pin_list_print_names(const struct pin_list *list, FILE *out)
{
    bool any = false;
    for (uint32_t i = 0; i < list->count; i++) {
        struct port port;
        if (take_port(list, i, &port))
            fprintf(out, "%s%s", any ? ", " : "", port.first->name);
        any |= port.input || port.output;
    }
    return any;
}

static void print_port(const struct port *port, FILE *out)
{
    char range[16] = "";
    if (port->high >= 0)
        snprintf(range, sizeof range, "[%d:0] ", port->high);
    fprintf(out, "    %s wire %s%s;\n", port->output ? "output" : "input", range, port->first->name);
    for (int bit = 0; port->output && bit <= port->high; bit++)
        if (!(port->driven >> bit & 1))
            fprintf(out, "    assign %s[%d] = 1'b0;\n", port->first->name, bit);
}

bool pin_list_print_ports(const struct pin_list *list, FILE *out, struct failure *failure)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct port port;
        if (!take_port(list, i, &port))
            continue;
        if (port.input && port.output)
            return fail(failure, "%s is used both as an input and as an output, expected one of them",
                        port.first->name);
        print_port(&port, out);
    }
    return true;
}
