/* See router_model.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/router_model.h"

#include <string.h>

#include "functional/january.h"
#include "functional/january_input.h"
#include "functional/router.h"
#include "functional/split.h"

static const struct router_model models[] = {
    {.fabric = "cutthrough",
     .input_words = WORDS_HOP - 1,
     .takes_settings = true,
     .word_in_hand = split_word_in_hand,
     .clock = router_clock},
    {.fabric = "january",
     .input_words = JANUARY_INPUT_WORDS,
     .whole_list = true,
     .site_state = sizeof(struct january_site),
     .input_state = sizeof(struct january_input),
     .word_in_hand = january_input_word_in_hand,
     .cut_short = january_cut_short,
     .forget = january_forget,
     .clock = january_clock},
};

const struct router_model *router_model_find(const char *fabric)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i].fabric, fabric) == 0)
            return &models[i];
    return NULL;
}
