/* The boot program of a board, imitated beside a native node: it answers load packets as firmware/boot does, from a RAM
 * that begins with noise. While it waits to be loaded, the node's console is to be silent.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_HOST_TOOLS_IMITATE_BOOT_PROGRAM_H
#define POSTROAD_TESTS_HOST_TOOLS_IMITATE_BOOT_PROGRAM_H

#include "loader/load_records.h"
#include "operator/operator.h"

enum {
    BOOT_RAM_WORDS = (65536 - PR_LOAD_RESERVED) / 4,
    BOOT_ANSWERS_MAX = 64,
    BOOT_FRAME_MAX = 512,
    BOOT_SAID_SIZE = 24
};

struct boot_program {
    struct pr_operator *op;
    uint32_t ram[BOOT_RAM_WORDS];
    bool loads;          /* it waits; else the node's firmware runs */
    unsigned crashed;    /* firmware has; its watchdog fires again and again, and behind it an order to enter counts */
    unsigned damages;    /* of so many frames of the serial line one has a wrong byte; 0: none */
    unsigned dead;       /* a board without a boot ROM: no load packet has an effect */
    unsigned delay;      /* milliseconds until an answer leaves */
    unsigned loses;      /* of so many packets one is lost, and one answer; 0: none */
    unsigned spoils;     /* of so many data records one is written with a wrong bit; 0: none */
    unsigned long takes; /* data records that are still written; behind them every packet is lost */
    bool locked;         /* go records are answered as by a locked board */
    uint32_t lock[PR_LOCK_WORDS - PR_LOCK_KEY];
    unsigned checks;       /* packets that are still lost while it checks a signature */
    char verdict;          /* on the image in RAM; 0: none */
    unsigned long started; /* images */
    unsigned long came;    /* packets */
    unsigned long data;    /* data records that were written */
    struct boot_answer {
        bool silent; /* it is not sent */
        double due;  /* seconds, as pr_client_now */
        uint32_t words[2];
        struct pr_target to;
    } answers[BOOT_ANSWERS_MAX]; /* that have not left; more are lost */
    unsigned answer_count;
    unsigned old;          /* it takes no relay record */
    uint32_t relay;        /* address of the relay record; */
    unsigned target_count; /* and its targets */
    struct pr_target targets[PR_LOAD_DATA_MAX];
    struct load_record record;       /* of the serial line, */
    bool has_record;                 /* which goes on to them; */
    unsigned relayed, relayed_words; /* to so many so far, and so many words to the next ones */
    uint8_t frame[BOOT_FRAME_MAX];   /* from the serial line, so far */
    size_t frame_used;
    struct boot_said {
        char text[BOOT_SAID_SIZE];
        double due;
    } said[BOOT_ANSWERS_MAX]; /* for the serial line; more are lost */
    size_t said_count;
};

void boot_program_start(struct boot_program *program, struct pr_operator *op);

/* True: the serial line leads to the boot program, and not to firmware. */
bool boot_program_has_line(const struct boot_program *program);

/* Takes bytes of the serial line, as many as it returns, and gives those for it. */
size_t boot_program_write(struct boot_program *program, const uint8_t *bytes, size_t length);
size_t boot_program_read(struct boot_program *program, uint8_t *bytes, size_t length);

/* Sends the answers that are due. */
void boot_program_poll(struct boot_program *program);

#endif
