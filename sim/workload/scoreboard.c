/* Scoreboard, see scoreboard.h. Records of packets stand in one growing array, their targets in another. A record is
 * reused once no further event can concern its packet. Each source has, for each of its epochs, a table from sequence
 * number to record.
 *
 * SPDX-License-Identifier: ISC
 */
#include "workload/scoreboard.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "support/run_memory.h"

enum { SEQUENCES = 65536, FIRST_SEQUENCES = 16, FIRST_RECORDS = 1024, SITE_BITS = 24 };

/* In a source's table: the sequence number has not been used, or every target has its packet. */
enum { ENTRY_UNUSED = -1, ENTRY_COMPLETE = -2 };

/* State of a target, bits. */
enum { FATE_DELIVERED = 1, FATE_FAILED = 2, FATE_WRITTEN_OFF = 4 };

struct record {
    uint64_t number;                           /* of the packet, in order of generation */
    uint64_t generated, accepted_at, injected; /* clocks */
    int32_t next;                              /* queue of its source, or list of free records */
    uint32_t source, keeper;
    uint16_t sequence, place;
    uint16_t data_words, target_count;
    uint16_t info_words;         /* of each target */
    uint16_t delivered, decided; /* targets that have it, and that have any fate */
    uint8_t epoch, class_number;
    bool accepted, was_injected, in_use, placed;
    bool settled; /* its source has reported it as settled, or is gone */
    bool finished;
    bool forsaken; /* settled, though every delivery is known by then and some target has no fate */
    bool over;     /* as scoreboard_over has it */
};

struct table {
    int32_t *entries; /* by sequence number */
    uint32_t count;   /* power of two; all sequence numbers so far are below */
};

struct source {
    uint32_t site;
    uint32_t waiting;      /* packets */
    int32_t head, tail;    /* of them, if there are any */
    uint32_t on_their_way; /* accepted, not settled */
    struct table *tables;  /* by epoch modulo SCOREBOARD_EPOCHS */
    uint8_t table_count, epoch;
    bool stopped;
    uint64_t since; /* the last time a packet of it settled, or it got something to do */
    struct scoreboard_acceptance acceptance;
    bool placed;     /* it has taken a packet of its ordered group: */
    uint16_t place;  /* of the next one */
    uint16_t places; /* first member of a group: given so far */
};

struct scoreboard {
    uint64_t seed, word_mask;
    uint64_t numbers;                  /* packets generated, those that other scoreboards record too */
    unsigned most_targets, words_each; /* words drawn from 64 bits */
    int sites;
    uint32_t source_count;
    unsigned members; /* of a group */
    bool reliable, ordered_groups;
    struct scoreboard_window window;
    struct source *sources;
    struct record *records;
    uint32_t *targets; /* most_targets a record */
    uint8_t *fates;    /* the same */
    int32_t record_count, free_record;
    uint64_t *last_numbers; /* with scoreboard_check_order: 1 + the packet a pair saw last */
    struct scoreboard_totals totals;
    struct statistics latency, unicast_latency, multicast_latency, network_latency, settling, completion;
    struct statistics group_latency, group_completion;
    struct statistics class_latency[TRAFFIC_CLASSES];
    unsigned class_count;
    struct steadiness steadiness, completion_steadiness;
    struct warm_up_series *series; /* or NULL */
    struct time_slices *slices;    /* or NULL */
    scoreboard_over *on_over;
    void *over_context;
    uint64_t clock,
        place; /* the latest clock in which something happened; of the event in hand, and of the complaint: */
    uint64_t complaint_place; /* clock and site, with SITE_BITS; UINT64_MAX: there is none */
    char complaint[SCOREBOARD_COMPLAINT_SIZE];
};

struct scoreboard *scoreboard_create(const struct mesh_config *mesh, uint64_t seed, unsigned most_targets)
{
    struct scoreboard *board = run_memory_allocate(1, sizeof *board);
    if (!board)
        return NULL;
    board->seed = random_mix(seed ^ 0x5c03eb0a);
    board->word_mask = mesh->word_width == 32 ? 0xffffffff : 0xffff;
    board->words_each = mesh->word_width == 32 ? 2 : 4;
    board->most_targets = most_targets;
    board->sites = mesh->sites;
    board->reliable = mesh->reliable;
    board->window.to = UINT64_MAX;
    board->free_record = SCOREBOARD_NONE;
    board->complaint_place = UINT64_MAX;
    board->sources = run_memory_allocate((size_t)mesh->sites, sizeof *board->sources);
    if (!board->sources || statistics_init(&board->latency) != 0 || statistics_init(&board->unicast_latency) != 0 ||
        statistics_init(&board->multicast_latency) != 0 || statistics_init(&board->network_latency) != 0 ||
        statistics_init(&board->settling) != 0 || statistics_init(&board->completion) != 0 ||
        statistics_init(&board->group_latency) != 0 || statistics_init(&board->group_completion) != 0) {
        scoreboard_free(board);
        return NULL;
    }
    board->source_count = (uint32_t)mesh->sites;
    for (uint32_t site = 0; site < board->source_count; site++)
        board->sources[site].site = site;
    return board;
}

int scoreboard_add_groups(struct scoreboard *board, const uint16_t *sites, unsigned count, unsigned members,
                          bool ordered)
{
    uint32_t first = board->source_count;
    struct source *sources = run_memory_resize(board->sources, (first + count) * sizeof *sources);
    if (!sources)
        return -1;
    for (unsigned i = 0; i < count; i++)
        sources[first + i] = (struct source){.site = sites[i]};
    board->sources = sources;
    board->source_count += count;
    board->members = members;
    board->ordered_groups = ordered;
    return 0;
}

int scoreboard_add_classes(struct scoreboard *board, unsigned count)
{
    while (board->class_count < count && statistics_init(&board->class_latency[board->class_count]) == 0)
        board->class_count++;
    return board->class_count == count ? 0 : -1;
}

uint32_t scoreboard_sources(const struct scoreboard *board)
{
    return board->source_count;
}

uint32_t scoreboard_site(const struct scoreboard *board, uint32_t source)
{
    return board->sources[source].site;
}

static bool is_member(const struct scoreboard *board, uint32_t source)
{
    return source >= (uint32_t)board->sites;
}

static struct source *first_member(const struct scoreboard *board, uint32_t source)
{
    return &board->sources[source - (source - (uint32_t)board->sites) % board->members];
}

/* What its source and another site may report. */
static bool has_two_keepers(const struct scoreboard *board, uint32_t source)
{
    return is_member(board, source) && board->ordered_groups;
}

void scoreboard_free(struct scoreboard *board)
{
    if (!board)
        return;
    for (uint32_t source = 0; board->sources && source < board->source_count; source++) {
        for (int i = 0; i < board->sources[source].table_count; i++)
            run_memory_free(board->sources[source].tables[i].entries);
        run_memory_free(board->sources[source].tables);
    }
    run_memory_free(board->sources);
    run_memory_free(board->records);
    run_memory_free(board->targets);
    run_memory_free(board->fates);
    run_memory_free(board->last_numbers);
    statistics_free(&board->latency);
    statistics_free(&board->unicast_latency);
    statistics_free(&board->multicast_latency);
    statistics_free(&board->network_latency);
    statistics_free(&board->settling);
    statistics_free(&board->completion);
    statistics_free(&board->group_latency);
    statistics_free(&board->group_completion);
    for (unsigned i = 0; i < board->class_count; i++)
        statistics_free(&board->class_latency[i]);
    run_memory_free(board);
}

int scoreboard_check_order(struct scoreboard *board)
{
    board->last_numbers = run_memory_allocate((size_t)board->sites * (size_t)board->sites, sizeof *board->last_numbers);
    return board->last_numbers ? 0 : -1;
}

void scoreboard_set_window(struct scoreboard *board, struct scoreboard_window window)
{
    board->window = window;
}

/* What happens at a site in a clock: complaints are about that. */
static void note_event(struct scoreboard *board, uint64_t clock, uint32_t site)
{
    board->clock = clock > board->clock ? clock : board->clock;
    board->place = clock << SITE_BITS | site;
}

/* The complaint of the first event is kept; events of other ranks come behind those of this rank in the same clock. */
static void complain(struct scoreboard *board, const char *format, ...)
{
    va_list arguments;
    if (board->place >= board->complaint_place)
        return;
    board->complaint_place = board->place;
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
    struct record *records = run_memory_resize(board->records, (size_t)count * sizeof *records);
    if (records)
        board->records = records;
    size_t targets_room = (size_t)count * board->most_targets;
    uint32_t *targets = run_memory_resize(board->targets, targets_room * sizeof *targets);
    uint8_t *fates = run_memory_resize(board->fates, targets_room * sizeof *fates);
    if (targets)
        board->targets = targets;
    if (fates)
        board->fates = fates;
    if (!records || !targets || !fates)
        return -1;
    for (int32_t i = count - 1; i >= board->record_count; i--) {
        board->records[i] = (struct record){.next = board->free_record};
        board->free_record = i;
    }
    board->record_count = count;
    return 0;
}

static void release(struct scoreboard *board, int32_t packet)
{
    struct record *record = &board->records[packet];
    record->in_use = false;
    record->next = board->free_record;
    board->free_record = packet;
}

static unsigned record_words(const struct scoreboard *board, const struct record *record)
{
    unsigned targets = is_member(board, record->source) ? 1 : record->target_count;
    return targets * (1u + record->info_words) + TRAFFIC_HEADER_WORDS + record->data_words + 1u;
}

static bool busy(const struct source *source)
{
    return source->waiting || source->on_their_way;
}

/* A packet of this source has settled in this clock. */
static void note_progress(struct scoreboard *board, struct source *source, uint64_t clock)
{
    if (clock > source->since && clock - source->since > board->totals.longest_silence)
        board->totals.longest_silence = clock - source->since;
    source->since = clock;
}

void scoreboard_on_over(struct scoreboard *board, scoreboard_over *over, void *context)
{
    board->on_over = over;
    board->over_context = context;
}

static void note_over(struct scoreboard *board, struct record *record, uint64_t clock)
{
    if (record->over)
        return;
    record->over = true;
    if (in_window(board, clock))
        board->sources[record->source].acceptance.accepted += record_words(board, record);
    if (board->on_over)
        board->on_over(board->over_context, record->number);
}

/* The packets in the queue of a source that has stopped for good. */
static void abandon_queue(struct scoreboard *board, const struct source *source, uint64_t clock)
{
    board->totals.abandoned += source->waiting;
    int32_t packet = source->head;
    for (uint32_t i = 0; i < source->waiting; i++, packet = board->records[packet].next)
        note_over(board, &board->records[packet], clock);
}

void scoreboard_pass(struct scoreboard *board)
{
    board->numbers++;
}

int scoreboard_generate(struct scoreboard *board, const struct traffic_packet *packet)
{
    if (board->free_record == SCOREBOARD_NONE && grow(board) != 0)
        return -1;
    int32_t index = board->free_record;
    uint32_t from = packet->member ? (uint32_t)board->sites + packet->member - 1 : packet->source;
    struct record *record = &board->records[index];
    struct source *source = &board->sources[from];
    size_t first = (size_t)index * board->most_targets;
    board->free_record = record->next;
    *record = (struct record){
        .number = board->numbers++,
        .generated = packet->clock,
        .next = SCOREBOARD_NONE,
        .source = from,
        .keeper = packet->source,
        .data_words = packet->data_words,
        .info_words = packet->info_words,
        .target_count = packet->target_count,
        .class_number = (uint8_t)packet->class_number,
        .in_use = true,
    };
    memcpy(board->targets + first, packet->targets, packet->target_count * sizeof *board->targets);
    memset(board->fates + first, 0, packet->target_count);
    if (!busy(source))
        source->since = packet->clock;
    if (!source->waiting)
        source->head = index;
    else
        board->records[source->tail].next = index;
    source->tail = index;
    source->waiting++;
    board->totals.packets++;
    board->totals.expected += packet->target_count;
    if (in_window(board, packet->clock)) {
        board->totals.generated_words += record_words(board, record);
        board->totals.class_generated_words[record->class_number] += record_words(board, record);
        source->acceptance.offered += record_words(board, record);
    }
    if (source->stopped) {
        board->totals.abandoned++;
        note_over(board, record, packet->clock);
    }
    return 0;
}

int32_t scoreboard_waiting(const struct scoreboard *board, uint32_t source)
{
    const struct source *from = &board->sources[source];
    return from->waiting && !from->stopped ? from->head : SCOREBOARD_NONE;
}

const uint32_t *scoreboard_targets(const struct scoreboard *board, int32_t packet, unsigned *count)
{
    *count = board->records[packet].target_count;
    return board->targets + (size_t)packet * board->most_targets;
}

/* Word `index` of the data of packet `number`; draws are made for words_each words at a time. */
static inline uint32_t data_word(const struct scoreboard *board, uint64_t *draw, uint64_t number, unsigned index)
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

/* Word `index` of the target_info that packet `number` has for a site. */
static uint32_t info_word(const struct scoreboard *board, uint64_t number, uint32_t site, unsigned index)
{
    uint64_t draw = random_mix(random_mix(~board->seed + number) + site * TRAFFIC_MAX_INFO + index);
    return (uint32_t)(draw & board->word_mask);
}

unsigned scoreboard_info(const struct scoreboard *board, int32_t packet, unsigned place, uint32_t *words)
{
    const struct record *record = &board->records[packet];
    uint32_t site = board->targets[(size_t)packet * board->most_targets + place];
    for (unsigned i = 0; i < record->info_words; i++)
        words[i] = info_word(board, record->number, site, i);
    return record->info_words;
}

/* The table of an epoch, NULL if it has none. */
static struct table *find_table(const struct source *source, unsigned epoch)
{
    return epoch % SCOREBOARD_EPOCHS < source->table_count ? &source->tables[epoch % SCOREBOARD_EPOCHS] : NULL;
}

/* Makes room for the tables of all epochs up to the source's present one. */
static int grow_tables(struct source *source)
{
    if (source->epoch < source->table_count)
        return 0;
    struct table *tables = run_memory_resize(source->tables, (source->epoch + 1u) * sizeof *tables);
    if (!tables)
        return -1;
    source->tables = tables;
    while (source->table_count <= source->epoch)
        tables[source->table_count++] = (struct table){NULL, 0};
    return 0;
}

/* Makes room in a source's table for this sequence number. */
static int grow_entries(struct table *table, uint16_t sequence)
{
    uint32_t count = table->count ? table->count : FIRST_SEQUENCES;
    while (count <= sequence)
        count *= 2;
    if (count == table->count)
        return 0;
    int32_t *entries = run_memory_resize(table->entries, count * sizeof *entries);
    if (!entries)
        return -1;
    for (uint32_t i = table->count; i < count; i++)
        entries[i] = ENTRY_UNUSED;
    table->entries = entries;
    table->count = count;
    return 0;
}

/* The record that a sequence number of an epoch stands for. */
static int32_t find_entry(const struct source *source, unsigned epoch, uint16_t sequence)
{
    const struct table *table = find_table(source, epoch);
    return table && sequence < table->count ? table->entries[sequence] : ENTRY_UNUSED;
}

/* Takes the sequence number from its packet, because another packet gets it. */
static void forget(struct scoreboard *board, struct source *source, struct table *table, uint16_t sequence)
{
    int32_t old = table->entries[sequence];
    if (old < 0)
        return;
    if (board->records[old].finished) {
        release(board, old);
        return;
    }
    complain(board, "packet %u of site %u is not finished after another %d packets of its source", sequence,
             source->site, SEQUENCES);
}

uint32_t scoreboard_source(const struct scoreboard *board, int32_t packet)
{
    return board->records[packet].source;
}

uint16_t scoreboard_sequence(const struct scoreboard *board, int32_t packet)
{
    return board->records[packet].sequence;
}

int32_t scoreboard_find(const struct scoreboard *board, uint32_t source, uint16_t sequence)
{
    int32_t entry = find_entry(&board->sources[source], board->sources[source].epoch, sequence);
    return entry < 0 ? SCOREBOARD_NONE : entry;
}

int scoreboard_accept(struct scoreboard *board, int32_t packet, uint64_t clock, uint16_t sequence)
{
    struct record *record = &board->records[packet];
    struct source *source = &board->sources[record->source];
    if (grow_tables(source) != 0 || grow_entries(&source->tables[source->epoch], sequence) != 0)
        return -1;
    struct table *table = &source->tables[source->epoch];
    note_event(board, clock, 0); /* before any site is visited */
    forget(board, source, table, sequence);
    table->entries[sequence] = packet;
    source->head = record->next;
    source->waiting--;
    record->next = SCOREBOARD_NONE;
    record->sequence = sequence;
    record->epoch = source->epoch;
    record->accepted = true;
    record->accepted_at = clock;
    board->totals.accepted++;
    board->totals.accepted_targets += record->target_count;
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

static bool info_good(const struct scoreboard *board, const struct record *record,
                      const struct scoreboard_delivery *delivery)
{
    if (delivery->info_words != record->info_words)
        return false;
    for (unsigned i = 0; i < record->info_words; i++)
        if (delivery->info[i] != info_word(board, record->number, delivery->site, i))
            return false;
    return true;
}

enum damage { UNDAMAGED, DAMAGED_DATA, DAMAGED_INFO, DAMAGED_STAMPS };

static enum damage find_damage(const struct scoreboard *board, const struct record *record,
                               const struct scoreboard_delivery *delivery)
{
    if (!content_good(board, record, delivery))
        return DAMAGED_DATA;
    if (!info_good(board, record, delivery))
        return DAMAGED_INFO;
    return delivery->stamps_wrong ? DAMAGED_STAMPS : UNDAMAGED;
}

/* The place of `site` among the packet's targets, -1 if it is no target. */
static int find_target(const struct scoreboard *board, int32_t packet, uint32_t site)
{
    const uint32_t *targets = board->targets + (size_t)packet * board->most_targets;
    for (int i = board->records[packet].target_count - 1; i >= 0; i--)
        if (targets[i] == site)
            return i;
    return -1;
}

static uint8_t *fates_of(struct scoreboard *board, int32_t packet)
{
    return board->fates + (size_t)packet * board->most_targets;
}

void scoreboard_spare(struct scoreboard *board, int32_t packet, uint32_t site)
{
    struct record *record = &board->records[packet];
    uint32_t *targets = board->targets + (size_t)packet * board->most_targets;
    uint8_t *fates = fates_of(board, packet);
    int place = find_target(board, packet, site);
    if (place < 0 || fates[place])
        return;
    record->target_count--;
    targets[place] = targets[record->target_count];
    fates[place] = fates[record->target_count];
    board->totals.expected--;
    board->totals.accepted_targets -= record->accepted;
}

/* Marks the packet as settled: it needs its source no more. */
static void settle(struct scoreboard *board, struct record *record)
{
    record->settled = true;
    board->sources[record->source].on_their_way--;
}

/* To be called when the fate of a target or of the source has become known. The record stays while a delivery of its
 * packet may still come. */
static void advance(struct scoreboard *board, int32_t packet)
{
    struct record *record = &board->records[packet];
    if (record->settled && record->decided == record->target_count && !record->finished) {
        record->finished = true;
        board->totals.finished++;
        note_over(board, record, board->clock);
    }
    if (record->finished && record->delivered == record->target_count) {
        find_table(&board->sources[record->source], record->epoch)->entries[record->sequence] = ENTRY_COMPLETE;
        release(board, packet);
    }
}

/* The last target has received the packet. */
static void complete(struct scoreboard *board, struct record *record, uint64_t clock)
{
    note_over(board, record, clock);
    board->totals.completed++;
    board->totals.completed_words += record_words(board, record);
    if (board->slices)
        time_slices_complete(board->slices, clock, record_words(board, record));
    if (in_window(board, clock)) {
        board->totals.accepted_words += record_words(board, record);
        board->totals.class_accepted_words[record->class_number] += record_words(board, record);
    }
    if (!in_window(board, record->generated))
        return;
    bool to_group = is_member(board, record->source);
    if (!to_group && record->target_count <= 1)
        return;
    statistics_add(to_group ? &board->group_completion : &board->completion, clock - record->generated);
    steadiness_add(&board->completion_steadiness, record->generated - board->window.from, clock - record->generated);
}

/* Settles the packet in this clock: its transit time ends, and so does its source's silence. */
static void settle_in(struct scoreboard *board, struct record *record, uint64_t clock)
{
    settle(board, record);
    note_progress(board, &board->sources[record->source], clock);
    statistics_add(&board->settling, clock - record->accepted_at);
}

static void measure(struct scoreboard *board, const struct record *record, const struct scoreboard_delivery *delivery)
{
    uint64_t latency = delivery->clock_delivered - record->generated;
    if (board->slices)
        time_slices_deliver(board->slices, delivery->clock_delivered, latency);
    if (!in_window(board, record->generated))
        return;
    statistics_add(&board->latency, latency);
    steadiness_add(&board->steadiness, record->generated - board->window.from, latency);
    if (board->class_count)
        statistics_add(&board->class_latency[record->class_number], latency);
    if (board->series)
        warm_up_delivered(board->series, record->number, latency);
    statistics_add(is_member(board, record->source) ? &board->group_latency
                   : record->target_count > 1       ? &board->multicast_latency
                                                    : &board->unicast_latency,
                   latency);
    if (record->was_injected && delivery->clock_arrived >= record->injected)
        statistics_add(&board->network_latency, delivery->clock_arrived - record->injected);
}

static enum scoreboard_verdict refuse(struct scoreboard *board, const struct scoreboard_delivery *delivery,
                                      enum scoreboard_verdict verdict, uint64_t *counter)
{
    static const char *const words[] = {[SCOREBOARD_DUPLICATED] = "a second time", [SCOREBOARD_STRAY] = "by mistake"};
    (*counter)++;
    complain(board, "packet %u of site %u was delivered to site %u %s, in clock %llu", delivery->sequence,
             delivery->source < board->source_count ? board->sources[delivery->source].site : delivery->source,
             delivery->site, words[verdict], (unsigned long long)delivery->clock_delivered);
    return verdict;
}

/* Order check: the target must not have received a later packet of this source. A packet that was reported as failed
 * may come late. */
static void check_order(struct scoreboard *board, const struct record *record,
                        const struct scoreboard_delivery *delivery, unsigned fate)
{
    uint64_t *last;
    if (!board->last_numbers || is_member(board, record->source) || fate & (FATE_FAILED | FATE_WRITTEN_OFF))
        return;
    last = &board->last_numbers[(size_t)record->source * (size_t)board->sites + delivery->site];
    if (record->number + 1 < *last) {
        board->totals.disordered++;
        complain(board, "packet %u of site %u reached site %u behind a later one, in clock %llu", delivery->sequence,
                 delivery->source, delivery->site, (unsigned long long)delivery->clock_delivered);
    } else {
        *last = record->number + 1;
    }
}

/* Total order (firmware/multicast, G9): places are given one after the other, a packet has the same place at all
 * members, and each takes the places one after the other. */
static void check_place(struct scoreboard *board, struct record *record, const struct scoreboard_delivery *delivery)
{
    struct source *receiver = &board->sources[delivery->receiver];
    struct source *first = first_member(board, delivery->receiver);
    bool good = !receiver->placed || receiver->place == delivery->place;
    if (!record->placed) {
        record->placed = true;
        record->place = first->places++;
    }
    receiver->placed = true;
    receiver->place = (uint16_t)(delivery->place + 1);
    if (good && record->place == delivery->place)
        return;
    board->totals.disordered++;
    complain(board, "packet %u of site %u reached site %u out of the order of its group, in place %u and clock %llu",
             delivery->sequence, board->sources[record->source].site, delivery->site, delivery->place,
             (unsigned long long)delivery->clock_delivered);
}

/* The first delivery to a target. */
static void count_delivery(struct scoreboard *board, int32_t packet, uint8_t *fate)
{
    struct record *record = &board->records[packet];
    board->totals.deliveries++;
    board->totals.failed_delivered += (*fate & FATE_FAILED) != 0;
    board->totals.written_off_delivered += (*fate & FATE_WRITTEN_OFF) != 0;
    record->decided += *fate == 0;
    record->delivered++;
    *fate |= FATE_DELIVERED;
}

static const char *const damage_names[] = {
    [DAMAGED_DATA] = "content", [DAMAGED_INFO] = "target_info", [DAMAGED_STAMPS] = "stamps"};

/* A delivery of a packet that not every target has. */
static enum scoreboard_verdict deliver_known(struct scoreboard *board, int32_t packet,
                                             const struct scoreboard_delivery *delivery)
{
    struct record *record = &board->records[packet];
    int place = find_target(board, packet, delivery->site);
    if (place < 0)
        return refuse(board, delivery, SCOREBOARD_STRAY, &board->totals.stray);
    uint8_t *fate = fates_of(board, packet) + place;
    if (*fate & FATE_DELIVERED)
        return refuse(board, delivery, SCOREBOARD_DUPLICATED, &board->totals.duplicated);
    enum damage damage = find_damage(board, record, delivery);
    if (damage == UNDAMAGED) {
        measure(board, record, delivery);
        check_order(board, record, delivery, *fate);
    } else {
        board->totals.corrupted++;
        complain(board, "packet %u of site %u reached site %u with wrong %s, in clock %llu", delivery->sequence,
                 board->sources[record->source].site, delivery->site, damage_names[damage],
                 (unsigned long long)delivery->clock_delivered);
    }
    if (has_two_keepers(board, record->source))
        check_place(board, record, delivery);
    count_delivery(board, packet, fate);
    if (record->delivered == record->target_count) {
        complete(board, record, delivery->clock_delivered);
        if (!board->reliable && !record->settled)
            settle_in(board, record, delivery->clock_delivered);
    }
    advance(board, packet);
    return damage ? SCOREBOARD_CORRUPTED : SCOREBOARD_GOOD;
}

enum scoreboard_verdict scoreboard_deliver(struct scoreboard *board, const struct scoreboard_delivery *delivery)
{
    note_event(board, delivery->clock_delivered, delivery->site);
    if (delivery->source >= board->source_count)
        return refuse(board, delivery, SCOREBOARD_STRAY, &board->totals.stray);
    int32_t entry = find_entry(&board->sources[delivery->source], delivery->epoch, delivery->sequence);
    if (entry == ENTRY_UNUSED)
        return SCOREBOARD_UNKNOWN;
    if (entry == ENTRY_COMPLETE)
        return refuse(board, delivery, SCOREBOARD_DUPLICATED, &board->totals.duplicated);
    return deliver_known(board, entry, delivery);
}

void scoreboard_refuse(struct scoreboard *board, const struct scoreboard_delivery *delivery)
{
    note_event(board, delivery->clock_delivered, delivery->site);
    refuse(board, delivery, SCOREBOARD_STRAY, &board->totals.stray);
}

/* A packet of the source's present epoch that has not settled; SCOREBOARD_NONE, and a complaint, if there is none. */
static int32_t find_unsettled(struct scoreboard *board, uint32_t source, uint16_t sequence, const char *what)
{
    int32_t entry = find_entry(&board->sources[source], board->sources[source].epoch, sequence);
    if (entry >= 0 && !board->records[entry].settled)
        return entry;
    if (entry == ENTRY_UNUSED || !has_two_keepers(board, source))
        complain(board, "site %u %s packet %u, which %s", board->sources[source].site, what, sequence,
                 entry == ENTRY_UNUSED ? "it has not sent" : "has settled before");
    return SCOREBOARD_NONE;
}

void scoreboard_fail(struct scoreboard *board, uint32_t source, uint16_t sequence, uint32_t site)
{
    note_event(board, board->clock, source);
    int32_t packet = find_unsettled(board, source, sequence, "reports");
    if (packet == SCOREBOARD_NONE)
        return;
    int place = find_target(board, packet, site);
    uint8_t *fate = place < 0 ? NULL : fates_of(board, packet) + place;
    if (!fate || *fate & FATE_FAILED) {
        if (!has_two_keepers(board, source))
            complain(board, "site %u reports packet %u as failed at site %u, %s", board->sources[source].site, sequence,
                     site, fate ? "twice" : "which is no target");
        return;
    }
    board->totals.failed++;
    board->totals.failed_delivered += (*fate & FATE_DELIVERED) != 0;
    board->records[packet].decided += *fate == 0;
    *fate |= FATE_FAILED;
    advance(board, packet);
}

/* A target without a fate. */
static uint32_t find_undecided(struct scoreboard *board, int32_t packet)
{
    const uint32_t *targets = board->targets + (size_t)packet * board->most_targets;
    const uint8_t *fates = fates_of(board, packet);
    unsigned place = 0;
    while (place + 1u < board->records[packet].target_count && fates[place])
        place++;
    return targets[place];
}

static void forsake(struct scoreboard *board, struct record *record, uint64_t clock, uint32_t site)
{
    record->forsaken = true;
    complain(board,
             "site %u says in clock %llu that packet %u is settled, but site %u has not got it and was not reported",
             record->keeper, (unsigned long long)clock, record->sequence, site);
}

void scoreboard_settle(struct scoreboard *board, uint32_t source, uint16_t sequence, uint64_t clock, bool prompt)
{
    note_event(board, clock, source);
    int32_t packet = find_unsettled(board, source, sequence, "settles");
    if (packet == SCOREBOARD_NONE)
        return;
    struct record *record = &board->records[packet];
    if (prompt && record->decided != record->target_count)
        forsake(board, record, clock, find_undecided(board, packet));
    settle_in(board, record, clock);
    advance(board, packet);
}

/* Writes off the targets of an accepted packet that have no fate yet. */
static void write_off_packet(struct scoreboard *board, int32_t packet)
{
    struct record *record = &board->records[packet];
    uint8_t *fates = fates_of(board, packet);
    for (int i = 0; i < record->target_count; i++) {
        if (fates[i])
            continue;
        fates[i] = FATE_WRITTEN_OFF;
        record->decided++;
        board->totals.written_off++;
    }
    settle(board, record);
    advance(board, packet);
}

void scoreboard_hand_over(struct scoreboard *board, int32_t packet)
{
    struct record *record = &board->records[packet];
    const struct source *leader = first_member(board, record->source);
    record->keeper = leader->site;
    if (leader->stopped && !record->settled)
        write_off_packet(board, packet);
}

/* The packets of a source that this site keeps. */
static void write_off(struct scoreboard *board, const struct source *source, uint32_t keeper)
{
    const struct table *table = find_table(source, source->epoch);
    for (uint32_t i = 0; table && i < table->count && source->on_their_way; i++) {
        const struct record *record = table->entries[i] < 0 ? NULL : &board->records[table->entries[i]];
        if (record && !record->settled && record->keeper == keeper)
            write_off_packet(board, table->entries[i]);
    }
}

/* The site has forgotten its groups, and what it kept for them. */
static void end_memberships(struct scoreboard *board, uint32_t site, uint64_t clock)
{
    for (uint32_t source = (uint32_t)board->sites; source < board->source_count; source++) {
        write_off(board, &board->sources[source], site);
        if (board->sources[source].site == site)
            scoreboard_abandon(board, source, clock);
    }
}

/* Clears the table of an epoch that is so old that its number is used again. */
static void clear_table(struct scoreboard *board, struct source *source)
{
    struct table *table = find_table(source, source->epoch);
    for (uint32_t i = 0; table && i < table->count; i++) {
        forget(board, source, table, (uint16_t)i);
        table->entries[i] = ENTRY_UNUSED;
    }
}

int scoreboard_restart(struct scoreboard *board, uint32_t site, uint64_t clock, unsigned epoch)
{
    struct source *source = &board->sources[site];
    note_event(board, clock, site);
    write_off(board, source, site);
    end_memberships(board, site, clock);
    if (source->stopped)
        board->totals.abandoned -= source->waiting;
    else if (busy(source))
        note_progress(board, source, clock);
    source->stopped = false;
    source->since = clock;
    source->epoch = (uint8_t)(epoch % SCOREBOARD_EPOCHS);
    clear_table(board, source);
    return grow_tables(source);
}

void scoreboard_stop(struct scoreboard *board, uint32_t site, uint64_t clock)
{
    if (board->sources[site].stopped)
        return;
    write_off(board, &board->sources[site], site);
    end_memberships(board, site, clock);
    scoreboard_abandon(board, site, clock);
}

void scoreboard_abandon(struct scoreboard *board, uint32_t number, uint64_t clock)
{
    struct source *source = &board->sources[number];
    if (source->stopped)
        return;
    source->stopped = true;
    source->since = clock;
    abandon_queue(board, source, clock);
}

uint32_t scoreboard_on_their_way(const struct scoreboard *board, uint32_t source)
{
    return board->sources[source].on_their_way;
}

const struct scoreboard_totals *scoreboard_totals(const struct scoreboard *board)
{
    return &board->totals;
}

uint64_t scoreboard_lost(const struct scoreboard *board)
{
    const struct scoreboard_totals *totals = &board->totals;
    return totals->accepted_targets - totals->deliveries - (totals->failed - totals->failed_delivered) -
           (totals->written_off - totals->written_off_delivered);
}

uint64_t scoreboard_in_flight(const struct scoreboard *board)
{
    uint64_t count = 0;
    for (int32_t i = 0; i < board->record_count; i++) {
        const struct record *record = &board->records[i];
        if (record->in_use && record->accepted && !record->forsaken)
            count += (uint64_t)(record->target_count - record->decided);
    }
    return count;
}

void scoreboard_conclude(struct scoreboard *board, uint64_t clock)
{
    for (uint32_t source = 0; source < board->source_count; source++)
        if (busy(&board->sources[source]) && !board->sources[source].stopped)
            note_progress(board, &board->sources[source], clock);
}

struct statistics *scoreboard_latency(struct scoreboard *board)
{
    return &board->latency;
}

struct statistics *scoreboard_unicast_latency(struct scoreboard *board)
{
    return &board->unicast_latency;
}

struct statistics *scoreboard_multicast_latency(struct scoreboard *board)
{
    return &board->multicast_latency;
}

struct statistics *scoreboard_network_latency(struct scoreboard *board)
{
    return &board->network_latency;
}

struct statistics *scoreboard_settling(struct scoreboard *board)
{
    return &board->settling;
}

struct statistics *scoreboard_completion(struct scoreboard *board)
{
    return &board->completion;
}

struct statistics *scoreboard_group_latency(struct scoreboard *board)
{
    return &board->group_latency;
}

struct statistics *scoreboard_group_completion(struct scoreboard *board)
{
    return &board->group_completion;
}

struct statistics *scoreboard_class_latency(struct scoreboard *board, unsigned class_number)
{
    return &board->class_latency[class_number];
}

struct steadiness *scoreboard_steadiness(struct scoreboard *board)
{
    return &board->steadiness;
}

void scoreboard_set_series(struct scoreboard *board, struct warm_up_series *series)
{
    board->series = series;
}

void scoreboard_set_slices(struct scoreboard *board, struct time_slices *slices)
{
    board->slices = slices;
}

struct steadiness *scoreboard_completion_steadiness(struct scoreboard *board)
{
    return &board->completion_steadiness;
}

struct scoreboard_acceptance scoreboard_acceptance(const struct scoreboard *board, uint32_t source)
{
    return board->sources[source].acceptance;
}

const char *scoreboard_complaint(const struct scoreboard *board)
{
    return board->complaint;
}

uint64_t scoreboard_complaint_place(const struct scoreboard *board)
{
    return board->complaint_place;
}

uint64_t scoreboard_describe_outstanding(const struct scoreboard *board, char *text, int size)
{
    const struct record *oldest = NULL;
    if (size > 0)
        text[0] = 0;
    for (int32_t i = 0; i < board->record_count; i++) {
        const struct record *record = &board->records[i];
        if (record->in_use && !record->finished && !(board->sources[record->source].stopped && !record->accepted) &&
            (!oldest || record->number < oldest->number))
            oldest = record;
    }
    if (!oldest)
        return UINT64_MAX;
    size_t first = (size_t)(oldest - board->records) * board->most_targets;
    unsigned place = 0;
    while (place + 1u < oldest->target_count && board->fates[first + place])
        place++;
    snprintf(
        text, (size_t)size, "oldest: packet %llu, from site %u in clock %llu, %s; %u of %u targets have it, site %u %s",
        (unsigned long long)oldest->number, board->sources[oldest->source].site, (unsigned long long)oldest->generated,
        !oldest->accepted      ? "not yet accepted by its operator"
        : oldest->was_injected ? "sent"
                               : "not yet sent",
        oldest->delivered, oldest->target_count, board->targets[first + place],
        board->fates[first + place] ? "has, but its source does not know" : "has not");
    return oldest->number;
}
