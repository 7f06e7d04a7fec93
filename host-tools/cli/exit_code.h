/* Exit codes of every program of the kit. The libraries below have result codes of their own, which are mapped here.
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

/* An exit code, as described in help, manual page and reference. */
struct exit_code_row {
    enum exit_code code;
    const char *meaning; /* in few words */
    const char *manual;  /* whole sentences, in the markup of cli/documents.h */
};

enum { EXIT_CODES = 8 };
extern const struct exit_code_row exit_codes[EXIT_CODES];

/* For a PR_CLIENT_ status, for the PR_CONSOLE_ status of an answer, and for an enum experiment_end. */
int exit_code_of_client(int status);
int exit_code_of_answer(int status);
int exit_code_of_experiment(int end);

/* Of two runs: that of the one which ended worse. */
int exit_code_worst(int one, int other);

#endif
