/* Reading the payload of a frame, and writing one straight into the console's output. Little-endian. */
#ifndef OPERATOR_FRAME_H
#define OPERATOR_FRAME_H

#include "console/console.h"

struct frame_reader {
    const uint8_t *bytes;
    size_t left;
    bool bad;             /* more was read than there is; such reads give 0 */
};

/* Little-endian, size bytes. */
uint32_t frame_get(struct frame_reader *reader, unsigned size);

static inline uint8_t frame_get_u8(struct frame_reader *reader)
{
    return (uint8_t)frame_get(reader, 1);
}

static inline uint16_t frame_get_u16(struct frame_reader *reader)
{
    return (uint16_t)frame_get(reader, 2);
}

static inline uint32_t frame_get_u32(struct frame_reader *reader)
{
    return frame_get(reader, 4);
}

/* The frame is built raw at the end of the output, a little ahead of where its encoded form goes. */
struct frame_writer {
    struct console *console;
    uint8_t *raw;
    size_t length, limit;
    bool plain;           /* text without framing */
};

enum frame_priority {
    FRAME_EVENT,          /* leaves room for answers */
    FRAME_REMOTE_ANSWER,  /* cannot wait either, but may use that room */
    FRAME_ANSWER
};

/* True if a command may be done now: there is room for its answer and for one that comes from another
 * site. */
bool frame_room_for_command(struct console *console);

/* True if there is room for the longest event. */
bool frame_room_for_event(const struct console *console);

/* Starts a frame of at most `payload` bytes behind type and id. False: no room; counted as dropped. */
bool frame_begin(struct frame_writer *writer, struct console *console, enum frame_priority priority, uint8_t type,
                 uint8_t id, size_t payload);

/* The same for plain text. */
bool frame_begin_plain(struct frame_writer *writer, struct console *console, size_t length);

/* Little-endian, size bytes. What goes beyond the announced payload is left out. */
void frame_put(struct frame_writer *writer, uint32_t value, unsigned size);

static inline void frame_put_u8(struct frame_writer *writer, uint8_t value)
{
    frame_put(writer, value, 1);
}

static inline void frame_put_u16(struct frame_writer *writer, uint16_t value)
{
    frame_put(writer, value, 2);
}

static inline void frame_put_u32(struct frame_writer *writer, uint32_t value)
{
    frame_put(writer, value, 4);
}

void frame_put_text(struct frame_writer *writer, const char *text);
void frame_put_number(struct frame_writer *writer, uint32_t value);

void frame_end(struct frame_writer *writer);

#endif
