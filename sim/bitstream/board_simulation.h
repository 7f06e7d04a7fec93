/* Boards with bitstreams, cabled to each other, each with a clock of its own.
 *
 * Time goes in steps of the fastest clock. In a step all chips with an edge in it are clocked, those of one bitstream
 * at once. That is exact since a chip sees its neighbours' outputs no sooner than a step later: cables have that delay
 * at least (a pad and half a metre of cable at 48 MHz; at 12 MHz 83 ns, more than a real cable has: the phases of the
 * clocks wander through all values anyhow). A chip that runs fast has two edges in a step now and then, a slow one
 * none.
 *
 *   step        |       0       |       1       |       2       |
 *   clock of a   ^               ^               ^               ^        its edges wander by its ppm and jitter
 *   clock of b           ^              ^              ^             ^
 *
 * Errors: creation fails with a reason; afterwards there are none.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_BOARD_SIMULATION_H
#define POSTROAD_BITSTREAM_BOARD_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct board_simulation;
struct testbed;
struct testbed_end;

/* All boards are without power. The testbed must outlive the simulation. */
struct board_simulation *board_simulation_create(const struct testbed *testbed, uint64_t seed, char *error,
                                                 size_t error_size);
void board_simulation_destroy(struct board_simulation *simulation);

/* Femtoseconds since the creation. run: until `time`. */
uint64_t board_simulation_now(const struct board_simulation *simulation);
void board_simulation_run(struct board_simulation *simulation, uint64_t time);

/* Switches a board on, after which it is configured from its bitstream and starts, or off. */
void board_simulation_power(struct board_simulation *simulation, unsigned board, bool on);

/* Flashes another bitstream of the same logic (other contents of RAM): the board is configured from it when it is
 * switched on next. 0, or -1 with a reason. */
int board_simulation_program(struct board_simulation *simulation, unsigned board, const char *bitstream, char *error,
                             size_t error_size);

/* The button that resets a board (input button_n), where it has one. False: it has none. */
bool board_simulation_press(struct board_simulation *simulation, unsigned board, bool pressed);

/* Cables, by their number in the testbed; a loop is at a link without cable. */
void board_simulation_unplug(struct board_simulation *simulation, unsigned cable);
void board_simulation_plug(struct board_simulation *simulation, unsigned cable);
void board_simulation_cross(struct board_simulation *simulation, unsigned cable);
void board_simulation_loop(struct board_simulation *simulation, struct testbed_end end);
void board_simulation_errors(struct board_simulation *simulation, unsigned cable, double errors);

/* Another cable between two links, in place of what is plugged in there: a straight one, so that the outputs of two
 * links of one direction (east and east, east and north) meet. */
void board_simulation_join(struct board_simulation *simulation, struct testbed_end a, struct testbed_end b);

/* The serial console of a board; both return the bytes moved. */
size_t board_simulation_read(struct board_simulation *simulation, unsigned board, uint8_t *bytes, size_t length);
size_t board_simulation_write(struct board_simulation *simulation, unsigned board, const uint8_t *bytes, size_t length);

/* The level of an output pin of a board ("led[7]"), -1: it has none of this name. */
int board_simulation_pin(const struct board_simulation *simulation, unsigned board, const char *name);

/* Output pins that are watched: `changed` is called when one has another level, with the number that watch returned.
 * Times of one pin never go back, and those of different pins by less than board_simulation_step. A board that does not
 * run shows 0. watch: -1: the board has no such pin. unwatch: of all. */
typedef void board_simulation_changed(void *context, uint64_t time, unsigned number, bool level);
int board_simulation_watch(struct board_simulation *simulation, unsigned board, const char *pin);
void board_simulation_on_change(struct board_simulation *simulation, board_simulation_changed *changed, void *context);
void board_simulation_unwatch(struct board_simulation *simulation);

/* Femtoseconds. */
uint64_t board_simulation_step(const struct board_simulation *simulation);

/* The clock of a board since its start at which the start bit of its first console byte began, 0: none yet. */
uint64_t board_simulation_first_byte(const struct board_simulation *simulation, unsigned board);

#endif
