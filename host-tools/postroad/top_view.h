/* What `postroad top` shows, and what keys do to that. The page is drawn from the model alone, so that a terminal, a
 * file and a test get the same one.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_TOP_VIEW_H
#define POSTROAD_POSTROAD_TOP_VIEW_H

#include "postroad/top_model.h"
#include "postroad/top_page.h"

struct top_view {
    const struct top_model *model;
    const char *name;     /* of the endpoint */
    double clock_hz;      /* of the mesh: clocks in a second of this computer; 0: unknown */
    unsigned link_clocks; /* of a word on a link */
    bool live;            /* keys do something: there is a line of help */
    bool paused, zoomed;
    bool links; /* the worst links in place of the sites, where there is no room for both */
    enum top_sort sort;
    int selected; /* site; -1: none, until a key selects one */
};

/* Keys that are no letters. */
enum { TOP_KEY_UP = 256, TOP_KEY_DOWN, TOP_KEY_ENTER, TOP_KEY_ESCAPE };

enum top_action { TOP_NOTHING, TOP_REBASE, TOP_QUIT };

/* Draws the whole page. */
void top_draw(const struct top_view *view, struct page *page);

/* Rows that are enough to show all sites and the worst links, whatever the width. */
int top_height(const struct top_view *view);

/* The map, at the top left of the box, with both directions of links if it is then not wider than `comfort`. Its size:
 * 0 x 0 if the mesh has no picture. Nothing is drawn if that is more than the box has. */
struct box top_draw_map(const struct top_view *view, struct page *page, const struct box *room, int comfort);

/* Changes the view; the rest is for the caller to do. */
enum top_action top_key(struct top_view *view, int key);

/* A rate in few letters: 0, 4.2, 1234, 12.3k, 4.5M. */
enum { TOP_NUMBER = 16 };
const char *top_number(double value, char out[TOP_NUMBER]);

#endif
