/* The verb trace: which of the two it does, its options and its keys.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/trace.h"

#include "cli/report.h"
#include "multicast/groups.h"
#include "postroad/verbs.h"

static int run(const struct options *options)
{
    const struct trace_options *own = (const struct trace_options *)(const void *)options;
    if (!own->capture && !own->testbed)
        return trace_mesh(own);
    if (own->capture && own->testbed)
        return trace_capture(own);
    return report_failure(EXIT_USAGE, "trace", "no --%s: expected --capture and --testbed, or neither",
                          own->capture ? "testbed" : "capture");
}

static const struct option_row rows[] = {
    {.name = "capture",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct trace_options, capture),
     .expected = "a capture",
     .file = FILE_READ,
     .words = "@file",
     .help = "sends nothing: the packets of a logic analyser's capture",
     .manual = "Sends nothing, but shows the ways of the packets in a logic analyser's capture (.sr, VCD, CSV). The "
               "options of a packet that is sent, and of a gateway, mean nothing then."},
    {.name = "testbed",
     .kind = OPTION_TEXT,
     .argument = "FILE",
     OPTION_FIELD(struct trace_options, testbed),
     .expected = "a testbed file",
     .file = FILE_READ,
     .words = "@file",
     .help = "--capture: boards, cables and the analyser's channels"},
    {.name = "words",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct trace_options, words),
     .maximum = 1000,
     .initial = "0",
     .help = "data words of the packet"},
    {.name = "handler",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct trace_options, handler),
     .maximum = 250,
     .initial = "1",
     .help = "handler at the target"},
    {.name = "group",
     .kind = OPTION_NUMBER,
     .argument = "N",
     OPTION_FIELD(struct trace_options, group),
     .maximum = PR_GROUPS_NUMBERS - 1,
     .help = "SITE sends to this group, whose members both are, and all copies are shown until TARGET has it",
     .manual =
         "<SITE> sends to this group, of which it and <TARGET> are members (`postroad group`). Shown are the links that "
         "all copies had passed when <TARGET> delivered it, also those that other members have passed on: `stored here, "
         "sent on`. The column `try` counts what <SITE> itself sent."},
    {.name = NULL},
};

static const struct trace_options defaults = {.group = TRACE_NO_GROUP};

static const char manual[] =
    "Sends a packet from <SITE> to <TARGET> in a simulated mesh, and shows the links that it has passed: the clocks in "
    "which its first word (`head`) and its terminator (`end`) left each site. The packet is found by its source and "
    "sequence number, so its way is right under any load. A packet that was stored on its way (diverted), sent again "
    "or aborted shows as such. The last line has the stamps of the network_interface that received it. Of a packet that "
    "the fabric sends in several segments, the first is shown.\n"
    "The words on the links of boards, of meshes with board links, and of fabrics whose lines show bits of several words "
    "at once, cannot be seen. With `--capture` and `--testbed` "
    "the verb shows what a logic analyser has seen of them: each packet that left <SITE> for <TARGET> alone, line by "
    "line, when its start bit began (microseconds since the capture began, by the analyser's clock) and how long after "
    "the line before on which it was seen, with intervals as `postroad latency` has them. A line without a time was not "
    "seen: `no channel` says that the capture does not show it, and the line is one of the shortest way that there is; "
    "`not seen` that the capture shows it, but no such packet. Packets to several targets are left out. The exit code is "
    "3 if no line can be read, or a channel shows another line than the testbed says, and 4 if no packet was found.";

static const struct json_key keys[] = {
    {"from", "site", "the site that sent the packet"},
    {"to", "site", "its target"},
    {"sequence", "number", "sequence number of the packet, with `--group` its number in the group"},
    {"group", "number", "`--group`; without it the key is not there"},
    {"clock_hz", "Hz", "rate of the clock"},
    {"delivered", "true or false", "whether the target has delivered it in time"},
    {"first_word_clock", "clock", "stamp of the target: when the first word came in"},
    {"terminator_clock", "clock", "stamp of the target: when the terminator came in"},
    {"links[].site", "site", "the packet left this site"},
    {"links[].link", "text", "through this link"},
    {"links[].to", "site", "to this site"},
    {"links[].head_clock", "clock", "when its first word left the site"},
    {"links[].terminator_clock", "clock", "when its terminator left the site"},
    {"links[].words", "words", "that left, with the terminator"},
    {"links[].attempt", "number", "1 when it was sent first, 2 when it was sent again, and so on"},
    {"links[].stored", "true or false", "the site had all of the packet before it sent the first word on"},
    {"links[].aborted", "true or false", "it was broken off"},
    {"capture", "text", "file of `--capture`; the keys above but for from and to are not there with it"},
    {"packets[].sequence", "number", "of the packet; null: an acknowledgement or control packet"},
    {"packets[].attempt", "number", "1 when it was seen first, 2 when it was sent again, and so on"},
    {"packets[].complete", "true or false", "it was seen on all lines of its way"},
    {"packets[].lines[].line", "text", "what a board drives at a connector, `left.east`, in order of the way"},
    {"packets[].lines[].channel", "text", "that shows it; null: the capture has none"},
    {"packets[].lines[].to", "text", "the board at its far end"},
    {"packets[].lines[].seen", "true or false", "the packet was seen on it; if not, the keys below are not there"},
    {"packets[].lines[].start.value_ns", "ns", "start bit, since the capture began; with low_ns and high_ns"},
    {"packets[].lines[].after.value_ns", "ns", "since the line before on which it was seen; with low_ns and high_ns"},
    {"packets[].lines[].data_words", "words", "data words"},
    {"packets[].lines[].broken_off", "true or false", "the packet was aborted on this line, or before"},
    {"left_out", "packets", "on lines, behind the first 65536"},
    {"notes[]", "text", "what is wrong with the capture"},
    {NULL, NULL, NULL},
};

const struct verb verb_trace = {
    .name = "trace",
    .operands = "SITE TARGET",
    .summary = "Shows the way of a packet, link by link and clock by clock.",
    .manual = manual,
    .operands_min = 2,
    .operands_max = 2,
    .common = COMMON_TALK,
    .rows = rows,
    .keys = keys,
    .size = sizeof(struct trace_options),
    .defaults = &defaults,
    .run = run,
};
