// The mark of dead frames: no one or two wrong bits of a frame make a dead one of a good one, or a good one of a dead one. A sum
// is linear (line_crc_proof.v), so the wrong bits alone are looked at.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module dead_mark_proof (
    input wire        clk,
    input wire [31:0] wrong      // wrong bits of a frame: header, word, check byte
);
    wire [15:0] differs [0:3];
    assign differs[0] = 16'd0;
    genvar i;
    generate
        for (i = 0; i < 3; i = i + 1) begin : bytes
            line_crc step (.crc(differs[i]), .value(wrong[31 - 8*i -: 8]), .next(differs[i+1]), .fits());
        end
    endgenerate

    integer k;
    reg [5:0] count;
    always @* begin
        count = 6'd0;
        for (k = 0; k < 32; k = k + 1) count = count + {5'd0, wrong[k]};
    end

    wire [7:0] syndrome = differs[3][15:8] ^ wrong[7:0];
    always @(posedge clk) begin
        if (count <= 6'd2) assert (syndrome != `POSTROAD_LINK_DEAD_MARK);
        cover (syndrome == `POSTROAD_LINK_DEAD_MARK && count == 6'd3);
    end
endmodule

`default_nettype wire
