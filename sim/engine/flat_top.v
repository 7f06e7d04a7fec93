// flat_top: a generated flat mesh of fabrics with the ports of fabric_top.v, so that a test can run it beside the engine
// and compare. Links are outputs only, and of this clock: the mesh wires them itself.
//
// SPDX-License-Identifier: ISC
`default_nettype none

module flat_top #(
    parameter WORD_WIDTH = 16,  // follow from the .mesh file, as the module flat_mesh does: bits of a word,
    parameter LINKS      = 4,   // links of a site,
    parameter LINK_WIDTH = WORD_WIDTH + 3,  // bits of a link,
    parameter SITES      = 16   // and sites
) (
    input  wire                      clk,
    input  wire                      reset,

    // Link l of site s at [64*(s*LINKS+l) +: 64]: {status for the words that arrive on it, ..., word sent on it}.
    output wire [64*LINKS*SITES-1:0] link_out,

    // Operator of site s at [64*s +: 64], as in fabric_top.v.
    input  wire [64*SITES-1:0]       local_in,
    output wire [64*SITES-1:0]       local_out,

    // Event counters: site s at [32*s +: 32].
    input  wire [31:0]               counter_select,
    output wire [32*SITES-1:0]       counter_values,

    // Nothing in flight anywhere.
    output wire                      quiet
);
    localparam TAGGED_WIDTH = WORD_WIDTH + 3;  // a word and its tag

    wire [SITES*LINKS*LINK_WIDTH-1:0] words;
    wire [SITES*LINKS-1:0]            waits;
    wire [SITES*TAGGED_WIDTH-1:0]     send;
    wire [SITES*(TAGGED_WIDTH+1)-1:0] receive;
    reg  [SITES-1:0]                  relief;
    wire [SITES-1:0]                  send_wait, receive_wait, quiet_sites;

    genvar i;
    generate
        for (i = 0; i < SITES * LINKS; i = i + 1) begin : link
            assign link_out[64*i +: 64] = {waits[i], {63-LINK_WIDTH{1'b0}}, words[i*LINK_WIDTH +: LINK_WIDTH]};
        end
        for (i = 0; i < SITES; i = i + 1) begin : operator
            assign send[i*TAGGED_WIDTH +: TAGGED_WIDTH] = local_in[64*i +: TAGGED_WIDTH];
            assign receive_wait[i] = local_in[64*i + 63];
            always @(posedge clk) relief[i] <= !reset && local_in[64*i + 62];
            assign local_out[64*i +: 64] = {send_wait[i], {62-TAGGED_WIDTH{1'b0}},
                                            receive[i*(TAGGED_WIDTH+1) +: TAGGED_WIDTH+1]};
        end
    endgenerate

    assign quiet = &quiet_sites;

    flat_mesh mesh (
        .clk(clk), .reset(reset), .site_reset({SITES{1'b0}}), .link_words(words), .link_waits(waits), .send(send),
        .send_wait(send_wait),
        .receive(receive), .receive_wait(receive_wait), .relief(relief),
        .counter_select(counter_select[5:0]),
        .counter_value(counter_values), .quiet(quiet_sites)
    );

    wire unused = &{1'b0, local_in, counter_select};
endmodule

`default_nettype wire
