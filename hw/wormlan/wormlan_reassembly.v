// wormlan_reassembly: fragments of multicasts to the operator become worms again (W15).
//
//   fork --> { words of the header, if they have come before: none } --> buffer --> whole packets --> wormlan_deliver
//
// Multicasts come one after the other, so there is one packet that is not whole. It is in the buffer behind those that are.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module wormlan_reassembly #(
    parameter WORD_WIDTH = 16
) (
    input  wire                  clk,
    input  wire                  reset,

    // From wormlan_fork: {kind, word}. One is put only in the clock behind one in which go is 1.
    input  wire                  put,
    input  wire [WORD_WIDTH+1:0] word_in,
    output wire                  go,
    input  wire                  begins,   // the next word is the first one of a fragment
    input  wire                  again,    // of a packet that has begun before
    input  wire                  cut,      // the rest of the packet does not come

    output reg                   shown,
    output reg  [WORD_WIDTH+1:0] word,
    input  wire                  take,

    output wire                  event_drop,  // a word, or the last one, of a packet that never becomes whole
    output wire                  quiet
);
    localparam W = WORD_WIDTH, DEPTH_LOG2 = 8;

    reg  [W+1:0]          buffer[0:(1<<DEPTH_LOG2)-1];
    reg  [DEPTH_LOG2-1:0] next, begun, first;  // the place of the next word, of the packet that is not whole, and to be read
    reg                   open;     // of a packet that is not whole all has come so far
    reg                   skips;    // words of its header
    reg                   address;  // the next one is the first

    wire [1:0] kind  = word_in[W +: 2];
    wire       carries = kind == `POSTROAD_WORM_DATA || kind == `POSTROAD_WORM_INFO;
    wire       ends    = kind == `POSTROAD_WORM_END;
    wire       resets  = kind == `POSTROAD_WORM_CONTROL && word_in[5:0] != `POSTROAD_WORM_CONTROL_FRAGMENT;
    wire       repeated = skips && carries && (address || kind == `POSTROAD_WORM_INFO);

    // Full: it waits for packets that are whole; there are none if it is too small for this one.
    wire [DEPTH_LOG2-1:0] used = next - first;
    wire       full  = used >= {{DEPTH_LOG2-2{1'b1}}, 2'b00};
    wire       stored = put && open && (carries && !repeated || ends);
    wire       never = full && begun == first;
    assign go = !full || never;
    assign event_drop = put && !open && carries || open && (never || cut || put && resets);

    wire fetch = first != begun && (!shown || take);
    always @(posedge clk) begin
        if (stored) buffer[next] <= word_in;
        if (fetch) word <= buffer[first];
    end

    always @(posedge clk)
        if (reset) begin
            next  <= {DEPTH_LOG2{1'b0}};
            begun <= {DEPTH_LOG2{1'b0}};
            first <= {DEPTH_LOG2{1'b0}};
            {open, skips, address, shown} <= 4'b0000;
        end else begin
            shown <= fetch || shown && !take;
            first <= first + {{DEPTH_LOG2-1{1'b0}}, fetch};
            if (begins) {skips, address} <= {again, 1'b1};
            else if (put) {skips, address} <= {skips && repeated, 1'b0};
            open  <= begins && !again || open && !never && !cut && !(put && (ends || resets));
            if (begins && !again || !open) next <= begun;
            else if (stored) next <= next + 1'b1;
            if (stored && ends) begun <= next + 1'b1;
        end

    assign quiet = !shown && first == begun;
endmodule

`default_nettype wire
