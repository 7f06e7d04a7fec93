/* The rates at which the consoles of a testbed's boards answer.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_CONSOLE_RATES_H
#define POSTROAD_TESTBED_CONSOLE_RATES_H

#include "board/testbed.h"

/* Asks the boards at this computer whose consoles nothing else has open, all at once, for two seconds at most. `found`
 * is called for each that answers at another rate than the testbed file says. */
void console_rates_look(const struct testbed *testbed,
                        void (*found)(void *context, const char *board, int baud, int expected), void *context);

#endif
