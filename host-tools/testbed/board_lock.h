/* The lock of a board on USB: flock on the device's node, /dev/bus/usb/BUS/DEVICE, opened for reading.
 *
 * The node is one for all users and sessions of the computer at which the board is plugged in, the kernel has made it,
 * and nothing is written to it. Whoever may open it may hold the lock, and is then named; nothing more. A run of
 * `postroad flash` holds it, and so do its programmers, which inherit it. For a board at another host flock(1) takes it
 * there (testbed/remote.h). A device that is plugged in again has a new node, and its lock is to be taken anew.
 *
 *   exclusive   a run at this computer
 *   shared      a run at another one, and each of its programmers, once the exclusive lock was had for a moment
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_BOARD_LOCK_H
#define POSTROAD_TESTBED_BOARD_LOCK_H

#include <stdbool.h>

#include "libpostroad/file_holder.h"

/* Takes the lock of the device at this node, in place of one that `*lock` holds for a node that is gone; -1: none.
 * False with errno: EWOULDBLOCK, another run or one of its programmers has it; else the node cannot be opened. */
bool board_lock_take(int *lock, const char *node);

/* Is the board being written? Then with its holder, as "process 12 (postroad) of user me". A node that cannot be opened
 * is not. */
bool board_lock_is_held(const char *node, char holder[PR_PROCESS_NAME]);

#endif
