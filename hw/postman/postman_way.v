// postman_way: the shorter way round in one dimension of a torus; half way round, the positive one.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_way (
    input  wire [7:0] size,   // sites of the ring
    input  wire [6:0] from,   // coordinates below it
    input  wire [6:0] to,
    output wire       rises,  // neither: the packet is there
    output wire       falls
);
    // Steps of the positive way.
    wire [7:0] straight = {1'b0, to} - {1'b0, from};
    wire [7:0] ahead    = straight[7] ? straight + size : straight;

    assign falls = {ahead, 1'b0} > {1'b0, size};
    assign rises = |ahead && !falls;
endmodule

`default_nettype wire
