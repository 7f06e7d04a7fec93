/* Loads sites of a running mesh of boards with firmware, by a load_way.
 *
 *   enter     what runs at a site gives way to its boot program; one that hangs, when its watchdog has fired
 *   compare   each site checks parts of its RAM: what it has already is not sent again, nor compared. Where several
 *             parts in a row are new to all, so are the rest
 *   send      the records that a site lacks, once for all of them. Then each site checks the whole image, and those
 * that lack something its parts start     each site checks the whole image, and starts it; a locked board checks its
 * signature first, for seconds or minutes in which it is silent
 *
 * A site keeps nothing of an interrupted load but its RAM: another load goes on from there.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_MESH_LOADER_H
#define POSTROAD_LOADER_MESH_LOADER_H

#include "board/firmware_image.h"
#include "cli/options.h"
#include "loader/load_way.h"

/* Loads the targets of the way; those that are `lost` afterwards did not answer, and an answer other than PR_LOAD_DONE
 * is why the image did not start. One that is lost and was told to start may run the image: its answer may have been
 * lost. In *words: those of the image that had to be sent to a site at least. EXIT_OK even then; else the exit code to
 * end with, after printing why. */
int mesh_load(struct load_way *way, const struct options *options, const struct firmware_image *image,
              unsigned long *words);

/* Asks once more those whose answer is PR_LOAD_CHECKING, which locked boards give. One that has refused the image
 * answers by the reason; one that still checks it, or runs it, is silent for the way's time-out and keeps its answer.
 */
int mesh_load_ask_again(struct load_way *way, const struct firmware_image *image);

/* What an answer of a boot program means. */
const char *mesh_load_answer_text(char answer);

#endif
