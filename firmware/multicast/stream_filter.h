/* What a site has of a stream of packets that are numbered from 0 on, modulo 65536. A source sends no number that is
 * PR_STREAM_SPAN or more ahead of one that somebody lacks.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_MULTICAST_STREAM_FILTER_H
#define POSTROAD_MULTICAST_STREAM_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PR_STREAM_SPAN = 32 };

struct pr_stream_filter {
    uint32_t ahead; /* bit k: next + 1 + k has come */
    uint16_t next;  /* the lowest number that has not come */
};

/* How far `number` is ahead of `than`: negative if it is behind. */
static inline int pr_stream_ahead(uint16_t number, uint16_t than)
{
    return (int16_t)(number - than);
}

/* Has this number come? */
static inline bool pr_stream_has(const struct pr_stream_filter *filter, uint16_t number)
{
    int ahead = pr_stream_ahead(number, filter->next);
    return ahead < 0 || (ahead > 0 && ahead <= PR_STREAM_SPAN && filter->ahead >> (ahead - 1) & 1);
}

/* Could it be a packet of the stream that has not come? */
static inline bool pr_stream_lacks(const struct pr_stream_filter *filter, uint16_t number)
{
    return pr_stream_ahead(number, filter->next) < PR_STREAM_SPAN && !pr_stream_has(filter, number);
}

/* It has come. The filter must have lacked it. */
static inline void pr_stream_note(struct pr_stream_filter *filter, uint16_t number)
{
    int ahead = pr_stream_ahead(number, filter->next);
    bool more;
    if (ahead > 0) {
        filter->ahead |= 1u << (ahead - 1);
        return;
    }
    do {
        more = filter->ahead & 1;
        filter->ahead >>= 1;
        filter->next++;
    } while (more);
}

/* All before `next` have come, and what `ahead` says: what is known of another site only grows. */
static inline void pr_stream_learn(struct pr_stream_filter *filter, uint16_t next, uint32_t ahead)
{
    int more = pr_stream_ahead(next, filter->next);
    bool has_next = pr_stream_has(filter, next);
    if (more < 0)
        return;
    filter->ahead = more < PR_STREAM_SPAN ? filter->ahead >> more : 0;
    filter->ahead |= ahead;
    filter->next = next;
    if (more > 0 && has_next)
        pr_stream_note(filter, next);
}

#ifdef __cplusplus
}
#endif

#endif
