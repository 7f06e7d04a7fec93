// network_interface_stamps: the clocks in which the first and the last word of a packet moved, for both sides in one memory.
//
//   receive side: stamp 0 or 1 taken --+                     +--> receive side, which has precedence
//                                      +--> memory of 8 -----+
//   send side:    stamp 0 or 1 taken --+     one write,      +--> send side, where the receive side does not read
//                                            one read a clock
//
// Stamps that both sides take in one clock are equal. They share a slot, so that one write does for both:
//
//   taken in a clock                       slot
//   stamp v of the receive side            {0, v, 0}
//   stamp w of the send side               {0, w, 1}
//   both                                   {1, v, w}, and either side notes that its stamp is there
//
// Slot {1, v, w} is written again only in a clock that replaces both stamps in it. No stamp is therefore lost, in whatever order
// the sides take and read theirs.
// Cost: two block RAMs of an iCE40, 9 flops.
// SPDX-License-Identifier: ISC
`default_nettype none

module network_interface_stamps (
    input wire        clk,
    input wire [31:0] now,

    // Either side: in a clock with take, `now` becomes the stamp `take_index`.
    input wire receive_take,
    input wire receive_take_index,
    input wire send_take,
    input wire send_take_index,

    // In a clock with read, `stamp` of the next clock is the stamp read_index. It must have been taken in an earlier clock.
    // The send side always reads; send_valid: `stamp` is what it has read.
    input wire        receive_read,
    input wire        receive_read_index,
    input wire        send_read_index,
    output reg [31:0] stamp,
    output reg        send_valid
);
    (* ram_style = "block", no_rw_check *)   // a stamp is read in a later clock than it is taken
    reg [31:0] memory [0:7];
    reg [1:0]  receive_shared, receive_other;  // by stamp: it is in slot {1, stamp, receive_other}
    reg [1:0]  send_shared, send_other;        // by stamp: it is in slot {1, send_other, stamp}

    wire       both = receive_take && send_take;
    wire [2:0] written = {both, receive_take ? receive_take_index : send_take_index, !receive_take || both && send_take_index};
    wire [2:0] receive_slot = {receive_shared[receive_read_index], receive_read_index, receive_other[receive_read_index]};
    wire [2:0] send_slot = send_shared[send_read_index] ? {1'b1, send_other[send_read_index], send_read_index} :
                                                          {1'b0, send_read_index, 1'b1};

    always @(posedge clk) begin
        if (receive_take || send_take)
            memory[written] <= now;
        stamp <= memory[receive_read ? receive_slot : send_slot];
        send_valid <= !receive_read;
        if (receive_take) begin
            receive_shared[receive_take_index] <= send_take;
            receive_other[receive_take_index] <= send_take && send_take_index;
        end
        if (send_take) begin
            send_shared[send_take_index] <= receive_take;
            send_other[send_take_index] <= receive_take_index;
        end
    end

`ifdef FORMAL
    // Each stamp against a register of its own, at any time after it was first taken.
    reg [31:0] receive_stamps [0:1];
    reg [31:0] send_stamps [0:1];
    reg [1:0]  receive_taken = 2'd0, send_taken = 2'd0;
    reg        receive_reads = 1'b0, send_reads = 1'b0;
    reg [31:0] expected;

    always @(posedge clk) begin
        if (receive_take) begin
            receive_stamps[receive_take_index] <= now;
            receive_taken[receive_take_index] <= 1'b1;
        end
        if (send_take) begin
            send_stamps[send_take_index] <= now;
            send_taken[send_take_index] <= 1'b1;
        end
        assume (!(receive_take && receive_read && receive_take_index == receive_read_index));  // read behind the clock of taking
        receive_reads <= receive_read && receive_taken[receive_read_index];
        send_reads <= !receive_read && send_taken[send_read_index] && !(send_take && send_take_index == send_read_index);
        expected <= receive_read ? receive_stamps[receive_read_index] : send_stamps[send_read_index];
        if (receive_reads || send_reads) assert (stamp == expected);
        if (send_reads) assert (send_valid);
        // What holds in between.
        if (receive_taken[0]) assert (memory[{receive_shared[0], 1'b0, receive_other[0]}] == receive_stamps[0]);
        if (receive_taken[1]) assert (memory[{receive_shared[1], 1'b1, receive_other[1]}] == receive_stamps[1]);
        if (send_taken[0]) assert (memory[send_shared[0] ? {1'b1, send_other[0], 1'b0} : 3'b001] == send_stamps[0]);
        if (send_taken[1]) assert (memory[send_shared[1] ? {1'b1, send_other[1], 1'b1} : 3'b011] == send_stamps[1]);
        if (receive_taken[0] && !receive_shared[0]) assert (!receive_other[0]);
        if (receive_taken[1] && !receive_shared[1]) assert (!receive_other[1]);
        cover (receive_reads && receive_shared == 2'b11 && send_shared == 2'b11);
    end
`endif
endmodule

`default_nettype wire
