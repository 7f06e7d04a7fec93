// line_crc over a frame: any one or two wrong bits of a frame are found by its own check byte. Wrong bits of the first three
// bytes that it does not find are found by the check byte of the next frame, unless they leave the whole CRC as it was.
//
// The CRC is linear (the first assertion). So what a receiver's CRC differs by from the sender's depends on the wrong bits
// alone, and it is enough to look at them with a sender that sends zeros behind a CRC of 0: a solver needs a second for these
// 32 bits, and minutes for them with all frames and all CRCs in front of them.
// SPDX-License-Identifier: ISC
`default_nettype none

module line_crc_proof (
    input wire        clk,
    input wire [15:0] crc, crc_differs,      // any, for the first assertion
    input wire [7:0]  value, value_differs,
    input wire [31:0] wrong                  // wrong bits of a frame: header, word, check byte
);
    wire [15:0] next, next_of_other, next_differs;
    wire        fits, other_fits, fits_differs;
    line_crc one (.crc(crc), .value(value), .next(next), .fits(fits));
    line_crc other (.crc(crc ^ crc_differs), .value(value ^ value_differs), .next(next_of_other), .fits(other_fits));
    line_crc difference (.crc(crc_differs), .value(value_differs), .next(next_differs), .fits(fits_differs));

    wire [15:0] differs [0:6];      // of a frame, then of the next one, whose bits are right
    assign differs[0] = 16'd0;
    genvar i;
    generate
        for (i = 0; i < 6; i = i + 1) begin : bytes
            wire [7:0] error = i < 3 ? wrong[31 - 8*i -: 8] : 8'd0;
            line_crc step (.crc(differs[i]), .value(error), .next(differs[i+1]), .fits());
        end
    endgenerate

    wire accepted, next_accepted;
    line_crc check (.crc(differs[3]), .value(wrong[7:0]), .next(), .fits(accepted));
    line_crc next_check (.crc(differs[6]), .value(8'd0), .next(), .fits(next_accepted));

    integer k;
    reg [5:0] count;
    always @* begin
        count = 6'd0;
        for (k = 0; k < 32; k = k + 1) count = count + {5'd0, wrong[k]};
    end

    always @(posedge clk) begin
        assert (next_of_other == (next ^ next_differs));
        if (fits) assert (other_fits == fits_differs);
        if (count == 6'd0) assert (accepted && next_accepted);
        if (count == 6'd1 || count == 6'd2) assert (!accepted);
        if (accepted && wrong[7:0] == 8'd0 && differs[3] != 16'd0) assert (!next_accepted);
        cover (accepted && count == 6'd3);
        cover (accepted && differs[3] == 16'd0 && count != 6'd0);
    end
endmodule

`default_nettype wire
