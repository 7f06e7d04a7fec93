/* The words on links over time, see experiment.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "experiment/experiment_state.h"

enum { FRAME_LEAST = 64 };

size_t experiment_frames_size(size_t links)
{
    return sizeof(struct experiment_frames) + (EXPERIMENT_FRAMES + 1) * links * sizeof(uint32_t);
}

/* Each frame gets the words of the one behind it. */
static void halve(struct experiment_frames *frames, size_t links)
{
    for (unsigned frame = 0; frame < EXPERIMENT_FRAMES / 2; frame++) {
        const uint32_t *from = frames->words + 2 * frame * links;
        uint32_t *to = frames->words + frame * links;
        frames->ends[frame] = frames->ends[2 * frame + 1];
        for (size_t link = 0; link < links; link++)
            to[link] = from[link] + from[links + link];
    }
    frames->count = EXPERIMENT_FRAMES / 2;
    frames->doubled++;
}

/* What a link has sent, of a site in reset 0. */
static uint32_t sent(struct experiment *experiment, unsigned site, unsigned link)
{
    int counter = simulation_words_counter(experiment->mesh, site, link);
    bool silent = counter < 0 || (experiment->health && experiment->health[site].in_reset);
    return silent ? 0 : simulation_counter(experiment->simulation, site, (unsigned)counter);
}

/* A counter that is less than before is that of a site which was reset. */
static void read_words(struct experiment *experiment, uint32_t *words, uint32_t *before)
{
    unsigned links = (unsigned)experiment->mesh->links;
    for (size_t at = 0; at < (size_t)experiment->mesh->sites * links; at++) {
        uint32_t now = sent(experiment, (unsigned)(at / links), (unsigned)(at % links));
        words[at] = now >= before[at] ? now - before[at] : now;
        before[at] = now;
    }
}

void experiment_record(struct experiment *experiment, bool last)
{
    struct experiment_frames *frames = experiment->result->frames;
    size_t links = (size_t)experiment->mesh->sites * (size_t)experiment->mesh->links;
    uint64_t now = simulation_clock(experiment->simulation) - experiment->origin;
    uint64_t due = (frames->count ? frames->ends[frames->count - 1] : 0) +
                   FRAME_LEAST * ((uint64_t)1 << frames->doubled);
    if (!last && now < due)
        return;
    if (frames->count == EXPERIMENT_FRAMES)
        halve(frames, links);
    read_words(experiment, frames->words + frames->count * links, frames->words + EXPERIMENT_FRAMES * links);
    frames->ends[frames->count++] = now;
}
