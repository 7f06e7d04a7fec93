/* See mesh_parser.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/mesh_parser.h"

#include "support/file_error.h"

#include <stdarg.h>

void mesh_parse_fail(struct mesh_parser *parser, int line, const char *format, ...)
{
    if (parser->failed)
        return;
    parser->failed = true;
    va_list arguments;
    va_start(arguments, format);
    file_error(parser->error, parser->error_size, parser->path, line, format, arguments);
    va_end(arguments);
}

int mesh_parse_blame(const struct mesh_parser *parser, enum mesh_key_index a, enum mesh_key_index b,
                     enum mesh_key_index c)
{
    int line = parser->key_lines[a];
    if (parser->key_lines[b] > line)
        line = parser->key_lines[b];
    if (parser->key_lines[c] > line)
        line = parser->key_lines[c];
    return line ? line : parser->line;
}
