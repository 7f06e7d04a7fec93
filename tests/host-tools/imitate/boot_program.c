/* See boot_program.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "boot_program.h"

#include "libpostroad/client.h"
#include "loader/load_records.h"
#include "verifier/signature.h"
#include "wire/cobs.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPLY = PR_LOAD_PACKET_REPLY - PR_HEADER_WORDS,
    TAG = PR_LOAD_PACKET_TAG - PR_HEADER_WORDS,
    RECORD = PR_LOAD_PACKET_RECORD - PR_HEADER_WORDS,
    CHECK_PACKETS = 4,
    TARGETS_MAX = 16,
    PACKET_DATA = 32
};

/* Seconds: of a watchdog, and for which a boot program listens behind it. */
static const double watchdog_time = 1, listen_time = 0.17;

static bool chance(unsigned one_in)
{
    return one_in != 0 && rand() % (int)one_in == 0;
}

static uint32_t *in_ram(struct boot_program *program, uint32_t address, uint32_t count)
{
    uint32_t word = (address - PR_RAM_BASE) / 4;
    return address >= PR_RAM_BASE && address % 4 == 0 && word <= BOOT_RAM_WORDS && count <= BOOT_RAM_WORDS - word
               ? program->ram + word
               : NULL;
}

static char take_check(struct boot_program *program, const struct load_record *record)
{
    struct load_record same;
    uint32_t count = record->words[PR_LOAD_DATA], *words = in_ram(program, record->words[PR_LOAD_ADDRESS], count);
    if (!words)
        return PR_LOAD_BAD_ADDRESS;
    load_record_check(&same, record->words[PR_LOAD_ADDRESS], words, count);
    return same.words[PR_LOAD_DATA + 1] == record->words[PR_LOAD_DATA + 1] ? PR_LOAD_DONE : PR_LOAD_BAD_IMAGE;
}

static char take_data(struct boot_program *program, const struct load_record *record, uint32_t count)
{
    uint32_t *words = in_ram(program, record->words[PR_LOAD_ADDRESS], count);
    if (!words)
        return PR_LOAD_BAD_ADDRESS;
    program->verdict = 0;
    memcpy(words, record->words + PR_LOAD_DATA, count * sizeof *words);
    program->data++;
    program->takes--;
    if (chance(program->spoils))
        words[0] ^= 1;
    return PR_LOAD_DONE;
}

static void start(struct boot_program *program)
{
    program->loads = false;
    program->crashed = false;
    program->target_count = 0;
    program->started++;
}

/* RAM has the image. A locked board gives its verdict later. */
static char take_go(struct boot_program *program, const struct load_record *record)
{
    uint32_t address = record->words[PR_LOAD_ADDRESS], words = record->words[PR_LOAD_DATA];
    if (!program->locked) {
        start(program);
        return PR_LOAD_DONE;
    }
    if (program->verdict != 0)
        return program->verdict;
    program->verdict = pr_signature_check(in_ram(program, address, words), address, words, program->lock);
    program->checks = CHECK_PACKETS;
    return PR_LOAD_CHECKING;
}

/* A packet that comes during a check is lost. */
static bool is_checking(struct boot_program *program)
{
    if (program->checks == 0)
        return false;
    if (--program->checks == 0 && program->verdict == PR_LOAD_DONE)
        start(program);
    return true;
}

static char take_record(struct boot_program *program, const struct load_record *record)
{
    struct load_record same;
    uint32_t count = record->words[PR_LOAD_COUNT] & 0xffff, kind = record->words[PR_LOAD_COUNT] >> 16;
    if (count > PR_LOAD_DATA_MAX || record->count != count + PR_LOAD_EXTRA)
        return PR_LOAD_BAD_LENGTH;
    load_record_data(&same, record->words[PR_LOAD_ADDRESS], record->words + PR_LOAD_DATA, count);
    bool data = kind == PR_LOAD_KIND_DATA || (kind == PR_LOAD_KIND_CAST && !program->old);
    if (kind == PR_LOAD_KIND_CAST)
        load_record_cast(&same, record->words[PR_LOAD_ADDRESS], record->words + PR_LOAD_DATA, count);
    if (data && memcmp(same.words, record->words, 4 * record->count) != 0)
        return PR_LOAD_BAD_CHECK;
    if (data)
        return take_data(program, record, count);
    if (kind == PR_LOAD_KIND_ENTER)
        return PR_LOAD_DONE;
    if (kind != PR_LOAD_KIND_CHECK && kind != PR_LOAD_KIND_GO)
        return PR_LOAD_BAD_KIND;
    char answer = take_check(program, record);
    return kind == PR_LOAD_KIND_GO && answer == PR_LOAD_DONE ? take_go(program, record) : answer;
}

static void say_text(struct boot_program *program, const char *text)
{
    if (program->said_count == BOOT_ANSWERS_MAX)
        return;
    struct boot_said *said = &program->said[program->said_count++];
    said->due = pr_client_now() + program->delay / 1e3;
    snprintf(said->text, sizeof said->text, "%s", text);
}

static void say(struct boot_program *program, char answer)
{
    const char text[] = {'b', 'o', 'o', 't', ' ', answer, '\n', 0};
    say_text(program, text);
}

/* Another site's answer to a record that went on to it. */
static void say_relayed(struct boot_program *program, unsigned site, const uint32_t *answer)
{
    char text[BOOT_SAID_SIZE];
    snprintf(text, sizeof text, "boot %c %04x %04x\n", (char)answer[0], site, (unsigned)answer[1] & 0xffff);
    say_text(program, text);
}

static void take_packet(void *context, const struct pr_delivery *delivery)
{
    struct boot_program *program = context;
    struct load_record record;
    uint32_t halves = delivery->data_words - RECORD;
    if (program->loads && delivery->data_words == TAG + 1) {
        say_relayed(program, delivery->source, delivery->data);
        return;
    }
    program->came++;
    if (program->dead || program->takes == 0 || delivery->data_words < RECORD + 2 * PR_LOAD_EXTRA ||
        halves > 2 * LOAD_RECORD_WORDS || chance(program->loses))
        return;
    record.count = halves / 2;
    for (uint32_t k = 0; k < record.count; k++)
        record.words[k] = delivery->data[RECORD + 2 * k] | delivery->data[RECORD + 2 * k + 1] << 16;
    if (is_checking(program))
        return;
    if (!program->loads) {
        program->verdict = 0;
        program->loads = record.words[PR_LOAD_ADDRESS] == PR_LOAD_ENTER;
        if (program->loads)
            say(program, PR_LOAD_WAITS);
        return;
    }
    const struct boot_answer answer = {
        .silent = record.words[PR_LOAD_COUNT] >> PR_LOAD_COUNT_KIND_SHIFT == PR_LOAD_KIND_CAST && !program->old,
        .due = pr_client_now() + program->delay / 1e3,
        .words = {(uint8_t)take_record(program, &record), delivery->data[TAG]},
        .to = {.site = (uint16_t)pr_site_identity_site(program->op->common.here.identity, delivery->data[REPLY])}};
    if (!answer.silent && !chance(program->loses) && program->answer_count < BOOT_ANSWERS_MAX)
        program->answers[program->answer_count++] = answer;
    boot_program_poll(program);
}

bool boot_program_has_line(const struct boot_program *program)
{
    return program->loads || program->crashed;
}

/* Firmware that has crashed takes nothing. The boot program that runs behind each watchdog takes an order to enter. */
static void take_crashed(struct boot_program *program, const struct load_record *record)
{
    if (fmod(pr_client_now(), watchdog_time) > listen_time || record->words[PR_LOAD_ADDRESS] != PR_LOAD_ENTER)
        return;
    program->crashed = false;
    program->loads = true;
    say(program, PR_LOAD_DONE);
    say(program, PR_LOAD_WAITS);
}

static char take_relay(struct boot_program *program, const struct load_record *record)
{
    program->relay = record->words[PR_LOAD_ADDRESS];
    program->target_count = record->words[PR_LOAD_COUNT] & 0xffff;
    for (unsigned k = 0; k < program->target_count; k++)
        program->targets[k] = (struct pr_target){
            .site = (uint16_t)pr_site_identity_site(program->op->common.here.identity,
                                                    record->words[PR_LOAD_DATA + k])};
    return PR_LOAD_DONE;
}

static bool is_data(const struct load_record *record)
{
    uint32_t kind = record->words[PR_LOAD_COUNT] >> PR_LOAD_COUNT_KIND_SHIFT;
    return kind == PR_LOAD_KIND_DATA || kind == PR_LOAD_KIND_CAST;
}

/* What is left of the record from this data word on, as far as it fits a packet of the operator: a real boot program
 * sends longer ones. */
static void cut_record(struct load_record *out, const struct load_record *record, unsigned from)
{
    unsigned left = (record->words[PR_LOAD_COUNT] & 0xffff) - from, count = left < PACKET_DATA ? left : PACKET_DATA;
    uint32_t address = record->words[PR_LOAD_ADDRESS] + 4 * from;
    const uint32_t *words = record->words + PR_LOAD_DATA + from;
    if (record->words[PR_LOAD_COUNT] >> PR_LOAD_COUNT_KIND_SHIFT == PR_LOAD_KIND_CAST)
        load_record_cast(out, address, words, count);
    else
        load_record_data(out, address, words, count);
}

/* The record of the serial line goes on, in packets of TARGETS_MAX targets, as far as the operator takes them. True: to
 * all targets. */
static bool relay(struct boot_program *program)
{
    const struct load_record *record = &program->record;
    uint32_t data[LOAD_PACKET_WORDS];
    unsigned words = is_data(record) ? record->words[PR_LOAD_COUNT] & 0xffff : 1;
    for (; program->relayed < program->target_count; program->relayed += TARGETS_MAX, program->relayed_words = 0) {
        unsigned left = program->target_count - program->relayed, count = left < TARGETS_MAX ? left : TARGETS_MAX;
        for (; program->relayed_words < words; program->relayed_words += PACKET_DATA) {
            struct load_record part = *record;
            if (is_data(record))
                cut_record(&part, record, program->relayed_words);
            unsigned length = load_record_packet(&part, program->op->common.here.identity->address,
                                                 program->relay & 0xffff, data);
            if (pr_operator_send(program->op, program->targets + program->relayed, count, PR_HANDLER_LOAD, data, length,
                                 NULL) != 0)
                return false;
        }
    }
    return true;
}

/* Goes on with the record of the serial line: it is answered when it has gone on to all targets. */
static void go_on(struct boot_program *program)
{
    if (!program->has_record)
        return;
    bool orders = program->record.words[PR_LOAD_COUNT] >> PR_LOAD_COUNT_KIND_SHIFT == PR_LOAD_KIND_RELAY &&
                  !program->old;
    if (!orders && !relay(program))
        return;
    bool own = program->target_count == 0 || program->relay & PR_LOAD_RELAY_OWN;
    char answer = orders ? take_relay(program, &program->record)
                  : own  ? take_record(program, &program->record)
                         : PR_LOAD_DONE;
    program->has_record = false;
    if (!chance(program->loses))
        say(program, answer);
}

static void take_frame(struct boot_program *program)
{
    size_t length = pr_cobs_decode(program->frame, program->frame_used, program->frame);
    struct load_record *record = &program->record;
    program->came++;
    if (program->dead || program->takes == 0 || chance(program->loses))
        return;
    bool whole = length != PR_COBS_BAD && length >= 4 * PR_LOAD_EXTRA &&
                 load_record_read(record, program->frame, length);
    if (program->crashed && whole)
        take_crashed(program, record);
    if (!program->loads || is_checking(program))
        return;
    program->has_record = whole;
    program->relayed = program->relayed_words = 0;
    if (!whole)
        say(program, PR_LOAD_BAD_CHECK);
    go_on(program);
}

size_t boot_program_write(struct boot_program *program, const uint8_t *bytes, size_t length)
{
    size_t k = 0;
    for (; k < length && !program->has_record; k++)
        if (bytes[k] != 0 && program->frame_used < BOOT_FRAME_MAX)
            program->frame[program->frame_used++] = bytes[k];
        else if (bytes[k] == 0 && program->frame_used > 0) {
            program->frame[0] ^= chance(program->damages);
            take_frame(program);
            program->frame_used = 0;
        }
    return k;
}

size_t boot_program_read(struct boot_program *program, uint8_t *bytes, size_t length)
{
    size_t count = 0, used = 0;
    for (; count < program->said_count && program->said[count].due <= pr_client_now(); count++) {
        const char *text = program->said[count].text;
        if (used + strlen(text) > length)
            break;
        memcpy(bytes + used, text, strlen(text));
        used += strlen(text);
    }
    memmove(program->said, program->said + count, (program->said_count -= count) * sizeof *program->said);
    return used;
}

void boot_program_poll(struct boot_program *program)
{
    go_on(program);
    const struct boot_answer *first = program->answers;
    while (program->answer_count > 0 && first->due <= pr_client_now()) {
        pr_operator_send(program->op, &first->to, 1, PR_HANDLER_LOAD, first->words, 2, NULL);
        memmove(program->answers, first + 1, --program->answer_count * sizeof *first);
    }
}

void boot_program_start(struct boot_program *program, struct pr_operator *op)
{
    program->op = op;
    program->takes = ULONG_MAX;
    for (unsigned k = 0; k < BOOT_RAM_WORDS; k++)
        program->ram[k] = (uint32_t)rand();
    pr_operator_register(op, PR_HANDLER_LOAD, take_packet, program);
}
