// A board_site as its board sees it, verilated: bit-level serial line, a flash with the faults of a real one, RAM with
// noise (+firmware=FILE), and the far end of a link. usage: bench SCENARIO flash=FILE serial=FILE next=FILE
// verifier=FILE gather=FILE intruder=FILE seed=N [patience=N] +firmware=FILE
//   flash    the image starts from the flash, among noise, and answers on the console
//   bad      a wrong bit in the flash, then one that ends too early: named, nothing starts; then by serial line
//   serial   wrong records and noise on the line are refused by name; the image starts when all of it has come
//   mesh     the image (serial=) crashes; the watchdog restarts the core; packets load the other one (next=),
//            which then gives way to the boot program again
//   locked   a locked board refuses images that are not signed, of earlier versions, or too long, by name; with its
//            lock erased it starts them
//   lock     see lock_scenarios.h, as for intruder and mark
//   accepted a locked board checks Ed25519: the right image starts. Minutes
//   refused  the same: images with a wrong bit, and of another key, do not. Minutes an image
//   cut      a load by packets is cut at each of its words: see load_scenarios.h
//   relay    see relay_scenario.h
//   damaged  a tenth of the words of a load is damaged: see load_scenarios.h
//   crashing the image in the flash (serial=) crashes again and again; the serial line stops it, and loads the other
//            one (next=)
//   supply   the supply fails at any clock, whatever the start counter held: no epoch comes twice
// SPDX-License-Identifier: ISC
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "Vboard_site_end.h"
#include "board_models.h"
#include "protocol.h"
#include "signed_images.h"
#include "verilated.h"

namespace
{

enum {
    DIVIDER = 12,
    INDEX = 3,
    OWN_SITE = 5,
    OWN_ADDRESS = 0x81,
    FAR_ADDRESS = 0x82,
    NORTH_ADDRESS = 0x101,
    FAR_SITE = 6,
    FAR_NUMBER_ROW = 0x89
};
long patience = 30000000; // clocks for the slowest step: SERV reads an image

Vboard_site_end *site;
long now;
unsigned long random_state = 1;

uint32_t random_word()
{
    random_state = random_state * 6364136223846793005ul + 1442695040888963407ul;
    return (uint32_t)(random_state >> 33);
}

[[noreturn]] void fail(const std::string &reason)
{
    printf("FAIL at clock %ld: %s\n", now, reason.c_str());
    exit(1);
}

flash_model<Vboard_site_end> flash;
line_model<Vboard_site_end, DIVIDER> line;

// Packets over the far link: words to send, words of the packet that is arriving, and the last whole one.
struct {
    std::vector<uint32_t> to_send, arriving, arrived;
    size_t next;

    void step()
    {
        if (site->send != 0 && !site->send_wait)
            next++;
        unsigned tag = site->receive >> 16;
        if (tag == PR_TAG_END_OF_PACKET)
            arrived = arriving;
        if (tag == PR_TAG_END_OF_PACKET || tag == PR_TAG_ABORT_PACKET)
            arriving.clear();
        else if (tag != 0)
            arriving.push_back(site->receive);
    }

    void show()
    {
        site->send = next < to_send.size() ? to_send[next] : 0;
    }
} far_link;

void step()
{
    far_link.show();
    site->clk = 0;
    site->eval();
    far_link.step();
    site->clk = 1;
    site->eval();
    now++;
    flash.step(site);
    line.listen(site);
    line.speak(site);
    if (line.framing_error)
        fail("a stop bit of the console is 0");
    if (flash.programmed_elsewhere)
        fail("the flash is programmed outside of the start counters");
}

void run(long clocks)
{
    for (long k = 0; k < clocks; k++)
        step();
}

void expect(const std::string &text)
{
    for (long k = 0; k < patience; k++) {
        step();
        if (line.heard.size() >= text.size() && line.heard.find(text) != std::string::npos) {
            line.heard.clear();
            return;
        }
    }
    fail("the console says '" + line.heard + "', expected '" + text + "'");
}

void say(const bytes &what)
{
    line.to_send = what;
    line.next = 0;
}

void say(const char *text)
{
    say(bytes(text, text + strlen(text)));
}

// The image runs, and its console answers.
// The far end, which has been there since before the site had its number, has read it.
void expect_number()
{
    while (!site->link_up || !site->far_up)
        step();
    site->row = FAR_NUMBER_ROW;
    site->asks = 1;
    step();
    site->asks = 0;
    run(200);
    if ((site->far_memory & 0x7fff) != OWN_SITE)
        fail("the far end has read number " + std::to_string(site->far_memory & 0x7fff));
}

void expect_node()
{
    for (long k = 0; k < patience && !site->alive; k++)
        step();
    if (!site->alive)
        fail("the firmware has not started");
    run(200000);
    expect_number();
    line.heard.clear();
    say("id\r");
    expect("site " + std::to_string(OWN_SITE));
}

std::vector<bytes> frames_of(const bytes &stream)
{
    std::vector<bytes> frames;
    for (size_t at = 0; at < stream.size();) {
        size_t end = at + 1;
        while (stream[end] != 0)
            end++;
        frames.emplace_back(stream.begin() + (long)at, stream.begin() + (long)end + 1);
        at = end + 1;
    }
    return frames;
}

void load(const bytes &frame, char answer)
{
    say(frame);
    expect(std::string("boot ") + answer + "\n");
}

void load_all(const std::vector<bytes> &frames, size_t from)
{
    for (size_t k = from; k < frames.size(); k++)
        load(frames[k], PR_LOAD_DONE);
}

// The halves of the record in a frame.
std::vector<uint32_t> record_of(const bytes &frame)
{
    bytes raw;
    for (size_t at = 1; at + 1 < frame.size();) {
        unsigned code = frame[at++];
        for (unsigned k = 1; k < code; k++)
            raw.push_back(frame[at++]);
        if (code != 0xff && at + 1 < frame.size())
            raw.push_back(0);
    }
    std::vector<uint32_t> halves;
    for (size_t k = 0; k + 1 < raw.size(); k += 2)
        halves.push_back((uint32_t)raw[k] << 8 | raw[k + 1]);
    return halves;
}

uint32_t tagged(unsigned tag, uint32_t word)
{
    return tag << 16 | word;
}

// With other targets the packet is a multicast, of which this site gets a copy. The tag of the packet.
uint32_t send_record(const std::vector<uint32_t> &halves, unsigned sequence, bool others)
{
    const uint32_t tag = random_word() & 0x7fff, header[] = {FAR_SITE, sequence, PR_HANDLER_LOAD, FAR_ADDRESS, tag};
    if (others)
        far_link.to_send = {tagged(PR_TAG_MULTICAST_SITE, NORTH_ADDRESS), tagged(PR_TAG_MULTICAST_SITE, OWN_ADDRESS),
                            tagged(PR_TAG_MULTICAST_SITE, NORTH_ADDRESS + 0x80)};
    else
        far_link.to_send = {tagged(PR_TAG_UNICAST_SITE, OWN_ADDRESS)};
    for (uint32_t word : header)
        far_link.to_send.push_back(tagged(PR_TAG_DATA, word));
    for (uint32_t half : halves)
        far_link.to_send.push_back(tagged(PR_TAG_DATA, half));
    far_link.to_send.push_back(tagged(PR_TAG_END_OF_PACKET, 0));
    far_link.next = 0;
    far_link.arrived.clear();
    return tag;
}

void load_record(const std::vector<uint32_t> &halves, unsigned sequence, char answer, bool others = false)
{
    uint32_t tag = send_record(halves, sequence, others);
    for (long k = 0; k < patience && far_link.arrived.empty(); k++)
        step();
    const std::vector<uint32_t> expected = {tagged(PR_TAG_UNICAST_SITE, FAR_ADDRESS),
                                            tagged(PR_TAG_DATA, 5),
                                            tagged(PR_TAG_DATA, sequence),
                                            tagged(PR_TAG_DATA, PR_HANDLER_LOAD),
                                            tagged(PR_TAG_DATA, (uint8_t)answer),
                                            tagged(PR_TAG_DATA, tag)};
    if (far_link.arrived != expected) {
        for (uint32_t word : far_link.arrived)
            printf(" %05x", word);
        fail("wrong answer to load packet " + std::to_string(sequence));
    }
}

struct {
    const char *scenario;
    bytes flash, serial, next, verifier, gather, intruder;
} given;

uint8_t *counter()
{
    return &flash.starts[INDEX * PR_LOAD_STARTS_BYTES];
}

// A word of the counter: low half first, high byte first.
uint32_t counter_word(size_t k)
{
    const uint8_t *bytes = counter() + 4 * k;
    return (uint32_t)bytes[0] << 8 | bytes[1] | (uint32_t)bytes[2] << 24 | (uint32_t)bytes[3] << 16;
}

// The starts that the counter holds.
unsigned counted()
{
    size_t words = 0;
    while (words < PR_LOAD_STARTS_BYTES / 4 && counter_word(words) != UINT32_MAX)
        words++;
    unsigned bit = 32;
    while (words > 0 && bit > 0 && counter_word(words - 1) >> (bit - 1) & 1)
        bit--;
    return words == 0 ? 0 : 32 * ((unsigned)words - 1) + bit;
}

void expect_epoch(unsigned epoch)
{
    if (site->epoch != epoch || counted() != epoch)
        fail("epoch " + std::to_string(site->epoch) + ", and the flash has counted " + std::to_string(counted()) +
             " starts, expected " + std::to_string(epoch));
}

void lose_supply()
{
    site->running = 0;
    flash.lose_power();
    run(10);
    line.heard.clear();
    line.in_bit = -1;
    site->running = 1;
}

// Until the fabric has been released: the epoch must be in the flash by then.
void await_release()
{
    for (long k = 0; k < 2000000 && !site->fabric_runs; k++)
        step();
    if (!site->fabric_runs)
        fail("the fabric is not released");
}

void expect_uncounted(bool uncounted)
{
    if ((line.heard.find("boot n\n") != std::string::npos) != uncounted)
        fail(std::string("the console ") + (uncounted ? "does not name" : "names") + " a start that is not counted");
}

void start_and_expect(unsigned epoch)
{
    lose_supply();
    await_release();
    expect_epoch(epoch);
    expect_uncounted(false);
}

// Contents of the counter: so many words of 0, and one with other bits, or noise. All bits are what they read as.
void fill_counter(unsigned zeros, bool noise, unsigned words)
{
    std::fill(flash.weak.begin(), flash.weak.end(), 0);
    for (unsigned k = 0; k < PR_LOAD_STARTS_BYTES; k++)
        counter()[k] = (uint8_t)(k >= 4 * words ? 0xff : noise ? random_word() : k < 4 * zeros ? 0 : random_word());
}

// Starts that are cut short at any clock: each epoch with which the fabric was released is higher than those before.
void cut_starts(unsigned count)
{
    unsigned last = counted();
    for (unsigned k = 0; k < count; k++) {
        lose_supply();
        flash.program_clocks = 3000 + random_word() % 30000;
        long clocks = random_word() % (20000 + (unsigned long)flash.program_clocks);
        bool released = false;
        for (; clocks > 0; clocks--) {
            step();
            released |= site->fabric_runs;
        }
        if (released && site->epoch <= last)
            fail("epoch " + std::to_string(site->epoch) + " comes behind " + std::to_string(last));
        if (released)
            last = site->epoch;
    }
    lose_supply();
    await_release();
    if (site->epoch <= last)
        fail("epoch " + std::to_string(site->epoch) + " comes behind " + std::to_string(last));
}

void scenario_supply()
{
    const unsigned words = PR_LOAD_STARTS_BYTES / 4;
    flash.content = given.flash;
    for (unsigned epoch = 1; epoch <= 70; epoch++) // more than two words
        start_and_expect(epoch);
    cut_starts(150);
    for (int k = 0; k < 12; k++) {
        fill_counter(random_word() % 40, k & 1, 40);
        for (unsigned starts = 0, before = counted(); starts < 3; starts++)
            start_and_expect(before + starts + 1);
    }
    fill_counter(words - 1, false, words);
    counter()[4 * words - 2] = 0xdf; // bits 31 to 24 of the last word: two starts are left
    start_and_expect(8 * PR_LOAD_STARTS_BYTES - 1);
    start_and_expect(8 * PR_LOAD_STARTS_BYTES);
    lose_supply();
    await_release();
    expect_uncounted(true);
    fill_counter(3, false, 3);
    flash.write_protected = true;
    lose_supply();
    await_release();
    expect_uncounted(true);
    if (site->epoch != 97)
        fail("the epoch of a protected flash is " + std::to_string(site->epoch) + ", expected 97");
    flash.write_protected = false;
    start_and_expect(97);
    printf("the counter: %ld clocks\n", now);
}

void load_by_packet(const bytes &frame, unsigned sequence, char answer, bool others = false)
{
    load_record(record_of(frame), sequence, answer, others);
}

void scenario_flash()
{
    flash.content = given.flash;
    expect_node();
    expect_epoch(1);
    printf("from the flash at clock %ld\n", now);
}

void scenario_bad()
{
    flash.content = given.flash;
    flash.content[flash.content.size() / 2] ^= 4;
    expect("boot c\nboot w\n");
    if (site->alive)
        fail("an image with a wrong bit has started");
    lose_supply();
    flash.content = given.flash;
    flash.content.resize(flash.content.size() / 2);
    expect("boot w\n");
    if (site->alive)
        fail("half an image has started");
    load_all(frames_of(given.serial), 0);
    expect_node();
    printf("by serial line at clock %ld\n", now);
}

void scenario_serial()
{
    std::vector<bytes> frames = frames_of(given.serial);
    expect("boot w\n");
    load(frames.back(), PR_LOAD_BAD_ORDER); // go without a site record
    bytes noise;
    for (int k = 0; k < 300; k++)
        noise.push_back((uint8_t)random_word());
    noise.push_back(0);
    say(noise);
    run(900000);
    line.heard.clear();
    load(frames[0], PR_LOAD_DONE);
    load(frames.back(), PR_LOAD_BAD_IMAGE); // nothing but noise there yet
    for (size_t k = 1; k + 1 < frames.size(); k++) {
        if (k == 2)
            continue;
        if (k % 20 == 3) {
            bytes wrong = frames[k];
            wrong[20] ^= wrong[20] == 1 ? 2 : 1; // no zero, which would end the frame
            load(wrong, PR_LOAD_BAD_CHECK);
            wrong.erase(wrong.begin() + 20);
            load(wrong, PR_LOAD_BAD_LENGTH);
        }
        run(2000);
        load(frames[k], PR_LOAD_DONE);
    }
    load(frames.back(), PR_LOAD_BAD_IMAGE); // record 2 is missing
    load(frames[2], PR_LOAD_DONE);
    load(frames.back(), PR_LOAD_DONE);
    expect_node();
    printf("by serial line at clock %ld\n", now);
}

// A record of these halves: with its check behind them.
std::vector<uint32_t> checked(std::vector<uint32_t> halves)
{
    uint32_t crc = 0xffff;
    for (uint32_t half : halves) {
        crc ^= half;
        for (int bit = 0; bit < 16; bit++)
            crc = (crc << 1 ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
    }
    halves.push_back(crc);
    halves.push_back(0);
    return halves;
}

// Firmware that runs gives way to the boot program, which still finds the image in RAM, and starts it again.
void enter_again(const std::vector<uint32_t> &go)
{
    const std::vector<uint32_t> enter = checked({PR_LOAD_ENTER & 0xffff, PR_LOAD_ENTER >> 16, 0, PR_LOAD_KIND_ENTER});
    std::vector<uint32_t> check(go.begin(), go.end() - 2), wrong;
    send_record(enter, 0, false);
    expect("boot w\n");
    load_record(enter, 1, PR_LOAD_DONE);
    check[3] = PR_LOAD_KIND_CHECK;
    load_record(checked(check), 2, PR_LOAD_DONE, true);
    wrong = check;
    wrong[6] ^= 1; // the CRC of the image
    load_record(checked(wrong), 3, PR_LOAD_BAD_IMAGE);
    load_record(wrong, 4, PR_LOAD_BAD_LENGTH);
    load_record(go, 5, PR_LOAD_DONE, true);
    expect_node();
    printf("has given way, and started again, at clock %ld\n", now);
}

// The packet comes in from the north, and can but go on to the south (U1): the fabric gives it to this site. Has the
// site sent it on?
bool is_sent_on(unsigned address, unsigned data_words, unsigned terminator)
{
    const long while_it_could = 100000;
    bool sends = false;
    std::vector<uint32_t> packet = {tagged(PR_TAG_UNICAST_SITE, address)};
    for (unsigned k = 0; k < data_words; k++)
        packet.push_back(tagged(PR_TAG_DATA, random_word() & 0xffff));
    far_link.to_send = packet;
    far_link.to_send.push_back(tagged(terminator, 0));
    far_link.next = 0;
    far_link.arrived.clear();
    site->by_north = 1;
    for (long k = 0; k < while_it_could && far_link.arrived.empty(); k++) {
        step();
        sends = sends || site->sends;
    }
    site->by_north = 0;
    if (sends && far_link.arrived != packet)
        fail("a packet that is sent on does not arrive as it was");
    return sends;
}

void expect_sent_on(unsigned address, unsigned data_words, unsigned terminator, bool expected)
{
    if (is_sent_on(address, data_words, terminator) != expected)
        fail("a packet for " + std::to_string(address) + " of " + std::to_string(data_words) + " data words and tag " +
             std::to_string(terminator) + (expected ? " has not been sent on" : " has been sent on"));
}

void expect_answers_sent_on()
{
    const unsigned answer_words = PR_LOAD_PACKET_ANSWER + 2;
    expect_sent_on(FAR_ADDRESS, answer_words, PR_TAG_END_OF_PACKET, true);
    expect_sent_on(FAR_ADDRESS, answer_words, PR_TAG_ABORT_PACKET, false);
    expect_sent_on(FAR_ADDRESS, answer_words - 1, PR_TAG_END_OF_PACKET, false);
    expect_sent_on(FAR_ADDRESS, answer_words + 1, PR_TAG_END_OF_PACKET, false);
    expect_sent_on(OWN_ADDRESS, answer_words, PR_TAG_END_OF_PACKET, false);
}

void scenario_mesh()
{
    std::vector<bytes> frames = frames_of(given.next);
    expect("boot w\n");
    load_all(frames_of(given.serial), 0);
    expect("trap: mcause");
    expect_epoch(1);
    for (long k = 0; k < patience && !(site->link_up && site->far_up); k++)
        step();
    far_link.to_send = {tagged(PR_TAG_UNICAST_SITE, OWN_ADDRESS)}; // half a packet, whose rest comes after the restart
    for (unsigned k = 0; k < 40; k++)
        far_link.to_send.push_back(tagged(PR_TAG_DATA, k));
    expect("boot w\n");
    expect_epoch(2);
    far_link.to_send.push_back(tagged(PR_TAG_DATA, 0xdead));
    far_link.to_send.push_back(tagged(PR_TAG_END_OF_PACKET, 0));
    while (far_link.next < far_link.to_send.size())
        step();
    expect_answers_sent_on();
    load_by_packet(frames.back(), 0, PR_LOAD_BAD_IMAGE);
    load_by_packet(frames[0], 1, PR_LOAD_DONE);
    load_by_packet(frames[1], 2, PR_LOAD_DONE);
    load_by_packet(frames[1], 3, PR_LOAD_DONE); // its answer may have been lost
    for (size_t k = 2; k < frames.size(); k++)
        load_by_packet(frames[k], (unsigned)k + 2, PR_LOAD_DONE, k % 3 == 0);
    expect_node();
    printf("by %zu packets at clock %ld\n", frames.size() + 1, now);
    enter_again(record_of(frames.back()));
}

// A record of these words, as halves.
std::vector<uint32_t> record(uint32_t address, unsigned kind, const words &data)
{
    std::vector<uint32_t> halves = {address & 0xffff, address >> 16, (uint32_t)data.size(), kind};
    for (uint32_t word : data)
        halves.insert(halves.end(), {word & 0xffff, word >> 16});
    return checked(halves);
}

uint32_t crc_of(const words &image)
{
    std::vector<uint32_t> halves;
    for (uint32_t word : image)
        halves.insert(halves.end(), {word & 0xffff, word >> 16});
    return checked(halves)[halves.size()];
}

std::vector<std::vector<uint32_t>> records_of(uint32_t address, const words &image)
{
    std::vector<std::vector<uint32_t>> records;
    for (size_t at = 0; at < image.size(); at += PR_LOAD_DATA_MAX)
        records.push_back(record(
            address + 4 * (uint32_t)at, PR_LOAD_KIND_DATA,
            words(image.begin() + (long)at, image.begin() + (long)std::min(image.size(), at + PR_LOAD_DATA_MAX))));
    records.push_back(record(address, PR_LOAD_KIND_GO, {(uint32_t)image.size(), crc_of(image)}));
    return records;
}

void append(bytes &out, const std::vector<uint32_t> &halves)
{
    for (uint32_t half : halves)
        out.insert(out.end(), {(uint8_t)(half >> 8), (uint8_t)half});
}

// Between zeroes, in COBS.
bytes frame_of(const std::vector<uint32_t> &halves)
{
    bytes raw, frame = {0, 0};
    size_t code = 1;
    append(raw, halves);
    for (uint8_t byte : raw) {
        if (byte != 0)
            frame.push_back(byte);
        if (byte == 0 || frame.size() - code == 0xff) {
            frame[code] = (uint8_t)(frame.size() - code);
            code = frame.size();
            frame.push_back(0);
        }
    }
    frame[code] = (uint8_t)(frame.size() - code);
    frame.push_back(0);
    return frame;
}

// Sends the bytes every 20000 clocks until the console has the text.
void repeat_until(const bytes &what, const char *text)
{
    line.heard.clear();
    for (long k = 0; line.heard.find(text) == std::string::npos; k++) {
        if (k > patience)
            fail("the console says '" + line.heard + "', expected '" + text + "'");
        if (k % 20000 == 0)
            say(what);
        step();
    }
    line.heard.clear();
}

// The image of the flash crashes whenever it starts. Noise on the line does not keep it from its next start, a record
// behind a restart by the watchdog does.
void scenario_crashing()
{
    const bytes noise = {0, 6, 'n', 'o', 'i', 's', 'e', 0};
    const bytes enter = frame_of(record(PR_LOAD_ENTER, PR_LOAD_KIND_ENTER, {}));
    for (const bytes &frame : frames_of(given.serial))
        append(flash.content, record_of(frame));
    expect("trap: mcause");
    expect_epoch(1);
    repeat_until(noise, "boot l\n");
    expect("trap: mcause");
    expect_epoch(2);
    repeat_until(enter, "boot k\n");
    run(3000000); // longer than it listens
    if (line.heard.find("boot w\n") == std::string::npos || line.heard.find("trap") != std::string::npos)
        fail("an order to enter is followed by '" + line.heard + "'");
    line.heard.clear();
    expect_epoch(3);
    load_all(frames_of(given.next), 0);
    expect_node();
    printf("a site that crashes again and again, by serial line at clock %ld\n", now);
}

bytes lock_with(const words &verifier)
{
    bytes lock;
    append(lock, {PR_LOAD_LOCKED & 0xffff, PR_LOAD_LOCKED >> 16});
    for (const auto &one : records_of(PR_RAM_BASE + PR_LOAD_VERIFIER, verifier))
        append(lock, one);
    return lock;
}

bytes lock_of(const key_pair &key, uint32_t oldest)
{
    words verifier(given.verifier.size() / 4);
    memcpy(verifier.data(), given.verifier.data(), given.verifier.size());
    memcpy(&verifier[PR_LOCK_KEY], key.open, sizeof key.open);
    verifier[PR_LOCK_OLDEST] = oldest;
    return lock_with(verifier);
}

// Loads a locked board by its serial line. The verifier refuses the image, and the board waits.
void refuse(const words &image, char verdict, uint32_t address = PR_RAM_BASE)
{
    const auto records = records_of(address, image);
    for (size_t k = 0; k + 1 < records.size(); k++)
        load(frame_of(records[k]), PR_LOAD_DONE);
    load(frame_of(records.back()), PR_LOAD_CHECKING);
    expect(std::string("boot ") + verdict + "\nboot w\n");
    printf("refused, %c, at clock %ld\n", verdict, now);
    fflush(stdout);
}

void start(const words &image, char letter, char answer)
{
    const auto records = records_of(PR_RAM_BASE, image);
    for (const auto &one : records)
        load(frame_of(one), one == records.back() ? answer : (char)PR_LOAD_DONE);
    expect(std::string(1, letter));
    printf("started at clock %ld\n", now);
}

// Locked, with the fabric released.
void begin_locked(const key_pair &key)
{
    flash.lock = lock_of(key, 3);
    lose_supply();
    expect("boot w\n");
    load(frames_of(given.serial)[0], PR_LOAD_DONE);
}

// What the boot program makes of a verdict, by verifiers that do not take 100 million clocks to find one.
void expect_obeyed()
{
    const words accepts = {0x00000513u | PR_LOAD_DONE << 20, 0x00008067},
                traps = {0x00000073}; // li a0, k; ret -- ecall
    const words image = letter_image('R');
    flash.lock = lock_with(traps);
    load(frame_of(records_of(PR_RAM_BASE, image)[0]), PR_LOAD_DONE);
    say(frame_of(records_of(PR_RAM_BASE, image)[1]));
    expect("boot w\n");
    run(100000);
    if (line.heard.find('R') != std::string::npos)
        fail("an image has started although its verifier has trapped");
    flash.lock = lock_with(accepts);
    start(image, 'R', PR_LOAD_CHECKING);
}

void scenario_locked()
{
    const key_pair key(1);
    const words image = letter_image('R');
    begin_locked(key);
    refuse(image, PR_LOAD_UNSIGNED);
    unsigned epoch = counted();
    load(frame_of(records_of(PR_RAM_BASE, image).back()), PR_LOAD_UNSIGNED); // the same image once more
    words moved = sign(image, 3, key);
    refuse(moved, PR_LOAD_UNSIGNED, PR_RAM_BASE + 16);
    moved.erase(moved.begin());
    refuse(moved, PR_LOAD_UNSIGNED);
    refuse(sign(image, 2, key), PR_LOAD_OLD_VERSION);
    refuse(words(32, 1), PR_LOAD_BAD_ADDRESS, PR_RAM_BASE + PR_LOAD_VERIFIER - 64);
    expect_epoch(epoch); // a verdict is no new start
    for (long k = 0; k < patience && !(site->link_up && site->far_up); k++)
        step();
    load_record(record(PR_RAM_BASE, PR_LOAD_KIND_DATA, image), 1, PR_LOAD_DONE);
    load_record(records_of(PR_RAM_BASE, image).back(), 2, PR_LOAD_CHECKING);
    expect("boot u\nboot w\n");
    load_record(records_of(PR_RAM_BASE, image).back(), 3, PR_LOAD_UNSIGNED);
    load_record(record(PR_RAM_BASE, PR_LOAD_KIND_DATA, image), 4, PR_LOAD_DONE);
    flash.lock[flash.lock.size() / 2] ^= 4;
    load_record(records_of(PR_RAM_BASE, image).back(), 5, PR_LOAD_BAD_VERIFIER);
    run(100000);
    if (line.heard.find('R') != std::string::npos)
        fail("an image without a signature has started");
    expect_obeyed();
    flash.lock.assign(4, 0xff);
    lose_supply();
    expect("boot w\n");
    load(frames_of(given.serial)[0], PR_LOAD_DONE);
    start(image, 'R', PR_LOAD_DONE);
}

void scenario_accepted()
{
    const key_pair key(1);
    patience = 20000000000;
    begin_locked(key);
    start(sign(letter_image('R'), 3, key), 'R', PR_LOAD_CHECKING);
}

void scenario_refused()
{
    const key_pair key(1), other(2);
    const words image = sign(letter_image('R'), 3, key);
    patience = 20000000000;
    begin_locked(key);
    for (size_t word : {(size_t)1, image.size() - PR_SIGNATURE_WORDS + PR_SIGNATURE_VALUE, image.size() - 1}) {
        words wrong = image;
        wrong[word] ^= 1u << random_word() % 28;
        refuse(wrong, PR_LOAD_BAD_SIGNATURE);
    }
    refuse(sign(letter_image('R'), 3, other), PR_LOAD_BAD_SIGNATURE);
}

#include "load_scenarios.h"
#include "lock_scenarios.h"
#include "relay_scenario.h"

const struct {
    const char *name;
    void (*run)();
} scenarios[] = {{"flash", scenario_flash},       {"relay", scenario_relay},       {"bad", scenario_bad},
                 {"serial", scenario_serial},     {"mesh", scenario_mesh},         {"locked", scenario_locked},
                 {"accepted", scenario_accepted}, {"refused", scenario_refused},   {"supply", scenario_supply},
                 {"cut", scenario_cut},           {"damaged", scenario_damaged},   {"crashing", scenario_crashing},
                 {"lock", scenario_lock},         {"intruder", scenario_intruder}, {"mark", scenario_mark}};

void take_argument(const char *argument)
{
    if (!strncmp(argument, "flash=", 6))
        given.flash = read_file(argument + 6);
    else if (!strncmp(argument, "serial=", 7))
        given.serial = read_file(argument + 7);
    else if (!strncmp(argument, "next=", 5))
        given.next = read_file(argument + 5);
    else if (!strncmp(argument, "verifier=", 9))
        given.verifier = read_file(argument + 9);
    else if (!strncmp(argument, "gather=", 7))
        given.gather = read_file(argument + 7);
    else if (!strncmp(argument, "intruder=", 9))
        given.intruder = read_file(argument + 9);
    else if (!strncmp(argument, "patience=", 9))
        patience = strtol(argument + 9, nullptr, 10);
    else if (!strncmp(argument, "seed=", 5))
        random_state = strtoul(argument + 5, nullptr, 10), srand((unsigned)random_state);
    else if (argument[0] != '+')
        given.scenario = argument;
}

} // namespace

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    for (int k = 1; k < argc; k++)
        take_argument(argv[k]);
    site = new Vboard_site_end;
    site->running = 1;
    site->cable = 1;
    site->uart_rx = 1;
    site->flash_in = 1;
    flash.content_at += INDEX * (PR_BOARD_STATE_INDEX & ~(PR_BOARD_STATE_INDEX << 1));
    for (const auto &scenario : scenarios)
        if (given.scenario && !strcmp(given.scenario, scenario.name)) {
            scenario.run();
            return 0;
        }
    fprintf(stderr,
            "usage: bench flash|bad|serial|mesh|locked|accepted|refused|supply|cut|damaged|crashing|lock|intruder|mark "
            "flash=FILE serial=FILE next=FILE verifier=FILE gather=FILE intruder=FILE seed=N +firmware=FILE\n");
    return 1;
}
