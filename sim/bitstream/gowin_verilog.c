/* See gowin_verilog.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "bitstream/gowin_verilog.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/gowin_build.h"
#include "support/or_abort.h"

static bool good_name(const char *name)
{
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* The ports, and which net each bit of one is. */
static bool print_ports(struct gowin_build *build, const cJSON *ports, const char *module, FILE *out)
{
    const cJSON *port;
    fprintf(out, "module %s (", module);
    cJSON_ArrayForEach(port, ports) fprintf(out, "%s%s", port == ports->child ? "" : ", ", port->string);
    fprintf(out, ");\n");
    cJSON_ArrayForEach(port, ports)
    {
        const char *direction = cJSON_GetStringValue(member(port, "direction"));
        int count = cJSON_GetArraySize(member(port, "bits"));
        bool input = direction && strcmp(direction, "input") == 0;
        if (!good_name(port->string) || !direction || (!input && strcmp(direction, "output") != 0) || count < 1)
            return fail(build->failure, "%s: port %.40s, expected an input or output with bits", build->path,
                        port->string);
        fprintf(out, "    %s wire [%d:0] %s;\n", direction, count - 1, port->string);
        for (int bit = 0; bit < count; bit++) {
            int net = (int)cJSON_GetNumberValue(cJSON_GetArrayItem(member(port, "bits"), bit));
            if (input)
                fprintf(build->cells, "    assign n%d = %s[%d];\n", net, port->string, bit);
            else
                fprintf(build->cells, "    assign %s[%d] = n%d;\n", port->string, bit, net);
        }
    }
    return true;
}

static bool print_cells(struct gowin_build *build, const cJSON *cells)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cells)
    {
        const char *type = cJSON_GetStringValue(member(item, "type"));
        struct gowin_cell cell = {build, item->string, type ? type : "none", member(item, "connections"),
                                  member(item, "parameters")};
        if (!gowin_print_logic(&cell) && !gowin_print_ram(&cell))
            gowin_fail(&cell, "a cell of a type that is", "not known to this simulator");
        if (build->failure->failed)
            return false;
    }
    return true;
}

/* Every net that a cell or a port names, once: a register if a flop drives it. */
static void declare(const struct gowin_build *build, const cJSON *bits, struct key_map *declared, FILE *out)
{
    const cJSON *bit;
    cJSON_ArrayForEach(bit, bits)
    {
        if (!cJSON_IsNumber(bit))
            continue;
        uint32_t *place = key_map_place(declared, (unsigned)bit->valueint);
        uint32_t flop = key_map_get(&build->flop_of, (unsigned)bit->valueint);
        if (*place == NO_ENTRY && flop == NO_ENTRY)
            fprintf(out, "    wire n%d;\n", bit->valueint);
        else if (*place == NO_ENTRY)
            fprintf(out, "    reg n%d = 1'b%u;\n", bit->valueint, flop);
        *place = 1;
    }
}

static void print_nets(const struct gowin_build *build, const cJSON *top, FILE *out)
{
    const cJSON *item, *port;
    struct key_map declared = {0};
    cJSON_ArrayForEach(item, member(top, "cells")) cJSON_ArrayForEach(port, member(item, "connections"))
        declare(build, port, &declared, out);
    cJSON_ArrayForEach(item, member(top, "ports")) declare(build, member(item, "bits"), &declared, out);
    key_map_free(&declared);
}

bool gowin_verilog(const char *path, const char *text, const char *module, const char *rams, FILE *out,
                   struct failure *failure)
{
    struct gowin_build build = {.path = path, .rams = rams, .failure = failure};
    char *cells = NULL;
    size_t length;
    cJSON *json = cJSON_Parse(text);
    const cJSON *top = member(member(json, "modules"), "top");
    build.cells = or_abort(open_memstream(&cells, &length));
    if (!json)
        fail(failure, "%s: not JSON, expected what nextpnr writes", path);
    else if (!cJSON_IsObject(member(top, "cells")) || !cJSON_IsObject(member(top, "ports")))
        fail(failure, "%s: no module top with cells and ports", path);
    bool good = !failure->failed && print_ports(&build, member(top, "ports"), module, out) &&
                print_cells(&build, member(top, "cells"));
    fclose(build.cells);
    if (good) {
        print_nets(&build, top, out);
        fputs(cells, out);
        fprintf(out, "endmodule\n");
    }
    free(cells);
    key_map_free(&build.flop_of);
    cJSON_Delete(json);
    return good;
}
