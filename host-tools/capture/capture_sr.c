/* sigrok's session files: a zip archive with `version`, `metadata` and the samples in `logic-1-1`, `logic-1-2`, ... (in
 * version 1 all in `logic-1`). Bit n of a sample, little-endian, is channel n.
 *
 * A sample that is equal to the one before is no edge. Most are, so eight bytes at a time are compared with those one
 * sample earlier, whatever the size of a sample:
 *
 *   buffer   | sample before | sample | sample | sample | ...
 *            ^ at - unit     ^ at
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "capture/capture_private.h"
#include "support/or_abort.h"

#include <ctype.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

enum {
    BUFFER = 1 << 20,
    UNIT_MOST = CAPTURE_CHANNELS / 8,
    METADATA_MOST = 256 << 10,
    NAME_SIZE = 64,
    VERSION_MOST = 8
};

struct sr_reader {
    zip_t *archive;
    zip_file_t *member;
    char prefix[NAME_SIZE], name[NAME_SIZE + 16]; /* of all members with samples, of the open one */
    uint64_t left;                                /* bytes of the member that have not been read */
    unsigned chunk, chunks;                       /* the number of the open member; how many there are */
    unsigned unit;                                /* bytes of a sample */
    int channels[CAPTURE_CHANNELS];               /* of each bit, -1: none */
    char *names[CAPTURE_CHANNELS];                /* of each bit, until the channels are made */
    bool has_probes, many, analogue; /* metadata: names; more probes than CAPTURE_CHANNELS; analogue channels */
    uint64_t sample;                 /* number of the one at `at` */
    uint8_t *buffer, *at, *end;
    bool begun;
};

/* ---- metadata ---- */

/* Reads a small member into `out`, with a zero byte behind it. */
static bool read_member(struct capture *capture, const char *name, char *out, size_t most)
{
    struct sr_reader *sr = capture->reader;
    zip_stat_t status;
    if (zip_stat(sr->archive, name, 0, &status) != 0 || !(status.valid & ZIP_STAT_SIZE))
        return capture_fail(capture, 0, "no member '%s', expected a sigrok session", name);
    if (status.size > most)
        return capture_fail(capture, 0, "member '%s' has %llu bytes, expected at most %zu", name,
                            (unsigned long long)status.size, most);
    zip_file_t *file = zip_fopen(sr->archive, name, 0);
    zip_int64_t count = file ? zip_fread(file, out, most) : -1;
    if (file)
        zip_fclose(file);
    if (count < 0 || (zip_uint64_t)count != status.size || memchr(out, 0, (size_t)count))
        return capture_fail(capture, 0, "member '%s' cannot be read: it is damaged", name);
    out[count] = 0;
    return true;
}

/* probe3=D2: the name of bit 2. */
static bool take_probe(struct sr_reader *sr, const char *number, const char *name)
{
    char *end;
    unsigned long probe = strtoul(number, &end, 10);
    if (*end || *number < '0' || *number > '9' || probe < 1)
        return false;
    sr->has_probes = true;
    if (probe > CAPTURE_CHANNELS) {
        sr->many = true;
        return true;
    }
    free(sr->names[probe - 1]);
    sr->names[probe - 1] = strdup(name);
    return sr->names[probe - 1] != NULL;
}

static int take_key(void *context, const char *section, const char *name, const char *value)
{
    static const char probe[] = "probe", analog[] = "analog";
    struct capture *capture = context;
    struct sr_reader *sr = capture->reader;
    if (strcmp(section, "device 1") != 0)
        return 1;
    if (strcmp(name, "capturefile") == 0)
        return snprintf(sr->prefix, sizeof sr->prefix, "%s", value) < (int)sizeof sr->prefix;
    if (strcmp(name, "samplerate") == 0)
        return capture_parse_rate(value, strlen(value), &capture->rate);
    if (strcmp(name, "unitsize") == 0) {
        char *end;
        unsigned long unit = strtoul(value, &end, 10);
        sr->unit = unit <= UNIT_MOST ? (unsigned)unit : 0;
        return !*end && sr->unit > 0;
    }
    sr->analogue = sr->analogue ||
                   (strncmp(name, analog, strlen(analog)) == 0 && isdigit((unsigned char)name[strlen(analog)]));
    if (strncmp(name, probe, strlen(probe)) == 0)
        return take_probe(sr, name + strlen(probe), value);
    return 1;
}

static bool make_channels(struct capture *capture)
{
    struct sr_reader *sr = capture->reader;
    for (unsigned bit = 0; bit < CAPTURE_CHANNELS; bit++) {
        sr->channels[bit] = sr->names[bit] ? (int)capture->channel_count : -1;
        if (sr->names[bit] && bit >= 8 * sr->unit)
            return capture_fail(capture, 0, "metadata: probe%u, expected numbers up to %u: a sample has %u bytes",
                                bit + 1, 8 * sr->unit, sr->unit);
        if (sr->names[bit] && !capture_add_channel(capture, 0, sr->names[bit], strlen(sr->names[bit])))
            return false;
    }
    return true;
}

static bool read_metadata(struct capture *capture)
{
    struct sr_reader *sr = capture->reader;
    char version[VERSION_MOST + 1], *text = or_abort(malloc(METADATA_MOST + 1));
    bool good = read_member(capture, "version", version, VERSION_MOST) &&
                read_member(capture, "metadata", text, METADATA_MOST);
    int line = good ? ini_parse_string(text, take_key, capture) : 0;
    free(text);
    if (!good)
        return false;
    if (strcmp(version, "1") != 0 && strcmp(version, "2") != 0)
        return capture_fail(capture, 0, "version '%s' of the format, expected 1 or 2", version);
    if (line)
        return capture_fail(capture, 0,
                            "metadata, line %d: expected key = value; samplerate such as 24 MHz, unitsize 1 to %d",
                            line, UNIT_MOST);
    if (sr->many)
        return capture_fail(capture, 0, "metadata: expected at most %d probes", CAPTURE_CHANNELS);
    if (!sr->has_probes && sr->analogue)
        return capture_fail(capture, 0, "only analogue channels, expected logic channels: probe1 in [device 1]");
    if (!sr->has_probes || !*sr->prefix || !sr->unit)
        return capture_fail(capture, 0,
                            "metadata: expected capturefile, unitsize and probe1 in [device 1]: logic channels");
    if (capture->rate == 0)
        return capture_fail(capture, 0, "metadata: no sample rate, expected samplerate = 24 MHz or another");
    return make_channels(capture);
}

/* ---- samples ---- */

/* Members with samples, by their names. */
static unsigned count_chunks(const struct sr_reader *sr)
{
    unsigned count = 0;
    zip_int64_t entries = zip_get_num_entries(sr->archive, 0);
    size_t length = strlen(sr->prefix);
    for (zip_int64_t i = 0; i < entries; i++) {
        const char *name = zip_get_name(sr->archive, (zip_uint64_t)i, 0);
        count += name && strncmp(name, sr->prefix, length) == 0 && name[length] == '-';
    }
    return count;
}

static void close_member(struct sr_reader *sr)
{
    if (sr->member)
        zip_fclose(sr->member);
    sr->member = NULL;
}

static bool open_member(struct capture *capture)
{
    struct sr_reader *sr = capture->reader;
    zip_stat_t status;
    if (zip_stat(sr->archive, sr->name, 0, &status) != 0 || !(status.valid & ZIP_STAT_SIZE))
        return capture_fail(capture, 0, "no member '%s', expected %s", sr->name,
                            sr->chunks ? "all that the last of its kind is numbered for" : "samples");
    if (status.size % sr->unit)
        return capture_fail(capture, 0, "member '%s' has %llu bytes, expected whole samples of %u", sr->name,
                            (unsigned long long)status.size, sr->unit);
    sr->member = zip_fopen(sr->archive, sr->name, 0);
    if (!sr->member)
        return capture_fail(capture, 0, "member '%s': %s", sr->name, zip_strerror(sr->archive));
    sr->left = status.size;
    return true;
}

/* The end of the open member: libzip checks its sum when it is asked for more. */
static bool finish_member(struct capture *capture)
{
    struct sr_reader *sr = capture->reader;
    uint8_t more;
    if (sr->member && zip_fread(sr->member, &more, sizeof more) != 0)
        return capture_fail(capture, 0, "member '%s' is damaged: %s", sr->name, zip_file_strerror(sr->member));
    close_member(sr);
    return true;
}

/* Opens the next member. False: there is none, or a failure. */
static bool next_member(struct capture *capture)
{
    struct sr_reader *sr = capture->reader;
    if (!finish_member(capture))
        return false;
    if (sr->chunk == (sr->chunks ? sr->chunks : 1))
        return false;
    sr->chunk++;
    if (sr->chunks)
        snprintf(sr->name, sizeof sr->name, "%s-%u", sr->prefix, sr->chunk);
    else
        snprintf(sr->name, sizeof sr->name, "%s", sr->prefix);
    return open_member(capture);
}

/* Puts more samples behind the last one, which stays. False: the end, or a failure. */
static bool read_more(struct capture *capture)
{
    struct sr_reader *sr = capture->reader;
    size_t count = 0, room = BUFFER / sr->unit * sr->unit;
    while (!sr->member || !sr->left)
        if (!next_member(capture))
            return false;
    if (sr->begun)
        memmove(sr->buffer, sr->end - sr->unit, sr->unit);
    sr->at = sr->end = sr->buffer + sr->unit;
    if (room > sr->left)
        room = (size_t)sr->left;
    while (count < room) {
        zip_int64_t got = zip_fread(sr->member, sr->at + count, room - count);
        if (got <= 0)
            return capture_fail(capture, 0, "member '%s' is damaged or cut off: %s", sr->name,
                                got < 0 ? zip_file_strerror(sr->member) : "fewer bytes than its header says");
        count += (size_t)got;
    }
    sr->left -= count;
    sr->end = sr->at + count;
    return true;
}

/* The first byte from `at` on that differs from the one a sample earlier; `end`: none does. */
static uint8_t *find_change(uint8_t *at, const uint8_t *end, unsigned unit)
{
    uint64_t here, before;
    for (; end - at >= (ptrdiff_t)sizeof here; at += sizeof here) {
        memcpy(&here, at, sizeof here);
        memcpy(&before, at - unit, sizeof before);
        if (here != before)
            break;
    }
    while (at < end && *at == *(at - unit))
        at++;
    return at;
}

/* Sets the channels of the sample at `at` that differ from the one before; all of them in the first one. */
static void take_sample(struct capture *capture)
{
    struct sr_reader *sr = capture->reader;
    for (unsigned byte = 0; byte < sr->unit; byte++) {
        unsigned here = sr->at[byte], changed = sr->begun ? here ^ *(sr->at + byte - sr->unit) : UINT8_MAX;
        for (; changed; changed &= changed - 1) {
            unsigned bit = (unsigned)__builtin_ctz(changed);
            int channel = sr->channels[8 * byte + bit];
            if (channel >= 0)
                capture_set(capture, (unsigned)channel, here >> bit & 1);
        }
    }
    sr->begun = true;
    sr->at += sr->unit;
    sr->sample++;
}

static bool sr_advance(struct capture *capture)
{
    struct sr_reader *sr = capture->reader;
    for (;;) {
        if (sr->at == sr->end && !read_more(capture)) {
            capture->length = sr->sample;
            if (!sr->begun)
                return capture_fail(capture, 0, "no samples");
            return !capture->failed;
        }
        if (sr->begun) {
            size_t same = (size_t)(find_change(sr->at, sr->end, sr->unit) - sr->at) / sr->unit;
            sr->at += same * sr->unit;
            sr->sample += same;
            if (sr->at == sr->end)
                continue;
        }
        uint64_t sample = sr->sample;
        take_sample(capture);
        if (capture_end_sample(capture, sample))
            return true;
    }
}

static bool sr_open(struct capture *capture)
{
    struct sr_reader *sr = capture->reader = or_abort(calloc(1, sizeof *sr));
    int reason;
    zip_error_t error;
    sr->archive = zip_open(capture->path, ZIP_RDONLY, &reason);
    if (!sr->archive) {
        zip_error_init_with_code(&error, reason);
        capture_fail(capture, 0, "%s, expected a whole zip archive: is the file cut off?", zip_error_strerror(&error));
        zip_error_fini(&error);
        return false;
    }
    if (!read_metadata(capture))
        return false;
    sr->chunks = count_chunks(sr);
    sr->buffer = or_abort(malloc(sr->unit + BUFFER));
    sr->at = sr->end = sr->buffer + sr->unit;
    return true;
}

static void sr_close(struct capture *capture)
{
    struct sr_reader *sr = capture->reader;
    close_member(sr);
    if (sr->archive)
        zip_discard(sr->archive);
    for (unsigned bit = 0; bit < CAPTURE_CHANNELS; bit++)
        free(sr->names[bit]);
    free(sr->buffer);
    free(sr);
}

const struct capture_kind capture_kind_sr = {sr_open, sr_advance, sr_close};
