/* VCD files: of sigrok, of simulators, of the virtual analyser. Channels are the variables of one bit, by their names
 * without scopes where that is unique. Those that share an identifier are one signal, and the first one names it.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "capture/capture_private.h"
#include "capture/capture_text.h"
#include "support/or_abort.h"
#include "support/shown_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Identifiers are read as numbers of base CODES; most are short. */
enum { CODE_FIRST = '!', CODES = 94, CODE_MOST = 9, DIRECT = CODES + CODES * CODES };
enum { SCOPE_SIZE = 1024, NAME_SIZE = 256, SKIPPED = -1, UNKNOWN = -2 };

struct variable {
    uint64_t code;
    int channel; /* SKIPPED: it has more than one bit */
};

struct vcd_reader {
    struct capture_text text;
    struct variable *variables; /* with longer identifiers, in order of their codes */
    size_t variable_count, variable_room;
    int direct[DIRECT];
    char scope[SCOPE_SIZE];        /* of the header's part that is being read, with a dot behind each */
    char *paths[CAPTURE_CHANNELS]; /* names of the channels with their scopes, until the header is read */
    uint64_t time;
    bool has_time;
    double analyser_rate; /* samples per second, by sigrok's comment; 0: not said */
    bool whole_units;     /* the samples are whole units: no analyser's rate was rounded to them */
};

static bool vcd_fail(struct capture *capture, const char *reason, const char *word, size_t length)
{
    const struct vcd_reader *vcd = capture->reader;
    return capture_fail(capture, vcd->text.line + 1, "'%.*s': %s", length > NAME_SIZE ? NAME_SIZE : (int)length, word,
                        reason);
}

static bool is(const char *word, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(word, text, length) == 0;
}

/* ---- identifiers ---- */

/* The first character counts least, as in the numbers that simulators give: so codes come in rising order. */
static bool read_code(const char *text, size_t length, uint64_t *code)
{
    uint64_t weight = 1;
    *code = 0;
    for (size_t i = 0; i < length; i++, weight *= CODES) {
        unsigned digit = (unsigned char)text[i] - (unsigned)CODE_FIRST;
        if (digit >= CODES || i == CODE_MOST)
            return false;
        *code += weight * (digit + 1);
    }
    return length > 0;
}

/* Where a variable is in the list, or would be. */
static size_t position(const struct vcd_reader *vcd, uint64_t code)
{
    size_t low = 0, high = vcd->variable_count;
    if (high && vcd->variables[high - 1].code < code)
        return high;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (vcd->variables[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int find_channel(const struct vcd_reader *vcd, uint64_t code)
{
    if (code <= DIRECT)
        return vcd->direct[code - 1];
    size_t at = position(vcd, code);
    return at < vcd->variable_count && vcd->variables[at].code == code ? vcd->variables[at].channel : UNKNOWN;
}

static void add_variable(struct vcd_reader *vcd, uint64_t code, int channel)
{
    enum { ROOM_FIRST = 64 };
    if (code <= DIRECT) {
        vcd->direct[code - 1] = channel;
        return;
    }
    if (vcd->variable_count == vcd->variable_room) {
        vcd->variable_room = vcd->variable_room ? 2 * vcd->variable_room : ROOM_FIRST;
        vcd->variables = or_abort(realloc(vcd->variables, vcd->variable_room * sizeof *vcd->variables));
    }
    size_t at = position(vcd, code);
    memmove(vcd->variables + at + 1, vcd->variables + at, (vcd->variable_count++ - at) * sizeof *vcd->variables);
    vcd->variables[at] = (struct variable){code, channel};
}

/* ---- the header ---- */

/* Reads on to $end; what stands before it goes to `out`, with blanks between. */
static bool read_section(struct capture *capture, char *out, size_t size)
{
    struct vcd_reader *vcd = capture->reader;
    const char *word;
    size_t length, used = 0;
    *out = 0;
    while (capture_text_word(capture, &vcd->text, &word, &length)) {
        if (is(word, length, "$end"))
            return true;
        if (used + length + 2 > size)
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%.*s", used ? " " : "", (int)length, word);
    }
    return capture_fail(capture, vcd->text.line + 1, "the file ends in a section, expected $end");
}

/* "Acquisition with 2/8 channels at 24 MHz" */
static void take_comment(struct capture *capture, const char *comment)
{
    static const char before[] = " channels at ";
    const char *at = strstr(comment, before);
    struct vcd_reader *vcd = capture->reader;
    if (at)
        capture_parse_rate(at + strlen(before), strlen(at + strlen(before)), &vcd->analyser_rate);
}

/* LiteScope writes half of its clock's period, as a number of any unit: "5000ps". */
static bool take_timescale(struct capture *capture, const char *text)
{
    static const struct {
        const char *name;
        double per_second;
    } units[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}, {"ps", 1e12}, {"fs", 1e15}};
    static const long most = 1000000000;
    struct vcd_reader *vcd = capture->reader;
    char *end;
    long count = strtol(text, &end, 10);
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0 && count >= 1 && count <= most) {
            capture->rate = units[i].per_second / (double)count;
            vcd->whole_units = count != 1 && count != 10 && count != 100;
            return true;
        }
    return vcd_fail(capture, "expected a $timescale such as 1 ns: a whole number of s, ms, us, ns, ps or fs", text,
                    strlen(text));
}

/* Names a variable that is left out, while there is room for names. */
static void leave_out(struct capture *capture, const char *name, const char *type, unsigned size)
{
    size_t used = strlen(capture->left_out);
    int length = snprintf(capture->left_out + used, sizeof capture->left_out - used, "%s%s, a %s of %u bits",
                          used ? "; " : "left out: ", name, type, size);
    if (used + (size_t)length >= sizeof capture->left_out)
        capture->left_out[used] = 0;
    shown_text_line(capture->left_out + used);
}

/* "wire 1 ! name" or "wire 1 ! name [3]" */
static bool take_variable(struct capture *capture, const char *text)
{
    struct vcd_reader *vcd = capture->reader;
    static const char *const levels[] = {"wire", "reg",  "logic", "bit",    "tri",  "triand",  "trior",  "tri0",
                                         "tri1", "wand", "wor",   "trireg", "port", "supply0", "supply1"};
    char type[NAME_SIZE], code_text[NAME_SIZE], name[NAME_SIZE], bits[NAME_SIZE] = "";
    unsigned size;
    uint64_t code;
    bool single = false;
    if (sscanf(text, "%255s %u %255s %255s %250s", type, &size, code_text, name, bits) < 4 ||
        !read_code(code_text, strlen(code_text), &code))
        return vcd_fail(capture, "expected $var TYPE SIZE IDENTIFIER NAME $end", text, strlen(text));
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        single = single || (size == 1 && strcmp(type, levels[i]) == 0);
    if (find_channel(vcd, code) != UNKNOWN) /* another name of a signal */
        return true;
    add_variable(vcd, code, single ? (int)capture->channel_count : SKIPPED);
    if (!single) {
        leave_out(capture, name, type, size);
        return true;
    }
    size_t length = strlen(name);
    snprintf(name + length, sizeof name - length, "%s", bits);
    unsigned number = capture->channel_count;
    if (!capture_add_channel(capture, vcd->text.line + 1, name, strlen(name)))
        return false;
    return asprintf(&vcd->paths[number], "%s%s", vcd->scope, name) >= 0;
}

/* "module top", or of LiteScope the name alone */
static bool enter_scope(struct capture *capture, const char *text)
{
    struct vcd_reader *vcd = capture->reader;
    size_t used = strlen(vcd->scope);
    const char *blank = strchr(text, ' '), *name = blank ? blank + 1 : text;
    if (!*name || used + strlen(name) + 2 > sizeof vcd->scope)
        return vcd_fail(capture, "expected $scope KIND NAME $end, scopes of at most 1023 characters", text,
                        strlen(text));
    snprintf(vcd->scope + used, sizeof vcd->scope - used, "%s.", name);
    return true;
}

/* Names may have dots of their own, but scopes only seldom: what is lost then is a part of a name. */
static void leave_scope(struct vcd_reader *vcd)
{
    size_t used = strlen(vcd->scope);
    if (used)
        vcd->scope[used - 1] = 0;
    char *dot = strrchr(vcd->scope, '.');
    *(dot ? dot + 1 : vcd->scope) = 0;
}

/* Names that are there twice get their scopes. */
static void tell_apart(struct capture *capture)
{
    struct vcd_reader *vcd = capture->reader;
    bool twice[CAPTURE_CHANNELS] = {false};
    for (unsigned i = 0; i < capture->channel_count; i++)
        for (unsigned k = 0; k < i; k++)
            if (strcmp(capture->channels[i].name, capture->channels[k].name) == 0)
                twice[i] = twice[k] = true;
    for (unsigned i = 0; i < capture->channel_count; i++) {
        if (twice[i]) {
            free(capture->channels[i].name);
            capture->channels[i].name = vcd->paths[i];
        } else {
            free(vcd->paths[i]);
        }
        vcd->paths[i] = NULL;
    }
}

/* One section of the header. */
static bool take_section(struct capture *capture, const char *name)
{
    struct vcd_reader *vcd = capture->reader;
    char text[SCOPE_SIZE];
    if (!read_section(capture, text, sizeof text))
        return false;
    if (strcmp(name, "$comment") == 0)
        take_comment(capture, text);
    else if (strcmp(name, "$timescale") == 0)
        return take_timescale(capture, text);
    else if (strcmp(name, "$scope") == 0)
        return enter_scope(capture, text);
    else if (strcmp(name, "$upscope") == 0)
        leave_scope(vcd);
    else if (strcmp(name, "$var") == 0)
        return take_variable(capture, text);
    return true;
}

static bool read_header(struct capture *capture)
{
    struct vcd_reader *vcd = capture->reader;
    const char *word;
    size_t length;
    char name[NAME_SIZE] = "";
    while (strcmp(name, "$enddefinitions") != 0) {
        if (!capture_text_word(capture, &vcd->text, &word, &length))
            return capture_fail(capture, vcd->text.line + 1, "the file ends in the header, expected $enddefinitions");
        if (*word != '$' || length >= sizeof name)
            return vcd_fail(capture, "expected a section of a VCD header: $timescale, $scope, $var ...", word, length);
        memcpy(name, word, length);
        name[length] = 0;
        if (!take_section(capture, name))
            return false;
    }
    if (capture->rate == 0)
        return capture_fail(capture, vcd->text.line + 1, "no time scale, expected $timescale in the header");
    tell_apart(capture);
    capture->seeks_grid = true;
    capture_grid_begin(&capture->grid, capture->rate, vcd->whole_units ? capture->rate : vcd->analyser_rate,
                       vcd->analyser_rate > 0);
    return true;
}

/* ---- changes ---- */

/* #123. What was set since the last time is a sample; true if it has edges. */
static bool take_time(struct capture *capture, const char *word, size_t length)
{
    enum { DIGITS_MOST = 18 };
    struct vcd_reader *vcd = capture->reader;
    uint64_t time = 0;
    size_t digits = 1;
    for (; digits < length && word[digits] >= '0' && word[digits] <= '9' && digits <= DIGITS_MOST; digits++)
        time = time * 10 + (unsigned)(word[digits] - '0');
    if (length == 1 || digits < length)
        return vcd_fail(capture, "expected # and a time of at most 18 digits", word, length);
    if (vcd->has_time && time < vcd->time)
        return vcd_fail(capture, "expected a time that does not go back", word, length);
    bool first = !vcd->has_time && !capture->touched_count;
    uint64_t before = vcd->time;
    vcd->time = time;
    vcd->has_time = true;
    capture->length = time;
    return !first && time != before && capture_end_sample(capture, before);
}

static bool set_level(struct capture *capture, char value, const char *code, size_t length)
{
    const struct vcd_reader *vcd = capture->reader;
    uint64_t number;
    int channel = read_code(code, length, &number) ? find_channel(vcd, number) : UNKNOWN;
    if (channel >= 0)
        capture_set(capture, (unsigned)channel, value == '1' || value == 'h' || value == 'H');
    return channel != UNKNOWN || vcd_fail(capture, "expected an identifier that a $var declares", code, length);
}

/* b0101 ! */
static bool take_vector(struct capture *capture, char value)
{
    struct vcd_reader *vcd = capture->reader;
    const char *word;
    size_t length;
    if (!capture_text_word(capture, &vcd->text, &word, &length))
        return capture_fail(capture, vcd->text.line + 1, "the file ends in a value, expected its identifier");
    return set_level(capture, value, word, length);
}

/* $dumpvars and the like say what the changes behind them are for: no matter here. */
static bool take_command(struct capture *capture, const char *word, size_t length)
{
    char text[SCOPE_SIZE];
    return is(word, length, "$comment") ? read_section(capture, text, sizeof text) : true;
}

/* True if there are edges now, or a failure. */
static bool take_word(struct capture *capture, const char *word, size_t length)
{
    switch (*word) {
    case '#':
        return take_time(capture, word, length);
    case '$':
        return !take_command(capture, word, length);
    case 'b':
    case 'B':
    case 'r':
    case 'R':
    case 's':
    case 'S':
        return !take_vector(capture, word[length - 1]);
    default:
        if (!strchr("01xXzZuUwWlLhH-", *word))
            return !vcd_fail(capture, "expected #TIME, or a level (0, 1, x, z) and an identifier", word, length);
        return !set_level(capture, *word, word + 1, length - 1);
    }
}

static bool vcd_advance(struct capture *capture)
{
    struct vcd_reader *vcd = capture->reader;
    const char *word;
    size_t length;
    while (!capture->failed && capture_text_word(capture, &vcd->text, &word, &length))
        if (take_word(capture, word, length))
            return !capture->failed;
    if (!capture->failed && (capture->touched_count || !capture->begun))
        capture_end_sample(capture, vcd->time);
    return !capture->failed;
}

static bool vcd_open(struct capture *capture)
{
    struct vcd_reader *vcd = capture->reader = or_abort(calloc(1, sizeof *vcd));
    for (unsigned i = 0; i < DIRECT; i++)
        vcd->direct[i] = UNKNOWN;
    return capture_text_open(capture, &vcd->text) && read_header(capture);
}

static void vcd_close(struct capture *capture)
{
    struct vcd_reader *vcd = capture->reader;
    for (unsigned i = 0; i < capture->channel_count; i++)
        free(vcd->paths[i]);
    capture_text_close(&vcd->text);
    free(vcd->variables);
    free(vcd);
}

const struct capture_kind capture_kind_vcd = {vcd_open, vcd_advance, vcd_close};
