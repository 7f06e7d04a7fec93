// A part of bench.cpp: a board whose serial line loads others.
//
//   relay    records of the line go on to the sites of a relay record, and their answers to the line; casts are not
//   answered;
//            what has been damaged goes nowhere; a check is forgotten when data come
// SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_RTL_BOARD_SITE_RELAY_SCENARIO_H
#define POSTROAD_TESTS_RTL_BOARD_SITE_RELAY_SCENARIO_H

enum { RELAY_TAG = 0x1b3f, QUIET_CLOCKS = 100000 };

bytes relay_frame(bool own, const words &targets)
{
    return frame_of(record(RELAY_TAG | (own ? PR_LOAD_RELAY_OWN : 0), PR_LOAD_KIND_RELAY, targets));
}

// Says the record, and expects this answer, and that the record goes on to the far end, or nothing does.
void relay_and_expect(const halves_type &halves, char answer, bool goes_on)
{
    far_link.arrived.clear();
    line.heard.clear();
    say(frame_of(halves));
    std::string text = std::string("boot ") + answer + "\n";
    for (long k = 0; k < patience && line.heard != text; k++)
        step();
    for (long k = 0; k < QUIET_CLOCKS && far_link.arrived.empty(); k++)
        step();
    if (line.heard != text)
        fail("the console says '" + line.heard + "', expected '" + text + "'");
    line.heard.clear();
    if (far_link.arrived.empty() == goes_on)
        fail(goes_on ? "no packet goes on" : "a packet goes on");
    if (!goes_on)
        return;
    std::vector<uint32_t> found = far_link.arrived, expected = {tagged(PR_TAG_UNICAST_SITE, FAR_ADDRESS)};
    for (uint32_t word :
         {(uint32_t)OWN_SITE, 0u, (uint32_t)PR_HANDLER_LOAD, (uint32_t)OWN_ADDRESS, (uint32_t)RELAY_TAG})
        expected.push_back(tagged(PR_TAG_DATA, word));
    for (uint32_t half : halves)
        expected.push_back(tagged(PR_TAG_DATA, half));
    if (found.size() > 2)
        found[2] = expected[2]; // any sequence number
    if (found != expected)
        fail("another packet goes on");
}

void expect_ram(const words &expected, const char *when)
{
    if (ram_words(expected.size()) != expected)
        fail(std::string("wrong words in RAM ") + when);
}

void expect_relayed_answer()
{
    line.heard.clear();
    far_link.to_send = {tagged(PR_TAG_UNICAST_SITE, OWN_ADDRESS)};
    for (uint32_t word :
         {(uint32_t)FAR_SITE, 9u, (uint32_t)PR_HANDLER_LOAD, (uint32_t)PR_LOAD_BAD_IMAGE, (uint32_t)RELAY_TAG})
        far_link.to_send.push_back(tagged(PR_TAG_DATA, word));
    far_link.to_send.push_back(tagged(PR_TAG_END_OF_PACKET, 0));
    far_link.next = 0;
    expect("boot i 0006 1b3f\n");
}

// A packet with a cast changes RAM, and is not answered.
void expect_cast(const words &image)
{
    expect_silence(record(PR_RAM_BASE, PR_LOAD_KIND_CAST, image), 1, QUIET_CLOCKS);
    expect_ram(image, "behind a cast");
}

void expect_check(const words &image, char answer)
{
    load(frame_of(record(PR_RAM_BASE, PR_LOAD_KIND_CHECK, {(uint32_t)image.size(), crc_of(image)})), answer);
}

void scenario_relay()
{
    const words image = brief_image('R', IMAGE_WORDS), other = brief_image('S', IMAGE_WORDS);
    const halves_type data = record(PR_RAM_BASE, PR_LOAD_KIND_DATA, image),
                      second = record(PR_RAM_BASE, PR_LOAD_KIND_DATA, other);
    begin_without_image();
    load(relay_frame(true, {FAR_ADDRESS}), PR_LOAD_DONE);
    relay_and_expect(data, PR_LOAD_DONE, true);
    expect_ram(image, "of a site that takes the record itself");
    load(relay_frame(false, {FAR_ADDRESS}), PR_LOAD_DONE);
    relay_and_expect(second, PR_LOAD_DONE, true);
    relay_and_expect(second, PR_LOAD_DONE, true);
    expect_ram(image, "of a site that does not take the record itself");
    halves_type wrong = second;
    wrong[7] ^= 0x100;
    relay_and_expect(wrong, PR_LOAD_BAD_CHECK, false);
    expect_relayed_answer();
    load(relay_frame(false, {}), PR_LOAD_DONE);
    relay_and_expect(second, PR_LOAD_DONE, false);
    expect_ram(other, "of a site that takes the record alone");
    load_record(record(RELAY_TAG, PR_LOAD_KIND_RELAY, {FAR_ADDRESS}), 1, PR_LOAD_BAD_KIND);
    expect_check(other, PR_LOAD_DONE);
    expect_cast(image);
    expect_check(other, PR_LOAD_BAD_IMAGE);
    expect_check(image, PR_LOAD_DONE);
    // Three packets: each waits for the copy that the one before has sent here.
    load(relay_frame(false, words(33, FAR_ADDRESS)), PR_LOAD_DONE);
    load(frame_of(data), PR_LOAD_DONE);
    printf("records of the line go on, at clock %ld\n", now);
}

#endif
