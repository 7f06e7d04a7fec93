/* Reading the payload of a frame, and writing one straight into the console's output. Little-endian.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CONSOLE_FRAME_WRITER_H
#define POSTROAD_CONSOLE_FRAME_WRITER_H

#include "console/console.h"

struct pr_frame_reader {
    const uint8_t *bytes;
    size_t left;
    bool bad; /* more was read than there is; such reads give 0 */
};

/* Little-endian, size bytes. */
uint32_t pr_frame_get(struct pr_frame_reader *reader, unsigned size);

static inline uint8_t pr_frame_get_u8(struct pr_frame_reader *reader)
{
    return (uint8_t)pr_frame_get(reader, 1);
}

static inline uint16_t pr_frame_get_u16(struct pr_frame_reader *reader)
{
    return (uint16_t)pr_frame_get(reader, 2);
}

static inline uint32_t pr_frame_get_u32(struct pr_frame_reader *reader)
{
    return pr_frame_get(reader, 4);
}

/* The frame is built raw at the end of the output, a little ahead of where its encoded form goes. */
struct pr_frame_writer {
    struct pr_console *console;
    uint8_t *raw;
    size_t length, limit;
    bool plain; /* text without framing */
};

enum pr_frame_priority {
    PR_FRAME_EVENT,         /* leaves room for answers */
    PR_FRAME_REMOTE_ANSWER, /* cannot wait either, but may use that room */
    PR_FRAME_ANSWER
};

/* True if a command may be done now: there is room for its answer and for one that comes from another
 * site. */
bool pr_frame_room_for_command(struct pr_console *console);

/* True if there is room for the longest event. */
bool pr_frame_room_for_event(const struct pr_console *console);

/* Starts a frame of at most `payload` bytes behind type and id. False: no room; counted as dropped. */
bool pr_frame_begin(struct pr_frame_writer *writer, struct pr_console *console, enum pr_frame_priority priority,
                    uint8_t type, uint8_t id, size_t payload);

/* The same for plain text. */
bool pr_frame_begin_plain(struct pr_frame_writer *writer, struct pr_console *console, size_t length);

/* Little-endian, size bytes. What goes beyond the announced payload is left out. */
void pr_frame_put(struct pr_frame_writer *writer, uint32_t value, unsigned size);

static inline void pr_frame_put_u8(struct pr_frame_writer *writer, uint8_t value)
{
    pr_frame_put(writer, value, 1);
}

static inline void pr_frame_put_u16(struct pr_frame_writer *writer, uint16_t value)
{
    pr_frame_put(writer, value, 2);
}

static inline void pr_frame_put_u32(struct pr_frame_writer *writer, uint32_t value)
{
    pr_frame_put(writer, value, 4);
}

void pr_frame_put_text(struct pr_frame_writer *writer, const char *text);
void pr_frame_put_number(struct pr_frame_writer *writer, uint32_t value);

void pr_frame_end(struct pr_frame_writer *writer);

#endif
