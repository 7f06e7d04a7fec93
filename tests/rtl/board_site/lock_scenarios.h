// A part of bench.cpp: a locked board, its boot program, and those who want code started that nobody has signed.
//
//   lock     wrong bits on the flash's line while the lock is read, or a flash that does not answer: the board is
//   locked. It
//            is read twice behind power-on, and then no more
//   intruder the image of the flash is intruder.c: no way to its code leads through a reset
//   mark     the image of the flash is tests/firmware/gather: packets of a neighbour leave code in its stack, where the
//   boot
//            program works, and an order to enter restarts the core
//
// SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_RTL_BOARD_SITE_LOCK_SCENARIOS_H
#define POSTROAD_TESTS_RTL_BOARD_SITE_LOCK_SCENARIOS_H

enum { GO_BYTES = 4 * (2 + PR_LOAD_EXTRA) }; // of the record in a flash

const uint32_t reserved = PR_RAM_BASE + 0x10000 - PR_LOAD_RESERVED;

// Runs until the console has the text. X is the letter of code that nobody has signed.
void expect_without_x(const std::string &text)
{
    for (long k = 0; k < patience && line.heard.find(text) == std::string::npos; k++) {
        step();
        if (line.heard.find('X') != std::string::npos)
            fail("UNSIGNED CODE RUNS");
    }
    if (line.heard.find(text) == std::string::npos)
        fail("the console says '" + line.heard + "', expected '" + text + "'");
    line.heard.clear();
}

void expect_locked(bool locked, const std::string &when)
{
    lose_supply();
    expect("boot w\n");
    if (site->locked != locked)
        fail(std::string("the board is ") + (locked ? "not locked " : "locked ") + when);
    if (flash.lock_readings > 2)
        fail("the lock is read " + std::to_string(flash.lock_readings) + " times");
}

void scenario_lock()
{
    const words image = letter_image('R');
    const uint32_t all = UINT32_MAX, lock = PR_LOAD_LOCKED << 16 | PR_LOAD_LOCKED >> 16; // as its bits come
    expect_locked(false, "with an erased lock");
    for (int k = 0; k < 4; k++) {
        flash.wrong_bits[k & 1] = 1u << random_word() % 32;
        expect_locked(true, "with an erased lock and a wrong bit");
        flash.wrong_bits[k & 1] = 0;
    }
    begin_locked(key_pair(1));
    for (int k = 0; k < 4; k++) {
        flash.wrong_bits[k & 1] = 1u << random_word() % 32;
        expect_locked(true, "with a wrong bit");
        flash.wrong_bits[k & 1] = 0;
    }
    for (uint32_t &wrong : flash.wrong_bits) {
        wrong = lock ^ all;
        expect_locked(true, "if one reading of two gives ones");
        wrong = 0;
    }
    flash.silent_from = 1;
    expect_locked(true, "if the flash does not answer");
    flash.silent_from = UINT_MAX;
    for (uint8_t first : {0x00, 0x4c, 0xfe}) { // any other word
        flash.lock[0] = first;
        expect_locked(true, "with a damaged lock");
    }
    flash.lock.assign(4, 0xff); // read no more: it stays locked
    load(frames_of(given.serial)[0], PR_LOAD_DONE);
    load(frame_of(records_of(PR_RAM_BASE, image)[0]), PR_LOAD_DONE);
    load(frame_of(records_of(PR_RAM_BASE, image)[1]), PR_LOAD_BAD_VERIFIER);
    expect_locked(false, "with an erased lock");
    flash.lock = lock_of(key_pair(1), 3);
    load(frames_of(given.serial)[0], PR_LOAD_DONE);
    start(image, 'R', PR_LOAD_DONE);
    printf("a lock that is not clear is locked, at clock %ld\n", now);
}

void refuse_without_x(const words &image)
{
    const auto records = records_of(PR_RAM_BASE, image);
    say(frame_of(records[0]));
    expect_without_x("boot k\n");
    say(frame_of(records[1]));
    expect_without_x("boot v\n");
    expect_without_x("boot u\nboot w\n");
}

void scenario_intruder()
{
    const char *const ways[] = {"requests a reset",          "orders the start",  "orders it often",
                                "jumps to the boot program", "jumps into it",     "traps",
                                "waits for the watchdog",    "unlocks the board", "calls the verifier"};
    enum { WAITS = 6, UNLOCKS, CALLS };
    const bytes enter = frame_of(record(PR_LOAD_ENTER, PR_LOAD_KIND_ENTER, {}));
    words image(given.intruder.size() / 4);
    memcpy(image.data(), given.intruder.data(), given.intruder.size());
    flash.lock = lock_of(key_pair(1), 3);
    for (uint32_t &way = image[1]; way < sizeof ways / sizeof *ways; way++) {
        flash.content.clear();
        append(flash.content, record_of(frames_of(given.serial)[0]));
        if (way == CALLS)
            flash.content.insert(flash.content.end(), flash.lock.begin() + 4, flash.lock.end() - GO_BYTES);
        for (const auto &one : records_of(PR_RAM_BASE, image))
            append(flash.content, one);
        lose_supply();
        expect_without_x("A");
        if (way == WAITS) // else the image of the flash starts again
            say(enter);
        expect_without_x("boot w\n");
        say(enter);
        expect_without_x("boot k\n");
        run(20000);
        expect_without_x("");
        if (way == UNLOCKS)
            refuse_without_x(letter_image('X'));
        printf("an image that %s: held, at clock %ld\n", ways[way], now);
    }
}

uint32_t ram_at(uint32_t address)
{
    return ram_word((address - PR_RAM_BASE) / 4);
}

// Data for the handler of gather: halves of words.
void send_data(unsigned sequence, const std::vector<uint32_t> &halves)
{
    enum { GATHER = 9 };
    far_link.to_send = {tagged(PR_TAG_UNICAST_SITE, OWN_ADDRESS), tagged(PR_TAG_DATA, FAR_SITE),
                        tagged(PR_TAG_DATA, sequence), tagged(PR_TAG_DATA, GATHER)};
    for (uint32_t half : halves)
        far_link.to_send.push_back(tagged(PR_TAG_DATA, half));
    far_link.to_send.push_back(tagged(PR_TAG_END_OF_PACKET, 0));
    far_link.next = 0;
    run(400000);
}

// What site 6 says behind the announcement of the image: nothing of it is on its way.
void send_base()
{
    far_link.to_send = {tagged(PR_TAG_UNICAST_SITE, OWN_ADDRESS)};
    for (uint32_t word : {0x8000u | FAR_SITE, 1u, 0u, 1u, 0u, 0u})
        far_link.to_send.push_back(tagged(PR_TAG_DATA, word));
    far_link.to_send.push_back(tagged(PR_TAG_END_OF_PACKET, 0));
    far_link.next = 0;
    run(100000);
}

void scenario_mark()
{
    enum { HALVES = 64, PROBE = 0xab00, CODE_AT = 8 };
    std::vector<uint32_t> halves;
    flash.content = given.gather;
    flash.lock = lock_of(key_pair(1), 3);
    for (long k = 0; k < patience && !(site->alive && site->link_up && site->far_up); k++)
        step();
    run(200000);
    line.heard.clear();
    send_base();
    for (unsigned k = 0; k < HALVES; k++)
        halves.push_back(PROBE + k);
    send_data(0, halves);
    uint32_t first = ram_at(reserved) & 0xffff;
    if ((first & 0xff00) != PROBE)
        fail("the stack of gather does not reach where the boot program works");
    words code = letter_image('X'), wanted(HALVES / 2, reserved + 4 * CODE_AT);
    std::copy(code.begin(), code.end(), wanted.begin() + CODE_AT);
    for (unsigned k = 0; k < HALVES; k++)
        halves[(first - PROBE + k) % HALVES] = wanted[k / 2] >> (k % 2 ? 16 : 0) & 0xffff;
    send_data(1, halves);
    if (ram_at(reserved) != wanted[0] || ram_at(wanted[0]) != code[0])
        fail("the packet is not in the stack of gather as meant");
    line.heard.clear();
    send_record(record(PR_LOAD_ENTER, PR_LOAD_KIND_ENTER, {}), 0, false);
    expect_without_x("boot w\n");
    printf("code in the stack of an image: held, at clock %ld\n", now);
}

#endif
