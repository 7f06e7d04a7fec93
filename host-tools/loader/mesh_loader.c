/* See mesh_loader.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "loader/mesh_loader.h"

#include "cli/exit_code.h"
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

enum { PART_WORDS = 512 /* compared at once: so many at most */, ROUNDS = 3 /* of compare and send */ };

struct loader {
    struct load_way *way;
    const struct firmware_image *image;
    struct progress progress;
    int (*send_data)(struct load_way *way, const struct load_record *record);
    size_t part_words;   /* whole records */
    size_t parts;        /* of the image */
    bool *lacks;         /* for each part, each target */
    unsigned long words; /* sent */
};

static bool *lacks(const struct loader *loader, size_t part, size_t target)
{
    return &loader->lacks[part * loader->way->count + target];
}

static void want_all(struct loader *loader)
{
    for (size_t i = 0; i < loader->way->count; i++)
        loader->way->targets[i].wanted = true;
}

static unsigned part_words(const struct loader *loader, size_t part)
{
    size_t rest = loader->image->count - part * loader->part_words;
    return (unsigned)(rest < loader->part_words ? rest : loader->part_words);
}

static uint32_t address_of(size_t word)
{
    return PR_RAM_BASE + 4 * (uint32_t)word;
}

static int enter(struct loader *loader)
{
    struct load_record record;
    load_record_enter(&record);
    want_all(loader);
    return loader->way->send(loader->way, &record);
}

/* Wants the sites that lack the part. False: none does. */
static bool want_lacking(struct loader *loader, size_t part)
{
    bool any = false;
    for (size_t i = 0; i < loader->way->count; i++)
        any |= loader->way->targets[i].wanted = *lacks(loader, part, i);
    return any;
}

/* Asks for the parts that sites lack, as far as is known. True in *same: every site that is not lost has the whole
 * image. */
static int compare(struct loader *loader, bool *same)
{
    struct load_record record;
    *same = true;
    for (size_t part = 0; part < loader->parts; part++) {
        if (!want_lacking(loader, part))
            continue;
        size_t word = part * loader->part_words;
        load_record_check(&record, address_of(word), loader->image->words + word, part_words(loader, part));
        int status = loader->way->send(loader->way, &record);
        if (status != EXIT_OK)
            return status;
        for (size_t i = 0; i < loader->way->count; i++) {
            const struct load_target *target = &loader->way->targets[i];
            *lacks(loader, part, i) &= !target->lost && target->answer != PR_LOAD_DONE;
            *same &= !*lacks(loader, part, i);
        }
    }
    return EXIT_OK;
}

static int send_part(struct loader *loader, size_t part)
{
    unsigned room = loader->way->room, words = part_words(loader, part);
    bool any = want_lacking(loader, part);
    for (unsigned at = 0; at < words && any; at += room) {
        struct load_record record;
        size_t word = part * loader->part_words + at;
        unsigned count = words - at < room ? words - at : room;
        load_record_data(&record, address_of(word), loader->image->words + word, count);
        int status = loader->send_data(loader->way, &record);
        if (status != EXIT_OK)
            return status;
        loader->words += count;
        progress_show(&loader->progress, word + count, loader->image->count);
    }
    return EXIT_OK;
}

static int send_image(struct loader *loader)
{
    int status = EXIT_OK;
    for (size_t part = 0; part < loader->parts && status == EXIT_OK; part++)
        status = send_part(loader, part);
    return status;
}

static int start(struct loader *loader)
{
    struct load_record record;
    load_record_go(&record, PR_RAM_BASE, loader->image->words, loader->image->count);
    want_all(loader);
    for (size_t i = 0; i < loader->way->count; i++)
        loader->way->targets[i].told = !loader->way->targets[i].lost;
    return loader->way->send(loader->way, &record);
}

static int run(struct loader *loader)
{
    bool same = false;
    int status = enter(loader);
    for (unsigned round = 0; round < ROUNDS && status == EXIT_OK && !same; round++) {
        status = compare(loader, &same);
        if (status == EXIT_OK && !same)
            status = send_image(loader);
        loader->send_data = loader->way->send;
    }
    return status == EXIT_OK ? start(loader) : status;
}

int mesh_load(struct load_way *way, const struct options *options, const struct firmware_image *image,
              unsigned long *words)
{
    size_t part_words = PART_WORDS / way->room * way->room;
    struct loader loader = {.way = way,
                            .image = image,
                            .send_data = way->cast ? way->cast : way->send,
                            .part_words = part_words,
                            .parts = (image->count + part_words - 1) / part_words};
    loader.lacks = malloc((loader.parts * way->count + 1) * sizeof *loader.lacks);
    if (!loader.lacks)
        abort();
    for (size_t k = 0; k < loader.parts * way->count; k++)
        loader.lacks[k] = true;
    progress_begin(&loader.progress, options, "load", image->count);
    int status = run(&loader);
    progress_end(&loader.progress);
    free(loader.lacks);
    *words = loader.words;
    return status;
}

int mesh_load_ask_again(struct load_way *way, const struct firmware_image *image)
{
    struct load_record record;
    load_record_go(&record, PR_RAM_BASE, image->words, image->count);
    for (size_t i = 0; i < way->count; i++)
        way->targets[i].wanted = !way->targets[i].lost && way->targets[i].answer == PR_LOAD_CHECKING;
    int status = way->send(way, &record);
    for (size_t i = 0; i < way->count; i++)
        if (way->targets[i].wanted && way->targets[i].answer == 0) {
            way->targets[i].lost = false;
            way->targets[i].answer = PR_LOAD_CHECKING;
        }
    return status;
}

const char *mesh_load_answer_text(char answer)
{
    static const struct {
        char answer;
        const char *text;
    } texts[] = {
        {PR_LOAD_BAD_CHECK, "a record was damaged on its way"},
        {PR_LOAD_BAD_LENGTH, "a record was too long"},
        {PR_LOAD_BAD_ADDRESS, "the image does not fit its RAM, or is too long for a locked board"},
        {PR_LOAD_BAD_KIND, "its boot program is older, and takes no such record"},
        {PR_LOAD_BAD_IMAGE, "its RAM does not hold the image"},
        {PR_LOAD_BAD_ORDER, "it has no site record"},
        {PR_LOAD_CHECKING, "it is locked, and has not ended its check of the signature"},
        {PR_LOAD_UNSIGNED, "it is locked, and the image is not signed (postroad sign)"},
        {PR_LOAD_BAD_SIGNATURE, "it is locked, and the image is not signed with its key"},
        {PR_LOAD_OLD_VERSION, "it is locked, and accepts only later versions of the image"},
        {PR_LOAD_BAD_VERIFIER, "it is locked, and the verifier in its flash is damaged: flash it again"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].answer == answer)
            return texts[i].text;
    return "its boot program gives an answer that is not known";
}
