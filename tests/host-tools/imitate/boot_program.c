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
    CHECK_PACKETS = 4
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
    if (kind == PR_LOAD_KIND_DATA && memcmp(same.words, record->words, 4 * record->count) != 0)
        return PR_LOAD_BAD_CHECK;
    if (kind == PR_LOAD_KIND_DATA)
        return take_data(program, record, count);
    if (kind == PR_LOAD_KIND_ENTER)
        return PR_LOAD_DONE;
    if (kind != PR_LOAD_KIND_CHECK && kind != PR_LOAD_KIND_GO)
        return PR_LOAD_BAD_KIND;
    char answer = take_check(program, record);
    return kind == PR_LOAD_KIND_GO && answer == PR_LOAD_DONE ? take_go(program, record) : answer;
}

static void say(struct boot_program *program, char answer)
{
    if (program->said_count < BOOT_ANSWERS_MAX)
        program->said[program->said_count++] = (struct boot_said){answer, pr_client_now() + program->delay / 1e3};
}

static void take_packet(void *context, const struct pr_delivery *delivery)
{
    struct boot_program *program = context;
    struct load_record record;
    uint32_t halves = delivery->data_words - RECORD;
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
        .due = pr_client_now() + program->delay / 1e3,
        .words = {(uint8_t)take_record(program, &record), delivery->data[TAG]},
        .to = {.site = (uint16_t)pr_site_identity_site(program->op->identity, delivery->data[REPLY])}};
    if (!chance(program->loses) && program->answer_count < BOOT_ANSWERS_MAX)
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

static void take_frame(struct boot_program *program)
{
    struct load_record record;
    size_t length = pr_cobs_decode(program->frame, program->frame_used, program->frame);
    program->came++;
    if (program->dead || program->takes == 0 || chance(program->loses))
        return;
    bool whole = length != PR_COBS_BAD && length >= 4 * PR_LOAD_EXTRA &&
                 load_record_read(&record, program->frame, length);
    if (program->crashed && whole)
        take_crashed(program, &record);
    if (!program->loads || is_checking(program))
        return;
    char answer = whole ? take_record(program, &record) : PR_LOAD_BAD_CHECK;
    if (!chance(program->loses))
        say(program, answer);
}

void boot_program_write(struct boot_program *program, const uint8_t *bytes, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (bytes[k] != 0 && program->frame_used < BOOT_FRAME_MAX)
            program->frame[program->frame_used++] = bytes[k];
        else if (bytes[k] == 0 && program->frame_used > 0) {
            program->frame[0] ^= chance(program->damages);
            take_frame(program);
            program->frame_used = 0;
        }
}

size_t boot_program_read(struct boot_program *program, uint8_t *bytes, size_t length)
{
    char text[] = "boot ?\n";
    size_t count = 0, used = 0;
    for (; count < program->said_count && program->said[count].due <= pr_client_now(); count++) {
        if (used + strlen(text) > length)
            break;
        text[strlen("boot ")] = program->said[count].answer;
        memcpy(bytes + used, text, strlen(text));
        used += strlen(text);
    }
    memmove(program->said, program->said + count, (program->said_count -= count) * sizeof *program->said);
    return used;
}

void boot_program_poll(struct boot_program *program)
{
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
