/* Output of the verbs: results on stdout, everything else on stderr.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_REPORT_H
#define POSTROAD_CLI_REPORT_H

#include <stdbool.h>
#include <stddef.h>

struct cJSON;
struct options;

enum { CONTINUED_INDENT = 4 }; /* of further lines of a message on a narrow terminal */

extern const char report_version_number[]; /* VERSION of the Makefile */

void report_version(void);

/* "postroad VERB: text" on stderr. report_failure returns the exit code. Notes are left out with --quiet. */
int report_failure(int code, const char *verb, const char *format, ...) __attribute__((format(printf, 3, 4)));
void report_error(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_errors(const char *verb, const char *text); /* an error a line */
void report_note(const struct options *options, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Creates a JSON object that starts with schema "postroad.VERB" and version; NULL only without memory. */
struct cJSON *report_object(const char *verb);

/* Prints the object, indented or, for streams, on one line, and frees it. */
void report_print(struct cJSON *object, bool one_line);

/* Progress of work that takes longer than a second, on stderr. On a terminal it is a bar. Otherwise it is lines: one
 * for every notable event, and one a second for the others.
 */
struct progress {
    const char *label;
    size_t total, done;
    double started, drawn;
    bool quiet, terminal, shown;
};

void progress_begin(struct progress *progress, const struct options *options, const char *label, size_t total);
void progress_step(struct progress *progress, const char *event, bool notable);
/* Sets the progress and draws the bar, for work that has its own count. Never writes lines. */
void progress_show(struct progress *progress, size_t done, size_t total);
void progress_end(struct progress *progress);

#endif
