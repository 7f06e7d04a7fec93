/* The back end whose sites are boards on serial lines.
 *
 * The identity of each board's node (firmware/wire/site_identity.h) gives its site number and its mesh. Lines that a
 * user names may be given in any order, no file describes the mesh, and every site of one mesh must be present exactly
 * once. Of a testbed each node must be what the file has at its board; a site without a console is reached over the
 * mesh. A board that is unplugged later is lost, and the others go on. When its line is back, and the node at its end
 * is the same site of the same mesh, the board serves again.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DAEMON_BACKEND_BOARDS_H
#define POSTROAD_DAEMON_BACKEND_BOARDS_H

#include <stddef.h>

#include "cli/exit_code.h"

struct backend;
struct board_consoles;

/* At least one console; all are copied, and their contexts must outlive the back end. Waits until all nodes have
 * answered, for their answer time at most. NULL with a line in `error` for everything that is wrong, and the exit code:
 *
 *   EXIT_USAGE      the same serial line twice, or a rate that serial lines do not have
 *   EXIT_TRANSPORT  a line that cannot be opened, is in use or is no serial line, or that answers otherwise than a node
 *   EXIT_MISMATCH   nodes of several meshes, a site twice, a site that is missing, or another one than in the testbed
 *   EXIT_TIMEOUT    a line at which no node answers
 */
struct backend *backend_boards_create(const struct board_consoles *consoles, enum exit_code *code, char *error,
                                      size_t error_size);

#endif
