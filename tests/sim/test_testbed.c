/* Testbed files: what is accepted and what follows from it, and what is refused, with its line and the reason.
 *
 * SPDX-License-Identifier: ISC
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "board/testbed.h"
#include "check.h"

/* The meshes lie beside the testbed. */
static const char path[] = "hw/mesh/t.ini";

static int parse(const char *text, struct testbed *testbed, char *error, size_t size)
{
    return testbed_parse(path, text, strlen(text), testbed, error, size);
}

#define MESH      "[testbed]\nmesh = grid-2x2.mesh\n"
#define PAIR      "[testbed]\nmesh = grid-2x1.mesh\n"
#define ICE(name) "[board " name "]\ntype = icebreaker\n"
#define TWO       PAIR ICE("a") ICE("b")
#define FOUR      MESH ICE("a") ICE("b") ICE("c") ICE("d")
#define BIG(name) "[board " name "]\ntype = ulx3s_85f\n"

/* Text, the line that is blamed, a part of the reason. */
static const char *const bad[][3] = {
    {"", ":0:", "no board"},
    {"[testbed]\n", ":1:", "no board"},
    {"type = icebreaker\n", ":1:", "before any section, expected [testbed] first"},
    {"nonsense\n", ":1:", "expected [section], key = value or ; comment"},
    {"[bored a]\n x = 1\n", ":1:", "expected [testbed], [board NAME], [cables] or [analyser]"},
    {"[testbed]\n[testbed]\n", ":2:", "is there twice, expected once: first in line 1"},
    {ICE("a") ICE("a"), ":3:", "is there twice, expected once: first in line 1"},
    {"[board a b]\n", ":1:", "names shorter than 32"},
    {"[board ../x]\n", ":1:", "names shorter than 32"},
    {"[board ]\n", ":1:", "names shorter than 32"},
    {"[board a]\n", ":1:", "no type, expected type ="},
    {"[board a]\ntype = icebraker\n", ":1:", "no type of board, expected colorlight_i5, hx8k_b_evn, icebreaker"},
    {"[board a]\ntype = ../x\n", ":2:", "expected the name of a folder"},
    {"[board a]\ntype =\n", ":2:", "has 0 characters, expected 1 to 31"},
    {ICE("a") "type = icebreaker\n", ":3:", "given twice, expected once: first in line 2"},
    {ICE("a") "colour = red\n",
     ":3:", "expected type, site, serial, path, host, probe, console, bitstream, golden, flash"},
    {ICE("a") "clock_ppm = fast\n", ":3:", "clock_ppm = fast: expected a number from -100000 to 100000"},
    {ICE("a") "clock_ppm = nan\n", ":3:", "expected a number"},
    {ICE("a") "site = 1.5\n", ":3:", "expected a whole number from 0 to 65534"},
    {ICE("a") "path = 1-\n", ":3:", "expected a port as in /sys/bus/usb/devices"},
    {ICE("a") "path = 1-2.3:1.0\n", ":3:", "expected a port"},
    {ICE("a") "probe = xvc:host\n", ":3:", "expected xvc:HOST:PORT"},
    {ICE("a") "probe = usb:host:1\n", ":3:", "expected xvc:HOST:PORT"},
    {ICE("a") "probe = xvc:-o:1\n", ":3:", "expected xvc:HOST:PORT"},
    {ICE("a") "probe = xvc:host:65536\n", ":3:", "expected xvc:HOST:PORT"},
    {ICE("a") "probe = xvc:host:1 2\n", ":3:", "expected xvc:HOST:PORT"},
    {ICE("a") "console = /dev/ttyUSB0\n", ":3:", "expected tty:PATH"},
    {ICE("a") "path = usb1\n", ":3:", "expected a port"},
    {ICE("a") "host = -oProxyCommand=x\n", ":3:", "expected HOST or USER@HOST"},
    {ICE("a") "host = a b\n", ":3:", "expected HOST or USER@HOST"},
    {ICE("a"), ":1:", "no bitstream, expected the key bitstream, or mesh"},
    {"[testbed]\nmesh = none.mesh\n" ICE("a"), ":2:", "mesh: hw/mesh/none.mesh"},
    {"[testbed]\nmesh = grid-4x4.mesh\n" ICE("a"), ":2:", "expected a mesh of boards: [links] board = yes"},
    {ICE("a") "baud = 1\n", ":3:", "expected a number from 1200"},
    {"[testbed]\nbaud = 115200\n" ICE("a"), ":2:", "'baud': expected mesh"},

    {PAIR ICE("a"), ":2:", "no board for site 1, expected a board for each of the 2 sites"},
    {TWO ICE("c"), ":7:", "no site is left"},
    {PAIR ICE("a") "site = 2\n" ICE("b"), ":5:", "expected a site below 2"},
    {PAIR ICE("a") "site = 1\n" ICE("b") "site = 1\n", ":8:", "board a has a site of this board too"},
    {PAIR BIG("a"), ":3:", "no site is left"},
    {MESH BIG("a") "site = 1\n", ":5:", "with even coordinates"},
    {MESH BIG("a") ICE("b"), ":5:", "no site is left"},

    {PAIR ICE("a") "path = 1-2\n" ICE("b") "path = 1-2\n", ":6:", "path 1-2 is that of board a too"},
    {PAIR ICE("a") "path = 1-2\nserial = x\n" ICE("b") "path = 1-2\nserial = y\n", ":7:", "path 1-2 is that"},
    {PAIR ICE("a") "probe = xvc:h:1\nconsole = tty:/t\nserial = x\n" ICE("b"),
     ":3:", "expected no serial, path or host"},
    {PAIR ICE("a") "probe = xvc:h:1\n" ICE("b"), ":3:", "no console, expected its endpoint"},
    {PAIR ICE("a") "console = tty:/t\n" ICE("b"), ":3:", "console without probe"},
    {PAIR ICE("a") "probe = xvc:h:1\nconsole = tty:/t\n" ICE("b") "probe = xvc:h:1\nconsole = tty:/u\n",
     ":7:", "probe xvc:h:1 is that of board a too"},
    {PAIR ICE("a") "serial = FactoryAIOT Pro\n" ICE("b") "serial = FactoryAIOT Pro\n",
     ":6:", "serial FactoryAIOT Pro is that of board a too, expected a path at both"},
    {PAIR ICE("a") "serial = x\npath = 1-2\n" ICE("b") "serial = x\n", ":7:", "expected a path at both"},

    {TWO "[cables]\na.east = c.west\n", ":8:", "expected BOARD.east"},
    {TWO "[cables]\na.up = b.west\n", ":8:", "expected BOARD.east"},
    {TWO "[cables]\na.east = b.west\nb.west = a.east\n", ":9:", "has a cable already"},
    {TWO "[cables]\na.east = a.east\n", ":8:", "has a cable already"},
    {TWO "[cables]\na.east = b.west errors=2\n", ":8:", "errors = 2: expected a number from 0 to 1"},
    {TWO "[cables]\na.east = b.west length=2\n", ":8:", "expected delay=NS, skew=NS or errors=SHARE"},
    {TWO "[cables]\na.west = b.west\n", ":8:", "a.west leads over the edge of the mesh, expected no cable"},
    {TWO "[cables]\na.east = b.east\n", ":8:", "no link of the mesh, expected a.east = b.west"},
    {TWO "[cables]\na.east2 = b.west\n", ":8:", "has no such connector"},
    {TWO "[cables]\n", ":7:", "no cable a.east = b.west, expected one for each link of the mesh"},
    {FOUR "[cables]\na.east = b.west\na.north = c.south\nb.north = d.south\n", ":11:", "no cable c.east = d.west"},
    {PAIR ICE("a") "[board b]\ntype = ulx3s_25f\n", ":2:", "expected the same bit rate"},
    {PAIR ICE("a") "[board b]\ntype = tang_nano_20k\n[cables]\nb.west = a.east\n", ":8:",
     "links of tang_nano_20k have a clock of 27000000 Hz, of icebreaker 12000000 Hz, expected the same bit rate"},

    {TWO "[analyser]\nrate = 24M \nrate = 1m\n", ":9:", "given twice, expected once: first in line 8"},
    {TWO "[analyser]\nrate = 24 m\n", ":8:", "rate = 24 m: expected samples per second"},
    {TWO "[analyser]\nrate = 1.0005k\n", ":8:", "expected samples per second"},
    {TWO "[analyser]\nrate = 101g\n", ":8:", "expected samples per second"},
    {TWO "[analyser]\nrate = inf\n", ":8:", "expected samples per second"},
    {TWO "[analyser]\ndriver = -fx2\n", ":8:", "driver = -fx2: expected a driver as sigrok-cli takes it"},
    {TWO "[analyser]\ndriver = demo -o x\n", ":8:", "expected a driver as sigrok-cli takes it"},
    {TWO "[analyser]\nD 0 = a.east\n", ":8:", "'D 0': expected driver, rate or a channel's name"},
    {TWO "[analyser]\nD0 = c.east\n", ":8:", "D0 = c.east: expected BOARD.CONNECTOR, or BOARD.probe0"},
    {TWO "[analyser]\nD0 = a.up\n", ":8:", "expected BOARD.CONNECTOR"},
    {TWO "[analyser]\nD0 = a.local\n", ":8:", "expected BOARD.CONNECTOR"},
    {TWO "[analyser]\nD0 = a.probe0\n", ":8:", "expected BOARD.CONNECTOR"},
    {TWO "[analyser]\nD0 = a.probe8 east.head\n", ":8:", "BOARD.probe0 to .probe7 with a strobe"},
    {TWO "[analyser]\nD0 = a.probe0 east.tail\n", ":8:", "PORT.head, .terminator or .stall"},
    {TWO "[analyser]\nD0 = a.probe0 east.head x\n", ":8:", "expected BOARD.CONNECTOR"},
    {TWO "[analyser]\nD0 = a.east\nD0 = b.west\n", ":9:", "line 8 has this channel, line or pin already"},
    {TWO "[analyser]\nD0 = a.east\nD1 = a.east\n", ":9:", "line 8 has this channel, line or pin already"},
    {TWO "[analyser]\nD0 = a.probe0 east.head\nD1 = a.probe0 west.head\n", ":9:", "line 8 has this channel, line or"},
    {TWO "[analyser]\nD0 = a.east2\n", ":8:", "D0: a.east2: a board of type icebreaker has no such connector"},
};

static void refusals(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct testbed testbed;
        char error[1200] = "accepted";
        int result = parse(bad[i][0], &testbed, error, sizeof error);
        bool line = strncmp(error, path, strlen(path)) == 0 &&
                    strncmp(error + strlen(path), bad[i][1], strlen(bad[i][1])) == 0;
        check(result == -1 && line && strstr(error, bad[i][2]), "%s: expected %s %s, got: %s", bad[i][0], bad[i][1],
              bad[i][2], error);
        check(strstr(error, "expected") != NULL, "it names what was expected: %s", error);
        if (result == 0)
            testbed_free(&testbed);
    }
}

static struct testbed accept(const char *text)
{
    struct testbed testbed;
    char error[1200] = "";
    check_about(text);
    if (parse(text, &testbed, error, sizeof error) != 0) {
        printf("%s\n", error);
        CHECK(false);
    }
    return testbed;
}

static bool joined(const struct testbed *testbed, const char *a, const char *b)
{
    struct testbed_end ends[2];
    CHECK(testbed_end(testbed, a, &ends[0]) && testbed_end(testbed, b, &ends[1]));
    for (unsigned i = 0; i < testbed->cable_count; i++)
        for (int k = 0; k < 2; k++)
            if (memcmp(&testbed->cables[i].ends[k], &ends[0], sizeof *ends) == 0 &&
                memcmp(&testbed->cables[i].ends[!k], &ends[1], sizeof *ends) == 0)
                return true;
    return false;
}

static void defaults(void)
{
    struct testbed testbed = accept(FOUR);
    check(testbed.cable_count == 4, "%u cables", testbed.cable_count);
    check(joined(&testbed, "a.east", "b.west") && joined(&testbed, "c.south", "a.north") &&
              joined(&testbed, "b.north", "d.south") && joined(&testbed, "c.east", "d.west"),
          "straight cables");
    check(strstr(testbed.boards[0].bitstream, "/build/bitstream/icebreaker/grid-2x2/top.bin"), "bitstream %s",
          testbed.boards[0].bitstream);
    check(strstr(testbed.firmware, "/build/firmware/node.elf"), "firmware %s", testbed.firmware);
    check(testbed.boards[3].sites[0] == 3 && testbed.boards[3].site_count == 1, "site of d");
    check(testbed.boards[0].clock_hz == 12e6 && testbed.boards[0].first_site == -1, "clock of a");
    testbed_free(&testbed);
}

static void values(void)
{
    struct testbed testbed = accept(
        "\xef\xbb\xbf; a comment\n[testbed]\nmesh = grid-2x1.mesh\nfirmware = x/y.elf\n\n"
        "  [board left] ; this one\n  type = ulx3s_25f\r\nsite = 1\nserial = K00001 Rev A\npath = 10-2.4.1\n"
        "host = me@bench-2\nbaud = 115200\nflash_offset = 0x300000\n[board right]\ntype = ulx3s_25f\nbitstream = /abs/x.bit\n"
        "golden = g.bin\n"
        "[cables]\nright.east = left.west delay=5 skew=2 errors=0.001\n[analyser]\nD0 = left.east\n");
    const struct testbed_board *left = &testbed.boards[0];
    check(strcmp(testbed.firmware, "hw/mesh/x/y.elf") == 0, "[testbed]: %s", testbed.firmware);
    check(left->baud == 115200 && testbed.boards[1].baud == 1000000, "baud %g, %g", left->baud, testbed.boards[1].baud);
    check(strcmp(left->serial, "K00001 Rev A") == 0 && strcmp(left->path, "10-2.4.1") == 0, "serial '%s', path '%s'",
          left->serial, left->path);
    check(strcmp(left->host, "me@bench-2") == 0 && left->flash_offset == 0x300000, "host '%s'", left->host);
    check(left->sites[0] == 1 && testbed.boards[1].sites[0] == 0, "sites");
    check(strcmp(testbed.boards[1].bitstream, "/abs/x.bit") == 0, "bitstream '%s'", testbed.boards[1].bitstream);
    check(!*left->golden && strcmp(testbed.boards[1].golden, "hw/mesh/g.bin") == 0, "golden '%s'",
          testbed.boards[1].golden);
    check(testbed.cable_count == 1 && testbed.cables[0].delay_ns == 5 && testbed.cables[0].errors == 0.001, "cable");
    check(left->line == 6 && left->site_line == 8 && testbed.cables_line == 18, "lines %d %d %d", left->line,
          left->site_line, testbed.cables_line);
    testbed_free(&testbed);
}

static void analyser(void)
{
    struct testbed testbed = accept(TWO "[analyser]\ndriver = fx2lafw:conn=1.7 ; USB\nrate = 24m\nD0 = a.east\n"
                                        "D1 = a.probe0 east.head\nD2 = b.probe0  local.stall\nx/3 = a.west\n");
    const struct testbed_channel *channels = testbed.channels;
    check(testbed.analyser_rate == 24000000 && strcmp(testbed.analyser_driver, "fx2lafw:conn=1.7") == 0,
          "rate %" PRIu64 ", driver %s", testbed.analyser_rate, testbed.analyser_driver);
    check(testbed.channel_count == 4, "%u channels", testbed.channel_count);
    check(strcmp(channels[0].name, "D0") == 0 && channels[0].board == 0 && channels[0].link == 0 &&
              channels[0].probe == -1 && channels[0].strobe == TESTBED_LINE && channels[0].line == 10,
          "D0");
    check(channels[1].probe == 0 && channels[1].link == 0 && channels[1].strobe == STROBE_HEAD, "D1");
    check(channels[2].board == 1 && channels[2].link == TESTBED_LOCAL && channels[2].strobe == STROBE_STALL, "D2");
    check(strcmp(channels[3].name, "x/3") == 0 && channels[3].link == 1, "x/3");
    testbed_free(&testbed);
    testbed = accept(TWO "[analyser]\nrate = 2.5G\n");
    check(testbed.analyser_rate == 2500000000 && testbed.channel_count == 0, "rate alone");
    testbed_free(&testbed);
}

/* Four sites a board. */
static void quads(void)
{
    struct testbed testbed = accept("[testbed]\nmesh = ../../boards/testbeds/grid-4x4.mesh\n" BIG("a") BIG("b") BIG("c")
                                        BIG("d"));
    const unsigned sites[4] = {10, 11, 14, 15};
    check(testbed.boards[3].site_count == 4 && memcmp(testbed.boards[3].sites, sites, sizeof sites) == 0,
          "sites of d: %u ...", testbed.boards[3].sites[0]);
    check(testbed.cable_count == 8, "%u cables", testbed.cable_count);
    check(joined(&testbed, "a.east", "b.west") && joined(&testbed, "a.east2", "b.west2") &&
              joined(&testbed, "a.north", "c.south") && joined(&testbed, "b.north2", "d.south2"),
          "straight cables");
    testbed_free(&testbed);
    testbed = accept(MESH BIG("a"));
    check(testbed.cable_count == 0 && testbed.boards[0].sites[3] == 3, "alone");
    testbed_free(&testbed);
}

/* Without a mesh: boards and cables as they are listed. */
static void without_mesh(void)
{
    struct testbed testbed = accept(ICE("a") "bitstream = x\n" ICE("b") "bitstream = x\n[cables]\na.east = b.north\n");
    check(testbed.cable_count == 1 && !testbed.has_mesh && testbed.boards[0].site_count == 0, "no sites");
    testbed_free(&testbed);
    testbed = accept(PAIR ICE("a") "serial = x\npath = 1-1\n" ICE("b") "serial = x\npath = 1-2\n");
    testbed_free(&testbed);
    testbed = accept(PAIR ICE("a") "serial = x\n" ICE("b") "serial = x\nhost = other\n");
    testbed_free(&testbed);
    check_about(NULL);
}

/* The files of boards/testbeds. */
static void examples(void)
{
    static const char *const names[] = {"icebreaker-pair", "ulx3s-square", "ulx3s-85f-square", "tang-two-hosts"};
    static const unsigned cables[] = {1, 4, 8, 4};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct testbed testbed;
        char file[128], error[1200] = "";
        snprintf(file, sizeof file, "boards/testbeds/%s.ini", names[i]);
        int result = testbed_load(file, &testbed, error, sizeof error);
        check(result == 0 && testbed.cable_count == cables[i], "%s: %s", file, error);
        if (result == 0)
            testbed_free(&testbed);
    }
}

int main(void)
{
    RUN(examples);
    RUN(refusals);
    RUN(defaults);
    RUN(values);
    RUN(analyser);
    RUN(quads);
    RUN(without_mesh);
    return verdict("test_testbed");
}
