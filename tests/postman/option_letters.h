/* The options of the fast model as a word, which the programs of tests/postman and tests/bench share.
 *
 * v virtual cut-through, r adaptive routing, s adaptive sourcing, p packets on lines first, a arrivals_apart,
 * l late_pass, t a torus; 2 to 9 buffers, m ample_buffers, i injection_buffers, o no_dead_flits, k shrinking
 * (postman_model.h). `-` and `.` are nothing, so that a word without options is not empty.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_POSTMAN_OPTION_LETTERS_H
#define POSTROAD_TESTS_POSTMAN_OPTION_LETTERS_H

#include "postman/postman_model.h"

/* False if a letter is none of these. Sizes stay as they are. */
bool option_letters(const char *letters, struct postman_options *options);

#endif
