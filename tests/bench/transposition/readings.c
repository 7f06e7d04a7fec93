/* See readings.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bench/transposition/readings.h"

#include <stddef.h>
#include <string.h>

#include "check.h"

static bool row_major(const struct element *element)
{
    return (element->row * element->size + element->column) % element->share == 0;
}

/* Counted from 1, as the paper counts nodes. */
static bool from_one(const struct element *element)
{
    return (element->row * element->size + element->column + 1) % element->share == 0;
}

/* As row_major, but elements of the diagonal, which stay where they are, are not counted. */
static bool moving(const struct element *element)
{
    unsigned index = element->row * (element->size - 1) + element->column - (element->column > element->row);
    return element->row != element->column && index % element->share == 0;
}

static bool each_row(const struct element *element)
{
    return element->column % element->share == 0;
}

static bool whole_rows(const struct element *element)
{
    return element->row % element->share == 0;
}

static bool diagonals(const struct element *element)
{
    return (element->size + element->row - element->column) % element->share == 0;
}

static bool antidiagonals(const struct element *element)
{
    return (element->row + element->column) % element->share == 0;
}

/* Those antidiagonals among which is the main one, whose ends have the longest way. */
static bool far_antidiagonals(const struct element *element)
{
    return (element->row + element->column) % element->share == (element->size - 1) % element->share;
}

static bool at_random(const struct element *element)
{
    return check_below(element->seed, element->share) == 0;
}

static enum postman_dimension x(const struct element *element)
{
    (void)element;
    return POSTMAN_X;
}

static enum postman_dimension y(const struct element *element)
{
    (void)element;
    return POSTMAN_Y;
}

static enum postman_dimension chessboard(const struct element *element)
{
    return (element->row + element->column) % 2 ? POSTMAN_Y : POSTMAN_X;
}

/* As a chessboard of the elements that far_antidiagonals chooses. */
static enum postman_dimension in_turn(const struct element *element)
{
    return (element->row + element->column) / element->share % 2 ? POSTMAN_Y : POSTMAN_X;
}

static enum postman_dimension at_random_machine(const struct element *element)
{
    return check_below(element->seed, 2) ? POSTMAN_Y : POSTMAN_X;
}

chosen *reading_chosen(const char *name)
{
    static const struct {
        const char *name;
        chosen *chosen;
    } readings[] = {{"row-major", row_major},
                    {"from-one", from_one},
                    {"moving", moving},
                    {"each-row", each_row},
                    {"rows", whole_rows},
                    {"diagonals", diagonals},
                    {"antidiagonals", antidiagonals},
                    {"far-antidiagonals", far_antidiagonals},
                    {"random", at_random}};
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++)
        if (!strcmp(name, readings[i].name))
            return readings[i].chosen;
    return NULL;
}

loaded *reading_loaded(const char *name)
{
    static const struct {
        const char *name;
        loaded *loaded;
    } readings[] = {
        {"x", x}, {"y", y}, {"chessboard", chessboard}, {"in-turn", in_turn}, {"random", at_random_machine}};
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++)
        if (!strcmp(name, readings[i].name))
            return readings[i].loaded;
    return NULL;
}
