/* The boot program of a board. It runs from ROM whenever the core has been reset.
 *
 *   after power-on:         counts the start in the flash
 *                             |
 *                           flash --- site record, releases the fabric --- image --- start
 *                             |
 *                             | none, or a wrong one
 *                             v
 *                           serial line --- site record --- image by serial line, or by packets --- start
 *
 *   after the watchdog:     the same, unless a record comes first, by packet or serial line: it waits for a load then.
 *                           The fabric runs already, and the site record changes nothing
 *   after BOARD_CONTROL:    the same without an image from the flash: to be loaded anew
 *
 * A record is checked before a word of it is used, but for data from the flash, and the whole image in RAM before it
 * starts. It starts behind one more reset of the core, and so finds the network_interface as after power-on. START of
 * BOARD_CONTROL orders that; an image cannot set it (hw/soc/boot.md).
 *
 * On a locked board an image that came by serial line or by packets does not start by its go record: first the
 * verifier (firmware/verifier), which is read from the flash, has to accept it.
 *
 * A relay record of the serial line names sites: the records behind it go on to these, as packets, and their answers to
 * the serial line. So one line loads a mesh, without firmware at its end.
 *
 * Behind a reset RAM holds anything: noise, or what an image has left. But for the address of the image, which counts
 * with START alone, all variables are set before they are read. They are at the end of RAM, where no record may write.
 * A byte of the serial line waits in a queue while a record is carried out.
 *
 * SPDX-License-Identifier: ISC
 */
#include "drivers/board.h"
#include "drivers/uart.h"
#include "wire/packet.h"

enum {
    RECORD_WORDS = PR_LOAD_DATA_MAX + PR_LOAD_EXTRA,
    TARGETS_MAX = 16,
    PACKET_WORDS = TARGETS_MAX + PR_LOAD_PACKET_RECORD + 2 * RECORD_WORDS,
    SEND_CLOCKS = 1 << 21, /* in which a packet leaves, unless its way is blocked */
    ANSWER_WORDS = 1 + PR_LOAD_PACKET_ANSWER + 2,
    ANSWER_COUNTS = 1 << PR_PACKET_COUNTS_TARGET_SHIFT | (ANSWER_WORDS - 1),
    LOAD_WINDOW = 1 << 21, /* clocks, behind a restart of the core, in which a record makes it wait for a load */
    STACK_BYTES = 320,
    FLASH_READ = 0x0300, /* commands of the flash, in the first of two halves */
    FLASH_WAKE = 0xab00,
    FLASH_WRITE_ENABLE = 0x0600,
    FLASH_PROGRAM = 0x0200,
    FLASH_STATUS = 0x0500,
    FLASH_STATUS_BUSY = 1,
    FLASH_POLLS_MAX = 2048, /* 7 ms or more; programming a page takes 5 ms at most */
    INDEX_TO_COUNTER = 5    /* log2 of the distance of two images, in counters */
};

struct memory {
    uint32_t image;       /* address of the first instruction of the image to start; */
    bool starts_image;    /* whether to start it */
    uint8_t verdict;      /* PR_LOAD_* of the image that was refused last; 0: none, or data came since */
    uint32_t words;       /* of the image that was checked last, with the signature; */
    uint32_t checked;     /* and its address */
    const uint32_t *good; /* words in RAM that have been checked last; NULL: none, or data came since. Their */
    uint32_t good_words, good_crc;
    uint32_t record[RECORD_WORDS];
    uint32_t starts;      /* that the flash has counted, this one included */
    uint32_t length;      /* bytes of the record that have come */
    uint8_t left;         /* COBS: bytes before the next code, */
    bool zero;            /* and whether a zero stands in its place */
    uint8_t posted, sent; /* packets, modulo 256 */
    uint32_t receive_ring, send_ring;
    uint32_t relay;        /* address of the relay record: tag, and whether the site takes the records, too */
    uint32_t copies;       /* counted before the last record was sent; */
    uint32_t target_count; /* sites to which records of the serial line go on */
    uint16_t targets[PR_LOAD_DATA_MAX];
    uint32_t in[PR_PACKET_HEADER_WORDS + PACKET_WORDS];
    uint32_t out[PR_PACKET_HEADER_WORDS + PACKET_WORDS];
};

_Static_assert(sizeof(struct memory) + STACK_BYTES <= PR_LOAD_RESERVED, "memory and stack fit the end of RAM");

register struct memory *memory __asm__("tp");

static uint32_t board_state(void)
{
    return pr_mmio_read(PR_BOARD_BASE + PR_BOARD_STATE);
}

/* The loops over an image are for speed: SERV takes some 50 clocks an instruction. */
#define FAST __attribute__((optimize("O2")))

__attribute__((always_inline)) static inline void await_shifter_here(void)
{
    while (board_state() & PR_BOARD_STATE_BUSY)
        ;
}

static void await_shifter(void)
{
    await_shifter_here();
}

static void board_write(uint32_t which, uint32_t value)
{
    await_shifter();
    pr_mmio_write(PR_BOARD_BASE + which, value);
}

/* Do these words end with their CRC? */
FAST static bool check(const uint32_t *words, uint32_t count, uint32_t crc)
{
    board_write(PR_BOARD_FLASH, 0);
    for (const uint32_t *end = words + count; words != end; words++) {
        await_shifter_here();
        pr_mmio_write(PR_BOARD_BASE + PR_BOARD_SHIFT, *words);
    }
    board_write(PR_BOARD_SHIFT, crc);
    await_shifter();
    return board_state() & PR_BOARD_STATE_CRC_ZERO;
}

static uint32_t *in_ram(uint32_t address, uint32_t count)
{
    uint32_t room = pr_mmio_read(PR_ID_BASE + PR_ID_RAM_BYTES) - PR_LOAD_RESERVED;
    uint32_t offset = address - PR_RAM_BASE;
    return (offset & 3) == 0 && offset <= room && count <= (room - offset) / 4 ? (uint32_t *)address : NULL;
}

static char take_site(const uint32_t *record)
{
    if (record[PR_LOAD_ADDRESS] != PR_SITE_RECORD_MAGIC)
        return PR_LOAD_BAD_KIND;
    record += PR_LOAD_DATA;
    if (board_state() & PR_BOARD_STATE_FABRIC_RUNS)
        return (uint16_t)record[PR_SITE_RECORD_SITE] == pr_mmio_read(PR_ID_BASE + PR_ID_SITE) ? PR_LOAD_DONE
                                                                                              : PR_LOAD_BAD_ORDER;
    pr_board_release(record, memory->starts);
    return PR_LOAD_DONE;
}

/* The same words again, while no data have come, are as they were. */
static char take_check(const uint32_t *record)
{
    const uint32_t *image = in_ram(record[PR_LOAD_ADDRESS], record[PR_LOAD_DATA]);
    if (image == NULL)
        return PR_LOAD_BAD_ADDRESS;
    bool good = memory->good == image && memory->good_words == record[PR_LOAD_DATA] &&
                memory->good_crc == record[PR_LOAD_DATA + 1];
    if (!good && !check(image, record[PR_LOAD_DATA], record[PR_LOAD_DATA + 1]))
        return PR_LOAD_BAD_IMAGE;
    memory->good = image;
    memory->good_words = record[PR_LOAD_DATA];
    memory->good_crc = record[PR_LOAD_DATA + 1];
    return PR_LOAD_DONE;
}

static char take_go(const uint32_t *record)
{
    if (!(board_state() & PR_BOARD_STATE_FABRIC_RUNS))
        return PR_LOAD_BAD_ORDER;
    char answer = take_check(record);
    if (answer == PR_LOAD_DONE) {
        memory->image = record[PR_LOAD_ADDRESS];
        memory->starts_image = true;
    }
    return answer;
}

static char take_data(const uint32_t *record, uint32_t count)
{
    uint32_t *to = in_ram(record[PR_LOAD_ADDRESS], count);
    if (to == NULL)
        return PR_LOAD_BAD_ADDRESS;
    memory->verdict = 0;
    memory->good = NULL;
    for (record += PR_LOAD_DATA; count > 0; count--)
        *to++ = *record++;
    return PR_LOAD_DONE;
}

static uint32_t data_words(void)
{
    return (uint16_t)memory->record[PR_LOAD_COUNT];
}

static uint32_t kind_of_record(void)
{
    return memory->record[PR_LOAD_COUNT] >> PR_LOAD_COUNT_KIND_SHIFT;
}

/* The record in memory, which has been checked. The answer. */
static char take_checked(void)
{
    const uint32_t *record = memory->record;
    uint32_t kind = kind_of_record();
    if (kind == PR_LOAD_KIND_DATA || kind == PR_LOAD_KIND_CAST)
        return take_data(record, data_words());
    if (kind == PR_LOAD_KIND_GO)
        return take_go(record);
    if (kind == PR_LOAD_KIND_CHECK)
        return take_check(record);
    if (kind == PR_LOAD_KIND_ENTER)
        return PR_LOAD_DONE;
    return kind == PR_LOAD_KIND_SITE ? take_site(record) : PR_LOAD_BAD_KIND;
}

static void put(char character)
{
    while (!pr_uart_has_room())
        ;
    pr_uart_put((uint8_t)character);
}

static void put_answer(char answer)
{
    put('b');
    put('o');
    put('o');
    put('t');
    put(' ');
    put(answer);
}

static void answer_serial(char answer)
{
    put_answer(answer);
    put('\n');
}

/* A space, and four digits. */
static void put_number(uint32_t number)
{
    put(' ');
    for (int shift = 12; shift >= 0; shift -= 4)
        put("0123456789abcdef"[number >> shift & 15]);
}

/* The verifier is in RAM, at the address of an image to start: it is called for the image that the go record has named.
 * The network_interface goes on meanwhile, and writes nothing but memory->in. */
static void check_signature(void)
{
    char (*verifier)(uint32_t image, uint32_t words) = (char (*)(uint32_t, uint32_t))memory->image;
    char verdict = verifier(memory->checked, memory->words);
    memory->verdict = (uint8_t)verdict;
    memory->image = memory->checked;
    memory->starts_image = verdict == PR_LOAD_DONE;
    if (verdict != PR_LOAD_DONE) {
        answer_serial(verdict);
        answer_serial(PR_LOAD_WAITS);
    }
}

/* Once a record has been taken and answered: starts the image if that was its order. What the UART and the
 * network_interface hold has to leave first. */
static void start_if_ordered(void)
{
    if (memory->verdict == PR_LOAD_CHECKING)
        check_signature();
    if (!memory->starts_image)
        return;
    while (!pr_uart_has_room() || pr_mmio_read_byte(PR_NI_BASE + PR_NI_SEND_CONSUMER) != memory->sent)
        ;
    for (;;)
        board_write(PR_BOARD_CONTROL, PR_BOARD_CONTROL_RESTART | PR_BOARD_CONTROL_START);
}

/* Ends the command before, and begins one: `first` and `second`, or with FIRST_BYTE in `how` the high byte of `first`
 * alone. The flash stays with this site until release_flash. */
static void flash_begin(uint32_t how, uint32_t first, uint32_t second)
{
    board_write(PR_BOARD_FLASH, PR_BOARD_FLASH_KEPT);
    board_write(PR_BOARD_FLASH, PR_BOARD_FLASH_KEPT | PR_BOARD_FLASH_SELECTED | how);
    board_write(PR_BOARD_SHIFT, first | second << 16);
}

static void flash_command(uint32_t command, uint32_t address)
{
    flash_begin(0, command | address >> 16, address);
}

static void release_flash(void)
{
    board_write(PR_BOARD_FLASH, 0);
}

/* The word that the flash sent last. It sends the next one, while this one passes through the CRC. */
static uint32_t flash_word(void)
{
    await_shifter();
    return pr_mmio_read(PR_BOARD_BASE + PR_BOARD_SHIFT);
}

FAST static void read_words(uint32_t *to, uint32_t count)
{
    for (uint32_t *end = to + count; to != end; to++) {
        await_shifter_here();
        *to = pr_mmio_read(PR_BOARD_BASE + PR_BOARD_SHIFT);
    }
}

/* False: it does not become ready, or does not answer. */
static bool await_flash(void)
{
    uint32_t polls = FLASH_POLLS_MAX;
    flash_command(FLASH_STATUS, 0);
    while ((flash_word() & FLASH_STATUS_BUSY) && --polls > 0)
        ;
    return polls > 0;
}

/* The word at an address of the flash. */
static uint32_t flash_word_at(uint32_t address)
{
    flash_command(FLASH_READ, address);
    flash_word();
    return flash_word();
}

/* Programs a word, and awaits that. False: it reads as another one. */
static bool flash_program(uint32_t address, uint32_t word)
{
    flash_begin(PR_BOARD_FLASH_FIRST_BYTE, FLASH_WRITE_ENABLE, 0);
    flash_command(FLASH_PROGRAM, address);
    board_write(PR_BOARD_SHIFT, word);
    await_flash();
    return flash_word_at(address) == word;
}

/* Counts this start in the flash, before anything is sent with its epoch. The counter is a row of words:
 *
 *   00000000 00000000 ffffffe0 ffffffff ffffffff ...     69 starts: 5 bits of the third word
 *
 * It ends before the first erased word, and in the word before behind the highest bit that is 0. So each count is
 * higher than those before, whatever the sector holds. A bit that lost its supply while it was programmed may read as 0
 * now, and as 1 later. Only the bit at the end can be such a one, and another start counts that bit or one behind it.
 *
 * The flash may sleep: some FPGAs send it there once they have read their bitstream. It wakes within 30 microseconds;
 * the check, whose result has no meaning, takes longer. */
static void count_start(void)
{
    uint32_t sector = PR_LOAD_STARTS + ((board_state() & PR_BOARD_STATE_INDEX) >> INDEX_TO_COUNTER);
    uint32_t at = sector, end = sector + PR_LOAD_STARTS_BYTES, left = ~UINT32_C(1), cleared = 0, last = 0, word;
    flash_command(FLASH_WAKE, 0);
    check(memory->record, RECORD_WORDS, 0);
    await_flash();
    flash_command(FLASH_READ, sector);
    flash_word();
    for (; (word = flash_word()) != UINT32_MAX && at != end; at += 4)
        last = word;
    if (last >> 31) { /* not full */
        at -= 4;
        cleared = ~last;
    }
    memory->starts = 8 * (at - sector) + 1;
    for (; cleared != 0; cleared >>= 1) {
        memory->starts++;
        left <<= 1;
    }
    if (at == end || !flash_program(at, left))
        answer_serial(PR_LOAD_UNCOUNTED);
}

static bool lock_is_erased(void)
{
    return flash_word_at(PR_LOAD_LOCK) == UINT32_MAX;
}

/* A board is not locked if the lock reads as erased, twice, from a flash that answers in between: one that does not
 * reads as ones. Any other word is a lock, so that a wrong bit locks. A flop keeps it until power fails. */
static void read_lock(void)
{
    if (lock_is_erased() && await_flash() && lock_is_erased())
        board_write(PR_BOARD_CONTROL, PR_BOARD_CONTROL_UNLOCK);
}

/* Takes the record at an address of the flash. Its data go to their place in RAM at once, since the image is checked
 * there: a damaged record may have spoiled what came before it, but none starts. */
static char take_from_flash(uint32_t address)
{
    uint32_t *to = memory->record + PR_LOAD_DATA, *place;
    flash_command(FLASH_READ, address);
    flash_word();
    board_write(PR_BOARD_FLASH, PR_BOARD_FLASH_SELECTED); /* the CRC begins */
    read_words(memory->record, PR_LOAD_DATA);
    if (data_words() > PR_LOAD_DATA_MAX)
        return PR_LOAD_BAD_LENGTH;
    place = in_ram(memory->record[PR_LOAD_ADDRESS], data_words());
    if (kind_of_record() == PR_LOAD_KIND_DATA && place != NULL)
        to = place;
    read_words(to, data_words());
    flash_word();
    await_shifter();
    if (!(board_state() & PR_BOARD_STATE_CRC_ZERO))
        return PR_LOAD_BAD_CHECK;
    return to == place ? PR_LOAD_DONE : take_checked();
}

/* Records, until one has named the image to start, or is wrong. */
static char load_flash(uint32_t address)
{
    char answer;
    do {
        answer = take_from_flash(address);
        release_flash();
        address += 4 * (data_words() + PR_LOAD_EXTRA);
    } while (answer == PR_LOAD_DONE && !memory->starts_image);
    return answer;
}

/* The board is locked, and a go record has named an image: the verifier takes its place. An image that has been
 * refused is still the same, since no data have come: the sender has not got the answer, or repeats it in vain. */
static char load_verifier(void)
{
    uint32_t words = memory->record[PR_LOAD_DATA];
    memory->starts_image = false;
    if (memory->verdict != 0 && memory->checked == memory->image && memory->words == words)
        return (char)memory->verdict;
    memory->checked = memory->image;
    memory->words = words;
    load_flash(PR_LOAD_LOCK + 4);
    memory->verdict = memory->starts_image ? PR_LOAD_CHECKING : 0;
    return memory->starts_image ? PR_LOAD_CHECKING : PR_LOAD_BAD_VERIFIER;
}

/* The record in memory, of so many bytes, which came by serial line or by a packet: PR_LOAD_DONE, or what is wrong. */
static char check_record(uint32_t length)
{
    const uint32_t *record = memory->record;
    uint32_t count = data_words();
    if (count > PR_LOAD_DATA_MAX || length != 4 * (count + PR_LOAD_EXTRA))
        return PR_LOAD_BAD_LENGTH;
    return check(record, PR_LOAD_DATA + count, record[PR_LOAD_DATA + count]) ? PR_LOAD_DONE : PR_LOAD_BAD_CHECK;
}

/* The record in memory. The answer. */
static char take_record(void)
{
    char answer = take_checked();
    return memory->starts_image && (board_state() & PR_BOARD_STATE_LOCKED) ? load_verifier() : answer;
}

static void ni_write(uint32_t which, uint32_t value)
{
    pr_mmio_write(PR_NI_BASE + which, value);
}

static void post(void)
{
    ni_write(PR_NI_RECEIVE_PRODUCER, ++memory->posted);
}

static void listen(void)
{
    memory->length = 0;
    memory->left = 0;
    memory->zero = false;
    memory->posted = 0;
    memory->target_count = 0;
    memory->copies = UINT32_MAX;
    memory->receive_ring = (uint32_t)memory->in;
    memory->send_ring = (uint32_t)memory->out;
    ni_write(PR_NI_RECEIVE_RING, (uint32_t)&memory->receive_ring);
    ni_write(PR_NI_RECEIVE_RING_LOG2, 0);
    ni_write(PR_NI_SEND_RING, (uint32_t)&memory->send_ring);
    ni_write(PR_NI_SEND_RING_LOG2, 0);
    ni_write(PR_NI_RECEIVE_WORDS, PACKET_WORDS);
    ni_write(PR_NI_CONTROL, PR_NI_CONTROL_ENABLE_RECEIVE | PR_NI_CONTROL_ENABLE_SEND);
    post();
}

/* Has the answer before this one left the buffer? */
static bool has_answered(void)
{
    return pr_mmio_read_byte(PR_NI_BASE + PR_NI_SEND_CONSUMER) == memory->sent;
}

/* Where the words of the packet go that is sent next. */
static uint32_t *begin_packet(uint32_t counts, uint32_t kind)
{
    uint32_t *out = memory->out;
    out[PR_PACKET_OFFSET_COUNTS] = counts;
    out[PR_PACKET_OFFSET_KIND] = kind;
    out[PR_PACKET_OFFSET_INFO] = 0;
    return out + PR_PACKET_OFFSET_WORDS;
}

static void send_packet(void)
{
    pr_mmio_barrier();
    ni_write(PR_NI_SEND_PRODUCER, ++memory->sent);
}

/* The header of a packet of this site, and the two words behind it. */
static uint32_t *put_header(uint32_t *words, uint32_t sequence, uint32_t first, uint32_t second)
{
    *words++ = pr_mmio_read(PR_ID_BASE + PR_ID_SITE);
    *words++ = sequence;
    *words++ = PR_HANDLER_LOAD;
    *words++ = first;
    *words++ = second;
    return words;
}

/* All of the answer but its character. */
static void begin_answer(const uint32_t *data)
{
    uint32_t *words = begin_packet(ANSWER_COUNTS, 0);
    *words++ = data[PR_LOAD_PACKET_REPLY];
    put_header(words, data[PR_HEADER_SEQUENCE], 0, data[PR_LOAD_PACKET_TAG]);
}

static void send_answer(char answer)
{
    memory->out[PR_PACKET_OFFSET_WORDS + 1 + PR_LOAD_PACKET_ANSWER] = (uint8_t)answer;
    send_packet();
    start_if_ordered();
}

/* Does a site word name this site? */
static bool is_own(uint32_t site_word)
{
    return (site_word & ~(1u << PR_SITE_MARK_BIT_16)) == pr_mmio_read(PR_ID_BASE + PR_ID_ADDRESS);
}

/* Another site's answer that the fabric has diverted, because it had to wait here (U3). What is longer is not sent on:
 * the sites of a mesh that is loaded send answers, and a load repeats its own packets. */
static void send_on(void)
{
    const uint32_t *in = memory->in + PR_PACKET_OFFSET_WORDS;
    if (memory->in[PR_PACKET_OFFSET_COUNTS] != ANSWER_COUNTS || is_own(*in))
        return;
    uint32_t *words = begin_packet(ANSWER_COUNTS, 0);
    for (uint32_t k = 0; k < ANSWER_WORDS; k++)
        words[k] = in[k];
    send_packet();
}

/* The packet's data words if it is a load packet, and this site is one of its targets; else NULL. Other packets may
 * come too, those that the image before would have received: their sources send them again, or do without. */
static const uint32_t *find_record(uint32_t targets)
{
    const uint32_t *words = memory->in + PR_PACKET_OFFSET_WORDS, *data = words + targets;
    if (targets > TARGETS_MAX || data[PR_HEADER_HANDLER] != PR_HANDLER_LOAD)
        return NULL;
    while (words != data && !is_own(*words))
        words++;
    return words == data ? NULL : data;
}

/* A site's answer to a record that went on to it. The buffer is free meanwhile. */
static void report_answer(const uint32_t *data)
{
    uint32_t source = data[PR_HEADER_SOURCE], answer = data[PR_LOAD_PACKET_ANSWER],
             tag = data[PR_LOAD_PACKET_ANSWER + 1];
    post();
    put_answer((char)answer);
    put_number(source);
    put_number(tag);
    put('\n');
}

/* The packet that has come. True: an order for this site, which has been answered. The buffer is free for the next
 * packet before the order is carried out: a packet that waits in the fabric holds up others. */
static bool take_packet(void)
{
    uint32_t counts = memory->in[PR_PACKET_OFFSET_COUNTS];
    const uint32_t *data = find_record(counts >> PR_PACKET_COUNTS_TARGET_SHIFT);
    uint32_t halves = (uint16_t)counts - PR_LOAD_PACKET_RECORD;
    if (data != NULL && halves == 0) {
        report_answer(data);
        return false;
    }
    bool taken = data != NULL && halves <= 2 * RECORD_WORDS && has_answered();
    if (taken) {
        for (uint32_t k = 0; k < halves; k++)
            ((uint16_t *)memory->record)[k] = (uint16_t)data[PR_LOAD_PACKET_RECORD + k];
        begin_answer(data);
    } else if (data == NULL && has_answered()) {
        send_on();
    }
    post();
    if (taken) {
        char answer = check_record(2 * halves);
        answer = answer == PR_LOAD_DONE ? take_record() : answer;
        if (kind_of_record() != PR_LOAD_KIND_CAST)
            send_answer(answer);
    }
    return taken;
}

static bool poll_packets(void)
{
    if (pr_mmio_read_byte(PR_NI_BASE + PR_NI_RECEIVE_CONSUMER) != memory->posted)
        return false;
    pr_mmio_barrier();
    return take_packet();
}

/* The sites that get the records behind this one. */
static char take_relay(void)
{
    const uint32_t *record = memory->record;
    if (!(board_state() & PR_BOARD_STATE_FABRIC_RUNS))
        return PR_LOAD_BAD_ORDER;
    memory->relay = record[PR_LOAD_ADDRESS];
    memory->target_count = data_words();
    for (uint32_t k = 0; k < memory->target_count; k++)
        memory->targets[k] = (uint16_t)record[PR_LOAD_DATA + k];
    return PR_LOAD_DONE;
}

static uint32_t counter(uint32_t index)
{
    return pr_mmio_read(PR_NI_BASE + PR_NI_COUNTER(index));
}

/* A multicast has a copy for this site, too. It ends when the multicast has left the router, whose outputs are free
 * then: one that comes too early gets none of them (M11). */
static uint32_t count_copies(void)
{
    return counter(PR_COUNTER_RECEIVED_ABORTED) + counter(PR_COUNTER_RECEIVED_PACKETS);
}

/* False: the record before does not leave. The copy of the packet before that one is taken from the only buffer, where
 * the next copy has to go. */
static bool await_sent(void)
{
    uint32_t began = pr_mmio_read(PR_CLINT_BASE + PR_CLINT_MTIME_LOW);
    while (poll_packets(), !has_answered() || count_copies() == memory->copies)
        if (pr_mmio_read(PR_CLINT_BASE + PR_CLINT_MTIME_LOW) - began > SEND_CLOCKS)
            return false;
    return true;
}

/* Sends the record in memory to `count` targets. */
static void send_record(const uint16_t *targets, uint32_t count)
{
    uint32_t halves = 2 * (data_words() + PR_LOAD_EXTRA);
    uint32_t *words = begin_packet(count << PR_PACKET_COUNTS_TARGET_SHIFT | (PR_LOAD_PACKET_RECORD + halves),
                                   count > 1 ? PR_KIND_MULTICAST : 0);
    for (uint32_t k = 0; k < count; k++)
        *words++ = targets[k];
    words = put_header(words, memory->sent, pr_mmio_read(PR_ID_BASE + PR_ID_ADDRESS), (uint16_t)memory->relay);
    for (uint32_t k = 0; k < halves; k++)
        *words++ = ((const uint16_t *)memory->record)[k];
    memory->copies = count_copies() - (count == 1);
    send_packet();
}

/* As many targets in a packet as its receiver and the fabric take. */
static char relay_record(void)
{
    bool copies = pr_mmio_read(PR_NI_BASE + PR_NI_CAPABILITIES) & PR_NI_CAPABILITIES_MULTICAST;
    for (uint32_t first = 0, count; first < memory->target_count; first += count) {
        count = copies ? memory->target_count - first : 1;
        if (count > TARGETS_MAX)
            count = TARGETS_MAX;
        if (!await_sent())
            return PR_LOAD_BLOCKED;
        send_record(memory->targets + first, count);
    }
    return PR_LOAD_DONE;
}

/* A record that came by serial line. The answer. */
static char take_line(void)
{
    char answer = check_record(memory->length);
    if (answer != PR_LOAD_DONE)
        return answer;
    if (kind_of_record() == PR_LOAD_KIND_RELAY)
        return take_relay();
    answer = relay_record();
    bool own = memory->target_count == 0 || memory->relay & PR_LOAD_RELAY_OWN;
    return own && answer == PR_LOAD_DONE ? take_record() : answer;
}

/* A byte of a record that comes as COBS, the high byte of a half first. */
static inline void put_byte(uint8_t byte)
{
    if (memory->length < sizeof memory->record)
        ((uint8_t *)memory->record)[memory->length ^ 1] = byte;
    memory->length++;
}

/* What has come between two zero bytes. True: a record, which has been carried out. */
__attribute__((noinline)) static bool end_frame(void)
{
    char answer = PR_LOAD_WAITS;
    if (memory->length != 0) {
        answer = take_line();
        answer_serial(answer);
        start_if_ordered();
    }
    memory->length = 0;
    memory->left = 0;
    memory->zero = false;
    return answer == PR_LOAD_DONE;
}

static inline bool take_byte(uint8_t byte)
{
    if (byte == 0)
        return end_frame();
    if (memory->left > 0) {
        memory->left--;
        put_byte(byte);
    } else {
        if (memory->zero)
            put_byte(0);
        memory->zero = byte != 0xff;
        memory->left = byte - 1;
    }
    return false;
}

/* Bytes that stand for themselves, as far as they have come; behind them one that may be a zero or a code. */
static bool poll_serial(void)
{
    uint8_t *record = (uint8_t *)memory->record, byte = 1;
    uint32_t left = memory->left, length = memory->length;
    while (left > 0 && length < sizeof memory->record && pr_uart_has_byte() && (byte = pr_uart_get()) != 0) {
        record[length++ ^ 1] = byte;
        left--;
    }
    memory->left = (uint8_t)left;
    memory->length = length;
    if (byte == 0)
        return end_frame();
    return (left == 0 || length >= sizeof memory->record) && pr_uart_has_byte() && take_byte(pr_uart_get());
}

/* The watchdog has restarted the core: is the site to be loaded, rather than to start its image once more? */
static bool awaits_load(void)
{
    uint32_t began = pr_mmio_read(PR_CLINT_BASE + PR_CLINT_MTIME_LOW);
    while (pr_mmio_read(PR_CLINT_BASE + PR_CLINT_MTIME_LOW) - began < LOAD_WINDOW)
        if (poll_packets() || poll_serial())
            return true;
    return false;
}

__attribute__((used)) static _Noreturn void boot(void)
{
    uint32_t state = board_state();
    if (state & PR_BOARD_STATE_START)
        ((void (*)(void))memory->image)();
    memory->starts_image = false;
    memory->verdict = 0;
    memory->good = NULL;
    memory->sent = 0;
    count_start();
    if (state & PR_BOARD_STATE_FABRIC_RUNS)
        board_write(PR_BOARD_EPOCH, pr_mmio_read(PR_ID_BASE + PR_ID_EPOCH) + 1);
    else
        read_lock();
    release_flash();
    listen();
    if (!(state & PR_BOARD_STATE_LOADS) && !((state & PR_BOARD_STATE_FABRIC_RUNS) && awaits_load())) {
        char answer = load_flash(PR_LOAD_FLASH + (board_state() & PR_BOARD_STATE_INDEX));
        start_if_ordered();
        answer_serial(answer);
    }
    answer_serial(PR_LOAD_WAITS);
    for (;;) {
        poll_serial();
        poll_packets();
    }
}

/* A trap, of the boot program, of the verifier, or of an image that has no handler yet: the boot program waits to be
 * loaded. */
__attribute__((naked, aligned(4), used)) static void trap(void)
{
    __asm__ volatile("li a0, %0\n\t"
                     "li a1, %1\n"
                     "1:\n\t"
                     "sw a1, 0(a0)\n\t"
                     "j 1b"
                     :
                     : "i"(PR_BOARD_BASE + PR_BOARD_CONTROL), "i"(PR_BOARD_CONTROL_RESTART));
}

/* The reset vector. The variables and the stack are at the end of RAM. The handler of traps is none that an image has
 * left. */
__attribute__((naked, section(".text.start"), used)) void start(void)
{
    __asm__ volatile("la a5, %4\n\t"
                     "csrw mtvec, a5\n\t"
                     "li a5, %0\n\t"
                     "lw sp, 0(a5)\n\t"
                     "li a5, %1\n\t"
                     "add sp, sp, a5\n\t"
                     "li a5, %2\n\t"
                     "add tp, sp, a5\n\t"
                     "j %3"
                     :
                     : "i"(PR_ID_BASE + PR_ID_RAM_BYTES), "i"(PR_RAM_BASE), "i"(-PR_LOAD_RESERVED), "i"(boot),
                       "i"(trap));
}
