/* Results of experiments as bytes, from one process to another of the same program.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_EXPERIMENT_RESULT_STREAM_H
#define POSTROAD_EXPERIMENT_RESULT_STREAM_H

#include <stdio.h>

#include "experiment/experiment.h"

/* Writes a result of a mesh with so many links in all. 0, or -1 if it could not be written. */
int result_stream_write(FILE *file, const struct experiment_result *result, size_t links);

/* Reads it back; the caller frees it with experiment_result_free. 0, or -1 if the bytes end too early or storage is
 * exhausted: the result is empty then. */
int result_stream_read(FILE *file, struct experiment_result *result, size_t links);

#endif
