/* Different words for each target of a packet.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "cli/target_info.h"

#include "cli/report.h"
#include "support/or_abort.h"

#include <stdlib.h>
#include <string.h>

struct parser {
    const struct site_set *targets;
    unsigned sites, word_width;
    struct target_info *out;
};

/* The colon behind SITES; NULL: there is none. A text for payload_text_parse has no colon, or letters before it. */
static const char *end_of_sites(const char *text)
{
    size_t length = strncmp(text, "all:", 4) == 0 ? 3 : strspn(text, "0123456789,-");
    return text[length] == ':' ? text + length : NULL;
}

static bool give(const struct parser *parser, const char *text, uint16_t site, const struct payload *data)
{
    for (size_t i = 0; i < parser->targets->count; i++) {
        struct pr_message_info *info = &parser->out->of_target[i];
        if (parser->targets->sites[i] != site)
            continue;
        if (info->count)
            report_error("send", "--info %s: site %u has target_info already", text, site);
        else
            *info = (struct pr_message_info){data->words, data->count};
        return info->words == data->words;
    }
    report_error("send", "--info %s: site %u is not one of the targets", text, site);
    return false;
}

static bool give_to_sites(const struct parser *parser, const char *text, const char *colon, const struct payload *data)
{
    struct site_set set;
    char *sites = or_abort(strndup(text, (size_t)(colon - text)));
    bool good = strcmp(sites, "all") != 0 ? site_set_parse("send", "--info", sites, parser->sites, &set) : true;
    const struct site_set *named = strcmp(sites, "all") != 0 ? &set : parser->targets;
    for (size_t i = 0; good && i < named->count; i++)
        good = give(parser, text, named->sites[i], data);
    if (named == &set)
        site_set_free(&set);
    free(sites);
    return good;
}

static void give_to_rest(const struct parser *parser, const struct payload *data)
{
    for (size_t i = 0; i < parser->targets->count; i++)
        if (!parser->out->of_target[i].count)
            parser->out->of_target[i] = (struct pr_message_info){data->words, data->count};
}

static bool parse_all(const struct parser *parser, const struct option_list *texts)
{
    const struct payload *rest = NULL;
    for (size_t k = 0; k < texts->count; k++) {
        const char *text = texts->items[k], *colon = end_of_sites(text);
        struct payload *data = &parser->out->data[k];
        if (!payload_text_parse("send", "--info", colon ? colon + 1 : text, parser->word_width, data))
            return false;
        if (colon && !give_to_sites(parser, text, colon, data))
            return false;
        if (!colon && rest) {
            report_error("send", "--info %s: expected SITES:WORDS, as another --info is for all the rest", text);
            return false;
        }
        rest = colon ? rest : data;
    }
    if (rest)
        give_to_rest(parser, rest);
    return true;
}

bool target_info_parse(const struct option_list *texts, const struct site_set *targets, unsigned sites,
                       unsigned word_width, struct target_info *out)
{
    const struct parser parser = {targets, sites, word_width, out};
    *out = (struct target_info){or_abort(calloc(targets->count, sizeof *out->of_target)),
                                or_abort(calloc(texts->count + 1, sizeof *out->data))};
    bool good = parse_all(&parser, texts);
    if (!good)
        target_info_free(out);
    return good;
}

void target_info_free(struct target_info *info)
{
    free(info->of_target);
    free(info->data);
}

unsigned target_info_words(const struct target_info *info, size_t targets)
{
    unsigned words = 0;
    for (size_t i = 0; i < targets; i++)
        words += 1 + info->of_target[i].count;
    return words;
}
