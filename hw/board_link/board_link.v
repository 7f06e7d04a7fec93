// board_link: up to four links to other boards, one wire each way a link. It trains them, checks every frame, ends what a fault
// cuts in half, and reports what each cable leads to. README.md has the frame, the events and the register.
//
//   line_in ----> line_receiver --bytes--.                           .--> link_in    to the fabric's net_inputs
//                 (one a link)           v                           |
//                              engine: link_schedule, line_crc, frame_verdict, link_memory ---- link_probe: the register
//                                        |                           |
//   line_out <--- line_sender  <--bytes--'                           '--- word_departure <--- link_out
//        '--- line_access, on boards: may the pin drive?
//
// A word that was damaged does not enter the fabric: its packet ends with abort_packet. A packet that a fault on this side cuts
// in half ends with abort_packet at the far end, and its rest is accepted and discarded. Nothing is sent again.
// SPDX-License-Identifier: ISC
`default_nettype none

module board_link #(
    parameter LINKS     = 4,   // 1 to 4
    parameter RATIO     = 1,   // clk / the fabric's clock: 1, 2 or 4. The fabric's edges are edges of clk
    parameter PORT_FLIP = 1    // link l is cabled to link l ^ PORT_FLIP: 1 for a grid (east to west), 0 for a hypercube
) (
    input  wire                clk,           // four times the bit rate
    input  wire                reset,         // of the links, ends with an edge of the fabric's clock
    input  wire                fabric_reset,  // the fabric is in reset: packets that it sends or receives end here

    // Lines: idle 0. line_in is asynchronous.
    input  wire [LINKS-1:0]    line_in,
    output wire [LINKS-1:0]    line_out,

    // Fabric, link l at [19*l +: 19]: its contract of a link. link_down: words are accepted and discarded.
    input  wire [LINKS*19-1:0] link_out,
    output wire [LINKS-1:0]    link_out_wait,
    output wire [LINKS*19-1:0] link_in,
    input  wire [LINKS-1:0]    link_in_wait,
    output wire [LINKS-1:0]    link_down,
    output wire [LINKS-1:0]    hears,         // good frames come in: line_access

    input  wire [15:0]         site_number,   // for the far end, which shows it in its registers

    // Register, one word: a write chooses a row of link_memory, {right half, row}. A read shows bit 31: the value is that of the
    // row chosen; bits 19:16: links that are up; bits 15:0: the value, not older than 20 bit times.
    input  wire                request,
    input  wire                we,
    input  wire [7:0]          wdata,
    output wire [31:0]         rdata
);
    wire [1:0]  phase, link, byte_sent, link_before, progress;
    wire        sends, checks, starting, round_ends, new_period;
    wire [3:0]  down;
    wire [7:0]  value, byte_out;
    wire [18:0] word, head;
    wire        accepts, load, start, shows, accepted, down_known, down_next, alive_known, alive_next;
    wire [6:0]  probe_row;
    wire        probe_reads;
    wire [15:0] left, right;

    wire step = RATIO == 1 || (RATIO == 2 ? phase[0] : phase == 2'd3);

    // Queues are emptied until each link has had an operation behind fabric_reset, and from its first clock on: what is accepted
    // then would let go the first word of the next packet.
    reg [1:0] flushing;
    always @(posedge clk)
        if (reset || fabric_reset) flushing <= 2'b11;
        else if (round_ends) flushing <= {1'b0, flushing[1]};
    wire flushes = fabric_reset || |flushing;

    link_schedule schedule (
        .clk(clk), .reset(reset), .phase(phase), .sends(sends), .link(link), .byte_sent(byte_sent), .checks(checks),
        .starting(starting), .round_ends(round_ends), .new_period(new_period));

    link_ports #(.LINKS(LINKS)) ports (
        .clk(clk), .reset(reset), .step(step), .operation_ends(phase == 2'd3),
        .line_in(line_in), .line_out(line_out), .link_out(link_out), .link_out_wait(link_out_wait), .link_in(link_in),
        .link_in_wait(link_in_wait), .down(down), .alive(hears), .link(link), .value(value), .progress(progress), .word(word),
        .accepts(accepts), .load(load), .start(start), .byte_out(byte_out), .shows(shows), .head(head),
        .link_before(link_before), .accepted(accepted), .down_known(down_known), .down_next(down_next),
        .alive_known(alive_known), .alive_next(alive_next));

    link_engine #(.PORT_FLIP(PORT_FLIP)) engine (
        .clk(clk), .reset(reset), .flushes(flushes), .starting(starting), .phase(phase), .sends(sends), .link(link),
        .byte_sent(byte_sent), .checks(checks), .new_period(new_period), .site_number(site_number), .value_in(value),
        .progress(progress), .word(word), .down(down[link]), .accepts(accepts), .load(load), .start(start), .byte_out(byte_out),
        .shows(shows), .head(head), .link_before(link_before), .accepted(accepted), .down_known(down_known),
        .down_next(down_next), .alive_known(alive_known), .alive_next(alive_next), .probe_row(probe_row),
        .probe_reads(probe_reads), .left(left), .right(right));

    link_probe probe (
        .clk(clk), .request(request), .we(we), .wdata(wdata), .rdata(rdata), .up(~down), .row(probe_row), .reads(probe_reads),
        .left(left), .right(right));

    assign link_down = down[LINKS-1:0];
endmodule

`default_nettype wire
