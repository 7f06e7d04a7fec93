// cable_delay: one direction of a cable of a graph, on which a word takes DELAY clocks, 1 being a wire between two flops.
//
//   word_in  -->[ ]-->[ ]--> word_out     DELAY - 1 flops each way
//   wait_out <--[ ]<--[ ]<-- wait_in
//
// Where links carry words, one goes in in the clock in which the sender shows it and sees no wait: the receiver is shown it in
// one clock, and takes it. Its wait has to come two delays before it has no room. Lines go in as they are.
// SPDX-License-Identifier: ISC
`default_nettype none

module cable_delay #(
    parameter WIDTH = 19,  // bits of a link
    parameter DELAY = 1,   // clocks
    parameter WORDS = 1    // 1: links carry words; 0: lines
) (
    input  wire             clk,
    input  wire             reset,  // of the mesh

    // From the sender, and to the receiver; the status the other way.
    input  wire [WIDTH-1:0] word_in,
    output wire [WIDTH-1:0] word_out,
    input  wire             wait_in,
    output wire             wait_out
);
    wire [WIDTH-1:0] entering = WORDS != 0 && wait_out ? {WIDTH{1'b0}} : word_in;

    generate
        if (DELAY == 1) begin : wires
            assign word_out = entering;
            assign wait_out = wait_in;

            wire unused = &{1'b0, clk, reset};
        end else begin : flops
            reg  [WIDTH*(DELAY-1)-1:0] words;
            reg  [DELAY-2:0]           waits;
            wire [WIDTH*DELAY-1:0]     words_next = {words, entering};
            wire [DELAY-1:0]           waits_next = {waits, wait_in};

            assign word_out = words[WIDTH*(DELAY-2) +: WIDTH];
            assign wait_out = waits[DELAY-2];

            always @(posedge clk) begin
                words <= reset ? {WIDTH*(DELAY-1){1'b0}} : words_next[WIDTH*(DELAY-1)-1:0];
                waits <= reset ? {DELAY-1{1'b0}} : waits_next[DELAY-2:0];
            end

            wire unused = &{1'b0, words_next[WIDTH*DELAY-1 -: WIDTH], waits_next[DELAY-1]};
        end
    endgenerate
endmodule

`default_nettype wire
