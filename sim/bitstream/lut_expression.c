/* See lut_expression.h.
 *
 * A table of n inputs is split at one of them, v, into the halves low (v = 0) and high (v = 1). Three forms are tried,
 * and simpler ones where a half is a constant or the halves are equal or opposite:
 *
 *   (v & high) | (~v & low)     low ^ (v & (low ^ high))     high ^ (~v & (low ^ high))
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/lut_expression.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct names {
    const char *of[LUT_EXPRESSION_INPUTS];
    int count;
};

enum form { CONSTANT, SAME, OPPOSITE, ONLY_HIGH, ONLY_LOW, HIGH_OR, LOW_OR, SELECT, TOGGLE_LOW, TOGGLE_HIGH };

struct choice {
    enum form form;
    int input;
    int cost; /* operations */
};

static unsigned full(int count)
{
    return (1u << (1 << count)) - 1;
}

/* The half of a table in which an input has this value, as a table of the other inputs. */
static unsigned half(unsigned table, int count, int input, unsigned value)
{
    unsigned out = 0;
    for (unsigned i = 0; i < 1u << (count - 1); i++) {
        unsigned low = i & ((1u << input) - 1), index = low | value << input | (i & ~low) << 1;
        out |= (table >> index & 1) << i;
    }
    return out;
}

static int cost(unsigned table, int count);

static struct choice at_input(unsigned table, int count, int input)
{
    unsigned low = half(table, count, input, 0), high = half(table, count, input, 1), all = full(count - 1);
    int low_cost = cost(low, count - 1), high_cost = cost(high, count - 1), both;
    if (low == high)
        return (struct choice){SAME, input, low_cost};
    if (low == (high ^ all))
        return (struct choice){OPPOSITE, input, low == 0 ? 0 : low == all ? 1 : low_cost + 1};
    if (low == 0)
        return (struct choice){ONLY_HIGH, input, high_cost + 1};
    if (high == 0)
        return (struct choice){ONLY_LOW, input, low_cost + 2};
    if (high == all)
        return (struct choice){LOW_OR, input, low_cost + 1};
    if (low == all)
        return (struct choice){HIGH_OR, input, high_cost + 2};
    both = cost(low ^ high, count - 1);
    struct choice best = {SELECT, input, low_cost + high_cost + 4};
    if (low_cost + both + 2 < best.cost)
        best = (struct choice){TOGGLE_LOW, input, low_cost + both + 2};
    if (high_cost + both + 3 < best.cost)
        best = (struct choice){TOGGLE_HIGH, input, high_cost + both + 3};
    return best;
}

static struct choice choose(unsigned table, int count)
{
    if (table == 0 || table == full(count))
        return (struct choice){CONSTANT, 0, 0};
    struct choice best = at_input(table, count, 0);
    for (int input = 1; input < count; input++) {
        struct choice other = at_input(table, count, input);
        if (other.cost < best.cost)
            best = other;
    }
    return best;
}

/* Costs of tables of at most three inputs are kept, one more each. */
static int cost(unsigned table, int count)
{
    static unsigned char kept[LUT_EXPRESSION_INPUTS][256];
    if (count == LUT_EXPRESSION_INPUTS)
        return choose(table, count).cost;
    if (!kept[count][table])
        kept[count][table] = (unsigned char)(choose(table, count).cost + 1);
    return kept[count][table] - 1;
}

static struct names without(const struct names *names, int input)
{
    struct names out = {.count = 0};
    for (int i = 0; i < names->count; i++)
        if (i != input)
            out.of[out.count++] = names->of[i];
    return out;
}

static void write_table(char **at, unsigned table, const struct names *names)
{
    static const char *const formats[] = {
        [ONLY_HIGH] = "(%s & ", [ONLY_LOW] = "(~%s & ", [HIGH_OR] = "(~%s | ",   [LOW_OR] = "(%s | ",
        [SELECT] = "(%s & ",    [OPPOSITE] = "(%s ^ ",  [TOGGLE_LOW] = "(%s & ", [TOGGLE_HIGH] = "(~%s & ",
    };
    struct choice choice = choose(table, names->count);
    if (choice.form == CONSTANT) {
        *at += sprintf(*at, table ? "ONES" : "ZERO");
        return;
    }
    struct names rest = without(names, choice.input);
    const char *name = names->of[choice.input];
    unsigned low = half(table, names->count, choice.input, 0), high = half(table, names->count, choice.input, 1);
    unsigned first = choice.form == ONLY_LOW || choice.form == LOW_OR || choice.form == OPPOSITE ? low
                     : choice.form == TOGGLE_LOW || choice.form == TOGGLE_HIGH                   ? low ^ high
                                                                                                 : high;
    if (choice.form == SAME) {
        write_table(at, low, &rest);
        return;
    }
    if (choice.form == OPPOSITE && (low == 0 || high == 0)) {
        *at += sprintf(*at, low == 0 ? "%s" : "~%s", name);
        return;
    }
    bool two = choice.form >= SELECT;
    *at += sprintf(*at, "%s", two ? "(" : "");
    *at += sprintf(*at, formats[choice.form], name);
    write_table(at, first, &rest);
    *at += sprintf(*at, ")");
    if (!two)
        return;
    *at += choice.form == SELECT ? sprintf(*at, " | (~%s & ", name) : sprintf(*at, " ^ ");
    write_table(at, choice.form == TOGGLE_HIGH ? high : low, &rest);
    *at += sprintf(*at, choice.form == SELECT ? "))" : ")");
}

void lut_expression(char out[LUT_EXPRESSION_SIZE], uint16_t table, const char *const *inputs, int count)
{
    struct names names = {.count = count};
    for (int i = 0; i < count; i++)
        names.of[i] = inputs[i];
    write_table(&out, table & full(count), &names);
}
