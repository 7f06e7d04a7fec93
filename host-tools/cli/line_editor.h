/* Lines typed at a terminal, with editing and history (libedit). The history is kept in a file of the user,
 * $XDG_STATE_HOME/postroad/console_history (or ~/.local/state/...), which only that user can read. Without the file
 * there is no history.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_LINE_EDITOR_H
#define POSTROAD_CLI_LINE_EDITOR_H

#include <stdbool.h>

struct line_editor;

/* Waits until there is something to read on standard input. False: there will be no more lines. */
typedef bool line_editor_wait(void *context);

/* Starts the editor. The prompt is copied. NULL: this terminal allows no editing. */
struct line_editor *line_editor_create(const char *prompt, line_editor_wait *wait, void *context);
void line_editor_destroy(struct line_editor *editor);

/* The next line, without its newline; valid until the next call. NULL: the end of input, or `wait` returned false. */
const char *line_editor_read(struct line_editor *editor);

/* To be called from `wait`, before and after other text is printed while a line is being typed. */
void line_editor_hide(struct line_editor *editor);
void line_editor_show(struct line_editor *editor);

#endif
