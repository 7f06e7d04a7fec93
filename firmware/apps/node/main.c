/* The node's firmware: operator and console, and no application.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/node_program.h"

int main(void)
{
    pr_node_run(pr_node_start());
}
