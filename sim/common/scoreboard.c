/* Scoreboard, see scoreboard.h. Records of packets stand in one growing array, their targets in another;
 * those of completed packets are used again. Each source has a table from sequence number to record.
 *
 * SPDX-License-Identifier: ISC
 */
#include "common/scoreboard.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEQUENCES = 65536, FIRST_SEQUENCES = 256, FIRST_RECORDS = 1024 };

/* In a source's table: the sequence number has not been used, or its packet is complete. */
enum { ENTRY_UNUSED = -1, ENTRY_COMPLETE = -2 };

struct record {
    uint64_t number;              /* of the packet, in order of generation */
    uint64_t generated, injected; /* clocks */
    int32_t next;                 /* queue of its source, or list of free records */
    uint16_t source, sequence;
    uint16_t data_words, target_count;
    uint16_t delivered;           /* targets that have it; they stand first in the list */
    bool accepted, was_injected, in_use;
};

struct source {
    int32_t head, tail;           /* packets that wait */
    int32_t *entries;             /* by sequence number */
    uint32_t entry_count;         /* power of two; all sequence numbers so far are below */
    uint32_t on_their_way;        /* accepted, not complete */
};

struct scoreboard {
    uint64_t seed, word_mask;
    unsigned most_targets, words_each; /* words drawn from 64 bits */
    int sites;
    struct scoreboard_window window;
    struct source *sources;
    struct record *records;
    uint16_t *targets;            /* most_targets a record */
    int32_t record_count, free_record;
    uint16_t *order;              /* targets as they were generated;
        the other list is reordered as they get it */
    struct scoreboard_totals totals;
    struct statistics latency, network_latency;
    char complaint[200];
};

struct scoreboard *scoreboard_create(const struct mesh_config *mesh, uint64_t seed, unsigned most_targets)
{
    struct scoreboard *board = calloc(1, sizeof *board);
    if (!board)
        return NULL;
    board->seed = random_mix(seed ^ 0x5c03eb0a);
    board->word_mask = mesh->word_width == 32 ? 0xffffffff : 0xffff;
    board->words_each = mesh->word_width == 32 ? 2 : 4;
    board->most_targets = most_targets;
    board->sites = mesh->sites;
    board->window.to = UINT64_MAX;
    board->free_record = SCOREBOARD_NONE;
    board->sources = calloc((size_t)mesh->sites, sizeof *board->sources);
    if (!board->sources || statistics_init(&board->latency) != 0 ||
        statistics_init(&board->network_latency) != 0) {
        scoreboard_free(board);
        return NULL;
    }
    for (int site = 0; site < mesh->sites; site++)
        board->sources[site].head = board->sources[site].tail = SCOREBOARD_NONE;
    return board;
}

void scoreboard_free(struct scoreboard *board)
{
    if (!board)
        return;
    for (int site = 0; board->sources && site < board->sites; site++)
        free(board->sources[site].entries);
    free(board->sources);
    free(board->records);
    free(board->targets);
    free(board->order);
    statistics_free(&board->latency);
    statistics_free(&board->network_latency);
    free(board);
}

void scoreboard_set_window(struct scoreboard *board, struct scoreboard_window window)
{
    board->window = window;
}

static void complain(struct scoreboard *board, const char *format, ...)
{
    va_list arguments;
    if (board->complaint[0])
        return;
    va_start(arguments, format);
    vsnprintf(board->complaint, sizeof board->complaint, format, arguments);
    va_end(arguments);
}

static bool in_window(const struct scoreboard *board, uint64_t clock)
{
    return clock >= board->window.from && clock < board->window.to;
}

/* Doubles the records; the new ones go on the free list. */
static int grow(struct scoreboard *board)
{
    int32_t count = board->record_count ? 2 * board->record_count : FIRST_RECORDS;
    struct record *records = realloc(board->records, (size_t)count * sizeof *records);
    if (records)
        board->records = records;
    size_t target_bytes = (size_t)count * board->most_targets * sizeof *board->targets;
    uint16_t *targets = realloc(board->targets, target_bytes), *order = realloc(board->order, target_bytes);
    if (targets)
        board->targets = targets;
    if (order)
        board->order = order;
    if (!records || !targets || !order)
        return -1;
    for (int32_t i = count - 1; i >= board->record_count; i--) {
        board->records[i] = (struct record){.next = board->free_record};
        board->free_record = i;
    }
    board->record_count = count;
    return 0;
}

static unsigned record_words(const struct record *record)
{
    return record->target_count + TRAFFIC_HEADER_WORDS + record->data_words + 1u;
}

int scoreboard_generate(struct scoreboard *board, const struct traffic_packet *packet)
{
    if (board->free_record == SCOREBOARD_NONE && grow(board) != 0)
        return -1;
    int32_t index = board->free_record;
    struct record *record = &board->records[index];
    struct source *source = &board->sources[packet->source];
    size_t target_bytes = packet->target_count * sizeof *board->targets;
    board->free_record = record->next;
    *record = (struct record){
        .number = board->totals.packets, .generated = packet->clock, .next = SCOREBOARD_NONE,
        .source = (uint16_t)packet->source, .data_words = packet->data_words,
        .target_count = packet->target_count, .in_use = true,
    };
    memcpy(board->targets + (size_t)index * board->most_targets, packet->targets, target_bytes);
    memcpy(board->order + (size_t)index * board->most_targets, packet->targets, target_bytes);
    if (source->tail == SCOREBOARD_NONE)
        source->head = index;
    else
        board->records[source->tail].next = index;
    source->tail = index;
    board->totals.packets++;
    board->totals.expected += packet->target_count;
    if (in_window(board, packet->clock))
        board->totals.generated_words += record_words(record);
    return 0;
}

int32_t scoreboard_waiting(const struct scoreboard *board, uint32_t source)
{
    return board->sources[source].head;
}

const uint16_t *scoreboard_targets(const struct scoreboard *board, int32_t packet, unsigned *count)
{
    *count = board->records[packet].target_count;
    return board->order + (size_t)packet * board->most_targets;
}

/* Word `index` of the data of packet `number`; draws are made for words_each words at a time. */
static inline uint32_t data_word(const struct scoreboard *board, uint64_t *draw, uint64_t number,
                                 unsigned index)
{
    unsigned part = index % board->words_each;
    if (part == 0)
        *draw = random_mix(board->seed + number * 0x10001 + index);
    return (uint32_t)(*draw >> part * (64 / board->words_each) & board->word_mask);
}

unsigned scoreboard_data(const struct scoreboard *board, int32_t packet, uint32_t *words)
{
    const struct record *record = &board->records[packet];
    uint64_t draw = 0;
    for (unsigned i = 0; i < record->data_words; i++)
        words[i] = data_word(board, &draw, record->number, i);
    return record->data_words;
}

/* Makes room in a source's table for this sequence number. */
static int grow_entries(struct source *source, uint16_t sequence)
{
    uint32_t count = source->entry_count ? source->entry_count : FIRST_SEQUENCES;
    while (count <= sequence)
        count *= 2;
    if (count == source->entry_count)
        return 0;
    int32_t *entries = realloc(source->entries, count * sizeof *entries);
    if (!entries)
        return -1;
    for (uint32_t i = source->entry_count; i < count; i++)
        entries[i] = ENTRY_UNUSED;
    source->entries = entries;
    source->entry_count = count;
    return 0;
}

int scoreboard_accept(struct scoreboard *board, int32_t packet, uint16_t sequence)
{
    struct record *record = &board->records[packet];
    struct source *source = &board->sources[record->source];
    if (grow_entries(source, sequence) != 0)
        return -1;
    if (source->entries[sequence] >= 0)
        complain(board, "packet %u of site %u is not complete after another %d packets of its source",
                 sequence,
                 record->source, SEQUENCES);
    source->entries[sequence] = packet;
    source->head = record->next;
    if (source->head == SCOREBOARD_NONE)
        source->tail = SCOREBOARD_NONE;
    record->next = SCOREBOARD_NONE;
    record->sequence = sequence;
    record->accepted = true;
    board->totals.accepted++;
    source->on_their_way++;
    return 0;
}

void scoreboard_inject(struct scoreboard *board, int32_t packet, uint64_t clock)
{
    board->records[packet].injected = clock;
    board->records[packet].was_injected = true;
}

static bool content_good(const struct scoreboard *board, const struct record *record,
                         const struct scoreboard_delivery *delivery)
{
    uint64_t draw = 0;
    if (delivery->data_words != record->data_words)
        return false;
    for (unsigned i = 0; i < record->data_words; i++)
        if (delivery->data[i] != data_word(board, &draw, record->number, i))
            return false;
    return true;
}

/* Where `site` stands in the packet's targets, -1 if it is none. */
static int find_target(const struct record *record, const uint16_t *targets, uint32_t site)
{
    for (int i = record->target_count - 1; i >= 0; i--)
        if (targets[i] == site)
            return i;
    return -1;
}

/* The last target has it: the record is free. */
static void complete(struct scoreboard *board, int32_t packet, uint64_t clock)
{
    struct record *record = &board->records[packet];
    board->totals.completed++;
    if (in_window(board, clock))
        board->totals.accepted_words += record_words(record);
    board->sources[record->source].entries[record->sequence] = ENTRY_COMPLETE;
    board->sources[record->source].on_their_way--;
    record->in_use = false;
    record->next = board->free_record;
    board->free_record = packet;
}

static void measure(struct scoreboard *board, const struct record *record,
                    const struct scoreboard_delivery *delivery)
{
    if (!in_window(board, record->generated))
        return;
    statistics_add(&board->latency, delivery->clock_delivered - record->generated);
    if (record->was_injected && delivery->clock_arrived >= record->injected)
        statistics_add(&board->network_latency, delivery->clock_arrived - record->injected);
}

static enum scoreboard_verdict refuse(struct scoreboard *board, const struct scoreboard_delivery *delivery,
                                      enum scoreboard_verdict verdict, uint64_t *counter)
{
    static const char *const words[] = {[SCOREBOARD_DUPLICATED] = "a second time", [SCOREBOARD_STRAY] =
                                        "by mistake"};
    (*counter)++;
    complain(board, "packet %u of site %u was delivered to site %u %s, in clock %llu", delivery->sequence,
             delivery->source, delivery->site, words[verdict], (unsigned long long)delivery->clock_delivered);
    return verdict;
}

/* A delivery of a packet that is on its way. */
static enum scoreboard_verdict deliver_known(struct scoreboard *board, int32_t packet,
                                             const struct scoreboard_delivery *delivery)
{
    struct record *record = &board->records[packet];
    uint16_t *targets = board->targets + (size_t)packet * board->most_targets;
    int place = find_target(record, targets, delivery->site);
    if (place < 0)
        return refuse(board, delivery, SCOREBOARD_STRAY, &board->totals.stray);
    if (place < record->delivered)
        return refuse(board, delivery, SCOREBOARD_DUPLICATED, &board->totals.duplicated);
    targets[place] = targets[record->delivered];
    targets[record->delivered++] = (uint16_t)delivery->site;
    board->totals.deliveries++;
    bool good = content_good(board, record, delivery);
    if (good) {
        measure(board, record, delivery);
    } else {
        board->totals.corrupted++;
        complain(board, "packet %u of site %u reached site %u with wrong content, in clock %llu",
                 delivery->sequence,
                 delivery->source, delivery->site, (unsigned long long)delivery->clock_delivered);
    }
    if (record->delivered == record->target_count)
        complete(board, packet, delivery->clock_delivered);
    return good ? SCOREBOARD_GOOD : SCOREBOARD_CORRUPTED;
}

enum scoreboard_verdict scoreboard_deliver(struct scoreboard *board,
                                           const struct scoreboard_delivery *delivery)
{
    if (delivery->source >= (uint32_t)board->sites)
        return refuse(board, delivery, SCOREBOARD_STRAY, &board->totals.stray);
    const struct source *source = &board->sources[delivery->source];
    if (delivery->sequence >= source->entry_count || source->entries[delivery->sequence] == ENTRY_UNUSED)
        return SCOREBOARD_UNKNOWN;
    int32_t entry = source->entries[delivery->sequence];
    if (entry == ENTRY_COMPLETE)
        return refuse(board, delivery, SCOREBOARD_DUPLICATED, &board->totals.duplicated);
    return deliver_known(board, entry, delivery);
}

void scoreboard_refuse(struct scoreboard *board, const struct scoreboard_delivery *delivery)
{
    refuse(board, delivery, SCOREBOARD_STRAY, &board->totals.stray);
}

uint32_t scoreboard_on_their_way(const struct scoreboard *board, uint32_t source)
{
    return board->sources[source].on_their_way;
}

const struct scoreboard_totals *scoreboard_totals(const struct scoreboard *board)
{
    return &board->totals;
}

const struct statistics *scoreboard_latency(const struct scoreboard *board)
{
    return &board->latency;
}

const struct statistics *scoreboard_network_latency(const struct scoreboard *board)
{
    return &board->network_latency;
}

const char *scoreboard_complaint(const struct scoreboard *board)
{
    return board->complaint;
}

void scoreboard_describe_outstanding(const struct scoreboard *board, char *text, int size)
{
    const struct record *oldest = NULL;
    if (size > 0)
        text[0] = 0;
    for (int32_t i = 0; i < board->record_count; i++)
        if (board->records[i].in_use && (!oldest || board->records[i].number < oldest->number))
            oldest = &board->records[i];
    if (!oldest)
        return;
    const uint16_t *targets = board->targets + (size_t)(oldest - board->records) * board->most_targets;
    snprintf(text, (size_t)size,
             "oldest: packet %llu, from site %u in clock %llu, %s; %u of %u targets have it, site %u "
             "has not", (unsigned long long)oldest->number, oldest->source,
                 (unsigned long long)oldest->generated,
             !oldest->accepted ? "not yet accepted by its operator" : oldest->was_injected ? "sent" :
                 "not yet sent",
             oldest->delivered, oldest->target_count, targets[oldest->delivered]);
}
