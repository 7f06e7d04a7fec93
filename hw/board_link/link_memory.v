// link_memory: two block RAMs of 16 bits side by side, one read and one write a clock. Contents behind power-on: 0, but for the
// row of the start value.
//
// Row (7 bits)      left half                                  right half
// 0000 0ll          state of link l (link_engine.v)            bit 0: the far end has lost a frame
// 0000 1ll          flags of the frame that is being sent      count: periods in which the link was up
// 0001 0ll          header of the last status frame that came  the far site's number; both stay as they are once the link is up
//                   before the link was trained
// 01st0ll           CRC; s: of a status frame, t: sent         counts: damaged frames; t: words sent, frames sent while down
// 01st1ll           start value of the CRC, 0xffff; never written   counts: frames begun; t, s: times that the link came up
// 1pppp ll          queue of link l: header, place p           word
//
// SPDX-License-Identifier: ISC
`default_nettype none

module link_memory (
    input  wire        clk,
    input  wire [6:0]  read_row,
    input  wire        read_beside,  // bit 2 of the right half's row is 1
    output reg  [15:0] left,         // of the row read in the clock before
    output reg  [15:0] right,
    input  wire [6:0]  write_row,
    input  wire        write_beside,
    input  wire        write_left,
    input  wire [15:0] left_next,
    input  wire        write_high,   // right half, upper byte
    input  wire        write_low,
    input  wire [15:0] right_next
);
    // No row is read for its value in the clock in which it is written.
    (* no_rw_check *) reg [15:0] lefts [0:255];
    (* no_rw_check *) reg [15:0] rights [0:255];

    integer i;
    initial
        for (i = 0; i < 256; i = i + 1) begin
            lefts[i]  = i[6:5] == 2'd1 && i[2] ? 16'hffff : 16'd0;
            rights[i] = 16'd0;
        end

    wire [6:0] beside      = {4'd0, read_beside, 2'd0};
    wire [6:0] beside_next = {4'd0, write_beside, 2'd0};

    always @(posedge clk) begin
        left  <= lefts[{1'b0, read_row}];
        right <= rights[{1'b0, read_row | beside}];
        if (write_left) lefts[{1'b0, write_row}] <= left_next;
        if (write_high) rights[{1'b0, write_row | beside_next}][15:8] <= right_next[15:8];
        if (write_low) rights[{1'b0, write_row | beside_next}][7:0] <= right_next[7:0];
    end
endmodule

`default_nettype wire
