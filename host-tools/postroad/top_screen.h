/* The terminal of `postroad top`, by ncurses: pages go there, keys come from there. One at a time.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_TOP_SCREEN_H
#define POSTROAD_POSTROAD_TOP_SCREEN_H

#include "postroad/top_page.h"

/* False: ncurses does not know the terminal. */
bool top_screen_begin(void);

/* The terminal is as it was before. */
void top_screen_end(void);

/* The size of the terminal as it is now. */
void top_screen_size(int *width, int *height);

/* Shows a page of that size. A terminal that does not read (control-S) keeps the last one. */
void top_screen_show(const struct page *page);

/* The next key that was typed, as top_key() takes it; 0: another one that means nothing; -1: there is none.
 */
int top_screen_key(void);

#endif
