/* An application: each packet for handler ECHO goes back to its source, to handler ANSWER, with the same words. While
 * the last answer is not settled, the next one is left out.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/application.h"

enum { ECHO = 2, ANSWER = 1 };

void pr_small_delivered(const struct pr_small_delivery *delivery)
{
    if (delivery->handler == ECHO)
        pr_small_send(delivery->source, ANSWER, delivery->data, delivery->data_words);
}

bool pr_small_poll(void)
{
    return false;
}
