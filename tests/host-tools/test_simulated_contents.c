/* What simulated boards find in their flashes, as `postroad inspect` reads it: bitstream, firmware and number of each
 * board, under a label that fits. A board whose testbed names its flash gets none.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "check.h"
#include "testbed/flash_content.h"
#include "testbed/simulated_contents.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLASH = 1 << 23, BITSTREAM = 5000, PATH_ROOM = 300 };

static char folder[] = "/tmp/simulated-XXXXXX";
static uint8_t bitstream[BITSTREAM];

static const char *in_folder(const char *name)
{
    static char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(in_folder(name), "w");
    check(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "%s is not written", name);
}

static void check_board(const char *name, unsigned site)
{
    static uint8_t flash[FLASH];
    struct flash_content content;
    FILE *file = fopen(in_folder(name), "r");
    if (!file) {
        check(false, "%s is missing", name);
        return;
    }
    size_t length = fread(flash, 1, sizeof flash, file);
    fclose(file);
    flash_content_read(&content, flash, length);
    check(memcmp(flash, bitstream, sizeof bitstream) == 0 && content.has_label && content.label_fits,
          "%s: no bitstream under its label", name);
    check(content.site_count == 1 && content.sites[0].good && content.sites[0].site == site && !content.lock.locked,
          "%s: not the image of site %u", name, site);
}

int main(void)
{
    static const char testbed[] = "[testbed]\nmesh = pair.mesh\n[board a]\ntype = icebreaker\nsite = 1\n"
                                  "bitstream = top.bin\n[board b]\ntype = icebreaker\nbitstream = top.bin\n",
                      named[] = "flash = top.bin\n",
                      mesh[] = "[mesh]\ntopology = grid\nsize = 2x1\n[links]\nboard = yes\n";
    static const uint8_t begin[] = {0xff, 0, 0, 0xff, 0x7e, 0xaa, 0x99, 0x7e}; /* of an iCE40's bitstream */
    char error[2048] = "", both[sizeof testbed + sizeof named];
    CHECK(sodium_init() >= 0 && mkdtemp(folder));
    memcpy(bitstream, begin, sizeof begin);
    write_file("top.bin", bitstream, sizeof bitstream);
    write_file("pair.mesh", mesh, strlen(mesh));
    write_file("desk.ini", testbed, strlen(testbed));
    check(simulated_contents_write(in_folder("desk.ini"), folder, error, sizeof error) == 0, "not written: %s", error);
    check_board("flash-a", 1);
    check_board("flash-b", 0);
    CHECK(unlink(in_folder("flash-b")) == 0);
    write_file("desk.ini", both, (size_t)snprintf(both, sizeof both, "%s%s", testbed, named));
    check(simulated_contents_write(in_folder("desk.ini"), folder, error, sizeof error) == 0, "not written: %s", error);
    check(access(in_folder("flash-b"), F_OK) != 0, "b has a flash of its own");
    CHECK(unlink(in_folder("top.bin")) == 0);
    check(simulated_contents_write(in_folder("desk.ini"), folder, error, sizeof error) != 0 && strstr(error, "top.bin"),
          "a bitstream that is missing: %s", error);
    static const char *const left[] = {"flash-a", "pair.mesh", "desk.ini"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        unlink(in_folder(left[i]));
    check(rmdir(folder) == 0, "something is left in %s", folder);
    return verdict("test_simulated_contents");
}
