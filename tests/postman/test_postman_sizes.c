/* The fast model of `postman`: every square of 2x2 to 32x32, as a grid and as a torus, with every set of options, under
 * random traffic of mixed lengths (traffic.h): all packets of up to 10x10 to one node with a quarter of the sets.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "postman/traffic.h"

enum { MOST_HOT_SIDE = 10 };

int main(void)
{
    uint64_t seed = check_seed();
    for (unsigned side = 2; side <= POSTMAN_MOST_SIDE; side++)
        for (unsigned set = 0; set < TRAFFIC_OPTION_SETS; set++)
            for (unsigned torus = 0; torus < 2; torus++) {
                struct postman_options options = {.size_x = side, .size_y = side, .flit_bits = 8, .torus = torus};
                traffic_options(&options, set);
                traffic_run(&options, 2, side <= MOST_HOT_SIDE && set % 4 == side % 4, &seed);
            }
    return verdict("test_postman_sizes");
}
