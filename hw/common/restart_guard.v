// restart_guard: between a fabric and its operator's network_interface, which can be reset while the fabric goes on (rule X1).
//
//   network_interface  -- sent --->+---------------+--- send --->  fabric, fifo_buffer downstream
//                      <- wait ----| restart_guard |<-- wait ----
//   network_interface <- received -+               +<- receive --  fabric, fifo_buffer upstream
//
//   packet that the restart cuts      goes on as
//   begun towards the fabric          abort_packet, as soon as the fabric takes it; the next packet waits until then
//   begun towards the operator        discarded up to its terminator
//
// link_guard does the same for any fault of both ends. This is the one case of it that a site needs, at a third of the cells: the
// fabric is never reset without the network_interface, and a fifo_buffer allows that a word changes while it waits.
// Timing: no clock is added. Cost: 4 flops.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module restart_guard #(
    parameter WORD_WIDTH = 16  // as the fabric's
) (
    input wire clk,
    input wire fabric_reset,
    input wire core_reset,    // of the network_interface; 1 whenever fabric_reset first becomes 1

    // network_interface and fabric: a word moves in a clock with a tag and without wait.
    input  wire [WORD_WIDTH+2:0] sent,
    output wire                  sent_wait,
    output wire [WORD_WIDTH+2:0] send,
    input  wire                  send_wait,

    input  wire [WORD_WIDTH+3:0] receive,
    output wire                  receive_wait,
    output wire [WORD_WIDTH+3:0] received,
    input  wire                  received_wait
);
    reg sending;     // the fabric has the beginning of a packet
    reg owes;        // abort_packet follows
    reg receiving;   // the fabric has passed on the beginning of a packet
    reg swallows;    // and the network_interface that had it does no longer exist

    function ends(input [2:0] tag);
        ends = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    endfunction

    wire [2:0] sent_tag = core_reset ? 3'd0 : sent[WORD_WIDTH +: 3];
    wire [2:0] send_tag = owes ? `POSTROAD_TAG_ABORT_PACKET : sent_tag;
    wire       sends    = |send_tag && !send_wait;

    assign send = {send_tag, sent[WORD_WIDTH-1:0]};
    assign sent_wait = send_wait || owes;

    wire       hides    = swallows || core_reset;
    wire [2:0] tag      = receive[WORD_WIDTH +: 3];
    wire       receives = |tag && !receive_wait;

    assign received = {receive[WORD_WIDTH+3], hides ? 3'd0 : tag, receive[WORD_WIDTH-1:0]};
    assign receive_wait = swallows ? 1'b0 : core_reset || received_wait;

    wire sending_next   = sends ? !ends(send_tag) : sending;
    wire receiving_next = receives ? !ends(tag) : receiving;

    always @(posedge clk)
        if (fabric_reset)
            {sending, owes, receiving, swallows} <= 4'd0;
        else begin
            sending   <= sending_next;
            owes      <= sending_next && (owes || core_reset);
            receiving <= receiving_next;
            swallows  <= receiving_next && (swallows || core_reset);
        end

`ifdef FORMAL
    // What the fabric has of a packet is what this network_interface has sent of it, and the other way round; else the rest is
    // made up, or swallowed.
    reg past_valid = 1'b0, sent_within, received_within;
    wire sent_leaves = |sent[WORD_WIDTH +: 3] && !sent_wait && !core_reset;
    wire arrives     = |received[WORD_WIDTH +: 3] && !received_wait;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (fabric_reset);
        if (fabric_reset) assume (core_reset);
        if (core_reset) assume (sent[WORD_WIDTH +: 3] == 3'd0 && received_wait);  // as network_interface in reset
        sent_within     <= !core_reset && (sent_leaves ? !ends(sent[WORD_WIDTH +: 3]) : sent_within);
        received_within <= !core_reset && (arrives ? !ends(received[WORD_WIDTH +: 3]) : received_within);
        if (past_valid) begin
            if (!$past(core_reset) && !owes) assert (sending == sent_within);
            if (owes) assert (sending && !sent_within);
            if (!$past(core_reset) && !swallows) assert (receiving == received_within);
            if (swallows) assert (receiving && !received_within && !receive_wait);
            if (sent_leaves) assert (send == sent && !send_wait);
            if (arrives) assert (received == receive && !receive_wait);
            cover (owes && send_wait);
            cover (swallows && ends(tag));
        end
    end
`endif
endmodule

`default_nettype wire
