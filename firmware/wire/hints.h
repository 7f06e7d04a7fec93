/* What the compiler cannot know about the way that a packet takes: which way is short matters, and which one is rare.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_HINTS_H
#define POSTROAD_WIRE_HINTS_H

/* On the way of a packet that is sent on. The compiler puts this way in a straight line: a branch that is taken costs
 * the core four clocks more than one that is not. */
#define PR_LIKELY(condition)   __builtin_expect((condition) != 0, 1)
#define PR_UNLIKELY(condition) __builtin_expect((condition) != 0, 0)

/* For functions that the way of a packet rarely reaches: inlined, they would take registers from it. */
#define PR_NOT_INLINED __attribute__((noinline))

/* For functions that run once, or after something has gone wrong: built for size. */
#define PR_RARE __attribute__((cold))

#endif
