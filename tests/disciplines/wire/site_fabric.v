// site_fabric of discipline `wire`, for tests: a 2x1 grid. Site 0 has its neighbour on link 0, site 1 on link 1.
//
//   send --> entry --+--> out --> link          what is for this site itself goes round
//                    '-----+
//   link --> in -----------+--> delivery --> receive
//
// Unicasts only. Packets keep their order, and none is ever cut, diverted or dropped. The ports have the contract of
// hw/cutthrough/site_fabric.v.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module site_fabric #(
    parameter WORD_WIDTH       = 16,
    parameter LINKS            = 4,
    parameter LINK_WIDTH       = WORD_WIDTH + 3,
    parameter HYPERCUBE        = 0,   // these have no use: there is one link, and no queue
    parameter ADAPTIVE         = 0,
    parameter EAGER            = 0,
    parameter INPUT_DEPTH      = 1,
    parameter DOWNSTREAM_DEPTH = 32,
    parameter UPSTREAM_DEPTH   = 64,
    parameter OBSERVED         = 0
) (
    input  wire                        clk,
    input  wire                        reset,
    input  wire [`POSTROAD_STRAPS-1:0] straps,
    input  wire                        relief,
    input  wire [LINKS-1:0]            link_down,
    input  wire [LINKS*LINK_WIDTH-1:0] link_in,
    output wire [LINKS-1:0]            link_in_wait,
    output wire [LINKS*LINK_WIDTH-1:0] link_out,
    input  wire [LINKS-1:0]            link_out_wait,
    output wire [64*LINKS-1:0]         links_next,
    input  wire [WORD_WIDTH+2:0]       send,
    output wire                        send_wait,
    output wire [WORD_WIDTH+3:0]       receive,
    input  wire                        receive_wait,
    output reg  [63:0]                 events,
    output wire [128*(LINKS+1)-1:0]    observed,
    output wire                        quiet
);
    localparam ADDRESS_WIDTH = 2 * (WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16);

    wire [31:0]           address = straps[`POSTROAD_STRAP_SITE_ADDRESS];
    wire                  second = address != 32'd0;   // this is site 1
    wire [LINK_WIDTH-1:0] entry, arrived, arriving, leaving, out_next;
    wire                  entry_wait, arrived_wait, out_wait, out_wait_in, in_wait, in_wait_next, delivery_wait;

    function ends(input [2:0] tag);
        ends = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    endfunction

    // The one link that is used.
    assign arriving     = second ? link_in[LINK_WIDTH +: LINK_WIDTH] : link_in[0 +: LINK_WIDTH];
    assign out_wait_in  = second ? link_out_wait[1] : link_out_wait[0];
    assign link_out     = {{(LINKS-2)*LINK_WIDTH{1'b0}}, leaving & {LINK_WIDTH{second}}, leaving & {LINK_WIDTH{!second}}};
    assign link_in_wait = {{LINKS-2{reset}}, in_wait && second, in_wait && !second};
    genvar l;
    generate
        for (l = 0; l < LINKS; l = l + 1) begin : ahead
            wire used = l == 0 ? !second : l == 1 && second;
            assign links_next[64*l +: 64] = {
                used ? in_wait_next : l > 1 && reset, {63-LINK_WIDTH{1'b0}}, out_next & {LINK_WIDTH{used}}};
        end
    endgenerate

    // Where the packet at the entry goes: its first word decides.
    reg  in_packet, packet_remote;
    wire [2:0] entry_tag = entry[LINK_WIDTH-1 -: 3];
    wire shown  = entry != {LINK_WIDTH{1'b0}};
    wire remote = in_packet ? packet_remote : entry[ADDRESS_WIDTH-1:0] != address[ADDRESS_WIDTH-1:0];

    // Which of the two packets is delivered: one at a time, those from the link first.
    reg  busy, busy_arrived;
    wire from_link  = busy ? busy_arrived : arrived != {LINK_WIDTH{1'b0}};
    wire from_entry = busy ? !busy_arrived : !from_link && shown && !remote;
    wire [LINK_WIDTH-1:0] delivered =
        from_link ? arrived : from_entry && shown && !remote ? entry : {LINK_WIDTH{1'b0}};

    assign arrived_wait = !from_link || delivery_wait;
    assign entry_wait   = remote ? out_wait : !from_entry || delivery_wait;

    always @(posedge clk)
        if (reset) begin
            in_packet <= 1'b0;
            busy   <= 1'b0;
        end else begin
            if (shown && !entry_wait) begin
                in_packet     <= !ends(entry_tag);
                packet_remote <= remote;
            end
            if (delivered != {LINK_WIDTH{1'b0}} && !delivery_wait) begin
                busy         <= !ends(delivered[LINK_WIDTH-1 -: 3]);
                busy_arrived <= from_link;
            end
        end

    wire [LINK_WIDTH-1:0] unused_entry, unused_in, unused_delivery;
    wire                  unused_entry_wait, unused_out_wait, unused_delivery_wait;

    wire_stage #(.WIDTH(LINK_WIDTH)) entry_stage (
        .clk(clk), .reset(reset), .word_in(send), .wait_out(send_wait), .word_out(entry), .wait_in(entry_wait),
        .word_next(unused_entry), .wait_next(unused_entry_wait));
    wire_stage #(.WIDTH(LINK_WIDTH)) out_stage (
        .clk(clk), .reset(reset), .word_in(remote ? entry : {LINK_WIDTH{1'b0}}), .wait_out(out_wait), .word_out(leaving),
        .wait_in(out_wait_in), .word_next(out_next), .wait_next(unused_out_wait));
    wire_stage #(.WIDTH(LINK_WIDTH)) in_stage (
        .clk(clk), .reset(reset), .word_in(arriving), .wait_out(in_wait), .word_out(arrived), .wait_in(arrived_wait),
        .word_next(unused_in), .wait_next(in_wait_next));
    wire_stage #(.WIDTH(LINK_WIDTH)) delivery_stage (
        .clk(clk), .reset(reset), .word_in(delivered), .wait_out(delivery_wait), .word_out(receive[LINK_WIDTH-1:0]),
        .wait_in(receive_wait), .word_next(unused_delivery), .wait_next(unused_delivery_wait));

    // The fourth bit of a tag: nothing here makes a local_end_of_packet.
    assign receive[LINK_WIDTH] = 1'b0;

    always @* begin
        events = 64'd0;
        events[`POSTROAD_COUNTER_WORDS_OUT + (second ? 2 : 1)] = leaving != {LINK_WIDTH{1'b0}} && !out_wait_in;
        events[`POSTROAD_COUNTER_STALLS + (second ? 2 : 1)]    = leaving != {LINK_WIDTH{1'b0}} && out_wait_in;
    end

    assign observed = {128*(LINKS+1){1'b0}};
    assign quiet    = !reset && !shown && !in_wait && !send_wait && !out_wait && !delivery_wait &&
                      {leaving, arrived, receive} == {3*LINK_WIDTH+1{1'b0}};

    wire unused = &{1'b0, straps, relief, link_down, link_in, link_out_wait, unused_entry, unused_in, unused_delivery,
                    unused_entry_wait, unused_out_wait, unused_delivery_wait};
endmodule

`default_nettype wire
