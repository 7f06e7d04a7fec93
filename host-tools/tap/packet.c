/* See packet.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap/packet.h"

#include <string.h>

#include "protocol.h"
#include "tap/fragments.h"

static unsigned word_bytes(const struct pr_site_identity *mesh)
{
    return mesh->word_width / 8;
}

/* Words of a packet beside the operator's. */
static unsigned room_words(const struct pr_site_identity *mesh)
{
    return mesh->max_packet - PR_HEADER_WORDS;
}

unsigned tap_packet_targets_most(const struct pr_site_identity *mesh)
{
    unsigned most = (room_words(mesh) - TAP_FRAGMENT_HEADER / word_bytes(mesh)) / 2;
    return most > PR_MESSAGE_WORDS_MAX ? PR_MESSAGE_WORDS_MAX : most;
}

size_t tap_packet_room(const struct pr_site_identity *mesh, unsigned targets)
{
    size_t bytes = (size_t)(room_words(mesh) - targets) * word_bytes(mesh);
    size_t most = TAP_PACKET_BYTES_MOST / sizeof(uint32_t) * word_bytes(mesh);
    return bytes < most ? bytes : most;
}

unsigned tap_packet_words(const struct pr_site_identity *mesh, const uint8_t *bytes, size_t count, uint32_t *words)
{
    unsigned each = word_bytes(mesh), used = (unsigned)((count + each - 1) / each);
    memset(words, 0, used * sizeof *words);
    for (size_t i = 0; i < count; i++)
        words[i / each] |= (uint32_t)bytes[i] << 8 * (i % each);
    return used;
}

void tap_packet_compose(const struct pr_site_identity *mesh, const uint16_t *targets, unsigned target_count,
                        const uint8_t *bytes, size_t count, struct pr_frame *request)
{
    uint32_t words[TAP_PACKET_BYTES_MOST];
    struct pr_message_send send = {.handler = TAP_HANDLER, .targets = target_count, .sites = targets, .data = words};
    send.data_words = tap_packet_words(mesh, bytes, count, words);
    pr_message_send(request, &send);
}

size_t tap_packet_bytes(const struct pr_site_identity *mesh, const struct pr_message_delivery *delivery,
                        uint8_t out[TAP_PACKET_BYTES_MOST])
{
    unsigned each = word_bytes(mesh);
    size_t count = (size_t)delivery->data_words * each;
    if (count > TAP_PACKET_BYTES_MOST)
        count = TAP_PACKET_BYTES_MOST;
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)(delivery->data[i / each] >> 8 * (i % each));
    return count;
}
