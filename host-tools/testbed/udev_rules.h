/* The rules that give users access to the boards: /etc/udev/rules.d/70-postroad.rules. uaccess is for the person at the
 * computer (its rules have the number 73, so that these come before), the group plugdev for those who log in through
 * ssh.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_UDEV_RULES_H
#define POSTROAD_TESTBED_UDEV_RULES_H

#include <stdbool.h>
#include <stdio.h>

#include "testbed/board_confs.h"

extern const char udev_rules_path[]; /* below the root */

/* Has ROOT the rules, as they are written today? */
bool udev_rules_are_there(const struct board_confs *confs, const char *root);

/* Writes them, whole or not at all. 0, or -1 with the reason. */
int udev_rules_install(const struct board_confs *confs, const char *root, char *error, size_t error_size);

#endif
