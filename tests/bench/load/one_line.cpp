// A load of boards by the serial line of site 0, in clocks, the same in every run. The host's part is that of `postroad
// load` (host-tools/loader): its clock is that of the boards, and it takes no time itself. usage: one_line IMAGE
// LATENCY SITE=FLASH...
//        IMAGE: words of RAM. LATENCY: microseconds until what boards say is read, as by a USB adapter. FLASH: what the
//        flash of a site holds; sites that are not named are no boards of the mesh
//
// The boards run what is in their flash; board.v spoils it in every part that a load compares. Prints the clocks from
// the first order to the start of the last image. exit status: 0; 1 with a reason: not all boards have started the
// image SPDX-License-Identifier: ISC
#include "host.h"

namespace
{

enum { SPOILED_PARTS = 36 };

int load_all(const firmware_image *image, struct load_serial *serial)
{
    static load_target targets[SITES];
    size_t count = 0;
    for (unsigned site = 0; site < SITES; site++)
        if (!places[site].absent)
            targets[count++].site = site;
    int status = load(image, serial, targets, targets, count);
    for (size_t k = 0; k < count; k++)
        if (targets[k].lost || targets[k].answer != PR_LOAD_DONE)
            printf("site %u: %s, answer %c\n", targets[k].site, targets[k].lost ? "lost" : "there",
                   targets[k].answer ? targets[k].answer : '-');
    return status;
}

firmware_image read_image(const char *path)
{
    const bytes content = read_file(path);
    uint32_t *words = (uint32_t *)calloc(content.size() / 4 + 1, 4);
    memcpy(words, content.data(), content.size());
    firmware_image image = {};
    image.words = words;
    image.count = (unsigned)(content.size() + 3) / 4;
    return image;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: one_line IMAGE LATENCY SITE=FLASH...\n");
        return 1;
    }
    Verilated::commandArgs(argc, argv);
    const firmware_image image = read_image(argv[1]);
    struct load_serial serial = {};
    latency = atol(argv[2]) * (long)(CLOCK_HZ / 1e6);
    place_boards(argv + 3, SPOILED_PARTS);
    await_all("the image of their flash");
    await_quiet();
    const long began = now;
    int status = load_all(&image, &serial);
    if (status != 0 || !serial.relays)
        fail("the load has ended with " + std::to_string(status));
    const long told = now;
    await_all("the image");
    printf("sites %u, clocks %ld, told %ld, words %lu, records %lu, repeats %lu\n", count_boards(), now - began,
           told - began, serial.words, serial.sent, serial.repeats);
    return 0;
}
