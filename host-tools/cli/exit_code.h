/* Exit codes of every program of the kit.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_EXIT_CODE_H
#define POSTROAD_CLI_EXIT_CODE_H

enum exit_code {
    EXIT_OK = 0,
    EXIT_USAGE = 1,     /* usage or configuration */
    EXIT_TRANSPORT = 2, /* hardware or transport */
    EXIT_MISMATCH = 3,  /* lost, duplicated, corrupted, not verified; firmware that did not start */
    EXIT_PARTIAL = 4,   /* some sites did, some did not */
    EXIT_TIMEOUT = 5,
    EXIT_LOCKED_UP = 6, /* all storage is committed */
    EXIT_INTERRUPTED = 130,
};

#endif
