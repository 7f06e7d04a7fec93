/* Load records (hw/protocol/packet.ini): what the boot program of a board takes from flash, serial line or mesh.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_LOAD_RECORDS_H
#define POSTROAD_LOADER_LOAD_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "protocol.h"

enum {
    LOAD_RECORD_WORDS = PR_LOAD_DATA_MAX + PR_LOAD_EXTRA,
    LOAD_RECORD_BYTES = 4 * LOAD_RECORD_WORDS,
    LOAD_RECORD_WIRE = LOAD_RECORD_BYTES + LOAD_RECORD_BYTES / 254 + 3,
    LOAD_PACKET_WORDS = PR_LOAD_PACKET_RECORD - PR_HEADER_WORDS + 2 * LOAD_RECORD_WORDS
};

struct load_record {
    uint32_t words[LOAD_RECORD_WORDS];
    unsigned count; /* words in use */
};

/* Data records have at most PR_LOAD_DATA_MAX words. A go record starts the image at `address` if RAM holds these words;
 * a check record only asks whether it does. Behind an enter record the boot program runs, and waits. */
void load_record_site(struct load_record *record, const uint32_t site[PR_SITE_RECORD_WORDS]);
void load_record_data(struct load_record *record, uint32_t address, const uint32_t *words, unsigned count);
void load_record_go(struct load_record *record, uint32_t address, const uint32_t *words, unsigned count);
void load_record_check(struct load_record *record, uint32_t address, const uint32_t *words, unsigned count);
void load_record_enter(struct load_record *record);
bool load_record_enters(const struct load_record *record);
bool load_record_checks(const struct load_record *record); /* true: a check or go record */

/* As a data record; a packet with it is not answered. */
void load_record_cast(struct load_record *record, uint32_t address, const uint32_t *words, unsigned count);

/* By serial line: the records behind it go on to the sites of these site words, PR_LOAD_DATA_MAX at most, and with
 * `own` to the site of the line, too. Without site words to the site of the line alone. */
void load_record_relay(struct load_record *record, uint32_t tag, bool own, const uint32_t *site_words, unsigned count);

/* A word as a flash holds it. */
void load_word_bytes(uint32_t word, uint8_t out[4]);

/* The record as a flash holds it; returns its bytes, LOAD_RECORD_BYTES at most. */
size_t load_record_bytes(const struct load_record *record, uint8_t *out);

/* Reads a record from the bytes of a flash. Returns its bytes, or 0: there is none, or its check is wrong. */
size_t load_record_read(struct load_record *record, const uint8_t *bytes, size_t length);

/* The check of a go record: that of the words of an image. */
uint32_t load_record_crc(const uint32_t *words, unsigned count);

/* The record as the serial line carries it, the zero bytes before and behind included; returns its bytes,
 * LOAD_RECORD_WIRE at most. */
size_t load_record_wire(const struct load_record *record, uint8_t *out);

/* The data words of a packet that carries the record, but for the header, which the sender's operator writes. Returns
 * how many, LOAD_PACKET_WORDS at most. `reply`: site word for the answer, which has the tag, too. */
unsigned load_record_packet(const struct load_record *record, uint32_t reply, uint32_t tag, uint32_t *out);

/* Words of RAM that a data record may have in a packet of `max_packet` words to so many targets. */
unsigned load_packet_room(unsigned max_packet, unsigned targets);

/* Writes a record, or the words of an image at an address and the go record that starts it, in one of these two forms.
 * Failures of the stream are the caller's to find. */
typedef size_t load_record_form(const struct load_record *record, uint8_t *out);
void load_record_write(FILE *out, const struct load_record *record, load_record_form *form);
void load_records_write(FILE *out, uint32_t address, const uint32_t *words, unsigned count, load_record_form *form);

#endif
