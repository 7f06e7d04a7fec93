/* See fragments.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap/fragments.h"

#include <stdlib.h>
#include <string.h>

enum { MARK = 0x74, IDENTIFICATION = 2, LENGTH = 4, OFFSET = 6, PADDING_MOST = 3 };

struct open_frame {
    bool used;
    unsigned source;
    uint16_t identification, length, missing; /* bytes */
    double since;
    uint8_t bytes[TAP_FRAME_MOST];
    bool there[TAP_FRAME_MOST]; /* byte by byte */
};

struct tap_joining {
    struct open_frame frames[TAP_FRAMES_OPEN];
    const struct open_frame *whole;
    unsigned lost;
};

size_t tap_fragment_write(const struct tap_cut *cut, size_t offset, size_t room, uint8_t *out)
{
    size_t rest = cut->length - offset, part = room - TAP_FRAGMENT_HEADER;
    if (part > rest)
        part = rest;
    out[0] = MARK;
    out[1] = 0;
    tap_put_half(out + IDENTIFICATION, cut->identification);
    tap_put_half(out + LENGTH, cut->length);
    tap_put_half(out + OFFSET, offset);
    memcpy(out + TAP_FRAGMENT_HEADER, cut->frame + offset, part);
    return TAP_FRAGMENT_HEADER + part;
}

struct tap_joining *tap_joining_create(void)
{
    return calloc(1, sizeof(struct tap_joining));
}

void tap_joining_destroy(struct tap_joining *joining)
{
    free(joining);
}

static void give_up(struct tap_joining *joining, struct open_frame *frame)
{
    frame->used = false;
    joining->lost++;
}

static struct open_frame *find(struct tap_joining *joining, unsigned source, unsigned identification)
{
    for (size_t i = 0; i < TAP_FRAMES_OPEN; i++) {
        struct open_frame *frame = &joining->frames[i];
        if (frame->used && frame->source == source && frame->identification == identification)
            return frame;
    }
    return NULL;
}

/* The oldest of all frames, or of one source: *count is their number. */
static struct open_frame *oldest(struct tap_joining *joining, bool any, unsigned source, unsigned *count)
{
    struct open_frame *found = NULL;
    *count = 0;
    for (size_t i = 0; i < TAP_FRAMES_OPEN; i++) {
        struct open_frame *frame = &joining->frames[i];
        if (!frame->used || (!any && frame->source != source))
            continue;
        ++*count;
        if (!found || frame->since < found->since)
            found = frame;
    }
    return found;
}

static struct open_frame *free_place(struct tap_joining *joining, unsigned source)
{
    unsigned of_source, of_all;
    struct open_frame *own = oldest(joining, false, source, &of_source);
    struct open_frame *other = oldest(joining, true, 0, &of_all);
    if (of_source >= TAP_FRAMES_OPEN_OF_SOURCE)
        give_up(joining, own);
    else if (of_all == TAP_FRAMES_OPEN)
        give_up(joining, other);
    struct open_frame *frame = joining->frames;
    while (frame->used)
        frame++;
    return frame;
}

static struct open_frame *begin(struct tap_joining *joining, unsigned source, const uint8_t *header, double now)
{
    struct open_frame *frame = free_place(joining, source);
    frame->used = true;
    frame->source = source;
    frame->identification = (uint16_t)tap_half(header + IDENTIFICATION);
    frame->length = frame->missing = (uint16_t)tap_half(header + LENGTH);
    frame->since = now;
    memset(frame->there, 0, sizeof frame->there);
    return frame;
}

/* The bytes of a part; 0: malformed. */
static size_t part_bytes(const uint8_t *bytes, size_t count)
{
    if (count <= TAP_FRAGMENT_HEADER || bytes[0] != MARK || bytes[1])
        return 0;
    size_t length = tap_half(bytes + LENGTH), offset = tap_half(bytes + OFFSET), part = count - TAP_FRAGMENT_HEADER;
    if (length < TAP_FRAME_HEADER || length > TAP_FRAME_MOST || offset >= length ||
        part > length - offset + PADDING_MOST)
        return 0;
    return part < length - offset ? part : length - offset;
}

/* A number of a source comes again after 65536 frames: what is left of an older frame is given up. */
static struct open_frame *frame_of(struct tap_joining *joining, unsigned source, const uint8_t *header, double now)
{
    struct open_frame *frame = find(joining, source, tap_half(header + IDENTIFICATION));
    if (frame && frame->length != tap_half(header + LENGTH)) {
        give_up(joining, frame);
        frame = NULL;
    }
    return frame ? frame : begin(joining, source, header, now);
}

enum tap_joining_result tap_joining_add(struct tap_joining *joining, unsigned source, const uint8_t *bytes,
                                        size_t count, double now)
{
    size_t part = part_bytes(bytes, count), offset = part ? tap_half(bytes + OFFSET) : 0;
    if (!part)
        return TAP_JOINING_BAD;
    struct open_frame *frame = frame_of(joining, source, bytes, now);
    if (memchr(frame->there + offset, true, part))
        return TAP_JOINING_BAD;
    memset(frame->there + offset, true, part);
    memcpy(frame->bytes + offset, bytes + TAP_FRAGMENT_HEADER, part);
    frame->missing = (uint16_t)(frame->missing - part);
    if (frame->missing)
        return TAP_JOINING_OPEN;
    frame->used = false;
    joining->whole = frame;
    return TAP_JOINING_WHOLE;
}

const uint8_t *tap_joining_frame(const struct tap_joining *joining, size_t *length)
{
    *length = joining->whole->length;
    return joining->whole->bytes;
}

unsigned tap_joining_lost(struct tap_joining *joining, double now)
{
    for (size_t i = 0; i < TAP_FRAMES_OPEN; i++)
        if (joining->frames[i].used && joining->frames[i].since + TAP_FRAME_SECONDS <= now)
            give_up(joining, &joining->frames[i]);
    unsigned lost = joining->lost;
    joining->lost = 0;
    return lost;
}
