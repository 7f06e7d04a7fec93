/*
 * The console's frames, from console.ini: constants and fields for C and Lua, tables for the manual.
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_HW_PROTOCOL_GENERATOR_CONSOLE_EMIT_H
#define POSTROAD_HW_PROTOCOL_GENERATOR_CONSOLE_EMIT_H

#include <stdio.h>

#include "generator/protocol_model.h"

/* Reads console.ini and checks the fields of its messages. 0, or -1 with "FILE: reason" in error. */
int console_load(const char *directory, struct protocol_model *console, char *error, size_t error_size);

void console_emit_c(const struct protocol_model *console, FILE *out);      /* console_protocol.h */
void console_emit_manual(const struct protocol_model *console, FILE *out); /* build/doc/console.md */
void console_emit_lua(const struct protocol_model *console, FILE *out);    /* console_protocol.lua */

#endif
