/* A wire with one driver and one reader, each in its own time: changes of its level, with the times at which the reader
 * will see them.
 *
 * Times are femtoseconds since the start of the simulation (5 hours fit).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_LINE_H
#define POSTROAD_BITSTREAM_LINE_H

#include <stdbool.h>
#include <stdint.h>

enum { LINE_ROOM = 64 };

#define LINE_NEVER     UINT64_MAX
#define FEMTOSECONDS   1e15
#define FS_MICROSECOND 1000000000u

struct line {
    uint64_t times[LINE_ROOM];
    unsigned first, count;
    bool level;   /* what the reader sees */
    bool written; /* the level behind the last change */
};

static inline unsigned line_room(const struct line *line)
{
    return LINE_ROOM - line->count;
}

/* The level becomes this at `time`, not before a change that is under way. A line that is full loses the change: the
 * reader has not looked for a long time. */
static inline void line_write(struct line *line, uint64_t time, bool level)
{
    if (level == line->written || line->count == LINE_ROOM)
        return;
    uint64_t last = line->count ? line->times[(line->first + line->count - 1) % LINE_ROOM] : 0;
    line->times[(line->first + line->count++) % LINE_ROOM] = time > last ? time : last;
    line->written = level;
}

/* The time of the next change. */
static inline uint64_t line_next(const struct line *line)
{
    return line->count ? line->times[line->first] : LINE_NEVER;
}

/* The level at `time`, which never goes back. */
static inline bool line_read(struct line *line, uint64_t time)
{
    while (line->count && line->times[line->first] <= time) {
        line->first = (line->first + 1) % LINE_ROOM;
        line->count--;
        line->level = !line->level;
    }
    return line->level;
}

#endif
