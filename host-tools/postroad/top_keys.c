/* See top_view.h: keys.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>

#include "postroad/top_view.h"
#include "support/or_abort.h"

/* Selects the site that stands so many rows below the selected one; if none is, the first. */
static void move(struct top_view *view, int rows)
{
    uint16_t *order = or_abort(calloc((size_t)view->model->mesh->sites, sizeof *order));
    int count = (int)top_sort_sites(view->model, view->sort, order), place = 0;
    while (place < count && order[place] != view->selected)
        place++;
    place = place == count ? 0 : place + rows;
    if (place >= 0 && place < count)
        view->selected = order[place];
    free(order);
}

static void zoom(struct top_view *view)
{
    if (view->selected < 0)
        move(view, 0);
    view->zoomed = !view->zoomed;
}

enum top_action top_key(struct top_view *view, int key)
{
    switch (key) {
    case 'q':
        return TOP_QUIT;
    case 'r':
        return TOP_REBASE;
    case 'p':
    case ' ':
        view->paused = !view->paused;
        break;
    case 's':
        view->sort = (view->sort + 1) % TOP_SORTS;
        break;
    case 'l':
        view->links = !view->links;
        break;
    case 'z':
    case TOP_KEY_ENTER:
        zoom(view);
        break;
    case TOP_KEY_ESCAPE:
        view->zoomed = false;
        view->selected = -1;
        break;
    case 'k':
    case TOP_KEY_UP:
        move(view, -1);
        break;
    case 'j':
    case TOP_KEY_DOWN:
        move(view, 1);
        break;
    default:
        break;
    }
    return TOP_NOTHING;
}
