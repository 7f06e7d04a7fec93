/* The clocks that a native operator takes, and its evaluators with it. On a node one core does all of it, one thing
 * after the other; so does a native one that has such clocks:
 *
 *   packet arrives        the operator has it                its handler has ended     what it sends may leave
 *         |---- receive --------->|-------- handler ------------------>|---- send -------------->|
 *
 * It begins with what comes next when it is through. Meanwhile it is not polled, and holds nothing up but itself.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_NETWORK_INTERFACE_OPERATOR_CLOCKS_H
#define POSTROAD_NETWORK_INTERFACE_OPERATOR_CLOCKS_H

#include <stdint.h>

enum { OPERATOR_CLOCKS_MOST = 1000000 };

struct operator_clocks {
    uint32_t receive; /* from a packet's terminator until the operator delivers it, sends it on or drops it */
    uint32_t send;    /* from the decision to send a packet until its first word may leave */
    uint32_t handler; /* of an evaluator, for each packet that is delivered */
};

#endif
