// A part of bench.cpp: loads over the mesh that do not go well, on the real boot program.
//
//   cut      after each word of the load the rest does not come: the packet is aborted, the cable unplugged, the board
//            reset, or its supply lost and RAM with it. Nothing starts, nothing of half a record is in RAM, and the
//            boot program takes the rest. One wrong bit anywhere in a record is refused; so is an image with one
//   damaged  a tenth of all words in packets is damaged. The link's CRC ends half of those packets; the others arrive.
//            A tenth of the answers is lost. The right image starts in the end, and no other one
//
// The images print a letter, and give way to the boot program again.
// SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_RTL_BOARD_SITE_LOAD_SCENARIOS_H
#define POSTROAD_TESTS_RTL_BOARD_SITE_LOAD_SCENARIOS_H

using halves_type = std::vector<uint32_t>;

enum {
    IMAGE_WORDS = 14,
    RECORD_ROOM = 8,
    RESET_ROUND = 6,       // of so many cuts one is a loss of the supply, or a reset
    SETTLE_CLOCKS = 1500,  // for the words of a packet that is cut
    ANSWER_CLOCKS = 12000, // for a record and its answer
    DAMAGED_PART = 10,     // of words, and of answers
    TRIES_MAX = 1000,      // of a record
    INCOMPLETE_MAX = 3     // of all loads: a wrong record whose CRC is right, one in 65536
};

size_t words_of_packet(const halves_type &halves)
{
    return 1 + PR_LOAD_PACKET_RECORD + halves.size() + 1;
}

// `count` words, which differ from those of all other images: code, then noise.
words brief_image(char letter, size_t count)
{
    words image = {0x10000537,                           // lui a0, UART
                   0x00000593u | (uint32_t)letter << 20, // li a1, letter
                   0x00b50023,                           // sb a1, 0(a0)
                   0x40000613,                           // li a2, 1024: the letter leaves the UART
                   0xfff60613,
                   0xfe061ee3,                                   // addi a2, a2, -1; bnez a2
                   PR_BOARD_BASE | 0x537,                        // lui a0, BOARD
                   0x00000593u | PR_BOARD_CONTROL_RESTART << 20, // li a1, RESTART
                   0x00b52023u | PR_BOARD_CONTROL << 7,          // sw a1, CONTROL(a0)
                   0xffdff06f};                                  // again, until the core is reset
    while (image.size() < count)
        image.push_back(random_word() << 16 ^ random_word());
    return image;
}

uint32_t ram_word(size_t word)
{
    site->ram_at = (uint16_t)word;
    site->eval();
    return site->ram_word;
}

words ram_words(size_t count)
{
    words found;
    for (size_t word = 0; word < count; word++)
        found.push_back(ram_word(word));
    return found;
}

// SPRAM without its supply.
void fill_ram_with_noise()
{
    site->ram_we = 1;
    for (unsigned word = 0; word < 65536 / 4; word++) {
        site->ram_at = (uint16_t)word;
        site->ram_in = random_word() << 16 ^ random_word();
        step();
    }
    site->ram_we = 0;
}

std::vector<halves_type> short_records(const words &image, size_t room)
{
    std::vector<halves_type> records;
    for (size_t at = 0; at < image.size(); at += room)
        records.push_back(
            record(PR_RAM_BASE + 4 * (uint32_t)at, PR_LOAD_KIND_DATA,
                   words(image.begin() + (long)at, image.begin() + (long)std::min(image.size(), at + room))));
    records.push_back(record(PR_RAM_BASE, PR_LOAD_KIND_GO, {(uint32_t)image.size(), crc_of(image)}));
    return records;
}

char next_letter()
{
    static unsigned count;
    return (char)('A' + count++ % 26);
}

// The boot program writes small letters alone.
std::string started()
{
    std::string letters;
    for (char one : line.heard)
        if (one >= 'A' && one <= 'Z')
            letters.push_back(one);
    return letters;
}

void expect_nothing_started(const char *when)
{
    if (!started().empty())
        fail(std::string("an image has started ") + when + ": " + started());
}

// It has started, and given way again.
void expect_start(char letter, const words &image)
{
    for (long k = 0; k < patience && line.heard.find("boot w\n") == std::string::npos; k++)
        step();
    if (started() != std::string(1, letter))
        fail(std::string("the console says '") + line.heard + "', expected " + letter +
             " and that the boot program waits");
    if (ram_words(image.size()) != image)
        fail("another image has started");
    line.heard.clear();
}

void await_link()
{
    for (long k = 0; k < patience && !(site->link_up && site->far_up); k++)
        step();
    if (!site->link_up || !site->far_up)
        fail("the link does not come up");
}

// Begins with a flash that has the site record, and no image.
void begin_without_image()
{
    flash.content.clear();
    append(flash.content, record_of(frames_of(given.serial)[0]));
    expect("boot w\n");
    await_link();
}

struct brief_load {
    const char letter;
    const words image, before;
    const std::vector<halves_type> records;
    unsigned sequence = 0;

    brief_load(size_t count, size_t room)
        : letter(next_letter()), image(brief_image(letter, count)), before(ram_words(count)),
          records(short_records(image, room)), room(room)
    {
    }

    void send(size_t from, size_t to)
    {
        for (size_t k = from; k < to; k++)
            load_record(records[k], sequence++, PR_LOAD_DONE);
    }

    void send_rest(size_t from)
    {
        send(from, records.size());
        expect_start(letter, image);
    }

    void refuse_start()
    {
        load_record(records.back(), sequence++, PR_LOAD_BAD_IMAGE);
        run(SETTLE_CLOCKS);
        expect_nothing_started("without its words");
    }

    // RAM has the records before this one; this one as a whole, where all of its words have come, or nothing of it.
    void expect_ram(size_t record, bool all_words) const
    {
        const words found = ram_words(image.size());
        const size_t whole = std::min(image.size(), record * room), next = std::min(image.size(), whole + room);
        const bool taken = all_words && std::equal(found.begin(), found.begin() + (long)next, image.begin());
        const size_t end = taken ? next : whole;
        if (!std::equal(found.begin(), found.begin() + (long)end, image.begin()) ||
            !std::equal(found.begin() + (long)end, found.end(), before.begin() + (long)end))
            fail("a part of record " + std::to_string(record) + " is in RAM");
    }

  private:
    const size_t room;
};

enum cut { ABORTED, UNPLUGGED, RESET, POWERED_OFF };

void start_again()
{
    lose_supply();
    expect("boot w\n");
    await_link();
}

// After `count` words of its packet.
void send_part(const halves_type &halves, unsigned sequence, size_t count)
{
    send_record(halves, sequence, false);
    far_link.to_send.resize(count);
    for (long k = 0; k < patience && far_link.next < count; k++)
        step();
    if (count > 0)
        far_link.to_send.push_back(tagged(PR_TAG_ABORT_PACKET, 0));
}

void interrupt_with(cut how)
{
    site->cable = how != UNPLUGGED;
    if (how == POWERED_OFF)
        fill_ram_with_noise();
    if (how == RESET || how == POWERED_OFF)
        start_again();
    for (long k = 0; k < patience && how == UNPLUGGED && site->link_up; k++)
        step();
    run(SETTLE_CLOCKS);
    site->cable = 1;
    await_link();
}

void cut_load(size_t at, size_t count, cut how)
{
    brief_load load(IMAGE_WORDS, RECORD_ROOM);
    load.send(0, at);
    send_part(load.records[at], load.sequence++, count);
    interrupt_with(how);
    expect_nothing_started("before its go record");
    if (how != POWERED_OFF)
        load.expect_ram(at, count == words_of_packet(load.records[at]) - 1);
    if (how == POWERED_OFF || ram_words(IMAGE_WORDS) != load.image)
        load.refuse_start();
    load.send_rest(how == POWERED_OFF ? 0 : at);
}

// Casts are not answered.
bool is_cast(const halves_type &record)
{
    return record[2 * PR_LOAD_COUNT + 1] == PR_LOAD_KIND_CAST;
}

void expect_silence(const halves_type &record, unsigned sequence, long clocks)
{
    send_record(record, sequence, false);
    run(clocks);
    if (!far_link.arrived.empty())
        fail("a cast is answered");
}

// One wrong bit in a record, at every place.
void flip_records()
{
    brief_load load(IMAGE_WORDS, RECORD_ROOM);
    for (size_t k : {(size_t)0, load.records.size() - 1}) {
        for (size_t bit = 0; bit < 16 * load.records[k].size(); bit++) {
            halves_type wrong = load.records[k];
            wrong[bit / 16] ^= 1u << bit % 16;
            char expected = bit / 16 == PR_LOAD_COUNT * 2 ? PR_LOAD_BAD_LENGTH : PR_LOAD_BAD_CHECK;
            if (is_cast(wrong))
                expect_silence(wrong, load.sequence++, ANSWER_CLOCKS);
            else
                load_record(wrong, load.sequence++, expected);
        }
        load.expect_ram(k == 0 ? 0 : load.records.size() - 1, false);
        expect_nothing_started("by a record with a wrong bit");
        load.send(0, load.records.size() - 1);
    }
    load.send_rest(load.records.size() - 1);
}

// One wrong bit in the image, in records that are right.
void flip_image(unsigned count)
{
    brief_load load(IMAGE_WORDS, RECORD_ROOM);
    load.send(0, load.records.size() - 1);
    for (unsigned k = 0; k < count; k++) {
        size_t word = random_word() % load.image.size();
        load_record(
            record(PR_RAM_BASE + 4 * (uint32_t)word, PR_LOAD_KIND_DATA, {load.image[word] ^ 1u << random_word() % 32}),
            load.sequence++, PR_LOAD_DONE);
        load.refuse_start();
        load_record(record(PR_RAM_BASE + 4 * (uint32_t)word, PR_LOAD_KIND_DATA, {load.image[word]}), load.sequence++,
                    PR_LOAD_DONE);
    }
    load.send_rest(load.records.size() - 1);
}

void scenario_cut()
{
    unsigned cuts = 0;
    begin_without_image();
    const brief_load like(IMAGE_WORDS, RECORD_ROOM);
    for (size_t at = 0; at < like.records.size(); at++)
        for (size_t count = 0; count < words_of_packet(like.records[at]); count++, cuts++) {
            cut_load(at, count, cuts % 2 == 0 ? ABORTED : UNPLUGGED);
            if (cuts % RESET_ROUND == 0)
                cut_load(at, count, cuts / RESET_ROUND % 2 == 0 ? RESET : POWERED_OFF);
        }
    printf("cut at each of %u words, at clock %ld\n", cuts, now);
    flip_records();
    flip_image(16);
    printf("wrong bits are refused, at clock %ld\n", now);
}

// With a tenth of its words damaged. Half of the damage is noticed: then the packet ends there.
uint32_t send_damaged(const halves_type &halves, unsigned sequence)
{
    uint32_t tag = send_record(halves, sequence, false);
    std::vector<uint32_t> &packet = far_link.to_send;
    for (size_t k = 0; k + 1 < packet.size(); k++) {
        if (random_word() % DAMAGED_PART != 0)
            continue;
        packet[k] ^= 1 + random_word() % 0xffff;
        if (random_word() % 2 == 0) {
            packet.resize(k + 1);
            packet.push_back(tagged(PR_TAG_ABORT_PACKET, 0));
        }
    }
    return tag;
}

struct damage_counts {
    unsigned long packets, refused, incomplete;
} damage;

// The answer to one of the tries with these tags, 0: none has come in time.
char await_answer(const std::vector<uint32_t> &tags)
{
    for (long k = 0; k < ANSWER_CLOCKS; k++) {
        step();
        if (far_link.arrived.empty())
            continue;
        const std::vector<uint32_t> answer = far_link.arrived;
        far_link.arrived.clear();
        if (random_word() % DAMAGED_PART != 0 && answer.size() == 6 &&
            std::find(tags.begin(), tags.end(), answer[5] & 0xffff) != tags.end())
            return (char)answer[4];
    }
    return 0;
}

// Sends the record until it has been carried out. False: RAM does not hold the image.
bool insist(const halves_type &halves, unsigned &sequence, bool starts)
{
    std::vector<uint32_t> tags;
    for (unsigned tries = 0; tries < TRIES_MAX; tries++) {
        tags.push_back(send_damaged(halves, sequence++));
        damage.packets++;
        char answer = await_answer(tags);
        if (!starts)
            expect_nothing_started("before its go record");
        if (answer == PR_LOAD_DONE || !started().empty())
            return true;
        if (answer == PR_LOAD_BAD_IMAGE)
            return false;
        damage.refused += answer != 0;
    }
    fail("a record does not arrive in " + std::to_string(TRIES_MAX) + " tries");
}

void load_damaged()
{
    brief_load load(IMAGE_WORDS, 2);
    bool good;
    do {
        good = true;
        for (const auto &one : load.records)
            good = good && insist(one, load.sequence, one == load.records.back());
        if (!good && ++damage.incomplete > INCOMPLETE_MAX)
            fail("images are refused again and again");
    } while (!good);
    expect_start(load.letter, load.image);
}

void scenario_damaged()
{
    begin_without_image();
    for (unsigned k = 0; k < 20; k++)
        load_damaged();
    printf("%lu packets, %lu refused, %lu loads begun anew: at clock %ld\n", damage.packets, damage.refused,
           damage.incomplete, now);
}

#endif
