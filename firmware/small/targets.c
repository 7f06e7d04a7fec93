/* Site words and target entries. An entry that is done stays where it is: a packet leaves once for each entry that is
 * to be served, and neither entries nor data move.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/small.h"

struct place here;

uint32_t address_of(unsigned site)
{
    uint32_t row = 0;
    for (; site >= here.columns; site -= here.columns) /* the cores have no division */
        row += 1 << PR_SITE_COORD_WIDTH_16;
    return row | site;
}

unsigned end_of_entry(const struct pr_packet *packet, unsigned k)
{
    do
        k++;
    while (k < packet->target_words && pr_packet_is_info(packet, k));
    return k;
}

void choose(struct pr_packet *packet, unsigned k)
{
    packet->words[k] &= ~(uint32_t)MARK;
    packet->kind_bits = 0;
    packet->first_target = (uint8_t)k;
    packet->end_target = (uint8_t)end_of_entry(packet, k);
}

bool is_to_serve(uint32_t site_word, uint32_t required)
{
    return (site_word & required) == required && !is_here(site_word) && is_site(site_word);
}
