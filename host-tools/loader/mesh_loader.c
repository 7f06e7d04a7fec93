/* See mesh_loader.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "loader/mesh_loader.h"

#include "cli/exit_code.h"
#include "cli/report.h"
#include "support/or_abort.h"

#include <stdlib.h>
#include <string.h>

enum {
    PART_WORDS = 512, /* compared at once: so many at most */
    PARTS_NEW = 2,    /* in a row that all sites lack: they have nothing of the image behind them */
    ROUNDS = 5        /* of compare and send */
};

struct loader {
    struct load_way *way;
    const struct firmware_image *image;
    struct progress progress;
    bool casts;          /* data records, which are not answered */
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

/* Asks the sites that are wanted for words of the image. */
static int check(struct loader *loader, size_t word, unsigned count)
{
    struct load_record record;
    load_record_check(&record, address_of(word), loader->image->words + word, count);
    return loader->way->send(loader->way, &record);
}

static bool has(const struct load_target *target)
{
    return !target->lost && target->answer == PR_LOAD_DONE;
}

/* Asks for a part those that lack it, as far as is known. True in *lacked: all of them do. */
static int compare_part(struct loader *loader, size_t part, bool *lacked)
{
    *lacked = false;
    if (!want_lacking(loader, part))
        return EXIT_OK;
    int status = check(loader, part * loader->part_words, part_words(loader, part));
    *lacked = true;
    for (size_t i = 0; i < loader->way->count; i++) {
        const struct load_target *target = &loader->way->targets[i];
        *lacked &= !has(target);
        *lacks(loader, part, i) &= !target->lost && !has(target);
    }
    return status;
}

static bool any_lacks(const struct loader *loader)
{
    bool any = false;
    for (size_t part = 0; part < loader->parts; part++)
        for (size_t i = 0; i < loader->way->count; i++)
            any |= *lacks(loader, part, i) && !loader->way->targets[i].lost;
    return any;
}

/* Asks for all parts that sites lack. An image that is new to all shows by its first parts, if `may_be_new`. */
static int compare_parts(struct loader *loader, bool may_be_new)
{
    unsigned in_a_row = 0;
    int status = EXIT_OK;
    for (size_t part = 0; part < loader->parts && status == EXIT_OK && !(may_be_new && in_a_row == PARTS_NEW); part++) {
        bool lacked;
        status = compare_part(loader, part, &lacked);
        in_a_row = lacked ? in_a_row + 1 : 0;
    }
    return status;
}

/* Asks for the whole image those that have got a part of it, which all should have now. */
static int compare_whole(struct loader *loader)
{
    for (size_t i = 0; i < loader->way->count; i++) {
        loader->way->targets[i].wanted = false;
        for (size_t part = 0; part < loader->parts; part++)
            loader->way->targets[i].wanted |= *lacks(loader, part, i);
    }
    int status = check(loader, 0, loader->image->count);
    for (size_t i = 0; i < loader->way->count; i++)
        for (size_t part = 0; part < loader->parts; part++)
            *lacks(loader, part, i) &= !has(&loader->way->targets[i]);
    return status;
}

static int send_part(struct loader *loader, size_t part)
{
    unsigned room = loader->way->room, words = part_words(loader, part);
    bool any = want_lacking(loader, part);
    for (unsigned at = 0; at < words && any; at += room) {
        struct load_record record;
        size_t word = part * loader->part_words + at;
        unsigned count = words - at < room ? words - at : room;
        const uint32_t *from = loader->image->words + word;
        if (loader->casts)
            load_record_cast(&record, address_of(word), from, count);
        else
            load_record_data(&record, address_of(word), from, count);
        int status = (loader->casts ? loader->way->cast : loader->way->send)(loader->way, &record);
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

/* The site that serves the others starts behind them. */
static int start(struct loader *loader)
{
    struct load_record record;
    struct load_target *targets = loader->way->targets;
    int status = EXIT_OK;
    load_record_go(&record, PR_RAM_BASE, loader->image->words, loader->image->count);
    for (int last = 0; last < 2 && status == EXIT_OK; last++) {
        bool any = false;
        for (size_t i = 0; i < loader->way->count; i++) {
            targets[i].wanted = (&targets[i] == loader->way->last) == last;
            targets[i].told |= load_way_is_wanted(&targets[i]);
            any |= load_way_is_wanted(&targets[i]);
        }
        if (any)
            status = loader->way->send(loader->way, &record);
    }
    return status;
}

static int run(struct loader *loader)
{
    int status = enter(loader);
    if (status == EXIT_OK)
        status = compare_parts(loader, true);
    for (unsigned round = 0; round < ROUNDS && status == EXIT_OK && any_lacks(loader); round++) {
        status = send_image(loader);
        loader->casts = false;
        if (status == EXIT_OK)
            status = compare_whole(loader);
        if (status == EXIT_OK)
            status = compare_parts(loader, false);
    }
    return status == EXIT_OK ? start(loader) : status;
}

int mesh_load(struct load_way *way, const struct options *options, const struct firmware_image *image,
              unsigned long *words)
{
    size_t part_words = PART_WORDS / way->room * way->room;
    struct loader loader = {.way = way,
                            .image = image,
                            .casts = way->cast != NULL,
                            .part_words = part_words,
                            .parts = (image->count + part_words - 1) / part_words};
    loader.lacks = or_abort(malloc((loader.parts * way->count + 1) * sizeof *loader.lacks));
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
