/*
 * Writers of what is generated from the protocol data. Each prints one whole file to `out`.
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_HW_PROTOCOL_GENERATOR_PROTOCOL_EMIT_H
#define POSTROAD_HW_PROTOCOL_GENERATOR_PROTOCOL_EMIT_H

#include <stdio.h>

#include "generator/protocol_model.h"

void protocol_emit_verilog(const struct protocol_model *model, FILE *out);          /* protocol.vh */
void protocol_emit_c(const struct protocol_model *model, FILE *out);                /* protocol.h */
void protocol_emit_python(const struct protocol_model *model, FILE *out);           /* protocol.py */
void protocol_emit_straps_verilog(const struct protocol_model *model, FILE *out);   /* straps.vh */
void protocol_emit_straps_registers(const struct protocol_model *model, FILE *out); /* node_id_straps.vh */
void protocol_emit_straps_c(const struct protocol_model *model, FILE *out);         /* straps.h */
void protocol_emit_manual(const struct protocol_model *model, FILE *out);           /* build/doc/registers.md */
void protocol_emit_walk(const struct protocol_model *model, FILE *out);             /* table for the register walk */

/* One group: as an enum, and as a table of names, values and meanings. */
void protocol_emit_c_group(const struct group *group, FILE *out);
void protocol_emit_manual_group(const struct group *group, FILE *out);

/* `prefix` and `name` in capitals, in a buffer that lives until the fourth next call. */
const char *protocol_name(const char *prefix, const char *name);

#endif
