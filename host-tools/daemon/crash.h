/* Why a site's firmware has crashed or hangs: one line of text, with places in the source.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_CRASH_H
#define POSTROAD_DAEMON_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The report of a trap handler on its console (firmware/platform/platform.c). */
struct crash {
    bool seen;
    uint32_t cause, pc, return_address;
};

/* Notes a report of the trap handler, if the text from a site's console contains one. */
void crash_note_text(struct crash *crash, const char *text, size_t length);

/* "crashed: CAUSE (mcause N) at PC in FUNCTION (FILE:LINE); ra RA in FUNCTION (FILE:LINE)". The second place is the
 * address in register ra: the caller, in a function that has made no call since its entry. It is left out where ra is
 * 0, which means unknown. */
void crash_describe(const struct crash *crash, const char *elf, char *out, size_t size);

/* "hangs: has worked for ... now at PC in FUNCTION (FILE:LINE); ra ...", as above. `clocks` is of a core; 0: it is a
 * guest under QEMU, whose time slice has lasted for `seconds`. */
void crash_describe_hang(double seconds, uint64_t clocks, uint32_t pc, uint32_t return_address, const char *elf,
                         char *out, size_t size);

#endif
