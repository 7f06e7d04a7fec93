/* See oscillators.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/oscillators.h"

#include "support/random.h"

/* Crystals are within 100 ppm, and so two of them within 200. What a link sends on an idle line comes again after a
 * round of the shared engine, or from one status frame of eager links to the next. */
enum { MILLION = 1000000, SLOWER_PPM = 200, STREAM = 0x6f73 };
static const uint32_t again_clocks[] = {[MESH_LINKS_SHARED] = 144, [MESH_LINKS_EAGER] = 1024};

static void note(struct engine *engine, const struct site *site)
{
    engine->next_left_out = engine_earlier(engine->next_left_out, site->left_out);
}

void oscillators_draw(struct engine *engine, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed, STREAM);
    engine->next_left_out = UINT64_MAX;
    for (unsigned i = 0; engine->mesh.board_links && i < engine->site_count; i++) {
        struct site *site = &engine->sites[i];
        site->later = random_below(&random, again_clocks[engine->mesh.board_links]);
        site->clocks_left_out = MILLION / (1 + random_below(&random, SLOWER_PPM));
        site->left_out = random_below(&random, site->clocks_left_out);
        note(engine, site);
    }
}

void oscillators_leave_out(struct engine *engine)
{
    engine->next_left_out = UINT64_MAX;
    for (unsigned i = 0; i < engine->site_count; i++) {
        struct site *site = &engine->sites[i];
        if (site->left_out <= engine->now) {
            engine->active[i / 64] &= ~((uint64_t)1 << i % 64);
            engine_add_if(engine->next, i, true);
            site->left_out = engine->now + site->clocks_left_out;
        }
        note(engine, site);
    }
}
