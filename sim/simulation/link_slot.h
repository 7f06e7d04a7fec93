/* A link slot: 64 bits that show what a site puts on one of its links in one clock. C and C++.
 *
 *   bit 63  status travelling against the words: 1 = wait
 *   bit 62  the operator's request for relief, in what an operator shows its fabric
 *   61:0    {tag, word}, 0 = no word
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SIMULATION_LINK_SLOT_H
#define POSTROAD_SIMULATION_LINK_SLOT_H

#include <stdint.h>

#define LINK_SLOT_WAIT   ((uint64_t)1 << 63)
#define LINK_SLOT_RELIEF ((uint64_t)1 << 62)
#define LINK_SLOT_WORD   (LINK_SLOT_RELIEF - 1)

#endif
