// line_crc over a frame: any one or two wrong bits of a frame are found by its own check byte. Wrong bits of the first three
// bytes that it does not find are found by the check byte of the next frame, unless they leave the whole CRC as it was.
// SPDX-License-Identifier: ISC
`default_nettype none

module line_crc_proof (
    input wire        clk,
    input wire [15:0] before,      // the CRC in front of the frame
    input wire [31:0] frame,       // header, word, check byte
    input wire [31:0] wrong,       // its wrong bits
    input wire [23:0] next_frame   // the first three bytes of the next one
);
    wire [15:0] sent [0:6], got [0:6];
    wire [7:0]  sent_fits, got_fits;
    assign sent[0] = before;
    assign got[0]  = before;

    genvar i;
    generate
        for (i = 0; i < 6; i = i + 1) begin : bytes
            wire [7:0] value = i < 3 ? frame[31 - 8*i -: 8] : next_frame[23 - 8*(i - 3) -: 8];
            wire [7:0] error = i < 3 ? wrong[31 - 8*i -: 8] : 8'd0;
            line_crc at_sender (.crc(sent[i]), .value(value), .next(sent[i+1]), .fits(sent_fits[i]));
            line_crc at_receiver (.crc(got[i]), .value(value ^ error), .next(got[i+1]), .fits(got_fits[i]));
        end
    endgenerate

    wire fits, next_fits;
    line_crc check (.crc(got[3]), .value(sent[3][15:8] ^ wrong[7:0]), .next(), .fits(fits));
    line_crc next_check (.crc(got[6]), .value(sent[6][15:8]), .next(), .fits(next_fits));

    integer k;
    reg [5:0] count;
    always @* begin
        count = 6'd0;
        for (k = 0; k < 32; k = k + 1) count = count + {5'd0, wrong[k]};
    end

    always @(posedge clk) begin
        if (count == 6'd0) assert (fits && next_fits);
        if (count == 6'd1 || count == 6'd2) assert (!fits);
        if (fits && wrong[7:0] == 8'd0 && got[3] != sent[3]) assert (!next_fits);
        cover (fits && count == 6'd3);
        cover (fits && got[3] == sent[3] && count != 6'd0);
    end
endmodule

`default_nettype wire
