/* The full operator with its console against packets that no operator made, with either service: hostile_rules.c.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "suite.h"

int main(void)
{
    const uint64_t seed = check_seed();
    hostile_rules(&full_raw, seed);
    hostile_rules(&full_reliable, seed);
    node_end(&node);
    return 0;
}
