/* What became of a site's firmware, in a line a person can use.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_CRASH_H
#define POSTROAD_DAEMON_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a trap handler has written to its console (firmware/platform/platform.c). */
struct crash {
    bool seen;
    uint32_t cause, pc, return_address;
};

/* Looks at text from a site's console. */
void crash_note_text(struct crash *crash, const char *text, size_t length);

/* "crashed: CAUSE at ADDRESS in FUNCTION (FILE:LINE), called from ...". */
void crash_describe(const struct crash *crash, const char *elf, char *out, size_t size);

/* "hangs: ... at ADDRESS in ...", of a guest that has worked for so many seconds, or a core that has for so many
 * clocks. */
void crash_describe_hang(double seconds, uint64_t clocks, uint32_t pc, uint32_t return_address, const char *elf,
                         char *out, size_t size);

#endif
