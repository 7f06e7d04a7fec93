// fabric_top: a fabric with ports that C can copy, for the fabric level of sim/engine.
//
// The discipline is the `site_fabric` of the folder that Verilator searches. Every link is a 64-bit slot, so that the engine
// moves a word and a status in one copy and needs no code of its own for a width: bit 63 is the status, the low bits are the
// link's word.
//
// Links are exchanged one clock ahead: link_out is what the flops at the links' ends will hold after the next edge, and
// `arriving` here is loaded with what the neighbours' will hold. Both are the same values in the same clocks as a wire
// between the flops would give, but the logic behind `arriving` is evaluated once a clock and not three times (inputs
// changed, rising edge, falling edge), which doubles the speed.
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "straps.vh"

module fabric_top #(
    parameter WORD_WIDTH       = 16,  // bits of a word: 16, or 32 for larger meshes and addresses
    parameter LINKS            = 4,   // links of a site: 4 on a grid or torus, one a dimension on a hypercube
    parameter LINK_WIDTH       = WORD_WIDTH + 3,  // bits of a link, from the discipline's discipline.ini
    parameter HYPERCUBE        = 0,   // 1: a hypercube, 0: a grid or torus
    parameter BOARD_LINKS      = 0,   // 1: board links in the place of wires, 2: eager ones: slot_links.v
    parameter [31:0] OWN       = 0,   // what a site of the discipline is built for: fields of its discipline.ini
    parameter THROUGH          = 0,   // 1: bits cross the site within a clock: slot_links.v
    parameter DOWNSTREAM_DEPTH = 32,  // words from the operator that may wait at an entry that is busy
    parameter UPSTREAM_DEPTH   = 64,  // words that may wait for the operator before the fabric is held up
    parameter OBSERVED         = 0    // 1: `observed` shows which input waits for which output; it costs time
) (
    input  wire                clk,
    input  wire                reset,

    // Number of the next clock, the same for all sites.
    input  wire [63:0]         now,

    // Taken over in reset.
    input  wire [`POSTROAD_STRAPS-1:0] straps,

    // Links, link l at [64*l +: 64], of the next clock. In: the neighbour's word, and its status. Out: the same of this
    // site.
    input  wire [64*LINKS-1:0] link_in,
    output wire [64*LINKS-1:0] link_out,

    // Bit l: link l leads nowhere in the next clock.
    input  wire [31:0]         link_down,

    // Operator, of this clock. In: the word sent, and the status of the receiving end. Out: the word received, the
    // status of sending; it does not depend on what is sent in the same clock. Bit 62 in: relief, from the next clock on.
    input  wire [63:0]         local_in,
    output wire [63:0]         local_out,

    // Events of this clock, at the indices of the counters.
    output wire [63:0]         events,

    // See site_fabric.v.
    output wire [128*(LINKS+1)-1:0] observed,

    output wire                quiet
);
    reg [`POSTROAD_STRAPS-1:0] held_straps;

    always @(posedge clk)
        if (reset)
            held_straps <= straps;

    reg  [64*LINKS-1:0]         arriving;
    wire [LINKS*LINK_WIDTH-1:0] arriving_words;
    wire [LINKS-1:0]            arriving_wait;
    wire [LINKS*LINK_WIDTH-1:0] link_out_words;  // of this clock: for waves
    wire [LINKS-1:0]            link_in_wait;
    reg  [LINKS-1:0]            down;
    wire [WORD_WIDTH+3:0]       receive;
    wire                        send_wait;

    reg                         relief;
    reg  [63:0]                 time_now;

    always @(posedge clk) begin
        time_now <= now;
        arriving <= link_in;
        down     <= link_down[LINKS-1:0];
        relief   <= !reset && local_in[62];
    end

    wire [64*LINKS-1:0]         links_next;
    wire [LINKS-1:0]            nowhere;

    slot_links #(
        .LINKS(LINKS), .LINK_WIDTH(LINK_WIDTH), .HYPERCUBE(HYPERCUBE), .BOARD_LINKS(BOARD_LINKS), .THROUGH(THROUGH)
    ) links (
        .clk(clk), .reset(reset), .site_number(held_straps[`POSTROAD_STRAP_SITE_NUMBER]),
        .site_address(held_straps[`POSTROAD_STRAP_SITE_ADDRESS]), .arriving(arriving), .incoming(link_in), .shown(link_out),
        .down(down), .links_next(links_next), .link_out(link_out_words), .link_out_wait(arriving_wait),
        .link_in(arriving_words), .link_in_wait(link_in_wait), .link_down(nowhere));

    assign local_out = {send_wait, {59-WORD_WIDTH{1'b0}}, receive};

    site_fabric #(
        .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .LINK_WIDTH(LINK_WIDTH), .HYPERCUBE(HYPERCUBE), .OWN(OWN),
        .DOWNSTREAM_DEPTH(DOWNSTREAM_DEPTH), .UPSTREAM_DEPTH(UPSTREAM_DEPTH), .OBSERVED(OBSERVED)
    ) fabric (
        .clk(clk), .reset(reset), .now(time_now), .straps(held_straps), .relief(relief), .link_down(nowhere),
        .link_in(arriving_words), .link_in_wait(link_in_wait), .link_out(link_out_words), .link_out_wait(arriving_wait),
        .links_next(links_next),
        .send(local_in[WORD_WIDTH+2:0]), .send_wait(send_wait), .receive(receive), .receive_wait(local_in[63]),
        .events(events), .observed(observed), .quiet(quiet)
    );

    wire unused = &{1'b0, link_down, local_in};
endmodule

`default_nettype wire
