// Two locked boards on the RTL, loaded by the serial line of site 0: it relays the records to site 1, and each checks
// the signature (Ed25519) with its own core. usage: locked_pair SCENARIO VERIFIER FLASH FLASH
//        VERIFIER: firmware/verifier.bin. FLASH: what the flash of site 0, of site 1 holds: they run it before
//
//   refused   an image of another key goes to site 1 alone, which starts nothing, and says why, also when asked again
//   accepted  an image of the key of the boards goes to both, and both run it
//
// exit status: 0; 1 with a reason
// SPDX-License-Identifier: ISC
#include "host.h"
#include "signed_images.h"

extern "C" {
#include "loader/load_records.h"
}

namespace
{

enum { GATEWAY, FAR, IMAGE_WORDS = 600 /* more than a part that a load compares */, VERSION = 3 };
constexpr long CHECK_CLOCKS = 400000000; // a check takes about 190 million
constexpr char LETTER = 'R';

bytes lock_of(const key_pair &key, bytes verifier)
{
    bytes lock(4 + 2 * verifier.size());
    memcpy(&verifier[4 * PR_LOCK_KEY], key.open, sizeof key.open);
    memcpy(&verifier[4 * PR_LOCK_OLDEST], std::vector<uint32_t>{VERSION}.data(), 4);
    load_word_bytes(PR_LOAD_LOCKED, lock.data());
    FILE *records = fmemopen(&lock[4], lock.size() - 4, "w");
    load_records_write(records, PR_RAM_BASE + PR_LOAD_VERIFIER, (const uint32_t *)verifier.data(),
                       (unsigned)verifier.size() / 4, load_record_bytes);
    fclose(records);
    return lock;
}

void expect_answer(const load_target &target, char answer)
{
    if (target.lost || target.answer != answer)
        fail("site " + std::to_string(target.site) + (target.lost ? " is lost" : " has answered ") +
             (target.lost ? ' ' : target.answer) + ", expected " + answer);
}

// Loads the sites from `first` on; each has to answer so.
void load_and_expect(const words &image, unsigned first, char answer)
{
    load_target targets[SITES] = {};
    struct load_serial serial = {};
    firmware_image given = {};
    words copy = image;
    for (unsigned site = 0; site < SITES; site++)
        targets[site].site = site;
    given.words = copy.data();
    given.count = (unsigned)copy.size();
    int status = load(&given, &serial, &targets[GATEWAY], targets + first, SITES - first);
    if (status != 0 || !serial.relays)
        fail("the load has ended with " + std::to_string(status));
    for (unsigned site = first; site < SITES; site++)
        expect_answer(targets[site], answer);
}

bool has_said(unsigned site, const std::string &text)
{
    return consoles[site].find(text) != std::string::npos;
}

void expect_nothing_started()
{
    if (has_said(FAR, {LETTER}) || count_alive() > 0)
        fail("an image of another key has started");
}

// Site 0 has nothing to do until the verdict: its clock stands still, which halves the time.
void await_verdict(const std::string &verdict)
{
    places[GATEWAY].absent = true;
    for (long k = 0; k < CHECK_CLOCKS && !has_said(FAR, verdict); k++) {
        step_all();
        expect_nothing_started();
    }
    places[GATEWAY].absent = false;
    if (!has_said(FAR, verdict))
        fail("site 1 says '" + consoles[FAR] + "', expected a refusal");
}

void expect_refused(const words &image)
{
    load_and_expect(image, FAR, PR_LOAD_CHECKING);
    await_verdict({'b', 'o', 'o', 't', ' ', PR_LOAD_BAD_SIGNATURE, '\n', 'b', 'o', 'o', 't', ' ', PR_LOAD_WAITS, '\n'});
    load_and_expect(image, FAR, PR_LOAD_BAD_SIGNATURE);
    expect_nothing_started();
    printf("refused at clock %ld\n", now);
}

void expect_started(const words &image)
{
    load_and_expect(image, GATEWAY, PR_LOAD_CHECKING);
    for (long k = 0; k < CHECK_CLOCKS && !(has_said(GATEWAY, {LETTER}) && has_said(FAR, {LETTER})); k++)
        step_all();
    for (unsigned site : {GATEWAY, FAR})
        if (!has_said(site, {LETTER}))
            fail("site " + std::to_string(site) + " says '" + consoles[site] + "', expected " + LETTER);
    printf("started at clock %ld\n", now);
}

// The boards run what is in their flash.
void start_locked(const key_pair &key, const bytes &verifier, char **flashes)
{
    std::string texts[SITES];
    char *names[SITES + 1] = {};
    for (unsigned site = 0; site < SITES; site++) {
        texts[site] = std::to_string(site) + "=" + flashes[site];
        names[site] = &texts[site][0];
        places[site].flash.lock = lock_of(key, verifier);
    }
    place_boards(names, 0);
    await_all("the image of their flash");
    await_quiet();
    for (auto &console : consoles)
        console.clear();
}

} // namespace

int main(int argc, char **argv)
{
    const bool refused = argc == 5 && strcmp(argv[1], "refused") == 0;
    if (!refused && (argc != 5 || strcmp(argv[1], "accepted") != 0)) {
        fprintf(stderr, "usage: locked_pair refused|accepted VERIFIER FLASH FLASH\n");
        return 1;
    }
    Verilated::commandArgs(argc, argv);
    const key_pair key(1), other(2);
    words image = letter_image(LETTER);
    image.resize(IMAGE_WORDS);
    start_locked(key, read_file(argv[2]), argv + 3);
    if (refused)
        expect_refused(sign(image, VERSION, other));
    else
        expect_started(sign(image, VERSION, key));
    return 0;
}
