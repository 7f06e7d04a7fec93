/* The gdb server of a QEMU: reports whether a debugger is attached, and if none is, where the firmware's processor is.
 *
 * `postroad gdb` holds a lock (flock) on DIRECTORY/qemu-N.debugger for as long as its gdb lives, however gdb ends.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_QEMU_QEMU_DEBUGGER_H
#define POSTROAD_QEMU_QEMU_DEBUGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu/qemu_process.h"

/* The text of the locked file if the mesh is to wait for this site. */
#define QEMU_DEBUGGER_HALTS "halt\n"

enum qemu_debugger { QEMU_NO_DEBUGGER, QEMU_DEBUGGER, QEMU_HALTING_DEBUGGER };

enum qemu_debugger qemu_debugger_state(const struct qemu_process *process);

/* Stops the firmware, reads pc and ra, and resumes it. False: QEMU did not answer within a second. Not to be called
 * while a debugger is attached. */
bool qemu_debugger_look(const struct qemu_process *process, uint32_t *pc, uint32_t *return_address);

#endif
