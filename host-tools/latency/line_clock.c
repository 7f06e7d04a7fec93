/* See line_clock.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/line_clock.h"

#include <math.h>

enum { SEARCH_STEPS = 60 };

static const double rounding = 1e-6;      /* samples: of this arithmetic */
static const double deviation_max = 0.02; /* of a bit: frames farther off cannot be read */

struct point {
    double x, y;
};

/* The convex hulls of the bounds: from below of the upper ones, from above of the lower ones. */
struct bounds {
    struct point upper[LINE_CLOCK_EDGES], lower[LINE_CLOCK_EDGES];
    unsigned upper_count, lower_count;
};

struct range {
    double low, high;
};

void line_clock_begin(struct line_clock *clock, double bit, double exact)
{
    clock->bit = bit;
    clock->exact = exact;
    clock->count = 0;
}

void line_clock_add(struct line_clock *clock, unsigned bits, uint64_t sample)
{
    if (clock->count == LINE_CLOCK_EDGES)
        return;
    if (clock->count == 0)
        clock->origin = sample;
    clock->bits[clock->count] = bits;
    clock->samples[clock->count++] = (double)(sample - clock->origin);
}

/* Adds a point on the right; sign 1 keeps the hull from below, -1 that from above. */
static unsigned add_to_hull(struct point *hull, unsigned count, struct point point, double sign)
{
    while (count >= 2) {
        struct point a = hull[count - 2], b = hull[count - 1];
        double turn = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x);
        if (sign * turn > 0)
            break;
        count--;
    }
    hull[count] = point;
    return count + 1;
}

static void find_bounds(const struct line_clock *clock, struct bounds *bounds)
{
    bounds->upper_count = bounds->lower_count = 0;
    for (unsigned i = 0; i < clock->count; i++) {
        struct point seen = {clock->bits[i], clock->samples[i]},
                     before = {clock->bits[i], clock->samples[i] - clock->exact};
        bounds->upper_count = add_to_hull(bounds->upper, bounds->upper_count, seen, 1);
        bounds->lower_count = add_to_hull(bounds->lower, bounds->lower_count, before, -1);
    }
}

/* Where lines of this slope below all upper bounds, and above all lower ones, pass x. */
static double highest(const struct bounds *bounds, double slope, double x)
{
    double least = INFINITY;
    for (unsigned i = 0; i < bounds->upper_count; i++)
        least = fmin(least, bounds->upper[i].y - slope * (bounds->upper[i].x - x));
    return least;
}

static double lowest(const struct bounds *bounds, double slope, double x)
{
    double most = -INFINITY;
    for (unsigned i = 0; i < bounds->lower_count; i++)
        most = fmax(most, bounds->lower[i].y - slope * (bounds->lower[i].x - x));
    return most;
}

static double room(const struct bounds *bounds, double slope)
{
    return highest(bounds, slope, 0) - lowest(bounds, slope, 0);
}

/* Which slope leaves most room: `room` is concave. */
static double best_slope(const struct bounds *bounds, struct range slopes)
{
    for (int step = 0; step < SEARCH_STEPS; step++) {
        double third = (slopes.high - slopes.low) / 3, left = slopes.low + third, right = slopes.high - third;
        if (room(bounds, left) < room(bounds, right))
            slopes.low = left;
        else
            slopes.high = right;
    }
    return (slopes.low + slopes.high) / 2;
}

/* Between a slope that leaves room and one that may not: the last that does. */
static double last_slope(const struct bounds *bounds, double inside, double outside, double widened)
{
    if (room(bounds, outside) + widened >= 0)
        return outside;
    for (int step = 0; step < SEARCH_STEPS; step++) {
        double middle = (inside + outside) / 2;
        if (room(bounds, middle) + widened >= 0)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

/* The extreme of all lines in the polygon at x: sign 1 the highest (concave in the slope), -1 the lowest (convex). */
static double extreme(const struct bounds *bounds, struct range slopes, double x, double sign)
{
    for (int step = 0; step < SEARCH_STEPS; step++) {
        double third = (slopes.high - slopes.low) / 3, left = slopes.low + third, right = slopes.high - third;
        double at_left = sign > 0 ? highest(bounds, left, x) : -lowest(bounds, left, x);
        double at_right = sign > 0 ? highest(bounds, right, x) : -lowest(bounds, right, x);
        if (at_left < at_right)
            slopes.low = left;
        else
            slopes.high = right;
    }
    double slope = (slopes.low + slopes.high) / 2;
    return sign > 0 ? highest(bounds, slope, x) : lowest(bounds, slope, x);
}

void line_clock_fit(const struct line_clock *clock, struct line_clock_fit *fit)
{
    static struct bounds bounds;
    struct range slopes = {clock->bit * (1 - deviation_max), clock->bit * (1 + deviation_max)};
    double span = clock->bits[clock->count - 1];
    find_bounds(clock, &bounds);

    double best = best_slope(&bounds, slopes), missing = -room(&bounds, best) / 2;
    if (missing < rounding)
        missing = 0;
    double widening = LINE_CLOCK_WIDENING + LINE_CLOCK_WIDENING_FEW / clock->count;
    double jitter = widening * missing + LINE_CLOCK_HIDDEN_JITTER * clock->exact;
    struct range all = slopes;
    slopes.low = last_slope(&bounds, best, all.low, 2 * jitter);
    slopes.high = last_slope(&bounds, best, all.high, 2 * jitter);

    fit->origin = clock->origin;
    fit->exact = clock->exact;
    fit->jitter = missing;
    fit->first = 0;
    fit->step = span / (LINE_CLOCK_KNOTS - 1);
    double floor = LINE_CLOCK_FLOOR * clock->exact + LINE_CLOCK_JITTER_SHARE * fit->jitter;
    for (int i = 0; i < LINE_CLOCK_KNOTS; i++) {
        double x = fit->first + i * fit->step;
        double high = extreme(&bounds, slopes, x, 1) + jitter;
        double low = extreme(&bounds, slopes, x, -1) - jitter;
        fit->knots[i] = (struct uncertain){(low + high) / 2, fmax((high - low) / 2, floor)};
    }
    fit->bit.value = (slopes.low + slopes.high) / 2;
    fit->bit.error = fmax((slopes.high - slopes.low) / 2, span > 0 ? 2 * floor / span : fit->bit.value);
}

/* Between two knots the bounds of the polygon lie within the straight lines that join those at the knots. */
static struct uncertain time_by_fit(const struct line_clock_fit *fit, double bits)
{
    double place = fit->step > 0 ? (bits - fit->first) / fit->step : 0;
    int knot = (int)fmin(fmax(place, 0), LINE_CLOCK_KNOTS - 2);
    double share = place - knot;
    const struct uncertain *a = &fit->knots[knot], *b = a + 1;
    return (struct uncertain){a->value + share * (b->value - a->value), a->error + share * (b->error - a->error)};
}

struct uncertain line_clock_time(const struct line_clock_fit *fit, double bits, double seen)
{
    struct uncertain time = time_by_fit(fit, bits);
    double low = time.value - time.error, high = time.value + time.error;
    if (fit->jitter <= fit->exact / 2)
        return time;
    low = fmin(low, seen - fit->exact);
    high = fmax(high, seen);
    return (struct uncertain){(low + high) / 2, (high - low) / 2};
}
