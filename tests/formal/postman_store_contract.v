// What a buffer of the postman may rely on: when a machine takes packets, and stores their flits (R5, R6, R8). In the proof of
// the machine it is asserted, in that of a buffer it is assumed.
//
//   clock (N = 4)   0     1     2     3     4     5     6     7     8     9    ...   13
//   take            1     .     .     .     .     .     .     .     .     .          1    the next packet can be taken
//   write          (1)    .     .     .     1     .     .     .     1     .
//   last            .     .     .     .     .     .     .     .     1     .
//
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_store_contract #(
    parameter FLIT   = 3,
    parameter ASSUME = 0   // 1: the machine is not under proof
) (
    input wire clk,
    input wire reset,
    input wire advance,
    input wire machine_idle,  // no packet, and none begins in this clock
    input wire free,
    input wire take,
    input wire leading,       // the packet is stored from its leading flit on
    input wire two,           // it begins with two address flits
    input wire write,
    input wire last,
    input wire overflow
);
    localparam WIDTH = $clog2(FLIT + 2), N = FLIT + 1;

    reg             stores;   // a packet
    reg [WIDTH-1:0] distance; // clocks to its next flit, or at least to the next packet
    wire at_flit = stores && distance == 0;
    wire fits    = (!take || (free && !stores && distance == 0)) && write == (at_flit || (take && leading)) &&
                   (!last || at_flit) && (!(at_flit && overflow) || last) && !(machine_idle && (stores || take)) &&
                   !(take && two && !leading);

    always @(posedge clk)
        if (reset) {stores, distance} <= 0;
        else if (advance) begin
            stores <= take || (stores && !last);
            if (last || machine_idle) distance <= N;
            else if (take || at_flit) distance <= N - 1;
            else if (distance != 0) distance <= distance - 1'b1;
        end

    generate
        if (ASSUME != 0) begin : assumed
            always @(*) if (!reset && advance) assume (fits);
        end else begin : asserted
            always @(posedge clk) if (!reset && advance) assert (fits);
        end
    endgenerate
endmodule

`default_nettype wire
