/* A board, and what is around it, imitated. The role is the name by which the program is called, as a programmer's by a
 * symbolic link, or else the first argument:
 *
 *   node                     a mesh of nodes behind one console that answers wrongly on request   role_node.c
 *   boards                   a simulated mesh with a pty for each board, and its boot program     role_boards.c
 *   consoles                 the ptys of boards that answer as their flash says                   role_consoles.c
 *   jtag                     an FPGA and its flash behind an XVC server                           role_jtag.c
 *   iceprog, openFPGALoader  programmers that write a board's flash                               role_programmer.c
 *   sigrok-cli               with a logic analyser                                                role_analyser.c
 *
 * SPDX-License-Identifier: ISC
 */
#include "imitate.h"

#include <string.h>

static const struct {
    const char *name;
    role *role;
} roles[] = {
    {"node", node_role},           {"boards", boards_role},      {"consoles", consoles_role},
    {"jtag", jtag_role},           {"iceprog", programmer_role}, {"openFPGALoader", programmer_role},
    {"sigrok-cli", analyser_role},
};

static role *find_role(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (size_t k = 0; k < sizeof roles / sizeof *roles; k++)
        if (strcmp(roles[k].name, name) == 0)
            return roles[k].role;
    return NULL;
}

int main(int argc, char **argv)
{
    role *found = find_role(argv[0]);
    if (!found && argc > 1 && (found = find_role(argv[1]))) {
        argc--;
        argv++;
    }
    if (!found)
        usage("imitate ROLE [ARGUMENT...] (the roles are at the top of its source)");
    return found(argc, argv);
}
