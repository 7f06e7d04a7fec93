// frame_crc: the CRC of the words of a packet on a line, bit by bit. line_crc.v is the same sum by bytes, and has its
// polynomial.
//
// A frame is tag and `first`, the rest of the header, two bytes, and eight check bits, which are the upper byte of the sum.
// The sum of a packet goes on from frame to frame. That of a status frame stands alone.
//
//   bit       0 1 2 3     4 ... 23    24          25 ... 31
//   starts          1
//   feeds                 1 ... 1
//   saves                             1
//   checks                            1           1  ... 1
//   top                   the bit that a terminator carries in place of a word, the check bit
//
// Cost: 32 flops.
// SPDX-License-Identifier: ISC
`default_nettype none

module frame_crc (
    input  wire       clk,
    input  wire       reset,
    input  wire       starts,      // first_bits are complete
    input  wire [3:0] first_bits,  // tag, and whether the frame is the first of its packet
    input  wire       feeds,       // `value` is a further bit that is summed
    input  wire       value,
    input  wire       saves,       // the sum is kept for the next frame of the packet
    input  wire       checks,      // the next check bit is to be shown
    output wire       top,
    output wire [7:0] rest         // 0 in the clock of `saves` if a terminator carried the right bits
);
    localparam [15:0] POLYNOMIAL = 16'h0389;

    reg [15:0] sum, packet;
    reg        word;

    function [15:0] after(input [15:0] start, input bit_value);
        after = {start[14:0], 1'b0} ^ (start[15] ^ bit_value ? POLYNOMIAL : 16'd0);
    endfunction

    wire        alone = first_bits[3:1] == 3'd0 || first_bits[0];
    wire [15:0] begun = after(after(after(after(alone ? 16'hffff : packet, first_bits[3]), first_bits[2]), first_bits[1]),
                              first_bits[0]);

    assign top  = sum[15];
    assign rest = sum[7:0];

    always @(posedge clk)
        if (reset) begin
            sum    <= 16'd0;
            packet <= 16'd0;
            word   <= 1'b0;
        end else begin
            if (starts) begin
                sum  <= begun;
                word <= first_bits[3:1] != 3'd0;
            end else if (feeds) sum <= after(sum, value);
            else if (checks) sum <= {sum[14:0], 1'b0};
            if (saves && word) packet <= sum;
        end

`ifdef FORMAL
    initial {sum, packet, word} = 33'd0;  // both ends of a line are alike from the start (eager_sender.v)
`endif
endmodule

`default_nettype wire
