/* See result_stream.h. The struct comes first, its pointers without meaning; then what each of them points to: a flag,
 * and the data if it is not NULL. Of a histogram only the bins that are not empty are written.
 *
 * SPDX-License-Identifier: ISC
 */
#include "experiment/result_stream.h"

#include <string.h>

#include "support/run_memory.h"

struct bin {
    uint64_t index, count;
};

static bool put(FILE *file, const void *data, size_t size)
{
    return fwrite(data, 1, size, file) == size;
}

static bool get(FILE *file, void *data, size_t size)
{
    return fread(data, 1, size, file) == size;
}

/* Ends with a bin beyond the last one. */
static bool put_bins(FILE *file, const uint64_t *bins)
{
    bool there = bins != NULL;
    if (!put(file, &there, sizeof there))
        return false;
    if (!there)
        return true;
    for (uint64_t i = 0; i < STATISTICS_BINS; i++) {
        struct bin bin = {i, bins[i]};
        if (bin.count && !put(file, &bin, sizeof bin))
            return false;
    }
    struct bin end = {STATISTICS_BINS, 0};
    return put(file, &end, sizeof end);
}

static bool get_bins(FILE *file, uint64_t **bins)
{
    struct bin bin;
    bool there;
    if (!get(file, &there, sizeof there))
        return false;
    if (!there)
        return true;
    *bins = run_memory_allocate(STATISTICS_BINS, sizeof **bins);
    if (!*bins)
        return false;
    while (get(file, &bin, sizeof bin)) {
        if (bin.index >= STATISTICS_BINS)
            return true;
        (*bins)[bin.index] = bin.count;
    }
    return false;
}

static bool put_array(FILE *file, const void *array, size_t size)
{
    bool there = array != NULL;
    return put(file, &there, sizeof there) && (!there || put(file, array, size));
}

static bool get_array(FILE *file, void *pointer, size_t size)
{
    bool there;
    void *array = NULL;
    bool good = get(file, &there, sizeof there);
    if (good && there)
        good = (array = run_memory_allocate(1, size)) && get(file, array, size);
    memcpy(pointer, &array, sizeof array);
    return good;
}

int result_stream_write(FILE *file, const struct experiment_result *result, size_t links)
{
    const struct statistics *const histograms[] = {EXPERIMENT_HISTOGRAMS(result)};
    bool good = put(file, result, sizeof *result) &&
                put_array(file, result->link_use, links * sizeof *result->link_use) &&
                put_array(file, result->frames, experiment_frames_size(links));
    for (size_t i = 0; i < sizeof histograms / sizeof *histograms; i++)
        good = good && put_bins(file, histograms[i]->bins);
    return good ? 0 : -1;
}

int result_stream_read(FILE *file, struct experiment_result *result, size_t links)
{
    struct statistics *const histograms[] = {EXPERIMENT_HISTOGRAMS(result)};
    bool good = get(file, result, sizeof *result);
    if (!good)
        memset(result, 0, sizeof *result);
    result->link_use = NULL;
    result->frames = NULL;
    result->slices = NULL; /* of a single run alone */
    for (size_t i = 0; i < sizeof histograms / sizeof *histograms; i++)
        histograms[i]->bins = NULL;
    good = good && get_array(file, &result->link_use, links * sizeof *result->link_use) &&
           get_array(file, &result->frames, experiment_frames_size(links));
    for (size_t i = 0; i < sizeof histograms / sizeof *histograms; i++)
        good = good && get_bins(file, &histograms[i]->bins);
    if (good)
        return 0;
    experiment_result_free(result);
    memset(result, 0, sizeof *result);
    return -1;
}
