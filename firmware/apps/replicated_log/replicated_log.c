/* See replicated_log.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "replicated_log.h"

#include <string.h>

enum { CHECK_BEGIN = 0x811c9dc5, CHECK_PRIME = 0x01000193 }; /* FNV-1a, by words */

static uint32_t fold(uint32_t check, uint32_t word)
{
    return (check ^ word) * CHECK_PRIME;
}

static uint32_t check_behind(uint32_t check, const struct replicated_log_entry *entry)
{
    check = fold(fold(fold(check, entry->source), entry->number), entry->words);
    for (unsigned k = 0; k < entry->words; k++)
        check = fold(check, entry->data[k]);
    return check;
}

static struct replicated_log_entry *place_of(struct replicated_log *log, uint16_t index)
{
    return &log->entries[index % REPLICATED_LOG_ENTRIES];
}

static int send(struct replicated_log *log, unsigned site, uint8_t handler, const uint32_t *words, unsigned count)
{
    const struct pr_target target = {.site = site};
    return pr_operator_send(log->op, &target, 1, handler, words, count, NULL);
}

static void append(void *context, const struct pr_delivery *delivery)
{
    struct replicated_log *log = context;
    unsigned words = delivery->data_words < REPLICATED_LOG_WORDS ? delivery->data_words : REPLICATED_LOG_WORDS;
    if (delivery->info_words != PR_GROUPS_INFO_WORDS || delivery->info[0] != log->group)
        return;
    struct replicated_log_entry *entry = place_of(log, (uint16_t)delivery->info[1]);
    if (!log->begun || log->next != (uint16_t)delivery->info[1]) { /* a new membership */
        log->known &= !log->begun;
        log->begun = true;
        log->held = 0;
    }
    *entry = (struct replicated_log_entry){
        .source = (uint16_t)delivery->source, .number = delivery->sequence, .words = (uint16_t)words};
    memcpy(entry->data, delivery->data, words * sizeof *entry->data);
    log->next = (uint16_t)(delivery->info[1] + 1);
    log->held += log->held < REPLICATED_LOG_ENTRIES;
    log->length++;
    if (log->known)
        log->check = entry->check = check_behind(log->check, entry);
    log->asks = !log->known;
}

int replicated_log_append(struct replicated_log *log, const uint32_t *data, unsigned words)
{
    if (words > REPLICATED_LOG_WORDS)
        return -PR_GROUPS_TOO_LONG;
    return pr_groups_send(log->groups, log->group, REPLICATED_LOG_APPEND, data, words, NULL);
}

static void propose(struct replicated_log *log, unsigned source, const uint32_t *words, unsigned count)
{
    uint32_t status = (uint32_t)-replicated_log_append(log, words, count);
    send(log, source, REPLICATED_LOG_ANSWER, &status, 1);
}

static void read_length(struct replicated_log *log, unsigned source, const uint32_t *words, unsigned count)
{
    const uint32_t said[] = {log->length & UINT16_MAX, log->length >> 16, log->check & UINT16_MAX, log->check >> 16};
    (void)words;
    (void)count;
    send(log, source, REPLICATED_LOG_ANSWER, said, log->known ? 4 : 0);
}

/* The check in front of an entry is that of the one before it. */
static void tell(struct replicated_log *log, unsigned source, const uint32_t *words, unsigned count)
{
    if (count != 1 || !log->known)
        return;
    uint16_t index = (uint16_t)words[0], behind = (uint16_t)(log->next - index);
    uint32_t length = log->length - behind;
    uint32_t check = length == 0 ? CHECK_BEGIN : behind == 0 ? log->check : place_of(log, (uint16_t)(index - 1))->check;
    const uint32_t said[] = {REPLICATED_LOG_TELL, index,      length & UINT16_MAX, length >> 16,
                             check & UINT16_MAX,  check >> 16};
    bool held = behind < log->held || (behind == log->held && length == 0);
    send(log, source, REPLICATED_LOG_REQUEST, said, held ? 6 : 2);
}

/* The entries from an index on get their checks; those before it are not held any more. */
static void learn(struct replicated_log *log, unsigned source, const uint32_t *words, unsigned count)
{
    (void)source;
    if (log->known || !log->begun || count == 0)
        return;
    uint16_t behind = (uint16_t)(log->next - words[0]);
    if (count != 5 || behind > log->held) { /* too old, or of another membership */
        log->asks = true;
        return;
    }
    log->known = true;
    log->held = behind;
    log->length = (words[1] | words[2] << 16) + behind;
    log->check = words[3] | words[4] << 16;
    for (uint16_t index = (uint16_t)words[0]; index != log->next; index++) {
        struct replicated_log_entry *entry = place_of(log, index);
        log->check = entry->check = check_behind(log->check, entry);
    }
}

static void take_request(void *context, const struct pr_delivery *delivery)
{
    static void (*const requests[])(struct replicated_log *, unsigned, const uint32_t *, unsigned) = {
        [REPLICATED_LOG_PROPOSE] = propose,
        [REPLICATED_LOG_READ] = read_length,
        [REPLICATED_LOG_ASK] = tell,
        [REPLICATED_LOG_TELL] = learn,
    };
    if (delivery->data_words > 0 && delivery->data[0] < sizeof requests / sizeof *requests)
        requests[delivery->data[0]](context, delivery->source, delivery->data + 1, delivery->data_words - 1);
}

int replicated_log_init(struct replicated_log *log, struct pr_operator *op, struct pr_groups *groups, uint8_t group,
                        bool founds)
{
    *log = (struct replicated_log){.op = op, .groups = groups, .group = group, .known = founds, .check = CHECK_BEGIN};
    int error = pr_operator_register(op, REPLICATED_LOG_APPEND, append, log);
    return error ? error : pr_operator_register(op, REPLICATED_LOG_REQUEST, take_request, log);
}

void replicated_log_poll(struct replicated_log *log)
{
    const struct pr_group *group = log->asks ? pr_groups_find(log->groups, log->group) : NULL;
    if (!group || group->state != PR_GROUP_IN)
        return;
    const uint32_t words[] = {REPLICATED_LOG_ASK, log->next};
    log->asks = send(log, group->leader_site, REPLICATED_LOG_REQUEST, words, 2) != 0;
}

const struct replicated_log_entry *replicated_log_entry(const struct replicated_log *log, uint32_t index)
{
    if (!log->known || index >= log->length || log->length - index > log->held)
        return NULL;
    return &log->entries[(uint16_t)(log->next - (log->length - index)) % REPLICATED_LOG_ENTRIES];
}
