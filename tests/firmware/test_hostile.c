/* The full operator with its console against packets that no operator made, with either service: hostile_rules.c.
 *
 * SPDX-License-Identifier: ISC
 */
#include "suite.h"

int main(void)
{
    hostile_rules(&full_raw);
    hostile_rules(&full_reliable);
    node_end(&node);
    return 0;
}
